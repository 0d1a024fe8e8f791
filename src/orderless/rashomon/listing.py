"""The functions of one view, listed once, and which of them the best tree is.

In:  a ``Source`` and a ``View``.
Out: ``Listing``, of which ``FunctionSet``s are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..form import fingerprint
from ..model import Tree
from .engine import Functions, Piece, Source
from .flat import FlatTrees, join
from .meaning import independent
from .view import View

__all__ = ["Listing", "point"]


class Listing:
    """The functions of one view, found when first asked for, and again after unpickling."""

    def __init__(
        self, source: Source, view: View, measure: str, limit: int, piece: Piece | None = None
    ) -> None:
        self.source, self.view, self.measure, self.limit = source, view, measure, limit
        self.piece = piece

    def __getstate__(self) -> dict[str, Any]:
        kept = ("source", "view", "measure", "limit", "piece")
        return {name: getattr(self, name) for name in kept}

    @cached_property
    def functions(self) -> Functions:
        """What the source found."""
        return self.source.functions(self.view, self.measure, self.limit, self.piece)

    @cached_property
    def cost(self) -> NDArray[np.int64]:
        """Objectives of the cheapest trees, in the problem's whole numbers."""
        found = self.functions
        cost: NDArray[np.int64] = self.source.problem.cost(
            found.errors, found.leaves.astype(np.int64)
        )
        return cost

    @cached_property
    def _first_tree(self) -> FlatTrees:
        return self.source.counts(self.view).unrank([0])

    @cached_property
    def first(self) -> int:
        """The position of the function that ``best_tree`` is; -1 if it is in no piece of these."""
        found = self.functions
        if not len(found.errors):
            return -1
        equal = (self.cost == self.cost[0]) & (found.leaves == found.leaves[0])
        tied = np.flatnonzero(equal)
        if self.piece is None and len(tied) == 1:
            return 0
        problem, best = self.source.problem, self._first_tree
        if self.measure == "rows":
            said = best.says(problem.bits)
            hit = [k for k in tied.tolist() if self._says_like(k, said)]
        else:
            own = self.measure == "aware" or not problem.aware
            meaning = problem.meaning if own else independent(problem.meaning.names)
            name = fingerprint(next(meaning.trees(best, problem.classes)))
            hit = tied[(found.fingerprint[tied] == point(name)).all(axis=1)].tolist()
        return hit[0] if hit else -1

    def _says_like(self, position: int, said: NDArray[np.int32]) -> bool:
        flat = self.functions.trees(np.array([position]))
        return bool((flat.says(self.source.problem.bits) == said).all())

    def order(self) -> NDArray[np.int64]:
        """Give the positions of all functions, that of ``best_tree`` first."""
        every = np.arange(len(self.functions.errors))
        if len(every) < 2 or self.first < 1:
            return every
        return np.concatenate([[self.first], np.delete(every, self.first)])

    def cheapest(self, positions: NDArray[np.int64]) -> FlatTrees:
        """Give a cheapest tree of some functions: ``best_tree`` of the one that it is."""
        flat = self.functions.trees(positions)
        for at in np.flatnonzero(positions == self.first).tolist():
            flat = join([flat[:at], self._first_tree, flat[at + 1 :]])
        return flat

    def trees(self, flat: FlatTrees) -> Iterator[Tree]:
        """Make ``Tree``s over the features."""
        problem = self.source.problem
        return problem.meaning.trees(flat, problem.classes)


def point(name: str) -> NDArray[np.uint64]:
    """Give a fingerprint as two numbers."""
    return np.array([int(name[:16], 16), int(name[16:], 16)], dtype=np.uint64)
