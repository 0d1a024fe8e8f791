"""Rows in: arrays, data frames and dicts become one column per feature, as the core reads them.

In:  X of any usual kind, or two tables between which the values lie, and the ``Space`` that says
     what their columns mean.
Out: ``Rows``. A row with unknowns is a box (design: a known value is one point, a missing one is
     everything, some known conditions are an interval or a set; so is a range).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, a_kind
from ..model import (
    ABSENT,
    AMONG,
    BETWEEN,
    CODE,
    F32,
    F64,
    Column,
    Condition,
    CoreColumn,
    Feature,
    Label,
    Rows,
    Space,
    row_boundary,
)
from .frames import arrow_floats, frame_of
from .names import near, some_names

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "EXACT",
    "NOT_GIVEN",
    "absent_columns",
    "as_values",
    "column_value",
    "is_unknown",
    "one_row",
    "open_rows",
    "read_codes",
    "read_columns",
    "read_numbers",
    "read_rows",
    "refuse_rounding",
    "row_and_cells",
    "row_at",
]

EXACT = 2**53  # from here on float64 does not hold every whole number


Known = list[tuple[Condition | None, NDArray[Any]]]


class _NotGiven:
    """What a dict does not say: unknown, also where NaN is a value of its own."""


NOT_GIVEN = _NotGiven()


def read_feature(feature: Feature, known: Known, n_rows: int) -> CoreColumn:
    """Read a feature out of the columns that describe it."""
    if not known:
        return CoreColumn(ABSENT)
    if len(known) == 1 and known[0][0] is None:
        return _read_values(feature, known[0][1])
    if feature.ordered:
        return read_intervals(feature, known, n_rows)
    return read_among(feature, known, n_rows)


def _read_values(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    if feature.nan and _not_given(values).any():
        return _read_given(feature, values)
    if feature.ordered:
        return read_numbers(feature, values)
    return CoreColumn(CODE, read_codes(feature, values))


def _not_given(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype != object:
        return np.zeros(len(values), dtype=bool)
    return np.array([value is NOT_GIVEN for value in values], dtype=bool)


def _read_given(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    """Read a feature that has NaN as a value and that some rows do not mention."""
    free = _not_given(values)
    if feature.ordered:
        number = as_values(feature, read_numbers(feature, values)[1])
        low, high = np.where(free, -np.inf, number), np.where(free, np.nan, _end(number))
        return CoreColumn(BETWEEN, low, high)
    codes = read_codes(feature, values)
    allowed = free[:, None] | (codes[:, None] == np.arange(feature.n_values))
    return CoreColumn(AMONG, allowed.astype(np.uint8))


def read_numbers(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    """Read the numbers of an ordered feature; unknown ones are NaN."""
    if values.dtype == object or values.dtype.kind in "USMm":
        values = _parse_numbers(feature, values)
    elif values.dtype.kind not in "biuf":
        raise InvalidData(
            f"feature {feature.name!r} is {feature.kind}, its column {values.dtype}: give numbers"
        )
    elif values.dtype not in (np.float64, np.float32) or values.strides[0] % values.itemsize:
        values = _as_floats(feature, values)  # the core steps over whole values only
    if feature.whole:
        low, high = feature.bounds
        # A comparison with NaN is false, so unknown values are not bad.
        bad = (values <= low) | (values > high) | np.isinf(values)
        bad |= np.isfinite(values) & (values != np.floor(values))
        if bad.any():
            row = int(np.argmax(bad))
            kind = "boolean: 0, 1, False or True" if feature.kind == "boolean" else "integer"
            raise InvalidData(
                f"feature {feature.name!r} has the value {values[row]!s} in row {row} and is "
                f"declared {kind}"
            )
    return CoreColumn(F32 if values.dtype == np.float32 else F64, values)


def _as_floats(feature: Feature, values: NDArray[Any]) -> NDArray[np.float64]:
    """Turn an array of numbers into float64; a whole number that would be rounded is refused."""
    out = values.astype(np.float64)
    if feature.values != "float32" and values.itemsize >= 8:  # smaller ones all fit
        rounded = np.flatnonzero(_differ(values, out))
        if len(rounded):
            row = int(rounded[0])
            _refuse_rounding(feature, values[row].item(), float(out[row]), row)
    return out


def _differ(values: NDArray[Any], floats: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which numbers from 2^53 on are not what they are as float64."""
    back = floats
    if values.dtype.kind in "iu":  # the largest of them round to one that no longer fits
        back = np.where(floats < float(np.iinfo(values.dtype).max), floats, 0.0)
    rounded: NDArray[np.bool_] = back.astype(values.dtype) != values
    return rounded & (np.abs(floats) >= EXACT)


def _refuse_rounding(feature: Feature, value: Any, number: float, row: int) -> None:
    """Refuse a number of which float64 holds only a neighbour: it may be beyond a threshold."""
    if abs(number) >= EXACT and value != number:
        raise InvalidData(
            f"feature {feature.name!r} has the value {value!s:.80} in row {row}, which float64 "
            f"cannot hold (the nearest is {number:.0f}): turn the column into float64 if rounding "
            "is fine, or make the feature categorical if it is an identifier"
        )


def _parse_numbers(feature: Feature, values: NDArray[Any]) -> NDArray[np.float64]:
    out = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        if is_unknown(value):
            continue
        try:
            if isinstance(value, str | bytes | np.ndarray | np.datetime64 | np.timedelta64):
                raise TypeError
            out[i] = float(value)
        except (TypeError, ValueError, OverflowError):
            allowed = "0, 1, False or True" if feature.kind == "boolean" else "numbers"
            raise InvalidData(
                f"feature {feature.name!r} has the value {value!r:.80} in row {i}: "
                f"it is {feature.kind}, so give {allowed}; NaN or None if it is unknown"
            ) from None
        if feature.values != "float32":
            exact = value.item() if isinstance(value, np.generic) else value
            _refuse_rounding(feature, exact, float(out[i]), i)
    return out


def as_values(feature: Feature, numbers: NDArray[Any] | None) -> NDArray[np.float64]:
    """Round the numbers of rows as the feature does."""
    out = np.asarray(numbers, dtype=np.float64)
    if feature.kind == "numeric" and feature.values == "float32":
        with np.errstate(over="ignore"):
            out = out.astype(np.float32).astype(np.float64)
    return out


def is_unknown(value: Any) -> bool:
    """Whether a single value stands for "not known": None, NaN, NA, NaT."""
    if value is None or value is NOT_GIVEN:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA does not say
        return True
    except ValueError:  # an array: not known to be a value, but not unknown either
        return False


def read_codes(feature: Feature, values: NDArray[Any]) -> NDArray[np.int32]:
    """Give the numbers of a categorical feature's values, -1 for unknown."""
    unknown = len(feature.categories) + feature.other if feature.nan else -1
    number: dict[Any, int] = {label: i for i, label in enumerate(feature.categories)}
    if values.dtype.kind == "f":
        values = values.astype(np.float64)  # whatever its width
    out = np.empty(len(values), dtype=np.int32)
    for i, value in enumerate(values.tolist() if values.dtype != object else values):
        code = number.get(value) if isinstance(value, bool | int | float | str) else None
        if code is None:
            if is_unknown(value):
                code = unknown
            else:
                label = value.item() if isinstance(value, np.generic) else value
                if isinstance(label, bool | int | float | str):
                    code = feature.code(label)
                if code is None:
                    raise InvalidData(
                        f"feature {feature.name!r} has the value {value!r:.80} in row {i}: "
                        f"must be one of {some_names(feature.categories)}"
                    )
        out[i] = code
    return out


def _truth(feature: Feature, condition: Condition, values: NDArray[Any]) -> NDArray[np.float64]:
    """Read a column that says whether a condition holds: 1, 0 or NaN."""
    _, numbers, _ = read_numbers(Feature(str(condition), "boolean"), values)
    return cast("NDArray[np.float64]", numbers)


def read_intervals(feature: Feature, known: Known, n_rows: int) -> CoreColumn:
    """Read an ordered feature: the interval in which each row lies."""
    low = np.full(n_rows, -np.inf)
    high = np.full(n_rows, np.inf)
    some = np.ones(n_rows, dtype=bool)  # whether it can be a number
    missing = np.full(n_rows, feature.nan)  # whether it can be NaN, where that is a value
    for condition, values in known:
        if condition is None:
            number = as_values(feature, read_numbers(feature, values)[1])
            low = np.fmax(low, number)
            high = np.fmin(high, number)
            missing &= np.isnan(number)
            some &= ~np.isnan(number) | _not_given(values) | (not feature.nan)
            continue
        truth = _truth(feature, condition, values)
        missing &= truth != 1  # a condition that holds, holds for a number
        if condition.at_most is not None:
            top = feature.at_most(condition.at_most)
            high = np.where(truth == 1, np.minimum(high, top), high)
            low = np.where(truth == 0, np.maximum(low, feature.above(top)), low)
        else:
            among = [float(v) for v in cast("tuple[Label, ...]", condition.among)]
            if len(among) == 1:  # a boolean given as "is true" or "is false"
                value = np.where(truth == 1, among[0], 1.0 - among[0])
                low = np.where(np.isnan(truth), low, np.maximum(low, value))
                high = np.where(np.isnan(truth), high, np.minimum(high, value))
            else:  # neither, or either: it never, or always holds
                some &= truth != (0 if among else 1)
    some &= low <= high
    no_contradiction(feature, ~some & ~missing)
    if feature.nan:  # this is how the core learns that NaN is possible
        low, high = np.where(some, low, np.nan), np.where(missing, np.nan, _end(high))
    return CoreColumn(BETWEEN, low, high)


def _end(high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give upper ends above -inf: the core's intervals are open below, so up to -inf is nothing.

    No condition separates -inf from the least number.
    """
    return np.maximum(high, np.finfo(np.float64).min)


def read_among(feature: Feature, known: Known, n_rows: int) -> CoreColumn:
    """Read a feature without order: which of its values each row can have."""
    allowed = np.ones((n_rows, feature.n_values), dtype=bool)
    for condition, values in known:
        if condition is None:
            codes = read_codes(feature, values)
            rows = np.flatnonzero((codes >= 0) & ~_not_given(values))
            one = np.zeros_like(allowed)
            one[rows, codes[rows]] = True
            allowed[rows] &= one[rows]
            continue
        truth = _truth(feature, condition, values)
        inside = np.zeros(feature.n_values, dtype=bool)
        for value in condition.among or ():
            inside[feature.categories.index(value)] = True
        allowed[truth == 1] &= inside
        allowed[truth == 0] &= ~inside
    count = allowed.sum(axis=1)
    no_contradiction(feature, count == 0)
    if np.all((count == 1) | (count == feature.n_values)):
        codes = np.where(count == 1, allowed.argmax(axis=1), -1).astype(np.int32)
        return CoreColumn(CODE, codes)
    return CoreColumn(AMONG, allowed.astype(np.uint8))


def no_contradiction(feature: Feature, bad: NDArray[np.bool_]) -> None:
    """Refuse rows that no value of a feature fits."""
    if bad.any():
        row = int(np.argmax(bad))
        fault = InvalidData(
            f"row {row} contradicts itself about {feature.name!r}: no value of "
            "the feature fits all of its columns. Correct the row, or treat the columns as "
            "unrelated with Space.independent(...)"
        )
        fault.row = row
        raise fault


Lookup = Callable[[str], "NDArray[Any] | None"]


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


def one_row(row: Any, space: Space, used: Iterable[int], if_there: Iterable[int] = ()) -> Rows:
    """Read the features ``used`` of one row, and others if they are there.

    Examples
    --------
    >>> one_row({"age": 3}, Space({"age": "numeric"}), [0]).n_rows
    1
    """
    return read_rows(row_and_cells(row, space)[0], space, used, if_there=if_there)


def row_and_cells(row: Any, space: Space) -> tuple[Any, dict[str, Any]]:
    """Give one row as ``read_rows`` wants rows (a list, or the data frame), and as a dict."""
    if isinstance(row, Mapping):
        return [dict(row)], dict(row)
    frame = frame_of(row)
    if frame is not None:
        _refuse_several(len(frame))
        there = [name for name in frame.columns if name in space or name in space.column_names]
        return row, {name: frame.get_column(name).to_list()[0] for name in there}
    no_values = isinstance(row, str | bytes | set | frozenset) or not isinstance(row, Iterable)
    if no_values or getattr(row, "ndim", 1) == 0:
        raise InvalidData(
            f"cannot read one row from {row!r:.80}: give a dict {{feature: value}}, or the "
            "values in the order of the columns"
        )
    if hasattr(row, "items"):  # a Series: a row of a data frame
        cells = dict(row.items())
        if all(isinstance(name, str) for name in cells):
            return [cells], cells
        row = cells.values()
    if hasattr(row, "toarray"):  # sparse
        row = row.toarray()
    values = row.tolist() if isinstance(row, np.ndarray) else list(row)
    if values and all(isinstance(v, Mapping | list | tuple | np.ndarray) for v in values):
        _refuse_several(len(values))
        return row_and_cells(values[0], space)
    return [values], dict(zip(space.column_names, values, strict=False))


def _refuse_several(n_rows: int) -> None:
    if n_rows != 1:
        raise InvalidData(f"expected one row, got {n_rows:,}: give them one at a time")


def column_value(space: Space, column: Column, value: Any) -> Any:
    """Give what a column holds where its feature has this value.

    Examples
    --------
    >>> from orderless import Condition
    >>> space = Space({"age": "integer"}, columns={"young": Condition("age", at_most=25)})
    >>> column_value(space, space.columns[0], 24), column_value(space, space.columns[0], 26)
    (1, 0)
    """
    condition = column.condition
    if condition is None:
        return value
    if is_unknown(value):
        return 0  # a condition that holds, holds for a value
    if condition.among is not None:
        return int(value in condition.among)
    assert condition.at_most is not None
    feature = space[column.feature]
    end = np.asarray(feature.at_most(condition.at_most))
    return int(float(value) <= float(row_boundary(end, feature.values)))
