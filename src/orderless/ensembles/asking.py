"""Which feature to ask next: one question for each row that is not certain.

In:  an ``Ensemble`` and rows with unknown values, perhaps costs of features.
Out: the name of one unknown feature for each row that is open or undecided.

The page asks by the same rule, in ``output/page/asking.js``: what is changed here is changed there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import labels_like, read_costs, rows_for
from ..model import Budget, SumKernel, ValueSet, n_threads
from .answers import refuse_numbers_of
from .boxes import (
    CERTAIN,
    OPEN,
    Boxes,
    Cells,
    RowBoxes,
    decide_boxes,
    possible_boxes,
    slices,
)
from .possible_sums import PossibleCells

__all__ = ["ask_rows"]

DRAWS = 64  # completions of a row that look random
SEED = 1


def ask_rows(ensemble: SumKernel, X: Any, costs: Any, n_jobs: int | None) -> Any:
    """Give a feature to ask for each row; see ``Model.ask_next``."""
    threads = n_threads(n_jobs)
    refuse_numbers_of(ensemble, "ask_next", "predict_interval(X)")
    names = [feature.name for feature in ensemble.bins.features]
    price = None
    if costs is not None:
        read = read_costs(costs, ensemble.space, ensemble.features)
        price = [float(read[name]) for name in names]
    rows = RowBoxes(ensemble, rows_for(ensemble, X))
    codes = np.full(len(rows.cells), -1, dtype=np.int32)
    for which, boxes, of_row, own, seconds in rows.blocks():
        # Facts exclude the same of all rows of a block, so that the first stands for them.
        known = (
            None if rows.known is None else rows.known.value_sets(int(rows.known.which[which[0]]))
        )
        asker = _Asker(ensemble, price, None if own is ensemble else known)
        found = decide_boxes(own, boxes, seconds, threads)
        asked = np.full(len(boxes), -1, dtype=np.int32)
        left = np.flatnonzero(found.status != CERTAIN)
        ranks = asker.ranks(np.ascontiguousarray(boxes[left]), threads)
        for i, rank in zip(left.tolist(), ranks, strict=True):
            pair = (found.first[i], found.second[i]) if found.status[i] == OPEN else None
            if rank:  # else no answer makes a difference: it is within rounding
                asked[i] = ensemble.bins.positions[asker.ask(boxes[i], rank, pair)]
        codes[which] = asked[of_row]
    return labels_like(X, np.array(ensemble.space.names), codes, name="ask_next")


class _Asker:
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

    def ask(self, box: Boxes, rank: list[int], pair: tuple[Cells, Cells] | None) -> int:
        """Give the first feature that is seen to matter, by its place among the bins.

        It is seen in some completions that look random, in which it is changed, or on the way
        from one completion to another of a different class.
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
        """Tell whether another bin of a feature gives a possible cell another class."""
        moved = cells.copy()
        moved[:, k] = bins
        before, after = self._evaluated(cells).label, self._evaluated(moved).label
        differ = (before != after) & (before >= 0) & (after >= 0)
        return bool((differ & self._possible(cells) & self._possible(moved)).any())

    def _first_pair(self, box: Boxes) -> tuple[Cells, Cells] | None:
        """Give the first completions of the first two classes that are possible.

        First by its bin of the first feature, then of the second, and so on. That is the same
        pair whatever a search comes upon; None where they are not found in time.
        """
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
                same = bins[self._evaluated(some).label == label]
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
        """Bring two possible completions of different classes near; give where they differ.

        What costs most is made equal first, and of what is left the cheapest is given.
        """
        differ = np.flatnonzero(one != other).tolist()
        if self.price is not None:
            differ.sort(key=self.price.__getitem__)
        label, again = int(self._evaluated(one[None]).label[0]), True
        while again:
            again = False
            for k in differ[::-1]:
                near = other.copy()
                near[k] = one[k]
                said = int(self._evaluated(near[None]).label[0])
                if said not in (label, -1) and self._possible(near[None])[0]:
                    other, again = near, True
                    differ.remove(k)
        return differ[0]

    def _possible(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        if self.facts is None:
            return np.ones(len(cells), dtype=bool)
        return self.facts.possible(cells.astype(np.int32))

    def _evaluated(self, cells: NDArray[Any]) -> Any:
        return self.ensemble.summed.evaluate(np.ascontiguousarray(cells, dtype=np.int32), 1)


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
