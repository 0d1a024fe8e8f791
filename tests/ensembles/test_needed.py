"""What would settle a row, against all sets of features and all their values."""

import functools
import itertools

import numpy as np
import pytest
from decimal_numbers import near
from hypothesis import given, settings, strategies as st
from strategies import kinds, partial_rows, specs, tree_of
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidTree, TooManyReasons
from orderless.questions import needed

from ..oracle_ensemble_rows import draw, partial_row


def one_answer(answers):
    return len(answers) == 1


def smallest(case, row, unknown, enough, settled=one_answer):
    """Give all smallest sets of unknown features for which ``enough`` holds of their outcomes."""
    for size in range(len(unknown) + 1):
        sets = []
        for chosen in itertools.combinations(unknown, size):
            outcomes = []
            for values in itertools.product(*(case.every[name] for name in chosen)):
                told = {**row, **dict(zip(chosen, values, strict=True))}
                outcomes.append(settled({case.says(done) for done in case.completions(told)}))
            if enough(outcomes):
                sets.append(chosen)
        if sets:
            return tuple(sets)
    raise AssertionError("all features together settle a row")


def check(seed):
    case = draw(seed, rule=("largest", "cuts")[seed % 2], features=3)
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    for _ in range(3):
        row = partial_row(case, random)
        found = ensemble.needed(row)
        said = {case.says(done) for done in case.completions(row)}
        assert set(found.possible) == said
        asked = [name for name in ensemble.space.names if name in ensemble.features]
        unknown = [name for name in asked if name in found.unknown]
        assert list(found.unknown) == unknown
        if len(said) == 1:
            assert found.label in said
            assert found.settle == found.could == ((),)
            continue
        assert found.label is None
        assert found.settle == smallest(case, row, unknown, all)
        assert found.could == smallest(case, row, unknown, any)


@pytest.mark.parametrize("seed", range(60))
def test_sets_are_the_smallest_that_settle(seed):
    check(seed)


@pytest.mark.parametrize("seed", range(30))
def test_twins_say_the_same_as_splitting(seed, monkeypatch):
    monkeypatch.setattr(needed, "FEW", 0)
    check(seed)


def both():
    tree = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
    return ol.read(tree)


def test_it_says_what_is_said_of_a_tree():
    for row in ({}, {"x0": 1}, {"x0": 0}, {"x1": 1}):
        assert as_ensemble(both()).needed(row) == both().needed(row)
        assert str(as_ensemble(both()).needed(row)) == str(both().needed(row))


def test_limits_are_kept():
    case = draw(4, rule="cuts", features=4, trees=5)
    with pytest.raises(ValueError, match="limit=0: at least one step"):
        case.ensemble().needed({}, limit=0)
    with pytest.raises(TooManyReasons, match="limit=1 steps"):
        as_ensemble(both()).needed({}, limit=1)


@pytest.mark.parametrize("seed", range(40))
def test_numbers_are_settled_when_they_are_near(seed):
    case = draw(seed, rule="number", features=3, trees=2)
    model, random = case.ensemble(), np.random.default_rng(seed)
    for within in (None, 0.5, 2.0):
        row = partial_row(case, random)
        found = model.needed(row, tolerance=within)
        numbers = sorted({case.says(done) for done in case.completions(row)})
        assert (found.possible[0], found.possible[-1]) == (numbers[0], numbers[-1])
        assert found.tolerance == (within or 0)
        if near(numbers, within or 0):
            assert found.label == pytest.approx((numbers[0] + numbers[-1]) / 2)
            assert found.settle == found.could == ((),)
            continue
        assert found.label is None
        settled = functools.partial(near, tolerance=within or 0)
        assert found.settle == smallest(case, row, found.unknown, all, settled)
        assert found.could == smallest(case, row, found.unknown, any, settled)


@settings(max_examples=60)
@given(st.data(), st.sampled_from([None, 0.25, 1, 4.5]))
def test_numbers_of_a_tree_and_of_a_sum_of_one(data, within):
    which = data.draw(kinds(max_features=4))
    spec = data.draw(specs(which, (-1.5, 0.25, 1.0, 1.25, 3.0)))
    row = data.draw(partial_rows(which, spec))
    tree = tree_of(spec, which).replace(task="regression")
    one, other = tree.needed(row, tolerance=within), as_ensemble(tree).needed(row, tolerance=within)
    assert (one.label, one.settle, one.could) == (other.label, other.settle, other.could)
    assert (one.possible[0], one.possible[-1]) == (other.possible[0], other.possible[-1])
    assert one.unknown == other.unknown


def test_numbers_of_possible_rows():
    """Of a sum that is known, one summand tells the other; a tree and a sum of one say so."""
    space = ol.Space({"a": float, "b": float, "total": float}, facts=["total = a + b"])
    tree = ol.read({"task": "regression", "feature": "a", "relation": "<=", "reference": 2,
                    "true": {"prediction": 1.0}, "false": {
                        "feature": "b", "relation": "<=", "reference": 5,
                        "true": {"prediction": 1.5}, "false": {"prediction": 4.0}}},
                   space=space)  # fmt: skip
    for model in (tree, as_ensemble(tree)):
        found = model.needed({"total": 9.0}, tolerance=0.5)
        assert found.settle == found.could == (("a",), ("b",))
        assert model.needed({"total": 7.0}, tolerance=0.5).label == 1.25


def test_a_tolerance_is_about_numbers():
    with pytest.raises(InvalidTree, match="tolerance=1 is about numbers"):
        as_ensemble(both()).needed({}, tolerance=1)
