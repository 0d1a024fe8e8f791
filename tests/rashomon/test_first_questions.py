"""What the trees of a function ask first: every count against all trees, one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from constraint_cases import NAMES, draw
from oracle_rashomon import is_trivial
from rashomon_cases import Case, key
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless.errors import InvalidData, InvalidParameter, OutOfTime
from orderless.rashomon.distinct_estimate import _trees_alike
from orderless.rashomon.first_questions import first_columns, trees_by_first

WHERE = {"aware": "cells", "independent": "all"}


def root(tree: Any) -> int:
    return tree[0] if isinstance(tree, tuple) else -1


def by_brute_force(case: Case, where: str, trees: list[Any]) -> dict[Any, Counter[int]]:
    """How many trees are the same function as each, by the column at the root."""
    return {
        case.key(tree): Counter(root(other) for other in same)
        for same in case.oracle.functions(where, trees).values()
        for tree in same
    }


def of_every_tree(found: Any, view: Any, semantics: str) -> list[dict[int, int]]:
    counts = found._source.counts(view)
    return trees_by_first(found._source, view, semantics, counts.unrank(list(range(counts.n))))


@pytest.mark.parametrize("semantics", WHERE)
@pytest.mark.parametrize("trivial", [True, False])
def test_trees_are_counted_by_their_first_question(semantics, trivial):
    several = 0
    for seed in range(40):
        case = Case(seed, 2 + seed % 2, 5 if seed % 2 == 0 else 4)
        found = case.fit()
        view = replace(found._view, trivial=trivial)
        due = [tree for tree in case.oracle.trees if trivial or not is_trivial(tree)]
        known = by_brute_force(case, WHERE[semantics], due)
        seen = list(found if trivial else found.nontrivial())
        got = of_every_tree(found, view, semantics)
        assert got == [known[key(tree)] for tree in seen], seed
        alike = _trees_alike(found._source, view, semantics, list(range(len(seen))))
        assert [sum(one.values()) for one in got] == alike.tolist()
        several += sum(len(one) > 1 for one in got)
    assert several > 100


@pytest.mark.parametrize("name", NAMES)
def test_trees_of_views(name):
    for seed in range(12):
        case = Case(seed, 2, 5)
        one = draw(case, name, np.random.default_rng(seed))
        if one.given[one.name] is None:
            continue
        found = one.view(case.fit())
        known = by_brute_force(case, "cells", [tree for tree in case.oracle.trees if one.met(tree)])
        got = of_every_tree(found, found._view, "aware")
        assert got == [known[key(tree)] for tree in found], (seed, name)


def test_lists_of_trees():
    for seed in range(8):
        case = Case(seed, 2, 4)
        trees = [case.read(tree) for tree in case.oracle.trees[::2]]
        found = ol.RashomonSet.from_trees(trees, case.X, case.labels)
        names = Counter()
        for function in found.functions():
            flat = found._problem.columns.flatten(function.tree, found._problem.classes)
            (got,) = trees_by_first(found._source, found._view, found._problem.semantics(), flat)
            due = Counter(key(tree)[0] if tree.n_leaves > 1 else -1 for tree in function.trees())
            assert sorted(got.values()) == sorted(due.values())
            for j, n in got.items():
                names[j] += n
        for j, n in names.items():
            if j >= 0:
                assert found.first(found.columns[j]).n_trees == n


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_trees_of_numbers(loss):
    for seed in range(8):
        case = NumberCase(seed, 2, loss)
        found = case.found
        got = of_every_tree(found, found._view, found._problem.semantics())
        known = by_brute_force(case, "cells", list(case.oracle.trees))
        assert got == [known[key(tree)] for tree in found], seed


@pytest.fixture(scope="module")
def several() -> Any:
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (60, 6))
    y = (X[:, 0] & X[:, 1]) ^ (random.random(60) < 0.2)
    return ol.RashomonSet(3, 0.01, 0.1).fit(X, y)


@pytest.mark.parametrize("draw_from", ["functions", "trees"])
def test_a_sample_is_chosen_from_as_views_are(several, draw_from):
    """Of a sample, the functions that the view of all trees with a first question has."""
    every = several.choose(sample=25, draw=draw_from, random_state=0)
    kept = 0
    for name in several.columns:
        begins = set(several.first(name).choose().index)
        assert set(several.choose(first=name).index) == begins
        some = several.choose(sample=25, draw=draw_from, random_state=0, first=name)
        assert some.index.tolist() == [one for one in every.index if one in begins]
        # What is judged among the sample does not depend on which of it are kept.
        assert some.agreement.tolist() == every.agreement[some.index].tolist()
        kept += len(some)
    assert 0 < kept < 6 * len(every)


def test_a_sample_of_a_view(several):
    view = several.first("x0").must_use("x1").max_leaves(5)
    some = view.choose(sample=10, random_state=0)
    assert view.choose(sample=10, random_state=0, first="x0").index.tolist() == some.index.tolist()
    assert len(view.choose(sample=10, random_state=0, first="x1")) == 0
    assert len(view.choose(first="x1")) == 0
    rising = several.monotone({"x0": 1})
    begins = set(rising.first("x1").choose().index)
    table = rising.choose(sample=10, random_state=0)
    due = [name for name in table.index if name in begins]
    assert rising.choose(sample=10, random_state=0, first="x1").index.tolist() == due


def test_a_constant_function_begins_with_what_may_be_asked_in_vain():
    found = ol.RashomonSet(1, 0.01, 0.5).fit([[0, 1], [1, 0], [1, 1]], [0, 0, 1])
    leaf = next(tree for tree in found if tree.n_leaves == 1)
    flat = found._problem.columns.flatten(leaf, found._problem.classes)
    (got,) = trees_by_first(found._source, found._view, "aware", flat)
    due = Counter(int(tree.feature[0]) for tree in found if ol.equivalent(tree, leaf))
    assert got == due
    assert first_columns(found, flat).sum() == len(set(due) - {-1})


def test_what_is_refused(several):
    with pytest.raises(InvalidData, match="first asks 'x9', which is no column and no feature"):
        several.choose(first="x9")
    with pytest.raises(InvalidParameter, match="first must be the name of a feature or column"):
        several.choose(first={"feature": "x0"}, sample=5)


def test_the_limit_of_time_is_kept(several):
    flat = several._counts.unrank(list(range(2000)))
    engine = several._source
    before, engine.time_limit = engine.time_limit, 1e-9
    try:
        with pytest.raises(OutOfTime, match="the first questions of functions took longer"):
            first_columns(several, flat)
    finally:
        engine.time_limit = before
