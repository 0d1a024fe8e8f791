"""``orderless discover``: facts between features that hold in all rows of a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..inputs import busy, write_whole
from .describe import TableArgument
from .mistakes import Mistake
from .options import OUTPUT, FileOptions, Format, OutputOptions, TableOptions
from .sink import as_json, records_as, write

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless discover patients.csv --target diagnosis --facts facts.toml\n\n"
    "Example: orderless predict tree.json patients.csv --facts facts.toml"
)


def command(
    table: TableArgument = None,
    *,
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    facts: Annotated[
        Path | None,
        typer.Option(
            "--facts",
            metavar="FILE",
            help="Write the facts as TOML too, for you to confirm; the other commands read it.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    min_rows: Annotated[int, typer.Option(min=1, help="How many rows must support a fact.")] = 10,
    most: Annotated[int, typer.Option(min=1, help="How many facts are proposed.")] = 100,
) -> None:
    """Propose facts between features that hold in all rows of a table.

    Orders between numbers, sums, columns that exclude each other, implications between values; the
    most surprising first, each with the rows that support it. Nothing is assumed: you confirm, in
    the file that --facts writes, what holds for every row; then the other commands take the file
    as their --facts.
    """
    if (table is None) == (data.data is None):
        raise Mistake("which table? Give one file, or the name of one data set")
    from ..inputs import discover
    from .fact_file import as_fact_file
    from .summary import read_table, summarize
    from .table import frame_of_features, say, space_of

    data = replace(data, data=table or data.data)
    read = read_table(data, files)
    summary = summarize(read, data, keep_gaps=True)
    say(summary.head(), quiet=data.quiet)
    X = frame_of_features(summary, list(range(read.part.n_rows)))
    space = space_of(X, infer=data.infer_kinds)
    with busy("Looking for facts"):
        found = discover(X, space=space, min_rows=min_rows, most=most)
    if facts is not None:
        write_whole(facts, as_fact_file(found, read.name, len(X)))
    records = [
        {"fact": one.fact.text, "kind": one.kind, "rows": one.rows,
         "surprise": round(one.surprise, 1)}
        for one in found
    ]  # fmt: skip
    if output.format == Format.json:
        write(as_json(records, allow_nan=False), output.output)
    elif output.format == Format.text:
        head = f"{len(found):,} facts hold in all {len(X):,} rows; none is assumed."
        write("\n".join([head, *([records_as(records, Format.text)] if found else [])]),
              output.output)  # fmt: skip
    else:
        write(records_as(records, output.format, safe_csv=output.safe_csv), output.output)
