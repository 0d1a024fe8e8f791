"""Sets of so many cut points that sides grow row by row, and last splits are not written down.

The sizes from which on that is so are made small here, so that other ways give the same.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import member
from orderless.errors import TooLarge
from orderless.rashomon import problem as sizes

from .test_thresholds import in_disorder, problem


def counted(found):
    histogram = found.counts()
    return (
        found.n_trees, found.n_nontrivial, found.objective, found.bound, found.on_bound,
        histogram.trees.tolist(), histogram.leaves.tolist(),
        np.asarray(histogram.errors).tolist(),
    )  # fmt: skip


@pytest.fixture(params=[2**26, 0, 100], ids=["written", "none written", "some written"])
def walking(request, monkeypatch):
    monkeypatch.setattr(sizes, "WALK_FROM", 0)
    monkeypatch.setattr(sizes, "MOST_LAST", request.param)
    return request.param


@pytest.mark.parametrize("seed", [2, 3])
def test_the_same_set_as_of_explicit_columns(seed, walking):
    X, y, weights = problem(seed)
    parameters = (3, 0.02, 0.02)
    found = ol.RashomonSet(*parameters, thresholds="all").fit(X, y, sample_weight=weights).trees_
    explicit = in_disorder(X, y, weights, *parameters)
    assert counted(found) == counted(explicit)
    trees = found.sample(15, random_state=seed)
    assert all(tree in explicit for tree in trees)
    assert all(tree in found for tree in explicit.sample(15, random_state=seed))
    for place in (0, found.n_trees // 2, found.n_trees - 1):
        assert found[place] in found


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_ties_everywhere(data):
    n = data.draw(st.integers(55, 70))
    numbers = st.lists(st.integers(0, 400), min_size=n, max_size=n)
    X = np.array([data.draw(numbers) for _ in range(6)], dtype=float).T + 0.5
    X[:, 5] = X[:, 4]
    y = data.draw(
        st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len({*y}) > 1)
    )
    weights = data.draw(st.none() | st.lists(st.integers(1, 9), min_size=n, max_size=n))
    epsilon = data.draw(st.sampled_from([0, 0.01, 0.02]))
    explicit = in_disorder(X, y, weights, 3, 0.02, epsilon)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "WALK_FROM", 0)
        for most in (2**26, 0):
            patch.setattr(sizes, "MOST_LAST", most)
            rset = ol.RashomonSet(3, 0.02, epsilon, thresholds="all")
            assert counted(rset.fit(X, y, sample_weight=weights).trees_) == counted(explicit)


def test_views_of_last_splits_that_are_not_written_down(monkeypatch):
    X, y, _ = problem(2)
    whole = in_disorder(X, y, None, 3, 0.02, 0.02)
    monkeypatch.setattr(sizes, "WALK_FROM", 0)
    monkeypatch.setattr(sizes, "MOST_LAST", 0)
    found = ol.RashomonSet(3, 0.02, 0.02, thresholds="all").fit(X, y).trees_
    names = ["x0", "x1", "x2"]
    for look in (
        lambda of: of.where(member.epsilon <= 0.01),
        lambda of: of.where(member.leaves <= 4),
        lambda of: of.where(~member.uses(names[2])),
        lambda of: of.where(member.uses(names[1])),
        lambda of: of.where(member.n_features <= 2),
        lambda of: of.where(member.uses(names[0]), member.leaves <= 5),
    ):
        assert counted(look(found)) == counted(look(whole))


@pytest.mark.parametrize(
    "ask",
    [lambda f: len(f.functions()), lambda f: f.predict([[None] * 5]),
     lambda f: f.range(ol.Measure("errors")), lambda f: f.where(member.min_leaf >= 3).n_trees],
    ids=["functions", "rows", "goals", "paths"],
)  # fmt: skip
def test_what_needs_every_last_split_says_so(ask, monkeypatch):
    X, y, _ = problem(2)
    monkeypatch.setattr(sizes, "WALK_FROM", 0)
    monkeypatch.setattr(sizes, "MOST_LAST", 0)
    found = ol.RashomonSet(3, 0.02, 0.02, thresholds="all").fit(X, y).trees_
    with pytest.raises(TooLarge, match=r"counted and not written down.*thresholds=100"):
        ask(found)
