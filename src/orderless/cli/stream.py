"""Predictions for files larger than memory: part by part, from a table to a table.

In:  a ``Tree``, a CSV or Parquet file with gaps, and where the result should go.
Out: the same rows with ``prediction``, ``determined`` and ``needed``; all of them, or no file.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..needed import missing_needed
from ..output.markdown import escaped
from ..output.text import width_of
from ..tree import Tree
from ..words import printable
from .cells import frame_for
from .files import CHUNK, Part, TableFile, open_table
from .mistakes import Mistake
from .options import FileOptions
from .sink import opened

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ADDED", "Summary", "predict_file"]

ADDED = ("prediction", "determined", "needed")


@dataclass
class Summary:
    """How many rows there were, and how many got each class; None counts the undetermined."""

    rows: int = 0
    classes: Counter[Any] = field(default_factory=Counter)

    def __str__(self) -> str:
        sure = self.rows - self.classes[None]
        share = f" ({sure / self.rows:.1%})" if self.rows else ""
        each = ", ".join(f"{n:,} {c}" for c, n in self.classes.most_common() if c is not None)
        return f"{sure:,} of {self.rows:,} rows are determined{share}" + f": {each}" * bool(each)


def predict_file(
    model: Tree,
    source: str | Path,
    target: Path | None,
    *,
    files: FileOptions,
    form: str = "csv",
    chunk_rows: int = CHUNK,
    needed: bool = True,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> Summary:
    """Predict every row of a file; memory is that of ``chunk_rows`` rows.

    ``target`` None is standard output. ``needed`` names, for an undetermined row, the first of the
    smallest sets of features that settle it whatever their values are. ``progress`` is called with
    how much has been read, and how much there is (None: not known).
    """
    added = ADDED if needed else ADDED[:2]
    summary = Summary()
    seen: dict[tuple[Any, ...], tuple[str, ...]] = {}
    with open_table(source, files, chunk_rows=chunk_rows) as table:
        for name in added:
            if name in table.columns:
                raise Mistake(
                    f"{table.name} has a column {name!r} already, which is a name of ours: "
                    "rename or remove it"
                )
        with opened(target) as handle:
            writer = WRITERS[form](handle, table, added, model)
            for part in table.parts:
                frame = frame_for(model, part, table.name)
                codes = model.decide(frame)
                said = [None if code < 0 else model.classes[code] for code in codes.tolist()]
                columns: dict[str, list[Any]] = {
                    "prediction": said,
                    "determined": [label is not None for label in said],
                }
                if needed:
                    columns["needed"] = _needed(model, frame, codes < 0, seen)
                writer.write(part, frame, columns)
                summary.rows += part.n_rows
                summary.classes.update(said)
                progress(table.done(), table.size)
            writer.close()
    return summary


def _needed(
    model: Tree, frame: pd.DataFrame, open_rows: Any, seen: dict[tuple[Any, ...], tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Give what would settle each undetermined row; rows in the same bins are done once."""
    out: list[tuple[str, ...]] = [()] * len(frame)
    rows = np.flatnonzero(open_rows).tolist()
    if not rows:
        return out
    keys = [_binned(model, name, frame[name].iloc[rows].tolist()) for name in frame.columns]
    for i, key in zip(rows, zip(*keys, strict=True), strict=True):
        if key not in seen:
            row = {str(name): frame[name].iloc[i] for name in frame.columns}
            seen[key] = missing_needed(model, row).settle[0]
        out[i] = seen[key]
    return out


def _binned(model: Tree, name: str, values: list[Any]) -> list[Any]:
    """Give numbers that the tree does not tell apart one number; None where there is none."""
    told = next((c for c in model.space.columns if c.name == name), None)
    feature = model.space.index(name if told is None else told.feature)
    known = [None if isinstance(v, float) and math.isnan(v) else v for v in values]
    if model.space.features[feature].kind != "numeric" or (told and told.condition):
        return known
    cuts = np.unique(model.row_threshold[model.feature == feature])
    at = np.searchsorted(cuts, np.array([0.0 if v is None else float(v) for v in known]))
    return [None if v is None else k for v, k in zip(known, at.tolist(), strict=True)]


# -- writers -----------------------------------------------------------------------------------


class _Csv:
    def __init__(
        self, handle: IO[bytes], table: TableFile, added: tuple[str, ...], model: Tree
    ) -> None:
        self.handle, self.head = handle, [[*table.columns, *added]]

    def write(self, part: Part, frame: pd.DataFrame, columns: dict[str, list[Any]]) -> None:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows(self.head)
        writer.writerows(zip(*part.columns.values(), *_shown(columns), strict=True))
        self.handle.write(out.getvalue().encode("utf-8", "backslashreplace"))
        self.head = []

    def close(self) -> None: ...


class _Json:
    """One object per line. A feature is what it was read as, other cells are as they came."""

    def __init__(
        self, handle: IO[bytes], table: TableFile, added: tuple[str, ...], model: Tree
    ) -> None:
        self.handle = handle

    def write(self, part: Part, frame: pd.DataFrame, columns: dict[str, list[Any]]) -> None:
        cells = part.columns | {str(name): frame[name].tolist() for name in frame.columns}
        names = [*cells, *columns]
        for row in zip(*cells.values(), *columns.values(), strict=True):
            record = dict(zip(names, map(_plain, row), strict=True))
            line = json.dumps(record, ensure_ascii=False, default=str)
            self.handle.write(line.encode("utf-8", "backslashreplace") + b"\n")

    def close(self) -> None: ...


class _Lines:
    """Text in columns, as wide as the first part needs, or a Markdown table."""

    def __init__(
        self, handle: IO[bytes], table: TableFile, added: tuple[str, ...], model: Tree
    ) -> None:
        self.handle, self.names = handle, [*table.columns, *added]
        self.widths: list[int] | None = None

    def write(self, part: Part, frame: pd.DataFrame, columns: dict[str, list[Any]]) -> None:
        rows = [
            ["" if cell is None else printable(str(cell)) for cell in row]
            for row in zip(*part.columns.values(), *_shown(columns), strict=True)
        ]
        if self.widths is None:
            rows = [*self.head(), *rows]
            self.widths = [max(width_of(row[k]) for row in rows) for k in range(len(self.names))]
        for row in rows:
            self.handle.write(f"{self.line(row)}\n".encode("utf-8", "backslashreplace"))

    def head(self) -> list[list[str]]:
        return [[printable(name) for name in self.names]]

    def line(self, row: list[str]) -> str:
        assert self.widths is not None
        pairs = zip(row, self.widths, strict=True)
        return "  ".join(cell + " " * (width - width_of(cell)) for cell, width in pairs).rstrip()

    def close(self) -> None: ...


class _Markdown(_Lines):
    def head(self) -> list[list[str]]:
        return [*super().head(), [":---"] * len(self.names)]

    def line(self, row: list[str]) -> str:
        rule = set(row) == {":---"}
        return f"| {' | '.join(row if rule else [escaped(cell) for cell in row])} |"


class _Parquet:
    def __init__(
        self, handle: IO[bytes], table: TableFile, added: tuple[str, ...], model: Tree
    ) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise Mistake("writing Parquet needs pyarrow: pip install 'orderless[files]'") from None
        first = model.classes[0]
        kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
        label = kinds.get(type(first), pa.string())
        if type(first) is int and any(isinstance(c, float) for c in model.classes):
            label = pa.float64()
        own = {"prediction": label, "determined": pa.bool_(), "needed": pa.string()}
        schema = table.schema or pa.schema([(name, pa.string()) for name in table.columns])
        for name in added:
            schema = schema.append(pa.field(name, own[name]))
        self.schema, self.table = schema, pa.Table
        self.writer = pq.ParquetWriter(handle, schema)

    def write(self, part: Part, frame: pd.DataFrame, columns: dict[str, list[Any]]) -> None:
        own = {**columns}
        if "needed" in own:
            own["needed"] = ["; ".join(names) or None for names in own["needed"]]
        self.writer.write_table(self.table.from_pydict({**part.columns, **own}, self.schema))

    def close(self) -> None:
        self.writer.close()


def _shown(columns: dict[str, list[Any]]) -> list[list[Any]]:
    out = []
    for name, values in columns.items():
        if name == "determined":
            out.append(["yes" if value else "no" for value in values])
        elif name == "needed":
            out.append(["; ".join(names) for names in values])
        else:
            out.append(["" if value is None else value for value in values])
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


WRITERS: dict[str, Any] = {
    "csv": _Csv, "json": _Json, "md": _Markdown, "parquet": _Parquet, "text": _Lines,
}  # fmt: skip
