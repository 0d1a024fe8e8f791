"""Cells: what is written in a table file, as values of features.

In:  cells (text of a CSV file, or values of a Parquet file), and the ``Space`` they are for.
Out: numbers, truths and categories; NaN or None for unknown. A cell that is not legal is an error
     that names its row.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidData
from ..rows import absent_columns, some_names
from ..space import Feature, Label, Space
from ..tree import Tree

__all__ = [
    "Parser",
    "known_cells",
    "not_legal",
    "number",
    "parser_of",
    "truth",
    "unknown",
    "wanted_columns",
]

# How files write "not known", in small or capital letters. A category of this name is a category
# all the same.
UNKNOWN = frozenset({"", "?", "#n/a", "<na>", "n/a", "na", "nan", "null", "unknown"})
PYTHONS = "None"  # as Python writes it; "none" may be an answer
TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Parse = Callable[[Any], Any]


class Parser(NamedTuple):
    """What reads the cells of a column: which are legal, and whether they become numbers."""

    parse: Parse
    legal: str
    numeric: bool


def unknown(cell: Any) -> bool:
    """Whether a cell says "not known".

    Examples
    --------
    >>> [unknown(cell) for cell in ("", " NA", "Unknown", "None", "none", 0)]
    [True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        text = cell.strip()
        return text.lower() in UNKNOWN or text == PYTHONS
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def number(cell: Any) -> Any:
    """Read a number; NaN if it is not known, ``ValueError`` if it is none.

    Examples
    --------
    >>> number(" 1e3 "), number("NA")
    (1000.0, nan)
    """
    if not isinstance(cell, str):
        return math.nan if cell is None else cell
    if unknown(cell):
        return math.nan
    if "_" in cell:
        raise ValueError  # Python would read 1_000
    return float(cell)


def truth(cell: Any) -> Any:
    """Read true, false, yes, no, 1 or 0 as 1.0 or 0.0; NaN if it is not known."""
    if isinstance(cell, str):
        if unknown(cell):
            return math.nan
        known = TRUTHS.get(cell.strip().lower())
        return float({0.0: False, 1.0: True}[float(cell)] if known is None else known)
    if unknown(cell):
        return math.nan
    return {0.0: 0.0, 1.0: 1.0}[float(cell)]


def _whole(feature: Feature) -> Parse:
    low, high = feature.bounds

    def parse(cell: Any) -> Any:
        value = number(cell)
        known = float(value)
        if not math.isnan(known) and not (known.is_integer() and low < known <= high):
            raise ValueError
        return value

    return parse


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


def parser_of(space: Space, name: str) -> Parser:
    """Give what reads the cells of a column."""
    told = next((column for column in space.columns if column.name == name), None)
    if told is not None and told.condition is not None:
        return Parser(truth, "0 or 1, and empty if unknown", numeric=True)
    feature = space[name if told is None else told.feature]
    if feature.kind == "boolean":
        return Parser(truth, "true or false, and empty if unknown", numeric=True)
    if feature.kind == "numeric" and feature.whole:
        return Parser(_whole(feature), "whole numbers, and empty if unknown", numeric=True)
    if feature.kind == "numeric":
        return Parser(number, "numbers, and empty if unknown", numeric=True)
    listed = some_names([str(c) for c in feature.categories], most=8)
    return Parser(_category(feature), f"{listed}, and empty if unknown", numeric=False)


def not_legal(row: int, table: str, cell: Any, column: str, legal: str) -> InvalidData:
    """Say which cell is not legal, and what is."""
    comma = isinstance(cell, str) and re.fullmatch(r"\s*-?\d+,\d+\s*", cell)
    point = ". Write decimal numbers with a point" if comma else ""
    return InvalidData(
        f"row {row:,} of {table} has {cell!r:.80} in the column {column!r:.80}: legal are "
        f"{legal}{point}"
    )


def known_cells(
    cells: list[Any], parser: Parser, column: str, table: str, first: int = 1
) -> list[Any]:
    """Read the cells of one column; a cell that is not legal is an error with its row."""
    parse, legal, _ = parser
    distinct: dict[Any, Any] = {}
    for cell in dict.fromkeys(cells):
        try:
            distinct[cell] = parse(cell)
        except (ValueError, KeyError, TypeError):
            raise not_legal(first + cells.index(cell), table, cell, column, legal) from None
    return [distinct[cell] for cell in cells]


def wanted_columns(
    tree: Tree, there: Sequence[str], table: str, features: Iterable[str] | None = None
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
    wanted: dict[str, None] = {}
    for feature in names:
        told = [tree.space.columns[i].name for i in tree.space.columns_of[feature]]
        wanted |= dict.fromkeys(name for name in [*told, feature] if name in there)
    return list(wanted)
