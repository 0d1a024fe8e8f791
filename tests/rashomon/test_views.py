"""Constraints: every one, and every mixture of two, against brute force over all trees."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from constraint_cases import NAMES, PAIRS, Drawn, check, draw
from oracle_rashomon import is_trivial, say
from rashomon_cases import Case, key
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace


def drawn(case: Case, names: Any, seed: int) -> list[Drawn]:
    random = np.random.default_rng(seed)
    every = [draw(case, name, random) for name in names]
    return [one for one in every if one.given[one.name] is not None]


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
