"""Sinks: where results go, all or nothing.

In:  text, records or bytes, and where they should go.
Out: standard output, or a file that is complete or not there.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ..output.markdown import escaped
from ..output.text import width_of
from ..whole_file import whole_file, write_whole
from ..words import printable
from .mistakes import Mistake
from .options import Format

__all__ = ["FIGURES", "opened", "records_as", "write", "write_figure", "write_html"]

Records = Sequence[Mapping[str, Any]]
FIGURES = (".png", ".svg", ".pdf")


def write(text: str, output: Path | None) -> None:
    """Write text, ended by a line break, to a file or to standard output."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    write_whole(output, text)


def write_html(page: str, output: Path | None) -> None:
    """Write a page to a file, or into a pipe; a terminal is no place for it."""
    if output is None and sys.stdout.isatty():
        raise Mistake("a page is not for a terminal: add --output FILE.html")
    write(page, output)


def write_figure(draw: Callable[[Any], Any], output: Path) -> None:
    """Draw on new axes, and write that in the format that the file's name ends in."""
    import matplotlib
    from matplotlib.figure import Figure

    from ..output.plots.look import short_names

    ending = output.suffix.lower()
    if ending not in FIGURES:
        raise Mistake(f"--plot {output.name!r:.80}: the name should end in {', '.join(FIGURES)}")
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    ax = figure.subplots()
    draw(ax)
    short_names(ax)
    # Nothing of the day it was made, no random names: the same drawing gives the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "orderless"}), opened(output) as handle:
        when = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
        figure.savefig(handle, format=ending[1:], dpi=150, metadata=when)


@contextmanager
def opened(output: Path | None) -> Iterator[IO[bytes]]:
    """Open a sink for bytes. A file gets its name only when everything has been written."""
    if output is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(output) as handle:
        yield handle


def records_as(records: Records, form: Format, *, digits: int | None = None) -> str:
    """Write records with the same entries as aligned text, JSON, CSV or a Markdown table.

    ``digits`` after the point are for people: in JSON and CSV numbers stay whole.

    Examples
    --------
    >>> print(records_as([{"name": "a", "rows": 12}, {"name": "bcd", "rows": None}], Format.text))
    name  rows
    a       12
    bcd
    """
    if form == Format.json:
        return json.dumps(list(records), ensure_ascii=False, indent=1, allow_nan=False)
    names = list(records[0]) if records else []
    if form == Format.csv:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_text(record[name]) for name in names] for record in records)
        return out.getvalue()
    cells = [[printable(_text(record[name], digits)) for name in names] for record in records]
    right = [
        all(isinstance(record[name], int | float | None) for record in records) for name in names
    ]
    if form == Format.md:
        lines = [names, ["---:" if flag else ":---" for flag in right]]
        lines += [[escaped(cell) for cell in row] for row in cells]
        return "\n".join(f"| {' | '.join(row)} |" for row in lines)
    table = [names, *cells]
    widths = [max(width_of(row[k]) for row in table) for k in range(len(names))]
    return "\n".join(
        "  ".join(
            " " * (width - width_of(cell)) + cell if flag else cell + " " * (width - width_of(cell))
            for cell, width, flag in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in table
    )


def _text(value: Any, digits: int | None = None) -> str:
    if value is None:
        return ""
    if digits is not None and isinstance(value, float):
        return f"{value:.{digits}f}"
    if isinstance(value, list | tuple):
        return "; ".join(_text(part) for part in value)
    return str(value)
