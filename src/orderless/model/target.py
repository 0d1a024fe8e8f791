"""Target: when two answers count as the same, be they labels or numbers.

In:  what a model can answer, and how far numbers may be from each other.
Out: ``Target``: which answers differ, and what is answered where they do not; how wide intervals
     of numbers are, by the decimals that their bounds are written as.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ints
from .feature import Label
from .numbers import midpoint

__all__ = ["Target", "interval_widths", "narrow", "near_numbers"]


@dataclass(frozen=True, eq=False)
class Target:
    """When answers count as the same: labels that are equal, numbers that are near to each other.

    Attributes
    ----------
    values : tuple of labels
        What can be answered; answers are codes, positions in it. Numbers rise. Empty for sums of
        trees of numbers, whose answers cannot be listed.
    tolerance : float, optional
        How far numbers may be from each other, by the decimals that all are written as. None:
        answers are labels, which are the same or not.

    Examples
    --------
    >>> target = Target((0.1, 0.4, 0.5), 0.3)
    >>> target.differ(np.array([0, 0]), np.array([1, 2])).tolist()
    [False, True]
    >>> target.answer(0, 1), target.answer(0, 2), Target(("no", "yes")).answer(1, 1)
    (0.25, None, 'yes')
    """

    values: tuple[Label, ...]
    tolerance: float | None = None

    @cached_property
    def reach(self) -> Ints:
        """By code the last code that counts as the same."""
        if not self.tolerance:
            return np.arange(len(self.values), dtype=np.int32)
        return near_numbers(np.array(self.values, dtype=np.float64), self.tolerance)

    def differ(self, a: NDArray[Any], b: NDArray[Any]) -> Flags:
        """Return which of two codes each differ."""
        return np.asarray(np.maximum(a, b) > self.reach[np.minimum(a, b)])

    def answer(self, low: int, high: int) -> Label | None:
        """Return what is answered where codes from one to another are possible; None if open."""
        if high > self.reach[low]:
            return None
        if low == high:
            return self.values[low]
        return float(midpoint(self.values[low], self.values[high]))


def narrow(lower: Any, upper: Any, tolerance: float) -> Flags:
    """Return which intervals are at most so wide, by the decimals that all three are written as.

    So 0.1 and 0.4 are within 0.3, though their floats are not. Where a number is NaN, none are.

    Examples
    --------
    >>> narrow([0.1, 0.1], [0.4, 0.4000000000000001], 0.3).tolist()
    [True, False]
    """
    low, high = np.broadcast_arrays(
        np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        width = high - low
        out = np.asarray((width <= tolerance) | (low == high))
        doubt = 4 * (np.spacing(np.maximum(np.abs(low), np.abs(high))) + np.spacing(tolerance))
        close = np.abs(width - tolerance) <= doubt
    if close.any():  # floats may say something else than the decimals
        pairs, which = np.unique(
            np.stack([low[close], high[close]], axis=1), axis=0, return_inverse=True
        )
        limit = _decimal(tolerance)
        fits = np.array([_decimal(b) - _decimal(a) <= limit for a, b in pairs.tolist()])
        out[close] = fits[which.ravel()]
    return out


def interval_widths(lower: Any, upper: Any) -> Floats:
    """Return how wide intervals are, by the decimals of their bounds; rounded up to a float.

    So a width is at most a float, as a decimal, exactly where the float that comes out is.

    Examples
    --------
    >>> interval_widths([0.1, 1.0], [0.4, 1.0]).tolist()
    [0.3, 0.0]
    """
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.asarray(high - low)
    some = np.isfinite(out) & (out != 0)
    pairs, which = np.unique(np.stack([low[some], high[some]], axis=1), axis=0, return_inverse=True)
    widths = []
    for a, b in pairs.tolist():
        difference = _decimal(b) - _decimal(a)
        width = float(difference)
        enough = _decimal(width) >= difference
        widths.append(width if enough else math.nextafter(width, math.inf))
    out[some] = np.array(widths)[which.ravel()]
    return out


def near_numbers(numbers: Floats, tolerance: float) -> Ints:
    """Return, for each of some rising numbers, the position of the last that is near enough.

    Examples
    --------
    >>> near_numbers(np.array([0.1, 0.4, 0.5]), 0.3).tolist()
    [1, 2, 2]
    """
    with np.errstate(over="ignore"):
        last = np.searchsorted(numbers, numbers + tolerance, side="right") - 1
    last = np.maximum(last, np.arange(len(numbers)))
    while True:  # the sum may be rounded to either side of a number
        after = np.minimum(last + 1, len(numbers) - 1)
        up = (after > last) & narrow(numbers, numbers[after], tolerance)
        down = ~narrow(numbers, numbers[last], tolerance)
        if not (up | down).any():
            return last.astype(np.int32)
        last = last + up - down


def _decimal(number: float) -> Fraction:
    """Return the shortest decimal that means a float: 0.1 is a tenth."""
    return Fraction(repr(float(number)))
