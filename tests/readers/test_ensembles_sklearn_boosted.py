"""GradientBoosting and AdaBoost: our sums and classes are scikit-learn's, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import orderless as ol
from orderless.errors import UnreadableModel
from tests.readers.test_ensembles_sklearn_averages import FINITE, numbers, table
from tests.slow_sums import divided, hard_rows, labels, probabilities, read_sum


def check_scores(model: Any, ensemble: ol.Ensemble, X: Any) -> None:
    """The decision function to the last bit, the class, and probabilities but for rounding."""
    scores = divided(ensemble, X)
    if scores.shape[1] == 1:
        scores = scores[:, 0]
    assert np.array_equal(scores, model.decision_function(X))
    assert np.array_equal(labels(ensemble, X), model.predict(X))
    shares = model.predict_proba(X)
    assert np.allclose(probabilities(ensemble, X), shares, rtol=1e-12, atol=1e-15)


CLASSIFIERS = {
    "two": (GradientBoostingClassifier(n_estimators=60, random_state=0), 2),
    "deep": (GradientBoostingClassifier(n_estimators=12, max_depth=7, learning_rate=0.7), 2),
    "stumps": (GradientBoostingClassifier(n_estimators=150, max_depth=1), 2),
    "exponential": (GradientBoostingClassifier(n_estimators=40, loss="exponential"), 2),
    "three": (GradientBoostingClassifier(n_estimators=40, random_state=0), 3),
    "five": (GradientBoostingClassifier(n_estimators=7, subsample=0.5, random_state=0), 5),
    "zero": (GradientBoostingClassifier(n_estimators=20, init="zero"), 3),
    "zero of two": (GradientBoostingClassifier(n_estimators=1, max_depth=1, init="zero"), 2),
    "stops early": (GradientBoostingClassifier(n_iter_no_change=3, n_estimators=90), 2),
    "dummy": (
        GradientBoostingClassifier(n_estimators=9, init=DummyClassifier(strategy="uniform")),
        3,
    ),
    "ada": (AdaBoostClassifier(n_estimators=50, random_state=0), 2),
    "ada of three": (AdaBoostClassifier(n_estimators=50, random_state=0), 3),
    "ada of five": (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=30, random_state=0),
        5,
    ),
    "ada, slow": (
        AdaBoostClassifier(ExtraTreeClassifier(max_depth=2), n_estimators=30, learning_rate=0.1),
        2,
    ),
    "ada of a perfect tree": (AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=5), 3),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_scores_and_classes_are_theirs_on_many_rows(name):
    model, n_classes = CLASSIFIERS[name]
    X, y = table(n_classes)
    model.fit(X, y)
    ensemble = read_sum(model)
    assert ensemble.classes == tuple(model.classes_.tolist())
    assert ensemble.kernel.link == ("logistic" if n_classes == 2 else "softmax")
    n = 100_000 if name in ("two", "three", "ada", "ada of three") else 15_000
    check_scores(model, ensemble, hard_rows(ensemble, X, n=n, edges=FINITE))


REGRESSORS = {
    "squared": GradientBoostingRegressor(n_estimators=60, random_state=0),
    "huber": GradientBoostingRegressor(n_estimators=30, loss="huber", max_depth=5),
    "quantile": GradientBoostingRegressor(n_estimators=30, loss="quantile", learning_rate=0.3),
    "zero": GradientBoostingRegressor(n_estimators=10, init="zero"),
    "dummy": GradientBoostingRegressor(
        n_estimators=10, init=DummyRegressor(strategy="quantile", quantile=0.3)
    ),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers_are_theirs_on_many_rows(name):
    X, _ = table(2)
    model = REGRESSORS[name].fit(X, numbers(X))
    ensemble = ol.read(model)
    rows = hard_rows(ensemble, X, n=100_000 if name == "squared" else 15_000, edges=FINITE)
    assert np.array_equal(divided(ensemble, rows)[:, 0], model.predict(rows))


def test_a_score_of_zero_is_the_second_class_of_gradient_boosting():
    """Its rule is "at least 0", HistGradientBoosting's "above 0"."""
    model = GradientBoostingClassifier(n_estimators=2, init="zero", max_depth=1)
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model.fit(X, [0, 1, 0, 1])
    assert model.decision_function(X).tolist() == [0.0] * 4
    assert labels(ol.read(model), X).tolist() == model.predict(X).tolist() == [1] * 4


@pytest.mark.parametrize(
    "model", [GradientBoostingClassifier(n_estimators=3), AdaBoostClassifier(n_estimators=3)]
)
def test_they_take_no_missing_values(model):
    X, y = table(2)
    model.fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 5), np.nan))
    ensemble = ol.read(model, nan="value")
    assert not any(feature.nan for feature in ensemble.space.features)


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()),
            r"begins with what a LogisticRegression predicts.*not a sum of trees",
        ),
        (
            GradientBoostingClassifier(n_estimators=2, init=DummyClassifier(strategy="stratified")),
            "not the same for all rows",
        ),
        (
            AdaBoostClassifier(RandomForestClassifier(2), n_estimators=2),
            "votes of a RandomForestClassifier",
        ),
        (AdaBoostClassifier(LogisticRegression(), n_estimators=2), "votes of a LogisticRegression"),
    ],
)
def test_what_is_not_a_sum_is_refused(model, reason):
    X, y = table(2)
    model.fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    with pytest.raises(UnreadableModel, match=reason):
        ol.read(model)


def test_a_weighted_median_is_refused():
    X, _ = table(2)
    model = AdaBoostRegressor(n_estimators=2).fit(X, numbers(X))
    with pytest.raises(UnreadableModel, match="weighted median of its trees, which is not a sum"):
        ol.read(model)


def test_other_algorithms_and_damaged_weights_are_refused():
    X, y = table(2)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    model.algorithm = "SAMME.R"
    with pytest.raises(UnreadableModel, match="adds logarithms of probabilities"):
        ol.read(model)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    model.estimator_weights_ = model.estimator_weights_ * 0
    with pytest.raises(UnreadableModel, match="weights with the sum 0"):
        ol.read(model)
    model = GradientBoostingClassifier(n_estimators=3).fit(X, y)
    model.estimators_ = model.estimators_[:, [0, 0]]
    with pytest.raises(UnreadableModel, match=r"stages of shape \(3, 2\) and 1 scores"):
        ol.read(model)
