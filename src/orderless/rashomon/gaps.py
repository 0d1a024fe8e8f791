"""How small a difference between two groups can be at all: whole numbers seldom meet.

In:  what a form counts, over all trees of a view.
Out: ``least_gap``: no tree is nearer to 0, proven; ``closer``: trees that are nearer than one that
     was found, or the proof that there is none.

A difference of two rates is p a + q b + c for whole numbers a and b, what is counted in each group.
Each of the two lies between its smallest and its largest value over all trees, which are known
exactly; of all pairs between these ends, those nearest to 0 are few. Whether a tree has such a pair
is one more question about a nearest measure: a and b are put together as one number.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .goal_trees import GoalTrees, ListedGoalTrees, Near
from .quantity import Form

__all__ = ["Pairs", "closer", "least_gap", "pairs_of"]

MOST_VALUES = 5_000_000  # of one count, that are gone through
MOST_PAIRS = 8  # that are looked for one by one
LARGEST = 2**62


class Counted(NamedTuple):
    """What is counted in a group: times what it goes into the gap, and its ends over all trees."""

    factor: int
    low: int
    high: int


class Pairs:
    """The pairs of counts that whole numbers allow, ``a`` with the fewer values."""

    def __init__(self, a: Counted, b: Counted, form: Form) -> None:
        self.a, self.b, self.form = a, b, form

    @cached_property
    def _gaps(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """For each a the two b that are nearest to 0: a, b and how far they are from it."""
        one, other = self.a, self.b
        a = np.arange(one.low, one.high + 1, dtype=np.int64)
        rest = self.form.constant + one.factor * a
        below = -rest // other.factor
        b = np.concatenate([np.clip(below + more, other.low, other.high) for more in (0, 1)])
        a, rest = np.concatenate([a, a]), np.concatenate([rest, rest])
        return a, b, np.abs(rest + other.factor * b)

    @property
    def least(self) -> int:
        """The smallest gap of any pair."""
        return int(self._gaps[2].min())

    def below(self, distance: int) -> list[tuple[int, int, int]]:
        """Give all pairs with a smaller gap, as (gap, a, b), rising; see ``whole``."""
        a, b, gap = self._gaps
        near = np.flatnonzero(gap < distance)
        return sorted({(int(gap[i]), int(a[i]), int(b[i])) for i in near})

    @property
    def whole(self) -> int:
        """Below this gap no pair is missing: a third b is a whole factor farther from 0."""
        return abs(self.b.factor)

    def look(
        self, goals: GoalTrees | ListedGoalTrees, a: int, b: int, most: int
    ) -> tuple[Near | None, bool]:
        """Look for a tree that has a pair: it, as the form measures it, and whether none has."""
        factors = self.form.factors
        # Two numbers are told apart as digits of one. Which of them is the first decides what the
        # search puts together, so both ways are tried, the count with more values first.
        for (one, n), (other, m) in (((self.b, b), (self.a, a)), ((self.a, a), (self.b, b))):
            width = other.high - other.low + 1
            together = (factors == one.factor) * width + (factors == other.factor)
            near = goals.nearest(together.astype(np.int64), n * width + m, most)
            if near is None or near.at_least > 0:
                return None, True
            if near.distance == 0:
                break
        else:
            return None, False
        measure = self.a.factor * a + self.b.factor * b
        gap = abs(measure + self.form.constant)
        return replace(near, measure=measure, distance=gap, at_least=0), False


def pairs_of(goals: GoalTrees | ListedGoalTrees, form: Form) -> Pairs | None:
    """Give the pairs of counts of a difference; None where it is not one, or they are too many.

    Cost: four smallest or largest measures, and the values that one of the counts can have.
    """
    factors = [v for v in np.unique(form.factors).tolist() if v]
    if len(factors) != 2:
        return None
    counts = []
    for value in factors:
        counted = (form.factors == value).astype(np.int64)
        low, high = (goals.stairs(counted, largest).measure[-1] for largest in (False, True))
        counts.append(Counted(value, int(low), int(high)))
    a, b = sorted(counts, key=lambda each: each.high - each.low)
    reach = abs(form.constant) + abs(a.factor) * max(abs(a.low), abs(a.high))
    if a.high - a.low >= MOST_VALUES:
        return None
    if reach + abs(b.factor) * (max(abs(b.low), abs(b.high)) + 1) >= LARGEST:
        return None
    return Pairs(a, b, form)


def least_gap(goals: GoalTrees | ListedGoalTrees, form: Form) -> int:
    """Give a number of the form's units that no tree's distance from 0 is below; 0 proves nothing.

    Cost: that of ``pairs_of``.
    """
    pairs = pairs_of(goals, form)
    return 0 if pairs is None else pairs.least


def closer(
    goals: GoalTrees | ListedGoalTrees, pairs: Pairs, best: Near, most: int
) -> tuple[Near, int]:
    """Look for trees with the few pairs that are nearer to 0 than a tree that was found.

    Returns the nearest tree, and a number of the form's units that no tree is nearer than. Cost:
    up to ``MOST_PAIRS`` nearest measures.
    """
    proven: int | None = None
    for i, (gap, a, b) in enumerate(pairs.below(best.distance)):
        if gap >= best.distance:
            break
        found, impossible = (None, False) if i >= MOST_PAIRS else pairs.look(goals, a, b, most)
        if found is not None:
            best = found
        elif not impossible and proven is None:
            proven = gap
        if i >= MOST_PAIRS:
            break
    at_least = best.distance if proven is None else min(proven, best.distance)
    return best, min(at_least, max(pairs.whole, pairs.least))
