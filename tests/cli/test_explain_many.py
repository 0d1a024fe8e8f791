"""Commands on models of many trees: predict, explain and report take them, others say so."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, run
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.svm import SVC

import orderless as ol


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("many")
    data = load_iris(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    X.columns = ["sepal length", "sepal width", "petal length", "petal width"]
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    (place / "forest.json").write_text(ol.read(forest).to_json())
    X.assign(kind=y).to_csv(place / "flowers.csv", index=False)
    X.mask(np.random.RandomState(0).rand(*X.shape) < 0.3).head(12).to_csv(
        place / "gaps.csv", index=False
    )
    return place


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


def ensemble():
    return ol.Ensemble.from_json(Path("forest.json").read_text())


def test_skops_files_of_ensembles(folder):
    skops = pytest.importorskip("skops.io")
    X = pd.read_csv("flowers.csv")
    y = X.pop("kind")
    for model in (
        RandomForestClassifier(3, random_state=0),
        HistGradientBoostingClassifier(max_iter=2, random_state=0),
    ):
        skops.dump(model.fit(X, y), "model.skops")
        out = fine("predict", "model.skops", "flowers.csv", "--needed", "none")
        said = [line.split(",")[-2] for line in out.splitlines()[1:]]
        assert said == model.predict(X).tolist()


def test_files_of_xgboost_in_both_formats(folder):
    xgboost = pytest.importorskip("xgboost")
    X = pd.read_csv("flowers.csv")
    y = X.pop("kind") == "setosa"
    model = xgboost.XGBClassifier(n_estimators=3, max_depth=2).fit(X, y)
    said = []
    for name in ("model.json.ubj", "xgb.json"):
        model.get_booster().save_model(name)
        said.append(fine("predict", name, "gaps.csv", "--needed", "none"))
    assert said[0] == said[1]
    assert "yes" in said[0]


def test_explanations_are_the_librarys(folder):
    out = fine("explain", "forest.json", "--row", "petal length=1.4", "--row", "petal width=0.2")
    why = ensemble().explain({"petal length": 1.4, "petal width": 0.2})
    assert out.rstrip("\n") == str(why)
    given = ("--rows", "gaps.csv", "--format", "json")
    records = json.loads(fine("explain", "forest.json", *given))
    status = ensemble().status(pd.read_csv("gaps.csv"))
    assert [record["status"] for record in records] == status.tolist()
    assert {"certain", "open"} == set(status)
    for record in records:
        assert bool(record["settle"]) == (record["status"] == "open")


def test_what_many_trees_do_not_have():
    assert "has no short list of rules" in mistake("explain", "forest.json")
    for command in (
        ("export", "forest.json"),
        ("explain", "forest.json", "--at", "setosa=0.2", "--row", "petal width=1"),
        ("importance", "forest.json", "--data", "flowers.csv", "--target", "kind"),
        ("acquire", "forest.json", "--data", "flowers.csv", "--costs", "petal width=1"),
    ):
        assert "holds a sum of 5 trees" in mistake(*command), command
    assert "--tolerance is for numbers" in mistake(
        "predict", "forest.json", "gaps.csv", "--tolerance", "2"
    )


def test_a_model_that_is_neither_is_refused_as_before():
    skops = pytest.importorskip("skops.io")
    X = np.random.RandomState(0).rand(20, 2)
    skops.dump(SVC().fit(X, X[:, 0] > 0.5), "svc.skops")
    assert "cannot read a" in mistake("predict", "svc.skops", "gaps.csv")


def test_a_report_of_a_forest(folder):
    result = run(
        "report", "forest.json", "--data", "flowers.csv", "--target", "kind", "-o", "r.html"
    )
    assert result.exit_code == 0, result.stderr
    page = (folder / "r.html").read_text()
    assert "<h1>What this model decides</h1>" in page
    assert "A sum of 5 trees" in page
    assert "costs= is for the report" not in page
    said = mistake("report", "forest.json", "--data", "flowers.csv", "--target", "kind",
                   "--costs", "petal width=1")  # fmt: skip
    assert "one tree" in said
