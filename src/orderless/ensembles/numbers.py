"""Models of numbers: whether the number of a row is certain, and between which it lies.

In:  an ``Ensemble`` of numbers, and rows as boxes.
Out: ``NumberVerdicts``; a model of classes, cut at levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from ..model import (
    Floats,
    Rule,
    SumKernel,
    level_labels,
    place_of,
    read_levels,
    read_probability,
    short_number,
)
from .bounds_of_sums import (
    cells_of,
    divided_down,
    divided_up,
    ends_of_boxes,
    n_cells,
    never_rounds,
    one_leaf_each,
)
from .boxes import CERTAIN, IMPOSSIBLE, OPEN, RowBoxes
from .links import linked, numbers_of, probabilities, refuse_no_probabilities

__all__ = [
    "OUT_OF_TIME",
    "NumberVerdicts",
    "around_numbers",
    "between_numbers",
    "cut_numbers",
    "decide_at",
    "number_verdicts",
]

OUT_OF_TIME, WITHIN_ROUNDING = 2, 3
FEW, MANY = 256, 4096  # completions that are all looked at; where all sums are one but for rounding


class NumberVerdicts(NamedTuple):
    """By row: status, the number where it is certain, and the ends of what is possible."""

    status: NDArray[np.uint8]
    number: Floats
    lower: Floats
    upper: Floats
    exact: NDArray[np.bool_]
    low_cell: NDArray[np.int32]
    high_cell: NDArray[np.int32]


def number_verdicts(ensemble: SumKernel, rows: RowBoxes, threads: int) -> NumberVerdicts:
    """Decide every row; a number is certain if the library gives it for every completion."""
    n = len(rows.cells)
    out = NumberVerdicts(
        np.zeros(n, dtype=np.uint8), np.zeros(n), np.zeros(n), np.zeros(n),
        np.ones(n, dtype=bool), rows.cells.copy(), rows.cells.copy(),
    )  # fmt: skip
    known = np.flatnonzero(rows.complete)
    if len(known):
        cells = np.ascontiguousarray(rows.cells[known])
        number = numbers_of(ensemble, ensemble.summed.evaluate(cells, threads).sums)
        out.number[known] = out.lower[known] = out.upper[known] = number
    for which, boxes, of_row, own, seconds in rows.blocks():
        part = _of_boxes(own, boxes, seconds, threads)
        for name in out._fields:
            getattr(out, name)[which] = getattr(part, name)[of_row]
    out.status[rows.impossible] = IMPOSSIBLE
    for ends in (out.number, out.lower, out.upper):
        ends[rows.impossible] = np.nan
    return out


def _of_boxes(
    ensemble: SumKernel, boxes: NDArray[np.uint8], seconds: float, threads: int
) -> NumberVerdicts:
    ends = ends_of_boxes(ensemble, boxes, np.ones(1, dtype=np.int64), seconds, threads)
    sums = ensemble.summed
    low = numbers_of(ensemble, sums.evaluate(np.ascontiguousarray(ends.low_cell), threads).sums)
    high = numbers_of(ensemble, sums.evaluate(np.ascontiguousarray(ends.high_cell), threads).sums)
    certain = ends.exact & ends.same
    if ensemble.whole.slack.any():
        certain = one_leaf_each(ensemble, boxes, certain)
    exact = ends.exact | certain
    lower = linked(ensemble, divided_down(ensemble, ends.lower, ends.upper))
    upper = linked(ensemble, divided_up(ensemble, ends.lower, ends.upper))
    status = np.where(
        certain,
        CERTAIN,
        np.where(low != high, OPEN, np.where(exact, WITHIN_ROUNDING, OUT_OF_TIME)),
    ).astype(np.uint8)
    own = certain | (exact if never_rounds(ensemble) else False)
    out = NumberVerdicts(
        status,
        low,
        np.where(own, low, lower),
        np.where(own, np.where(certain, low, high), upper),
        exact,
        ends.low_cell.copy(),
        ends.high_cell.copy(),
    )
    if boxes.shape[1] and not never_rounds(ensemble):
        alike = ends.exact & ends.same  # but for rounding
        few = n_cells(ensemble.bins, boxes) <= np.where(alike, MANY, FEW)
        for i in np.flatnonzero(few & ~certain).tolist():
            _look_at_all(out, i, ensemble, boxes[i], threads)
    return out


def _look_at_all(
    out: NumberVerdicts, i: int, ensemble: SumKernel, box: NDArray[np.uint8], threads: int
) -> None:
    """Decide a box by all of its cells, as the library adds them up."""
    cells = cells_of(ensemble, box)
    if not len(cells):
        return
    numbers = numbers_of(ensemble, ensemble.summed.evaluate(cells, threads).sums)
    low, high = int(np.argmin(numbers)), int(np.argmax(numbers))
    out.number[i] = out.lower[i] = numbers[low]
    out.upper[i], out.exact[i] = numbers[high], True
    out.status[i] = CERTAIN if numbers[low] == numbers[high] else OPEN
    out.low_cell[i], out.high_cell[i] = cells[low], cells[high]


# -- classes of numbers --------------------------------------------------------------------------


def cut_numbers(
    ensemble: SumKernel, levels: Sequence[float], labels: Sequence[Any] | None
) -> SumKernel:
    """Give a model of the intervals that numbers fall into; see ``Model.discretize``."""
    if ensemble.task != "regression":
        raise InvalidTree("only a model of numbers can be cut at levels, and this one says classes")
    at = read_levels(levels)
    names = level_labels(at, labels)
    cuts = [_largest_sum(ensemble, level) for level in at]
    if any(low >= high for low, high in pairwise(cuts)):
        raise InvalidTree(
            f"the levels {at!r:.80} are so close that the model has no number between two of them"
        )
    return _with_cuts(ensemble, cuts, names)


def around_numbers(ensemble: SumKernel, lower: float, upper: float) -> SumKernel:
    """Give a model of classes: below an interval, inside it ("10 to 14"), above it."""
    low, high = short_number(lower), short_number(upper)
    labels = [f"below {low}", low if lower == upper else f"{low} to {high}", f"above {high}"]
    below = float(np.nextafter(lower, -np.inf))
    return _with_cuts(
        ensemble, [_largest_sum(ensemble, below), _largest_sum(ensemble, upper)], labels
    )


def between_numbers(ensemble: SumKernel, lower: float, upper: float) -> SumKernel | None:
    """Give a model of classes whose class 1 is a number above one end, up to the other.

    None if the model makes no such number of any sum. An end may be infinite.
    """
    ends = [_largest_sum(ensemble, end) for end in (lower, upper)]
    return _with_cuts(ensemble, ends, ["below", "inside", "above"]) if ends[0] < ends[1] else None


def decide_at(ensemble: SumKernel, label: Any, probability: float) -> SumKernel:
    """Give "is the probability of a class at least this?"; see ``Model.decide_at``."""
    place, level = place_of(ensemble.classes, label), read_probability(probability)
    refuse_no_probabilities(ensemble)
    if ensemble.link == "softmax":
        raise InvalidTree(
            "the probabilities of this model come from a softmax of several scores, so that a "
            "cut-off is not a cut of one sum: ask predict_interval(X, of='probability')"
        )
    score = _score_of(ensemble, place)
    if ensemble.rule.kind == "cuts":  # the first class is the more likely, the lower the sum is
        sign = 1.0 if place else -1.0

        def below(number: float) -> bool:
            return bool(probabilities(ensemble, np.array([[sign * number]]))[0, place] < level)

    else:

        def below(number: float) -> bool:
            return bool(numbers_of(score, np.array([[number]]))[0] < level)

    return _with_cuts(score, [_last_sum(score, below)], [False, True])


def _score_of(ensemble: SumKernel, place: int) -> SumKernel:
    """Give the model of numbers whose sum rises with the probability of a class."""
    adding = ensemble.adding
    if ensemble.rule.kind == "cuts":
        sign = 1.0 if place else -1.0
        base, values = (sign * adding.base[0],), [sign * own for own in ensemble.values]
        trees = list(ensemble.trees)
    else:
        base = (adding.base[place],)
        added = [at for at, own in enumerate(ensemble.scores.tolist()) if own in (-1, place)]
        values = [ensemble.values[at][:, place : place + 1] for at in added]
        trees = [ensemble.trees[at] for at in added]
    return SumKernel(
        trees,
        values,
        adding=adding._replace(base=base),
        rule=Rule("number"),
        link=ensemble.link,
        factor=ensemble.factor,
    )


def _with_cuts(ensemble: SumKernel, cuts: Sequence[float], labels: Sequence[Any]) -> SumKernel:
    rule = Rule("cuts", cuts=tuple(cuts), window=ensemble.rule.window)
    return ensemble.replace(classes=labels, rule=rule, link="identity")


def _largest_sum(ensemble: SumKernel, level: float) -> float:
    """Give the largest sum of which the library makes a number of at most the level."""
    return _last_sum(
        ensemble, lambda number: bool(numbers_of(ensemble, np.array([[number]]))[0] <= level)
    )


def _last_sum(ensemble: SumKernel, holds: Callable[[float], bool]) -> float:
    """Give the largest sum for which something holds that holds up to some sum.

    What the library makes of sums rises with them, so the sum is found by halving floats by their
    order.
    """
    reach = float(
        abs(ensemble.adding.base[0]) + sum(np.abs(own).max(initial=0.0) for own in ensemble.values)
    )
    low, high = _place(-2 * reach - 1.0), _place(2 * reach + 1.0)

    def fits(place: int) -> bool:
        return holds(_float_at(place))

    if fits(high):
        return _float_at(high)
    if not fits(low):
        return _float_at(low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return _float_at(low)


def _place(number: float) -> int:
    """Give the place of a float among all floats, by size."""
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(2**63) - bits


def _float_at(place: int) -> float:
    return float(np.int64(place if place >= 0 else -(2**63) - place).view(np.float64))
