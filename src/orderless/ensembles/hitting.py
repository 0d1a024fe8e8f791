"""Hitting sets: choices that have a member in every one of some sets.

In:  sets, as bits, that may become more while one asks.
Out: the cheapest choice; all minimal choices, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..missing import Steps, members

__all__ = ["Hitting", "cheapest_hitting_set"]


def cheapest_hitting_set(sets: Iterable[int], costs: Sequence[int], steps: Steps) -> int:
    """Give the choice that costs least, of these with the fewest members, of these the first.

    Branch and bound over the members of a set that is not hit yet.

    Examples
    --------
    >>> from orderless.missing import Clock
    >>> steps = Steps(1000, Clock(60.0))
    >>> bin(cheapest_hitting_set([0b011, 0b110], [1, 1, 1], steps))
    '0b10'
    >>> bin(cheapest_hitting_set([0b011, 0b110], [1, 5, 1], steps))
    '0b101'
    """
    ordered = sorted(set(sets), key=lambda bits: (bits.bit_count(), bits))
    minimal: list[int] = []
    for one in ordered:
        if not any(small & one == small for small in minimal):
            minimal.append(one)
    everything = 0
    for one in minimal:
        everything |= one
    best = (*_worth(everything, costs), everything)
    todo = [(0, 0)]  # chosen, ruled out
    while todo:
        steps.take()
        chosen, banned = todo.pop()
        left = [one for one in minimal if not one & chosen]
        worth = _worth(chosen, costs)
        if not left:
            best = min(best, (*worth, chosen), key=lambda b: (b[0], b[1], members(b[2])))
            continue
        cost, count = worth
        taken = 0
        for one in left:  # sets that have nothing in common cost one member each
            if not one & taken:
                taken |= one
                cost += min((costs[k] for k in members(one & ~banned)), default=0)
                count += 1
        if (cost, count) > best[:2] or any(not one & ~banned for one in left):
            continue
        for k in reversed(members(min(left, key=int.bit_count) & ~banned)):
            first = min(left, key=int.bit_count) & ~banned & ((1 << k) - 1)
            todo.append((chosen | 1 << k, banned | first))
    return best[2]


def _worth(chosen: int, costs: Sequence[int]) -> tuple[int, int]:
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
