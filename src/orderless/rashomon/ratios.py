"""The largest and smallest ratio of two sums over leaves, by parametric search.

In:  ``GoalTrees`` of a ``Quantity`` with two forms, numerator and denominator.
Out: the best ratio within an objective, with its cheapest tree; the whole trade-off.

For a ratio p / q of some tree, no tree has a larger one iff no tree makes q x numerator -
p x denominator positive (Dinkelbach 1967): a sum over leaves. Each step takes the ratio of the tree
that makes it largest; it ends after a few, and all numbers are whole. Where the denominator is 0
a tree has no ratio, and the product is 0: so the denominator decides between equal ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import InvalidData
from .flat import FlatTrees
from .goal_trees import GoalTrees, ListedGoalTrees, Stairs

__all__ = ["Best", "Ratios"]


@dataclass(frozen=True, eq=False)
class Best:
    """A ratio, the objective of the cheapest tree that has it, and that tree."""

    value: Fraction
    cost: int
    tree: FlatTrees


class Ratios:
    """Ratios over the trees of a view."""

    def __init__(self, goals: GoalTrees | ListedGoalTrees, largest: bool) -> None:
        self._goals, self._largest = goals, largest
        self._quantity = goals.quantity
        above, below = self._quantity.forms
        # Both in one unit, so that constants can be compared.
        self._units = (below.unit, above.unit)
        self._constants = (above.constant * below.unit, below.constant * above.unit)
        self._below = goals.stairs(self._quantity.combined((0, self._units[1])), True)

    def _parts(self, tree: FlatTrees) -> tuple[int, int]:
        """Give the numerator and the denominator of a tree, in one unit."""
        (a,) = self._quantity.sums(tree, self._quantity.combined((self._units[0], 0)))
        (b,) = self._quantity.sums(tree, self._quantity.combined((0, self._units[1])))
        return a + self._constants[0], b + self._constants[1]

    def _start(self, most: int | None) -> Fraction | None:
        """Give the ratio of some tree within an objective; None if none has one."""
        tolerance = [i for i, cost in enumerate(self._below.cost) if most is None or cost <= most]
        if not tolerance:
            return None
        a, b = self._parts(self._below.trees([tolerance[-1]]))
        return Fraction(a, b) if b > 0 else None

    def _stairs(self, ratio: Fraction) -> tuple[Stairs, list[tuple[int, int]]]:
        """Give, for every objective, the best q x numerator - p x denominator, and the latter."""
        p, q = ratio.numerator, ratio.denominator
        sign = 1 if self._largest else -1
        top = self._below.measure[-1] + self._constants[1] + 1  # above every denominator
        factors = self._quantity.combined(
            (top * q * self._units[0], (sign - top * p) * self._units[1])
        )
        stairs = self._goals.stairs(factors, self._largest)
        constant = top * q * self._constants[0] + (sign - top * p) * self._constants[1]
        pairs = []
        for measure in stairs.measure:
            excess, below = divmod(sign * (measure + constant), top)
            pairs.append((sign * excess, below))
        return stairs, pairs

    def best(self, most: int | None = None) -> Best | None:
        """Give the best ratio of the trees within an objective; None if none has a ratio."""
        ratio = self._start(most)
        while ratio is not None:
            stairs, pairs = self._stairs(ratio)
            last = max(i for i, cost in enumerate(stairs.cost) if most is None or cost <= most)
            if pairs[last][0] == 0:
                first = next(i for i, (excess, below) in enumerate(pairs) if not excess and below)
                return Best(ratio, stairs.cost[first], stairs.trees([first]))
            a, b = self._parts(stairs.trees([last]))
            ratio = Fraction(a, b)
        return None

    def some(self) -> Best:
        """Give the best ratio of all; an error if no tree has one."""
        best = self.best()
        if best is None:
            raise InvalidData(
                f"{self._quantity.name!r} divides by 0 for every tree of the set: no row is "
                "predicted, or labelled, so"
            )
        return best

    def front(self) -> list[Best]:
        """Give the best ratio for every objective, the smallest objective first."""
        points = [self.some()]
        while (better := self.best(points[-1].cost - 1)) is not None:
            points.append(better)
        return points[::-1]
