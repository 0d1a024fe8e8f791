"""What the trees of a function ask first: every count against all trees, one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from constraint_cases import NAMES, draw
from oracle_rashomon import is_trivial
from rashomon_cases import Case, key
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless import member
from orderless._core.rashomon import trees_by_root
from orderless.errors import InvalidData, InvalidParameter, OutOfTime
from orderless.rashomon.distinct_estimate import _trees_alike
from orderless.rashomon.first_questions import first_columns, trees_by_first
from orderless.rashomon.flat import FlatTrees
from orderless.rashomon.narrowed import core_view

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


def counted(found: Any, view: Any, semantics: str, flat: FlatTrees) -> list[dict[int, int]]:
    errors = found._problem.errors_of(flat)
    return trees_by_first(found._source, view, semantics, flat, errors)


def of_every_tree(found: Any, view: Any, semantics: str) -> list[dict[int, int]]:
    counts = found._source.counts(view)
    return counted(found, view, semantics, counts.unrank(list(range(counts.n))))


@pytest.mark.parametrize("semantics", WHERE)
@pytest.mark.parametrize("trivial", [True, False])
def test_trees_are_counted_by_their_first_question(semantics, trivial):
    several = 0
    for seed in range(40):
        case = Case(seed, 2 + seed % 2, 5 if seed % 2 == 0 else 4)
        found = case.fit()
        view = found._view._replace(trivial=trivial)
        due = [tree for tree in case.oracle.trees if trivial or not is_trivial(tree)]
        known = by_brute_force(case, WHERE[semantics], due)
        seen = list(found if trivial else found.where(~member.trivial))
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
        if not one.conditions:
            continue
        found = one.view(case.fit())
        known = by_brute_force(case, "cells", [tree for tree in case.oracle.trees if one.met(tree)])
        got = of_every_tree(found, found._view, "aware")
        assert got == [known[key(tree)] for tree in found], (seed, name)


@pytest.mark.parametrize("name", ["none", *NAMES])
def test_which_columns_are_first(name):
    """Trees with splits that change nothing need not be counted, and are not missed."""
    constant = 0
    for seed in range(100, 116):
        case = Case(seed, 2, 5)
        found, due = case.fit(), list(case.oracle.trees)
        if name != "none":
            one = draw(case, name, np.random.default_rng(seed))
            if not one.conditions:
                continue
            found, due = one.view(found), [tree for tree in due if one.met(tree)]
        known = by_brute_force(case, "cells", due)
        for functions in (found, found.where(~member.trivial)) if name == "none" else (found,):
            table = functions.functions().table()
            got = first_columns(found, table)
            trees = found._problem.trees(table.trees)
            for tree, has in zip(trees, got, strict=True):
                assert set(np.flatnonzero(has).tolist()) == set(known[key(tree)]) - {-1}, seed
                constant += tree.n_leaves == 1 and has.any()
    assert name != "none" or constant > 0


def test_lists_of_trees():
    for seed in range(8):
        case = Case(seed, 2, 4)
        trees = [case.read(tree) for tree in case.oracle.trees[::2]]
        found = ol.TreeSet.from_trees(trees, case.X, case.labels)
        names = Counter()
        for function in found.functions():
            flat = found._problem.columns.flatten(function.tree.kernel, found._problem.classes)
            (got,) = counted(found, found._view, found._problem.semantics(), flat)
            due = Counter(key(tree)[0] if tree.n_leaves > 1 else -1 for tree in function.trees())
            assert sorted(got.values()) == sorted(due.values())
            for j, n in got.items():
                names[j] += n
        begins = first_columns(found, found.functions().table()).any(axis=0)
        assert set(np.flatnonzero(begins).tolist()) == set(names) - {-1}
        for j, n in names.items():
            if j >= 0:
                assert found.where(member.root == found.columns[j]).n_trees == n


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
    return ol.RashomonSet(3, 0.01, 0.1).fit(X, y).trees_


@pytest.mark.parametrize("draw_from", ["functions", "trees"])
def test_a_sample_is_chosen_from_as_views_are(several, draw_from):
    """Of a sample, the functions that the view of all trees with a first question has."""
    every = ol.choose(several, sample=25, draw=draw_from, random_state=0).set_index("fingerprint")
    kept = 0
    for name in several.columns:
        begins = set(ol.choose(several.where(member.root == name)).set_index("fingerprint").index)
        assert set(ol.choose(several, first=name).set_index("fingerprint").index) == begins
        some = ol.choose(several, sample=25, draw=draw_from, random_state=0, first=name).set_index(
            "fingerprint"
        )
        assert some.index.tolist() == [one for one in every.index if one in begins]
        # What is judged among the sample does not depend on which of it are kept.
        assert some.agreement.tolist() == every.agreement[some.index].tolist()
        kept += len(some)
    assert 0 < kept < 6 * len(every)


def test_a_sample_of_a_view(several):
    view = several.where(member.root == "x0", member.uses("x1"), member.leaves <= 5)
    some = ol.choose(view, sample=10, random_state=0).set_index("fingerprint")
    assert (
        ol.choose(view, sample=10, random_state=0, first="x0")
        .set_index("fingerprint")
        .index.tolist()
        == some.index.tolist()
    )
    assert len(ol.choose(view, sample=10, random_state=0, first="x1").set_index("fingerprint")) == 0
    assert len(ol.choose(view, first="x1").set_index("fingerprint")) == 0
    rising = several.where(member.monotone({"x0": 1}))
    begins = set(ol.choose(rising.where(member.root == "x1")).set_index("fingerprint").index)
    table = ol.choose(rising, sample=10, random_state=0).set_index("fingerprint")
    due = [name for name in table.index if name in begins]
    assert (
        ol.choose(rising, sample=10, random_state=0, first="x1")
        .set_index("fingerprint")
        .index.tolist()
        == due
    )


def test_two_columns_of_one_condition():
    """The tree of an end may ask the other column: it need not be one of the view."""
    random = np.random.default_rng(0)
    a, b = random.integers(0, 10, 80), random.integers(0, 2, 80)
    X = np.c_[a <= 3, a <= 3, a <= 6, b].astype(int)
    y = ((a <= 3) & (b == 1)) ^ (random.random(80) < 0.2)
    asked = {f"c{i}": ol.Condition("a", at_most=cut) for i, cut in enumerate((3, 3, 6))}
    features = [ol.Feature("a", values="integer"), ol.Feature("b", "boolean")]
    space = ol.Space(features, asked | {"b": "b"})
    found = ol.RashomonSet(3, 0.01, 0.2, space=space).fit(X, y).trees_
    for view in (found, found.where(member.root == "c0"), found.where(member.root == "c1")):
        table = ol.choose(view, sample=1, random_state=0).set_index("fingerprint")
        for name in view.columns:
            own = view.where(member.root == name)
            begins = set(ol.choose(own).set_index("fingerprint").index) if own.n_trees else set()
            got = (
                ol.choose(view, sample=1, random_state=0, first=name)
                .set_index("fingerprint")
                .index.tolist()
            )
            assert got == [one for one in table.index if one in begins]


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_a_sample_of_functions_of_numbers(loss):
    random = np.random.default_rng(2)
    X = random.integers(0, 2, (50, 5))
    y = X[:, 0] * 2.0 + X[:, 1] + random.integers(0, 3, 50) / 4
    found = ol.RashomonSet(2, 0.01, 0.2, loss=loss).fit(X, y).trees_
    table = ol.choose(found, sample=12, random_state=0).set_index("fingerprint")
    kept = 0
    for name in found.columns:
        own = found.where(member.root == name)
        begins = set(ol.choose(own).set_index("fingerprint").index) if own.n_trees else set()
        got = (
            ol.choose(found, sample=12, random_state=0, first=name)
            .set_index("fingerprint")
            .index.tolist()
        )
        assert got == [one for one in table.index if one in begins]
        kept += len(got)
    assert kept > 0


@pytest.mark.parametrize(
    ("column", "words"),
    [([0, -1], "one tree, root first"), ([-1, -1], "one tree"), ([9, -1, -1], "of the graph")],
)
def test_the_core_takes_whole_trees_only(several, column, words):
    engine = several._source
    flat = FlatTrees.of(([0, len(column)], column, [0] * len(column), [-1] * len(column)))
    measure = engine.problem.fingerprint_weights("aware", engine.graph)
    view = core_view(engine.problem.columns, engine.graph, several._view, engine.base)
    given = (engine.graph, view, measure, flat.offsets, flat.column, flat.label)
    with pytest.raises(ValueError, match=words):
        trees_by_root(*given, np.zeros(1, dtype=np.int64), engine.memory_limit, 9.0)
    with pytest.raises(ValueError, match="errors: one per tree"):
        trees_by_root(*given, np.zeros(2, dtype=np.int64), engine.memory_limit, 9.0)


def test_a_constant_function_begins_with_what_may_be_asked_in_vain():
    X = [[0, 1], [0, 0], [1, 0], [1, 1], [1, 1]]
    found = ol.RashomonSet(1, 0.01, 0.5).fit(X, [0, 0, 0, 0, 1]).trees_
    leaf = next(tree for tree in found if tree.n_leaves == 1)
    flat = found._problem.columns.flatten(leaf.kernel, found._problem.classes)
    (got,) = counted(found, found._view, "aware", flat)
    due = Counter(int(tree.nodes.feature[0]) for tree in found if ol.equivalent(tree, leaf))
    assert got == due
    table = found.functions().table()
    (at,) = np.flatnonzero(table.leaves == 1)
    assert first_columns(found, table)[at].sum() == len(set(due) - {-1}) > 0


def test_what_is_refused(several):
    with pytest.raises(
        InvalidData, match="the first question asks 'x9', which is no column and no feature"
    ):
        ol.choose(several, first="x9").set_index("fingerprint")
    X = [[0, 3], [1, 3], [1, 3]]  # nothing is learned from the second
    found = ol.RashomonSet(1, 0.01, 0.5).fit(pd.DataFrame(X, columns=["a", "b"]), [0, 1, 1]).trees_
    with pytest.raises(
        InvalidData, match="the first question asks 'b', a feature that no column is about"
    ):
        found.where(member.root == "b")
    with pytest.raises(InvalidParameter, match="first must be the name of a feature or column"):
        ol.choose(several, first={"feature": "x0"}, sample=5).set_index("fingerprint")


def test_the_limit_of_time_is_kept(several):
    table = several.functions().table()
    engine = several._source
    before, engine.caps.time_limit = engine.time_limit, 1e-9
    try:
        with pytest.raises(OutOfTime, match="the first questions of functions took longer"):
            first_columns(several, table)
    finally:
        engine.caps.time_limit = before
