"""Estimates of the number of functions: what they rest on, tree by tree, against brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from constraint_cases import NAMES, draw
from oracle_rashomon import is_trivial
from rashomon_cases import BY, Case, key
from rashomon_number_cases import NumberCase
from sklearn.datasets import load_breast_cancer

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, OutOfTime, TooLarge
from orderless.rashomon.distinct_estimate import _error, _trees_alike


def alike(found: Any, semantics: str, view: Any) -> list[int]:
    """How many trees of a view are the same function as each, in order of position."""
    engine = found._source
    n = engine.counts(view).n
    counts = _trees_alike(engine, view, semantics, list(range(n)))
    return [int(count) for count in counts]


@pytest.mark.parametrize("where", ["cells", "all"])
@pytest.mark.parametrize("trivial", [True, False])
def test_the_trees_of_one_function_are_counted(where, trivial):
    semantics = {"cells": "aware", "all": "independent"}[where]
    for seed in range(40):
        case = Case(seed, 2 + seed % 2, 5 if seed % 2 == 0 else 4)
        found = case.fit()
        view = found._view._replace(trivial=trivial)
        due = [tree for tree in case.oracle.trees if trivial or not is_trivial(tree)]
        groups = case.oracle.functions(where, due)
        size = {case.key(tree): len(same) for same in groups.values() for tree in same}
        seen = found if trivial else found.where(~member.trivial)
        got = alike(found, semantics, view)
        assert got == [size[key(tree)] for tree in seen], seed
        # Each function once, so the mean of 1 / T is exact over all trees.
        assert (
            sum(Fraction(1, n) for n in got) == len(groups) == len(found.functions(BY[semantics]))
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_trees_of_one_function_under_constraints(name):
    for seed in range(12):
        case = Case(seed, 2, 5)
        one = draw(case, name, np.random.default_rng(seed))
        if not one.conditions:
            continue
        found = one.view(case.fit())
        if not found.n_trees or name == "monotone":
            continue
        view = found._view
        drawn_from = view if view.required or view.first else view._replace(trivial=False)
        got = alike(found, "aware", drawn_from)
        assert sum(Fraction(1, n) for n in got) == len(found.functions()), (seed, name)
        estimate = found.functions().estimate(50, random_state=seed)
        assert 1 <= estimate.low <= estimate.estimate <= estimate.high


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_trees_of_numbers(loss):
    for seed in range(8):
        found = NumberCase(seed, 2, loss).found
        got = alike(found, found._problem.semantics(), found._view._replace(trivial=False))
        assert sum(Fraction(1, n) for n in got) == len(found.functions()), seed
        estimate = found.functions().estimate(50, random_state=seed)
        assert 1 <= estimate.low <= estimate.estimate <= estimate.high


@pytest.fixture(scope="module")
def cancer() -> Any:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return ol.RashomonSet(max_depth=3).fit(X, y).trees_


def test_intervals_cover_as_often_as_they_say(cancer):
    n = len(cancer.functions())
    assert n > 1000
    for confidence, n_samples in ((0.5, 60), (0.9, 200)):
        drawn = [
            cancer.functions().estimate(n_samples, confidence=confidence, random_state=seed)
            for seed in range(150)
        ]
        covered = sum(one.low <= n <= one.high for one in drawn)
        assert covered >= confidence * len(drawn)
        assert abs(np.mean([one.estimate for one in drawn]) / n - 1) < 0.05
        assert all(one.sampled == n_samples for one in drawn)


def test_more_trees_are_nearer(cancer):
    few, many = (cancer.functions().estimate(k, random_state=0) for k in (200, 20_000))
    assert many.high - many.low < (few.high - few.low) / 5
    assert abs(many.estimate / len(cancer.functions()) - 1) < 0.03
    assert cancer.functions().estimate(200, random_state=0) == few


def test_the_error_is_that_of_the_theorem():
    """Theorem 4 of Maurer and Pontil, by hand: n = 4, variance 1/12, ln(4 / 0.1) = 3.6889."""
    shares = np.array([0.5, 1.0, 0.5, 1.0])
    assert _error(shares, 0.9) == pytest.approx((2 / 12 * 3.68888 / 4) ** 0.5 + 7 * 3.68888 / 9)


def test_a_list_of_trees_and_monotone_ones_are_counted(cancer):
    some = ol.TreeSet.from_trees(cancer[:50], *load_breast_cancer(return_X_y=True, as_frame=True))
    n = len(some.functions())
    assert some.functions().estimate() == (n, n, n, 1.0, 0)
    rising = cancer.where(member.monotone({"worst area": -1}))
    n = len(rising.functions())
    assert rising.functions().estimate() == (n, n, n, 1.0, 0)
    none = cancer.where(member.leaves <= 1, ~member.uses("worst area"), member.epsilon <= 0)
    assert none.n_trees == 0
    assert none.functions().estimate() == (0, 0, 0, 1.0, 0)


def test_what_is_refused(cancer):
    with pytest.raises(ValueError, match="n_samples must be a whole number from 2, got 1"):
        cancer.functions().estimate(1)
    with pytest.raises(ValueError, match="n_samples must be a whole number from 2, got True"):
        cancer.functions().estimate(True)
    with pytest.raises(ValueError, match=r"confidence must be between 0 and 1, such as 0\.95"):
        cancer.functions().estimate(confidence=1)
    with pytest.raises(ValueError, match=r"confidence must be a number, such as 0\.95, got '9'"):
        cancer.functions().estimate(confidence="9")
    with pytest.raises(InvalidData, match="ways to label the training rows cannot be estimated"):
        cancer.functions("rows").estimate()
    with pytest.raises(TooLarge, match=r"or take estimate\(\) or sample"):
        len(cancer.functions(limit=10))


def test_the_limit_of_time_is_kept(cancer):
    engine = cancer._source
    view = cancer._view._replace(trivial=False)
    engine.counts(view)
    before, engine.caps.time_limit = engine.time_limit, 1e-9
    try:
        with pytest.raises(OutOfTime, match="the estimate of the number of functions took longer"):
            cancer.functions().estimate(200_000, random_state=0)
    finally:
        engine.caps.time_limit = before
