"""Conditions and columns: what a row can say about a feature.

In:  a feature's name, a threshold or some values.
Out: ``Condition``, and ``Column``, which holds a feature's value or whether a condition holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import InvalidSpace
from .feature import Label, plain_label
from .words import condition_text

__all__ = ["Column", "Condition"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A test on one feature: at most a threshold, or one of some values.

    Examples
    --------
    >>> print(Condition("age", at_most=30.0))
    age <= 30
    >>> print(Condition("color", among=("red", "blue")))
    color in {red, blue}
    """

    feature: str
    at_most: float | None = None
    among: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        if (self.at_most is None) == (self.among is None):
            raise InvalidSpace(
                f"a condition on {self.feature!r} needs either at_most=number or among=labels, "
                f"got at_most={self.at_most!r} and among={self.among!r}"
            )
        if not isinstance(self.feature, str):
            raise InvalidSpace(f"a condition must name its feature, got {self.feature!r}")
        if self.at_most is not None:
            object.__setattr__(self, "at_most", _threshold(self.feature, self.at_most))
        if self.among is not None:
            if isinstance(self.among, str | bytes) or not isinstance(self.among, Iterable):
                raise InvalidSpace(
                    f"the values of a condition on {self.feature!r} must be a tuple of labels, "
                    f"got {self.among!r}"
                )
            values = dict.fromkeys(plain_label(v) for v in self.among)  # each once
            object.__setattr__(self, "among", tuple(values))

    def __str__(self) -> str:
        return condition_text(self.feature, self.at_most, self.among or ())


def _threshold(feature: str, given: object) -> float:
    """Read a threshold, which must be a float64 as it stands."""
    try:
        if isinstance(given, bool | str | bytes):
            raise TypeError
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidSpace(
            f"a threshold on {feature!r} must be a number, got {given!r:.80}"
        ) from None
    if not math.isfinite(number):
        raise InvalidSpace(f"a threshold on {feature!r} must be finite, got {number}")
    if isinstance(given, int) and given != number:
        raise InvalidSpace(
            f"a threshold on {feature!r} must be a float64, and {given} is not one: "
            f"the nearest is {number:.0f}"
        )
    return number + 0.0


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the rows: a feature's value, or (0/1) whether a condition on it holds."""

    name: str
    feature: str
    condition: Condition | None = None
