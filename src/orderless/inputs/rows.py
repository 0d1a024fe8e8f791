"""Rows in: arrays, data frames and dicts become one column per feature, as the core reads them.

In:  X of any usual kind, and the ``Space`` that says what its columns mean.
Out: ``Rows``. A row with unknowns is a box (design: a known value is one point, a missing one is
     everything, some known conditions are an interval or a set).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, a_kind
from ..model import Feature, Space
from .arrow import arrow_floats
from .cells import ABSENT, EXACT, NOT_GIVEN, CoreColumn, is_unknown, read_feature, read_numbers
from .frames import frame_of
from .names import near, some_names

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "OpenRows",
    "Rows",
    "absent_columns",
    "open_rows",
    "read_columns",
    "read_rows",
    "refuse_rounding",
    "row_at",
]

Lookup = Callable[[str], "NDArray[Any] | None"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the core reads them: for each feature of the space one entry."""

    n_rows: int
    columns: list[CoreColumn]

    def take(self, at: slice | NDArray[np.intp]) -> Rows:
        """Give some of the rows: a slice, or their positions."""
        columns = [
            CoreColumn(kind, *(None if values is None else values[at] for values in both))
            for kind, *both in self.columns
        ]
        n_rows = len(range(self.n_rows)[at]) if isinstance(at, slice) else len(at)
        return Rows(n_rows, columns)


def read_rows(
    X: Any,
    space: Space,
    used: Iterable[int],
    *,
    also: Iterable[int] = (),
    if_there: Iterable[int] = (),
) -> Rows:
    """Read the features ``used`` out of X; the others stay unknown.

    The features ``if_there`` are read where X has them; the features ``also`` where X has them and
    what it has is legal.

    Arrays go by position of the space's columns, data frames and dicts by name: by the names of
    the columns, or by the features' own. In dicts a feature that is not there is unknown; in data
    frames it is an error. NaN, None, NA, NaT and null are unknown; where the feature says that NaN
    is a value, they are that value. A whole number that float64 cannot hold (from 2^53 on) is an
    error, except for float32 features, which round every row (docs/decisions/0011).
    """
    used = list(used)
    n_rows, lookup, there = open_rows(X, space)
    absent = [] if there is None else absent_columns(space, used, there)
    if absent:
        raise InvalidData(
            f"the data frame lacks the column{'s' * (len(absent) > 1)} {', '.join(absent)}; it has "
            f"{some_names(there or ())}. Unknown values are NaN or null in a column that is there; "
            "a tree's features are named with orderless.read(..., feature_names=)"
        )
    more = [i for i in if_there if there is None or not absent_columns(space, [i], there)]
    rows = read_columns(lookup, n_rows, space, [*used, *more])
    for i in also:
        if there is None or not absent_columns(space, [i], there):
            with suppress(InvalidData):
                rows.columns[i] = _read(lookup, n_rows, space, i)
    return rows


def read_columns(lookup: Lookup, n_rows: int, space: Space, used: Iterable[int]) -> Rows:
    """Read columns by name; what ``lookup`` does not know (None) is unknown."""
    columns = [CoreColumn(ABSENT)] * len(space.features)
    for i in used:
        columns[i] = _read(lookup, n_rows, space, i)
    return Rows(n_rows, columns)


def _read(lookup: Lookup, n_rows: int, space: Space, i: int) -> CoreColumn:
    """Read a feature out of its columns, or a column of its own name."""
    feature = space.features[i]
    own = [space.columns[k] for k in space.columns_of[feature.name]]
    columns = [(column.condition, lookup(column.name)) for column in own]
    if feature.name not in space.column_names:
        columns.append((None, lookup(feature.name)))  # a row may give the feature itself
    known = [(condition, values) for condition, values in columns if values is not None]
    return read_feature(feature, known, n_rows)


# -- columns by name: one way into arrays, data frames and lists of dicts ------------------------


class OpenRows(NamedTuple):
    """Rows whose columns can be got by name."""

    n_rows: int
    get: Lookup  # None for a column that is not there
    names: list[str] | None  # those of a data frame; None where an absent column is just unknown


def open_rows(X: Any, space: Space) -> OpenRows:
    """Open rows of any usual kind: a list of dicts, a data frame, an array, nested lists."""
    if isinstance(X, Mapping) and not hasattr(
        X, "tocsc"
    ):  # scipy's dictionaries of keys are tables
        raise InvalidData("got one dict: give a list of rows, [{...}]")
    if isinstance(X, str | bytes):
        raise InvalidData(f"expected rows and columns, got text: {X!r:.80}")
    if isinstance(X, Sequence) and (not X or any(isinstance(row, Mapping) for row in X)):
        return OpenRows(len(X), _lookup_dicts(X, space), None)
    frame = frame_of(X)
    if frame is not None:
        frame = _numbered(frame, space)
        return OpenRows(len(frame), _lookup_frame(frame), list(frame.columns))
    return _lookup_array(X, space)


def row_at(X: Any, space: Space, at: int) -> dict[str, Any]:
    """Give one of some rows as a dict of the columns of a space that it has."""
    get = open_rows(X, space).get
    cells = {column.name: get(column.name) for column in space.columns}
    return {
        name: value.item() if isinstance(value := cell[at], np.generic) else value
        for name, cell in cells.items()
        if cell is not None and cell[at] is not NOT_GIVEN
    }


def refuse_rounding(
    X: Any, floats: Sequence[NDArray[Any] | None], features: Sequence[Feature]
) -> None:
    """Refuse whole numbers of a table that were rounded when its columns became float64.

    ``floats`` has the columns as they were read, None for one that holds no numbers, and
    ``features`` what each of them holds: float32 features round every row.
    """
    numbers = [(j, np.asarray(values)) for j, values in enumerate(floats) if values is not None]
    large = [
        j
        for j, values in numbers
        if values.dtype.kind in "biuf" and bool((np.abs(values.astype(np.float64)) >= EXACT).any())
    ]
    if not large:
        return
    frame = frame_of(X)
    if frame is not None:
        columns = list(frame.iter_columns())
        for j in large:
            read_numbers(features[j], _object_array(columns[j].to_list()))
        return
    table = X.toarray() if hasattr(X, "toarray") else X
    table = table if hasattr(table, "dtype") else _object_rows(table)
    for j in large:
        read_numbers(features[j], table[:, j])


def absent_columns(space: Space, used: Iterable[int], there: Sequence[str]) -> list[str]:
    """Name the columns that a table lacks, each with the one that comes close.

    A feature is given by its columns, or by a column of its own name.

    Examples
    --------
    >>> absent_columns(Space({"age": "integer", "lab": "numeric"}), [0, 1], ["Age", "x"])
    ["'age' (did you mean 'Age'?)", "'lab'"]
    """
    has = set(there)
    features = [space.features[i].name for i in used if space.features[i].name not in has]
    wanted = [space.columns[k].name for name in features for k in space.columns_of[name]]
    free = [name for name in there if name not in {*space.names, *space.column_names}]
    return [f"{name!r:.80}{near(name, free)}" for name in wanted if name not in has]


def _numbered(frame: nw.DataFrame[Any], space: Space) -> nw.DataFrame[Any]:
    """Name the columns 0, 1, ... of a frame as the features of a tree that has no names either."""
    names: list[Any] = list(frame.columns)
    plain = [f"x{i}" for i in range(len(names))]  # as readers call what has no name
    if list(space.column_names) != plain or any(isinstance(name, str) for name in names):
        return frame
    if names != list(range(len(names))):
        return frame
    return frame.rename(dict(zip(names, plain, strict=True)))


def _lookup_dicts(X: Sequence[Any], space: Space) -> Lookup:
    known = {*space.names, *space.column_names}
    for i, row in enumerate(X):
        if not isinstance(row, Mapping):
            raise InvalidData(f"row {i} is {a_kind(row)}, but others are dicts")
        for name in row:
            if name not in known:
                raise InvalidData(
                    f"row {i} has the unknown feature {name!r}{near(name, known)}: the features "
                    f"are {some_names(space.names)}. A tree's features are named with "
                    "orderless.read(..., feature_names=)"
                )

    def get(name: str) -> NDArray[Any] | None:
        if not any(name in row for row in X):
            return None
        return _object_array([row.get(name, NOT_GIVEN) for row in X])

    return get


def _lookup_frame(frame: nw.DataFrame[Any]) -> Lookup:
    import narwhals as nw

    there = set(frame.columns)

    def get(name: str) -> NDArray[Any] | None:
        if name not in there:
            return None
        if frame.implementation.is_pyarrow():
            floats = arrow_floats(frame.to_native().column(name))
            if floats is not None:
                return floats
        series = frame.get_column(name).alias("")  # polars takes some names for patterns
        if not series.dtype.is_numeric():
            return _object_array(series.to_list())
        if series.is_null().any():
            if series.dtype.is_integer() and not _small(series):
                return _object_array(series.to_list())  # floats would round them
            numbers = series.cast(nw.Float64())
            if not frame.implementation.is_pandas_like():  # half the work, where null is not NaN
                numbers = numbers.fill_null(float("nan"))
            return numbers.to_numpy().astype(np.float64, copy=False)
        return series.to_numpy()

    return get


def _small(series: nw.Series[Any]) -> bool:
    """Whether all whole numbers of a column are floats, too."""
    low, high = series.min(), series.max()
    return is_unknown(low) or (low >= -(2**53) and high <= 2**53)


def _lookup_array(X: Any, space: Space) -> OpenRows:
    if isinstance(X, np.ma.MaskedArray):
        values: Any = X.astype(object).data
        X = np.where(np.ma.getmaskarray(X), None, values)
    elif not isinstance(X, np.ndarray) and not hasattr(X, "tocsc"):
        X = _array_rows(X)
    if X.ndim != 2:
        raise InvalidData(
            f"expected rows and columns, got an array of {X.ndim} dimension(s). Reshape your data: "
            "one row is [row], one column is [[value] for value in column]"
        )
    if X.shape[1] != len(space.columns):
        raise InvalidData(
            f"X has {X.shape[1]} features, but Space is expecting {len(space.columns)} features as "
            f"input: {some_names(space.column_names)}. An array has all of them, in this order; a "
            "data frame needs only those that the tree asks about"
        )
    X = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)  # a matrix has no columns of its own
    position = {name: i for i, name in enumerate(space.column_names)}

    def get(name: str) -> NDArray[Any] | None:
        i = position.get(name)
        if i is None:
            return None
        if hasattr(X, "tocsc"):
            return cast("NDArray[Any]", X[:, [i]].toarray().ravel())
        return cast("NDArray[Any]", X[:, i])

    return OpenRows(X.shape[0], get, None)


def _array_rows(X: Any) -> NDArray[Any]:
    """Read nested lists, and anything else that numpy takes; text stays text."""
    try:
        rows = np.asarray(X)
    except (TypeError, ValueError):  # rows of different lengths, or nothing that has rows
        rows = np.array(None)
    if rows.ndim == 2 and rows.dtype.kind == "f" and bool((np.abs(rows) >= EXACT).any()):
        return _object_rows(X)  # numpy may have rounded whole numbers beside fractions
    if rows.ndim == 1 or rows.dtype.kind in "biuf" or (rows.ndim == 2 and rows.dtype == object):
        return rows
    if not isinstance(X, Iterable):
        raise InvalidData(
            f"cannot read rows from {a_kind(X)}: give an array, a data frame (a "
            "lazy one collected), or a list of rows"
        )
    return _object_rows(X)


def _object_rows(X: Iterable[Any]) -> NDArray[Any]:
    rows = []
    for i, row in enumerate(X):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise InvalidData(f"row {i} is {row!r:.80}: a row must be a list of values")
        rows.append(list(row))
    if len({len(row) for row in rows}) > 1:
        raise InvalidData("the rows have different lengths")
    out = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            out[i, j] = value
    return out


def _object_array(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        out[i] = value
    return out
