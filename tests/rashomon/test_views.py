"""Constraints: every one, and every mixture of two, against brute force over all trees."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from constraint_cases import NAMES, PAIRS, Drawn, check, draw
from oracle_rashomon import errors_of, is_trivial, say
from rashomon_cases import Case, key
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidSpace


def drawn(case: Case, names: Any, seed: int) -> list[Drawn]:
    random = np.random.default_rng(seed)
    every = [draw(case, name, random) for name in names]
    return [one for one in every if one.conditions]


def both(case: Case, found: Any, constraints: list[Drawn]) -> tuple[Any, list[Any]]:
    """The view, and its trees by brute force."""
    for one in constraints:
        found = one.view(found)
    return found, [t for t in case.oracle.trees if all(one.met(t) for one in constraints)]


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), *PAIRS], ids="-".join)
def test_one_and_two_constraints(names):
    for seed in range(8):
        case = Case(seed, 2 if seed < 6 else 3, 5 if seed < 6 else 4)
        found = case.fit()
        for times in range(3):
            check(case, *both(case, found, drawn(case, names, 100 * seed + times)))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("names", [*((name,) for name in NAMES), *PAIRS], ids="-".join)
def test_one_and_two_constraints_on_trees_of_numbers(names, loss):
    for seed in range(2, 6):
        case = NumberCase(seed, 2, loss)
        check(case, *both(case, case.found, drawn(case, names, seed)))


@pytest.mark.parametrize("seed", range(6))
def test_all_constraints_and_a_smaller_bound(seed):
    case = Case(seed, 2)
    random = np.random.default_rng(seed)
    for times in range(6):
        names = random.permutation(NAMES)[: int(random.integers(3, 6))].tolist()
        found, due = both(case, case.fit(), drawn(case, names, 10 * seed + times))
        due = [tree for tree in due if not is_trivial(tree)]
        plain = found.where(~member.trivial)
        assert plain.n_trees == len(due) == len({key(tree) for tree in plain})
        assert len(plain.functions()) == len(case.oracle.functions("cells", due))
        if not case.relative:
            half = Fraction(str(case.epsilon)) / 2
            due = [
                tree for tree in due if case.oracle.objectives[tree] <= case.oracle.optimum + half
            ]
            for near in (member.epsilon <= half, member.objective <= case.oracle.optimum + half):
                view = plain.where(near)
                assert {key(tree) for tree in view} == {case.key(tree) for tree in due}
                assert view.bound == case.oracle.optimum + half


def rows_with_unknowns(case: Case, random: np.random.Generator) -> list[list[Any]]:
    rows = case.X[random.integers(0, len(case.X), 6)].astype(object)
    rows[random.random(rows.shape) < 0.4] = None
    return rows.tolist()


def completions(case: Case, row: list[Any]) -> list[Any]:
    """The cells that a row can be."""
    return [c for c in case.cells if all(v is None or v == b for v, b in zip(row, c, strict=True))]


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), *PAIRS[::3]], ids="-".join)
def test_answers_on_rows(names):
    for seed in range(4):
        case = Case(seed, 2)
        random = np.random.default_rng(seed)
        found, due = both(case, case.fit(), drawn(case, names, seed))
        rows = rows_with_unknowns(case, random)
        if not due:
            with pytest.raises(InvalidData, match="no tree in this view"):
                found.predict(rows)
            continue
        for row, said in zip(rows, found.predict(rows).tolist(), strict=True):
            certain = []
            for tree in due:
                labels = {say(tree, cell) for cell in completions(case, row)}
                if len(labels) == 1:
                    certain.append((case.oracle.objectives[tree], labels.pop()))
            assert said == (case.classes[min(certain)[1]] if certain else None)
        functions = case.oracle.functions("cells", due).values()
        for row, votes in zip(case.X, found.votes(case.X).counts.tolist(), strict=True):
            said = [say(trees[0], tuple(row)) for trees in functions]
            assert votes == [said.count(c) for c in range(len(case.classes))]


@pytest.mark.parametrize("names", [(name,) for name in NAMES], ids="-".join)
def test_numbers_on_rows(names):
    for seed, loss in product(range(1, 4), ("squared", "absolute")):
        case = NumberCase(seed, 2, loss)
        random = np.random.default_rng(seed)
        found, due = both(case, case.found, drawn(case, names, seed))
        if not due:
            continue
        rows = rows_with_unknowns(case, random)
        low, high = found.predict_interval(rows)
        for row, least, most in zip(rows, low.tolist(), high.tolist(), strict=True):
            said = {float(say(tree, cell)) for tree in due for cell in completions(case, row)}
            assert (least, most) == (min(said), max(said))
        for row, said in zip(rows, found.predict(rows).tolist(), strict=True):
            certain = []
            for tree in due:
                numbers = {say(tree, cell) for cell in completions(case, row)}
                if len(numbers) == 1:
                    certain.append((case.oracle.objectives[tree], numbers.pop()))
            assert said == (float(min(certain)[1]) if certain else None)


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), *PAIRS[1::4]], ids="-".join)
def test_lists_of_trees_have_the_same_views(names):
    for seed in range(4):
        case = Case(seed, 2)
        trees = [case.read(tree) for tree in case.oracle.trees]
        listed = ol.TreeSet.from_trees(
            trees, case.X, case.labels, regularization=case.regularization,
            sample_weight=case.weights, space=case.space,
        )  # fmt: skip
        found, due = both(case, listed, drawn(case, names, seed))
        assert {key(tree) for tree in found} == {case.key(tree) for tree in due}
        assert len(found.functions()) == len(case.oracle.functions("cells", due))


def test_a_row_counts_as_much_as_it_weighs():
    X = [[0], [0], [1]]
    once = ol.RashomonSet(1, 0, 1).fit(X, [0, 1, 1]).trees_
    heavy = ol.RashomonSet(1, 0, 1).fit(X, [0, 1, 1], [1, 1, 2]).trees_
    assert (
        once.where(member.min_leaf >= 2).n_trees,
        heavy.where(member.min_leaf >= 2).n_trees,
    ) == (1, 2)
    assert (
        heavy.where(member.min_leaf >= 0.5).n_trees,
        heavy.where(member.min_leaf >= 0.51).n_trees,
    ) == (2, 1)
    assert heavy.where(member.min_leaf >= 4).n_trees == 1
    assert heavy.where(member.min_leaf >= 5).n_trees == 0


@pytest.fixture
def patients() -> ol.TreeSet:
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(20, 60, 80), random.integers(0, 2, (80, 2))])
    y = (X[:, 0] > 40) ^ (random.random(80) < 0.1)
    frame = pd.DataFrame(X, columns=["age", "smoker", "sex"])
    return ol.RashomonSet(2, 0.02, 0.1, thresholds=(0.33, 0.66)).fit(frame, y).trees_


@pytest.mark.parametrize(
    ("condition", "error", "message"),
    [
        (lambda: member.uses("agee"), InvalidSpace, r"no feature 'agee' \(did you mean 'age'\?\)"),
        (lambda: ~member.uses("Sex"), InvalidSpace, r"did you mean 'sex'\?"),
        (lambda: member.uses(["age", "sex"]), InvalidData, "combine several by &"),
        (lambda: member.leaves <= 0, ValueError, "leaves must be a whole number from 1, got 0"),
        (lambda: member.leaves <= True, ValueError, "from 1, got True"),
        (lambda: member.leaves <= 1.5, ValueError, "leaves must be a whole number from 1, got 1.5"),
        (lambda: member.n_features <= -1, ValueError, "n_features must be a whole number"),
        (lambda: member.min_leaf >= 0, ValueError, "rows from 1 on, or a share"),
        (lambda: member.min_leaf >= "many", ValueError, "rows from 1 on, or a share"),
        (lambda: member.min_leaf >= True, ValueError, "rows from 1 on, or a share"),
        (lambda: member.root == "smokes", InvalidData, r"no feature \(did you mean 'smoker'\?\)"),
        (lambda: member.root == {"true": "age"}, InvalidData, "a dict with the keys 'feature'"),
        (lambda: member.root == {"feature": "age", "yes": 1}, InvalidData, "keys 'feature'"),
        (lambda: member.root == 3, InvalidData, "must be the name of a column or feature"),
        (lambda: member.path_cost({"age": 1}) <= 1, InvalidData, "no cost for 'smoker', 'sex'"),
        (lambda: member.path_cost({"ag": 1}) <= 1, InvalidSpace, "no feature 'ag'"),
        (lambda: member.path_cost(dict.fromkeys(("age", "smoker", "sex"), 1)) <= -1, InvalidData,
         "the most that a path may cost is -1"),
        (lambda: member.path_cost({"age": 1e-30, "smoker": 1, "sex": 1}) <= 1, InvalidData,
         "too many digits"),
        (lambda: member.monotone({}), InvalidData, "monotone must be a dict of feature"),
        (lambda: member.monotone("age"), InvalidData, "monotone must be a dict of feature"),
        (lambda: member.monotone({"age": 2}), InvalidData, r"\+1 \(rises\) or -1 \(falls\), got 2"),
        (lambda: member.monotone({"age": True}), InvalidData, "got True for 'age'"),
        (lambda: member.monotone({"Age": 1}), InvalidSpace, "did you mean 'age'"),
    ],
)  # fmt: skip
def test_what_is_refused(patients, condition, error, message):
    with pytest.raises(error, match=message):
        patients.where(condition())


def test_categories_have_no_order():
    X = [{"color": c} for c in ["red", "blue", "red", "green"]]
    found = ol.RashomonSet(1, 0, 1).fit(pd.DataFrame(X), [0, 1, 0, 1]).trees_
    with pytest.raises(InvalidData, match="'color' is categorical"):
        found.where(member.monotone({"color": 1}))


def test_an_empty_set_says_why(patients):
    none = patients.where(member.uses("smoker"), member.uses("sex")).where(member.leaves <= 2)
    assert none.n_trees == 0
    assert not none
    assert str(none).splitlines() == [
        "TreeSet(0 trees, objectives 0.165 to 0.265)",
        "some tree within the bound meets each of uses('smoker'), uses('sex'), leaves <= 2, but "
        "none meets all of them",
    ]
    alone = patients.where(member.min_leaf >= 1000)
    assert "no tree within the bound meets min_leaf >= 1000" in str(alone)
    with pytest.raises(InvalidData, match=r"no tree in this view.*\(no tree .* min_leaf >= 1000\)"):
        _ = alone.best_tree
    assert alone.functions().table().trees.column.tolist() == []
    assert alone.counts().empty


def test_views_that_ask_for_the_same_are_one(patients):
    twice = patients.where(
        member.root == "age",
        member.root == "age",
        member.min_leaf >= 3,
        member.min_leaf >= 2,
        member.leaves <= 4,
        member.leaves <= 9,
    )
    once = patients.where(member.root == "age", member.min_leaf >= 3, member.leaves <= 4)
    assert twice._view == once._view
    assert twice.n_trees == once.n_trees
    assert patients.where(member.root == "age", member.root == "smoker").n_trees == 0
    columns = [name for name in patients.columns if name.startswith("age")]
    both = patients.where(member.root == "age", member.root == columns[0])
    assert both.n_trees == patients.where(member.root == columns[0]).n_trees > 0
    constant = patients.where(
        member.monotone({"age": 1}), member.monotone({"age": -1}), member.uses("age")
    )
    assert len(constant.functions()) == 0


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), *PAIRS[2::4]], ids="-".join)
def test_second_goals_over_constrained_sets(names):
    for seed in range(4):
        case = Case(seed, 2)
        found, due = both(case, case.fit(), drawn(case, names, seed))
        if not due:
            continue
        oracle = case.oracle
        errors = [errors_of(tree, oracle.X, oracle.y, oracle.weights) for tree in due]
        ends = found.range(ol.Measure("errors"))
        assert (ends.smallest, ends.largest) == (min(errors), max(errors))
        assert ends.smallest_tree in found
        assert ends.largest_tree in found
