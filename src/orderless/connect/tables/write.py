"""Rows and their answers, written: CSV, JSON, text, Markdown, Parquet.

In:  parts of a table, and the new columns.
Out: bytes. What the table has is passed on: text as it is, values of Parquet as they are.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import compute

from ...model import FORMULA, PLAIN_NUMBER, SumKernel, TreeKernel, not_formula, printable
from ...output.rules import column_widths, escaped, markdown_line, text_line
from .cells import holds_truths, parser_of, unknown
from .part import Coded, Part, cells_of
from .table import TableFile

__all__ = ["WRITERS"]

TEXTS = ("label", "names")  # kinds of new columns with few different cells
WHOLE = re.compile(r"\s*-?\d+\s*", re.ASCII)


class _Writer:
    """Writes parts into a handle, one after the other; ``added`` has new columns and their kind.

    That is "label", "number", "truth" or "names".
    """

    def __init__(
        self,
        handle: IO[bytes],
        table: TableFile,
        added: dict[str, str],
        tree: TreeKernel | SumKernel,
        safe: bool,
    ) -> None:
        self.handle, self.table, self.added, self.tree = handle, table, added, tree
        self.safe = safe  # for spreadsheets, of CSV only
        self.names = [*table.columns, *added]

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            self.handle.flush()

    def put(self, text: str) -> None:
        self.handle.write(text.encode("utf-8", "backslashreplace"))


class _Csv(_Writer):
    """Cells as they came; in quotes where they hold a comma, a quote or a line break."""

    begun = False

    def write(self, part: Part, new: dict[str, Coded]) -> None:
        if not self.begun:  # not before the first rows are known to be legal
            self.put(_lines([self._cells(self.names)]))
            self.begun = True
        if not part.n_rows:
            return
        columns = [_as_text(column) for column in part.columns.values()]
        if self.safe:
            columns = [_not_formulas(column) for column in columns]
        texts = [self._cells(column.texts) for column in new.values()]
        coded = [Coded(c.values, c.index, t) for c, t in zip(new.values(), texts, strict=True)]
        self.handle.write(_joined(columns, coded))

    def _cells(self, cells: list[Any]) -> list[Any]:
        if not self.safe:
            return cells
        return [None if cell is None else not_formula(cell) for cell in cells]


class _Rows(list[str]):
    """What csv writes row by row. It ends them in CR LF, for only then a CR is put into quotes."""

    def write(self, line: str) -> None:
        self.append(line[:-2] + "\n")


def _lines(rows: Any) -> str:
    out = _Rows()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return "".join(out)


def _joined(columns: list[Any], new: list[Coded]) -> memoryview:
    """Put columns of pyarrow together, as lines of text; no row passes through Python."""
    kind = pa.large_string()
    texts = [_in_quotes(column) for column in columns]
    for column in new:
        end = "\n" if column is new[-1] else ""
        values = [_lines([[text, ""]])[:-2] + end for text in [*column.texts, ""]]
        index = np.where(column.index < 0, len(column.texts), column.index)
        texts.append(pa.array(values, kind).take(pa.array(index)))
    lines = compute.binary_join_element_wise(*texts, pa.scalar(",", kind))
    ends = np.frombuffer(lines.buffers()[1], dtype=np.int64)
    return memoryview(lines.buffers()[2])[: ends[len(lines)]]


def _as_text(column: Any) -> Any:
    if column.type == pa.large_string() and column.null_count == 0:
        return column
    try:
        return column.cast(pa.large_string()).fill_null("")
    except pa.ArrowException:  # lists and the like
        cells = ["" if cell is None else str(cell) for cell in column.to_pylist()]
        return pa.array(cells, pa.large_string())


def _not_formulas(texts: Any) -> Any:
    """Do as ``not_formula`` does, for all cells of a column at once."""
    formula = compute.match_substring_regex(texts, FORMULA)
    if not compute.any(formula).as_py():
        return texts
    number = compute.match_substring_regex(texts, PLAIN_NUMBER)
    quote, empty = (pa.scalar(text, pa.large_string()) for text in ("'", ""))
    marked = compute.binary_join_element_wise(quote, texts, empty)
    return compute.if_else(compute.and_not(formula, number), marked, texts)


def _in_quotes(texts: Any) -> Any:
    """Write cells in quotes that need them; often a look at all letters says that none does."""
    ends = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset :]
    data = texts.buffers()[2]
    letters = b"" if data is None else data[ends[0] : ends[len(texts)]].to_pybytes()
    if not any(sign in letters for sign in (b",", b'"', b"\n", b"\r")):
        return texts
    special = compute.match_substring_regex(texts, '[,"\r\n]')
    quoted = compute.replace_substring(texts, '"', '""')
    empty, quote = (pa.scalar(text, pa.large_string()) for text in ("", '"'))
    quoted = compute.binary_join_element_wise(quote, quoted, quote, empty)
    return compute.if_else(special, quoted, texts)


class _Json(_Writer):
    """One object per line. A column of the tree's space is what it says, others are as they came.

    So numbers are numbers, true and false are that, and unknown is null.
    """

    def __enter__(self) -> Any:
        legal = {*self.tree.space.names, *self.tree.space.column_names}
        self.values = {
            name: _value_of(
                parser_of(self.tree.space, name, self.table.style).parse,
                holds_truths(self.tree.space, name),
            )
            for name in self.table.columns
            if name in legal
        }
        return self

    def write(self, part: Part, new: dict[str, Coded]) -> None:
        columns = []
        for name, column in part.columns.items():
            columns.append(_each(cells_of(column), self.values.get(name, _plain)))
        for name, column in new.items():
            values = [list(v) if isinstance(v, tuple) else v for v in column.values]
            empty: Any = [] if self.added[name] == "names" else None
            columns.append([empty if v is None else v for v in column.of(values)])
        for row in zip(*columns, strict=True):
            record = dict(zip(self.names, row, strict=True))
            self.put(json.dumps(record, ensure_ascii=False, default=str) + "\n")


def _each(cells: list[Any], value: Callable[[Any], Any]) -> list[Any]:
    try:
        known = {cell: value(cell) for cell in dict.fromkeys(cells)}
    except TypeError:  # lists and the like
        return [value(cell) for cell in cells]
    return [known[cell] for cell in cells]


def _value_of(parse: Callable[[Any], Any], truths: bool) -> Callable[[Any], Any]:
    def value(cell: Any) -> Any:
        try:
            known = parse(cell)
        except (ValueError, KeyError, TypeError):
            return _plain(cell)  # of a column that the tree does not ask about
        if unknown(known):
            return None
        if truths:
            return bool(known)
        whole = isinstance(known, float) and isinstance(cell, str)
        return int(cell) if whole and WHOLE.fullmatch(cell) else _plain(known)

    return value


def _plain(value: Any) -> Any:
    """Give what JSON can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


class _Lines(_Writer):
    """Text in columns, as wide as the first part needs."""

    widths: list[int] | None = None

    def write(self, part: Part, new: dict[str, Coded]) -> None:
        columns = [
            *(cells_of(column) for column in part.columns.values()),
            *(column.of(column.texts) for column in new.values()),
        ]
        rows = [
            ["" if cell is None else printable(str(cell)) for cell in row]
            for row in zip(*columns, strict=True)
        ]
        if self.widths is None:
            rows = [*self.head(), *rows]
            self.widths = column_widths(rows)
        for row in rows:
            self.put(f"{self.line(row, self.widths)}\n")

    def head(self) -> list[list[str]]:
        return [[printable(name) for name in self.names]]

    def line(self, row: list[str], widths: list[int]) -> str:
        return text_line(row, widths)


class _Markdown(_Lines):
    """A Markdown table."""

    def head(self) -> list[list[str]]:
        return [*super().head(), [":---"] * len(self.names)]

    def line(self, row: list[str], widths: list[int]) -> str:
        rule = set(row) == {":---"}
        return markdown_line(row if rule else map(escaped, row))


class _Parquet(_Writer):
    """Parquet; cells of CSV are texts."""

    def __enter__(self) -> Any:
        schema = self.table.schema
        if schema is None:
            schema = pa.schema([(name, pa.string()) for name in self.table.columns])
        kinds = {"label": self._label_type(), "number": pa.float64(), "truth": pa.bool_(),
                 "names": pa.string()}  # fmt: skip
        for name, kind in self.added.items():
            schema = schema.append(pa.field(name, kinds[kind]))
        self.schema = schema
        # Decimal fractions seldom repeat: a dictionary of them takes longer and needs more room.
        repeating = [field.name for field in schema if not pa.types.is_floating(field.type)]
        # Of labels and names, the least and the greatest help nobody who filters.
        ranged = [field.name for field in schema if self.added.get(field.name) not in TEXTS]
        self.writer = pq.ParquetWriter(
            self.handle, schema, use_dictionary=repeating, write_statistics=ranged or False
        )
        return self

    def _label_type(self) -> Any:
        try:
            return pa.array(self.tree.labels.tolist()).type
        except pa.ArrowException:  # texts and numbers
            return pa.string()

    def write(self, part: Part, new: dict[str, Coded]) -> None:
        arrays = [
            column if column.type == kind.type else column.cast(kind.type)
            for column, kind in zip(part.columns.values(), self.schema, strict=False)
        ]
        for (name, column), kind in zip(new.items(), list(self.schema)[-len(new) :], strict=True):
            values = column.texts if pa.types.is_string(kind.type) else column.values
            index = pa.array(column.index, mask=column.index < 0)
            arrays.append(pa.array(values, kind.type).take(index))
            assert name == kind.name
        if part.n_rows:
            self.writer.write_table(pa.Table.from_arrays(arrays, schema=self.schema))

    def __exit__(self, kind: Any, *rest: object) -> None:
        try:
            self.writer.close()
        except Exception:  # the file goes away; the first fault counts
            if kind is None:
                raise
        super().__exit__(kind, *rest)


WRITERS: dict[str, Any] = {
    "csv": _Csv, "json": _Json, "md": _Markdown, "parquet": _Parquet, "text": _Lines,
}  # fmt: skip
