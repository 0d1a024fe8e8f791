"""Odds: the share of each class among the training rows that fit a row with unknown values.

In:  a ``Tree`` with the counts of its leaves, or training rows; and rows with unknown values.
Out: a table of rows x classes.
Paper: Section 6 imputes; here the training rows that fit are counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..inputs import (
    Rows,
    allowed_bins,
    class_codes,
    distinct_rows,
    known_rows,
    row_bins,
    table_like,
)
from ..model import Tree
from ..readers import read_tree

__all__ = ["counts_rows", "odds"]

MOST_CELLS = 20_000_000  # of a table of rows by leaves, or by training cells, at one time


def odds(tree: Any, X: Any, reference: Any = "leaves", y: ArrayLike | None = None) -> Any:
    """Give, for each row, the share of each class among the training rows that fit it.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        Rows with unknown values.
    reference : "leaves", or complete training rows
        "leaves": all training rows in the leaves that the row can reach, as the tree has counted
        them, by their labels. It forgets what else is known of the row: a training row in a
        reachable leaf counts even if it differs from the row in a feature that its path does not
        ask. Training rows: those that lie in the same bin as the row in every feature the row
        knows.
    y : labels of the training rows, optional
        Without them, a training row has the class that the tree gives it.

    Returns
    -------
    array of shape (rows, classes), or a data frame when one came in
        In the order of ``classes``; NaN where no training row fits.

    Notes
    -----
    Odds are an estimate from the training rows, not a certainty; they assume that the unknown
    values are missing at random. Cost: rows x leaves, or distinct rows x distinct training cells
    x features.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> odds(tree, [[None, 0], [1, None]], [[1, 0], [0, 0], [0, 0], [0, 1]]).round(2)
    array([[0.67, 0.33],
           [0.  , 1.  ]])
    """
    tree = read_tree(tree)
    rows = tree.read(X)
    if isinstance(reference, str):
        if reference != "leaves":
            raise ValueError(
                f"reference must be 'leaves' or complete training rows, got {reference!r:.80}"
            )
        if y is not None:
            raise ValueError("y goes with training rows: odds(X, X_train, y)")
        counts = _odds_of_leaves(tree, rows)
    else:
        counts = _odds_of_rows(tree, rows, reference, y)
    total = counts.sum(axis=1, keepdims=True)
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, total, out=shares, where=total > 0)
    return table_like(X, shares, tree.classes)


def counts_rows(tree: Tree) -> bool:
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


def _odds_of_leaves(tree: Tree, rows: Rows) -> NDArray[np.float64]:
    leaves = np.flatnonzero(tree.feature < 0)
    counts = tree.distribution
    if counts is None or not counts_rows(tree):
        raise InvalidData(
            "the tree does not say how many training rows its leaves have: give the training "
            "rows, odds(X, X_train)"
        )
    out = np.empty((rows.n_rows, len(tree.classes)))
    step = max(1, MOST_CELLS // len(leaves))
    for start in range(0, rows.n_rows, step):
        part = rows.take(slice(start, start + step))
        out[start : start + step] = tree.reached_leaves(part) @ counts[leaves]
    return out


def _odds_of_rows(tree: Tree, rows: Rows, X: Any, y: ArrayLike | None) -> NDArray[np.float64]:
    bins = tree.bins
    training = tree.read(X)
    known = known_rows(bins, training)
    if not known.all():
        raise InvalidData(
            f"training row {int(np.argmin(known))} has unknown values: give complete rows"
        )
    codes = tree.decide(training) if y is None else class_codes(tree, y, training.n_rows)
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
