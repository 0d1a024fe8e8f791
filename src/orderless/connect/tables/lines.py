"""CSV: records in blocks, by pyarrow.

In:  bytes (UTF-8), and what separates the cells.
Out: names of the columns, and ``Part``s, in which every cell is text.

The header is read by the csv module, because pyarrow wants the names before it reads the rest. What
pyarrow would let pass is refused: a quote that is never closed, which it takes for text up to the
end of the file, so that rows would be lost.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa
from pyarrow import csv as arrow

from ...errors import InvalidData
from .part import Part, in_pieces

__all__ = ["CsvLines"]

BLOCK = 4 << 20  # bytes at one time, and of the longest row
csv.field_size_limit(2**31 - 1)


class CsvLines:
    """The records of a CSV file: ``names`` at once, the others by ``parts``."""

    def __init__(self, stream: IO[bytes], name: str, delimiter: str, batch_size: int) -> None:
        self.stream = _Stream(stream)
        self.name, self.delimiter = name, delimiter
        self.batch_size = batch_size
        self.names = self._head()

    def _head(self) -> tuple[str, ...]:
        """Read the first record that is not empty; the stream goes on behind it."""
        text = b""
        while more := self.stream.read(BLOCK):
            text += more
            if text[:4] == b"PAR1":
                raise InvalidData(
                    f"{self.name} is Parquet, which cannot be read from a stream: give a file"
                )
            names = self._first_record(text, end=False)
            if names:
                return names
        names = self._first_record(text, end=True)
        if not names:
            raise InvalidData(f"{self.name} is empty: a table begins with the names of its columns")
        return names

    def _first_record(self, text: bytes, *, end: bool) -> tuple[str, ...]:
        """Return the first record, and nothing if it may go on behind the text."""
        text = text.removeprefix(codecs.BOM_UTF8)
        n_read = 0

        def lines() -> Iterator[str]:
            nonlocal n_read
            for line in text.splitlines(keepends=True):
                if not end and n_read + len(line) == len(text):
                    raise EOFError
                n_read += len(line)
                yield line.decode("utf-8")

        records = csv.reader(lines(), delimiter=self.delimiter, strict=True)
        try:
            names = next((record for record in records if record), [])
        except EOFError:
            return ()
        self.stream.push_back(text[n_read:])
        return tuple(names)

    def parts(self) -> Iterator[Part]:
        """Go through all rows; one part without rows if there are none."""
        n_rows = 0
        last = ""  # the last cell of all
        for batch in self._batches():
            if not batch.num_rows:
                continue
            last = batch.column(-1)[batch.num_rows - 1].as_py()
            columns = dict(zip(self.names, batch.columns, strict=True))
            yield from in_pieces(columns, batch.num_rows, n_rows + 1, self.batch_size)
            n_rows += batch.num_rows
        if self.stream.n_quotes % 2 and self.stream.ends_in_quotes(last):
            raise InvalidData(
                f"{self.name} is not a CSV file: it ends inside a cell, so a double quote is "
                "opened and never closed"
            )
        if not n_rows:
            yield Part({name: pa.array([], pa.large_string()) for name in self.names}, 1)

    def _batches(self) -> Iterator[Any]:
        refused: list[Any] = []

        def refuse(row: Any) -> str:
            refused.append(row)
            return "error"

        try:
            reader = self._reader(refuse)
            while True:
                try:
                    yield reader.read_next_batch()
                except StopIteration:
                    return
        except pa.ArrowInvalid as error:
            if refused:
                raise self._wrong_number_of_cells(refused[0]) from None
            if "straddling" in str(error):
                raise InvalidData(
                    f"{self.name} has a row of more than {BLOCK >> 20} MB: is a double quote "
                    "opened and never closed?"
                ) from None
            if "Empty CSV file" in str(error):
                return
            raise InvalidData(f"{self.name} is not a CSV file: {error!s:.200}") from None

    def _reader(self, refuse: Any) -> Any:
        return arrow.open_csv(
            pa.PythonFile(self.stream, mode="r"),
            read_options=arrow.ReadOptions(
                column_names=list(self.names), block_size=BLOCK, use_threads=False
            ),
            parse_options=arrow.ParseOptions(
                delimiter=self.delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(self.names) > 1,  # of one column they are its cells
                invalid_row_handler=refuse,
            ),
            convert_options=arrow.ConvertOptions(
                column_types=dict.fromkeys(self.names, pa.large_string()),
                strings_can_be_null=False,
            ),
        )

    def _wrong_number_of_cells(self, row: Any) -> InvalidData:
        where = "a row" if row.number is None else f"row {row.number:,}"
        return InvalidData(
            f"{where} of {self.name} has {row.actual_columns} cells, the header has "
            f"{row.expected_columns}: put text with delimiters or line breaks into double quotes, "
            "and close every quote"
        )


class _Stream:
    """Bytes for pyarrow: what a pipe has by now, a block of a file; all of it UTF-8."""

    closed = False

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream: Any = stream
        self.pushed = b""
        self.check = codecs.getincrementaldecoder("utf-8")().decode
        self.n_quotes = 0  # behind the header
        self.tail = (b"", b"")  # the last two blocks, in which the last row is

    def read(self, n: int) -> bytes:
        """Read at most so many bytes, none at the end.

        What a pipe has by now is read on to the end of a row, as far as quotes tell: pyarrow wants
        a row to be in two blocks at most.
        """
        data, self.pushed = self.pushed, b""
        while len(data) < n and not (data and self._ends_a_row(data)):
            more = self._more(n - len(data))
            if not more:
                break
            data += more
        data, self.pushed = data[:n], data[n:]
        self.n_quotes += data.count(b'"')
        if data:
            self.tail = (self.tail[1], data)
        return data

    def _more(self, n: int) -> bytes:
        data = bytes((self.stream.read if self._is_file else self.stream.read1)(n))
        self.check(data, final=not data)
        return data

    def _ends_a_row(self, data: bytes) -> bool:
        return data.endswith(b"\n") and (self.n_quotes + data.count(b'"')) % 2 == 0

    @property
    def _is_file(self) -> bool:
        """Whether ``read(n)`` fills the buffer, as a file does, or there is no ``read1``."""
        recoded = isinstance(self.stream, codecs.StreamRecoder)
        return recoded or not hasattr(self.stream, "read1") or bool(self.stream.seekable())

    def push_back(self, data: bytes) -> None:
        """Give back what was read too far."""
        self.pushed, self.n_quotes = data + self.pushed, 0

    def ends_in_quotes(self, cell: str) -> bool:
        """Whether the last cell begins with a quote that nothing closes."""
        text = b"".join(self.tail)
        written = b'"' + cell.encode().replace(b'"', b'""')
        return text.endswith(written) and not text.endswith(written + b'"')

    def readable(self) -> bool:
        """Whether it can be read: pyarrow asks."""
        return True

    def seekable(self) -> bool:
        """Whether it can go back: pyarrow asks."""
        return False

    def close(self) -> None:
        """Leave the stream open: whoever opened it closes it."""
