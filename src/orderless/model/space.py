"""Features, conditions and columns: what a tree asks about, and how rows say it.

In:  names and kinds.
Out: ``Space``, over which every ``Tree`` stands.
Paper: its columns are unrelated bits (``Space.independent``); docs/decisions/0001 says why ours
live on features.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidSpace
from .arrays import Domains
from .numbers import next_value, short_number, value_at_most

__all__ = [
    "Column",
    "Condition",
    "Feature",
    "Label",
    "Space",
    "Values",
    "first_repeated",
    "plain_label",
    "shared_feature",
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
        raise InvalidSpace(f"cannot use {label!r} as a label: finite numbers and text are legal")
    if isinstance(label, int) and label.bit_length() > 1023:
        raise InvalidSpace("cannot use a whole number of more than 1,023 bits as a label")
    if isinstance(label, bool | int | float | str):
        return label
    raise InvalidSpace(
        f"cannot use {label!r} ({type(label).__qualname__}) as a label: "
        "legal are bool, int, float and str; map your labels to one of these"
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

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidSpace(f"a feature's name is text and not empty, got {self.name!r}")
        if self.kind not in KINDS:
            raise InvalidSpace(f"feature {self.name!r} has kind {self.kind!r}, legal are {KINDS}")
        if self.values not in VALUES:
            raise InvalidSpace(
                f"feature {self.name!r} has values {self.values!r}, legal are {VALUES}"
            )
        object.__setattr__(self, "categories", tuple(plain_label(c) for c in self.categories))
        if (self.kind == "categorical") != bool(self.categories):
            raise InvalidSpace(
                f"feature {self.name!r} is {self.kind} and lists {len(self.categories)} "
                "categories: categorical features list theirs, no others do"
            )
        if len(set(self.categories)) != len(self.categories):
            raise InvalidSpace(f"feature {self.name!r} lists a category twice: {self.categories}")
        if self.other and self.kind != "categorical":
            raise InvalidSpace(
                f"feature {self.name!r} is {self.kind} and has other=True: only categorical "
                "features have values that are not listed"
            )
        if self.values != "float64" and self.kind != "numeric":
            raise InvalidSpace(
                f"feature {self.name!r} is {self.kind} and has values={self.values!r}: "
                "only numeric features choose which numbers they take"
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

    @property
    def ordered(self) -> bool:
        """Whether its conditions are thresholds (a boolean counts as 0 < 1)."""
        return self.kind != "categorical"

    @property
    def n_values(self) -> int:
        """How many values a categorical feature has, with "other" and "missing"; 0 if ordered."""
        return 0 if self.ordered else len(self.categories) + self.other + self.nan

    @property
    def bounds(self) -> tuple[float, float]:
        """All values lie above the first and at or below the second."""
        return (-1.0, 1.0) if self.kind == "boolean" else (-math.inf, math.inf)

    @property
    def whole(self) -> bool:
        """Whether every value is a whole number."""
        return self.kind == "boolean" or self.values == "integer"

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
                f"a condition on {self.feature!r} is either at_most=number or among=labels, "
                f"got at_most={self.at_most!r} and among={self.among!r}"
            )
        if not isinstance(self.feature, str):
            raise InvalidSpace(f"a condition names its feature, got {self.feature!r}")
        if self.at_most is not None:
            try:
                if isinstance(self.at_most, bool | str | bytes):
                    raise TypeError
                number = float(self.at_most)
            except (TypeError, ValueError, OverflowError):
                raise InvalidSpace(
                    f"a threshold on {self.feature!r} is a number, got {self.at_most!r:.80}"
                ) from None
            if not math.isfinite(number):
                raise InvalidSpace(f"a threshold on {self.feature!r} is finite, got {number}")
            if isinstance(self.at_most, int) and self.at_most != number:
                raise InvalidSpace(
                    f"a threshold on {self.feature!r} is a float64, and {self.at_most} is none: "
                    f"the nearest is {number:.0f}"
                )
            object.__setattr__(self, "at_most", number + 0.0)
        if self.among is not None:
            if isinstance(self.among, str | bytes) or not isinstance(self.among, Iterable):
                raise InvalidSpace(
                    f"the values of a condition on {self.feature!r} are a tuple of labels, "
                    f"got {self.among!r}"
                )
            values = dict.fromkeys(plain_label(v) for v in self.among)  # each once
            object.__setattr__(self, "among", tuple(values))

    def __str__(self) -> str:
        if self.at_most is not None:
            return f"{self.feature} <= {short_number(self.at_most)}"
        values = self.among or ()
        if values == (True,) and isinstance(values[0], bool):
            return self.feature
        if len(values) == 1:
            return f"{self.feature} = {values[0]}"
        return f"{self.feature} in {{{', '.join(str(v) for v in values)}}}"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the rows: a feature's value, or (0/1) whether a condition on it holds."""

    name: str
    feature: str
    condition: Condition | None = None


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


FeatureSpec = Feature | str | type | Sequence[Label]


def _feature(name: str, given: FeatureSpec) -> Feature:
    """Read the short ways to say what kind a feature is."""
    if isinstance(given, Feature):
        return replace(given, name=name)
    short: dict[object, Feature] = {
        "numeric": Feature(name),
        float: Feature(name),
        "float32": Feature(name, values="float32"),
        "integer": Feature(name, values="integer"),
        int: Feature(name, values="integer"),
        "boolean": Feature(name, "boolean"),
        bool: Feature(name, "boolean"),
    }
    if isinstance(given, str | type):
        if given in short:
            return short[given]
    elif isinstance(given, Sequence):
        return Feature(name, "categorical", categories=tuple(given))
    raise InvalidSpace(
        f"feature {name!r} is given as {given!r}: legal are 'numeric', 'float32', 'integer', "
        "'boolean', a list of categories, or a Feature"
    )


class Space:
    """The features, and how the columns of the rows speak about them.

    Parameters
    ----------
    features : iterable of Feature, or dict
        A dict gives each name its kind: ``"numeric"``, ``"integer"``, ``"boolean"``, a list of
        categories, or a ``Feature``.
    columns : iterable of Column, or dict, optional
        What rows consist of; by default one column per feature, holding its value. A dict gives
        each column's name the feature whose value it holds, or the ``Condition`` that it tells.

    Examples
    --------
    >>> space = Space({"age": "integer", "smoker": "boolean", "color": ["red", "blue"]})
    >>> space.names
    ('age', 'smoker', 'color')

    Three one-hot columns that are one feature:

    >>> color = Feature("color", "categorical", categories=("red", "blue"), other=True)
    >>> space = Space([color], columns={
    ...     "color_red": Condition("color", among=("red",)),
    ...     "color_blue": Condition("color", among=("blue",)),
    ... })
    >>> [column.name for column in space.columns]
    ['color_red', 'color_blue']
    """

    features: tuple[Feature, ...]
    columns: tuple[Column, ...]

    def __init__(
        self,
        features: Iterable[Feature] | Mapping[str, FeatureSpec],
        columns: Iterable[Column] | Mapping[str, str | Condition] | None = None,
    ) -> None:
        if isinstance(features, Mapping):
            features = [_feature(name, given) for name, given in features.items()]
        self.features = tuple(features)
        if columns is None:
            columns = self._own_columns()
        elif isinstance(columns, Mapping):
            columns = [
                Column(name, told.feature, told)
                if isinstance(told, Condition)
                else Column(name, told)
                for name, told in columns.items()
            ]
        self.columns = tuple(columns)
        self._check()

    def _own_columns(self) -> tuple[Column, ...]:
        """Give one column per feature, holding its value."""
        return tuple(Column(f.name, f.name) for f in self.features if isinstance(f, Feature))

    def _check(self) -> None:
        for feature in self.features:
            if not isinstance(feature, Feature):
                raise InvalidSpace(
                    f"expected a Feature, got {feature!r}: Space({{name: kind}}), "
                    "Space.numeric(names) and Space.independent(names) take names"
                )
        for column in self.columns:
            if not isinstance(column, Column):
                raise InvalidSpace(f"expected a Column, got {column!r}")
            if not isinstance(column.name, str) or not column.name:
                raise InvalidSpace(f"a column's name is text and not empty, got {column.name!r}")
        for what, names in (("feature", self.names), ("column", self.column_names)):
            twice = first_repeated(names)
            if twice is not None:
                raise InvalidSpace(f"two {what}s are named {twice!r}: give each a name of its own")
        legal = {
            f.name: frozenset((False, True) if f.kind == "boolean" else f.categories)
            for f in self.features
        }
        for column in self.columns:
            feature = self[column.feature]
            condition = column.condition
            if condition is None:
                continue
            if condition.feature != column.feature:
                raise InvalidSpace(
                    f"column {column.name!r} belongs to {column.feature!r} but its condition is "
                    f"on {condition.feature!r}"
                )
            if condition.at_most is not None and feature.kind != "numeric":
                raise InvalidSpace(f"{condition}: {feature.name!r} is not numeric")
            if condition.among is not None:
                for value in condition.among:
                    if value not in legal[feature.name]:
                        raise InvalidSpace(f"{condition}: {value!r} is not a value of {feature!r}")

    @classmethod
    def independent(cls, names: Iterable[str]) -> Space:
        """Make every column a boolean feature of its own: the paper's semantics.

        Examples
        --------
        >>> Space.independent(["age <= 5", "age <= 10"]).features
        (Feature('age <= 5', boolean), Feature('age <= 10', boolean))
        """
        return cls([Feature(str(name), "boolean") for name in names])

    @classmethod
    def numeric(cls, names: Iterable[str], values: Values = "float64") -> Space:
        """Make every column a numeric feature of its own."""
        return cls([Feature(str(name), values=values) for name in names])

    @classmethod
    def infer(cls, X: Any, *, one_hot: bool = True, text: Iterable[str] = ()) -> Space:
        """Propose a space for a table: kinds, integer features and one-hot groups.

        A proposal, for a person to look at: nothing in this package applies it silently.
        A column of text that mostly reads as numbers is refused, unless ``text`` names it.
        See ``orderless.inputs.infer``.
        """
        from ..inputs import infer_space

        return infer_space(X, one_hot=one_hot, text=text)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(feature.name for feature in self.features)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {feature.name: i for i, feature in enumerate(self.features)}

    @cached_property
    def columns_of(self) -> dict[str, list[int]]:
        """Positions of the columns that speak about each feature."""
        positions: dict[str, list[int]] = {name: [] for name in self.names}
        for i, column in enumerate(self.columns):
            positions[column.feature].append(i)
        return positions

    def index(self, name: str) -> int:
        """Give the position of a feature; an error lists the legal names."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            known = ", ".join(repr(n) for n in self.names[:20])
            more = f" and {len(self) - 20} more" if len(self) > 20 else ""
            raise InvalidSpace(f"no feature {name!r} here: there are {known}{more}") from None

    def __getitem__(self, name: str) -> Feature:
        return self.features[self.index(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __len__(self) -> int:
        return len(self.features)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return self is other or (self.features, self.columns) == (other.features, other.columns)

    @cached_property
    def _hash(self) -> int:
        return hash((self.features, self.columns))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        shown = ", ".join(repr(feature) for feature in self.features[:6])
        more = f", ... {len(self) - 6} more" if len(self) > 6 else ""
        told = sum(column.condition is not None for column in self.columns)
        columns = f"; {told} columns tell conditions" if told else ""
        return f"Space({shown}{more}{columns})"

    def __getstate__(self) -> dict[str, Any]:
        return {"features": self.features, "columns": self.columns}  # the rest is derived

    @cached_property
    def domains(self) -> Domains:
        """What the core needs to know of the features' values."""
        bounds = [feature.bounds for feature in self.features]
        arrays = Domains(
            np.array([feature.ordered for feature in self.features], dtype=np.uint8),
            np.array([feature.nan for feature in self.features], dtype=np.uint8),
            np.array([low for low, _ in bounds], dtype=np.float64),
            np.array([high for _, high in bounds], dtype=np.float64),
            np.array([feature.n_values for feature in self.features], dtype=np.int32),
        )
        for array in arrays:
            array.setflags(write=False)
        return arrays

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        features: list[dict[str, Any]] = []
        for f in self.features:
            entry: dict[str, Any] = {"name": f.name, "kind": f.kind}
            if f.kind == "numeric":
                entry["values"] = f.values
            if f.kind == "categorical":
                entry["categories"] = list(f.categories)
                entry["other"] = f.other
            if f.nan:
                entry["nan"] = True
            features.append(entry)
        columns: list[dict[str, Any]] = []
        for c in self.columns:
            told: dict[str, Any] = {"name": c.name, "feature": c.feature}
            if c.condition is not None and c.condition.at_most is not None:
                told["at_most"] = c.condition.at_most
            if c.condition is not None and c.condition.among is not None:
                told["among"] = list(c.condition.among)
            columns.append(told)
        out: dict[str, Any] = {"features": features}
        if self.columns != self._own_columns():
            out["columns"] = columns
        return out

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Space:
        """Read what ``to_dict`` wrote; anything else is an ``InvalidSpace``."""
        try:
            given["features"]
            features = [
                Feature(
                    entry["name"],
                    entry["kind"],
                    entry.get("values", "float64"),
                    tuple(_list(entry, "categories")),
                    _flag(entry, "other"),
                    _flag(entry, "nan"),
                )
                for entry in _list(given, "features")
            ]
            columns = None
            if "columns" in given:
                columns = [_read_column(entry) for entry in _list(given, "columns")]
        except (KeyError, TypeError, AttributeError) as fault:
            raise InvalidSpace(f"this does not describe a space: {fault!r}") from fault
        return cls(features, columns)


def _flag(entry: Mapping[str, Any], key: str) -> bool:
    flag = entry.get(key, False)
    if not isinstance(flag, bool):
        raise InvalidSpace(f"{key!r} is true or false, got {flag!r}")
    return flag


def _list(entry: Mapping[str, Any], key: str) -> list[Any]:
    values = entry.get(key, [])
    if not isinstance(values, list | tuple):
        raise InvalidSpace(f"{key!r} is a list, got {values!r:.80}")
    return list(values)


def _read_column(entry: Mapping[str, Any]) -> Column:
    condition = None
    if "at_most" in entry:
        condition = Condition(entry["feature"], at_most=entry["at_most"])
    elif "among" in entry:
        condition = Condition(entry["feature"], among=tuple(_list(entry, "among")))
    return Column(entry["name"], entry["feature"], condition)
