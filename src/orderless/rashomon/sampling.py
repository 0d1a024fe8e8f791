"""Random positions among more trees than a machine word can count.

In:  a seed, how many there are.
Out: positions, each with exactly the same chance.
"""

from __future__ import annotations

import numpy as np

__all__ = ["positions_below"]


def positions_below(n: int, k: int, random: np.random.Generator) -> list[int]:
    """Draw ``k`` positions below ``n``, with replacement; ``n`` may be of any size."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise ValueError(f"k={k!r}: legal are whole numbers from 0")
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
