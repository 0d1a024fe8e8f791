"""Brute force for Rashomon sets: every tree, in fractions. Shares no algorithm with the package.

A tree is a label (int), or (column, tree where the column is 1, tree where it is 0).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

Row = tuple[int, ...]


def label_of(rows: Sequence[int], y: Sequence[int], weights: Sequence[Any], n_classes: int) -> int:
    """The heaviest class; of several the one with the largest number."""
    total = [sum((weights[i] for i in rows if y[i] == c), Fraction(0)) for c in range(n_classes)]
    return max(range(n_classes), key=lambda c: (total[c], c))


def every_tree(
    X: Sequence[Row], y: Sequence[int], weights: Sequence[Any], n_classes: int, depth: int
) -> list[Any]:
    """All trees up to a depth; each side of a split has a row of positive weight."""

    def below(rows: tuple[int, ...], depth: int) -> Iterator[Any]:
        yield label_of(rows, y, weights, n_classes)
        if depth == 0:
            return
        for column in range(len(X[0])):
            one = tuple(i for i in rows if X[i][column])
            zero = tuple(i for i in rows if not X[i][column])
            if one and zero:
                pairs = itertools.product(list(below(one, depth - 1)), list(below(zero, depth - 1)))
                yield from ((column, a, b) for a, b in pairs)

    return list(below(tuple(i for i in range(len(X)) if weights[i] > 0), depth))


def say(tree: Any, row: Row) -> int:
    while isinstance(tree, tuple):
        tree = tree[1] if row[tree[0]] else tree[2]
    return tree


def n_leaves(tree: Any) -> int:
    return n_leaves(tree[1]) + n_leaves(tree[2]) if isinstance(tree, tuple) else 1


def depth_of(tree: Any) -> int:
    return 1 + max(depth_of(tree[1]), depth_of(tree[2])) if isinstance(tree, tuple) else 0


def columns_of(tree: Any) -> set[int]:
    if not isinstance(tree, tuple):
        return set()
    return {tree[0]} | columns_of(tree[1]) | columns_of(tree[2])


def is_trivial(tree: Any) -> bool:
    """Whether some split has two leaves of equal label."""
    if not isinstance(tree, tuple):
        return False
    _, one, zero = tree
    if not isinstance(one, tuple) and not isinstance(zero, tuple):
        return one == zero
    return is_trivial(one) or is_trivial(zero)


def errors_of(tree: Any, X: Sequence[Row], y: Sequence[int], weights: Sequence[Any]) -> Fraction:
    wrong = (weights[i] for i in range(len(X)) if say(tree, X[i]) != y[i])
    return sum(wrong, Fraction(0))


class Problem:
    """Data and parameters, with every tree of the set listed by brute force."""

    def __init__(
        self,
        X: Sequence[Row],
        y: Sequence[int],
        n_classes: int,
        *,
        depth: int,
        regularization: Fraction,
        epsilon: Fraction,
        relative: bool = False,
        weights: Sequence[Any] | None = None,
        cells: Sequence[Row] | None = None,
    ) -> None:
        self.X, self.y = [tuple(row) for row in X], list(y)
        self.weights = [Fraction(1)] * len(X) if weights is None else list(weights)
        self.n_classes = n_classes
        total = sum(self.weights, Fraction(0))
        width = len(self.X[0])
        self.every_row = list(itertools.product((0, 1), repeat=width))
        self.cells = self.every_row if cells is None else list(cells)
        self.objectives: dict[Any, Fraction] = {}
        for tree in every_tree(self.X, self.y, self.weights, n_classes, depth):
            wrong = errors_of(tree, self.X, self.y, self.weights) / total
            self.objectives[tree] = wrong + regularization * n_leaves(tree)
        self.optimum = min(self.objectives.values())
        self.bound = self.optimum * (1 + epsilon) if relative else self.optimum + epsilon
        self.trees = [tree for tree, cost in self.objectives.items() if cost <= self.bound]

    def functions(self, where: str, trees: Sequence[Any] | None = None) -> dict[Any, list[Any]]:
        """Trees by what they say: on "all" bit rows, on the "cells" of the space, on the "rows"."""
        rows = [x for x, w in zip(self.X, self.weights, strict=True) if w > 0]
        at = {"all": self.every_row, "cells": self.cells, "rows": rows}[where]
        out: dict[Any, list[Any]] = {}
        for tree in self.trees if trees is None else trees:
            out.setdefault(tuple(say(tree, row) for row in at), []).append(tree)
        return out

    def best_determined(self, completions: Sequence[Row]) -> tuple[int, Fraction] | None:
        """Class and objective of the best tree that says one thing of all completions."""
        found = []
        for tree in self.trees:
            said = {say(tree, row) for row in completions}
            if len(said) == 1:
                found.append((self.objectives[tree], said.pop()))
        if not found:
            return None
        cost, label = min(found)
        return label, cost
