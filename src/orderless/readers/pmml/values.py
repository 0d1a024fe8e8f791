"""Values in PMML's text: numbers and labels, by the type that a field declares.

In:  text of an attribute, and a data type.
Out: a number, or a label.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

import numpy as np

from ...errors import UnreadableModel
from ...model import Label, plain_label

__all__ = ["NUMBERS", "TYPES", "is_number", "label_of", "number_of"]

NUMBERS = ("integer", "float", "double")
TYPES = (*NUMBERS, "string", "boolean")
LONGEST = 2_000  # digits of a number


def number_of(text: str, what: str, data_type: str = "double") -> float:
    """Read a finite number; one of type "float" is rounded to float32, once.

    Examples
    --------
    >>> number_of("2.4499998", "a threshold", "float"), number_of("2.4499998", "a threshold")
    (2.4499998092651367, 2.4499998)
    """
    try:
        if len(text) > LONGEST or "_" in text:
            raise ValueError
        number = float(text)
    except ValueError:
        raise UnreadableModel(f"{what} is {text!r:.60} and must be a number") from None
    if data_type == "float" and isfinite(number):
        number = _nearest_float32(text, number)
    if not isfinite(number):
        raise UnreadableModel(f"{what} is {text!r:.60} and must be a finite number")
    return number + 0.0


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _nearest_float32(text: str, number: float) -> float:
    """Round a decimal to float32; by way of a float64 it could be rounded twice."""
    with np.errstate(over="ignore"):
        single = np.float32(number)
        other = np.nextafter(single, np.float32(np.inf if number > float(single) else -np.inf))
    near, far = float(single), float(other)
    if near != number and isfinite(near) and isfinite(far) and number - near == far - number:
        exact = Fraction(text.strip())
        if abs(exact - Fraction(far)) < abs(exact - Fraction(near)):
            return far
    return near


def label_of(text: str, data_type: str, what: str) -> Label:
    """Read a label.

    Examples
    --------
    >>> label_of("3", "integer", "a class"), label_of("true", "boolean", "a class")
    (3, True)
    """
    if data_type == "string":
        return text
    if data_type == "boolean":
        value = {"true": True, "false": False, "1": True, "0": False}.get(text.strip().lower())
        if value is None:
            raise UnreadableModel(f"{what} is {text!r:.60} and must be true or false")
        return value
    number = number_of(text, what)
    if data_type == "integer":
        if not number.is_integer():
            raise UnreadableModel(f"{what} is {text!r:.60} and must be a whole number")
        return int(text) if text.strip().lstrip("+-").isdigit() else int(number)
    return plain_label(number)
