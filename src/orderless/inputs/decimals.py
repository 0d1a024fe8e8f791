"""Exact numbers as people write them, and no larger than is sensible.

In:  a number, or its text.
Out: a ``Fraction``. A float is the shortest decimal that means it: 0.1 is a tenth.

``Fraction("1e99999999")`` is ten characters, and a number of a hundred million digits that takes
minutes and gigabytes to make. What comes out of a file, or from a caller, goes through here.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InvalidData, a_kind

__all__ = ["exact", "exact_number", "shown"]

MOST_DIGITS = 1000  # of a numerator or denominator; floats need 325
_MOST_BITS = 3322
_SAFE_BITS = 1000  # such a number is never too large for a float
# Python would also read 1_000, and digits of other scripts.
_WRITTEN = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?[0-9]+/[0-9]+|[+-]?(inf(inity)?|nan)",
    re.IGNORECASE,
)


def exact(value: Any, *, text: bool = True) -> Fraction:
    """Read a number exactly; cost and result are bounded whatever comes.

    Parameters
    ----------
    value : int, float, Fraction, Decimal, a number of numpy, or text
        Text is a decimal ("0.05", "1e-3") or a fraction ("1/3").
    text : bool
        Whether text is allowed.

    Raises
    ------
    TypeError
        It is no number.
    ValueError
        It is not finite, beyond what a float can hold, or has more than 1,000 digits.

    Examples
    --------
    >>> exact(0.1), exact("1/3")
    (Fraction(1, 10), Fraction(1, 3))
    >>> exact("1e99999999")
    Traceback (most recent call last):
    ...
    ValueError: 1E+99999999 is too large, or has too many digits
    """
    if type(value) is float:
        return _of_float(value)
    if isinstance(value, np.floating):  # np.float64 is a float, too, and has another repr
        return _of_text(str(value))
    if isinstance(value, float):
        return _of_text(repr(value))
    if type(value) is Fraction:
        return _bounded(value)
    if isinstance(value, str) and text:
        return _of_text(value)
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, int | Fraction | np.integer) and not isinstance(value, bool):
        return _bounded(Fraction(int(value) if isinstance(value, np.integer) else value))
    raise TypeError(f"expected a number, got {a_kind(value)}")


def exact_number(value: Any, what: str) -> Fraction:
    """Read a number, a float as the shortest decimal that means it: 0.1 is a tenth.

    Examples
    --------
    >>> exact_number(0.1, "the cost of 'age'")
    Fraction(1, 10)
    """
    if isinstance(value, np.generic):
        value = value.item()
    try:
        number = exact(value, text=False)
    except TypeError:
        raise InvalidData(f"{what} is {value!r:.80}: give a number, 0 or more") from None
    except ValueError as fault:
        raise InvalidData(
            f"{what} is {shown(value)}: give a finite number, 0 or more ({fault})"
        ) from None
    if number < 0:
        raise InvalidData(f"{what} is {shown(value)}: nothing costs or weighs less than 0")
    return number


@lru_cache(maxsize=1024)  # sets that are fitted one after the other have the same parameters
def _of_float(value: float) -> Fraction:
    return _of_text(repr(value))


@lru_cache(maxsize=1024)  # folds, bootstraps and weights give the same ones again and again
def _of_text(text: str) -> Fraction:
    if len(text) > 2 * MOST_DIGITS + 10:
        raise ValueError(f"{text:.40}... has too many digits")
    text = text.strip()
    if not _WRITTEN.fullmatch(text):
        raise ValueError(f"{text!r:.80} is not a number")
    if "/" in text:
        try:
            return _bounded(Fraction(text))
        except ZeroDivisionError:
            raise ValueError(f"{text} divides by 0") from None
    try:
        return _of_decimal(Decimal(text))
    except ArithmeticError:  # an exponent that Decimal does not hold
        raise ValueError(f"{text:.40} is too large, or has too many digits") from None


def _of_decimal(number: Decimal) -> Fraction:
    if not number.is_finite():
        raise ValueError(f"{number} is not finite")
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    if not number:
        return Fraction(0)
    if len(digits) > MOST_DIGITS or abs(exponent) > MOST_DIGITS:
        raise ValueError(f"{number!s:.40} is too large, or has too many digits")
    return _bounded(Fraction(number))


def _bounded(number: Fraction) -> Fraction:
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if bits <= _SAFE_BITS:
        return number
    if bits > _MOST_BITS:
        raise ValueError("the number has too many digits")
    try:
        float(number)
    except OverflowError:
        raise ValueError("the number is too large") from None
    return number


def shown(value: Any) -> str:
    """Show a value in a message, also a number of more digits than Python writes."""
    try:
        return f"{value!r:.80}"
    except ValueError:
        return "a number of thousands of digits"
