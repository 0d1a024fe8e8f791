"""scikit-learn's ensembles of trees.

In:  a fitted forest, booster, bagging or voting model of scikit-learn, or one of its trees.
Out: ``ColumnEnsemble``. What is not a sum over trees is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...errors import UnreadableModel, a_kind
from ..checks import refuse_own_predict, unfitted
from .build import ColumnEnsemble
from .sklearn_averages import from_bagging, from_forest, from_tree, from_voting
from .sklearn_boosted import from_adaboost, from_gradient_boosting
from .sklearn_hist import from_hist_gradient_boosting

__all__ = ["from_sklearn", "knows"]

REASONS = {
    "AdaBoostRegressor": "predicts a weighted median of its trees, which is not a sum",
    "IsolationForest": "predicts by the lengths of paths, and not by what leaves add",
    "RandomTreesEmbedding": "makes columns, and predicts nothing",
    "StackingClassifier": "hands what its members predict to another model, and adds nothing up",
    "StackingRegressor": "hands what its members predict to another model, and adds nothing up",
}


def knows(model: Any) -> bool:
    """Whether it is an ensemble, or a tree, of scikit-learn."""
    from sklearn.ensemble import BaseEnsemble

    for kind in type(model).__mro__:
        if kind.__module__.startswith("sklearn.") and kind.__name__ in REASONS:
            raise UnreadableModel(
                f"{a_kind(model)} {REASONS[kind.__name__]}: orderless.read reads sums of trees"
            )
    if _reader(model) is not None:
        return True
    if isinstance(model, BaseEnsemble):
        raise UnreadableModel(
            f"{a_kind(model)} is not known to be a sum of trees: give a forest, booster, bagging "
            "or voting model of scikit-learn"
        )
    return False


def from_sklearn(model: Any) -> ColumnEnsemble:
    """Read a fitted ensemble of one output, or a tree."""
    found = _reader(model)
    if found is None:
        raise UnreadableModel(f"{a_kind(model)} is not a sum of trees")
    known, fitted, read = found
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(known, method):
            refuse_own_predict(model, known, method=method)
    if not hasattr(model, fitted):
        raise unfitted(model)
    return read(model)


def _member(model: Any) -> ColumnEnsemble | None:
    """Read what is part of another model; None if it is not known."""
    return from_sklearn(model) if knows(model) else None


Reader = Callable[[Any], ColumnEnsemble]


# The names of classes, what a fitted model has, and who reads it.
READERS: dict[str, tuple[str, Reader]] = {
    "RandomForest": ("estimators_", from_forest),
    "ExtraTrees": ("estimators_", from_forest),
    "Bagging": ("estimators_", partial(from_bagging, read=_member)),
    "Voting": ("estimators_", partial(from_voting, read=_member)),
    "GradientBoosting": ("estimators_", from_gradient_boosting),
    "HistGradientBoosting": ("_predictors", from_hist_gradient_boosting),
    "AdaBoost": ("estimators_", from_adaboost),
    "DecisionTree": ("tree_", from_tree),
}


def _reader(model: Any) -> tuple[type, str, Reader] | None:
    """Give the class of scikit-learn that a model is of, what it has once fitted, its reader."""
    from sklearn import ensemble, tree

    for name, (fitted, read) in READERS.items():
        for task in ("Classifier", "Regressor"):
            kind = getattr(tree if name == "DecisionTree" else ensemble, name + task)
            if isinstance(model, kind):
                return kind, fitted, read
    return None
