"""PMML of forests, boosted trees and scores: read back they are the same; JPMML agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pmml_engines import run_jpmml
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import UnreadableModel

SMALL = {"n_estimators": 3, "max_depth": 2, "random_state": 0}


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"a & b": rng.normal(size=120), "c": rng.integers(0, 9, 120).astype(float),
         "score": rng.normal(size=120)}
    )  # fmt: skip


def fitted(name: str) -> ol.Ensemble:
    X = table()
    two = (X["a & b"] + X["score"] > 0).astype(int).to_numpy()
    three = two + (X["c"] > 5).to_numpy()
    number = (X["a & b"] * 3 + X["c"]).to_numpy()
    models: dict[str, Any] = {
        "forest": (RandomForestClassifier(**SMALL), three),
        "forest of numbers": (RandomForestRegressor(**SMALL), number),
        "boosted": (GradientBoostingClassifier(**SMALL), three),
        "boosted, two": (GradientBoostingClassifier(**SMALL), two),
        "boosted numbers": (GradientBoostingRegressor(**SMALL), number),
        "histograms": (HistGradientBoostingClassifier(max_iter=3, max_depth=2), two),
        "adaboost": (AdaBoostClassifier(n_estimators=3, random_state=0), two),
        "votes": (VotingClassifier([(str(d), DecisionTreeClassifier(max_depth=d, random_state=0))
                                    for d in (1, 2, 3)]), three),
    }  # fmt: skip
    if name.startswith("xgboost"):
        xgboost = pytest.importorskip("xgboost")
        models |= {
            "xgboost": (xgboost.XGBClassifier(**SMALL), three),
            "xgboost, two": (xgboost.XGBClassifier(**SMALL), two),
            "xgboost, counts": (xgboost.XGBRegressor(**SMALL, objective="count:poisson"), three),
        }
    if name == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        models["lightgbm"] = (lightgbm.LGBMClassifier(**SMALL, verbose=-1), three)
    model, y = models[name]
    return ol.read(model.fit(X, y), feature_names=list(X.columns))


NAMES = ("forest", "forest of numbers", "boosted", "boosted, two", "boosted numbers", "histograms",
         "adaboost", "votes", "xgboost", "xgboost, two", "xgboost, counts", "lightgbm")  # fmt: skip


def points() -> ol.Ensemble:
    items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1},
             {"feature": "fever", "points": 1}]  # fmt: skip
    return ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "mid": 2, "high": 3}})


def rows(ensemble: ol.Ensemble, n: int = 300) -> pd.DataFrame:
    """Rows at the thresholds, on the floats beside them, and between."""
    rng = np.random.default_rng(1)
    X = table().sample(n, replace=True, random_state=1).reset_index(drop=True)
    for i, name in enumerate(ensemble.space.names):
        cuts = [
            t for tree in ensemble.trees for t in tree.kernel.row_threshold[tree.nodes.feature == i]
        ]
        near = [x for t in cuts for x in (t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf))]
        if near:
            at = rng.random(n) < 0.5
            X.loc[at, name] = rng.choice(near, int(at.sum()))
    return X


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_back_is_the_same(name: str) -> None:
    ensemble = fitted(name)
    back = ol.read(ensemble.to_pmml())
    assert ol.equivalent(ensemble, back)
    X = rows(ensemble)
    assert back.predict(X).tolist() == ensemble.predict(X).tolist()
    assert np.array_equal(back.sums(X), ensemble.sums(X))


def test_points() -> None:
    ensemble = points()
    text = ensemble.to_pmml()
    assert ol.equivalent(ensemble, ol.read(text))
    assert ol.read(text).classes == ("low", "mid", "high")


def test_a_divisor_that_pmml_does_not_have() -> None:
    ensemble = fitted("forest of numbers")
    odd = ensemble.replace(adding=ensemble.kernel.adding._replace(divisor=7.0))
    with pytest.raises(
        UnreadableModel, match=r"divides sums of 3 trees by 7.0 in the end, and PMML"
    ):
        odd.to_pmml()


def test_the_command_line_writes_it(tmp_path: Any) -> None:
    from commands import fine

    ensemble = fitted("boosted")
    (tmp_path / "sum.json").write_text(ensemble.to_json())
    assert fine("export", tmp_path / "sum.json", "-f", "pmml") == ensemble.to_pmml()


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_jpmml_adds_the_same(name: str) -> None:
    ensemble = fitted(name)
    X = rows(ensemble)
    said, own = run_jpmml(ensemble.to_pmml(), X), ensemble.predict(X).tolist()
    if name == "xgboost, counts":  # an exponential of the sum, which JPMML takes in float32
        assert np.allclose(said, own, rtol=2e-7, atol=0)
    else:
        assert said == own
    gaps = X.mask(np.random.default_rng(2).random(X.shape) < 0.2)
    certain = ensemble.predict(gaps).to_numpy(dtype=object, na_value=None).tolist()
    said = run_jpmml(ensemble.to_pmml(), gaps)
    if ensemble.task == "classification":
        assert all(a in (None, b) for a, b in zip(said, certain, strict=True))
    assert None in said


@pytest.mark.engine
def test_jpmml_adds_points() -> None:
    ensemble = points()
    given = [{"age": a, "rash": r, "fever": f} for a in (60.0, 65.0, 66.0) for r in (False, True)
             for f in (False, True)]  # fmt: skip
    assert run_jpmml(ensemble.to_pmml(), given) == ensemble.predict(given).tolist()
