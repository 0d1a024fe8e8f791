"""Ranges in: values that are known only to lie between two others, or to be one of several.

In:  two tables, ``lower`` and ``upper``, and the ``Space`` that says what their columns mean.
Out: ``Rows`` in which a feature is an interval or a set.
Paper: beyond it; a row with unknowns is a box (design), and a range is one more side of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import Column, Feature, Floats, Space, Values, short_number
from .cells import (
    ABSENT,
    AMONG,
    BETWEEN,
    CODE,
    CoreColumn,
    Known,
    as_values,
    is_unknown,
    no_contradiction,
    read_among,
    read_intervals,
    read_numbers,
)
from .frames import Between
from .names import some_names
from .rows import Rows, open_rows, read_rows

__all__ = ["read_between", "rows_for"]

Given = NDArray[Any] | None
COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)


def read_between(
    lower: Any,
    upper: Any,
    space: Space,
    used: Iterable[int],
    *,
    if_there: Iterable[int] = (),
) -> Rows:
    """Read the features ``used`` out of two tables, and some ``if_there``; others stay unknown.

    Each table is read as ``read_rows`` reads X. Unknown, or not there, is no bound.
    """
    n_rows, lower_of, lower_there = open_rows(lower, space)
    n_upper, upper_of, upper_there = open_rows(upper, space)
    if n_rows != n_upper:
        raise InvalidData(
            f"lower has {n_rows:,} rows and upper {n_upper:,}: give both ends of the same rows"
        )
    columns = [CoreColumn(ABSENT)] * len(space.features)
    needed = set(used)
    for i in sorted({*needed, *if_there}):
        feature = space.features[i]
        own = [space.columns[k] for k in space.columns_of[feature.name]]
        if feature.name not in space.column_names:
            own.append(Column(feature.name, feature.name))  # a row may give the feature itself
        ends = [(c, lower_of(c.name), upper_of(c.name)) for c in own]
        ends = [(c, low, high) for c, low, high in ends if low is not None or high is not None]
        frames = lower_there is not None and upper_there is not None
        if not ends and frames and i in needed:
            there = dict.fromkeys((*(lower_there or ()), *(upper_there or ())))
            raise InvalidData(
                f"neither data frame has a column for {feature.name!r}: they have "
                f"{some_names(there)}. An end that is not known is NaN or null"
            )
        if ends:
            read = _read_ordered if feature.ordered else _read_unordered
            columns[i] = read(feature, ends, n_rows)
    return Rows(n_rows, columns)


Ends = list[tuple[Column, Given, Given]]


def rows_for(X: Any, space: Space, used: Iterable[int], *, if_there: Iterable[int] = ()) -> Rows:
    """Read rows of any usual kind, or ranges; rows that were read stay as they are."""
    if isinstance(X, Rows):
        return X
    if isinstance(X, Between):
        return read_between(X.lower, X.upper, space, used, if_there=if_there)
    return read_rows(X, space, used, if_there=if_there)


def _conditions(ends: Ends, n_rows: int) -> Known:
    """Read the columns that are indicators: 1, 0, or NaN where both are possible."""
    out: Known = []
    for column, low, high in ends:
        if column.condition is not None:
            bit = Feature(column.name, "boolean")
            first, last, _ = _interval(bit, low, high, n_rows)
            out.append((column.condition, np.where(first == last, first, np.nan)))
    return out


# -- ordered features --------------------------------------------------------------------------


def _read_ordered(feature: Feature, ends: Ends, n_rows: int) -> CoreColumn:
    first, last = np.full(n_rows, -np.inf), np.full(n_rows, np.inf)
    number = np.ones(n_rows, dtype=bool)  # whether it can be one
    missing = np.full(n_rows, feature.nan)  # whether it can be NaN, where that is a value
    known = _conditions(ends, n_rows)
    if known:
        _, low, high = read_intervals(feature, known, n_rows)
        assert low is not None
        assert high is not None
        number, missing = ~np.isnan(low), missing & np.isnan(high)
        first, last = np.fmax(first, low), np.fmin(last, high)
    for column, below, above in ends:
        if column.condition is None:
            low, high, bounded = _interval(feature, below, above, n_rows)
            first, last = np.maximum(first, low), np.minimum(last, high)
            missing = missing & ~bounded  # what lies between two numbers is a number
    number &= first <= last
    no_contradiction(feature, ~number & ~missing)
    if feature.nan:  # this is how the core learns that NaN is possible
        last = np.fmax(last, -np.finfo(np.float64).max)  # -inf itself is below every threshold too
        first, last = np.where(number, first, np.nan), np.where(missing, np.nan, last)
    return CoreColumn(BETWEEN, first, last)


def _interval(
    feature: Feature, below: Given, above: Given, n_rows: int
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Give the first and last value of a feature in a range, and whether there was a bound."""
    low, high = _numbers(feature, below, n_rows), _numbers(feature, above, n_rows)
    _refuse(feature, low, high, low > high, "from {} to {} is not a range: lower is above upper")
    # A row's own numbers are rounded to the nearest float32, so both ends are, too: all values
    # that rows between them can have lie between the rounded ends.
    first, last = as_values(feature, low), as_values(feature, high)
    bottom, top = (0.0, 1.0) if feature.kind == "boolean" else (-np.inf, np.inf)
    if feature.whole:
        first, last = np.ceil(first), np.floor(last)
    first, last = np.fmax(first, bottom), np.fmin(last, top)  # NaN gives way
    if feature.whole:
        empty = (first > last) | (first == np.inf) | (last == -np.inf)
        what = "neither 0 nor 1" if feature.kind == "boolean" else "no whole number"
        _refuse(feature, low, high, empty, what + " lies from {} to {}")
    return first, last, ~np.isnan(low) | ~np.isnan(high)


def _numbers(feature: Feature, values: Given, n_rows: int) -> Floats:
    if values is None:
        return np.full(n_rows, np.nan)
    kind: Values = "float32" if feature.values == "float32" else "float64"
    any_number = Feature(feature.name, values=kind)  # is a bound
    _, numbers, _ = read_numbers(any_number, values)
    return np.asarray(numbers, dtype=np.float64)


def _refuse(feature: Feature, low: Floats, high: Floats, bad: Any, what: str) -> None:
    if np.any(bad):
        row = int(np.argmax(bad))
        ends = (
            "no bound" if np.isnan(x[row]) else short_number(float(x[row])) for x in (low, high)
        )
        raise InvalidData(f"row {row}, feature {feature.name!r}: {what.format(*ends)}")


# -- categorical features ----------------------------------------------------------------------


def _read_unordered(feature: Feature, ends: Ends, n_rows: int) -> CoreColumn:
    allowed = np.ones((n_rows, feature.n_values), dtype=bool)
    known = _conditions(ends, n_rows)
    if known:
        kind, values, _ = read_among(feature, known, n_rows)
        assert values is not None
        if kind == CODE:
            allowed = (values[:, None] < 0) | (values[:, None] == np.arange(feature.n_values))
        else:
            allowed = values.astype(bool)
    for column, low, high in ends:
        if column.condition is not None:
            continue
        for row in range(n_rows):
            codes = _codes(feature, None if low is None else low[row],
                           None if high is None else high[row], row)  # fmt: skip
            if codes is not None:
                one = np.zeros(feature.n_values, dtype=bool)
                one[codes] = True
                allowed[row] &= one
    no_contradiction(feature, np.asarray(~allowed.any(axis=1)))
    return CoreColumn(AMONG, allowed.astype(np.uint8))


def _codes(feature: Feature, low: Any, high: Any, row: int) -> list[int] | None:
    """Give the numbers of the values that a row allows; None if it allows all."""
    many = isinstance(low, COLLECTIONS)
    if not is_unknown(high) and (many or is_unknown(low) or low != high):
        raise InvalidData(
            f"row {row}, feature {feature.name!r}: upper is {high!r:.80}, but categories have no "
            "order. Give the possible values as a set in lower, and None in upper"
        )
    if not many:
        if is_unknown(low):
            return None
        low = [low]
    if len(low) == 0:
        raise InvalidData(f"row {row}, feature {feature.name!r}: the set of values is empty")
    out = []
    for value in low:
        label = value.item() if isinstance(value, np.generic) else value
        code = None
        if is_unknown(label):
            code = feature.n_values - 1 if feature.nan else None
        elif isinstance(label, bool | int | float | str):
            code = feature.code(label)
        if code is None:
            raise InvalidData(
                f"row {row}, feature {feature.name!r}: it has no value {value!r:.80}; it must be "
                f"one of {some_names(feature.categories)}"
            )
        out.append(code)
    return out
