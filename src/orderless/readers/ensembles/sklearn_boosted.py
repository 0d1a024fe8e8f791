"""scikit-learn's GradientBoosting and AdaBoost.

In:  a fitted ``GradientBoostingClassifier`` or ``Regressor``, or an ``AdaBoostClassifier`` of
     trees.
Out: ``ColumnEnsemble``: float64 sums in the order in which the trees were grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel, a_kind
from ...model import Adding, Floats, Rule
from ..build import DAMAGED, ColumnTree
from ..checks import refuse_own_predict
from ..sklearn import columns_of, numbered_tree
from .build import ColumnEnsemble

__all__ = ["from_adaboost", "from_gradient_boosting"]

NOT_BELOW_ZERO = -5e-324  # what is above the float before 0 is at least 0
ROWS = 64  # for which the initial prediction is asked


def from_gradient_boosting(model: Any) -> ColumnEnsemble:
    """Read gradient boosting: to a constant the trees are added, times the learning rate.

    scikit-learn multiplies and adds in one expression: where its compiler fuses the two (not on
    x86-64), its own last bit can differ.
    """
    from sklearn.base import is_classifier
    from sklearn.tree import DecisionTreeRegressor

    stages = np.asarray(model.estimators_)
    base = _initial(model)
    if stages.ndim != 2 or stages.shape[1] != len(base) or not stages.size:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has stages of shape {stages.shape} and "
            f"{len(base)} scores: {DAMAGED}"
        )
    trees: list[ColumnTree] = []
    values, scores = [], []
    for one in stages.ravel().tolist():
        refuse_own_predict(one, DecisionTreeRegressor)
        score = len(trees) % len(base)
        tree, own = numbered_tree(one)
        spread = np.zeros((len(own), len(base)))
        spread[:, score] = np.float64(model.learning_rate) * own[:, 0]
        trees.append(tree)
        values.append(spread)
        scores.append(score)
    trees = _over_one_table(model, trees)
    adding = Adding(base=tuple(base.tolist()))
    if not is_classifier(model):
        return ColumnEnsemble(trees, values, None, adding, Rule("number"), scores=scores)
    classes = np.asarray(model.classes_)
    if len(classes) != max(len(base), 2):
        raise UnreadableModel(
            f"this {type(model).__qualname__} has {len(base)} scores of {len(classes)} classes: "
            f"{DAMAGED}"
        )
    if len(base) > 1:
        return ColumnEnsemble(
            trees, values, classes, adding, Rule("largest"), "softmax", scores=scores
        )
    rule = Rule("cuts", cuts=(NOT_BELOW_ZERO,))
    factor = 2.0 if model.loss == "exponential" else 1.0
    return ColumnEnsemble(trees, values, classes, adding, rule, "logistic", factor)


def _initial(model: Any) -> Floats:
    """Give where the sums begin, which must not depend on the row."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    start = getattr(model, "init_", None)
    constant = isinstance(start, DummyRegressor) or (
        isinstance(start, DummyClassifier) and start.strategy not in ("stratified",)
    )
    if not constant and not (isinstance(start, str) and start == "zero"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} begins with what {a_kind(start)} predicts, which is "
            "not the same for all rows, so that its score is not a sum of trees: leave init out, "
            "or use init='zero', and fit again"
        )
    if not hasattr(model, "_raw_predict_init"):
        raise UnreadableModel(
            f"this version of scikit-learn does not say where {a_kind(model)} begins: use a newer "
            "orderless"
        )
    rows = np.zeros((ROWS, model.n_features_in_), dtype=np.float32)
    starts = np.asarray(model._raw_predict_init(rows), dtype=np.float64)
    if starts.ndim != 2 or not (starts == starts[0]).all():
        raise UnreadableModel(
            f"this {type(model).__qualname__} does not begin with one number for all rows: fit it "
            "again without init"
        )
    first: Floats = starts[0]
    return first


def from_adaboost(model: Any) -> ColumnEnsemble:
    """Read AdaBoost (SAMME): each tree has a vote, for one class and against the others."""
    from sklearn.tree import BaseDecisionTree

    if getattr(model, "algorithm", "SAMME") not in ("SAMME", "deprecated"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} adds logarithms of probabilities "
            f"(algorithm={model.algorithm!r:.20}): use algorithm='SAMME' and fit again"
        )
    weights = np.asarray(model.estimator_weights_, dtype=np.float64)
    total = float(weights.sum())
    if len(weights) < len(model.estimators_) or not 0 < total < np.inf:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has {len(model.estimators_)} trees and weights with "
            f"the sum {total!r}: {DAMAGED}"
        )
    classes = np.asarray(model.classes_)
    trees, values = [], []
    for one, weight in zip(model.estimators_, weights.tolist(), strict=False):
        if not isinstance(one, BaseDecisionTree):
            raise UnreadableModel(
                f"this {type(model).__qualname__} adds up votes of {a_kind(one)}: AdaBoost is read "
                "if it is of trees"
            )
        refuse_own_predict(one, BaseDecisionTree)
        tree, shares = numbered_tree(one)
        trees.append(tree)
        values.append(_votes(np.asarray(one.classes_)[shares.argmax(axis=1)], classes, weight))
    trees = _over_one_table(model, trees)
    if len(classes) != 2:
        adding = Adding(base=(0.0,) * len(classes), divisor=total)
        factor = 1.0 / max(len(classes) - 1, 1)
        return ColumnEnsemble(trees, values, classes, adding, Rule("largest"), "softmax", factor)
    # scikit-learn takes the second score minus the first, which is its opposite.
    adding = Adding(base=(0.0,), divisor=total / 2)
    second = [own[:, 1:] for own in values]
    return ColumnEnsemble(trees, second, classes, adding, Rule("cuts", cuts=(0.0,)), "logistic")


def _votes(predicted: NDArray[Any], classes: NDArray[Any], weight: float) -> Floats:
    """Give what each leaf adds to the score of each class."""
    hits = predicted[:, None] == classes[None, :]
    if not hits.any(axis=1).all():
        raise UnreadableModel(f"a tree predicts a class that the model does not have: {DAMAGED}")
    if len(classes) == 1:
        return np.zeros(hits.shape)
    return np.where(hits, weight, -1 / (len(classes) - 1) * weight)


def _over_one_table(model: Any, trees: Sequence[ColumnTree]) -> list[ColumnTree]:
    """Let all trees have the table of the whole model, which takes no missing values."""
    first = trees[0].table
    n_columns, names = columns_of(model, first.n_columns or 0)
    table = replace(first, n_columns=n_columns, names=names, learns_nan=False)
    for tree in trees:
        if tree.table.n_columns != n_columns or tree.table.categories != first.categories:
            raise UnreadableModel(
                f"a tree was fitted on {tree.table.n_columns} columns, the whole model on "
                f"{n_columns}: {DAMAGED}"
            )
    return [replace(tree, table=table) for tree in trees]
