"""``orderless data``: what a table holds, facts that hold in it, and data sets to try."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy, write_whole
from .mistakes import Mistake, cut, one_line
from .options import (
    OUTPUT,
    FileOptions,
    Format,
    GivenTable,
    OutputOptions,
    TableOptions,
    TaskKind,
    given_table,
)
from .sink import records_as, write, write_result

if TYPE_CHECKING:
    from .profile import ColumnProfile
    from .summary import Summary

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless data patients.csv --target diagnosis\n\n"
    "Example: orderless data patients.csv --target diagnosis --facts facts.toml\n\n"
    "Example: orderless data --example wisconsin --output table.csv"
)
MOST_SHOWN = 4  # values of a column
MIN_ROWS, MAX_FACTS = 10, 100


@dataclass(frozen=True)
class FactOptions:
    """Which facts are proposed."""

    PANEL: ClassVar = "Facts between features"
    propose: Annotated[
        bool,
        typer.Option(
            "--propose",
            help="Instead: the facts between features that hold in all rows, the most surprising "
            "first.",
        ),
    ] = False
    facts: Annotated[
        Path | None,
        typer.Option(
            "--facts",
            metavar="FILE",
            help="The same, and write them as TOML, for you to confirm; fit and other commands "
            "read it.",
        ),
    ] = None
    min_rows: Annotated[int, typer.Option(min=1, help="How many rows must support a fact.")] = (
        MIN_ROWS
    )
    most: Annotated[int, typer.Option(min=1, help="How many facts are proposed.")] = MAX_FACTS


Example = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Write one of the paper's data sets as CSV, label last; it is downloaded if need be.",
        rich_help_panel=OUTPUT,
    ),
]


def command(
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    facts: FactOptions,
    table: GivenTable = None,
    example: Example = None,
) -> None:
    """Say what a table holds, column by column.

    Each column with its kind, its number of different values and of missing cells, its range or its
    most frequent values; how many rows are complete; which columns look like identifiers, are the
    same in every row or hold text where most reads as numbers; and with --target how many rows each
    class has. fit reads tables in exactly this way, and stops at the first problem; this lists all
    of them.

    With --propose or --facts: orders between numbers, sums, columns that exclude each other,
    implications between values. Nothing is assumed: you confirm, in the file that --facts writes,
    what holds for every row.

    Without a table: the paper's data sets, and where each comes from.
    """
    data = given_table(data, table)
    if example is not None:
        if data.data is not None:
            raise Mistake("--example writes a data set, and a table is given: leave out one")
        _write_example(example, output)
    elif data.data is None:
        _list_examples(output)
    elif facts.propose or facts.facts is not None:
        _propose(data, files, output, facts)
    else:
        if (facts.min_rows, facts.most) != (MIN_ROWS, MAX_FACTS):
            raise Mistake("--min-rows and --most are for --propose or --facts: add one of them")
        _describe(data, files, output)


# -- the paper's data sets -------------------------------------------------------------------------


def _write_example(name: str, output: OutputOptions) -> None:
    from .. import datasets

    if output.format not in (Format.text, Format.csv):
        raise Mistake(f"--example writes CSV, not {output.format}: leave out --format")
    frame = datasets.load(name).frame
    write(frame.to_csv(index=False, lineterminator="\n"), output.output)


def _list_examples(output: OutputOptions) -> None:
    """List all data sets: size, share of the positive class, and where each would come from."""
    from .. import datasets

    records: list[dict[str, Any]] = []
    for _, row in datasets.describe().iterrows():
        record = {str(key): value for key, value in row.items()}
        share = record.pop("positive_share")
        record["positive"] = None if math.isnan(share) else round(share, 4)
        record["label"] = record["label"] if isinstance(record["label"], str) else None
        record["note"] = record.pop("note")
        records.append(record)
    write_result(output, records, records, lambda: records_as(records, output.format))


# -- facts that hold in all rows -------------------------------------------------------------------


def _propose(
    data: TableOptions, files: FileOptions, output: OutputOptions, options: FactOptions
) -> None:
    from ..inputs import discover
    from .fact_file import as_fact_file
    from .summary import read_table, summarize
    from .table import frame_of_features, say, space_of

    read = read_table(data, files)
    summary = summarize(read, data, keep_gaps=True)
    say(summary.head(), quiet=data.quiet)
    X = frame_of_features(summary, list(range(read.part.n_rows)))
    space = space_of(X, infer=data.infer_kinds)
    with busy("Looking for facts"):
        proposals = discover(X, space=space, min_rows=options.min_rows, most=options.most)
    if options.facts is not None:
        write_whole(options.facts, as_fact_file(proposals, read.name, len(X)))
    records = [
        {
            "fact": one.fact.text,
            "kind": one.kind,
            "rows": one.rows,
            "surprise": round(one.surprise, 1),
        }
        for one in proposals
    ]
    head = f"{len(records):,} facts hold in all {len(X):,} rows; none is assumed."

    def text() -> str:
        shown = records_as(records, output.format)
        return (
            shown if output.format == Format.md else "\n".join([head, shown] if records else [head])
        )

    write_result(output, records, records, text)


# -- what a table holds ----------------------------------------------------------------------------


def _describe(data: TableOptions, files: FileOptions, output: OutputOptions) -> None:
    from .summary import read_table, summarize

    if data.infer_kinds:
        raise Mistake("--infer-kinds is for fitting; this shows what is read without it")
    summary = summarize(read_table(data, files), data)
    rows = [_row(summary, column) for column in summary.columns]
    content = _description_record(summary)
    write_result(output, content, rows, lambda: _description_text(summary, output.format))


def _role(summary: Summary, column: ColumnProfile) -> str:
    if column.name == summary.table.target:
        return "target"
    return "left out" if column.name in summary.left_out else "feature"


def _range_of(column: ColumnProfile) -> tuple[float | None, float | None]:
    """Give the smallest and the largest number."""
    if column.kind != "numeric":
        return None, None
    different = column.different
    return different[0], different[-1]


def _row(summary: Summary, column: ColumnProfile) -> dict[str, Any]:
    """Give a column as one record of a table."""
    from ..model import short_number
    from .summary import shares

    low, high = _range_of(column)
    if column.mixture is not None:
        shown = column.mixture.examples()
    elif low is not None and high is not None:
        shown = f"{short_number(low)} to {short_number(high)}"
    else:
        shown = shares(column.frequent(), MOST_SHOWN)
    return {
        "column": cut(column.name, 40),
        "used as": _role(summary, column),
        "kind": column.shown_kind,
        "values": len(set(column.values.values())),
        "missing": column.n_missing,
        "holds": shown,
    }


def _findings(summary: Summary) -> list[str]:
    """Say what was left out or looks strange; the first line of the head is said elsewhere."""
    return summary.head()[1:]


def _problems(summary: Summary) -> list[str]:
    return [one_line(Mistake(problem)) for problem in summary.problems()]


def _description_text(summary: Summary, form: Format) -> str:
    from ..output.rules import escaped

    n_rows, n_gaps = summary.table.part.n_rows, int(summary.incomplete.sum())
    head = summary.head()[0]
    gaps = (
        f"{n_rows - n_gaps:,} of {n_rows:,} rows are complete (missing: {summary.gaps()})"
        if n_gaps
        else "All rows are complete"
    )
    rows = [_row(summary, column) for column in summary.columns]
    parts = [f"{head}.\n{gaps}.", records_as(rows, form)]
    sections = {
        "Look at this": _findings(summary),
        "A tree cannot be fitted before this is settled": _problems(summary),
    }
    for title, lines in sections.items():
        if lines:
            shown = [escaped(line) if form == Format.md else line for line in lines]
            mark = "## " if form == Format.md else ""
            blank = "\n" if form == Format.md else ""
            parts.append(f"{mark}{title}{'' if mark else ':'}\n{blank}" + "\n".join(
                f"- {line}" for line in shown))  # fmt: skip
    return "\n\n".join(parts)


def _description_record(summary: Summary) -> dict[str, Any]:
    n_rows, n_gaps = summary.table.part.n_rows, int(summary.incomplete.sum())
    return {
        "data": summary.table.name,
        "rows": n_rows,
        "rows_complete": n_rows - n_gaps,
        "rows_left_out": summary.n_dropped,
        "target": summary.table.target,
        "classes": [
            {"class": label, "rows": n}
            for label, n in ([] if summary.task == TaskKind.regression else summary.classes())
        ],
        "features": [column.name for column in summary.features],
        "ignored": list(summary.ignored),
        "left_out": summary.left_out,
        "constant": [column.name for column in summary.features if column.constant],
        "columns": [_column(summary, column) for column in summary.columns],
        "findings": _findings(summary),
        "problems": _problems(summary),
    }


def _column(summary: Summary, column: ColumnProfile) -> dict[str, Any]:
    low, high = _range_of(column)
    out: dict[str, Any] = {
        "column": column.name,
        "used_as": _role(summary, column),
        "kind": column.kind,
        "values": len(set(column.values.values())),
        "missing": column.n_missing,
        "smallest": _plain(low),
        "largest": _plain(high),
        "frequent": [
            {"value": _plain(value), "rows": n} for value, n in column.frequent()[:MOST_SHOWN]
        ],
        "notes": list(column.notes),
    }
    if column.mixture is not None:
        out["not_numbers"] = [
            {"text": text, "rows": [row + 1 for row in rows[:10]], "cells": len(rows)}
            for text, rows in list(column.mixture.odd.items())[:10]
        ]
    return out


def _plain(value: Any) -> Any:
    """Give whole numbers as such, and what JSON has no number for as text."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return str(value)
    return int(value) if value.is_integer() else value
