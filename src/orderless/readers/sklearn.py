"""scikit-learn's trees.

In:  a fitted ``DecisionTreeClassifier`` or ``ExtraTreeClassifier``, alone or out of a forest.
Out: ``SourceTree``. Rows are rounded to float32, then compared with float64 thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnreadableModel
from .source import SourceTree

__all__ = ["from_sklearn", "knows"]


def knows(model: Any) -> bool:
    """Whether it is a tree classifier of scikit-learn; forests and regressors are refused."""
    from sklearn.base import is_regressor
    from sklearn.ensemble import BaseEnsemble
    from sklearn.tree import BaseDecisionTree

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
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    tree = model.tree_
    if model.n_outputs_ != 1:
        raise UnreadableModel(
            f"this tree predicts {model.n_outputs_} outputs at once; "
            "fit one tree per output and read each"
        )
    leaf = tree.children_left < 0
    value = np.asarray(tree.value[:, 0, :], dtype=np.float64)
    names = getattr(model, "feature_names_in_", None)
    # Since 1.3 every split knows where NaN goes, also one that met none in training.
    missing = getattr(tree, "missing_go_to_left", None)
    return SourceTree(
        classes=np.asarray(model.classes_),
        column=np.where(leaf, -1, tree.feature),
        threshold=np.asarray(tree.threshold, dtype=np.float64),
        when_true=np.where(leaf, -1, tree.children_left),
        when_false=np.where(leaf, -1, tree.children_right),
        leaf_class=np.argmax(value, axis=1),
        n_columns=int(model.n_features_in_),
        column_names=None if names is None else [str(name) for name in names],
        values="float32",
        nan_true=None if missing is None else np.asarray(missing, dtype=bool),
        distribution=value * np.asarray(tree.weighted_n_node_samples)[:, None]
        if _are_shares(value)
        else value,
    )


def _are_shares(value: Any) -> bool:
    """From version 1.3 on scikit-learn stores shares, before it stored weights."""
    return bool(np.allclose(value.sum(axis=1), 1.0))
