"""The space: the features of a tree, and how the columns of rows describe them.

In:  names and kinds.
Out: ``Space``, to which every ``Tree`` belongs.
Paper: its columns are unrelated bits (``Space.independent``); docs/decisions/0001 says why ours
live on features.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidSpace
from .arrays import Domains
from .facts.domain import Domain
from .facts.language import Fact, read_facts
from .feature import VALUES, Column, Condition, Feature, Label, Values, first_repeated

__all__ = ["FeatureSpec", "Space"]

FeatureSpec = Feature | str | type | Sequence[Label]
LISTED = 20  # names that a message lists
NUMBERS = count()


def _feature(name: str, given: FeatureSpec) -> Feature:
    """Read the short ways to give a feature's kind."""
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
        f"feature {name!r} is given as {given!r}: it must be 'numeric', 'float32', 'integer', "
        "'boolean', a list of categories, or a Feature"
    )


class Space:
    """The features, and how the columns of rows describe them.

    Parameters
    ----------
    features : iterable of Feature, or dict
        A dict gives each name its kind: ``"numeric"``, ``"integer"``, ``"boolean"``, a list of
        categories, or a ``Feature``.
    columns : iterable of Column, or dict, optional
        What rows consist of; by default one column per feature, holding its value. A dict gives
        each column's name the feature whose value it holds, or the ``Condition`` that it indicates.
    facts : list of facts, optional
        What holds for every row, between features: text (``"age_at_first_charge <= age"``,
        ``"if pregnant then sex = female"``) or ``Fact``. All answers then are about possible rows
        only (docs/guide/knowledge.md). Facts that contradict each other are refused.

    Attributes
    ----------
    names, column_names : tuple of str
        Names of the features, and of the columns.
    columns_of : dict of str -> list of int
        Positions of the columns that describe each feature.
    arrays : Domains
        What the core needs to know of the features' values.
    facts : tuple of Fact
        The facts.
    domain : Domain
        Which rows they leave possible.

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
    >>> space.column_names
    ('color_red', 'color_blue')

    Facts that hold for every row:

    >>> space = Space({"sex": ["female", "male"], "pregnant": "boolean"},
    ...               facts=["if pregnant then sex = female"])
    >>> Space(space.features, facts=[*space.facts, "pregnant", "sex = male"])
    Traceback (most recent call last):
    orderless.errors.InvalidSpace: no row can satisfy these facts together: 'if pregnant then \
sex = female'; 'pregnant'; 'sex = male'. Without any one of them the others can be satisfied
    """

    def __init__(
        self,
        features: Iterable[Feature] | Mapping[str, FeatureSpec],
        columns: Iterable[Column] | Mapping[str, str | Condition] | None = None,
        *,
        facts: Iterable[Fact | str] | None = None,
    ) -> None:
        if isinstance(features, Mapping):
            features = [_feature(name, given) for name, given in features.items()]
        self.features: tuple[Feature, ...] = tuple(features)
        if columns is None:
            columns = self._own_columns()
        elif isinstance(columns, Mapping):
            columns = [
                Column(name, given.feature, given)
                if isinstance(given, Condition)
                else Column(name, given)
                for name, given in columns.items()
            ]
        self.columns: tuple[Column, ...] = tuple(columns)
        self._check_kinds()
        self._derive()
        self._check()
        self.columns_of: dict[str, list[int]] = {name: [] for name in self.names}
        for i, column in enumerate(self.columns):
            self.columns_of[column.feature].append(i)
        self.facts: tuple[Fact, ...] = () if facts is None else read_facts(facts)
        self.domain = Domain(self.features, self.facts)
        self._known_as = next(NUMBERS)  # the same for spaces that were found equal

    def with_facts(self, facts: Iterable[Fact | str]) -> Space:
        """Give the same space with more facts; see ``facts``.

        Examples
        --------
        >>> Space({"low": "numeric", "high": "numeric"}).with_facts(["low <= high"])
        Space(Feature('low', numeric), Feature('high', numeric); 1 fact)
        """
        return Space(self.features, self.columns, facts=(*self.facts, *read_facts(facts)))

    def without_facts(self) -> Space:
        """Give the same space without its facts."""
        return Space(self.features, self.columns) if self.facts else self

    @cached_property
    def unrounded(self) -> Space:
        """The same space with float64 instead of float32 features, where facts are about them.

        Facts are about the numbers that stand in a row, before they are rounded to float32: several
        numbers that are rounded alike need not all satisfy them.
        """
        rounded = {i for i in self.domain.group_of if self.features[i].values == "float32"}
        if not rounded:
            return self
        features = [
            replace(feature, values="float64") if i in rounded else feature
            for i, feature in enumerate(self.features)
        ]
        return Space(features, self.columns, facts=self.facts)

    def _own_columns(self) -> tuple[Column, ...]:
        """Give one column per feature, holding its value."""
        return tuple(Column(f.name, f.name) for f in self.features if isinstance(f, Feature))

    def _derive(self) -> None:
        """Say once what is asked often."""
        self.names = tuple(feature.name for feature in self.features)
        self.column_names = tuple(column.name for column in self.columns)
        self._index = {name: i for i, name in enumerate(self.names)}
        bounds = [feature.bounds for feature in self.features]
        self.arrays = Domains(
            np.array([feature.ordered for feature in self.features], dtype=np.uint8),
            np.array([feature.nan for feature in self.features], dtype=np.uint8),
            np.array([low for low, _ in bounds], dtype=np.float64),
            np.array([high for _, high in bounds], dtype=np.float64),
            np.array([feature.n_values for feature in self.features], dtype=np.int32),
        )
        for array in self.arrays:
            array.setflags(write=False)

    def _check_kinds(self) -> None:
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
                raise InvalidSpace(
                    f"a column's name must be text and not empty, got {column.name!r}"
                )

    def _check(self) -> None:
        for what, names in (("feature", self.names), ("column", self.column_names)):
            if len(set(names)) < len(names):
                twice = first_repeated(names)
                raise InvalidSpace(f"two {what}s are named {twice!r}: give each its own name")
        allowed: dict[str, frozenset[Label]] = {}
        for column in self.columns:
            feature = self[column.feature]
            if (condition := column.condition) is None:
                continue
            if condition.feature != column.feature:
                raise InvalidSpace(
                    f"column {column.name!r} belongs to {column.feature!r} but its condition is "
                    f"on {condition.feature!r}"
                )
            if condition.at_most is not None and feature.kind != "numeric":
                raise InvalidSpace(f"{condition}: {feature.name!r} is not numeric")
            if condition.among is not None:
                if feature.name not in allowed:  # once for all columns of a feature
                    some = (False, True) if feature.kind == "boolean" else feature.categories
                    allowed[feature.name] = frozenset(some)
                for value in condition.among:
                    if value not in allowed[feature.name]:
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

    def index(self, name: str) -> int:
        """Give the position of a feature; an error lists the names that there are."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            known = ", ".join(repr(n) for n in self.names[:LISTED])
            more = f" and {len(self) - LISTED} more" if len(self) > LISTED else ""
            raise InvalidSpace(
                f"there is no feature {name!r}: the features are {known}{more}"
            ) from None

    def __getitem__(self, name: str) -> Feature:
        return self.features[self.index(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __len__(self) -> int:
        return len(self.features)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        if self._known_as != other._known_as:
            mine, theirs = ((s.features, s.columns, frozenset(s.facts)) for s in (self, other))
            if mine != theirs:
                return False
            self._known_as = other._known_as = min(self._known_as, other._known_as)
        return True

    @cached_property
    def alike(self) -> tuple[NDArray[np.intp], list[Feature]]:
        """By feature the number of its kind, and one feature of each kind.

        Thresholds of features that are alike can be looked at together. The last number, for -1, is
        of no kind.
        """
        kinds: dict[Any, int] = {}
        first: list[Feature] = []
        numbers = []
        for f in self.features:
            key = (f.kind, f.values, f.nan)
            if key not in kinds:
                kinds[key] = len(kinds)
                first.append(f)
            numbers.append(kinds[key])
        return np.array([*numbers, -1], dtype=np.intp), first

    @cached_property
    def held(self) -> _core.tree.HeldSpace:
        """What the core keeps of it for the trees over it."""
        numbers = [
            len(VALUES) if f.kind == "boolean" else VALUES.index(f.values) for f in self.features
        ]
        rank = np.empty(len(self.features), dtype=np.int32)
        rank[sorted(range(len(rank)), key=self.names.__getitem__)] = np.arange(len(rank))
        return _core.tree.HeldSpace(self.arrays, np.array(numbers, dtype=np.uint8), rank)

    @cached_property
    def _hash(self) -> int:
        return hash((self.features, self.columns, frozenset(self.facts)))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        shown = ", ".join(repr(feature) for feature in self.features[:6])
        more = f", ... {len(self) - 6} more" if len(self) > 6 else ""
        n = sum(column.condition is not None for column in self.columns)
        columns = f"; {n} column{'s are indicators' if n > 1 else ' is an indicator'}" if n else ""
        n = len(self.facts)
        facts = f"; {n} fact{'s' * (n > 1)}" if n else ""
        return f"Space({shown}{more}{columns}{facts})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        if not self.facts:  # so that skops can write it; the rest is derived
            return Space, (self.features, self.columns)
        return partial(Space, facts=self.facts), (self.features, self.columns)

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
            column: dict[str, Any] = {"name": c.name, "feature": c.feature}
            if c.condition is not None and c.condition.at_most is not None:
                column["at_most"] = c.condition.at_most
            if c.condition is not None and c.condition.among is not None:
                column["among"] = list(c.condition.among)
            columns.append(column)
        out: dict[str, Any] = {"features": features}
        if self.columns != self._own_columns():
            out["columns"] = columns
        if self.facts:
            out["knowing"] = [fact.text for fact in self.facts]
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
            columns = [_read_column(entry) for entry in _list(given, "columns")]
        except (KeyError, TypeError, AttributeError) as fault:
            raise InvalidSpace(f"this does not describe a space: {fault!r}") from fault
        facts = _list(given, "knowing") or None
        return cls(features, columns if "columns" in given else None, facts=facts)


def _flag(entry: Mapping[str, Any], key: str) -> bool:
    flag = entry.get(key, False)
    if not isinstance(flag, bool):
        raise InvalidSpace(f"{key!r} must be true or false, got {flag!r}")
    return flag


def _list(entry: Mapping[str, Any], key: str) -> list[Any]:
    values = entry.get(key, [])
    if not isinstance(values, list | tuple):
        raise InvalidSpace(f"{key!r} must be a list, got {values!r:.80}")
    return list(values)


def _read_column(entry: Mapping[str, Any]) -> Column:
    condition = None
    if "at_most" in entry:
        condition = Condition(entry["feature"], at_most=entry["at_most"])
    elif "among" in entry:
        condition = Condition(entry["feature"], among=tuple(_list(entry, "among")))
    return Column(entry["name"], entry["feature"], condition)
