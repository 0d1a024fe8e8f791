"""Brute force for sets of trees of numbers: every tree, in fractions. Shares no algorithm with us.

A tree is a number (Fraction), or (column, tree where the column is 1, tree where it is 0).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from oracle_rashomon import Problem, Row, n_leaves, say


def mean(numbers: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    total = sum(weights, Fraction(0))
    return sum((y * w for y, w in zip(numbers, weights, strict=True)), Fraction(0)) / total


def rounded(number: Fraction, decimals: int) -> Fraction:
    """The nearest decimal, of two the larger."""
    return math.floor(number * Fraction(10) ** decimals + Fraction(1, 2)) / Fraction(10) ** decimals


def lower_median(numbers: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    """The smallest number that at least half of the weight does not pass."""
    half = sum(weights, Fraction(0)) / 2
    for middle in sorted(set(numbers)):
        if (
            sum((w for y, w in zip(numbers, weights, strict=True) if y <= middle), Fraction(0))
            >= half
        ):
            return middle
    raise AssertionError


class NumberProblem(Problem):
    """Data and parameters, with every tree of the set listed; decimals None: means as they are."""

    def __init__(
        self,
        X: Sequence[Row],
        y: Sequence[Fraction],
        *,
        loss: str,
        decimals: int | None,
        depth: int,
        regularization: Fraction,
        epsilon: Fraction,
        relative: bool = False,
        weights: Sequence[Any] | None = None,
        cells: Sequence[Row] | None = None,
    ) -> None:
        self.X, self.y = [tuple(row) for row in X], list(y)
        self.weights = [Fraction(1)] * len(X) if weights is None else list(weights)
        self.loss, self.decimals = loss, decimals
        self.every_row = list(itertools.product((0, 1), repeat=len(self.X[0])))
        self.cells = self.every_row if cells is None else list(cells)
        rows = tuple(i for i in range(len(X)) if self.weights[i] > 0)
        trees = list(self._below(rows, depth))
        self.whole = self.loss_of(trees[0])  # the constant
        self.objectives = {
            tree: (self.loss_of(tree) / self.whole if self.whole else 0)
            + regularization * n_leaves(tree)
            for tree in trees
        }
        self.optimum = min(self.objectives.values())
        self.bound = self.optimum * (1 + epsilon) if relative else self.optimum + epsilon
        self.trees = [tree for tree, cost in self.objectives.items() if cost <= self.bound]

    def _leaf(self, rows: Sequence[int]) -> Fraction:
        numbers, weights = [self.y[i] for i in rows], [self.weights[i] for i in rows]
        if self.loss == "absolute":
            return lower_median(numbers, weights)
        said = mean(numbers, weights)
        return said if self.decimals is None else rounded(said, self.decimals)

    def _below(self, rows: tuple[int, ...], depth: int) -> Iterator[Any]:
        yield self._leaf(rows)
        if depth == 0:
            return
        for column in range(len(self.X[0])):
            one = tuple(i for i in rows if self.X[i][column])
            zero = tuple(i for i in rows if not self.X[i][column])
            if one and zero:
                sides = (list(self._below(side, depth - 1)) for side in (one, zero))
                yield from ((column, a, b) for a, b in itertools.product(*sides))

    def loss_of(self, tree: Any) -> Fraction:
        power = 2 if self.loss == "squared" else 1
        apart = (abs(y - say(tree, x)) ** power for x, y in zip(self.X, self.y, strict=True))
        return sum((w * a for w, a in zip(self.weights, apart, strict=True)), Fraction(0))
