"""Sides: what a box says of one feature.

In:  a ``Feature``.
Out: ``Side``: an interval of its numbers, or some of its categories; also as data (docs/formats).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from .feature import Feature, Label

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

    @classmethod
    def whole(cls, feature: Feature) -> Side:
        """Give the side that says nothing: every value is in."""
        if feature.ordered:
            return cls(feature, nan=feature.nan)
        return cls(feature, codes=tuple(range(feature.n_values)))

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

    @property
    def n_conditions(self) -> int:
        """How many conditions it takes; an interval with two ends takes two."""
        if not self.feature.ordered or not self.lower < self.upper:
            return 1
        low, high = self.feature.bounds
        return max((self.lower > low) + (self.upper < high), 1)

    def has(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which numbers of an ordered feature it has (NaN only where NaN is a value)."""
        above = (values > self.lower) | (self.lower == -math.inf)  # a row may hold -inf itself
        return (above & (values <= self.upper)) | (np.isnan(values) & self.nan)

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        out: dict[str, Any] = {"feature": self.feature.name}
        if self.feature.ordered:
            if not self.lower < self.upper:
                return {**out, "missing": "only"}
            if math.isfinite(self.lower):
                out["above"] = self.lower
            if math.isfinite(self.upper):
                out["at_most"] = self.upper
            if self.feature.nan:
                out["missing"] = self.nan
            return out
        n = len(self.feature.categories)
        out["among"] = [self.feature.categories[code] for code in self.codes if code < n]
        if self.feature.other:
            out["other"] = n in self.codes
        if self.feature.nan:
            out["missing"] = self.feature.n_values - 1 in self.codes
        return out

    @classmethod
    def from_dict(cls, feature: Feature, given: dict[str, Any]) -> Side:
        """Read what ``to_dict`` wrote; anything else is an ``InvalidTree``."""
        if not feature.ordered:
            return cls(feature, codes=_codes(feature, given))
        if given.get("missing") and not feature.nan:
            raise InvalidTree(f"{given!r:.120}: {feature!r} has no value 'missing'")
        if given.get("missing") == "only":
            return cls(feature, 0.0, 0.0, True)
        low, high = given.get("above", -math.inf), given.get("at_most", math.inf)
        if not all(isinstance(x, int | float) for x in (low, high)) or not low < high:
            raise InvalidTree(f"{given!r:.120} is not an interval")
        return cls(feature, float(low), float(high), bool(given.get("missing", False)))


def _codes(feature: Feature, given: dict[str, Any]) -> tuple[int, ...]:
    codes = [feature.code(label) for label in given.get("among", ())]
    if None in codes or len(feature.categories) in codes:
        raise InvalidTree(f"{given!r:.120} names a value that {feature!r} does not have")
    for flag, allowed in (("other", feature.other), ("missing", feature.nan)):
        if given.get(flag) and not allowed:
            raise InvalidTree(f"{given!r:.120}: {feature!r} has no value {flag!r}")
    if given.get("other"):
        codes.append(len(feature.categories))
    if given.get("missing"):
        codes.append(feature.n_values - 1)
    return tuple(sorted({code for code in codes if code is not None}))
