"""scikit-learn's HistGradientBoosting.

In:  a fitted ``HistGradientBoostingClassifier`` or ``Regressor``.
Out: ``ColumnEnsemble``: to a baseline the trees are added in float64. Rows are compared as float64,
     missing values have a direction at every split, and a category that was not met in training
     goes the way of missing values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...inputs import is_unknown
from ...model import Adding, Label, Link, Rule, plain_label
from ..build import DAMAGED, ColumnTree, Table
from ..sklearn import columns_of
from .build import ColumnEnsemble

__all__ = ["from_hist_gradient_boosting"]

# The fields of a node; other versions of scikit-learn may have others, of other meaning.
FIELDS = {
    "value", "count", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "gain",
    "depth", "is_leaf", "bin_threshold", "is_categorical", "bitset_idx",
}  # fmt: skip
OWN = ("_baseline_prediction", "_preprocessor", "is_categorical_", "_loss", "n_features_in_")
LINKS: dict[str, Link] = {
    "IdentityLink": "identity",
    "LogLink": "exp",
    "LogitLink": "logistic",
    "MultinomialLogit": "softmax",
}


def from_hist_gradient_boosting(model: Any) -> ColumnEnsemble:
    """Read histogram gradient boosting; thresholds are those of real values, not of bins."""
    from sklearn.base import is_classifier

    missing = [name for name in OWN if not hasattr(model, name)]
    if missing:
        raise _unknown_version(f"a model without {missing[0]}")
    base = np.asarray(model._baseline_prediction)
    n_scores = int(model.n_trees_per_iteration_)
    if base.dtype != np.float64 or base.size not in (1, n_scores):
        raise _unknown_version(f"a baseline of shape {base.shape} and type {base.dtype}")
    columns, labels = _columns(model)
    n_columns, names = columns_of(model, len(columns))
    table = Table(n_columns, names, learns_nan=True, categories=labels)
    trees, values, scores = [], [], []
    for stage in model._predictors:
        if len(stage) != n_scores:
            raise UnreadableModel(f"a stage has {len(stage)} trees, not {n_scores}: {DAMAGED}")
        for score, predictor in enumerate(stage):
            tree, own = _tree(predictor, table, columns)
            spread = np.zeros((len(own), n_scores))
            spread[:, score] = own
            trees.append(tree)
            values.append(spread)
            scores.append(score)
    adding = Adding(base=tuple(np.broadcast_to(base.ravel(), n_scores).tolist()))
    link = LINKS.get(type(model._loss.link).__name__)
    if link is None:
        raise _unknown_version(f"the link {type(model._loss.link).__name__}")
    if not is_classifier(model):
        return ColumnEnsemble(trees, values, None, adding, Rule("number"), link, scores=scores)
    classes = np.asarray(model.classes_)
    if n_scores > 1:
        rule = Rule("largest")
    elif len(classes) == 2:
        rule = Rule("cuts", cuts=(0.0,))
    else:
        raise UnreadableModel(f"the model has 1 score of {len(classes)} classes: {DAMAGED}")
    return ColumnEnsemble(trees, values, classes, adding, rule, link, scores=scores)


def _columns(model: Any) -> tuple[NDArray[np.intp], dict[int, list[Label]]]:
    """Give the column of the table that each column of the trees is, and the labels of those.

    The model's own encoder brings categorical columns to the front.
    """
    flags = model.is_categorical_
    if flags is None:
        if model._preprocessor is not None:
            raise _unknown_version("an encoder without categories")
        return np.arange(model.n_features_in_), {}
    flags = np.asarray(flags, dtype=bool)
    categorical = np.flatnonzero(flags)
    order = np.concatenate([categorical, np.flatnonzero(~flags)])
    front = np.asarray(model._is_categorical_remapped)
    known = model._preprocessor.named_transformers_["encoder"].categories_
    if not (front == (np.arange(len(flags)) < len(categorical))).all() or len(known) != len(
        categorical
    ):
        raise _unknown_version("an encoder that does not bring categories to the front")
    return order, {
        int(column): [plain_label(label) for label in labels if not is_unknown(label)]
        for column, labels in zip(categorical, known, strict=True)
    }


def _tree(
    predictor: Any, table: Table, columns: NDArray[np.intp]
) -> tuple[ColumnTree, NDArray[np.float64]]:
    """Read one tree; give also what its leaves add."""
    nodes = predictor.nodes
    if set(nodes.dtype.names or ()) != FIELDS:
        raise _unknown_version(f"nodes of the fields {sorted(nodes.dtype.names or ())}")
    leaf = nodes["is_leaf"].astype(bool)
    at = nodes["feature_idx"].astype(np.int64)
    if ((at < 0) | (at >= len(columns)))[~leaf].any():
        raise UnreadableModel(f"a node asks about column {at.max()}: {DAMAGED}")
    nan_left = nodes["missing_go_to_left"].astype(bool)
    left, right = (nodes[side].astype(np.int64) for side in ("left", "right"))
    column = np.where(leaf, -1, columns[np.where(leaf, 0, at)])
    members: dict[int, list[Label]] = {}
    for node in np.flatnonzero(~leaf & nodes["is_categorical"].astype(bool)).tolist():
        labels = table.categories.get(int(column[node]))
        if labels is None:
            raise UnreadableModel(f"column {column[node]} is not categorical: {DAMAGED}")
        words = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        flags = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
        goes_left = flags[: len(labels)].astype(bool)
        # What is not listed goes with missing values, so these are where the set is not.
        if nan_left[node]:
            left[node], right[node] = right[node], left[node]
            goes_left = ~goes_left
        members[node] = [label for label, holds in zip(labels, goes_left, strict=True) if holds]
        nan_left[node] = False
    number = np.full(len(nodes), -1)
    number[leaf] = np.arange(leaf.sum())
    tree = ColumnTree(
        table,
        range(int(leaf.sum())),
        column=column,
        at_most=np.asarray(nodes["num_threshold"], dtype=np.float64),
        when_true=np.where(leaf, -1, left),
        when_false=np.where(leaf, -1, right),
        leaf_class=number,
        nan_true=nan_left,
        members=members,
    )
    return tree, nodes["value"][leaf].astype(np.float64)


def _unknown_version(what: str) -> UnreadableModel:
    import sklearn

    return UnreadableModel(
        f"scikit-learn {sklearn.__version__} made {what}, which this version of orderless does not "
        "know in HistGradientBoosting: use a newer orderless"
    )
