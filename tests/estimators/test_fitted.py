"""OrderlessClassifier around many trees: certain where the ensemble is, and else as it says."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import rows_for

X, Y = load_iris(return_X_y=True)
FOREST = RandomForestClassifier(5, max_depth=3, random_state=0)
BOOSTER = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)


def gaps(share, seed=0):
    holes = np.random.RandomState(seed).rand(*X.shape) < share
    return np.where(holes, np.nan, X)


@parametrize_with_checks([ol.OrderlessClassifier(FOREST, undetermined="majority")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("inner", [FOREST, BOOSTER], ids=["forest", "booster"])
def test_complete_rows_are_the_estimators_own(inner):
    model = ol.OrderlessClassifier(inner).fit(X, Y)
    own = clone(inner).fit(X, Y)
    assert model.predict(X).tolist() == own.predict(X).tolist()
    assert np.allclose(model.predict_proba(X), own.predict_proba(X), atol=1e-12)
    assert model.coverage_ == 1.0
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("inner", [FOREST, BOOSTER], ids=["forest", "booster"])
def test_rows_with_gaps_are_those_of_the_ensemble(inner):
    model = ol.OrderlessClassifier(inner).fit(X, Y)
    ensemble = ol.read(clone(inner).fit(X, Y))
    Z = gaps(0.3)
    wanted = ensemble.predict(Z)
    found = model.predict(Z)
    assert np.ma.getmaskarray(found).tolist() == np.ma.getmaskarray(wanted).tolist()
    assert found.tolist() == [None if v is None else float(v) for v in wanted.tolist()]
    assert model.coverage(Z) == np.mean(ensemble.status(Z) == "certain")
    assert 0 < model.coverage(Z) < 1


def test_shares_are_the_average_over_the_trees():
    """Of leaves by hand: the training rows of each tree that a row can be among."""
    model = ol.OrderlessClassifier(FOREST, undetermined="majority").fit(X, Y)
    Z = gaps(0.4)
    wanted = np.zeros((len(Z), 3))
    for tree in model.ensemble_.trees:
        can = tree.kernel.reached_leaves(rows_for(tree.kernel, Z)).astype(bool)
        at = tree.kernel.reached_leaves(rows_for(tree.kernel, X)).astype(bool)
        for i in range(len(Z)):
            among = Y[(at & can[i]).any(axis=1)]
            wanted[i] += np.bincount(among, minlength=3) / len(among)
    wanted /= len(model.ensemble_.trees)
    open_rows = np.isnan(Z).any(axis=1) & ~model.determined(Z)
    assert open_rows.any()
    assert np.allclose(model.predict_proba(Z)[open_rows], wanted[open_rows])
    assert model.predict(Z)[open_rows].tolist() == wanted[open_rows].argmax(axis=1).tolist()


def test_what_undetermined_rows_get():
    Z = gaps(0.5)
    model = ol.OrderlessClassifier(FOREST).fit(X, Y)
    open_rows = ~model.determined(Z)
    assert (model.set_params(undetermined=2).predict(Z)[open_rows] == 2).all()
    with pytest.raises(InvalidData, match="several classes are possible"):
        model.set_params(undetermined="raise").predict(Z)
    imputing = ol.OrderlessClassifier(FOREST, undetermined=SimpleImputer()).fit(X, Y)
    assert not np.ma.getmaskarray(imputing.predict(Z)).any()


def test_no_time_is_no_guess():
    Z = gaps(0.3)
    model = ol.OrderlessClassifier(FOREST, time_limit=0.0).fit(X, Y)
    whole = ol.OrderlessClassifier(FOREST).fit(X, Y)
    said = model.determined(Z)
    assert (said <= whole.determined(Z)).all()
    with pytest.raises(InvalidData, match="is not determined"):
        model.set_params(undetermined="raise").predict(np.full((1, 4), np.nan))


def test_names_frames_and_pickles():
    frame = pd.DataFrame(X, columns=["a", "b b", 'c"', "ü"])
    model = ol.OrderlessClassifier(FOREST).fit(frame, Y)
    Z = frame.mask(np.random.RandomState(1).rand(*X.shape) < 0.3)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(Z).equals(model.predict(Z))
    assert model.predict(Z).isna().any()


def test_another_fit_forgets_the_first():
    model = ol.OrderlessClassifier(FOREST).fit(X, Y)
    model.set_params(estimator=DecisionTreeClassifier(max_depth=2, random_state=0)).fit(X, Y)
    assert not hasattr(model, "ensemble_")
    assert model.tree_.depth == 2
