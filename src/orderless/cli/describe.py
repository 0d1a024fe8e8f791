"""``orderless describe``: what a table holds, and what learning from it would make of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .mistakes import Mistake, cut, one_line
from .options import FileOptions, Format, OutputOptions, TableOptions, TaskKind
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from .profile import ColumnProfile
    from .summary import Summary

__all__ = ["EXAMPLE", "TableArgument", "command"]

EXAMPLE = (
    "Example: orderless describe patients.csv --target diagnosis\n\n"
    "Example: orderless describe patients.csv --format json"
)
MOST_SHOWN = 4  # values of a column

TableArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE|NAME",
        help="CSV or Parquet file with a header, or the name of a data set; the same as --data.",
    ),
]


def command(
    table: TableArgument = None,
    *,
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
) -> None:
    """Say what each column of a table holds, and what a tree would be fitted on.

    Each column with its kind, its number of different values and of missing cells, its range or its
    most frequent values; how many rows are complete; which columns look like identifiers, are the
    same in every row or hold text where most reads as numbers; and with --target how many rows each
    class has. Commands that fit a tree read tables in exactly this way, and stop at the first
    problem; this one lists all of them.
    """
    if (table is None) == (data.data is None):
        raise Mistake("which table? Give one file, or the name of one data set")
    if data.infer_kinds:
        raise Mistake("--infer-kinds is for fitting; describe shows what is read without it")
    from .summary import read_table, summarize

    data = replace(data, data=table or data.data)
    summary = summarize(read_table(data, files), data)
    if output.format == Format.json:
        text = as_json(_content(summary), allow_nan=False)
    elif output.format == Format.csv:
        rows = [_row(summary, column) for column in summary.columns]
        text = records_as(rows, Format.csv, safe_csv=output.safe_csv)
    else:
        text = _text(summary, output.format)
    write(text, output.output)


def _role(summary: Summary, column: ColumnProfile) -> str:
    if column.name == summary.table.target:
        return "target"
    return "left out" if column.name in summary.left_out else "feature"


def _numbers(column: ColumnProfile) -> tuple[float | None, float | None]:
    """Give the smallest and the largest number."""
    if column.kind != "numeric":
        return None, None
    different = column.different
    return different[0], different[-1]


def _row(summary: Summary, column: ColumnProfile) -> dict[str, Any]:
    """Give a column as one record of a table."""
    from ..model import short_number
    from .summary import shares

    low, high = _numbers(column)
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


def _text(summary: Summary, form: Format) -> str:
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


def _content(summary: Summary) -> dict[str, Any]:
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
    low, high = _numbers(column)
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
