"""What transformers do to one column, stage by stage.

In:  numbers or labels of one source column.
Out: ``Wire``: a column on its way from the source table to the model, and its ``Stage``s. A wire
     says what becomes of a label, of "any other label", of a missing value, and of all numbers.
     ``SourceColumn``: what it has become in the end, with which conditions on columns become
     conditions on features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from ...inputs import is_unknown, some_names
from ...model import Feature, Floats, Label, Values, last_before_change, row_boundary, value_at_most

__all__ = [
    "Before",
    "Block",
    "Cell",
    "Cut",
    "Encode",
    "Fill",
    "Flag",
    "Other",
    "Pass",
    "Refused",
    "Rescale",
    "SourceColumn",
    "Stage",
    "Steps",
    "Wire",
    "as_number",
]

Function = Callable[[Floats], Floats]
FLOAT64 = np.dtype(np.float64)
FLOAT32 = np.dtype(np.float32)


@dataclass(frozen=True)
class Steps:
    """A piecewise constant function: ``levels[i]`` above ``cuts[i - 1]``, up to ``cuts[i]``.

    Where a column rises and falls, or has two values.
    """

    cuts: tuple[float, ...]
    levels: tuple[float, ...]

    def then(self, function: Function) -> Steps:
        """Apply a further function, monotone or not."""
        return replace(
            self, levels=tuple(function(np.array(self.levels, dtype=np.float64)).tolist())
        )

    def of(self, function: Function | None) -> Steps:
        """Put it after a monotone function: find where that passes the cuts, to the last bit."""
        if function is None or not self.cuts:
            return self
        cuts = np.array(self.cuts)
        last, at_low, always = last_before_change(
            lambda x, cut: np.asarray(function(x) <= cuts[cut]), len(cuts)
        )
        # A function that falls meets the cuts from above.
        falls = bool(np.any(~always & ~at_low))
        last = np.where(always, np.where(at_low != falls, np.inf, -np.inf), last)
        order = -1 if falls else 1
        return Steps(tuple(last.tolist()[::order]), self.levels[::order])


@dataclass(frozen=True)
class SourceColumn:
    """How a column of the model arises from one feature.

    Attributes
    ----------
    feature : position in the space; None for a constant column
    function : for an ordered feature: the column's numbers from the feature's, monotone; None: the
        feature's own number
    steps : for an ordered feature, in the place of ``function``: the column's few numbers
    table : for a categorical feature: the column's value for each of the feature's values (a
        label where the column holds labels)
    at_missing : for an ordered feature: the column's number where it is missing; None: what
        ``function`` makes of NaN
    constant : the value of a constant column
    """

    feature: int | None
    function: Function | None = None
    steps: Steps | None = None
    table: tuple[Any, ...] | None = None
    at_missing: float | None = None
    constant: float = 0.0

    @property
    def of_missing(self) -> float:
        """The column's number where an ordered feature is missing."""
        if self.at_missing is not None:
            return self.at_missing
        return float("nan") if self.function is None else _once(self.function, float("nan"))

    def then(self, function: Function) -> SourceColumn:
        """Apply a further monotone function to the column."""
        if self.feature is None:
            return replace(self, constant=_once(function, self.constant))
        if self.table is not None:
            numbers = function(np.array(self.table, dtype=np.float64))
            return replace(self, table=tuple(numbers.tolist()))
        missing = None if self.at_missing is None else _once(function, self.at_missing)
        if self.steps is not None:
            return replace(self, steps=self.steps.then(function), at_missing=missing)
        first = self.function
        both = function if first is None else (lambda x: function(first(x)))
        return replace(self, function=both, at_missing=missing)


def _once(function: Function, number: float) -> float:
    with np.errstate(all="ignore"):
        return float(function(np.array([number]))[0])


class Other(Enum):
    """Any label that is not listed."""

    OTHER = "(other)"


Cell = Label | Other | None  # None and NaN are missing


class Refused(Exception):
    """What a transformer does not take; becomes a public error where the feature is known."""


def as_number(cell: Cell) -> float:
    """Return what numpy makes of a label in a column of numbers."""
    if cell is None:
        return float("nan")
    if isinstance(cell, Other | str):
        raise Refused(f"takes numbers, and this column holds {cell!r:.60}")
    return float(cell)


@dataclass(frozen=True)
class Rescale:
    """Numbers become other numbers, in the same or the opposite order."""

    step: str
    function: Function
    takes_missing: bool = True
    hint: Feature | None = None  # what the transformer knows of the feature

    def on_cell(self, cell: Cell) -> Cell:
        """Return what it makes of one value."""
        if is_unknown(cell) and not self.takes_missing:
            raise Refused("does not take missing values")
        with np.errstate(all="ignore"):
            return float(self.function(np.array([as_number(cell)]))[0])


@dataclass(frozen=True)
class Cut:
    """Numbers become one number up to a threshold, and another above it.

    Numbers are rounded to ``values`` before they are compared.
    """

    step: str
    at_most: float
    numbers: tuple[float, float]
    values: Values = "float64"
    at_missing: float | None = None  # None: missing values are refused
    hint: Feature | None = None

    def on_cell(self, cell: Cell) -> Cell:
        """Return what it makes of one value."""
        if is_unknown(cell):
            if self.at_missing is None:
                raise Refused("does not take missing values")
            return self.at_missing
        below, above = self.numbers
        return below if as_number(cell) <= self.steps().cuts[0] else above

    def steps(self) -> Steps:
        """State it over all numbers, as they are before they are rounded."""
        last = row_boundary(value_at_most(np.array([self.at_most]), self.values), self.values)
        return Steps((float(last[0]),), self.numbers)


@dataclass(frozen=True)
class Encode:
    """Labels become numbers. ``unknown`` and ``missing`` are None where they are refused."""

    step: str
    table: Mapping[Label, float]
    unknown: float | None = None
    missing: float | None = None
    hint: Feature | None = None

    def on_cell(self, cell: Cell) -> Cell:
        """Return what it makes of one value."""
        if is_unknown(cell):
            if self.missing is None:
                raise Refused("does not take missing values")
            return self.missing
        number = None if isinstance(cell, Other) else self.table.get(cell)  # type: ignore[arg-type]
        if number is None:
            number = self.unknown
        if number is None:
            what = "any other value" if isinstance(cell, Other) else f"the value {cell!r}"
            raise Refused(f"does not take {what}, only {some_names(self.table)}")
        return number

    def steps(self) -> Steps:
        """State it over all numbers. What is refused goes with the next label above it."""
        if any(isinstance(label, str) for label in self.table):
            raise Refused("takes labels that are text, and this column holds numbers")
        labels = sorted(self.table, key=float)
        cuts: list[float] = []
        levels: list[float] = []
        for label in labels:
            if self.unknown is not None:
                below = float(np.nextafter(float(label), -np.inf))
                if not cuts or cuts[-1] < below:
                    cuts.append(below)
                    levels.append(self.unknown)
            cuts.append(float(label))
            levels.append(self.table[label])
        if self.unknown is not None:
            levels.append(self.unknown)
        else:
            cuts.pop()
        return Steps(tuple(cuts), tuple(levels))


@dataclass(frozen=True)
class Fill:
    """What is missing, or stands for it, becomes a value; the rest stays."""

    step: str
    placeholder: Any
    value: Label
    only_numbers: bool

    def on_cell(self, cell: Cell) -> Cell:
        """Return what it makes of one value."""
        if self.only_numbers:
            cell = as_number(cell)
        return self.value if _stands_for(self.placeholder, cell) else cell


@dataclass(frozen=True)
class Flag:
    """1 for what is missing, or stands for it, 0 for the rest."""

    step: str
    placeholder: Any

    def on_cell(self, cell: Cell) -> Cell:
        """Return what it makes of one value."""
        return float(_stands_for(self.placeholder, cell))


@dataclass(frozen=True)
class Pass:
    """Everything stays, and missing values are refused."""

    step: str

    def on_cell(self, cell: Cell) -> Cell:
        """Return what it makes of one value."""
        if is_unknown(cell):
            raise Refused("does not take missing values")
        return cell


Stage = Rescale | Cut | Encode | Fill | Flag | Pass


def _stands_for(placeholder: Any, cell: Cell) -> bool:
    if is_unknown(placeholder):
        return is_unknown(cell)
    return bool(cell == placeholder)


@dataclass(frozen=True)
class Wire:
    """A column: the position of its source, what happens to it, and its type in numpy."""

    source: int
    stages: tuple[Stage, ...] = ()
    dtype: np.dtype[Any] = FLOAT64

    def then(self, stage: Stage, dtype: Any = None) -> Wire:
        """Add a stage."""
        kept = self.dtype if dtype is None else np.dtype(dtype)
        return replace(self, stages=(*self.stages, stage), dtype=kept)

    def on_cell(self, cell: Cell) -> Cell:
        """Return what the model's column holds where the source holds this."""
        for stage in self.stages:
            try:
                cell = stage.on_cell(cell)
            except Refused as error:
                raise Refused(f"{stage.step} {error}") from None
        return cell

    def takes(self, cell: Cell) -> bool:
        """Whether the transformers let a value through."""
        try:
            self.on_cell(cell)
        except Refused:
            return False
        return True

    @property
    def demand(self) -> Stage | None:
        """The first stage that asks for numbers or for labels; None: the model gets the column."""
        for stage in self.stages:
            if isinstance(stage, Rescale | Cut | Encode | Flag) or (
                isinstance(stage, Fill) and stage.only_numbers
            ):
                return stage
        return None

    def on_numbers(self, start: SourceColumn, missing: bool) -> SourceColumn:
        """Apply it to all numbers of an ordered feature.

        ``start`` says what the source column holds; ``missing`` whether it can be missing.
        """
        column = start
        if missing:
            column = replace(column, at_missing=as_number(self.on_cell(start.of_missing)))
        for stage in self.stages:
            try:
                column = replace(_on_numbers(stage, column), at_missing=column.at_missing)
            except Refused as error:
                raise Refused(f"{stage.step} {error}") from None
        return column


def _on_numbers(stage: Stage, column: SourceColumn) -> SourceColumn:
    """Apply one stage to all numbers; what becomes of missing is clear already."""
    if isinstance(stage, Pass):
        return column
    if isinstance(stage, Rescale):
        return replace(column, at_missing=None).then(stage.function)
    if column.steps is not None:
        levels = tuple(as_number(stage.on_cell(level)) for level in column.steps.levels)
        return replace(column, steps=replace(column.steps, levels=levels))
    if isinstance(stage, Cut | Encode):
        return replace(column, function=None, steps=stage.steps().of(column.function))
    if not is_unknown(stage.placeholder):
        raise Refused(
            f"treats the number {stage.placeholder!r} as missing, which takes it out of the order "
            "of the others: write NaN for it in the table"
        )
    if isinstance(stage, Flag):
        return replace(column, function=None, steps=Steps((), (0.0,)))
    as_number(stage.value)
    return column


@dataclass(frozen=True)
class Block:
    """A table on its way: its columns, and whether scipy holds it as a sparse matrix."""

    wires: Sequence[Wire]
    sparse: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which scikit-learn computes with the whole table."""
        kinds = {wire.dtype for wire in self.wires}
        return FLOAT32 if kinds and np.result_type(*kinds) == FLOAT32 else FLOAT64


@dataclass(frozen=True)
class Before:
    """What a model does itself to the columns that it takes, before its trees ask.

    Attributes
    ----------
    wires : the columns that its trees ask about
    values : of each column that it takes, which numbers it can hold
    names : of these, where the model has them
    """

    wires: Sequence[Wire]
    values: Sequence[Values]
    names: Sequence[str] | None = None
