"""Numbers that leaves predict: levels, distances between them, probabilities.

In:  what a person gives: levels, labels, a tolerance, a probability.
Out: the same, checked; the names of intervals, their widths and midpoints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InvalidTree
from .arrays import Floats
from .numbers import short_number

__all__ = [
    "level_labels",
    "midpoint",
    "place_of",
    "read_levels",
    "read_probability",
    "read_tolerance",
]

ROUNDING = 1 - 2.0**-50  # shares that differ by less are one share, computed in two ways


def place_of(classes: Sequence[Any], label: Any) -> int:
    """Give the position of a class; an error lists the classes that there are."""
    for i, own in enumerate(classes):
        if own == label and isinstance(own, bool) == isinstance(label, bool | np.bool_):
            return i
    raise InvalidTree(
        f"there is no class {label!r:.80}: the classes are {str(list(classes))[:200]}"
    )


def read_probability(probability: Any) -> float:
    """Check a probability."""
    if isinstance(probability, bool) or not isinstance(probability, int | float | np.number):
        raise ValueError(f"probability must be a number from 0 to 1, got {probability!r:.80}")
    if not 0 <= probability <= 1:
        raise ValueError(f"probability must be from 0 to 1, got {probability!r}")
    return float(probability)


def level_labels(levels: Sequence[float], labels: Sequence[Any] | None) -> Sequence[Any]:
    """Name the intervals between levels, or check the names that are given.

    Examples
    --------
    >>> level_labels([10.0, 20.0], None)
    ['at most 10', 'above 10 to 20', 'above 20']
    """
    if labels is None:
        text = [short_number(level) for level in levels]
        between = [f"above {low} to {high}" for low, high in pairwise(text)]
        return [f"at most {text[0]}", *between, f"above {text[-1]}"]
    if isinstance(labels, str) or len(labels) != len(levels) + 1:
        raise InvalidTree(
            f"{len(levels)} {'level cuts' if len(levels) == 1 else 'levels cut'} the numbers into "
            f"{len(levels) + 1} classes: give as many labels, got {labels!r:.80}"
        )
    return labels


def read_tolerance(tolerance: Any) -> float:
    """Check how wide an interval may be; the float is the decimal that it is written as."""
    if isinstance(tolerance, bool) or not isinstance(
        tolerance, int | float | np.integer | np.floating
    ):
        raise ValueError(f"tolerance must be a number of at least 0, got {tolerance!r:.80}")
    try:
        width = float(str(tolerance)) if isinstance(tolerance, np.floating) else float(tolerance)
    except OverflowError:
        width = math.inf
    if not 0 <= width < math.inf:
        raise ValueError(f"tolerance must be a finite number of at least 0, got {tolerance!r:.80}")
    if isinstance(tolerance, int | np.integer) and int(tolerance) != int(width):
        raise ValueError(
            f"tolerance is {int(tolerance)}, which float64 cannot hold: the nearest is {width:.0f}"
        )
    return width


def midpoint(lower: Any, upper: Any) -> Floats:
    """Give the number in the middle of each interval, also where the sum of its ends is too large.

    Examples
    --------
    >>> midpoint([1.0, 1.5e308], [2.0, 1.7e308]).tolist()
    [1.5, 1.6e+308]
    """
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    return np.where(np.isinf(middle), low / 2 + high / 2, middle)


def read_levels(levels: Sequence[float]) -> list[float]:
    """Check the levels at which numbers are cut."""
    if isinstance(levels, str) or np.ndim(levels) != 1 or np.size(levels) == 0:
        raise InvalidTree(f"levels must be a list of at least one number, got {levels!r:.80}")
    for level in levels:
        if isinstance(level, bool) or not isinstance(level, int | float | np.number):
            raise InvalidTree(f"levels must be numbers, got {level!r:.80}")
        if not math.isfinite(level):
            raise InvalidTree(f"levels must be finite numbers, got {level!r}")
    at = [float(level) for level in levels]
    if any(low >= high for low, high in pairwise(at)):
        raise InvalidTree(f"levels must rise, got {at!r:.80}")
    return at
