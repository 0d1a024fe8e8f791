"""Files: predictions for tables that do not fit into memory.

In:  a model, and a Parquet or CSV file.
Out: a new file: the columns of the old one, and what is predicted. Written under another name
     first, so that what stands under its own name is always complete.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .asking import asked_features
from .errors import InvalidData
from .missing import tree_of
from .rows import CODE, Rows, read_codes, read_rows
from .space import Feature, Label
from .tree import Tree

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FilePrediction", "predict_file"]

BATCH = 131_072
BLOCK = 8 << 20  # bytes of a CSV file at one time
KINDS = {".parquet": "Parquet", ".pq": "Parquet", ".csv": "CSV"}
UNKNOWN = frozenset(["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"])
WORDS = {"true": 1.0, "false": 0.0}
NAMES = ("prediction", "determined", "needed")


@dataclass(frozen=True, slots=True)
class FilePrediction:
    """What was written: how many rows, and how many of them are determined."""

    target: Path
    n_rows: int
    n_determined: int


def predict_file(
    tree: Any,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    names: Sequence[str] = NAMES,
    batch_size: int = BATCH,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> FilePrediction:
    r"""Predict every row of a Parquet or CSV file into a new file, in constant memory.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    source, target : paths
        They end in .parquet, .pq or .csv. An existing target is replaced when the new one is
        complete.
    names : three str
        Of the new columns: the class (null where it is not determined), whether it is determined,
        and the feature to ask next where it is not (``ask_next``).
    batch_size : int
        Rows of a Parquet file that are held in memory at one time.
    n_jobs : int
        Threads for predicting; -1 is all cores.
    progress : function of the number of rows done so far, optional
        Called after each batch.

    Returns
    -------
    FilePrediction

    Raises
    ------
    InvalidData
        If the file is broken or cut off, lacks a column that the tree needs, has a column that is
        named like a new one, or has a value that a feature does not allow.
    OSError
        If it cannot be read, or written: no space left, for one. Nothing is left behind then, and
        an older target stays as it was.

    Notes
    -----
    Memory: one batch (of Parquet: and one row group). Columns are those that ``predict`` reads
    from a data frame. In CSV all columns are kept as they are written; in those that the tree asks
    about, an empty field, NA, N/A, NaN, NULL, None and <NA> are unknown (unless it is a category),
    and booleans are 0, 1, true or false. Needs pyarrow: ``pip install 'orderless[files]'``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> tree = {"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "in.csv").write_text("id,x0\n007,1\n008,\n")
    >>> done = predict_file(tree, folder / "in.csv", folder / "out.csv")
    >>> done.n_rows, done.n_determined
    (2, 1)
    >>> print((folder / "out.csv").read_text())
    "id","x0","prediction","determined","needed"
    "007","1","yes",true,
    "008","",,false,"x0"
    """
    model = tree_of(tree)
    names = _new_names(names)
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        raise ValueError(f"batch_size={batch_size!r:.80}: give a number of rows, at least 1")
    source, target = Path(source), Path(target)
    read, write = _kind(source), _kind(target)
    if source.resolve() == target.resolve():
        raise ValueError(f"{str(source)!r} is source and target: give the result another name")
    _need_pyarrow()
    batches = _parquet(source, batch_size) if read == "Parquet" else _csv(source)
    predicting = _Predicting(model, names, n_jobs, texts=read == "CSV")
    n_rows = n_determined = 0
    with _whole_file(target) as path, _writer(path, write) as put:
        for batch in _unbroken(batches, source, read):
            codes, out = predicting.added(batch)
            put(out)
            n_rows += len(codes)
            n_determined += int((codes >= 0).sum())
            if progress is not None:
                progress(n_rows)
    return FilePrediction(target, n_rows, n_determined)


def _new_names(names: Sequence[str]) -> tuple[str, ...]:
    new = () if isinstance(names, str) else tuple(names)
    if len(set(new)) != 3 or not all(isinstance(name, str) and name for name in new):
        raise ValueError(f"names={names!r:.80}: give three different names, such as {NAMES}")
    return new


def _kind(path: Path) -> str:
    if path.suffix.lower() not in KINDS:
        raise ValueError(f"{str(path)!r}: legal are files that end in {', '.join(KINDS)}")
    return KINDS[path.suffix.lower()]


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError("predict_file needs pyarrow: pip install 'orderless[files]'") from None


# -- reading --------------------------------------------------------------------------------------


def _parquet(source: Path, batch_size: int) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Group by group and without a buffer ahead: pyarrow would keep all that it has read.
    with pq.ParquetFile(source, pre_buffer=False) as file:
        schema = file.schema_arrow
        yield schema.empty_table()  # so that a file without rows has its columns
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(batch_size=batch_size, row_groups=[group]):
                yield pa.Table.from_batches([batch], schema)


def _csv(source: Path) -> Iterator[pa.Table]:
    """Go through blocks of a CSV file in which every column is text."""
    import pyarrow as pa
    from pyarrow import csv

    reading = csv.ReadOptions(block_size=BLOCK)
    parsing = csv.ParseOptions(newlines_in_values=True)
    with csv.open_csv(str(source), read_options=reading, parse_options=parsing) as file:
        types = dict.fromkeys(file.schema.names, pa.string())
    converting = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
    with csv.open_csv(str(source), read_options=reading, parse_options=parsing,
                      convert_options=converting) as file:  # fmt: skip
        yield file.schema.empty_table()
        for batch in file:
            yield pa.Table.from_batches([batch], file.schema)


def _unbroken(batches: Iterator[pa.Table], source: Path, kind: str) -> Iterator[pa.Table]:
    """Go through batches; what pyarrow says of a broken file becomes an error of ours."""
    import pyarrow as pa

    while True:
        try:
            batch = next(batches, None)
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no file {str(source)!r}") from None
        except (pa.ArrowException, OSError, EOFError) as fault:
            if isinstance(fault, OSError) and fault.errno is not None:
                raise
            raise InvalidData(
                f"{str(source)!r} cannot be read as {kind}, it is broken or cut off: {fault!s:.300}"
            ) from fault
        if batch is None:
            return
        if len(set(batch.column_names)) < batch.num_columns:
            twice = next(n for n in batch.column_names if batch.column_names.count(n) > 1)
            raise InvalidData(f"{str(source)!r} has two columns named {twice!r}")
        yield batch


# -- predicting -----------------------------------------------------------------------------------


class _Predicting:
    """Adds the new columns to batches."""

    def __init__(self, tree: Tree, names: tuple[str, ...], n_jobs: int, *, texts: bool) -> None:
        self.tree = tree
        self.names = names
        self.n_jobs = n_jobs
        self.texts = texts
        self.n_done = 0
        self.used = {c.name: tree.space[c.feature] for c in tree.space.columns}
        self.used = {**{f.name: f for f in tree.space.features}, **self.used}
        self.condition = {c.name for c in tree.space.columns if c.condition is not None}
        asked = {tree.space.features[i].name for i in tree.used}
        self.used = {name: f for name, f in self.used.items() if f.name in asked}
        # Categorical features that one column tells, by its value.
        told = {f.name: [tree.space.columns[k] for k in tree.space.columns_of[f.name]]
                for f in self.used.values() if not f.ordered}  # fmt: skip
        self.plain = {c[0].name for c in told.values() if len(c) == 1 and c[0].condition is None}

    def added(self, batch: pa.Table) -> tuple[NDArray[np.int32], pa.Table]:
        import pyarrow as pa

        for name in self.names:
            if name in batch.column_names:
                raise InvalidData(
                    f"there is a column {name!r} already: name the new ones with names="
                )
        rows = self._rows(batch)
        codes = self.tree.decide(rows, self.n_jobs)
        open_rows = np.flatnonzero(codes < 0)
        asked = np.full(len(codes), -1, dtype=np.int32)
        asked[open_rows] = asked_features(self.tree, rows, open_rows)
        columns = (
            _labels(pa.array(self.tree.labels.tolist()), codes),
            pa.array(codes >= 0),
            _labels(pa.array(list(self.tree.space.names)), asked),
        )
        out = batch
        for name, column in zip(self.names, columns, strict=True):
            out = out.append_column(name, column)
        self.n_done += batch.num_rows
        return codes, out

    def _rows(self, batch: pa.Table) -> Rows:
        there = [name for name in batch.column_names if name in self.used]
        quick = {name: codes for name in there if name in self.plain
                 and (codes := self._codes(name, batch.column(name))) is not None}  # fmt: skip
        slow = [name for name in there if name not in quick]
        X: Any = batch.select(slow)
        if self.texts:
            import pandas as pd

            X = pd.DataFrame({name: self._values(name, batch.column(name)) for name in slow},
                             index=range(batch.num_rows), columns=slow)  # fmt: skip
        else:
            for i, name in enumerate(slow):
                X = X.set_column(i, name, _numbers(batch.column(name)))
        done = {self.tree.space.index(self.used[name].name): codes for name, codes in quick.items()}
        left = [i for i in self.tree.used if i not in done]
        try:
            rows = read_rows(X, self.tree.space, left)
        except InvalidData as fault:
            where = f" (rows are counted from row {self.n_done:,} on)" if self.n_done else ""
            raise InvalidData(f"{fault}{where}") from fault
        for i, codes in done.items():
            rows.columns[i] = (CODE, codes, None)
        return Rows(batch.num_rows, rows.columns)

    def _codes(self, name: str, column: pa.ChunkedArray) -> NDArray[np.int32] | None:
        """Read categories, each different one once; None if one of them is not legal."""
        feature = self.used[name]
        coded = _encoded(column)
        labels = coded.dictionary.to_pylist()
        if self.texts:
            labels = [_as_label(text, feature.categories) for text in labels]
        try:
            codes = read_codes(feature, _objects([*labels, None]))
        except InvalidData:
            return None  # the slow way says which row it is in
        which = coded.indices.fill_null(len(labels)).to_numpy(zero_copy_only=False)
        out: NDArray[np.int32] = codes[which]
        return out

    def _values(self, name: str, column: pa.ChunkedArray) -> NDArray[Any]:
        """Read texts as values; each different text once."""
        feature = self.used[name]
        number = feature.ordered or name in self.condition
        labels = () if number else feature.categories
        if number and (plain := _plain_numbers(column)) is not None:
            return plain
        coded = _encoded(column)
        values: list[Any] = []
        for text in coded.dictionary.to_pylist():
            value = _as_number(text) if number else _as_label(text, labels)
            if value is None:
                row = coded.indices.index(len(values)).as_py() + self.n_done
                raise InvalidData(
                    f"column {name!r} has the value {text!r:.80} in row {row:,}: legal are "
                    f"{_legal(feature)}, and an empty field for unknown"
                )
            values.append(value)
        table = np.array(values, dtype=np.float64) if number else _objects(values)
        out: NDArray[Any] = table[coded.indices.to_numpy(zero_copy_only=False)]
        return out


def _legal(feature: Feature) -> str:
    return "0, 1, true and false" if feature.kind != "numeric" else "numbers"


def _as_number(text: str) -> float | None:
    """Give NaN for unknown, None for what is no number."""
    plain = text.strip()
    if plain in UNKNOWN:
        return math.nan
    if plain.lower() in WORDS:
        return WORDS[plain.lower()]
    try:
        return None if "_" in plain else float(plain)
    except ValueError:
        return None


def _plain_numbers(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Read texts as numbers at once; None where one of them needs a closer look."""
    import pyarrow as pa
    from pyarrow import compute

    whole = column.combine_chunks()
    known = compute.invert(compute.is_in(whole, value_set=pa.array(sorted(UNKNOWN))))
    try:
        numbers = compute.if_else(known, whole, None).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    out: NDArray[np.float64] = numbers.fill_null(math.nan).to_numpy(zero_copy_only=False)
    return out


def _as_label(text: str, labels: tuple[Label, ...]) -> Any:
    """Give the category of a text: itself, or the number that it says where that is one."""
    if text in labels or not text.strip():
        return text if text in labels else math.nan
    if text in UNKNOWN:
        return math.nan
    if all(isinstance(label, str) for label in labels):
        return text
    number = _as_number(text)
    return text if number is None else number


def _encoded(column: pa.ChunkedArray) -> Any:
    """Give a column as its different values, and for each row which of them it has."""
    import pyarrow as pa

    whole = column.combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give booleans as numbers, which are read at once and not one by one."""
    import pyarrow as pa

    return column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column


def _labels(labels: pa.Array, codes: NDArray[np.int32]) -> pa.Array:
    import pyarrow as pa

    return labels.take(pa.array(codes, mask=codes < 0))


# -- writing --------------------------------------------------------------------------------------


@contextmanager
def _whole_file(target: Path) -> Iterator[Path]:
    """Give a path beside the target that takes its place if all goes well, and else goes away."""
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part"
        )
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r}") from None
    os.close(handle)
    path = Path(name)
    try:
        yield path
        mask = os.umask(0)
        os.umask(mask)
        path.chmod(0o666 & ~mask)  # as any new file; mkstemp lets only the owner read
        path.replace(target)
    except OSError as fault:
        if fault.filename is None and fault.errno is not None:
            raise OSError(
                fault.errno, f"{os.strerror(fault.errno)}: {str(target)!r} was not written"
            ) from fault
        raise
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def _writer(path: Path, kind: str) -> Iterator[Callable[[pa.Table], None]]:
    """Give a function that appends a table to a file; the first decides about columns and types."""
    import pyarrow.parquet as pq
    from pyarrow import csv

    open_file: list[Any] = []

    def put(table: pa.Table) -> None:
        if not open_file:
            make = pq.ParquetWriter if kind == "Parquet" else csv.CSVWriter
            open_file.append(make(str(path), table.schema))
        if table.num_rows:
            open_file[0].write_table(table)

    try:
        yield put
    except BaseException:
        for file in open_file:
            with suppress(Exception):  # the file goes away; the first fault counts
                file.close()
        raise
    for file in open_file:
        file.close()
