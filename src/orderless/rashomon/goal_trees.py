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
from .engine import Engine
from .flat import FlatTrees
from .listed import Source
from .quantity import Quantity
from .view import LIMIT, View

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

    cost: int
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
        return Near(core.cost - engine.base, core.measure, core.distance, core.at_least, tree)


class ListedGoalTrees:
    """Measures of a list of trees in order of objective, one by one."""

    def __init__(self, flat: FlatTrees, cost: NDArray[np.int64], quantity: Quantity) -> None:
        self._flat, self._cost, self.quantity = flat, cost, quantity

    def _measures(self, factors: NDArray[np.int64]) -> list[int]:
        return self.quantity.sums(self._flat, factors)

    def stairs(self, factors: NDArray[np.int64], largest: bool) -> Stairs:
        """Give the smallest, or largest, measure for every objective."""
        chosen: list[int] = []
        measures = self._measures(factors)
        for at, measure in enumerate(measures):  # in order of objective
            gain = measure - measures[chosen[-1]] if chosen else 0
            if not chosen or (gain > 0 if largest else gain < 0):
                chosen.append(at)
        cost = self._cost
        # Of several with one objective, the last is the best.
        ends = [
            at
            for i, at in enumerate(chosen)
            if i + 1 == len(chosen) or cost[chosen[i + 1]] != cost[at]
        ]

        def trees(positions: list[int]) -> FlatTrees:
            return self._flat[[ends[k] for k in positions]]

        return Stairs([int(cost[at]) for at in ends], [measures[at] for at in ends], trees)

    def nearest(self, factors: NDArray[np.int64], wanted: int, most: int) -> Near | None:
        """Give the tree nearest to a number."""
        measures = self._measures(factors)
        if not measures:
            return None
        best = min(range(len(measures)), key=lambda at: abs(measures[at] - wanted))
        distance = abs(measures[best] - wanted)
        tree = self._flat[[best]]
        return Near(int(self._cost[best]), measures[best], distance, distance, tree)


def goal_trees(source: Source, view: View, quantity: Quantity) -> GoalTrees | ListedGoalTrees:
    """Measure the trees of a view."""
    if not isinstance(source, Engine):
        inside = source.counts(view).inside
        return ListedGoalTrees(source.flat[inside], source.cost[inside], quantity)
    if not view.monotone:
        return GoalTrees(source, view, quantity)
    # Such functions are listed anyway, and a measure is that of the function.
    functions = source.functions(view, source.problem.semantics(), LIMIT)
    cost = source.problem.cost(functions.errors, functions.leaves)
    return ListedGoalTrees(functions.trees(np.arange(len(cost))), cost, quantity)
