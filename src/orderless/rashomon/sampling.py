"""Random positions among more trees than a machine word can count.

In:  a seed, how many there are.
Out: positions, each with exactly the same chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["generator", "positions_below"]


def generator(random_state: Any) -> np.random.Generator:
    """Give a generator for an int, a ``RandomState``, a ``Generator`` or None."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    if random_state is None or (
        isinstance(random_state, int | np.integer)
        and not isinstance(random_state, bool)
        and random_state >= 0
    ):
        return np.random.default_rng(random_state)
    raise ValueError(
        f"random_state={random_state!r:.80}: legal are whole numbers from 0, RandomState, "
        "Generator and None"
    )


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
