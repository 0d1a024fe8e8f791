"""The command line on all near-optimal trees of numbers."""

import csv
import json

import pytest
from commands import fine, mistake
from sklearn.datasets import load_diabetes

import orderless as ol

STAYS = """\
age,emergency,CRP,days
61,True,31.5,9
25,False,22.1,4
47,False,128,8
70,False,24,8
33,True,35,6
29,False,21,3
55,True,127,12
41,False,30,5
82,True,90,14
78,False,60,10
"""
TABLE = ("--data", "stays.csv", "--target", "days", "--task", "regression")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stays.csv").write_text(STAYS)
    return tmp_path


@pytest.fixture(scope="module")
def sugar():
    return load_diabetes(return_X_y=True, as_frame=True)


def test_the_text_is_known():
    said = fine("rashomon", *TABLE, "--max-depth", 2, "--functions", 2, "--tolerance", 1)
    assert (
        said
        == """\
All trees of depth 2 or less over 9 columns whose objective is at most 0.132137 (the best has \
0.112137), on 10 rows of stays.csv. The objective is the squared error as a share of the best \
constant's + 0.01 for each leaf; leaves predict numbers to 5 decimals.

what                                     how many
trees                                          11
without trivial splits                         11
functions of the features                      10
functions, columns taken as unrelated          10
ways to give the rows numbers                   4
functions more than 1 apart on some row         3

Objectives (0 trees are exactly on the bound)
leaves  smallest objective  smallest loss  trees  nontrivial
     4              0.1121         8.0000     11          11

A best tree
age <= 51?
  yes: CRP <= 30.75?
    yes: 4
    no:  7
  no:  CRP <= 75?
    yes: 9
    no:  13

Function 1: objective 0.112137, 4 leaves, 1 tree
age <= 51?
  yes: CRP <= 30.75?
    yes: 4
    no:  7
  no:  CRP <= 75?
    yes: 9
    no:  13

Function 2: objective 0.121154, 4 leaves, 1 tree
age <= 51?
  yes: age <= 44?
    yes: 4.5
    no:  8
  no:  CRP <= 75?
    yes: 9
    no:  13
"""
    )


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_the_set_says_what_the_library_says(here, sugar, loss):
    X, y = sugar
    X.iloc[:, :4].round(3).assign(progression=y.astype(int)).to_csv("sugar.csv", index=False)
    rows = ("--data", "sugar.csv", "--target", "progression", "--task", "regression")
    args = ("rashomon", *rows, "--max-depth", 2, "--loss", loss, "--trees", 3, "--tolerance", 20)
    content = json.loads(fine(*args, "-f", "json"))
    rset = ol.RashomonSet(2, 0.01, 0.02, loss=loss)
    found = rset.fit(X.iloc[:, :4].round(3), y.astype(int)).trees_
    assert (content["task"], content["loss"]) == ("regression", loss)
    assert content["decimals"] == rset.decimals_
    assert content["trees"] == found.n_trees == sum(r["trees"] for r in content["histogram"])
    assert content["functions"] == len(found.functions())
    assert content["functions_apart"] == len(found.functions(tolerance=20))
    assert content["objective"] == float(found.objective)
    first = content["first_trees"]
    assert [r["tree"] for r in first] == [str(tree) for tree in found[:3]]
    assert first[0]["objective"] == float(found.objective)
    table = found.counts()
    assert [r["loss"] for r in content["histogram"]] == table["loss"].tolist()
    rows = list(csv.DictReader(fine("rashomon", *rows, "--max-depth", 2, "--loss", loss,
                                    "-f", "csv").splitlines()))  # fmt: skip
    assert list(rows[0]) == ["objective", "leaves", "loss", "trees", "nontrivial"]


def test_so_many_trees_that_only_their_number_is_said(here, sugar, monkeypatch):
    monkeypatch.setattr("orderless.cli.rashomon.MOST_TREES", 10)
    said = fine("rashomon", *TABLE, "--max-depth", 2)
    assert "has an objective of its own: they are not listed. 0 trees are exactly on the" in said
    content = json.loads(fine("rashomon", *TABLE, "--max-depth", 2, "--trees", 2, "-f", "json"))
    assert content["histogram"] is None
    assert content["first_trees"][1]["objective"] >= content["objective"]
    assert "too many for a table of their objectives: add --trees N" in mistake(
        "rashomon", *TABLE, "-f", "csv"
    )
    assert "position" in fine("rashomon", *TABLE, "-f", "csv", "--functions", 2)
    assert "leave out --plot" in mistake("rashomon", *TABLE, "--plot", "a.png")


def test_rid_says_what_the_library_says(here):
    args = ("importance", *TABLE, "--rid", 5, "--loss", "absolute")
    assert (
        fine(*args)
        == """\
Importance over 633 functions (816 trees) of 5 samples of stays.csv, each function counted once. \
It is the mean absolute error that shuffling the feature adds.

feature     mean    q05  median    q95  positive
age        1.672  0.580   1.690  2.510     0.988
CRP        1.480  0.480   1.410  2.470     1.000
emergency  0.463  0.000   0.400  1.250     0.694
"""
    )
    content = json.loads(fine(*args, "-f", "json", "--plot", "rid.svg"))
    assert (content["task"], content["loss"]) == ("regression", "absolute")
    assert "mean absolute error added" in (here / "rid.svg").read_text()
    squared = json.loads(fine("importance", *TABLE, "--rid", 2, "-f", "json"))
    assert squared["loss"] == "squared"


def test_importance_of_one_tree_by_either_loss():
    fine("fit", *TABLE[1:], "--max-depth", 2, "-o", "model.json")
    args = ("importance", "model.json", *TABLE[:4], "-f", "json")
    records = [json.loads(fine(*args, *more))
               for more in ((), ("--loss", "squared"), ("--loss", "absolute"))]  # fmt: skip
    assert records[0] == records[1]
    assert records[0] != records[2]


def test_refusals(here):
    classes = ("--data", "stays.csv", "--target", "emergency")
    for option in (("--loss", "squared"), ("--decimals", 1), ("--tolerance", 1)):
        said = mistake("rashomon", *classes, *option)
        assert f"{option[0]} is for numbers: add --task regression, or leave it out" in said
    for option in (("--loss", "absolute"), ("--decimals", 1)):
        assert f"{option[0]} is for numbers: add" in mistake("choose", *classes, *option)
    assert "--loss is for numbers: add" in mistake(
        "importance", *classes, "--rid", 1, "--loss", "squared"
    )
    fine("fit", *classes[1:], "-o", "model.json")
    assert "--loss is for numbers, and" in mistake(
        "importance", "model.json", *classes, "--loss", "squared"
    )
    assert "--decimals 40 would make losses pass 2^51" in mistake(
        "rashomon", *TABLE, "--decimals", 40
    )
    assert "'--decimals'" in mistake("rashomon", *TABLE, "--decimals", 1000)
    assert "'--loss'" in mistake("rashomon", *TABLE, "--loss", "huber")
    assert "'--tolerance'" in mistake("rashomon", *TABLE, "--tolerance", -1)
    assert "Add --target COLUMN" in mistake("rashomon", "--data", "stays.csv", "--task",
                                            "regression")  # fmt: skip
