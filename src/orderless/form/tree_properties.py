"""Properties of one tree, by its leaves: pairs of leaves that rows can go between.

In:  a ``Tree``.
Out: ``TreeProperties``: proofs, and rows that refute; every row has been put through the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import codes_for, exact, predict, read_region
from ..model import Feature, Side, Space, TreeKernel, counted, over_common_space, value_in
from ..readers import read_tree
from .equivalence import cuts_by_feature, round_alike
from .leaf_table import LeafTable, common_sides, example_row
from .outcomes import Falling, Near, Outcome, Unequal
from .possible_pairs import PossiblePairs, adjusted_row, is_possible
from .product import shared_classes
from .proof import Proof
from .properties import SAME, Properties, Region, Row, claim_in, models_differ

if TYPE_CHECKING:
    from ..model import Rows

__all__ = ["TreeProperties", "gap_above", "region_of_two", "two_steps"]

Wanted = Unequal | Falling | Near


class TreeProperties(Properties):
    """What can be proven of one tree, or refuted by a row.

    Notes
    -----
    Single rows: leaves x features. Two rows: pairs of leaves x features, until a pair is found.
    """

    def __init__(self, tree: TreeKernel) -> None:
        super().__init__(tree)
        self.tree = tree

    @cached_property
    def _cuts(self) -> dict[str, list[float]]:
        return cuts_by_feature([self.tree])

    def cuts_of(self, feature: str) -> list[float]:
        """Give all thresholds of the tree on a feature."""
        return self._cuts.get(feature, [])

    def says(self, row: Row) -> Any:
        """Give what the model says of one row; None where it is not certain."""
        code = int(codes_for(self.tree, [row])[0])
        return None if code < 0 else self.tree.classes[code]

    def status_of(self, rows: Rows) -> NDArray[Any]:
        """Give by row whether its answer is certain: 0 yes, 1 no."""
        return (self.tree.decide(rows) < 0).astype(np.uint8)

    # -- single rows -----------------------------------------------------------------------------

    def find_row(self, outcome: Outcome, region: Region) -> Row | None:
        """Give a row inside a region that gets one of some answers."""
        wanted = set(outcome.codes)
        if self.tree.task == "regression":
            numbers = self.tree.numbers
            inside = (numbers > outcome.lower) & (numbers <= outcome.upper)
            wanted = set(np.flatnonzero(inside).tolist())
        table = LeafTable(self.tree, region)
        for leaf in np.flatnonzero(np.isin(table.label, sorted(wanted))).tolist():
            sides = table.sides(leaf)
            if is_possible(self.space.domain, sides):
                return self._row(sides, int(table.label[leaf]), region)
        return None

    def _row(self, sides: Region, label: int, region: Region) -> Row:
        # Numbers that a condition is about are themselves inside, without rounding.
        alike = [name for name in self.space.names if name not in region]
        row = example_row(self.space.features, sides, self._cuts, alike)
        row = dict(adjusted_row(self.space.domain, row, sides))
        if int(codes_for(self.tree, [row])[0]) != label:
            raise AssertionError(f"the row {row} does not get {self.tree.classes[label]!r}")
        return row

    # -- two rows --------------------------------------------------------------------------------

    def find_pair(
        self, apart: Sequence[str], region: Region, wanted: Wanted
    ) -> tuple[Row, Row] | None:
        """Give two rows inside a region that differ only in some features."""
        if not any(name in self.tree.features for name in apart):
            return None
        if self.space.domain.restricts:
            return self._possible_pair(apart, region, wanted)
        for table, leaf, other in self._pairs(apart, region, wanted):
            mine, theirs = table.sides(leaf), table.sides(other)
            both = common_sides(mine, theirs)
            one, two = (
                {**both, **{n: own[n] for n in apart if n in own}} for own in (mine, theirs)
            )
            labels = int(table.label[leaf]), int(table.label[other])
            if isinstance(wanted, Near):
                alike = [name for name in self.space.names if name not in region]
                name = apart[0]
                ends = two_steps(
                    wanted, one[name], two[name], self.cuts_of(name), rounded=name in alike
                )
                row = example_row(self.space.features, both, self._cuts, alike)
                pair = tuple({**row, apart[0]: end} for end in ends)
                said = [int(code) for code in codes_for(self.tree, list(pair))]
                if tuple(said) != labels:
                    raise AssertionError(f"the rows {pair} do not get different answers")
                return pair[0], pair[1]
            first = self._row(one, labels[0], region)
            shared = {name: value for name, value in first.items() if name not in apart}
            second = {**self._row(two, labels[1], region), **shared}
            second = {name: second[name] for name in first}
            if int(codes_for(self.tree, [second])[0]) != labels[1]:
                raise AssertionError(f"the rows {first} and {second} do not get different answers")
            return first, second
        return None

    def _possible_pair(
        self, apart: Sequence[str], region: Region, wanted: Wanted
    ) -> tuple[Row, Row] | None:
        """Give two possible rows inside a region that differ only in some features."""
        pairs = PossiblePairs(self.space, apart, wanted)
        alike = [name for name in self.space.names if name not in region]
        for table, leaf, other in self._pairs(apart, region, wanted):
            rows = pairs.rows(table.sides(leaf), table.sides(other), self._cuts, alike)
            if rows is not None:
                said = codes_for(self.tree, list(rows)).tolist()
                if said != [int(table.label[leaf]), int(table.label[other])]:
                    raise AssertionError(f"the rows {rows} do not get different answers")
                return rows
        return None

    def _pairs(self, apart: Sequence[str], region: Region, wanted: Wanted) -> Any:
        """Go through the pairs of leaves that refute a property: (table, leaf, other leaf)."""
        tree, table = self.tree, LeafTable(self.tree, region)
        n = len(tree.classes)
        if isinstance(wanted, Falling):
            rank = np.array(wanted.rank or np.argsort(np.argsort(tree.numbers)))
            differ = rank[:, None] > rank if wanted.sign == 1 else rank[:, None] < rank
        else:
            differ = ~np.eye(n, dtype=bool)
        for leaf, others in table.pairs(apart, differ):
            if not isinstance(wanted, Unequal):
                others = _above(table, apart[0], leaf, others)
            if isinstance(wanted, Near):
                between = self.space.domain.restricts  # there may be no possible row
                others = _adjacent(table, wanted, leaf, others, skipping=between)
            for other in others.tolist():
                yield table, leaf, other

    def thresholds(self, feature: str, region: Region, by: Fraction) -> tuple[float, ...]:
        """Give where a step of at most so much across the feature can change the answer."""
        wanted = Near(self.space[feature], by)
        known = self.space.domain.restricts
        pairs = PossiblePairs(self.space, (feature,), wanted) if known else None
        found = set()
        for table, leaf, other in self._pairs((feature,), region, wanted):
            if pairs is None or pairs.possible(table.sides(leaf), table.sides(other)):
                found.add(float(table.upper[leaf, table.names.index(feature)]))
        return tuple(sorted(found))

    # -- two trees -------------------------------------------------------------------------------

    def _compared(self, other: Any, where: Mapping[str, Any] | None) -> Proof:
        return self.compared_with(read_tree(other), where)

    def compared_with(self, other: TreeKernel, where: Mapping[str, Any] | None) -> Proof:
        """Compare with another tree, on the values that both have."""
        shared = over_common_space([self.tree, other])
        region = region_of_two(where, shared[0].space, (self.space, other.space))
        row = self._row_that_differs(other, shared, region)
        if row is None:
            return self._proof(region, SAME)
        mine, theirs = ({n: v for n, v in row.items() if n in t.space} for t in (self.tree, other))
        answers = (self.says(mine), predict(other, [theirs]).tolist()[0])
        if answers[0] == answers[1]:
            raise AssertionError(f"the row {row} does not separate {self.tree!r} from {other!r}")
        shown = tuple(n for n in row if n in {*self.tree.features, *other.features, *region})
        return Proof(False, claim_in(region, SAME), (row,), answers, _shown=shown,
                     _instead=models_differ(region))  # fmt: skip

    def _row_that_differs(
        self, other: TreeKernel, shared: list[TreeKernel], region: Region
    ) -> Row | None:
        mine, theirs = (
            LeafTable(t, {n: s for n, s in region.items() if n in t.space}) for t in shared
        )
        codes = shared_classes(shared)
        differ = codes[0][:-1, None] != codes[1][None, :-1]
        cuts = cuts_by_feature(shared)
        alike = {
            f.name
            for f in shared[0].space.features
            if f.name not in region and round_alike(f, (self.tree, other))
        }
        named = {f.name: f for t in (self.tree, other) for f in t.space.features}
        knowledge = shared[0].space.domain
        for leaf, others in mine.pairs((), differ, theirs):
            for there in others.tolist():
                sides = {**region, **common_sides(mine.sides(leaf), theirs.sides(there))}
                if is_possible(knowledge, sides):
                    row = example_row(list(named.values()), sides, cuts, alike)
                    return dict(adjusted_row(knowledge, row, sides))
        return None


def region_of_two(
    where: Mapping[str, Any] | None, shared: Space, spaces: Sequence[Space]
) -> dict[str, Side]:
    """Read conditions on the features that two models have; a feature may be in one of them."""
    if not isinstance(where, Mapping):
        return read_region(where, shared)
    features: dict[str, Feature] = {f.name: f for space in spaces for f in space.features}
    features |= {f.name: f for f in shared.features}
    return read_region(where, Space(features.values()))


def _above(table: LeafTable, name: str, leaf: int, others: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give those of some leaves whose numbers lie above those of a leaf."""
    k = table.names.index(name)
    numbers = table.has_numbers(k)
    if not numbers[leaf]:
        return others[:0]
    return np.asarray(others[numbers[others] & (table.lower[others, k] >= table.upper[leaf, k])])


def _adjacent(
    table: LeafTable, wanted: Near, leaf: int, others: NDArray[np.intp], *, skipping: bool = False
) -> NDArray[np.intp]:
    """Give those of some leaves that begin where a leaf ends, if that step is small enough.

    Others need not be looked at: between two leaves that are further apart lies one whose answer
    differs from that of one of the two. Where facts may leave no row between them (``skipping``),
    all of them are.
    """
    k = table.names.index(wanted.feature.name)
    end = float(table.upper[leaf, k])
    if gap_above(wanted.feature, end) > wanted.by:
        return others[:0]
    return others if skipping else np.asarray(others[table.lower[others, k] == end])


def gap_above(feature: Feature, end: float) -> Fraction | float:
    """Give how far it is from a boundary to the next value; infinite at the ends of floats."""
    after = float(feature.above(end))
    if not np.isfinite(after) or not np.isfinite(end) or abs(end) >= 2.0**128 > abs(after):
        return float("inf")
    return Fraction(after) - Fraction(end)


def two_steps(
    wanted: Near, low: Side, high: Side, cuts: list[float], *, rounded: bool
) -> tuple[Any, Any]:
    """Choose two plain numbers on both sides of a boundary, at most so far apart.

    ``rounded``: as for ``value_in``.
    """
    feature, end = wanted.feature, low.upper
    after = float(feature.above(end))
    if feature.kind == "boolean":
        return False, True
    if feature.whole:
        return int(end), int(after)
    last = float(np.floor(end))
    whole = counted(feature, cuts) and wanted.by >= 1
    if whole and low.lower < last < end < last + 1 <= high.upper:
        return last, last + 1
    half = float(wanted.by) / 2
    below = Side(feature, max(low.lower, end - half), end)
    above = Side(feature, end, min(high.upper, end + half))
    pair = end, after
    if below.lower < end and after <= above.upper:
        nice = [
            value_in(feature, cuts, side.lower, side.upper, False, [], rounded=rounded)
            for side in (below, above)
        ]
        if abs(exact(nice[1]) - exact(nice[0])) <= wanted.by:
            pair = nice[0], nice[1]
    if exact(pair[1]) - exact(pair[0]) > wanted.by and pair[1] != after:
        raise InvalidData(f"{pair} are further apart than {wanted.by}")
    return pair
