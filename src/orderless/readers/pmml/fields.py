"""Fields: what predicates are about, columns or what is derived from one.

In:  a ``Column``, and what becomes of its values.
Out: ``Field``: turns a comparison into an ``Atom``, a test on the column itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ...errors import UnreadableModel
from ...model import Label, Values, row_boundary, value_at_most
from .columns import Column
from .regions import FALSE, TRUE, UNKNOWN, Atom, Intervals, Region, Side, merged
from .values import label_of, number_of

__all__ = ["ORDERS", "OTHER", "Field", "LabelField", "NumberField", "Other", "PieceField"]

ENDLESS = ("inf", "infinity")  # what scikit-learn's trees compare with to ask for missing values
ORDERS = ("lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual")


class Other:
    """A label that is not listed."""


OTHER = Other()


class Field(ABC):
    """What a predicate can be about."""

    column: Column

    @abstractmethod
    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Give the test that a predicate is; operators are those of PMML."""

    def _atom(self, true: Region, unknown: Region, missing: int, *, negated: bool = False) -> Atom:
        """Make a test; a missing value that is replaced is what replaces it."""
        column = self.column
        atom = Atom(column.position, true, unknown, missing, negated=negated)
        if column.replaced is not None:
            atom.missing = atom.possible(_replacement(column))
        return atom


def _replacement(column: Column) -> Side:
    """Give the one value that replaces a missing one."""
    text = column.replaced or ""
    if column.labels is None:
        number = number_of(text, f"missingValueReplacement of {column.what}", column.data_type)
        return Side(float(np.nextafter(number, -inf)), number, None, False)
    code = column.code(text)
    if code is None:
        raise UnreadableModel(
            f"a missing value of {column.what} is replaced by {text!r:.60}, which is not one of "
            "its values"
        )
    return Side(codes=frozenset((code,)), missing=False)


@dataclass
class NumberField(Field):
    """A number: a column as it is, or rounded to float32 on the way.

    ``data_type`` is that of the numbers it is compared with, ``values`` which numbers it can be.
    """

    column: Column
    data_type: str
    values: Values

    def at_most(self, number: float, strict: bool = False) -> float:
        """Give the largest float64 that a row may hold to be at most (or below) a number."""
        cut = value_at_most(np.array(number), self.values, strict)
        out = float(row_boundary(cut, self.values)) + 0.0
        if not np.isfinite(out):
            raise UnreadableModel(
                f"{self.column.what} is compared with {number!r}, at the end of what it can hold"
            )
        return out

    def region(self, operator: str, texts: Sequence[str]) -> Intervals:
        """Give where a comparison holds."""
        if operator in ("lessOrEqual", "greaterThan") and texts[0].lstrip("+").lower() in ENDLESS:
            return ((-inf, inf),) if operator == "lessOrEqual" else ()
        what = f"a value that {self.column.what} is compared with"
        numbers = [number_of(text, what, self.data_type) for text in texts]
        if operator in ORDERS:
            cut = self.at_most(numbers[0], strict=operator in ("lessThan", "greaterOrEqual"))
            return ((-inf, cut),) if operator.startswith("less") else ((cut, inf),)
        if self.values == "integer":
            numbers = [number for number in numbers if number.is_integer()]
        same = merged((self.at_most(n, strict=True), self.at_most(n)) for n in numbers)
        return same if operator in ("equal", "isIn") else _rest(same)

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Give the test of a predicate."""
        if operator == "isMissing":
            return self._atom((), (), TRUE)
        if operator == "isNotMissing":
            return self._atom(((-inf, inf),), (), FALSE)
        return self._atom(self.region(operator, texts), (), UNKNOWN)


def _rest(intervals: Intervals) -> Intervals:
    """Give the numbers that are not in intervals."""
    ends = [-inf, *(end for pair in intervals for end in pair), inf]
    return merged(zip(ends[::2], ends[1::2], strict=True))


@dataclass
class PieceField(Field):
    """A label, or one of few numbers: regions of a column, and what it is there.

    ``pieces`` are regions and values, which are labels, ``OTHER``, or None where the field is
    missing; ``at_missing`` is its value where the column is missing.
    """

    column: Column
    data_type: str
    pieces: Sequence[tuple[Region, Label | Other | None]]
    at_missing: Label | None = None
    order: Sequence[Label] | None = None

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Give the test of a predicate."""
        numeric = self.column.labels is None
        if operator in ("isMissing", "isNotMissing"):
            wanted = operator == "isMissing"
            true = _union((r for r, v in self.pieces if (v is None) == wanted), numeric)
            here = (self.at_missing is None) == wanted
            return self._atom(true, () if numeric else frozenset(), TRUE if here else FALSE)
        what = f"a value that {self.column.what} is compared with"
        single = self.data_type == "float"
        wanted_labels: list[Label] = [
            number_of(text, what, "float") if single else label_of(text, self.data_type, what)
            for text in texts
        ]
        holds = self._holds(operator, wanted_labels)
        true = _union((r for r, v in self.pieces if v is not None and holds(v)), numeric)
        unknown = _union((r for r, v in self.pieces if v is None), numeric)
        missing = UNKNOWN
        if self.at_missing is not None:
            missing = TRUE if holds(self.at_missing) else FALSE
        return self._atom(true, unknown, missing)

    def _holds(self, operator: str, wanted: Sequence[Label]) -> Any:
        """Give the function that says of a value whether the comparison holds."""
        if operator not in ORDERS:
            keys = {(type(label), label) for label in wanted}
            inside = operator in ("equal", "isIn")
            return lambda value: ((type(value), value) in keys) == inside
        than = self._rank(wanted[0])
        if operator.startswith("less"):
            return lambda v: self._rank(v) < than or (operator.endswith("l") and v == wanted[0])
        return lambda v: self._rank(v) > than or (operator.endswith("l") and v == wanted[0])

    def _rank(self, value: Label | Other) -> float:
        if self.order is not None and value in self.order:
            return self.order.index(value)
        if self.order is None and isinstance(value, int | float):
            return value
        raise UnreadableModel(
            f"{self.column.what} has labels, and a predicate asks whether it is less or greater "
            "than one: only ordinal fields that list their values have an order"
        )


class LabelField(PieceField):
    """A column of labels as it is; quick where it has many."""

    def __init__(self, column: Column) -> None:
        super().__init__(column, column.data_type, ())

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Give the test of a predicate."""
        column = self.column
        assert column.labels is not None
        if operator in ORDERS:
            self.order = column.labels if column.ordinal else None
            self.pieces = [(frozenset((i,)), label) for i, label in enumerate(column.labels)]
            if column.other:
                raise UnreadableModel(
                    f"{column.what} may hold labels that are not listed, and a predicate asks "
                    "whether it is less or greater than one: list its values in the file"
                )
            return super().atom(operator, texts)
        if operator in ("isMissing", "isNotMissing"):
            known = operator == "isNotMissing"
            return self._atom(frozenset(), frozenset(), FALSE if known else TRUE, negated=known)
        codes = frozenset(c for c in map(column.code, texts) if c is not None)
        return self._atom(codes, frozenset(), UNKNOWN, negated=operator not in ("equal", "isIn"))


def _union(regions: Iterator[Region], numeric: bool) -> Region:
    if numeric:
        return merged(pair for region in regions for pair in region)  # type: ignore[misc]
    return frozenset[int]().union(*regions)  # type: ignore[arg-type]
