"""Where a monotone condition changes, to the last bit.

In:  conditions on a number, as functions.
Out: the largest float before each changes, found among all floats. Many floats are tried in one
     call, since a call takes longer than a number: 9 calls for a few conditions, at most 64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats

__all__ = ["last_before_change"]

Keys = NDArray[np.uint64]
Conditions = NDArray[np.intp]

SIGN = np.uint64(2**63)
MAX_TRIED = 255  # floats that are tried for a condition in one call
MAX_NUMBERS = 2048  # in one call, where there are many conditions


def last_before_change(
    holds: Callable[[Floats, Conditions], Flags], n: int
) -> tuple[Floats, Flags, Flags]:
    """Find where n conditions change: the last float before, the answer there, if they never do.

    ``holds`` takes numbers, and for each the condition, 0 to n - 1, that is asked about it.
    Infinity may turn into NaN on the way; the largest finite floats decide at the ends.
    """
    conditions = np.arange(n)
    low, high = np.full(n, _key(-np.inf) + 1), np.full(n, _key(np.inf) - 1)
    n_tried = min(MAX_TRIED, max(1, MAX_NUMBERS // max(n, 1)))
    steps = np.arange(1, n_tried + 1, dtype=np.uint64)
    asked = np.repeat(conditions, n_tried)
    with np.errstate(all="ignore"):
        at_low, at_high = (holds(_unkey(key), conditions) for key in (low, high))
        while np.any(low + 1 < high):
            step = np.maximum((high - low) // np.uint64(n_tried + 1), 1)
            tried = np.minimum(low[:, None] + step[:, None] * steps, high[:, None] - 1)
            answers = holds(_unkey(tried.ravel()), asked).reshape(tried.shape)
            bounds = np.column_stack([low, tried, high])
            changed = np.column_stack([answers != at_low[:, None], np.full(n, True)])
            first = changed.argmax(axis=1)
            low, high = bounds[conditions, first], bounds[conditions, first + 1]
    return _unkey(low), at_low, at_low == at_high


def _key(x: float) -> np.uint64:
    """Return the position of a float in the order of all floats."""
    bits = np.float64(x).view(np.uint64)
    return ~bits if bits & SIGN else bits | SIGN


def _unkey(key: Keys) -> Floats:
    return np.where(key & SIGN, key ^ SIGN, ~key).view(np.float64)
