"""Numbers of 128 bits, which cross the border to the core in two halves.

In:  halves of 64 bits, the high one first; or whole numbers.
Out: the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["narrow", "positions_below", "whole", "wide"]


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


def positions_below(n: int, k: int, random: np.random.Generator) -> list[int]:
    """Draw ``k`` positions below ``n``, with replacement; ``n`` may be of any size."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise ValueError(f"k must be a whole number from 0, got {k!r:.80}")
    if n <= 2**63:
        drawn = random.integers(0, n - 1, size=k, endpoint=True, dtype=np.uint64)
        return [int(position) for position in drawn]
    n_bits = (n - 1).bit_length()
    out: list[int] = []
    while len(out) < k:  # on average less than twice for each
        one = int.from_bytes(random.bytes((n_bits + 7) // 8), "little") & ((1 << n_bits) - 1)
        if one < n:
            out.append(one)
    return out
