"""Boxes over the bins of a sum of trees, and what the core finds out about them.

In:  a ``SumKernel``, rows; what rows tell of the features that facts connect.
Out: ``RowBoxes``: the cells of complete rows, the distinct boxes of the others; ``Verdicts``.
     ``PossibleSums``: the same sums whose search looks at possible cells only, by row;
     ``PossibleCells``: of all rows. ``Probe``: questions about boxes within one budget.

Where facts hold, the core gets trees that say which cells they exclude (``fact_trees``), made for
the exact values of a row; what they exclude weighs less than anything else, so that bounds leave it
out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import Undecided, setting
from ..model import (
    Bins,
    Budget,
    FactTrees,
    Grid,
    PossibleRows,
    Rows,
    SumKernel,
    ValueSet,
    allowed_bins,
    distinct_rows,
    fact_trees,
    joined_trees,
    known_bins,
    one_value,
    sides_by_bin,
)

if TYPE_CHECKING:
    from .._core.ensembles import Decided, Possible

__all__ = [
    "CERTAIN",
    "IMPOSSIBLE",
    "OPEN",
    "OUT_OF_TIME",
    "WHY",
    "WITHIN_ROUNDING",
    "Block",
    "Boxes",
    "Cells",
    "PossibleCells",
    "PossibleSums",
    "Probe",
    "RowBoxes",
    "Verdicts",
    "bits_of",
    "box_of",
    "decide_boxes",
    "possible_boxes",
    "slices",
    "touched",
    "undecided",
]

CERTAIN, OPEN, OUT_OF_TIME, WITHIN_ROUNDING, OUT_OF_MEMORY, IMPOSSIBLE = range(6)
WHY = {OUT_OF_TIME: "time", WITHIN_ROUNDING: "rounding", OUT_OF_MEMORY: "room"}
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


# -- possible cells ------------------------------------------------------------------------------


def touched(ensemble: SumKernel) -> bool:
    """Whether facts are about features that the ensemble asks about."""
    return bool({*ensemble.connected} & {*ensemble.used})


class PossibleSums:
    """An ensemble, by what rows say of the features that facts connect.

    Cost: for each group of connected features, and each different part of a row that leaves one of
    them unknown, checks of the facts for some cells (``Grid``); a copy of the trees for rows for
    which facts exclude the same.
    """

    whole = ValueSet()

    def __init__(self, ensemble: SumKernel) -> None:
        self.ensemble = ensemble
        self.sides = sides_by_bin(ensemble.bins)
        self._parts: dict[tuple[tuple[int, ValueSet], ...], FactTrees | None] = {}
        self._same: dict[bytes, FactTrees] = {}
        self._made: dict[tuple[int, ...], SumKernel] = {}

    def given(self, row: Mapping[int, ValueSet]) -> SumKernel:
        """Give the ensemble over the possible rows that have the values of this one."""
        domain = self.ensemble.space.domain
        found = [self._part(group, row) for group in domain.groups]
        parts = [part for part in found if part is not None]
        if not parts:
            return self.ensemble
        key = tuple(map(id, parts))  # they are kept, and equal ones are one
        if key not in self._made:
            self._made[key] = _with_facts(self.ensemble, joined_trees(parts))
        return self._made[key]

    def _part(self, group: tuple[int, ...], row: Mapping[int, ValueSet]) -> FactTrees | None:
        """Give what facts exclude of one group of features."""
        known = {i for i in group if i in row and one_value(row[i])}
        unknown = {i: own for i, own in self.sides.items() if i in group and i not in known}
        if not unknown:
            return None
        own = {i: row[i] for i in group if i in row}
        key = (*own.items(), (group[0], self.whole))  # of which group, where nothing is known
        if key not in self._parts:
            trees = fact_trees(self.ensemble.bins, Grid(self.ensemble.space, unknown, own))
            if trees is not None:
                text = b"".join(array.tobytes() for array in trees.nodes)
                trees = self._same.setdefault(text, trees)
            self._parts[key] = trees
        return self._parts[key]


class PossibleCells:
    """Which cells have a possible row, over the bins of an ensemble.

    Without facts all cells do. ``row``: what is known of features that facts connect; cells are
    those of this row, and of what has one value no bin is told from others.
    """

    def __init__(self, bins: Bins, row: Mapping[int, ValueSet] | None = None) -> None:
        self.bins, self.trees = bins, None
        self._tables: list[tuple[list[int], NDArray[np.bool_]]] = []
        if bins.tree.space.domain.restricts:
            known = row or {}
            cut = {i: own for i, own in sides_by_bin(bins).items()
                   if i not in known or not one_value(known[i])}  # fmt: skip
            grid = Grid(bins.tree.space, cut, known)
            self.trees = fact_trees(bins, grid)
            place = {i: k for k, i in enumerate(bins.positions)}
            self._tables = [([place[i] for i in own], table) for own, table in grid.tables]

    def over(self, ensemble: SumKernel) -> SumKernel:
        """Give an ensemble with these bins, whose search looks at possible cells only."""
        return ensemble if self.trees is None else _with_facts(ensemble, self.trees)

    def possible(self, cells: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which cells have a possible row."""
        out = np.ones(len(cells), dtype=bool)
        for own, table in self._tables:
            out &= table[tuple(cells[:, k] for k in own)]
        return out

    def share(self, box: NDArray[np.uint8], weights: Sequence[NDArray[np.float64]]) -> float:
        """Give what the possible cells of a box weigh, of the weights of bins by feature."""
        ends = np.cumsum([0, *self.bins.widths]).tolist()
        own = [w * box[a:b] for w, (a, b) in zip(weights, pairwise(ends), strict=True)]
        out, free = 1.0, set(range(len(own)))
        for some, table in self._tables:
            left = table.astype(np.float64)
            for k in reversed(some):
                left = left @ own[k]  # the last axis
            out *= float(left)
            free -= {*some}
        for k in free:
            out *= float(own[k].sum())
        return out

    def any_in(self, box: NDArray[np.uint8]) -> bool:
        """Tell whether a box, as the core reads it, has a possible row."""
        ends = np.cumsum([0, *self.bins.widths]).tolist()
        inside = [np.flatnonzero(box[a:b]) for a, b in pairwise(ends)]
        return all(
            bool(table[np.ix_(*(inside[k] for k in own))].any()) for own, table in self._tables
        )


def _with_facts(ensemble: SumKernel, trees: FactTrees) -> SumKernel:
    summed = ensemble.summed.with_facts(trees.nodes, trees.roots)
    out = SumKernel.__new__(SumKernel)
    out.__dict__.update({**ensemble.__dict__, "summed": summed, "excluded": trees})
    return out


# -- rows ----------------------------------------------------------------------------------------


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


# -- boxes, one after the other ------------------------------------------------------------------


class Probe:
    """Asks the core about boxes of one ensemble, as long as there is time.

    Parameters
    ----------
    ensemble : Ensemble
        Of classes.
    """

    def __init__(self, ensemble: SumKernel) -> None:
        self.ensemble, self.bins = ensemble, ensemble.bins
        self.at = slices(ensemble.bins)

    @property
    def budget(self) -> Budget:
        """The budget of the answer at hand."""
        return Budget.current()

    @property
    def left(self) -> float:
        """Seconds that are left for the answer."""
        return self.budget.share()

    # -- questions -------------------------------------------------------------------------------

    def decide(self, boxes: Boxes, most_nodes: int = 0) -> Decided:
        """Ask about boxes, which share the time that is left."""
        return decide_boxes(self.ensemble, np.atleast_2d(boxes), self.left, most_nodes=most_nodes)

    def certain(self, box: Boxes) -> bool:
        """Whether a box is proven to have one class; False also if it was not decided."""
        return int(self.decide(box).status[0]) == CERTAIN

    def settled(self, box: Boxes) -> bool:
        """Whether a box has one class; raises ``Undecided`` if that was not found out."""
        status = int(self.decide(box).status[0])
        if status > OPEN:
            raise self.undecided(status)
        return status == CERTAIN

    def undecided(self, status: int, **proven: object) -> Undecided:
        """Say that no answer was found, and what is proven all the same."""
        return undecided(status, "no exact answer about this row", self.budget, **proven)

    def look(self, **proven: object) -> None:
        """Raise ``Undecided`` if the time is over."""
        if self.budget.over:
            raise self.undecided(2, **proven)

    def labels(self, cells: Cells) -> NDArray[np.int32]:
        """Give the classes of cells, -1 within the library's rounding."""
        return self.ensemble.summed.evaluate(np.ascontiguousarray(np.atleast_2d(cells)), 1).label

    # -- boxes -----------------------------------------------------------------------------------

    def cell_in(self, box: Boxes) -> Cells:
        """Give a cell of a box: the middle of its bins."""
        inside = (np.flatnonzero(box[at]) for at in self.at)
        return np.array([int(own[len(own) // 2]) for own in inside], dtype=np.int32)

    def box_at(self, cell: Cells) -> Boxes:
        """Give the box that is one cell."""
        out = np.zeros(sum(self.bins.widths), dtype=np.uint8)
        out[[at.start + int(b) for at, b in zip(self.at, cell, strict=True)]] = 1
        return out

    def grown(self, box: Boxes, k: int, tolerance: Boxes, label: int) -> Boxes:
        """Give the box with a side as wide as it can be while the class stays certain.

        An ordered side stays an interval (and NaN). ``tolerance`` is as far as it may go. Of what
        is not decided in time, the bins that bounds prove are inside all the same.
        """
        flags, wide = np.ascontiguousarray(box), np.ascontiguousarray(tolerance)
        return self.ensemble.summed.grow(flags, k, wide, label, self.left)
