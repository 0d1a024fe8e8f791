"""``orderless rashomon`` with constraints: what the library says, and what is refused."""

import json

import pandas as pd
import pytest
from commands import fine, mistake

import orderless as ol
from orderless import member

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
        (("--must-use", "age"), found.where(member.uses("age"))),
        (("--must-not-use", "age", "--must-not-use", "bmi"),
         found.where(~member.uses("age"), ~member.uses("bmi"))),
        (("--at-most-features", 2), found.where(member.n_features <= 2)),
        (("--min-leaf", 2), found.where(member.min_leaf >= 2)),
        (("--min-leaf", 0.25), found.where(member.min_leaf >= 0.25)),
        (("--max-leaves", 4), found.where(member.leaves <= 4)),
        (("--first", "age"), found.where(member.root == "age")),
        (("--first", '{"feature": "age", "true": "bmi"}'),
         found.where(member.root == {"feature": "age", "true": "bmi"})),
        (("--max-cost", 2, "--other-costs", 1), found.where(member.path_cost(costs) <= 2)),
        (("--max-cost", 2, "--costs", "age=2", "--other-costs", 1),
         found.where(member.path_cost(costs | {"age": 2}) <= 2)),
        (("--monotone", "age=+1", "--monotone", "bmi=-1"),
         found.where(member.monotone({"age": 1, "bmi": -1}))),
    ]:  # fmt: skip
        said = content(*options)
        assert (said["trees"], said["functions"]) == (view.n_trees, len(view.functions()))
        assert (said["objective"], said["bound"]) == (float(found.objective), float(found.bound))
        assert said["constraints"]
    assert "constraints" not in content()
    assert "Only those that meet uses('age')." in fine("rashomon", *TABLE, "--must-use", "age")


def test_costs_may_come_from_a_file(here):
    (here / "costs.csv").write_text("feature,cost\nage,1\n")
    said = content("--max-cost", 1, "--costs", "costs.csv", "--other-costs", 2)
    assert (
        said["trees"]
        == every().where(member.path_cost(dict.fromkeys(features(), 2) | {"age": 1}) <= 1).n_trees
    )


def test_nothing_is_left(here):
    assert "No tree within the bound meets min_leaf >= 7." in fine(
        "rashomon", *TABLE, "--min-leaf", 7
    )
    said = content("--min-leaf", 7)
    assert (said["trees"], said["best_tree"], said["histogram"]) == (0, None, [])
    assert said["empty"] == "no tree within the bound meets min_leaf >= 7"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--must-use", "agee"), "there is no feature 'agee' (did you mean 'age'?)"),
        (("--must-use", "age", "--max-leaves", 1), "no tree can meet leaves <= 1 and uses('age')"),
        (
            ("--must-use", "age", "--must-not-use", "age"),
            "uses('age') and ~uses('age') contradict each other",
        ),
        (("--min-leaf", 0), "--min-leaf must be a number of rows from 1 on, or a share"),
        (("--first", "agee"), "the first question asks 'agee', which is no column and no feature"),
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
