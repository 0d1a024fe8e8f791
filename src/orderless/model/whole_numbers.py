"""Sums in whole numbers: what leaves add, in a common unit, beside how the library itself rounds.

In:  what the leaves of each tree add to each score, and how the library adds it up.
Out: ``Whole``: the same in whole numbers that add up without rounding, and how far the library's
     own sum can be from theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats

__all__ = ["IN_PAGES", "ROOM", "WITH_FACTS", "Adding", "Whole", "in_units", "whole_numbers"]

ROOM = 60  # bits that all leaves together may take
IN_PAGES = 50  # in scripts: differences of two sums, and of bounds, stay below 2^53
WITH_FACTS = 54  # where facts hold; sums that are exact take no more than 53
DIGITS = {"float64": 53, "float32": 24}
BEYOND = 2**62  # no sum is as large
LEAST = -1074  # the exponent of the smallest float64


class Adding(NamedTuple):
    """How the library adds up what the leaves say: in which order, and how it rounds.

    Attributes
    ----------
    precision : in which every sum is kept; leaves and base are numbers of this precision
    base : per score where the sum begins
    base_last : the sum begins at 0, and the base is added after the last tree
    divisor : by which the sum is divided in the end, which rounds it once more; 1 where it is not
    """

    precision: Literal["float64", "float32"] = "float64"
    base: tuple[float, ...] = (0.0,)
    base_last: bool = False
    divisor: float = 1.0


class Whole(NamedTuple):
    """What leaves add, as multiples of ``2 ** exponent``.

    Attributes
    ----------
    exponent : of the unit
    values : all leaves, one tree after the other, x scores
    base : per score
    slack : per score how far, in units, the library's sum can be from the sum of these, and by how
        much two sums can differ that are equal once they are divided; 0: its sums are exact
    """

    exponent: int
    values: NDArray[np.int64]
    base: NDArray[np.int64]
    slack: NDArray[np.int64]


def whole_numbers(values: Sequence[Floats], adding: Adding, bits: int = ROOM) -> Whole:
    """Choose the unit, and say what rounding can hide.

    Where all numbers are multiples of a unit so large that the library adds them without rounding
    (shares of 0 and 1, points), the slack is 0. Otherwise it bounds the sum of what each addition
    can round, what rounding to the unit adds, and what the division can make equal: two quotients
    round to one number only if the sums differ by at most 2^-52 of the larger.

    Examples
    --------
    >>> whole = whole_numbers([np.array([[0.5], [1.0]]), np.array([[0.25]])], Adding())
    >>> whole.exponent, whole.values.ravel().tolist(), whole.slack.tolist()
    (-2, [2, 4, 1], [0])
    """
    base = np.array(adding.base, dtype=np.float64)
    every = np.concatenate([*values, base[None, :]])
    largest = [np.abs(own).max(axis=0, initial=0.0) for own in values]
    order = [*largest, np.abs(base)] if adding.base_last else [np.abs(base), *largest]
    partial = np.cumsum(order, axis=0)  # the largest that each partial sum can be
    top = float(partial[-1].max())
    if top == 0.0:
        zeros = np.zeros(every.shape, dtype=np.int64)
        return Whole(0, zeros[:-1], zeros[-1], np.zeros(len(base), dtype=np.int64))
    finest = _finest(every)
    digits = DIGITS[adding.precision]
    room = math.frexp(top)[1]  # top < 2 ** room
    merges = math.frexp(adding.divisor)[0] != 0.5  # dividing by a power of two rounds nothing
    if room - finest <= min(digits - merges, bits):
        scaled = np.ldexp(every, -finest).astype(np.int64)
        return Whole(finest, scaled[:-1], scaled[-1], np.zeros(len(base), dtype=np.int64))
    exponent = max(room - bits, LEAST)
    scaled = np.rint(np.ldexp(every, -exponent)).astype(np.int64)
    # One half unit in the last place for each addition, and for the division.
    additions = partial[1:].sum(axis=0) + merges * partial[-1]
    rounding = additions * 2.0**-digits * (1 + 2.0**-10)
    slack = np.ceil(np.ldexp(rounding, -exponent)) + len(order)
    return Whole(exponent, scaled[:-1], scaled[-1], slack.astype(np.int64))


def in_units(number: float, exponent: int) -> int:
    """Give a number in units of ``2 ** exponent``, rounded down, and not beyond what sums reach.

    Examples
    --------
    >>> in_units(0.75, -1), in_units(-0.75, -1), in_units(1e300, -1) == 2**62
    (1, -2, True)
    """
    numerator, denominator = float(number).as_integer_ratio()
    scaled = numerator * 2**-exponent if exponent < 0 else numerator
    whole = scaled // (denominator if exponent < 0 else denominator * 2**exponent)
    return max(-BEYOND, min(BEYOND, whole))


def _finest(numbers: Floats) -> int:
    """Give the largest exponent of a power of two of which all numbers are multiples."""
    some = np.unique(np.abs(numbers))
    mantissa, exponent = np.frexp(some[some > 0])
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    zeros = np.log2((whole & -whole).astype(np.float64)).astype(np.int64)  # a power of two: exact
    return int((exponent - 53 + zeros).min())
