"""Averages of averages: right but for rounding, which never makes an answer certain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)

import orderless as ol
from tests.readers.test_ensembles_sklearn_averages import FINITE, numbers, table
from tests.slow_sums import added, divided, hard_rows, labels

NESTED = {
    "voting of forests": VotingClassifier(
        [("f", RandomForestClassifier(20, max_depth=4, random_state=0)),
         ("e", ExtraTreesClassifier(7, max_depth=3, random_state=0)),
         ("t", DecisionTreeClassifier(max_depth=3))],
        voting="soft", weights=[2, 0.3, 1],
    ),
    "bagging of forests": BaggingClassifier(
        RandomForestClassifier(6, max_depth=3, random_state=0), 5, max_features=3, random_state=0
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
def test_averages_of_averages_are_right_but_for_rounding(name):
    """What is closer than scikit-learn's own rounding is within the window of the rule."""
    X, y = table(3)
    model = NESTED[name].fit(X, y)
    ensemble = ol.read(model)
    rows = hard_rows(ensemble, X, n=20_000, edges=FINITE)
    window = ensemble.kernel.rule.window
    assert 0 < window < 1e-10
    theirs = model.predict_proba(rows) * ensemble.kernel.adding.divisor
    sums = added(ensemble, rows)
    assert np.abs(sums - theirs).max() <= window / 2
    ranked = np.sort(sums, axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > window
    assert clear.mean() > 0.9
    assert np.array_equal(labels(ensemble, rows)[clear], model.predict(rows)[clear])


@pytest.mark.parametrize(("sizes", "weights"), [((3, 5), None), ((3, 3), [1, 2]), ((2, 4), None)])
def test_what_is_called_certain_of_an_average_of_averages(sizes, weights):
    """Classes that are equal but for rounding are not called, in whichever order they are.

    Forests of 2 and 4 trees add up in quarters: one quarter more is no matter of rounding.
    """
    rows = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    called = near = 0
    for seed in range(16, 24):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (12, 3)).astype(float)
        y = rng.integers(0, 3, 12)
        y[:3] = range(3)
        depth = None if sizes == (2, 4) else 2
        forests = [
            (f"f{at}", RandomForestClassifier(n, max_depth=depth, random_state=seed + 99 * at))
            for at, n in enumerate(sizes)
        ]
        model = VotingClassifier(forests, voting="soft", weights=weights).fit(X, y)
        ensemble = ol.read(model)
        answers = ensemble.predict(rows)
        ranked = np.sort(ensemble.sums(rows), axis=1)
        clear = ranked[:, -1] - ranked[:, -2] > 2 * ensemble.kernel.rule.window
        assert np.array_equal(ensemble.status(rows) == "certain", clear)
        assert (answers[clear] == model.predict(rows)[clear]).all()
        called += clear.sum()
        near += (~clear).sum()
    assert called > 20
    assert near > 0


def test_a_voting_regressor_of_forests():
    X, _ = table(2)
    model = VotingRegressor(
        [("f", RandomForestRegressor(20, random_state=0)), ("t", DecisionTreeRegressor())]
    ).fit(X, numbers(X))
    ensemble = ol.read(model)
    rows = hard_rows(ensemble, X, n=5_000, edges=FINITE)
    gap = np.abs(divided(ensemble, rows)[:, 0] - model.predict(rows))
    assert gap.max() <= ensemble.kernel.rule.window / 2


def test_an_average_of_averages_is_cut_as_it_rounds():
    """A level that a row's number is equal to, but for rounding, does not decide about it."""
    rows = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    called = near = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (12, 3)).astype(float), rng.integers(1, 9, 12) / 10
        forests = [(f"f{n}", RandomForestRegressor(n, max_depth=2, random_state=seed))
                   for n in (3, 5)]  # fmt: skip
        model = VotingRegressor(forests).fit(X, y)
        ensemble = ol.read(model)
        theirs = model.predict(rows)
        for level in np.unique(theirs).tolist():
            got = ensemble.discretize([level], labels=["low", "high"]).predict(rows)
            expected = np.where(theirs > level, "high", "low")
            sure = ~np.ma.getmaskarray(got)
            assert (got[sure] == expected[sure]).all()
            assert sure[np.abs(theirs - level) > 1e-12].all()
            called, near = called + sure.sum(), near + (~sure).sum()
    assert called > 300
    assert near > 0


def test_ties_of_averages_of_averages_are_not_told_apart():
    """Members are rounded before they are added: a later class can be ahead by the last bit."""
    draw = np.random.RandomState(0)
    grid = np.stack(np.meshgrid(*[np.arange(2.0)] * 8), -1).reshape(-1, 8)
    ties = wrong = 0
    for seed, sizes in enumerate([(2, 3, 6), (3, 7, 21), (6, 3, 2), (10, 5, 2), (7, 14, 3)] * 4):
        X = np.unique(draw.randint(0, 2, (40, 8)).astype(float), axis=0)
        y = (X.sum(1) + draw.randint(0, 3, len(X)) > 5).astype(int)
        members = [
            (str(k), RandomForestClassifier(n, max_features=1, random_state=7 * seed + k))
            for k, n in enumerate(sizes)
        ]
        model = VotingClassifier(members, voting="soft").fit(X, y)
        said = ol.read(model).predict(grid)
        share = model.predict_proba(grid)
        sure = ~np.ma.getmaskarray(said)
        ties += int((np.abs(share[:, 0] - share[:, 1]) < 1e-12).sum())
        wrong += int((np.ma.getdata(said) != model.predict(grid))[sure].sum())
        assert (np.abs(share[:, 0] - share[:, 1])[~sure] < 1e-12).all()
    assert ties > 0
    assert wrong == 0
