"""Rows in: arrays, data frames and dicts become one column per feature, as the core reads them.

In:  X of any usual kind, and the ``Space`` that says what its columns mean.
Out: ``Rows``. A row with unknowns is a box (design: a known value is one point, a missing one is
     everything, some known conditions are an interval or a set).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, a_kind
from ..model import Condition, Feature, Label, Space

__all__ = [
    "Rows",
    "absent_columns",
    "is_frame",
    "labels_like",
    "read_codes",
    "read_columns",
    "read_rows",
    "row_at",
    "some_names",
]

# Kinds of columns, as in cpp/core/reach.hpp.
ABSENT, F64, F32, BETWEEN, CODE, AMONG = range(6)

EXACT = 2**53  # from here on float64 does not hold every whole number

CoreColumn = tuple[int, NDArray[Any] | None, NDArray[Any] | None]
Lookup = Callable[[str], "NDArray[Any] | None"]


class _NotGiven:
    """What a dict does not say: unknown, also where NaN is a value of its own."""


NOT_GIVEN = _NotGiven()


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the core reads them: for each feature of the space one entry."""

    n_rows: int
    columns: list[CoreColumn]

    def take(self, at: slice | NDArray[np.intp]) -> Rows:
        """Give some of the rows: a slice, or their positions."""
        columns: list[CoreColumn] = [
            (kind, None if first is None else first[at], None if second is None else second[at])
            for kind, first, second in self.columns
        ]
        n_rows = len(range(self.n_rows)[at]) if isinstance(at, slice) else len(at)
        return Rows(n_rows, columns)


def read_rows(X: Any, space: Space, used: Iterable[int]) -> Rows:
    """Read the features ``used`` out of X; the others stay unknown.

    Arrays go by position of the space's columns, data frames and dicts by name: by the names of
    the columns, or by the features' own. In dicts a feature that is not there is unknown; in data
    frames it is an error. NaN, None, NA, NaT and null are unknown; where the feature says that NaN
    is a value, they are that value. A whole number that float64 cannot hold (from 2^53 on) is an
    error, except for float32 features, which round every row (docs/decisions/0011).
    """
    used = list(used)
    n_rows, lookup, there = _lookup(X, space)
    absent = [] if there is None else absent_columns(space, used, there)
    if absent:
        raise InvalidData(
            f"the data frame lacks the column{'s' * (len(absent) > 1)} {', '.join(absent)}; it has "
            f"{some_names(there or ())}. Unknown values are NaN or null in a column that is there; "
            "a tree's features are named with read_tree(..., feature_names=)"
        )
    return read_columns(lookup, n_rows, space, used)


def read_columns(lookup: Lookup, n_rows: int, space: Space, used: Iterable[int]) -> Rows:
    """Read columns by name; what ``lookup`` does not know (None) is unknown."""
    columns: list[CoreColumn] = [(ABSENT, None, None)] * len(space)
    for i in used:
        columns[i] = _read_feature(space.features[i], space, lookup, n_rows)
    return Rows(n_rows, columns)


def absent_columns(space: Space, used: Iterable[int], there: Sequence[str]) -> list[str]:
    """Name the columns that a table lacks, each with the one that comes close.

    A feature is told by its columns, or by a column of its own name.

    Examples
    --------
    >>> absent_columns(Space({"age": "integer", "lab": "numeric"}), [0, 1], ["Age", "x"])
    ["'age' (did you mean 'Age'?)", "'lab'"]
    """
    has = set(there)
    features = [space.features[i].name for i in used if space.features[i].name not in has]
    told = [space.columns[k].name for name in features for k in space.columns_of[name]]
    free = [name for name in there if name not in {*space.names, *space.column_names}]
    return [f"{name!r:.80}{near(name, free)}" for name in told if name not in has]


def _lookup(X: Any, space: Space) -> tuple[int, Lookup, list[str] | None]:
    """Give the number of rows, a way to get a column by name, and the names that there are.

    The names are None where a column that is not there is simply unknown.
    """
    if isinstance(X, Mapping):
        raise InvalidData("got one dict: give a list of rows, [{...}]")
    if isinstance(X, str | bytes):
        raise InvalidData(f"expected rows and columns, got text: {X!r:.80}")
    if isinstance(X, Sequence) and (not X or any(isinstance(row, Mapping) for row in X)):
        return len(X), _lookup_dicts(X, space), None
    frame = _frame(X)
    if frame is not None:
        frame = _numbered(frame, space)
        return len(frame), _lookup_frame(frame), list(frame.columns)
    n_rows, lookup = _lookup_array(X, space)
    return n_rows, lookup, None


def row_at(X: Any, space: Space, at: int) -> dict[str, Any]:
    """Give one of some rows as a dict of the columns of a space that it has."""
    _, get, _ = _lookup(X, space)
    cells = {column.name: get(column.name) for column in space.columns}
    return {
        name: value.item() if isinstance(value := cell[at], np.generic) else value
        for name, cell in cells.items()
        if cell is not None and cell[at] is not NOT_GIVEN
    }


def _frame(X: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as fault:
        raise InvalidData(f"the data frame has two columns of one name: {fault}") from fault
    return frame if isinstance(frame, nw.DataFrame) else None


def _numbered(frame: nw.DataFrame[Any], space: Space) -> nw.DataFrame[Any]:
    """Name the columns 0, 1, ... of a frame as the features of a tree that has no names either."""
    names: list[Any] = list(frame.columns)
    plain = [f"x{i}" for i in range(len(names))]  # as read_tree calls what has no name
    if list(space.column_names) != plain or any(isinstance(name, str) for name in names):
        return frame
    if names != list(range(len(names))):
        return frame
    return frame.rename(dict(zip(names, plain, strict=True)))


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, so that results are Series."""
    return _frame(X) is not None


def _lookup_dicts(X: Sequence[Any], space: Space) -> Lookup:
    legal = {*space.names, *space.column_names}
    for i, row in enumerate(X):
        if not isinstance(row, Mapping):
            raise InvalidData(f"row {i} is {a_kind(row)}, others are dicts")
        for name in row:
            if name not in legal:
                raise InvalidData(
                    f"row {i} has the unknown feature {name!r}{near(name, legal)}: legal are "
                    f"{some_names(space.names)}. A tree's features are named with "
                    "read_tree(..., feature_names=)"
                )

    def get(name: str) -> NDArray[Any] | None:
        if not any(name in row for row in X):
            return None
        return _object_array([row.get(name, NOT_GIVEN) for row in X])

    return get


def _lookup_frame(frame: nw.DataFrame[Any]) -> Lookup:
    there = set(frame.columns)

    def get(name: str) -> NDArray[Any] | None:
        if name not in there:
            return None
        series = frame.get_column(name).alias("")  # polars takes some names for patterns
        if not series.dtype.is_numeric():
            return _object_array(series.to_list())
        if series.is_null().any():
            if series.dtype.is_integer() and not _small(series):
                return _object_array(series.to_list())  # floats would round them
            return series.cast(nw.Float64()).to_numpy().astype(np.float64)
        return series.to_numpy()

    return get


def _small(series: nw.Series[Any]) -> bool:
    """Whether all whole numbers of a column are floats, too."""
    low, high = series.min(), series.max()
    return is_unknown(low) or (low >= -(2**53) and high <= 2**53)


def _lookup_array(X: Any, space: Space) -> tuple[int, Lookup]:
    if isinstance(X, np.ma.MaskedArray):
        values: Any = X.astype(object).data
        X = np.where(np.ma.getmaskarray(X), None, values)
    elif not isinstance(X, np.ndarray) and not hasattr(X, "tocsc"):
        X = _array_rows(X)
    if X.ndim != 2:
        raise InvalidData(
            f"expected rows and columns, got an array of {X.ndim} dimension(s): "
            "one row is [row], one column is [[value] for value in column]"
        )
    if X.shape[1] != len(space.columns):
        raise InvalidData(
            f"got {X.shape[1]} columns, the tree's space has {len(space.columns)}: "
            f"{some_names(space.column_names)}. An array has all of them, in this order; a data "
            "frame needs only those that the tree asks about"
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

    return X.shape[0], get


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
            f"cannot read rows out of {a_kind(X)}: give an array, a data frame (a "
            "lazy one collected), or a list of rows"
        )
    return _object_rows(X)


def _object_rows(X: Iterable[Any]) -> NDArray[Any]:
    rows = []
    for i, row in enumerate(X):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise InvalidData(f"row {i} is {row!r:.80}: one row is a list of values")
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


def _read_feature(feature: Feature, space: Space, lookup: Lookup, n_rows: int) -> CoreColumn:
    told = [space.columns[i] for i in space.columns_of[feature.name]]
    found = [(column.condition, lookup(column.name)) for column in told]
    if feature.name not in space.column_names:
        found.append((None, lookup(feature.name)))  # a row may give the feature itself
    known = [(condition, values) for condition, values in found if values is not None]
    if not known:
        return ABSENT, None, None
    if len(known) == 1 and known[0][0] is None:
        return _read_values(feature, known[0][1])
    if feature.ordered:
        return _read_between(feature, known, n_rows)
    return _read_among(feature, known, n_rows)


def _read_values(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    if feature.nan and _not_given(values).any():
        return _read_given(feature, values)
    if feature.ordered:
        return _read_numbers(feature, values)
    return CODE, read_codes(feature, values), None


def _not_given(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype != object:
        return np.zeros(len(values), dtype=bool)
    return np.array([value is NOT_GIVEN for value in values], dtype=bool)


def _read_given(feature: Feature, values: NDArray[Any]) -> CoreColumn:
    """Read a feature that has NaN as a value and that some rows do not tell at all."""
    free = _not_given(values)
    if feature.ordered:
        number = _as_values(feature, _read_numbers(feature, values)[1])
        return BETWEEN, np.where(free, -np.inf, number), np.where(free, np.nan, _end(number))
    codes = read_codes(feature, values)
    allowed = free[:, None] | (codes[:, None] == np.arange(feature.n_values))
    return AMONG, allowed.astype(np.uint8), None


def _read_numbers(feature: Feature, values: NDArray[Any]) -> CoreColumn:
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
    return (F32 if values.dtype == np.float32 else F64), values, None


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
            legal = "0, 1, False or True" if feature.kind == "boolean" else "numbers"
            raise InvalidData(
                f"feature {feature.name!r} has the value {value!r:.80} in row {i}: "
                f"it is {feature.kind}, legal are {legal}, and NaN or None for unknown"
            ) from None
        if feature.values != "float32":
            exact = value.item() if isinstance(value, np.generic) else value
            _refuse_rounding(feature, exact, float(out[i]), i)
    return out


def _as_values(feature: Feature, numbers: NDArray[Any] | None) -> NDArray[np.float64]:
    """Round rows' numbers as the feature does."""
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
                        f"legal are {some_names(feature.categories)}"
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
    some = np.ones(n_rows, dtype=bool)  # whether it can be a number
    missing = np.full(n_rows, feature.nan)  # whether it can be NaN, where that is a value
    for condition, values in known:
        if condition is None:
            number = _as_values(feature, _read_numbers(feature, values)[1])
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
            if len(among) == 1:  # a boolean told as "is true" or "is false"
                value = np.where(truth == 1, among[0], 1.0 - among[0])
                low = np.where(np.isnan(truth), low, np.maximum(low, value))
                high = np.where(np.isnan(truth), high, np.minimum(high, value))
            else:  # neither, or either: it never, or always holds
                some &= truth != (0 if among else 1)
    some &= low <= high
    _no_contradiction(feature, ~some & ~missing)
    if feature.nan:  # how the core is told that NaN is possible
        low, high = np.where(some, low, np.nan), np.where(missing, np.nan, _end(high))
    return BETWEEN, low, high


def _end(high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give upper ends above -inf: the core's intervals are open below, so up to -inf is nothing.

    No condition tells -inf from the least number.
    """
    return np.maximum(high, np.finfo(np.float64).min)


def _read_among(feature: Feature, known: Known, n_rows: int) -> CoreColumn:
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


def near(name: object, legal: Iterable[object]) -> str:
    """Name the legal name that is closest, for an error message."""
    by_text = {str(other).casefold(): other for other in legal}
    close = get_close_matches(str(name).casefold(), by_text, n=1)
    return f" (did you mean {by_text[close[0]]!r}?)" if close else ""


def some_names(names: Iterable[object], most: int = 12) -> str:
    """List a few names for an error message."""
    names = list(names)
    shown = ", ".join(f"{name!r:.80}" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def labels_like(X: Any, classes: NDArray[Any], codes: NDArray[np.int32]) -> Any:
    """Give class labels by row: a masked array, or a nullable Series when a data frame came in.

    ``codes`` are positions in ``classes``, -1 where the class is not determined.
    """
    unknown = codes < 0
    frame = _frame(X)
    if frame is None:
        data = classes[np.where(unknown, 0, codes)]
        return np.ma.MaskedArray(data, mask=unknown)
    text = all(isinstance(label, str) for label in classes.tolist())
    if not text and classes.dtype == object:
        raise InvalidData(
            f"the classes {some_names(classes.tolist())} fit no column type of a data frame: "
            "give the rows as an array"
        )
    if frame.implementation.is_pandas():
        import pandas as pd

        kind = {"i": "Int64", "u": "UInt64", "b": "boolean", "f": "Float64"}
        dtype = cast(Any, kind.get(classes.dtype.kind, "string"))
        array = pd.array(classes.tolist(), dtype=dtype).take(codes, allow_fill=True)
        return pd.Series(array, index=frame.to_native().index, name="prediction")
    labels = [*classes.tolist(), None]  # the last one where the code is -1
    values = [labels[code] for code in codes.tolist()]
    types = {"i": nw.Int64(), "u": nw.UInt64(), "b": nw.Boolean(), "f": nw.Float64()}
    dtype = types.get(classes.dtype.kind, nw.String())
    series = nw.new_series("prediction", values, dtype, backend=frame.implementation)
    return series.to_native()
