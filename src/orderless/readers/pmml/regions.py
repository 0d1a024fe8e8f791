"""Regions: sets of values of one column, and where a test on it holds.

In:  intervals of numbers, or codes of labels.
Out: ``Side``: what is left of a column on the way down a tree. ``Atom``: a test on one column,
     which is true, false or, where its value is missing, unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from math import inf
from typing import NamedTuple

__all__ = [
    "FALSE",
    "TRUE",
    "UNKNOWN",
    "Atom",
    "Codes",
    "Intervals",
    "Region",
    "Side",
    "merged",
    "without",
]

TRUE, FALSE, UNKNOWN = 1, 2, 4  # bits: a set of these is what is possible

Intervals = tuple[tuple[float, float], ...]  # above the first, at most the second; rising, disjoint
Codes = frozenset[int]
Region = Intervals | Codes


class Side(NamedTuple):
    """What is left of a column: an interval of its numbers or some of its labels; or missing."""

    low: float = -inf
    high: float = inf
    codes: Codes | None = None  # of labels; None: the column has numbers
    missing: bool = True

    @property
    def known(self) -> bool:
        """Whether there are values left that are not missing."""
        return bool(self.codes) if self.codes is not None else self.low < self.high

    def only_known(self) -> Side:
        """Leave out missing."""
        return self._replace(missing=False)

    def only_missing(self) -> Side:
        """Leave out everything else."""
        none = frozenset[int]() if self.codes is not None else None
        return Side(0.0, 0.0, none, True)


class Atom:
    """A test on one column.

    Parameters
    ----------
    column : position
    true, unknown : where it holds, and where it is not known (a value that was mapped to nothing)
    missing : TRUE, FALSE or UNKNOWN: what it is where the column is missing
    negated : of labels: ``true`` has those for which it does not hold
    """

    __slots__ = ("_bounds", "_not_false", "column", "missing", "negated", "true", "unknown")

    def __init__(
        self, column: int, true: Region, unknown: Region, missing: int, *, negated: bool = False
    ) -> None:
        self.column, self.true, self.unknown, self.missing = column, true, unknown, missing
        self.negated = negated
        self._bounds: list[float] = []
        self._not_false: Intervals = ()
        if not isinstance(true, frozenset):
            assert not isinstance(unknown, frozenset)
            self._not_false = merged((*true, *unknown)) if unknown else true
            ends = {end for pair in (*true, *unknown) for end in pair}
            self._bounds = sorted(ends - {-inf, inf})

    def possible(self, side: Side) -> int:
        """Give what it can be, as a set of bits."""
        out = self.missing if side.missing else 0
        if not side.known:
            return out
        if side.codes is not None:
            assert isinstance(self.true, frozenset)
            assert isinstance(self.unknown, frozenset)
            n_true = len(side.codes & self.true)
            n_true = len(side.codes) - n_true if self.negated else n_true
            n_unknown = len(side.codes & self.unknown) if self.unknown else 0
            left = len(side.codes) - n_true - n_unknown
            return out | TRUE * (n_true > 0) | UNKNOWN * (n_unknown > 0) | FALSE * (left > 0)
        out |= TRUE * (_covered(self.true, side) > 0) | FALSE * (
            _covered(self._not_false, side) < 2
        )
        return out | UNKNOWN * (bool(self.unknown) and _covered(self.unknown, side) > 0)

    def split(self, side: Side) -> tuple[Side, Side] | None:
        """Cut what is known in two, where the test changes; None if it does not.

        Missing is in neither. The first is at most a number, or has some labels.
        """
        known = side.only_known()
        if side.codes is not None:
            for region in (self.true, self.unknown):
                assert isinstance(region, frozenset)
                inside = side.codes & region
                if inside and len(inside) < len(side.codes):
                    return known._replace(codes=inside), known._replace(codes=side.codes - inside)
            return None
        at = bisect_right(self._bounds, side.low)
        if at == len(self._bounds) or not self._bounds[at] < side.high:
            return None
        cut = self._bounds[at]
        return known._replace(high=cut), known._replace(low=cut)


def _covered(region: Region, side: Side) -> int:
    """Say whether intervals have none (0), a part (1) or all (2) of a side's numbers."""
    assert not isinstance(region, frozenset)
    at = bisect_right(region, side.low, key=lambda pair: pair[1])
    if at == len(region) or region[at][0] >= side.high:
        return 0
    return 2 if region[at][0] <= side.low and region[at][1] >= side.high else 1


def merged(intervals: Iterable[tuple[float, float]]) -> Intervals:
    """Sort intervals, and join those that touch.

    Examples
    --------
    >>> merged([(3.0, 4.0), (0.0, 1.0), (1.0, 2.0), (5.0, 5.0)])
    ((0.0, 2.0), (3.0, 4.0))
    """
    out: list[tuple[float, float]] = []
    for low, high in sorted(pair for pair in intervals if pair[0] < pair[1]):
        if out and low <= out[-1][1]:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return tuple(out)


def without(intervals: Iterable[tuple[float, float]], taken: Intervals) -> Intervals:
    """Give what intervals have beyond others."""
    out = list(intervals)
    for low, high in taken:
        out = [part for a, b in out for part in ((a, min(b, low)), (max(a, high), b))
               if part[0] < part[1]]  # fmt: skip
    return merged(out)
