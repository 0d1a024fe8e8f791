"""Outcomes: which answers, of one row or of two, a property is about.

In:  a label, ends of an interval, or an order of classes, as people give them.
Out: ``Outcome`` of one row; ``Unequal``, ``Falling`` and ``Near`` of two; ranks of classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import InvalidData, InvalidTree, a_kind
from ..inputs import near, some_names
from ..model import Feature, SumKernel, TreeKernel, label_text

__all__ = ["Falling", "Near", "Outcome", "Unequal", "class_ranks", "read_outcome"]

ENDS = ("above", "at_least", "at_most", "below")
Model = TreeKernel | SumKernel


@dataclass(frozen=True)
class Outcome:
    """Answers that are asked for: classes by number, or numbers above one end up to the other."""

    codes: frozenset[int] = frozenset()
    lower: float = -math.inf
    upper: float = math.inf


@dataclass(frozen=True)
class Unequal:
    """Two rows that get different answers."""


@dataclass(frozen=True)
class Falling:
    """Two rows of which the one with less of a feature (``sign`` 1) gets the higher answer.

    ``rank`` has the place of each class in their order; it is empty for numbers.
    """

    feature: Feature
    sign: int
    rank: tuple[int, ...] = ()


@dataclass(frozen=True)
class Near:
    """Two rows with different answers whose values of a feature are at most ``by`` apart."""

    feature: Feature
    by: Fraction


def class_ranks(model: Model, order: Sequence[Any] | None) -> tuple[tuple[int, ...], str]:
    """Give the place of each class in their order, and the order in words."""
    if model.task == "regression":
        if order is not None:
            raise InvalidData("order is about classes, and this model says numbers: leave it out")
        return (), ""
    classes = list(model.classes)
    if order is None:
        if any(isinstance(label, str) for label in classes):
            raise InvalidData(
                f"the classes {some_names(classes)} have no order of their own: give order=, "
                "the lowest first"
            )
        rising = sorted(classes, key=float)
        return tuple(rising.index(label) for label in classes), ""
    given = list(order) if isinstance(order, Iterable) and not isinstance(order, str) else [order]
    if len(given) != len(classes) or any(label not in given for label in classes):
        raise InvalidData(
            f"order must have each class once, the lowest first: {some_names(classes)}; got "
            f"{some_names(given)}"
        )
    words = " < ".join(label_text(label) for label in given)
    return tuple(given.index(label) for label in classes), f" ({words})"


def read_outcome(
    model: Model, label: Any, above: Any, at_least: Any, at_most: Any, below: Any
) -> tuple[Outcome, str]:
    """Read which answers are meant, and put them into words."""
    ends = {
        key: end
        for key, end in zip(ENDS, (above, at_least, at_most, below), strict=True)
        if end is not None
    }
    if (label is ...) == (not ends):
        raise InvalidData("give one answer, or for a model of numbers above=, at_least=, "
                          "at_most= or below=")  # fmt: skip
    if model.task == "classification":
        if ends:
            raise InvalidTree(
                f"{some_names(ends)} is about numbers, and this model says classes: name one "
                f"of {some_names(model.classes)}"
            )
        return _classes_named(model, label)
    if ends:
        return _interval(ends)
    number = _number(label, "the answer")
    words = f"{number:.12g}"
    return Outcome(lower=math.nextafter(number, -math.inf), upper=number), words


def _classes_named(model: Model, label: Any) -> tuple[Outcome, str]:
    many = list(label) if isinstance(label, set | frozenset | list | tuple) else [label]
    classes = list(model.classes)
    for one in many:
        if one not in classes:
            raise InvalidData(
                f"there is no class {one!r:.80}{near(one, classes)}: the classes are "
                f"{some_names(classes)}"
            )
    codes = frozenset(classes.index(one) for one in many)
    if not codes:
        raise InvalidData("the set of answers is empty: name one at least")
    return Outcome(codes), " or ".join(label_text(classes[code]) for code in sorted(codes))


def _number(given: Any, what: str) -> float:
    try:
        if isinstance(given, bool | str | bytes):
            raise TypeError
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"{what} must be a number, got {a_kind(given)}") from None
    if not math.isfinite(number):
        raise InvalidData(f"{what} must be a finite number, got {number}")
    return number


def _interval(ends: Mapping[str, Any]) -> tuple[Outcome, str]:
    for pair in (("above", "at_least"), ("at_most", "below")):
        if all(key in ends for key in pair):
            raise InvalidData(f"give {pair[0]}= or {pair[1]}=, not both")
    lower, upper = -math.inf, math.inf
    for key, end in ends.items():
        number = _number(end, f"{key}=")
        beside = math.nextafter(number, -math.inf)
        if key in ("above", "at_least"):
            lower = number if key == "above" else beside
        else:
            upper = number if key == "at_most" else beside
    if not lower < upper:
        raise InvalidData(f"no number lies between the ends {dict(ends)!r:.120}")
    words = " and ".join(f"{key.replace('_', ' ')} {float(end):.12g}" for key, end in ends.items())
    return Outcome(lower=lower, upper=upper), words
