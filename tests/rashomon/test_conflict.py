"""Rows on which the functions of a set contradict each other, against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle_rashomon import columns_of, is_trivial, n_leaves, say
from rashomon_cases import Case
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, TooLarge


def _cells(case: Case) -> np.ndarray[Any, Any]:
    return np.array(case.cells)


def _check(case: Any, found: Any, trees: list[Any], places: Any) -> None:
    """Whether any tree decides otherwise, and the share of functions: over all trees, by hand."""
    if not trees:
        with pytest.raises(InvalidData, match="no tree"):
            found.conflict(_cells(case))
        return
    got = found.conflict(_cells(case))
    best = [places(value) for value in got.decision.tolist()]
    functions = list(case.oracle.functions("cells", trees))
    for i, cell in enumerate(case.cells):
        said = {say(tree, cell) for tree in trees}
        assert got.any[i] == bool(said - {best[i]})
        share = sum(function[i] != best[i] for function in functions) / len(functions)
        assert got.share[i] == pytest.approx(share)
    assert found.ambiguity(_cells(case)) == np.mean(got.any)
    none = found.conflict(_cells(case), sample=0)
    assert none.share is None
    assert none.any.tolist() == got.any.tolist()


@pytest.mark.parametrize(
    ("seed", "depth"), [(s, 2) for s in range(24)] + [(s, 3) for s in (101, 105)]
)
def test_classes(seed: int, depth: int) -> None:
    case = Case(seed, depth, 4 if depth == 3 else 5)
    found, trees = case.fit(), case.oracle.trees
    _check(case, found, trees, case.classes.index)
    few = [t for t in trees if n_leaves(t) <= 3]
    _check(case, found.where(member.leaves <= 3), few, case.classes.index)
    plain = [t for t in trees if not is_trivial(t)]
    _check(case, found.where(~member.trivial), plain, case.classes.index)
    name = found._problem.columns.space.names[0]
    own = set(found._problem.columns.of_feature(name))
    _check(
        case,
        found.where(member.uses(name)),
        [t for t in trees if columns_of(t) & own],
        case.classes.index,
    )
    listed = ol.TreeSet.from_trees(
        list(found), case.X, case.labels, regularization=case.regularization,
        sample_weight=case.weights,
    )  # fmt: skip
    again = listed.conflict(_cells(case))
    if again.decision.tolist() == found.conflict(_cells(case)).decision.tolist():
        assert again.any.tolist() == found.conflict(_cells(case)).any.tolist()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_numbers(seed: int, loss: str) -> None:
    case = NumberCase(seed, 2, loss)
    numbers = case.found._problem.target.numbers
    _check(case, case.found, case.oracle.trees, lambda value: numbers.exact(numbers.find(value)))


def test_samples_are_named() -> None:
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    found = ol.RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
    got = found.conflict(X, sample=50, random_state=0)
    assert isinstance(got.share, ol.rashomon.Sampled)
    assert got.share.n_functions == 50
    exact = found.conflict(X)
    assert np.abs(got.share.value - exact.share).max() < 0.3
    assert repr(exact) == "Conflict(3 of 5 rows)"
    with pytest.raises(TooLarge):
        found.conflict(X, limit=1)
    with pytest.raises(InvalidData, match="complete rows are needed"):
        found.conflict([[None, 0, 1]])
    with pytest.raises(InvalidData, match="X has no rows"):
        found.conflict(np.zeros((0, 3)))


def test_a_frame_comes_back() -> None:
    import pandas as pd

    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, index=[5, 6, 7, 8])
    found = ol.RashomonSet(2, 0.05, 0.5).fit(X, ["no", "no", "no", "yes"]).trees_
    got = found.conflict(X)
    assert got.any.index.tolist() == got.share.index.tolist() == [5, 6, 7, 8]
    assert got.decision.tolist()[0] == "no"
