"""Completed rows: a box as a row that the library itself can be given.

In:  a model, one row with unknown values, and a box that meets it.
Out: the row with a value for every column, in their order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..inputs import column_value, is_unknown, read_rows, row_and_cells
from ..model import (
    ABSENT,
    AMONG,
    BETWEEN,
    CODE,
    Column,
    CoreColumn,
    Feature,
    Rows,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    adjusted_in,
    allowed_bins,
    common_side,
    meet,
    row_values,
    value_in,
    values_in,
)

__all__ = ["OneRow", "completed", "read_one"]

Model = TreeKernel | SumKernel


class OneRow(NamedTuple):
    """One row: as it came, and as it was read."""

    given: Mapping[str, Any]
    rows: Rows


def read_one(model: Model, row: Any) -> OneRow:
    """Read one row of any kind, with those features that the model does not ask about, if any."""
    if isinstance(row, Rows):  # one that was read before, of a table
        return OneRow({}, row)
    space = model.space
    rows, cells = row_and_cells(row, space)
    others = [i for i in range(len(space.features)) if i not in set(model.used)]
    return OneRow(cells, read_rows(rows, space, model.used, also=others))


def completed(
    model: Model,
    row: OneRow,
    box: Mapping[int, Side],
    changed: Mapping[int, Side] | None = None,
) -> dict[str, Any]:
    """Give a row with a value for every column: what is known as it came, the rest in a box.

    ``box``: sides that begin and end where bins of the model do, by position of the feature. What
    the row says of the features that are ``changed`` is forgotten: they get one of these values.
    The row is read again: if its columns cannot say what the box is (a category that none of them
    is about), the feature itself is given beside them.
    """
    space, bins, changed = model.space, model.bins, changed or {}
    known = [
        CoreColumn(ABSENT) if i in changed else column for i, column in enumerate(row.rows.columns)
    ]
    sides = [_side(feature, box.get(i), changed.get(i)) for i, feature in enumerate(space.features)]
    values = [
        _value(model, i, column, side)
        for i, (column, side) in enumerate(zip(known, sides, strict=True))
    ]
    if model.connected:
        _adjust(model, row.rows, sides, changed, values)
    given = {
        column.name: row.given.get(column.name)
        for column in space.columns
        if space.index(column.feature) not in changed
    }
    out = {column.name: _cell(space, column, values, given) for column in space.columns}
    again = read_rows([out], space, model.used)
    for k, place in enumerate(bins.positions):
        inside = bins.bits_of(k, box[place]) if place in box else bins.every_bin(k)
        allowed = np.flatnonzero(allowed_bins(bins, k, again)[0]).tolist()
        if inside is None or not all(inside >> b & 1 for b in allowed):
            out[space.features[place].name] = values[place]
    return out


def _adjust(
    model: Model, rows: Rows, sides: Sequence[Side], changed: Mapping[int, Side], values: list[Any]
) -> None:
    """Choose values that satisfy the facts, inside the box, in place."""
    space, bins, knowledge = model.space, model.bins, model.space.domain
    kept = tuple(i for i in model.connected if i not in changed)
    domains = row_values(space, kept, rows, 0)
    for i in bins.positions:
        if i in knowledge.group_of:
            own = values_in(sides[i])
            domains[i] = meet(domains[i], own) if i in domains else own
    names = {i: space.features[i].name for i in model.connected}
    found = adjusted_in(knowledge, {name: values[i] for i, name in names.items()}, domains)
    for i, name in names.items():
        values[i] = found[name]


def _side(feature: Feature, side: Side | None, changed: Side | None) -> Side:
    """Give the values of a feature in the box, of those that it may be changed to."""
    side = Side.whole(feature) if side is None else side
    return side if changed is None else common_side(side, changed)


def _value(model: Model, place: int, column: CoreColumn, side: Side) -> Any:
    """Choose a value of a feature, of some, that fits what the row says of it."""
    feature, bins = model.space.features[place], model.bins
    cuts = [0.0][:0]
    if place in bins.positions:
        cuts = bins.cuts[bins.positions.index(place)].tolist()
    if not feature.ordered:
        codes = [code for code in side.codes if _allows(column, code)]
        return value_in(feature, [], 0.0, 0.0, False, codes)
    low, high, nan = side.lower, side.upper, side.nan
    kind, first, second = column
    if first is not None and not math.isnan(first[0]):
        low, high, nan = _narrowed(feature, column, low, high, nan)
        if kind != BETWEEN:
            number = float(first[0])
            return bool(number) if feature.kind == "boolean" else _plain(feature, number)
    elif first is not None and ((feature.nan and kind != BETWEEN) or second is not None):
        return math.nan  # the row says that it is missing
    nan = nan and not low < high  # a number, if there is one
    return value_in(feature, cuts, low, high, nan, [])


def _plain(feature: Feature, number: float) -> Any:
    return int(number) if feature.whole else number


def _narrowed(
    feature: Feature, column: CoreColumn, low: float, high: float, nan: bool
) -> tuple[float, float, bool]:
    """Cut a bin down to the interval that a row gives."""
    kind, first, second = column
    if kind != BETWEEN or first is None or second is None:
        return low, high, False
    below = float(feature.at_most(first[0], strict=True))
    low = max(low, below) if math.isfinite(first[0]) else low
    if not math.isnan(second[0]):
        high, nan = min(high, float(second[0])), False
    return low, high, nan


def _allows(column: CoreColumn, code: int) -> bool:
    """Whether a row allows a value of a categorical feature."""
    kind, first, _ = column
    if first is None:
        return True
    if kind == AMONG:
        return bool(first[0, code])
    return kind != CODE or int(first[0]) in (-1, code)


def _cell(space: Space, column: Column, values: list[Any], given: Mapping[str, Any]) -> Any:
    """Give what a column holds: what came, else the value or whether its condition holds for it."""
    came = given.get(column.name)
    if not is_unknown(came):
        return came
    return column_value(space, column, values[space.index(column.feature)])
