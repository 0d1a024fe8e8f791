"""Files of rows for many trees: what comes out is what the ensemble says."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import orderless as ol
from orderless.connect import predict_file
from orderless.connect.tables import answers
from orderless.errors import TooManyReasons


@pytest.fixture(scope="module")
def flowers():
    data = load_iris(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    ensemble = ol.read(RandomForestClassifier(7, max_depth=3, random_state=0).fit(X, y))
    Z = X.mask(np.random.RandomState(0).rand(*X.shape) < 0.3)
    return ensemble, Z.assign(id=range(len(Z)))


def written(ensemble, Z, folder, target="out.csv", **options):
    Z.to_csv(folder / "in.csv", index=False)
    done = predict_file(ensemble, folder / "in.csv", folder / target, **options)
    return done, folder / target


def test_classes_statuses_and_questions(flowers, tmp_path):
    ensemble, Z = flowers
    done, path = written(ensemble, Z, tmp_path, batch_size=37)
    out = pd.read_csv(path, keep_default_na=False)
    status = ensemble.status(Z)
    assert out["determined"].tolist() == ["yes" if s == "certain" else "no" for s in status]
    said = ensemble.predict(Z)
    assert out["prediction"].tolist() == ["" if pd.isna(v) else v for v in said.to_list()]
    asked = ensemble.ask_next(Z)
    assert out["needed"].tolist() == ["" if pd.isna(v) else v for v in asked.to_list()]
    assert done.n_determined == (status == "certain").sum()
    assert done.n_undecided == 0
    assert f"{done.n_determined} of 150 rows are determined" in done.summary


def test_smallest_sets(flowers, tmp_path):
    ensemble, Z = flowers
    Z = Z.head(25)
    _, path = written(ensemble, Z, tmp_path, "out.jsonl", needed="smallest")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    rows = Z.drop(columns="id").to_dict("records")
    for line, row in zip(lines, rows, strict=True):
        wanted = ensemble.needed({k: v for k, v in row.items() if not np.isnan(v)})
        assert line["determined"] is (wanted.label is not None)
        assert (line["needed"] or []) == ([] if wanted.label else list(wanted.settle[0]))


def test_a_smallest_set_that_is_not_found(flowers, tmp_path, monkeypatch):
    ensemble, Z = flowers

    def never(*args, **kwargs):
        raise ol.Undecided("no proof in time", "time", {})

    monkeypatch.setattr(answers, "needed_for", never)
    with pytest.raises(TooManyReasons, match=r"no proof in time\): choose needed='next'"):
        written(ensemble, Z, tmp_path, needed="smallest")
    assert not (tmp_path / "out.csv").exists()


def test_undecided_rows_are_said(flowers, tmp_path):
    ensemble, Z = flowers
    done, path = written(ensemble, Z, tmp_path, time_limit=0.0, needed=None)
    out = pd.read_csv(path, keep_default_na=False)
    status = ensemble.status(Z, time_limit=0.0)
    words = {"certain": "yes", "open": "no", "undecided": "undecided"}
    assert out["determined"].tolist() == [words[s] for s in status]
    assert done.n_undecided == (status == "undecided").sum()
    _, path = written(ensemble, Z, tmp_path, "out.jsonl", time_limit=0.0, needed=None)
    truths = [json.loads(line)["determined"] for line in path.read_text().splitlines()]
    assert truths == [{"certain": True, "open": False, "undecided": None}[s] for s in status]


def test_parquet_has_null_where_it_is_undecided(flowers, tmp_path):
    pytest.importorskip("pyarrow")
    ensemble, Z = flowers
    _, path = written(ensemble, Z, tmp_path, "out.parquet", time_limit=0.0, needed=None)
    out = pd.read_parquet(path)
    status = ensemble.status(Z, time_limit=0.0)
    truths = [None if pd.isna(v) else bool(v) for v in out["determined"]]
    assert truths == [{"certain": True, "open": False, "undecided": None}[s] for s in status]


def test_numbers_have_intervals(tmp_path):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, y)
    ensemble = ol.read(model)
    Z = X.head(60).mask(np.random.RandomState(0).rand(60, 10) < 0.2)
    done, path = written(ensemble, Z, tmp_path, tolerance=20.0, needed=None)
    out = pd.read_csv(path)
    lower, upper, _ = ensemble.predict_interval(Z)
    assert np.array_equal(out["lower"], lower)
    assert np.array_equal(out["upper"], upper)
    wanted = ensemble.predict(Z, tolerance=20.0)
    assert np.array_equal(out["prediction"].isna(), wanted.isna())
    assert done.n_narrow == wanted.notna().sum()
    _, usual = written(ensemble, Z, tmp_path, "usual.csv", tolerance=20.0)
    assert usual.read_text() == path.read_text()
