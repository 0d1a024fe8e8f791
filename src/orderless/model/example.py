"""Example values: a plain value out of the side of a box, near what is usual.

In:  a ``Feature``, the side of a box, the thresholds that trees have on the feature.
Out: a value that a person can read, inside the side.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InvalidSpace
from .feature import Feature, Label
from .numbers import BELOW_FLOAT32

__all__ = ["any_value", "counted", "value_in"]

NOTHING = 1e-30  # what libraries write for a threshold of 0 is nearer to it
WHOLE = 2.0**52  # floats beyond it have no halves between them
ROUNDING = 1e-6


def any_value(feature: Feature) -> Any:
    """Choose a plain value of a feature that no tree asks about."""
    if feature.ordered:
        return value_in(feature, [], *feature.bounds, False, [])
    return feature.categories[0]


def value_in(
    feature: Feature,
    cuts: Sequence[float],
    low: float,
    high: float,
    nan: bool,
    codes: list[int],
    *,
    rounded: bool = True,
) -> Any:
    """Choose a plain value of a feature out of the side of a box.

    Parameters
    ----------
    feature : Feature
    cuts : sequence of float
        The thresholds that trees have on it, in order: where they are, usual values are.
    low, high : float
        Of an ordered feature: the values above ``low``, up to ``high``.
    nan : bool
        Whether NaN is inside.
    codes : list of int
        Of another feature: the values that are inside.
    rounded : bool
        Whether everybody who gets the value rounds it to float32 if the feature does. Otherwise the
        number is itself a float32, or lies between two that are inside.

    Examples
    --------
    >>> value_in(Feature("concave points"), [0.1358, 0.1454], 0.1358, float("inf"), False, [])
    0.14
    >>> value_in(Feature("age"), [20.5, 36.5, 61.5], -float("inf"), float("inf"), False, [])
    40.0
    >>> value_in(Feature("times late"), [0.5], -float("inf"), 0.5, False, [])
    0.0
    >>> tenth = Feature("dose", values="float32"), [], 0.09999999403953552, 0.10000000149011612
    >>> value_in(*tenth, False, []), value_in(*tenth, False, [], rounded=False)
    (0.1, 0.10000000149011612)
    """
    if not feature.ordered:
        named = [code for code in codes if code < len(feature.categories)]
        if named:
            return feature.categories[named[0]]
        return (
            _unlisted(feature) if feature.other and len(feature.categories) in codes else math.nan
        )
    if not low < high:
        return math.nan
    if feature.kind == "boolean":
        return bool(high >= 1)
    narrow = _usual(feature, low, high, cuts)
    number = _plain_between(feature, *narrow, rounded, counted(feature, cuts))
    return int(number) if feature.whole else number


def _usual(feature: Feature, low: float, high: float, cuts: Sequence[float]) -> tuple[float, float]:
    """Narrow a side of a box to where the thresholds are, if that leaves a value.

    Where no threshold is below 0, usual values are not either: nobody has been late -1 times.
    """
    if not cuts:
        return low, high
    if math.isinf(low) or math.isinf(high):
        gaps = sorted(b - a for a, b in itertools.pairwise(cuts))
        gap = gaps[len(gaps) // 2] if gaps else abs(cuts[0]) / 5 or 1.0
        gap = max(gap, 2.0) if counted(feature, cuts) else gap
        if math.isinf(low) and math.isinf(high):
            middle = cuts[len(cuts) // 2]
            narrow = middle - gap / 2, middle + gap / 2
        elif math.isinf(high):
            narrow = low, next((cut for cut in cuts if cut > low), low + gap)
        else:
            narrow = next((cut for cut in reversed(cuts) if cut < high), high - gap), high
        inside = feature.above(narrow[0]) <= narrow[1] and low <= narrow[0] and narrow[1] <= high
        if inside and all(map(math.isfinite, narrow)):
            low, high = narrow
    if min(cuts) > -NOTHING and low < 0 <= high:
        low = float(feature.at_most(0.0, strict=True))
    return low, high


def counted(feature: Feature, cuts: Sequence[float]) -> bool:
    """Whether values are whole numbers, as far as one knows: thresholds halfway between them.

    Libraries write such a threshold a little above or below.
    """
    finite = [cut for cut in cuts if math.isfinite(cut)]
    halves = all(abs(cut) < WHOLE and abs(2 * cut - round(2 * cut)) <= ROUNDING for cut in finite)
    return feature.whole or (bool(finite) and halves)


def _unlisted(feature: Feature) -> Label:
    """Make up a value that a categorical feature does not list."""
    if all(isinstance(c, str) for c in feature.categories):
        return next(v for i in range(10**9) if (v := f"other{i or ''}") not in feature.categories)
    return max(int(c) for c in feature.categories if not isinstance(c, str)) + 1


def _plain_between(feature: Feature, low: float, high: float, rounded: bool, whole: bool) -> float:
    """Find a number with few digits in (low, high]; ``whole``: a whole one, if there is one."""
    least = float(feature.above(low)) if math.isfinite(low) else -math.inf

    def fits(x: float) -> bool:
        if feature.values == "float32" and rounded:
            with np.errstate(over="ignore"):
                x = float(np.float32(x))
        return least <= x <= high

    if feature.values == "float32" and (least == math.inf or high == BELOW_FLOAT32):
        end = 1e39 if rounded else math.inf  # what lies beyond float32 rounds to infinity
        return end if least == math.inf else -end
    if math.isinf(low) or math.isinf(high):
        near = [0.0, float(np.floor(high)) if math.isfinite(high) else 0.0,
                float(np.floor(low)) + 1.0 if math.isfinite(low) else 0.0]  # fmt: skip
    else:
        middle = low + (high - low) / 2
        near = [float(f"{middle:.{digits}g}") for digits in range(1, 18)]
        near += [float(np.round(middle)), float(np.ceil(least)), float(np.floor(high))] * whole
    near += [high if math.isfinite(high) else least]
    if whole:
        near.sort(key=lambda x: x != np.floor(x))
    for x in near:
        if fits(x) and (not feature.whole or x == math.floor(x)):
            return x
    raise InvalidSpace(f"no value of {feature!r} lies above {low} and at or below {high}")
