"""Models of numbers: whether the number of a row is certain, and between which it lies.

In:  an ``Ensemble`` of numbers, and rows as boxes.
Out: ``NumberVerdicts``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import (
    Floats,
    SumKernel,
)
from .bounds_of_sums import (
    cells_of,
    divided_down,
    divided_up,
    ends_of_boxes,
    n_cells,
    never_rounds,
    one_leaf_each,
)
from .boxes import CERTAIN, IMPOSSIBLE, OPEN, RowBoxes

__all__ = [
    "OUT_OF_TIME",
    "NumberVerdicts",
    "number_verdicts",
]

OUT_OF_TIME, WITHIN_ROUNDING = 2, 3
FEW, MANY = 256, 4096  # completions that are all looked at; where all sums are one but for rounding


class NumberVerdicts(NamedTuple):
    """By row: status, the number where it is certain, and the ends of what is possible."""

    status: NDArray[np.uint8]
    number: Floats
    lower: Floats
    upper: Floats
    exact: NDArray[np.bool_]
    low_cell: NDArray[np.int32]
    high_cell: NDArray[np.int32]


def number_verdicts(ensemble: SumKernel, rows: RowBoxes, threads: int) -> NumberVerdicts:
    """Decide every row; a number is certain if the library gives it for every completion."""
    n = len(rows.cells)
    out = NumberVerdicts(
        np.zeros(n, dtype=np.uint8), np.zeros(n), np.zeros(n), np.zeros(n),
        np.ones(n, dtype=bool), rows.cells.copy(), rows.cells.copy(),
    )  # fmt: skip
    known = np.flatnonzero(rows.complete)
    if len(known):
        cells = np.ascontiguousarray(rows.cells[known])
        number = ensemble.numbers_of(ensemble.summed.evaluate(cells, threads).sums)
        out.number[known] = out.lower[known] = out.upper[known] = number
    for which, boxes, of_row, own, seconds in rows.blocks():
        part = _of_boxes(own, boxes, seconds, threads)
        for name in out._fields:
            getattr(out, name)[which] = getattr(part, name)[of_row]
    out.status[rows.impossible] = IMPOSSIBLE
    for ends in (out.number, out.lower, out.upper):
        ends[rows.impossible] = np.nan
    return out


def _of_boxes(
    ensemble: SumKernel, boxes: NDArray[np.uint8], seconds: float, threads: int
) -> NumberVerdicts:
    ends = ends_of_boxes(ensemble, boxes, np.ones(1, dtype=np.int64), seconds, threads)
    sums = ensemble.summed
    low = ensemble.numbers_of(sums.evaluate(np.ascontiguousarray(ends.low_cell), threads).sums)
    high = ensemble.numbers_of(sums.evaluate(np.ascontiguousarray(ends.high_cell), threads).sums)
    certain = ends.exact & ends.same
    if ensemble.whole.slack.any():
        certain = one_leaf_each(ensemble, boxes, certain)
    exact = ends.exact | certain
    lower = ensemble.linked(divided_down(ensemble, ends.lower, ends.upper))
    upper = ensemble.linked(divided_up(ensemble, ends.lower, ends.upper))
    status = np.where(
        certain,
        CERTAIN,
        np.where(low != high, OPEN, np.where(exact, WITHIN_ROUNDING, OUT_OF_TIME)),
    ).astype(np.uint8)
    own = certain | (exact if never_rounds(ensemble) else False)
    out = NumberVerdicts(
        status,
        low,
        np.where(own, low, lower),
        np.where(own, np.where(certain, low, high), upper),
        exact,
        ends.low_cell.copy(),
        ends.high_cell.copy(),
    )
    if boxes.shape[1] and not never_rounds(ensemble):
        alike = ends.exact & ends.same  # but for rounding
        few = n_cells(ensemble.bins, boxes) <= np.where(alike, MANY, FEW)
        for i in np.flatnonzero(few & ~certain).tolist():
            _look_at_all(out, i, ensemble, boxes[i], threads)
    return out


def _look_at_all(
    out: NumberVerdicts, i: int, ensemble: SumKernel, box: NDArray[np.uint8], threads: int
) -> None:
    """Decide a box by all of its cells, as the library adds them up."""
    cells = cells_of(ensemble, box)
    if not len(cells):
        return
    numbers = ensemble.numbers_of(ensemble.summed.evaluate(cells, threads).sums)
    low, high = int(np.argmin(numbers)), int(np.argmax(numbers))
    out.number[i] = out.lower[i] = numbers[low]
    out.upper[i], out.exact[i] = numbers[high], True
    out.status[i] = CERTAIN if numbers[low] == numbers[high] else OPEN
    out.low_cell[i], out.high_cell[i] = cells[low], cells[high]
