"""``orderless diff``: what changed between two models, as rules and as rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..inputs import busy, write_whole
from ..model import printable
from .facts_option import FactsFile
from .options import (
    DATA,
    LIMITS,
    OUTPUT,
    FileOptions,
    Format,
    OutputOptions,
    ReadOptions,
    Unseen,
    UnseenKind,
    finite,
)
from .prove import REFUTED
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from ..model import SumKernel, TreeKernel
    from ..questions import Difference

__all__ = ["EXAMPLE", "command"]

LISTED = 20
EXAMPLE = (
    "Example: orderless diff old.json new.json --data patients.csv\n\n"
    "Example: orderless diff old.json new.json --html review.html"
)


def command(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The old model: JSON or skops.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The new model.")],
    read: ReadOptions,
    files: FileOptions,
    output: OutputOptions,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV or Parquet file; which of its rows change?",
            rich_help_panel=DATA,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the account as an HTML page too.", rich_help_panel=OUTPUT
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            help="Whether rules are proven minimal; --no-exact is quick for trees of any size.",
            rich_help_panel=LIMITS,
        ),
    ] = True,
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.001,
            callback=finite,
            help="Seconds for finding the rules, and for all searches of ensembles.",
            rich_help_panel=LIMITS,
        ),
    ] = 10.0,
    leaves: Annotated[
        int,
        typer.Option(
            min=1,
            help="Leaves that an ensemble may take as one tree; with more there are no rules.",
            rich_help_panel=LIMITS,
        ),
    ] = 1_000,
    facts: FactsFile = None,
    unseen: Unseen = UnseenKind.unknown,
) -> None:
    """Account exactly for the change from one model to another.

    Lists for every pair of answers, old and new, the fewest rules of the rows that change so, and
    with --data how many rows do. Features compare by name. The exit code is 0 if both models give
    every row the same answer, and 4 if they differ.
    """
    from ..questions import difference
    from .models import loader

    load = loader(read, facts)
    models = [load(path) for path in (old, new)]
    rows = None if data is None else _rows(models, data, files, unseen)
    with busy("Comparing"):
        found = difference(
            models[0], models[1], rows, exact=exact, leaves=leaves, time_limit=time_limit
        )
    if html is not None:
        write_whole(html, _page(found, old, new))
    write(_written(found, output), output.output)
    if found:
        raise typer.Exit(REFUTED)


def _written(found: Difference, output: OutputOptions) -> str:
    if output.format == Format.json:
        return as_json(_content(found), allow_nan=False)
    if output.format == Format.text:
        return _text(found)
    return records_as(_records(found), output.format, safe_csv=output.safe_csv)


def _rows(
    models: Sequence[TreeKernel | SumKernel], data: Path, files: FileOptions, unseen: UnseenKind
) -> Any:
    """Read the rows of a file for each of the models."""
    import pandas as pd

    from ..connect import unseen_notes
    from ..questions import RowsOfBoth
    from .files import open_table
    from .rows import frame_for
    from .table import say

    strange: list[Any] = [{} if unseen == UnseenKind.unknown else None for _ in models]
    parts: list[list[pd.DataFrame]] = [[] for _ in models]
    with open_table(data, files) as table:
        table.check_missing(name for model in models for name in model.space.column_names)
        for part in table.parts:
            for own, model, odd in zip(parts, models, strange, strict=True):
                own.append(frame_for(model, part, table.name, style=table.style, unseen=odd))
    notes = dict.fromkeys(printable(n) for own in strange for n in unseen_notes(own or {}))
    say(list(notes), quiet=False)
    return RowsOfBoth(pd.concat(own, ignore_index=True) for own in parts)


def _content(found: Difference) -> dict[str, Any]:
    """Give the account as JSON; rows of a file are counted from 1."""
    content = found.to_dict()
    for shift in content["shifts"]:
        shift["rows"] = [i + 1 for i in shift.pop("at")]
    return content


def _records(found: Difference) -> list[dict[str, Any]]:
    names = found.names
    return [
        {
            "before": names[shift.before],
            "after": names[shift.after],
            "rule": "" if rule is None else str(rule),
            "rows": None if found.n_rows is None else len(shift.at),
        }
        for shift in found.shifts
        for rule in (shift.rules or (None,))
    ]


def _text(found: Difference) -> str:
    names, lines = found.names, found.head()
    for shift in found.shifts:
        lines += ["", f"{found.title(shift, names)}:"]
        lines += [f"  {printable(str(term))}" for term in shift.rules or ()]
        if shift.at:
            some = ", ".join(f"{i + 1:,}" for i in shift.at[:LISTED])
            more = ", ..." if len(shift.at) > LISTED else ""
            which = "row" if len(shift.at) == 1 else f"{len(shift.at):,} rows:"
            lines.append(f"  {which} {some}{more}")
        elif shift.rules is None and shift.example is not None:
            lines.append(f"  for example {shift.example_text}")
    return "\n".join(lines)


def _page(found: Difference, old: Path, new: Path) -> str:
    from ..output.rules import difference_as_page

    return difference_as_page(found, str(old), str(new))
