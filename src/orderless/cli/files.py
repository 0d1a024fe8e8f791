"""Table files of the command line: a path, or ``-`` for standard input, and ``FileOptions``.

In:  what the user gave.
Out: ``TableFile`` of ``connect``.
"""

from __future__ import annotations

import csv
import sys
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..connect import TableFile, open_table as open_any
from ..inputs import CellStyle, near, some_names
from .mistakes import Mistake
from .options import FileOptions

__all__ = [
    "file_arguments",
    "missing_column",
    "open_table",
    "read_missing",
    "source_of_rows",
    "style_of",
]

SIGNS = {"comma": ",", "point": ".", "space": " "}  # as words, for shells


def source_of_rows(path: str | Path) -> Any:
    """Give the path, or standard input for ``-``."""
    return sys.stdin.buffer if str(path) == "-" else path


def open_table(path: str | Path, options: FileOptions) -> AbstractContextManager[TableFile]:
    """Open a CSV or Parquet file with a header; faults while reading name the file."""
    return open_any(source_of_rows(path), **file_arguments(options))


def file_arguments(options: FileOptions) -> dict[str, Any]:
    """Give the options as ``open_table`` and ``predict_file`` of the library take them."""
    given = asdict(options)
    del given["na"]
    given["missing"] = read_missing(options.na) if options.na else None
    for name in ("decimal", "thousands"):
        given[name] = SIGNS.get(given[name], given[name])
    return given


def style_of(options: FileOptions) -> CellStyle:
    """Give how cells are written."""
    given = file_arguments(options)
    return CellStyle(given["missing"], given["decimal"], given["thousands"])


def read_missing(given: list[str]) -> dict[str | None, list[str]]:
    """Read what ``--na`` gives: texts with commas between, for all columns or for one.

    The first ``=`` outside of double quotes ends the name of a column; the rest is one line of CSV.
    Nothing before it: every column.

    Examples
    --------
    >>> read_missing(["-9,n.d.", "bmi=-9,999", '"<=5"', '"a=b"="1,5"', "=x=y"])
    {None: ['-9', 'n.d.', '<=5', 'x=y'], 'bmi': ['-9', '999'], 'a=b': ['1,5']}
    """
    out: dict[str | None, list[str]] = {}
    for text in given:
        quoted = False
        for i, sign in enumerate(text):
            quoted ^= sign == '"'
            if sign == "=" and not quoted:
                name, rest = "".join(_cells(text[:i], text)), text[i + 1 :]
                break
        else:
            name, rest = "", text
        words = [word.strip() for word in _cells(rest, text) if word.strip()]
        if not words:
            raise Mistake(f"--na {text!r:.80} names no text: give --na TEXT,TEXT")
        out.setdefault(name.strip() or None, []).extend(words)
    return out


def _cells(line: str, text: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True, skipinitialspace=True), [])
    except csv.Error as fault:
        raise Mistake(
            f"--na {text!r:.80} is not a list with commas between ({fault}): put a text with "
            "a comma or = into double quotes"
        ) from None


def missing_column(
    wanted: str, table: str, there: tuple[str, ...], remedy: str, what: str = "column"
) -> Mistake:
    """Say that a column is not there, which one comes close, and what to do."""
    return Mistake(
        f"{table} has no {what} {wanted!r:.80}{near(wanted, there)}: it has "
        f"{some_names(there, most=8)}. {remedy}"
    )
