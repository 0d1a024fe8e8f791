"""Proven bounds of sums of trees: no completion of a row is beyond them.

In:  rows as boxes over the bins of a ``SumKernel``.
Out: bounds of each score, divided as the library divides, and whether they are reached;
     ``NumberVerdicts``: whether the number of a row is certain, and between which it lies; bounds
     of probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import BinNodes, Bins, Budget, FactTrees, Flags, Floats, SumKernel
from .boxes import (
    CERTAIN,
    IMPOSSIBLE,
    OPEN,
    OUT_OF_TIME,
    WITHIN_ROUNDING,
    Boxes,
    RowBoxes,
    slices,
)

__all__ = [
    "Extremes",
    "NumberVerdicts",
    "divided_down",
    "divided_up",
    "extremes_of_boxes",
    "n_cells",
    "never_rounds",
    "number_box",
    "number_boxes",
    "number_verdicts",
    "one_leaf_each",
    "outward",
    "probability_bounds",
    "score_bounds",
]

FEW, MANY = 256, 4096  # completions that are all looked at; where all sums are one but for rounding
FEW_SHARES = 4096  # completions whose probabilities are all looked at
TOGETHER = 256  # boxes whose completions are added up at one time
MEET = 2.0**-40  # bounds that differ by less are one number, computed in two ways


class Extremes(NamedTuple):
    """Least and largest values of a weighted sum of scores over boxes, in floats, not divided.

    ``lower`` and ``upper`` are proven for the library's own sums; ``exact``: a completion comes as
    close to both as the library rounds; ``same``: they are one but for rounding. The cells are
    completions that come near the ends.
    """

    lower: Floats
    upper: Floats
    exact: NDArray[np.bool_]
    same: NDArray[np.bool_]
    low_cell: NDArray[np.int32]
    high_cell: NDArray[np.int32]


def extremes_of_boxes(
    ensemble: SumKernel, boxes: Boxes, weights: NDArray[np.int64], seconds: float, threads: int
) -> Extremes:
    """Give the ends of a weighted sum of scores; see ``decide_boxes``."""
    flags, each = np.ascontiguousarray(boxes), Budget.current().each
    found = ensemble.summed.extremes(flags, weights, seconds, threads, each)
    whole = ensemble.whole
    slack = int((np.abs(weights) * whole.slack).sum())
    return Extremes(
        outward(found.low, slack, whole.exponent, -np.inf),
        outward(found.high, slack, whole.exponent, np.inf),
        np.asarray((found.low == found.found_low) & (found.high == found.found_high)),
        np.asarray(found.low == found.high),
        found.low_cell,
        found.high_cell,
    )


def outward(whole: NDArray[np.int64], slack: int, exponent: int, towards: float) -> Floats:
    """Give whole numbers as floats, moved by the slack and rounded towards an infinity.

    Examples
    --------
    >>> outward(np.array([5]), 0, -1, -np.inf).tolist()
    [2.5]
    >>> outward(np.array([2**60 + 1]), 0, 0, np.inf) > float(2**60)
    array([ True])
    """
    moved = whole.astype(np.int64) + (slack if towards > 0 else -slack)
    floats = moved.astype(np.float64)
    # From 2^53 on the float may be a neighbour on the wrong side.
    back = np.array([int(f) for f in floats.tolist()], dtype=object)
    wrong = np.array([(b < m) if towards > 0 else (b > m)
                      for b, m in zip(back, moved.tolist(), strict=True)], dtype=bool)  # fmt: skip
    floats[wrong] = np.nextafter(floats[wrong], towards)
    return np.asarray(np.ldexp(floats, exponent))


def score_bounds(rows: RowBoxes, threads: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Give rows x scores: divided ends, and whether they are exact.

    Complete rows, and those of which every tree reaches one leaf only, have equal ends: what the
    library itself adds up.
    """
    ensemble = rows.ensemble
    shape = (len(rows.cells), ensemble.n_scores)
    lower, upper, exact = np.zeros(shape), np.zeros(shape), np.ones(shape, dtype=bool)
    known = np.flatnonzero(rows.complete)
    if len(known):
        cells = np.ascontiguousarray(rows.cells[known])
        lower[known] = ensemble.summed.evaluate(cells, threads).sums
        upper[known] = lower[known]
    for which, boxes, of_row, own, seconds in rows.blocks():
        low, high, flags = _score_bounds(own, boxes, seconds, threads)
        lower[which], upper[which], exact[which] = low[of_row], high[of_row], flags[of_row]
    lower[rows.impossible] = upper[rows.impossible] = np.nan
    return divided_down(ensemble, lower, upper), divided_up(ensemble, lower, upper), exact


def _score_bounds(
    ensemble: SumKernel, boxes: Boxes, seconds: float, threads: int
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    budget = Budget(seconds)
    shape = (len(boxes), ensemble.n_scores)
    lower, upper, exact = np.zeros(shape), np.zeros(shape), np.ones(shape, dtype=bool)
    cells = np.zeros((len(boxes), len(ensemble.bins.features)), dtype=np.int32)
    same_ends = np.ones(len(boxes), dtype=bool)
    for s in range(ensemble.n_scores):
        weights = np.zeros(ensemble.n_scores, dtype=np.int64)
        weights[s] = 1
        here = budget.left / (ensemble.n_scores - s)
        ends = extremes_of_boxes(ensemble, boxes, weights, here, threads)
        lower[:, s], upper[:, s], exact[:, s] = ends.lower, ends.upper, ends.exact
        cells, same_ends = ends.low_cell, same_ends & ends.same
    if ensemble.whole.slack.any():
        same = np.flatnonzero(one_leaf_each(ensemble, boxes, same_ends))
        if len(same):
            sums = ensemble.summed.evaluate(np.ascontiguousarray(cells[same]), threads).sums
            lower[same] = upper[same] = sums
            exact[same] = True
    return lower, upper, exact


def divided_down(ensemble: SumKernel, lower: Floats, upper: Floats) -> Floats:
    """Divide lower ends; below what the library makes of any sum that is not below them."""
    return _rounded(ensemble, lower, lower == upper, -np.inf)


def divided_up(ensemble: SumKernel, lower: Floats, upper: Floats) -> Floats:
    """Divide upper ends; above what the library makes of any sum that is not above them."""
    return _rounded(ensemble, upper, lower == upper, np.inf)


def _rounded(ensemble: SumKernel, ends: Floats, same: NDArray[np.bool_], towards: float) -> Floats:
    plain = ensemble.divided(ends)
    if not ensemble.whole.slack.any():
        return plain
    rough = ends / ensemble.adding.divisor
    if ensemble.adding.precision == "float32":
        with np.errstate(over="ignore"):
            near = rough.astype(np.float32)
        wrong = near > rough if towards < 0 else near < rough
        near = np.where(wrong, np.nextafter(near, np.float32(towards)), near)
        rough = near.astype(np.float64)
    elif ensemble.adding.divisor != 1:
        rough = np.nextafter(rough, towards)
    return np.where(same, plain, rough)


def one_leaf_each(ensemble: SumKernel, boxes: Boxes, may: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell in which boxes every tree reaches leaves of one value only; others than ``may`` do not.

    Where facts hold, leaves are those that possible rows reach. Boxes whose ends differ need not be
    looked at: this walks down all trees.
    """
    alike = may.copy()
    which = np.flatnonzero(may)
    if not len(which):
        return alike
    bins = ensemble.bins
    inside = boxes[which].view(np.bool_)
    first = np.cumsum([0, *(len(own) for own in ensemble.values)])
    for t, start in enumerate(ensemble.starts.tolist()):
        distinct, number = np.unique(ensemble.values[t], axis=0, return_inverse=True)
        if len(distinct) == 1:
            continue
        met = np.zeros((len(which), len(distinct)), dtype=bool)
        for node, here, left in _reached(bins, bins.nodes, start, inside):
            if ensemble.excluded is not None:
                here = here & _some_possible(bins, ensemble.excluded, _narrowed(bins, inside, left))
            met[:, number.ravel()[bins.nodes.leaf_class[node] - first[t]]] |= here
        alike[which[met.sum(axis=1) > 1]] = False
    return alike


def _some_possible(bins: Bins, excluded: FactTrees, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which boxes have a cell that facts do not exclude."""
    out = np.ones(len(inside), dtype=bool)
    for root in excluded.roots.tolist():
        found = np.zeros(len(inside), dtype=bool)
        for node, here, _ in _reached(bins, excluded.nodes, root, inside):
            if excluded.nodes.leaf_class[node] == 0:
                found |= here
        out &= found
    return out


def never_rounds(ensemble: SumKernel) -> bool:
    """Whether the library's own sums at exact ends are the ends of all its sums.

    Where nothing is rounded they are, and where one tree is all there is: its additions rise with
    what is added.
    """
    if not ensemble.whole.slack.any():
        return True
    own, whole = np.concatenate(ensemble.values), ensemble.whole.values
    return ensemble.n_trees == 1 and len(np.unique(own)) == len(np.unique(whole))


def n_cells(bins: Bins, boxes: Boxes) -> Floats:
    """Count the cells of each box."""
    out = np.ones(len(boxes))
    for at in slices(bins):
        out *= boxes[:, at].sum(axis=1)
    return out


class _AllCells(NamedTuple):
    """Every cell of some boxes, one box after the other, and the library's own sums of each.

    ``start``: where the cells of each box begin. A box without a possible cell is not there;
    ``which`` has those that are.
    """

    which: NDArray[np.intp]
    start: NDArray[np.intp]
    cells: NDArray[np.int32]
    sums: Floats


def _all_cells(
    ensemble: SumKernel, boxes: Boxes, which: NDArray[np.intp], threads: int
) -> Iterator[_AllCells]:
    """Add up every cell of some of the boxes, as the library does; a few boxes at a time."""
    for first in range(0, len(which), TOGETHER):
        some = which[first : first + TOGETHER]
        cells = [cells_of(ensemble, boxes[i]) for i in some.tolist()]
        sizes = np.array([len(own) for own in cells])
        if sizes.any():
            start = (np.cumsum(sizes) - sizes)[sizes > 0]
            every = np.concatenate(cells)
            yield _AllCells(
                some[sizes > 0], start, every, ensemble.summed.evaluate(every, threads).sums
            )


def cells_of(ensemble: SumKernel, box: Boxes) -> NDArray[np.int32]:
    """Give every cell of a box; where facts hold, those that they do not exclude."""
    bins = ensemble.bins
    inside = [np.flatnonzero(box[at]) for at in slices(bins)]
    sizes = tuple(map(len, inside))
    n = math.prod(sizes)
    cells = np.empty((n, len(inside)), dtype=np.int32)
    for k, place in enumerate(np.unravel_index(np.arange(n), sizes)):
        cells[:, k] = inside[k][place]
    if ensemble.excluded is None:
        return cells
    single = np.zeros((len(cells), len(box)), dtype=bool)
    for k, at in enumerate(slices(bins)):
        single[np.arange(len(cells)), at.start + cells[:, k]] = True
    return cells[_some_possible(bins, ensemble.excluded, single)]


Left = dict[int, NDArray[np.bool_]]  # by feature the bins that a path leaves


def _reached(
    bins: Bins, nodes: BinNodes, start: int, inside: NDArray[np.bool_]
) -> Iterator[tuple[int, NDArray[np.bool_], Left]]:
    """Go through the leaves of a tree: which boxes can reach each, and what its path leaves.

    A path may ask about a feature twice, so what it leaves of each feature goes down with it.
    """
    ends = np.cumsum([0, *bins.widths])
    todo = [(start, np.ones(len(inside), dtype=bool), Left())]
    while todo:
        node, here, left = todo.pop()
        k = int(nodes.feature[node])
        if k < 0:
            yield node, here, left
            continue
        own = left.get(k, np.ones(bins.widths[k], dtype=bool))
        holds = bins.holds(node, nodes)
        for child, side in (
            (int(nodes.when_true[node]), own & holds),
            (int(nodes.when_false[node]), own & ~holds),
        ):
            meets = here & (inside[:, ends[k] : ends[k + 1]] & side).any(axis=1)
            if meets.any():
                todo.append((child, meets, {**left, k: side}))


def _narrowed(bins: Bins, inside: NDArray[np.bool_], left: Left) -> NDArray[np.bool_]:
    ends = np.cumsum([0, *bins.widths])
    out = inside.copy()
    for k, side in left.items():
        out[:, ends[k] : ends[k + 1]] &= side
    return out


# -- numbers -------------------------------------------------------------------------------------


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
        number = ensemble.numbers_of(ensemble.summed.evaluate(cells, threads).sums)
        out.number[known] = out.lower[known] = out.upper[known] = number
    for which, boxes, of_row, own, seconds in rows.blocks():
        part = number_boxes(own, boxes, seconds, threads)
        for name in out._fields:
            getattr(out, name)[which] = getattr(part, name)[of_row]
    out.status[rows.impossible] = IMPOSSIBLE
    for ends in (out.number, out.lower, out.upper):
        ends[rows.impossible] = np.nan
    return out


def number_boxes(ensemble: SumKernel, boxes: Boxes, seconds: float, threads: int) -> NumberVerdicts:
    """Decide boxes, which share the time."""
    ends = extremes_of_boxes(ensemble, boxes, np.ones(1, dtype=np.int64), seconds, threads)
    sums = ensemble.summed
    low = ensemble.numbers_of(sums.evaluate(np.ascontiguousarray(ends.low_cell), threads).sums)
    high = ensemble.numbers_of(sums.evaluate(np.ascontiguousarray(ends.high_cell), threads).sums)
    certain = ends.exact & ends.same
    if ensemble.whole.slack.any():
        certain = one_leaf_each(ensemble, boxes, certain)
    exact = ends.exact | certain
    lower = ensemble.linked(divided_down(ensemble, ends.lower, ends.upper))
    upper = ensemble.linked(divided_up(ensemble, ends.lower, ends.upper))
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
        _look_at_all(out, np.flatnonzero(few & ~certain), ensemble, boxes, threads)
    return out


def number_box(ensemble: SumKernel, box: Boxes, seconds: float) -> NumberVerdicts:
    """Decide one box."""
    return number_boxes(ensemble, box[None], seconds, 1)


def _look_at_all(
    out: NumberVerdicts, which: NDArray[np.intp], ensemble: SumKernel, boxes: Boxes, threads: int
) -> None:
    """Decide some boxes by all of their cells, as the library adds them up."""
    for found in _all_cells(ensemble, boxes, which, threads):
        numbers = ensemble.numbers_of(found.sums)
        ends = [*found.start[1:].tolist(), len(numbers)]
        for i, first, end in zip(found.which.tolist(), found.start.tolist(), ends, strict=True):
            own, cells = numbers[first:end], found.cells[first:end]
            low, high = int(np.argmin(own)), int(np.argmax(own))
            out.number[i] = out.lower[i] = own[low]
            out.upper[i], out.exact[i] = own[high], True
            out.status[i] = CERTAIN if own[low] == own[high] else OPEN
            out.low_cell[i], out.high_cell[i] = cells[low], cells[high]


# -- probabilities -------------------------------------------------------------------------------


def probability_bounds(rows: RowBoxes, threads: int) -> tuple[Floats, Floats, Flags]:
    """Return rows x classes: the bounds of each probability, and whether both are reached."""
    ensemble = rows.ensemble
    if ensemble.rule.kind == "cuts":
        low, high, flags = score_bounds(rows, threads)
        first, last = ensemble.linked(low[:, 0]), ensemble.linked(high[:, 0])
        lower = np.stack([ensemble.opposite(last), first], axis=1)
        upper = np.stack([ensemble.opposite(first), last], axis=1)
        return lower, upper, np.repeat(flags, 2, axis=1)
    if ensemble.link == "identity":
        low, high, exact = score_bounds(rows, threads)
        lower, upper = (np.clip(ensemble.linked(ends), 0.0, 1.0) for ends in (low, high))
        return lower, upper, exact
    return _softmax_bounds(rows, threads)


def _softmax_bounds(rows: RowBoxes, threads: int) -> tuple[Floats, Floats, Flags]:
    ensemble = rows.ensemble
    shape = (len(rows.cells), len(ensemble.classes))
    lower, upper, exact = np.zeros(shape), np.zeros(shape), np.ones(shape, dtype=bool)
    known = np.flatnonzero(rows.complete)
    if len(known):
        cells = np.ascontiguousarray(rows.cells[known])
        sums = ensemble.summed.evaluate(cells, threads).sums
        lower[known] = upper[known] = ensemble.probabilities(sums)
    for which, boxes, of_row, own, seconds in rows.blocks():
        few = (n_cells(ensemble.bins, boxes) <= FEW_SHARES) & (own is ensemble)
        low, high, flags = np.zeros((3, len(boxes), shape[1]))
        if not few.all():
            low[~few], high[~few], flags[~few] = _softmax_boxes(own, boxes[~few], seconds, threads)
        for found in _all_cells(ensemble, boxes, np.flatnonzero(few), threads):
            shares = ensemble.probabilities(found.sums)
            low[found.which] = np.minimum.reduceat(shares, found.start)
            high[found.which] = np.maximum.reduceat(shares, found.start)
            flags[found.which] = 1.0
        lower[which], upper[which], exact[which] = low[of_row], high[of_row], flags[of_row] > 0
    lower[rows.impossible] = upper[rows.impossible] = np.nan
    return lower, upper, exact


def _softmax_boxes(
    ensemble: SumKernel, boxes: Boxes, seconds: float, threads: int
) -> tuple[Floats, Floats, Flags]:
    """Bound each probability by the ends of the differences of two scores.

    The probability of c is 1 / (1 + sum over the others d of exp(score d - score c)). With each
    difference at its own end the result is a proven bound; it is exact if one completion has it.
    """
    budget, n = Budget(seconds), len(ensemble.classes)
    pairs = list(combinations(range(n), 2))
    stretch = ensemble.factor / ensemble.adding.divisor
    low, high = np.zeros((2, len(boxes), n, n))  # ends of score d - score c, at [box, c, d]
    found_low = np.ones((len(boxes), n))
    found_high = np.zeros((len(boxes), n))
    for i, (c, d) in enumerate(pairs):
        weights = np.zeros(n, dtype=np.int64)
        weights[d], weights[c] = 1, -1
        here = budget.left / (len(pairs) - i)
        ends = extremes_of_boxes(ensemble, boxes, weights, here, threads)
        low[:, c, d], high[:, c, d] = ends.lower * stretch, ends.upper * stretch
        low[:, d, c], high[:, d, c] = -ends.upper * stretch, -ends.lower * stretch
        for cells in (ends.low_cell, ends.high_cell):
            sums = ensemble.summed.evaluate(np.ascontiguousarray(cells), threads).sums
            shares = ensemble.probabilities(sums)
            found_low = np.minimum(found_low, shares)
            found_high = np.maximum(found_high, shares)
    with np.errstate(over="ignore", under="ignore"):  # exp(0) stands for the class itself
        lower = 1 / np.exp(high).sum(axis=2)
        upper = 1 / np.exp(low).sum(axis=2)
    whole = ensemble.whole
    rounding = 4 * stretch * float(np.ldexp(float(whole.slack.max()), whole.exponent))
    near = (MEET + rounding) * upper
    met = (found_low - lower <= near) & (upper - found_high <= near)
    return np.minimum(lower, found_low), np.maximum(upper, found_high), np.asarray(met)
