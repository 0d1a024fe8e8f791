"""OrderlessClassifier among scikit-learn's tools: scores, searches, metadata, and errors."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import orderless as ol
from orderless import OrderlessClassifier
from orderless.errors import InvalidData, UnreadableModel
from tests.estimators.test_classifier import NAMES, TREE

SCALED = make_pipeline(StandardScaler(), TREE)


@parametrize_with_checks(
    [
        OrderlessClassifier(),
        OrderlessClassifier(ExtraTreeClassifier(random_state=0), undetermined="majority"),
        OrderlessClassifier(SCALED, undetermined=SimpleImputer()),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


# -- scores --------------------------------------------------------------------------------------


def test_scores(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE).fit(X, y)
    sure = model.determined(gaps)
    right = model.predict(gaps).filled("?") == y
    assert model.score(gaps, y) == right.mean()
    weight = np.arange(len(y))
    assert model.score(gaps, y, sample_weight=weight) == pytest.approx(
        right @ weight / weight.sum()
    )
    assert model.score(X, y) == model.estimator_.score(X, y)
    assert model.score_determined(gaps, y) == (sure.mean(), right[sure].mean())
    guessing = OrderlessClassifier(TREE, undetermined="majority").fit(X, y)
    assert guessing.score(gaps, y) > model.score(gaps, y)
    assert guessing.score_determined(gaps, y) == model.score_determined(gaps, y)
    coverage, accuracy = model.score_determined(np.full((3, 4), np.nan), y[:3])
    assert coverage == 0
    assert math.isnan(accuracy)
    assert model.score(X, ["?"] * len(X)) == 0
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:-1])


# -- scikit-learn's tools ------------------------------------------------------------------------


def test_tools(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE)
    for table in (X, pd.DataFrame(X, columns=NAMES)):
        assert cross_val_score(model, table, y).min() > 0.9
        assert cross_val_score(model, table, y, scoring="accuracy").min() > 0.9
        assert cross_val_score(model, table, y, scoring="roc_auc_ovr").min() > 0.9
        assert cross_val_predict(model, table, y).tolist().count(None) == 0
    search = GridSearchCV(
        model, {"estimator__max_depth": [1, 3], "undetermined": ["na", "majority"]}
    ).fit(X, y)
    assert search.best_params_["estimator__max_depth"] == 3
    piped = Pipeline([("scale", StandardScaler()), ("tree", model)]).fit(X, y)
    assert piped.predict(gaps).tolist() == model.fit(X, y).predict(gaps).tolist()
    assert cross_val_score(piped, gaps, y).shape == (5,)
    nested = GridSearchCV(
        OrderlessClassifier(TREE, undetermined=SimpleImputer()),
        {"undetermined__strategy": ["mean", "median"]},
    ).fit(X, y)
    assert isinstance(nested.best_estimator_.imputer_, SimpleImputer)


def test_clone_and_pickle(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(SCALED, undetermined=SimpleImputer()).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(gaps).tolist() == model.predict(gaps).tolist()
    assert again.form_ == model.form_
    fresh = clone(model)
    assert not hasattr(fresh, "tree_")
    assert repr(fresh) == repr(OrderlessClassifier(SCALED, undetermined=SimpleImputer()))
    assert "tree_" not in vars(model.estimator), "the estimator that was given is not fitted"


def test_weights_reach_the_estimator(iris):
    X, y, gaps = iris
    weight = np.where(y == "setosa", 0.0, 1.0)
    model = OrderlessClassifier(TREE).fit(X, y, sample_weight=weight)
    assert set(model.predict(X)) == {"versicolor", "virginica"}
    assert model.predict_proba(gaps)[:, 0].max() == 0


def test_leaves_are_counted_where_the_library_does_not(iris):
    xgboost = pytest.importorskip("xgboost")
    X, y, gaps = iris
    target = (y == "virginica").astype(int)
    inner = xgboost.XGBClassifier(n_estimators=1, max_depth=3, random_state=0)
    model = OrderlessClassifier(inner, undetermined="majority").fit(X, target)
    assert ol.read(model.estimator_).distribution is None
    assert model.tree_.distribution.sum() == len(X)
    leaf = model.tree_.apply(X)
    for place in np.unique(leaf):
        share = target[leaf == place].mean()
        assert model.predict_proba(X[leaf == place])[:, 1] == pytest.approx(share)
    assert set(model.predict(gaps)) == {0, 1}
    assert ol.equivalent(model.tree_, ol.read(model.estimator_))


def test_leaves_without_training_rows_share_evenly(iris):
    X, y, _ = iris
    model = OrderlessClassifier(TREE).fit(X, y)
    empty = model.tree_.distribution * 0
    model.tree_.__dict__["distribution"] = empty
    shares = model.predict_proba([[np.nan] * 4, X[0]])
    assert shares.round(3).tolist() == [[0.333] * 3, [1, 0, 0]]


# -- errors --------------------------------------------------------------------------------------


def test_errors(iris):
    X, y, _ = iris
    with pytest.raises(UnreadableModel, match="cannot read a LogisticRegression: known sources"):
        OrderlessClassifier(LogisticRegression(max_iter=500)).fit(X, y)
    with pytest.raises(UnreadableModel, match="predicts numbers, not classes: use a classifier"):
        OrderlessClassifier(DecisionTreeRegressor()).fit(X, y == "setosa")
    with pytest.raises(ValueError, match="requires y to be passed"):
        OrderlessClassifier().fit(X, None)
    with pytest.raises(ValueError, match="y should be a 1d array"):
        OrderlessClassifier().fit(X, np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="Unknown label type"):
        OrderlessClassifier().fit(X, X[:, 0] + 0.5)
    model = OrderlessClassifier()
    for ask in (model.predict, model.predict_proba, model.determined, model.coverage):
        with pytest.raises(NotFittedError):
            ask(X)
    for ask in (model.score, model.score_determined):
        with pytest.raises(NotFittedError):
            ask(X, y)
    model.fit(X, y)
    with pytest.raises(InvalidData, match="Reshape your data"):
        model.predict(X[0])
    with pytest.raises(
        ValueError, match="X has 2 features, but OrderlessClassifier is expecting 4"
    ):
        model.determined(X[:, :2])


# -- metadata routing ------------------------------------------------------------------------------


def test_metadata_goes_where_it_is_requested():
    """As in scikit-learn: what the estimator asks for reaches its fit, and nothing else does."""
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 2, 5.0, 1.0)
    plain = DecisionTreeClassifier(max_depth=2, random_state=0)
    wanted = ol.read(clone(plain).fit(X, y, sample_weight=weights))
    with sklearn.config_context(enable_metadata_routing=True):
        asks = clone(plain).set_fit_request(sample_weight=True)
        model = OrderlessClassifier(asks).fit(X, y, sample_weight=weights)
        assert ol.equivalent(model.tree_, wanted)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            OrderlessClassifier(plain).fit(X, y, sample_weight=weights)
        refuses = clone(plain).set_fit_request(sample_weight=False)
        with pytest.raises(TypeError, match="unexpected argument"):
            OrderlessClassifier(refuses).fit(X, y, sample_weight=weights)
        outer = make_pipeline(OrderlessClassifier(asks))
        assert ol.equivalent(outer.fit(X, y, sample_weight=weights)[-1].tree_, wanted)
        found = cross_validate(
            OrderlessClassifier(asks).set_score_request(sample_weight=False), X, y, cv=3,
            params={"sample_weight": weights},
        )  # fmt: skip
        assert len(found["test_score"]) == 3
    assert ol.equivalent(OrderlessClassifier(plain).fit(X, y, sample_weight=weights).tree_, wanted)
