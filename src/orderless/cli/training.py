"""Tables to learn from, or to judge a tree on.

In:  ``DataOptions``: a CSV or Parquet file, or the name of one of the paper's data sets.
Out: ``Labelled``: rows with their classes, and what the columns are; rows for a given tree.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..bins import Bins
from ..errors import InvalidData
from ..missing import known_rows
from ..rows import read_rows
from ..space import Feature, Space
from ..tree import Tree
from .cells import frame_for, labels_for, number, unknown
from .files import Part, missing_column, open_table
from .mistakes import Mistake
from .options import DataOptions, FileOptions, MissingValues, TableOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Labelled", "complete_rows_for", "labelled", "rows_for", "say_left_out", "space_of"]

MOST_CLASSES = 100
MOST_CATEGORIES = 100


@dataclass(frozen=True)
class Labelled:
    """Rows of a table with their classes; ``gaps`` says which rows have unknown values."""

    name: str
    X: pd.DataFrame
    y: list[Any]
    gaps: NDArray[np.bool_]
    infer: bool = False

    def take(self, rows: NDArray[np.int64]) -> Labelled:
        """Give some of the rows, by position."""
        X = self.X.iloc[rows].reset_index(drop=True)
        for name in self.text:  # a column of truths may have lost its gaps
            if all(isinstance(value, bool) for value in X[name]):
                X[name] = X[name].astype(bool)
        return replace(self, X=X, y=[self.y[i] for i in rows], gaps=self.gaps[rows])

    def complete(self) -> Labelled:
        """Give the rows without gaps."""
        return self.take(np.flatnonzero(~self.gaps))

    @property
    def space(self) -> Space:
        """What the columns are, if these rows have no gaps."""
        return space_of(self.X, infer=self.infer)

    @property
    def text(self) -> list[str]:
        """The columns that hold text."""
        from pandas.api.types import is_numeric_dtype

        return [str(c) for c in self.X if not is_numeric_dtype(self.X[c])]


def labelled(data: TableOptions, files: FileOptions, *, gaps: bool = False) -> Labelled:
    """Read a table to learn from. Rows with gaps are refused, or left out on request.

    With ``gaps``, rows with gaps are kept if the request says what becomes of them. Rows without a
    class never are.
    """
    import pandas as pd

    if data.missing_values == MissingValues.value and not gaps:
        raise Mistake("this needs complete rows, so --missing-values must be drop, got value")
    part, name, target = _table(data, files)
    if target is None:
        raise Mistake(
            f"which column of {name} holds the classes? Add --target COLUMN, one of its columns"
        )
    for column in (target, *(data.ignore or ())):
        if column not in part.columns:
            remedy = "Correct --target" if column == target else "Correct --ignore"
            raise missing_column(column, name, tuple(part.columns), remedy)
    names = [c for c in part.columns if c != target and c not in (data.ignore or ())]
    if not names:
        raise Mistake(f"{name} has no column to learn from: {target!r} is the only one left")
    if not all(names):
        raise Mistake(f"{name} has a column without a name: name it, or use --ignore ''")
    part, holes = _with_gaps(part, name, names, target, data.missing_values, keep=gaps)
    y = _classes(part.columns[target], target, name)
    columns = {
        column: _with_holes(part.columns[column], holes.get(column), column, name)
        for column in names
    }
    X = pd.DataFrame(columns)
    incomplete = np.any([*holes.values(), np.zeros(len(X), dtype=bool)], axis=0)
    return Labelled(name, X, y, incomplete, data.infer_kinds)


def say_left_out(n: int, total: int, name: str, why: str = "have gaps") -> None:
    """Say on stderr how many rows are not used."""
    import typer

    from ..words import printable

    if n:
        rows = "row" if total == 1 else "rows"
        typer.echo(
            printable(f"Left out {n:,} of the {total:,} {rows} of {name}, which {why}."), err=True
        )


def rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[pd.DataFrame, list[Any] | None]:
    """Read data for a tree that is there already; with labels if the target is known."""
    part, name, target = _table(data, files)
    return frame_for(tree, part, name), _labels(tree, part, name, target)


def complete_rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[Tree, pd.DataFrame, list[Any] | None]:
    """Read rows that tell all that a tree asks; those with gaps are refused, or left out.

    Features that the tree does not ask about come too where the table has them without gaps; the
    tree is given back over these features.
    """
    part, name, target = _table(data, files)
    y = _labels(tree, part, name, target)
    X = frame_for(tree, part, name)
    keep = known_rows(Bins(tree), read_rows(X, tree.space, tree.used))
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
    say_left_out(n_gaps, len(X), name)
    chosen = np.flatnonzero(keep).tolist()
    for feature in tree.space.names:
        if feature in tree.features:
            continue
        with suppress(InvalidData):  # the table does not have it, or has something else there
            more = frame_for(tree, part, name, (feature,))
            if not bool(more.iloc[chosen].isna().any(axis=None)):
                X = X.assign(**{str(column): more[column] for column in more})
    space = tree.space
    told = [column for column in space.columns if column.name in X]
    there = {column.feature for column in told} | {str(column) for column in X}
    own = Space([f for f in space.features if f.name in there], told)
    X = X.iloc[chosen].reset_index(drop=True)
    return tree.over(own), X, None if y is None else [y[i] for i in chosen]


def _labels(tree: Tree, part: Part, name: str, target: str | None) -> list[Any] | None:
    if target is None:
        return None
    if target not in part.columns:
        raise missing_column(target, name, tuple(part.columns), "Correct --target")
    return labels_for(tree, part.columns[target])


def _table(data: TableOptions, files: FileOptions) -> tuple[Part, str, str | None]:
    """Read all of a file, or a data set by name, of which the target is known."""
    assert data.data is not None
    if not Path(data.data).exists() and data.data in datasets.names():
        found = datasets.load(data.data)
        columns = {str(c): found.frame[c].tolist() for c in found.frame}
        return Part(columns, 1), found.name, data.target or str(found.y.name)
    if not Path(data.data).exists() and "." not in data.data and "/" not in data.data:
        raise Mistake(
            f"{data.data!r:.80} is neither a file nor a data set: "
            f"data sets are {', '.join(datasets.names())}"
        )
    with open_table(data.data, files) as table:
        part = table.whole()
        if not part.n_rows:
            raise Mistake(f"{table.name} has a header and no rows")
        return part, table.name, data.target


Holes = dict[str, NDArray[np.bool_]]


def _with_gaps(
    part: Part,
    name: str,
    columns: list[str],
    target: str,
    missing: MissingValues | None,
    *,
    keep: bool,
) -> tuple[Part, Holes]:
    """Find the gaps; refuse them, or leave out their rows, or keep them all but those of classes.

    Gives the columns that have gaps, with their rows.
    """
    holes: Holes = {}
    for column in [*columns, target]:
        known = {cell: unknown(cell) for cell in set(part.columns[column])}
        here = np.array([known[cell] for cell in part.columns[column]], dtype=bool)
        if here.any():
            holes[column] = here
    if not holes:
        return part, {}
    incomplete = np.any(list(holes.values()), axis=0)
    if missing is None:
        row = int(np.argmax(incomplete))
        column = next(column for column, here in holes.items() if here[row])
        raise Mistake(
            f"{int(incomplete.sum()):,} of the {part.n_rows:,} rows of {name} have gaps (row "
            f"{row + 1:,} has none or {part.columns[column][row]!r} in {column!r:.80}): fit on the "
            "complete rows with --missing-values drop, take gaps for values with --missing-values "
            "value, leave columns out with --ignore, or fill the gaps"
        )
    if incomplete.all() and missing == MissingValues.drop:
        raise Mistake(f"every row of {name} has gaps: leave columns out with --ignore")
    unlabelled = holes.pop(target, np.zeros(part.n_rows, dtype=bool))
    gone = unlabelled if keep else incomplete
    if gone.all():
        raise Mistake(f"no row of {name} has a class: the column {target!r:.80} is empty")
    if keep:
        say_left_out(int(gone.sum()), part.n_rows, name, f"have no {target}")
    else:
        say_left_out(int(gone.sum()), part.n_rows, name)
    rows = np.flatnonzero(~gone)
    left = {c: [part.columns[c][i] for i in rows] for c in [*columns, target]}
    return Part(left, 1), {} if not keep else {c: here[rows] for c, here in holes.items()}


def _with_holes(
    cells: list[Any], hole: NDArray[np.bool_] | None, column: str, name: str
) -> NDArray[Any]:
    """Read a column of which some cells are not known: they are NaN or None."""
    if hole is None or not hole.any():
        return _typed(cells, column, name)
    if hole.all():
        raise Mistake(
            f"the column {column!r:.80} of {name} has no values: leave it out with --ignore"
        )
    known = _typed([cell for cell, gap in zip(cells, hole, strict=True) if not gap], column, name)
    number = known.dtype.kind == "f"
    out = np.full(len(cells), np.nan if number else None, dtype=float if number else object)
    out[~hole] = known
    return out


def _typed(cells: list[Any], column: str, name: str) -> NDArray[Any]:
    """Read a column as numbers, as true and false, or as text."""
    distinct = dict.fromkeys(cells)
    if {str(cell).strip().lower() for cell in distinct} <= {"true", "false"}:
        return np.array([str(cell).strip().lower() == "true" for cell in cells])
    try:
        table = {cell: float(number(cell)) for cell in distinct}
        return np.array([table[cell] for cell in cells])
    except (TypeError, ValueError):
        pass
    if len(distinct) > MOST_CATEGORIES:
        raise Mistake(
            f"the column {column!r:.80} of {name} has {len(distinct):,} different texts, more than "
            f"{MOST_CATEGORIES} (one is {_odd_one(distinct)!r:.40}): correct it if it should hold "
            "numbers, or leave it out with --ignore"
        )
    return np.array([str(cell) for cell in cells], dtype=object)


def _odd_one(distinct: dict[Any, Any]) -> str:
    """Give a cell that is no number."""
    for cell in distinct:
        try:
            number(cell)
        except ValueError:
            return str(cell)
    return str(next(iter(distinct)))


def _classes(cells: list[Any], target: str, name: str) -> list[Any]:
    """Read the classes: whole numbers, other numbers, true and false, or text."""
    distinct = dict.fromkeys(cells)
    if len(distinct) < 2:
        raise Mistake(
            f"the target {target!r:.80} of {name} has only one value, "
            f"{next(iter(distinct))!r:.80}: there is nothing to decide"
        )
    if len(distinct) > MOST_CLASSES:
        raise Mistake(
            f"the target {target!r:.80} of {name} has {len(distinct):,} different values: that is "
            f"no class but a measurement; cut it into at most {MOST_CLASSES} classes first"
        )
    if {str(cell).strip().lower() for cell in distinct} <= {"true", "false"}:
        return [str(cell).strip().lower() == "true" for cell in cells]
    try:
        numbers = {cell: float(number(cell)) for cell in distinct}
    except (TypeError, ValueError):
        return [str(cell) for cell in cells]
    whole = all(value.is_integer() for value in numbers.values())
    return [int(numbers[cell]) if whole else numbers[cell] for cell in cells]


def space_of(
    X: pd.DataFrame, *, infer: bool = False, other: bool = False, gaps: bool = False
) -> Space:
    """Say what the columns are. Numbers are float32: scikit-learn's trees round rows to that.

    With ``other``, a text that is not in X is a value of its own; with ``gaps``, so is a gap.
    """
    if infer:
        proposed = Space.infer(X)
        narrow = [
            replace(f, values="float32") if f.kind == "numeric" and f.values == "float64" else f
            for f in proposed.features
        ]
        return Space(narrow, proposed.columns)
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    features = []
    for column in X:
        name, cells = str(column), X[column]
        nan = gaps and bool(cells.isna().any())
        if is_bool_dtype(cells):
            features.append(Feature(name, "boolean"))
        elif not is_numeric_dtype(cells):
            labels = sorted(set(cells.dropna().tolist()))
            text = isinstance(labels[0], str)  # else a column of truths with gaps
            features.append(
                Feature(name, "categorical", categories=tuple(labels), other=other and text,
                        nan=nan)
            )  # fmt: skip
        else:
            features.append(Feature(name, values="float32", nan=nan))
    return Space(features)
