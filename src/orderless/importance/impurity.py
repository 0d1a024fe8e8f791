"""Impurity importance of one tree: what its splits gain, in the order in which it asks.

In:  a tree, and complete rows with labels.
Out: an importance by feature.
Paper: Section 5.1.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..inputs import label_array
from ..readers import read_tree
from .rows import Given, by_name

__all__ = ["CRITERIA", "Criterion", "class_weights", "impurity_importance", "raw_importance"]

Criterion = Literal["gini", "entropy"]
CRITERIA = ("gini", "entropy")

Floats = NDArray[np.float64]


def impurity_importance(
    tree: Any,
    X: Any,
    y: ArrayLike,
    *,
    criterion: Criterion = "gini",
    sample_weight: ArrayLike | None = None,
    normalize: bool = True,
) -> Any:
    """Give the impurity importance of each feature in one tree (the paper's Section 5.1).

    A split's gain is how far the impurity falls from its rows to those of its two sides, times
    the share of the rows that it sees; a feature's importance is the sum over its splits. On
    scikit-learn's own trees this is ``feature_importances_``. It depends on the order in which the
    tree asks: ``importance_range`` says how far.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        Rows, complete in the features that the tree asks about.
    y : labels
        By row; they need not be classes of the tree.
    criterion : "gini" or "entropy"
        Entropy is in bits.
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
    Cost: rows x depth. A split that no row, or rows on one side only, come to gains 0.

    Examples
    --------
    The paper's example, an AND of two bits:

    >>> import orderless as ol
    >>> tree = ol.read_tree({"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
    ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["x1", "x2"])
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> ol.impurity_importance(tree, X, y).round(3).tolist()
    [0.333, 0.667]
    """
    check_criterion(criterion)
    source = read_tree(tree)
    given = Given.read(source, X, sample_weight)
    out = raw_importance(given, class_weights(given, y), criterion)
    if normalize and out.sum() > 0:
        out = out / out.sum()
    return by_name(X, source.space.names, out)


def check_criterion(criterion: object) -> None:
    """Refuse what is not a criterion."""
    if criterion not in CRITERIA:
        raise ValueError(f"criterion must be 'gini' or 'entropy', got {criterion!r:.80}")


def class_weights(given: Given, y: ArrayLike) -> Floats:
    """Give each row's weight in the column of its label."""
    distinct, which = np.unique(label_array(y, given.n_rows, complete=True), return_inverse=True)
    out = np.zeros((given.n_rows, len(distinct)))
    out[np.arange(given.n_rows), which] = given.weight
    return out


def raw_importance(given: Given, weight: Floats, criterion: str) -> Floats:
    """Give the importance by feature, not normalised."""
    tree = given.tree
    at = np.zeros((tree.n_nodes, weight.shape[1]))
    todo = [(0, np.arange(given.n_rows))]
    while todo:
        node, rows = todo.pop()
        at[node] = weight[rows].sum(axis=0)
        if tree.feature[node] >= 0:
            yes = given.holds(node, rows)
            todo.append((int(tree.when_true[node]), rows[yes]))
            todo.append((int(tree.when_false[node]), rows[~yes]))
    inner = np.flatnonzero(tree.feature >= 0)
    gain = _gain(at[tree.when_true[inner]], at[tree.when_false[inner]], criterion)
    total = np.bincount(tree.feature[inner], gain, minlength=len(tree.space))
    return np.asarray(total / given.weight.sum())


def _gain(yes: Floats, no: Floats, criterion: str) -> Floats:
    """Give the gain of each split, times the weight of its rows; as in the core's orders.cpp."""
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


def _log(share: Floats) -> Floats:
    return np.asarray(np.log2(np.where(share > 0, share, 1.0)))
