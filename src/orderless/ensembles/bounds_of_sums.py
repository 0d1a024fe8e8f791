"""Proven ends of sums: no completion of a row is beyond them.

In:  rows as boxes over the bins of an ``Ensemble``.
Out: the ends of each score, divided as the library divides, and whether they are reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import BinNodes, Bins, Budget, FactTrees, Floats, SumKernel
from .boxes import RowBoxes, slices

__all__ = [
    "Ends",
    "cells_of",
    "divided_down",
    "divided_up",
    "ends_of_boxes",
    "n_cells",
    "never_rounds",
    "one_leaf_each",
    "outward",
    "score_ends",
]

Boxes = NDArray[np.uint8]


class Ends(NamedTuple):
    """Ends of a weighted sum of scores over boxes, in floats, not divided.

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


def ends_of_boxes(
    ensemble: SumKernel, boxes: Boxes, weights: NDArray[np.int64], seconds: float, threads: int
) -> Ends:
    """Give the ends of a weighted sum of scores; see ``decide_boxes``."""
    flags, each = np.ascontiguousarray(boxes), Budget.current().each
    found = ensemble.summed.extremes(flags, weights, seconds, threads, each)
    whole = ensemble.whole
    slack = int((np.abs(weights) * whole.slack).sum())
    return Ends(
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


def score_ends(rows: RowBoxes, threads: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
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
        low, high, flags = _ends(own, boxes, seconds, threads)
        lower[which], upper[which], exact[which] = low[of_row], high[of_row], flags[of_row]
    lower[rows.impossible] = upper[rows.impossible] = np.nan
    return divided_down(ensemble, lower, upper), divided_up(ensemble, lower, upper), exact


def _ends(
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
        ends = ends_of_boxes(ensemble, boxes, weights, here, threads)
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


def cells_of(ensemble: SumKernel, box: Boxes) -> NDArray[np.int32]:
    """Give every cell of a box; where facts hold, those that they do not exclude."""
    bins = ensemble.bins
    inside = [np.flatnonzero(box[at]) for at in slices(bins)]
    grid = np.meshgrid(*inside, indexing="ij")
    cells = np.ascontiguousarray(np.stack([own.ravel() for own in grid], axis=1), dtype=np.int32)
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
