"""The smallest sets of features that settle a row, whatever their values are or with luck.

In:  the leaves that a row can reach, each as the bins that are left of every feature.
Out: sets of features, as bits.
Paper: goes beyond Section 6; see ``missing_needed``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import OutOfTime, TooManyReasons, setting

__all__ = ["Clock", "Leaf", "Steps", "hitting_sets", "lucky_sets", "members", "settling_sets"]

BLOCK = 256  # leaves that are compared with all others at one time

Leaf = tuple[int, tuple[int, ...]]  # class, and per feature the bins that are left, as bits


class Watch(Protocol):
    """What is looked at while one searches."""

    def look(self) -> None:
        """Raise an error if the time is over."""


class Clock:
    """Refuses to go on when the time is over."""

    def __init__(self, time_limit: float) -> None:
        self.time_limit = time_limit
        self.deadline = time.monotonic() + time_limit

    def look(self) -> None:
        """Raise ``OutOfTime`` if the time is over."""
        if time.monotonic() > self.deadline:
            raise OutOfTime(
                "the smallest sets of features were not found in "
                f"{setting('time_limit', self.time_limit)} seconds: raise {setting('time_limit')}, "
                "or give more values of the row"
            )


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
            raise TooManyReasons(
                "finding the smallest sets of features takes more than "
                f"{setting('limit', self.limit)} steps: raise {setting('limit')}, or give more "
                "values of the row",
                self.taken,
            )


def members(bits: int) -> list[int]:
    """Give the positions of the bits that are set."""
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


# -- whatever the values -----------------------------------------------------------------------


def settling_sets(leaves: list[Leaf], steps: Steps) -> set[int]:
    """Give all smallest sets of features that separate any two leaves of different classes."""
    pairs = _separating(leaves, steps.clock)
    return hitting_sets(pairs, steps)


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


def _separating(leaves: list[Leaf], clock: Watch) -> set[int]:
    """Give, for all pairs of leaves of different classes, the features that separate them."""
    labels = np.array([c for c, _ in leaves])
    tables = [table.astype(np.float32) for table in _tables(leaves)]
    features: set[int] = set()
    for start in range(0, len(leaves), BLOCK):
        clock.look()
        here = slice(start, start + BLOCK)
        apart = labels[here, None] != labels[None, :]
        which = [(table[here] @ table.T == 0)[apart] for table in tables]
        if apart.any():
            features |= _distinct(np.stack(which, axis=1))
    return features


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


# -- with luck ---------------------------------------------------------------------------------


def lucky_sets(leaves: list[Leaf], steps: Steps) -> set[int]:
    """Give all smallest sets of features of which some values leave leaves of one class only."""
    # Per feature, for each of its values that the row allows: which leaves it excludes, as bits.
    excluded = [_distinct(~table[:, table.any(axis=0)].T) for table in _tables(leaves)]
    targets = [
        sum(1 << i for i, (label, _) in enumerate(leaves) if label != c)
        for c in sorted({label for label, _ in leaves})
    ]
    size = 1
    while True:
        choices: set[int] = set()
        for target in targets:
            _exclude(excluded, target, 0, size, choices, set(), steps)
        if choices:
            return choices
        size += 1


def _exclude(
    excluded: list[set[int]], target: int, chosen: int, left: int, choices: set[int],
    seen: set[tuple[int, int]], steps: Steps,
) -> None:  # fmt: skip
    """Add to ``choices`` every choice of ``left`` more features whose values exclude the target."""
    steps.take()
    if not target:
        choices.add(chosen)
        return
    if (chosen, target) in seen:
        return
    seen.add((chosen, target))
    free = [k for k in range(len(excluded)) if not chosen >> k & 1]
    best = {k: max((e & target).bit_count() for e in excluded[k]) for k in free}
    if sum(sorted(best.values(), reverse=True)[:left]) < target.bit_count():
        return
    first = target & -target  # some value must exclude it
    for k in free:
        useful = {e & target for e in excluded[k] if e & first}
        for one in useful:
            if not any(one != other and one & other == one for other in useful):
                _exclude(excluded, target & ~one, chosen | 1 << k, left - 1, choices, seen, steps)


# -- tables -------------------------------------------------------------------------------------


def _tables(leaves: list[Leaf]) -> list[NDArray[np.bool_]]:
    """Give, per feature, leaves x bins: what is left of the row in each leaf."""
    out = []
    for k in range(len(leaves[0][1])):
        size = max(own[k].bit_length() for _, own in leaves) // 8 + 1
        text = b"".join(own[k].to_bytes(size, "little") for _, own in leaves)
        packed = np.frombuffer(text, dtype=np.uint8).reshape(len(leaves), size)
        out.append(np.unpackbits(packed, axis=1, bitorder="little").astype(bool))
    return out


def _distinct(table: NDArray[np.bool_]) -> set[int]:
    """Give the distinct rows of a table as whole numbers, bit i for column i."""
    packed = np.unique(np.packbits(table, axis=1, bitorder="little"), axis=0)
    return {int.from_bytes(one.tobytes(), "little") for one in packed}
