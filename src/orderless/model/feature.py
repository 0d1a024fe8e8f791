"""Features: what a person measures, and the values that it can have.

In:  a name, a kind, perhaps categories.
Out: ``Feature``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidSpace
from .numbers import next_value, value_at_most

__all__ = ["Feature", "Label", "Values", "first_repeated", "plain_label", "shared_feature"]

Label = bool | int | float | str
Kind = Literal["numeric", "boolean", "categorical"]
Values = Literal["float64", "float32", "integer"]

KINDS = ("numeric", "boolean", "categorical")
VALUES = ("float64", "float32", "integer")
OTHER = "(other)"
MISSING = "(missing)"


def first_repeated(names: Iterable[str]) -> str | None:
    """Give the first name that was there before, looking at each once; None if all differ.

    Examples
    --------
    >>> first_repeated(["a", "b", "a"])
    'a'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def plain_label(label: object) -> Label:
    """Turn a label of any usual type (numpy scalars too) into a plain bool, int, float or str."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and not math.isfinite(label):
        raise InvalidSpace(f"cannot use {label!r} as a label: use finite numbers or text")
    if isinstance(label, int) and label.bit_length() > 1023:
        raise InvalidSpace("cannot use a whole number of more than 1,023 bits as a label")
    if isinstance(label, bool | int | float | str):
        return label
    raise InvalidSpace(
        f"cannot use {label!r} ({type(label).__qualname__}) as a label: "
        "labels must be bool, int, float or str; map yours to one of these"
    )


@dataclass(frozen=True, slots=True)
class Feature:
    """What a person measures.

    Parameters
    ----------
    name : str
    kind : "numeric", "boolean" or "categorical"
    values : "float64", "float32" or "integer"
        Which numbers a numeric feature can take. Thresholds between the same two of them are one
        condition. scikit-learn rounds rows to float32 before it compares, so its trees have
        float32 features.
    categories : tuple of labels
        The values of a categorical feature.
    other : bool
        Whether a categorical feature can have a value that is not listed. Where all categories are
        whole numbers, that is another whole number: codes with a fraction are refused.
    nan : bool
        Whether NaN is a value of its own, which a tree has learned to handle, and not an unknown.
        Not for booleans: with a third value, a feature is categorical.

    Attributes
    ----------
    ordered : bool
        Whether its conditions are thresholds (a boolean counts as 0 < 1).
    n_values : int
        How many values a categorical feature has, with "other" and "missing"; 0 if ordered.
    bounds : tuple of float
        All values lie above the first and at or below the second.
    whole : bool
        Whether every value is a whole number.

    Examples
    --------
    >>> Feature("age", values="integer")
    Feature('age', integer)
    >>> Feature("color", "categorical", categories=("red", "blue"), other=True)
    Feature('color', categorical: 'red', 'blue', other)
    """

    name: str
    kind: Kind = "numeric"
    values: Values = "float64"
    categories: tuple[Label, ...] = ()
    other: bool = False
    nan: bool = False
    ordered: bool = field(init=False, compare=False)
    n_values: int = field(init=False, compare=False)
    bounds: tuple[float, float] = field(init=False, compare=False)
    whole: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidSpace(f"a feature's name must be text and not empty, got {self.name!r}")
        if self.kind not in KINDS:
            raise InvalidSpace(
                f"feature {self.name!r} has kind {self.kind!r}: it must be one of {KINDS}"
            )
        if self.values not in VALUES:
            raise InvalidSpace(
                f"feature {self.name!r} has values {self.values!r}: it must be one of {VALUES}"
            )
        if self.kind == "categorical" or self.categories != ():
            self._check_categories()
        if self.values != "float64" and self.kind != "numeric":
            raise InvalidSpace(
                f"feature {self.name!r} is {self.kind} and has values={self.values!r}: "
                "only numeric features choose which numbers they can take"
            )
        if self.other or self.nan:
            self._check_flags()
        # Said once, because it is asked often.
        ordered, boolean = self.kind != "categorical", self.kind == "boolean"
        derive = object.__setattr__
        derive(self, "ordered", ordered)
        derive(self, "n_values", 0 if ordered else len(self.categories) + self.other + self.nan)
        derive(self, "bounds", (-1.0, 1.0) if boolean else (-math.inf, math.inf))
        derive(self, "whole", boolean or self.values == "integer")

    def _check_categories(self) -> None:
        object.__setattr__(self, "categories", tuple(plain_label(c) for c in self.categories))
        if (self.kind == "categorical") != bool(self.categories):
            raise InvalidSpace(
                f"feature {self.name!r} is {self.kind} and lists {len(self.categories)} "
                "categories: categorical features must list theirs, and no others may"
            )
        if len(set(self.categories)) != len(self.categories):
            raise InvalidSpace(f"feature {self.name!r} lists a category twice: {self.categories}")

    def _check_flags(self) -> None:
        if self.other and self.kind != "categorical":
            raise InvalidSpace(
                f"feature {self.name!r} is {self.kind} and has other=True: only categorical "
                "features can have values that are not listed"
            )
        for flag, name in ((self.other, OTHER), (self.nan, MISSING)):
            if flag and name in self.categories:
                raise InvalidSpace(
                    f"feature {self.name!r} lists the category {name!r}, which is how an "
                    "unlisted or missing value is written: rename the category"
                )
        if self.kind == "boolean" and self.nan:
            raise InvalidSpace(
                f"feature {self.name!r} is boolean, so NaN cannot be a value of it; "
                "make it categorical"
            )

    def at_most(self, threshold: ArrayLike, strict: bool = False) -> NDArray[np.float64]:
        """Give the boundary that a threshold really draws: the largest value on its lower side.

        ``strict`` reads the threshold as ``x < threshold``. Infinite where no or every value is
        below.

        Examples
        --------
        >>> float(Feature("age", values="integer").at_most(24.5))
        24.0
        """
        cut = np.asarray(threshold, dtype=np.float64)
        if self.kind == "boolean":
            low = cut < 0 if not strict else cut <= 0
            high = cut >= 1 if not strict else cut > 1
            return np.where(low, -1.0, np.where(high, 1.0, 0.0))
        return value_at_most(cut, self.values, strict)

    def above(self, boundary: ArrayLike) -> NDArray[np.float64]:
        """Give the smallest value above a boundary."""
        values = "integer" if self.kind == "boolean" else self.values
        return next_value(np.asarray(boundary, dtype=np.float64), values)

    def code(self, label: object) -> int | None:
        """Give the number of a category, None when it is not one of this feature's values.

        Among categories that are whole numbers a fraction is no other category: libraries cut such
        codes to whole numbers, in ways of their own.
        """
        try:
            return self.categories.index(cast(Any, label))
        except ValueError:
            if isinstance(label, float) and not label.is_integer() and self.whole_categories:
                return None
            return len(self.categories) if self.other else None

    @property
    def whole_categories(self) -> bool:
        """Whether all categories are whole numbers."""
        return all(type(label) is int for label in self.categories)

    def label(self, code: int) -> Label:
        """Give the category with this number, or how "other" and "missing" are written."""
        if code < len(self.categories):
            return self.categories[code]
        return OTHER if self.other and code == len(self.categories) else MISSING

    def __repr__(self) -> str:
        if self.kind == "categorical":
            parts = [repr(c) for c in self.categories] + ["other"] * self.other
            kind = "categorical: " + ", ".join(parts)
        elif self.kind == "boolean":
            kind = "boolean"
        else:
            kind = {"float64": "numeric", "float32": "numeric float32", "integer": "integer"}[
                self.values
            ]
        return f"Feature({self.name!r}, {kind}{', or missing' if self.nan else ''})"


def shared_feature(a: Feature, b: Feature) -> Feature:
    """Give the feature whose values are those that two features of one name have in common."""
    nan = a.nan and b.nan
    if a.ordered and b.ordered:
        if "boolean" in (a.kind, b.kind):
            return Feature(a.name, "boolean")
        narrow = max(VALUES.index(a.values), VALUES.index(b.values))
        return Feature(a.name, values=cast(Values, VALUES[narrow]), nan=nan)
    if a.ordered:
        a, b = b, a
    if b.ordered:  # numbers that are categories
        numbers = [c for c in a.categories if not isinstance(c, str)]
        if b.whole:
            low, high = b.bounds
            numbers = [c for c in numbers if c == int(c) and low < c <= high]
        labels: list[Label] = list(numbers)
        other = False
    else:
        labels = [c for c in a.categories if b.code(c) is not None]
        labels += [c for c in b.categories if a.other and c not in a.categories]
        other = a.other and b.other
    if not labels:
        raise InvalidSpace(
            f"{a!r} and {b!r} have no value in common, so their trees cannot be compared: "
            "rename one of them if they are different things"
        )
    return Feature(a.name, "categorical", categories=tuple(labels), other=other, nan=nan)
