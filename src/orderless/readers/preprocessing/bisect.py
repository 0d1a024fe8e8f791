"""Where a monotone condition changes, to the last bit.

In:  conditions on a number, as functions.
Out: the largest float before each changes, found by bisection over all floats: at most 64 steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...model import Flags, Floats

__all__ = ["last_before_change"]

Keys = NDArray[np.int64]


def last_before_change(holds: Callable[[Floats], Flags], n: int) -> tuple[Floats, Flags, Flags]:
    """Find where n conditions change: the last float before, the answer there, if they never do.

    Infinity may turn into NaN on the way; the largest finite floats decide at the ends.
    """
    low = np.full(n, _key(np.array([-np.inf]))[0]) + 1
    high = np.full(n, _key(np.array([np.inf]))[0]) - 1
    with np.errstate(all="ignore"):
        at_low, at_high = holds(_unkey(low)), holds(_unkey(high))
        while np.any(low + 1 < high):
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            below = holds(_unkey(middle)) == at_low
            low, high = np.where(below, middle, low), np.where(below, high, middle)
    return _unkey(low), at_low, at_low == at_high


def _key(x: Floats) -> Keys:
    """Return the position of each float in the order of all floats."""
    bits = x.view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits - 1, bits)


def _unkey(key: Keys) -> Floats:
    return np.where(key < 0, np.int64(-(2**63)) - key - 1, key).view(np.float64)
