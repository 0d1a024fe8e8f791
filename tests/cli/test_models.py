"""Model files on the command line: which are read, and what their columns are said to be."""

import json
import pickle

import pandas as pd
import pytest
from commands import fine, mistake
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

skops_io = pytest.importorskip("skops.io", reason="skops comes with the extra orderless[skops]")

TABLE = """\
age,smoker,ward_east,ward_west,diagnosis
61,1,1,0,ill
25,0,0,1,well
47,0,1,0,well
70,0,0,1,ill
33,1,0,1,ill
29,0,0,1,well
55,1,1,0,ill
41,0,0,1,well
"""
KINDS = {"age": "integer", "smoker": "boolean", "ward_east": "boolean", "ward_west": "boolean"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(TABLE)
    (tmp_path / "space.json").write_text(json.dumps(KINDS))
    skops_io.dump(fitted(), "model.skops")
    return tmp_path


def table():
    rows = pd.read_csv("rows.csv")
    return rows.drop(columns="diagnosis"), rows["diagnosis"]


def fitted():
    return DecisionTreeClassifier(random_state=0).fit(*table())


# -- spaces ----------------------------------------------------------------------------------------


def test_a_row_without_a_class_is_not_of_a_class_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for labels in (("well", "ill"), (3, 6)):
        ends = [{"prediction": label} for label in labels]
        model = ol.read({"feature": 0, "true": ends[0], "false": ends[1]})
        (tmp_path / "model.json").write_text(model.to_json())
        (tmp_path / "rows.csv").write_text(f"x0,y\n1,{labels[0]}\n0,\n0,NA\n0,odd\n")
        args = ("explain", "model.json", "--data", "rows.csv", "--target", "y", "-f", "json")
        (found,) = json.loads(fine(*args))["quality"]
        assert (found["rows"], found["without_class"], found["right"]) == (2, 2, 1)


def test_a_space_in_a_file(folder):
    assert "age > 58.5" in fine("explain", "model.skops")
    told = fine("explain", "model.skops", "--space", "space.json")
    assert told == ol.canonicalize(ol.read(fitted(), space=ol.Space(KINDS))).to_text() + "\n"
    assert "age > 58 " in told
    assert "smoker " in told
    assert "0.5" not in told
    # The space of a tree in JSON says the same.
    fine("export", "model.skops", "--space", "space.json", "--output", "tree.json")
    assert fine("explain", "model.skops", "--space", "tree.json") == told
    only = json.loads((folder / "tree.json").read_text())["space"]
    (folder / "only.json").write_text(json.dumps(only))
    assert fine("explain", "model.skops", "--space", "only.json") == told


def test_every_command_takes_a_space(folder):
    (folder / "new.csv").write_text("age,smoker\n65,\n40,\n")
    assert "ill,yes" in fine("predict", "model.skops", "new.csv", "--space", "space.json")
    assert "all the same function" in fine(
        "compare", "model.skops", "model.skops", "--space", "space.json"
    )
    said = fine("explain", "model.skops", "--space", "space.json", "--row", "age=61")
    assert "age > 58 " in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[1]", "does not describe a space: expected an object"),
        ("{", "does not describe a space: this is not complete JSON"),
        ('{"age": "integer"}', "fitted on 4 columns and 1 are described"),
        ('{"age": "huge"}', "does not describe a space"),
        ('{"age": 3}', "does not describe a space"),
        ('{"features": [{"name": 1}]}', "does not describe a space"),
        ("\xff", "is not UTF-8 text"),
    ],
)
def test_spaces_that_are_none(folder, content, said):
    (folder / "bad.json").write_bytes(content.encode("latin-1"))
    assert said in mistake("explain", "model.skops", "--space", "bad.json")


def test_inferred_kinds(folder):
    told = fine("fit", "rows.csv", "--model", "model.skops", "--infer-kinds")
    assert "age > 58 " in told
    assert "not smoker" in told
    # One-hot columns become one feature where the model is read anew.
    one = DecisionTreeClassifier(random_state=0).fit(
        table()[0], ["e", "w", "e", "w", "w", "w", "e", "w"]
    )
    skops_io.dump(one, "ward.skops")
    told = fine("fit", "rows.csv", "--model", "ward.skops", "--infer-kinds")
    assert "ward = east" in told
    # A tree in JSON keeps its features, and they become narrower.
    fine("export", "model.skops", "--output", "tree.json")
    fine("fit", "rows.csv", "--model", "tree.json", "--infer-kinds", "--output", "kinds.json")
    assert "age > 58 " in fine("explain", "kinds.json")


def test_kinds_need_data_and_spaces_a_model(folder):
    space = ("fit", "rows.csv", "--space", "space.json")
    assert "give one of --space and --infer-kinds" in mistake(
        *space, "--infer-kinds", "--model", "model.skops"
    )
    assert "columns of a model file are: add --model FILE" in mistake(
        *space, "--target", "diagnosis"
    )
    (folder / "other.csv").write_text("x\n1\n")
    assert "none of the columns of the tree" in mistake(
        "fit", "other.csv", "--infer-kinds", "--model", "model.skops"
    )


# -- files -----------------------------------------------------------------------------------------


def test_the_best_of_a_search(folder):
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=2)
    search.fit(*table())
    best = ol.canonicalize(search.best_estimator_).to_text() + "\n"
    skops_io.dump(search, "search.skops")
    assert fine("explain", "search.skops") == best
    (folder / "search.pkl").write_bytes(pickle.dumps(search))
    assert fine("explain", "search.pkl", "--allow-pickle") == best
    inside = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    grid = {"decisiontreeclassifier__max_depth": [1, 2]}
    tuned = GridSearchCV(inside, grid, cv=2, scoring="balanced_accuracy").fit(*table())
    skops_io.dump(tuned, "tuned.skops")
    assert fine("explain", "tuned.skops") == ol.canonicalize(tuned).to_text() + "\n"
    skops_io.dump(GridSearchCV(DecisionTreeClassifier(), grid), "empty.skops")
    assert "a search without a best estimator" in mistake("explain", "empty.skops")


def test_encoders_in_a_skops_file(folder):
    rows = pd.DataFrame({"ward": ["east", "west", "north", "east"]}, dtype=object)
    model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0))
    skops_io.dump(model.fit(rows, [0, 1, 1, 0]), "wards.skops")
    assert "ward = east" in fine("explain", "wards.skops")


def test_files_of_xgboost_and_lightgbm(folder):
    X, y = table()
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=1, min_child_weight=0).fit(X, y == "ill")
    model.save_model("xgb.json")
    assert fine("explain", "xgb.json") == ol.canonicalize(model).to_text() + "\n"
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(
        n_estimators=1, min_child_samples=1, min_data_in_bin=1, verbose=-1
    ).fit(X, (y == "ill").astype(int))
    model.booster_.save_model("lgbm.txt")
    assert fine("explain", "lgbm.txt") == ol.canonicalize(model.booster_).to_text() + "\n"
    (folder / "cut.txt").write_text((folder / "lgbm.txt").read_text()[:300])
    assert "cut.txt: this LightGBM model is damaged" in mistake("explain", "cut.txt")


def test_a_damaged_pickle_is_no_fault_of_ours(folder):
    model = fitted()
    model.n_features_in_ = "many"
    (folder / "bad.pkl").write_bytes(pickle.dumps(model))
    said = mistake("explain", "bad.pkl", "--allow-pickle")
    assert "n_features_in_ must be a whole number" in said
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(*table())
    model[0].scale_ = None
    model[0].mean_ = "x"
    (folder / "bad.pkl").write_bytes(pickle.dumps(model))
    assert "bad.pkl holds a damaged Pipeline" in mistake("explain", "bad.pkl", "--allow-pickle")
