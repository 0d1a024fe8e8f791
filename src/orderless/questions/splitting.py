"""Splitting: the space cut into boxes on each of which an answer is certain.

In:  an ``Ensemble``, or two over the same bins.
Out: one tree that says the same; the share of the space on which two say different things.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter, OutOfTime, TooLarge, Undecided, setting
from ..model import TIME_LIMIT, BinNodes, Bins, Budget, SumKernel, TreeBuilder, TreeKernel
from ..readers import read_model
from .bounds import one_leaf_each
from .boxes import CERTAIN, Boxes, Cells, PossibleCells, decide_boxes, slices, undecided

__all__ = ["as_one_tree", "share_of_difference", "tree_in_box", "tree_of_ensemble"]

BATCH = 64  # boxes that are looked at together
WAYS = 32  # random ways down, to say how large a tree would be
DRAWS = 128  # cells of a box by which a split is chosen
SEED = 18
LEAVES = 10_000  # of a tree that is made without being asked for
WITH_OTHER_LIMITS = "or make the tree with to_tree(limit=, time_limit=), and ask that"

Labels = NDArray[np.int64]


class Oracle(Protocol):
    """What is asked of boxes and cells: an answer, as a number; -1 where there is none yet."""

    bins: Bins

    def of_boxes(self, boxes: Boxes, seconds: float) -> Labels:
        """Give what is certain on boxes, -1 elsewhere."""

    def of_cells(self, cells: Cells) -> Labels:
        """Give what holds in cells, -1 within rounding."""


class Split(NamedTuple):
    """A condition on a feature over bins: where it holds."""

    feature: int
    holds: NDArray[np.bool_]


class Splitting:
    """Cuts the space, box by box, until every box has an answer.

    The condition for a box is the one that best separates the answers of some of its cells.
    ``limit_name`` is what the caller's parameter for the limit is called.
    """

    def __init__(
        self, oracle: Oracle, limit: int, time_limit: float | None, limit_name: str = "limit"
    ) -> None:
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidParameter(
                f"{setting(limit_name, limit)}: at least one box must be allowed", limit_name
            )
        self.oracle, self.limit, self.time_limit = oracle, limit, time_limit
        self.limit_name = limit_name
        self.bins = oracle.bins
        self.at = slices(oracle.bins)
        self.random = np.random.default_rng(SEED)
        self.splits: dict[int, tuple[Split, int, int]] = {}
        self.leaves: dict[int, int] = {}
        self.settled = 0.0  # share of the space
        self.estimates = False  # whether it is worth the time to say how large it would be

    def run(
        self, done: Callable[[Boxes, int], None] | None = None, tolerance: Boxes | None = None
    ) -> None:
        """Split until every box has an answer; each box and its answer is handed to ``done``.

        ``tolerance``: the box that is split; without it, everything.
        """
        budget = Budget(self.time_limit)
        whole = np.ones(sum(self.bins.widths), dtype=np.uint8)
        todo, n_nodes = [(0, whole if tolerance is None else tolerance)], 1
        while todo:
            batch, todo = todo[-BATCH:], todo[:-BATCH]
            if budget.over:
                stopped = self._stopped(str(budget), "time_limit", len(batch) + len(todo))
                raise OutOfTime(stopped)
            answers = self.oracle.of_boxes(np.stack([box for _, box in batch]), budget.left)
            for (node, box), answer in zip(batch, answers.tolist(), strict=True):
                if answer >= 0:
                    self.leaves[node] = answer
                    self.settled += self.weight(box)
                    if done is not None:
                        done(box, answer)
                    continue
                split = self._choose(box)
                self.splits[node] = (split, n_nodes, n_nodes + 1)
                todo += [(n_nodes + i, part) for i, part in enumerate(self._parts(box, split))]
                n_nodes += 2
            if len(self.leaves) + len(todo) > self.limit:
                boxes = [box for _, box in todo]
                about = self._estimated(boxes, budget) if self.estimates else None
                bound = f"{setting(self.limit_name, self.limit)} leaves"
                stopped = self._stopped(bound, self.limit_name, len(todo), about)
                raise TooLarge(stopped, len(self.leaves))

    def _stopped(self, bound: str, parameter: str, n_left: int, about: float | None = None) -> str:
        guess = "" if about is None else f", so that it may take about {about:,.0f}"
        return (
            f"one tree takes more than {bound}: {len(self.leaves):,} leaves settle "
            f"{self.settled:.2%} of the cells, and {n_left:,} boxes are left{guess}; raise "
            f"{setting(parameter)}, or use a smaller ensemble"
        )

    def _estimated(self, boxes: list[Boxes], budget: Budget) -> float | None:
        """Estimate how many leaves there will be; None if that takes too long.

        A way down that takes either side with the same probability ends after d splits; 2^d is
        on average the number of leaves below (Knuth, 1975, on the size of search trees).
        """
        here = [boxes[i] for i in self.random.integers(len(boxes), size=WAYS).tolist()]
        found, leaves = 0.0, 1.0
        while here:
            if budget.over:
                return None
            answers = self.oracle.of_boxes(np.stack(here), budget.left).tolist()
            found += leaves * sum(answer >= 0 for answer in answers)
            leaves *= 2
            here = [
                self._parts(box, self._choose(box))[int(self.random.integers(2))]
                for box, answer in zip(here, answers, strict=True)
                if answer < 0
            ]
        return len(self.leaves) + len(boxes) * found / WAYS

    def weight(self, box: Boxes) -> float:
        """Give the share of the space that a box is: bins of a number weigh the same."""
        out = 1.0
        for k, at in enumerate(self.at):
            weights = self.weights(k)
            out *= float(weights[box[at].view(np.bool_)].sum())
        return out

    def weights(self, k: int) -> NDArray[np.float64]:
        """Give the share of each bin: the same for intervals, by their values for categories."""
        feature = self.bins.features[k]
        if feature.ordered:
            return np.full(self.bins.widths[k], 1.0 / self.bins.widths[k])
        sizes = np.array([len(group) for group in self.bins.groups[k]], dtype=np.float64)
        return np.asarray(sizes / sizes.sum())

    # -- splits ----------------------------------------------------------------------------------

    def _parts(self, box: Boxes, split: Split) -> list[Boxes]:
        parts = []
        for holds in (split.holds, ~split.holds):
            part = box.copy()
            part[self.at[split.feature]] &= holds.view(np.uint8)
            parts.append(part)
        return parts

    def _choose(self, box: Boxes) -> Split:
        """Choose the condition that leaves the answers of some cells most alike on its sides."""
        inside = [np.flatnonzero(box[at]) for at in self.at]
        several = [k for k, own in enumerate(inside) if len(own) > 1]
        if not several:
            raise undecided(3, "one cell has no certain class", Budget.current())
        cells = np.stack(
            [own[self.random.integers(len(own), size=DRAWS)] for own in inside], axis=1
        ).astype(np.int32)
        answers = self.oracle.of_cells(cells)
        _, codes = np.unique(answers, return_inverse=True)
        best: tuple[float, Split] | None = None
        for k in several:
            loss, split = self._best_of(k, inside[k], cells[:, k], codes.ravel())
            if best is None or loss < best[0]:
                best = loss, split
        assert best is not None
        return best[1]

    def _best_of(
        self, k: int, inside: NDArray[np.intp], bins: NDArray[np.int32], codes: NDArray[np.intp]
    ) -> tuple[float, Split]:
        """Give the best condition on one feature, and how mixed its two sides are."""
        counts = np.zeros((self.bins.widths[k], int(codes.max()) + 1))
        np.add.at(counts, (bins, codes), 1.0)
        table = counts[inside]
        order = np.arange(len(inside))
        feature = self.bins.features[k]
        if not feature.ordered:  # by the share of the most frequent answer, as is usual
            common = int(counts.sum(axis=0).argmax())
            with np.errstate(invalid="ignore"):
                share = np.nan_to_num(table[:, common] / table.sum(axis=1), nan=-1.0)
            order = np.argsort(share, kind="stable")
        below = np.cumsum(table[order], axis=0)[:-1]
        above = table.sum(axis=0) - below
        loss = _mixed(below) + _mixed(above)
        even = np.abs(np.arange(1, len(inside)) - len(inside) / 2)  # of equals the middle one
        cut = int(np.lexsort((even, loss.round(9)))[0])
        holds = np.zeros(self.bins.widths[k], dtype=bool)
        holds[inside[order[: cut + 1]]] = True
        if feature.ordered:  # all numbers up to the cut, also those outside of the box
            last = int(inside[cut])
            holds[: last + 1] = True
        return float(loss[cut]), Split(k, holds)


def _mixed(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give how mixed counts are: their number times the Gini impurity."""
    total = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.nan_to_num((counts**2).sum(axis=1) / total)
    return np.asarray(total - alike)


# -- one tree ------------------------------------------------------------------------------------


class _Classes:
    """What an ensemble of classes says."""

    def __init__(self, ensemble: SumKernel) -> None:
        self.ensemble, self.bins = ensemble, ensemble.bins

    def of_boxes(self, boxes: Boxes, seconds: float) -> Labels:
        found = decide_boxes(self.ensemble, boxes, seconds)
        return np.where(found.status == CERTAIN, found.label, -1).astype(np.int64)

    def of_cells(self, cells: Cells) -> Labels:
        label = self.ensemble.summed.evaluate(np.ascontiguousarray(cells), 1).label
        return label.astype(np.int64)


class _Numbers:
    """What an ensemble of numbers says; every number gets a place when it is first met."""

    def __init__(self, ensemble: SumKernel, places: dict[float, int] | None = None) -> None:
        self.ensemble, self.bins = ensemble, ensemble.bins
        self.at = slices(ensemble.bins)
        self.places: dict[float, int] = {} if places is None else places

    def of_boxes(self, boxes: Boxes, seconds: float) -> Labels:
        out = np.full(len(boxes), -1, dtype=np.int64)
        same = np.flatnonzero(one_leaf_each(self.ensemble, boxes, np.ones(len(boxes), dtype=bool)))
        if len(same):
            cells = np.stack([boxes[same][:, at].argmax(axis=1) for at in self.at], axis=1) if (
                self.at) else np.zeros((len(same), 0))  # fmt: skip
            out[same] = self.of_cells(cells.astype(np.int32))
        return out

    def of_cells(self, cells: Cells) -> Labels:
        sums = self.ensemble.summed.evaluate(np.ascontiguousarray(cells), 1).sums
        numbers = (self.ensemble.numbers_of(sums) + 0.0).tolist()
        return np.array([self.places.setdefault(x, len(self.places)) for x in numbers])


def tree_of_ensemble(
    ensemble: SumKernel, limit: int, time_limit: float | None, limit_name: str = "limit"
) -> TreeKernel:
    """Return one tree that decides the same; see ``Ensemble.to_tree``.

    Facts are left to the tree: it decides rows that they exclude in the same way, too.
    """
    return _tree_of(ensemble, limit, time_limit, limit_name)


def as_one_tree(model: Any) -> TreeKernel:
    """Return the tree that a model is, or one that decides every row as a sum of trees does.

    For questions about what a model decides: rules, prints, policies, code. Those about the splits
    of one tree, such as the impurity that they remove, have no such tree and refuse sums.

    Raises
    ------
    TooLarge, OutOfTime
        If it would have more than 10,000 leaves, or take more than the default time.
    """
    kernel = read_model(model)
    if isinstance(kernel, TreeKernel):
        return kernel
    try:
        return tree_of_ensemble(kernel, LEAVES, TIME_LIMIT)
    except OutOfTime as stop:
        raise OutOfTime(f"{stop}; {WITH_OTHER_LIMITS}") from None
    except TooLarge as stop:
        raise TooLarge(f"{stop}; {WITH_OTHER_LIMITS}", stop.met) from None


def tree_in_box(
    ensemble: SumKernel, box: Boxes, limit: int, time_limit: float | None
) -> TreeKernel:
    """Give one tree that says the same inside a box as an ensemble.

    Facts are left to the tree, as by ``tree_of_ensemble``.
    """
    return _tree_of(ensemble, limit, time_limit, "limit", box)


def _tree_of(
    ensemble: SumKernel,
    limit: int,
    time_limit: float | None,
    limit_name: str,
    box: Boxes | None = None,
) -> TreeKernel:
    numbers = _Numbers(ensemble) if ensemble.task == "regression" else None
    oracle: Oracle = _Classes(ensemble) if numbers is None else numbers
    splitting = Splitting(oracle, limit, time_limit, limit_name)
    splitting.estimates = box is None
    splitting.run(tolerance=box)
    nodes = _nodes(splitting)
    if numbers is None:
        return TreeKernel(ensemble.space, ensemble.classes, **ensemble.bins.over_features(nodes))
    met = set(splitting.leaves.values())
    of_place = {place: number for number, place in numbers.places.items()}
    rising = sorted(of_place[place] for place in met)
    code = {numbers.places[number]: i for i, number in enumerate(rising)}
    place = np.array([code.get(c, -1) for c in nodes.leaf_class.tolist()], dtype=np.int32)
    arrays = ensemble.bins.over_features(nodes._replace(leaf_class=place))
    return TreeKernel(ensemble.space, rising, task="regression", **arrays)


def _nodes(splitting: Splitting) -> BinNodes:
    """Write the splits as the core writes trees over bins."""
    nodes = TreeBuilder()
    for _ in range(len(splitting.splits) + len(splitting.leaves)):
        nodes.reserve()
    for node, (split, when_true, when_false) in splitting.splits.items():
        k, children = split.feature, (when_true, when_false)
        if splitting.bins.features[k].ordered:
            n_bins = int(splitting.bins.layout.n_bins[k])
            cut, nan = int(split.holds[:n_bins].sum()) - 1, bool(split.holds[n_bins:].any())
            nodes.split(node, k, limit=cut, nan=nan, children=children)
        else:
            nodes.split(node, k, members=np.flatnonzero(split.holds).tolist(), children=children)
    for node, answer in splitting.leaves.items():
        nodes.leaf(node, answer)
    return nodes.bin_nodes()


# -- two ensembles -------------------------------------------------------------------------------


class _Differ:
    """Whether two ensembles over the same bins say different things: 0 no, 1 yes.

    Where no row is possible they do not.
    """

    def __init__(
        self, one: SumKernel, other: SumKernel, differ: Callable[[Any, Any], Any],
        possible: PossibleCells,
    ) -> None:  # fmt: skip
        places: dict[float, int] = {}
        self.bins, self.differ, self.possible = one.bins, differ, possible
        self.parts: tuple[Oracle, Oracle] = (_Classes(one), _Classes(other))
        if one.task == "regression":
            self.parts, self.differ = (_Numbers(one, places), _Numbers(other, places)), np.not_equal

    def of_boxes(self, boxes: Boxes, seconds: float) -> Labels:
        one, other = (part.of_boxes(boxes, seconds / 2) for part in self.parts)
        found = self._compared(one, other)
        for i in np.flatnonzero(found < 0).tolist():
            if not self.possible.any_in(boxes[i]):
                found[i] = 0
        return found

    def of_cells(self, cells: Cells) -> Labels:
        one, other = (part.of_cells(cells) for part in self.parts)
        return self._compared(one, other)

    def _compared(self, one: Labels, other: Labels) -> Labels:
        differ = np.asarray(self.differ(one, other)).astype(np.int64)
        return np.where((one < 0) | (other < 0), -1, differ)


def share_of_difference(
    one: SumKernel,
    other: SumKernel,
    differ: Callable[[Any, Any], Any],
    possible: PossibleCells,
    limit: int,
    time_limit: float | None,
) -> float:
    """Give the share of the space on which two ensembles over the same bins differ.

    Cells that facts exclude are left out.
    """
    oracle = _Differ(one, other, differ, possible)
    splitting = Splitting(oracle, limit, time_limit)
    weights = [splitting.weights(k) for k in range(len(splitting.at))]
    whole = 1.0
    if possible.trees is not None:
        whole = possible.share(np.ones(sum(oracle.bins.widths), dtype=np.uint8), weights)
    shares = [0.0, 0.0]

    def add(box: Boxes, answer: int) -> None:
        if possible.trees is None:
            shares[answer] += splitting.weight(box)
        else:
            shares[answer] += possible.share(box, weights) / whole

    try:
        splitting.run(add)
    except (OutOfTime, TooLarge) as fault:
        ends = (shares[1], 1.0 - shares[0])
        raise Undecided(
            f"the share of the space on which the two differ lies between {ends[0]:.6g} and "
            f"{ends[1]:.6g}, and was not found exactly within the limits: raise "
            f"{setting('limit')} and {setting('time_limit')}, or give rows X",
            "time" if isinstance(fault, OutOfTime) else "room",
            {"lower": ends[0], "upper": ends[1]},
        ) from fault
    return shares[1]
