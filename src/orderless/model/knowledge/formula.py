"""Formulas: what a fact says, over positions of features, free of its words.

In:  linear atoms, values of categories, and how many of some parts hold.
Out: ``Formula``, its opposite, the features that it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .linear import Linear

__all__ = [
    "ALWAYS", "NEVER", "Among", "Formula", "HowMany", "Missing", "both", "compared",
    "compared_in", "either", "features_of", "linear_in", "moved", "opposite", "tight",
]  # fmt: skip


class Among(NamedTuple):
    """A categorical feature has one of some values, by their numbers."""

    feature: int
    codes: frozenset[int]
    n_values: int


class Missing(NamedTuple):
    """Whether the number of a feature is missing, where NaN is a value of it."""

    feature: int
    is_missing: bool


class HowMany(NamedTuple):
    """At least ``low`` and at most ``high`` of the parts hold."""

    parts: tuple[Formula, ...]
    low: int
    high: int


Formula = Linear | Among | Missing | HowMany
NEVER, ALWAYS = HowMany((), 1, 1), HowMany((), 0, 0)


def either(parts: Iterable[Formula]) -> Formula:
    """Give the formula that holds where at least one part does."""
    own = tuple(parts)
    return own[0] if len(own) == 1 else HowMany(own, 1, len(own))


def both(parts: Sequence[Formula]) -> Formula:
    """Give the formula that holds where all parts do."""
    return parts[0] if len(parts) == 1 else HowMany(tuple(parts), len(parts), len(parts))


def opposite(formula: Formula) -> Formula:
    """Give the formula that holds where this one does not.

    Numbers that are missing are no concern of it: facts about them are left out as a whole.
    """
    if isinstance(formula, Among):
        every = frozenset(range(formula.n_values))
        return formula._replace(codes=every - formula.codes)
    if isinstance(formula, Missing):
        return formula._replace(is_missing=not formula.is_missing)
    if isinstance(formula, Linear):
        turned = tuple((i, -f) for i, f in formula.terms)
        if formula.relation == "=":
            return either([formula._replace(relation="<"), Linear(turned, "<", -formula.bound)])
        return Linear(turned, "<" if formula.relation == "<=" else "<=", -formula.bound)
    parts, low, high = formula
    fewer = tuple(opposite(part) for part in parts)
    n = len(parts)
    ways: list[Formula] = []
    if low > 0:
        ways.append(HowMany(fewer, n - low + 1, n))
    if high < n:
        ways.append(HowMany(parts, high + 1, n))
    return either(ways) if ways else NEVER


def features_of(formula: Formula) -> frozenset[int]:
    """Give the positions of the features that a formula is about."""
    if isinstance(formula, Linear):
        return frozenset(i for i, _ in formula.terms)
    if isinstance(formula, HowMany):
        return frozenset(i for part in formula.parts for i in features_of(part))
    return frozenset([formula.feature])


def compared_in(formula: Formula) -> frozenset[int]:
    """Give the positions of the numbers that a formula compares with something."""
    if isinstance(formula, HowMany):
        return frozenset(i for part in formula.parts for i in compared_in(part))
    return features_of(formula) if isinstance(formula, Linear) else frozenset()


def moved(formula: Formula, place: Mapping[int, int]) -> Formula:
    """Give the same formula about other features."""
    if isinstance(formula, HowMany):
        return formula._replace(parts=tuple(moved(part, place) for part in formula.parts))
    if isinstance(formula, Linear):
        return formula._replace(terms=tuple((place.get(i, i), f) for i, f in formula.terms))
    return formula._replace(feature=place.get(formula.feature, formula.feature))


def linear_in(formula: Formula) -> bool:
    """Whether it compares features with each other, not only with numbers and values."""
    if isinstance(formula, HowMany):
        return any(linear_in(part) for part in formula.parts)
    return isinstance(formula, Linear) and len(formula.terms) > 1


def tight(formula: Formula, whole: Sequence[bool]) -> Formula:
    """Round the bounds of linear atoms over whole numbers alone to whole numbers."""
    if isinstance(formula, HowMany):
        return formula._replace(parts=tuple(tight(part, whole) for part in formula.parts))
    if not isinstance(formula, Linear) or not all(whole[i] for i, _ in formula.terms):
        return formula
    scale = 1
    for _, factor in formula.terms:
        scale = scale * factor.denominator // math.gcd(scale, factor.denominator)
    common = 0
    for _, factor in formula.terms:
        common = math.gcd(common, int(factor * scale))
    step = Fraction(scale, common or 1)
    terms = tuple((i, f * step) for i, f in formula.terms)
    bound = formula.bound * step
    below = Fraction(bound.numerator // bound.denominator)
    if formula.relation == "=":
        if below != bound:
            return NEVER  # no whole numbers do
        return Linear(terms, "=", bound)
    if formula.relation == "<" and below == bound:
        below -= 1
    return Linear(terms, "<=", below)


def compared(
    terms: dict[int, Fraction], relation: str, bound: Fraction, within: Fraction = Fraction(0)
) -> Formula:
    """Give the formula of a sum that is compared with a number."""
    own = tuple(sorted((i, f) for i, f in terms.items() if f))
    turned = tuple((i, -f) for i, f in own)
    if not own:  # numbers alone
        right = {"<=": bound >= 0, "<": bound > 0, ">=": bound <= 0, ">": bound < 0,
                 "=": abs(bound) <= within, "!=": bound != 0}  # fmt: skip
        return ALWAYS if right[relation] else NEVER
    if relation in ("<=", "<"):
        return Linear(own, relation, bound)
    if relation in (">=", ">"):
        return Linear(turned, "<=" if relation == ">=" else "<", -bound)
    if relation == "=" and within:
        return both([Linear(own, "<=", bound + within), Linear(turned, "<=", within - bound)])
    same = Linear(own, "=", bound)
    return same if relation == "=" else opposite(same)
