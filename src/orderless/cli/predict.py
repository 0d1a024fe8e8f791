"""``orderless predict``: a class for every row where it is certain, although values are missing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from ..inputs import bar, watched
from ..model import printable
from .mistakes import Mistake
from .options import (
    OUTPUT,
    FileOptions,
    ModelOptions,
    OutputFile,
    RowsOptions,
    SafeCsv,
    Unseen,
    UnseenKind,
    finite,
)
from .sink import standard_output

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless predict model.json patients.csv --output answers.csv\n\n"
    "Example: orderless predict model.json patients.csv --needed next --format json"
)


class NeededKind(StrEnum):
    """What is said of undetermined rows."""

    usual = "usual"
    smallest = "smallest"
    next = "next"
    none = "none"


class RowFormat(StrEnum):
    """How rows are written; json is one object per line."""

    csv = "csv"
    json = "json"
    md = "md"
    parquet = "parquet"
    text = "text"


Rows = Annotated[
    Path,
    typer.Argument(
        metavar="ROWS",
        help="CSV or Parquet file with a header; - is standard input. Empty cells, NA, NaN, "
        "null, unknown and ? are unknown.",
    ),
]


@dataclass(frozen=True)
class AnswerOptions:
    """What is said of each row, and where it is written."""

    PANEL: ClassVar = OUTPUT
    needed: Annotated[
        NeededKind,
        typer.Option(
            help="What to say of undetermined rows: a smallest set of features that settles them, "
            "whatever their values are (usual for one tree); the one to ask next, which is quick "
            "for trees of any size (usual for many trees of classes); or none (usual for many "
            "trees of numbers)."
        ),
    ] = NeededKind.usual
    no_needed: Annotated[bool, typer.Option("--no-needed", help="The same as --needed none.")] = (
        False
    )
    names: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="What the new columns are called, instead of prediction,determined,needed; two "
            "names are enough without needed. Numbers: prediction,lower,upper,determined,needed.",
        ),
    ] = None
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0,
            callback=finite,
            metavar="WIDTH",
            help="Of numbers: also predict rows whose interval from lower to upper is at most this "
            "wide, by its midpoint.",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            callback=finite,
            metavar="SECONDS",
            help="Of many trees: how long the searches for all rows with gaps may take, a tenth "
            "of it for one row; what they do not decide is undecided. By default there is no limit "
            "for the file, and one second for each row.",
        ),
    ] = None
    chunk_rows: Annotated[int, typer.Option(min=1, help="Rows that are predicted at one time.")] = (
        131_072
    )
    output: OutputFile = None
    format: Annotated[
        RowFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="How rows are written; by default what the name of --output ends in, else csv.",
        ),
    ] = None
    safe_csv: SafeCsv = False


def command(
    model: ModelOptions,
    rows: Rows,
    files: FileOptions,
    answers: AnswerOptions,
    unseen: Unseen = UnseenKind.unknown,
) -> None:
    """Predict rows with gaps: the class wherever it is certain.

    The rows come out as they went in, with three more columns: prediction (empty where the gaps
    leave several classes possible), determined (yes or no), and needed (a smallest set of features
    that would settle the row). Files may be larger than memory.

    Of a regression tree there are two more columns, lower and upper: the smallest and the largest
    number that the row can get.

    The model may be a forest or a boosted model. Then determined can also be "undecided": neither
    was proven within --time-limit.
    """
    if str(model.model) == "-" and str(rows) == "-":
        raise Mistake("standard input is one file: give the model or the rows as a file")
    import pyarrow as pa

    from ..connect import file_format, predict_file
    from .decision import check_numbers, refuse_tolerance
    from .files import file_arguments, source_of_rows
    from .models import source_of

    refuse_tolerance(answers.tolerance, model)
    target = standard_output() if answers.output is None else answers.output
    wanted = None if answers.format is None else str(answers.format)
    form = file_format(target, wanted, safe_csv=answers.safe_csv)  # before anything is fitted
    if form == "parquet" and answers.output is None:
        raise Mistake("Parquet is not text: say where to write it with --output FILE")
    none = answers.no_needed or answers.needed == NeededKind.none
    source = source_of(model, RowsOptions(), files)
    check_numbers(answers.tolerance, source)
    # Ctrl-C during a block is for Python: pyarrow's handlers may lose it, and the process runs on.
    pa.enable_signal_handlers(False)
    with bar("Predicting") as progress:
        done = predict_file(
            source.model,
            source_of_rows(rows),
            target,
            names=None if answers.names is None else answers.names.split(","),
            needed=None if none else str(answers.needed),
            tolerance=answers.tolerance,
            unseen=str(unseen),
            format=form,
            safe_csv=answers.safe_csv,
            batch_size=answers.chunk_rows,
            time_limit=answers.time_limit,
            progress=progress,
            **file_arguments(files),
        )
    if watched():
        typer.echo(printable(f"{done.summary}."), err=True)
    for note in done.notes:
        typer.echo(f"{printable(note)}.", err=True)
