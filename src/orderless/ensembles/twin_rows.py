"""Two rows of one ensemble at once: what one box says against another.

In:  an ``Ensemble``, the features in which two rows may differ, what is asked of their answers.
Out: ``TwinRows``: two cells, one in each of two boxes, or the proof that there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..form import Falling, Near, Unequal
from ..model import Budget, Formula, Linear, Space, SumKernel
from ..questions.boxes import Boxes, Cells, slices
from ..questions.twins import Twins

__all__ = ["OUT_OF_TIME", "TwinRows", "connected"]

TRIED = 1024  # random pairs of cells that are looked at first
MOST_CHECKED = 64  # of those that refute, how many the facts are asked about
SEED = 24
ONE = Fraction(1)
OUT_OF_TIME, WITHIN_ROUNDING = 2, 3


class TwinRows:
    """Looks for two rows that refute a property, in pairs of boxes one after the other.

    Attributes
    ----------
    missed : int
        0 while everything that was asked is proven; else why something is not: 2 time, 3 rounding.
    """

    def __init__(
        self,
        ensemble: SumKernel,
        apart: Sequence[str],
        wanted: Unequal | Falling | Near,
    ) -> None:
        self.ensemble, self.wanted = ensemble, wanted
        names = [feature.name for feature in ensemble.bins.features]
        self.apart = [names.index(name) for name in apart if name in names]
        also = [ensemble.space.index(name) for name in apart if name not in names]
        self.twins = Twins(
            ensemble,
            self.apart,
            also=also,
            more=_between(ensemble, wanted),
        )
        self.budget = Budget.current()
        self.missed = 0
        self.random = np.random.default_rng(SEED)

    def find_in_any(
        self, pairs: Collection[tuple[Boxes, Boxes]], *, at_once: bool = False
    ) -> tuple[Cells, Cells] | None:
        """Give a cell in each of two boxes that refute the property, if there are such.

        Random cells of all pairs of boxes are looked at before any pair is searched. ``at_once``:
        one search for all of them.
        """
        found = next((own for own in map(self.tried, pairs) if own is not None), None)
        if found is not None or not pairs:
            return found
        if at_once:
            one, other = (np.bitwise_or.reduce(side) for side in zip(*pairs, strict=True))
            pairs = [(one, other)]
        parts = range(len(pairs), 0, -1)
        both = map(self.searched, pairs, parts)
        return next((own for own in both if own is not None), None)

    def left(self, searches: int) -> float:
        """Give the seconds that each of so many searches may still take."""
        return self.budget.share(searches)

    def searched(self, pair: tuple[Boxes, Boxes], parts: int) -> tuple[Cells, Cells] | None:
        """Search a pair of boxes to the end, or until its part of the time is over."""
        box = self.twins.wide(*pair)
        if not self.twins.joint.possible.any_in(box):
            return None
        if self.ensemble.task == "regression":
            return self._numbers(box, parts)
        return self._classes(box, parts)

    def refuted(self, one: Cells, other: Cells) -> NDArray[np.bool_]:
        """Tell which pairs of cells refute the property, by the library's own arithmetic."""
        mine, theirs = (
            self.ensemble.summed.evaluate(np.ascontiguousarray(cells), 1) for cells in (one, other)
        )
        if self.ensemble.task == "regression":
            numbers = [self.ensemble.numbers_of(own.sums) for own in (mine, theirs)]
            return np.asarray(self._against(numbers[0], numbers[1]))
        known = (mine.label >= 0) & (theirs.label >= 0)
        if isinstance(self.wanted, Falling):
            rank = np.array(self.wanted.rank)
            return np.asarray(known & self._against(rank[mine.label], rank[theirs.label]))
        return np.asarray(known & (mine.label != theirs.label))

    def _against(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
        if isinstance(self.wanted, Falling):
            return np.asarray(one > other if self.wanted.sign == 1 else one < other)
        return np.asarray(one != other)

    def tried(self, pair: tuple[Boxes, Boxes]) -> tuple[Cells, Cells] | None:
        """Look at random pairs: most properties that fail do so on many."""
        cells = []
        for box in pair:
            parts = [np.flatnonzero(box[at]) for at in slices(self.ensemble.bins)]
            cells.append(
                np.stack([own[self.random.integers(len(own), size=TRIED)] for own in parts], axis=1)
            )
        for k in range(cells[0].shape[1]):
            if k not in self.apart:
                cells[1][:, k] = cells[0][:, k]
        one, other = (own.astype(np.int32) for own in cells)
        found = np.flatnonzero(self.refuted(one, other))[:MOST_CHECKED].tolist()
        return next(((one[i], other[i]) for i in found
                     if self.twins.possible(one[i], other[i])), None)  # fmt: skip

    def _classes(self, box: Boxes, parts: int) -> tuple[Cells, Cells] | None:
        n = len(self.ensemble.classes)
        asked = [(a, b) for a in range(n) for b in range(n) if self._looked_for(a, b)]
        for surely in (True, False):
            for i, (a, b) in enumerate(asked):
                seconds = self.left(2 * len(asked) * parts - i - (0 if surely else len(asked)))
                code, cell = self.twins.joint.search(a, b, seconds, surely=surely, box=box)
                if code == 1:
                    pair = self.twins.narrow(cell)
                    if self.refuted(pair[0][None], pair[1][None])[0]:
                        return pair
                    if not surely:
                        self.missed = self.missed or WITHIN_ROUNDING
                elif code == 2 and not surely:
                    self.missed = OUT_OF_TIME
        return None

    def _looked_for(self, a: int, b: int) -> bool:
        if isinstance(self.wanted, Falling):
            rank = self.wanted.rank
            return rank[a] > rank[b] if self.wanted.sign == 1 else rank[a] < rank[b]
        return a != b

    def _numbers(self, box: Boxes, parts: int) -> tuple[Cells, Cells] | None:
        joint = self.twins.joint
        ends = joint.ends_of_difference(self.left(parts), box)
        for cell in (ends.low_cell[0], ends.high_cell[0]):
            pair = self.twins.narrow(cell)
            if self.refuted(pair[0][None], pair[1][None])[0]:
                return pair
        low, high = float(ends.lower[0]), float(ends.upper[0])
        # What the library rounds, and what a coarser unit leaves out, may add up to this much.
        low, high = low - joint.tolerance, high + joint.tolerance
        if isinstance(self.wanted, Falling):
            up = self.wanted.sign * (1 if self.ensemble.factor > 0 else -1) == 1
            proven = high <= 0 if up else low >= 0
        else:
            proven = low == 0 == high
        if not proven:
            self.missed = self.missed or (WITHIN_ROUNDING if ends.exact[0] else OUT_OF_TIME)
        return None


def _between(ensemble: SumKernel, wanted: Unequal | Falling | Near) -> list[Formula]:
    """Give what holds between the numbers of two rows, where facts are about them."""
    space = ensemble.space
    if isinstance(wanted, Unequal) or not connected(space, wanted.feature.name):
        return []
    here, there = space.index(wanted.feature.name), len(space.features)
    out: list[Formula] = [Linear(((here, ONE), (there, -ONE)), "<=", Fraction(0))]
    if isinstance(wanted, Near):
        out.append(Linear(((here, -ONE), (there, ONE)), "<=", wanted.by))
    return out


def connected(space: Space, name: str) -> bool:
    """Tell whether facts are about a feature."""
    return space.domain.restricts and space.index(name) in space.domain.group_of
