"""HistGradientBoosting: our sums are its own to the last bit, and so is the class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.lib import recfunctions
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from threadpoolctl import threadpool_limits

import orderless as ol
from orderless.errors import UnreadableModel
from tests.neighbours import EDGES
from tests.readers.test_ensembles_sklearn_averages import numbers, table
from tests.readers.test_ensembles_sklearn_boosted import check_scores
from tests.slow_sums import divided, hard_rows


@pytest.fixture(autouse=True)
def one_thread():
    """Its threads wait for each other after every tree, which takes long where others compute."""
    with threadpool_limits(1):
        yield


KNOWN = [x for x in EDGES if not np.isnan(x)]  # infinities too

CLASSIFIERS = {
    "two": (HistGradientBoostingClassifier(max_iter=60), 2),
    "three": (HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=5), 3),
    "five": (HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=2), 5),
    "few bins": (HistGradientBoostingClassifier(max_iter=30, max_bins=4), 2),
    "stumps": (HistGradientBoostingClassifier(max_iter=120, max_depth=1), 2),
    "stops early": (HistGradientBoostingClassifier(early_stopping=True, n_iter_no_change=2), 3),
    "weights": (HistGradientBoostingClassifier(max_iter=9, class_weight="balanced"), 3),
}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_scores_and_classes_are_theirs_on_many_rows(name, missing):
    model, n_classes = CLASSIFIERS[name]
    X, y = table(n_classes)
    if missing:
        X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    model.fit(X, y)
    ensemble = ol.read(model, nan="value" if missing else "unknown")
    assert ensemble.classes == tuple(model.classes_.tolist())
    n = 100_000 if name == "two" else 10_000
    rows = hard_rows(ensemble, X, n=n, edges=[*KNOWN, *[np.nan] * missing])
    check_scores(model, ensemble, rows)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma"])
def test_numbers_are_theirs_on_many_rows(loss):
    X, _ = table(2)
    model = HistGradientBoostingRegressor(max_iter=40, loss=loss).fit(X, np.exp(numbers(X) / 7))
    ensemble = ol.read(model)
    assert ensemble.kernel.link == ("exp" if loss in ("poisson", "gamma") else "identity")
    rows = hard_rows(ensemble, X, n=100_000 if loss == "gamma" else 10_000, edges=KNOWN)
    scores = divided(ensemble, rows)[:, 0]
    assert np.array_equal(scores, model._raw_predict(rows)[:, 0])
    assert np.allclose(
        np.exp(scores) if ensemble.kernel.link == "exp" else scores, model.predict(rows)
    )


def mixed(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "dose": rng.normal(size=n),
            "ward, old": pd.Categorical(rng.choice(["a", "b", "c d", "é", 'q"', "z"], n)),
            "count": rng.integers(0, 9, n).astype(float),
            "kind": pd.Categorical(rng.choice([5, 7, -3, 12], n)),
        }
    )
    frame.loc[rng.random(n) < 0.2, "dose"] = np.nan
    frame.loc[rng.random(n) < 0.15, "ward, old"] = np.nan
    hit = frame["ward, old"].isin(["a", "é"]) ^ (frame["dose"] > 0) ^ frame["kind"].isin([7, -3])
    return frame, (hit ^ frame["ward, old"].isna() ^ (frame["count"] > 4)).to_numpy()


def test_categories_that_the_model_encodes_itself():
    """Categorical columns are moved to the front inside; unknown labels go with missing values."""
    frame, y = mixed()
    model = HistGradientBoostingClassifier(max_iter=40, categorical_features="from_dtype")
    model.fit(frame, y)
    ensemble = ol.read(model, nan="value")
    ward, kind = ensemble.space["ward, old"], ensemble.space["kind"]
    assert (ward.categories, ward.other, ward.nan) == (
        ("a", "b", "c d", 'q"', "z", "é"),
        True,
        True,
    )
    assert kind.categories == (-3, 5, 7, 12)
    assert any(tree.kernel.set_of(0).size for tree in ensemble.trees)
    check_scores(model, ensemble, frame)
    strange = frame.astype({"ward, old": object, "kind": object})
    strange.loc[::3, "ward, old"] = "never met"
    strange.loc[::7, "kind"] = 99
    check_scores(model, ensemble, strange)


def test_categories_of_an_array():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=500), rng.choice([2.0, 3.5, 9.0, 40.0], 500)])
    X[::9, 1] = np.nan
    y = (X[:, 0] > 0) ^ np.isin(X[:, 1], [3.5, 40.0])
    model = HistGradientBoostingClassifier(max_iter=20, categorical_features=[1]).fit(X, y)
    ensemble = ol.read(model, nan="value")
    assert ensemble.space["x1"].categories == (2.0, 3.5, 9.0, 40.0)
    check_scores(model, ensemble, X)
    X[:50, 1] = 17.25  # not met in training
    check_scores(model, ensemble, X)


def test_through_an_encoder_of_the_users_own():
    frame, y = mixed()
    frame = frame[["ward, old", "kind"]].astype(str)
    model = make_pipeline(
        OrdinalEncoder(), HistGradientBoostingClassifier(max_iter=10, categorical_features=[0, 1])
    ).fit(frame, y)
    check_scores(model, ol.read(model, nan="value"), frame)


# -- what is refused -----------------------------------------------------------------------------


def fitted() -> Any:
    X, y = table(2)
    return HistGradientBoostingClassifier(max_iter=3).fit(X, y)


def test_unknown_versions_are_refused():
    model = fitted()
    own = model._predictors[0][0]
    own.nodes = recfunctions.append_fields(own.nodes, "slope", own.nodes["value"], usemask=False)
    with pytest.raises(UnreadableModel, match=r"nodes of the fields \[.*'slope'.*newer orderless"):
        ol.read(model)
    model = fitted()
    model._baseline_prediction = model._baseline_prediction.astype(np.float32)
    with pytest.raises(UnreadableModel, match=r"a baseline of shape .* float32"):
        ol.read(model)
    model = fitted()
    del model._preprocessor
    with pytest.raises(UnreadableModel, match="a model without _preprocessor"):
        ol.read(model)


def test_damaged_models_are_refused():
    model = fitted()
    model._predictors[1].append(model._predictors[0][0])
    with pytest.raises(UnreadableModel, match="a stage has 2 trees, not 1"):
        ol.read(model)
    model = fitted()
    model._predictors[0][0].nodes["feature_idx"][0] = 99
    with pytest.raises(UnreadableModel, match="asks about column 99"):
        ol.read(model)
    model = fitted()
    model._predictors[0][0].nodes["is_categorical"][0] = 1
    with pytest.raises(UnreadableModel, match="is not categorical"):
        ol.read(model)
