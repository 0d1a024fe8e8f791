"""Formulas: what settles a row, in terms of the columns of a table.

In:  a tree or a sum of trees, and what the columns of its rows say about its features.
Out: formulas out of comparisons, AND and OR (no NOT), which ``certain.py`` puts together and
     ``sql.py`` and ``expression.py`` write down. By three-valued logic a comparison with an unknown
     value is neither true nor false, so a formula is true exactly if it holds for every
     completion of the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import InvalidSpace
from ...inputs import near
from ...model import (
    Column,
    Condition,
    Feature,
    Label,
    Side,
    SumKernel,
    TreeKernel,
    row_boundary,
)

__all__ = [
    "Absent", "Bound", "Every", "Flag", "Formula", "Member", "Number", "Some", "Source",
    "Threshold", "every", "some", "sources",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """The column's number is at most ``at``, or above it. Neither holds for NULL and NaN."""

    column: str
    at: float
    above: bool


@dataclass(frozen=True, slots=True)
class Member:
    """The column has one of these labels, or none of them. Neither holds for NULL and NaN."""

    column: str
    labels: tuple[Label, ...]
    inside: bool


@dataclass(frozen=True, slots=True)
class Flag:
    """The column, which is boolean or 0 and 1, is this. Holds for neither if it is NULL or NaN."""

    column: str
    value: bool


@dataclass(frozen=True, slots=True)
class Absent:
    """The column is NULL (or NaN, if it holds numbers), or it is not."""

    column: str
    numeric: bool
    absent: bool


@dataclass(frozen=True, slots=True)
class Every:
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a sum of trees: the base, and of each tree a bound of what it adds.

    Of a tree, its leaves in the order in which they count: what excludes a leaf, and what it adds.
    The first leaf that is not excluded gives the bound; the last one is excluded by ``False``.
    """

    base: int
    trees: tuple[tuple[tuple[Formula, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A bound of a sum is above ``at``, or at most it. One of the two always holds."""

    bound: Bound
    at: int
    above: bool


Formula = bool | Number | Member | Flag | Absent | Every | Some | Threshold


def every(parts: Iterable[Formula]) -> Formula:
    """Join by AND, in short: constants and repetitions are left out."""
    return _joined(parts, Every)


def some(parts: Iterable[Formula]) -> Formula:
    """Join by OR, in short: constants and repetitions are left out."""
    return _joined(parts, Some)


def _joined(parts: Iterable[Formula], kind: type[Every] | type[Some]) -> Formula:
    neutral = kind is Every  # true changes nothing in AND, and false settles it
    flat: dict[Formula, None] = {}
    for part in parts:
        if isinstance(part, bool):
            if part != neutral:
                return part
        else:
            flat.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    return kind(tuple(flat)) if len(flat) > 1 else next(iter(flat), neutral)


# -- what the columns say about a feature ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """The columns of a table that say something about one feature.

    Attributes
    ----------
    value : str or None
        The column that holds its value.
    indicators : tuple of (Condition, str)
        Columns that say, by 0 and 1, whether a condition holds.
    """

    feature: Feature
    value: str | None
    indicators: tuple[tuple[Condition, str], ...]

    def certainly(self, side: Side) -> Formula:
        """Give the formula that holds iff the row's value certainly lies in the side."""
        if side.is_whole:
            return True
        return self._ordered(side) if self.feature.ordered else self._among(side.codes)

    # Ordered features: at most this, above that, and NaN where it is a value.

    def _ordered(self, side: Side) -> Formula:
        absent: Formula = False
        if self.feature.nan and self.value is not None:
            absent = Absent(self.value, True, True)
        if not side.lower < side.upper:
            return absent
        low, high = self.feature.bounds
        ends = [self._beyond(side.lower, above=True)] if side.lower > low else []
        ends += [self._beyond(side.upper, above=False)] if side.upper < high else []
        if not self.feature.nan:
            return every(ends)
        if side.nan:
            return some([every(ends), absent])
        if ends and not self.indicators:  # a number that lies there is not NaN
            return every(ends)
        return every([*(some([end, absent]) for end in ends), self._is_number()])

    def _is_number(self) -> Formula:
        """Where NaN is a value: give what says that the value is another. It meets a condition."""
        known = [Flag(name, True) for c, name in self.indicators if c.at_most is not None]
        value = [Absent(self.value, True, False)] if self.value is not None else []
        return some([*value, *known])

    def excludes(self, side: Side) -> Formula:
        """Give the formula that holds iff the row's value certainly lies outside of a side."""
        if not self.feature.ordered:
            own = set(side.codes)
            return self._among(code for code in range(self.feature.n_values) if code not in own)
        out: list[Formula] = []
        if side.nan:
            out.append(self._is_number())
        if side.lower < side.upper:
            low, high = self.feature.bounds
            ends: list[Formula] = []
            if side.lower > low:
                ends.append(self._beyond(side.lower, above=False))
            if side.upper < high:
                ends.append(self._beyond(side.upper, above=True))
            if self.feature.nan and not side.nan and self.value is not None:
                ends.append(Absent(self.value, True, True))
            out.append(some(ends))
        return every(out)

    def _beyond(self, end: float, *, above: bool) -> Formula:
        """Give what says that the value is above an end, or at most at it."""
        out: list[Formula] = []
        if self.value is not None:
            out.append(Flag(self.value, above) if self.feature.kind == "boolean"
                       else Number(self.value, self._in_rows(end), above))  # fmt: skip
        for condition, name in self.indicators:
            if condition.at_most is not None:
                cut = float(self.feature.at_most(condition.at_most))
                if cut >= end if above else cut <= end:
                    out.append(Flag(name, not above))
            elif condition.among is not None and len(condition.among) == 1:
                out.append(Flag(name, bool(condition.among[0]) == above))
        return some(out)

    def _in_rows(self, end: float) -> float:
        """Give the largest double that falls below an end, also where rows are rounded first."""
        return float(row_boundary(np.asarray(end), self.feature.values))

    # Categorical features: sets of values.

    def _among(self, codes: Iterable[int]) -> Formula:
        inside = set(codes)
        if not self.indicators:
            return self._value_among(inside)
        among = [
            ({self.feature.categories.index(v) for v in condition.among or ()}, name)
            for condition, name in self.indicators
        ]
        # A column that is 1 and whose values are all inside settles it at once.
        at_once: list[Formula] = [Flag(name, True) for own, name in among if own <= inside]
        if self.value is not None:
            at_once.append(self._value_among(inside))
        out = []
        for code in range(self.feature.n_values):
            if code in inside:
                continue
            excluded: list[Formula] = [Flag(name, False) for own, name in among if code in own]
            excluded += [
                Flag(name, True)
                for own, name in among
                if code not in own and own & inside and not own <= inside
            ]
            if self.value is not None:
                excluded.append(self._value_among(set(range(self.feature.n_values)) - {code}))
            out.append(some(excluded))
        return some([*at_once, every(out)])

    def _value_among(self, inside: set[int]) -> Formula:
        assert self.value is not None
        feature, n = self.feature, len(self.feature.categories)
        numeric = not any(isinstance(label, str) for label in feature.categories)
        parts: list[Formula] = []
        if feature.nan and feature.n_values - 1 in inside:
            parts.append(Absent(self.value, numeric, True))
        listed = [feature.categories[code] for code in sorted(inside) if code < n]
        if feature.other and n in inside:
            out = [label for code, label in enumerate(feature.categories) if code not in inside]
            parts.append(Member(self.value, tuple(out), False) if out
                         else Absent(self.value, numeric, False))  # fmt: skip
        elif all(isinstance(label, bool) for label in feature.categories):
            parts += [Flag(self.value, bool(label)) for label in listed]
        elif listed:
            parts.append(Member(self.value, tuple(listed), True))
        return some(parts)


def sources(
    model: TreeKernel | SumKernel, columns: Mapping[str, str] | None = None
) -> dict[int, Source]:
    """Return the columns of a table that say something about each feature that a model asks about.

    ``columns`` renames: column or feature of the space -> column of the table. A feature that is
    given there itself is read from that column, whatever columns the space has for it.
    """
    space = model.space
    columns = dict(columns or {})
    known = tuple(dict.fromkeys([*space.column_names, *space.names]))
    for name, new in columns.items():
        if name not in known:
            raise InvalidSpace(
                f"columns: the space has no column or feature {name!r}{near(name, known)}; it has "
                f"{', '.join(repr(n) for n in known[:20])}"
            )
        if not isinstance(new, str) or not new:
            raise InvalidSpace(f"columns[{name!r}] must be a name, got {new!r:.80}")
    out = {}
    for i in model.used:
        feature = space.features[i]
        about: list[Column] = [space.columns[k] for k in space.columns_of[feature.name]]
        if feature.name in columns and feature.name not in space.column_names:
            about = [Column(feature.name, feature.name)]
        names = {column.name: columns.get(column.name, column.name) for column in about}
        values = [names[column.name] for column in about if column.condition is None]
        conditions = tuple((c.condition, names[c.name]) for c in about if c.condition is not None)
        if len(values) > 1 or not (values or conditions):
            state = "two columns hold" if values else "no column holds"
            raise InvalidSpace(
                f"{state} the value of {feature.name!r}: give columns={{{feature.name!r}: "
                "'the column that holds it'}"
            )
        out[i] = Source(feature, values[0] if values else None, conditions)
    return out
