"""What a classifier has fitted, with the training rows of the leaves of each tree.

In:  a kernel that was read from a fitted estimator, and its training table.
Out: for rows the class where it is certain, and the shares of classes among the training rows that
     reach the same leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import class_codes, rows_at, rows_for
from ..model import Budget, Floats, Rows, SumKernel, TreeKernel, known_rows
from ..questions import (
    OUT_OF_TIME,
    explain,
    groups_reached,
    predict_proba,
    verdicts_of,
    warn_of_undecided,
)

__all__ = ["Fitted"]

Codes = NDArray[np.int32]


class Fitted:
    """One tree, or a sum of trees, and the training rows by leaf and class."""

    def __init__(self, model: TreeKernel | SumKernel, table: Any, y: Any) -> None:
        rows = rows_for(model, table)
        code = class_codes(model, y, rows.n_rows)
        n_classes = len(model.classes)
        self._training = np.bincount(code[code >= 0], minlength=n_classes).astype(np.float64)
        if isinstance(model, TreeKernel) and model.distribution is not None:
            self._counts = [model.distribution]
        else:
            self._counts = [_leaf_counts(tree, rows, code, n_classes) for tree in model.trees]
        if isinstance(model, TreeKernel):
            model = model.replace(distribution=self._counts[0])
        self.model = model

    def decide(self, table: Any) -> Codes:
        """Return by row the position of its class; -1 where it is not certain."""
        verdicts = verdicts_of(self.model, rows_for(self.model, table))
        warn_of_undecided(verdicts.status == OUT_OF_TIME)
        return verdicts.label

    def shares(self, table: Any) -> Floats:
        """Return the shares of classes among the training rows of the leaves that rows can reach.

        Of several trees their average. Leaves that no training row reached have the shares of all
        training rows.
        """
        rows = rows_for(self.model, table)
        out = np.zeros((rows.n_rows, len(self.model.classes)))
        for tree, counts in zip(self.model.trees, self._counts, strict=True):
            shares, empty = _shares(tree, rows, counts)
            shares[empty] = self._training / self._training.sum()
            out += shares
        return out / len(self.model.trees)

    def probabilities(self, table: Any) -> Floats:
        """Return the model's own probabilities of complete rows, and the shares of others."""
        rows = rows_for(self.model, table)
        if isinstance(self.model, TreeKernel):
            return self.shares(rows)
        known = known_rows(self.model.bins, rows)
        out = np.zeros((rows.n_rows, len(self.model.classes)))
        if known.any():
            out[known] = predict_proba(self.model, rows.take(np.flatnonzero(known)))
        if not known.all():
            out[~known] = self.shares(rows.take(np.flatnonzero(~known)))
        return out

    def why(self, table: Any) -> str:
        """Say why the first of some rows is not certain."""
        row = explain(self.model, rows_at(table, np.array([0])))
        if row.status == "open":
            return f"several classes are possible, because {list(row.unknown)} are unknown"
        return (
            f"its class was not found within {Budget.current()} or is within the "
            f"library's rounding, and {list(row.unknown)} are unknown"
        )


def _leaf_counts(tree: TreeKernel, rows: Rows, code: NDArray[Any], n_classes: int) -> Floats:
    """Count the training rows of each node that is a leaf, by class."""
    leaf = tree.reach(rows).leaf
    known = (leaf >= 0) & (code >= 0)
    counts = np.zeros((tree.n_nodes, n_classes))
    np.add.at(counts, (leaf[known], code[known]), 1.0)
    return counts


def _shares(tree: TreeKernel, rows: Rows, counts: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Return rows x classes, and the rows whose leaves no training row reached."""
    counts = counts[list(tree.leaves())]
    only, others = groups_reached(tree, rows, np.arange(len(counts)))
    out: Floats = counts[only]
    for at, reached in others:
        out[at] = reached @ counts
    total = out.sum(axis=1, keepdims=True)
    empty = np.flatnonzero(total <= 0)
    total[empty] = 1.0
    out /= total
    return out, empty
