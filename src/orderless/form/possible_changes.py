"""Changes of a row where facts hold: the row that it becomes must be possible.

In:  ``PossibleSearch``, and what a person can change, in which direction, how far, at what cost.
Out: ``Changes``: what they cost, and how many thresholds they cross, is that of a possible row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import exact, row_domains
from ..model import (
    Domain,
    Formula,
    Linear,
    Missing,
    PossibleTree,
    Side,
    both,
    domain_of,
    either,
    row_boundary,
)
from .changes import Changes, Limits, Prices, restricted_changes, side_ends, steps_to
from .possible_search import PossibleSearch
from .row_search import RowSearch

__all__ = ["PossibleChanges"]

ZERO, ONE = Fraction(0), Fraction(1)


class PossibleChanges:
    """Changes of one row among the possible rows of a tree, as the limits allow."""

    def __init__(self, facts: PossibleSearch, limits: Limits) -> None:
        self.facts = facts
        space = facts.tree.space
        ranges = {
            name: _unrounded(side, space.features[space.index(name)])
            for name, side in limits.ranges.items()
        }
        self.limits = limits._replace(ranges=ranges)
        more = {space.index(name): [side] for name, side in ranges.items()}
        connected = {i: sides for i, sides in more.items() if i in facts.tree.connected}
        self.cells = facts.cells_with(connected) if connected else facts.cells
        self.search = facts.search_of(self.cells) if connected else facts.search

    def restricted(self, row: Mapping[str, Any], limit: int) -> Changes:
        """Give all minimal sets of features that can be changed as the limits allow, and how."""
        prices = _PossiblePrices(self, row)
        return restricted_changes(self.search, self.limits, row, limit, prices)


def _unrounded(side: Side, feature: Any) -> Side:
    """Give a side over the same feature without rounding to float32."""
    if side.feature == feature or not side.lower < side.upper:
        return Side(feature, side.lower, side.upper, side.nan, side.codes)
    low, high = row_boundary(np.array([side.lower, side.upper]), side.feature.values).tolist()
    return Side(feature, low, high, side.nan)


class _PossiblePrices(Prices):
    """What changes of a row cost, among possible rows."""

    def __init__(self, changes: PossibleChanges, row: Mapping[str, Any]) -> None:
        super().__init__(changes.search, changes.limits, row)
        self.cells: PossibleTree = changes.cells
        tree, given = changes.facts.tree, changes.facts.given
        knowledge = tree.space.knowledge
        assert knowledge is not None
        self.knowledge = knowledge
        self.known = row_domains(tree.space, tree.connected, given, 0)

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
            inside = range(len(self.cells.grid.bins[i]))
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

    # -- costs -----------------------------------------------------------------------------------

    def distances(self, ranges: Mapping[int, Side]) -> dict[int, Fraction]:
        """Give how far each number with a price per unit moves, in the cheapest possible row."""
        out = super().distances(ranges)
        positions, group_of = self.search.bins.positions, self.knowledge.group_of
        by_group: dict[int, list[int]] = {}
        for k in out:
            if positions[k] in group_of:
                by_group.setdefault(group_of[positions[k]], []).append(k)
        for g, priced in by_group.items():
            changed = {positions[k]: side for k, side in ranges.items()}
            out |= self._in_group(self.knowledge.groups[g], changed, priced)
        return out

    def _in_group(
        self, group: tuple[int, ...], changed: Mapping[int, Side], priced: list[int]
    ) -> dict[int, Fraction]:
        positions = self.search.bins.positions
        domains = {i: self.known[i] for i in group if i in self.known}
        domains |= {i: domain_of(changed[i]) for i in group if i in changed}
        more: list[Formula] = []
        total: dict[int, Fraction] = {}
        for far, k in enumerate(priced, start=len(self.knowledge.features)):
            i = positions[k]
            name = changed[i].feature.name
            here = Fraction(float(self.row[name]))
            moves: Formula = both([
                Linear(((i, ONE), (far, -ONE)), "<=", here),
                Linear(((i, -ONE), (far, -ONE)), "<=", -here),
            ])  # fmt: skip
            more.append(either([Missing(i, True), moves]) if domains[i].nan else moves)
            domains[far] = Domain(((ZERO, ZERO), None))
            total[far] = self.limits.per_unit[name]
        row = self.knowledge.smallest(domains, more, total)
        assert row is not None, "a change leads to a possible row"
        return {k: self._moved(changed[positions[k]], row.get(positions[k])) for k in priced}

    def _moved(self, side: Side, to: Fraction | None) -> Fraction:
        """Give how far the row's number is from another, by the decimals that people see."""
        if to is None:
            return ZERO  # it becomes missing
        ends = domain_of(side).ends
        assert ends is not None
        shown = exact(float(to))
        for end, written in zip(ends, side_ends(self.search.bins.shown(side)), strict=True):
            if end is not None and written is not None and to == end[0]:
                shown = written
        return abs(shown - self.number(side.feature.name))
