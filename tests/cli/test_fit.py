"""``orderless fit``: models of every kind are fitted, judged, saved, and read by every command."""

import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, records, run
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import orderless as ol


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A dirty table: gaps, text, an identifier, odd names, and notes that differ in most rows."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    rows = []
    for i in range(240):
        age, ward = draw.randrange(20, 90), draw.choice(["east", "west", "nörd, upper"])
        label = "ill" if age > 60 or ward == "west" else "well"
        note = f"said {draw.randrange(220)}"
        rows.append((f"P{i}", age, ward, note, draw.choice(["yes", "no"]), label))
    names = ["patient_id", "age (years)", "ward=1", "note", "<b>smokes</b>", "diagnosis"]
    frame = pd.DataFrame(rows, columns=names).astype(object)
    holes = np.random.default_rng(0).random((240, 5)) < 0.08
    frame.iloc[:, :5] = frame.iloc[:, :5].mask(holes)
    frame.to_csv("table.csv", index=False)
    frame.drop(columns="diagnosis").to_csv("new.csv", index=False)
    return tmp_path


def test_four_commands_with_a_file_and_a_target(folder):
    """A dirty table becomes rules, a report and predictions without any other option."""
    target = ("--target", "diagnosis")
    result = run("fit", "table.csv", *target, "-o", "model.json")
    assert result.exit_code == 0, result.stderr
    assert "left out the column 'note': it has" in result.stderr
    assert "left out the column 'patient_id'" in result.stderr
    assert "rows have gaps (" in result.stderr
    assert "Model: saved in model.json" in result.stderr
    assert "rows of 5 folds" in result.stdout.lower()
    assert "THEN ill" in fine("explain", "model.json")
    data = ("--data", "table.csv", *target)
    report = run("report", "model.json", *data, "-o", "report.html")
    assert report.exit_code == 0, report.stderr
    assert "left out" in report.stderr
    assert "<b>smokes" not in Path("report.html").read_text("utf-8")
    answers = records(fine("predict", "model.json", "new.csv"))
    labels = pd.read_csv("table.csv")["diagnosis"].tolist()
    certain = [(one["prediction"], label) for one, label in zip(answers, labels, strict=True)
               if one["determined"] == "yes"]  # fmt: skip
    assert 150 < len(certain) < 240
    assert sum(a == b for a, b in certain) / len(certain) > 0.95
    assert all(one["needed"] for one in answers if one["determined"] == "no")


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_forest_is_scikit_learns(wisconsin, task):
    X, y = wisconsin
    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    forest = kind(100, max_depth=2, min_samples_leaf=3, random_state=7).fit(X, y)
    args = ("--forest", "--max-depth", 2, "--min-leaf", 3, "--seed", 7, "--task", task)
    said = run("fit", "wisconsin", *args, "--folds", 0, "-o", "forest.json")
    assert said.stdout.startswith("A sum of 100 trees with ")
    model = ol.read("forest.json")
    answers = np.asarray(model.predict(X), dtype=float)
    assert np.allclose(answers, forest.predict(X), rtol=1e-12)
    assert "has no short list" in mistake("explain", "forest.json")
    assert "no rules" in mistake("fit", "wisconsin", *args, "-f", "csv")


def test_the_optimal_tree_is_the_best_of_all(wisconsin):
    X, y = wisconsin
    fine("fit", "wisconsin", "--optimal", "--max-depth", 2, "--folds", 0, "-o", "best.json")
    tree = ol.read("best.json")
    trees = ol.RashomonSet(2, 0.01, 0.0).fit(X, y).trees_
    loss = np.mean(np.asarray(tree.predict(X)) != y) + 0.01 * tree.n_leaves
    assert loss == pytest.approx(float(trees.objective))
    greedy = run("fit", "wisconsin", "--max-depth", 2, "--folds", 0, "-o", "greedy.json")
    assert greedy.exit_code == 0
    other = ol.read("greedy.json")
    assert loss <= np.mean(np.asarray(other.predict(X)) != y) + 0.01 * other.n_leaves
    result = json.loads(fine("fit", "wisconsin", "--optimal", "--folds", 2, "-f", "json"))
    assert [one["of"] for one in result["quality"]] == ["training rows", "rows of 2 folds"]


def test_options_that_contradict_each_other():
    fit = ("fit", "table.csv", "--target", "diagnosis")
    for more, said in (
        (("--forest", "--optimal"), "give one of --forest and --optimal"),
        (("--optimal", "--min-leaf", 2), "--min-leaf is for trees that are grown greedily"),
        (("--optimal", "--missing-values", "value"), "not for --optimal"),
        (("--folds", 1), "--folds must be 2 or more, or 0"),
        (("--allow-pickle",), "--allow-pickle is for the file of --model"),
        (("--forest", "--at", "ill=0.2"), "holds a sum of 100 trees"),
    ):
        assert said in mistake(*fit, *more), more
    assert "Missing argument 'TABLE'" in mistake("fit")
    assert "Add --target COLUMN" in mistake("fit", "table.csv")


def test_a_model_that_is_there_is_saved_with_its_decision(folder):
    fine("fit", "table.csv", "--target", "diagnosis", "-o", "model.json")
    args = ("fit", "table.csv", "--target", "diagnosis", "--model", "model.json")
    said = run(*args, "--at", "ill=0.2", "--decisions", "wait,look", "-o", "decided.json")
    assert "Decision: look where the share of ill" in said.stderr
    assert "How well it predicts\nRows of table.csv: " in said.stdout
    decided = ol.read("decided.json")
    assert decided.classes == ("wait", "look")
    assert decided == ol.read("model.json").decide_at("ill", 0.2).replace(classes=("wait", "look"))
    data = ("--data", "table.csv", "--target", "diagnosis")
    assert "has 'ill', 'well', none of which the model predicts" in mistake(
        "explain", "decided.json", *data
    )


def test_a_model_goes_through_a_pipe(folder):
    model = fine("fit", "table.csv", "--target", "diagnosis", "-o", "-")
    assert ol.Tree.from_json(model).classes == ("ill", "well")
    rules = fine("explain", "-", stdin=model.encode())
    Path("model.json").write_text(model, "utf-8")
    assert rules == fine("explain", "model.json")
    assert fine("predict", "-", "new.csv", stdin=model.encode()) == fine(
        "predict", "model.json", "new.csv"
    )
    assert "standard input is empty" in mistake("explain", "-", stdin=b"")


def test_few_rows_are_not_judged_by_folds():
    Path("few.csv").write_text("a,y\n1,x\n2,z\n")
    result = run("fit", "few.csv", "--target", "y")
    assert result.exit_code == 0
    assert "Training rows: 2 of 2 are right" in result.stdout
    assert "folds" not in result.stdout


def test_rows_without_a_class_are_not_wrong(folder):
    """The share beside a rule is that of its rows with a class, as pandas counts them."""
    (folder / "open.csv").write_text("a,y\n1,n\n2,n\n3,j\n4,j\n5,\n6,\n7,\n5,n\n")
    fine("fit", "open.csv", "--target", "y", "--max-depth", 1, "--use", "a", "-q", "-o", "m.json")
    listed = fine("explain", "m.json", "--data", "open.csv", "--target", "y")
    assert "3 have no class: the share is of the others." in " ".join(listed.split())
    frame = pd.read_csv("open.csv").dropna()
    content = json.loads(
        fine("explain", "m.json", "--data", "open.csv", "--target", "y", "-f", "json")
    )
    for rule in content["rules"]:
        covered = frame[frame.a > 2.5] if ">" in rule["text"] else frame[frame.a <= 2.5]
        assert rule["labelled"] == len(covered)
        assert rule["right"] == (covered.y == rule["class"]).sum()
        share = round(100 * rule["right"] / rule["labelled"])
        (line,) = [line for line in listed.splitlines() if line.startswith(f"IF {rule['text']}")]
        assert line.endswith(f"{share}%")


def test_held_out_rows_say_how_they_are_written(folder):
    """They are read as they are written, and another notation is refused, not rescaled."""
    cells = [(f"0,{i}75", "a" if i < 5 else "b") for i in range(1, 10)] * 4
    (folder / "de.csv").write_text("v;y\n" + "".join(f"{v};{y}\n" for v, y in cells))
    notation = ("--decimal", ",", "--thousands", ".")
    result = run(
        "fit", "de.csv", "--target", "y", "--delimiter", ";", *notation, "--max-depth", 1,
        "--test", "0.25", "--test-rows", "held.csv", "-o", "m.json",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "read it without --delimiter, --decimal, --thousands\n" in result.stderr
    data = ("--data", "held.csv", "--target", "y")
    assert "9 of 9 are right" in fine("explain", "m.json", *data)
    error = mistake("explain", "m.json", *data, *notation)
    assert "'0." in error


@pytest.mark.parametrize(("ending", "how"), [("html", "report"), ("html", "card"), ("md", "card")])
def test_pages_say_which_rows_were_left_out(folder, ending, how):
    (folder / "gaps.csv").write_text("a,b,y\n1,1,n\n2,,n\n3,1,j\n4,2,j\n,1,j\n6,1,\n")
    fine("fit", "gaps.csv", "--target", "y", "--max-depth", 1, "--use", "a", "-q", "-o", "m.json")
    card = ("--intended-use", "to be tried") if how == "card" else ()
    fine("report", "m.json", "--as", how, *card, "--data", "gaps.csv", "--target", "y",
         "-o", f"out.{ending}")  # fmt: skip
    text = (folder / f"out.{ending}").read_text(encoding="utf-8")
    assert (
        "4 of 6 rows; left out 2 with gaps in what the tree asks about, or without a class" in text
    )
