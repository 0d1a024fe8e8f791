"""Small Parquet tables out of files that anybody may have written.

In:  the bytes of Parquet files, and the columns that are looked at.
Out: rows as dicts, no larger than is proportionate to the files.

A file of some hundred bytes can hold one row with a list of a hundred million labels: lists are
packed by runs, texts by a dictionary, pages by a compressor. So what each page says of itself is
added up before any of it is unpacked, by the very numbers that pyarrow goes by. (The footer counts
values too, and pyarrow does not believe it.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import UnreadableModel
from ..inputs import import_optional

__all__ = ["read_parquet"]

# Nodes of a tree hold one value per byte or so, and a few tens where classes are a thousand.
MOST_TIMES = 50
ALWAYS = 2**18  # values, and bytes, that any table may have
MOST_VALUES = 2**26
MOST_DEPTH = 8  # of the fields in the header of a page
# PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, DELTA_BINARY_PACKED, RLE_DICTIONARY: no value takes more
# room than it has in the page, or in the dictionary.
ENCODINGS = (0, 2, 3, 4, 5, 8)


class _Page(NamedTuple):
    values: int
    size: int  # bytes, unpacked


def read_parquet(files: Sequence[bytes], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Read columns of a table of several files; ``a`` is also all that is inside of ``a``."""
    pa = import_optional("pyarrow", needed_for="reading models that Spark saved")
    parquet = import_optional("pyarrow.parquet", needed_for="reading models that Spark saved")
    most = ALWAYS + MOST_TIMES * sum(map(len, files))
    try:
        asked = [(file, _paths(parquet, pa, file, columns)) for file in files]
        pages = [page for file, paths in asked for page in _pages(parquet, pa, file, set(paths))]
        _refuse_more(sum(page.values for page in pages), min(most, MOST_VALUES), "values")
        _refuse_more(sum(page.size for page in pages), most, "bytes")
        # Texts stay places in a dictionary, of which each may have a megabyte.
        tables = [
            parquet.ParquetFile(pa.BufferReader(file), read_dictionary=paths).read(columns=columns)
            for file, paths in asked
        ]
    except (OSError, pa.ArrowException) as fault:
        raise ValueError(f"this is not a complete Parquet file: {fault}") from fault
    chunks = [chunk for table in tables for column in table.columns for chunk in column.chunks]
    _refuse_more(sum(map(_text_size, chunks)), most, "bytes of text")
    return [row for table in tables for row in table.to_pylist()]


def _refuse_more(count: int, most: int, what: str) -> None:
    if count > most:
        raise UnreadableModel(
            f"its tables unpack to {count:,} {what}, and for files of this size {most:,} are the "
            "most: the model is damaged; save it again"
        )


def _paths(parquet: Any, pa: Any, file: bytes, columns: Sequence[str]) -> list[str]:
    """Return the columns in the file that are asked for, each by its whole path."""
    schema = parquet.ParquetFile(pa.BufferReader(file)).schema
    every = [schema.column(i).path for i in range(len(schema))]
    return [path for path in every if any(f"{path}.".startswith(f"{own}.") for own in columns)]


def _pages(parquet: Any, pa: Any, file: bytes, paths: set[str]) -> Iterator[_Page]:
    """Go through the headers of all pages of some columns."""
    metadata = parquet.ParquetFile(pa.BufferReader(file)).metadata
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(place)
            if chunk.path_in_schema not in paths:
                continue
            at, first = chunk.data_page_offset, chunk.dictionary_page_offset
            if first is not None and 0 < first < at:
                at = first
            end = at + chunk.total_compressed_size
            if not 0 < at <= end <= len(file):
                raise ValueError("a column lies outside of the Parquet file")
            yield from _pages_between(file, at, end)


def _pages_between(file: bytes, at: int, end: int) -> Iterator[_Page]:
    reading = _Header(file, at, end)
    while reading.at < end:
        header = reading.fields()
        # By kind of page: where it says how many values it has, and how they are written.
        kind = next((k for k in (5, 7, 8) if k in header), None)
        packed, size = header[3], header[2]
        if packed < 0 or size < 0:
            raise ValueError("a page of the Parquet file has no size")
        if kind is not None:
            about = header[kind]
            if about[1] < 0 or about[4 if kind == 8 else 2] not in ENCODINGS:
                raise ValueError("a page of the Parquet file is written in a way that is not read")
            yield _Page(about[1], size)
        reading.at += packed


class _Header:
    """The header of a page: fields by number, in Thrift's compact protocol."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self.content, self.at, self.end = content, at, end

    def fields(self, depth: int = 0) -> dict[int, Any]:
        """Read a record, up to its end."""
        if depth > MOST_DEPTH:
            raise ValueError("the header of a page is nested too deeply")
        out: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            out[number] = self._value(head & 15, depth)
        return out

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):  # true, false
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._number()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._plain())
        if kind == 12:
            return self.fields(depth + 1)
        raise ValueError(f"a field in the header of a page has the type {kind}")

    def _byte(self) -> int:
        if self.at >= self.end:
            raise ValueError("the Parquet file ends too early")
        self.at += 1
        return self.content[self.at - 1]

    def _plain(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("a number in the header of a page does not end")

    def _number(self) -> int:
        number = self._plain()
        return number >> 1 ^ -(number & 1)

    def _skip(self, count: int) -> None:
        self.at += count


def _text_size(array: Any) -> int:
    """Return how long the texts of a column are together, each as often as it is there."""
    pa, compute = (
        import_optional("pyarrow", needed_for=""),
        import_optional("pyarrow.compute", needed_for=""),
    )
    if pa.types.is_struct(array.type):
        return sum(map(_text_size, array.flatten()))
    if pa.types.is_map(array.type):
        return _text_size(array.keys) + _text_size(array.items)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _text_size(array.flatten())
    if pa.types.is_dictionary(array.type):
        lengths = compute.binary_length(array.dictionary)
        return int(compute.sum(lengths.take(array.indices)).as_py() or 0)
    return 0
