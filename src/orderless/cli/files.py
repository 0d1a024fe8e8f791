"""Table files of the command line: a path, or ``-`` for standard input, and ``FileOptions``.

In:  what the user gave.
Out: ``TableFile`` of ``files/table.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..files.part import Part
from ..files.table import TableFile
from ..files.table import open_table as open_any
from .mistakes import Mistake, some
from .options import FileOptions

__all__ = ["Part", "TableFile", "missing_column", "open_table", "packages", "source_of_rows"]


def source_of_rows(path: str | Path) -> Any:
    """Give the path, or standard input for ``-``."""
    return sys.stdin.buffer if str(path) == "-" else path


@contextmanager
def open_table(path: str | Path, options: FileOptions) -> Iterator[TableFile]:
    """Open a CSV or Parquet file with a header; faults while reading name the file."""
    with packages(), open_any(source_of_rows(path), **asdict(options)) as table:
        yield table


@contextmanager
def packages() -> Iterator[None]:
    """Take a package that is not installed for invalid input: the message says what to install."""
    try:
        yield
    except ImportError as fault:
        raise Mistake(str(fault)) from None


def missing_column(
    wanted: str, table: str, there: tuple[str, ...], remedy: str, what: str = "column"
) -> Mistake:
    """Say that a column is not there, which one comes close, and what to do."""
    from difflib import get_close_matches

    by_case = {name.casefold(): name for name in there}
    close = get_close_matches(wanted.casefold(), by_case, n=1)
    near = f" (did you mean {by_case[close[0]]!r:.80}?)" if close else ""
    return Mistake(
        f"{table} has no {what} {wanted!r:.80}{near}: it has {some(list(there))}. {remedy}"
    )
