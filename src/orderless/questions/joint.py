"""Joint questions: where two sums of trees, or two copies of one, give different answers at once.

In:  two ``SumKernel`` over one space; or one, and the features of which each copy has a value.
Out: ``Joint``, ``Twins``: a cell in which two classes win, or the proof that there is none.

That a class wins is a list of conditions: sums of leaves that are at least 0. Conditions of both
together are the scores of a new ensemble, turned round, beside a score that is always 0: that one
is the largest, and first of equals, where every condition holds. So one search over several targets
answers all of it. Sums are whole numbers that float64 adds without rounding.

Facts are looked at last: the search runs without them first, and what it proves, or a cell that it
finds and that has a possible row, needs no table of all cells that facts connect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import (
    Adding,
    Formula,
    Nodes,
    Rule,
    Space,
    SumKernel,
    TreeKernel,
    in_units,
    second,
    values_in,
)
from .bounds import Extremes, extremes_of_boxes
from .boxes import Boxes, Cells, PossibleCells, possible_boxes, slices
from .regions import with_trees

__all__ = ["Joint", "Twins"]

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

    Attributes
    ----------
    one, other : Ensemble
        The same over the bins of both: each has the trees of the other, too, which add nothing.
    """

    def __init__(self, one: SumKernel, other: SumKernel) -> None:
        self.pairs = _pairs(one, other)
        self.only = [j for j in range(other.n_trees) if j not in {b for _, b in self.pairs}]
        trees = [*one.trees, *(other.trees[j] for j in self.only)]
        self.one = with_trees(one, [other.trees[j] for j in self.only])
        here = {i for i, _ in self.pairs}
        self.other = with_trees(other, [t for i, t in enumerate(one.trees) if i not in here])
        self.trees, self.given = trees, (one, other)
        finest = min(ensemble.whole.exponent for ensemble in (one, other))
        self.exponent = max(finest, *(_exponent(ensemble) for ensemble in (one, other)))
        self.scaled = [_scaled(ensemble, self.exponent) for ensemble in (one, other)]

    @cached_property
    def cells(self) -> PossibleCells:
        """Which cells have a possible row: a table, computed when a search needs it."""
        return PossibleCells(self.one.bins)

    def possible(self, cell: Cells) -> bool:
        """Return whether a cell has a possible row."""
        bins = self.one.bins
        domain = bins.tree.space.domain
        sides = (bins.side(k, 1 << int(b)) for k, b in enumerate(cell))
        return domain.possible(
            {i: values_in(side) for i, side in zip(bins.positions, sides, strict=True)
             if i in domain.group_of}
        )  # fmt: skip

    def everything(self) -> Boxes:
        """Return the box of all cells."""
        return np.ones(sum(self.one.bins.widths), dtype=np.uint8)

    def search(
        self, a: int, b: int, time_limit: float, *, surely: bool, box: Boxes | None = None
    ) -> tuple[int, Cells]:
        """Look for a cell in which class ``a`` of the one and class ``b`` of the other win.

        ``surely``: by so much that the library's rounding cannot change it; otherwise also where it
        might. Without a box, everywhere. Returns 0 (there is none), 1 (with the cell) or 2 (time
        did not suffice).
        """
        parts = [
            _wins(ensemble, scaled, label, surely)
            for ensemble, scaled, label in zip(self.given, self.scaled, (a, b), strict=True)
        ]
        asked = self._together(parts, self._opposed(a, b), -1 if surely else 1)
        box = self.everything() if box is None else box
        restricts = asked.space.domain.restricts
        code, cell = _first_class(asked, box, time_limit / (1 + restricts))
        if code == 0 or not restricts or (code == 1 and self.possible(cell)):
            return code, cell
        if not self.cells.any_in(box):
            return 0, cell
        return _first_class(self.cells.over(asked), box, time_limit / 2)

    @property
    def tolerance(self) -> int:
        """How far the sums of both libraries together can be from what is searched, in units."""
        return int(sum(scaled.slack.max() for scaled in self.scaled))

    def ends_of_difference(self, time_limit: float, box: Boxes | None = None) -> Extremes | None:
        """Compute the ends of the difference of the sums of two models of numbers, in one box.

        In units of the coarser of the two; without a box, everywhere. None where the box has no
        possible row.
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
            low = (1 << min(max(0, self.exponent - exponent), 62)) - 1
            more = 1 << min(exponent - finest, 62)
            if low * more * ensemble.n_trees >= 1 << ROOM:
                return True
            ends = np.cumsum([len(own) for own in ensemble.values])[:-1]
            parts.append(np.split((ensemble.whole.values & low) * more, ends))
            bases.append(int(ensemble.whole.base[0] & low) * more)
        lost = self._ends((parts[0], parts[1]), bases[0] - bases[1], time_limit, box)
        return lost is not None and not lost.lower[0] == 0 == lost.upper[0]

    def _ends(
        self,
        values: tuple[list[Whole], list[Whole]],
        base: int,
        time_limit: float,
        box: Boxes | None,
    ) -> Extremes | None:
        """Compute the ends of a difference of sums of whole numbers."""
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
        box = self.everything() if box is None else box
        restricts, once = asked.space.domain.restricts, np.ones(1, dtype=np.int64)
        seconds = time_limit / (1 + restricts)
        ends = extremes_of_boxes(asked, box[None], once, seconds, 1)
        if not restricts or all(self.possible(c[0]) for c in (ends.low_cell, ends.high_cell)):
            return ends
        if not self.cells.any_in(box):
            return None
        return extremes_of_boxes(self.cells.over(asked), box[None], once, seconds, 1)

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


def _first_class(asked: SumKernel, box: Boxes, seconds: float) -> tuple[int, Cells]:
    """Search a box for a cell that gets the first class."""
    result = possible_boxes(asked, box[None], seconds)
    return int(result.possible[0, 0]), result.cells[0, 0]


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


def _exponent(ensemble: SumKernel) -> int:
    """Give the finest unit in which all sums have few enough bits."""
    whole = ensemble.whole
    ends = np.cumsum([len(own) for own in ensemble.values])[:-1]
    largest = [np.abs(part).max(axis=0, initial=0) for part in np.split(whole.values, ends)]
    top = int((np.abs(whole.base) + np.sum(largest, axis=0)).max())
    cuts = [abs(in_units(cut, whole.exponent)) for cut in ensemble.rule.cuts]
    return whole.exponent + max([top, *cuts]).bit_length() - ROOM


def _scaled(ensemble: SumKernel, exponent: int) -> Scaled:
    whole = ensemble.whole
    shift, finer = max(0, exponent - whole.exponent), max(0, whole.exponent - exponent)
    ends = np.cumsum([len(own) for own in ensemble.values])[:-1]
    window = ensemble.rule.window_in_units(exponent)
    # Each number is rounded down; all together they are off by less than one unit each.
    off = ensemble.n_trees + 2 if shift else 0
    return Scaled(
        [part << finer >> min(shift, 63) for part in np.split(whole.values, ends)],
        whole.base << finer >> min(shift, 63),
        -((-whole.slack << finer) >> min(shift, 63)) + off,
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


# -- two copies of one sum ------------------------------------------------------------------------


class Twins:
    """Two copies of an ensemble that share all features but some, of which each has its own.

    Trees that do not ask about those are one tree in the search (``Joint``), and what one copy says
    beyond the other comes from the few that do.

    Parameters
    ----------
    ensemble : Ensemble
    apart : sequence of int
        Features, by their place among the bins, of which each copy has its own.
    also : sequence of int
        More of them that no tree asks about, by position in the space: facts may connect them.
    more : sequence of Formula
        What holds between the two rows, beside the facts: second values come after all features.

    Notes
    -----
    Where the space has facts, both rows satisfy them: cells of both copies are possible iff there
    are two such rows (``Domain.twice``).
    """

    def __init__(
        self,
        ensemble: SumKernel,
        apart: Sequence[int],
        *,
        also: Sequence[int] = (),
        more: Sequence[Formula] = (),
    ) -> None:
        self.ensemble, self.apart = ensemble, apart
        bins, space = ensemble.bins, ensemble.space
        taken = set(space.names)
        self.name: dict[int, str] = {}
        for k in apart:
            name = bins.features[k].name
            while name in taken:
                name += "'"
            taken.add(name)
            self.name[k] = name
        own = [replace(bins.features[k], name=self.name[k]) for k in apart]
        own += [replace(space.features[i], name=second(space.features[i].name)) for i in also]
        wide = Space([*space.features, *own])
        if space.domain.restricts:
            twice = [*(bins.positions[k] for k in apart), *also]
            wide.domain = space.domain.twice(twice, more)
        place = np.arange(len(space.features) + 1)
        for i, k in enumerate(apart):
            place[bins.positions[k]] = len(space.features) + i
        place[-1] = -1
        plain = [_over(tree, wide, tree.feature) for tree in ensemble.trees]
        moved = [_over(tree, wide, place[tree.feature]) for tree in ensemble.trees]
        one, other = (ensemble.replace(trees=trees) for trees in (plain, moved))
        self.joint = Joint(one, other)
        self.of_name = {f.name: k for k, f in enumerate(self.joint.one.bins.features)}

    def search(self, box: Boxes, time_limit: float) -> tuple[int, Cells | None, Cells | None]:
        """Look for twins in a box: 0 (there are none), 1 (two cells) or 2 (not found out)."""
        wide = self.wide(box, box)
        n, missed = len(self.ensemble.classes), False
        for a in range(n):
            for b in range(a + 1, n):  # which of the two is which does not matter
                code, cell = self.joint.search(a, b, time_limit, surely=False, box=wide)
                missed |= code == 2
                if code == 1:
                    pair = self.narrow(cell)
                    labels = self.ensemble.summed.evaluate(np.stack(pair), 1).label
                    if labels[0] != labels[1] and (labels >= 0).all():
                        return 1, *pair
                    missed = True  # within rounding
        return (2 if missed else 0), None, None

    def wide(self, one: Boxes, other: Boxes) -> Boxes:
        """Give the box over the features of both copies: what each has of its own features.

        Features that both share have what the one says of them.
        """
        bins = self.joint.one.bins
        wide = np.zeros(sum(bins.widths), dtype=np.uint8)
        there = slices(bins)
        for k, at in enumerate(slices(self.ensemble.bins)):
            wide[there[self.of_name[self.ensemble.bins.features[k].name]]] = one[at]
            if k in self.name:
                wide[there[self.of_name[self.name[k]]]] = other[at]
        return wide

    def possible(self, one: Cells, other: Cells) -> bool:
        """Return whether two cells, that agree on what both share, have two possible rows."""
        if not self.ensemble.space.domain.restricts:
            return True
        wide = np.zeros(len(self.of_name), dtype=np.int32)
        for k, feature in enumerate(self.ensemble.bins.features):
            wide[self.of_name[feature.name]] = one[k]
            if k in self.name:
                wide[self.of_name[self.name[k]]] = other[k]
        return self.joint.possible(wide)

    def narrow(self, cell: Cells) -> tuple[Cells, Cells]:
        """Give the two cells that a cell of both copies is."""
        features = self.ensemble.bins.features
        one = np.array([cell[self.of_name[f.name]] for f in features], dtype=np.int32)
        other = one.copy()
        for k, name in self.name.items():
            other[k] = cell[self.of_name[name]]
        return one, other


def _over(tree: TreeKernel, space: Space, feature: np.ndarray) -> TreeKernel:
    """Give a tree over a wider space, its features by their place there."""
    arrays = {name: array.copy() for name, array in tree.nodes._asdict().items()}
    arrays["feature"] = np.where(tree.feature < 0, -1, feature).astype(np.int32)
    return TreeKernel.of_normal(space, tree.classes, Nodes(**arrays))
