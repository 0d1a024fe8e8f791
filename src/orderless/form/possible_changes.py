"""Changes of a row where facts hold: the row that it becomes must be possible.

In:  ``PossibleSearch``, and what a person can change, in which direction, how far, at what cost.
Out: ``Changes``: what they cost, and how many thresholds they cross, is that of a possible row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..inputs import exact
from ..model import (
    Domain,
    Feature,
    Formula,
    LeafTable,
    Linear,
    Missing,
    Side,
    ValueSet,
    both,
    either,
    meet,
    one_value,
    opposite,
    row_boundary,
    row_values,
    values_in,
)
from .changes import (
    Change,
    Changes,
    Effects,
    Limits,
    RowAmongBins,
    allowed_bins,
    changes_of,
    side_ends,
    steps_to,
    wanted_classes,
)
from .possible_search import PossibleSearch
from .row_search import RowSearch

__all__ = ["PossibleChanges", "PossibleCosts"]

ZERO, ONE = Fraction(0), Fraction(1)

ValueSets = dict[int, ValueSet]


class PossibleCosts(Effects):
    """Changes of one row whose costs are those of the cheapest possible rows.

    ``known``: what the row says of the features that facts connect.
    """

    def __init__(
        self,
        search: RowAmongBins,
        limits: Limits | None,
        row: Mapping[str, Any] | None,
        knowledge: Domain,
        known: Mapping[int, ValueSet],
    ) -> None:
        super().__init__(search, limits, row)
        self.knowledge, self.known = knowledge, known

    def distances(self, limits: Limits, ranges: Mapping[int, Side]) -> dict[int, Fraction]:
        """Give how far each number with a price per unit moves, in the cheapest possible row."""
        out = super().distances(limits, ranges)
        positions, group_of = self.search.bins.positions, self.knowledge.group_of
        changed = {positions[k]: side for k, side in ranges.items()}
        by_group: dict[int, dict[int, int]] = {}
        for k in out:
            if positions[k] in group_of:
                by_group.setdefault(group_of[positions[k]], {})[positions[k]] = k
        for g, priced in by_group.items():
            row = self._cheapest(limits, self.knowledge.groups[g], changed, priced)
            out |= {k: self._moved(changed[i], row.get(i)) for i, k in priced.items()}
        return out

    def _cheapest(
        self, limits: Limits, group: Sequence[int], changed: Mapping[int, Side],
        priced: Iterable[int],
    ) -> dict[int, Fraction]:  # fmt: skip
        """Give the numbers of the possible row for which the moves of some features cost least."""
        domains = {i: self.known[i] for i in group if i in self.known}
        domains |= {i: values_in(changed[i]) for i in group if i in changed}
        more: list[Formula] = []
        total: dict[int, Fraction] = {}
        for far, i in enumerate(priced, start=len(self.knowledge.features)):
            name = changed[i].feature.name
            here = Fraction(float(self.row[name]))
            moves: Formula = both([
                Linear(((i, ONE), (far, -ONE)), "<=", here),
                Linear(((i, -ONE), (far, -ONE)), "<=", -here),
            ])  # fmt: skip
            more.append(either([Missing(i, True), moves]) if domains[i].nan else moves)
            domains[far] = ValueSet(((ZERO, ZERO), None))
            total[far] = limits.per_unit[name]
        row = self.knowledge.smallest(domains, more, total)
        assert row is not None, "a change leads to a possible row"
        return row

    def _moved(self, side: Side, to: Fraction | None) -> Fraction:
        """Give how far the row's number is from another, by the decimals that people see."""
        if to is None:
            return ZERO  # it becomes missing
        ends = values_in(side).ends
        assert ends is not None
        shown = exact(float(to))
        for end, written in zip(ends, side_ends(self.search.bins.shown(side)), strict=True):
            if end is not None and written is not None and to == end[0]:
                shown = written
        return abs(shown - self.number(side.feature.name))


class PossibleChanges(PossibleCosts):
    """Changes of one row among the possible rows of a tree, as the limits allow.

    Notes
    -----
    Where facts compare features and some values of the row are unknown, which values of a feature
    can have an effect follows from the facts: with ``low <= high``, high can be at most 10 if low
    is. For each feature by itself, and together with all others, these values are cells, found by
    eliminating the others. A box of several features is kept if each of its possible rows has the
    effect; where no box does, a single row is given.
    """

    search: RowSearch

    def __init__(
        self,
        facts: PossibleSearch,
        limits: Limits | None = None,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        self.facts, self.tree = facts, facts.tree
        space = self.tree.space
        knowledge, known = space.domain, row_values(space, self.tree.connected, facts.given, 0)
        self.knowledge, self.known = knowledge, known
        more: dict[int, list[Side]] = {}
        if limits is not None:
            ranges = {name: _unrounded(side, space[name]) for name, side in limits.ranges.items()}
            limits = limits._replace(ranges=ranges)
            more = {space.index(name): [side] for name, side in ranges.items()}
        if self._open():
            self.has_effect = self._has_effect
            for i, sides in self._effective_values():
                more.setdefault(i, []).extend(sides)
        more = {i: sides for i, sides in more.items() if sides and i in self.knowledge.group_of}
        self.cells = facts.cells_with(more) if more else facts.cells
        search = facts.search_of(self.cells) if more else facts.search
        super().__init__(search, limits, row, knowledge, known)
        self._without: dict[tuple[tuple[int, ...], int], Mapping[int, int]] = {}

    def fewest(self, limit: int) -> Changes:
        """Give the fewest features whose change gives another class, and how."""
        return changes_of(self.search.changes(limit, self.has_effect), self)

    def restricted(self, limit: int) -> Changes:
        """Give all minimal sets of features that can be changed as the limits allow, and how."""
        assert self.limits is not None
        allowed = allowed_bins(self.search, self.limits)
        wanted = wanted_classes(self.search, self.limits)
        ways = self.search.allowed_changes(allowed, wanted, limit, self.has_effect)
        return changes_of(ways, self)

    # -- the effect, where values are unknown ----------------------------------------------------

    def _groups(self) -> list[tuple[int, ...]]:
        """Give the features that facts connect with those of the tree."""
        group_of = self.knowledge.group_of
        which = sorted({group_of[i] for i in self.tree.used if i in group_of})
        return [self.knowledge.groups[g] for g in which]

    def _is_known(self, i: int) -> bool:
        return i in self.known and one_value(self.known[i])

    def _open(self) -> bool:
        """Whether the effect of a value may depend on what facts say of unknown ones."""
        return self.knowledge.linear and not all(
            self._is_known(i) for group in self._groups() for i in group
        )

    def _effective_values(self) -> Iterator[tuple[int, list[Side]]]:
        """Give, by known feature, the values between which its effect changes.

        Its effect by itself, and together with all others.
        """
        table = LeafTable(self.tree, {})
        leaves = [self._leaf_values(table, leaf) for leaf in range(len(table))]
        for i in (i for group in self._groups() for i in group if self._is_known(i)):
            others = {j: domain for j, domain in self.known.items() if j != i}
            formulas = []
            for leaf, rest in product(leaves, (others, {})):
                domains = _common(rest, leaf)
                try:
                    if self.knowledge.possible(domains):
                        formulas.append(self.knowledge.projected(domains, [i]))
                except TooLarge:
                    continue  # boxes with this feature are looked at one by one
            yield i, self.knowledge.own_sides(formulas)[i]

    def _leaf_values(self, table: LeafTable, leaf: int) -> ValueSets:
        index = self.tree.space.index
        sides = {index(name): side for name, side in table.sides(leaf).items()}
        return {i: values_in(s) for i, s in sides.items() if i in self.knowledge.group_of}

    def _has_effect(self, features: tuple[int, ...], label: int, box: tuple[int, ...]) -> bool:
        """Tell whether each possible row in a box can get the class."""
        changed = dict(zip(features, box, strict=True))
        for sides in self._cells_apart(changed):
            if not self._each_has_effect(changed, sides, label):
                self._without.setdefault((features, label), changed)
                return False
        return True

    def _cells_apart(self, changed: Mapping[int, int]) -> Iterator[dict[str, Side]]:
        """Go through the bins of the features that no fact is about: of the change, and the row."""
        bins = self.search.bins
        free = [k for k, i in enumerate(bins.positions) if i not in self.knowledge.group_of]
        choices = []
        for k in free:
            some = [self.search.row[k]]
            if k in changed:
                some = [1 << b for b in range(bins.widths[k]) if changed[k] >> b & 1]
            choices.append([bins.side(k, bits) for bits in some])
        for sides in product(*choices):
            yield {side.feature.name: side for side in sides}

    def _box(self, changed: Mapping[int, int]) -> ValueSets:
        """Give the values of the changed features that facts are about."""
        bins = self.search.bins
        sides = {bins.positions[k]: bins.side(k, bits) for k, bits in changed.items()}
        return {i: values_in(s) for i, s in sides.items() if i in self.knowledge.group_of}

    def _rest(self, box: ValueSets) -> ValueSets:
        return {i: domain for i, domain in self.known.items() if i not in box}

    def _each_has_effect(
        self, changed: Mapping[int, int], apart: Mapping[str, Side], label: int
    ) -> bool:
        box = self._box(changed)
        if not box:
            return True
        rest = self._rest(box)
        table = LeafTable(self.tree, apart)
        outside: list[Formula] = []
        try:
            for leaf in np.flatnonzero(table.label == label).tolist():
                domains = _common({**rest, **box}, self._leaf_values(table, leaf))
                if self.knowledge.possible(domains):
                    outside.append(opposite(self.knowledge.projected(domains, list(box))))
        except TooLarge:
            return False
        for i in box:
            outside += self.knowledge.in_bins(i, self._tree_bins(i))
        return not self.knowledge.satisfied({**rest, **box}, outside)

    def _tree_bins(self, i: int) -> list[Side]:
        bins = self.tree.bins
        if i not in bins.positions or not self.knowledge.features[i].ordered:
            return []
        k = bins.positions.index(i)
        return [bins.side(k, 1 << b) for b in range(int(bins.layout.n_bins[k]))]

    def single_rows(self, changes: Sequence[Change]) -> list[Change]:
        """Give changes to single rows, for sets of features none of whose boxes is all effect."""
        bins = self.search.bins
        kept = {(change.features, change.label) for change in changes}
        out = []
        for (features, label), changed in self._without.items():
            names = tuple(bins.features[k].name for k in features)
            if (names, bins.tree.classes[label]) not in kept:
                out.append(self._single_row(changed, label))
        return out

    def _single_row(self, changed: Mapping[int, int], label: int) -> Change:
        bins, box = self.search.bins, self._box(changed)
        for apart in self._cells_apart(changed):
            table = LeafTable(self.tree, apart)
            for leaf in np.flatnonzero(table.label == label).tolist():
                domains = _common({**self._rest(box), **box}, self._leaf_values(table, leaf))
                row = self.knowledge.row(domains) if self.knowledge.possible(domains) else None
                if row is None:
                    continue
                ranges = {
                    k: apart.get(bins.features[k].name) or _point(bins.features[k], row[i])
                    for k, i in ((k, bins.positions[k]) for k in changed)
                }
                return self.change(label, ranges, self._is_certain(ranges, label), changed)
        raise AssertionError("a change leads to a possible row")

    def _is_certain(self, ranges: Mapping[int, Side], label: int) -> bool:
        """Whether no possible row in some ranges gets another class."""
        bins, group_of = self.search.bins, self.knowledge.group_of
        sides = {
            k: ranges.get(k) or bins.side(k, self.search.row[k]) for k in range(len(bins.features))
        }
        free = {s.feature.name: s for k, s in sides.items() if bins.positions[k] not in group_of}
        box = {bins.positions[k]: values_in(s) for k, s in ranges.items()
               if bins.positions[k] in group_of}  # fmt: skip
        table = LeafTable(self.tree, free)
        return not any(
            self.knowledge.possible(
                _common({**self._rest(box), **box}, self._leaf_values(table, leaf))
            )
            for leaf in np.flatnonzero(table.label != label).tolist()
        )

    # -- thresholds ------------------------------------------------------------------------------

    def steps(self, box: Mapping[int, int]) -> int:
        """Count the thresholds of the tree that the row crosses to the nearest possible cell."""
        positions = self.search.bins.positions
        changed = {positions[k]: bits for k, bits in box.items()}
        place = {i: k for k, i in enumerate(positions)}
        total = 0
        for own, table in self.cells.grid.tables:
            if any(i in changed for i in own):
                total += self._nearest(own, table, changed, place)
        free = (k for k in box if positions[k] not in self.cells.grid.features)
        return total + sum(steps_to(self.search, k, box[k]) for k in free)

    def _nearest(
        self,
        own: tuple[int, ...],
        table: NDArray[np.bool_],
        changed: Mapping[int, int],
        place: Mapping[int, int],
    ) -> int:
        chosen, far = [], np.zeros((1,) * len(own), dtype=np.int64)
        for axis, i in enumerate(own):
            inside: Sequence[int] = range(len(self.cells.grid.bins[i]))
            if i in place:
                here = self._bins(i, place[i], self.search.row[place[i]])
                inside = self._bins(i, place[i], changed[i]) if i in changed else here
            if i in changed:
                steps = np.array([self._crossed(i, here, b) for b in inside])
                far = far + steps.reshape([-1 if a == axis else 1 for a in range(len(own))])
            chosen.append(inside)
        part = table[np.ix_(*chosen)]
        return int(np.broadcast_to(far, part.shape)[part].min())

    def _bins(self, i: int, k: int, bits: int) -> list[int]:
        return self.cells.grid.bins_in(i, self.search.bins.side(k, bits))

    def _crossed(self, i: int, here: Iterable[int], there: int) -> int:
        """Count the thresholds of the tree between bins of the grid; one for a category."""
        bins = self.cells.grid.bins[i]
        numbers = [b for b in here if not bins[b].nan]
        if not bins[there].feature.ordered or bins[there].nan or not numbers:
            return 1
        source = self.cells.source
        cuts = np.unique(source.threshold[source.feature == i])
        rank = [int(np.searchsorted(cuts, bins[b].upper)) for b in (*numbers, there)]
        return min(abs(rank[-1] - own) for own in rank[:-1])


def _common(known: Mapping[int, ValueSet], leaf: Mapping[int, ValueSet]) -> ValueSets:
    """Give what is known of features, and what a leaf says of them."""
    out = {i: meet(own, leaf[i]) if i in leaf else own for i, own in known.items()}
    return {**leaf, **out}


def _point(feature: Feature, value: Fraction | int | None) -> Side:
    """Give one value as a side."""
    if not feature.ordered:
        assert isinstance(value, int)
        return Side(feature, codes=(value,))
    if value is None:
        return Side(feature, 0.0, 0.0, True)
    number = float(value)
    return Side(feature, float(feature.at_most(number, strict=True)), number)


def _unrounded(side: Side, feature: Feature) -> Side:
    """Give a side over the same feature without rounding to float32."""
    if side.feature == feature or not side.lower < side.upper:
        return Side(feature, side.lower, side.upper, side.nan, side.codes)
    low, high = row_boundary(np.array([side.lower, side.upper]), side.feature.values).tolist()
    return Side(feature, low, high, side.nan)
