"""Constraints at fit: the same set as the view of the set that is fitted without them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from constraint_cases import NAMES, PAIRS, check, draw
from hypothesis import given, settings, strategies as st
from rashomon_cases import Case, key
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import orderless as ol
from orderless.errors import InvalidData
from orderless.rashomon import TreeSet


def parameters(constraints: Any) -> dict[str, Any]:
    return {name: value for one in constraints for name, value in one.given.items()}


def agree(found: TreeSet, view: TreeSet) -> None:
    assert [key(tree) for tree in found] == [key(tree) for tree in view]
    numbers = ("n_trees", "n_nontrivial", "on_bound", "objective", "bound", "n_distinct",
               "n_distinct_rows", "n_distinct_independent", "left_out")  # fmt: skip
    assert [getattr(found, name) for name in numbers] == [getattr(view, name) for name in numbers]
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
        if one.given[one.name] is not None:
            view = one.view(view)
    try:
        found = case.fit(**parameters(constraints))
    except InvalidData:  # a contradiction, or no cut
        assert view.n_trees == 0
        return
    agree(found, view)
    check(case, found, [t for t in case.oracle.trees if all(one.met(t) for one in constraints)])


X = [[0, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], [0, 0, 0, 1]] * 3
Y = [0, 0, 0, 1, 1, 1] * 3
GIVEN: dict[str, Any] = {
    "min_leaf": 2, "max_leaves": 4, "must_use": ["x0"], "must_not_use": "x3",
    "at_most_features": 2, "first": {"feature": "x0", "true": "x1"}, "max_cost": 2,
    "costs": {"x0": 1, "x1": 1, "x2": 0.5, "x3": 3}, "monotone": {"x1": 1},
}  # fmt: skip


def test_parameters_are_those_of_any_estimator():
    plain = ol.RashomonSet(3, 0.02, 0.2)
    assert repr(plain) == "RashomonSet(epsilon=0.2, regularization=0.02)"
    assert all(plain.get_params()[name] is None for name in NAMES)
    made = ol.RashomonSet(3, 0.02, 0.2, **GIVEN)
    assert {name: made.get_params()[name] for name in GIVEN} == GIVEN
    again = clone(made)
    assert again.get_params() == made.get_params()
    assert again is not made
    assert "must_use=['x0']" in repr(made)
    made.set_params(must_use="x1", max_leaves=None)
    assert made.get_params()["must_use"] == "x1"
    made.first = "x1"
    assert made.get_params()["first"] == "x1"
    with pytest.raises(ValueError, match="Invalid parameter 'must_have'"):
        made.set_params(must_have=1)


def test_a_constraint_of_a_fitted_set_is_a_view():
    found = ol.RashomonSet(3, 0.02, 0.2, must_use="x0").fit(X, Y).trees_
    every = ol.RashomonSet(3, 0.02, 0.2).fit(X, Y).trees_
    agree(found, every.must_use("x0"))
    agree(found.must_use("x1"), every.must_use("x0", "x1"))
    agree(found.max_leaves(3), every.at_most(3).using("x0"))
    agree(found.max_cost(1, costs=GIVEN["costs"]),
          every.max_cost(1, GIVEN["costs"]).must_use("x0"))  # fmt: skip


def test_all_at_once():
    found = ol.RashomonSet(3, 0.02, 0.5, **GIVEN).fit(X, Y).trees_
    view = ol.RashomonSet(3, 0.02, 0.5).fit(X, Y).trees_
    for name in NAMES:
        more = {"costs": GIVEN["costs"]} if name == "max_cost" else {}
        view = getattr(view, name)(GIVEN[name], **more)
    agree(found, view)
    assert found.n_trees > 0


def test_copies_and_files():
    rset = ol.RashomonSet(3, 0.02, 0.5, **GIVEN).fit(X, Y)
    found = rset.trees_
    for again in (pickle.loads(pickle.dumps(rset)), copy.deepcopy(rset)):
        assert again.get_params() == rset.get_params()
        agree(again.trees_, found)
        agree(again.trees_.max_leaves(3), found.max_leaves(3))
    agree(ol.TreeSet.from_json(found.to_json()), found)
    assert ol.TreeSet.from_json(found.to_json())._view == found._view


def test_a_search_over_constraints():
    search = GridSearchCV(
        ol.RashomonSet(2, 0.02, 1),
        {"max_leaves": [1, 3], "must_not_use": [None, "x0"]},
        cv=2,
        error_score="raise",
    ).fit(np.array(X), np.array(Y))
    assert set(search.best_params_) == {"max_leaves", "must_not_use"}
    assert search.best_estimator_.trees_.n_trees > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"must_use": "x0", "must_not_use": ["x1", "x0"]}, "'x0' is in must_use and in must_not"),
        ({"must_use": ["x0", "x1"], "at_most_features": 1}, "must_use names 2 features, and at_m"),
        ({"must_use": ["x0", "x1"], "max_leaves": 2}, "asks 2 questions has 3 leaves or more"),
        ({"must_use": "x0", "max_leaves": 1}, "asks 1 question has 2 leaves or more"),
        ({"max_cost": 1}, "max_cost and costs belong together"),
        ({"costs": {"x0": 1}}, "max_cost and costs belong together"),
    ],
)
def test_contradictions_are_refused(options, message):
    with pytest.raises(InvalidData, match=message):
        ol.RashomonSet(2, 0.02, 0.2, **options).fit(X, Y)


def test_an_empty_set_is_not_silent():
    found = ol.RashomonSet(2, 0.02, 0.1, min_leaf=0.6).fit(X, Y)
    assert found.trees_.n_trees == 0
    assert str(found).splitlines()[1].startswith("0 trees, objectives")
    assert str(found).splitlines()[2] == "no tree within the bound meets min_leaf"
    assert "0 trees" in found._repr_html_inner()


@pytest.mark.parametrize("names", PAIRS[::5], ids="-".join)
def test_files_of_views(names):
    for seed in range(3):
        case = Case(seed, 2, 4)
        random = np.random.default_rng(seed)
        view = case.fit()
        for name in names:
            one = draw(case, name, random)
            view = view if one.given[one.name] is None else one.view(view)
        agree(ol.TreeSet.from_json(view.to_json()), view)
        agree(pickle.loads(pickle.dumps(view)), view)
