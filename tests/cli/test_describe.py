"""``orderless data``: everything about a table at once."""

import json

from commands import fine, mistake

from tests.cli.test_table import BMI, N, fit, put, table
from tests.cli.test_table_head import IDS


def test_describe_lists_everything_at_once(folder):
    name = put(folder, {"id": IDS["id"], **table(crp=["<5", *range(1, N)], bmi=["?", *BMI[1:]])})
    said = fine("data", name, "--target", "y")
    assert said.startswith(
        "t.csv: 39 of 40 rows, 3 features (1 numeric, 1 categorical, 1 text or numbers); y: "
    )
    assert "39 of 40 rows are complete (missing: bmi 1)." in said
    assert "left out the column 'id'" in said
    assert "the column 'crp' of t.csv would be text" in said
    assert "left out 1 row with gaps (bmi 1)" in said
    two = put(folder, table(crp=["<5", *range(1, N)], u=["<5", *range(1, N)]), "two.csv")
    assert "There is more to settle: orderless data two.csv lists it" in mistake(*fit(two))
    content = json.loads(fine("data", "--data", name, "--target", "y", "-f", "json"))
    assert [c["used_as"] for c in content["columns"]] == [
        "left out", "feature", "feature", "target", "feature",
    ]  # fmt: skip
    assert content["columns"][1] | {"frequent": None} == {
        "column": "bmi", "used_as": "feature", "kind": "numeric", "values": 39, "missing": 1,
        "smallest": 18.5, "largest": 37.5, "frequent": None, "notes": [],
    }  # fmt: skip
    assert content["columns"][4]["not_numbers"] == [{"text": "<5", "rows": [1], "cells": 1}]
    assert len(content["problems"]) == 1
    assert content["left_out"].keys() == {"id"}
    assert fine("data", name, "-f", "csv").splitlines()[0] == (
        "column,used as,kind,values,missing,holds"
    )
    assert "| bmi | feature | numeric |" in fine("data", name, "-f", "md")
    assert "--infer-kinds is for fitting" in mistake("data", name, "--infer-kinds")
    assert "there are two tables" in mistake("data", name, "--data", name)
    assert "--min-rows and --most are for --propose" in mistake("data", name, "--most", 3)


def test_describe_reads_data_sets():
    said = fine("data", "wisconsin")
    assert "30 features (30 numeric); Diagnosis: 0 357 (63%), 1 212 (37%)." in said
    assert "cannot be fitted" not in said
