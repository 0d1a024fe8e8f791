"""Ensembles as ONNX: the library's own answers, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import orderless as ol
from orderless.errors import InvalidTree

pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="what is written is run by onnxruntime")
from onnx_rows import session

RNG = np.random.default_rng(2)
X = RNG.normal(size=(300, 3))
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
TWO = (X[:, 0] * X[:, 1] > 0).astype(int)
THREE = np.array(list("abc"))[TWO + (X[:, 2] > 1)]


def rows_for(model: ol.Ensemble, gaps: bool) -> np.ndarray:
    """Float64 rows at the thresholds, on the floats beside them, and where float32 rounds."""
    rows = X[RNG.integers(0, len(X), 3000)].copy()
    for j in range(X.shape[1]):
        cuts = np.concatenate(
            [[0.0], *(t.row_threshold[t.feature == j] for t in model.kernel.trees)]
        )
        cuts = cuts[np.isfinite(cuts)]
        near = np.concatenate([cuts, np.nextafter(cuts, 9), np.nextafter(cuts, -9)])
        at = RNG.random(len(rows)) < 0.5
        rows[at, j] = RNG.choice(near, at.sum())
    if gaps:
        rows[RNG.random(rows.shape) < 0.1] = np.nan
    return rows


def check(fitted: Any, *, gaps: bool) -> None:
    ensemble = ol.read(fitted, nan="value" if gaps else "unknown")
    rows = rows_for(ensemble, gaps)
    own = np.asarray(fitted.predict(rows)).ravel().tolist()
    content = ensemble.to_onnx()
    model = session(content)
    kind = np.float64 if "double" in model.get_inputs()[0].type else np.float32
    names = [one.name for one in model.get_outputs()]
    said = dict(zip(names, model.run(None, {"X": rows.astype(kind)}), strict=True))
    assert said["label" if ensemble.classes else "number"].tolist() == own
    assert said["complete"].all() or gaps
    assert ol.check_export(ensemble, content, time_limit=20)


@pytest.mark.parametrize(
    ("fitted", "gaps"),
    [
        (RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, THREE), False),
        (RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, X[:, 0]), False),
        (GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, TWO), False),
        (GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, THREE), False),
        (GradientBoostingRegressor(n_estimators=9, random_state=0).fit(X, X[:, 0]), False),
        (HistGradientBoostingClassifier(max_iter=4).fit(GAPS, TWO), True),
        (AdaBoostClassifier(n_estimators=4, random_state=0).fit(X, TWO), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_of_scikit_learn(fitted: Any, gaps: bool) -> None:
    check(fitted, gaps=gaps)


def test_models_of_xgboost() -> None:
    """The base comes first, as in XGBoost; converters add it last, which rounds differently."""
    xgboost = pytest.importorskip("xgboost")
    check(xgboost.XGBClassifier(n_estimators=9, max_depth=3).fit(GAPS, TWO), gaps=True)
    check(xgboost.XGBRegressor(n_estimators=9, max_depth=3).fit(GAPS, X[:, 0]), gaps=True)


def test_models_of_lightgbm() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    check(lightgbm.LGBMClassifier(n_estimators=9, verbose=-1).fit(GAPS, TWO), gaps=True)
    counts = lightgbm.LGBMRegressor(n_estimators=2, objective="poisson", verbose=-1).fit(X, TWO)
    with pytest.raises(InvalidTree, match="'exp' of a sum"):
        ol.read(counts).to_onnx()
