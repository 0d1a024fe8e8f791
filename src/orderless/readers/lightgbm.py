"""LightGBM's trees.

In:  a fitted ``LGBMClassifier``, or a ``Booster``, of one tree and two classes.
Out: ``SourceTree``. Numbers are compared as float64, but all between -ZERO and ZERO count as 0.
     (LightGBM itself rounds a whole *array of integers* to float32 first; a data frame it does
     not.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel
from ..space import plain_label
from .source import SourceTree

__all__ = ["from_lightgbm", "knows"]

ZERO = float(np.float32(1e-35))
BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
# 1 / (1 + exp(-x)) is above one half, in float64, from here on.
TIE = 1.5 * 2.0**-53
LIMIT = 100_000


def knows(model: Any) -> bool:
    """Whether it is a model of LightGBM; those that do not classify are refused."""
    import lightgbm

    if isinstance(model, lightgbm.LGBMModel) and not isinstance(model, lightgbm.LGBMClassifier):
        raise UnreadableModel(
            f"a {type(model).__qualname__} does not predict classes: use an LGBMClassifier"
        )
    return isinstance(model, lightgbm.LGBMClassifier | lightgbm.Booster)


def from_lightgbm(model: Any) -> SourceTree:
    """Read a single tree; of a ``Booster`` the classes are 0 and 1, told apart at one half."""
    import lightgbm

    booster, classes = model, np.array([0, 1])
    if not isinstance(model, lightgbm.Booster):
        booster = getattr(model, "booster_", None)
        if booster is None:
            raise UnreadableModel(f"this {type(model).__qualname__} is not fitted: call fit(X, y)")
        classes = model.classes_
    dump = booster.dump_model()
    sigmoid = _check(dump)
    labels = _labels(dump)
    root = dump["tree_info"][0]["tree_structure"]
    nodes = _walk(root, labels)
    names = dump["feature_names"]
    raw = np.array([node.value for node in nodes])
    return SourceTree(
        classes=classes,
        column=np.array([node.column for node in nodes], dtype=np.int32),
        threshold=np.array([node.threshold for node in nodes]),
        when_true=np.array([node.yes for node in nodes], dtype=np.int32),
        when_false=np.array([node.no for node in nodes], dtype=np.int32),
        leaf_class=(sigmoid * raw > TIE).astype(np.int32),
        n_columns=len(names),
        column_names=None if names == [f"Column_{i}" for i in range(len(names))] else names,
        nan_true=np.array([node.nan for node in nodes], dtype=bool),
        members={i: node.among for i, node in enumerate(nodes) if node.among is not None},
        categories={column: list(known.values()) for column, known in labels.items()},
    )


def _check(dump: dict[str, Any]) -> float:
    """Refuse what is not one tree that decides between two classes; give the sigmoid's factor."""
    if dump["num_tree_per_iteration"] != 1:
        raise UnreadableModel(
            f"this booster has a tree for each of {dump['num_tree_per_iteration']} classes: "
            "two classes are legal, which share one tree"
        )
    objective, *options = dump.get("objective", "none of its own").split(" ")
    if objective != "binary":
        raise UnreadableModel(
            f"the objective {dump.get('objective', 'none of its own')!r} cannot be read as two "
            "classes: legal is 'binary'"
        )
    if len(dump["tree_info"]) != 1:
        raise UnreadableModel(
            f"this booster holds {len(dump['tree_info'])} trees, legal is one: "
            "fit with n_estimators=1"
        )
    return float(dict(option.split(":") for option in options if ":" in option)["sigmoid"])


def _labels(dump: dict[str, Any]) -> dict[int, dict[int, Any]]:
    """Give, of categorical columns, the label of every code.

    Categories of a data frame are kept one list after the other, without saying of which column;
    other categories are whole numbers, which are their own codes.
    """
    seen = {
        i: [int(code) for code in dump["feature_infos"][name]["values"] if int(code) >= 0]
        for i, name in enumerate(dump["feature_names"])
        if dump["feature_infos"].get(name, {}).get("values")
    }
    lists = dump.get("pandas_categorical") or []
    if not lists:
        return {column: {code: code for code in codes} for column, codes in seen.items() if codes}
    fits = len(lists) == len(seen) and all(
        max(codes, default=-1) < len(known)
        for codes, known in zip(seen.values(), lists, strict=False)
    )
    if not fits:
        raise UnreadableModel(
            f"the data frame had {len(lists)} columns of categories and LightGBM took {len(seen)} "
            "columns for categorical, so which is which is not known: drop constant ones, make "
            "ordered ones numbers, leave categorical_feature out, and fit again"
        )
    return {
        column: {code: plain_label(label) for code, label in enumerate(known)}
        for column, known in zip(seen, lists, strict=True)
    }


class _Node(NamedTuple):
    """A node; ``yes`` and ``no`` are LightGBM's dicts, or nodes, and in the end numbers."""

    column: int = -1
    threshold: float = 0.0
    nan: bool = False
    yes: Any = -1
    no: Any = -1
    value: float = 0.0
    among: list[Any] | None = None


def _walk(root: dict[str, Any], labels: dict[int, dict[int, Any]]) -> list[_Node]:
    nodes: list[_Node] = []
    todo: list[tuple[Any, int, bool]] = [(root, -1, True)]
    while todo:
        given, parent, holds = todo.pop()
        node = given if isinstance(given, _Node) else _opened(given, labels)
        at = len(nodes)
        if at > LIMIT:
            raise UnreadableModel(
                f"with zero_as_missing this tree has more than {LIMIT} nodes, because zero does "
                "not stand between its neighbours: fit fewer leaves, or without zero_as_missing"
            )
        if parent >= 0:
            above = nodes[parent]
            nodes[parent] = above._replace(yes=at) if holds else above._replace(no=at)
        nodes.append(node)
        if node.column >= 0:
            todo += [(node.no, at, False), (node.yes, at, True)]
    return nodes


def _opened(given: dict[str, Any], labels: dict[int, dict[int, Any]]) -> _Node:
    if "leaf_const" in given or "leaf_coeff" in given:
        raise UnreadableModel("the leaves hold linear models: fit with linear_tree=False")
    if "leaf_value" in given:
        return _Node(value=given["leaf_value"])
    column, left, right = given["split_feature"], given["left_child"], given["right_child"]
    if given["decision_type"] == "==":
        codes = [int(code) for code in str(given["threshold"]).split("||")]
        among = [labels[column][code] for code in codes if code in labels[column]]
        return _Node(column, yes=left, no=right, among=among)
    cut = given["threshold"]
    if abs(cut) <= ZERO:
        cut = BELOW_ZERO if cut < 0 else ZERO
    missing_left = given["default_left"]
    if given["missing_type"] == "None":  # NaN counts as 0
        missing_left = cut > 0
    split = _Node(column, cut, missing_left, left, right)
    if given["missing_type"] != "Zero" or missing_left == (cut > 0):
        return split
    # Zero goes with the missing values, away from its neighbours.
    if missing_left:
        zero = _Node(column, ZERO, False, left, right)
        return split._replace(no=_Node(column, BELOW_ZERO, False, right, zero))
    zero = _Node(column, ZERO, True, right, split)
    return _Node(column, BELOW_ZERO, False, left, zero)
