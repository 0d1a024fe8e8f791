"""Squared errors of the shares that leaves give, over all trees of a set.

In:  a ``Source`` of classes, a ``View`` of it, ``MeasuredRows``.
Out: ``Range`` and ``Front`` of "squared error" or "brier score".

A leaf gives each class the share of its training rows that have it. The squared error of a row is
the sum over classes of (1 if the row has the class, else 0, less the share)^2; of two classes the
terms are equal, and it is one of them. Shares have as many denominators as leaves have weights, so
that sums of them are no whole numbers of one unit: the search rounds each leaf down to a 2^-b-th,
and what comes out is the exact value of its tree, and how far from it the end can be.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..api import Tree
from ..errors import InvalidData
from ..inputs import some_names
from .engine import Engine, View
from .flat import FlatTrees
from .goal_results import Front, FrontPoint, Range
from .goal_trees import GoalTrees
from .listed import Listed, Source
from .measured_rows import MeasuredRows
from .quantity import Form, Quantity, as_number

__all__ = ["LeafShares"]

MOST_BITS, FEWEST_BITS = 48, 16

Step = tuple[int, Fraction, FlatTrees]  # objective, value, tree


class LeafShares:
    """Squared errors of shares."""

    def __init__(self, source: Source, view: View, name: str, rows: MeasuredRows) -> None:
        self._source, self._view, self.name, self._rows = source, view, name, rows
        self._problem = source.problem
        n_classes = len(self._problem.classes)
        self._scale = Fraction(1, rows.weight_scale * (2 if n_classes == 2 else 1))
        if name == "brier score":
            total = rows.total()
            if not total:
                raise InvalidData(f"{name!r} is a mean of rows that have no weight")
            self._scale /= total
        place = {label: i for i, label in enumerate(self._problem.classes)}
        for truth in rows.truths:
            if truth not in place:
                raise InvalidData(
                    f"y has the label {truth!r}, of which leaves have no share: the set has the "
                    f"classes {some_names(self._problem.classes)}"
                )
        which = rows.truth
        self._part = np.array([place[truth] for truth in rows.truths], dtype=np.int32)[which]

    @property
    def _bits(self) -> int:
        """How fine leaves are measured, so that no sum passes 2^62, and no product 2^127."""
        measured = int(self._rows.weights.sum()).bit_length()
        trained = self._problem.total_weight.bit_length()
        bits = min(MOST_BITS, 60 - measured, 125 - measured - 2 * trained)
        if bits < FEWEST_BITS:
            raise InvalidData(
                f"{self.name!r} would need more than 128 bits: the weights have too many digits; "
                "round sample_weight"
            )
        return bits

    @property
    def tolerance(self) -> Fraction:
        """How far every end can be from the one that is found."""
        if isinstance(self._source, Listed):
            return Fraction(0)
        leaves = min(1 << self._problem.rules.max_depth, len(self._problem.weights))
        return leaves * self._scale / (1 << self._bits)

    def _quantity(self) -> Quantity:
        n_classes = len(self._problem.classes)
        factors = np.zeros((n_classes + 1, n_classes), dtype=np.int64)
        factors[-1] = 1
        labels = np.arange(n_classes, dtype=np.int32)
        rows = self._rows
        return Quantity(
            self.name, rows.bits, self._part, rows.weights, labels, (Form(factors, 0, 1),),
            self._bits,
        )  # fmt: skip

    def value(self, tree: FlatTrees) -> Fraction:
        """Give the exact value of one tree."""
        problem, rows = self._problem, self._rows
        n_classes = len(problem.classes)
        trained = _weights(tree, problem.bits, problem.y, problem.weights, n_classes)
        measured = _weights(tree, rows.bits, self._part, rows.weights, n_classes)
        sum_ = Fraction(0)
        for leaf, own in measured.items():
            counts = trained[leaf]
            n, total = sum(counts), sum(own)
            squares = sum(count * count for count in counts)
            hits = sum(a * b for a, b in zip(own, counts, strict=True))
            sum_ += Fraction(total * (n * n + squares) - 2 * n * hits, n * n)
        return sum_ * self._scale

    def _steps(self, largest: bool) -> list[Step]:
        """Give trees by rising objective, each better than those before."""
        source = self._source
        found: list[Step] = []
        if isinstance(source, Engine):
            quantity = self._quantity()
            goals = GoalTrees(source, self._view, quantity)
            stairs = goals.stairs(quantity.forms[0].factors, largest)
            costs, flat = stairs.cost, stairs.trees(list(range(len(stairs))))
        else:
            inside = source.counts(self._view).inside
            costs, flat = source.cost[inside].tolist(), source.flat[inside]
        for i, cost in enumerate(costs):
            value = self.value(flat[i : i + 1])
            last = found[-1] if found else None
            if last is not None and (value <= last[1] if largest else value >= last[1]):
                continue
            if last is not None and last[0] == cost:
                found.pop()
            found.append((int(cost), value, flat[i : i + 1]))
        return found

    def _tree(self, flat: FlatTrees) -> Tree:
        (tree,) = self._problem.trees(flat)
        return tree

    def range(self) -> Range:
        """Give both ends."""
        small, large = (self._steps(largest)[-1] for largest in (False, True))
        return Range(
            self.name,
            as_number(small[1]),
            as_number(large[1]),
            self._tree(small[2]),
            self._tree(large[2]),
            self.tolerance,
            complete=self._source.incomplete is None,
        )

    def front(self, largest: bool) -> Front:
        """Give the trade-off with the objective."""
        points = [
            FrontPoint(self._problem.objective(cost), as_number(value), self._tree(tree))
            for cost, value, tree in self._steps(largest)
        ]
        goal = "largest" if largest else "smallest"
        complete = self._source.incomplete is None
        return Front(self.name, goal, points, tolerance=self.tolerance, complete=complete)


def _weights(
    tree: FlatTrees,
    bits: NDArray[np.uint8],
    part: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_parts: int,
) -> dict[int, list[int]]:
    """Give, by leaf of one tree, the weight of each part that comes there."""
    out: dict[int, list[int]] = {}
    todo = [(0, np.arange(len(bits)))]
    while todo:
        node, at = todo.pop()
        column = int(tree.column[node])
        if column >= 0:
            one = bits[at, column] == 1
            todo += [(node + 1, at[one]), (int(tree.false_child[node]), at[~one])]
            continue
        sums = [0] * n_parts
        for p, weight in zip(part[at].tolist(), weights[at].tolist(), strict=True):
            sums[p] += weight
        out[node] = sums
    return out
