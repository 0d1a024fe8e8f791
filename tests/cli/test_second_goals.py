"""``orderless rashomon`` with second goals: what the library says, as text, JSON and CSV."""

import json
from fractions import Fraction

import pytest
from commands import fine, mistake, records

import orderless as ol

TABLE = ("--data", "patients.csv", "--target", "diagnosis", "--ignore", "id", "--max-depth", 2)


@pytest.fixture(scope="module")
def found():
    X, y = ol.datasets.load("wisconsin")
    return ol.RashomonSet(2).fit(X, y).trees_


def test_it_says_what_the_library_says(found):
    args = ("--data", "wisconsin", "--max-depth", 2, "--range", "fpr", "--range", "precision",
            "--front", "false negatives")  # fmt: skip
    content = json.loads(fine("rashomon", *args, "-f", "json"))
    assert content["trees"] == found.n_trees
    assert "functions" not in content
    for one in content["ranges"]:
        due = found.range(ol.Measure(one["measure"]))
        assert one["smallest"] == float(due.smallest)
        assert Fraction(one["largest_exact"]) == due.largest
        assert one["smallest_tree"] == str(due.smallest_tree)
    (front,) = content["fronts"]
    points = [(point["objective"], point["value"]) for point in front["points"]]
    due = found.pareto_front(ol.Measure("false negatives"))
    assert points == [(float(point.objective), point.value) for point in due]
    text = fine("rashomon", *args)
    assert "Ranges over all trees\nmeasure" in text
    assert "The smallest false negatives for every objective\nobjective" in text
    assert "functions of the features" not in text


def test_tables(found):
    args = ("--data", "wisconsin", "--max-depth", 2)
    ranges = records(fine("rashomon", *args, "--range", "errors", "-f", "csv"))
    assert [row["smallest"] for row in ranges] == [str(found.range(ol.Measure("errors")).smallest)]
    points = records(fine("rashomon", *args, "--front", "f1", "-f", "csv"))
    assert len(points) == len(found.pareto_front(ol.Measure("f1")))
    said = mistake("rashomon", *args, "--range", "f1", "--front", "f1", "-f", "csv")
    assert "give --range or --front, not both" in said


def test_groups_and_the_positive_class(here):
    args = ("--range", "demographic parity", "--group", "smoker", "--positive", "well")
    content = json.loads(fine("rashomon", *TABLE, *args, "-f", "json"))
    (one,) = content["ranges"]
    assert one["groups"] == ["False", "True"]
    assert one["smallest_gap"] >= one["no_gap_below"] >= 0
    assert "True less False" in fine("rashomon", *TABLE, *args)
    assert "is no column of patients.csv (did you mean 'smoker'?)" in mistake(
        "rashomon", *TABLE, "--range", "fpr", "--group", "Smoker"
    )
    assert "add --range or --front" in mistake("rashomon", *TABLE, "--group", "smoker")
    assert "is no class" in mistake("rashomon", *TABLE, "--range", "fpr", "--positive", "sick")
    assert "groups must be two, got 3" in mistake(
        "rashomon", *TABLE, "--range", "fpr", "--group", "ward"
    )
    assert "measure must be one of" in mistake("rashomon", *TABLE, "--range", "speed")


def test_numbers_and_pictures(here):
    args = ("--data", "patients.csv", "--target", "bmi", "--ignore", "id", "--task", "regression")
    out = fine("rashomon", *args, "--range", "mean absolute error", "--front", "absolute error",
               "--max-depth", 1, "--plot", "front.svg", "-f", "md")  # fmt: skip
    assert "## Ranges over all trees" in out
    assert "absolute error" in (here / "front.svg").read_text(encoding="utf-8")
