"""Sets of numbers as intervals: the algebra that readers share.

In:  intervals, each above its first number and up to its second.
Out: ``Intervals``: rising ones that do not touch.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

__all__ = ["EVERY_NUMBER", "Interval", "Intervals", "complement", "difference", "meet", "union"]

Interval = tuple[float, float]
Intervals = tuple[Interval, ...]

EVERY_NUMBER: Intervals = ((-inf, inf),)


def union(intervals: Iterable[Interval]) -> Intervals:
    """Sort intervals, and join those that overlap or touch.

    Examples
    --------
    >>> union([(3.0, 4.0), (0.0, 1.0), (1.0, 2.0), (5.0, 5.0)])
    ((0.0, 2.0), (3.0, 4.0))
    """
    out: list[Interval] = []
    for low, high in sorted(pair for pair in intervals if pair[0] < pair[1]):
        if out and low <= out[-1][1]:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return tuple(out)


def complement(intervals: Intervals) -> Intervals:
    """Return the numbers that are in none of the intervals.

    Examples
    --------
    >>> complement(((0.0, 2.0),))
    ((-inf, 0.0), (2.0, inf))
    """
    bounds = [-inf, *(bound for pair in intervals for bound in pair), inf]
    return union(zip(bounds[::2], bounds[1::2], strict=True))


def meet(a: Intervals, b: Intervals) -> Intervals:
    """Return the numbers that are in both."""
    return union(
        (max(low, other_low), min(high, other_high))
        for low, high in a
        for other_low, other_high in b
    )


def difference(a: Intervals, b: Intervals) -> Intervals:
    """Return the numbers that are in the first and not in the second."""
    return meet(a, complement(b))
