"""The command line writes pages: reports and pages to fill in; and reads what features cost."""

import json

import numpy as np
import pandas as pd
import pytest
import skops.io as skops
from commands import fine, mistake, on_terminal, patients, run
from showcase import hostile, mixed
from sklearn.ensemble import RandomForestClassifier

import orderless as ol
from orderless.cli.costs import read_costs
from orderless.cli.mistakes import Mistake
from orderless.cli.options import FileOptions

FIT = ("patients.csv", "--target", "diagnosis", "--ignore", "id", "--max-depth", "2")
PAGE = ("report", "--as", "page")
ROWS = ("--data", "patients.csv", "--target", "diagnosis")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(tmp_path)
    fine("fit", *FIT, "-o", "model.json")
    return tmp_path


def labelled_rows(path):
    table = pd.read_csv(path)
    return table[["age", "bmi", "smoker", "ward"]], table["diagnosis"].tolist()


# -- report --------------------------------------------------------------------------------------


def test_report_is_the_librarys(here):
    args = ("report", "model.json", *ROWS)
    assert fine(*args, "-o", "fitted.html", "--title", "Ill or well?") == ""
    fitted = (here / "fitted.html").read_text(encoding="utf-8")
    assert "<h1>Ill or well?</h1>" in fitted
    said = fine("report", "model.json", *ROWS)
    X, y = labelled_rows(here / "patients.csv")
    tree = ol.read((here / "model.json").read_text())
    about = {"tree from": "model.json", "rows from": "patients.csv"}
    words = (
        "The tree is from model.json, the rows are from patients.csv: if it was fitted on them, it "
        "is usually right less often on new rows."
    )
    own = ol.report(tree, X, y, about=about, about_rows=words).html
    # Cells are of other types in the two frames, which the hash of the data tells.
    assert without_hash(said) == without_hash(own)


def without_hash(page):
    start = page.index("rows, sha256 ")
    return page[:start] + page[start + 13 + 32 :]


def test_report_with_costs_shows_the_cheapest_way(here):
    plain = fine("report", "model.json", *ROWS)
    said = fine("report", "model.json", *ROWS, "--costs", "age=1,smoker=5")
    assert 'id="costs"' not in plain
    policy = ol.cheapest_policy(
        ol.read((here / "model.json").read_text()),
        labelled_rows(here / "patients.csv")[0],
        {"age": 1, "smoker": 5},
    )
    costs = (
        f"costs {policy.expected_cost:g} on average, and at most {policy.worst_cost:g} for one row"
    )
    assert costs in said


def test_report_needs_complete_labelled_rows(here):
    assert "judges the model on labelled rows" in mistake("report", "model.json")
    assert "add --data" in mistake("report", "model.json", "--data", "patients.csv")
    text = (here / "patients.csv").read_text().replace("61,31.5,True", ",31.5,True")
    (here / "gaps.csv").write_text(text)
    args = ("report", "model.json", "--data", "gaps.csv", "--target", "diagnosis")
    result = run(*args)
    assert "of the 7 rows" in result.stdout
    assert result.stderr == (
        "Data: gaps.csv: 7 of 8 rows; left out 1 with gaps in what the tree asks about, or without "
        "a class\n"
    )
    note = "gaps.csv: 7 of 8 rows; left out 1 with gaps in what the tree asks about"
    assert note in result.stdout  # also in "How this was made"
    (here / "empty.csv").write_text("age,smoker,diagnosis\n,,ill\n")
    (here / "odd.csv").write_text(text.replace("28,", "fat,").replace(",31.5,", "61,,"))
    few = fine("report", "model.json", "--data", "odd.csv", "--target", "diagnosis")
    assert "of the 8 rows" in few  # bmi, which the tree does not ask about, is left out
    assert "every row of empty.csv has gaps" in mistake(
        "report",
        "model.json",
        "--data",
        "empty.csv",
        "--target",
        "diagnosis",
    )


def test_nothing_half_written_is_left(here):
    before = sorted(path.name for path in here.iterdir())
    assert "no folder" in mistake("report", "model.json", *ROWS, "-o", "absent/report.html")
    assert "is a folder" in mistake(*PAGE, "model.json", "-o", here)
    assert sorted(path.name for path in here.iterdir()) == before


def test_a_terminal_is_no_place_for_a_page(monkeypatch):
    from orderless.cli import sink

    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setattr(sink.sys, "stdout", Terminal())
    with pytest.raises(Mistake, match=r"add --output FILE\.html"):
        sink.write_html("<p>", None)


def test_progress_is_for_who_watches(here):
    code, said, shown = on_terminal("report", "model.json", *ROWS, "-o", "report.html")
    assert (code, said) == (0, b"")
    assert "Writing the report" in shown


# -- app -----------------------------------------------------------------------------------------


def test_app_is_the_librarys(here):
    tree = ol.read((here / "model.json").read_text())
    assert fine(*PAGE, "model.json") == ol.write_page(tree).rstrip("\n") + "\n"
    options = ("--title", "A <b>", "--description", "B & C")
    own = ol.write_page(tree, title="A <b>", description="B & C")
    assert fine(*PAGE, "model.json", *options) == own.rstrip("\n") + "\n"
    costs = {"age": 1.0, "smoker": 5.0}
    own = ol.write_page(tree, costs=costs)
    assert fine(*PAGE, "model.json", "--costs", "age=1,smoker=5") == own.rstrip("\n") + "\n"
    X, _ = labelled_rows(here / "patients.csv")
    policy = ol.cheapest_policy(tree, X, costs)
    own = ol.write_page(tree, costs=costs, policy=policy)
    said = fine(
        "report",
        "--as",
        "page",
        "model.json",
        "--data",
        "patients.csv",
        "--costs",
        "age=1,smoker=5",
    )
    assert said == own.rstrip("\n") + "\n"
    assert fine(*PAGE, "model.json", "-o", "page.html") == ""
    assert (here / "page.html").read_text() == fine(*PAGE, "model.json")


def test_app_says_what_people_say(here):
    tree = ol.Tree.from_json((here / "model.json").read_text())
    first, second = tree.classes[:2]
    own = ol.write_page(
        tree, labels={"age": "Age"}, units={"age": "years"}, target_name="Diagnosis",
        class_names={first: "One", second: "Two"},
    )  # fmt: skip
    (here / "classes.json").write_text(json.dumps({str(first): "One", str(second): "Two"}))
    options = ["--labels", "age=Age", "--units", "age=years", "--target-name", "Diagnosis",
               "--class-names"]  # fmt: skip
    app = (*PAGE, "model.json", *options)
    assert fine(*app, here / "classes.json") == own.rstrip("\n") + "\n"
    assert fine(*app, f"{first}=One", "--class-names", f"{second}=Two") == own.rstrip("\n") + "\n"
    assert "there is no class 'x', only" in mistake(*app, "x=One")
    assert "gives" in mistake(*app, f"{first}=One", "--class-names", f"{first}=Two")
    assert "neither NAME=TEXT nor a JSON file" in mistake(*app, "One")
    (here / "classes.json").write_text("[]")
    assert "must be a JSON object {name: text}" in mistake(*app, here / "classes.json")
    (here / "classes.json").write_text("{")
    assert "classes.json is not JSON" in mistake(*app, here / "classes.json")


def test_app_of_hostile_names(tmp_path):
    (tmp_path / "model.json").write_text(hostile().tree.to_json(), encoding="utf-8")
    page = fine(*PAGE, tmp_path / "model.json", "--title", "</title><script>x()</script>")
    assert "<script>alert" not in page
    assert "<script>x()" not in page


# -- app of a forest -----------------------------------------------------------------------------


@pytest.fixture
def forest(here):
    X, y = labelled_rows(here / "patients.csv")
    model = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X[["age", "bmi"]], y)
    skops.dump(model, here / "forest.skops")
    ensemble = ol.read(model)
    (here / "forest.json").write_text(ensemble.to_json(), encoding="utf-8")
    return ensemble


def test_app_of_a_forest_is_the_librarys(here, forest):
    own = ol.write_page(forest, title="Ill?", costs={"age": 1, "bmi": 2}, time_limit=2)
    options = ("--title", "Ill?", "--costs", "age=1,bmi=2", "--time-limit", 2)
    for name in ("forest.skops", "forest.json"):
        assert fine(*PAGE, name, *options) == own


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--data", "patients.csv"), "of one tree, and forest.json holds 5"),
        (("--tolerance", "3"), "--tolerance is for the page of one tree, and forest.json holds 5"),
        (("--cut", "3"), "forest.json holds a sum of 5 trees"),
        (("--costs", "age=1"), "no cost for 'bmi'"),
    ],
)
@pytest.mark.usefixtures("forest")
def test_app_of_a_forest_refuses_what_is_for_a_tree(options, says):
    assert says in mistake(*PAGE, "forest.json", *options)


@pytest.mark.usefixtures("here")
def test_a_time_limit_is_for_a_forest():
    assert "a tree is answered at once" in mistake(*PAGE, "model.json", "--time-limit", 1)


# -- costs ---------------------------------------------------------------------------------------


def odd_tree():
    names = ["a", "b=1", "c,d", "e, f=2"]
    tree = {"prediction": 0}
    for name in names:
        tree = {"feature": name, "true": tree, "false": {"prediction": 1}}
    return ol.read(tree, space=ol.Space(dict.fromkeys([*names, "unused"], "boolean")))


def test_costs_are_read_out_of_text_and_files(tmp_path):
    tree, files = odd_tree(), FileOptions()
    costs = {"a": 1.0, "b=1": 2.5, "c,d": 0.0, "e, f=2": 1e3}
    assert read_costs("a=1,b=1=2.5,c,d=0,e, f=2=1e3", tree, files) == costs
    path = tmp_path / "costs.json"
    path.write_text(json.dumps(costs))
    assert read_costs(str(path), tree, files) == costs
    path = tmp_path / "costs.csv"
    path.write_text('feature,cost\na,1\n"b=1",2.5\n"c,d",0\n"e, f=2",1e3\nunused,7\n')
    assert read_costs(str(path), tree, files) == {**costs, "unused": 7.0}
    mixed_tree = mixed().tree
    given = "age=0, lab value=2,smoker=1, color=3"
    assert read_costs(given, mixed_tree, files) == dict(
        zip(mixed_tree.space.names, (0.0, 2.0, 1.0, 3.0), strict=True)
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("age=1", "no cost for 'smoker', which the tree asks about"),
        ("age=1,smoker=-1", "the cost of 'smoker' is '-1': give a number, 0 or more"),
        ("age=1,smoker=x", "the cost of 'smoker' is 'x'"),
        ("age=1,smoker=", "the cost of 'smoker' is ''"),
        ("age=inf,smoker=1", "the cost of 'age' is 'inf'"),
        ("age=1,age=2,smoker=1", "'age' twice"),
        ("agee=1,smoker=1", "no feature 'agee' (did you mean 'age'?)"),
        ("absent.csv", "neither a file nor name=cost"),
        ("age=1,smoker", "name=cost with commas between, got 'smoker'"),
    ],
)
def test_costs_that_are_none(here, given, says):
    assert says in mistake(*PAGE, "model.json", "--costs", given)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("c.csv", "name,price\nage,1\n", "no column 'feature'"),
        ("c.json", "[1, 2]", "JSON object"),
        ("c.json", "{", "not JSON"),
        ("c.json", '{"age": true, "smoker": 1}', "the cost of 'age' is True"),
        ("c.json", '{"age": null, "smoker": 1}', "the cost of 'age' is None"),
    ],
)
def test_cost_files_that_are_none(here, name, text, says):
    (here / name).write_text(text)
    assert says in mistake(*PAGE, "model.json", "--costs", name)


def test_what_all_others_cost(here):
    """One rule: without a cost a feature is refused, unless all others have one."""
    own = fine(*PAGE, "model.json", "--costs", "age=1,smoker=5")
    assert fine(*PAGE, "model.json", "--costs", "age=1", "--other-costs", 5) == own
    both = fine(*PAGE, "model.json", "--costs", "age=2,smoker=2")
    assert fine(*PAGE, "model.json", "--other-costs", 2) == both
    for command in (
        ("report", "--as", "page"),
        ("report", *ROWS),
        ("acquire", "--data", "patients.csv"),
    ):
        said = mistake(*command, "model.json", "--costs", "age=1")
        assert "no cost for 'smoker', which the tree asks about" in said
        assert "what all others cost with --other-costs 1" in said


def test_costs_as_numbers_of_numpy():
    tree = odd_tree()
    X = np.zeros((3, 5))
    costs = read_costs("a=1,b=1=2.5,c,d=0,e, f=2=1e3", tree, FileOptions())
    assert ol.cheapest_policy(tree, X, costs).purchases == costs


def test_a_page_within_a_width(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stays.csv").write_text(
        "age,crp,days\n61,31.5,9\n25,22.1,4\n47,128,8\n70,24,8\n33,35,6\n29,21,3\n55,127,12\n"
    )
    rows = ("--data", "stays.csv", "--target", "days")
    fine("fit", *rows[1:], "--task", "regression", "--max-depth", 2, "-o", "model.json")
    args = (*PAGE, "model.json", *rows)
    fine(*args, "--tolerance", 3, "-o", "page.html")
    assert '"within": 3.0' in (tmp_path / "page.html").read_text("utf-8")
    fine(*args, "--tolerance", 3, "--costs", "age=1,crp=5", "-o", "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert '"within": 3.0' in page
    assert '"policy": null' not in page
    assert "--tolerance is for numbers, and --cut decides on classes" in mistake(
        *args, "--cut", 8, "--tolerance", 1, "-o", "page.html"
    )


def test_catboosts_binary_files_get_the_readers_message(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.cbm").write_bytes(b"CBM1\x00\x00\x01")
    said = mistake("explain", "model.cbm")
    assert said == (
        "Error: the file 'model.cbm' has CatBoost's binary format: save the model with "
        "model.save_model(file, format='json')\n"
    )
