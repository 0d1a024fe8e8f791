"""Intervals: the ends of the number, the scores and the probabilities of a row.

In:  an ``Ensemble`` and rows with unknown values.
Out: lower ends, upper ends, and whether both are reached; sums and probabilities of complete rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ..inputs import column_like, rows_for, table_like
from ..model import Budget, Flags, Floats, SumKernel, n_threads, row_bins
from .answers import scores_like
from .bounds_of_sums import Boxes, cells_of, ends_of_boxes, n_cells, score_ends
from .boxes import RowBoxes
from .numbers import number_verdicts

__all__ = ["interval_rows", "proba_interval_rows", "proba_rows", "sum_rows"]

FEW = 4096  # completions that are all looked at
MEET = 2.0**-40  # ends that differ by less are one number, computed in two ways


def interval_rows(ensemble: SumKernel, X: Any, n_jobs: int | None) -> tuple[Any, Any, Any]:
    """Give the ends of numbers, or of scores; see ``Model.predict_interval``."""
    threads = n_threads(n_jobs)
    boxes = RowBoxes(ensemble, rows_for(ensemble, X))
    if ensemble.task == "regression":
        found = number_verdicts(ensemble, boxes, threads)
        named = (found.lower, "lower"), (found.upper, "upper"), (found.exact, "exact")
        lower, upper, exact = (column_like(X, values, name) for values, name in named)
        return lower, upper, exact
    low, high, flags = score_ends(boxes, threads)
    return (
        scores_like(ensemble, X, low, "lower"),
        scores_like(ensemble, X, high, "upper"),
        scores_like(ensemble, X, flags, "exact"),
    )


def proba_interval_rows(ensemble: SumKernel, X: Any, n_jobs: int | None) -> tuple[Any, Any, Any]:
    """Give the ends of probabilities; see ``Model.predict_interval``."""
    threads = n_threads(n_jobs)
    ensemble.refuse_no_probabilities()
    boxes = RowBoxes(ensemble, rows_for(ensemble, X))
    if ensemble.rule.kind == "cuts":
        low, high, flags = score_ends(boxes, threads)
        least, most = ensemble.linked(low[:, 0]), ensemble.linked(high[:, 0])
        lower = np.stack([ensemble.opposite(most), least], axis=1)
        upper = np.stack([ensemble.opposite(least), most], axis=1)
        exact = np.repeat(flags, 2, axis=1)
    elif ensemble.link == "identity":
        low, high, exact = score_ends(boxes, threads)
        lower, upper = (np.clip(ensemble.linked(ends), 0.0, 1.0) for ends in (low, high))
    else:
        lower, upper, exact = _softmax_ends(boxes, threads)
    classes = ensemble.classes
    return (
        table_like(X, lower, classes),
        table_like(X, upper, classes),
        table_like(X, exact, classes),
    )


def sum_rows(ensemble: SumKernel, X: Any, n_jobs: int | None) -> Any:
    """Give the sums of complete rows; see ``Ensemble.sums``."""
    return scores_like(ensemble, X, _sums(ensemble, X, n_jobs), "sum")


def proba_rows(ensemble: SumKernel, X: Any, n_jobs: int | None) -> Any:
    """Give the probabilities of complete rows; see ``Ensemble.predict_proba``."""
    ensemble.refuse_no_probabilities()
    sums = _sums(ensemble, X, n_jobs)
    return table_like(X, ensemble.probabilities(sums), ensemble.classes)


def _sums(ensemble: SumKernel, X: Any, n_jobs: int | None) -> Floats:
    cells = row_bins(ensemble.bins, rows_for(ensemble, X))
    return ensemble.summed.evaluate(np.ascontiguousarray(cells), n_threads(n_jobs)).sums


# -- softmax -------------------------------------------------------------------------------------


def _softmax_ends(rows: RowBoxes, threads: int) -> tuple[Floats, Floats, Flags]:
    ensemble = rows.ensemble
    shape = (len(rows.cells), len(ensemble.classes))
    lower, upper, exact = np.zeros(shape), np.zeros(shape), np.ones(shape, dtype=bool)
    known = np.flatnonzero(rows.complete)
    if len(known):
        cells = np.ascontiguousarray(rows.cells[known])
        sums = ensemble.summed.evaluate(cells, threads).sums
        lower[known] = upper[known] = ensemble.probabilities(sums)
    for which, boxes, of_row, own, seconds in rows.blocks():
        few = (n_cells(ensemble.bins, boxes) <= FEW) & (own is ensemble)
        low, high, flags = np.zeros((3, len(boxes), shape[1]))
        if not few.all():
            low[~few], high[~few], flags[~few] = _softmax_boxes(own, boxes[~few], seconds, threads)
        for i in np.flatnonzero(few).tolist():
            sums = ensemble.summed.evaluate(cells_of(ensemble, boxes[i]), threads).sums
            shares = ensemble.probabilities(sums)
            low[i], high[i], flags[i] = shares.min(axis=0), shares.max(axis=0), 1.0
        lower[which], upper[which], exact[which] = low[of_row], high[of_row], flags[of_row] > 0
    lower[rows.impossible] = upper[rows.impossible] = np.nan
    return lower, upper, exact


def _softmax_boxes(
    ensemble: SumKernel, boxes: Boxes, seconds: float, threads: int
) -> tuple[Floats, Floats, Flags]:
    """Bound each probability by the ends of the differences of two scores.

    The probability of c is 1 / (1 + sum over the others d of exp(score d - score c)). With each
    difference at its own end the result is a proven bound; it is exact if one completion has it.
    """
    budget, n = Budget(seconds), len(ensemble.classes)
    pairs = list(combinations(range(n), 2))
    stretch = ensemble.factor / ensemble.adding.divisor
    low, high = np.zeros((2, len(boxes), n, n))  # ends of score d - score c, at [box, c, d]
    found_low = np.ones((len(boxes), n))
    found_high = np.zeros((len(boxes), n))
    for i, (c, d) in enumerate(pairs):
        weights = np.zeros(n, dtype=np.int64)
        weights[d], weights[c] = 1, -1
        here = budget.left / (len(pairs) - i)
        ends = ends_of_boxes(ensemble, boxes, weights, here, threads)
        low[:, c, d], high[:, c, d] = ends.lower * stretch, ends.upper * stretch
        low[:, d, c], high[:, d, c] = -ends.upper * stretch, -ends.lower * stretch
        for cells in (ends.low_cell, ends.high_cell):
            sums = ensemble.summed.evaluate(np.ascontiguousarray(cells), threads).sums
            shares = ensemble.probabilities(sums)
            found_low = np.minimum(found_low, shares)
            found_high = np.maximum(found_high, shares)
    with np.errstate(over="ignore", under="ignore"):  # exp(0) stands for the class itself
        lower = 1 / np.exp(high).sum(axis=2)
        upper = 1 / np.exp(low).sum(axis=2)
    whole = ensemble.whole
    rounding = 4 * stretch * float(np.ldexp(float(whole.slack.max()), whole.exponent))
    near = (MEET + rounding) * upper
    met = (found_low - lower <= near) & (upper - found_high <= near)
    return np.minimum(lower, found_low), np.maximum(upper, found_high), np.asarray(met)
