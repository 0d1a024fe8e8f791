"""Every source of trees, on the numbers at which floats are strange: ours answers as it does.

Zeros of both signs, subnormal numbers of both widths, the ends of float32 and float64, numbers that
only float64 tells apart, infinity, NaN; beside every threshold and its neighbours of both widths.
Where the library refuses a row there is nothing to compare.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from neighbours import EDGES, neighbours
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import orderless as ol

Predict = Callable[[Any], Any]


def data(seed: int = 0, missing: float = 0.1, most: float = 1e30) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3))
    X[:, 1] = np.round(2 * X[:, 1])
    X[:, 2] *= 10.0 ** rng.integers(-44, 34, 300)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (X[:, 2] > 1e-3)).astype(int)
    y[rng.random(300) < 0.02] ^= 1
    X = np.clip(X, -most, most)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def edge_rows(tree: ol.Tree, X: Any, nan: bool) -> Any:
    rng = np.random.default_rng(1)
    parts = [X]
    for i in range(X.shape[1]):
        cuts = tree.nodes.threshold[tree.nodes.feature == i]
        values = [*EDGES, *(x for cut in cuts[np.isfinite(cuts)] for x in neighbours(cut))]
        values = [x for x in values if nan or not np.isnan(x)]
        part = X[rng.integers(0, len(X), len(values))].copy()
        part[:, i] = values
        parts.append(part)
    return np.vstack(parts)


def answers(predict: Predict, X: Any) -> list[Any]:
    """What a library says; None for rows that it refuses."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(predict(X)).tolist()
        except ValueError:
            if len(X) == 1:
                return [None]
            half = len(X) // 2
            return answers(predict, X[:half]) + answers(predict, X[half:])


def check(
    tree: ol.Tree, predict: Predict, X: Any, nan: bool = True, most_refused: int = 200
) -> None:
    rows = edge_rows(tree, X, nan)
    theirs = answers(predict, rows)
    ours = tree.predict(rows)
    masked = np.ma.getmaskarray(ours)
    assert theirs.count(None) <= most_refused
    assert len(set(theirs) - {None}) > 1
    wrong = [
        (rows[i].tolist(), None if masked[i] else ours[i], label)
        for i, label in enumerate(theirs)
        if label is not None and (masked[i] or ours[i] != label)
    ]
    assert not wrong, (len(wrong), wrong[:3])


def xgb(**options: Any) -> Any:
    xgboost = pytest.importorskip("xgboost")
    settings = {"n_estimators": 1, "max_depth": 5, "learning_rate": 1.0, "n_jobs": 1}
    return xgboost.XGBClassifier(**{**settings, **options})


def lgbm(**options: Any) -> Any:
    lightgbm = pytest.importorskip("lightgbm")
    settings = {"n_estimators": 1, "num_leaves": 16, "min_child_samples": 3, "learning_rate": 1.0}
    return lightgbm.LGBMClassifier(**{**settings, "verbose": -1, "n_jobs": 1, **options})


MODELS = {
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "extra": lambda: ExtraTreeClassifier(random_state=0),
    "xgboost": xgb,
    "lightgbm": lgbm,
    "lightgbm, missing as zero": lambda: lgbm(use_missing=False),
    "lightgbm, zero as missing": lambda: lgbm(zero_as_missing=True),
}
STEPS = {
    "standard": (StandardScaler(), True),
    "min-max": (MinMaxScaler(), True),
    "clipped": (MinMaxScaler(clip=True), True),
    "max-abs": (MaxAbsScaler(), True),
    "robust": (RobustScaler(), True),
    "above": (Binarizer(threshold=0.1), False),
    "bins": (KBinsDiscretizer(3, encode="ordinal", strategy="uniform"), False),
    "filled": (SimpleImputer(), True),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str) -> None:
    X, y = data()
    model = MODELS[name]().fit(X, y)
    check(ol.read(model, nan="value"), model.predict, X)


@pytest.mark.parametrize("name", ["tree", "xgboost", "lightgbm"])
@pytest.mark.parametrize("step", STEPS)
def test_a_pipeline(step: str, name: str) -> None:
    transformer, nan = STEPS[step]
    X, y = data(missing=0.1 if nan else 0.0)
    model = make_pipeline(transformer, MODELS[name]()).fit(X, y)
    check(ol.read(model, nan="value" if nan else "unknown"), model.predict, X, nan)


def test_streed() -> None:
    pystreed = pytest.importorskip("pystreed")
    X, y = data(missing=0.0)
    model = pystreed.STreeDClassifier(max_depth=2, n_thresholds=4).fit(X[:, :2], y)
    check(ol.read(model), model.predict, X[:, :2], nan=False)


def _gosdt(bits: Any, y: Any) -> tuple[Any, Predict]:
    gosdt = pytest.importorskip("gosdt")
    model = gosdt.GOSDTClassifier(regularization=0.02, depth_budget=3, verbose=False).fit(bits, y)
    return model, lambda rows: model.trees_[0].predict(np.asarray(rows))


def _treefarms(bits: Any, y: Any) -> tuple[Any, Predict]:
    pd = pytest.importorskip("pandas")
    farm = pytest.importorskip("treefarms.model.treefarms")
    config = {"regularization": 0.02, "rashomon_bound_adder": 0.02, "depth_budget": 3}
    model = farm.TREEFARMS(config)
    model.fit(bits, pd.Series(y, name="y"))
    return model[0], lambda rows: model[0].predict(rows)


def _dl85(bits: Any, y: Any) -> tuple[Any, Predict]:
    pydl85 = pytest.importorskip("pydl85")
    model = pydl85.DL85Classifier(max_depth=2).fit(np.asarray(bits), y)
    return model, lambda rows: model.predict(np.asarray(rows))


def _praxis(bits: Any, y: Any) -> tuple[Any, Predict]:
    praxis = pytest.importorskip("praxis")
    model = praxis.PRAXIS()
    model.fit(np.asarray(bits), y, lambda_reg=0.02, depth_budget=3, rashomon_mult=0.0)
    return model, lambda rows: model.get_predictions(0, np.asarray(rows))


@pytest.mark.parametrize("solver", [_gosdt, _treefarms, _dl85, _praxis])
def test_through_a_binarizer(solver: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """They take 0/1 columns, so the edges are those of what cuts numbers into columns."""
    X, y = data(missing=0.0)
    X = X[:, :2]
    cut = ol.Binarizer((0.25, 0.5, 0.75)).set_output(transform="pandas").fit(X)
    model, predict = solver(cut.transform(X), y)
    trees = ol.read_many(model if solver is _praxis else [model], preprocessing=cut)
    check(trees[0], lambda rows: predict(cut.transform(rows)), X, nan=False)
