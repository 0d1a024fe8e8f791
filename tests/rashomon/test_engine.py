"""The Rashomon engine itself: every number against brute force over all trees, in fractions."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
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
            self.meaning, self.space.domains, keys, weights,
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
            name = ol.fingerprint(ol.read_tree(columns.tree(tree), space=columns.space))
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


def test_functions_pass_no_limit():
    case = Case(7)
    view, trees = case.view(0)
    n = len(case.problem.functions("rows", trees))
    counted = case.graph.functions(view, None, False, n, None, PLENTY, 60.0)
    assert counted.n == n
    assert all(len(each) == 0 for each in counted.arrays())
    with pytest.raises(IndexError, match="no such function"):
        counted.trees(np.array([0]))
    with pytest.raises(_core.base.LimitReached) as caught:
        case.graph.functions(view, None, False, n - 1, None, PLENTY, 60.0)
    assert caught.value.met == n
    with pytest.raises(IndexError, match="no such function"):
        counted.trees_of(0, 0, 1)
    with pytest.raises(IndexError, match="no such function"):
        case.graph.functions(view, None, False, n, None, PLENTY, 60.0).trees(np.array([n]))


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
def test_votes_and_disagreement(seed):
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
        some = np.array(draw.sample(range(found.n), min(found.n, 8)))
        for weights in ([1] * 70, [draw.randint(0, 3) for _ in rows]):
            apart = found.disagreement(table, np.array(weights), some).reshape(len(some), -1)
            for i, a in enumerate(some.tolist()):
                for j, b in enumerate(some.tolist()):
                    differ = (say(members[a], r) != say(members[b], r) for r in rows)
                    assert apart[i, j] == sum(w for w, d in zip(weights, differ, strict=True) if d)


# -- limits ------------------------------------------------------------------------------------


def big() -> tuple[Any, ...]:
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, (400, 40)).astype(np.uint8)
    y = draw.integers(0, 2, 400).astype(np.int32)
    return X, y, np.ones(400, dtype=np.int64), 2


def test_memory_and_time_are_limited():
    with pytest.raises(MemoryError, match="more than the 100000 bytes"):
        _core.rashomon.Graph(*big(), search(4, 100, 100, (1000, 1, False), 100_000, 60.0))
    with pytest.raises(TimeoutError, match="time limit"):
        _core.rashomon.Graph(*big(), search(5, 100, 100, (1000, 1, False), PLENTY, 0.01))
    graph = _core.rashomon.Graph(*big(), search(3, 100, 100, (2500, 1, False)))
    view = view_of(graph.bound, 0, np.ones(40, dtype=np.uint8), [], True)
    with pytest.raises(MemoryError, match="bytes it may use"):
        graph.counts(view, 10_000, 60.0)
    with pytest.raises(MemoryError, match="bytes it may use"):
        graph.functions(view, None, False, 10**9, None, 1_000_000, 60.0)
    with pytest.raises(TimeoutError, match="time limit"):
        graph.functions(view, None, False, 10**9, None, PLENTY, 0.0)


@pytest.mark.parametrize("what", ["graph", "functions"])
def test_ctrl_c_is_heard(what):
    code = (
        "import os, signal, threading, sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/tests']\n"
        "from tests.rashomon.test_engine import PLENTY, _core, big, np, search, view_of\n"
        "depth = 6 if sys.argv[2] == 'graph' else 3\n"
        "def stop():\n"
        "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "if sys.argv[2] == 'graph':\n    stop()\n"
        "try:\n"
        "    wanted = search(depth, 100, 0, (8000, 1, False), PLENTY, 1e9)\n"
        "    graph = _core.rashomon.Graph(*big(), wanted)\n"
        "    stop()\n"
        "    view = view_of(graph.bound, 0, np.ones(40, dtype=np.uint8), [], True)\n"
        "    graph.functions(view, None, False, 10**9, None, PLENTY, 1e9)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[2]), what],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert out.stdout.strip() == "heard"


def test_arrays_that_do_not_fit_are_refused():
    graph = _core.rashomon.Graph(*big(), search(2, 100, 100, (100, 1, False)))
    ones = np.ones(40, dtype=np.uint8)
    view = view_of(graph.bound, 0, ones, [], True)
    rows = np.ones((3, 40), dtype=np.uint8)
    few = (*big()[:2], np.ones(3, dtype=np.int64))
    with pytest.raises(ValueError, match="one per row"):
        _core.rashomon.Graph(*few, 2, search(2, 1, 1, (1, 1, False)))
    with pytest.raises(ValueError, match="error_cost"):
        _core.rashomon.Graph(*big(), search(2, 0, 100, (100, 1, False)))
    with pytest.raises(OverflowError, match="62 bits"):
        _core.rashomon.Graph(*big(), search(2, 100, 100, (2**62, 1, True)))
    for bad, message in [
        (view_of(graph.bound + 1, 0, ones, [], True), "at most the graph's"),
        (view_of(graph.bound, 0, ones[:3], [], True), "one entry per column"),
        (view_of(graph.bound, 0, ones, [[0]] * 17, True), "at most 16 groups"),
        (view_of(graph.bound, 0, ones, [[40]], True), "numbers of columns"),
    ]:
        with pytest.raises(ValueError, match=message):
            graph.counts(bad, PLENTY, 60.0)
        with pytest.raises(ValueError, match=message):
            graph.decide(bad, rows, rows, 60.0)
    with pytest.raises(ValueError, match="rows x columns"):
        graph.decide(view, rows, rows[:, :3].copy(), 60.0)
    with pytest.raises(ValueError, match="residue"):
        graph.functions(view, None, False, 10**6, (4, 2), PLENTY, 60.0)
    with pytest.raises(ValueError, match="one condition per column"):
        graph.functions(view, independent(3).measure(2), False, 10**6, None, PLENTY, 60.0)
    with pytest.raises(ValueError, match="that are listed"):
        graph.functions(view, None, False, 10**6, None, PLENTY, 60.0).votes(rows)
    found = graph.functions(view, None, True, 10**6, None, PLENTY, 60.0)
    with pytest.raises(ValueError, match="rows x columns"):
        found.votes(rows[:, :3].copy())
    with pytest.raises(ValueError, match="one per row"):
        found.disagreement(rows, np.ones(2, dtype=np.int64), np.array([0]))
    counts = graph.counts(view, PLENTY, 60.0)
    with pytest.raises(IndexError, match="no such tree"):
        counts.unrank(positions([number(counts.n)]))
    with pytest.raises(ValueError, match="high and low"):
        counts.unrank(np.zeros((1, 3), dtype=np.uint64))


def test_counts_past_64_and_128_bits():
    X = np.array(list(itertools.product((0, 1), repeat=6)), dtype=np.uint8)
    y = (X.sum(axis=1) % 2).astype(np.int32)
    weights = np.ones(64, dtype=np.int64)
    graph = _core.rashomon.Graph(X, y, weights, 2, search(6, 1, 0, (64, 1, False)))
    # All trees over 6 free columns of depth <= 6: a node with k columns left asks any of them.
    n = 1
    for k in range(1, 7):
        n = 1 + k * n * n
    counts = graph.counts(
        view_of(graph.bound, 0, np.ones(6, dtype=np.uint8), [], True), PLENTY, 60.0
    )
    assert number(counts.n) == n > 2**64
    for position in (0, n // 3, n - 1):
        flat = counts.unrank(positions([position]))
        assert number(counts.rank(flat[1], flat[2])) == position
    X = np.array(list(itertools.product((0, 1), repeat=7)), dtype=np.uint8)
    y = (X.sum(axis=1) % 2).astype(np.int32)
    graph = _core.rashomon.Graph(
        X, y, np.ones(128, dtype=np.int64), 2, search(7, 1, 0, (128, 1, False))
    )
    with pytest.raises(OverflowError, match=r"2\^128"):
        graph.counts(view_of(graph.bound, 0, np.ones(7, dtype=np.uint8), [], True), PLENTY, 60.0)


def test_trees_of_one_function_past_64_bits():
    """All trees say the same: they are one function, and are counted exactly or not at all."""

    def all_of(d):
        X = np.array(list(itertools.product((0, 1), repeat=d)), dtype=np.uint8)
        n = len(X)
        one, zero = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int32)
        return _core.rashomon.Graph(X, zero, one, 2, search(d, 1, 0, (n, 1, False)))

    def functions(graph, d, most, listed=True):
        view = view_of(graph.bound, most, np.ones(d, dtype=np.uint8), [], True)
        return graph.functions(view, None, listed, 10, None, PLENTY, 60.0)

    n = 1
    for k in range(1, 6):
        n = 1 + k * n * n
    assert functions(all_of(5), 5, 0).arrays()[3].tolist() == [n]
    graph = all_of(6)
    counts = graph.counts(
        view_of(graph.bound, 0, np.ones(6, dtype=np.uint8), [], True), PLENTY, 60.0
    )
    leaves, _, high, low, *_ = counts.histogram(PLENTY, 60.0)
    by_leaves = [(int(h) << 64) + int(w) for h, w in zip(high, low, strict=True)]
    fits = [m for m in leaves.tolist() if sum(by_leaves[:m]) < 2**64]
    alone = [m for m in leaves.tolist() if max(by_leaves[:m]) < 2**64]
    assert 1 < fits[-1] < alone[-1] < leaves[-1]  # both kinds of overflow are met
    assert functions(graph, 6, fits[-1]).arrays()[3].tolist() == [sum(by_leaves[: fits[-1]])]
    for most in (fits[-1] + 1, alone[-1] + 1, 0):
        with pytest.raises(OverflowError, match=r"2\^64 trees of one function"):
            functions(graph, 6, most)
        assert functions(graph, 6, most, False).n == 1
