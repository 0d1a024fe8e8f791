"""Sides: what a box says of one feature.

In:  a ``Feature``.
Out: ``Side``: an interval of its numbers, or some of its categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .space import Feature, Label

__all__ = ["Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """What a box says of one feature.

    Attributes
    ----------
    feature : Feature
    lower, upper : float
        Ordered features: the values above ``lower`` and at most ``upper``; none if they are equal.
        A ``lower`` of -inf is no end at all: -inf itself is inside.
    nan : bool
        Whether it has NaN, where NaN is a value.
    codes : tuple of int
        Categorical features: the numbers of the values.
    """

    feature: Feature
    lower: float = -math.inf
    upper: float = math.inf
    nan: bool = False
    codes: tuple[int, ...] = ()

    @property
    def labels(self) -> tuple[Label, ...]:
        """Categorical features: the values."""
        return tuple(self.feature.label(code) for code in self.codes)

    @property
    def is_whole(self) -> bool:
        """Whether it says nothing: every value of the feature is in."""
        if not self.feature.ordered:
            return len(self.codes) == self.feature.n_values
        low, high = self.feature.bounds
        nan = self.nan or not self.feature.nan
        return self.lower <= low and self.upper >= high and nan

    def has(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which numbers of an ordered feature it has (NaN only where NaN is a value)."""
        above = (values > self.lower) | (self.lower == -math.inf)  # a row may hold -inf itself
        return (above & (values <= self.upper)) | (np.isnan(values) & self.nan)
