"""Joint questions: where two ensembles say different things at once.

In:  two ensembles over one space.
Out: ``Joint``: a cell in which they give two classes, or the proof that there is none.

That a class wins is a list of conditions: sums of leaves that are at least 0. Conditions of both
together are the scores of a new ensemble, turned round, beside a score that is always 0: that one
is the largest, and first of equals, where every condition holds. So one search over several targets
answers all of it. Sums are whole numbers that float64 adds without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import Adding, Rule, SumKernel, TreeKernel, ValueSet, in_units
from .bounds import Extremes, extremes_of_boxes
from .boxes import Boxes, Cells, PossibleCells, possible_boxes

__all__ = ["Joint", "with_trees"]

ROOM = 50  # bits of a sum: float64 adds such without rounding

Whole = NDArray[np.int64]


class Conditions(NamedTuple):
    """What must hold where a class wins: per condition a sum over the trees is at least 0.

    Attributes
    ----------
    values : per tree, leaves x conditions
    base : per condition what the sum begins with
    slack : per condition how far the library's own sum can be from it
    """

    values: list[Whole]
    base: Whole
    slack: Whole


class Scaled(NamedTuple):
    """The whole numbers of an ensemble in a coarser unit."""

    values: list[Whole]
    base: Whole
    slack: Whole
    cuts: list[int]
    window: int


class Joint:
    """Two ensembles over one space, compared cell by cell.

    Parameters
    ----------
    one, other : Ensemble
        Over one space.
    row : dict of position -> ValueSet, optional
        What is known of the features that facts connect.

    Attributes
    ----------
    one, other : Ensemble
        The same over the bins of both: each has the trees of the other, too, which add nothing.
    """

    def __init__(
        self,
        one: SumKernel,
        other: SumKernel,
        row: Mapping[int, ValueSet] | None = None,
    ) -> None:
        self.pairs = _pairs(one, other)
        self.only = [j for j in range(other.n_trees) if j not in {b for _, b in self.pairs}]
        trees = [*one.trees, *(other.trees[j] for j in self.only)]
        self.one = with_trees(one, [other.trees[j] for j in self.only])
        here = {i for i, _ in self.pairs}
        self.other = with_trees(other, [t for i, t in enumerate(one.trees) if i not in here])
        self.trees, self.given = trees, (one, other)
        exponents = [_exponent(ensemble) for ensemble in (one, other)]
        self.exponent = max(exponents)
        self.scaled = [_scaled(ensemble, self.exponent) for ensemble in (one, other)]
        self.row = row

    @cached_property
    def possible(self) -> PossibleCells:
        """Which cells have a possible row; found out when a search asks for it."""
        return PossibleCells(self.one.bins, self.row)

    def search(
        self, a: int, b: int, time_limit: float, *, surely: bool, box: Boxes | None = None
    ) -> tuple[int, Cells]:
        """Look for a cell in which class ``a`` of the one and class ``b`` of the other win.

        ``surely``: by so much that the library's rounding cannot change it; otherwise also where it
        might. Without a box, everywhere. Gives 0 (there is none), 1 (with the cell) or 2 (not found
        out).
        """
        parts = [
            _wins(ensemble, scaled, label, surely)
            for ensemble, scaled, label in zip(self.given, self.scaled, (a, b), strict=True)
        ]
        asked = self._together(parts, self._opposed(a, b), -1 if surely else 1)
        if box is None:
            box = np.ones(sum(asked.bins.widths), dtype=np.uint8)
        found = possible_boxes(self.possible.over(asked), box[None], time_limit)
        return int(found.possible[0, 0]), found.cells[0, 0]

    @property
    def tolerance(self) -> int:
        """How far the sums of both libraries together can be from what is searched, in units."""
        return int(sum(scaled.slack.max() for scaled in self.scaled))

    def ends_of_difference(self, time_limit: float, box: Boxes | None = None) -> Extremes:
        """Give the ends of the difference of the sums of two models of numbers, in one box.

        In units of the coarser of the two; without a box, everywhere.
        """
        mine, theirs = self.scaled
        base = int(mine.base[0]) - int(theirs.base[0])
        return self._ends((mine.values, theirs.values), base, time_limit, box)

    def loses_bits(self, time_limit: float, box: Boxes | None = None) -> bool:
        """Whether the difference may not be 0 although it is 0 in the coarser unit.

        It is 0 where what was rounded off adds up to the same in both.
        """
        finest = min(ensemble.whole.exponent for ensemble in self.given)
        parts, bases = [], []
        for ensemble in self.given:
            exponent = ensemble.whole.exponent
            low = (1 << min(self.exponent - exponent, 62)) - 1
            more = 1 << min(exponent - finest, 62)
            if low * more * ensemble.n_trees >= 1 << ROOM:
                return True
            ends = np.cumsum([len(own) for own in ensemble.values])[:-1]
            parts.append(np.split((ensemble.whole.values & low) * more, ends))
            bases.append(int(ensemble.whole.base[0] & low) * more)
        off = self._ends((parts[0], parts[1]), bases[0] - bases[1], time_limit, box)
        return not (off.lower[0] == 0 == off.upper[0])

    def _ends(
        self,
        values: tuple[list[Whole], list[Whole]],
        base: int,
        time_limit: float,
        box: Boxes | None,
    ) -> Extremes:
        """Give the ends of a difference of sums of whole numbers."""
        mine, theirs = values
        of_other = dict(self.pairs)
        apart = [mine[i] - (theirs[of_other[i]] if i in of_other else 0) for i in range(len(mine))]
        apart += [-theirs[j] for j in self.only]
        asked = SumKernel(
            self.trees,
            [own.astype(np.float64) for own in apart],
            adding=Adding(base=(float(base),)),
            rule=Rule("number"),
        )
        if box is None:
            box = np.ones(sum(asked.bins.widths), dtype=np.uint8)
        asked = self.possible.over(asked)
        return extremes_of_boxes(asked, box[None], np.ones(1, dtype=np.int64), time_limit, 1)

    def _opposed(self, a: int, b: int) -> tuple[int, int] | None:
        """Give a condition of each that say the opposite, if there are such.

        Their sum holds too, and trees that both have add nothing to it: that is what makes the
        search short.
        """
        one, other = self.given
        if one.classes != other.classes or one.rule.kind != other.rule.kind:
            return None
        if one.rule.kind == "largest":
            return (b - (b > a), a - (a > b)) if a != b else None
        if a > b:
            return 0, int(b > 0)
        return int(a > 0), 0

    def _together(
        self, parts: Sequence[Conditions], opposed: tuple[int, int] | None, sign: int
    ) -> SumKernel:
        """Make the ensemble whose first class is possible where all conditions hold."""
        mine, theirs = parts
        of_other = dict(self.pairs)
        n_mine, n_theirs = len(mine.base), len(theirs.base)
        values = []
        for i in range(self.given[0].n_trees):
            left = mine.values[i]
            right = (
                theirs.values[of_other[i]]
                if i in of_other
                else np.zeros((len(left), n_theirs), dtype=np.int64)
            )
            values.append(np.hstack([left, right]))
        for j in self.only:
            right = theirs.values[j]
            values.append(np.hstack([np.zeros((len(right), n_mine), dtype=np.int64), right]))
        slack = np.concatenate([mine.slack, theirs.slack])
        base = np.concatenate([mine.base, theirs.base]) + sign * slack
        if opposed is not None:
            i, j = opposed[0], n_mine + opposed[1]
            values = [np.hstack([own, own[:, [i]] + own[:, [j]]]) for own in values]
            base = np.append(base, base[i] + base[j])
        zero = [np.zeros((len(own), 1), dtype=np.int64) for own in values]
        return SumKernel(
            self.trees,
            [np.hstack([z, -own]) for z, own in zip(zero, values, strict=True)],
            classes=range(len(base) + 1),
            adding=Adding(base=(0.0, *(-base).astype(np.float64).tolist())),
            rule=Rule("largest"),
        )


def _pairs(one: SumKernel, other: SumKernel) -> list[tuple[int, int]]:
    """Pair the trees that both have, those with the same values first."""
    pairs: list[tuple[int, int]] = []
    for same in (True, False):
        there: dict[object, list[int]] = {}
        taken = {j for _, j in pairs}, {i for i, _ in pairs}
        for j in reversed(range(other.n_trees)):
            if j not in taken[0]:
                there.setdefault(_key(other, j, same), []).append(j)
        for i in range(one.n_trees):
            if i not in taken[1] and (left := there.get(_key(one, i, same))):
                pairs.append((i, left.pop()))
    return sorted(pairs)


def _key(ensemble: SumKernel, i: int, same: bool) -> object:
    return (ensemble.trees[i], ensemble.values[i].tobytes() if same else b"")


def with_trees(ensemble: SumKernel, more: Sequence[TreeKernel]) -> SumKernel:
    """Add trees that add nothing, for their bins."""
    if not more:
        return ensemble
    n = ensemble.n_scores
    zeros = [np.zeros((len(tree.classes), n)) for tree in more]
    return ensemble.replace(
        trees=[*ensemble.trees, *more],
        values=[*ensemble.values, *zeros],
        scores=[*ensemble.scores.tolist(), *[-1] * len(more)],
    )


def _exponent(ensemble: SumKernel) -> int:
    """Give the unit in which all sums have few enough bits."""
    whole = ensemble.whole
    ends = np.cumsum([len(own) for own in ensemble.values])[:-1]
    largest = [np.abs(part).max(axis=0, initial=0) for part in np.split(whole.values, ends)]
    top = int((np.abs(whole.base) + np.sum(largest, axis=0)).max())
    cuts = [abs(in_units(cut, whole.exponent)) for cut in ensemble.rule.cuts]
    return whole.exponent + max(0, max([top, *cuts]).bit_length() - ROOM)


def _scaled(ensemble: SumKernel, exponent: int) -> Scaled:
    whole = ensemble.whole
    shift = exponent - whole.exponent
    ends = np.cumsum([len(own) for own in ensemble.values])[:-1]
    window = ensemble.rule.window_in_units(exponent)
    # Each number is rounded down; all together they are off by less than one unit each.
    off = ensemble.n_trees + 2 if shift else 0
    return Scaled(
        [part >> min(shift, 63) for part in np.split(whole.values, ends)],
        whole.base >> min(shift, 63),
        -((-whole.slack) >> min(shift, 63)) + off,
        [in_units(cut, exponent) for cut in ensemble.rule.cuts],
        window,
    )


def _wins(ensemble: SumKernel, scaled: Scaled, label: int, surely: bool) -> Conditions:
    """Give the conditions that hold where a class wins, by sums without rounding.

    Where scores may come out in either order, an equal one wins perhaps, and never surely.
    """
    if ensemble.rule.kind == "largest":
        others = [c for c in range(ensemble.n_scores) if c != label]
        values = [part[:, [label]] - part[:, others] for part in scaled.values]
        base = scaled.base[label] - scaled.base[others]
        strict = np.array([c < label for c in others], dtype=np.int64)  # of equals the first wins
        if ensemble.rule.either:
            strict[:] = surely
        slack = scaled.slack[label] + scaled.slack[others] + scaled.window
        return Conditions(values, base - strict, slack)
    # "Above a cut" and "at most the next": cuts are rounded down, sums are whole numbers.
    signs: list[int] = []
    bases: list[int] = []
    start = int(scaled.base[0])
    if label > 0:
        signs.append(1)
        bases.append(start - scaled.cuts[label - 1] - 1)
    if label < len(scaled.cuts):
        signs.append(-1)
        bases.append(scaled.cuts[label] - start)
    return Conditions(
        [part * np.array(signs, dtype=np.int64) for part in scaled.values],
        np.array(bases, dtype=np.int64),
        np.repeat(scaled.slack, len(signs)) + scaled.window,
    )
