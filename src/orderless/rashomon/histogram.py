"""How many trees have so many leaves and errors.

In:  counts by leaves and errors, from the core or from a list.
Out: ``Histogram``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Histogram"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many trees have so many leaves and so much wrong weight, best first."""

    leaves: NDArray[np.int32]
    errors: NDArray[np.int64]
    trees: list[int]
    nontrivial: list[int]

    @classmethod
    def of(cls, counts: Iterable[tuple[int, int, int, int]]) -> Histogram:
        """Add up leaves, errors, trees and nontrivial ones, which come best first."""
        sums: dict[tuple[int, int], list[int]] = {}
        for leaves, errors, trees, nontrivial in counts:
            entry = sums.setdefault((leaves, errors), [0, 0])
            entry[0] += trees
            entry[1] += nontrivial
        return cls(
            np.array([leaves for leaves, _ in sums], dtype=np.int32),
            np.array([errors for _, errors in sums], dtype=np.int64),
            [trees for trees, _ in sums.values()],
            [nontrivial for _, nontrivial in sums.values()],
        )
