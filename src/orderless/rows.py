"""Rows in: arrays, data frames and dicts become one column per feature, as the core reads them.

In:  X of any usual kind, and the ``Space`` that says what its columns mean.
Out: ``Rows``. A row with unknowns is a box (design: a known value is one point, a missing one is
     everything, some known conditions are an interval or a set).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from .errors import InvalidData
from .space import Condition, Feature, Label, Space

__all__ = ["Rows", "labels_like", "read_rows"]

# Kinds of columns, as in cpp/core/reach.hpp.
ABSENT, F64, F32, BETWEEN, CODE, AMONG = range(6)

CoreColumn = tuple[int, NDArray[Any] | None, NDArray[Any] | None]
Lookup = Callable[[str], "NDArray[Any] | None"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the core reads them: for each feature of the space one entry."""

    n_rows: int
    columns: list[CoreColumn]


def read_rows(X: Any, space: Space, used: Iterable[int]) -> Rows:
    """Read the features ``used`` out of X; the others stay unknown.

    Arrays go by position of the space's columns, data frames and dicts by name: by the names of
    the columns, or by the features' own. In dicts a feature that is not there is unknown; in data
    frames it is an error. NaN, None, NA, NaT and null are unknown.
    """
    n_rows, lookup, there = _lookup(X, space)
    columns: list[CoreColumn] = [(ABSENT, None, None)] * len(space)
    for i in used:
        columns[i] = _read_feature(space.features[i], space, lookup, n_rows, there)
    return Rows(n_rows, columns)


def _lookup(X: Any, space: Space) -> tuple[int, Lookup, list[str] | None]:
    """Give the number of rows, a way to get a column by name, and the names that there are.

    The names are None where a column that is not there is simply unknown.
    """
    if isinstance(X, Mapping):
        raise InvalidData("got one dict: give a list of rows, [{...}]")
    if (
        isinstance(X, Sequence)
        and not isinstance(X, str)
        and any(isinstance(row, Mapping) for row in X)
    ):
        return len(X), _lookup_dicts(X, space), None
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return len(frame), _lookup_frame(frame), list(frame.columns)
    n_rows, lookup = _lookup_array(X, space)
    return n_rows, lookup, None


def _lookup_dicts(X: Sequence[Any], space: Space) -> Lookup:
    legal = {*space.names, *space.column_names}
    for i, row in enumerate(X):
        if not isinstance(row, Mapping):
            raise InvalidData(f"row {i} is a {type(row).__qualname__}, others are dicts")
        for name in row:
            if name not in legal:
                raise InvalidData(
                    f"row {i} has the unknown feature {name!r}: legal are {_some(space.names)}"
                )

    def get(name: str) -> NDArray[Any] | None:
        if not any(name in row for row in X):
            return None
        return _object_array([row.get(name) for row in X])

    return get


def _lookup_frame(frame: nw.DataFrame[Any]) -> Lookup:
    there = set(frame.columns)

    def get(name: str) -> NDArray[Any] | None:
        if name not in there:
            return None
        series = frame.get_column(name)
        if not series.dtype.is_numeric():
            return _object_array(series.to_list())
        if series.is_null().any():
            return series.cast(nw.Float64()).to_numpy().astype(np.float64)
        return series.to_numpy()

    return get


def _lookup_array(X: Any, space: Space) -> tuple[int, Lookup]:
    if hasattr(X, "tocsc"):
        X = X.tocsc()
    elif not isinstance(X, np.ndarray):
        try:
            X = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            X = _object_rows(X)
    if X.ndim != 2:
        raise InvalidData(
            f"expected rows and columns, got an array of {X.ndim} dimension(s): "
            "one row is [row], one column is [[value] for value in column]"
        )
    if X.shape[1] != len(space.columns):
        raise InvalidData(
            f"got {X.shape[1]} columns, the tree's space has {len(space.columns)}: "
            f"{_some(space.column_names)}"
        )
    position = {name: i for i, name in enumerate(space.column_names)}

    def get(name: str) -> NDArray[Any] | None:
        i = position.get(name)
        if i is None:
            return None
        if hasattr(X, "tocsc"):
            return cast("NDArray[Any]", X[:, [i]].toarray().ravel())
        return cast("NDArray[Any]", X[:, i])

    return X.shape[0], get


def _object_rows(X: Any) -> NDArray[Any]:
    rows = [list(row) for row in X]
    if len({len(row) for row in rows}) > 1:
        raise InvalidData("the rows have different lengths")
    out = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for i, row in enumerate(rows):
        out[i, :] = row
    return out


def _object_array(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _read_feature(
    feature: Feature, space: Space, lookup: Lookup, n_rows: int, there: list[str] | None
) -> CoreColumn:
    told = [space.columns[i] for i in space.columns_of[feature.name]]
    found = [(column.condition, lookup(column.name)) for column in told]
    if feature.name not in space.column_names:
        found.append((None, lookup(feature.name)))  # a row may give the feature itself
    known = [(condition, values) for condition, values in found if values is not None]
    if there is not None and len(known) < len(told) and feature.name not in there:
        absent = [column.name for column in told if column.name not in there]
        raise InvalidData(
            f"the data frame lacks the column {_some(absent)}; it has {_some(there)}. Unknown "
            "values are NaN or null in a column that is there; a tree's features are named with "
            "read_tree(..., feature_names=)"
        )
    if not known:
        return ABSENT, None, None
    if len(known) == 1 and known[0][0] is None:
        return _read_values(feature, known[0][1])
    if feature.ordered:
        return _read_between(feature, known, n_rows)
    return _read_among(feature, known, n_rows)


def _read_values(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    if feature.ordered:
        return _read_numbers(feature, values)
    return CODE, _read_codes(feature, values), None


def _read_numbers(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    if values.dtype == object or values.dtype.kind in "USMm":
        values = _parse_numbers(feature, values)
    elif values.dtype not in (np.float64, np.float32):
        values = values.astype(np.float64)
    if feature.whole:
        known = values[~np.isnan(values)]
        low, high = feature.bounds
        bad = (known != np.floor(known)) | (known <= low) | (known > high)
        if bad.any():
            kind = "boolean: 0, 1, False or True" if feature.kind == "boolean" else "integer"
            raise InvalidData(
                f"feature {feature.name!r} has the value {known[bad][0]:g} and is declared {kind}"
            )
    return (F32 if values.dtype == np.float32 else F64), values, None


def _parse_numbers(feature: Feature, values: NDArray[Any]) -> NDArray[np.float64]:
    out = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        if is_unknown(value):
            continue
        if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
            legal = "0, 1, False or True" if feature.kind == "boolean" else "numbers"
            raise InvalidData(
                f"feature {feature.name!r} has the value {value!r} in row {i}: "
                f"it is {feature.kind}, legal are {legal}, and NaN or None for unknown"
            )
        out[i] = float(value)
    return out


def is_unknown(value: Any) -> bool:
    """Whether a single value stands for "not known": None, NaN, NA, NaT."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA does not say
        return True


def _read_codes(feature: Feature, values: NDArray[Any]) -> NDArray[np.int32]:
    unknown = len(feature.categories) + feature.other if feature.nan else -1
    number: dict[Any, int] = {label: i for i, label in enumerate(feature.categories)}
    out = np.empty(len(values), dtype=np.int32)
    for i, value in enumerate(values.tolist() if values.dtype != object else values):
        code = number.get(value) if isinstance(value, bool | int | float | str) else None
        if code is None:
            if is_unknown(value):
                code = unknown
            else:
                code = feature.code(value.item() if isinstance(value, np.generic) else value)
                if code is None:
                    raise InvalidData(
                        f"feature {feature.name!r} has the value {value!r} in row {i}: "
                        f"legal are {_some(feature.categories)}"
                    )
        out[i] = code
    return out


Known = list[tuple[Condition | None, NDArray[Any]]]


def _truth(feature: Feature, condition: Condition, values: NDArray[Any]) -> NDArray[np.float64]:
    """Read a column that tells whether a condition holds: 1, 0 or NaN."""
    _, numbers, _ = _read_numbers(Feature(str(condition), "boolean"), values)
    return cast("NDArray[np.float64]", numbers)


def _read_between(feature: Feature, known: Known, n_rows: int) -> CoreColumn:
    low = np.full(n_rows, -np.inf)
    high = np.full(n_rows, np.inf)
    for condition, values in known:
        if condition is None:
            _, numbers, _ = _read_numbers(feature, values)
            number = np.asarray(numbers, dtype=np.float64)
            low = np.fmax(low, number)
            high = np.fmin(high, number)
            continue
        truth = _truth(feature, condition, values)
        if condition.at_most is not None:
            top = feature.at_most(condition.at_most)
            high = np.where(truth == 1, np.minimum(high, top), high)
            low = np.where(truth == 0, np.maximum(low, feature.above(top)), low)
        else:
            among = [float(v) for v in cast("tuple[Label, ...]", condition.among)]
            if len(among) == 1:  # a boolean told as "is true" or "is false"
                value = np.where(truth == 1, among[0], 1.0 - among[0])
                low = np.where(np.isnan(truth), low, np.maximum(low, value))
                high = np.where(np.isnan(truth), high, np.minimum(high, value))
    _no_contradiction(feature, low > high)
    return BETWEEN, low, high


def _read_among(feature: Feature, known: Known, n_rows: int) -> CoreColumn:
    allowed = np.ones((n_rows, feature.n_values), dtype=bool)
    for condition, values in known:
        if condition is None:
            codes = _read_codes(feature, values)
            rows = np.flatnonzero(codes >= 0)
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
    _no_contradiction(feature, count == 0)
    if np.all((count == 1) | (count == feature.n_values)):
        codes = np.where(count == 1, allowed.argmax(axis=1), -1).astype(np.int32)
        return CODE, codes, None
    return AMONG, allowed.astype(np.uint8), None


def _no_contradiction(feature: Feature, bad: NDArray[np.bool_]) -> None:
    if bad.any():
        raise InvalidData(
            f"row {int(np.argmax(bad))} contradicts itself about {feature.name!r}: no value of "
            "the feature fits all of its columns. Correct the row, or treat the columns as "
            "unrelated with Space.independent(...)"
        )


def _some(names: Iterable[object], most: int = 12) -> str:
    """List a few names for an error message."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def labels_like(X: Any, classes: NDArray[Any], codes: NDArray[np.int32]) -> Any:
    """Give class labels by row: a masked array, or a nullable Series when a data frame came in.

    ``codes`` are positions in ``classes``, -1 where the class is not determined.
    """
    unknown = codes < 0
    data = classes[np.where(unknown, 0, codes)]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return np.ma.MaskedArray(data, mask=unknown)
    if frame.implementation.is_pandas():
        import pandas as pd

        kind = {"i": "Int64", "u": "Int64", "b": "boolean", "f": "Float64"}
        array = pd.array(data.tolist(), dtype=cast(Any, kind.get(data.dtype.kind, "string")))
        array[unknown] = pd.NA
        return pd.Series(array, index=frame.to_native().index, name="prediction")
    values = [
        None if hidden else value for value, hidden in zip(data.tolist(), unknown, strict=True)
    ]
    dtype: Any = {"i": nw.Int64(), "u": nw.Int64(), "b": nw.Boolean(), "f": nw.Float64()}.get(
        data.dtype.kind, nw.String()
    )
    series = nw.new_series("prediction", values, dtype, backend=frame.implementation)
    return series.to_native()
