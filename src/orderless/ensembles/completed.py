"""Completed rows: a cell of bins as a row that the library itself can be given.

In:  an ``Ensemble``, one row with unknown values, and a cell inside its box.
Out: the row with a value for every column, in their order; two such rows as a witness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..form import adjusted_in, common_side
from ..inputs import (
    ABSENT,
    AMONG,
    BETWEEN,
    CODE,
    CoreColumn,
    Rows,
    column_value,
    is_unknown,
    read_rows,
    refuse_contradiction,
    row_and_cells,
    row_domains,
)
from ..model import (
    Column,
    Feature,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    domain_of,
    each_check_in_time,
    meet,
    value_in,
)
from .boxes import CERTAIN, OPEN, RowBoxes, check_time_limit, decide_boxes, undecided
from .numbers import number_verdicts
from .votes import as_ensemble

__all__ = ["OneRow", "completed", "read_one", "witness_rows"]


class OneRow(NamedTuple):
    """One row: as it came, and as it was read."""

    given: Mapping[str, Any]
    rows: Rows


def read_one(ensemble: SumKernel, row: Any) -> OneRow:
    """Read one row of any kind, with the features that no tree asks about where it has them."""
    if isinstance(row, OneRow):
        return row
    if isinstance(row, Rows):  # one that was read before, of a table
        return OneRow({}, row)
    space = ensemble.space
    rows, cells = row_and_cells(row, space)
    others = [i for i in range(len(space.features)) if i not in set(ensemble.used)]
    return OneRow(cells, read_rows(rows, space, ensemble.used, also=others))


@each_check_in_time
def witness_rows(
    model: TreeKernel | SumKernel, row: Any, time_limit: float
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Give two completions with different answers; see ``Explanation.witness``."""
    limit = check_time_limit(time_limit)
    ensemble = as_ensemble(model)
    one = read_one(ensemble, row)
    refuse_contradiction(ensemble, one.rows)
    boxes = RowBoxes(ensemble, one.rows)
    if ensemble.task == "regression":
        numbers = number_verdicts(ensemble, boxes, limit, 1)
        status, pair = int(numbers.status[0]), (numbers.low_cell[0], numbers.high_cell[0])
    elif boxes.complete.all():
        status, pair = int(boxes.verdicts(limit, 1).status[0]), None
    else:
        block = next(boxes.blocks())
        found = decide_boxes(block.ensemble, block.boxes, limit)
        status, pair = int(found.status[0]), (found.first[0], found.second[0])
    if status == CERTAIN:
        return None
    if status != OPEN or pair is None:
        raise undecided(status, "it is not known whether the row is certain", limit)
    first, second = (completed(ensemble, one, cell) for cell in pair)
    return first, second


def completed(
    ensemble: SumKernel,
    row: OneRow,
    cell: NDArray[np.int32],
    changed: Mapping[int, Side] | None = None,
) -> dict[str, Any]:
    """Give a row with a value for every column: what is known as it came, the rest in its bin.

    What the row says of the features that are ``changed`` is forgotten: they get one of these
    values. The row is read again: if
    its columns cannot say what the cell is (a category that none of them is about), the feature
    itself is given beside them.
    """
    space, changed = ensemble.space, changed or {}
    known = [
        CoreColumn(ABSENT) if i in changed else column for i, column in enumerate(row.rows.columns)
    ]
    values = [
        _value(ensemble, i, column, _side(ensemble, i, cell, changed))
        for i, column in enumerate(known)
    ]
    if ensemble.connected:
        _adjust(ensemble, row.rows, cell, changed, values)
    given = {
        column.name: row.given.get(column.name)
        for column in space.columns
        if space.index(column.feature) not in changed
    }
    out = {column.name: _cell(space, column, values, given) for column in space.columns}
    again = RowBoxes(ensemble, read_rows([out], space, ensemble.used))
    for k in np.flatnonzero(again.cells[0] != cell).tolist():
        place = ensemble.bins.positions[k]
        out[space.features[place].name] = values[place]
    return out


def _adjust(
    ensemble: SumKernel, rows: Rows, cell: NDArray[np.int32], changed: Mapping[int, Side],
    values: list[Any],
) -> None:  # fmt: skip
    """Choose values that satisfy the facts, inside the cell, in place."""
    space, bins, knowledge = ensemble.space, ensemble.bins, ensemble.space.knowledge
    assert knowledge is not None
    kept = tuple(i for i in ensemble.connected if i not in changed)
    domains = row_domains(space, kept, rows, 0)
    for i in bins.positions:
        if i in knowledge.group_of:
            own = domain_of(_side(ensemble, i, cell, changed))
            domains[i] = meet(domains[i], own) if i in domains else own
    names = {i: space.features[i].name for i in ensemble.connected}
    found = adjusted_in(knowledge, {name: values[i] for i, name in names.items()}, domains)
    for i, name in names.items():
        values[i] = found[name]


def _side(
    ensemble: SumKernel, place: int, cell: NDArray[np.int32], changed: Mapping[int, Side]
) -> Side:
    """Give the values of a feature in its bin, of those that it may be changed to."""
    bins = ensemble.bins
    if place not in bins.positions:
        return Side.whole(ensemble.space.features[place])
    k = bins.positions.index(place)
    side = bins.side(k, 1 << int(cell[k]))
    return common_side(side, changed[place]) if place in changed else side


def _value(ensemble: SumKernel, place: int, column: CoreColumn, side: Side) -> Any:
    """Choose a value of a feature, of some, that fits what the row says of it."""
    feature, bins = ensemble.space.features[place], ensemble.bins
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
