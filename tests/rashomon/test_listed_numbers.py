"""Lists of trees of numbers as sets: against brute force, and beside the exact set."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_rashomon import is_trivial
from rashomon_cases import key
from rashomon_number_cases import CASES, NumberCase
from sklearn.tree import DecisionTreeRegressor

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidTree


@pytest.fixture(params=[(*case, loss) for case in CASES[::2] for loss in ("squared", "absolute")])
def case(request: Any) -> NumberCase:
    return NumberCase(*request.param)


def listed(case, trees=None, **options):
    trees = [case.read(tree) for tree in case.oracle.trees] if trees is None else trees
    return ol.TreeSet.from_trees(
        trees + trees[:2], case.X, case.y, regularization=case.regularization,
        sample_weight=case.weights, loss=case.loss, **options,
    )  # fmt: skip


def test_a_list_of_all_trees_is_the_set(case):
    found, oracle = listed(case), case.oracle
    due = {case.key(tree): tree for tree in oracle.trees}  # two columns can be one condition
    assert found.n_trees == len(due)
    assert found.objective == oracle.optimum
    assert found.bound == max(oracle.objectives[tree] for tree in oracle.trees)
    assert found.n_nontrivial == sum(not is_trivial(tree) for tree in due.values())
    assert len(found.functions()) == len(oracle.functions("cells"))
    assert len(found.functions("rows")) == len(oracle.functions("rows"))
    order = [(oracle.objectives[due[key(tree)]], tree.n_leaves) for tree in found]
    assert order == sorted(order)
    assert {(f.objective, f.errors) for f in found.functions()} == {
        (min(oracle.objectives[t] for t in trees), oracle.loss_of(trees[0]))
        for trees in oracle.functions("cells").values()
    }
    assert [key(tree) for tree in found.where(member.leaves <= 2)] == [
        key(t) for t in found if t.n_leaves <= 2
    ]
    for again in (pickle.loads(pickle.dumps(found)), ol.TreeSet.from_json(found.to_json())):
        assert [key(tree) for tree in again.trees()] == [key(tree) for tree in found.trees()]
        assert again.to_json() == found.to_json()
    assert all(tree in found for tree in found)


def test_a_part_of_the_set_differs_from_it(case):
    trees = [case.read(tree) for tree in case.oracle.trees if not is_trivial(tree)]
    if not trees:
        return
    part = listed(case, trees)
    apart = part.differences(case.found)
    assert not apart.extra
    assert {key(tree) for tree, _ in apart.missing} == {
        case.key(tree) for tree in case.oracle.trees if is_trivial(tree)
    }
    assert {reason for _, reason in apart.missing} <= {"trivial"}


def test_numbers_that_no_leaf_of_the_set_has(case):
    """Numbers outside of y, other decimals, too deep, other thresholds: each has its reason."""
    low, high = min(case.exact) - 3, max(case.exact) + Fraction(1, 4)
    odd = case.read((0, low, high))
    found = listed(case, [odd, case.found.best_tree])
    assert {float(low), float(high)} <= {n for tree in found for n in tree.classes}
    power = 2 if case.loss == "squared" else 1
    loss = sum(
        w * abs(y - (low if x[0] else high)) ** power
        for x, y, w in zip(case.X.tolist(), case.exact, case.oracle.weights, strict=True)
    )
    worst = next(f for f in found.functions() if float(low) in f.tree.classes)
    assert worst.errors == loss
    if case.oracle.whole:
        due = loss / case.oracle.whole + Fraction(str(case.regularization)) * 2
        if found._problem.target.decimals == case.found._problem.target.decimals:
            assert worst.objective == due
        assert float(worst.objective) == pytest.approx(float(due), rel=1e-6)
    reasons = {key(t): reason for t, reason in found.differences(case.found).extra}
    assert reasons[key(odd)] in ("above the bound", "reference", "near the bound", "another number")


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_trees_of_other_libraries(loss):
    """Means in floats become the set's numbers: a tree of scikit-learn is found in the set."""
    random = np.random.default_rng(2)
    X = random.integers(0, 2, (50, 5))
    y = (X @ [3, 1, 4, 1, 5] + random.normal(0, 1, 50)).round(2)
    models = [
        DecisionTreeRegressor(max_depth=depth, criterion=f"{loss}_error", random_state=0).fit(X, y)
        for depth in (1, 2, 3)
    ]
    trees = [ol.read(model, space=ol.Space.independent([f"x{i}" for i in range(5)]))
             for model in models]  # fmt: skip
    found = ol.TreeSet.from_trees(trees, X, y, loss=loss)
    exact = ol.RashomonSet(2, 0.01, 1, loss=loss).fit(X, y).trees_
    assert "squared loss, numbers to 5 decimals" in str(found) or loss == "absolute"
    power = 2 if loss == "squared" else 1
    by_leaves = {f.leaves: float(f.errors) for f in found.functions()}
    for model in models:
        due = (np.abs(model.predict(X) - y) ** power).sum()
        assert by_leaves[model.get_n_leaves()] == pytest.approx(due, rel=1e-6)
    reasons = {tree.depth: reason for tree, reason in found.differences(exact).extra}
    if loss == "squared":
        assert reasons == {3: "too deep"}
    else:  # scikit-learn takes the middle of two medians, the set the lower one
        assert reasons[3] == "too deep"
        assert set(reasons.values()) <= {"too deep", "another number"}


def test_refusals():
    X, y = [[0], [1]], [1.5, 2]
    space = ol.Space.independent(["a"])
    number = ol.read({"task": "regression", "prediction": 2}, space=space)
    label = ol.read({"prediction": 1}, space=space)
    take = ol.TreeSet.from_trees
    with pytest.raises(InvalidData, match=r"some of the trees predict numbers.*give trees of one"):
        take([number, label], X, y)
    with pytest.raises(ValueError, match=r"loss is for trees that predict numbers, and these pred"):
        take([label], X, [0, 1], loss="squared")
    with pytest.raises(ValueError, match=r"decimals is for trees that predict numbers"):
        take([label], X, [0, 1], decimals=2)
    with pytest.raises(ValueError, match=r"loss must be one of 'squared', 'absolute', got 'huber'"):
        take([number], X, y, loss="huber")
    with pytest.raises(InvalidData, match=r"X has 2 rows and y has 3 numbers"):
        take([number], X, [1, 2, 3])
    with pytest.raises(InvalidData, match=r"y has 'a' in row 0, and trees of numbers need finite"):
        take([number], X, ["a", "b"])
    with pytest.raises(InvalidData, match=r"decimals=40 would make losses pass 2\^51"):
        take([number], X, y, decimals=40)
    classes = take([label], X, [0, 1])
    with pytest.raises(InvalidData, match=r"one set is of task='regression' and the other of"):
        classes.differences(take([number], X, y))


def test_given_decimals_round_both():
    tree = {"task": "regression", "feature": "a", "true": {"prediction": 1.26},
            "false": {"prediction": 1.34}}  # fmt: skip
    space = ol.Space.independent(["a"])
    found = ol.TreeSet.from_trees([tree], [[0], [1]], [0.96, 3.14], space=space, decimals=1)
    assert found[0].classes == (1.3,)
    assert found.functions()[0].errors == Fraction("0.09") + Fraction("3.24")
    assert not found.n_nontrivial


@pytest.mark.parametrize("entries", [{"chosen": "yes"}, {"chosen": False}, {"steps": [0, 0]}])
def test_files_that_are_refused(entries):
    tree = {"task": "regression", "feature": "a", "true": {"prediction": 1},
            "false": {"prediction": 7}}  # fmt: skip
    space = ol.Space.independent(["a"])
    text = ol.TreeSet.from_trees([tree], [[0], [1]], [2, 3], space=space).to_json()
    assert ol.TreeSet.from_json(text).n_trees == 1
    with pytest.raises(InvalidTree):
        ol.TreeSet.from_json(json.dumps({**json.loads(text), **entries}))
    engine = ol.RashomonSet(1, loss="squared").fit([[0], [1]], [2, 3]).trees_.to_json()
    with pytest.raises(InvalidTree, match=r"do not say which numbers there are"):
        ol.TreeSet.from_json(json.dumps({**json.loads(engine), "chosen": True, "fine": 1}))
