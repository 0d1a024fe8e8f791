"""Which feature to ask next: one question for each row that is not certain.

In:  a kernel, and rows with unknown values, perhaps costs of features.
Out: the name of one unknown feature for each row that is open or undecided.
Paper: goes beyond Section 6, which says whether a row is determined, not what to ask.

A tree asks in its own order: SQL and expressions (``output/code/certain.py``) make the same choice
by the same definition. Sums of trees have no order, and a tree's is no use where features have
costs: the feature is asked that narrows the scores most. The page asks by the same rule, in
``output/page/asking.js``: what is changed here is changed there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import labels_like, predict, read_costs, rows_for
from ..model import (
    Bins,
    Budget,
    Flags,
    Floats,
    Rows,
    SumKernel,
    Target,
    TreeKernel,
    ValueSet,
    allowed_bins,
    as_sum,
    distinct_rows,
    n_threads,
    narrow,
    read_tolerance,
)
from .bounds import number_boxes
from .boxes import (
    CERTAIN,
    OPEN,
    OUT_OF_TIME,
    Boxes,
    Cells,
    PossibleCells,
    RowBoxes,
    decide_boxes,
    possible_boxes,
    slices,
    undecided,
)
from .rows import read_width

__all__ = ["ask_next", "asked_features", "heights"]

MOST_CELLS = 50_000_000  # of a table of rows by bins at one time
DRAWS = 64  # completions of a row that look random
SEED = 1
RANKED = 16  # rows per thread whose features are ranked at one time

Ints = NDArray[np.int32]
Pair = tuple[Cells, Cells]


def ask_next(
    model: TreeKernel | SumKernel,
    X: Any,
    costs: Any = None,
    *,
    tolerance: float | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Return a feature whose value can matter for each open row; see ``Model.ask_next``."""
    rows = rows_for(model, X)
    if isinstance(model, TreeKernel) and costs is None:
        model, target = model.with_tolerance(tolerance)
        if target.tolerance is None:
            open_rows = np.flatnonzero(model.decide(rows) < 0)
        else:
            known = predict(model, rows, tolerance=tolerance)
            open_rows = np.flatnonzero(np.ma.getmaskarray(known))
    else:
        open_rows = np.arange(rows.n_rows)
    codes = np.full(rows.n_rows, -1, dtype=np.int32)
    codes[open_rows] = asked_features(model, rows, open_rows, costs, tolerance, n_jobs)
    return labels_like(X, np.array(model.space.names), codes, name="ask_next")


def asked_features(
    model: TreeKernel | SumKernel,
    rows: Rows,
    which: NDArray[np.intp],
    costs: Any = None,
    tolerance: float | None = None,
    n_jobs: int | None = None,
) -> Ints:
    """Return the positions of the features to ask in the space, for some rows; -1 for none."""
    if isinstance(model, TreeKernel) and costs is None:
        return _asked_by_tree(model, rows, which, tolerance)
    if isinstance(model, TreeKernel):
        model, _ = model.with_tolerance(tolerance)
    return _asked_by_sum(as_sum(model), rows.take(which), costs, tolerance, n_threads(n_jobs))


# -- in the order of a tree ------------------------------------------------------------------------


def _asked_by_tree(
    tree: TreeKernel, rows: Rows, which: NDArray[np.intp], tolerance: float | None
) -> Ints:
    """Choose by the order of a tree, for rows that are open.

    Walk down the tree as far as the row answers. Where it does not: if one of the two sides is
    determined (all leaves that the row can reach there have one class, or numbers that are near
    enough), ask this node's feature; if neither is, go on in the side of lesser height (the
    ``when_true`` side if they are equal), with that answer taken for granted. So the feature
    always matters: for some values of the other unknowns, its value changes the class. It is a
    quick choice, linear in the nodes that a row can reach, and depends on the tree's order;
    ``needed`` returns the smallest sets of questions, which do not. With facts, what no possible
    completion of the row reaches is left out.
    """
    out = np.full(len(which), -1, dtype=np.int32)
    if not len(which):
        return out
    tree, target = tree.with_tolerance(tolerance)
    bins = tree.bins
    asker = _TreeAsker(bins, target)
    width = max(1, sum(bins.widths) + tree.n_leaves * bool(tree.connected))
    step = max(1, MOST_CELLS // width)
    for start in range(0, len(which), step):
        part = which[start : start + step]
        here = rows.take(part)
        tables = [allowed_bins(bins, k, here) for k in range(len(bins.features))]
        if tree.connected:  # with facts, not every leaf whose box meets the row's is reached
            tables.append(tree.reached_leaves(here).astype(bool))
        boxes, of_row = distinct_rows(np.hstack(tables))
        out[start : start + step] = asker.ask(boxes)[of_row]
    return out


def heights(tree: TreeKernel) -> Ints:
    """Give, per node, the conditions on the longest path below it."""
    out = np.zeros(tree.n_nodes, dtype=np.int32)
    order = [0]
    for node in order:  # grows while it is gone through: parents before children
        if tree.feature[node] >= 0:
            order += [int(tree.when_true[node]), int(tree.when_false[node])]
    for node in reversed(order):
        if tree.feature[node] >= 0:
            out[node] = 1 + max(out[tree.when_true[node]], out[tree.when_false[node]])
    return out


class _TreeAsker:
    """Puts one question to each of many boxes, node by node and not box by box."""

    def __init__(self, bins: Bins, target: Target) -> None:
        self.bins, self.target = bins, target
        self.height = heights(bins.tree).tolist()
        self.starts = np.concatenate([[0], np.cumsum(bins.widths)]).astype(int).tolist()
        tree = bins.tree
        self.feature = bins.nodes.feature.tolist()
        self.when_true, self.when_false = tree.when_true.tolist(), tree.when_false.tolist()
        self.label = tree.leaf_class.tolist()
        self.leaf = {node: i for i, node in enumerate(tree.leaves())}

    def ask(self, boxes: NDArray[np.bool_]) -> Ints:
        """Give the feature to ask by box; what is given for a determined box means nothing.

        ``boxes``: rows x bins, and with facts the leaves that are possible behind them.
        """
        everywhere = [np.ones(width, dtype=bool) for width in self.bins.widths]
        # Down: which boxes can get to a node, and what its path leaves of each feature.
        todo: list[tuple[int, NDArray[np.intp], list[NDArray[np.bool_]]]] = [
            (0, np.arange(len(boxes)), everywhere)
        ]
        visits: list[tuple[int, NDArray[np.intp], list[int]]] = []
        slot: dict[int, int] = {}
        while todo:
            node, here, path = todo.pop()
            slot[node] = len(visits)
            k = self.feature[node]
            if k < 0:
                visits.append((node, here, []))
                continue
            children = [self.when_true[node], self.when_false[node]]
            visits.append((node, here, children))
            table = boxes[here, self.starts[k] : self.starts[k + 1]]
            holds = self.bins.holds(node)
            for child, side in zip(children, (path[k] & holds, path[k] & ~holds), strict=True):
                inside = here[(table & side).any(axis=1)]
                todo.append((child, inside, [*path[:k], side, *path[k + 1 :]]))
        # Up: the first and the last class, and the question, of every box at every node it gets to.
        none = np.zeros((3, 0), np.int32)
        done: list[Ints] = [none] * len(visits)
        for i in range(len(visits) - 1, -1, -1):
            node, here, children = visits[i]
            if not children:
                done[i] = np.full((3, len(here)), self.label[node], np.int32)
                done[i][2] = -1
                if boxes.shape[1] > self.starts[-1]:
                    there = boxes[here, self.starts[-1] + self.leaf[node]]
                    done[i][:2, ~there] = -2
                continue
            done[i] = self._merged(node, here, [(visits[slot[c]][1], done[slot[c]])
                                                for c in children])  # fmt: skip
            for child in children:
                done[slot[child]] = none  # not needed any more
        asked: Ints = done[0][2]
        return asked

    def _merged(
        self, node: int, here: NDArray[np.intp], children: list[tuple[NDArray[np.intp], Ints]]
    ) -> Ints:
        """Put the answers of the two sides together; -2 is "not there"."""
        sides = []
        for inside, answer in children:
            full = np.full((3, len(here)), -2, np.int32)
            full[:, np.searchsorted(here, inside)] = answer  # both are sorted
            sides.append(full)
        (low_yes, high_yes, ask_yes), (low_no, high_no, ask_no) = yes, no = sides
        first = int(self.height[self.when_true[node]] > self.height[self.when_false[node]])
        only_no, only_yes = low_yes == -2, low_no == -2
        low = np.where(only_no, low_no, np.where(only_yes, low_yes, np.minimum(low_yes, low_no)))
        high = np.maximum(high_yes, high_no)
        open_ = self._open(low_yes, high_yes) & self._open(low_no, high_no)
        both = np.where(open_, (yes, no)[first][2],
                        self.bins.positions[self.feature[node]])  # fmt: skip
        question = np.where(only_no, ask_no, np.where(only_yes, ask_yes, both))
        return np.stack([low, high, question]).astype(np.int32)

    def _open(self, low: Ints, high: Ints) -> NDArray[np.bool_]:
        """Whether a box is there and not settled."""
        there = low >= 0
        return there & self.target.differ(np.where(there, low, 0), np.where(there, high, 0))


# -- what narrows the scores most ------------------------------------------------------------------


def _asked_by_sum(
    ensemble: SumKernel, rows: Rows, costs: Any, tolerance: float | None, threads: int
) -> Ints:
    """Choose what narrows the scores most, per cost, for rows that are not certain."""
    read_width(ensemble, tolerance)
    price = None
    if costs is not None:
        read = read_costs(costs, ensemble.space, ensemble.features)
        price = [float(read[feature.name]) for feature in ensemble.bins.features]
    boxes_of, budget = RowBoxes(ensemble, rows), Budget.current()
    codes = np.full(rows.n_rows, -1, dtype=np.int32)
    for which, boxes, of_row, kernel, seconds in boxes_of.blocks():
        # Facts exclude the same of all rows of a block, so that the first stands for them.
        known = boxes_of.known
        values = None if known is None else known.value_sets(int(known.which[which[0]]))
        asker = _SumAsker(ensemble, price, None if kernel is ensemble else values)
        # Half of the time is for questions.
        settled, pairs = _settled(kernel, boxes, tolerance, seconds / 2, threads)
        asked = np.full(len(boxes), -1, dtype=np.int32)
        left, at_once = np.flatnonzero(~settled), RANKED * threads
        for some in np.split(left, range(at_once, len(left), at_once)):
            ranks = asker.ranks(np.ascontiguousarray(boxes[some]), threads)
            for i, rank in zip(some.tolist(), ranks, strict=True):
                if budget.over and budget.seconds > 0:
                    raise undecided(OUT_OF_TIME, "not every row got its question", budget)
                if rank:  # else no answer makes a difference: it is within rounding
                    asked[i] = ensemble.bins.positions[asker.ask(boxes[i], rank, pairs.get(i))]
        codes[which] = asked[of_row]
    return codes


def _settled(
    kernel: SumKernel, boxes: Boxes, tolerance: float | None, seconds: float, threads: int
) -> tuple[Flags, dict[int, Pair]]:
    """Return which boxes are settled, and of those proven open two cells with different answers."""
    if kernel.task == "classification":
        decided = decide_boxes(kernel, boxes, seconds, threads)
        status, first, second = decided.status, decided.first, decided.second
        settled = status == CERTAIN
    else:
        numbers = number_boxes(kernel, boxes, seconds, threads)
        status, first, second = numbers.status, numbers.low_cell, numbers.high_cell
        settled = status == CERTAIN
        if tolerance is not None:
            settled = settled | narrow(numbers.lower, numbers.upper, read_tolerance(tolerance))
    open_boxes = np.flatnonzero(status == OPEN).tolist()
    return settled, {i: (first[i], second[i]) for i in open_boxes}


class _SumAsker:
    """Chooses the feature that narrows the scores most, per cost, among those that matter.

    ``row``: what is known of the features that facts connect; None where facts exclude nothing.
    """

    def __init__(
        self,
        ensemble: SumKernel,
        price: list[float] | None,
        row: Mapping[int, ValueSet] | None,
    ) -> None:
        self.ensemble, self.price = ensemble, price
        self.at = slices(ensemble.bins)
        self.facts = None if row is None else PossibleCells(ensemble.bins, row)
        self.shares = _shares(2 * DRAWS * len(self.at)).reshape(2, DRAWS, len(self.at))

    def ranks(self, boxes: Boxes, n_threads: int) -> Iterator[list[int]]:
        """Order the features that trees still ask about in each box, the best first.

        That is the one whose bin, once known, leaves the least range of the scores open, on
        average over its bins; with costs, the one that gains most per cost. Whole numbers, so
        that it is the same everywhere; of equals the first by name.
        """
        found = self.ensemble.summed_as_in_pages.ranges(boxes, n_threads)
        for i, box in enumerate(boxes):
            order = []
            for k in np.flatnonzero(found.asked[i]).tolist():
                n = int(np.count_nonzero(box[self.at[k]]))
                left = (int(found.high[i, k]) << 32) + int(found.low[i, k])
                gain = float(n * int(found.now[i]) - left) / n
                order.append((-self._per_cost(gain, k), -gain, k))
            yield [k for _, _, k in sorted(order)]

    def _per_cost(self, gain: float, k: int) -> float:
        if self.price is None or gain == 0:
            return gain
        return gain / self.price[k] if self.price[k] else math.inf

    def ask(self, box: Boxes, rank: list[int], pair: Pair | None) -> int:
        """Give the first feature that is seen to matter, by its place among the bins.

        It is seen in some completions that look random, in which it is changed, or on the way
        from one completion to another with a different answer.
        """
        inside = [np.flatnonzero(box[at]) for at in self.at]
        places = np.floor(self.shares * [len(own) for own in inside]).astype(np.intp)
        draws, other = (
            np.stack([own[at[:, k]] for k, own in enumerate(inside)], axis=1) for at in places
        )
        if self._turns(draws, rank[0], other[:, rank[0]]):
            return rank[0]
        way = None
        if pair is not None:
            found = self._first_pair(box) if self.facts is None else None
            way = _way(*(found or pair))
        for k in rank:
            if self._turns(draws, k, other[:, k]):
                return k
            if way is not None:
                cells = np.repeat(way, len(inside[k]), axis=0)
                if self._turns(cells, k, np.tile(inside[k], len(way))):
                    return k
        return rank[0] if pair is None or self.facts is None else self._apart(*pair)

    def _turns(self, cells: NDArray[Any], k: int, bins: NDArray[Any]) -> bool:
        """Return whether another bin of a feature gives a possible cell another answer."""
        moved = cells.copy()
        moved[:, k] = bins
        before, after = self._answers(cells), self._answers(moved)
        differ = (before != after) & ~np.isnan(before) & ~np.isnan(after)
        return bool((differ & self._possible(cells) & self._possible(moved)).any())

    def _first_pair(self, box: Boxes) -> Pair | None:
        """Give the first completions of the first two classes that are possible.

        First by its bin of the first feature, then of the second, and so on. That is the same
        pair whatever a search comes upon; None where they are not found in time, and for numbers,
        of which there are too many to look at each.
        """
        if self.ensemble.task == "regression":
            return None
        found = possible_boxes(self.ensemble, box[None], Budget.current().share())
        labels = np.flatnonzero(found.possible[0] == 1)[:2].tolist()
        if len(labels) < 2:
            return None
        one, other = (self._first(box, found.cells[0, label], label) for label in labels)
        return one, other

    def _first(self, box: Boxes, cell: Cells, label: int) -> Cells:
        here, cell = box.copy(), cell.copy()
        for k, at in enumerate(self.at):
            bins = np.flatnonzero(here[at])
            while cell[k] != bins[0]:
                some = np.repeat(cell[None], len(bins), axis=0)
                some[:, k] = bins
                same = bins[self._answers(some) == label]
                if same[0] < cell[k]:  # beside a completion of the class there may be a nearer one
                    cell[k] = same[0]
                    continue
                few = bins[: (1 + int(np.searchsorted(bins, cell[k]))) // 2]
                part = here.copy()
                part[at] = 0
                part[at.start + few] = 1
                found = possible_boxes(self.ensemble, part[None], Budget.current().share())
                if found.possible[0, label] == 1:
                    cell = found.cells[0, label].copy()
                else:
                    bins = bins[len(few) :]
            here[at] = 0
            here[at.start + cell[k]] = 1
        return cell

    def _apart(self, one: Cells, other: Cells) -> int:
        """Bring two possible completions of different answers near; return where they differ.

        What costs most is made equal first, and of what is left the cheapest is given.
        """
        differ = np.flatnonzero(one != other).tolist()
        if self.price is not None:
            differ.sort(key=self.price.__getitem__)
        answer, again = self._answers(one[None])[0], True
        while again:
            again = False
            for k in differ[::-1]:
                near = other.copy()
                near[k] = one[k]
                other_answer = self._answers(near[None])[0]
                differ_still = other_answer != answer and not np.isnan(other_answer)
                if differ_still and self._possible(near[None])[0]:
                    other, again = near, True
                    differ.remove(k)
        return differ[0]

    def _possible(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        if self.facts is None:
            return np.ones(len(cells), dtype=bool)
        return self.facts.possible(cells.astype(np.int32))

    def _answers(self, cells: NDArray[Any]) -> Floats:
        """Return the class by position, or the number, of each cell; NaN within rounding."""
        summed = self.ensemble.summed.evaluate(np.ascontiguousarray(cells, dtype=np.int32), 1)
        if self.ensemble.task == "regression":
            return self.ensemble.numbers_of(summed.sums)
        return np.where(summed.label < 0, np.nan, summed.label)


def _way(one: Cells, other: Cells) -> Cells:
    """Go from one cell to another, one feature after the other."""
    steps = [one]
    for k in np.flatnonzero(one != other).tolist():
        steps.append(steps[-1].copy())
        steps[-1][k] = other[k]
    return np.stack(steps)


def _shares(n: int) -> NDArray[np.float64]:
    """Give numbers from 0 to below 1 that look random and are always the same."""
    out, seed = np.empty(n), SEED
    for i in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        out[i] = seed / 2**31
    return out
