"""Thresholds and calibrators around a model: ours decides as they do, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import UnreadableModel

selection = pytest.importorskip("sklearn.model_selection")
frozen = pytest.importorskip("sklearn.frozen", reason="thresholds are of scikit-learn 1.6")

MODELS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(5, max_depth=4, random_state=0),
    "boosted": GradientBoostingClassifier(n_estimators=5, random_state=0),
    "boosted of one": GradientBoostingClassifier(n_estimators=1, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=5, random_state=0),
    "votes": AdaBoostClassifier(n_estimators=5, random_state=0),
}
LABELS = np.array(["ill", "well"])


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 3)), 1)
    y = X[:, 0] + X[:, 1] ** 2 / 2 + rng.normal(size=300) / 2 > 0.5
    return X, LABELS[y.astype(int)]


def others(name: str) -> Any:
    """Boosters of other libraries, one with float32 probabilities."""
    if name == "xgboost":
        return pytest.importorskip(name, reason="a source").XGBClassifier(n_estimators=4)
    return pytest.importorskip(name, reason="a source").LGBMClassifier(n_estimators=4, verbose=-1)


def same(model: Any, X: Any) -> ol.Model:
    read = ol.read(model)
    rows = np.vstack([X, np.random.default_rng(1).normal(size=(2000, X.shape[1]))])
    answers = read.predict(rows)
    assert not np.ma.getmaskarray(answers).any()
    assert (np.ma.getdata(answers) == model.predict(rows)).all()
    return read


@pytest.mark.parametrize("positive", [None, "ill", "well"])
@pytest.mark.parametrize("name", MODELS)
def test_a_threshold_of_a_probability(data, name, positive):
    X, y = data
    model = frozen.FrozenEstimator(MODELS[name].fit(X, y))
    column = 0 if positive == "ill" else 1
    shares = np.unique(model.predict_proba(X)[:, column])
    for threshold in (0.0, 0.2, 0.5, shares[len(shares) // 2], shares[-1], 1.0):
        fixed = selection.FixedThresholdClassifier(
            model, threshold=float(threshold), pos_label=positive
        )
        same(fixed.fit(X, y), X)


@pytest.mark.parametrize("positive", [None, "ill"])
@pytest.mark.parametrize("name", ["boosted", "boosted of one", "histograms", "votes"])
def test_a_threshold_of_a_score(data, name, positive):
    X, y = data
    for threshold in ("auto", -0.2, 0.1):
        fixed = selection.FixedThresholdClassifier(
            MODELS[name],
            threshold=threshold,
            pos_label=positive,
            response_method="decision_function",
        )
        same(fixed.fit(X, y), X)


@pytest.mark.parametrize("name", [*MODELS, "xgboost", "lightgbm"])
def test_a_threshold_that_was_tuned(data, name):
    X, y = data
    model = MODELS[name] if name in MODELS else others(name)
    y = y if name in MODELS else (y == "well").astype(int)
    same(selection.TunedThresholdClassifierCV(model).fit(X, y), X)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("name", [*MODELS, "xgboost", "lightgbm"])
def test_a_calibrator(data, name, method):
    X, y = data
    model = MODELS[name] if name in MODELS else others(name)
    y = (y == "well").astype(int)
    calibrated = CalibratedClassifierCV(model, method=method, ensemble=False).fit(X, y)
    same(calibrated, X)
    same(selection.FixedThresholdClassifier(calibrated, threshold=0.3).fit(X, y), X)
    # One that falls, and one that never reaches a half.
    turned = frozen.FrozenEstimator(model.fit(X, y))
    same(CalibratedClassifierCV(turned, method=method, ensemble=False).fit(X, 1 - y), X)
    rare = np.where(np.arange(len(y)) < 10, 1 - y, 0)
    same(CalibratedClassifierCV(turned, method=method, ensemble=False).fit(X, rare), X)


def test_one_tree_has_the_probabilities_of_its_calibrator(data):
    X, y = data
    calibrated = CalibratedClassifierCV(MODELS["tree"], method="isotonic", ensemble=False).fit(X, y)
    tree = same(calibrated, X)
    assert isinstance(tree, ol.Tree)
    lower, upper, _ = tree.predict_interval(X, of="probability")
    shares = calibrated.predict_proba(X)
    assert np.allclose(lower, shares, atol=1e-15)
    assert np.allclose(upper, shares, atol=1e-15)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
    lower, upper, _ = tree.predict_interval(gaps, of="probability")
    assert (lower <= shares + 1e-15).all()
    assert (shares <= upper + 1e-15).all()
    assert (upper - lower > 0.1).any()


def test_a_threshold_leaves_the_probabilities_as_they_are(data):
    X, y = data
    model = MODELS["histograms"].fit(X, y)
    fixed = selection.FixedThresholdClassifier(model, threshold=0.3).fit(X, y)
    lower, upper, _ = ol.read(fixed).predict_interval(X, of="probability")
    assert np.array_equal(lower, fixed.predict_proba(X))
    assert np.array_equal(lower, upper)


def test_rows_with_gaps_are_certain_where_all_completions_agree(data):
    X, y = data
    fixed = selection.FixedThresholdClassifier(MODELS["forest"], threshold=0.3).fit(X, y)
    read = ol.read(fixed)
    values = np.unique(X[:, 0])
    rows = X[:60].copy()
    rows[:, 0] = np.nan
    answers = read.predict(rows)
    masked = np.ma.getmaskarray(answers)
    steps = np.concatenate([[values[0] - 1], values, (values[1:] + values[:-1]) / 2, [9.0]])
    for row, answer, is_open in zip(rows, np.ma.getdata(answers), masked, strict=True):
        filled = np.tile(row, (len(steps), 1))
        filled[:, 0] = steps
        labels = set(fixed.predict(filled))
        assert (len(labels) > 1) == is_open
        assert is_open or labels == {answer}
    assert masked.any()
    assert not masked.all()


def test_wrappers_in_wrappers(data):
    X, y = data
    steps = make_pipeline(StandardScaler(), MODELS["tree"])
    search = GridSearchCV(
        selection.FixedThresholdClassifier(steps), {"threshold": [0.1, 0.3, 0.7]}
    ).fit(X, y)
    same(search, X)
    outer = selection.FixedThresholdClassifier(search.best_estimator_, threshold=0.6).fit(X, y)
    same(outer, X)
    scaler = StandardScaler().fit(X)
    tree = MODELS["tree"].fit(scaler.transform(X), y)
    both = make_pipeline(frozen.FrozenEstimator(scaler), frozen.FrozenEstimator(tree)).fit(X, y)
    assert ol.equivalent(same(both, X), ol.read(make_pipeline(scaler, tree)))


def test_what_is_not_one_cut_is_refused(data):
    X, y = data
    tree = MODELS["tree"]
    with pytest.raises(UnreadableModel, match=r"averages .* of 5 models.* ensemble=False"):
        ol.read(CalibratedClassifierCV(tree).fit(X, y))
    three = np.where(X[:, 2] > 0.5, "dead", y)
    with pytest.raises(UnreadableModel, match="3 classes"):
        ol.read(CalibratedClassifierCV(tree, ensemble=False).fit(X, three))
    with pytest.raises(UnreadableModel, match="not fitted"):
        ol.read(selection.FixedThresholdClassifier(DecisionTreeRegressor()))
    with pytest.raises(UnreadableModel, match="not fitted"):
        ol.read(selection.TunedThresholdClassifierCV(DecisionTreeClassifier()))
    with pytest.raises(UnreadableModel, match="not fitted"):
        ol.read(CalibratedClassifierCV(tree))
    voting = VotingClassifier([("a", tree)]).fit(X, y)
    with pytest.raises(UnreadableModel, match="no predict_proba"):
        ol.read(selection.FixedThresholdClassifier(frozen.FrozenEstimator(voting)))
    boosted = frozen.FrozenEstimator(MODELS["boosted"].fit(X, y))
    by_temperature = CalibratedClassifierCV(boosted, ensemble=False).fit(X, y)
    by_temperature.calibrated_classifiers_[0].method = "temperature"
    with pytest.raises(UnreadableModel, match="'temperature'"):
        ol.read(by_temperature)

    class Own(selection.FixedThresholdClassifier):  # type: ignore[misc, name-defined]
        def predict(self, X: Any) -> Any:
            return super().predict(X)[::-1]

    with pytest.raises(UnreadableModel, match="own predict"):
        ol.read(Own(tree).fit(X, y))
