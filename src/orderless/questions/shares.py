"""Shares: how often each class occurs among the training rows that fit a row.

In:  a kernel, rows with unknown values, training rows or what a tree has counted of them.
Out: a table of rows x classes.
Paper: where the paper imputes, this counts the training rows that fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData, InvalidTree
from ..inputs import class_codes, rows_for, table_like
from ..model import Rows, SumKernel, TreeKernel, allowed_bins, distinct_rows, known_rows, row_bins
from .rows import refuse_numbers, verdicts_of

__all__ = ["counts_rows", "shares_of"]

Model = TreeKernel | SumKernel

MOST_CELLS = 20_000_000  # of a table of rows by leaves, or by training cells, at one time


def shares_of(model: Model, X: Any, reference: Any = "leaves", y: ArrayLike | None = None) -> Any:
    """Return the share of each class among the training rows that fit; see ``Model.shares``."""
    refuse_numbers(model, "shares", "predict_interval(X)")
    rows = rows_for(model, X)
    if isinstance(reference, str):
        counts = _count_in_leaves(model, rows, reference, y)
    else:
        training = rows_for(model, reference)
        if y is None:
            codes = verdicts_of(model, training).label
        else:
            codes = class_codes(model, y, training.n_rows)
        counts = _count_fitting(model, rows, training, codes)
    total = counts.sum(axis=1, keepdims=True)
    out = np.full(counts.shape, np.nan)
    np.divide(counts, total, out=out, where=total > 0)
    return table_like(X, out, model.classes)


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


def _count_in_leaves(
    tree: Model, rows: Rows, reference: str, y: ArrayLike | None
) -> NDArray[np.float64]:
    """Count the training rows of all leaves that each row can reach."""
    if isinstance(tree, SumKernel):
        raise InvalidTree(
            "a sum of trees does not know the training rows of its leaves together: give "
            "complete training rows, shares(X, X_train, y_train)"
        )
    if reference != "leaves":
        raise ValueError(
            f"reference must be 'leaves' or complete training rows, got {reference!r:.80}"
        )
    if y is not None:
        raise ValueError("y goes with training rows: shares(X, X_train, y)")
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


def _count_fitting(
    tree: Model, rows: Rows, training: Rows, codes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Count the training rows that lie in the same bins as each row, in what the row knows."""
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
