"""``orderless compare`` of forests and boosted trees, beside single trees."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import Undecided


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A forest, the same in another order, another forest, a tree, and rows."""
    folder = tmp_path_factory.mktemp("compare")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)).round(2), columns=["age", "dose", "a b"])
    y = np.where(X["age"] + X["dose"] > 0, "ill", "well")
    for name, seed in (("one", 0), ("other", 1)):
        forest = RandomForestClassifier(4, max_depth=2, random_state=seed).fit(X, y)
        (folder / f"{name}.json").write_text(ol.read(forest).to_json())
        if name == "one":
            forest.estimators_ = forest.estimators_[::-1]
            (folder / "again.json").write_text(ol.read(forest).to_json())
    tree = ol.read(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    (folder / "tree.json").write_text(tree.to_json())
    X.mask(rng.random(X.shape) < 0.1).to_csv(folder / "rows.csv", index=False)
    return folder


NAMES = ("one.json", "other.json", "again.json", "tree.json")


def test_forests_and_trees_are_grouped_and_told_apart(folder, monkeypatch):
    monkeypatch.chdir(folder)
    records = json.loads(fine("compare", *NAMES, "-f", "json", "--data", "rows.csv"))
    assert [record["group"] for record in records] == [1, 2, 1, 3]
    assert [record["trees"] for record in records] == [4, 4, 4, 1]
    assert [record["undecided"] for record in records] == [False] * 4
    assert [record["fingerprint"] is None for record in records] == [True, True, True, False]
    models = [ol.read(folder / name) for name in NAMES]
    rows = pd.read_csv("rows.csv")
    first = models[0].predict(rows).astype(object).fillna("")
    for record, model in zip(records, models, strict=True):
        assert record["differs_on_space"] == ol.disagreement(models[0], model)
        says = model.predict(rows).astype(object).fillna("")
        certain = (first != "") & (says != "")
        assert record["rows_undetermined"] == (~certain).sum()
        assert record["rows_differ"] == (certain & (first != says)).sum()
        if record["example"] is None:
            assert ol.equivalent(models[0], model)
            continue
        said = [str(one.predict([record["example"]])[0]) for one in (models[0], model)]
        assert said == [record["first_says"], record["says"]]
        assert said[0] != said[1]


def test_a_row_is_made_up_without_data(folder, monkeypatch):
    monkeypatch.chdir(folder)
    said = fine("compare", "one.json", "again.json", "other.json").splitlines()
    assert said[0] == "3 models, 2 different functions."
    assert "Function 1: one.json, again.json" in said
    assert any(line.startswith("  for example at ") for line in said)
    for form in ("csv", "md"):
        assert "other.json" in fine("compare", "one.json", "other.json", "-f", form)


def test_what_is_not_proven_is_said(folder, monkeypatch):
    monkeypatch.chdir(folder)

    def never(*models, **options):
        raise Undecided("no proof", "time", {"lower": 0.1, "upper": 0.4})

    for name in ("equivalent", "counterexample", "disagreement"):
        monkeypatch.setattr(f"orderless.questions.{name}", never)
    said = fine("compare", "one.json", "other.json", "--data", "rows.csv")
    assert said.startswith("2 models, at most 2 different functions.")
    assert "not proven in time whether it is one of the functions above" in said
    assert "on 10.00% to 40.00% of the space" in said  # a row of the data tells them apart
    assert "in row " in said
    record = json.loads(fine("compare", "one.json", "other.json", "-f", "json"))[1]
    assert record["undecided"]
    assert record["differs_on_space"] is None
    assert record["differs_between"] == [0.1, 0.4]
    assert record["example"] is None


def test_decisions_are_those_of_single_trees(folder, monkeypatch):
    monkeypatch.chdir(folder)
    said = mistake("compare", "one.json", "tree.json", "--at", "ill=0.5")
    assert "one.json holds a sum of 4 trees" in said
    assert "two trees or more, or sums of trees" in mistake("compare", "one.json")
