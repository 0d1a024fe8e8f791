"""Rashomon sets against brute force over all trees, in fractions."""

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from oracle_rashomon import columns_of, is_trivial, n_leaves, say
from rashomon_cases import Case, key

import orderless as ol
from orderless import member

CASES = 80
DEEP = 10


def cases():
    return [(seed, 2, 5) for seed in range(CASES)] + [(seed, 3, 4) for seed in range(DEEP)]


@pytest.fixture(scope="module", params=cases(), ids=lambda p: f"{p[0]}-depth{p[1]}")
def both(request):
    seed, depth, width = request.param
    case = Case(seed, depth, width)
    return case, case.fit()


def multiset(case, trees):
    """Different columns can tell one condition, so that one ``Tree`` is there several times."""
    return Counter(map(case.key, trees))


def test_numbers(both):
    case, found = both
    oracle = case.oracle
    assert found.objective == oracle.optimum
    assert found.bound == oracle.bound
    assert found.n_trees == len(found) == len(oracle.trees)
    assert found.n_nontrivial == sum(not is_trivial(tree) for tree in oracle.trees)
    assert found.on_bound == sum(oracle.objectives[t] == oracle.bound for t in oracle.trees)
    table = Counter((float(oracle.objectives[t]), n_leaves(t)) for t in oracle.trees)
    ours = found.counts()
    assert {
        (o, n): k for o, n, k in zip(ours.objective, ours.leaves, ours.trees, strict=True)
    } == table
    assert ours.nontrivial.sum() == found.n_nontrivial
    assert ours.objective.is_monotonic_increasing


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_thousands_of_small_problems(start):
    for seed in range(10_000 + start, 10_500 + start):
        case = Case(seed, 1 + seed % 3, 3)
        found, oracle = case.fit(), case.oracle
        assert (found.objective, found.bound) == (oracle.optimum, oracle.bound), seed
        assert found.n_trees == len(oracle.trees), seed
        assert found.n_nontrivial == sum(not is_trivial(tree) for tree in oracle.trees), seed
        assert len(found.functions()) == len(oracle.functions("cells")), seed
        assert len(found.functions("columns")) == len(oracle.functions("all")), seed
        assert len(found.functions("rows")) == len(oracle.functions("rows")), seed


def test_trees_in_order_and_membership(both):
    case, found = both
    oracle = case.oracle
    cost = {case.key(tree): oracle.objectives[tree] for tree in oracle.objectives}
    trees = list(found.trees())
    assert Counter(map(key, trees)) == multiset(case, oracle.trees)
    order = [(cost[key(tree)], tree.n_leaves) for tree in trees]
    assert order == sorted(order)
    assert key(found.best_tree) == key(trees[0])
    for i in {0, len(trees) // 2, len(trees) - 1}:
        assert found[i] == found[i - len(trees)] == trees[i]
        assert trees[found.index(trees[i])] == trees[i]
        assert list(found.trees(i))[:2] == trees[i : i + 2]
    assert found[1:7:2] == trees[1:7:2]
    assert found[::-1][:3] == trees[::-1][:3]
    inside = set(map(key, trees))
    for tree in list(oracle.objectives)[:: max(1, len(oracle.objectives) // 40)]:
        assert (case.read(tree) in found) == (case.key(tree) in inside)
    of = {case.key(tree): tree for tree in oracle.trees}
    for tree in trees[:5]:
        said = tree.predict(np.array(case.cells)).tolist()
        assert said == [case.classes[say(of[key(tree)], cell)] for cell in case.cells]


def feature_of(case, column):
    return case.space.columns[column].feature


def views(case, found):
    """Views, and what the oracle keeps for them."""
    random = case.random
    names = list(case.space.names)
    one, two = (names[random.integers(len(names))] for _ in range(2))
    leaves = int(random.integers(1, 5))
    oracle = case.oracle
    small = Fraction(str(case.epsilon)) / 2
    scale = oracle.optimum if case.relative else 1
    yield (
        found.where(member.epsilon <= small),
        lambda t: oracle.objectives[t] <= oracle.optimum + small * scale,
    )
    yield found.where(member.leaves <= leaves), lambda t: n_leaves(t) <= leaves
    yield found.where(~member.trivial), lambda t: not is_trivial(t)
    used = lambda t: {feature_of(case, c) for c in columns_of(t)}  # noqa: E731
    yield found.where(member.uses(one)), lambda t: one in used(t)
    yield found.where(~member.uses(one)), lambda t: one not in used(t)
    yield found.where(member.uses(one), member.uses(two)), lambda t: {one, two} <= used(t)
    yield (
        found.where(member.epsilon <= small, ~member.uses(one))
        .where(member.leaves <= 3, ~member.trivial),
        lambda t: oracle.objectives[t] <= oracle.optimum + small * scale and one not in used(t)
        and n_leaves(t) <= 3 and not is_trivial(t),
    )  # fmt: skip


def test_views(both):
    case, found = both
    for view, inside in views(case, found):
        kept = [tree for tree in case.oracle.trees if inside(tree)]
        assert view.n_trees == len(kept)
        assert view.n_nontrivial == sum(not is_trivial(tree) for tree in kept)
        assert Counter(map(key, view)) == multiset(case, kept)
        assert len(view.functions()) == len(case.oracle.functions("cells", kept))
        assert len(view.functions("rows")) == len(case.oracle.functions("rows", kept))
        assert bool(view) == bool(kept)
        for i in range(0, view.n_trees, 3):
            assert view[view.index(view[i])] == view[i]


def test_functions(both):
    case, found = both
    oracle = case.oracle
    assert len(found.functions()) == len(found.functions()) == len(oracle.functions("cells"))
    assert len(found.functions("columns")) == len(oracle.functions("all"))
    assert len(found.functions("rows")) == len(oracle.functions("rows"))
    plain = case.fit(aware=False)
    assert plain.n_trees == found.n_trees
    assert len(plain.functions()) == len(plain.functions()) == len(oracle.functions("all"))
    groups = oracle.functions("cells")
    functions = list(found.functions())
    order = [(f.objective, f.leaves) for f in functions]
    assert order == sorted(order)
    rows = np.array(case.cells)
    for function in functions:
        said = tuple(case.classes.index(c) for c in function.tree.predict(rows).tolist())
        members = groups.pop(said)
        assert function.n_trees == len(members)
        assert function.n_nontrivial == sum(not is_trivial(tree) for tree in members)
        assert function.objective == min(oracle.objectives[tree] for tree in members)
        assert function.leaves == min(n_leaves(tree) for tree in members)
        assert function.fingerprint == function.tree.fingerprint
        assert function.tree.n_leaves == function.leaves
        trees = list(function.trees())
        assert Counter(map(key, trees)) == multiset(case, members)
        leaves = [tree.n_leaves for tree in trees]
        assert leaves == sorted(leaves)
    assert not groups


def test_functions_are_read_in_one_of_three_ways():
    trees = ol.RashomonSet(1).fit([[0], [1]], [0, 1]).trees_
    assert trees.functions() == trees.functions("features") == trees.functions(by="columns")
    with pytest.raises(ValueError, match=r"by must be one of 'features', .* got 'aware'"):
        trees.functions("aware")


def test_function_table(both):
    case, found = both
    table = found.functions().table()
    functions = found.functions()
    assert len(table) == len(functions)
    assert table.n_trees.tolist() == [f.n_trees for f in functions]
    assert [Fraction(int(c), table.unit) for c in table.cost] == [f.objective for f in functions]
    assert (table.trees.n_leaves == table.leaves).all()
    assert table.n_trees.sum() == found.n_trees
    assert table.n_nontrivial.sum() == found.n_nontrivial
    assert table.trees.depth.max() <= case.depth
    assert (table.trees.nontrivial | (table.n_nontrivial == 0)).all()


def test_pickles_and_files(both):
    _, found = both
    view = found.where(member.leaves <= 3)
    for again in (pickle.loads(pickle.dumps(found)), ol.TreeSet.from_json(found.to_json())):
        assert again.n_trees == found.n_trees
        assert again[:5] == found[:5]
        assert again.bound == found.bound
    for again in (pickle.loads(pickle.dumps(view)), ol.TreeSet.from_json(view.to_json())):
        assert list(again) == list(view)
    functions = pickle.loads(pickle.dumps(found.functions()))
    assert functions == found.functions()


@pytest.mark.parametrize("seed", range(10))
def test_objectives_of_any_tree(seed):
    case = Case(seed)
    found = case.fit()
    for tree in list(case.oracle.objectives)[:100]:
        assert found.objective_of(case.read(tree)) == case.oracle.objectives[tree]
    strange = ol.read({"prediction": "strange"}, space=case.space)
    due = 1 + Fraction(str(case.regularization))
    assert found.objective_of(strange) == due
