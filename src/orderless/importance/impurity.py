"""Impurity importance of one tree: what its splits gain, in the order in which it asks.

In:  a tree, and complete rows with labels.
Out: an importance by feature.
Paper: Section 5.1.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..inputs import label_array, number_array
from ..model import TreeKernel
from ..readers import read_tree
from .rows import WeightedRows, by_name

__all__ = ["Criterion", "check_criterion", "impurity_importance", "raw_importance", "row_sums"]

Criterion = Literal["gini", "entropy", "variance"]
ROUNDING = 2.0**-42  # of means, relative to the size of what is summed; as in the core

Floats = NDArray[np.float64]


def impurity_importance(
    tree: Any,
    X: Any,
    y: ArrayLike,
    *,
    criterion: Criterion | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: bool = True,
) -> Any:
    """Return the impurity importance of each feature in one tree (the paper's Section 5.1).

    A split's gain is how far the impurity falls from its rows to those of its two sides, times
    the share of the rows that it sees; a feature's importance is the sum over its splits. On
    scikit-learn's own trees, fitted with the same criterion, this is ``feature_importances_``. It
    depends on the order in which the tree asks: ``importance_range`` says how far.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``orderless.read`` reads as a tree
    X : array, data frame, or list of dicts
        Rows, complete in the features that the tree asks about.
    y : labels, or numbers for a regression tree
        By row; they need not be classes of the tree.
    criterion : "gini", "entropy" or "variance", optional
        Entropy is in bits. Regression trees take "variance" (scikit-learn's "squared_error"), and
        all others "gini" or "entropy"; the default is "variance" or "gini".
    sample_weight : array, optional
        By row; 1 each by default.
    normalize : bool
        Whether to divide by the sum. Where no split gains anything, all are 0.

    Returns
    -------
    array of float, or a Series when a pandas data frame came in
        By feature of the tree's space, in its order; 0 for features that are not asked about.
        A feature with several conditions has the sum over them.

    Notes
    -----
    Cost: rows x depth. A split that no row reaches, or whose rows all go to one side, gains 0.

    Examples
    --------
    The paper's example, an AND of two bits:

    >>> import orderless as ol
    >>> tree = ol.read({"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
    ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["x1", "x2"])
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> ol.impurity_importance(tree, X, y).round(3).tolist()
    [0.333, 0.667]
    """
    source = read_tree(tree)
    criterion = check_criterion(source, criterion)
    data = WeightedRows.read(source, X, sample_weight)
    sums, unit = row_sums(data, y)
    out = raw_importance(data, sums, criterion)
    if not normalize:
        out = in_units(out, unit)
    elif out.sum() > 0:
        out = out / out.sum()
    return by_name(X, source.space.names, out)


def check_criterion(tree: TreeKernel, criterion: object) -> Criterion:
    """Return the criterion, or that of the tree's task; refuse what does not go with the task."""
    if tree.task == "regression":
        if criterion not in (None, "variance"):
            raise ValueError(
                f"criterion must be 'variance' for a regression tree, got {criterion!r:.80}; "
                "tree.discretize(levels) makes classes of its numbers"
            )
        return "variance"
    if criterion == "variance":
        raise ValueError(
            "criterion must be 'gini' or 'entropy' for a tree of classes, got 'variance', which "
            "is for regression trees"
        )
    if criterion is None or criterion == "gini":
        return "gini"
    if criterion != "entropy":
        raise ValueError(f"criterion must be 'gini' or 'entropy', got {criterion!r:.80}")
    return "entropy"


def row_sums(data: WeightedRows[TreeKernel], y: ArrayLike) -> tuple[Floats, float]:
    """Return what is summed over rows to get impurities, by row, and the unit of the impurities.

    Each row's weight in the column of its label. Of numbers its weight, and that times the number
    and times its size; numbers are taken from their mean on, in a unit that is a power of two.
    """
    if data.tree.task == "regression":
        return _number_sums(number_array(y, data.n_rows), data.weight)
    distinct, which = np.unique(label_array(y, data.n_rows, complete=True), return_inverse=True)
    out = np.zeros((data.n_rows, len(distinct)))
    out[np.arange(data.n_rows), which] = data.weight
    return out, 1.0


def _number_sums(y: Floats, weight: NDArray[Any]) -> tuple[Floats, float]:
    y = np.where(weight > 0, y, 0.0)
    power = int(np.frexp(np.abs(y).max())[1])
    y = np.ldexp(y, -power)  # from -1 to 1, so that no square is beyond all floats
    y = np.where(weight > 0, y - y[np.argmax(weight > 0)], 0.0)  # of equal numbers exactly 0
    y = y - np.average(y, weights=weight) if y.any() else y
    with np.errstate(over="ignore"):
        unit = float(np.ldexp(1.0, 2 * power))
    return np.stack([weight, weight * y, weight * np.abs(y)], axis=1), unit


def in_units(importance: Floats, unit: float) -> Floats:
    """Give importances that were computed in a unit; variances are not beyond all floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.where(importance > 0, importance * unit, 0.0)
    if not np.isfinite(out).all():
        raise InvalidData(
            "y has numbers whose variance is larger than any float: give them in a larger unit, or "
            "ask for shares with normalize=True"
        )
    return out


def raw_importance(data: WeightedRows[TreeKernel], sums: Floats, criterion: str) -> Floats:
    """Return the importance by feature, not normalised, in the unit of ``sums``."""
    tree = data.tree
    at = np.zeros((tree.n_nodes, sums.shape[1]))
    todo = [(0, np.arange(data.n_rows))]
    while todo:
        node, rows = todo.pop()
        at[node] = sums[rows].sum(axis=0)
        if tree.feature[node] >= 0:
            yes = data.holds(node, rows)
            todo.append((int(tree.when_true[node]), rows[yes]))
            todo.append((int(tree.when_false[node]), rows[~yes]))
    inner = np.flatnonzero(tree.feature >= 0)
    gain = _gain(at[tree.when_true[inner]], at[tree.when_false[inner]], criterion)
    total = np.bincount(tree.feature[inner], gain, minlength=len(tree.space))
    return np.asarray(total / data.weight.sum())


def _gain(yes: Floats, no: Floats, criterion: str) -> Floats:
    """Return the gain of each split, times the weight of its rows; as in the core's orders.cpp."""
    if criterion == "variance":
        return _variance_gain(yes, no)
    n_yes, n_no = yes.sum(axis=1), no.sum(axis=1)
    both = (n_yes > 0) & (n_no > 0)
    p = yes / np.where(both, n_yes, 1.0)[:, None]
    q = no / np.where(both, n_no, 1.0)[:, None]
    n = np.where(both, n_yes + n_no, 1.0)
    if criterion == "gini":
        out = ((p - q) ** 2).sum(axis=1) * (n_yes / n) * n_no
    else:
        whole = _log((yes + no) / n[:, None])
        out = (yes * (_log(p) - whole) + no * (_log(q) - whole)).sum(axis=1)
    return np.where(both, np.maximum(out, 0.0), 0.0)


def _variance_gain(yes: Floats, no: Floats) -> Floats:
    n_yes, n_no = yes[:, 0], no[:, 0]
    both = (n_yes > 0) & (n_no > 0)
    p = yes / np.where(both, n_yes, 1.0)[:, None]
    q = no / np.where(both, n_no, 1.0)[:, None]
    apart = np.abs(p[:, 1] - q[:, 1])
    matters = both & (apart > ROUNDING * (p[:, 2] + q[:, 2]))
    out = apart**2 * (n_yes / np.where(both, n_yes + n_no, 1.0)) * n_no
    return np.where(matters, out, 0.0)


def _log(share: Floats) -> Floats:
    return np.asarray(np.log2(np.where(share > 0, share, 1.0)))
