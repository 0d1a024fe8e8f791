"""``--task regression``: trees of numbers that are fitted on tables, and how they are judged."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, patients, run
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from sklearn.model_selection import KFold, train_test_split
from sklearn.tree import DecisionTreeRegressor

import orderless as ol
from orderless.output.rules import list_terms

TARGET = ("--target", "progression", "--task", "regression")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X.assign(progression=y).to_csv("sugar.csv", index=False)
    return X, y


def model(depth=4):
    return DecisionTreeRegressor(max_depth=depth, random_state=0)


def test_the_tree_is_scikit_learns(table):
    X, y = table
    fine("fit", "sugar.csv", *TARGET, "--max-depth", "5", "-o", "tree.json")
    tree = ol.Tree.from_json(Path("tree.json").read_text())
    assert tree.task == "regression"
    assert tree.predict(X).tolist() == model(5).fit(X, y).predict(X).tolist()


def expected(of, truth, answers):
    mean, rms = np.full(len(truth), np.mean(truth)), root_mean_squared_error
    return {
        "of": of, "rows": len(truth), "without_number": 0, "not_determined": 0,
        "mean_absolute_error": pytest.approx(mean_absolute_error(truth, answers), rel=1e-12),
        "root_mean_squared_error": pytest.approx(rms(truth, answers), rel=1e-12),
        "mean": {
            "number": pytest.approx(np.mean(truth), rel=1e-12),
            "mean_absolute_error": pytest.approx(mean_absolute_error(truth, mean), rel=1e-12),
            "root_mean_squared_error": pytest.approx(rms(truth, mean), rel=1e-12),
        },
    }  # fmt: skip


def test_it_is_judged_as_scikit_learn_judges(table):
    X, y = table
    args = ("fit", "sugar.csv", *TARGET, "--format", "json")
    said = json.loads(fine(*args, "--folds", 0))["quality"]
    assert said == [expected("training rows", y, model().fit(X, y).predict(X))]
    said = json.loads(fine(*args, "--test", "0.25", "--seed", "5"))["quality"]
    learn, rest = map(sorted, train_test_split(range(len(y)), test_size=0.25, random_state=5))
    answers = model().fit(X.iloc[learn], y.iloc[learn]).predict(X.iloc[rest])
    assert said[1] == expected("test rows", y.iloc[rest], answers)


def test_folds_are_judged_together(table):
    X, y = table
    args = ("fit", "sugar.csv", *TARGET, "--format", "json", "--folds", "4")
    found = json.loads(fine(*args))["quality"][1]
    errors, truth, answers = [], [], []
    for learn, rest in KFold(4, shuffle=True, random_state=0).split(X):
        said = model().fit(X.iloc[learn], y.iloc[learn]).predict(X.iloc[rest])
        errors.append(mean_absolute_error(y.iloc[rest], said))
        truth += y.iloc[rest].tolist()
        answers += said.tolist()
    assert found.pop("mean_absolute_errors") == pytest.approx(errors, rel=1e-12)
    assert found == expected("rows of 4 folds", truth, answers)


def test_words_about_numbers(table):
    said = run("fit", "sugar.csv", *TARGET, "--max-depth", "1", "--folds", "3")
    assert said.exit_code == 0
    assert said.stderr == (
        "Data: sugar.csv: 442 rows, 10 features (10 numeric); progression: 25 to 346\n"
        "Model: not saved: --output FILE keeps it\n"
    )
    text = said.stdout.partition("\n\n")[2]
    assert text.startswith("2 rules, proven minimal, for 2 numbers from 110 to ")
    assert (
        "The tree was fitted on these rows (sugar.csv): on new rows it is usually further" in text
    )
    assert "right" not in text.split()
    words = " ".join(text[text.index("How well") :].split())
    assert words.startswith("How well it predicts Training rows: off by ")
    assert "on average over 442 rows (root mean square" in words
    assert "; always saying their mean, 152.1, would be off by 65.76 (77.01)." in words
    assert " By fold " in words
    assert "mean: of the true numbers of those; error: how far they are" in " ".join(text.split())
    shown = fine("fit", "sugar.csv", *TARGET, "--max-depth", "1", "-f", "md")
    assert "**How well it predicts**\n\nTraining rows: off by " in shown


def test_a_model_file_is_judged_on_numbers_of_dirty_tables(table, tmp_path):
    fine("fit", "sugar.csv", *TARGET, "--max-depth", "2", "-o", "tree.json")
    rows = "bmi;s5;y\n25,5;4,1;100,5\n25,5;;100\n;5,0;n.d.\n30,1;5,25;230\n"
    (tmp_path / "new.csv").write_text(rows)
    args = ("explain", "tree.json", "--data", "new.csv", "--target", "y", "--delimiter", ";")
    dirty = (*args, "--decimal", ",", "--na", "n.d.")
    tree = ol.Tree.from_json((tmp_path / "tree.json").read_text())
    told = tree.predict([{"bmi": 25.5, "s5": 4.1}, {"bmi": 30.1, "s5": 5.25}]).tolist()
    (found,) = json.loads(fine(*dirty, "-f", "json"))["quality"]
    off = [abs(told[0] - 100.5), abs(told[1] - 230)]
    assert found["mean_absolute_error"] == pytest.approx(sum(off) / 2)
    assert (found["rows"], found["not_determined"], found["without_number"]) == (2, 1, 1)
    rows = [{"bmi": 25.5, "s5": 4.1}] * 2
    listed = list_terms(ol.canonicalize(tree), rows, [100.5, None])
    (line,) = [one for block in listed.blocks for one in block.lines if one.rows]
    assert (line.rows, line.mean) == (2, 100.5)  # the second row has no number
    assert line.error == pytest.approx(abs(told[0] - 100.5))
    said = fine(*dirty)
    assert (
        "1 more is not determined, and left out. 1 more without a number is left out."
        in " ".join(said.split())
    )
    said = mistake(*args, "--decimal", ",")
    assert "the target 'y' of new.csv has 'n.d.' in row 3, and the tree says numbers" in said
    said = fine(*dirty, "--cut", "150", "--decisions", "low,high", "-f", "json")
    (found,) = json.loads(said)["quality"]
    assert (found["rows"], found["right"], found["without_class"]) == (3, 2, 1)


def test_text_columns_and_gaps_are_learned_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    ward = draw.choice(["east", "west", "north"], 60)
    age = draw.integers(20, 90, 60).astype(float)
    days = np.where(ward == "east", 10, 3) + (age > 50) * 2.5
    frame = pd.DataFrame({"ward": ward, "age": age, "days": days})
    frame.loc[5, "age"] = None
    frame.loc[6, "days"] = None
    frame.to_csv("stays.csv", index=False)
    args = ("fit", "stays.csv", "--target", "days", "--task", "regression")
    result = run(*args, "--max-depth", "2")
    assert "Data: left out 1 row without 'days'" in result.stderr
    said = result.stdout
    assert re.search(r"IF age > [\d.]+ AND ward = east +THEN 12.5 ", said)
    fine(*args, "--missing-values", "value", "--max-depth", "2")
    said = json.loads(fine(*args, "--test", "0.5", "-f", "json"))
    assert said["quality"][1]["of"] == "test rows"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["a", "b", "c"], "holds categorical values, such as 'a', and --task regression needs"),
        (["True", "False", "True"], "holds boolean values"),
        (["1.5", "inf", "2"], "has the number inf, and a regression tree needs finite ones"),
        (["1.5", "1.5", "1.50"], "has only one value, 1.5: there is nothing to predict"),
        (["1,5", "2", "3"], "add --decimal ,"),
        (["", "", ""], "no row of t.csv has a class: the column 'y' is empty"),
    ],
)
def test_targets_that_are_no_numbers(tmp_path, monkeypatch, cells, said):
    monkeypatch.chdir(tmp_path)
    lines = [f'{i}.5,"{cell}"' for i, cell in enumerate(cells * 2)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines, ""]))
    args = ("fit", "t.csv", "--target", "y", "--task", "regression")
    assert said in mistake(*args)


def test_numbers_are_recognized_and_reported(table, tmp_path):
    rows = ("--data", "sugar.csv", "--target", "progression")
    fine("fit", "sugar.csv", *TARGET, "--max-depth", "2", "-o", "tree.json")
    guessed = run("fit", "sugar.csv", *TARGET[:2], "--max-depth", "2", "-o", "same.json")
    assert "'progression' has 214 different numbers, so numbers are predicted" in guessed.stderr
    assert Path("same.json").read_text() == Path("tree.json").read_text()
    said = mistake("report", "tree.json", *rows, "--risk-of", "3")
    assert "--risk-of is for classes, and tree.json has numbers" in said
    fine("report", "tree.json", *rows, "--cut", "150", "-o", "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "at most 150" in page


def test_describe_says_what_would_be_fitted(table, tmp_path):
    said = fine("data", "sugar.csv", *TARGET)
    assert said.startswith("sugar.csv: 442 rows, 10 features (10 numeric); progression: 25 to 346.")
    assert "cannot be fitted" not in said
    found = json.loads(fine("data", "sugar.csv", *TARGET, "-f", "json"))
    assert (found["classes"], found["problems"]) == ([], [])
    patients(tmp_path)
    args = ("data", "patients.csv", "--target", "diagnosis", "--task", "regression")
    assert "holds categorical values, such as 'ill'" in fine(*args)


def test_pages_and_code_take_numbers(table, tmp_path):
    fine("fit", "sugar.csv", *TARGET, "--max-depth", "2", "-o", "tree.json")
    for kind in ("dot", "python", "sql", "javascript", "text", "html", "latex", "md"):
        assert fine("export", "tree.json", "--format", kind)
    fine("report", "--as", "page", "tree.json", "-o", "page.html")
    namespace = {}
    exec(fine("export", "tree.json", "--format", "python"), namespace)
    X, _ = table
    tree = ol.Tree.from_json((tmp_path / "tree.json").read_text())
    for row, number in zip(X.head(20).to_dict("records"), tree.predict(X.head(20)), strict=True):
        assert namespace["decide"](row) == number
    assert namespace["decide"]({"bmi": math.nan}) is None
