"""Our own exports of ensembles pass our own check, tree by tree and in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import orderless as ol
from orderless.errors import Undecided
from orderless.model import budget
from orderless.questions import compare
from orderless.questions.joint import Joint

pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")


def own_models() -> list[Any]:
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    return [
        lightgbm.LGBMClassifier(n_estimators=40, verbose=-1, n_jobs=1),
        xgboost.XGBClassifier(n_estimators=40, n_jobs=1),
        RandomForestClassifier(40, random_state=0),
        GradientBoostingClassifier(n_estimators=20, random_state=0),
        lightgbm.LGBMRegressor(n_estimators=40, verbose=-1, n_jobs=1),
        RandomForestRegressor(20, random_state=0),
    ]


@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize("missing", [True, False])
def test_our_own_exports_of_ensembles_are_proven(
    which: int, missing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tree by tree: no search is needed, and answers that the export says mean nothing are none."""
    X, y = load_breast_cancer(return_X_y=True)
    model = own_models()[which]
    pipeline = (model if "XGB" in str(model) else make_pipeline(StandardScaler(), model)).fit(X, y)
    ensemble = ol.read(pipeline)
    path = tmp_path / "model.onnx"
    path.write_bytes(ensemble.to_onnx())
    monkeypatch.setattr(Joint, "search", None)
    found = ol.check_export(pipeline, path, missing=missing)
    assert found, str(found)
    assert ("they are not complete" in str(found)) == missing
    assert "nearer to a tie" not in str(found)  # the same sums, to the last bit
    assert found.largest_difference is None
    for artifact in (ensemble.to_json(), ensemble.to_pmml()):
        assert ol.check_export(pipeline, artifact, missing=False)


def test_an_export_in_which_one_leaf_was_changed_is_different(tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, y)
    ensemble = ol.read(model)
    values = [own.copy() for own in ensemble.kernel.values]
    values[3][0] = values[3][0][::-1] + 4.0 * np.array([1, -1])
    content = ensemble.replace(values=values).to_onnx()
    found = ol.check_export(model, content)
    assert not found
    assert found.row is not None
    assert model.predict([list(found.row.values())])[0] == found.source != found.artifact


def test_what_missing_values_learned_is_still_compared() -> None:
    """A model that has learned where missing values go is exported with that, and compared so."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y = load_breast_cancer(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1).fit(X, y)
    ensemble = ol.read(model, nan="value")
    found = ol.check_export(model, ensemble.to_onnx())
    assert found
    assert found.missing


class Clock:
    """A clock that searches move forward, by what they may take."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_limit_is_for_the_call(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = rng.integers(n_classes, size=200)
    one, other = (RandomForestClassifier(5, random_state=s).fit(X, y) for s in (0, 1))
    clock = Clock()

    def search(_: Any, a: int, b: int, seconds: float, **options: Any) -> tuple[int, Any]:
        clock.now += seconds
        return 2, None

    monkeypatch.setattr(budget.time, "monotonic", clock.monotonic)
    monkeypatch.setattr(Joint, "search", search)
    monkeypatch.setattr(compare.SumPair, "_tried", lambda _: None)
    for ask in (ol.equivalent, ol.counterexample, ol.check_export):
        clock.now = 100.0
        with pytest.raises(Undecided):
            ask(ol.read(one), ol.read(other), time_limit=20)
        assert 119 < clock.now < 121
