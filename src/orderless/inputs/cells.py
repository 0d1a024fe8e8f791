"""Cells in: what the columns of a feature say about its value, as the core reads it.

In:  a ``Feature``, its columns and what they mean.
Out: ``CoreColumn``: numbers, codes, intervals or sets of values, one for each row.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import Condition, Feature, Label
from .names import some_names

__all__ = [
    "CoreColumn",
    "Known",
    "as_values",
    "is_unknown",
    "no_contradiction",
    "read_among",
    "read_codes",
    "read_feature",
    "read_intervals",
    "read_numbers",
]

# Kinds of columns, as in cpp/core/rows/reach.hpp.
ABSENT, F64, F32, BETWEEN, CODE, AMONG = range(6)

EXACT = 2**53  # from here on float64 does not hold every whole number


class CoreColumn(NamedTuple):
    """A feature of rows, as the core reads it.

    Attributes
    ----------
    kind : int
        ABSENT: unknown in every row. F64, F32: numbers; NaN is unknown, or a value where the
        feature says so. BETWEEN: two columns, the ends of an interval. CODE: the number of a
        category, -1 unknown. AMONG: rows x categories, nonzero where it is possible.
    first, second : arrays, or None
    """

    kind: int
    first: NDArray[Any] | None = None
    second: NDArray[Any] | None = None


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
