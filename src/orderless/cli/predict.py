"""``orderless predict``: a class for every row where it is certain, although values are missing."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .mistakes import Mistake
from .options import OUTPUT, DataOptions, FileOptions, ModelOptions
from .progress import bar, watched

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless predict model.json patients.csv --output answers.csv\n\n"
    "Example: orderless predict new.csv --data patients.csv --target diagnosis"
)


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
            "null and ? are unknown.",
            show_default=False,
        ),
    ] = None,
    data: DataOptions,
    files: FileOptions,
    needed: Annotated[
        bool,
        typer.Option(
            help="Say for undetermined rows which features would settle them, whatever their "
            "values are.",
            rich_help_panel=OUTPUT,
        ),
    ] = True,
    chunk_rows: Annotated[
        int,
        typer.Option(min=1, help="Rows that are in memory at one time.", rich_help_panel=OUTPUT),
    ] = 50_000,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write here, all or nothing, instead of to the screen.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ] = None,
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
    if format is None:
        ending = output.suffix.lower().lstrip(".") if output is not None else ""
        named = {"jsonl": "json", "ndjson": "json", "pq": "parquet", "txt": "text"}
        known = named.get(ending, ending)
        format = RowFormat(known) if known in set(RowFormat) else RowFormat.csv  # noqa: A001
    if format == RowFormat.parquet and output is None:
        raise Mistake("Parquet is no text: say where to write it with --output FILE")
    from .models import source_of
    from .stream import predict_file

    source = source_of(model, data, files)
    with bar("Predicting") as progress:
        summary = predict_file(
            source.tree,
            rows,
            output,
            files=files,
            form=format,
            chunk_rows=chunk_rows,
            needed=needed,
            progress=progress,
        )
    if watched():
        typer.echo(f"{summary}.", err=True)
