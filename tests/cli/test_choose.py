"""``orderless choose``: the functions of a set, conditions, fronts, and taking one along."""

import json

import pytest
from commands import fine, mistake, records

import orderless as ol

TABLE = ("patients.csv", "--target", "diagnosis", "--ignore", "id")


def test_it_says_what_the_library_says(wisconsin):
    X, y = wisconsin
    found = ol.RashomonSet(2).fit(X, y).trees_
    table = ol.choose(
        found, X, front=["error", "coverage"], costs=dict.fromkeys(X.columns, 2)
    ).set_index("fingerprint")
    args = ("--max-depth", 2, "--front", "error,coverage", "--other-costs", 2)
    content = json.loads(fine("choose", "wisconsin", *args, "-f", "json"))
    assert content["trees"] == found.n_trees
    assert content["looked_at"] == "all"
    assert [one["fingerprint"] for one in content["choice"]] == table.index.tolist()
    for one, row in zip(content["choice"], table.to_dict("records"), strict=True):
        assert {name: one[name] for name in row} == row
    rows = records(fine("choose", "--data", "wisconsin", *args, "-f", "csv"))
    assert [row["fingerprint"] for row in rows] == table.index.tolist()


def test_held_out_rows(wisconsin):
    args = ("--max-depth", 2, "--test", 0.3, "--sort", "held_out_error", "-f", "json")
    content = json.loads(fine("choose", "wisconsin", *args))
    assert content["rows"] + content["held_out_rows"] == len(wisconsin.X)
    errors = [one["held_out_error"] for one in content["choice"]]
    assert errors == sorted(errors)
    assert content == json.loads(fine("choose", "wisconsin", *args))


def test_the_first_function_is_taken_along(here):
    text = fine("choose", *TABLE, "--where", "leaves <= 3", "--save", "model.json", "--top", 1)
    assert "The first is in model.json." in text
    assert "Coverage: every value is missing with probability 0.1." in text
    tree = ol.Tree.from_json((here / "model.json").read_text())
    first = json.loads(fine("choose", *TABLE, "--where", "leaves <= 3", "-f", "json"))["choice"][0]
    assert tree.fingerprint == first["fingerprint"]
    assert fine("explain", "model.json")


def test_any_function_is_taken_along(here):
    args = (*TABLE, "--epsilon", 0.2)
    names = [row["fingerprint"] for row in records(fine("choose", *args, "-f", "csv"))]
    last = names[-1]
    text = fine("choose", *args, "--save", "model.json", "--function", last[:12].upper())
    assert f"Function {last} is in model.json." in text
    tree = ol.Tree.from_json((here / "model.json").read_text())
    assert tree.fingerprint == last
    for given, words in (("xyz", "none of the"), ("", "give more of its digits")):
        told = mistake("choose", *args, "--save", "other.json", "--function", given)
        assert f"--function: {words}" in told or words in told
    assert not (here / "other.json").exists()
    assert "--function is for --save" in mistake("choose", *args, "--function", last)


def test_nothing_meets_the_conditions(here):
    assert "No function meets the conditions" in fine("choose", *TABLE, "--where", "leaves > 99")
    words = mistake("choose", *TABLE, "--where", "leaves > 99", "--save", "model.json")
    assert "no function meets the conditions of --where" in words
    assert not (here / "model.json").exists()


def test_a_sample_is_named(here):
    text = fine("choose", *TABLE, "--sample", 2, "--epsilon", 0.3)
    assert "drawn uniformly" in text


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--front", "eror"), "did you mean 'error'"),
        (("--sort", "cost"), "--sort names 'cost', which is not known: give costs"),
        (("--where", "leaves"), "--where must be conditions"),
        (("--positive", "perhaps"), "--positive 'perhaps' is no class"),
        (("--costs", "age=1"), "--costs has no cost for"),
        (("--test", 1.5), "--test must be a share"),
        (("--data", "other.csv"), "there are two tables"),
    ],
)
def test_mistakes(here, args, words):
    assert words in mistake("choose", *TABLE, *args)


def test_goals_and_the_explorer(here):
    text = fine(
        "choose", *TABLE, "--measure", "fpr", "--measure", "precision", "--explorer", "set.html"
    )
    assert "All functions of the set are on the page set.html." in text
    page = (here / "set.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert '"fpr"' in page
    table = records(fine("choose", *TABLE, "--measure", "fpr", "--sort", "fpr", "-f", "csv"))
    rates = [float(row["fpr"]) for row in table]
    assert rates == sorted(rates)
    assert "fqr" in mistake("choose", *TABLE, "--measure", "fqr")


def test_too_many_functions_are_refused_with_the_option(here):
    words = mistake("choose", *TABLE, "--epsilon", 0.3, "--limit", 1)
    assert "or draw some: --sample 1" in words


def test_rows_features_and_draws(here):
    fine("choose", *TABLE, "--explorer", "set.html", "--rows")
    assert '"table":{"n":8' in (here / "set.html").read_text(encoding="utf-8")
    fine("choose", *TABLE, "--explorer", "set.html")
    assert '"table":null' in (here / "set.html").read_text(encoding="utf-8")
    every = records(fine("choose", *TABLE, "--epsilon", 0.3, "-f", "csv"))
    some = ("--using", "age", "--without", "bmi")
    rows = records(fine("choose", *TABLE, "--epsilon", 0.3, *some, "-f", "csv"))
    asked = [set(row["features"].split(", ")) for row in every]
    assert len(rows) == sum("age" in one and "bmi" not in one for one in asked)
    assert 0 < len(rows) < len(every)
    for more in ((), ("--sample", 5)):
        begins = records(
            fine("choose", *TABLE, "--epsilon", 0.3, "--first", "age", *more, "-f", "csv")
        )
        assert 0 < len(begins) < len(every)
    assert "the first question asks 'agee', which is no" in mistake(
        "choose", *TABLE, "--first", "agee"
    )
    text = fine("choose", *TABLE, "--epsilon", 0.3, "--sample", 5, "--draw", "trees")
    assert "drawn uniformly from all trees" in text
    assert "the exact ends of measures over all trees" in text
    assert "smallest error" in text
    assert "--rows is for --explorer" in mistake("choose", *TABLE, "--rows")
    assert "--draw is for --sample" in mistake("choose", *TABLE, "--draw", "trees")
    assert "--using names 'agee'" in mistake("choose", *TABLE, "--using", "agee")
