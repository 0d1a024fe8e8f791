"""What would settle a row, against all sets of features and all their values."""

import itertools

import numpy as np
import pytest
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidTree, TooManyReasons
from orderless.questions import needed

from ..oracle_ensemble_rows import draw, partial_row


def smallest(case, row, unknown, enough):
    """Give all smallest sets of unknown features for which ``enough`` holds of their outcomes."""
    for size in range(len(unknown) + 1):
        sets = []
        for chosen in itertools.combinations(unknown, size):
            outcomes = []
            for values in itertools.product(*(case.every[name] for name in chosen)):
                told = {**row, **dict(zip(chosen, values, strict=True))}
                outcomes.append(len({case.says(done) for done in case.completions(told)}) == 1)
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


def test_numbers_are_refused():
    case = draw(1, rule="number")
    with pytest.raises(InvalidTree, match="needed is about classes"):
        case.ensemble().needed({})
