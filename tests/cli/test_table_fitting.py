"""Fitting from the command line: gaps, held-out rows, and categories that were not there."""

import json
import random

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, records, run
from sklearn.metrics import confusion_matrix, recall_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

FIT = ("--target", "diagnosis", "--max-depth", 3)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table without gaps, one with gaps, and one with text."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    rows = []
    for _ in range(150):
        age, bmi = draw.randrange(20, 90), draw.randrange(18, 40)
        label = "ill" if age > 60 else "frail" if bmi < 24 else "well"
        rows.append((age, bmi, draw.random() < 0.4, draw.choice("ab"), label))
        if draw.random() < 0.2:
            rows[-1] = (*rows[-1][:4], draw.choice(["ill", "well", "frail"]))
    names = ["age", "bmi", "smoker", "ward", "diagnosis"]
    frame = pd.DataFrame(rows, columns=names)
    frame[["age", "bmi", "diagnosis"]].to_csv("whole.csv", index=False)
    frame.to_csv("text.csv", index=False)
    holes = np.random.default_rng(3).random((150, 4)) < 0.1
    gaps = frame.astype(object)
    gaps.iloc[:, :4] = gaps.iloc[:, :4].mask(holes)
    gaps.to_csv("gaps.csv", index=False)
    return tmp_path


def quality(*args):
    """What JSON says of every set of rows, by name."""
    result = run("fit", *args, "-f", "json")
    assert result.exit_code == 0, result.stderr
    return {one["of"]: one for one in json.loads(result.stdout)["quality"]}


def expected(y, said, labels):
    return {
        "counts": confusion_matrix(y, said, labels=labels).tolist(),
        "sensitivity": recall_score(y, said, labels=labels, average=None).tolist(),
    }


def said_of(one):
    return {
        "counts": one["confusion"]["counts"],
        "sensitivity": [line["sensitivity"] for line in one["by_class"]],
    }


@pytest.mark.parametrize("seed", [0, 7])
def test_a_test_set_as_scikit_learn_splits_and_counts(folder, seed):
    frame = pd.read_csv("whole.csv")
    X, y = frame[["age", "bmi"]], frame["diagnosis"]
    learn, rest = train_test_split(np.arange(150), test_size=0.3, random_state=seed, stratify=y)
    learn, rest = np.sort(learn), np.sort(rest)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X.iloc[learn], y[learn])
    found = quality("whole.csv", *FIT, "--test", 0.3, "--seed", seed)
    assert list(found) == ["training rows", "test rows"]
    labels = ["frail", "ill", "well"]
    for name, rows in (("training rows", learn), ("test rows", rest)):
        assert found[name]["confusion"]["classes"] == labels
        assert said_of(found[name]) == expected(y[rows], model.predict(X.iloc[rows]), labels)
    share = (y[rest] == found["test rows"]["majority"]["class"]).mean()
    assert found["test rows"]["majority"]["share"] == share
    again = quality("whole.csv", *FIT, "--test", 0.3, "--seed", seed)
    assert again == found


def test_folds_as_scikit_learn_splits_and_counts(folder):
    frame = pd.read_csv("whole.csv")
    X, y = frame[["age", "bmi"]], frame["diagnosis"]
    said, right = np.empty(150, dtype=object), []
    for learn, rest in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X.iloc[learn], y[learn])
        said[rest] = model.predict(X.iloc[rest])
        right.append(float((said[rest] == y[rest]).mean()))
    found = quality("whole.csv", *FIT, "--folds", 5)
    assert list(found) == ["training rows", "rows of 5 folds"]
    labels = ["frail", "ill", "well"]
    assert said_of(found["rows of 5 folds"]) == expected(y, said, labels)
    assert found["rows of 5 folds"]["accuracies"] == right
    assert found["training rows"]["rows"] == 150  # the tree itself is fitted on all of them


def test_gaps_of_held_out_rows_are_judged_as_gaps(folder):
    """Rows to fit on are complete; those to judge on stay as they are, and some are open."""
    result = run("fit", "gaps.csv", *FIT, "--missing-values", "drop", "--test", 0.3)
    held = "left out where a tree is fitted, judged with their gaps where held out"
    assert held in result.stderr
    found = quality("gaps.csv", *FIT, "--missing-values", "drop", "--test", 0.3)
    held = found["test rows"]
    assert held["rows"] == 45
    assert held["not_determined"] == sum(held["confusion"]["not_determined"]) > 0
    assert held["right"] + held["not_determined"] <= 45
    assert found["training rows"]["not_determined"] == 0
    assert found["training rows"]["rows"] < 105


def test_a_gap_as_a_value_is_what_scikit_learn_does(folder):
    """The tree decides on every row of the table, as the fitted model does."""
    args = ("gaps.csv", *FIT, "--missing-values", "value")
    fine("fit", *args, "-o", "model.json")
    tree = ol.read((folder / "model.json").read_text())
    assert {f.name for f in tree.space.features if f.nan} == {"age", "bmi", "smoker", "ward"}
    said = records(fine("predict", "model.json", "gaps.csv", "--no-needed"))
    assert {row["determined"] for row in said} == {"yes"}
    frame = pd.read_csv("gaps.csv")
    X = pd.DataFrame({"age": frame["age"], "bmi": frame["bmi"]})
    for column, value in (("smoker", True), ("ward", "a"), ("ward", "b")):
        X[f"{column}={value}"] = (frame[column] == value).astype(float)
        X[f"no {column}"] = frame[column].isna().astype(float)
    X["smoker=False"] = (frame["smoker"] == False).astype(float)  # noqa: E712
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, frame["diagnosis"])
    right = [row["prediction"] == row["diagnosis"] for row in said]
    assert sum(right) == (model.predict(X) == frame["diagnosis"]).sum()
    found = quality(*args)["training rows"]
    assert found["right"] == sum(right)
    assert found["not_determined"] == 0


def test_a_value_that_never_lacked_stays_unknown(folder):
    """A gap is a value only in columns that had gaps."""
    (folder / "some.csv").write_text("a,b,diagnosis\n1,,ill\n2,1,well\n3,,ill\n4,1,well\n")
    fine("fit", "some.csv", *FIT, "--missing-values", "value", "-o", "model.json")
    tree = ol.read((folder / "model.json").read_text())
    assert [(f.name, f.nan) for f in tree.space.features] == [("a", False), ("b", True)]


def test_truths_with_gaps_are_read_back(folder):
    text = "smoker,diagnosis\n" + "True,ill\nFalse,well\n,lost\n" * 3
    (folder / "truths.csv").write_text(text)
    fine("fit", "truths.csv", *FIT, "--missing-values", "value", "-o", "model.json")
    (folder / "new.csv").write_text("smoker\ntrue\nno\n\nTRUE\n0\n")
    said = records(fine("predict", "model.json", "new.csv"))
    assert [row["prediction"] for row in said] == ["ill", "well", "lost", "ill", "well"]


def test_rows_without_a_class_are_never_learned_from(folder):
    text = (folder / "whole.csv").read_text() + "50,20,\n"
    (folder / "open.csv").write_text(text)
    result = run("fit", "open.csv", *FIT, "--missing-values", "value", "-f", "json")
    assert "Data: left out 1 row without 'diagnosis'\n" in result.stderr
    assert json.loads(result.stdout)["data"]["number"] == 150


def test_other_is_a_value_of_its_own(folder):
    fine("fit", "text.csv", *FIT, "--other", "-o", "other.json")
    fine("fit", "text.csv", *FIT, "-o", "plain.json")
    other, plain = (ol.read((folder / f"{n}.json").read_text()) for n in ("other", "plain"))
    assert other.space["ward"].other
    assert not other.space["smoker"].other
    assert not plain.space["ward"].other
    rows = "north,ill\nsouth,well\neast,well\n" * 3
    (folder / "wards.csv").write_text(f"ward,diagnosis\n{rows}")
    (folder / "new.csv").write_text("ward\nnorth\nwest\n")
    args = ("predict", "model.json", "new.csv", "--no-needed")
    fine("fit", "wards.csv", *FIT, "--other", "-o", "model.json")
    said = records(fine(*args))
    assert [row["prediction"] for row in said] == ["ill", "well"]  # west is not north
    fine("fit", "wards.csv", *FIT, "-o", "model.json")
    result = run(*args)
    assert [row["prediction"] for row in records(result.stdout)] == ["ill", ""]
    assert "does not know 'west'" in result.stderr


def test_a_category_that_only_held_out_rows_have(folder):
    """It is unknown to the tree, so that the row is open; with --other it is a value."""
    lines = [f"w{i},{'ill' if i % 2 else 'well'}" for i in range(40)]
    (folder / "wards.csv").write_text("ward,diagnosis\n" + "\n".join(lines) + "\n")
    args = ("wards.csv", "--target", "diagnosis", "--max-depth", 40, "--test", 0.25,
            "--use", "ward")  # fmt: skip
    assert quality(*args)["test rows"]["not_determined"] == 10
    assert "10 have a category that the tree was not" in fine("fit", *args)
    assert quality(*args, "--other")["test rows"]["not_determined"] == 0


def test_the_rows_of_a_test_are_there_for_a_report(folder):
    """The rows that are held out, written as a table, are judged alike by every command."""
    args = ("whole.csv", "--target", "diagnosis", "--max-depth", 2, "--test", 0.3)
    fine("fit", *args, "--test-rows", "rest.csv", "-o", "model.json")
    rows = ("--data", "rest.csv", "--target", "diagnosis")
    one = quality(*args)["test rows"]
    (other,) = json.loads(fine("explain", "model.json", *rows, "-f", "json"))["quality"]
    assert {**other, "of": "test rows"} == one
    report = fine("report", "model.json", *rows)
    assert f"{one['right']} of {one['rows']} are right" in report
    assert "--test-rows writes the rows of --test" in mistake(
        "fit", "whole.csv", *FIT, "--test-rows", "rest.csv"
    )


def test_what_is_refused(folder):
    assert "one of --test and --folds" in mistake(
        "fit", "whole.csv", *FIT, "--test", 0.3, "--folds", 3
    )
    assert "above 0 and below 1, got 1" in mistake("fit", "whole.csv", *FIT,
                                                   "--test", 1)  # fmt: skip
    fine("fit", "whole.csv", *FIT, "-o", "model.json")
    again = ("fit", "whole.csv", "--target", "diagnosis", "--model", "model.json")
    for option in (("--test", 0.3), ("--folds", 3), ("--seed", 1), ("--other",), ("--forest",)):
        assert f"{option[0]} is for fitting a model" in mistake(*again, *option)
    (folder / "tiny.csv").write_text("a,diagnosis\n1,x\n2,y\n3,y\n")
    tiny = ("fit", "tiny.csv", "--target", "diagnosis")
    assert "--test 0.5 cannot split tiny.csv" in mistake(*tiny, "--test", 0.5)
    assert "--folds 5 cannot split tiny.csv" in mistake(*tiny, "--folds", 5)
    assert "must be drop, got value" in mistake(
        "rashomon", "--data", "gaps.csv", "--target", "diagnosis", "--missing-values", "value"
    )
    assert "leave out one of the two" in mistake(
        "fit", "gaps.csv", *FIT, "--missing-values", "value", "--infer-kinds"
    )
