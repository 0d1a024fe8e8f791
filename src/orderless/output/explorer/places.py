"""Where functions lie on the explorer's map: those that disagree on more rows lie farther apart.

In:  a set of trees, and its functions.
Out: two coordinates for each, and how much of the distances the plane keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...rashomon import disagreements

if TYPE_CHECKING:
    from ...rashomon import FunctionTable, TreeSet

__all__ = ["MAPPED", "map_places"]

MAPPED = 600  # functions whose distances to each other place all others
AT_ONCE = 1024


def map_places(trees: TreeSet, table: FunctionTable) -> tuple[NDArray[np.float64], float]:
    """Place functions in the plane; give the share of the distances that it keeps, too.

    Shares of differing rows are squared distances. A few functions are placed by all distances
    between them (classical scaling); every other one by its distances to these.
    """
    n = len(table)
    chosen = np.arange(0, n, max(1, -(-n // MAPPED)))
    distance = disagreements(trees._problem, table.trees[chosen])
    mean = distance.mean(axis=0)
    centred = -0.5 * (distance - mean - mean[:, None] + distance.mean())
    every, vectors = np.linalg.eigh(centred)
    values, vectors = np.clip(every[::-1][:2], 0, None), vectors[:, ::-1][:, :2]
    total = float(np.clip(every, 0, None).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        pull = np.where(values > 1e-12, 1 / np.sqrt(values), 0) * vectors
    places = np.zeros((n, 2))
    apart = _Apart(trees, table, chosen)
    for start in range(0, n, AT_ONCE):
        part = np.arange(start, min(start + AT_ONCE, n))
        places[part, : pull.shape[1]] = -0.5 * (apart.of(part) - mean) @ pull
    return places, float(values.sum() / total) if total > 0 else 1.0


class _Apart:
    """The share of training weight on which functions differ from some."""

    def __init__(self, trees: TreeSet, table: FunctionTable, others: NDArray[Any]) -> None:
        problem = trees._problem
        self._trees, self._bits = table.trees, problem.bits
        self._weight = (problem.weights / problem.total_weight).astype(np.float32)
        self._classes = range(len(problem.classes))
        theirs = table.trees[others].says(problem.bits)
        self._theirs = [np.ascontiguousarray((theirs == c).T, np.float32) for c in self._classes]

    def of(self, some: NDArray[Any]) -> NDArray[np.float64]:
        """Give it for some functions, a row for each. A picture needs no more digits."""
        ours = self._trees[some].says(self._bits)
        same = sum(((ours == c) * self._weight) @ self._theirs[c] for c in self._classes)
        return 1 - np.asarray(same, dtype=np.float64)
