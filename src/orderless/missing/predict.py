"""Rows with unknown values: the classes they can get, and how often each.

In:  a tree, and rows in which values are missing, or known only to lie in a range.
Out: all possible classes; the share of each class, a table of rows x classes.
Paper: Theorem 3.2, Corollary 4.1. Where the paper imputes, ``shares`` counts the training rows that
     fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..inputs import class_codes, column_like, rows_for, table_like
from ..model import Rows, SumKernel, TreeKernel, allowed_bins, distinct_rows, known_rows, row_bins

__all__ = [
    "counts_rows",
    "possible_classes",
    "shares_of_rows",
    "shares_of_training",
]  # fmt: skip

Decide = Callable[[Rows], NDArray[np.int32]]

MOST_CELLS = 20_000_000  # of a table of rows by leaves, or by training cells, at one time


def possible_classes(tree: TreeKernel, X: Any) -> Any:
    """Give the classes that are still possible; see ``Model.possible``.

    Exact: a leaf is reachable iff its box meets the row's (the paper's Theorem 3.2, for all
    classes at once). Cost per row: the nodes that it can reach.
    """
    rows = rows_for(tree, X)
    table = tree.reach(rows, all_classes=True).possible.reshape(rows.n_rows, len(tree.classes))
    kinds, which = distinct_rows(table.astype(bool))
    named = [tuple(tree.classes[c] for c in np.flatnonzero(kind)) for kind in kinds]
    return column_like(X, [named[k] for k in which.tolist()], "possible")


# -- shares ------------------------------------------------------------------------------------


def shares_of_rows(
    tree: TreeKernel, X: Any, reference: Any = "leaves", y: ArrayLike | None = None
) -> Any:
    """Give the share of each class among the training rows that fit; see ``Model.shares``."""
    if not isinstance(reference, str):
        return shares_of_training(tree, X, reference, y, tree.decide)
    if reference != "leaves":
        raise ValueError(
            f"reference must be 'leaves' or complete training rows, got {reference!r:.80}"
        )
    if y is not None:
        raise ValueError("y goes with training rows: shares(X, X_train, y)")
    return _as_shares(tree, X, _count_in_leaves(tree, rows_for(tree, X)))


def counts_rows(tree: TreeKernel) -> bool:
    """Tell whether a tree's distribution counts training rows, and does not only give shares.

    Where every leaf sums up to 1, the splits decide: a split has at least the rows of its two sides
    (more where rows left it on a side that is not there any more).
    """
    if tree.distribution is None:
        return False
    leaves = tree.feature < 0
    if not bool(np.isin(tree.distribution[leaves].sum(axis=1).round(9), (0, 1)).all()):
        return True
    splits = np.flatnonzero(~leaves)
    sides = sum(tree.distribution[at[splits]] for at in (tree.when_true, tree.when_false))
    return bool((tree.distribution[splits] >= sides - 1e-9).all())


def _count_in_leaves(tree: TreeKernel, rows: Rows) -> NDArray[np.float64]:
    leaves = np.flatnonzero(tree.feature < 0)
    counts = tree.distribution
    if counts is None or not counts_rows(tree):
        raise InvalidData(
            "the tree does not say how many training rows its leaves have: give the training "
            "rows, shares(X, X_train)"
        )
    out = np.empty((rows.n_rows, len(tree.classes)))
    step = max(1, MOST_CELLS // len(leaves))
    for start in range(0, rows.n_rows, step):
        part = rows.take(slice(start, start + step))
        out[start : start + step] = tree.reached_leaves(part) @ counts[leaves]
    return out


def shares_of_training(
    model: TreeKernel | SumKernel, X: Any, training: Any, y: ArrayLike | None, decide: Decide
) -> Any:
    """Give the share of each class among the training rows that fit; see ``Model.shares``.

    ``decide`` gives the classes of training rows where y does not.
    """
    rows, reference = rows_for(model, X), rows_for(model, training)
    codes = decide(reference) if y is None else class_codes(model, y, reference.n_rows)
    return _as_shares(model, X, _count_fitting(model, rows, reference, codes))


def _as_shares(model: TreeKernel | SumKernel, X: Any, counts: NDArray[np.float64]) -> Any:
    total = counts.sum(axis=1, keepdims=True)
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, total, out=shares, where=total > 0)
    return table_like(X, shares, model.classes)


def _count_fitting(
    tree: TreeKernel | SumKernel, rows: Rows, training: Rows, codes: NDArray[np.int32]
) -> NDArray[np.float64]:
    bins = tree.bins
    known = known_rows(bins, training)
    if not known.all():
        raise InvalidData(
            f"training row {int(np.argmin(known))} has unknown values: give complete rows"
        )
    if (codes < 0).any():
        raise InvalidData(
            f"training row {int(np.argmax(codes < 0))} has a label that is not one of the classes "
            f"{list(tree.classes)}"
        )
    cells = row_bins(bins, training)
    distinct, which = np.unique(cells, axis=0, return_inverse=True)
    weight = np.zeros((len(distinct), len(tree.classes)))
    np.add.at(weight, (which.ravel(), codes), 1.0)
    tables = [allowed_bins(bins, k, rows) for k in range(len(bins.features))]
    widths = np.cumsum([0, *(table.shape[1] for table in tables)])
    boxes, of_row = distinct_rows(np.hstack([np.zeros((rows.n_rows, 0), dtype=bool), *tables]))
    counts = np.zeros((len(boxes), len(tree.classes)))
    step = max(1, MOST_CELLS // max(1, len(distinct)))
    for start in range(0, len(boxes), step):
        part = boxes[start : start + step]
        fits = np.ones((len(part), len(distinct)), dtype=bool)
        for k in range(len(tables)):
            fits &= part[:, widths[k] + distinct[:, k]]
        counts[start : start + step] = fits @ weight
    return counts[of_row]
