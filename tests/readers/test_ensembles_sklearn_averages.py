"""Forests, bagging and voting: our sums are scikit-learn's to the last bit, and so is the class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

import orderless as ol
from orderless.errors import UnreadableModel
from tests.neighbours import EDGES
from tests.slow_sums import divided, hard_rows, labels, read_sum

MOST = float(np.finfo(np.float32).max)
FINITE = [x for x in EDGES if abs(x) <= MOST]  # scikit-learn's trees take nothing else
LABELS: dict[int, list[Any]] = {
    2: ["no", "yes, sir"],
    3: [-7, 3, 10**12],
    5: ["größer ☃", "b", "it's", "d", '"e"'],
}


def table(n_classes: int, n: int = 300, n_columns: int = 5, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)) * 10.0 ** rng.integers(-3, 3, n_columns)
    X[:, 0] = np.round(X[:, 0] / np.abs(X[:, 0]).max() * 3)  # many ties
    code = (X[:, 1] > 0) * 2 + (X[:, 0] > 0) + rng.integers(0, 2, n)
    return X, np.array(LABELS[n_classes])[code % n_classes]


def numbers(X: Any) -> Any:
    return np.sin(X[:, 1]) * 7 + X[:, 0] * np.pi


def check_classes(model: Any, ensemble: ol.Ensemble, X: Any) -> None:
    """Shares to the last bit, and the class."""
    assert np.array_equal(divided(ensemble, X), model.predict_proba(X))
    assert np.array_equal(labels(ensemble, X), model.predict(X))


CLASSIFIERS = {
    "forest": (RandomForestClassifier(100, random_state=0), 3),
    "stumps": (RandomForestClassifier(300, max_depth=1, random_state=1), 2),
    "one tree": (RandomForestClassifier(1, random_state=1), 5),
    "two trees": (RandomForestClassifier(2, max_depth=3, random_state=1), 5),
    "weights": (RandomForestClassifier(30, max_depth=4, class_weight="balanced_subsample"), 5),
    "whole data": (RandomForestClassifier(20, bootstrap=False, max_leaf_nodes=6), 3),
    "extra": (ExtraTreesClassifier(50, max_depth=5, random_state=0), 3),
    "bagging": (BaggingClassifier(n_estimators=25, random_state=0), 3),
    "bagging of columns": (
        BaggingClassifier(
            ExtraTreeClassifier(max_depth=4), 40, max_features=0.6, bootstrap_features=True,
            max_samples=12, random_state=0,
        ),
        5,
    ),
    "voting": (
        VotingClassifier(
            [("a b", DecisionTreeClassifier(max_depth=2)), ("c", ExtraTreeClassifier()),
             ("d", DecisionTreeClassifier(min_samples_leaf=9, criterion="entropy"))],
            voting="soft",
        ),
        3,
    ),
    "weighted voting": (
        VotingClassifier(
            [(f"m{i}", ExtraTreeClassifier(max_depth=3, random_state=i)) for i in range(11)],
            voting="soft", weights=np.linspace(0.1, 1.3, 11),
        ),
        5,
    ),
    "tree": (DecisionTreeClassifier(max_depth=4, class_weight="balanced"), 3),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_shares_and_classes_are_theirs_on_many_rows(name):
    model, n_classes = CLASSIFIERS[name]
    X, y = table(n_classes)
    model.fit(X, y)
    ensemble = read_sum(model)
    assert ensemble.classes == tuple(model.classes_.tolist())
    many = name in ("forest", "extra", "bagging", "weighted voting")
    check_classes(model, ensemble, hard_rows(ensemble, X, 100_000 if many else 15_000, FINITE))


REGRESSORS = {
    "forest": RandomForestRegressor(100, random_state=0),
    "extra": ExtraTreesRegressor(50, max_depth=5, criterion="absolute_error", random_state=0),
    "bagging": BaggingRegressor(n_estimators=20, max_features=2, random_state=0),
    "voting": VotingRegressor([(f"m{i}", ExtraTreeRegressor(max_depth=3)) for i in range(12)]),
    "weighted voting": VotingRegressor(
        [(f"m{i}", DecisionTreeRegressor(max_depth=i + 1)) for i in range(4)],
        weights=[3, 1, 2, 2],
    ),
    "tree": DecisionTreeRegressor(max_depth=4),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers_are_theirs_on_many_rows(name):
    X, _ = table(2)
    model = REGRESSORS[name].fit(X, numbers(X))
    ensemble = read_sum(model)
    rows = hard_rows(ensemble, X, n=15_000 if name == "tree" else 100_000, edges=FINITE)
    assert (ensemble.task, ensemble.classes, ensemble.kernel.rule.kind) == (
        "regression",
        (),
        "number",
    )
    assert np.array_equal(divided(ensemble, rows)[:, 0], model.predict(rows))


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(40, random_state=0), ExtraTreesClassifier(40, random_state=0),
     BaggingClassifier(n_estimators=15, max_features=3, random_state=0)],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
def test_missing_values_go_where_the_trees_learned(model):
    X, y = table(3)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    model.fit(X, y)
    ensemble = ol.read(model, nan="value")
    assert all(feature.nan for feature in ensemble.space.features)
    check_classes(model, ensemble, hard_rows(ensemble, X, n=15_000, edges=[*FINITE, np.nan]))
    assert not any(feature.nan for feature in ol.read(model).space.features)


def test_float32_tables_and_thresholds_between_two_float32():
    """Rows are rounded before they are compared: many float64 thresholds are one boundary."""
    rng = np.random.default_rng(0)
    X = (2.0**23 + rng.integers(0, 12, (200, 2))).astype(np.float32)  # each has a next float32
    y = rng.integers(0, 2, 200)
    model = RandomForestClassifier(60, random_state=0).fit(X, y)
    ensemble = ol.read(model)
    cuts = [
        (int(f), float(t))
        for one in model.estimators_
        for f, t in zip(one.tree_.feature, one.tree_.threshold, strict=True)
        if f >= 0
    ]
    check_classes(model, ensemble, hard_rows(ensemble, X, n=20_000, cuts=cuts))
    check_classes(model, ensemble, X)


@pytest.mark.parametrize("weights", [None, [2, 1, 1], [0.1, 0.2, 0.3]])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_hard_voting_counts_what_trees_predict(weights, n_classes):
    X, y = table(n_classes)
    trees = [(f"m{i}", ExtraTreeClassifier(max_depth=3, random_state=i)) for i in range(3)]
    model = VotingClassifier(trees, weights=weights).fit(X, y)
    ensemble = ol.read(model)
    rows = hard_rows(ensemble, X, n=10_000, edges=FINITE)
    assert np.array_equal(labels(ensemble, rows), model.predict(rows))


def test_dropped_members_have_no_vote():
    X, y = table(3)
    trees = [(f"m{i}", ExtraTreeClassifier(max_depth=3, random_state=i)) for i in range(3)]
    model = VotingClassifier(trees, weights=[5, 1, 2], voting="soft").set_params(m0="drop")
    model.fit(X, y)
    ensemble = ol.read(model)
    assert len(ensemble.trees) == 2
    check_classes(model, ensemble, hard_rows(ensemble, X, n=5_000))


def test_names_of_the_whole_model_are_kept():
    X, y = table(2)
    names = ["age in years", 'a "b"', "größe", "x", "-"]
    for model in (RandomForestClassifier(3), BaggingClassifier(n_estimators=3, max_features=2)):
        ensemble = ol.read(model.fit(pd.DataFrame(X, columns=names), y))
        assert ensemble.space.names == tuple(names)


def test_one_class_and_constant_trees():
    X, _ = table(2, n=20)
    model = RandomForestClassifier(3).fit(X, ["only"] * 20)
    ensemble = ol.read(model)
    assert ensemble.classes == ("only",)
    assert labels(ensemble, X).tolist() == ["only"] * 20
    flat = RandomForestRegressor(3).fit(X, [0.1] * 20)
    assert np.array_equal(divided(ol.read(flat), X)[:, 0], flat.predict(X))


# -- what is refused -----------------------------------------------------------------------------


def test_several_outputs_are_refused():
    X, _ = table(2)
    for model in (
        RandomForestRegressor(2),
        RandomForestClassifier(2),
        ExtraTreesRegressor(2),
        BaggingRegressor(n_estimators=2),
    ):
        model.fit(X, np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int))
        with pytest.raises(UnreadableModel, match="2 outputs at once"):
            ol.read(model)


VOTED = [("t", DecisionTreeClassifier(max_depth=2)), ("f", RandomForestClassifier(3))]


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (VotingClassifier(VOTED), "hard voting .* counts the classes .* voting='soft'"),
        (
            VotingClassifier([("g", GradientBoostingClassifier(n_estimators=2))], voting="soft"),
            "member 'g' .* is a GradientBoostingClassifier, whose probabilities are a function of",
        ),
        (
            VotingClassifier([("l", LogisticRegression())], voting="soft"),
            "member 'l' of the VotingClassifier is a LogisticRegression.*use trees",
        ),
        (
            VotingClassifier(
                [("p", make_pipeline(StandardScaler(), DecisionTreeClassifier()))], voting="soft"
            ),
            "member 'p' .* is a Pipeline.*put its transformers before the whole",
        ),
        (
            VotingClassifier(
                [("a", DecisionTreeClassifier()), ("b", DecisionTreeClassifier())], weights=[-1, 2]
            ),
            r"vote of weight -1\.0",
        ),
        (
            VotingClassifier(
                [("a", DecisionTreeClassifier()), ("b", DecisionTreeClassifier())],
                weights=[-3, 2],
                voting="soft",
            ),
            "weights must have a sum above 0",
        ),
        (BaggingClassifier(LogisticRegression(), 2), "member 0 .* is a LogisticRegression"),
    ],
)
def test_what_is_not_a_sum_is_refused(model, reason):
    X, y = table(2)
    model.fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    with pytest.raises(UnreadableModel, match=reason):
        ol.read(model)


def test_a_bagging_regressor_of_lines_is_refused():
    X, _ = table(2)
    model = BaggingRegressor(LinearRegression(), 2).fit(X, X[:, 0])
    with pytest.raises(UnreadableModel, match="is a LinearRegression"):
        ol.read(model)


def test_damaged_models_are_refused():
    X, y = table(2)
    model = BaggingClassifier(n_estimators=3).fit(X, y)
    model.n_estimators = 4
    with pytest.raises(UnreadableModel, match=r"3 members, .* n_estimators=4"):
        ol.read(model)
    forest = RandomForestClassifier(3).fit(X, y)
    forest.classes_ = np.array(["a", "b", "c"])
    with pytest.raises(UnreadableModel, match="leaves of 2 classes"):
        ol.read(forest)
    forest = RandomForestClassifier(3).fit(X, y)
    forest.n_features_in_ = 7
    with pytest.raises(UnreadableModel, match="fitted on 7 columns"):
        ol.read(forest)
    forest = RandomForestClassifier(3).fit(X, y)
    forest.estimators_ = []
    with pytest.raises(UnreadableModel, match="no members"):
        ol.read(forest)
