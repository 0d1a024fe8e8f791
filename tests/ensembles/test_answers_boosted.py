"""Answers about boosted trees, asked again of the very library that fitted them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from tests.slow_sums import hard_rows

pytest.importorskip("catboost", reason="comes with the extra orderless[sources]")
pytest.importorskip("lightgbm", reason="comes with the extra orderless[sources]")
pytest.importorskip("xgboost", reason="comes with the extra orderless[sources]")


def model(name: str) -> Any:
    import catboost
    import lightgbm
    import xgboost

    tree = {"n_estimators": 25, "n_jobs": 1, "max_depth": 4, "random_state": 0}
    quiet = {"verbose": -1, "min_child_samples": 5}
    cat = {"iterations": 25, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    bagged = {"subsample": 0.6, "subsample_freq": 1, "boosting_type": "rf"}
    return {
        "xgboost": lambda: xgboost.XGBClassifier(**tree),
        "xgboost dart": lambda: xgboost.XGBClassifier(**tree, booster="dart", rate_drop=0.3),
        "xgboost forest": lambda: xgboost.XGBRFClassifier(**tree),
        "lightgbm": lambda: lightgbm.LGBMClassifier(**tree, **quiet),
        "lightgbm forest": lambda: lightgbm.LGBMClassifier(**tree, **quiet, **bagged),
        "catboost": lambda: catboost.CatBoostClassifier(**cat, depth=4),
    }[name]()


NAMES = (
    "xgboost", "xgboost dart", "xgboost forest", "lightgbm", "lightgbm forest", "catboost",
)  # fmt: skip


def data(n_classes: int, n: int = 400) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n, 5))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 3] = rng.integers(0, 4, n)
    score = X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0) - (X[:, 3] == 2) + 0.4 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_certain_is_contradicted_and_every_witness_holds(name: str, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = data(n_classes)
    fitted = model(name).fit(X, y)
    ensemble = ol.read(fitted)
    pool = hard_rows(ensemble, X, 20_000)
    complete = ensemble.predict(pool)
    sure = ~np.ma.getmaskarray(complete)
    assert sure.mean() > 0.998
    np.testing.assert_array_equal(complete.data[sure], np.ravel(fitted.predict(pool))[sure])

    rows = pool[rng.integers(0, len(pool), 60)]
    rows[rng.random(rows.shape) < 0.35] = np.nan
    said, how = ensemble.predict(rows), np.asarray(ensemble.status(rows))
    assert (how != "undecided").mean() > 0.95
    assert {"certain", "open"} <= set(how)
    for row, label, verdict in zip(rows, said.data, how, strict=True):
        if verdict == "certain":
            drawn = np.stack([pool[rng.integers(0, len(pool), 400), j] for j in range(5)], axis=1)
            filled = np.where(np.isnan(row), drawn, row)
            assert (np.ravel(fitted.predict(filled)) == label).all()
        elif verdict == "open":
            pair = [list(found.values()) for found in ensemble.explain(row).witness]
            known = ~np.isnan(row)
            assert all((np.array(found)[known] == row[known]).all() for found in pair)
            first, second = np.ravel(fitted.predict(np.array(pair)))
            assert first != second
            assert ensemble.predict(np.array(pair)).tolist() == [first, second]


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_categories(library: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": np.round(rng.normal(40, 10, 400)),
            "colour": pd.Categorical(rng.choice(list("rgbky"), 400)),
            "size": rng.normal(size=400),
        }
    )
    y = (frame["colour"].isin(["r", "k"]) ^ (frame["age"] > 45)).astype(int)
    fitted = model(library)
    if library == "xgboost":
        fitted.set_params(enable_categorical=True, max_cat_to_onehot=2)
    fitted.fit(frame, y)
    ensemble = ol.read(fitted)
    np.testing.assert_array_equal(ensemble.predict(frame).to_numpy(int), fitted.predict(frame))
    n_open = 0
    for i in range(40):
        row = frame.iloc[i].to_dict()
        del row[rng.choice(["age", "colour", "size"])]
        pair = ensemble.explain(row).witness
        if pair is None:
            continue
        n_open += 1
        both = pd.DataFrame(list(pair))[list(frame)]
        both["colour"] = pd.Categorical(both["colour"], categories=frame["colour"].cat.categories)
        assert len(set(fitted.predict(both))) == 2
    assert 5 < n_open < 40
