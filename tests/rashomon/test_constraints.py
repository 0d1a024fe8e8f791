"""Constraints at fit: the same set as the view of the set that is fitted without them."""

from __future__ import annotations

import copy
import pickle
from functools import reduce
from operator import and_

import numpy as np
import pytest
from constraint_cases import NAMES, PAIRS, check, draw
from hypothesis import given, settings, strategies as st
from rashomon_cases import Case, key
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import orderless as ol
from orderless import member
from orderless.errors import InvalidData
from orderless.rashomon import TreeSet


def agree(found: TreeSet, view: TreeSet) -> None:
    assert [key(tree) for tree in found] == [key(tree) for tree in view]
    numbers = ("n_trees", "n_nontrivial", "on_bound", "objective", "bound", "left_out")
    assert [getattr(found, name) for name in numbers] == [getattr(view, name) for name in numbers]
    for by in ("features", "columns", "rows"):
        assert len(found.functions(by)) == len(view.functions(by))
    assert [one.fingerprint for one in found.functions()] == [
        one.fingerprint for one in view.functions()
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sets(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_fit_equals_view(seed, names):
    case = Case(seed % 50, 2, 4)
    random = np.random.default_rng(seed)
    constraints = [draw(case, name, random) for name in sorted(names)]
    view = case.fit()
    for one in constraints:
        view = one.view(view)
    conditions = [condition for one in constraints for condition in one.conditions]
    try:
        found = case.fit(constraints=conditions)
    except InvalidData:  # a contradiction
        assert view.n_trees == 0
        return
    assert found.conditions == tuple(dict.fromkeys(conditions))
    agree(found, view)
    check(case, found, [t for t in case.oracle.trees if all(one.met(t) for one in constraints)])


X = [[0, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], [0, 0, 0, 1]] * 3
Y = [0, 0, 0, 1, 1, 1] * 3
COSTS = {"x0": 1, "x1": 1, "x2": 0.5, "x3": 3}
GIVEN = (
    member.min_leaf >= 2, member.leaves <= 4, member.uses("x0"), ~member.uses("x3"),
    member.n_features <= 2, member.root == {"feature": "x0", "true": "x1"},
    member.path_cost(COSTS) <= 2, member.monotone({"x1": 1}), ~member.trivial,
    member.epsilon <= 0.4, member.objective <= 0.9,
)  # fmt: skip


def test_constraints_are_a_parameter_as_any():
    plain = ol.RashomonSet(3, 0.02, 0.2)
    assert repr(plain) == "RashomonSet(epsilon=0.2, regularization=0.02)"
    made = ol.RashomonSet(3, 0.02, 0.2, constraints=GIVEN)
    assert clone(made).get_params() == made.get_params()
    assert "member.leaves <= 4" in repr(made)
    made.set_params(constraints=member.uses("x1"))
    assert repr(made).endswith("constraints=member.uses('x1'), epsilon=0.2, regularization=0.02)")


def test_a_set_with_constraints_is_a_view():
    found = ol.RashomonSet(3, 0.02, 0.2, constraints=member.uses("x0")).fit(X, Y).trees_
    every = ol.RashomonSet(3, 0.02, 0.2).fit(X, Y).trees_
    agree(found, every.where(member.uses("x0")))
    agree(found.where(member.uses("x1")), every.where(member.uses("x0") & member.uses("x1")))
    agree(found.where(member.leaves < 4), every.where(member.leaves <= 3, member.uses("x0")))
    assert found.where() is not found
    assert found.where().conditions == (member.uses("x0"),)


def test_all_at_once():
    found = ol.RashomonSet(3, 0.02, 0.5, constraints=GIVEN).fit(X, Y).trees_
    view = ol.RashomonSet(3, 0.02, 0.5).fit(X, Y).trees_
    for condition in GIVEN:
        view = view.where(condition)
    agree(found, view)
    assert found.n_trees > 0


def test_copies_and_files():
    rset = ol.RashomonSet(3, 0.02, 0.5, constraints=GIVEN).fit(X, Y)
    found = rset.trees_
    for again in (pickle.loads(pickle.dumps(rset)), copy.deepcopy(rset)):
        assert again.get_params() == rset.get_params()
        agree(again.trees_, found)
        agree(again.trees_.where(member.leaves <= 3), found.where(member.leaves <= 3))
    again = ol.TreeSet.from_json(found.to_json())
    agree(again, found)
    assert again.conditions == found.conditions
    assert again._view == found._view


def test_a_search_over_constraints():
    search = GridSearchCV(
        ol.RashomonSet(2, 0.02, 1),
        {"constraints": [(), (member.leaves <= 3,), member.leaves <= 3, (~member.uses("x0"),)]},
        cv=2,
        error_score="raise",
    ).fit(np.array(X), np.array(Y))
    assert set(search.best_params_) == {"constraints"}
    assert search.best_estimator_.trees_.n_trees > 0


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ((member.uses("x0"), ~member.uses("x0")), "contradict each other"),
        ((member.uses("x0"), member.uses("x1"), member.n_features <= 1), "no tree can meet n_feat"),
        ((member.uses("x0"), member.uses("x1"), member.leaves <= 2), "2 features has 3 leaves or"),
        ((member.uses("x0"), member.leaves <= 1), "1 feature has 2 leaves or more"),
    ],
)
def test_contradictions_are_refused(conditions, message):
    with pytest.raises(InvalidData, match=message):
        ol.RashomonSet(2, 0.02, 0.2, constraints=conditions).fit(X, Y)
    with pytest.raises(InvalidData, match=message):
        reduce(and_, conditions)
    found = ol.RashomonSet(2, 0.02, 0.2).fit(X, Y).trees_
    with pytest.raises(InvalidData, match=message):
        found.where(*conditions)
    for condition in conditions:  # one after the other, no tree is left
        found = found.where(condition)
    assert found.n_trees == 0


def test_an_empty_set_is_not_silent():
    found = ol.RashomonSet(2, 0.02, 0.1, constraints=member.min_leaf >= 0.6).fit(X, Y)
    assert found.trees_.n_trees == 0
    assert str(found).splitlines()[1].startswith("0 trees, objectives")
    assert str(found).splitlines()[2] == "no tree within the bound meets min_leaf >= 0.6"
    assert "0 trees" in found._repr_html_inner()
    beyond = ol.RashomonSet(2, 0.02, 0.1).fit(X, Y).trees_
    beyond = beyond.where(member.objective <= beyond.objective / 2)
    assert beyond.why_empty.startswith("no tree within the bound meets objective <= ")
    agree(ol.TreeSet.from_json(beyond.to_json()), beyond)


@pytest.mark.parametrize("names", PAIRS[::5], ids="-".join)
def test_files_of_views(names):
    for seed in range(3):
        case = Case(seed, 2, 4)
        random = np.random.default_rng(seed)
        view = case.fit()
        for name in names:
            one = draw(case, name, random)
            view = one.view(view)
        agree(ol.TreeSet.from_json(view.to_json()), view)
        agree(pickle.loads(pickle.dumps(view)), view)
