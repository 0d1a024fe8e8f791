"""``orderless rashomon`` with constraints: what the library says, and what is refused."""

import json

import pandas as pd
import pytest
from commands import fine, mistake

import orderless as ol

TABLE = ("patients.csv", "--target", "diagnosis", "--ignore", "id")


def content(*options):
    return json.loads(fine("rashomon", *TABLE, *options, "-f", "json"))


def every():
    frame = pd.read_csv("patients.csv").drop(columns="id")
    return ol.RashomonSet().fit(frame.drop(columns="diagnosis"), frame["diagnosis"]).trees_


def features():
    return [name for name in pd.read_csv("patients.csv").columns if name not in ("id", "diagnosis")]


def test_every_constraint_is_that_of_the_library(here):
    found = every()
    costs = dict.fromkeys(features(), 1)
    for options, view in [
        (("--must-use", "age"), found.must_use("age")),
        (("--must-not-use", "age", "--must-not-use", "bmi"), found.must_not_use("age", "bmi")),
        (("--at-most-features", 2), found.at_most_features(2)),
        (("--min-leaf", 2), found.min_leaf(2)),
        (("--min-leaf", 0.25), found.min_leaf(0.25)),
        (("--max-leaves", 4), found.max_leaves(4)),
        (("--first", "age"), found.first("age")),
        (("--first", '{"feature": "age", "true": "bmi"}'),
         found.first({"feature": "age", "true": "bmi"})),
        (("--max-cost", 2, "--other-costs", 1), found.max_cost(2, costs)),
        (("--max-cost", 2, "--costs", "age=2", "--other-costs", 1),
         found.max_cost(2, costs | {"age": 2})),
        (("--monotone", "age=+1", "--monotone", "bmi=-1"), found.monotone({"age": 1, "bmi": -1})),
    ]:  # fmt: skip
        said = content(*options)
        assert (said["trees"], said["functions"]) == (view.n_trees, view.n_distinct)
        assert (said["objective"], said["bound"]) == (float(found.objective), float(found.bound))
        assert said["constraints"]
    assert "constraints" not in content()
    assert "Only those that meet must_use=['age']." in fine("rashomon", *TABLE, "--must-use", "age")


def test_costs_may_come_from_a_file(here):
    (here / "costs.csv").write_text("feature,cost\nage,1\n")
    said = content("--max-cost", 1, "--costs", "costs.csv", "--other-costs", 2)
    assert said["trees"] == every().max_cost(1, dict.fromkeys(features(), 2) | {"age": 1}).n_trees


def test_nothing_is_left(here):
    assert "No tree within the bound meets --min-leaf." in fine("rashomon", *TABLE, "--min-leaf", 7)
    said = content("--min-leaf", 7)
    assert (said["trees"], said["best_tree"], said["histogram"]) == (0, None, [])
    assert said["empty"] == "no tree within the bound meets --min-leaf"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--must-use", "agee"), "there is no feature 'agee' (did you mean 'age'?)"),
        (("--must-use", "age", "--max-leaves", 1), "--must-use names 1 feature, and --max-leaves"),
        (("--must-use", "age", "--must-not-use", "age"), "is in --must-use and in --must-not-use"),
        (("--min-leaf", 0), "--min-leaf must be a number of rows from 1 on, or a share"),
        (("--first", "agee"), "--first asks 'agee', which is no column and no feature"),
        (("--first", '{"feature": 3'), "is not JSON"),
        (("--max-cost", 2), "--max-cost takes --costs"),
        (("--costs", "age=1"), "--costs are for --max-cost"),
        (("--max-cost", 2, "--costs", "age=1"), "has no cost for"),
        (("--monotone", "age"), "--monotone takes FEATURE=+1 or FEATURE=-1, got 'age'"),
        (("--monotone", "age=up"), "--monotone takes FEATURE=+1 or FEATURE=-1, got 'age=up'"),
        (("--monotone", "age=1", "--monotone", "age=-1"), "--monotone names 'age' twice"),
        (("--data", "patients.csv"), "there are two tables"),
    ],
)
def test_what_is_refused(here, options, message):
    assert message in mistake("rashomon", *TABLE, *options)
