"""Small changes of rows: those whose answer a step of at most so much can change.

In:  rows, a feature, how far its number may move.
Out: which rows are not stable, with one of them and what it may become.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InvalidData
from ..form import cuts_by_feature
from ..inputs import exact, row_at, rows_for
from ..model import (
    ABSENT,
    BETWEEN,
    Budget,
    CoreColumn,
    Feature,
    Flags,
    Floats,
    Rows,
    Side,
    SumKernel,
    TreeKernel,
    adjusted_in,
    counted,
    meet,
    row_values,
    values_between,
    values_in,
)
from .boxes import CERTAIN, IMPOSSIBLE, OPEN, undecided
from .rows import answer_of, verdicts_of

__all__ = ["stable_rows"]

Kernel = TreeKernel | SumKernel
Row = dict[str, Any]


def stable_rows(
    kernel: Kernel,
    feature: Feature,
    by: Fraction,
    X: Any,
) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    """Return a row that a step changes, with what it becomes, and the positions of all such rows.

    See ``Properties.stable``.
    """
    rows = rows_for(kernel, X)
    place = kernel.space.index(feature.name)
    columns = list(rows.columns)
    low, high = _ends(feature, columns[place], rows.n_rows, by)
    columns[place] = CoreColumn(BETWEEN, low, high)
    changed = _certain(kernel, rows) & ~_certain(kernel, replace(rows, columns=columns))
    at = tuple(np.flatnonzero(changed).tolist())
    if not at:
        return (), ()
    row = row_at(X, kernel.space, at[0])
    return (row, _changed(kernel, feature, row, (float(low[at[0]]), float(high[at[0]])))), at


def _certain(kernel: Kernel, rows: Rows) -> Flags:
    """Return by row whether its answer is certain; raise ``Undecided`` where time is short."""
    status = verdicts_of(kernel, rows).status
    undecided_rows = np.flatnonzero((status > OPEN) & (status != IMPOSSIBLE))
    if len(undecided_rows):
        row = int(undecided_rows[0])
        raise undecided(
            int(status[row]), f"row {row}: could not decide whether its answer changes",
            Budget.current(), row=row,
        )  # fmt: skip
    return np.asarray(status == CERTAIN)


def _ends(feature: Feature, column: CoreColumn, n_rows: int, by: Fraction) -> tuple[Floats, Floats]:
    """Give how far each number can move down and up, as the ends of intervals of the core."""
    kind, first, second = column
    if kind == ABSENT or first is None:
        return np.full(n_rows, -np.inf), np.full(n_rows, np.inf)
    last = first if second is None or kind != BETWEEN else second
    low = np.array([_moved(feature, x, -by) for x in first])
    high = np.array([_moved(feature, x, by) for x in last])
    if not feature.nan:  # unknown: every number; where NaN is a value it stays NaN
        low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return low, high


def _moved(feature: Feature, number: Any, by: Fraction) -> float:
    """Move a number, as it is written, and read the result as rows are read."""
    if not math.isfinite(number):
        return float(number)
    moved = exact(number) + by
    if feature.whole:
        whole = math.ceil(moved) if by < 0 else math.floor(moved)
        limited = min(max(whole, 0), 1) if feature.kind == "boolean" else whole
        return float(limited)
    try:
        out = float(moved)
    except OverflowError:
        return math.copysign(math.inf, by)
    if feature.values == "float32":
        with np.errstate(over="ignore"):
            out = float(np.float32(out))
    return out


def _possible(
    kernel: Kernel, feature: Feature, rest: Row, ends: tuple[float, float], near: list[float]
) -> Iterator[Any]:
    """Go through values of a feature as rows hold them; where facts hold, those that they leave.

    Between two thresholds facts may leave others than those next to them.
    """
    kind = bool if feature.kind == "boolean" else int if feature.whole else float
    knowledge, place = kernel.space.domain, kernel.space.index(feature.name)
    if place not in knowledge.group_of:
        yield from map(kind, near)
        return
    known = row_values(kernel.space, kernel.connected, rows_for(kernel, [rest]), 0)
    reach = values_between(feature, *ends, False)
    cuts = [cut for cut in _cuts_of(kernel, feature) if ends[0] <= cut < ends[1]]
    low, high = feature.bounds
    sides = {cut: Side(feature, a, cut) for a, cut in pairwise([low, *cuts, high])}
    for value in near:
        own = next(side for cut, side in sides.items() if value <= cut)
        domains = {**known, place: meet(values_in(own), reach)}
        if not domains[place].empty and knowledge.possible(domains):
            yield adjusted_in(knowledge, {feature.name: kind(value)}, domains)[feature.name]


def _cuts_of(kernel: Kernel, feature: Feature) -> list[float]:
    return cuts_by_feature(kernel.trees).get(feature.name, [])


def _changed(kernel: Kernel, feature: Feature, row: Row, ends: tuple[float, float]) -> Row:
    """Give the row with another number within reach that gets another answer."""
    space = kernel.space
    own = {space.columns[k].name for k in space.columns_of[feature.name]} | {feature.name}
    rest = {name: value for name, value in row.items() if name not in own}
    before = answer_of(kernel, row)
    cuts = [cut for cut in _cuts_of(kernel, feature) if ends[0] <= cut <= ends[1]]
    values = {*ends, *cuts, *(float(feature.above(cut)) for cut in cuts)}
    here = row.get(feature.name)
    middle = float(here) if isinstance(here, int | float) else sum(ends) / 2
    whole = counted(feature, _cuts_of(kernel, feature)) and middle == np.floor(middle)
    if whole:
        values |= {float(np.floor(cut)) + step for cut in cuts for step in (0, 1)}
    near = sorted((v for v in values if ends[0] <= v <= ends[1] and math.isfinite(v)),
                  key=lambda v: (whole and v != np.floor(v), abs(v - middle), v))  # fmt: skip
    for value in _possible(kernel, feature, rest, ends, near):
        other = {**rest, feature.name: value}
        if answer_of(kernel, other) != before:
            return {name: other.get(name) for name in dict.fromkeys([*row, feature.name])
                    if name in other}  # fmt: skip
    raise InvalidData(f"no finite value of {feature.name!r} within reach changes the row {row}")
