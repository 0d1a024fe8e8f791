"""XGBoost's trees.

In:  a fitted ``XGBClassifier`` or ``XGBRFClassifier``, a ``Booster``, or the JSON of a model file,
     of one tree and two classes.
Out: ``SourceTree``. Rows are rounded to float32, then asked whether they are below a float32.

A model file is read without XGBoost's loader, which believes the counts that it finds there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel, a_kind
from .checks import refuse_own_predict
from .source import SourceTree

__all__ = ["from_json", "from_xgboost", "knows"]

OBJECTIVES = ("binary:logistic", "reg:logistic")


def knows(model: Any) -> bool:
    """Whether it is a model of XGBoost; those that do not classify are refused."""
    import xgboost

    if isinstance(model, xgboost.XGBModel) and not isinstance(model, xgboost.XGBClassifier):
        raise UnreadableModel(f"{a_kind(model)} does not predict classes: use an XGBClassifier")
    if isinstance(model, xgboost.XGBClassifier):
        refuse_own_predict(model, xgboost.XGBClassifier)
        return True
    return isinstance(model, xgboost.Booster)


def from_xgboost(model: Any) -> SourceTree:
    """Read a single tree; the class of a leaf is asked of XGBoost itself."""
    from xgboost.core import XGBoostError

    try:
        text = bytes(_booster(model).save_raw("json"))
    except XGBoostError as fault:
        raise UnreadableModel("XGBoost cannot save this booster: is it trained?") from fault
    return from_json(text)


def from_json(text: str | bytes) -> SourceTree:
    """Read the JSON of a model file, as ``Booster.save_model("model.json")`` writes it."""
    try:
        return _from_saved(json.loads(text))
    except (
        AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError,
    ) as fault:  # fmt: skip
        if isinstance(fault, InvalidTree | UnreadableModel):
            raise
        raise UnreadableModel(
            f"this XGBoost model is damaged ({type(fault).__name__}: {fault!s:.120}): save it "
            "again with booster.save_model('model.json')"
        ) from fault


def _from_saved(saved: Mapping[str, Any]) -> SourceTree:
    learner = saved["learner"]
    _check(learner)
    n_columns = int(learner["learner_model_param"]["num_feature"])
    names = learner.get("feature_names") or None
    if n_columns < 0 or (names is not None and len(names) != n_columns):
        raise ValueError(f"num_feature is {n_columns}, {len(names or ())} names")
    tree = _Stored(learner["gradient_booster"]["model"]["trees"][0])
    labels = _labels(learner, tree)
    left, right, nan_left = tree.left.copy(), tree.right.copy(), tree.nan_left.copy()
    for node in tree.codes:  # the set holds what goes right
        left[node], right[node] = right[node], left[node]
        nan_left[node] = not nan_left[node]
    leaf = tree.column < 0
    leaf_class = np.full(len(leaf), -1, dtype=np.int32)
    leaf_class[leaf] = _classes(saved, tree.number[leaf])
    return SourceTree(
        classes=(0, 1),
        column=tree.column,
        threshold=tree.number.astype(np.float64),
        when_true=left,
        when_false=right,
        leaf_class=leaf_class,
        n_columns=n_columns,
        column_names=names,
        strict=True,
        values="float32",
        nan_true=nan_left,
        members={
            node: [labels[int(tree.column[node])][c] for c in codes]
            for node, codes in tree.codes.items()
        },
        categories={j: list(known.values()) for j, known in labels.items()},
        unsure={j: names.resolve for j, names in _unsure(learner).items()},
    )


class _Stored:
    """The nodes of a tree that its root leads to, each before those below it.

    XGBoost leaves nodes that it pruned in its arrays.
    """

    def __init__(self, tree: Mapping[str, Any]) -> None:
        left, right = tree["left_children"], tree["right_children"]
        n = len(left)
        for key in ("right_children", "split_conditions", "split_indices", "default_left"):
            if len(tree[key]) != n:
                raise ValueError(f"{key} has {len(tree[key])} entries for {n} nodes")
        order: list[int] = []
        todo = [0]
        while todo:
            at = todo.pop()
            if not isinstance(at, int) or not 0 <= at < n or len(order) >= n:
                raise ValueError(f"a node has the child {at!r:.40}, of {n} nodes")
            order.append(at)
            if left[at] >= 0:
                todo += [right[at], left[at]]
        place = {at: i for i, at in enumerate(order)}
        if len(place) != len(order):
            raise ValueError("a node is the child of two others")
        leaf = [left[at] < 0 for at in order]
        self.left = self._children(left, order, place)
        self.right = self._children(right, order, place)
        self.column = np.array(
            [-1 if end else tree["split_indices"][at] for at, end in zip(order, leaf, strict=True)],
            dtype=np.int64,
        )
        if (self.column[~np.array(leaf)] < 0).any():
            raise ValueError("a split has a negative column")
        # Written as the shortest decimals that are the float32; a leaf has its value there.
        conditions = [float(tree["split_conditions"][at]) for at in order]
        self.number = np.array(conditions, dtype=np.float32)
        if np.isnan(self.number).any():
            raise ValueError("a threshold or a leaf is not a number")
        self.nan_left = np.array([bool(tree["default_left"][at]) for at in order])
        self.codes = {place[at]: codes for at, codes in _sets(tree, n).items() if at in place}
        self.codes = {i: codes for i, codes in self.codes.items() if not leaf[i]}

    @staticmethod
    def _children(side: list[int], order: list[int], place: dict[int, int]) -> NDArray[np.int32]:
        return np.array([place.get(side[at], -1) for at in order], dtype=np.int32)


def _booster(model: Any) -> Any:
    import xgboost

    if isinstance(model, xgboost.Booster):
        return model
    if not model.__sklearn_is_fitted__():
        raise UnreadableModel(f"this {type(model).__qualname__} is not fitted: call fit(X, y)")
    if not (isinstance(model.missing, float) and math.isnan(model.missing)):
        raise UnreadableModel(
            f"this model takes {model.missing!r} for a missing value: write NaN instead in X, "
            "leave missing= out and fit again"
        )
    booster = model.get_booster()
    best = getattr(model, "best_iteration", None)  # after early stopping its predict asks no more
    return booster if best is None else booster[: best + 1]


def _check(learner: Mapping[str, Any]) -> None:
    """Refuse what is not one tree that decides between two classes."""
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise UnreadableModel(f"a booster {kind!r:.80} cannot be read: use booster='gbtree'")
    objective = learner["objective"]["name"]
    number = learner["learner_model_param"]
    if int(number["num_class"]) > 1 or int(number.get("num_target", 1)) > 1:
        raise UnreadableModel(
            f"this booster has {max(int(number['num_class']), int(number.get('num_target', 1)))} "
            "outputs, each with trees of its own: only two classes can be read"
        )
    if objective not in OBJECTIVES:
        raise UnreadableModel(
            f"the objective {objective!r:.80} cannot be read as two classes: it must be one of "
            f"{', '.join(map(repr, OBJECTIVES))}"
        )
    n_trees = len(learner["gradient_booster"]["model"]["trees"])
    if n_trees != 1:
        raise UnreadableModel(
            f"this booster holds {n_trees} trees and must hold one: fit with n_estimators=1, or "
            "read one round of a Booster with read_tree(booster[i : i + 1])"
        )


def _sets(tree: Mapping[str, Any], n: int) -> dict[int, list[int]]:
    """Give the codes that go right, of the nodes that test a set."""
    parts = zip(
        tree.get("categories_nodes", ()),
        tree.get("categories_segments", ()),
        tree.get("categories_sizes", ()),
        strict=True,
    )
    codes = tree.get("categories", [])
    out: dict[int, list[int]] = {}
    for node, start, size in parts:
        if not 0 <= node < n or not 0 <= start <= start + size <= len(codes):
            raise ValueError(f"the categories of node {node!r:.40} are not there")
        out[node] = codes[start : start + size]
    kinds = tree.get("split_type") or [0] * n
    asked = [node for node in range(n) if tree["left_children"][node] >= 0 and kinds[node]]
    if set(asked) - set(out):
        raise ValueError("a split asks for categories and lists none")
    return out


def _labels(learner: Mapping[str, Any], tree: _Stored) -> dict[int, dict[int, Any]]:
    """Give, of categorical columns, the label of every code; without labels codes are values."""
    stored = learner["gradient_booster"]["model"].get("cats", {}).get("enc") or []
    if tree.codes and not stored and learner.get("feature_names"):
        raise UnreadableModel(
            "this model has categorical columns and does not say which category has which number: "
            "fit with XGBoost 3.1 or newer, or on an array of numbers with feature_types="
        )
    labels: dict[int, dict[int, Any]] = {}
    for j, entry in enumerate(stored):
        values = entry["values"]
        if "offsets" in entry:
            values = _Names(values, entry["offsets"]).labels
        if values:
            labels[j] = dict(enumerate(values))
    if not stored:
        for node, inside in tree.codes.items():
            labels.setdefault(int(tree.column[node]), {}).update({c: c for c in inside})
    return labels


class _Names:
    """Names of categories as XGBoost keeps them: UTF-8, and where each name ends.

    Up to version 3.2 XGBoost counts letters instead of bytes if the names come from pandas, so that
    names which are not ASCII are cut at the wrong places, and the last ones are lost. It does not
    say where they came from, so such names are known only once somebody lists them.
    """

    def __init__(self, values: list[int], ends: list[int]) -> None:
        if sorted(ends) != ends or (ends and (ends[0] < 0 or ends[-1] > len(values))):
            raise ValueError("the offsets of category names do not fit the names")
        self.text = bytes(byte & 255 for byte in values)  # written as -128 to 127
        self.ends = ends

    @property
    def sure(self) -> bool:
        return self.text.isascii()

    @property
    def labels(self) -> list[str]:
        """The names; where they are not sure, something to put in their place."""
        if not self.sure:
            return [f"category {code}" for code in range(len(self.ends) - 1)]
        return [self.text[a:b].decode("ascii") for a, b in pairwise(self.ends)]

    def resolve(self, names: Sequence[Any]) -> Sequence[Any] | None:
        """Put a feature's categories in the order of the codes; None if they are not these."""
        if not all(isinstance(name, str) for name in names):
            return None
        by_letters = [0, *accumulate(len(name) for name in names)]
        if self.ends == by_letters and self.text == "".join(names).encode()[: by_letters[-1]]:
            return names
        stored = [self.text[a:b].decode(errors="replace") for a, b in pairwise(self.ends)]
        return stored if sorted(stored) == sorted(names) else None


def _unsure(learner: Mapping[str, Any]) -> dict[int, _Names]:
    stored = learner["gradient_booster"]["model"].get("cats", {}).get("enc") or []
    found = {
        j: _Names(entry["values"], entry["offsets"])
        for j, entry in enumerate(stored)
        if "offsets" in entry
    }
    return {j: names for j, names in found.items() if not names.sure}


def _classes(saved: Mapping[str, Any], values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Let XGBoost say the class of each leaf, to the last bit.

    It gets a model of our own, of one leaf of value 0 and one column, whose margin is the base
    margin alone; then every leaf's margin is handed over as a base margin.
    """
    import xgboost

    rest = xgboost.Booster(model_file=bytearray(json.dumps(_one_leaf(saved)).encode()))
    rows = np.zeros((len(values), 1), dtype=np.float32)
    base = rest.predict(xgboost.DMatrix(rows), output_margin=True, validate_features=False)
    table = xgboost.DMatrix(rows, base_margin=base + values)
    return np.asarray(rest.predict(table, validate_features=False) > 0.5)


def _one_leaf(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Write a model of one leaf with the objective and base score of another."""
    learner = saved["learner"]
    score = str(learner["learner_model_param"]["base_score"])
    version = saved["version"]
    number = float(re.fullmatch(r"\[?([-+.\deE]+)\]?", score)[1])  # type: ignore[index]
    if not 0 <= number <= 1 or [type(part) for part in version] != [int] * 3:
        raise ValueError(f"base_score is {score!r:.40} and version {version!r:.40}")
    none: dict[str, Any] = {
        name: [] for name in ("categories", "categories_nodes", "categories_segments")
    }
    leaf = {
        **none, "categories_sizes": [], "base_weights": [0.0], "default_left": [0], "id": 0,
        "left_children": [-1], "right_children": [-1], "parents": [2**31 - 1],
        "loss_changes": [0.0], "split_conditions": [0.0], "split_indices": [0], "split_type": [0],
        "sum_hessian": [1.0], "tree_param": {
            "num_deleted": "0", "num_feature": "1", "num_nodes": "1", "size_leaf_vector": "1",
        },
    }  # fmt: skip
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "1"},
        "iteration_indptr": [0, 1],
        "tree_info": [0],
        "trees": [leaf],
    }
    if "cats" in learner["gradient_booster"]["model"]:
        model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    own = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": score, "boost_from_average": "1", "num_class": "0", "num_feature": "1",
            "num_target": "1",
        },
        "objective": {
            "name": learner["objective"]["name"], "reg_loss_param": {"scale_pos_weight": "1"},
        },
    }  # fmt: skip
    return {"learner": own, "version": version}
