"""Numbers: which a feature can take, how to write one down, and those that people give.

In:  thresholds as they came; counts; levels, labels, a tolerance, a probability.
Out: the boundary that a threshold really draws, and the shortest text that draws it too; counts as
     people read them; settings that were checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InvalidTree
from .arrays import Floats

__all__ = [
    "BELOW_FLOAT32",
    "around_labels",
    "level_labels",
    "midpoint",
    "place_of",
    "read_levels",
    "read_probability",
    "read_tolerance",
    "row_boundary",
    "short_count",
    "short_end",
    "short_number",
    "value_at_most",
]

# How -inf is written as a boundary of float32: the power of two below the least float32. A row's
# -1e300 rounds to -inf, which is at most -1e39; a boundary of -inf itself is one that no row is at.
BELOW_FLOAT32 = -(2.0**128)


def value_at_most(cut: Floats, values: str, strict: bool = False) -> Floats:
    """Give the largest float64, float32 or integer at or (``strict``) below each cut.

    Among float32 that may be -inf, to which rows round; it is given as -2^128. Infinite where no
    value, or every value, is there.
    """
    if strict:
        with np.errstate(over="ignore"):  # below the lowest float there is only -inf
            cut = np.nextafter(cut, -np.inf)
    if values == "integer":  # no row holds a whole number above the largest float
        low = np.floor(cut) + 0.0
        return np.where(low == np.finfo(np.float64).max, np.inf, low)
    if values == "float32":
        with np.errstate(over="ignore"):
            near = cut.astype(np.float32)
            down = np.nextafter(near, np.float32(-np.inf))
        low = np.where(near > cut, down, near).astype(np.float64) + 0.0
        return np.where(np.isneginf(low) & np.isfinite(cut), BELOW_FLOAT32, low)
    return cut + 0.0


def next_value(boundary: Floats, values: str) -> Floats:
    """Give the smallest float64, float32 or integer above each boundary."""
    if values == "integer":  # from 2^53 on floats are further than 1 apart
        low = np.floor(boundary)
        with np.errstate(over="ignore"):
            return np.maximum(low + 1.0, np.nextafter(low, np.inf))
    with np.errstate(over="ignore"):  # above the largest float there is only inf
        if values == "float32":
            near = boundary.astype(np.float32)
            above = np.where(near > boundary, near, np.nextafter(near, np.float32(np.inf)))
            return above.astype(np.float64) + 0.0
        return np.nextafter(boundary, np.inf) + 0.0


def row_boundary(boundary: Floats, values: str) -> Floats:
    """Give the largest float64 that a row may hold and still fall on the lower side.

    It differs from the boundary only for float32 features, whose rows are rounded first: to
    nearest, ties to even.
    """
    if values != "float32":
        return boundary
    low = np.asarray(boundary, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        high = next_value(low, "float32")
        # Beyond the largest float32 the next step would have been 2**128.
        middle = np.where(np.isinf(high), (low + 2.0**128) / 2, (low + high) / 2)
        middle = np.where(middle.astype(np.float32) <= low, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(low), middle, low)


def short_number(boundary: float, values: str = "float64") -> str:
    """Write the shortest decimal that, read as one of these values, is the boundary.

    So a person who compares with the printed number decides every row as the tree does.

    Examples
    --------
    >>> short_number(0.1), short_number(30.0), short_number(24.0, "integer")
    ('0.1', '30', '24')
    >>> short_number(0.800000011920929, "float32")  # the float32 that 0.8 is read as
    '0.8'
    """
    if not np.isfinite(boundary) or (values == "float32" and boundary == BELOW_FLOAT32):
        return "inf" if boundary > 0 else "-inf"
    number = np.float32(boundary) if values == "float32" else np.float64(boundary)
    if boundary == 0 or 1e-5 <= abs(boundary) < 1e16:
        return np.format_float_positional(number, unique=True, trim="-")
    return np.format_float_scientific(number, unique=True, trim="-")


def short_end(boundary: float, values: str = "float64") -> tuple[str, bool]:
    """Write the end of an interval: the boundary, or the next number beyond it if that is shorter.

    "At most 2.4499998" and "less than 2.45" are the same among float32, which have no number
    between the two.

    Returns
    -------
    number : str
    beyond : bool
        Whether it is the next number: values up to the boundary are then *less than* it.

    Examples
    --------
    >>> short_end(7.0), short_end(2.4499998092651367, "float32")
    (('7', False), ('2.45', True))
    """
    own = short_number(boundary, values)
    if values == "integer" or not np.isfinite(boundary):
        return own, False
    beyond = short_number(float(next_value(np.asarray(boundary), values)), values)
    if own == "-inf" or beyond == "inf":  # at the ends of what there is
        return (own, False) if beyond == "inf" else (beyond, True)
    return (beyond, True) if len(beyond) < len(own) else (own, False)


def short_count(n: int) -> str:
    """Write a count for people: all digits below 10^12, two and the power of ten from there on.

    Examples
    --------
    >>> short_count(60404), short_count(1234 * 10**27)
    ('60,404', 'about 1.2e30')
    """
    if n < 10**12:
        return f"{n:,}"
    return f"about {Decimal(n):.1e}".replace("e+", "e")


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


def around_labels(lower: float, upper: float) -> list[str]:
    """Name the numbers below an interval, inside it and above it.

    Examples
    --------
    >>> around_labels(10.0, 14.0)
    ['below 10', '10 to 14', 'above 14']
    """
    low, high = short_number(lower), short_number(upper)
    return [f"below {low}", low if lower == upper else f"{low} to {high}", f"above {high}"]


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
