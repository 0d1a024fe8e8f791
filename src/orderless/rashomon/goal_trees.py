"""The trees of a set that measure least, or most, for every objective.

In:  a ``Source``, a ``View`` of it, a ``Quantity``.
Out: ``Stairs``: objectives, measures, and a tree for each; the tree whose measure is nearest to a
     number. ``GoalTrees`` for the core's graph, ``ListedGoalTrees`` for a list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .engine import Engine, View
from .flat import FlatTrees
from .listed import Listed, Source
from .quantity import Quantity

__all__ = ["GoalTrees", "ListedGoalTrees", "Near", "Stairs", "goal_trees"]


@dataclass(frozen=True, eq=False)
class Stairs:
    """Objectives in whole numbers, rising; what is measured, better and better; a tree of each."""

    cost: list[int]
    measure: list[int]
    trees: Callable[[list[int]], FlatTrees]

    def __len__(self) -> int:
        return len(self.cost)


@dataclass(frozen=True, eq=False)
class Near:
    """A tree whose measure is near a number: how far, and how far every tree is at least."""

    measure: int
    distance: int
    at_least: int
    tree: FlatTrees


class GoalTrees:
    """Measures over the core's graph, by dynamic programming."""

    def __init__(self, engine: Engine, view: View, quantity: Quantity) -> None:
        self._engine, self.quantity = engine, quantity
        self._measured = engine.measured(view, quantity)

    def stairs(self, factors: NDArray[np.int64], largest: bool) -> Stairs:
        """Give the smallest, or largest, measure for every objective."""
        engine = self._engine
        sign = -1 if largest else 1
        with engine.caps("the second goal"):
            core = _core.rashomon.Goal(
                self._measured, factors * sign, engine.memory_limit, engine.seconds
            )
        front = core.front()

        def trees(positions: list[int]) -> FlatTrees:
            with engine.caps("the trees of a second goal"):
                flat = core.trees(np.array(positions, dtype=np.int64), engine.seconds)
            return FlatTrees(*flat)

        return Stairs((front.cost - engine.base).tolist(), (front.measure * sign).tolist(), trees)

    def nearest(self, factors: NDArray[np.int64], wanted: int, most: int) -> Near | None:
        """Give the tree nearest to a number, with so many measures per set of rows."""
        engine = self._engine
        with engine.caps("the nearest measure"):
            core = _core.rashomon.Nearest(
                self._measured, factors, wanted, most, engine.memory_limit, engine.seconds
            )
            if not core.found:
                return None
            tree = FlatTrees(*core.tree(engine.seconds))
        return Near(core.measure, core.distance, core.at_least, tree)


class ListedGoalTrees:
    """Measures of a list of trees, one by one."""

    def __init__(self, source: Listed, view: View, quantity: Quantity) -> None:
        self._source, self.quantity = source, quantity
        self._inside = source.counts(view).inside

    def _measures(self, factors: NDArray[np.int64]) -> list[int]:
        return self.quantity.sums(self._source.flat[self._inside], factors)

    def stairs(self, factors: NDArray[np.int64], largest: bool) -> Stairs:
        """Give the smallest, or largest, measure for every objective."""
        chosen: list[int] = []
        measures = self._measures(factors)
        for at, measure in enumerate(measures):  # in order of objective
            gain = measure - measures[chosen[-1]] if chosen else 0
            if not chosen or (gain > 0 if largest else gain < 0):
                chosen.append(at)
        cost = self._source.cost[self._inside]
        # Of several with one objective, the last is the best.
        ends = [
            at
            for i, at in enumerate(chosen)
            if i + 1 == len(chosen) or cost[chosen[i + 1]] != cost[at]
        ]

        def trees(positions: list[int]) -> FlatTrees:
            return self._source.flat[self._inside[[ends[k] for k in positions]]]

        return Stairs([int(cost[at]) for at in ends], [measures[at] for at in ends], trees)

    def nearest(self, factors: NDArray[np.int64], wanted: int, most: int) -> Near | None:
        """Give the tree nearest to a number."""
        measures = self._measures(factors)
        if not measures:
            return None
        best = min(range(len(measures)), key=lambda at: abs(measures[at] - wanted))
        distance = abs(measures[best] - wanted)
        tree = self._source.flat[self._inside[[best]]]
        return Near(measures[best], distance, distance, tree)


def goal_trees(source: Source, view: View, quantity: Quantity) -> GoalTrees | ListedGoalTrees:
    """Measure the trees of a view."""
    if isinstance(source, Engine):
        return GoalTrees(source, view, quantity)
    return ListedGoalTrees(source, view, quantity)
