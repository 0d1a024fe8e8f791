"""Rows for a tree that is there already.

In:  a tree, and cells: of a CSV or Parquet file, of a data set of the paper, or of
     ``--row name=value``.
Out: rows that the tree can read, with their labels where the target is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..connect import TRUTHS, Part, Unseen, parser_of, read_cells, unseen_notes, wanted_columns
from ..errors import InvalidData
from ..inputs import PLAIN, CellStyle, rows_for, some_names, unknown
from ..model import Space, SumKernel, TreeKernel, known_rows, label_text, printable
from .costs import name_end
from .files import missing_column
from .mistakes import Mistake
from .options import FileOptions, RowsOptions, TableOptions, UnseenKind
from .summary import Table, read_table
from .table import say

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["complete_rows_for", "frame_for", "frame_with_unseen", "labelled_rows", "row_from"]


def labelled_rows(
    tree: TreeKernel | SumKernel, data: RowsOptions | TableOptions, files: FileOptions
) -> tuple[pd.DataFrame, list[Any] | None]:
    """Read data for a tree that is there already; with labels if the target is known."""
    table = read_table(data, files)
    X = frame_with_unseen(tree, table.part, table.name, table.style, data)
    return X, _labels(tree, table)


def frame_with_unseen(
    trees: TreeKernel | SumKernel | Iterable[TreeKernel],
    part: Part,
    table: str,
    style: CellStyle,
    data: RowsOptions | TableOptions,
) -> pd.DataFrame:
    """Read rows; categories that the tree does not know are unknown and counted, or refused."""
    refused = isinstance(data, RowsOptions) and data.unseen == UnseenKind.error
    unseen: dict[str, Unseen] | None = None if refused else {}
    X = frame_for(trees, part, table, style=style, unseen=unseen)
    say([printable(note) for note in unseen_notes(unseen or {})], quiet=data.quiet)
    return X


def complete_rows_for(
    tree: TreeKernel | SumKernel, data: RowsOptions | TableOptions, files: FileOptions
) -> tuple[TreeKernel | SumKernel, pd.DataFrame, list[Any] | None, str]:
    """Read rows with all that a tree asks about; those with gaps are left out, and counted.

    A category that the tree does not know is a gap. Features that the tree does not ask about come
    too where the table has them without gaps; the tree is given back over these features. Last
    comes what was left out, in words.
    """
    table = read_table(data, files)
    part, name = table.part, table.name
    y = _labels(tree, table)
    X = frame_with_unseen(tree, part, name, table.style, data)
    keep = known_rows(tree.bins, rows_for(tree, X))
    if y is not None:
        keep = keep & np.array([label is not None for label in y], dtype=bool)
    n_gaps = int((~keep).sum())
    if n_gaps == len(X):
        raise Mistake(
            f"every row of {name} has gaps in what the tree asks about, or no class: this needs "
            "complete rows"
        )
    note = ""
    if n_gaps:
        note = (
            f"{name}: {len(X) - n_gaps:,} of {len(X):,} rows; left out {n_gaps:,} with gaps in "
            f"what the {'tree' if isinstance(tree, TreeKernel) else 'model'} asks about, or "
            f"without a {'number' if tree.task == 'regression' else 'class'}"
        )
        say([printable(note)], quiet=data.quiet)
    chosen = np.flatnonzero(keep).tolist()
    for feature in tree.space.names:
        if feature in tree.features:
            continue
        with suppress(InvalidData):  # the table does not have it, or has something else there
            more = frame_for(tree, part, name, (feature,), style=table.style)
            if not bool(more.iloc[chosen].isna().any(axis=None)):
                X = X.assign(**{str(column): more[column] for column in more})
    space = tree.space
    columns = [column for column in space.columns if column.name in X]
    there = {column.feature for column in columns} | {str(column) for column in X}
    own = Space([f for f in space.features if f.name in there], columns)
    X = X.iloc[chosen].reset_index(drop=True)
    return tree.over(own), X, None if y is None else [y[i] for i in chosen], note


def _labels(tree: TreeKernel | SumKernel, table: Table) -> list[Any] | None:
    if table.target is None:
        return None
    if table.target not in table.part.columns:
        there = tuple(table.part.columns)
        raise missing_column(table.target, table.name, there, "Correct --target")
    cells = table.part.columns[table.target]
    if tree.task == "regression":
        return _numbers_for(cells, table)
    return _labels_for(tree, cells, table.target, table.style)


def _numbers_for(cells: list[Any], table: Table) -> list[float | None]:
    """Read a target column as numbers; None where it is missing."""
    column = str(table.target)

    def parse(cell: Any) -> float | None:
        if table.style.unknown(column, cell):
            return None
        try:
            number = float(table.style.number(cell))
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise Mistake(
                f"the target {column!r:.80} of {table.name} has {cell!r:.40} in row "
                f"{cells.index(cell) + 1:,}, and the tree says numbers: correct it, or say what "
                f"means missing with --na, and how numbers are written with --decimal"
            )
        return number

    known = {cell: parse(cell) for cell in dict.fromkeys(cells)}
    return [known[cell] for cell in cells]


def frame_for(
    trees: TreeKernel | SumKernel | Iterable[TreeKernel],
    part: Part,
    table: str,
    features: tuple[str, ...] | None = None,
    style: CellStyle = PLAIN,
    unseen: dict[str, Unseen] | None = None,
) -> pd.DataFrame:
    """Read the columns that a tree asks about (or some features); its ``predict`` takes them.

    Categories that a tree does not know are refused, or counted in ``unseen`` and unknown.
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    for tree in [trees] if isinstance(trees, TreeKernel | SumKernel) else trees:
        for name in wanted_columns(tree, tuple(part.columns), table, features):
            parser = parser_of(tree.space, name, style)
            known = read_cells(part.columns[name], parser, name, table, part.first, unseen)
            values = np.empty(len(known.values), dtype=np.float64 if parser.numeric else object)
            values[:] = known.values
            columns[name] = values[known.index]
    return pd.DataFrame(columns, index=range(part.n_rows))


def _labels_for(
    tree: TreeKernel | SumKernel, cells: list[Any], column: str, style: CellStyle
) -> list[Any]:
    """Read a target column as the classes of a tree; what is none of them stays as it is."""
    by_text = {
        str(label).lower() if isinstance(label, bool) else str(label): label
        for label in tree.classes
    }
    numbers = {float(c): c for c in tree.classes if not isinstance(c, str)}

    def parse(cell: Any) -> Any:
        if style.missing_in(column, cell):
            return None
        if not isinstance(cell, str):
            return cell
        text = cell.strip()
        if text in by_text:
            return by_text[text]
        if unknown(text):
            return None
        truth = TRUTHS.get(text.lower()) if numbers else None
        if truth is not None and float(truth) in numbers:
            return numbers[float(truth)]
        try:
            return numbers.get(float(style.number(text)), text)
        except ValueError:
            return text

    known = {cell: parse(cell) for cell in dict.fromkeys(cells)}
    labels = {label for label in known.values() if label is not None}
    if labels and not labels & set(tree.classes):
        others = some_names(sorted(map(str, labels)), most=8)
        raise Mistake(
            f"the target {column!r:.80} has {others}, none of which the model "
            f"predicts: its classes are {some_names(map(label_text, tree.classes))}"
        )
    return [known[cell] for cell in cells]


def row_from(
    given: list[str], tree: TreeKernel | SumKernel, style: CellStyle = PLAIN
) -> dict[str, Any]:
    """Read ``name=value`` texts as a row."""
    names = dict.fromkeys([*tree.space.names, *tree.space.column_names])
    row: dict[str, Any] = {}
    for text in given:
        if "=" not in text:
            raise Mistake(f"--row takes name=value, got {text!r:.80}")
        end = name_end(text, names.__contains__)
        if end is None:
            wanted = text.partition("=")[0]
            raise missing_column(
                wanted, "the tree", tuple(names), "Give --row one of these", "feature"
            )
        name, cell = text[:end], text[end + 1 :]
        if name in row:
            raise Mistake(f"--row gives {name!r:.80} twice")
        row[name] = read_cells([cell], parser_of(tree.space, name, style), name, "--row").values[0]
    return row
