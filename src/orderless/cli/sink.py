"""Sinks: where results go, all or nothing.

In:  text, records or bytes, and where they should go.
Out: standard output, or a file that is complete or not there. Files and pipes get every character
     as it is; a terminal gets those that it would obey as escapes (docs/decisions/0015).
"""

from __future__ import annotations

import csv
import io
import json
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from ..inputs import whole_file, write_whole
from ..model import not_formula, printable, shown
from .mistakes import Mistake
from .options import Format, OutputOptions

__all__ = [
    "FIGURES", "as_json", "records_as", "standard_output", "tree_text", "write", "write_figure",
    "write_html", "write_result",
]  # fmt: skip

Records = Sequence[Mapping[str, Any]]
FIGURES = (".png", ".svg", ".pdf")


def write(text: str, output: Path | None) -> None:
    """Write text, ended by a line break, to a file or to standard output."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(shown(text) if sys.stdout.isatty() else text)
        return
    write_whole(output, text)


def write_result(
    output: OutputOptions, content: Any, records: Records, text: Callable[[], str]
) -> None:
    """Write a result in the format that is asked for: JSON of all of it, CSV records, or text.

    The text is Markdown if that is the format.
    """
    if output.format == Format.json:
        written = as_json(content)
    elif output.format == Format.csv:
        written = records_as(records, Format.csv, safe_csv=output.safe_csv)
    else:
        written = text()
    write(written, output.output)


def as_json(content: Any, *, allow_nan: bool = True) -> str:
    """Write JSON as all commands do: indented by one, and every letter as it is."""
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=allow_nan)


def write_html(page: str, output: Path | None) -> None:
    """Write a page to a file, or into a pipe; a terminal is no place for it."""
    if output is None and sys.stdout.isatty():
        raise Mistake("an HTML page does not belong on a terminal: add --output FILE.html")
    write(page, output)


def write_figure(draw: Callable[[Any], Any], output: Path) -> None:
    """Draw on new axes, and write that in the format that the file's name ends in."""
    import matplotlib
    from matplotlib.figure import Figure

    from ..output.plots import short_names

    ending = output.suffix.lower()
    if ending not in FIGURES:
        raise Mistake(f"--plot {output.name!r:.80}: the name must end in {', '.join(FIGURES)}")
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    ax = figure.subplots()
    draw(ax)
    short_names(ax)
    # Nothing of the day it was made, no random names: the same drawing gives the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "orderless"}), whole_file(output) as handle:
        when = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
        figure.savefig(handle, format=ending[1:], dpi=150, metadata=when)


def standard_output() -> IO[bytes]:
    """Give standard output for bytes; on a terminal, of UTF-8 text, which is shown there."""
    sys.stdout.flush()
    return cast("IO[bytes]", _Terminal()) if sys.stdout.isatty() else sys.stdout.buffer


class _Terminal:
    """Shows text that comes as bytes; a letter may be cut between two of them."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, content: bytes) -> None:
        sys.stdout.write(shown(self._decoder.decode(bytes(content))))

    def flush(self) -> None:
        sys.stdout.flush()


def records_as(
    records: Records, form: Format, *, digits: int | None = None, safe_csv: bool = False
) -> str:
    """Write records with the same entries as aligned text, JSON, CSV or a Markdown table.

    ``digits`` after the point are for people: in JSON and CSV numbers stay whole. ``safe_csv``
    writes what a spreadsheet would calculate with an apostrophe before it.

    Examples
    --------
    >>> print(records_as([{"name": "a", "rows": 12}, {"name": "bcd", "rows": None}], Format.text))
    name  rows
    a       12
    bcd
    """
    if form == Format.json:
        return as_json(list(records), allow_nan=False)
    names = list(records[0]) if records else []
    if form == Format.csv:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        cell = not_formula if safe_csv else str
        writer.writerows([cell(_text(record[name])) for name in names] for record in records)
        return out.getvalue()
    cells = [[printable(_text(record[name], digits)) for name in names] for record in records]
    right = [
        all(isinstance(record[name], int | float | None) for record in records) for name in names
    ]
    from ..output.rules import escaped, markdown_table, text_table

    if form == Format.md:
        return markdown_table(names, [[*map(escaped, row)] for row in cells], right)
    return text_table(names, cells, right)


def tree_text(text: str, form: Format) -> str:
    """Write a tree, which may have names of any kind, as text or as a block of Markdown."""
    lines = [printable(line) for line in text.splitlines()]
    if form != Format.md:
        return "\n".join(lines)
    runs = [run for run in "".join(lines).split() if set(run) == {"`"}]
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return "\n".join([fence, *lines, fence])


def _text(value: Any, digits: int | None = None) -> str:
    if value is None:
        return ""
    if digits is not None and isinstance(value, float):
        return f"{value:.{digits}f}"
    if isinstance(value, list | tuple):
        return "; ".join(_text(part) for part in value)
    return str(value)
