"""Trees of at most so many features, counted set of features by set of features.

In:  an engine, and a view that allows a tree at most k features.
Out: ``FewFeatures``, which answers what ``EngineCounts`` answers; or nothing, where there are so
     many sets that the core's tables of all sets at once are quicker.

A tree that asks about nothing beyond a set S is an ordinary tree of fewer columns, and these are
counted in no time. With F(S) of them, m features in all and j = |S|, the trees of at most k
features are the sum of (-1)^(k - j) C(m - j - 1, k - j) F(S) over the sets of at most k features
(inclusion and exclusion), and those that ask about all of U are the sum of (-1)^|U - S| F(S) over
the sets within U.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core
from .flat import FlatTrees, join
from .halves import narrow, whole, wide
from .histogram import Histogram
from .narrowed import asked_features, core_view
from .view import MOST_GROUPS, View

if TYPE_CHECKING:
    from .engine import Engine

__all__ = ["FewFeatures", "by_sets"]

MOST_SETS = 1_000_000
MOST_LOOKS = 20_000_000_000  # sets times nodes of the graph: about a minute
KEPT = 8  # sets whose own tables stay in memory
BYTES = 200  # about what one number of trees takes, as a list has it

Set = tuple[int, ...]
Cell = tuple[int, int]  # leaves and errors


class Own(NamedTuple):
    """The trees that ask about all features of a set, by cell in order of objective."""

    cells: list[Cell]
    before: list[int]  # in the set: how many trees stand before those of a cell


def by_sets(engine: Engine, view: View) -> FewFeatures | None:
    """Count the trees of a view that limits features, where that is quick."""
    if view.most_features is None or engine.problem.task == "regression":
        return None  # numbers: there can be as many objectives as trees
    graph = engine.graph_for(view)
    used = asked_features(engine.problem.columns, graph, view)
    most = view.most_features
    if len(used) <= most:
        return None
    n_sets = sum(math.comb(len(used), j) for j in range(most + 1))
    if n_sets > MOST_SETS or n_sets * graph.n_nodes > MOST_LOOKS:
        return None
    if most + len(view.required) > MOST_GROUPS:
        return None
    return FewFeatures(engine, view, used, most)


class FewFeatures:
    """The trees of at most k features, in order of objective, then leaves, then a fixed order."""

    def __init__(self, engine: Engine, view: View, used: Sequence[int], most: int) -> None:
        self._engine, self._used, self._most = engine, list(used), most
        self._trivial = view.trivial
        columns = engine.problem.columns
        self._feature = columns.feature
        self._graph = engine.graph_for(view)
        free = view._replace(most_features=None)
        self._record = core_view(columns, self._graph, free, engine.base)
        self._kept: dict[Set, _core.rashomon.Counts] = {}
        sums: dict[Cell, list[int]] = {}
        for chosen, counted in self._each():
            factor = self._factor(len(chosen))
            for cell, trees, nontrivial in counted:
                entry = sums.setdefault(cell, [0, 0])
                entry[0] += factor * trees
                entry[1] += factor * nontrivial
        there = [cell for cell, (trees, _) in sums.items() if trees]
        self._counts = {cell: sums[cell] for cell in sorted(there, key=self._order)}
        self.n_nontrivial = sum(nontrivial for _, nontrivial in self._counts.values())
        every = sum(trees for trees, _ in self._counts.values())
        self.n = every if view.trivial else self.n_nontrivial

    def _factor(self, size: int) -> int:
        """How often the trees within a set of features count."""
        more = self._most - size
        return (-1 if more % 2 else 1) * math.comb(len(self._used) - size - 1, more)

    def _order(self, cell: Cell) -> tuple[int, int]:
        """Where a cell stands: by objective, then leaves."""
        problem = self._engine.problem
        return cell[1] * problem.error_cost + cell[0] * problem.leaf_cost, cell[0]

    def _with_tolerance(self, chosen: Set) -> _core.rashomon.View:
        """Give the trees that ask about no other features."""
        allowed = self._record.allowed * np.isin(self._feature, chosen)
        return self._record._replace(allowed=allowed.astype(np.uint8))

    def _each(self) -> Iterator[tuple[Set, list[tuple[Cell, int, int]]]]:
        """Give the trees within each set of features: cell, all of them, nontrivial ones."""
        engine = self._engine
        end = time.monotonic() + engine.seconds
        with engine.caps("counting the trees"):
            for size in range(self._most + 1):
                for chosen in combinations(self._used, size):
                    left = end - time.monotonic()
                    if left <= 0:
                        raise _core.base.TimeUp("sets of features")
                    counts = self._graph.counts(
                        self._with_tolerance(chosen), engine.memory_limit, left
                    )
                    yield chosen, self._cells(counts.histogram(engine.memory_limit, left))

    def _cells(self, counted: _core.rashomon.Histogram) -> list[tuple[Cell, int, int]]:
        errors = (counted.errors - self._engine.problem.offset).tolist()
        return list(
            zip(
                zip(counted.leaves.tolist(), errors, strict=True),
                wide(counted.trees_high, counted.trees_low),
                wide(counted.nontrivial_high, counted.nontrivial_low),
                strict=True,
            )
        )

    def n_at(self, cost: int) -> int:
        """Count those that have exactly an objective."""
        kind = 0 if self._trivial else 1
        return sum(n[kind] for cell, n in self._counts.items() if self._order(cell)[0] == cost)

    def histogram(self) -> Histogram:
        """Count them by leaves and errors."""
        return Histogram.of(
            (leaves, errors, trees, nontrivial)
            for (leaves, errors), (trees, nontrivial) in self._counts.items()
        )

    # -- positions: by objective and leaves, then by set of features, then as the core has them ----

    @cached_property
    def _owns(self) -> dict[Set, Own]:
        """The trees of each set of features that ask about all of it."""
        tolerance: dict[Set, dict[Cell, int]] = {}
        held = 0
        for chosen, counted in self._each():
            tolerance[chosen] = {
                cell: trees if self._trivial else nontrivial for cell, trees, nontrivial in counted
            }
            held += len(counted)
            if held * BYTES > self._engine.memory_limit:
                with self._engine.caps("the positions of trees of few features"):
                    raise MemoryError
        owns: dict[Set, Own] = {}
        for chosen in tolerance:
            sums: dict[Cell, int] = {}
            for size in range(len(chosen) + 1):
                sign = -1 if (len(chosen) - size) % 2 else 1
                for part in combinations(chosen, size):
                    for cell, n in tolerance[part].items():
                        sums[cell] = sums.get(cell, 0) + sign * n
            cells = sorted((cell for cell, n in sums.items() if n), key=self._order)
            if cells:
                owns[chosen] = Own(cells, [0, *accumulate(sums[cell] for cell in cells)])
        return owns

    @cached_property
    def _runs(self) -> tuple[list[tuple[Set, int]], list[int], dict[tuple[Set, int], int]]:
        """All cells of all sets in order, the trees before each, and where each stands."""
        runs = [(chosen, i) for chosen, own in self._owns.items() for i in range(len(own.cells))]
        runs.sort(key=lambda run: (self._order(self._owns[run[0]].cells[run[1]]), run[0]))
        sizes = (self._owns[s].before[i + 1] - self._owns[s].before[i] for s, i in runs)
        before = [0, *accumulate(sizes)]
        assert before[-1] == self.n, "the trees of all sets are all trees"
        return runs, before, {run: k for k, run in enumerate(runs)}

    def _own_counts(self, chosen: Set) -> _core.rashomon.Counts:
        """Give the core's own counts of the trees that ask about all of a set and nothing else."""
        if chosen not in self._kept:
            groups = [np.flatnonzero(self._feature == j).tolist() for j in chosen]
            wanted = self._with_tolerance(chosen)
            wanted = wanted._replace(required=[*wanted.required, *groups])
            with self._engine.caps("counting the trees"):
                counts = self._graph.counts(wanted, self._engine.memory_limit, self._engine.seconds)
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[chosen] = counts
        return self._kept[chosen]

    def unrank(self, positions: Sequence[int]) -> FlatTrees:
        """Give the trees at some positions."""
        runs, before, _ = self._runs
        places: dict[Set, list[tuple[int, int]]] = {}
        for at, position in enumerate(positions):
            k = bisect_right(before, position) - 1
            chosen, i = runs[k]
            own = self._owns[chosen].before[i] + position - before[k]
            places.setdefault(chosen, []).append((at, own))
        parts = [
            FlatTrees(*self._own_counts(chosen).unrank(narrow([own for _, own in wanted])))
            for chosen, wanted in places.items()
        ]
        order = [at for wanted in places.values() for at, _ in wanted]
        return join(parts)[np.argsort(order)] if order else FlatTrees.none()

    def rank(self, tree: FlatTrees) -> int | None:
        """Give the position of a tree, None if it is not in."""
        chosen = tuple(np.unique(self._feature[tree.column[tree.column >= 0]]).tolist())
        if len(chosen) > self._most or chosen not in self._owns:
            return None
        halves = self._own_counts(chosen).rank(tree.column, tree.label)
        if halves is None:
            return None
        own, position = self._owns[chosen], whole(halves)
        i = bisect_right(own.before, position) - 1
        _, before, places = self._runs
        return before[places[chosen, i]] + position - own.before[i]
