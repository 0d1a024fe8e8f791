"""``orderless predict``: a class for every row where it is certain, although values are missing."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .mistakes import Mistake
from .options import OUTPUT, DataOptions, FileOptions, ModelOptions, OutputFile
from .progress import bar, watched

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless predict model.json patients.csv --output answers.csv\n\n"
    "Example: orderless predict new.csv --data patients.csv --target diagnosis"
)


class NeededKind(StrEnum):
    """What is said of undetermined rows."""

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


def command(
    model: ModelOptions,
    *,
    rows: Annotated[
        Path | None,
        typer.Argument(
            metavar="ROWS",
            help="CSV or Parquet file with a header; - is standard input. Empty cells, NA, NaN, "
            "null, unknown and ? are unknown.",
            show_default=False,
        ),
    ] = None,
    data: DataOptions,
    files: FileOptions,
    needed: Annotated[
        NeededKind,
        typer.Option(
            help="What to say of undetermined rows: a smallest set of features that settles them, "
            "whatever their values are; the one to ask next, which is quick for trees of any "
            "size; or none.",
            rich_help_panel=OUTPUT,
        ),
    ] = NeededKind.smallest,
    no_needed: Annotated[
        bool, typer.Option("--no-needed", help="The same as --needed none.", rich_help_panel=OUTPUT)
    ] = False,
    names: Annotated[
        str,
        typer.Option(
            metavar="A,B,C", help="What the new columns are called.", rich_help_panel=OUTPUT
        ),
    ] = "prediction,determined,needed",
    chunk_rows: Annotated[
        int,
        typer.Option(min=1, help="Rows that are predicted at one time.", rich_help_panel=OUTPUT),
    ] = 131_072,
    output: OutputFile = None,
    format: Annotated[  # noqa: A002  the name of the option
        RowFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="How rows are written; by default what the name of --output ends in, else csv.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Predict a file of rows with gaps: the class wherever it is certain.

    The rows come out as they went in, with three more columns: prediction (empty where the gaps
    leave several classes possible), determined (yes or no), and needed (a smallest set of features
    that would settle the row). Files may be larger than memory.
    """
    if data.data is not None and rows is None:
        model, rows = replace(model, model=None), model.model
    if rows is None:
        raise Mistake(
            "which rows? Give a model and a file, orderless predict MODEL ROWS, or data to fit on "
            "and a file, orderless predict ROWS --data FILE --target COLUMN"
        )
    if model.model is not None and data.data is not None:
        raise Mistake(
            f"the tree comes from {model.model.name}, or is fitted on --data: give one of them"
        )
    from ..files.predict import ENDINGS, predict_file
    from .files import file_arguments, packages, source_of_rows
    from .models import source_of

    ending = output.suffix.lower() if output else ""
    if format is None and ending and ending not in ENDINGS:
        raise Mistake(
            f"{output} ends in {ending}: legal are {', '.join(ENDINGS)}; or say how it is written "
            "with --format"
        )
    form = str(format or ENDINGS.get(ending, "csv"))
    if form == "parquet" and output is None:
        raise Mistake("Parquet is no text: say where to write it with --output FILE")
    source = source_of(model, data, files)
    sys.stdout.flush()
    with bar("Predicting") as progress, packages():
        done = predict_file(
            source.tree,
            source_of_rows(rows),
            sys.stdout.buffer if output is None else output,
            names=names.split(","),
            needed=None if no_needed or needed == NeededKind.none else str(needed),
            format=form,
            batch_size=chunk_rows,
            progress=progress,
            **file_arguments(files),
        )
    if watched():
        typer.echo(f"{done}.", err=True)
