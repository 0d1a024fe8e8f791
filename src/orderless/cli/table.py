"""Tables to learn from.

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

from ..model import Feature, Space
from .mistakes import Mistake
from .options import FileOptions, MissingValues, TableOptions, TaskKind
from .profile import ColumnProfile
from .summary import Summary, read_table, summarize

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Labelled", "frame_of_features", "labelled", "say", "space_of", "split"]


@dataclass(frozen=True)
class Labelled:
    """Rows of a table with their classes or numbers, those with gaps, and what was left out."""

    name: str
    X: pd.DataFrame
    y: list[Any]
    gaps: NDArray[np.bool_]
    summary: Summary
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
    def typed(self) -> pd.DataFrame:
        """X with text as categories: that it is no column of numbers has been settled."""
        return self.X.astype(dict.fromkeys(self.text, "category"))

    @property
    def numbers(self) -> bool:
        """Whether the target holds numbers."""
        return self.summary.task == TaskKind.regression

    @property
    def text(self) -> list[str]:
        """The columns that hold text."""
        from pandas.api.types import is_numeric_dtype

        return [str(c) for c in self.X if not is_numeric_dtype(self.X[c])]


def labelled(
    data: TableOptions,
    files: FileOptions,
    *,
    values: bool = False,
    keep_gaps: bool = False,
) -> Labelled:
    """Read a table to learn from. Rows with gaps are refused, or left out on request.

    Where gaps can be ``values``, the request may say that they are; with ``keep_gaps`` rows with
    gaps are kept although trees are fitted without them, so that some can be held out.
    """
    if data.data is None:
        raise Mistake("near-optimal trees are those of a table: add --data FILE --target COLUMN")
    if data.missing_values == MissingValues.value and not values:
        raise Mistake("this needs complete rows, so --missing-values must be drop, got value")
    table = read_table(data, files)
    if table.target is None:
        what = "numbers" if data.task == TaskKind.regression else "classes"
        raise Mistake(
            f"which column of {table.name} holds the {what}? Add --target COLUMN, one of its "
            "columns"
        )
    summary = summarize(table, data, keep_gaps=keep_gaps)
    regression = summary.task == TaskKind.regression
    problems = list(islice(summary.problems(), 100))
    if problems:
        more = f". There is more to settle: orderless data {table.name} lists it"
        raise Mistake(problems[0] + more * (len(problems) > 1))
    say(summary.head(), quiet=data.quiet)
    target = summary.target
    assert target is not None
    keep = np.flatnonzero(summary.kept).tolist()
    y = _values(summary, target, keep)
    y = y if regression else _classes(y)
    X = frame_of_features(summary, keep)
    gaps = summary.incomplete[keep]
    return Labelled(table.name, X, y, gaps, summary, data.infer_kinds)


def frame_of_features(summary: Summary, keep: list[int]) -> pd.DataFrame:
    """Give some rows of the columns that are features."""
    import pandas as pd

    return pd.DataFrame(
        {c.name: _typed(_values(summary, c, keep), c.kind) for c in summary.features}
    )


def say(lines: list[str], *, quiet: bool, what: str = "Data") -> None:
    """Write on stderr how data were read, also where nobody watches: it goes into the log."""
    if not quiet:
        for line in lines:
            typer.echo(f"{what}: {line}", err=True)


def _values(summary: Summary, column: ColumnProfile, keep: list[int]) -> list[Any]:
    cells = summary.table.part.columns[column.name]
    return [column.values.get(cells[i]) for i in keep]


def _typed(values: list[Any], kind: str) -> NDArray[Any]:
    """Give an array; a gap is NaN among numbers, else None."""
    if kind == "categorical" or (kind == "boolean" and None in values):
        return np.array(values, dtype=object)
    return np.array(values, dtype=bool if kind == "boolean" else np.float64)


def _classes(values: list[Any]) -> list[Any]:
    """Give whole numbers as such."""
    whole = all(isinstance(value, float) and value.is_integer() for value in set(values))
    return [int(value) for value in values] if whole else values


def space_of(
    X: pd.DataFrame, *, infer: bool = False, other: bool = False, gaps: bool = False
) -> Space:
    """Say what the columns are. Numbers are float32: scikit-learn's trees round rows to that.

    With ``other``, a text that is not in X is a value of its own; with ``gaps``, so is a gap.
    """
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if infer:
        texts = [str(name) for name in X if not is_numeric_dtype(X[name])]
        proposed = Space.infer(X, text=texts)
        narrow = [
            replace(f, values="float32") if f.kind == "numeric" and f.values == "float64" else f
            for f in proposed.features
        ]
        return Space(narrow, proposed.columns)
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


def split(given: Labelled, share: float, seed: int) -> tuple[Labelled, Labelled]:
    """Choose rows to fit on and rows to judge on, with the same share of every class."""
    from sklearn.model_selection import train_test_split

    if not 0 < share < 1:
        raise Mistake(f"--test must be a share above 0 and below 1, got {share:g}")
    strata = None if given.numbers else np.array(given.y)
    try:
        learn, rest = train_test_split(
            np.arange(len(given.y)), test_size=share, random_state=seed, stratify=strata
        )
    except ValueError as fault:
        raise Mistake(f"--test {share:g} cannot split {given.name}: {fault}") from None
    return given.take(np.sort(learn)), given.take(np.sort(rest))
