"""Table files: CSV and Parquet, in parts that fit into memory.

In:  a path, or an open file of bytes.
Out: ``TableFile``: its names and its ``Part``s. The cells of a CSV file stay text: what is only
     passed on is passed on as it is.
"""

from __future__ import annotations

import codecs
import csv
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InvalidData, setting
from ...inputs import PLAIN, CellStyle, Missing, some_names
from .lines import CsvLines
from .part import Part, cells_of

__all__ = ["BATCH", "TableFile", "open_table"]

BATCH = 131_072  # rows
LIKELY = ("\t", ";", "|", ",")
PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class TableFile:
    """An open table: name of the file, names of the columns, rows; how far the reading is."""

    name: str
    columns: tuple[str, ...]
    parts: Iterator[Part]
    size: int | None
    done: Callable[[], int]
    schema: Any = None  # of a Parquet file
    style: CellStyle = PLAIN

    def check_missing(self, also: Iterable[str] = ()) -> None:
        """Refuse ``missing`` for a column that is neither in the table nor one of ``also``."""
        known = {*self.columns, *also}
        for name in self.style.columns:
            if name not in known:
                raise InvalidData(
                    f"{setting('missing')} names the column {name!r:.80}, and {self.name} has no "
                    f"such column: it has {some_names(self.columns, most=8)}"
                )

    def whole(self) -> Part:
        """Read all rows at once."""
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for part in self.parts:
            for name, column in part.columns.items():
                columns[name] += cells_of(column)
        return Part(columns, 1)


@contextmanager
def open_table(
    source: str | os.PathLike[str] | IO[bytes],
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    max_columns: int = 1000,
    batch_size: int = BATCH,
    missing: Missing = None,
    decimal: str = ".",
    thousands: str | None = None,
) -> Iterator[TableFile]:
    """Open a CSV or Parquet file with a header; errors while reading name the file.

    ``missing``, ``decimal`` and ``thousands`` say how its cells are written (``CellStyle``).
    """
    style = CellStyle(missing, decimal, thousands)
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    name = path.name if path is not None else _stream_name(source)
    head = b""
    with ExitStack() as stack:
        try:
            handle: Any = source
            if path is not None:
                if path.is_dir():
                    raise InvalidData(f"{path} is a folder: give a CSV or Parquet file")
                handle = stack.enter_context(path.open("rb"))
                head = handle.peek(4)[:4]  # a pipe cannot go back
                if head == b"PK\x03\x04":
                    raise InvalidData(f"{name} is a spreadsheet or zip file: save the table as CSV")
            if path is not None and (head == b"PAR1" or path.suffix.lower() in PARQUET):
                table = stack.enter_context(_parquet(path, name, max_columns, batch_size))
            else:
                table = _csv(path, name, handle, delimiter, encoding, max_columns, batch_size)
            yield replace(table, style=style)
        except UnicodeDecodeError as fault:
            if "BOM" in fault.reason:  # from Python 3.13 on; it was a UnicodeError before
                raise _unreadable(name, encoding, fault.reason, head) from None
            guess = "utf-16" if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "cp1252"
            raise InvalidData(
                f"{name} is not {encoding} text (byte 0x{fault.object[fault.start]:02x}): save it "
                f"as UTF-8, or say how it is encoded, perhaps {setting('encoding', guess)}"
            ) from None
        except UnicodeError as fault:  # of a codec as a whole, not of one byte
            raise _unreadable(name, encoding, str(fault), head) from None
        except csv.Error as fault:
            said = str(fault)
            if said == "unexpected end of data":
                said = "it ends inside a cell, so a double quote is opened and never closed"
            raise InvalidData(f"{name} is not a CSV file: {said}") from None
        except EOFError as fault:
            raise InvalidData(f"{name} is broken or cut off: {fault}") from None


def _unreadable(name: str, encoding: str, said: str, head: bytes) -> InvalidData:
    return InvalidData(
        f"{name} cannot be read with {setting('encoding', encoding)} ({said:.100}): save it as "
        f"UTF-8, or say how it is encoded, perhaps {setting('encoding', _without_bom(head))}"
    )


def _without_bom(head: bytes) -> str:
    """Guess how text with a NUL in every other byte is encoded."""
    return "utf-16-be" if head[:1] == b"\0" else "utf-16-le"


def _stream_name(source: Any) -> str:
    """Give the name of an open file, as people know it."""
    if source is getattr(sys.stdin, "buffer", None):
        return "standard input"
    name = getattr(source, "name", None)
    return Path(name).name if isinstance(name, str) else "the file"


# -- CSV ---------------------------------------------------------------------------------------


def _csv(
    path: Path | None,
    name: str,
    handle: IO[bytes],
    given: str | None,
    encoding: str,
    max_columns: int,
    batch_size: int,
) -> TableFile:
    size = None if path is None else path.stat().st_size
    plain: Any = handle
    if path is not None and path.suffix in PACKED:
        from importlib import import_module

        plain = import_module(PACKED[path.suffix]).open(handle, "rb")
    try:
        "".encode(encoding)  # some encodings are not of text
        if codecs.lookup(encoding).name != "utf-8":
            plain = codecs.EncodedFile(plain, "utf-8", encoding)
    except LookupError:
        raise InvalidData(
            f"there is no encoding {encoding!r}: common ones are utf-8, cp1252, latin-1, utf-16"
        ) from None
    usual = "\t" if path is not None and ".tsv" in path.suffixes else ","
    lines = CsvLines(plain, name, _delimiter(given) or usual, batch_size)
    names = lines.names
    if any("\0" in column for column in names):
        guess = _without_bom(names[0][:1].encode())
        raise InvalidData(
            f"{name} has NUL characters in the names of its columns ({names[0]!r:.40}), so it is "
            f"not {encoding} text: say how it is encoded, perhaps {setting('encoding', guess)}"
        )
    if len(names) == 1 and given is None:
        other = next((sign for sign in LIKELY if sign != usual and sign in names[0]), None)
        if other is not None:
            raise InvalidData(
                f"{name} has one column, {names[0]!r:.80}: if {other!r} separates its cells, add "
                f"{setting('delimiter', other)}"
            )
    _check_names(names, name, max_columns)

    def done() -> int:
        try:
            return handle.tell()
        except (OSError, ValueError):
            return 0

    return TableFile(name, names, lines.parts(), size, done)


def _delimiter(given: str | None) -> str | None:
    sign = {"tab": "\t", "\\t": "\t"}.get(given or "", given)
    if sign is not None and (len(sign) != 1 or not sign.isascii() or sign in '"\r\n '):
        raise InvalidData(
            f"{setting('delimiter', given)}: it must be one character, such as ',' or ';', or tab"
        )
    return sign


def _check_names(names: Sequence[str], name: str, max_columns: int) -> None:
    if not names:
        raise InvalidData(f"{name} has no columns")
    if len(names) > max_columns:
        raise InvalidData(
            f"{name} has {len(names):,} columns, more than {setting('max_columns', max_columns)}: "
            f"if that is right and not a wrong delimiter, raise {setting('max_columns')}"
        )
    if len(set(names)) != len(names):
        twice = next(column for column, n in Counter(names).items() if n > 1)
        places = [i for i, column in enumerate(names, 1) if column == twice]
        where = f"{', '.join(map(str, places[:5]))}{', ...' if len(places) > 5 else ''}"
        if not twice:
            raise InvalidData(
                f"{name} has {len(places):,} columns without a name (columns {where}): name them, "
                "or delete them if they are empty, as spreadsheets leave them at the right"
            )
        raise InvalidData(
            f"{name} has two columns named {twice!r:.80} (columns {where}): rename one of them"
        )


# -- Parquet -----------------------------------------------------------------------------------


@contextmanager
def _parquet(path: Path, name: str, max_columns: int, batch_size: int) -> Iterator[TableFile]:
    def broken(fault: BaseException) -> BaseException:
        """Say that the file is broken, unless it is the system that does not let us read."""
        if isinstance(fault, OSError) and fault.errno is not None:
            return fault
        return InvalidData(
            f"{name} is not a complete Parquet file, it is broken or cut off: {fault!s:.300}"
        )

    faults = (pa.ArrowException, OSError, EOFError)
    try:
        # Group by group and without a buffer ahead: pyarrow would keep all that it has read.
        file = pq.ParquetFile(path, pre_buffer=False)
    except faults as fault:
        raise broken(fault) from None
    rows = [0]

    def parts() -> Iterator[Part]:
        groups = range(file.num_row_groups)
        batches = (
            batch
            for group in groups
            for batch in file.iter_batches(batch_size=batch_size, row_groups=[group])
        )
        while True:
            try:
                batch = next(batches, None)
            except faults as fault:
                raise broken(fault) from None
            if batch is None:
                break
            first = rows[0] + 1
            rows[0] += batch.num_rows
            yield Part(dict(zip(names, batch.columns, strict=True)), first)
        if not rows[0]:
            empty = file.schema_arrow.empty_table().columns
            yield Part({n: c.combine_chunks() for n, c in zip(names, empty, strict=True)}, 1)

    with file:
        names = tuple(file.schema_arrow.names)
        _check_names(names, name, max_columns)
        n_rows = file.metadata.num_rows
        yield TableFile(name, names, parts(), n_rows, lambda: rows[0], file.schema_arrow)
