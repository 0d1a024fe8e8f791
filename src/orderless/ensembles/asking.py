"""Which feature to ask next: one question for each row that is not certain.

In:  an ``Ensemble`` and rows with unknown values, perhaps costs of features.
Out: the name of one unknown feature for each row that is open or undecided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import labels_like, read_costs
from ..model import Domain, Ensemble, n_threads
from .answers import refuse_numbers_of
from .boxes import CERTAIN, OPEN, Boxes, Cells, RowBoxes, check_time_limit, decide_boxes, slices
from .possible_sums import PossibleCells

__all__ = ["ask_rows"]

DRAWS = 64  # completions of a row that are looked at
SEED = 18


def ask_rows(ensemble: Ensemble, X: Any, costs: Any, time_limit: float, n_jobs: int | None) -> Any:
    """Give a feature to ask for each row; see ``Ensemble.ask_next``."""
    limit, threads = check_time_limit(time_limit), n_threads(n_jobs)
    refuse_numbers_of(ensemble, "ask_next", "predict_interval(X)")
    names = [feature.name for feature in ensemble.bins.features]
    if costs is None:
        price = np.ones(len(names))
    else:
        read = read_costs(costs, ensemble.space, ensemble.features)
        price = np.array([float(read[name]) for name in names])
    rows = RowBoxes(ensemble, ensemble.read(X))
    codes = np.full(len(rows.cells), -1, dtype=np.int32)
    for which, boxes, of_row, own in rows.blocks():
        # Facts exclude the same of all rows of a block, so that the first stands for them.
        known = None if rows.known is None else rows.known.domains(int(rows.known.which[which[0]]))
        asker = _Asker(ensemble, price, None if own is ensemble else known)
        found = decide_boxes(own, boxes, limit, threads)
        asked = np.full(len(boxes), -1, dtype=np.int32)
        for i in np.flatnonzero(found.status != CERTAIN).tolist():
            pair = (found.first[i], found.second[i]) if found.status[i] == OPEN else None
            asked[i] = ensemble.bins.positions[asker.ask(boxes[i], pair)]
        codes[which] = asked[of_row]
    return labels_like(X, np.array(ensemble.space.names), codes)


class _Asker:
    """Chooses the feature that changes most, per cost, over some completions of a row.

    ``row``: what is known of the features that facts connect; None where facts exclude nothing.
    """

    def __init__(
        self, ensemble: Ensemble, price: NDArray[np.float64], row: Mapping[int, Domain] | None
    ) -> None:
        self.ensemble, self.price = ensemble, price
        self.at = slices(ensemble.bins)
        self.facts = None if row is None else PossibleCells(ensemble.bins, row)

    def ask(self, box: Boxes, pair: tuple[Cells, Cells] | None) -> int:
        """Give the feature to ask, by its place among the bins."""
        inside = [np.flatnonzero(box[at]) for at in self.at]
        unknown = [k for k, own in enumerate(inside) if len(own) > 1]
        random = np.random.default_rng(SEED)
        draws = np.stack([own[random.integers(len(own), size=DRAWS)] for own in inside], axis=1)
        other = np.stack([own[random.integers(len(own), size=DRAWS)] for own in inside], axis=1)
        cells = [draws]
        for k in unknown:
            moved = draws.copy()
            moved[:, k] = other[:, k]
            cells.append(moved)
        found = self._evaluated(np.concatenate(cells))
        labels = found.label.reshape(len(cells), DRAWS)
        sums = found.sums.reshape(len(cells), DRAWS, -1)
        there = self._possible(np.concatenate(cells)).reshape(labels.shape)
        both = there[0] & there[1:]
        known = (labels[0] >= 0) & (labels[1:] >= 0) & both
        flips = ((labels[1:] != labels[0]) & known).sum(axis=1)
        if pair is not None and not flips.any():
            return self._on_the_way(*pair) if self.facts is None else self._apart(*pair)
        apart = np.abs(sums[1:] - sums[0]) * both[:, :, None]
        worth = flips if pair is not None else apart.mean(axis=(1, 2))
        free = self.price[unknown] == 0
        per_cost = np.where(free, np.inf, worth / np.where(free, 1.0, self.price[unknown]))
        per_cost[worth == 0] = -1.0  # what was not seen to matter comes last
        return unknown[int(np.argmax(per_cost))]

    def _on_the_way(self, one: Cells, other: Cells) -> int:
        """Go from one completion to another, feature by feature; give where the class changes."""
        differ = sorted(np.flatnonzero(one != other).tolist(), key=lambda k: (self.price[k], k))
        cells = [one.copy()]
        for k in differ:
            step = cells[-1].copy()
            step[k] = other[k]
            cells.append(step)
        labels = self._evaluated(np.stack(cells)).label
        changes = np.flatnonzero((labels[1:] != labels[:-1]) & (labels[1:] >= 0))
        known = [i for i in changes.tolist() if labels[i] >= 0]
        return differ[known[0] if known else int(changes[0])]

    def _apart(self, one: Cells, other: Cells) -> int:
        """Bring two possible completions of different classes near; give where they differ.

        What costs most is made equal first, and of what is left the cheapest is given.
        """
        differ = sorted(np.flatnonzero(one != other).tolist(), key=lambda k: (self.price[k], k))
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
