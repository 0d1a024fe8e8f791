"""The reasons of one row, found one by one, without the whole form.

In:  ``RowLeaves``.
Out: ``RowSearch``: all maximal boxes around the row on which its class is certain, lazily; the best
     of them; the features that are in some of them.
Paper: Proposition 3.3 and Algorithm 4, for one row.

Each leaf of another class must be missed on some feature, and no wider box may do. These are
minimal hitting sets, and the search is that of Murakami and Uno ("Efficient algorithms for
dualizing large-scale hypergraphs", 2014), with sides of boxes in place of elements: every cut that
a box has made must be the only one that misses some leaf, and a branch ends as soon as one is not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import OutOfTime, setting
from ..model import Box, ones
from .row_leaves import RowLeaves, Sides, Way

__all__ = ["RowSearch"]

LOOKED_AT = 32  # leaves among which the one with the fewest ways is taken

Cuts = dict[int, int]  # by feature the side that is left, where it is not whole
Must = Mapping[int, tuple[int, ...]]  # by feature parts that its side must still have some of
Value = tuple[int, int]  # costs of the features, number of conditions


@dataclass
class _Goal:
    """What is sought: a reason that is worth less than ``below``."""

    costs: list[int]
    deadline: float
    below: Value | None = None
    leaf_costs: dict[int, int] = field(default_factory=dict)


class RowSearch(RowLeaves):
    """The reasons of one row.

    Parameters
    ----------
    row : Box
        As for ``RowLeaves``.
    time_limit : float
        Seconds that one answer may take before ``OutOfTime`` is raised.
    """

    def __init__(self, row: Box, time_limit: float) -> None:
        super().__init__(row)
        self.time_limit = time_limit
        self._leaf_ways: dict[int, list[Way]] = {}
        self._leaf_rivals: dict[tuple[int, bool], int] = {}

    def boxes(self, must: Must | None = None, goal: _Goal | None = None) -> Iterator[Sides]:
        """Go through the reasons, each once; with a goal only through better and better ones.

        The branches at a leaf are the ways to miss it: in each, one way is taken and all later
        ones are ruled out, so no box comes twice.
        """
        if len(self.possible) != 1:
            return
        deadline = time.monotonic() + self.time_limit if goal is None else goal.deadline
        todo: list[tuple[Cuts, Must]] = [({}, must or {})]
        while todo:
            cuts, must = todo.pop()
            met = self._met(cuts)
            if met is None or (goal is not None and self._hopeless(cuts, met, goal)):
                continue
            if not met:
                yield tuple(cuts.get(k, side) for k, side in enumerate(self.full))
                if goal is None:
                    deadline = time.monotonic() + self.time_limit
                continue
            if time.monotonic() > deadline:
                raise self._out_of_time()
            ways = self._fewest_ways(cuts, met, must)
            ways.sort(key=lambda way: self._promise(cuts, met, way, goal))
            for i, (k, keep) in enumerate(ways):
                ruled_out = dict(must)
                for other, kept in ways[i + 1 :]:
                    ruled_out[other] = (*ruled_out.get(other, ()), self.full[other] & ~kept)
                side = cuts.get(k, self.full[k]) & keep
                if all(side & part for part in ruled_out.get(k, ())):
                    todo.append(({**cuts, k: side}, ruled_out))

    def _met(self, cuts: Cuts) -> int | None:
        """Give the leaves that a box still meets; None if no maximal box is inside."""
        once = twice = 0
        missed = [(k, side, self.misses(k, side)) for k, side in cuts.items()]
        for _, _, leaves in missed:
            twice |= once & leaves
            once |= leaves
        met = self.all & ~once
        for k, side, leaves in missed:
            only = leaves & ~twice | met
            if not all(only & self.touches(k, zone) for zone in self.zones(k, side)):
                return None
        return met

    def _ways_of(self, leaf: int) -> list[Way]:
        ways = self._leaf_ways.get(leaf)
        if ways is None:
            ways = self._leaf_ways[leaf] = self.ways(leaf)
        return ways

    def _fewest_ways(self, cuts: Cuts, met: int, must: Must) -> list[Way]:
        """Give the ways to miss a leaf that leaves few choices."""
        fewest: list[Way] | None = None
        for _ in range(LOOKED_AT):
            leaf = (met & -met).bit_length() - 1
            ways = []
            for k, keep in self._ways_of(leaf):
                side = cuts.get(k, self.full[k]) & keep
                if all(side & part for part in must.get(k, ())):
                    ways.append((k, keep))
            if fewest is None or len(ways) < len(fewest):
                fewest = ways
            met &= met - 1
            if len(fewest) < 2 or not met:
                break
        return fewest or []

    def _promise(self, cuts: Cuts, met: int, way: Way, goal: _Goal | None) -> tuple[int, int, int]:
        """Order the ways: what comes last is tried first, and with nothing ruled out."""
        k, keep = way
        old = cuts.get(k, self.full[k])
        missed = (met & self.misses(k, old & keep)).bit_count()
        if goal is None:
            return 0, 0, missed
        cost = goal.costs[k] if old == self.full[k] else 0
        return -cost, self._least(k, old) - self._least(k, old & keep), missed

    # -- the best ------------------------------------------------------------------------------

    def best(self, costs: list[int]) -> Sides:
        """Give the reason that costs least, then has fewest conditions, then is first.

        Branch and bound; leaves that have no way in common each need one of their own. Among
        equals the first is found by asking again, feature by feature, for one that is wider.
        """
        goal = _Goal(costs, time.monotonic() + self.time_limit)
        found: Sides = ()
        for sides in self.boxes(goal=goal):
            found, goal.below = sides, self._value(sides, costs)
        assert goal.below is not None, "a row that is determined has a reason"
        goal.below = (goal.below[0], goal.below[1] + 1)
        must: dict[int, tuple[int, ...]] = {}
        for k in range(len(self.full)):
            for outwards in self._directions(k):
                before = furthest = must.get(k, ())
                for unit in outwards:
                    if not found[k] & unit:
                        wider = next(self.boxes({**must, k: (*before, unit)}, goal), None)
                        if wider is None:
                            break
                        found = wider
                    furthest = (*before, unit)
                must[k] = furthest
        return found

    def rank(self, sides: Sides) -> tuple[int, ...]:
        """Order reasons: fewest conditions, then widest on the first feature, the second, ..."""
        wide = (
            -sum(bool(side & unit) for unit in outwards)
            for k, side in enumerate(sides)
            for outwards in self._directions(k)
        )
        return (self._value(sides, [0] * len(sides))[1], *wide)

    def _directions(self, k: int) -> list[list[int]]:
        """Give what a side can have beyond the row, as bins that follow each other outwards."""
        units = [1 << b for b in range(self.full[k].bit_length())]
        if not self.ordered[k] or not self.some[k]:
            return [[unit] for unit in units if not unit & self.row[k]]
        first, last = self._ends(k, self.row[k])
        n = self.n_bins[k]
        nan = [unit for unit in units[n:] if not unit & self.row[k]]
        return [units[last + 1 : n], units[:first][::-1], nan]

    def _value(self, sides: Sides, costs: list[int]) -> Value:
        cut = [k for k, side in enumerate(sides) if side != self.full[k]]
        return sum(costs[k] for k in cut), sum(self._conditions(k, sides[k]) for k in cut)

    def _conditions(self, k: int, side: int) -> int:
        """Count as ``Term.n_conditions`` does."""
        if side == self.full[k]:
            return 0
        if not self.ordered[k] or not side & ~self.nan[k]:
            return 1
        first, last = self._ends(k, side)
        return max((first > 0) + (last < self.n_bins[k] - 1), 1)

    def _least(self, k: int, side: int) -> int:
        """Give a bound on the conditions of every side inside this one."""
        n = self._conditions(k, side)
        return n if self.some[k] else min(n, 1)  # "is missing" is shorter than two bounds

    def _hopeless(self, cuts: Cuts, met: int, goal: _Goal) -> bool:
        """Whether no box inside is worth less than the goal's bound."""
        if goal.below is None:
            return False
        cost = sum(goal.costs[k] for k in cuts)
        count = sum(self._least(k, side) for k, side in cuts.items())
        if not met:
            count = sum(self._conditions(k, side) for k, side in cuts.items())
        elif cost <= goal.below[0] and any(goal.costs):
            for leaf in self._apart(cuts, met, whole=True):
                if leaf not in goal.leaf_costs:
                    goal.leaf_costs[leaf] = min(goal.costs[k] for k, _ in self._ways_of(leaf))
                cost += goal.leaf_costs[leaf]
        if cost == goal.below[0] and count < goal.below[1]:
            count += sum(1 for _ in self._apart(cuts, met, whole=False))
        return (cost, count) >= goal.below

    def _apart(self, cuts: Cuts, met: int, whole: bool) -> Iterator[int]:
        """Give leaves that need new cuts, no two of them the same.

        ``whole``: on new features; otherwise at new ends.
        """
        for k, side in cuts.items():
            if whole or self._one_end(k):
                met &= ~self.touches(k, self.full[k])
                continue
            first, last = self._ends(k, side)
            if first > 0:
                met &= ~self.touches(k, ones(0, self._ends(k, self.row[k])[0] - 1))
            if last < self.n_bins[k] - 1:
                met &= ~self.touches(k, ones(self._ends(k, self.row[k])[1] + 1, self.n_bins[k] - 1))
        while met:
            leaf = (met & -met).bit_length() - 1
            yield leaf
            met &= ~self._rivals(leaf, whole)

    def _one_end(self, k: int) -> bool:
        """Whether a side is counted as one condition, or its ends cannot be counted one by one."""
        return not self.ordered[k] or bool(self.nan[k]) or not self.some[k]

    def _rivals(self, leaf: int, whole: bool) -> int:
        """Give the leaves that can be missed on a feature (or at an end) on which this one can."""
        rivals = self._leaf_rivals.get((leaf, whole))
        if rivals is None:
            rivals = 0
            for k, keep in self._ways_of(leaf):
                part = self.full[k]
                if not whole and not self._one_end(k):
                    first, last = self._ends(k, self.row[k])
                    above = ones(last + 1, self.n_bins[k] - 1)
                    part = above if keep & 1 else ones(0, first - 1)
                rivals |= self.touches(k, part)
            self._leaf_rivals[leaf, whole] = rivals
        return rivals

    # -- relevant features ---------------------------------------------------------------------

    def relevant(self) -> list[int]:
        """Give the features that are in some reason.

        A feature is, if and only if for some leaf the row, widened just so far that it meets the
        leaf on every other feature, is still certain: any reason around that box must then miss the
        leaf on this feature.
        """
        found = set(self.necessary)
        deadline = time.monotonic() + self.time_limit
        for k in range(len(self.full)):
            leaves = self.touches(k, self.full[k])
            while leaves and k not in found:
                leaf = (leaves & -leaves).bit_length() - 1
                leaves &= leaves - 1
                if self._alone(k, leaf, deadline):
                    found.add(k)
        return sorted(found)

    def _alone(self, k: int, leaf: int, deadline: float) -> bool:
        """Whether some reason misses a leaf on this feature and on no other."""
        away = sorted({other for other, _ in self._ways_of(leaf)} - {k})
        missed = 0
        for other, row in enumerate(self.row):
            if other not in away:
                missed |= self.misses(other, row)
        rest = [0] * (len(away) + 1)  # missed on the features not widened yet
        for i in reversed(range(len(away))):
            rest[i] = rest[i + 1] | self.misses(away[i], self.row[away[i]])
        todo = [(0, missed)]
        while todo:
            i, missed = todo.pop()
            if missed | rest[i] != self.all:
                continue
            if i == len(away):
                return True
            if time.monotonic() > deadline:
                raise self._out_of_time()
            todo += [
                (i + 1, missed | self.misses(away[i], s)) for s in self._towards(away[i], leaf)
            ]
        return False

    def _towards(self, k: int, leaf: int) -> list[int]:
        """Give the smallest sides around the row that meet a leaf."""
        row = self.row[k]
        side = self.side_of(leaf, k)
        units = [1 << b for b in range(side.bit_length()) if side >> b & 1]
        if not self.ordered[k] or not self.some[k]:
            return [row | unit for unit in units]
        out = [row | self.nan[k]] if side & self.nan[k] else []
        if side & ~self.nan[k]:
            first, last = self._ends(k, side)
            row_first, row_last = self._ends(k, row)
            gap = ones(row_last + 1, first) if first > row_last else ones(last, row_first - 1)
            out.append(row | gap)
        return out

    def _out_of_time(self) -> OutOfTime:
        return OutOfTime(
            f"no further answer about this row in {setting('time_limit', self.time_limit)} "
            f"seconds: raise {setting('time_limit')}, or use a smaller tree"
        )
