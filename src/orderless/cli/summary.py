"""What a table is read as: features and target, what is left out, and what stands in the way.

In:  all rows of a table, and ``TableOptions``.
Out: ``Summary``. ``data`` shows all of it; commands that fit write its head to stderr, and stop
     at the first of its problems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..connect import Part
from ..inputs import PLAIN, CellStyle, notations, some_names
from ..model import label_text, printable, short_number
from .files import missing_column, open_table
from .mistakes import Mistake, cut
from .options import FileOptions, MissingValues, RowsOptions, TableOptions, TaskKind
from .profile import ColumnProfile, profile_column

__all__ = ["Summary", "Table", "read_table", "summarize"]

MOST_CLASSES = 100
MOST_CATEGORIES = 100


@dataclass(frozen=True)
class Table:
    """All rows of a table, what it is called, its target, and how its cells are written."""

    part: Part
    name: str
    target: str | None
    style: CellStyle = PLAIN


def read_table(data: RowsOptions | TableOptions, files: FileOptions) -> Table:
    """Read all of a file, or a data set by name, of which the target is known."""
    assert data.data is not None
    if not Path(data.data).exists() and data.data in datasets.names():
        found = datasets.load(data.data)
        columns = {str(c): found.frame[c].tolist() for c in found.frame}
        return Table(Part(columns, 1), found.name, data.target or str(found.y.name))
    if not Path(data.data).exists() and "." not in data.data and "/" not in data.data:
        raise Mistake(
            f"{data.data!r:.80} is neither a file nor a data set: "
            f"data sets are {', '.join(datasets.names())}"
        )
    with open_table(data.data, files) as table:
        table.check_missing()
        part = table.whole()
        if not part.n_rows:
            raise Mistake(f"{table.name} has a header and no rows")
        return Table(part, table.name, data.target, table.style)


@dataclass(frozen=True)
class Summary:
    """The columns of a table and what becomes of them."""

    table: Table
    columns: tuple[ColumnProfile, ...]  # but for those that the user ignores
    ignored: tuple[str, ...]
    left_out: dict[str, str]  # columns that are no features, and why
    missing_values: MissingValues = MissingValues.drop  # what becomes of rows with gaps
    keep_gaps: bool = False  # whether rows with gaps are kept, to be judged with them
    task: TaskKind = TaskKind.classification
    task_note: str = ""  # why, where it was not requested

    @cached_property
    def target(self) -> ColumnProfile | None:
        """The column with the classes."""
        return next((c for c in self.columns if c.name == self.table.target), None)

    @property
    def features(self) -> list[ColumnProfile]:
        """The columns to learn from."""
        apart = {self.table.target, *self.left_out}
        return [column for column in self.columns if column.name not in apart]

    @property
    def read(self) -> list[ColumnProfile]:
        """The columns to learn from, and the target."""
        return [*self.features, *([self.target] if self.target else [])]

    @cached_property
    def incomplete(self) -> NDArray[np.bool_]:
        """Which rows have gaps in the columns that are read."""
        gaps = np.zeros(self.table.part.n_rows, dtype=bool)
        for column in self.read:
            gaps |= self.gaps_in(column)
        return gaps

    def gaps_in(self, column: ColumnProfile) -> NDArray[np.bool_]:
        """Tell which rows have a gap in a column."""
        if not column.n_missing or column.nested:
            return np.zeros(self.table.part.n_rows, dtype=bool)
        cells = self.table.part.columns[column.name]
        return np.array([cell not in column.counts for cell in cells], dtype=bool)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which rows are kept: without a class none is."""
        if self.missing_values == MissingValues.drop and not self.keep_gaps:
            return ~self.incomplete
        if self.target is not None:
            return ~self.gaps_in(self.target)
        return np.ones(self.table.part.n_rows, dtype=bool)

    @property
    def n_dropped(self) -> int:
        """How many rows are left out."""
        return int((~self.kept).sum())

    def classes(self) -> list[tuple[Any, int]]:
        """Give the classes of the rows that are kept, the most frequent first."""
        if self.target is None or self.target.nested:
            return []
        cells, values = self.table.part.columns[self.target.name], self.target.values
        kept = (cell for cell, keep in zip(cells, self.kept, strict=True) if keep)
        found = Counter(values[cell] for cell in kept if cell in values)
        if all(isinstance(value, float) and value.is_integer() for value in found):
            found = Counter({int(value): n for value, n in found.items()})
        return sorted(found.items(), key=lambda item: (-item[1], str(item[0])))

    # -- what stands in the way -------------------------------------------------------------------

    def problems(self) -> Iterator[str]:
        """Say what keeps a tree from being fitted, and what to do about each."""
        name = self.table.name
        for column in self.features:
            if not column.name:
                yield f"{name} has a column without a name: name it, or leave it out (--ignore '')"
        if not self.features:
            yield self._nothing_left()
        for column in self.read:
            yield from self._unreadable(column)
        if self.incomplete.any():
            yield from self._gaps()
        if self.target is not None and not self.target.nested:
            if self.task == TaskKind.regression:
                yield from self._no_numbers(self.target)
            else:
                yield from self._no_classes(self.target)

    def _nothing_left(self) -> str:
        name, target = self.table.name, self.table.target
        said = f"{name} has no column to learn from" + (f" beside {target!r:.80}" if target else "")
        if self.left_out:
            listed = some_names(self.left_out, most=8)
            said += f": {listed} left out as identifiers or empty; --use COLUMN keeps one"
        return said

    def _unreadable(self, column: ColumnProfile) -> Iterator[str]:
        where = f"the column {column.name!r:.80} of {self.table.name}"
        if column.nested:
            yield f"{column.nested} with --ignore"
        elif column.mixture is not None:
            found = column.mixture
            yield (
                f"{where} would be text, although {found.n_like:,} of its {found.n_known:,} known "
                f"cells read as numbers; as written, {found.n_odd:,} "
                f"{'does' if found.n_odd == 1 else 'do'} not ({found.examples()}). "
                f"{self._remedies(column)}"
            )
        elif column.kind == "categorical" and column.name != self.table.target:
            n = len(column.values)
            if n > MOST_CATEGORIES:
                yield (
                    f"{where} has {n:,} different texts, more than {MOST_CATEGORIES} (one is "
                    f"{str(next(iter(column.counts)))!r:.40}): correct it if it should hold "
                    "numbers, or leave it out with --ignore"
                )

    def _remedies(self, column: ColumnProfile) -> str:
        assert column.mixture is not None
        out = []
        if how := notations(column.mixture.odd):
            out.append(f"If these are numbers, add {how}")
        if words := column.mixture.words:
            listed = ",".join(words[:5])
            out.append(f"If {words[0]!r:.40} means missing, add --na '{cut(listed, 60)}'")
        out.append(f"If the column is text, add --text {cut(column.name)!r}")
        return "; ".join([out[0], *(text[0].lower() + text[1:] for text in out[1:])])

    def _gaps(self) -> Iterator[str]:
        name = self.table.name
        empty = [column.name for column in self.features if column.kind == "empty"]
        if empty:
            listed = some_names(empty, most=8)
            yield f"--use names {listed} of {name}, without values: leave that out"
        elif self.target is not None and self.gaps_in(self.target).all():
            yield f"no row of {name} has a class: the column {self.target.name!r:.80} is empty"
        elif self.incomplete.all() and self.missing_values != MissingValues.value:
            yield (
                f"every row of {name} has gaps ({self.gaps()}): leave columns out with --ignore, "
                "or take gaps for values with --missing-values value"
            )

    def _said_of_gaps(self) -> list[str]:
        dropped, n = self.n_dropped, int((self.incomplete & self.kept).sum())
        if not (dropped or n):
            return []
        rows = "1 row" if dropped == 1 else f"{dropped:,} rows"
        if self.missing_values == MissingValues.drop and not self.keep_gaps:
            return [f"left out {rows} with gaps ({self.gaps()})"]
        assert self.target is not None
        lines = [f"left out {rows} without {cut(self.target.name)!r}"] if dropped else []
        if n:
            have = "1 row has" if n == 1 else f"{n:,} rows have"
            use = "each is a value of its column"
            if self.missing_values == MissingValues.drop:
                use = "left out where a tree is fitted, judged with their gaps where held out"
            lines.append(f"{have} gaps ({self.gaps()}): {use}")
        return lines

    def gaps(self) -> str:
        """Say which columns have how many gaps, the most first."""
        counts = sorted(((c.n_missing, c.name) for c in self.read if c.n_missing), reverse=True)
        shown = [f"{printable(cut(name))} {n:,}" for n, name in counts[:5]]
        return ", ".join(shown) + (", ..." if len(counts) > 5 else "")

    def _no_classes(self, target: ColumnProfile) -> Iterator[str]:
        where = f"the target {target.name!r:.80} of {self.table.name}"
        classes = self.classes()
        if len(classes) == 1:
            only = label_text(classes[0][0])
            yield f"{where} has only one value, {cut(only)!r}: there is nothing to decide"
        elif target.measured:
            yield (
                f"{where} has {len(classes):,} different numbers: predicting a number is "
                "regression, and these are trees of classes. Add --task regression for a tree of "
                "numbers, cut it into classes first, or, if the "
                f"numbers are names of classes, add --text {cut(target.name)!r}"
            )
        elif len(classes) > MOST_CLASSES:
            yield (
                f"{where} has {len(classes):,} different values, more than {MOST_CLASSES} classes: "
                "put some of them together"
            )

    def _no_numbers(self, target: ColumnProfile) -> Iterator[str]:
        where = f"the target {target.name!r:.80} of {self.table.name}"
        if target.kind == "empty":
            return
        if target.kind != "numeric":
            if target.mixture is None:  # which is said already
                yield (
                    f"{where} holds {target.kind} values, such as "
                    f"{label_text(target.different[0])!r:.40}, and --task regression needs "
                    "numbers: leave it out"
                )
            return
        endless = next((one for one in target.different if not math.isfinite(one)), None)
        if endless is not None:
            yield (
                f"{where} has the number {endless}, and a regression tree needs finite ones: "
                f"correct it, or, if it means missing, add --na {cut(target.name)}={endless}"
            )
        elif target.constant:
            only = short_number(target.different[0])
            yield f"{where} has only one value, {only}: there is nothing to predict"

    # -- what is said of it -----------------------------------------------------------------------

    def head(self) -> list[str]:
        """Say in a few lines what is learned from, and what was left out or looks strange."""
        n_rows, dropped = self.table.part.n_rows, self.n_dropped
        kinds = Counter(column.shown_kind for column in self.features)
        listed = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
        rows = f"{n_rows - dropped:,} of {n_rows:,} rows" if dropped else f"{n_rows:,} rows"
        s = "" if len(self.features) == 1 else "s"
        lines = [f"{self.table.name}: {rows}, {len(self.features):,} feature{s} ({listed})"]
        if self.target is not None and self.target.values:
            lines[0] += f"; {cut(self.target.name)}: {self._said_of_target(self.target)}"
        if self.task_note:
            lines.append(self.task_note)
        lines += self._said_of_gaps()
        for name, why in self.left_out.items():
            use = "" if why in (NAMELESS, EMPTY) else f" (--use {cut(name)!r} keeps it)"
            lines.append(f"left out the column {cut(name)!r}: {why}{use}")
        constant = [column.name for column in self.features if column.constant]
        if constant:
            lines.append(f"the same in every row: {some_names(constant, most=8)}")
        for column in self.read:
            lines += [f"{cut(column.name)!r} {note}" for note in column.notes]
        return [printable(line) for line in lines]

    def _said_of_target(self, target: ColumnProfile) -> str:
        if self.task == TaskKind.regression and target.kind == "numeric":
            low, high = target.different[0], target.different[-1]
            return f"{short_number(low)} to {short_number(high)}"
        return shares(self.classes())


NAMELESS = "it has neither a name nor values"
EMPTY = "it has no values"


def shares(counts: list[tuple[Any, int]], most: int = 6) -> str:
    """Say how often each value occurs.

    Examples
    --------
    >>> shares([("ill", 3), ("well", 1)])
    'ill 3 (75%), well 1 (25%)'
    """
    total = sum(n for _, n in counts)
    shown = [f"{cut(label_text(label), 40)} {n:,} ({n / total:.0%})" for label, n in counts[:most]]
    rest = len(counts) - most
    return ", ".join(shown) + (f" and {rest:,} more" if rest > 0 else "")


def summarize(table: Table, data: TableOptions, *, keep_gaps: bool = False) -> Summary:
    """Look at every column of a table, and decide what it is for.

    With ``keep_gaps`` rows with gaps stay, although they are left out where a tree is fitted.
    """
    part, there = table.part, tuple(table.part.columns)
    named = {"ignore": data.ignore or [], "use": data.use or [], "text": data.text or []}
    target = {"target": [table.target] if table.target else []}
    for option, wanted in (target | named).items():
        for column in wanted:
            if column not in part.columns:
                raise missing_column(column, table.name, there, f"Correct --{option}")
    for column in named["use"]:
        if column in named["ignore"]:
            raise Mistake(f"--use and --ignore both name {column!r:.80}: leave out one of the two")
    ignored = tuple(c for c in there if c in named["ignore"] and c != table.target)
    columns = tuple(
        profile_column(part.columns[c], c, table.name, table.style, text=c in named["text"])
        for c in there if c not in ignored
    )  # fmt: skip
    left_out: dict[str, str] = {}
    for one in columns:
        if one.name == table.target or one.name in named["use"]:
            continue
        if one.kind == "empty":
            left_out[one.name] = EMPTY if one.name else NAMELESS
        elif one.identifier:
            left_out[one.name] = one.identifier
        elif one.kind == "categorical" and one.mixture is None:
            n = len(one.values)
            if n > MOST_CATEGORIES:
                left_out[one.name] = f"it has {n:,} different texts, more than {MOST_CATEGORIES}"
    task, task_note = data.task, ""
    if task is None:
        number = next((c for c in columns if c.name == table.target and c.measured), None)
        task = TaskKind.classification if number is None else TaskKind.regression
        if number is not None:
            task_note = (
                f"{cut(number.name)!r} has {len(number.different):,} different numbers, so numbers "
                "are predicted (--task classification takes each for a class)"
            )
    return Summary(
        table, columns, ignored, left_out, data.missing_values, keep_gaps, task, task_note
    )
