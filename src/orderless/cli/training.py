"""Rows for a tree that is there already.

In:  a tree, and ``DataOptions``: a CSV or Parquet file, or the name of a data set of the paper.
Out: rows that the tree can read, with their labels where the target is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..connect import Part, Unseen, unseen_notes
from ..errors import InvalidData
from ..inputs import CellStyle, known_rows
from ..model import Space, Tree, printable
from .cells import frame_for, labels_for
from .files import missing_column
from .mistakes import Mistake
from .options import DataOptions, FileOptions, MissingValues, UnseenKind
from .summary import Table, read_table
from .table import say

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["complete_rows_for", "frame_with_unseen", "rows_for"]


def rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[pd.DataFrame, list[Any] | None]:
    """Read data for a tree that is there already; with labels if the target is known."""
    table = read_table(data, files)
    X = frame_with_unseen(tree, table.part, table.name, table.style, data)
    return X, _labels(tree, table)


def frame_with_unseen(
    trees: Tree | Iterable[Tree],
    part: Part,
    table: str,
    style: CellStyle,
    data: DataOptions,
) -> pd.DataFrame:
    """Read rows; categories that the tree does not know are unknown and counted, or refused."""
    unseen: dict[str, Unseen] | None = {} if data.unseen == UnseenKind.unknown else None
    X = frame_for(trees, part, table, style=style, unseen=unseen)
    say([printable(note) for note in unseen_notes(unseen or {})], quiet=data.quiet)
    return X


def complete_rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[Tree, pd.DataFrame, list[Any] | None]:
    """Read rows with all that a tree asks about; those with gaps are refused, or left out.

    A category that the tree does not know is a gap. Features that the tree does not ask about come
    too where the table has them without gaps; the tree is given back over these features.
    """
    table = read_table(data, files)
    part, name = table.part, table.name
    y = _labels(tree, table)
    X = frame_with_unseen(tree, part, name, table.style, data)
    keep = known_rows(tree.bins, tree.read(X))
    if y is not None:
        keep = keep & np.array([label is not None for label in y], dtype=bool)
    n_gaps = int((~keep).sum())
    if data.missing_values == MissingValues.value:
        raise Mistake(
            "--missing-values value is for fitting a tree, and this one is fitted already: it says "
            "itself whether a gap is a value; leave rows with gaps out with --missing-values drop"
        )
    if n_gaps and data.missing_values is None:
        raise Mistake(
            f"{n_gaps:,} of the {len(X):,} rows of {name} have gaps (the first is row "
            f"{int(np.argmin(keep)) + 1:,}), and this needs complete rows: leave those out with "
            "--missing-values drop"
        )
    if n_gaps == len(X):
        raise Mistake(f"every row of {name} has gaps: this needs complete rows")
    if n_gaps:
        say([f"{name}: {len(X) - n_gaps:,} of {len(X):,} rows; left out {n_gaps:,} with gaps in "
             "what the tree asks about, or without a class"], quiet=data.quiet)  # fmt: skip
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
    return tree.over(own), X, None if y is None else [y[i] for i in chosen]


def _labels(tree: Tree, table: Table) -> list[Any] | None:
    if table.target is None:
        return None
    if table.target not in table.part.columns:
        there = tuple(table.part.columns)
        raise missing_column(table.target, table.name, there, "Correct --target")
    return labels_for(tree, table.part.columns[table.target], table.target, table.style)
