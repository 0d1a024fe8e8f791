"""How the functions of a set decide complete rows, against brute force."""

from __future__ import annotations

from collections import Counter
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
            found.votes(_cells(case))
        return
    got = found.votes(_cells(case))
    best = [places(value) for value in got.best.tolist()]
    functions = list(case.oracle.functions("cells", trees))
    for i, cell in enumerate(case.cells):
        said = {say(tree, cell) for tree in trees}
        assert got.contested[i] == bool(said - {best[i]})
        share = sum(function[i] != best[i] for function in functions) / len(functions)
        assert got.conflict[i] == pytest.approx(share)
        if found.task == "classification":
            n_against = Counter(function[i] for function in functions)
            n_against.pop(best[i], None)
            most = max(n_against.values(), default=0)
            assert got.overruled[i] == (2 * most > len(functions))
    assert got.n_functions == len(functions)
    assert got.ambiguity() == np.mean(got.contested)


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
    again, first = listed.votes(_cells(case)), found.votes(_cells(case))
    if again.best.tolist() == first.best.tolist():
        assert again.contested.tolist() == first.contested.tolist()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_numbers(seed: int, loss: str) -> None:
    case = NumberCase(seed, 2, loss)
    numbers = case.found._problem.target.numbers
    _check(case, case.found, case.oracle.trees, lambda value: numbers.exact(numbers.find(value)))


def test_samples_are_named() -> None:
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    found = ol.RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
    got = found.votes(X, sample=50, random_state=0)
    assert got.sampled
    assert got.n_functions == 50
    exact = found.votes(X)
    assert not exact.sampled
    assert (np.abs(got.shares - exact.shares) <= 4 * got.standard_error + 1e-12).all()
    assert (exact.standard_error == 0).all()
    assert np.abs(got.conflict - exact.conflict).max() < 0.3
    assert got.contested.tolist() == exact.contested.tolist() == [False, True, True, False, True]
    assert got.ambiguity() == exact.ambiguity() == 0.6
    assert repr(exact) == "Votes(5 rows, 3 contested)"
    assert repr(got) == "Votes(5 rows, 3 contested, 50 functions drawn)"
    with pytest.raises(InvalidData, match=r"discrepancy is about all functions.*without sample="):
        got.discrepancy()
    with pytest.raises(InvalidData, match=r"ambiguity with labels is about all functions"):
        got.ambiguity([0, 0, 0, 1, 1])


def test_refusals() -> None:
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    found = ol.RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
    few = found.votes(X, limit=1)
    assert few.contested.tolist() == [False, True, True, False, True]  # nothing is listed
    with pytest.raises(TooLarge, match="more than limit=1 functions"):
        _ = few.shares
    with pytest.raises(InvalidData, match="complete rows are needed"):
        found.votes([[None, 0, 1]])
    with pytest.raises(InvalidData, match="X has no rows"):
        found.votes(np.zeros((0, 3)))
    for sample in (0, True, 1.5):
        with pytest.raises(ValueError, match=rf"sample must be .* got {sample}"):
            found.votes(X, sample=sample)


def test_a_frame_comes_back() -> None:
    import pandas as pd

    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, index=[5, 6, 7, 8])
    found = ol.RashomonSet(2, 0.05, 0.5).fit(X, ["no", "no", "no", "yes"]).trees_
    got = found.votes(X)
    assert got.contested.index.tolist() == got.conflict.index.tolist() == [5, 6, 7, 8]
    assert got.overruled.index.tolist() == got.best.index.tolist() == [5, 6, 7, 8]
    assert got.best.tolist()[0] == "no"
