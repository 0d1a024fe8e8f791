"""``orderless datasets``: the paper's data sets, where they come from, and copies of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Format, OutputOptions
from .sink import as_json, records_as, write

__all__ = ["COMMANDS", "app"]

app = typer.Typer(
    name="datasets",
    no_args_is_help=False,
    invoke_without_command=True,
    epilog="Example: orderless datasets save wisconsin --output wisconsin.csv",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a data set.")]


@app.callback()
def datasets(context: typer.Context) -> None:
    """List the paper's data sets, show one, or save one as a file."""
    if context.invoked_subcommand is None:
        _list(OutputOptions())


def _list(output: OutputOptions) -> None:
    """List all data sets: size, share of the positive class, and where each would come from."""
    from .. import datasets as library

    records: list[dict[str, Any]] = []
    for _, row in library.describe().iterrows():
        record = {str(key): value for key, value in row.items()}
        records.append(record)
        share = record.pop("positive_share")
        record["positive"] = None if math.isnan(share) else round(share, 4)
        record["label"] = record["label"] if isinstance(record["label"], str) else None
        record["note"] = record.pop("note")
    write(records_as(records, output.format, safe_csv=output.safe_csv), output.output)


def _show(name: Name, output: OutputOptions) -> None:
    """Show what is known of a data set, without loading it."""
    from .. import datasets as library
    from ..datasets import entry_of

    entry = entry_of(name)
    table = library.describe().set_index("name")
    facts: dict[str, Any] = {
        "name": entry.name,
        "rows": entry.rows,
        "features": entry.features,
        "label": entry.label,
        "positive": entry.positives,
        "comes from": str(table.loc[entry.name, "source"]),
        "file": entry.file,
        "address": entry.address if entry.sha256 else None,
        "sha256": entry.sha256,
        "note": entry.note,
    }
    if output.format == Format.text:
        known = {key: value for key, value in facts.items() if value is not None}
        text = "\n".join(f"{key + ':':12}{value}" for key, value in known.items())
    elif output.format == Format.json:
        text = as_json(facts)
    else:
        rows = [{"fact": key, "value": value} for key, value in facts.items()]
        text = records_as(rows, output.format, safe_csv=output.safe_csv)
    write(text, output.output)


def _save(
    name: Name,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write.")
    ] = None,
) -> None:
    """Write a data set as CSV, label last; it is downloaded if need be."""
    from .. import datasets as library

    write(library.load(name).frame.to_csv(index=False, lineterminator="\n"), output)


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "list": (_list, "orderless datasets list --format md"),
    "show": (_show, "orderless datasets show compas"),
    "save": (_save, "orderless datasets save wisconsin --output wisconsin.csv"),
}
