"""scikit-learn's trees.

In:  a fitted ``DecisionTreeClassifier`` or ``ExtraTreeClassifier``, alone or out of a forest; their
     regressors too, for bounds on numbers.
Out: ``SourceTree``. Rows are rounded to float32, then compared with float64 thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from ..tree import Tree
from .source import SourceTree

__all__ = ["from_sklearn", "knows", "tree_of_regressor"]


def knows(model: Any) -> bool:
    """Whether it is a tree classifier of scikit-learn; forests and regressors are refused."""
    from sklearn.base import BaseEstimator, is_regressor
    from sklearn.ensemble import (
        BaseEnsemble,
        GradientBoostingClassifier,
        HistGradientBoostingClassifier,
    )
    from sklearn.tree import BaseDecisionTree

    if isinstance(model, GradientBoostingClassifier | HistGradientBoostingClassifier):
        raise UnreadableModel(
            f"a {type(model).__qualname__} adds up many regression trees, so none of them decides: "
            "fit a DecisionTreeClassifier"
        )
    if isinstance(model, BaseEstimator) and hasattr(model, "best_estimator_"):
        raise UnreadableModel(
            f"a {type(model).__qualname__} holds the model it found: "
            "read_tree(model.best_estimator_)"
        )
    if isinstance(model, BaseEnsemble):
        raise UnreadableModel(
            f"a {type(model).__qualname__} is many trees: read one with "
            "read_tree(model.estimators_[i])"
        )
    if not isinstance(model, BaseDecisionTree):
        return False
    if is_regressor(model):
        raise UnreadableModel(
            f"a {type(model).__qualname__} predicts numbers, not classes: use a classifier"
        )
    return True


def from_sklearn(model: Any) -> SourceTree:
    """Read a fitted scikit-learn tree classifier; one output, any number of classes."""
    value = _leaf_values(model)
    weight = np.asarray(model.tree_.weighted_n_node_samples)[:, None]
    return _source(
        model,
        classes=np.asarray(model.classes_),
        leaf_class=np.argmax(value, axis=1),
        distribution=value * weight if _are_shares(value) else value,
    )


def tree_of_regressor(
    model: Any, *, through: Any = None, feature_names: Sequence[str] | None = None
) -> Tree:
    """Read a fitted regression tree as a ``Tree`` whose classes are the numbers of its leaves.

    Parameters
    ----------
    model : DecisionTreeRegressor or ExtraTreeRegressor
        Of one output; alone, or at the end of a ``Pipeline``.
    through, feature_names
        As for ``read_tree``.

    Returns
    -------
    Tree
        Its classes rise; leaves that predict equal numbers have one class.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(random_state=0).fit([[1], [2], [3], [4]], [7, 5, 7, 7])
    >>> print(tree_of_regressor(model))
    x0 <= 2.5?
      yes: x0 <= 1.5?
        yes: 7.0
        no:  5.0
      no:  7.0
    """
    from sklearn.base import is_regressor
    from sklearn.tree import BaseDecisionTree

    from . import _interpreter, _unpack_pipeline  # that file has imported this one

    model, through = _unpack_pipeline(model, through)
    if not isinstance(model, BaseDecisionTree) or not is_regressor(model):
        raise UnreadableModel(
            f"a {type(model).__qualname__} is no regression tree: legal are scikit-learn's "
            "DecisionTreeRegressor and ExtraTreeRegressor; for forests use forest_bounds, for "
            "classifiers probability_bounds"
        )
    value = _leaf_values(model)[:, 0]
    leaf = model.tree_.children_left < 0
    numbers, which = np.unique(value[leaf] + 0.0, return_inverse=True)
    leaf_class = np.full(len(value), -1)
    leaf_class[leaf] = which.ravel()
    source = _source(model, classes=numbers, leaf_class=leaf_class)
    return _interpreter(source, through, None, feature_names, "unknown")(source)


def _leaf_values(model: Any) -> Any:
    """Give what the nodes of a fitted tree hold, nodes x classes (or x 1)."""
    if not hasattr(model, "tree_"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} is not fitted: call fit(X, y) first"
        )
    if model.n_outputs_ != 1:
        raise UnreadableModel(
            f"this tree predicts {model.n_outputs_} outputs at once; "
            "fit one tree per output and read each"
        )
    return np.asarray(model.tree_.value[:, 0, :], dtype=np.float64)


def _source(model: Any, *, classes: Any, leaf_class: Any, distribution: Any = None) -> SourceTree:
    tree = model.tree_
    leaf = tree.children_left < 0
    names = getattr(model, "feature_names_in_", None)
    # Since 1.3 every split knows where NaN goes, also one that met none in training.
    missing = getattr(tree, "missing_go_to_left", None)
    return SourceTree(
        classes=classes,
        column=np.where(leaf, -1, tree.feature),
        threshold=np.asarray(tree.threshold, dtype=np.float64),
        when_true=np.where(leaf, -1, tree.children_left),
        when_false=np.where(leaf, -1, tree.children_right),
        leaf_class=leaf_class,
        n_columns=int(model.n_features_in_),
        column_names=None if names is None else [str(name) for name in names],
        values="float32",
        nan_true=None if missing is None else np.asarray(missing, dtype=bool),
        distribution=distribution,
    )


def _are_shares(value: Any) -> bool:
    """From version 1.3 on scikit-learn stores shares, before it stored weights."""
    return bool(np.allclose(value.sum(axis=1), 1.0))
