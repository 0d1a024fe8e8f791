"""Predictions for tables that do not fit into memory: part by part, from a file to a file.

In:  a model, and a CSV or Parquet file with gaps.
Out: the same rows with what is predicted, all of them, or no file; ``FilePrediction``, in numbers.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ...errors import InvalidData, InvalidParameter, named, setting
from ...inputs import Missing, whole_file
from ...model import Budget, Label, SumKernel, TreeKernel, label_text
from ...questions import predict
from ...readers import read_model
from .answers import Answers
from .cells import Unseen, unseen_notes
from .overlap import ahead, behind
from .table import BATCH, TableFile, open_table
from .write import WRITERS

__all__ = ["FilePrediction", "file_format", "predict_file"]

NAMES = ("prediction", "determined", "needed")
NUMBER_NAMES = ("prediction", "lower", "upper", "determined", "needed")
KINDS = {3: ("label", "truth", "names"), 5: ("number", "number", "number", "truth", "names")}
NEEDED = ("smallest", "next", None, "usual")
UNSEEN = ("unknown", "error")
ROW = 1.0  # seconds that one row may take, where the file has no limit
ENDINGS = {
    ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".md": "md",
    ".parquet": "parquet", ".pq": "parquet", ".txt": "text",
}  # fmt: skip
Target = str | os.PathLike[str] | IO[bytes]


@dataclass(frozen=True, slots=True)
class FilePrediction:
    """What was written: how many rows, and how many of them got each class for certain.

    ``unseen`` has the columns with categories that the tree does not know, which were taken as
    unknown. Of numbers, ``n_narrow`` rows have an interval that is at most ``tolerance`` wide. Of
    many trees, ``n_undecided`` rows were neither proven certain nor shown to be open in time.
    """

    target: Path | None
    n_rows: int
    counts: dict[Label, int]
    unseen: dict[str, Unseen] = field(default_factory=dict)
    numbers: bool = False
    tolerance: float | None = None
    n_narrow: int = 0
    n_determined: int = 0
    n_undecided: int = 0

    @property
    def summary(self) -> str:
        """How many rows are determined, in one line."""
        share = f" ({self.n_determined / self.n_rows:.1%})" if self.n_rows else ""
        said = f"{self.n_determined:,} of {self.n_rows:,} rows are determined{share}"
        if self.n_undecided:
            said += f", {self.n_undecided:,} undecided"
        if self.numbers:
            more = self.n_narrow - self.n_determined
            near = f", {more:,} more {'is' if more == 1 else 'are'} within {self.tolerance}"
            return said if self.tolerance is None else said + near
        ranked = sorted(self.counts.items(), key=lambda pair: -pair[1])
        each = ", ".join(
            f"{n:,} get{'s' if n == 1 else ''} class {label_text(label)}"
            for label, n in ranked
            if n
        )
        return said + f": {each}" * bool(each)

    @property
    def notes(self) -> list[str]:
        """One sentence for each column with unseen categories."""
        return unseen_notes(self.unseen)

    def __str__(self) -> str:
        return "\n".join([self.summary, *self.notes])


def predict_file(
    tree: Any,
    source: str | os.PathLike[str] | IO[bytes],
    target: Target,
    *,
    names: Sequence[str] | None = None,
    needed: str | None = "usual",
    tolerance: float | None = None,
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
    time_limit: float | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> FilePrediction:
    r"""Predict every row of a CSV or Parquet file into a new file, in constant memory.

    Parameters
    ----------
    tree : Tree, CanonicalForm, Ensemble, or any model that ``read`` knows
    source : path, or an open file of bytes
        A CSV file (also .gz, .bz2, .xz; .tsv has tabs) with a header, or a Parquet file.
    target : path, or an open file of bytes
        An existing file is replaced when the new one is complete.
    names : two or three str, optional
        Of the new columns: the class (empty, null, where it is not determined), whether it is
        determined, and what is needed where it is not (this one may be left out if there is no
        such column). By default prediction, determined and needed. Of a regression tree there are
        two more after the first, by default lower and upper: between which numbers the row lies.
    needed : {"usual", "smallest", "next", None}
        "smallest": the first of the smallest sets of features that settle the row whatever their
        values are (``Model.needed``). "next": one feature to ask (``ask_next``), quick for trees
        of any size. None: there is no such column. "usual": "smallest" for one tree, "next" for
        many, None for many that say numbers, and with facts that compare features with each other.
    tolerance : float, optional
        Of numbers: also predict rows whose interval is at most this wide, by its midpoint. Such
        rows are not determined, and need nothing: ``needed`` says what makes an interval narrow
        enough. Also for classes that are numbers, which get the columns of a regression tree then.
    unseen : {"unknown", "error"}
        What becomes of a category that its feature does not list (and that has no "other", see
        ``Feature``). "unknown": the row may have any of the categories, and gets a class only if
        all of them lead to it; the result says in how many rows. "error": the first such cell
        raises InvalidData. Other cells that are not allowed, such as text in a column of numbers,
        are always errors.
    format : {"csv", "json", "md", "parquet", "text"}, optional
        How it is written; by default what the name of ``target`` ends in, "csv" if it has no
        ending. "json" is one object per line (.jsonl).
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
        Threads for predicting; -1 is all cores. Unless it is 1, files (not streams) are also read
        ahead and written behind, each in a thread of its own.
    time_limit : float, optional
        Of many trees: seconds for the whole file, of which one row takes at most a tenth. By
        default the file may take as long as it needs, and each row one second. A row that is not
        decided in that time has no prediction, and ``determined`` says "undecided" (null in JSON
        and Parquet).
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
    one row group, of CSV 4 MB of text; three of them unless ``n_jobs`` is 1. Columns are those that
    ``predict`` reads from a data frame; all are passed on, those of CSV letter by letter. In the
    columns that the tree asks about, an empty cell, ?, NA, N/A, #N/A, <NA>, NaN, null, unknown (in
    small or capital letters) and None are unknown, unless the feature has a category of this name;
    booleans are 0, 1, true, false, yes or no. In CSV and text, ``determined`` is yes or no and
    several names of ``needed`` have "; " between; in JSON they are true, false and lists, and what
    the tree's space holds for numbers is written as numbers.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> tree = {"feature": 0, "true": {"prediction": "sure"}, "false": {"prediction": "never"}}
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "in.csv").write_text("id,x0\n007,1\n008,NA\n")
    >>> done = predict_file(tree, folder / "in.csv", folder / "out.csv")
    >>> print(done)
    1 of 2 rows are determined (50.0%): 1 gets class sure
    >>> print((folder / "out.csv").read_text())
    id,x0,prediction,determined,needed
    007,1,sure,yes,
    008,NA,,no,x0
    """
    model = read_model(tree)
    _check_among("needed", needed, NEEDED)
    _check_among("unseen", unseen, UNSEEN)
    _check_batch_size(batch_size)
    needed = _usual(model) if needed == "usual" else needed
    interval = tolerance is not None or model.task == "regression"
    if interval:
        predict(model, [], tolerance=tolerance or 0)  # refuses classes that are no numbers
    added = _new_names(names, needed is not None, NUMBER_NAMES if interval else NAMES)
    form = file_format(target, format, safe_csv=safe_csv)
    _check_two_files(source, target)
    n_rows = 0
    each = ROW if time_limit is None else Budget(time_limit).seconds / 10
    with (
        Budget(time_limit, each=each),
        open_table(source, delimiter=delimiter, encoding=encoding, max_columns=max_columns,
                   batch_size=batch_size, missing=missing, decimal=decimal,
                   thousands=thousands) as table,
    ):  # fmt: skip
        table.check_missing((*model.space.names, *model.space.column_names))
        _check_new(added, table)
        answers = Answers(model, table, needed, interval=interval, tolerance=tolerance,
                          refuse_unseen=unseen == "error", n_jobs=n_jobs)  # fmt: skip
        with (
            _sink(target) as handle,
            WRITERS[form](handle, table, added, model, safe_csv) as writer,
            behind(writer.write)
            if n_jobs != 1 and _is_file(target)
            else nullcontext(writer.write) as write,
        ):
            for part in ahead(table.parts) if n_jobs != 1 and _is_file(source) else table.parts:
                new = answers.of(part)
                write(part, dict(zip(added, new, strict=True)))
                n_rows += part.n_rows
                if progress is not None:
                    progress(table.done(), table.size)
    path = Path(target) if isinstance(target, str | os.PathLike) else None
    counts = dict(zip(model.classes, answers.counts.tolist(), strict=True))
    return FilePrediction(path, n_rows, counts, answers.unseen, interval, tolerance,
                          answers.n_narrow, answers.n_certain, answers.n_undecided)  # fmt: skip


def _check_batch_size(batch_size: object) -> None:
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        given = setting("batch_size", batch_size)
        raise InvalidParameter(f"{given}: give a number of rows, at least 1", "batch_size")


def _usual(model: TreeKernel | SumKernel) -> str | None:
    """Say what is usual to tell of undetermined rows."""
    if isinstance(model, SumKernel):
        return None if model.task == "regression" else "next"
    if not model.space.domain.linear:
        return "smallest"
    warnings.warn(
        "there is no column of what is needed: it does not work with facts that compare features "
        "with each other yet",
        UserWarning,
        stacklevel=3,
    )
    return None


def file_format(target: Target, format: str | None, *, safe_csv: bool = False) -> str:  # noqa: A002
    """Say how ``predict_file`` writes its target: as asked for, or by the ending of its name.

    Examples
    --------
    >>> file_format("rows.pq", None), file_format("rows", None), file_format("rows.csv", "md")
    ('parquet', 'csv', 'md')
    """
    if format is not None:
        _check_among("format", format, tuple(WRITERS))
        form = format
    elif isinstance(target, str | os.PathLike) and (ending := Path(target).suffix.lower()):
        form = ENDINGS.get(ending, "")
    else:
        form = "csv"
    if not form:
        raise InvalidParameter(
            f"{setting('target', Path(str(target)).name)} must end in one of "
            f"{', '.join(ENDINGS)}; or say how "
            f"it is written with {setting('format')}",
            "target",
        )
    if safe_csv and form != "csv":
        raise InvalidParameter(
            f"{setting('safe_csv', True)} is for {setting('format', 'csv')}, and this writes "
            f"{form}",
            "safe_csv",
        )
    return form


def _check_among(name: str, given: object, allowed: tuple[object, ...]) -> None:
    if given not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise InvalidParameter(f"{named(name)} must be one of {listed}, got {given!r:.80}", name)


def _new_names(names: Sequence[str] | None, needed: bool, usual: tuple[str, ...]) -> dict[str, str]:
    """Check the names of the new columns, and give their kinds.

    Without ``needed`` there is one less, and one more is ignored.
    """
    given = usual if names is None else names
    new = () if isinstance(given, str) else tuple(given)
    allowed = (len(usual),) if needed else (len(usual) - 1, len(usual))
    fine = all(isinstance(name, str) and name for name in new)
    if not fine or len(new) not in allowed or len(set(new)) != len(new):
        many = {2: "two", 3: "three", 4: "four", 5: "five"}[allowed[0]]
        raise InvalidData(
            f"{setting('names', given)}: give {many} different names, such as "
            f"{', '.join(usual[: allowed[0]])}"
        )
    return dict(zip(new[: allowed[0]], KINDS[len(usual)], strict=False))


def _check_new(added: dict[str, str], table: TableFile) -> None:
    for name in added:
        if name in table.columns:
            raise InvalidData(
                f"{table.name} has a column {name!r} already, which is the name of a new one: "
                f"rename or remove it, or name the new ones with {setting('names')}"
            )


def _check_two_files(source: Any, target: Any) -> None:
    given = [os.path.realpath(path) for path in (source, target)
             if isinstance(path, str | os.PathLike)]  # fmt: skip
    if len(given) == 2 and given[0] == given[1] and os.path.isfile(source):
        raise InvalidData(f"{str(source)!r} is source and target: give the result another name")


def _sink(target: Any) -> Any:
    return whole_file(target) if isinstance(target, str | os.PathLike) else nullcontext(target)


def _is_file(given: Any) -> bool:
    """Whether it is the path of a plain file, or of one to be made: not of a pipe."""
    if not isinstance(given, str | os.PathLike):
        return False
    return os.path.isfile(given) or not os.path.lexists(given)
