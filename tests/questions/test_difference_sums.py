"""What changed between ensembles: regions where they become trees, else rows; against every row."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

from ..oracle_ensemble_rows import draw
from .test_compare import LONG, rows_of


@pytest.mark.parametrize("seed", range(30))
def test_regions_hold_exactly_the_rows_that_change(seed):
    one = draw(seed, rule="cuts" if seed % 2 else "largest", kind="points", features=3, trees=3)
    a = one.ensemble()
    values = [own.copy() for own in a.kernel.values]
    values[0][seed % len(values[0])] += 1.0
    b = a.replace(values=values, scores=[-1] * a.n_trees)
    rows = rows_of(one, one)
    found = ol.difference(a, b, rows, time_limit=LONG)
    says = [model.predict(rows).tolist() for model in (a, b)]
    assert list(found.at) == [i for i, (x, y) in enumerate(zip(*says, strict=True)) if x != y]
    assert bool(found) == bool(found.at)
    for shift in found.shifts:
        inside = np.zeros(len(rows), dtype=bool)
        for term in shift.rules:
            inside |= term.covers(rows)
        pair = (shift.before, shift.after)
        assert inside.tolist() == [p == pair for p in zip(*says, strict=True)]


def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def test_a_forest_that_is_too_large_has_rows_and_an_example():
    X, y = data()
    old = RandomForestClassifier(20, max_depth=6, random_state=0).fit(X, y)
    new = RandomForestClassifier(20, max_depth=6, random_state=1).fit(X, y)
    found = ol.difference(old, new, X, leaves=5)
    assert found
    assert list(found.at) == np.flatnonzero(old.predict(X) != new.predict(X)).tolist()
    assert "There are no rules of the regions" in str(found)
    assert all(shift.rules is None for shift in found.shifts)
    bare = ol.difference(old, new, leaves=5)
    (shift,) = bare.shifts
    row = [list(shift.example.values())]
    assert (old.predict(row)[0], new.predict(row)[0]) == (shift.before, shift.after)
    same = ol.difference(old, old, leaves=5)
    assert same.same
    assert "this is proven" in str(same)


def test_a_tree_and_a_forest_of_numbers():
    X, y = data()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    found = ol.difference(tree, forest, X)
    assert list(found.at) == np.flatnonzero(tree.predict(X) != forest.predict(X)).tolist()
    assert found.shifts[0].rules
    boosted = [
        GradientBoostingRegressor(n_estimators=n, max_depth=1, random_state=0).fit(X, X[:, 0])
        for n in (2, 3)
    ]
    account = ol.difference(*boosted, X)
    says = [model.predict(X) for model in boosted]
    assert list(account.at) == np.flatnonzero(says[0] != says[1]).tolist()
    for shift in account.shifts:
        assert shift.by == shift.after - shift.before
