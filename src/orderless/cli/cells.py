"""Cells: text of a file, or of ``--row name=value``, as values of features.

In:  cells, and the ``Tree`` that they are for.
Out: a data frame that ``predict`` takes, or a dict that ``explain`` takes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..space import Feature, Label, Space
from ..tree import Tree
from .files import Part, missing_column
from .mistakes import Mistake, some

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "frame_for",
    "known_cells",
    "labels_for",
    "number",
    "parser_of",
    "row_from",
    "unknown",
]

# How files write "not known". A category of this name is a category all the same.
UNKNOWN = frozenset(
    {"", "?", "#N/A", "<NA>", "N/A", "n/a", "NA", "NULL", "null", "NaN", "nan", "None"}
)
TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
ADVICE = "Add it, with empty cells where it is unknown, or rename the column that means it"

Parser = Callable[[Any], Any]


def unknown(cell: Any) -> bool:
    """Whether a cell says "not known"."""
    if isinstance(cell, str):
        return cell.strip() in UNKNOWN
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


def _truth(cell: Any) -> Any:
    if not isinstance(cell, str):
        return math.nan if cell is None else cell
    if unknown(cell):
        return math.nan
    known = TRUTHS.get(cell.strip().lower())
    if known is None:
        known = {0.0: False, 1.0: True}[float(cell)]
    return float(known)


def _category(feature: Feature) -> Parser:
    by_text: dict[str, Label] = {}
    for label in feature.categories:
        by_text.setdefault(str(label).lower() if isinstance(label, bool) else str(label), label)
    numbers = {float(c): c for c in feature.categories if not isinstance(c, str)}

    def parse(cell: Any) -> Any:
        if not isinstance(cell, str):
            if cell is not None and not unknown(cell) and feature.code(cell) is None:
                raise ValueError
            return cell
        for text in (cell, cell.strip()):
            if text in by_text:
                return by_text[text]
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


def parser_of(space: Space, name: str) -> tuple[Parser, str]:
    """Give what reads the cells of a column, and which cells are legal."""
    told = next((column for column in space.columns if column.name == name), None)
    if told is not None and told.condition is not None:
        return _truth, "0 or 1, and empty if unknown"
    feature = space[name if told is None else told.feature]
    if feature.kind == "boolean":
        return _truth, "true or false, and empty if unknown"
    if feature.kind == "numeric":
        return number, "numbers, and empty if unknown"
    return _category(feature), f"{some([str(c) for c in feature.categories])}, and empty if unknown"


def known_cells(
    cells: list[Any], parser: tuple[Parser, str], column: str, table: str, first: int = 1
) -> list[Any]:
    """Read the cells of one column; a cell that is not legal is a ``Mistake`` with its row."""
    parse, legal = parser
    distinct: dict[Any, Any] = {}
    for cell in dict.fromkeys(cells):
        try:
            distinct[cell] = parse(cell)
        except (ValueError, KeyError, TypeError):
            row = first + cells.index(cell)
            comma = isinstance(cell, str) and re.fullmatch(r"\s*-?\d+,\d+\s*", cell)
            point = ". Write decimal numbers with a point" if comma else ""
            raise Mistake(
                f"row {row:,} of {table} has {cell!r:.80} in the column {column!r:.80}: legal are "
                f"{legal}{point}"
            ) from None
    return [distinct[cell] for cell in cells]


def frame_for(
    trees: Tree | Iterable[Tree],
    part: Part,
    table: str,
    features: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """Read the columns that a tree asks about (or some features); its ``predict`` takes them."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for tree in [trees] if isinstance(trees, Tree) else trees:
        for name in _wanted(tree, part, table, features):
            parser = parser_of(tree.space, name)
            values = known_cells(part.columns[name], parser, name, table, part.first)
            columns[name] = pd.Series(values, dtype=object)
            if parser[0] in (number, _truth):
                with suppress(TypeError, ValueError):  # dates and the like are refused later
                    columns[name] = np.array(values, dtype=np.float64)
    return pd.DataFrame(columns, index=range(part.n_rows))


def _wanted(
    tree: Tree, part: Part, table: str, features: tuple[str, ...] | None = None
) -> list[str]:
    """Name the columns that speak about the features of a tree, by default those it asks about."""
    wanted: dict[str, None] = {}
    there = tuple(part.columns)
    for feature in tree.features if features is None else features:
        told = [tree.space.columns[i].name for i in tree.space.columns_of[feature]]
        own = [feature] if feature in part.columns and feature not in told else []
        absent = [name for name in told if name not in part.columns]
        if absent and not own:
            raise missing_column(absent[0], table, there, ADVICE)
        wanted |= dict.fromkeys([*(name for name in told if name in part.columns), *own])
    return list(wanted)


def labels_for(tree: Tree, cells: list[Any]) -> list[Any]:
    """Read a target column as the classes of a tree; what is none of them stays as it is."""
    by_text = {
        str(label).lower() if isinstance(label, bool) else str(label): label
        for label in tree.classes
    }
    numbers = {float(c): c for c in tree.classes if not isinstance(c, str)}

    def parse(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        text = cell.strip()
        if text in by_text:
            return by_text[text]
        truth = TRUTHS.get(text.lower()) if numbers else None
        if truth is not None and float(truth) in numbers:
            return numbers[float(truth)]
        try:
            return numbers.get(float(text), text)
        except ValueError:
            return None if unknown(text) else text

    known = {cell: parse(cell) for cell in dict.fromkeys(cells)}
    return [known[cell] for cell in cells]


def row_from(given: list[str], tree: Tree) -> dict[str, Any]:
    """Read ``name=value`` texts as a row."""
    legal = dict.fromkeys([*tree.space.names, *tree.space.column_names])
    row: dict[str, Any] = {}
    for text in given:
        ends = [i for i, sign in enumerate(text) if sign == "="]
        if not ends:
            raise Mistake(f"--row takes name=value, got {text!r:.80}")
        end = next((i for i in ends if text[:i] in legal), None)
        if end is None:
            raise missing_column(
                text[: ends[0]], "the tree", tuple(legal), "Give --row one of these", "feature"
            )
        name, cell = text[:end], text[end + 1 :]
        if name in row:
            raise Mistake(f"--row gives {name!r:.80} twice")
        row[name] = known_cells([cell], parser_of(tree.space, name), name, "--row")[0]
    return row
