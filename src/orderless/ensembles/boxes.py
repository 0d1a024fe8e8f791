"""Rows as boxes over the bins of an ensemble, and what the core says of them.

In:  an ``Ensemble``, rows.
Out: ``RowBoxes``: the cells of complete rows, the distinct boxes of the others; ``Verdicts``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import Undecided, setting
from ..model import (
    Bins,
    Budget,
    PossibleRows,
    Rows,
    SumKernel,
    allowed_bins,
    distinct_rows,
    known_bins,
)
from .possible_sums import PossibleSums, touched

if TYPE_CHECKING:
    from .._core.ensembles import Decided, Possible

__all__ = [
    "CERTAIN",
    "IMPOSSIBLE",
    "OPEN",
    "WHY",
    "Block",
    "RowBoxes",
    "Verdicts",
    "bits_of",
    "box_of",
    "decide_boxes",
    "possible_boxes",
    "slices",
    "undecided",
]

CERTAIN, OPEN, IMPOSSIBLE = 0, 1, 5
WHY = {2: "time", 3: "rounding", 4: "room"}
MOST_CELLS = 100_000_000  # of a table of rows by bins, one byte each, at one time

Boxes = NDArray[np.uint8]
Cells = NDArray[np.int32]


def slices(bins: Bins) -> list[slice]:
    """Give where the bins of each feature stand in a box."""
    ends = np.cumsum([0, *bins.widths]).tolist()
    return [slice(a, b) for a, b in itertools.pairwise(ends)]


def box_of(bins: Bins, bits: Sequence[int]) -> Boxes:
    """Give a box as the core reads it, of the bits of each feature."""
    parts = [
        np.unpackbits(
            np.frombuffer(own.to_bytes((width + 7) // 8, "little"), dtype=np.uint8),
            count=width,
            bitorder="little",
        )
        for own, width in zip(bits, bins.widths, strict=True)
    ]
    return np.concatenate([np.zeros(0, dtype=np.uint8), *parts])


def bits_of(bins: Bins, box: Boxes) -> tuple[int, ...]:
    """Give the bits of each feature of a box."""
    packed = (np.packbits(box[at], bitorder="little").tobytes() for at in slices(bins))
    return tuple(int.from_bytes(own, "little") for own in packed)


def undecided(status: int, what: str, budget: Budget, **proven: Any) -> Undecided:
    """Say that something was not decided, why, and what to do."""
    why = WHY[status]
    advice = {
        "time": f"no proof within {budget}: raise {setting('time_limit')}, or give more values",
        "rounding": "some completions are nearer to a tie than the library's own arithmetic can "
        "tell apart",
        "room": "the search needs more memory than it is allowed: give more values",
    }[why]
    return Undecided(f"{what}: {advice}", why, proven)


class Verdicts(NamedTuple):
    """By row, what is certain: status, class (-1: not certain)."""

    status: NDArray[np.uint8]
    label: NDArray[np.int32]


def decide_boxes(
    ensemble: SumKernel,
    boxes: Boxes,
    seconds: float,
    n_threads: int = 1,
    *,
    most_nodes: int = 0,
) -> Decided:
    """Ask the core whether each box has one class; ``most_nodes`` of each search, 0 for any.

    The boxes share the seconds: easy ones leave theirs to hard ones.
    """
    flags, each = np.ascontiguousarray(boxes), Budget.current().each
    found = ensemble.summed.decide(flags, seconds, n_threads, each, most_nodes)
    if boxes.shape[1]:
        return found
    label = _constant(ensemble, len(boxes))  # nothing is asked: there is one cell
    return found._replace(status=np.where(label < 0, 3, CERTAIN).astype(np.uint8), label=label)


def possible_boxes(
    ensemble: SumKernel, boxes: Boxes, seconds: float, n_threads: int = 1
) -> Possible:
    """Ask the core which classes each box can get; see ``decide_boxes``."""
    if boxes.shape[1]:
        flags, each = np.ascontiguousarray(boxes), Budget.current().each
        return ensemble.summed.possible(flags, seconds, n_threads, each)
    n, n_classes = len(boxes), len(ensemble.classes)  # nothing is asked: there is one cell
    label = _constant(ensemble, n)[:, None]
    table = np.where(label < 0, 2, label == np.arange(n_classes))
    return _core.ensembles.Possible(
        table.astype(np.uint8), np.zeros((n, n_classes, 0), dtype=np.int32)
    )


def _constant(ensemble: SumKernel, n: int) -> NDArray[np.int32]:
    """Give the class of an ensemble that asks about no feature."""
    return ensemble.summed.evaluate(np.zeros((n, 0), dtype=np.int32), 1).label


class Block(NamedTuple):
    """Some rows: their distinct boxes, which each row has, and whom to ask about them.

    The ensemble is that of possible rows, where facts hold. ``seconds``: their share of the time.
    """

    which: NDArray[np.intp]
    boxes: Boxes
    of_row: NDArray[np.intp]
    ensemble: SumKernel
    seconds: float


class RowBoxes:
    """Rows over the bins of an ensemble.

    Where facts hold, rows that contradict them are ``impossible``, and a warning says so.
    """

    def __init__(self, ensemble: SumKernel, rows: Rows) -> None:
        self.ensemble, self.rows = ensemble, rows
        self.known = PossibleRows(ensemble, rows) if ensemble.connected else None

    @cached_property
    def impossible(self) -> NDArray[np.bool_]:
        """By row whether it contradicts the facts."""
        return np.zeros(self.rows.n_rows, bool) if self.known is None else self.known.contradicting

    @cached_property
    def cells(self) -> Cells:
        """By row and feature the bin, -1 where the row leaves several."""
        bins = self.ensemble.bins
        cells = np.empty((self.rows.n_rows, len(bins.features)), dtype=np.int32)
        for k in range(len(bins.features)):
            cells[:, k] = known_bins(bins, k, self.rows)
        return cells

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """By row whether it lies in one bin of every feature."""
        return np.asarray(np.all(self.cells >= 0, axis=1))

    @cached_property
    def partial(self) -> NDArray[np.intp]:
        """The rows that are not complete, and possible."""
        return np.flatnonzero(~self.complete & ~self.impossible)

    def boxes(self, which: NDArray[np.intp]) -> Boxes:
        """Give some rows as boxes."""
        bins = self.ensemble.bins
        part = self.rows.take(which)
        tables = [allowed_bins(bins, k, part) for k in range(len(bins.features))]
        return np.hstack([np.zeros((len(which), 0), dtype=bool), *tables]).view(np.uint8)

    def blocks(self) -> Iterator[Block]:
        """Go through the rows that are not complete."""
        step = max(1, MOST_CELLS // max(1, sum(self.ensemble.bins.widths)))
        budget, n_left = Budget.current(), len(self.partial)
        for ensemble, which in self._by_facts():
            for start in range(0, len(which), step):
                here = which[start : start + step]
                boxes, of_row = distinct_rows(self.boxes(here).view(np.bool_))
                seconds = budget.left * len(here) / n_left
                yield Block(here, boxes.view(np.uint8), of_row, ensemble, seconds)
                n_left -= len(here)

    def _by_facts(self) -> Iterator[tuple[SumKernel, NDArray[np.intp]]]:
        """Put together the rows for which facts exclude the same."""
        if self.known is None or not touched(self.ensemble):
            yield self.ensemble, self.partial
            return
        sums = PossibleSums(self.ensemble)
        own: dict[int, tuple[SumKernel, list[int]]] = {}
        kinds = self.known.which[self.partial]
        for kind in np.unique(kinds).tolist():
            ensemble = sums.given(self.known.value_sets(kind))
            own.setdefault(id(ensemble), (ensemble, []))[1].append(kind)
        for ensemble, some in own.values():
            yield ensemble, self.partial[np.isin(kinds, some)]

    def verdicts(self, n_threads: int) -> Verdicts:
        """Decide every row; complete rows are added up, the others searched."""
        ensemble, rows = self.ensemble, self.rows
        if self.known is None:
            budget = Budget.current()
            found = ensemble.summed.decide_rows(
                ensemble.row_bins, rows.columns, rows.n_rows, budget.left, n_threads, False,
                budget.each,
            )  # fmt: skip
            return Verdicts(found.status, found.label)
        label = np.full(rows.n_rows, -1, dtype=np.int32)
        known = np.flatnonzero(self.complete)
        cells = np.ascontiguousarray(self.cells[known])
        label[known] = ensemble.summed.evaluate(cells, n_threads).label
        status = np.where(label < 0, 3, CERTAIN).astype(np.uint8)
        for which, boxes, of_row, own, seconds in self.blocks():
            found = decide_boxes(own, boxes, seconds, n_threads)
            status[which], label[which] = found.status[of_row], found.label[of_row]
        status[self.impossible], label[self.impossible] = IMPOSSIBLE, -1
        label[status != CERTAIN] = -1
        return Verdicts(status, label)
