"""Hitting sets: choices that have a member in every one of some sets.

In:  sets, as bits, that may become more while one asks.
Out: the cheapest choice; all minimal choices, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..missing import Steps, members

__all__ = ["Hitting", "cheapest_hitting_set", "greedy_hitting_set", "worth"]


def cheapest_hitting_set(sets: Iterable[int], costs: Sequence[int], steps: Steps) -> int:
    """Give the choice that costs least, and of these one with the fewest members.

    A whole-number program, solved by HiGHS; its floats hold the costs exactly as long as they have
    fewer than some 12 digits.

    Examples
    --------
    >>> from orderless.missing.smallest_sets import Clock
    >>> steps = Steps(1000, Clock(60.0))
    >>> bin(cheapest_hitting_set([0b011, 0b110], [1, 1, 1], steps))
    '0b10'
    >>> bin(cheapest_hitting_set([0b011, 0b110], [1, 5, 1], steps))
    '0b101'
    """
    steps.take()
    minimal: list[int] = []
    for one in sorted(set(sets), key=lambda bits: (bits.bit_count(), bits)):
        if not any(small & one == small for small in minimal):
            minimal.append(one)
    singles = sum(one for one in minimal if one.bit_count() == 1)
    rest = [one for one in minimal if one.bit_count() > 1]
    if not rest:
        return singles
    from scipy.optimize import Bounds, LinearConstraint, milp

    every = sorted({k for one in rest for k in members(one)})
    table = np.array([[one >> k & 1 for k in every] for one in rest], dtype=np.float64)
    unit = math.gcd(*(costs[k] for k in every)) or 1
    worth = np.array([costs[k] // unit * (len(every) + 1) + 1 for k in every], dtype=np.float64)
    found = milp(
        worth,
        constraints=LinearConstraint(table, lb=1),
        integrality=np.ones(len(every)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise AssertionError(f"no choice hits all sets: {found.message}")
    chosen = singles | sum(1 << k for k, x in zip(every, found.x, strict=True) if x > 0.5)
    if any(not one & chosen for one in minimal):
        raise AssertionError("the choice misses a set")
    return chosen


def greedy_hitting_set(sets: Iterable[int], costs: Sequence[int]) -> int:
    """Give a choice that hits all sets: always the member that hits most, per cost.

    Examples
    --------
    >>> bin(greedy_hitting_set([0b011, 0b110, 0b1000], [0, 0, 0, 0]))
    '0b1010'
    """
    left, chosen = list(sets), 0
    while left:
        counts: dict[int, int] = {}
        for one in left:
            for k in members(one):
                counts[k] = counts.get(k, 0) + 1
        best = max(counts, key=lambda k: (counts[k] / (1 + costs[k]), -k))
        chosen |= 1 << best
        left = [one for one in left if not one >> best & 1]
    return chosen


def worth(chosen: int, costs: Sequence[int]) -> tuple[int, int]:
    """Give what a choice costs, and how many members it has."""
    return sum(costs[k] for k in members(chosen)), chosen.bit_count()


class Hitting:
    """All minimal choices that hit sets which are still being found (Berge's multiplication)."""

    def __init__(self, sets: Iterable[int], steps: Steps) -> None:
        self.steps = steps
        self._open: set[int] = {0}
        self._kept: set[int] = set()
        for one in sorted(sets):
            self.add(one)

    def next(self) -> int | None:
        """Give a minimal choice that was not kept yet, the smallest; None if there is none."""
        if not self._open:
            return None
        return min(self._open, key=lambda bits: (bits.bit_count(), members(bits)))

    def keep(self, chosen: int) -> None:
        """Put a choice aside: it hits every set there will be."""
        self._open.discard(chosen)
        self._kept.add(chosen)

    def add(self, more: int) -> None:
        """Add a set; the choices that miss it are extended, each by one of its members."""
        missed = {one for one in self._open if not one & more}
        hit = self._open - missed
        grown: set[int] = set()
        for one in missed:
            for k in members(more):
                self.steps.take()
                new = one | 1 << k
                if not any(old & new == old for old in (*hit, *self._kept)):
                    grown.add(new)
        minimal = {one for one in grown if not any(o != one and o & one == o for o in grown)}
        self._open = hit | minimal
