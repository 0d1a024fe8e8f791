"""scikit-learn's trees.

In:  a fitted ``DecisionTreeClassifier``, ``ExtraTreeClassifier`` or their regressors, alone or out
     of a forest.
Out: ``ColumnTree``. Rows are rounded to float32, then compared with float64 thresholds. From
     version 1.10 on a split may ask for a set of categories, which is stored as bits.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..errors import InvalidTree, UnreadableModel, a_kind
from .build import ColumnTree, Table, whole_number
from .checks import refuse_own_predict, unfitted

__all__ = ["columns_of", "from_sklearn", "knows", "numbered_tree"]

# The fields of a node; other versions of scikit-learn may have others, of other meaning.
FIELDS = frozenset(
    {
        "left_child", "right_child", "feature", "threshold", "impurity", "n_node_samples",
        "weighted_n_node_samples", "missing_go_to_left",
    }
)  # fmt: skip
CATEGORICAL_FIELDS = frozenset({"left_cat_bitset", "split_kind"})
FEW = 4  # classes that are looked at one after the other, all nodes at once


def knows(model: Any) -> bool:
    """Whether it is a tree of scikit-learn; forests are refused."""
    from sklearn import ensemble
    from sklearn.base import BaseEstimator
    from sklearn.tree import BaseDecisionTree

    if isinstance(model, BaseDecisionTree):
        refuse_own_predict(model, BaseDecisionTree)
        return True
    for task, boosted in _boosted().items():
        if isinstance(model, boosted):
            raise UnreadableModel(
                f"{a_kind(model)} adds up many regression trees, none of which decides alone: "
                f"orderless.read(model) reads all of it; where one tree is needed, fit a "
                f"DecisionTree{task}"
            )
    if isinstance(model, BaseEstimator) and hasattr(model, "best_estimator_"):
        raise UnreadableModel(
            f"{a_kind(model)} is a search: read what it found, "
            "orderless.read(model.best_estimator_)"
        )
    if isinstance(model, ensemble.BaseEnsemble):
        raise UnreadableModel(
            f"{a_kind(model)} has many trees: read one with "
            "orderless.read(model.estimators_[i]), or all of it with orderless.read(model)"
        )
    return False


@cache
def _boosted() -> dict[str, tuple[type, ...]]:
    """Give the classes of boosted trees, by what they predict."""
    from sklearn import ensemble

    return {
        task: tuple(getattr(ensemble, f"{kind}GradientBoosting{task}") for kind in ("", "Hist"))
        for task in ("Classifier", "Regressor")
    }


def from_sklearn(model: Any) -> ColumnTree:
    """Read a fitted scikit-learn tree; one output, any number of classes."""
    from sklearn.base import is_regressor

    value = _leaf_values(model)
    if is_regressor(model):
        return _regression_tree(model, value[:, 0])
    weight = np.asarray(model.tree_.weighted_n_node_samples)[:, None]
    classes = np.asarray(getattr(model, "classes_", None))
    if classes.shape != value.shape[1:]:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has leaves of {value.shape[1]} classes, and classes_ "
            f"of shape {classes.shape}: it is damaged; fit or save it again"
        )
    return _column_tree(
        model,
        classes=classes,
        leaf_class=_first_largest(value),
        distribution=value * weight if _are_shares(value) else value,
    )


def _regression_tree(model: Any, value: Any) -> ColumnTree:
    """Read a regression tree; its classes are the numbers of its leaves, rising."""
    leaf = model.tree_.children_left < 0
    numbers, which = np.unique(value[leaf] + 0.0, return_inverse=True)
    leaf_class = np.full(len(value), -1)
    leaf_class[leaf] = which.ravel()
    return _column_tree(model, classes=numbers, leaf_class=leaf_class, task="regression")


def numbered_tree(model: Any) -> tuple[ColumnTree, Any]:
    """Read a tree whose classes are the numbers of its leaves; give also what the leaves hold."""
    value = _leaf_values(model)
    leaf = model.tree_.children_left < 0
    number = np.full(len(leaf), -1)
    number[leaf] = np.arange(leaf.sum())
    return _column_tree(model, classes=range(leaf.sum()), leaf_class=number), value[leaf]


def _leaf_values(model: Any) -> Any:
    """Give what the nodes of a fitted tree hold, nodes x classes (or x 1)."""
    if not hasattr(model, "tree_"):
        raise unfitted(model)
    n_outputs = whole_number(getattr(model, "n_outputs_", None), "n_outputs_", least=1)
    if n_outputs != 1:
        raise UnreadableModel(
            f"this tree predicts {n_outputs} outputs at once; fit one tree per output and read each"
        )
    value = np.asarray(model.tree_.value[:, 0, :], dtype=np.float64)
    if not np.isfinite(value).all():
        raise InvalidTree(
            f"a leaf holds a number that is not finite ({value[~np.isfinite(value)][0]}): check "
            "the targets and the weights, and fit again"
        )
    return value


def _column_tree(model: Any, *, classes: Any, leaf_class: Any, **more: Any) -> ColumnTree:
    """Hand the nodes over, which are arrays already."""
    tree = model.tree_
    left = tree.children_left  # every look makes an array
    leaf = left < 0
    column = np.where(leaf, -1, tree.feature)
    n_columns, names = columns_of(model, tree.n_features)
    members, categories = _categorical(model, column)
    # Since 1.3 every split knows where NaN goes, also one that met none in training.
    nan_left = getattr(tree, "missing_go_to_left", None)
    table = Table(
        n_columns,
        names,
        values="float32",
        learns_nan=nan_left is not None,
        categories=categories,
        other_categories=False,  # what becomes of other codes is not promised
    )
    return ColumnTree(
        table,
        classes,
        column=column,
        at_most=np.asarray(tree.threshold, dtype=np.float64),
        when_true=left,
        when_false=tree.children_right,
        leaf_class=leaf_class,
        nan_true=np.zeros(len(leaf), bool) if nan_left is None else np.asarray(nan_left, bool),
        members=members,
        **more,
    )


def columns_of(model: Any, n_tree: int) -> tuple[int, list[str] | None]:
    """Count and name the columns; what the model, its tree and its names say must be equal."""
    n_columns = whole_number(getattr(model, "n_features_in_", None), "n_features_in_", least=1)
    own = int(n_tree)
    names = getattr(model, "feature_names_in_", None)
    counts = {n_columns, own} if names is None else {n_columns, own, np.size(names)}
    if len(counts) > 1:
        raise UnreadableModel(
            f"this {type(model).__qualname__} says that it was fitted on {n_columns:,} columns, "
            f"its tree on {own:,}{'' if names is None else f', and it names {np.size(names):,}'}: "
            "it is damaged; fit or save it again"
        )
    return n_columns, None if names is None else [str(name) for name in names]


Sets = dict[int, list[int]]


def _categorical(model: Any, column: Any) -> tuple[Sets, Sets]:
    """Give the sets of the splits that ask for categories, and the codes of their columns.

    A category is a whole number from 0; the model's table holds the numbers themselves.
    """
    _, arguments, state = model.tree_.__reduce__()
    nodes = state["nodes"]
    fields = frozenset(nodes.dtype.names)
    if not FIELDS - {"missing_go_to_left"} <= fields <= FIELDS | CATEGORICAL_FIELDS:
        raise _unknown_version(f"nodes of the fields {sorted(fields ^ FIELDS)}")
    if fields <= FIELDS:
        return {}, {}
    if "left_cat_bitset" not in fields or len(arguments) != 4:
        raise _unknown_version(f"trees of {len(arguments)} arguments and {sorted(fields)}")
    n_codes = np.asarray(arguments[3])
    if n_codes.shape != (model.tree_.n_features,) or n_codes.dtype.kind not in "iu":
        raise _unknown_version(f"numbers of categories of shape {n_codes.shape}")
    encoders = [name for name in vars(model) if "preprocessor" in name or "encoder" in name]
    if any(getattr(model, name) is not None for name in encoders):
        raise _unknown_version(f"a tree that encodes categories itself ({encoders[0]})")
    return _sets(nodes, column, n_codes), {
        int(j): list(range(n_codes[j])) for j in np.flatnonzero(n_codes > 0)
    }


def _sets(nodes: Any, column: Any, n_codes: Any) -> Sets:
    """Read the bits of every split on a categorical column: the categories that go left."""
    bits = nodes["left_cat_bitset"]
    words = bits.reshape(len(nodes), -1).astype("<u4").view(np.uint8)
    flags = np.unpackbits(words, axis=1, bitorder="little")
    if bits.dtype != np.uint32 or n_codes.max(initial=0) > flags.shape[1]:
        raise _unknown_version(f"sets of {bits.dtype} and {n_codes.max()} categories")
    out: Sets = {}
    for node in np.flatnonzero(column >= 0).tolist():
        n, codes = int(n_codes[column[node]]), np.flatnonzero(flags[node]).tolist()
        if n <= 0:
            if codes:
                raise _unknown_version("categories at a split on a number")
            continue
        # Version 1.10 has splits by a random hash too, which list no category.
        by_hash = "split_kind" in nodes.dtype.names and not codes
        if nodes["threshold"][node] != -np.inf or by_hash or max(codes, default=0) >= n:
            raise _unknown_version("a split on categories that does not list them")
        out[node] = codes
    return out


def _unknown_version(what: str) -> UnreadableModel:
    import sklearn

    return UnreadableModel(
        f"scikit-learn {sklearn.__version__} made {what}, which this version of orderless does not "
        "know: encode categories with OneHotEncoder or OrdinalEncoder and fit again, or use a "
        "newer orderless"
    )


def _are_shares(value: Any) -> bool:
    """From version 1.3 on scikit-learn stores shares, before it stored weights."""
    sums = value @ np.ones(value.shape[1])  # quicker than sum, of short rows
    return bool((np.abs(sums - 1.0) <= 1.001e-5).all())  # as np.allclose


def _first_largest(value: Any) -> Any:
    """Give the class with the most rows by node, the first of equals; as np.argmax."""
    if value.shape[1] > FEW:
        return np.argmax(value, axis=1)
    most, out = value[:, 0], np.zeros(len(value), dtype=np.int32)
    for c in range(1, value.shape[1]):
        np.putmask(out, value[:, c] > most, c)
        most = np.maximum(most, value[:, c])
    return out
