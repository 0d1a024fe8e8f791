"""What a classifier has fitted: one tree or many, with the training rows of their leaves.

In:  a ``Tree`` or an ``Ensemble`` that was read from a fitted estimator, and its training table.
Out: for rows the class where it is certain, and the shares of classes among the training rows that
     reach the same leaves.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..form import canonical_form
from ..inputs import class_codes, codes_for, rows_at, rows_for
from ..model import Budget, Floats, Rows, SumKernel, TreeKernel, known_bins, known_rows
from ..questions import (
    OUT_OF_TIME,
    explain,
    groups_reached,
    predict_proba,
    status as status_of,
    verdicts_of,
    warn_of_undecided,
)

__all__ = ["FittedEnsemble", "FittedTree"]

Codes = NDArray[np.int32]


class FittedTree:
    """One tree."""

    def __init__(self, tree: TreeKernel, table: Any, y: Any) -> None:
        if tree.distribution is None:  # the estimator has not counted
            code = class_codes(tree, y, np.shape(table)[0])
            tree = tree.replace(distribution=_counts(tree, table, code, len(tree.classes)))
        self.model = tree
        self.form = canonical_form(tree)

    def decide(self, table: Any) -> Codes:
        """Give by row the position of its class; -1 where it is not determined."""
        return codes_for(self.model, table)

    def shares(self, table: Any) -> Floats:
        """Give the shares of classes among the training rows of the leaves that rows can reach."""
        tree = self.model
        rows = rows_for(tree, table)
        out, empty = _shares(tree, rows, cast("Floats", tree.distribution))
        if len(empty):  # no training row reached these leaves: all possible classes alike
            possible = tree.reach(rows.take(empty), all_classes=True).possible
            some: Floats = possible.reshape(-1, len(tree.classes)).astype(np.float64)
            out[empty] = some / some.sum(axis=1, keepdims=True)
        return out

    odds = shares

    def why(self, rows: Any) -> str:
        """Say why the first of some rows is not determined."""
        why = explain(self.form, rows_at(rows, np.array([0])))
        return f"{list(why.possible)} are possible, because {list(why.unknown)} are unknown"


class FittedEnsemble:
    """Many trees that are added up."""

    def __init__(self, ensemble: SumKernel, table: Any, y: Any) -> None:
        self.model = ensemble
        rows = rows_for(ensemble, table)
        code = class_codes(ensemble, y, rows.n_rows)
        n = len(ensemble.classes)
        self._counts = [_counts(tree, rows, code, n) for tree in ensemble.trees]
        self._among = np.bincount(code[code >= 0], minlength=n).astype(np.float64)

    def decide(self, table: Any) -> Codes:
        """Give by row the position of its class; -1 where it is not determined."""
        found = verdicts_of(self.model, rows_for(self.model, table))
        warn_of_undecided(found.status == OUT_OF_TIME)
        return found.label

    def shares(self, table: Any) -> Floats:
        """Give the same as of one tree, as the average over all trees."""
        rows = rows_for(self.model, table)
        out = np.zeros((rows.n_rows, len(self.model.classes)))
        for tree, counts in zip(self.model.trees, self._counts, strict=True):
            own, empty = _shares(tree, rows, counts)
            own[empty] = self._among / self._among.sum()  # no training row reached these leaves
            out += own
        return out / len(self.model.trees)

    def odds(self, table: Any) -> Floats:
        """Give the model's own probabilities of complete rows, and the shares of others."""
        rows = rows_for(self.model, table)
        known = known_rows(self.model.bins, rows)
        out = np.zeros((rows.n_rows, len(self.model.classes)))
        for at, give in ((known, self._own), (~known, self.shares)):
            where = np.flatnonzero(at)
            if len(where):
                out[where] = give(rows.take(where))
        return out

    def _own(self, rows: Rows) -> Floats:
        out: Floats = predict_proba(self.model, rows)
        return out

    def why(self, rows: Any) -> str:
        """Say why the first of some rows is not determined."""
        row = rows_for(self.model, rows).take(np.array([0]))
        status = status_of(self.model, row)[0]
        bins = self.model.bins
        unknown = [f.name for k, f in enumerate(bins.features) if known_bins(bins, k, row)[0] < 0]
        if status == "open":
            return f"several classes are possible, because {unknown} are unknown"
        return (
            f"its class was not found within {Budget.current()} or is within the "
            f"library's rounding, and {unknown} are unknown"
        )


def _counts(tree: TreeKernel, table: Any, code: NDArray[Any], n_classes: int) -> Floats:
    """Count the training rows of each leaf by class."""
    leaf = tree.reach(rows_for(tree, table)).leaf
    known = (leaf >= 0) & (code >= 0)
    counts = np.zeros((tree.n_nodes, n_classes))
    np.add.at(counts, (leaf[known], code[known]), 1.0)
    return counts


def _shares(tree: TreeKernel, rows: Rows, counts: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Give rows x classes, and the rows whose leaves no training row reached."""
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
