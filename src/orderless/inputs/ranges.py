"""Ranges in: values that lie between two others, or are one of several; also in ``where=``.

In:  two tables, ``lower`` and ``upper``, or a dict of feature -> value, range or set; and the
     ``Space`` that says what their columns mean.
Out: ``Rows`` in which a feature is an interval or a set; a ``Side`` for each feature.
Paper: beyond it; a row with unknowns is a box (design), and a range is one more side of it.

Ends of ranges are inside, and rounded as rows are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, a_kind
from ..model import (
    ABSENT,
    AMONG,
    BETWEEN,
    CODE,
    Column,
    CoreColumn,
    Feature,
    Floats,
    Rows,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    Values,
    short_number,
)
from .frames import Between
from .names import some_names
from .rows import (
    Known,
    as_values,
    is_unknown,
    no_contradiction,
    open_rows,
    read_among,
    read_intervals,
    read_numbers,
    read_rows,
)

__all__ = ["read_between", "read_region", "rows_for"]

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


def rows_for(model: TreeKernel | SumKernel, X: Any) -> Rows:
    """Read what a model asks of rows of any usual kind; rows that were read stay as they are."""
    if isinstance(X, Rows):
        return X
    if isinstance(X, Between):
        return read_between(X.lower, X.upper, model.space, model.used, if_there=model.connected)
    return read_rows(X, model.space, model.used, if_there=model.connected)


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


ENDS = ("above", "at_least", "at_most", "below")


def read_region(given: Any, space: Space, what: str = "where") -> dict[str, Side]:
    """Read conditions on features; a feature that is not named may have every value.

    Parameters
    ----------
    given : dict of feature -> condition, or None
        Numbers: a value, a range ``(lower, upper)`` with both ends inside (None: no end), or a dict
        with some of ``above``, ``at_least``, ``at_most`` and ``below``. Categories: a value, or a
        set or list of values. NaN: the value is missing, where that is a value.
    what : str
        What the conditions are called in messages.

    Examples
    --------
    >>> space = Space({"age": "integer", "color": ["red", "blue", "green"]})
    >>> read_region({"age": (18, 25)}, space)["age"].upper
    25.0
    >>> read_region({"color": {"red", "blue"}}, space)["color"].labels
    ('red', 'blue')
    >>> read_region({"age": {"above": 18}}, space)["age"].lower
    18.0
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidData(
            f"{what} must be a dict {{feature: value, range or set}}, got {a_kind(given)}"
        )
    out = {}
    for name, condition in given.items():
        feature = space[name]
        try:
            side = (
                _ordered_side(feature, condition)
                if feature.ordered
                else _label_side(feature, condition)
            )
        except InvalidData as fault:
            text = str(fault).removeprefix("row 0, ").removeprefix(f"feature {name!r}: ")
            raise InvalidData(f"{what}, feature {name!r}: {text}") from None
        out[name] = side
    return out


def _ordered_side(feature: Feature, condition: Any) -> Side:
    if isinstance(condition, Mapping):
        return _ends_side(feature, condition)
    if isinstance(condition, set | frozenset):
        raise InvalidData(
            "a set is for categories: give a number, or a range (lower, upper) with both ends "
            "inside and None for no end"
        )
    if isinstance(condition, COLLECTIONS):
        if len(condition) != 2:
            raise InvalidData(
                f"a range has two ends, (lower, upper), got {len(condition)}: None is no end"
            )
        low, high = condition
        if is_unknown(low) and is_unknown(high):
            raise InvalidData("the range has no end: leave the feature out")
        return _range_side(feature, low, high)
    if is_unknown(condition):
        if condition is None or not feature.nan:
            raise InvalidData(
                f"{condition!r} is no value: give a number, or a range (lower, upper)"
                + (", or NaN for a value that is missing" if feature.nan else "")
            )
        return Side(feature, 0.0, 0.0, True)
    return _range_side(feature, condition, condition)


def _range_side(feature: Feature, low: Any, high: Any) -> Side:
    """Read a range as ``predict_between`` reads it; what lies between numbers is a number."""
    plain = replace(feature, nan=False)
    rows = read_between([{feature.name: low}], [{feature.name: high}], Space([plain]), [0])
    _, first, last = rows.columns[0]
    assert first is not None
    assert last is not None
    lower = float(feature.at_most(first[0], strict=True)) if first[0] > -math.inf else -math.inf
    return Side(feature, lower, float(last[0]))


def _ends_side(feature: Feature, ends: Mapping[str, Any]) -> Side:
    unknown = [key for key in ends if key not in ENDS]
    if unknown or not ends:
        raise InvalidData(
            f"the ends of a range must be some of {some_names(ENDS)}, got "
            f"{some_names(unknown) or 'none'}"
        )
    for pair in (("above", "at_least"), ("at_most", "below")):
        if all(key in ends for key in pair):
            raise InvalidData(f"give {pair[0]!r} or {pair[1]!r}, not both")
    side = Side.whole(replace(feature, nan=False))
    lower, upper = side.lower, side.upper
    for key, end in ends.items():
        if is_unknown(end):
            raise InvalidData(f"{key!r} must be a number, got {end!r}")
        if key in ("at_least", "at_most"):
            part = _range_side(feature, *((end, None) if key == "at_least" else (None, end)))
            lower, upper = max(lower, part.lower), min(upper, part.upper)
            continue
        # The end itself is outside; it is rounded as the numbers of rows are.
        number = _range_side(
            replace(feature, kind="numeric", values=_wide(feature)), end, end
        ).upper
        number = float(as_values(feature, np.asarray(number)))
        if key == "above":
            lower = max(lower, float(feature.at_most(number)))
        else:
            upper = min(upper, float(feature.at_most(number, strict=True)))
    if not lower < upper:
        raise InvalidData(f"no value lies in the range {dict(ends)!r:.120}")
    return Side(feature, lower, upper)


def _wide(feature: Feature) -> Any:
    return "float32" if feature.values == "float32" else "float64"


def _label_side(feature: Feature, condition: Any) -> Side:
    if isinstance(condition, Mapping):
        raise InvalidData(
            f"categories have no order: give a value or a set of values, got {condition!r:.80}"
        )
    if condition is None:
        raise InvalidData("None is no value: give a category, or a set of categories")
    many = condition if isinstance(condition, COLLECTIONS) else [condition]
    row = [{feature.name: list(many)}]
    _, allowed, _ = read_between(row, [{}], Space([feature]), [0]).columns[0]
    assert allowed is not None
    return Side(feature, codes=tuple(np.flatnonzero(allowed[0]).tolist()))
