"""Searches for rows that refute a property: one row, or two that differ in some features only.

In:  a kernel, answers or a relation between two, a region as a side for some features.
Out: ``LeafSearch`` of a tree, ``SumSearch`` of a sum of trees: boxes in which the rows are, or None
     where it is proven that there are none. ``PossiblePairs``: two rows that satisfy the facts.

A tree asked as a sum of one gives the same answers, and without facts nearly as fast. Where facts
connect several features they are two searches all the same: leaves of a tree are checked against
the facts pair by pair, in milliseconds, while a sum needs a table of all cells that facts connect,
which takes minutes or does not fit (five features with 50 thresholds each).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import exact
from ..model import (
    Budget,
    Feature,
    Flags,
    Formula,
    LeafTable,
    Linear,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    adjusted_row,
    common_sides,
    counted,
    example_row,
    is_possible,
    second,
    value_in,
)
from .boxes import (
    Boxes,
    Cells,
    PossibleCells,
    possible_boxes,
    slices,
    undecided,
)
from .joint import Twins
from .regions import box_in, sides_of_cell, within

__all__ = [
    "Falling",
    "LeafSearch",
    "Near",
    "Outcome",
    "PossiblePairs",
    "Relation",
    "Search",
    "SumSearch",
    "Unequal",
    "gap_above",
    "search_of",
    "two_steps",
]

MAX_TRIED = 1024  # random pairs of cells that are looked at first
MAX_CHECKED = 64  # of those that refute, how many the facts are asked about
SEED = 24
ONE = Fraction(1)
OUT_OF_TIME, WITHIN_ROUNDING = 2, 3

Box = dict[str, Side]
Region = Mapping[str, Side]


@dataclass(frozen=True)
class Outcome:
    """Answers of one row: classes by number, or numbers above one end up to the other."""

    codes: frozenset[int] = frozenset()
    lower: float = -np.inf
    upper: float = np.inf


@dataclass(frozen=True)
class Unequal:
    """Two rows that get different answers."""


@dataclass(frozen=True)
class Falling:
    """Two rows of which the one with less of a feature (``sign`` 1) gets the higher answer.

    ``rank`` has the place of each class in their order; it is empty for numbers.
    """

    feature: Feature
    sign: int
    rank: tuple[int, ...] = ()

    def breaks(self, first: NDArray[Any], second: NDArray[Any]) -> Flags:
        """Return where answers, or their ranks, go against the order."""
        return np.asarray(first > second if self.sign == 1 else first < second)


@dataclass(frozen=True)
class Near:
    """Two rows with different answers whose values of a feature are at most ``by`` apart."""

    feature: Feature
    by: Fraction


Relation = Unequal | Falling | Near


class Search(Protocol):
    """What a kernel is asked for a property."""

    def box(self, outcome: Outcome, region: Region) -> Box | None:
        """Find a box in a region that has a possible row with one of some answers."""

    def pair(
        self, differing: Sequence[str], region: Region, relation: Relation
    ) -> tuple[Box, Box] | None:
        """Find two boxes that have possible rows which refute, and differ in some features only."""

    def thresholds(self, region: Region, near: Near) -> tuple[float, ...]:
        """Find where a small step across a feature can change the answer."""


def search_of(kernel: TreeKernel | SumKernel) -> Search:
    """Return the search that fits a kernel."""
    return LeafSearch(kernel) if isinstance(kernel, TreeKernel) else SumSearch(kernel)


# -- trees ---------------------------------------------------------------------------------------


class LeafSearch:
    """Searches a tree leaf by leaf.

    Notes
    -----
    One row: leaves x features. Two rows: pairs of leaves x features, until a pair refutes. With
    facts, an exact check for each of these.
    """

    def __init__(self, tree: TreeKernel) -> None:
        self.tree, self.space = tree, tree.space

    def box(self, outcome: Outcome, region: Region) -> Box | None:
        """Find a leaf with one of some answers that has a possible row in a region."""
        codes = sorted(outcome.codes)
        if self.tree.task == "regression":
            numbers = self.tree.numbers
            codes = np.flatnonzero((numbers > outcome.lower) & (numbers <= outcome.upper)).tolist()
        table = LeafTable(self.tree, region)
        leaves = np.flatnonzero(np.isin(table.label, codes)).tolist()
        boxes = map(table.sides, leaves)
        return next((box for box in boxes if is_possible(self.space.domain, box)), None)

    def pair(
        self, differing: Sequence[str], region: Region, relation: Relation
    ) -> tuple[Box, Box] | None:
        """Find two leaves that rows which refute can go between."""
        return next(self._pairs(differing, region, relation), None)

    def thresholds(self, region: Region, near: Near) -> tuple[float, ...]:
        """Find every threshold at which a small step can change the answer."""
        name = near.feature.name
        ends = {first[name].upper for first, _ in self._pairs((name,), region, near)}
        return tuple(sorted(ends))

    def _pairs(
        self, differing: Sequence[str], region: Region, relation: Relation
    ) -> Iterator[tuple[Box, Box]]:
        """Yield the pairs of leaves that refute a property."""
        restricts = self.space.domain.restricts
        facts = PossiblePairs(self.space, differing, relation) if restricts else None
        table = LeafTable(self.tree, region)
        if isinstance(relation, Falling):
            rank = np.array(relation.rank or np.argsort(np.argsort(self.tree.numbers)))
            differ = relation.breaks(rank[:, None], rank)
        else:
            differ = ~np.eye(len(self.tree.classes), dtype=bool)
        for leaf, others in table.pairs(differing, differ):
            if not isinstance(relation, Unequal):
                others = _above(table, differing[0], leaf, others)
            if isinstance(relation, Near):
                others = _adjacent(table, relation, leaf, others, skipping=restricts)
            first = table.sides(leaf)
            for other in others.tolist():
                pair = first, table.sides(other)
                if facts is None or facts.possible(*pair):
                    yield pair


def _above(table: LeafTable, name: str, leaf: int, others: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return those of some leaves whose numbers lie above those of a leaf."""
    k = table.names.index(name)
    numbers = table.has_numbers(k)
    if not numbers[leaf]:
        return others[:0]
    return np.asarray(others[numbers[others] & (table.lower[others, k] >= table.upper[leaf, k])])


def _adjacent(
    table: LeafTable, near: Near, leaf: int, others: NDArray[np.intp], *, skipping: bool = False
) -> NDArray[np.intp]:
    """Return those of some leaves that begin where a leaf ends, if that step is small enough.

    Others need not be looked at: between two leaves that are further apart lies one whose answer
    differs from that of one of the two. Where facts may leave no row between them (``skipping``),
    all of them are.
    """
    k = table.names.index(near.feature.name)
    end = float(table.upper[leaf, k])
    if gap_above(near.feature, end) > near.by:
        return others[:0]
    return others if skipping else np.asarray(others[table.lower[others, k] == end])


# -- sums of trees -------------------------------------------------------------------------------


class SumSearch:
    """Searches a sum of trees cell by cell of its bins, exactly, within the budget of the call.

    Where facts hold, a search without them comes first: what it proves, and a cell that it finds
    and that has a possible row, needs no table of the cells that facts connect.
    """

    def __init__(self, kernel: SumKernel) -> None:
        self.kernel, self.space = kernel, kernel.space

    def box(self, outcome: Outcome, region: Region) -> Box | None:
        """Find a cell that gets one of some answers and has a possible row in a region."""
        kernel, codes = self.kernel, outcome.codes
        if kernel.task == "regression":
            cut = kernel.between(outcome.lower, outcome.upper)
            if cut is None:
                return None  # no sum makes a number between the ends
            kernel, codes = cut, frozenset([1])
        domain = self.space.domain
        if not is_possible(domain, region):
            return None
        inside = within(kernel, region)
        flags = box_in(inside, region)[None]
        result = possible_boxes(inside, flags, Budget.current().share(1 + domain.restricts))
        for searched in range(1 + domain.restricts):
            if searched:
                asked = PossibleCells(inside.bins).over(inside)
                result = possible_boxes(asked, flags, Budget.current().share())
            state = result.possible[0]
            for code in sorted(codes):
                if state[code] == 1:
                    box = {**region, **sides_of_cell(inside.bins, result.cells[0, code])}
                    if is_possible(domain, box):
                        return box
            if not any(state[code] for code in codes):
                return None
        raise undecided(2, "could not decide whether a row gets this answer", Budget.current())

    def pair(
        self, differing: Sequence[str], region: Region, relation: Relation
    ) -> tuple[Box, Box] | None:
        """Find two cells whose rows refute a property."""
        if not any(name in self.kernel.features for name in differing):
            return None
        if isinstance(relation, Unequal) and not any_tree_changes(self.kernel, differing, region):
            return None
        inside = within(self.kernel, region)
        twins = TwinRows(inside, differing, relation)
        box = box_in(inside, region)
        if isinstance(relation, Unequal):
            cells = twins.find_in_any([(box, box)])
        else:
            steps = self._steps(inside, region, relation, box)
            # One search where that the second number is larger is among the facts of the two.
            at_once = connected(self.space, relation.feature.name)
            cells = twins.find_in_any(list(steps.values()), at_once=at_once)
        if cells is not None:
            one, two = ({**region, **sides_of_cell(inside.bins, cell)} for cell in cells)
            return one, two
        if twins.missed:
            raise undecided(
                twins.missed, "could not decide whether there are two such rows", Budget.current()
            )
        return None

    def thresholds(self, region: Region, near: Near) -> tuple[float, ...]:
        """Find thresholds at which a small step changes answers of random rows.

        Each of them is right; there may be more, which only a search for each would prove.
        """
        inside = within(self.kernel, region)
        twins = TwinRows(inside, (near.feature.name,), near)
        steps = self._steps(inside, region, near, box_in(inside, region))
        return tuple(cut for cut, pair in steps.items() if twins.tried(pair) is not None)

    def _steps(
        self, inside: SumKernel, region: Region, relation: Falling | Near, box: Boxes
    ) -> dict[float, tuple[Boxes, Boxes]]:
        """Return the thresholds that are stepped over, each with the boxes below and above it.

        Bins next to each other are enough: what holds for every step up holds for all. Where facts
        may leave no row between, all above are looked at.
        """
        bins, against = inside.bins, cuts_against(self.kernel, relation, region)
        skipping = bool(against) and connected(self.space, relation.feature.name)
        k = [feature.name for feature in bins.features].index(relation.feature.name)
        at = slices(bins)[k]
        out = {}
        for b, cut in enumerate(bins.cuts[k].tolist()):
            far = isinstance(relation, Near) and gap_above(relation.feature, cut) > relation.by
            here, end = at.start + b, at.start + (len(bins.cuts[k]) + 1 if skipping else b + 2)
            if far or (cut not in against and not skipping):
                continue
            if not (box[here] and box[here + 1 : end].any()):
                continue
            pair = box.copy(), box.copy()
            for side in pair:
                side[at] = 0
            pair[0][here], pair[1][here + 1 : end] = 1, box[here + 1 : end]
            out[cut] = pair
        return out


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
        differing: Sequence[str],
        relation: Relation,
    ) -> None:
        self.ensemble, self.relation = ensemble, relation
        names = [feature.name for feature in ensemble.bins.features]
        self.apart = [names.index(name) for name in differing if name in names]
        also = [ensemble.space.index(name) for name in differing if name not in names]
        self.twins = Twins(
            ensemble,
            self.apart,
            also=also,
            more=_between(ensemble, relation),
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

    def searched(self, pair: tuple[Boxes, Boxes], parts: int) -> tuple[Cells, Cells] | None:
        """Search a pair of boxes to the end, or until its part of the time is over."""
        box = self.twins.wide(*pair)
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
        if isinstance(self.relation, Falling):
            rank = np.array(self.relation.rank)
            return np.asarray(known & self._against(rank[mine.label], rank[theirs.label]))
        return np.asarray(known & (mine.label != theirs.label))

    def _against(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
        if isinstance(self.relation, Falling):
            return self.relation.breaks(one, other)
        return np.asarray(one != other)

    def tried(self, pair: tuple[Boxes, Boxes]) -> tuple[Cells, Cells] | None:
        """Look at random pairs: most properties that fail do so on many."""
        cells = []
        for box in pair:
            parts = [np.flatnonzero(box[at]) for at in slices(self.ensemble.bins)]
            cells.append(
                np.stack(
                    [own[self.random.integers(len(own), size=MAX_TRIED)] for own in parts], axis=1
                )
            )
        for k in range(cells[0].shape[1]):
            if k not in self.apart:
                cells[1][:, k] = cells[0][:, k]
        one, other = (own.astype(np.int32) for own in cells)
        found = np.flatnonzero(self.refuted(one, other))[:MAX_CHECKED].tolist()
        return next(((one[i], other[i]) for i in found
                     if self.twins.possible(one[i], other[i])), None)  # fmt: skip

    def _classes(self, box: Boxes, parts: int) -> tuple[Cells, Cells] | None:
        n = len(self.ensemble.classes)
        asked = [(a, b) for a in range(n) for b in range(n) if self._looked_for(a, b)]
        for surely in (True, False):
            for i, (a, b) in enumerate(asked):
                seconds = self.budget.share(
                    2 * len(asked) * parts - i - (0 if surely else len(asked))
                )
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
        if isinstance(self.relation, Falling):
            rank = np.array(self.relation.rank)
            return bool(self.relation.breaks(rank[a], rank[b]))
        return a != b

    def _numbers(self, box: Boxes, parts: int) -> tuple[Cells, Cells] | None:
        joint = self.twins.joint
        ends = joint.ends_of_difference(self.budget.share(parts), box)
        if ends is None:
            return None
        for cell in (ends.low_cell[0], ends.high_cell[0]):
            pair = self.twins.narrow(cell)
            if self.refuted(pair[0][None], pair[1][None])[0]:
                return pair
        low, high = float(ends.lower[0]), float(ends.upper[0])
        # What the library rounds, and what a coarser unit leaves out, may add up to this much.
        low, high = low - joint.tolerance, high + joint.tolerance
        if isinstance(self.relation, Falling):
            up = self.relation.sign * (1 if self.ensemble.factor > 0 else -1) == 1
            proven = high <= 0 if up else low >= 0
        else:
            proven = low == 0 == high
        if not proven:
            self.missed = self.missed or (WITHIN_ROUNDING if ends.exact[0] else OUT_OF_TIME)
        return None


def _between(ensemble: SumKernel, relation: Relation) -> list[Formula]:
    """Give what holds between the numbers of two rows, where facts are about them."""
    space = ensemble.space
    if isinstance(relation, Unequal) or not connected(space, relation.feature.name):
        return []
    here, there = space.index(relation.feature.name), len(space.features)
    out: list[Formula] = [Linear(((here, ONE), (there, -ONE)), "<=", Fraction(0))]
    if isinstance(relation, Near):
        out.append(Linear(((here, -ONE), (there, ONE)), "<=", relation.by))
    return out


def connected(space: Space, name: str) -> bool:
    """Tell whether facts are about a feature."""
    return space.domain.restricts and space.index(name) in space.domain.group_of


# Adding floats one after the other rises with each of them, and so do links and cuts. So where no
# tree goes against a property, the library's sums do not either, however they round.


def any_tree_changes(ensemble: SumKernel, differing: Sequence[str], region: Region) -> bool:
    """Return whether some tree can add something else when only these features change."""
    return any(
        next(LeafTable(tree, region).pairs(differing, _unequal(values)), None) is not None
        for tree, values in zip(ensemble.trees, ensemble.values, strict=True)
        if any(name in tree.features for name in differing)
    )


def cuts_against(ensemble: SumKernel, relation: Falling | Near, region: Region) -> set[float]:
    """Return the thresholds of a feature at which some tree goes against what is asked for."""
    name, sign = relation.feature.name, _sign(ensemble, relation)
    out: set[float] = set()
    for tree, values in zip(ensemble.trees, ensemble.values, strict=True):
        if name not in tree.features:
            continue
        against = _unequal(values)
        if sign:
            own = sign * values[:, 0]
            against = own[:, None] > own
        table = LeafTable(tree, region)
        k = table.names.index(name)
        numbers = table.has_numbers(k)
        for leaf, others in table.pairs((name,), against):
            end = float(table.upper[leaf, k])
            if numbers[leaf] and np.any(numbers[others] & (table.lower[others, k] == end)):
                out.add(end)
            if sign == 0:  # the other way round it is the same
                below = others[numbers[others] & (table.upper[others, k] == table.lower[leaf, k])]
                if numbers[leaf] and len(below):
                    out.add(float(table.lower[leaf, k]))
    return out


def _unequal(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((values[:, None] != values).any(axis=2))


def _sign(ensemble: SumKernel, relation: Falling | Near) -> int:
    """Return the direction in which the one score must not fall (1) or rise (-1); 0 for neither."""
    if not isinstance(relation, Falling) or ensemble.n_scores != 1 or ensemble.factor <= 0:
        return 0
    rank = list(relation.rank)
    if rank == sorted(rank):
        return relation.sign
    return -relation.sign if rank == sorted(rank, reverse=True) else 0


# -- rows ----------------------------------------------------------------------------------------


class PossiblePairs:
    """Two possible rows that differ only in some features.

    ``relation``: what else holds between them; numbers that are near are at most so far apart, and
    a missing value is neither near a number nor above it.
    """

    def __init__(self, space: Space, differing: Sequence[str], relation: Relation) -> None:
        domain = space.domain
        self.space, self.differing = space, tuple(differing)
        self.numbers = not isinstance(relation, Unequal)
        positions = [space.index(name) for name in differing]
        more = []
        if isinstance(relation, Near):
            here, there = positions[0], len(space.features)
            more.append(Linear(((here, Fraction(-1)), (there, Fraction(1))), "<=", relation.by))
        self.domain = domain.twice(positions, more)

    def _sides(self, one: Region, two: Region) -> dict[str, Side]:
        both = dict(common_sides(one, two))
        for name in self.differing:
            if name in one:
                both[name] = self._compared(one[name])
            if name in two:
                both[second(name)] = self._compared(two[name])
        return both

    def _compared(self, side: Side) -> Side:
        """Leave a missing value out where one is more than, or near, the other: it is neither."""
        return replace(side, nan=False) if self.numbers else side

    def possible(self, one: Region, two: Region) -> bool:
        """Return whether two boxes have such a pair of rows, one each."""
        return is_possible(self.domain, self._sides(one, two))

    def rows(
        self, one: Region, two: Region, cuts: Mapping[str, Sequence[float]], alike: Collection[str]
    ) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return such a pair of rows out of two boxes; None if there is none."""
        sides = self._sides(one, two)
        if not is_possible(self.domain, sides):
            return None
        plain = example_row(self.space.features, sides, cuts, alike)
        own = {name: two[name] for name in self.differing if name in two}
        others = example_row([self.space[name] for name in self.differing], own, cuts, alike)
        found = adjusted_row(
            self.domain, {**plain, **{second(n): v for n, v in others.items()}}, sides
        )
        first = {name: found[name] for name in plain}
        return first, {**first, **{name: found[second(name)] for name in self.differing}}


def gap_above(feature: Feature, end: float) -> Fraction | float:
    """Return how far it is from a boundary to the next value; infinite at the ends of floats."""
    after = float(feature.above(end))
    if not np.isfinite(after) or not np.isfinite(end) or abs(end) >= 2.0**128 > abs(after):
        return float("inf")
    return Fraction(after) - Fraction(end)


def two_steps(
    near: Near, low: Side, high: Side, cuts: list[float], *, rounded: bool
) -> tuple[Any, Any]:
    """Choose two plain numbers on both sides of a boundary, at most so far apart.

    ``rounded``: as for ``value_in``.
    """
    feature, end = near.feature, low.upper
    after = float(feature.above(end))
    if feature.kind == "boolean":
        return False, True
    if feature.whole:
        return int(end), int(after)
    last = float(np.floor(end))
    whole = counted(feature, cuts) and near.by >= 1
    if whole and low.lower < last < end < last + 1 <= high.upper:
        return last, last + 1
    half = float(near.by) / 2
    below = Side(feature, max(low.lower, end - half), end)
    above = Side(feature, end, min(high.upper, end + half))
    pair = end, after
    if below.lower < end and after <= above.upper:
        nice = [
            value_in(feature, cuts, side.lower, side.upper, False, [], rounded=rounded)
            for side in (below, above)
        ]
        if abs(exact(nice[1]) - exact(nice[0])) <= near.by:
            pair = nice[0], nice[1]
    if exact(pair[1]) - exact(pair[0]) > near.by and pair[1] != after:
        raise InvalidData(f"{pair} are further apart than {near.by}")
    return pair
