"""The Rashomon engine itself: every number against brute force over all trees, in fractions."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_rashomon import Problem, columns_of, errors_of, is_trivial, n_leaves, say

import orderless as ol
from orderless import _core
from orderless.form.fingerprints import class_weights, space_weights

PLENTY = 1 << 32
COLOR = ol.Feature("color", "categorical", categories=("red", "green", "it's blue"))


def search(
    max_depth: int, error_cost: int, leaf_cost: int, epsilon: tuple[int, int, bool], *limits: Any
) -> _core.rashomon.Search:
    memory, seconds = limits or (PLENTY, 60.0)
    slack = _core.rashomon.Epsilon(*epsilon, base=0)
    return _core.rashomon.Search(
        max_depth, error_cost, leaf_cost, slack, memory, seconds, 1, None, 2048, 2**25
    )


def view_of(*parts: Any, feature: Any = (), most_features: int = 0) -> _core.rashomon.View:
    features = np.array(feature, dtype=np.int32)
    return _core.rashomon.View(*parts, feature=features, most_features=most_features)


class Case:
    """A random problem, by brute force and in the engine."""

    def __init__(
        self, seed: int, *, rows: Any = None, cells: Any = None, depth: int | None = None
    ) -> None:
        draw = random.Random(seed)
        d = draw.randint(1, 4) if rows is None else len(rows[0])
        n = draw.randint(1, 14) if rows is None else len(rows)
        self.n_classes = draw.choice([2, 2, 3])
        self.depth = draw.choice([0, 1, 2, 3, 9] if d < 4 else [1, 2]) if depth is None else depth
        X = rows or [tuple(draw.randint(0, 1) for _ in range(d)) for _ in range(n)]
        if rows is None and draw.random() < 0.3:  # a copy and an opposite
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
            epsilon=epsilon, relative=relative, weights=[Fraction(w) for w in weights], cells=cells,
        )  # fmt: skip
        self.unit = 50 * total  # objective x unit is an integer
        self.error_cost = 50
        self.leaf_cost = int(regularization * self.unit)
        num = epsilon.numerator if relative else int(epsilon * self.unit)
        self.d = d
        self.graph = _core.rashomon.Graph(
            np.array(X, dtype=np.uint8), np.array(y, dtype=np.int32),
            np.array(weights, dtype=np.int64), self.n_classes,
            search(self.depth, self.error_cost, self.leaf_cost,
                   (num, epsilon.denominator if relative else 1, relative)),
        )  # fmt: skip

    def cost(self, tree: Any) -> int:
        return int(self.problem.objectives[tree] * self.unit)

    def errors(self, tree: Any) -> int:
        p = self.problem
        return int(errors_of(tree, p.X, p.y, p.weights))

    def view(self, seed: int) -> tuple[_core.rashomon.View, list[Any]]:
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
        return view_of(bound, most, allowed, required, trivial), trees


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
    counts = case.graph.counts(view, PLENTY, 60.0)
    assert number(counts.n) == len(trees)
    table = [part.tolist() for part in counts.histogram(PLENTY, 60.0)]
    buckets: dict[tuple[int, int, int], list[int]] = {}
    for tree in trees:
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


# -- functions ---------------------------------------------------------------------------------


class Columns:
    """What columns mean: a space, the arrays for the core, and the rows that can be."""

    def __init__(self, space: ol.Space, conditions: list[tuple[str, Any, bool]]) -> None:
        self.space = space
        self.conditions = conditions  # feature, threshold or set of values, whether 1 is "holds"
        sets = [sorted(c) if isinstance(c, set) else [] for _, c, _ in conditions]
        self.meaning = (
            np.array([space.names.index(name) for name, _, _ in conditions], dtype=np.int32),
            np.array([0.0 if isinstance(c, set) else c for _, c, _ in conditions]),
            np.zeros(len(conditions), dtype=np.uint8),
            np.array([one for _, _, one in conditions], dtype=np.uint8),
            np.cumsum([0, *map(len, sets)]).astype(np.int64),
            np.array([v for values in sets for v in values], dtype=np.int32),
        )

    def measure(self, n_classes: int) -> tuple[Any, ...]:
        keys, weights = space_weights(self.space)
        return (
            self.meaning, self.space.arrays, keys, weights,
            class_weights(list(range(n_classes))),
        )  # fmt: skip

    def bits(self, point: dict[str, float]) -> tuple[int, ...]:
        out = []
        for name, condition, one in self.conditions:
            value = point[name]
            holds = value in condition if isinstance(condition, set) else value <= condition
            out.append(int(holds == one))
        return tuple(out)

    def tree(self, nested_tree: Any) -> Any:
        """The same as nested dicts over the features."""
        if not isinstance(nested_tree, tuple):
            return {"prediction": nested_tree}
        name, condition, one = self.conditions[nested_tree[0]]
        sides = [self.tree(side) for side in nested_tree[1:]]
        if not one:
            sides.reverse()
        feature = self.space[name]
        if isinstance(condition, set):
            test = {"relation": "in", "reference": [feature.label(v) for v in sorted(condition)]}
        else:
            test = {"relation": "<=", "reference": condition}
        return {"feature": name, **test, "true": sides[0], "false": sides[1]}


def independent(d: int) -> Columns:
    names = [f"x{j}" for j in range(d)]
    return Columns(ol.Space.independent(names), [(name, 0, False) for name in names])


def aware() -> tuple[Columns, list[tuple[int, ...]]]:
    """Three thresholds of one feature, one of another, and two sets of a third."""
    space = ol.Space([ol.Feature("age"), ol.Feature("size of it"), COLOR])
    columns = Columns(
        space,
        [
            ("age", 1.5, True), ("age", 2.5, False), ("age", 3.0, True),
            ("size of it", 0.0, True), ("color", {0}, True), ("color", {0, 2}, False),
        ],
    )  # fmt: skip
    points = itertools.product((1, 2, 3, 4), (0, 1), (0, 1, 2))
    rows = {columns.bits(dict(zip(space.names, point, strict=True))) for point in points}
    return columns, sorted(rows)


def check_functions(case: Case, columns: Columns | None, where: str, seed: int) -> None:
    view, trees = case.view(seed)
    measure = None if columns is None else columns.measure(case.n_classes)
    found = case.graph.functions(view, measure, True, 10**6, None, PLENTY, 60.0)
    wanted = case.problem.functions(where, trees)
    assert found.n == len(wanted)
    values, errors, leaves, n_trees, n_nontrivial = found.arrays()
    values = values.reshape(-1, 2)
    smallest = found.trees(np.arange(found.n))
    by_tree = {tree: what for what, members in wanted.items() for tree in members}
    seen = set()
    for i in range(found.n):
        tree = nested(smallest, i)
        members = wanted[by_tree[tree]]
        seen.add(by_tree[tree])
        assert errors[i] == case.errors(tree)
        assert leaves[i] == n_leaves(tree) == min(map(n_leaves, members))
        assert n_trees[i] == len(members)
        assert n_nontrivial[i] == sum(not is_trivial(m) for m in members)
        flat = found.trees_of(i, 0, len(members) + 3)
        listed = [nested(flat, k) for k in range(len(flat[0]) - 1)]
        assert sorted(map(str, listed)) == sorted(map(str, members))
        assert [n_leaves(m) for m in listed] == sorted(map(n_leaves, members))
        later = found.trees_of(i, 1, 2)
        assert [nested(later, k) for k in range(len(later[0]) - 1)] == listed[1:3]
        if columns is not None:
            name = ol.read(columns.tree(tree), space=columns.space).fingerprint
            assert name == "".join(f"{int(part):016x}" for part in values[i])
    assert len(seen) == len(wanted)
    cost = case.error_cost * errors + case.leaf_cost * leaves
    order = list(zip(cost.tolist(), leaves.tolist(), map(tuple, values.tolist()), strict=True))
    assert order == sorted(order)
    # Pieces by residue are the whole, each function once.
    pieces = [
        case.graph.functions(view, measure, True, 10**6, (rho, 2), PLENTY, 60.0) for rho in range(4)
    ]
    joined = sorted(
        row
        for piece in pieces
        for row in zip(*(part.tolist() for part in _columns(piece)), strict=True)
    )
    assert joined == sorted(zip(*(part.tolist() for part in _columns(found)), strict=True))
    assert case.graph.functions(view, measure, False, 10**6, None, PLENTY, 60.0).n == found.n
    for rho, piece in enumerate(pieces):
        assert all(value % 4 == rho for value in piece.arrays()[0][::2].tolist())
        counted = case.graph.functions(view, measure, False, 10**6, (rho, 2), PLENTY, 60.0)
        assert counted.n == piece.n


def _columns(found: Any) -> tuple[Any, ...]:
    values, *rest = found.arrays()
    return (values[::2], values[1::2], *rest)


@pytest.mark.parametrize("seed", range(0, 300, 50))
def test_functions_of_independent_columns_and_on_rows(seed):
    for each in range(seed, seed + 50):
        case = Case(each)
        for view in (0, each + 1):
            check_functions(case, independent(case.d), "all", view)
            check_functions(case, None, "rows", view)


@pytest.mark.parametrize("seed", range(0, 100, 25))
def test_functions_of_features(seed):
    columns, cells = aware()
    for each in range(seed, seed + 25):
        draw = random.Random(each)
        rows = [draw.choice(cells) for _ in range(draw.randint(2, 12))]
        case = Case(each, rows=rows, cells=cells, depth=draw.choice([1, 2, 2, 3]))
        for view in (0, each + 1):
            check_functions(case, columns, "cells", view)


# -- rows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, 300, 50))
def test_the_best_certain_tree_of_rows_with_unknowns(seed):
    for each in range(seed, seed + 50):
        case = Case(each)
        draw = random.Random(each)
        rows = [[draw.choice([0, 1, 2]) for _ in range(case.d)] for _ in range(6)]
        table = np.array(rows, dtype=np.uint8)
        for seed_of_view in (0, each + 1):
            view, trees = case.view(seed_of_view)
            label, cost = case.graph.decide(
                view, (table != 0).astype(np.uint8), (table != 1).astype(np.uint8), 60.0
            )
            for row, says, costs in zip(rows, label.tolist(), cost.tolist(), strict=True):
                completions = list(itertools.product(*([0, 1] if v == 2 else [v] for v in row)))
                certain = []
                for tree in trees:
                    said = {say(tree, full) for full in completions}
                    if len(said) == 1:
                        certain.append((case.cost(tree), said.pop()))
                assert (costs, says) == min(certain, default=(-1, -1))


@pytest.mark.parametrize("seed", range(0, 90, 30))
def test_votes(seed):
    for each in range(seed, seed + 30):
        case = Case(each)
        view, _ = case.view(0)
        found = case.graph.functions(
            view, independent(case.d).measure(case.n_classes), True, 10**6, None, PLENTY, 60.0
        )
        draw = random.Random(each)
        rows = [tuple(draw.randint(0, 1) for _ in range(case.d)) for _ in range(70)]
        table = np.array(rows, dtype=np.uint8)
        smallest = found.trees(np.arange(found.n))
        members = [nested(smallest, i) for i in range(found.n)]
        votes = found.votes(table).reshape(-1, case.n_classes)
        for row, voted in zip(rows, votes.tolist(), strict=True):
            said = [say(tree, row) for tree in members]
            assert voted == [said.count(c) for c in range(case.n_classes)]
