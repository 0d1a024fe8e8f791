"""The command line on every cut point."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake

import orderless as ol

TABLE = ("--data", "ages.csv", "--target", "ill", "--format", "json")


@pytest.fixture(autouse=True)
def ages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"age": draw.integers(20, 60, 40) + 0.5, "pulse": draw.normal(80, 9, 40)})
    table["ill"] = np.where(table["age"] + draw.normal(0, 5, 40) > 40, "yes", "no")
    table.round(1).to_csv("ages.csv", index=False)
    return pd.read_csv("ages.csv")


@pytest.mark.parametrize("thresholds", ["all", 3, "guess"])
def test_numbers_are_cut_as_the_option_says(thresholds, ages):
    wanted = ol.RashomonSet(thresholds=thresholds).fit(ages.drop(columns="ill"), ages["ill"]).trees_
    said = json.loads(fine("rashomon", *TABLE, "--thresholds", str(thresholds)))
    assert said["trees"] == wanted.n_trees


@pytest.mark.parametrize("bad", ["al", "0", "-1", "2.5", "True"])
def test_what_is_no_threshold_is_refused(bad):
    assert "must be 'guess', 'all' for every cut point" in mistake(
        "rashomon", *TABLE, f"--thresholds={bad}"
    )
