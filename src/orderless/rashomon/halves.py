"""Numbers of 128 bits, which cross the border to the core in two halves.

In:  halves of 64 bits, the high one first; or whole numbers.
Out: the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["narrow", "whole", "wide"]


def wide(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> list[int]:
    """Read 128-bit numbers that come in two halves."""
    if not high.any():
        small: list[int] = low.tolist()
        return small
    return [(h << 64) | v for h, v in zip(high.tolist(), low.tolist(), strict=True)]


def whole(halves: tuple[int, int]) -> int:
    """Read one of them."""
    return (int(halves[0]) << 64) | int(halves[1])


def narrow(positions: Sequence[int]) -> NDArray[np.uint64]:
    """Write numbers in two halves."""
    pairs = [(p >> 64, p & (2**64 - 1)) for p in positions]
    return np.array(pairs, dtype=np.uint64).reshape(len(pairs), 2)
