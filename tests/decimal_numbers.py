"""Numbers as the decimals that they are written as, for oracles about ``tolerance=``."""

from fractions import Fraction

__all__ = ["decimal", "near"]


def decimal(number):
    """Read the shortest text that means a float, digit by digit."""
    return Fraction(repr(float(number)))


def near(numbers, tolerance):
    """Whether all numbers lie within so much of each other."""
    return decimal(max(numbers)) - decimal(min(numbers)) <= decimal(tolerance)
