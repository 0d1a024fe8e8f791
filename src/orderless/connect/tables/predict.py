"""Predictions for tables that do not fit into memory: part by part, from a file to a file.

In:  a model, and a CSV or Parquet file with gaps.
Out: the same rows with what is predicted; all of them, or no file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, TooManyReasons
from ...inputs import (
    CODE,
    EXACT,
    NOT_GIVEN,
    CellStyle,
    Missing,
    Rows,
    read_codes,
    read_columns,
    whole_file,
)
from ...missing import Settling, asked_features
from ...model import Label, Tree
from ...readers import read_tree
from .cells import holds_truths, not_legal, parser_of, plain_cells, wanted_columns
from .part import Coded, Part, cells_of, coded
from .result import EXAMPLES, FilePrediction, Unseen
from .table import BATCH, open_table
from .write import WRITERS

__all__ = ["FilePrediction", "predict_file"]

NAMES = ("prediction", "determined", "needed")
NEEDED = ("smallest", "next", None)
UNSEEN = ("unknown", "error")
ENDINGS = {
    ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".md": "md",
    ".parquet": "parquet", ".pq": "parquet", ".txt": "text",
}  # fmt: skip


def predict_file(
    tree: Any,
    source: str | os.PathLike[str] | IO[bytes],
    target: str | os.PathLike[str] | IO[bytes],
    *,
    names: Sequence[str] = NAMES,
    needed: str | None = "smallest",
    unseen: str = "unknown",
    format: str | None = None,  # noqa: A002  what it is called everywhere
    safe_csv: bool = False,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing: Missing = None,
    decimal: str = ".",
    thousands: str | None = None,
    max_columns: int = 1000,
    batch_size: int = BATCH,
    n_jobs: int = 1,
    progress: Callable[[int, int | None], None] | None = None,
) -> FilePrediction:
    r"""Predict every row of a CSV or Parquet file into a new file, in constant memory.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    source : path, or an open file of bytes
        A CSV file (also .gz, .bz2, .xz; .tsv has tabs) with a header, or a Parquet file.
    target : path, or an open file of bytes
        An existing file is replaced when the new one is complete.
    names : two or three str
        Of the new columns: the class (empty, null, where it is not determined), whether it is
        determined, and what is needed where it is not (this one may be left out if there is no
        such column).
    needed : {"smallest", "next", None}
        "smallest": the first of the smallest sets of features that settle the row whatever their
        values are (``missing_needed``). "next": one feature to ask (``ask_next``), quick for trees
        of any size. None: there is no such column.
    unseen : {"unknown", "error"}
        What becomes of a category that its feature does not list (and that has no "other", see
        ``Feature``). "unknown": the row may have any of the categories, and gets a class only if
        all of them lead to it; the result says in how many rows. "error": the first such cell
        raises InvalidData. Other cells that are not allowed, such as text in a column of numbers,
        are always errors.
    format : {"csv", "json", "md", "parquet", "text"}, optional
        How it is written; by default what the name of ``target`` ends in. "json" is one object per
        line (.jsonl).
    safe_csv : bool
        Whether cells that a spreadsheet would take for a formula are written with an apostrophe
        before them: those that begin with =, +, -, @, a tab or a line break, but are not plain
        numbers such as -5. By default every cell is passed on exactly.
    delimiter, encoding, max_columns
        Of a CSV file: what separates its cells (by default a comma), how it is encoded, and how
        many columns are taken for a mistake.
    missing : list of str, or dict of column -> list of str, optional
        Texts of cells that mean "unknown", beside those below: ``["-9", "n.d."]`` in every column,
        ``{"bmi": ["-9"]}`` in one; the key None of a dict is for every column. Numbers are compared
        as numbers: -9 is also -9.0.
    decimal, thousands
        How numbers are written: the decimal sign (by default a point), and what stands between
        groups of three digits (by default nothing; one of . , ' and a space).
    batch_size : int
        Rows that are predicted at one time.
    n_jobs : int
        Threads for predicting; -1 is all cores.
    progress : function of two numbers, optional
        Called after each batch with how much of ``source`` has been read, and how much there is
        (bytes of CSV, rows of Parquet; None if that is not known).

    Returns
    -------
    FilePrediction

    Raises
    ------
    InvalidData
        If the file is broken or cut off, lacks columns that the tree needs (it names all of them),
        has a column that is named like a new one, or has a value that a feature does not allow (it
        names the row); or if source and target are one file.
    TooManyReasons
        If a smallest set takes too many steps to find: choose ``needed="next"``.
    OSError
        If it cannot be read, or written: no space left, for one. Nothing is left behind then, and
        an older target stays as it was.

    Notes
    -----
    ``orderless predict`` on the command line is this function. Memory: one batch, and of Parquet
    one row group, of CSV 4 MB of text. Columns are those that ``predict`` reads from a data frame;
    all are passed on, those of CSV letter by letter. In the columns that the tree asks about, an
    empty cell, ?, NA, N/A, #N/A, <NA>, NaN, null, unknown (in small or capital letters) and None
    are unknown, unless the feature has a category of this name; booleans are 0, 1, true, false, yes
    or no. In CSV and text, ``determined`` is yes or no and several names of ``needed`` have "; "
    between; in JSON they are true, false and lists, and what the tree's space holds for numbers is
    written as numbers.

    CSV works without pyarrow, and is several times quicker with it; Parquet needs it:
    ``pip install 'orderless[files]'``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> tree = {"feature": 0, "true": {"prediction": "sure"}, "false": {"prediction": "never"}}
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "in.csv").write_text("id,x0\n007,1\n008,NA\n")
    >>> done = predict_file(tree, folder / "in.csv", folder / "out.csv")
    >>> print(done)
    1 of 2 rows are determined (50.0%): 1 sure
    >>> print((folder / "out.csv").read_text())
    id,x0,prediction,determined,needed
    007,1,sure,yes,
    008,NA,,no,x0
    """
    model = read_tree(tree)
    if needed not in NEEDED:
        raise ValueError(
            f"needed must be one of {', '.join(map(repr, NEEDED))}, got {needed!r:.80}"
        )
    if unseen not in UNSEEN:
        raise ValueError(
            f"unseen must be one of {', '.join(map(repr, UNSEEN))}, got {unseen!r:.80}"
        )
    added = _new_names(names, needed is not None)
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        raise ValueError(f"batch_size={batch_size!r:.80}: give a number of rows, at least 1")
    form = _form(target, format)
    if safe_csv and form != "csv":
        raise ValueError(f"safe_csv=True is for format='csv', and this writes {form!r}")
    _two_files(source, target)
    total = np.zeros(len(model.classes), dtype=np.int64)
    n_rows = 0
    with open_table(source, delimiter=delimiter, encoding=encoding, max_columns=max_columns,
                    batch_size=batch_size, missing=missing, decimal=decimal,
                    thousands=thousands) as table:  # fmt: skip
        table.check_missing((*model.space.names, *model.space.column_names))
        for name in added:
            if name in table.columns:
                raise InvalidData(
                    f"{table.name} has a column {name!r} already, which is the name of a new one: "
                    "rename or remove it, or name the new ones with names="
                )
        predicting = _Predicting(
            model, table.columns, table.name, needed, unseen, n_jobs, table.style
        )
        with (
            _sink(target) as handle,
            WRITERS[form](handle, table, added, model, safe_csv) as writer,
        ):
            for part in table.parts:
                answers = predicting.answers(part)
                writer.write(part, dict(zip(added, answers, strict=True)))
                n_rows += part.n_rows
                codes = answers[0].index
                total += np.bincount(codes[codes >= 0], minlength=len(total))
                if progress is not None:
                    progress(table.done(), table.size)
    path = Path(target) if isinstance(target, str | os.PathLike) else None
    counts = dict(zip(model.classes, total.tolist(), strict=True))
    return FilePrediction(path, n_rows, counts, predicting.unseen)


def _not_among(name: str, given: object, legal: tuple[object, ...]) -> ValueError:
    listed = ", ".join(map(repr, legal))
    return ValueError(f"{name} must be one of {listed}, got {given!r:.80}")


def _new_names(names: Sequence[str], needed: bool) -> tuple[str, ...]:
    """Check the names of the new columns; without ``needed`` there are two, a third is ignored."""
    new = () if isinstance(names, str) else tuple(names)
    legal = (3,) if needed else (2, 3)
    fine = all(isinstance(name, str) and name for name in new)
    if not fine or len(new) not in legal or len(set(new)) != len(new):
        many = "three" if needed else "two"
        raise InvalidData(
            f"names={names!r:.80}: give {many} different names, such as {NAMES[: legal[0]]}"
        )
    return new[: legal[0]]


def _form(target: Any, given: str | None) -> str:
    if given is not None:
        if given not in WRITERS:
            raise _not_among("format", given, tuple(WRITERS))
        return given
    if not isinstance(target, str | os.PathLike):
        return "csv"
    ending = Path(target).suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(
            f"the target's name must end in one of {', '.join(ENDINGS)}, got {str(target)!r:.200}; "
            "or say how it is written with format="
        )
    return ENDINGS[ending]


def _two_files(source: Any, target: Any) -> None:
    given = [os.path.realpath(path) for path in (source, target)
             if isinstance(path, str | os.PathLike)]  # fmt: skip
    if len(given) == 2 and given[0] == given[1] and os.path.isfile(source):
        raise InvalidData(f"{str(source)!r} is source and target: give the result another name")


def _sink(target: Any) -> Any:
    return whole_file(target) if isinstance(target, str | os.PathLike) else nullcontext(target)


# -- predicting -----------------------------------------------------------------------------------


class _Predicting:
    """Reads parts of a table, and says what the new columns are."""

    def __init__(
        self, tree: Tree, there: Sequence[str], table: str, needed: str | None, unseen: str,
        n_jobs: int, style: CellStyle,
    ) -> None:  # fmt: skip
        self.tree, self.table, self.n_jobs, self.style = tree, table, n_jobs, style
        self.refuse = unseen == "error"
        self.unseen: dict[str, Unseen] = {}
        wanted = wanted_columns(tree, there, table)
        self.parsers = {name: parser_of(tree.space, name, style) for name in wanted}
        self.codes: dict[str, int] = {}  # categories that one column tells, by its value
        self.numbers: dict[str, tuple[float, float] | None] = {}  # whole numbers, above and up to
        self.rounds: set[str] = set()  # numbers that the tree rounds to float32
        for name in wanted:
            told = next((c for c in tree.space.columns if c.name == name), None)
            i = tree.space.index(name if told is None else told.feature)
            feature = tree.space.features[i]
            if holds_truths(tree.space, name):
                self.numbers[name] = (-1, 1)
            elif self.parsers[name].numeric:
                self.numbers[name] = feature.bounds if feature.whole else None
                self.rounds |= {name} if feature.values == "float32" else set()
            elif sum(k in wanted for k in _names_of(tree, feature.name)) == 1:
                self.codes[name] = i
        self.settling = Settling(tree) if needed == "smallest" else None
        self.asks = needed == "next"

    def answers(self, part: Part) -> list[Coded]:
        """Give the new columns."""
        rows = self._rows(part)
        codes = self.tree.decide(rows, self.n_jobs)
        out = [
            Coded(list(self.tree.classes), codes, [str(label) for label in self.tree.classes]),
            Coded([True, False], (codes < 0).astype(np.int8), ["yes", "no"]),
        ]
        open_rows = np.flatnonzero(codes < 0)
        index = np.full(len(codes), -1, dtype=np.int64)
        if self.settling is not None:
            try:
                sets, index[open_rows] = self.settling.sets(rows, open_rows)
            except TooManyReasons as fault:
                raise TooManyReasons(
                    f"which smallest set of features settles a row of {self.table} takes more than "
                    f"{self.settling.limit:,} steps to find: choose needed='next' (one feature to "
                    "ask) or needed=None",
                    fault.met,
                ) from None
            out.append(Coded(sets, index, ["; ".join(one) for one in sets]))
        elif self.asks:
            index[open_rows] = asked_features(self.tree, rows, open_rows)
            asked = list(self.tree.space.names)
            out.append(Coded([(name,) for name in asked], index, asked))
        return out

    def _rows(self, part: Part) -> Rows:
        space = self.tree.space
        columns: dict[str, NDArray[Any]] = {}
        done: dict[int, NDArray[np.int32]] = {}
        for name in self.parsers:
            if name in self.numbers:
                values = _numbers(
                    part.columns[name], self.numbers[name], name, self.style, name in self.rounds
                )
                if values is None:
                    known = self._known(part, name)
                    values = np.array(known.values, dtype=np.float64)[known.index]
                columns[name] = values
                continue
            known = self._known(part, name)
            if name in self.codes:
                feature = space.features[self.codes[name]]
                values = _objects(known.values)
                any_value = np.array([value is NOT_GIVEN for value in known.values], dtype=bool)
                codes = np.where(any_value, np.int32(-1), read_codes(feature, values))
                done[self.codes[name]] = codes[known.index]
            else:
                columns[name] = _objects(known.values)[known.index]
        left = [i for i in self.tree.used if i not in done]
        try:
            rows = read_columns(columns.get, part.n_rows, space, left)
        except InvalidData as fault:  # a row that contradicts itself, counted from 0 in this part
            said = re.sub(
                r"^row (\d+) ",
                lambda found: f"row {part.first + int(found[1]):,} of {self.table} ",
                str(fault),
            )
            raise InvalidData(said) from None
        for i, codes in done.items():
            rows.columns[i] = (CODE, codes, None)
        return rows

    def _known(self, part: Part, name: str) -> Coded:
        """Read the cells of a column, each different one once."""
        parse, legal, numeric = self.parsers[name]
        try:
            given = coded(part.columns[name])
        except TypeError:
            plain_cells(cells_of(part.columns[name]), name, self.table)
            raise
        values: list[Any] = []
        strange: list[int] = []
        for k, cell in enumerate(given.values):
            try:
                value = parse(cell)
                values.append(float(value) if name in self.numbers else value)
            except (ValueError, KeyError, TypeError, OverflowError):
                values.append(None)
                strange.append(k)
        if strange:
            n_rows = np.bincount(given.index, minlength=len(values))
            for k in strange:
                cell = given.values[k]
                if not n_rows[k]:  # it is a value of a dictionary only
                    continue
                if self.refuse or numeric or not isinstance(cell, Label):
                    row = part.first + int(np.argmax(given.index == k))
                    raise not_legal(row, self.table, cell, name, legal)
                values[k] = NOT_GIVEN
                self._count(name, cell, int(n_rows[k]))
        if name in self.numbers:
            values = [np.nan if value is None else value for value in values]
        return Coded(values, given.index)

    def _count(self, name: str, cell: Label, n_rows: int) -> None:
        """Count a category that the tree does not know."""
        so_far = self.unseen.get(name, Unseen(0, ()))
        examples = so_far.values
        if cell not in examples and len(examples) <= EXAMPLES:  # one more says that there are more
            examples = (*examples, cell)
        self.unseen[name] = Unseen(so_far.n_rows + n_rows, examples)


def _names_of(tree: Tree, feature: str) -> set[str]:
    return {feature, *(tree.space.columns[k].name for k in tree.space.columns_of[feature])}


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _numbers(
    column: Any, whole: tuple[float, float] | None, name: str, style: CellStyle, rounds: bool
) -> NDArray[Any] | None:
    """Read a column of pyarrow as numbers at once; None where one of them needs a closer look."""
    if isinstance(column, list):
        return None
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        if not style.plain_numbers:
            return None
        gap = compute.is_in(column, value_set=pa.array(["", "NA", "NaN", "nan"], type=kind))
        try:
            column = compute.if_else(gap, pa.scalar(None, kind), column).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    elif pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    if column.type != pa.float32():
        column = column.cast(pa.float64(), safe=False)  # as Python rounds them
    out: NDArray[Any] = column.fill_null(np.nan).to_numpy(zero_copy_only=False)
    if not (rounds or pa.types.is_floating(kind)) and bool((np.abs(out) >= EXACT).any()):
        return None
    if gaps := style.missing_numbers(name):
        out = np.where(np.isin(out, list(gaps)), np.nan, out)
    if whole is not None:
        low, high = whole
        known = out[~np.isnan(out)]
        fine = (known == np.floor(known)) & (known > low) & (known <= high) & np.isfinite(known)
        if not fine.all():
            return None
    return out
