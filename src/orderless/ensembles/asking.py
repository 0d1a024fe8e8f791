"""Which feature to ask next: one question for each row that is not certain.

In:  an ``Ensemble`` and rows with unknown values, perhaps costs of features.
Out: the name of one unknown feature for each row that is open or undecided.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import labels_like, read_costs
from ..model import Ensemble, n_threads, refuse_facts
from .answers import refuse_numbers_of
from .boxes import CERTAIN, OPEN, Boxes, Cells, RowBoxes, check_time_limit, decide_boxes, slices

__all__ = ["ask_rows"]

DRAWS = 64  # completions of a row that are looked at
SEED = 18


def ask_rows(ensemble: Ensemble, X: Any, costs: Any, time_limit: float, n_jobs: int | None) -> Any:
    """Give a feature to ask for each row; see ``Ensemble.ask_next``."""
    refuse_facts(ensemble.space, "ask_next of an ensemble")
    limit, threads = check_time_limit(time_limit), n_threads(n_jobs)
    refuse_numbers_of(ensemble, "ask_next", "predict_interval(X)")
    names = [feature.name for feature in ensemble.bins.features]
    if costs is None:
        price = np.ones(len(names))
    else:
        read = read_costs(costs, ensemble.space, ensemble.features)
        price = np.array([float(read[name]) for name in names])
    rows = RowBoxes(ensemble, ensemble.read(X))
    asker = _Asker(ensemble, price)
    codes = np.full(len(rows.cells), -1, dtype=np.int32)
    for which, boxes, of_row, _ in rows.blocks():
        found = decide_boxes(ensemble, boxes, limit, threads)
        asked = np.full(len(boxes), -1, dtype=np.int32)
        for i in np.flatnonzero(found.status != CERTAIN).tolist():
            pair = (found.first[i], found.second[i]) if found.status[i] == OPEN else None
            asked[i] = ensemble.bins.positions[asker.ask(boxes[i], pair)]
        codes[which] = asked[of_row]
    return labels_like(X, np.array(ensemble.space.names), codes)


class _Asker:
    """Chooses the feature that changes most, per cost, over some completions of a row."""

    def __init__(self, ensemble: Ensemble, price: NDArray[np.float64]) -> None:
        self.ensemble, self.price = ensemble, price
        self.at = slices(ensemble.bins)

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
        known = (labels[0] >= 0) & (labels[1:] >= 0)
        flips = ((labels[1:] != labels[0]) & known).sum(axis=1)
        if pair is not None and not flips.any():
            return self._on_the_way(*pair)
        worth = flips if pair is not None else np.abs(sums[1:] - sums[0]).mean(axis=(1, 2))
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

    def _evaluated(self, cells: NDArray[Any]) -> Any:
        return self.ensemble.summed.evaluate(np.ascontiguousarray(cells, dtype=np.int32), 1)
