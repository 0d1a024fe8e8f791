"""Features: what a person measures, the values that it can have, and conditions on them.

In:  a name, a kind, perhaps categories.
Out: ``Feature``; ``Side``: an interval of its numbers, or some of its categories, also as data
     (docs/formats); ``Condition``, and ``Column``, which holds a feature's value or whether a
     condition holds; a plain value out of a side, near what is usual.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidSpace, InvalidTree
from .numbers import BELOW_FLOAT32, next_value, short_number, value_at_most

__all__ = [
    "Column",
    "Condition",
    "Feature",
    "Label",
    "Side",
    "Values",
    "any_value",
    "counted",
    "first_repeated",
    "plain_label",
    "value_in",
]

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


@dataclass(frozen=True, slots=True)
class Side:
    """What a box says of one feature.

    Attributes
    ----------
    feature : Feature
    lower, upper : float
        Ordered features: the values above ``lower`` and at most ``upper``; none if they are equal.
        A ``lower`` of -inf is no end at all: -inf itself is inside.
    nan : bool
        Whether it has NaN, where NaN is a value.
    codes : tuple of int
        Categorical features: the numbers of the values.
    """

    feature: Feature
    lower: float = -math.inf
    upper: float = math.inf
    nan: bool = False
    codes: tuple[int, ...] = ()

    @classmethod
    def whole(cls, feature: Feature) -> Side:
        """Give the side that says nothing: every value is in."""
        if feature.ordered:
            return cls(feature, nan=feature.nan)
        return cls(feature, codes=tuple(range(feature.n_values)))

    @property
    def labels(self) -> tuple[Label, ...]:
        """Categorical features: the values."""
        return tuple(self.feature.label(code) for code in self.codes)

    @property
    def is_whole(self) -> bool:
        """Whether it says nothing: every value of the feature is in."""
        if not self.feature.ordered:
            return len(self.codes) == self.feature.n_values
        low, high = self.feature.bounds
        nan = self.nan or not self.feature.nan
        return self.lower <= low and self.upper >= high and nan

    @property
    def n_conditions(self) -> int:
        """How many conditions it takes; an interval with two ends takes two."""
        if not self.feature.ordered or not self.lower < self.upper:
            return 1
        low, high = self.feature.bounds
        return max((self.lower > low) + (self.upper < high), 1)

    def has(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which numbers of an ordered feature it has (NaN only where NaN is a value)."""
        above = (values > self.lower) | (self.lower == -math.inf)  # a row may hold -inf itself
        return (above & (values <= self.upper)) | (np.isnan(values) & self.nan)

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        out: dict[str, Any] = {"feature": self.feature.name}
        if self.feature.ordered:
            if not self.lower < self.upper:
                return {**out, "missing": "only"}
            if math.isfinite(self.lower):
                out["above"] = self.lower
            if math.isfinite(self.upper):
                out["at_most"] = self.upper
            if self.feature.nan:
                out["missing"] = self.nan
            return out
        n = len(self.feature.categories)
        out["among"] = [self.feature.categories[code] for code in self.codes if code < n]
        if self.feature.other:
            out["other"] = n in self.codes
        if self.feature.nan:
            out["missing"] = self.feature.n_values - 1 in self.codes
        return out

    @classmethod
    def from_dict(cls, feature: Feature, given: dict[str, Any]) -> Side:
        """Read what ``to_dict`` wrote; anything else is an ``InvalidTree``."""
        if not feature.ordered:
            return cls(feature, codes=_codes(feature, given))
        if given.get("missing") and not feature.nan:
            raise InvalidTree(f"{given!r:.120}: {feature!r} has no value 'missing'")
        if given.get("missing") == "only":
            return cls(feature, 0.0, 0.0, True)
        low, high = given.get("above", -math.inf), given.get("at_most", math.inf)
        if not all(isinstance(x, int | float) for x in (low, high)) or not low < high:
            raise InvalidTree(f"{given!r:.120} is not an interval")
        return cls(feature, float(low), float(high), bool(given.get("missing", False)))


def _codes(feature: Feature, given: dict[str, Any]) -> tuple[int, ...]:
    codes = [feature.code(label) for label in given.get("among", ())]
    if None in codes or len(feature.categories) in codes:
        raise InvalidTree(f"{given!r:.120} names a value that {feature!r} does not have")
    for flag, allowed in (("other", feature.other), ("missing", feature.nan)):
        if given.get(flag) and not allowed:
            raise InvalidTree(f"{given!r:.120}: {feature!r} has no value {flag!r}")
    if given.get("other"):
        codes.append(len(feature.categories))
    if given.get("missing"):
        codes.append(feature.n_values - 1)
    return tuple(sorted({code for code in codes if code is not None}))


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


def condition_text(feature: str, at_most: float | None, among: Iterable[Label]) -> str:
    """Write a condition of a column: at most a number, or one of some labels.

    Examples
    --------
    >>> condition_text("age", 30.0, ())
    'age <= 30'
    """
    if at_most is not None:
        return f"{feature} <= {short_number(at_most)}"
    values = tuple(among)
    if values == (True,) and isinstance(values[0], bool):
        return feature
    if len(values) == 1:
        return f"{feature} = {values[0]}"
    return f"{feature} in {{{', '.join(str(v) for v in values)}}}"


NOTHING = 1e-30  # what libraries write for a threshold of 0 is nearer to it
WHOLE = 2.0**52  # floats beyond it have no halves between them
ROUNDING = 1e-6


def any_value(feature: Feature) -> Any:
    """Choose a plain value of a feature that no tree asks about."""
    if feature.ordered:
        return value_in(feature, [], *feature.bounds, False, [])
    return feature.categories[0]


def value_in(
    feature: Feature,
    cuts: Sequence[float],
    low: float,
    high: float,
    nan: bool,
    codes: list[int],
    *,
    rounded: bool = True,
) -> Any:
    """Choose a plain value of a feature out of the side of a box.

    Parameters
    ----------
    feature : Feature
    cuts : sequence of float
        The thresholds that trees have on it, in order: where they are, usual values are.
    low, high : float
        Of an ordered feature: the values above ``low``, up to ``high``.
    nan : bool
        Whether NaN is inside.
    codes : list of int
        Of another feature: the values that are inside.
    rounded : bool
        Whether everybody who gets the value rounds it to float32 if the feature does. Otherwise the
        number is itself a float32, or lies between two that are inside.

    Examples
    --------
    >>> value_in(Feature("concave points"), [0.1358, 0.1454], 0.1358, float("inf"), False, [])
    0.14
    >>> value_in(Feature("age"), [20.5, 36.5, 61.5], -float("inf"), float("inf"), False, [])
    40.0
    >>> value_in(Feature("times late"), [0.5], -float("inf"), 0.5, False, [])
    0.0
    >>> tenth = Feature("dose", values="float32"), [], 0.09999999403953552, 0.10000000149011612
    >>> value_in(*tenth, False, []), value_in(*tenth, False, [], rounded=False)
    (0.1, 0.10000000149011612)
    """
    if not feature.ordered:
        named = [code for code in codes if code < len(feature.categories)]
        if named:
            return feature.categories[named[0]]
        return (
            _unlisted(feature) if feature.other and len(feature.categories) in codes else math.nan
        )
    if not low < high:
        return math.nan
    if feature.kind == "boolean":
        return bool(high >= 1)
    narrow = _usual(feature, low, high, cuts)
    number = _plain_between(feature, *narrow, rounded, counted(feature, cuts))
    return int(number) if feature.whole else number


def _usual(feature: Feature, low: float, high: float, cuts: Sequence[float]) -> tuple[float, float]:
    """Narrow a side of a box to where the thresholds are, if that leaves a value.

    Where no threshold is below 0, usual values are not either: nobody has been late -1 times.
    """
    if not cuts:
        return low, high
    if math.isinf(low) or math.isinf(high):
        gaps = sorted(b - a for a, b in itertools.pairwise(cuts))
        gap = gaps[len(gaps) // 2] if gaps else abs(cuts[0]) / 5 or 1.0
        gap = max(gap, 2.0) if counted(feature, cuts) else gap
        if math.isinf(low) and math.isinf(high):
            middle = cuts[len(cuts) // 2]
            narrow = middle - gap / 2, middle + gap / 2
        elif math.isinf(high):
            narrow = low, next((cut for cut in cuts if cut > low), low + gap)
        else:
            narrow = next((cut for cut in reversed(cuts) if cut < high), high - gap), high
        inside = feature.above(narrow[0]) <= narrow[1] and low <= narrow[0] and narrow[1] <= high
        if inside and all(map(math.isfinite, narrow)):
            low, high = narrow
    if min(cuts) > -NOTHING and low < 0 <= high:
        low = float(feature.at_most(0.0, strict=True))
    return low, high


def counted(feature: Feature, cuts: Sequence[float]) -> bool:
    """Whether values are whole numbers, as far as one knows: thresholds halfway between them.

    Libraries write such a threshold a little above or below.
    """
    finite = [cut for cut in cuts if math.isfinite(cut)]
    halves = all(abs(cut) < WHOLE and abs(2 * cut - round(2 * cut)) <= ROUNDING for cut in finite)
    return feature.whole or (bool(finite) and halves)


def _unlisted(feature: Feature) -> Label:
    """Make up a value that a categorical feature does not list."""
    if all(isinstance(c, str) for c in feature.categories):
        return next(v for i in range(10**9) if (v := f"other{i or ''}") not in feature.categories)
    return max(int(c) for c in feature.categories if not isinstance(c, str)) + 1


def _plain_between(feature: Feature, low: float, high: float, rounded: bool, whole: bool) -> float:
    """Find a number with few digits in (low, high]; ``whole``: a whole one, if there is one."""
    least = float(feature.above(low)) if math.isfinite(low) else -math.inf

    def fits(x: float) -> bool:
        if feature.values == "float32" and rounded:
            with np.errstate(over="ignore"):
                x = float(np.float32(x))
        return least <= x <= high

    if feature.values == "float32" and (least == math.inf or high == BELOW_FLOAT32):
        end = 1e39 if rounded else math.inf  # what lies beyond float32 rounds to infinity
        return end if least == math.inf else -end
    if math.isinf(low) or math.isinf(high):
        near = [0.0, float(np.floor(high)) if math.isfinite(high) else 0.0,
                float(np.floor(low)) + 1.0 if math.isfinite(low) else 0.0]  # fmt: skip
    else:
        middle = low + (high - low) / 2
        near = [float(f"{middle:.{digits}g}") for digits in range(1, 18)]
        near += [float(np.round(middle)), float(np.ceil(least)), float(np.floor(high))] * whole
    near += [high if math.isfinite(high) else least]
    if whole:
        near.sort(key=lambda x: x != np.floor(x))
    for x in near:
        if fits(x) and (not feature.whole or x == math.floor(x)):
            return x
    raise InvalidSpace(f"no value of {feature!r} lies above {low} and at or below {high}")
