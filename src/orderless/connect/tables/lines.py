"""CSV: records in blocks, by pyarrow wherever it can be, else by Python's csv module.

In:  bytes (UTF-8), and what separates the cells.
Out: names of the columns, and ``Part``s, in which every cell is text.

What is left to the csv module, and why: the header, whose names pyarrow would have to know before;
blocks whose quotes or line ends leave doubt, because pyarrow takes a quote that is never closed for
text up to the end of the file, and rows are lost without an error; every error, because csv says in
which line it is; and everything where pyarrow, an optional package, is not installed.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from ...errors import InvalidData
from .part import Part, in_pieces

__all__ = ["CsvLines"]

BLOCK = 4 << 20  # bytes at one time
csv.field_size_limit(2**31 - 1)


class CsvLines:
    """The records of a CSV file: ``names`` at once, the others by ``parts``."""

    def __init__(self, stream: IO[bytes], name: str, delimiter: str, batch_size: int) -> None:
        self.stream, self.name, self.delimiter = stream, name, delimiter
        self.batch_size = batch_size
        self.buffer = self._more()
        if self.buffer[:4] == b"PAR1":
            raise InvalidData(f"{name} is Parquet, which cannot be read from a stream: give a file")
        self.n_lines = self.n_rows = 0
        self.names = self._head()

    def _more(self) -> bytes:
        """Read on: what a pipe has by now, a block of a file."""
        read = self.stream.read if _is_file(self.stream) else self.stream.read1  # type: ignore
        return bytes(read(BLOCK))

    def _head(self) -> tuple[str, ...]:
        more = b"\n"
        while more and not (names := self._first_record(whole=False)):
            more = self._more()
            self.buffer += more
        names = names or self._first_record(whole=True)
        if not names:
            raise InvalidData(f"{self.name} is empty: a table begins with the names of its columns")
        return tuple(names)

    def _first_record(self, *, whole: bool) -> list[str]:
        """Give the first record, or nothing if the buffer ends in it, and is not the ``whole``."""
        self.buffer = self.buffer.removeprefix(b"\xef\xbb\xbf")
        used = 0

        def lines() -> Iterator[str]:
            nonlocal used
            for line in self.buffer.splitlines(keepends=True):
                if not whole and used + len(line) == len(self.buffer):
                    raise EOFError  # there may be more of it
                used += len(line)
                yield line.decode("utf-8")

        try:
            names: list[str] = next((row for row in self._reader(lines()) if row), [])
        except EOFError:
            return []
        self._drop(used)
        return names

    def _reader(self, lines: Iterator[str]) -> Any:
        return csv.reader(lines, delimiter=self.delimiter, strict=True)

    def _drop(self, n: int) -> bytes:
        block, self.buffer = self.buffer[:n], self.buffer[n:]
        self.n_lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
        return block

    def parts(self) -> Iterator[Part]:
        """Go through all rows; one part without rows if there are none."""
        for columns, n_rows in self._columns():
            yield from in_pieces(columns, n_rows, self.n_rows + 1, self.batch_size)
            self.n_rows += n_rows
        if not self.n_rows:
            yield Part({name: [] for name in self.names}, 1)

    def _columns(self) -> Iterator[tuple[dict[str, Any], int]]:
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            yield from self._slowly()
            return
        while True:
            more = self._more()
            self.buffer += more
            end = _whole_records(self.buffer, self.delimiter, last=not more)
            columns = self._quickly(self.buffer[:end]) if end else None
            # A record of many blocks is a quote that is not closed: not searched again and again.
            if columns is None and (end is None or end or len(self.buffer) > 16 * BLOCK):
                yield from self._slowly()
                return
            if columns is not None and end:
                self._drop(end)
                yield columns, len(columns[self.names[0]])
            if not more:
                return

    def _quickly(self, block: bytes) -> dict[str, Any] | None:
        """Read whole records; None where the csv module is to say what is wrong."""
        import pyarrow as pa
        from pyarrow import csv as arrow

        one = len(self.names) == 1
        try:
            table = arrow.read_csv(
                pa.BufferReader(block),
                read_options=arrow.ReadOptions(
                    column_names=list(self.names),
                    block_size=len(block) + 1,
                    # Several threads do not read one block any faster, and a process that ends
                    # while they start is aborted: its exit code would not be ours.
                    use_threads=False,
                ),
                parse_options=arrow.ParseOptions(
                    delimiter=self.delimiter,
                    newlines_in_values=b'"' in block,
                    ignore_empty_lines=not one,  # where there is one column it is a cell
                ),
                convert_options=arrow.ConvertOptions(
                    column_types=dict.fromkeys(self.names, pa.large_string()),
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        return {
            name: column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
            for name, column in zip(self.names, table.columns, strict=True)
        }

    def _slowly(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Read the rest, row by row."""
        before, n = self.n_lines, len(self.names)
        raw = io.BufferedReader(_Joined(self.buffer, self.stream), BLOCK)
        reader = self._reader(io.TextIOWrapper(raw, encoding="utf-8", newline=""))
        self.buffer = b""
        rows: list[list[str]] = []
        for row in reader:
            if len(row) != n:
                if not row and n > 1:
                    continue  # an empty line
                if row:
                    raise InvalidData(
                        f"line {before + reader.line_num:,} of {self.name} has {len(row)} cells, "
                        f"the header has {n}: put text with delimiters or line breaks into double "
                        "quotes"
                    )
                row = [""]
            rows.append(row)
            if len(rows) == self.batch_size:
                yield self._by_column(rows), len(rows)
                rows = []
        if rows:
            yield self._by_column(rows), len(rows)

    def _by_column(self, rows: list[list[str]]) -> dict[str, Any]:
        return dict(zip(self.names, map(list, zip(*rows, strict=True)), strict=True))


def _is_file(stream: Any) -> bool:
    """Whether ``read(n)`` fills the buffer, as a regular file does, or there is no ``read1``."""
    recoded = isinstance(stream, codecs.StreamRecoder)
    return recoded or not hasattr(stream, "read1") or bool(stream.seekable())


def _whole_records(buffer: bytes, delimiter: str, *, last: bool) -> int | None:
    """Give where the last whole record ends; None if quotes or line ends are not plain.

    Plain: a quote begins a cell, ends it, or is one of a pair inside. Then the number of quotes
    before a place says whether it is in a cell.
    """
    text = np.frombuffer(buffer, dtype=np.uint8)
    none = np.zeros(0, dtype=np.intp)
    quotes = np.flatnonzero(text == ord('"')) if b'"' in buffer else none
    if not len(quotes):
        end = len(buffer) if last else buffer.rfind(b"\n") + 1
    elif last:
        end = len(buffer)
    else:
        ends = np.flatnonzero(text == ord("\n"))
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        end = int(ends[-1]) + 1 if len(ends) else 0
    returns = buffer.count(b"\r", 0, end) if b"\r" in buffer else 0
    if returns and returns != buffer.count(b"\r\n", 0, end):
        return None
    quotes = quotes[quotes < end]
    if not len(quotes):
        return end
    if len(quotes) % 2:
        return None
    first, second = quotes[::2], quotes[1::2]
    around = np.concatenate(([ord("\n")], text[:end], [ord("\n")]))
    pair = second[:-1] + 1 == first[1:]  # two quotes in a row stand for one
    edge = np.array([ord(delimiter), ord("\n"), ord("\r")], dtype=np.uint8)
    begins = np.isin(around[first], edge)
    begins[1:] |= pair
    finishes = np.isin(around[second + 2], edge)
    finishes[:-1] |= pair
    return end if begins.all() and finishes.all() else None


class _Joined(io.RawIOBase):
    """What has been read of a stream already, and then the rest of it."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self.start, self.rest = io.BytesIO(start), rest

    def readable(self) -> bool:
        return True

    def readinto(self, space: Any) -> int:
        data = self.start.read(len(space)) or self.rest.read(len(space))
        space[: len(data)] = data
        return len(data)
