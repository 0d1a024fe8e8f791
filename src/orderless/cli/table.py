"""Tables to learn from: complete rows with their classes.

In:  ``TableOptions``: a CSV or Parquet file, or the name of one of the paper's data sets.
Out: ``Labelled``: rows, classes, and what the columns are. How they were read is said on stderr.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..space import Feature, Space
from .mistakes import Mistake
from .options import FileOptions, TableOptions
from .profile import ColumnProfile
from .summary import Summary, read_table, summarize

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Labelled", "labelled", "say"]


@dataclass(frozen=True)
class Labelled:
    """Complete rows of a table with their classes, what the columns are, and what was left out."""

    name: str
    X: pd.DataFrame
    y: list[Any]
    space: Space
    summary: Summary

    @property
    def text(self) -> list[str]:
        """The columns that hold text."""
        from pandas.api.types import is_numeric_dtype

        return [str(c) for c in self.X if not is_numeric_dtype(self.X[c])]


def labelled(data: TableOptions, files: FileOptions) -> Labelled:
    """Read a table to learn from. Rows with gaps are refused, or left out on request."""
    import pandas as pd

    table = read_table(data, files)
    if table.target is None:
        raise Mistake(
            f"which column of {table.name} holds the classes? Add --target COLUMN, one of its "
            "columns"
        )
    summary = summarize(table, data)
    problems = list(islice(summary.problems(), 100))
    if problems:
        more = f". There is more to settle: orderless describe {table.name} lists it"
        raise Mistake(problems[0] + more * (len(problems) > 1))
    say(summary.head(), quiet=data.quiet)
    target = summary.target
    assert target is not None
    keep = np.flatnonzero(~summary.incomplete).tolist()
    y = _classes(_values(summary, target, keep))
    columns = {c.name: _typed(_values(summary, c, keep), c.kind) for c in summary.features}
    X = pd.DataFrame(columns)
    return Labelled(table.name, X, y, _space(X, columns, infer=data.infer_kinds), summary)


def say(lines: list[str], *, quiet: bool) -> None:
    """Write on stderr how data were read, also where nobody watches: it goes into the log."""
    if not quiet:
        for line in lines:
            typer.echo(f"Data: {line}", err=True)


def _values(summary: Summary, column: ColumnProfile, keep: list[int]) -> list[Any]:
    cells = summary.table.part.columns[column.name]
    return [column.values[cells[i]] for i in keep]


def _typed(values: list[Any], kind: str) -> NDArray[Any]:
    if kind == "categorical":
        return np.array(values, dtype=object)
    return np.array(values, dtype=bool if kind == "boolean" else np.float64)


def _classes(values: list[Any]) -> list[Any]:
    """Give whole numbers as such."""
    whole = all(isinstance(value, float) and value.is_integer() for value in set(values))
    return [int(value) for value in values] if whole else values


def _space(X: pd.DataFrame, columns: dict[str, NDArray[Any]], *, infer: bool) -> Space:
    """Say what the columns are. Numbers are float32: scikit-learn's trees round rows to that."""
    if infer:
        texts = [name for name, cells in columns.items() if cells.dtype == object]
        proposed = Space.infer(X, text=texts)
        narrow = [
            replace(f, values="float32") if f.kind == "numeric" and f.values == "float64" else f
            for f in proposed.features
        ]
        return Space(narrow, proposed.columns)
    features = []
    for column, cells in columns.items():
        if cells.dtype == object:
            labels = tuple(sorted(set(cells.tolist())))
            features.append(Feature(column, "categorical", categories=labels))
        elif cells.dtype == bool:
            features.append(Feature(column, "boolean"))
        else:
            features.append(Feature(column, values="float32"))
    return Space(features)
