"""The reason that is shown is as wide as it goes, and the same everywhere."""

import html
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import orderless as ol

from ..commands import fine


def models():
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    yield lightgbm.LGBMClassifier(n_estimators=30, min_child_samples=3, verbose=-1, n_jobs=1)
    yield xgboost.XGBClassifier(n_estimators=30, max_depth=4, n_jobs=1)
    yield RandomForestClassifier(30, max_depth=5, random_state=0)


def table():
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.integers(0, 18, size=(250, 3)).astype(float), columns=["a", "b", "c"])
    y = (X["a"] * X["b"] > 70) ^ (X["c"] > random.integers(8, 14, size=250))
    return X, y.astype(int)


@pytest.mark.parametrize("which", range(3))
def test_a_wider_reason_lets_another_answer_in(which):
    """Checked on every cell of three features (all cuts are halves), by the library itself."""
    X, y = table()
    model = list(models())[which].fit(X, y)
    ensemble = ol.read(model)
    every = np.array(list(itertools.product(np.arange(0.0, 17.5, 0.5), repeat=3)))
    frame = pd.DataFrame(every, columns=X.columns)
    near_tie = np.abs(model.predict_proba(frame)[:, 0] - 0.5) < 1e-9  # of no certain class
    said = np.where(near_tie, -1, model.predict(frame))
    for i in range(0, 120, 3):
        why = ensemble.explain(X.iloc[i].to_dict())
        sides = {side.feature.name: side for side in why.reason.sides}
        inside = {name: np.ones(len(every), dtype=bool) for name in X.columns}
        for name, side in sides.items():
            inside[name] = side.has(every[:, X.columns.get_loc(name)])
        assert set(said[np.logical_and.reduce(list(inside.values()))]) == {why.label}
        for k, name in enumerate(X.columns):
            if name not in sides:
                continue
            others = np.logical_and.reduce([own for other, own in inside.items() if other != name])
            numbers = every[inside[name], k]
            for end in (numbers.min() - 0.5, numbers.max() + 0.5):
                beside = others & (every[:, k] == end)
                if beside.any():
                    assert set(said[beside]) != {why.label}, (i, name, end, str(why.reason))


def test_text_letter_report_and_command_show_one_reason(tmp_path):
    X, y = table()
    model = RandomForestClassifier(30, max_depth=5, random_state=0).fit(X, y)
    ensemble = ol.read(model)
    row = X.iloc[4].to_dict()
    why = ensemble.explain(row)
    reason = str(why.reason)
    assert f"because {reason}" in str(why)
    codes = {name: (name.upper(), name) for name in X.columns}
    letter = ol.reason_letters(ensemble, row, codes)
    shown = [text for own in letter.reasons for text in own.conditions]
    assert sorted(shown) == sorted(reason.split(" AND "))
    path = tmp_path / "model.json"
    path.write_text(ensemble.to_json())
    given = [part for name, value in row.items() for part in ("--row", f"{name}={value}")]
    record = json.loads(fine("explain", path, *given, "--format", "json"))
    assert f"because {reason}" in record["text"]
    assert record["reason"] == why.reason.to_dict()
    ol.report(ensemble, X.iloc[[4]], y.iloc[[4]]).save(tmp_path / "report.html")
    assert f"because {reason}" in html.unescape((tmp_path / "report.html").read_text())


def test_a_tree_and_its_ensemble_have_the_same_kind_of_reason():
    second = {"feature": 1, "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = {"feature": 0, "true": second, "false": {"prediction": 0}}
    why = ol.read(tree).explain({"x0": 0, "x1": 1})
    assert why.reason == why.shortest
