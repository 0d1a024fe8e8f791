"""Randomness: every ``random_state`` is read here.

In:  an int, a numpy ``RandomState`` or ``Generator``, or None.
Out: a ``Generator``, or a whole number to start others with.
"""

from __future__ import annotations

import numpy as np

__all__ = ["RandomState", "generator", "whole_seed"]

RandomState = int | np.integer | np.random.RandomState | np.random.Generator | None


def generator(random_state: RandomState) -> np.random.Generator:
    """Give a generator for an int, a ``RandomState``, a ``Generator`` or None.

    Examples
    --------
    >>> generator(0).integers(10), generator(0).integers(10)
    (np.int64(8), np.int64(8))
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    if random_state is None or _is_seed(random_state):
        return np.random.default_rng(random_state)
    raise ValueError(
        "random_state must be a whole number from 0, a RandomState, a Generator or None, got "
        f"{random_state!r:.80}"
    )


def whole_seed(random_state: RandomState) -> int:
    """Give a seed as a whole number: an int as it is, else one that is drawn below 2^63.

    Examples
    --------
    >>> whole_seed(7)
    7
    """
    random = generator(random_state)  # refuses what cannot be a seed
    if _is_seed(random_state):
        return int(random_state)  # type: ignore[arg-type]
    return int(random.integers(2**63))


def _is_seed(value: object) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) >= 0  # type: ignore[call-overload]
