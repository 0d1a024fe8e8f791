"""Table files: CSV and Parquet, in parts that fit into memory.

In:  a path (``-`` is standard input) and ``FileOptions``.
Out: ``TableFile``: its names and its ``Part``s. The cells of a CSV file stay text: what is only
     passed on is passed on as it is.
"""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .mistakes import Mistake, some
from .options import FileOptions

__all__ = ["Part", "TableFile", "open_table"]

CHUNK = 50_000
LIKELY = ("\t", ";", "|", ",")
PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class Part:
    """Some rows: by column a list of cells, and the number of the first row, from 1."""

    columns: dict[str, list[Any]]
    first: int

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True)
class TableFile:
    """An open table: name of the file, names of the columns, rows; how far the reading is."""

    name: str
    columns: tuple[str, ...]
    parts: Iterator[Part]
    size: int | None
    handle: Any
    schema: Any = None  # of a Parquet file

    def done(self) -> int:
        """Tell how much of ``size`` has been read."""
        try:
            return int(self.handle.tell())
        except (OSError, ValueError):
            return 0

    def whole(self) -> Part:
        """Read all rows at once."""
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for part in self.parts:
            for name, cells in part.columns.items():
                columns[name] += cells
        return Part(columns, 1)


@contextmanager
def open_table(
    path: str | Path, options: FileOptions, *, chunk_rows: int = CHUNK
) -> Iterator[TableFile]:
    """Open a CSV or Parquet file with a header; faults while reading name the file."""
    path = Path(path)
    name = "standard input" if str(path) == "-" else path.name
    with _opened(path, name) as handle, ExitStack() as stack:
        try:
            head = b"" if name == "standard input" else handle.read(4)
            if head == b"PK\x03\x04":
                raise Mistake(f"{name} is a spreadsheet or zip file: save the table as CSV")
            if head == b"PAR1":
                yield _parquet(path, name, options, chunk_rows)
                return
            if name != "standard input":
                handle.seek(0)
            yield _csv(path, name, handle, options, chunk_rows, stack)
        except UnicodeDecodeError as fault:
            guess = "utf-16" if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "cp1252"
            raise Mistake(
                f"{name} is not {options.encoding} text (byte 0x{fault.object[fault.start]:02x}): "
                f"save it as UTF-8, or say how it is encoded, perhaps --encoding {guess}"
            ) from None
        except csv.Error as fault:
            raise Mistake(f"{name} is not a CSV file: {fault}") from None


@contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    if name == "standard input":
        yield sys.stdin.buffer
        return
    if path.is_dir():
        raise Mistake(f"{path} is a folder: give a CSV or Parquet file")
    with path.open("rb") as handle:
        yield handle


# -- CSV ---------------------------------------------------------------------------------------


def _csv(
    path: Path,
    name: str,
    handle: IO[bytes],
    options: FileOptions,
    chunk_rows: int,
    stack: ExitStack,
) -> TableFile:
    size = None if name == "standard input" else path.stat().st_size
    if size == 0:
        raise Mistake(f"{name} is empty: a table begins with the names of its columns")
    plain: Any = handle
    if path.suffix in PACKED:
        from importlib import import_module

        plain = stack.enter_context(import_module(PACKED[path.suffix]).open(handle, "rb"))
    encoding = {"utf-8": "utf-8-sig", "utf8": "utf-8-sig"}.get(
        options.encoding.lower(), options.encoding
    )
    try:
        text = io.TextIOWrapper(plain, encoding=encoding, newline="")
    except LookupError:
        raise Mistake(
            f"there is no encoding {options.encoding!r}: common are utf-8, cp1252, latin-1, utf-16"
        ) from None
    stack.callback(text.detach)  # the handle is closed by whoever opened it
    first = "\t" if ".tsv" in path.suffixes else ","
    delimiter = _delimiter(options.delimiter) or first
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    names = next((row for row in reader if row), None)
    if names is None:
        raise Mistake(f"{name} is empty: a table begins with the names of its columns")
    if len(names) == 1 and options.delimiter is None:
        other = next((sign for sign in LIKELY if sign != first and sign in names[0]), None)
        if other is not None:
            raise Mistake(
                f"{name} has one column, {names[0]!r:.80}: if {other!r} separates its cells, add "
                f"--delimiter {'tab' if other == chr(9) else repr(other)}"
            )
    _check_names(names, name, options)
    return TableFile(name, tuple(names), _rows(reader, names, name, chunk_rows), size, handle)


def _delimiter(given: str | None) -> str | None:
    sign = {"tab": "\t", "\\t": "\t"}.get(given or "", given)
    if sign is not None and (len(sign) != 1 or sign in '"\r\n '):
        raise Mistake(f"--delimiter is one character, such as ',' or ';', or tab; got {given!r}")
    return sign


def _check_names(names: list[str] | tuple[str, ...], name: str, options: FileOptions) -> None:
    if len(names) > options.max_columns:
        raise Mistake(
            f"{name} has {len(names):,} columns, more than --max-columns {options.max_columns:,}: "
            "if that is right and not a wrong delimiter, raise --max-columns"
        )
    if len(set(names)) != len(names):
        twice = next(column for column in names if names.count(column) > 1)
        raise Mistake(f"{name} has two columns named {twice!r:.80}: rename one of them")


def _rows(reader: Any, names: list[str], name: str, chunk_rows: int) -> Iterator[Part]:
    rows: list[list[str]] = []
    first, n = 1, len(names)
    for row in reader:
        if len(row) != n:
            if not row and n > 1:
                continue  # an empty line
            if row:
                raise Mistake(
                    f"line {reader.line_num:,} of {name} has {len(row)} cells, the header has {n}: "
                    "put text with delimiters or line breaks into double quotes"
                )
            row = [""]
        rows.append(row)
        if len(rows) == chunk_rows:
            yield Part(_by_column(names, rows), first)
            first += len(rows)
            rows = []
    if rows or first == 1:
        yield Part(_by_column(names, rows), first)


def _by_column(names: list[str], rows: list[list[str]]) -> dict[str, list[Any]]:
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {name: list(cells) for name, cells in zip(names, columns, strict=True)}


# -- Parquet -----------------------------------------------------------------------------------


class _RowCount:
    """How far the reading of a Parquet file is, in rows."""

    rows = 0

    def tell(self) -> int:
        return self.rows


def _parquet(path: Path, name: str, options: FileOptions, chunk_rows: int) -> TableFile:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise Mistake(
            f"{name} is a Parquet file, and reading those needs pyarrow: "
            "pip install 'orderless[files]'"
        ) from None
    try:
        source = pq.ParquetFile(path)
        names = tuple(source.schema_arrow.names)
        n_rows = source.metadata.num_rows
    except (pa.ArrowException, OSError) as fault:
        raise Mistake(f"{name} is not a complete Parquet file: {fault}") from None
    _check_names(names, name, options)
    if not names:
        raise Mistake(f"{name} has no columns")
    count = _RowCount()

    def parts() -> Iterator[Part]:
        try:
            for batch in source.iter_batches(batch_size=chunk_rows):
                columns = dict(zip(names, (column.to_pylist() for column in batch), strict=True))
                yield Part(columns, count.rows + 1)
                count.rows += batch.num_rows
        except (pa.ArrowException, OSError) as fault:
            raise Mistake(f"{name} is not a complete Parquet file: {fault}") from None
        if not n_rows:
            yield Part({column: [] for column in names}, 1)

    return TableFile(name, names, parts(), n_rows, count, source.schema_arrow)


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
