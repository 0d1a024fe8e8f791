"""LightGBM's trees.

In:  a fitted ``LGBMClassifier``, a ``Booster``, or the text of a model file, of one tree and two
     classes.
Out: ``SourceTree``. Numbers are compared as float64, but all between -ZERO and ZERO count as 0.
     (LightGBM itself rounds a whole *array of integers* to float32 first; a data frame it does
     not.)

The text is read by our own parser, for models in memory too. LightGBM's JSON writes an infinite
threshold ("is the value known?") as 1e300, which is another condition; and its loader ends the
process on some broken files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel, a_kind
from ..model import plain_label
from .checks import check_binary_tree, refuse_own_predict
from .source import SourceTree

__all__ = ["from_lightgbm", "from_text", "is_text", "knows"]

ZERO = float(np.float32(1e-35))
BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
# 1 / (1 + exp(-x)) is above one half, in float64, from here on.
TIE = 1.5 * 2.0**-53
LIMIT = 100_000
MISSING = ("None", "Zero", "NaN")


def knows(model: Any) -> bool:
    """Whether it is a model of LightGBM; those that do not classify are refused."""
    import lightgbm

    if isinstance(model, lightgbm.LGBMModel) and not isinstance(model, lightgbm.LGBMClassifier):
        raise UnreadableModel(f"{a_kind(model)} does not predict classes: use an LGBMClassifier")
    if isinstance(model, lightgbm.LGBMClassifier):
        refuse_own_predict(model, lightgbm.LGBMClassifier)
        return True
    return isinstance(model, lightgbm.Booster)


def from_lightgbm(model: Any) -> SourceTree:
    """Read a single tree; of a ``Booster`` the classes are 0 and 1, told apart at one half."""
    import lightgbm

    booster, classes = model, np.array([0, 1])
    if not isinstance(model, lightgbm.Booster):
        booster = getattr(model, "booster_", None)
        if booster is None:
            raise UnreadableModel(f"this {type(model).__qualname__} is not fitted: call fit(X, y)")
        classes = model.classes_
    return from_text(booster.model_to_string(), classes)


def is_text(text: str) -> bool:
    """Whether a text is a model file of LightGBM, whole or not."""
    return text.startswith("tree\n") and "\nversion=" in text[:200]


def from_text(text: str, classes: Sequence[Any] | np.ndarray[Any, Any] = (0, 1)) -> SourceTree:
    """Read the text of a model file, as ``Booster.save_model`` writes it."""
    try:
        return _from_text(text, classes)
    except (IndexError, KeyError, ValueError, OverflowError, RecursionError) as fault:
        raise UnreadableModel(
            f"this LightGBM model is damaged ({type(fault).__name__}: {fault!s:.120}): save it "
            "again with booster.save_model(file)"
        ) from fault


def _from_text(text: str, classes: Sequence[Any] | np.ndarray[Any, Any]) -> SourceTree:
    head, *trees = text.partition("\nend of trees")[0].split("\nTree=")
    model = _entries(head)
    names = model["feature_names"].split(" ") if model.get("feature_names") else []
    if len(names) != int(model["max_feature_idx"]) + 1:
        raise ValueError(f"max_feature_idx is {model['max_feature_idx']}, {len(names)} names")
    sigmoid = _check(model, len(trees))
    labels = _labels(text, names, model)
    nodes = _walk(_Stored(_entries(trees[0]), len(names), labels))
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


def _entries(block: str) -> dict[str, str]:
    """Read lines ``key=value``; the first line names the block."""
    return dict(line.split("=", 1) for line in block.splitlines()[1:] if "=" in line)


def _check(model: dict[str, str], n_trees: int) -> float:
    """Refuse what is not one tree that decides between two classes; give the sigmoid's factor."""
    if (n_outputs := int(model["num_tree_per_iteration"])) != 1:
        raise UnreadableModel(
            f"this booster has a tree for each of {n_outputs} classes: only two classes, which "
            "share one tree, can be read"
        )
    stated = model.get("objective", "none of its own")
    objective, *options = stated.split(" ")
    if objective != "binary":
        raise UnreadableModel(
            f"the objective {stated!r:.80} cannot be read as two classes: it must be 'binary'"
        )
    if n_trees != 1:
        raise UnreadableModel(
            f"this booster holds {n_trees} trees and must hold one: fit with n_estimators=1"
        )
    sigmoid = float(dict(option.split(":") for option in options if ":" in option)["sigmoid"])
    if not 0 < sigmoid < np.inf:
        raise ValueError(f"sigmoid is {sigmoid}")
    return sigmoid


def _labels(text: str, names: Sequence[str], model: dict[str, str]) -> dict[int, dict[int, Any]]:
    """Give, of categorical columns, the label of every code.

    Categories of a data frame are kept one list after the other, without saying of which column;
    other categories are whole numbers, which are their own codes.
    """
    infos = model.get("feature_infos", "").split(" ")
    if len(infos) != max(len(names), 1):
        raise ValueError(f"feature_infos has {len(infos)} entries for {len(names)} features")
    seen = {
        i: [code for code in map(int, info.split(":")) if code >= 0]
        for i, info in enumerate(infos)
        if info and info != "none" and not info.startswith("[")
    }
    lists = _pandas_categories(text)
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


def _pandas_categories(text: str) -> list[list[Any]]:
    """Give the lists of categories of a data frame: JSON, in the last line."""
    _, found, rest = text.rpartition("\npandas_categorical:")
    lists = (json.loads(rest) if found else None) or []
    if not isinstance(lists, list) or not all(isinstance(known, list) for known in lists):
        raise ValueError("pandas_categorical is not a list of lists")
    return lists


class _Stored:
    """The arrays of a tree as LightGBM stores them, checked against each other."""

    def __init__(
        self, entries: dict[str, str], n_columns: int, labels: dict[int, dict[int, Any]]
    ) -> None:
        if entries.get("is_linear", "0") != "0":
            raise UnreadableModel("the leaves hold linear models: fit with linear_tree=False")
        self.labels = labels
        self.value = _numbers(entries, "leaf_value")
        n_leaves = int(entries["num_leaves"])
        n = n_leaves - 1
        self.column = _whole(entries, "split_feature", n)
        self.threshold = _numbers(entries, "threshold", n)
        self.kind = _whole(entries, "decision_type", n)
        self.left = _whole(entries, "left_child", n)
        self.right = _whole(entries, "right_child", n)
        if n_leaves < 1 or len(self.value) != n_leaves or not np.isfinite(self.value).all():
            raise ValueError(f"num_leaves is {n_leaves}, leaf_value has {len(self.value)} numbers")
        if np.isnan(self.threshold).any():
            raise ValueError("a threshold is not a number")
        for column in self.column:
            if not 0 <= column < n_columns:
                raise ValueError(f"split_feature {column}: there are {n_columns} features")
        # Leaves come after the splits.
        left, right = ([c if c >= 0 else n + ~c for c in side] for side in (self.left, self.right))
        check_binary_tree(left, right, n, n + n_leaves)
        self.codes = _sets(entries)

    def opened(self, at: int) -> _Node:
        """Give a split, or for a negative number a leaf."""
        if at < 0 or not self.left:
            return _Node(value=float(self.value[~at if at < 0 else 0]))
        column, kind = self.column[at], self.kind[at]
        left, right = self.left[at], self.right[at]
        if kind & 1:
            known = self.labels.get(column, {})
            number = float(self.threshold[at])
            if not number.is_integer() or not 0 <= number < len(self.codes):
                raise ValueError(f"a split asks for the set {number}, of {len(self.codes)}")
            among = [known[code] for code in self.codes[int(number)] if code in known]
            return _Node(column, yes=left, no=right, among=among)
        return self._numeric(column, float(self.threshold[at]), kind, left, right)

    def _numeric(self, column: int, cut: float, kind: int, left: int, right: int) -> _Node:
        missing, missing_left = MISSING[kind >> 2 & 3], bool(kind & 2)
        if abs(cut) <= ZERO:
            cut = BELOW_ZERO if cut < 0 else ZERO
        if missing == "None":  # NaN counts as 0
            missing_left = cut > 0
        split = _Node(column, cut, missing_left, left, right)
        if missing != "Zero" or missing_left == (cut > 0):
            return split
        # Zero goes with the missing values, away from its neighbours.
        if missing_left:
            zero = _Node(column, ZERO, False, left, right)
            return split._replace(no=_Node(column, BELOW_ZERO, False, right, zero))
        zero = _Node(column, ZERO, True, right, split)
        return _Node(column, BELOW_ZERO, False, left, zero)


def _sets(entries: dict[str, str]) -> list[list[int]]:
    """Give the codes of every set of categories that goes left; 32 to a word."""
    if not int(entries["num_cat"]):
        return []
    ends = _whole(entries, "cat_boundaries")
    words = _whole(entries, "cat_threshold")
    if sorted(ends) != ends or ends[0] != 0 or ends[-1] != len(words):
        raise ValueError("cat_boundaries do not fit cat_threshold")
    return [
        [32 * i + bit for i, word in enumerate(words[a:b]) for bit in range(32) if word >> bit & 1]
        for a, b in pairwise(ends)
    ]


def _whole(entries: dict[str, str], key: str, n: int | None = None) -> list[int]:
    numbers = [int(word) for word in entries.get(key, "").split()]
    return _as_many(numbers, key, n)


def _numbers(entries: dict[str, str], key: str, n: int | None = None) -> Any:
    return np.array(_as_many([float(word) for word in entries.get(key, "").split()], key, n))


def _as_many(numbers: list[Any], key: str, n: int | None) -> list[Any]:
    if n is not None and len(numbers) != max(n, 0):
        raise ValueError(f"{key} has {len(numbers)} numbers for {n} splits")
    return numbers


class _Node(NamedTuple):
    """A node; ``yes`` and ``no`` are LightGBM's numbers, or nodes, and in the end our numbers."""

    column: int = -1
    threshold: float = 0.0
    nan: bool = False
    yes: Any = -1
    no: Any = -1
    value: float = 0.0
    among: list[Any] | None = None


def _walk(stored: _Stored) -> list[_Node]:
    nodes: list[_Node] = []
    todo: list[tuple[Any, int, bool]] = [(0, -1, True)]
    while todo:
        given, parent, holds = todo.pop()
        node = given if isinstance(given, _Node) else stored.opened(given)
        at = len(nodes)
        if at > LIMIT:
            raise UnreadableModel(
                f"with zero_as_missing this tree has more than {LIMIT} nodes, because zero does "
                "not lie between its neighbours: fit fewer leaves, or without zero_as_missing"
            )
        if parent >= 0:
            above = nodes[parent]
            nodes[parent] = above._replace(yes=at) if holds else above._replace(no=at)
        nodes.append(node)
        if node.column >= 0:
            todo += [(node.no, at, False), (node.yes, at, True)]
    return nodes
