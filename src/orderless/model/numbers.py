"""Which numbers a feature can take, and how to write one down.

In:  thresholds as they came; counts.
Out: the boundary that a threshold really draws, and the shortest text that draws it too; counts as
     people read them.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from .arrays import Floats

__all__ = [
    "BELOW_FLOAT32",
    "next_value",
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
