"""CSV: records in blocks, by pyarrow.

In:  bytes (UTF-8), and what separates the cells.
Out: names of the columns, and ``Part``s, in which every cell is text.

The header is read by the csv module, because pyarrow wants the names before it reads the rest. The
rest is read here and handed to pyarrow in blocks of whole rows: were pyarrow to read a pipe itself,
nobody could stop the process while the pipe is silent. What pyarrow would let pass is refused: a
quote that is never closed, which it takes for text up to the end of the file or to the next quote,
so that rows would disappear.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
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
        self.stream: Any = stream
        self.name, self.delimiter = name, delimiter
        self.batch_size = batch_size
        self.check = codecs.getincrementaldecoder("utf-8")().decode
        self.pending = b""  # what was read and is not used yet
        self.rows = _rows_pattern(delimiter)
        self.names = self._head()

    def _head(self) -> tuple[str, ...]:
        """Read the first record that is not empty; the stream goes on behind it."""
        while more := self._more():
            self.pending += more
            if self.pending[:4] == b"PAR1":
                raise InvalidData(
                    f"{self.name} is Parquet, which cannot be read from a stream: give a file"
                )
            names = self._first_record(end=False)
            if names:
                return names
        names = self._first_record(end=True)
        if not names:
            raise InvalidData(f"{self.name} is empty: a table begins with the names of its columns")
        return names

    def _first_record(self, *, end: bool) -> tuple[str, ...]:
        """Return the first record, and nothing if it may go on behind what was read."""
        text = self.pending.removeprefix(codecs.BOM_UTF8)
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
        self.pending = text[n_read:]
        return tuple(names)

    def parts(self) -> Iterator[Part]:
        """Go through all rows; one part without rows if there are none."""
        n_rows = 0
        for block in self._blocks():
            for batch in self._batches(block, n_rows):
                columns = dict(zip(self.names, batch.columns, strict=True))
                yield from in_pieces(columns, batch.num_rows, n_rows + 1, self.batch_size)
                n_rows += batch.num_rows
        if not n_rows:
            yield Part({name: pa.array([], pa.large_string()) for name in self.names}, 1)

    # -- blocks of whole rows ------------------------------------------------------------------

    def _blocks(self) -> Iterator[bytes]:
        """Read on, and yield the rows that are complete by now."""
        while True:
            more = self._more()
            self.pending += more
            n_whole = self._n_whole()
            if not more:
                break
            if n_whole:
                block, self.pending = self.pending[:n_whole], self.pending[n_whole:]
                yield block
            elif len(self.pending) > BLOCK:
                raise InvalidData(
                    f"{self.name} has a row of more than {BLOCK >> 20} MB: is a double quote "
                    "opened and never closed?"
                )
        # The last row may lack its line break, but not a quote.
        if self._end_of_rows(self.pending + b"\n") <= len(self.pending):
            raise InvalidData(
                f"{self.name} is not a CSV file: a double quote is opened and never closed, or "
                "text stands behind the quote that closes its cell"
            )
        if self.pending:
            yield self.pending

    def _n_whole(self) -> int:
        """Return how many bytes the complete rows have."""
        if b'"' not in self.pending and b"\n" in self.pending:
            return self.pending.rindex(b"\n") + 1
        return self._end_of_rows(self.pending)

    def _end_of_rows(self, text: bytes) -> int:
        rows = self.rows.match(text)
        assert rows is not None  # no row at all is a match, too
        return rows.end()

    def _more(self) -> bytes:
        """Read what a pipe has by now, or a block of a file; nothing at the end."""
        data = bytes((self.stream.read if self._is_file else self.stream.read1)(BLOCK))
        self.check(data, final=not data)
        return data

    @property
    def _is_file(self) -> bool:
        """Whether ``read(n)`` fills the buffer, as a file does, or there is no ``read1``."""
        recoded = isinstance(self.stream, codecs.StreamRecoder)
        return recoded or not hasattr(self.stream, "read1") or bool(self.stream.seekable())

    # -- their cells ---------------------------------------------------------------------------

    def _batches(self, block: bytes, n_rows: int) -> Iterator[Any]:
        refused: list[Any] = []

        def refuse(row: Any) -> str:
            refused.append(row)
            return "error"

        try:
            table = self._read(block, refuse)
        except pa.ArrowInvalid as error:
            if refused:
                raise self._wrong_number_of_cells(refused[0], n_rows) from None
            if "Empty CSV file" in str(error):
                return
            raise InvalidData(f"{self.name} is not a CSV file: {error!s:.200}") from None
        yield from (batch for batch in table.to_batches() if batch.num_rows)

    def _read(self, block: bytes, refuse: Any) -> Any:
        return arrow.read_csv(
            io.BytesIO(block),
            read_options=arrow.ReadOptions(
                column_names=list(self.names), block_size=len(block) + 1, use_threads=False
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

    def _wrong_number_of_cells(self, row: Any, n_rows: int) -> InvalidData:
        where = "a row" if row.number is None else f"row {n_rows + row.number:,}"
        return InvalidData(
            f"{where} of {self.name} has {row.actual_columns} cells, the header has "
            f"{row.expected_columns}: put text with delimiters or line breaks into double quotes, "
            "and close every quote"
        )


def _rows_pattern(delimiter: str) -> re.Pattern[bytes]:
    """Match as many complete rows as there are: a quote counts only where a cell begins.

    A row ends with LF, CR LF, or a CR behind which something else stands.
    """
    sign = re.escape(delimiter.encode())
    plain = rb"[^" + sign + rb"\r\n]*+"
    cell = rb'(?:"(?:[^"]++|"")*+"|(?!")' + plain + rb")"
    end = rb"(?:\n|\r(?:\n|(?=[^\n])))"
    return re.compile(rb"(?:(?:" + cell + sign + rb")*+" + cell + end + rb")*+")
