"""Bounds on how many trees a whole set has, where only a part is known."""

from fractions import Fraction

import numpy as np
import pytest
from oracle_rashomon import Problem as Oracle, n_leaves
from rashomon_cases import Case

import orderless as ol
from orderless.rashomon.incomplete import most_trees
from tests.rashomon.test_incomplete import Work, _table, pytestmark  # noqa: F401


@pytest.mark.parametrize("n_columns", range(4))
@pytest.mark.parametrize("depth", range(4))
def test_the_upper_bound_is_exact_where_nothing_is_lost(n_columns, depth):
    """All rows there are, no cost: every tree of different columns on a path is in."""
    X = np.array([[(i >> j) & 1 for j in range(n_columns)] for i in range(2**n_columns)])
    y = np.arange(len(X)) % 2
    if n_columns == 0:
        return
    found = ol.RashomonSet(depth, 0, 1).fit(X, y).trees_
    bound = most_trees(found._source.problem, depth, found._source.bound)
    oracle = Oracle(
        [tuple(r) for r in X.tolist()], y.tolist(), 2, depth=depth,
        regularization=Fraction(0), epsilon=Fraction(1),
    )  # fmt: skip
    assert bound == len(oracle.trees) == found.n_trees


def test_upper_bounds_of_large_questions():
    X, y = _table()
    problem = ol.RashomonSet(2, 0.01, 0.02).fit(X, y).trees_._source.problem
    by_leaves = most_trees(problem, 5, 10**6)
    assert by_leaves is not None
    assert most_trees(problem, 20, 10**9) is None or most_trees(problem, 20, 10**9) > by_leaves
    assert most_trees(problem, 5, 0) == 0


@pytest.mark.parametrize("seed", range(40))
def test_how_many_leaves_a_tree_of_the_set_can_have(seed, monkeypatch):
    """What is proven of errors for cheaper leaves holds for every tree, and limits the leaves."""
    case = Case(3000 + seed, 2 + seed % 2, 4)
    Work(monkeypatch, lambda rules, known: rules.epsilon > 0)
    if case.epsilon == 0:
        return
    about = case.fit(on_limit="part")._source.incomplete
    rules, oracle = about.asked, case.oracle
    assert len(about.least_errors) == (3 if rules.regularization else 0)
    for cheaper in about.least_errors:
        assert 0 < cheaper.regularization < rules.regularization
        least = min(
            oracle.objectives[tree]
            - n_leaves(tree) * (rules.regularization - cheaper.regularization)
            for tree in oracle.objectives
        )
        assert cheaper.objective == least
