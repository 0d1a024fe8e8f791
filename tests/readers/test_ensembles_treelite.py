"""Sums of treelite: every class and number is that of its own predictor, GTIL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import orderless as ol

treelite = pytest.importorskip("treelite", reason="comes with the extra orderless[treelite]")

RNG = np.random.default_rng(1)
X = RNG.normal(size=(300, 3))
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
TWO = (X[:, 0] * X[:, 1] > 0).astype(int)
THREE = TWO + (X[:, 2] > 1)


def check(model: Any) -> None:
    ensemble = ol.read_ensemble(model, nan="value")
    assert ol.read_ensemble(model.serialize_bytes(), nan="value") == ensemble
    rows = np.vstack([GAPS, RNG.normal(size=(4000, 3)), np.full((1, 3), np.nan)])
    rows = rows.astype(model.input_type)
    out = treelite.gtil.predict(model, rows).reshape(len(rows), -1)
    mine = ensemble.predict(rows)
    assert not np.ma.getmaskarray(mine).any()
    if not ensemble.classes:
        assert mine.tolist() == out[:, 0].tolist()
    elif out.shape[1] == 1:
        assert mine.tolist() == (out[:, 0] > 0.5).astype(int).tolist()
    else:
        assert mine.tolist() == out.argmax(axis=1).tolist()


@pytest.mark.parametrize(
    "fitted",
    [
        RandomForestClassifier(7, max_depth=4, random_state=0).fit(X, THREE),
        RandomForestRegressor(7, max_depth=4, random_state=0).fit(X, X[:, 0]),
        GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, TWO),
        GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, THREE),
        HistGradientBoostingClassifier(max_iter=5).fit(GAPS, TWO),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_of_scikit_learn(fitted: Any) -> None:
    check(treelite.sklearn.import_model(fitted))


def test_models_of_xgboost() -> None:
    xgboost = pytest.importorskip("xgboost")
    for y in (TWO, THREE):
        fitted = xgboost.XGBClassifier(n_estimators=8, max_depth=3).fit(GAPS, y)
        check(treelite.frontend.from_xgboost(fitted.get_booster()))
    halves = xgboost.XGBRegressor(n_estimators=8, max_depth=3, base_score=0.5).fit(GAPS, X[:, 0])
    check(treelite.frontend.from_xgboost(halves.get_booster()))


def test_models_of_lightgbm_with_categories() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    table = GAPS.copy()
    table[:, 2] = RNG.integers(0, 7, len(X))
    y = (np.isin(table[:, 2], [1, 4]) ^ (X[:, 0] > 0)).astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=4, verbose=-1, min_child_samples=3,
                                    max_cat_to_onehot=1)  # fmt: skip
    own = treelite.frontend.from_lightgbm(
        model.fit(table, y, categorical_feature=[2]).booster_
    )  # fmt: skip
    ensemble = ol.read_ensemble(own, nan="value")
    said = treelite.gtil.predict(own, table).ravel() > 0.5
    assert ensemble.predict(table).tolist() == said.astype(int).tolist()


def test_a_base_that_float32_rounds_is_said() -> None:
    xgboost = pytest.importorskip("xgboost")
    fitted = xgboost.XGBRegressor(n_estimators=2, max_depth=2, base_score=0.5).fit(GAPS, X[:, 0])
    text = treelite.frontend.from_xgboost(fitted.get_booster()).serialize_bytes()
    changed = bytes(text).replace(np.float64(0.5).tobytes(), np.float64(0.1).tobytes())
    assert changed != text
    with pytest.warns(UserWarning, match="differ from its own in the last bit"):
        ol.read_ensemble(changed)
