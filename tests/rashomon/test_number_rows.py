"""What sets of trees of numbers say of rows: against brute force over all trees, in fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracle_rashomon import columns_of, is_trivial, n_leaves, say
from rashomon_number_cases import CASES, NumberCase

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, OutOfTime, TooLarge


@pytest.fixture(params=[(*case, loss) for case in CASES for loss in ("squared", "absolute")])
def case(request: Any) -> NumberCase:
    return NumberCase(*request.param)


def views(case):
    found, trees = case.found, case.oracle.trees
    name = case.space.names[0]
    own = {j for j, c in enumerate(case.space.columns) if c.feature == name}
    listed = ol.TreeSet.from_trees(
        [case.read(tree) for tree in trees], case.X, case.y, regularization=case.regularization,
        sample_weight=case.weights, loss=case.loss,
    )  # fmt: skip
    due = [
        (found, trees),
        (found.where(member.leaves <= 2), [t for t in trees if n_leaves(t) <= 2]),
        (found.where(~member.trivial), [t for t in trees if not is_trivial(t)]),
        (found.where(~member.uses(name)), [t for t in trees if not columns_of(t) & own]),
        (found.where(member.uses(name)), [t for t in trees if columns_of(t) & own]),
        (
            found.where(member.epsilon <= 0),
            [t for t in trees if case.oracle.objectives[t] == case.oracle.optimum],
        ),
        (listed, trees),
    ]
    return [(view, some) for view, some in due if some]


def test_ranges_of_all_cells(case):
    """The smallest and the largest number over all trees, with and without a list of them."""
    X = np.array(case.cells)
    for view, trees in views(case):
        due = [[float(f({say(t, cell) for t in trees})) for f in (min, max)] for cell in case.cells]
        lower, upper = view.predict_interval(X)
        assert np.stack([lower, upper], axis=1).tolist() == due


def test_intervals_of_rows_with_unknowns(case):
    names = list(case.space.column_names)
    rows, due = [], []
    for _ in range(20):
        row = case.cells[case.random.integers(len(case.cells))]
        known = {j: row[j] for j in range(len(names)) if case.random.integers(3)}
        rows.append([known.get(j, np.nan) for j in range(len(names))])
        due.append([c for c in case.cells if all(c[j] == v for j, v in known.items())])
    X = np.array(rows, dtype=float)
    for view, trees in views(case):
        lower, upper = view.predict_interval(X)
        for low, high, cells in zip(lower.tolist(), upper.tolist(), due, strict=True):
            numbers = {say(tree, cell) for tree in trees for cell in cells}
            assert (low, high) == (float(min(numbers)), float(max(numbers)))


@pytest.mark.parametrize("within", [None, 0, 0.5, "1/3", 7])
def test_ambiguity_and_discrepancy(case, within):
    oracle, random = case.oracle, case.random
    rows = [case.cells[i] for i in random.integers(0, len(case.cells), 12)]
    y = [case.exact[i] + Fraction(int(random.integers(-2, 3)), 4)
         for i in random.integers(0, len(case.exact), 12)]  # fmt: skip
    far = Fraction(0 if within is None else within)
    for view, trees in views(case):
        best = case.read_back(view.best_tree, rows)
        differ = [
            [abs(say(t, row) - number) > far for row, number in zip(rows, best, strict=True)]
            for t in trees
        ]
        X = np.array(rows)
        votes = view.votes(X, tolerance=within)
        assert votes.contested.tolist() == np.any(differ, axis=0).tolist()
        assert votes.ambiguity() == pytest.approx(np.mean(np.any(differ, axis=0)))
        assert votes.discrepancy() == pytest.approx(np.max(np.mean(differ, axis=1)))
        functions = [case.read_back(function.tree, rows) for function in view.functions()]
        against = [
            [abs(number - b) > far for number, b in zip(f, best, strict=True)] for f in functions
        ]
        assert votes.conflict == pytest.approx(np.mean(against, axis=0))
        right = [[abs(say(t, r) - n) <= far for r, n in zip(rows, y, strict=True)] for t in trees]
        both = np.any(right, axis=0) & ~np.all(right, axis=0)
        assert votes.ambiguity(y) == pytest.approx(np.mean(both))
    assert oracle.trees


def test_frames_and_refusals():
    X = pd.DataFrame({"a": [0, 0, 1, 1, 1], "b": [0, 1, 0, 1, 1]}, index=list("vwxyz"))
    found = ol.RashomonSet(2, 0.01, 0.5, loss="squared").fit(X, [1, 2, 4, 8, 9]).trees_
    lower, upper = found.predict_interval(X)
    assert lower.name == "lower"
    assert list(upper.index) == list("vwxyz")
    with pytest.raises(InvalidData, match=r"row 1 does not say whether 'b' holds: complete rows"):
        found.votes([[0, 1], [1, None]])
    with pytest.raises(InvalidData, match=r"X has no rows: give at least one"):
        found.votes(X[:0])
    with pytest.raises(InvalidData, match=r"X has 5 rows and y has 2 numbers"):
        found.votes(X).ambiguity([1, 2])
    with pytest.raises(InvalidData, match=r"y has nan in row 1: every row needs a number"):
        found.votes(X).ambiguity([1, np.nan, 1, 1, 1])
    with pytest.raises(ValueError, match=r"tolerance must be a number from 0 on.*got -1"):
        found.votes(X, tolerance=-1)
    with pytest.raises(InvalidData, match=r"there is no tree in this view"):
        found.where(member.min_leaf >= 10**6).votes(X)
    with pytest.raises(TooLarge, match=r"more than limit=1 functions"):
        _ = found.where(member.leaves <= 3).votes(X, limit=1).contested
    assert found.votes(X, limit=1).contested.shape == (5,)  # nothing is listed
    classes = ol.RashomonSet(1).fit(X, [0, 0, 1, 1, 1]).trees_
    with pytest.raises(InvalidData, match=r"tolerance is a distance between numbers"):
        classes.votes(X, tolerance=1)
    with pytest.raises(InvalidData, match=r"predict_interval is about numbers.*votes\(X\)"):
        classes.predict_interval(X)


def test_time_is_watched():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (400, 20))
    y = (X @ np.arange(20) + random.normal(0, 9, 400)).round(2)
    found = ol.RashomonSet(3, 0.005, 0.05, loss="squared").fit(X, y).trees_
    found._source.caps.time_limit = 1e-9
    with pytest.raises(OutOfTime, match=r"the ranges of the rows took longer than time_limit"):
        _ = found.votes(random.integers(0, 2, (3000, 20))).contested


def test_far_apart_numbers():
    """Distances that pass every number of the trees."""
    X, y = [[0], [1]], [1e15, -1e15]
    found = ol.RashomonSet(1, 0, 2, loss="squared").fit(X, y).trees_
    assert np.stack(found.predict_interval(X)).tolist() == [[0.0, -1e15], [1e15, 0.0]]
    assert found.votes(X, tolerance=1e299).ambiguity([1e300, -1e300]) == 0
    assert found.votes(X, tolerance=1e301).ambiguity([1e300, -1e300]) == 0
    assert found.votes(X, tolerance=1).ambiguity(y) == 1
    assert found.votes(X, tolerance=1e14).ambiguity() == 1
    assert found.votes(X, tolerance="1e15").ambiguity() == 0


def test_maps_place_functions_by_mean_differences():
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    from orderless.rashomon import disagreements

    random = np.random.default_rng(5)
    X = random.integers(0, 2, (30, 4))
    y = (X @ [1, 2, 3, 4] + random.normal(0, 1, 30)).round(2)
    weights = random.integers(0, 3, 30)
    for loss in ("squared", "absolute"):
        found = ol.RashomonSet(2, 0.01, 0.3, loss=loss).fit(X, y, weights).trees_
        functions = list(found.functions())
        said = np.array([f.predict(X).tolist() for f in functions])
        due = (np.abs(said[:, None] - said[None]) @ weights) / weights.sum()
        table = found.functions().table()
        assert disagreements(found._problem, table.trees) == pytest.approx(due)
        assert ol.plots.plot_map(found).get_xlabel().startswith("distance: mean difference on rows")
