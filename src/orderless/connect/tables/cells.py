"""Cells: what is written in a table file, as values of features.

In:  cells (text of a CSV file, or values of a Parquet file), and the ``Space`` they are for.
Out: numbers, truths and categories; NaN or None for unknown. A cell that is not allowed is an
     error that names its row, or is counted among the unseen categories.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidData, setting
from ...inputs import (
    EXACT,
    NOT_GIVEN,
    PLAIN,
    CellStyle,
    absent_columns,
    notations,
    some_names,
    unknown,
)
from ...model import Column, Feature, Label, Space, SumKernel, TreeKernel
from .part import Coded, cells_of, coded

__all__ = ["Parser", "Unseen", "holds_truths", "parser_of", "plain_cells", "read_cells", "truth",
           "unknown", "unseen_notes", "wanted_columns"]  # fmt: skip

TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

DIGITS = re.compile(r"[+-]?[0-9]{1,400}")
EXAMPLES = 3  # unseen values of a column that are shown; no more are kept, since files can be huge
NUMBER = "a number, or empty if unknown"
WHOLE_NUMBER = "a whole number, or empty if unknown"

Parse = Callable[[Any], Any]


class Parser(NamedTuple):
    """What reads the cells of a column: which are allowed, and whether they become numbers."""

    parse: Parse
    allowed: str
    numeric: bool


def truth(cell: Any) -> Any:
    """Read true, false, yes, no, 1 or 0 as 1.0 or 0.0; NaN if it is not known."""
    if unknown(cell):
        return math.nan
    known = TRUTHS.get(cell.strip().lower()) if isinstance(cell, str) else None
    return {0.0: 0.0, 1.0: 1.0}[float(cell if known is None else known)]


def _whole(feature: Feature, style: CellStyle) -> Parse:
    low, high = feature.bounds
    number = _exactly(style)

    def parse(cell: Any) -> Any:
        value = number(cell)
        known = float(value)
        if not math.isnan(known) and not (known.is_integer() and low < known <= high):
            raise ValueError
        return value

    return parse


def _exactly(style: CellStyle) -> Parse:
    """Refuse a whole number that float64 would round, as ``predict`` does (docs/decisions/0011)."""

    def parse(cell: Any) -> Any:
        value = style.number(cell)
        if _rounded(cell, value):
            raise ValueError
        return value

    return parse


def _rounded(cell: Any, value: Any) -> bool:
    if not isinstance(value, int | float) or not abs(value) >= EXACT:
        return False
    if isinstance(cell, str) and DIGITS.fullmatch(cell.strip()):
        return int(cell) != float(value)
    return isinstance(cell, int) and float(cell) != cell


def _category(feature: Feature) -> Parse:
    by_text: dict[str, Label] = {}
    for label in feature.categories:
        by_text.setdefault(str(label).lower() if isinstance(label, bool) else str(label), label)
    numbers = {float(c): c for c in feature.categories if not isinstance(c, str)}
    truths = TRUTHS if all(isinstance(c, bool) for c in feature.categories) else {}

    def parse(cell: Any) -> Any:
        if not isinstance(cell, str):
            if cell is not None and not unknown(cell) and feature.code(cell) is None:
                raise ValueError
            return cell
        for text in (cell, cell.strip()):
            if text in by_text:
                return by_text[text]
        if cell.strip().lower() in truths:
            return truths[cell.strip().lower()]
        if unknown(cell):
            return None
        if numbers:
            try:
                return numbers[float(cell)]
            except (KeyError, ValueError):
                pass
        if not feature.other:
            raise ValueError
        return cell

    return parse


def holds_truths(space: Space, name: str) -> bool:
    """Whether a column holds true and false, or 0 and 1."""
    column = _column(space, name)
    if column is not None and column.condition is not None:
        return True
    return space[name if column is None else column.feature].kind == "boolean"


def _column(space: Space, name: str) -> Column | None:
    return next((column for column in space.columns if column.name == name), None)


def parser_of(space: Space, name: str, style: CellStyle = PLAIN) -> Parser:
    """Give what reads the cells of a column; texts that ``style`` calls missing are unknown."""
    parse, allowed, numeric = _parser(space, name, style)
    if not style.missing:
        return Parser(parse, allowed, numeric)
    gap = math.nan if numeric else None
    return Parser(
        lambda cell: gap if style.missing_in(name, cell) else parse(cell), allowed, numeric
    )


def _parser(space: Space, name: str, style: CellStyle) -> Parser:
    column = _column(space, name)
    if column is not None and column.condition is not None:
        return Parser(truth, "0 or 1, or empty if unknown", numeric=True)
    feature = space[name if column is None else column.feature]
    if feature.kind == "boolean":
        return Parser(truth, "true or false, or empty if unknown", numeric=True)
    if feature.kind == "numeric" and feature.whole:
        return Parser(_whole(feature, style), WHOLE_NUMBER, numeric=True)
    if feature.kind == "numeric":
        rounds = feature.values == "float32"
        return Parser(style.number if rounds else _exactly(style), NUMBER, numeric=True)
    listed = some_names([str(c) for c in feature.categories], most=8)
    return Parser(_category(feature), f"one of {listed}, or empty if unknown", numeric=False)


def _not_allowed(row: int, table: str, cell: Any, column: str, allowed: str) -> InvalidData:
    """Say which cell is not allowed, what is, and which option may settle it."""
    remedy, text = "", str(cell).strip()
    if allowed in (NUMBER, WHOLE_NUMBER) and DIGITS.fullmatch(text):
        number = float(text)  # of the cell itself: float takes not every space that strip does
        remedy = (
            f". float64 cannot hold this number (the nearest is {number:.0f}): round it, or "
            "make the feature categorical if it is an identifier"
        ) * (abs(number) >= EXACT)
    elif allowed in (NUMBER, WHOLE_NUMBER) and isinstance(cell, str):
        how = notations([cell])
        remedy = (
            f". If it is a number, add {how}"
            if how
            else f". If it means missing, add {setting('missing', cell.strip())}"
        )
    return InvalidData(
        f"row {row:,} of {table} has {cell!r:.80} in the column {column!r:.80}, which must be "
        f"{allowed}{remedy}"
    )


def plain_cells(cells: Sequence[Any], column: str, table: str) -> None:
    """Refuse cells that hold more than one value, as lists and structs of Parquet do."""
    for row, cell in enumerate(cells, 1):
        if isinstance(cell, list | dict):
            kind = "lists" if isinstance(cell, list) else "structs"
            raise InvalidData(
                f"the column {column!r:.80} of {table} holds {kind} ({cell!r:.60} in row {row:,}), "
                "and a feature has one number, one true or false, or one text per row: split it "
                "into columns of their own, or leave it out"
            )


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of a column that its feature does not list: in how many rows, and the first few."""

    n_rows: int
    values: tuple[Label, ...]


def _add_unseen(counts: dict[str, Unseen], column: str, cell: Label, n_rows: int) -> None:
    """Count a category that the tree does not know."""
    so_far = counts.get(column, Unseen(0, ()))
    examples = so_far.values
    if cell not in examples and len(examples) <= EXAMPLES:  # one more says that there are more
        examples = (*examples, cell)
    counts[column] = Unseen(so_far.n_rows + n_rows, examples)


def unseen_notes(counts: dict[str, Unseen]) -> list[str]:
    """Write one sentence for each column with unseen categories.

    Examples
    --------
    >>> unseen_notes({"ward": Unseen(2, ("south",))})
    ["2 rows taken as unknown in 'ward': the tree does not know 'south'"]
    """
    return [
        f"{one.n_rows:,} row{'s' * (one.n_rows != 1)} taken as unknown in {column!r:.80}: the "
        f"tree does not know {', '.join(f'{value!r:.40}' for value in one.values[:EXAMPLES])}"
        + " and others"
        * (len(one.values) > EXAMPLES)
        for column, one in counts.items()
    ]


def read_cells(
    column: Any,
    parser: Parser,
    name: str,
    table: str,
    first: int = 1,
    unseen: dict[str, Unseen] | None = None,
) -> Coded:
    """Read the cells of a column, each different one once.

    A cell that is not allowed is an error that names its row, counted from ``first``. With
    ``unseen``, a category that the feature does not have is unknown instead, and counted there.
    """
    try:
        given = coded(column)
    except TypeError:
        plain_cells(cells_of(column), name, table)
        raise
    n_rows = np.bincount(given.index, minlength=len(given.values))
    values: list[Any] = []
    for k, cell in enumerate(given.values):
        try:
            value = parser.parse(cell)
            values.append(float(value) if parser.numeric else value)
        except (ValueError, KeyError, TypeError, OverflowError):
            refused = parser.numeric or unseen is None or not isinstance(cell, Label)
            if n_rows[k] and refused:
                row = first + int(np.argmax(given.index == k))
                raise _not_allowed(row, table, cell, name, parser.allowed) from None
            values.append(math.nan if parser.numeric else NOT_GIVEN)
            if n_rows[k] and unseen is not None:  # else it is a value of a dictionary only
                _add_unseen(unseen, name, cell, int(n_rows[k]))
    return Coded(values, given.index)


def wanted_columns(
    tree: TreeKernel | SumKernel,
    there: Sequence[str],
    table: str,
    features: Iterable[str] | None = None,
) -> list[str]:
    """Name the columns that speak about the features of a tree, by default those it asks about.

    Raises
    ------
    InvalidData
        If the table lacks some: it names all of them.
    """
    names = list(tree.features if features is None else features)
    absent = absent_columns(tree.space, [tree.space.index(name) for name in names], there)
    if absent:
        it, column, s = ("them", "columns", "s") if len(absent) > 1 else ("it", "column", "")
        raise InvalidData(
            f"{table} has no {column} {', '.join(absent)}: it has {some_names(there, most=8)}. "
            f"Add {it}, with empty cells where the value is unknown, or rename the column{s} that "
            f"mean{'' if s else 's'} {it}"
        )
    if features is None and isinstance(
        tree, TreeKernel
    ):  # what facts are about is read if it is there
        names += [tree.space.names[i] for i in tree.connected]
    wanted: dict[str, None] = {}
    for feature in names:
        columns = [tree.space.columns[i].name for i in tree.space.columns_of[feature]]
        wanted |= dict.fromkeys(name for name in [*columns, feature] if name in there)
    return list(wanted)
