"""Hitting sets: choices that have a member in every one of some sets.

In:  sets, as bits, that may become more while one asks.
Out: all smallest choices; the cheapest; all minimal ones, one after the other.

A search counts its ``Steps``, and looks at a clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from ..errors import OutOfTime, TooManyReasons, setting
from .budget import Budget

__all__ = [
    "Clock", "Hitting", "Steps", "Watch", "cheapest_hitting_set", "greedy_hitting_set",
    "hitting_sets", "members", "out_of_time", "too_many_steps", "worth",
]  # fmt: skip


class Watch(Protocol):
    """What is looked at while one searches."""

    def look(self) -> None:
        """Raise an error if the time is over."""


def out_of_time(budget: Budget) -> OutOfTime:
    """Say that a search took too long."""
    return OutOfTime(
        "the smallest sets of features were not found in "
        f"{budget}: raise {setting('time_limit')}, "
        "or give more values of the row"
    )


def too_many_steps(limit: int, taken: int) -> TooManyReasons:
    """Say that a search took too many steps."""
    return TooManyReasons(
        "finding the smallest sets of features takes more than "
        f"{setting('limit', limit)} steps: raise {setting('limit')}, or give more "
        "values of the row",
        taken,
    )


class Clock:
    """Refuses to go on when the time is over."""

    def __init__(self, time_limit: float | None) -> None:
        self.budget = Budget(time_limit)

    def look(self) -> None:
        """Raise ``OutOfTime`` if the time is over."""
        if self.budget.over:
            raise out_of_time(self.budget)


class Steps:
    """Counts the steps of a search, and refuses to take too many, or too long."""

    def __init__(self, limit: int, clock: Watch) -> None:
        self.limit = limit
        self.clock = clock
        self.taken = 0

    def take(self) -> None:
        """Count a step; raise ``TooManyReasons`` if there were too many."""
        self.clock.look()
        self.taken += 1
        if self.taken > self.limit:
            raise too_many_steps(self.limit, self.taken)


def members(bits: int) -> list[int]:
    """Give the positions of the bits that are set."""
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def hitting_sets(sets: Iterable[int], steps: Steps) -> set[int]:
    """Give all smallest choices that have a member in every one of some sets, all as bits.

    Examples
    --------
    >>> sorted(hitting_sets([0b011, 0b110], Steps(100, Clock(60.0))))
    [2]
    """
    minimal: list[int] = []
    for pair in sorted(sets, key=lambda bits: (bits.bit_count(), bits)):
        steps.take()
        if not any(small & pair == small for small in minimal):
            minimal.append(pair)
    size = _disjoint(minimal)
    while True:
        choices: set[int] = set()
        _hit(minimal, 0, size, choices, steps)
        if choices:
            return choices
        size += 1


def _disjoint(sets: list[int]) -> int:
    """Count sets that have nothing in common: each takes a feature of its own."""
    taken = count = 0
    for one in sets:
        if not one & taken:
            taken |= one
            count += 1
    return count


def _hit(sets: list[int], chosen: int, left: int, choices: set[int], steps: Steps) -> None:
    """Add to ``choices`` every choice of ``left`` more features that hits all sets, each once."""
    steps.take()
    if not sets:
        choices.add(chosen)
        return
    if _disjoint(sets) > left:
        return
    banned = 0
    for k in members(min(sets, key=int.bit_count)):
        bit = 1 << k
        rest = [one & ~banned for one in sets if not one & bit]
        banned |= bit  # choices with this feature have all been seen
        if all(rest):
            rest.sort(key=int.bit_count)
            _hit(rest, chosen | bit, left - 1, choices, steps)


def cheapest_hitting_set(sets: Iterable[int], costs: Sequence[int], steps: Steps) -> int:
    """Give the choice that costs least, and of these one with the fewest members.

    A whole-number program, solved by HiGHS; its floats hold the costs exactly as long as they have
    fewer than some 12 digits.

    Examples
    --------
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
