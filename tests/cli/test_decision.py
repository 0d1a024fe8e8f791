"""``--at``, ``--cut`` and ``--decisions``: what every command decides by, and what it refuses."""

import csv
import json
import math

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, patients, records, run
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.api import wrap
from orderless.cli.decision import Decision, decision_of, label_of

skops_io = pytest.importorskip("skops.io", reason="skops comes with the extra orderless[skops]")


def tumours():
    X, y = ol.datasets.load("wisconsin")
    return X, y.map({0: "benign", 1: "malignant"})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A classifier and a regressor, each as skops and as JSON, with their tables."""
    monkeypatch.chdir(tmp_path)
    X, y = tumours()
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
    skops_io.dump(model, "tumour.skops")
    (tmp_path / "tumour.json").write_text(ol.read(model).to_json())
    X.assign(diagnosis=y).to_csv("tumour.csv", index=False)
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    skops_io.dump(model, "sugar.skops")
    (tmp_path / "sugar.json").write_text(ol.read(model).to_json())
    X.assign(progression=y).to_csv("sugar.csv", index=False)
    return tmp_path


def loaded(name):
    return skops_io.load(name, trusted=skops_io.get_untrusted_types(file=name))


# -- what is decided -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["tumour.skops", "tumour.json"])
@pytest.mark.parametrize("risk", [0.0, 0.05, 0.2, 0.5, 1.0])
def test_at_decides_as_predict_proba_does(folder, model, risk):
    table = pd.read_csv("tumour.csv").drop(columns="diagnosis")
    said = records(fine("predict", model, "tumour.csv", "--at", f"malignant={risk}"))
    share = loaded("tumour.skops").predict_proba(table)[:, 1]
    assert [row["prediction"] for row in said] == [str(bool(one >= risk)) for one in share]
    assert {row["determined"] for row in said} == {"yes"}


@pytest.mark.parametrize("model", ["sugar.skops", "sugar.json"])
def test_cut_decides_as_numpy_does(folder, model):
    table = pd.read_csv("sugar.csv").drop(columns="progression")
    numbers = loaded("sugar.skops").predict(table)
    levels = [100.0, float(np.unique(numbers)[3])]  # one between two numbers, one of them
    cut = ",".join(map(repr, levels))
    said = records(fine("predict", model, "sugar.csv", "--cut", cut, "--decisions", "a,b,c"))
    expected = np.array(["a", "b", "c"])[np.searchsorted(levels, numbers)]
    assert [row["prediction"] for row in said] == expected.tolist()
    assert set(expected) == {"a", "b", "c"}


def test_every_command_decides_by_it(folder):
    at = ("--at", "malignant=0.2", "--decisions", "wait,biopsy")
    tree = ol.read(loaded("tumour.skops")).decide_at("malignant", 0.2)
    tree = tree.replace(classes=("wait", "biopsy"))
    told = json.loads(fine("explain", "tumour.json", *at, "--format", "json"))
    assert told["fingerprint"] == tree.fingerprint
    assert told["classes"] == ["wait", "biopsy"]
    assert told["decision"].startswith("biopsy where the share of malignant among")
    assert ol.Tree.from_json(fine("export", "tumour.skops", *at)) == tree
    assert "'biopsy'" in fine("export", "tumour.skops", *at, "--format", "sql")
    fine("report", "--as", "page", "tumour.json", *at, "--output", "page.html")
    assert "biopsy" in (folder / "page.html").read_text("utf-8")
    rows = ("--data", "tumour.csv", "--target", "diagnosis")
    fine("report", "tumour.json", *at, *rows, "--output", "report.html")
    page = (folder / "report.html").read_text("utf-8")
    assert "biopsy where the share of malignant among the training rows" in page
    fine("report", "tumour.json", *rows, "--risk-of", "malignant", "--output", "report.html")
    said = mistake("report", "tumour.json", *rows, *at, "--risk-of", "benign")
    assert "--risk-of: tumour.json has no class 'benign'; its classes are 'wait', 'biopsy'" in said
    said = json.loads(fine("importance", "tumour.json", *at, *rows, "--format", "json"))
    truth = ["biopsy" if one == "malignant" else "wait" for one in tumours()[1]]
    lost = ol.permutation_importance(tree, tumours()[0], truth)
    assert {one["feature"]: one["permutation"] for one in said["features"]} == {
        name: lost[name] for name in tree.features
    }


def test_acquire_asks_for_the_decision_only(folder):
    rows = ("--data", "sugar.csv", "--row", "bmi=20", "--row", "s5=4")
    number = run("acquire", "sugar.json", *rows)
    assert number.exit_code == 3  # s3 is asked for, and nobody answers
    decided = run("acquire", "sugar.json", *rows, "--cut", "120", "--format", "json")
    assert decided.exit_code == 0
    decided = json.loads(decided.stdout)
    assert decided["decision"] == "at most 120"
    assert decided["asked"] == []


def test_acquire_stops_where_the_numbers_are_near_enough(folder):
    rows = ("acquire", "sugar.json", "--data", "sugar.csv", "--format", "json")
    tree = ol.Tree.from_json((folder / "sugar.json").read_text())
    known = {}
    for width in (0, 30, 60, 120, 200):
        talk = run(*rows, "--tolerance", width, stdin=b"22\n4\n30\n40\n")
        assert talk.exit_code == 0, talk.stderr
        told = json.loads(talk.stdout)
        (low,), (high,), _ = tree.predict_interval([told["known"]])
        assert told["interval"] == [low, high]
        assert high - low <= width
        assert told["decision"] == (low + high) / 2
        known[width] = len(told["asked"])
    assert known[0] > known[60] > known[200] == 0
    shown = run("acquire", "sugar.json", "--data", "sugar.csv", "--tolerance", 60, stdin=b"30\n")
    assert shown.exit_code == 3
    assert "  bmi < 24.35 (37%): between 83.369 and 137.69\n" in shown.stderr
    assert "The answers ended before the decision: between 154.667 and 274, and" in shown.stderr
    assert "--tolerance is for numbers, and --cut decides" in mistake(
        *rows, "--tolerance", "60", "--cut", "150")  # fmt: skip
    said = mistake("acquire", "tumour.json", "--data", "tumour.csv", "--tolerance", "3")
    assert (
        "--tolerance is for numbers, and tumour.json decides between 'benign', 'malignant'" in said
    )


def test_compare_compares_decisions(folder):
    tree = ol.Tree.from_json((folder / "sugar.json").read_text())
    other = tree.replace(classes=[number + 1 for number in tree.classes])
    (folder / "other.json").write_text(other.to_json())
    said = json.loads(fine("compare", "sugar.json", "other.json", "--format", "json"))
    assert [one["group"] for one in said] == [1, 2]
    args = ("compare", "sugar.json", "other.json", "--format", "json", "--cut", "120,200")
    assert run(*args).stderr.startswith("Decision: the number is at most 120, above 120 to 200, or")
    assert [one["group"] for one in json.loads(fine(*args))] == [1, 1]


def test_labels_of_rows_are_decided_alike(folder):
    args = ("explain", "tumour.json", "--data", "tumour.csv", "--target", "diagnosis")
    said = json.loads(fine(*args, "--at", "malignant=0.2", "--format", "json"))
    X, y = tumours()
    risk = loaded("tumour.skops").predict_proba(X)[:, 1]
    (quality,) = said["quality"]
    assert quality["right"] == int(((risk >= 0.2) == (y == "malignant")).sum())
    args = ("explain", "sugar.json", "--data", "sugar.csv", "--target", "progression")
    said = json.loads(fine(*args, "--cut", "100,200", "--format", "json"))
    table = pd.read_csv("sugar.csv")
    numbers = loaded("sugar.skops").predict(table.drop(columns="progression"))
    sides = [np.searchsorted([100, 200], column) for column in (numbers, table["progression"])]
    assert said["quality"][0]["right"] == int((sides[0] == sides[1]).sum())


def test_classes_that_are_numbers_are_cut_too(tmp_path, monkeypatch):
    """Also labels that no leaf has: 9 is above 5, although the tree never says it."""
    monkeypatch.chdir(tmp_path)
    leaves = {"true": {"prediction": 3}, "false": {"prediction": 6}}
    tree = ol.read({"feature": 0, "relation": "<=", "reference": 2, **leaves})
    (tmp_path / "wine.json").write_text(tree.to_json())
    (tmp_path / "rows.csv").write_text("x0,quality\n1,3\n1,4\n5,9\n5,high\n5,5\n5,\n")
    args = ("explain", "wine.json", "--data", "rows.csv", "--target", "quality", "-f", "json")
    (found,) = json.loads(fine(*args, "--cut", "5", "--decisions", "low,high"))["quality"]
    assert found["confusion"]["classes"] == ["low", "high"]
    assert found["confusion"]["counts"] == [[2, 1], [0, 2]]
    assert found["without_class"] == 1


def test_fitted_trees_are_judged_by_the_decision(folder):
    fit = ("fit", "tumour.csv", "--target", "diagnosis", "--format", "json", "-q")
    at = ("--at", "malignant=0.1")
    (on_rows, on_test) = json.loads(fine(*fit, *at, "--test", "0.3"))["quality"]
    assert on_rows["confusion"]["classes"] == on_test["confusion"]["classes"] == [False, True]
    (_, folds) = json.loads(fine(*fit, *at, "--folds", "3"))["quality"]
    assert folds["rows"] == 569
    (_, plain) = json.loads(fine(*fit, "--folds", "3"))["quality"]
    found = [one["by_class"][1]["sensitivity"] for one in (folds, plain)]
    assert found[0] > found[1]  # a lower threshold finds more


def test_folds_whose_trees_do_not_meet_a_level_are_judged(folder):
    """The whole tree has numbers on both sides of 340; those of some folds do not."""
    fit = ("fit", "sugar.csv", "--target", "progression", "--task", "regression",
           "--max-depth", "9", "--folds", "5", "--format", "json", "-q")  # fmt: skip
    quality = json.loads(fine(*fit, "--cut", "340"))["quality"][1]
    assert quality["rows"] == 442
    assert quality["confusion"]["classes"] == ["at most 340", "above 340"]


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("tumour.json", "--at", "malignant"), "--at takes CLASS=PROBABILITY, such as --at "
         "malignant=0.2, got 'malignant'"),
        (("tumour.json", "--at", "=0.2"), "--at takes CLASS=PROBABILITY"),
        (("tumour.json", "--at", "malignant=1.5"), "must be from 0 to 1, got '1.5'"),
        (("tumour.json", "--at", "malignant=20%"), "got '20%'; for 20% write 0.2"),
        (("tumour.json", "--at", "malignant=nan"), "must be from 0 to 1, got 'nan'"),
        (("tumour.json", "--at", "malignent=0.2"), "tumour.json has no class 'malignent' (did you "
         "mean 'malignant'?); its classes are 'benign', 'malignant'"),
        (("tumour.json", "--at", "malignant=0.2", "--cut", "3"), "give one of --at and --cut"),
        (("tumour.json", "--decisions", "a,b"), "neither is given"),
        (("tumour.json", "--at", "malignant=0.2", "--decisions", "a"), "takes 2 different names"),
        (("tumour.json", "--at", "malignant=0.2", "--decisions", "a,a"), "takes 2 different names"),
        (("tumour.json", "--cut", "1"), "--cut is for numbers, and tumour.json has the classes "
         "'benign', 'malignant': decide at a probability with --at malignant=0.2"),
        (("sugar.json", "--at", "274=0.2"), "--at is for classes, and sugar.json has numbers "
         "83.36904761904762 to 274: decide at a level with --cut 179"),
        (("sugar.json", "--cut", "200,100"), "levels must rise, and 100 comes after 200"),
        (("sugar.json", "--cut", "100,100"), "levels must rise"),
        (("sugar.json", "--cut", "100;200"), "--cut takes numbers with commas between"),
        (("sugar.json", "--cut", ""), "--cut takes numbers with commas between"),
        (("sugar.json", "--cut", "inf"), "--cut takes numbers with commas between"),
        (("sugar.json", "--cut", "100", "--decisions", "low,middle,high"), "takes 2 different"),
        (("sugar.json", "--cut", "100", "--decisions", '"low,high'), "is not a list with commas"),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_is_possible(folder, args, said):
    assert said in mistake("explain", *args)


def test_a_model_without_training_rows_has_no_risks(folder):
    leaves = {"true": {"prediction": "ill"}, "false": {"prediction": "well"}}
    (folder / "hand.json").write_text(json.dumps({"feature": 0, **leaves}))
    said = mistake("explain", "hand.json", "--at", "ill=0.2")
    assert (
        "--at ill=0.2 needs the training rows of each leaf, which hand.json does not have" in said
    )
    form = fine("export", "tumour.json", "--format", "rules-json")
    (folder / "form.json").write_text(form)
    assert "form.json does not have" in mistake("explain", "form.json", "--at", "benign=0.2")


def test_near_optimal_trees_are_not_cut(folder):
    rows = ("--data", "tumour.csv", "--target", "diagnosis", "--rid", "1")
    assert "--at is about one tree" in mistake("importance", *rows, "--at", "malignant=0.2")
    assert "--cut is about one tree" in mistake("importance", *rows, "--cut", "3")


# -- reading the options ---------------------------------------------------------------------------

LABELS = ["it's", "a=b", "größe 中文 🙂", 'say "x"', "two words", "0.5", "line\nbreak", "True"]


@pytest.mark.parametrize("label", LABELS)
def test_a_class_may_be_called_anything(label):
    decision = decision_of(f"{label}=0.25", None, None)
    assert decision.at == (label, 0.25)
    assert label_of(label, ("other", label)) == label
    space = ol.Space.numeric(["x"])
    tree = ol.Tree(space, ("other", label), feature=[0, -1, -1], threshold=[1.0, 0, 0],
                   when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                   distribution=[[7, 3], [3, 1], [4, 2]]).kernel  # fmt: skip
    assert wrap(decision.of(tree, "t")).predict([[0], [2]]).tolist() == [True, True]
    above = wrap(decision_of(f"{label}=0.3", None, None).of(tree, "t"))
    assert above.predict([[0], [2]]).tolist() == [
        False, True]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "classes", "label"),
    [("1", (0, 1), 1), ("1.0", (0, 1), 1), ("1", ("1", "2"), "1"), ("true", (False, True), True),
     ("1", (False, True), None), ("0.5", (0.25, 0.5), 0.5), ("x", (0, 1), None)],
)  # fmt: skip
def test_classes_are_found_as_they_are_written(text, classes, label):
    found = label_of(text, classes)
    assert found == label
    assert type(found) is type(label)


@settings(max_examples=60, deadline=None)
@given(
    levels=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5, unique=True).map(sorted),
    names=st.lists(st.text(min_size=1).map(str.strip).filter(bool), min_size=6, max_size=6,
                   unique=True),
)  # fmt: skip
def test_levels_and_names_are_read_back(levels, names):
    names = [name for name in names if "\0" not in name][: len(levels) + 1]
    if len(names) <= len(levels) or any(c in name for name in names for c in "\r\n"):
        return
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    decision = decision_of(None, ",".join(map(repr, levels)), quoted)
    assert decision.levels == tuple(levels)
    assert list(decision.names) == names


@settings(max_examples=80, deadline=None)
@given(
    numbers=st.lists(st.integers(-4, 4).map(lambda i: i / 2), min_size=1, max_size=4),
    levels=st.lists(st.integers(-5, 5).map(lambda i: i / 2), min_size=1, max_size=3, unique=True)
    .map(sorted),
)  # fmt: skip
def test_a_part_of_the_rows_is_cut_at_the_same_levels(numbers, levels):
    """Brute force: each leaf's number, compared with each level."""
    n = len(numbers)
    classes = tuple(sorted({float(number) for number in numbers}))
    inner = n - 1  # a chain: x <= 0?, x <= 1?, ...
    tree = ol.Tree(
        ol.Space({"x": "integer"}), classes, task="regression",
        feature=[0] * inner + [-1] * n, threshold=[*map(float, range(inner)), *[0.0] * n],
        when_true=[inner + i for i in range(inner)] + [-1] * n,
        when_false=[i + 1 if i + 1 < inner else 2 * inner for i in range(inner)] + [-1] * n,
        leaf_class=[-1] * inner + [classes.index(float(number)) for number in numbers],
    ).kernel  # fmt: skip
    names = tuple(f"c{i}" for i in range(len(levels) + 1))
    decision = Decision(None, tuple(levels), names)
    whole = ol.Tree(ol.Space.numeric(["x"]), names, feature=[-1], threshold=[0.0], when_true=[-1],
                    when_false=[-1], leaf_class=[0]).kernel  # fmt: skip
    said = wrap(decision.of_part(tree, whole)).predict([[i] for i in range(n)]).tolist()
    told = wrap(tree).predict([[i] for i in range(n)]).tolist()
    assert said == [names[sum(number > level for level in levels)] for number in told]
    assert wrap(decision.of(tree, "t")).predict([[i] for i in range(n)]).tolist() == said
    labels = decision.labels(tree, [*told, None, math.nan, "odd"])
    assert labels[: len(said)] == said
    assert labels[len(said)] is None
    assert labels[-1] == "odd"


def test_the_decision_is_said_unless_quiet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(tmp_path)
    fit = ("fit", "patients.csv", "--target", "diagnosis", "--at", "ill=0.2")
    said = run(*fit).stderr.splitlines()
    assert said[-2] == (
        "Decision: True where the share of ill among the training rows of a leaf is at least 0.2, "
        "else False"
    )
    assert run(*fit, "-q").stderr == ""
    rows = list(csv.DictReader(fine(*fit, "-f", "csv").splitlines()))
    assert {row["class"] for row in rows} <= {"True", "False"}
