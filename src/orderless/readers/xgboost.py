"""XGBoost's trees.

In:  a fitted ``XGBClassifier`` or ``XGBRFClassifier``, or a ``Booster``, of one tree and two
     classes.
Out: ``SourceTree``. Rows are rounded to float32, then asked whether they are below a float32.
"""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from .source import SourceTree

__all__ = ["from_xgboost", "knows"]

OBJECTIVES = ("binary:logistic", "reg:logistic")


def knows(model: Any) -> bool:
    """Whether it is a model of XGBoost; those that do not classify are refused."""
    import xgboost

    if isinstance(model, xgboost.XGBModel) and not isinstance(model, xgboost.XGBClassifier):
        raise UnreadableModel(
            f"a {type(model).__qualname__} does not predict classes: use an XGBClassifier"
        )
    return isinstance(model, xgboost.XGBClassifier | xgboost.Booster)


def from_xgboost(model: Any) -> SourceTree:
    """Read a single tree; the class of a leaf is asked of XGBoost itself."""
    saved = _saved(_booster(model))
    learner = saved["learner"]
    _check(learner)
    tree = learner["gradient_booster"]["model"]["trees"][0]
    left = np.array(tree["left_children"], dtype=np.int32)
    right = np.array(tree["right_children"], dtype=np.int32)
    leaf = left < 0
    # XGBoost writes the shortest decimals that are the float32; a leaf's value stands there too.
    number = np.array(tree["split_conditions"], dtype=np.float32)
    column = np.where(leaf, -1, np.array(tree["split_indices"], dtype=np.int32))
    nan_left = np.array(tree["default_left"], dtype=bool)
    codes = _sets(tree)
    labels = _labels(learner, {int(column[node]) for node in codes}, codes, column)
    for node in codes:  # the set holds what goes right
        left[node], right[node] = right[node], left[node]
        nan_left[node] = not nan_left[node]
    leaf_class = np.full(len(leaf), -1, dtype=np.int32)
    leaf_class[leaf] = _classes(saved, number[leaf])
    names = learner.get("feature_names") or None
    return SourceTree(
        classes=(0, 1),
        column=column,
        threshold=number.astype(np.float64),
        when_true=np.where(leaf, -1, left),
        when_false=np.where(leaf, -1, right),
        leaf_class=leaf_class,
        n_columns=int(learner["learner_model_param"]["num_feature"]),
        column_names=names,
        strict=True,
        values="float32",
        nan_true=nan_left,
        members={node: [labels[int(column[node])][c] for c in codes[node]] for node in codes},
        categories={j: list(known.values()) for j, known in labels.items()},
    )


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


def _saved(booster: Any) -> dict[str, Any]:
    from xgboost.core import XGBoostError

    try:
        saved: dict[str, Any] = json.loads(bytes(booster.save_raw("json")))
    except XGBoostError as fault:
        raise UnreadableModel("XGBoost cannot save this booster: is it trained?") from fault
    return saved


def _check(learner: dict[str, Any]) -> None:
    """Refuse what is not one tree that decides between two classes."""
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise UnreadableModel(f"a booster {kind!r} cannot be read: use booster='gbtree'")
    objective = learner["objective"]["name"]
    number = learner["learner_model_param"]
    if int(number["num_class"]) > 1 or int(number.get("num_target", 1)) > 1:
        raise UnreadableModel(
            f"this booster has {max(int(number['num_class']), int(number.get('num_target', 1)))} "
            "outputs, each with trees of its own: two classes are legal"
        )
    if objective not in OBJECTIVES:
        raise UnreadableModel(
            f"the objective {objective!r} cannot be read as two classes: legal are {OBJECTIVES}"
        )
    n_trees = len(learner["gradient_booster"]["model"]["trees"])
    if n_trees != 1:
        raise UnreadableModel(
            f"this booster holds {n_trees} trees, legal is one: fit with n_estimators=1, or read "
            "one round of a Booster with read_tree(booster[i : i + 1])"
        )


def _sets(tree: dict[str, Any]) -> dict[int, list[int]]:
    """Give the codes that go right, of the nodes that test a set."""
    parts = zip(
        tree.get("categories_nodes", ()),
        tree.get("categories_segments", ()),
        tree.get("categories_sizes", ()),
        strict=True,
    )
    return {node: tree["categories"][start : start + size] for node, start, size in parts}


def _labels(
    learner: dict[str, Any], used: set[int], codes: dict[int, list[int]], column: NDArray[Any]
) -> dict[int, dict[int, Any]]:
    """Give, of categorical columns, the label of every code; without labels codes are values."""
    stored = learner["gradient_booster"]["model"].get("cats", {}).get("enc") or []
    if used and not stored and learner.get("feature_names"):
        raise UnreadableModel(
            "this model has categorical columns and does not say which category has which number: "
            "fit with XGBoost 3.1 or newer, or on an array of numbers with feature_types="
        )
    labels: dict[int, dict[int, Any]] = {}
    for j, entry in enumerate(stored):
        values = entry["values"]
        if "offsets" in entry:
            ends = entry["offsets"]
            values = [bytes(values[start:end]).decode() for start, end in pairwise(ends)]
        if values:
            labels[j] = dict(enumerate(values))
    if not stored:
        for node, inside in codes.items():
            labels.setdefault(int(column[node]), {}).update({c: c for c in inside})
    return labels


def _classes(saved: dict[str, Any], values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Let XGBoost say the class of each leaf, to the last bit.

    The model is cut down to one leaf of value 0, whose margin is the base margin alone; then every
    leaf's margin is handed over as a base margin.
    """
    import xgboost

    tree = saved["learner"]["gradient_booster"]["model"]["trees"][0]
    for name, entry in tree.items():
        if isinstance(entry, list):
            tree[name] = [] if name.startswith("categories") else entry[:1]
    tree["left_children"] = tree["right_children"] = [-1]
    tree["split_conditions"] = [0.0]
    tree["split_type"] = [0]
    tree["tree_param"]["num_nodes"] = "1"
    rest = xgboost.Booster(model_file=bytearray(json.dumps(saved).encode()))
    rows = np.zeros((len(values), rest.num_features()), dtype=np.float32)
    base = rest.predict(xgboost.DMatrix(rows), output_margin=True, validate_features=False)
    table = xgboost.DMatrix(rows, base_margin=base + values)
    return np.asarray(rest.predict(table, validate_features=False) > 0.5)
