"""Ensembles through pipelines, searches and encoders, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import InvalidSpace, InvalidTree, UnreadableModel
from tests.readers.test_ensembles_sklearn_averages import table
from tests.slow_sums import divided, labels, probabilities, read_sum

MODELS = [
    RandomForestClassifier(15, max_depth=5, random_state=0),
    ExtraTreesClassifier(15, random_state=0),
    GradientBoostingClassifier(n_estimators=15),
    AdaBoostClassifier(n_estimators=15),
    BaggingClassifier(n_estimators=7, max_features=0.5, random_state=0),
    HistGradientBoostingClassifier(max_iter=10),
    VotingClassifier(
        [("a", DecisionTreeClassifier(max_depth=3)), ("b", DecisionTreeClassifier(max_depth=4))],
        voting="soft",
    ),
    DecisionTreeClassifier(max_depth=4),
]


def people(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(10, 1, n),
            "home town": rng.choice(["Köln", "Bonn", 'the "Hague"'], n),
            "member": rng.choice(["yes", "no"], n),
        }
    )
    y = (frame["age"] > 50) ^ (frame["home town"] == "Bonn") ^ (frame["income"] > 30_000)
    return frame, np.where(rng.random(n) < 0.1, ~y, y)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_through_scalers_bins_and_one_hot_encoders(model):
    """Conditions come out on the person's features; scores are the pipeline's, to the last bit."""
    frame, y = people()
    columns = make_column_transformer(
        (StandardScaler(), ["age"]),
        (
            KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"),
            ["income"],
        ),
        (OneHotEncoder(sparse_output=False), ["home town", "member"]),
    )
    pipeline = make_pipeline(columns, model).fit(frame, y)
    ensemble = read_sum(pipeline)
    assert ensemble.space.names == tuple(frame.columns)
    assert np.array_equal(labels(ensemble, frame), pipeline.predict(frame))
    assert np.allclose(probabilities(ensemble, frame), pipeline.predict_proba(frame), rtol=1e-12)
    if ensemble.kernel.link == "identity":
        assert np.array_equal(divided(ensemble, frame), pipeline.predict_proba(frame))
    else:
        assert np.array_equal(divided(ensemble, frame)[:, 0], pipeline.decision_function(frame))
    # The same in two parts, and as the best of a search.
    apart = read_sum(pipeline[-1], preprocessing=pipeline[:-1])
    assert apart.trees == ensemble.trees
    search = GridSearchCV(make_pipeline(columns, model), {}, cv=2).fit(frame, y)
    assert ol.read(search) == ol.read(search.best_estimator_)


def test_a_space_says_what_columns_mean():
    """Threshold columns become one feature, with one condition per column."""
    rng = np.random.default_rng(0)
    age = rng.integers(0, 80, 300)
    X = np.column_stack([age <= 20, age <= 40, age <= 60, rng.integers(0, 2, 300)]).astype(float)
    y = (age > 40) ^ (X[:, 3] > 0)
    model = RandomForestClassifier(9, max_depth=3, random_state=0).fit(X, y)
    space = ol.Space(
        {"age": "integer", "new": "boolean"},
        columns={
            **{f"age <= {t}": ol.Condition("age", at_most=t) for t in (20, 40, 60)},
            "new": "new",
        },
    )
    ensemble = ol.read(model, space=space)
    assert ensemble.features == ("age", "new")
    rows = [{"age": int(a), "new": bool(b)} for a, b in zip(age, X[:, 3], strict=True)]
    assert np.array_equal(divided(ensemble, rows), model.predict_proba(X))


def test_names_can_be_given():
    X, y = table(2)
    names = ["a", "b", "c", "d", "größe"]
    ensemble = ol.read(RandomForestClassifier(3).fit(X, y), feature_names=names)
    assert ensemble.space.names == tuple(names)


# -- one tree --------------------------------------------------------------------------------------


def test_an_ensemble_is_itself_and_can_be_stated_over_another_space():
    X, y = table(2)
    ensemble = ol.read(RandomForestClassifier(3, random_state=0).fit(X, y))
    assert ol.read(ensemble) is ensemble
    wider = ol.Space([*ensemble.space.features, ol.Feature("more")])
    other = ol.read(ensemble, space=wider)
    rows = np.column_stack([X, np.zeros(len(X))])
    assert np.array_equal(divided(other, rows), divided(ensemble, X))


def test_one_tree_of_any_source():
    X, y = table(3)
    tree = ol.read(DecisionTreeClassifier(max_depth=3).fit(X, y))
    ensemble = read_sum(tree)
    assert len(ensemble.trees) == 1
    assert np.array_equal(labels(ensemble, X), tree.predict(X))
    assert np.array_equal(labels(read_sum(tree.to_json()), X), tree.predict(X))
    number = ol.read(DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0]))
    assert np.array_equal(divided(read_sum(number), X)[:, 0], number.predict(X))
    nested = {
        "task": "regression",
        "feature": 0,
        "true": {"prediction": 0.1},
        "false": {"prediction": 0.1},
    }
    assert divided(read_sum(nested), [[0], [1]])[:, 0].tolist() == [0.1, 0.1]


def test_a_tree_around_which_the_target_is_transformed():
    X, _ = table(2)
    model = TransformedTargetRegressor(
        DecisionTreeRegressor(max_depth=3), func=np.log1p, inverse_func=np.expm1
    ).fit(X, np.abs(X[:, 0]))
    ensemble = read_sum(model)
    assert np.array_equal(divided(ensemble, X)[:, 0], model.predict(X))


def test_a_tree_that_does_not_decide_by_its_shares_is_refused():
    nested = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    with pytest.raises(InvalidTree, match="does not say how many training rows"):
        read_sum(nested)
    X, y = table(2)
    tree = ol.read(DecisionTreeClassifier(max_depth=2).fit(X, y))
    leaf = tree.nodes.leaf_class.copy()
    leaf[leaf >= 0] = 1 - leaf[leaf >= 0]
    with pytest.raises(InvalidTree, match="does not decide by its shares"):
        read_sum(tree.replace(leaf_class=leaf))


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_unfitted_models_and_classes_are_refused(model):
    fresh = model.__class__(**model.get_params(deep=False))
    with pytest.raises(UnreadableModel, match="is not fitted: call fit"):
        ol.read(fresh)
    with pytest.raises(UnreadableModel, match=r"the class .*: give a fitted model"):
        ol.read(type(model))


METHODS = ("predict", "predict_proba", "decision_function")


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (model, method)
        for model in MODELS
        for method in METHODS
        if hasattr(type(model), method)
        and (method == "predict" or not isinstance(model, DecisionTreeClassifier))
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_subclasses_that_decide_themselves_are_refused(model, method):
    kind = type(model)
    X, y = table(2)
    plain = type("Plain", (kind,), {"__init__": kind.__init__, "extra": 1})
    model = model.fit(X, y)
    model.__class__ = plain
    try:
        read_sum(model)
        model.__class__ = type("Own", (kind,), {method: lambda self, X: np.zeros(len(X))})
        with pytest.raises(UnreadableModel, match=f"has its own {method}"):
            read_sum(model)
    finally:
        model.__class__ = kind


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (IsolationForest(n_estimators=2), "an IsolationForest predicts by the lengths of paths"),
        (RandomTreesEmbedding(n_estimators=2), "makes columns, and predicts nothing"),
        (
            StackingClassifier([("t", DecisionTreeClassifier())], cv=2),
            "a StackingClassifier hands what its members predict to another model",
        ),
        (LogisticRegression(), "cannot read a LogisticRegression: known sources are"),
        (
            TransformedTargetRegressor(RandomForestRegressor(2)),
            "around a RandomForestRegressor predicts a function of a sum, and not a sum",
        ),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_not_a_sum_is_refused(model, reason):
    X, y = table(2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model.fit(X, X[:, 0] if isinstance(model, TransformedTargetRegressor) else y)
    with pytest.raises(UnreadableModel, match=reason):
        ol.read(model)


@pytest.mark.parametrize("model", [None, 7, [1, 2], np.zeros(3)])
def test_what_is_no_model_is_refused(model):
    with pytest.raises(UnreadableModel, match="cannot read"):
        ol.read(model)


def test_wrong_arguments_are_refused():
    X, y = table(2)
    model = RandomForestClassifier(2).fit(X, y)
    with pytest.raises(ValueError, match="nan must be one of"):
        ol.read(model, nan="maybe")
    with pytest.raises(InvalidSpace, match="space must be a Space"):
        ol.read(model, space={"a": "numeric"})
    with pytest.raises(UnreadableModel, match="fitted on 5 columns and 2 are described"):
        ol.read(model, feature_names=["a", "b"])


def test_a_leaf_that_is_not_finite_is_refused():
    X, _ = table(2)
    model = GradientBoostingRegressor(n_estimators=2, max_depth=1).fit(X, X[:, 0])
    model.learning_rate = 1e308
    model.estimators_[0, 0].tree_.value[:] = 1e10
    with np.errstate(over="ignore"), pytest.raises(InvalidTree, match="must be finite"):
        ol.read(model)
