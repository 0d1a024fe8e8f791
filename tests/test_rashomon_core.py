"""The Rashomon engine itself: every number against brute force over all trees, in fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_rashomon import Problem, columns_of, errors_of, is_trivial, n_leaves

from orderless import _core

PLENTY = 1 << 32


class Case:
    """A random problem, by brute force and in the engine."""

    def __init__(self, seed: int, *, n_columns: int | None = None, depth: int | None = None) -> None:
        draw = random.Random(seed)
        d = n_columns or draw.randint(1, 4)
        n = draw.randint(1, 14)
        self.n_classes = draw.choice([2, 2, 3])
        self.depth = draw.randint(0, 3 if d < 4 else 2) if depth is None else depth
        X = [tuple(draw.randint(0, 1) for _ in range(d)) for _ in range(n)]
        if draw.random() < 0.3:  # a copy and an opposite
            X = [(*row[:-1], row[0] ^ (seed & 1)) for row in X]
        y = [draw.randrange(self.n_classes) for _ in range(n)]
        weights = [draw.choice([1, 1, 1, 2, 5, 0]) if seed % 3 == 0 else 1 for _ in range(n)]
        weights[0] = max(weights[0], 1)
        total = sum(weights)
        regularization = Fraction(draw.choice([0, 1, 2, 5, 10]), 50)
        epsilon = Fraction(draw.choice([0, 1, 5, 10, 20]), 50)
        relative = draw.random() < 0.3
        self.problem = Problem(
            X, y, self.n_classes, depth=self.depth, regularization=regularization,
            epsilon=epsilon, relative=relative, weights=[Fraction(w) for w in weights],
        )  # fmt: skip
        self.unit = 50 * total  # objective x unit is an integer
        self.error_cost = 50
        self.leaf_cost = int(regularization * self.unit)
        num = epsilon.numerator if relative else int(epsilon * self.unit)
        self.d = d
        self.graph = _core.RashomonGraph(
            np.array(X, dtype=np.uint8), np.array(y, dtype=np.int32),
            np.array(weights, dtype=np.int64), self.n_classes, self.depth, self.error_cost,
            self.leaf_cost, num, epsilon.denominator if relative else 1, relative, PLENTY, 60.0,
        )  # fmt: skip

    def cost(self, tree: Any) -> int:
        return int(self.problem.objectives[tree] * self.unit)

    def errors(self, tree: Any) -> int:
        p = self.problem
        return int(errors_of(tree, p.X, p.y, p.weights))

    def view(self, seed: int) -> tuple[tuple[Any, ...], list[Any]]:
        """Arguments of a view of the set, and its trees by brute force."""
        draw = random.Random(seed)
        bound, most = self.graph.bound, 0
        allowed = np.ones(self.d, dtype=np.uint8)
        required: list[list[int]] = []
        if seed != 0:
            bound = draw.randint(self.graph.optimum - 1, self.graph.bound)
            most = draw.choice([0, 0, 1, 2, 3, 5])
            if draw.random() < 0.4:
                allowed[draw.randrange(self.d)] = 0
            for _ in range(draw.choice([0, 0, 1, 2])):
                required.append(draw.sample(range(self.d), draw.randint(1, self.d)))
        trivial = seed == 0 or draw.random() < 0.5
        trees = [
            tree
            for tree in self.problem.trees
            if self.cost(tree) <= bound
            and (most == 0 or n_leaves(tree) <= most)
            and all(allowed[j] for j in columns_of(tree))
            and all(columns_of(tree) & set(group) for group in required)
            and (trivial or not is_trivial(tree))
        ]
        return (bound, most, allowed, required, trivial), trees


def number(pair: tuple[int, int]) -> int:
    return pair[0] << 64 | pair[1]


def nested(flat: Any, i: int) -> Any:
    """One flat tree as the oracle writes it; checks the false children on the way."""
    start, column, label, false_child = (np.asarray(part).tolist() for part in flat)

    def read(at: int) -> tuple[Any, int]:
        if column[at] < 0:
            assert false_child[at] == -1
            return label[at], at + 1
        assert label[at] == -1
        one, middle = read(at + 1)
        assert false_child[at] == middle - start[i]
        zero, end = read(middle)
        return (column[at], one, zero), end

    tree, end = read(start[i])
    assert end == start[i + 1]
    return tree


def flat_of(tree: Any) -> tuple[Any, Any]:
    if not isinstance(tree, tuple):
        return [-1], [tree]
    one, zero = flat_of(tree[1]), flat_of(tree[2])
    return [tree[0], *one[0], *zero[0]], [-1, *one[1], *zero[1]]


def positions(numbers: Any) -> Any:
    return np.array([[i >> 64, i & (2**64 - 1)] for i in numbers], dtype=np.uint64).reshape(-1, 2)


def rank(counts: Any, tree: Any) -> int | None:
    column, label = (np.array(part, dtype=np.int32) for part in flat_of(tree))
    found = counts.rank(column, label)
    return None if found is None else number(found)


def check_counts(case: Case, seed: int) -> None:
    view, trees = case.view(seed)
    counts = case.graph.counts(*view, PLENTY, 60.0)
    assert number(counts.n) == len(trees)
    table = [part.tolist() for part in counts.histogram()]
    both = [tree for tree in case.view(seed)[1]]
    buckets: dict[tuple[int, int, int], list[int]] = {}
    for tree in both:
        key = (case.cost(tree), n_leaves(tree), case.errors(tree))
        entry = buckets.setdefault(key, [0, 0])
        entry[0] += 1
        entry[1] += not is_trivial(tree)
    got = {}
    for leaves, errors, hi, lo, nontrivial_hi, nontrivial_lo in zip(*table, strict=True):
        cost = case.error_cost * errors + case.leaf_cost * leaves
        counted = [number((hi, lo)), number((nontrivial_hi, nontrivial_lo))]
        if view[4] or counted[1]:
            got[cost, leaves, errors] = counted if view[4] else [counted[1]] * 2
    assert got == buckets
    assert list(got) == sorted(got)
    # Every tree once, in order; and back.
    order = list(range(len(trees)))
    random.Random(seed).shuffle(order)
    flat = counts.unrank(positions(order))
    listed = dict(zip(order, (nested(flat, i) for i in range(len(order))), strict=True))
    assert set(listed.values()) == set(trees)
    keys = [(case.cost(listed[i]), n_leaves(listed[i])) for i in range(len(trees))]
    assert keys == sorted(keys)
    for i in order[:50]:
        assert rank(counts, listed[i]) == i
    inside = set(trees)
    for tree in list(case.problem.objectives)[:200]:
        if tree not in inside:
            assert rank(counts, tree) is None


@pytest.mark.parametrize("seed", range(0, 1200, 100))
def test_counts_order_and_positions_are_those_of_brute_force(seed):
    for each in range(seed, seed + 100):
        case = Case(each)
        assert case.graph.optimum == case.problem.optimum * case.unit
        assert case.graph.bound == int(case.problem.bound * case.unit)
        best = nested(case.graph.best_tree(), 0)
        assert case.cost(best) == case.graph.optimum
        for view in (0, each + 1, each + 2):
            check_counts(case, view)
