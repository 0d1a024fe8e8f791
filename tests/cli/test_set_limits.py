"""``orderless rashomon`` and ``choose`` where memory does not suffice, and with more threads."""

import json

import pytest
from commands import fine, mistake, run

import orderless as ol
from orderless.errors import IncompleteSet

pytestmark = pytest.mark.filterwarnings("default::orderless.errors.IncompleteSet")

SET = ("--data", "wisconsin", "--max-depth", 4, "--epsilon", 0.05)
LITTLE = ("--memory-limit", 200_000)


@pytest.fixture(scope="module")
def part():
    X, y = ol.datasets.load("wisconsin")
    with pytest.warns(IncompleteSet):
        return ol.RashomonSet(4, 0.01, 0.05, memory_limit=200_000, on_limit="part").fit(X, y).trees_


def test_an_error_names_the_option():
    assert "--on-limit part" in mistake("rashomon", *SET, *LITTLE)


def test_a_part_says_so(part):
    result = run("rashomon", *SET, *LITTLE, "--on-limit", "part")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert text.startswith("Some trees of depth 4 or less")
    assert "All that follows is of a part of the set. It is incomplete: --memory-limit" in text
    assert "incomplete" in result.stderr


def test_a_part_in_json(part):
    given = ("rashomon", *SET, *LITTLE, "--on-limit", "part", "-f", "json")
    content = json.loads(run(*given).stdout)
    assert content["complete"] is False
    assert content["trees"] == part.n_trees
    assert content["trees_at_most"] == part.n_trees_bounds[1]
    assert content["objective_at_least"] == float(part.objective_bounds[0])
    assert "incomplete" in content


def test_a_whole_set_is_complete():
    given = ("rashomon", "--data", "wisconsin", "--max-depth", 2, "-f", "json")
    plain = json.loads(fine(*given))
    assert "complete" not in plain
    asked = json.loads(fine(*given, "--on-limit", "part", "--jobs", 2))
    assert asked.pop("complete") is True
    assert asked == plain


def test_functions_that_do_not_fit_are_left_out():
    given = ("rashomon", *SET, "--memory-limit", 2_000_000, "--on-limit", "part", "-f", "json")
    content = json.loads(run(*given).stdout)
    assert content["complete"] is False
    assert "functions" not in content


def test_functions_that_are_too_many_are_estimated():
    given = ("rashomon", "--data", "wisconsin", "--max-depth", 3, "--limit", 100)
    content = json.loads(fine(*given, "-f", "json"))
    assert "functions" not in content
    assert "functions_of_rows" not in content
    got = content["functions_estimated"]
    assert got["low"] <= got["estimate"] <= got["high"] <= content["nontrivial"]
    assert got["confidence"] == 0.95
    whole = json.loads(fine(*given[:-1], 5_000_000, "-f", "json"))
    assert got["low"] <= whole["functions"] <= got["high"]
    columns = content["functions_of_columns_estimated"]
    assert columns["low"] <= whole["functions_of_columns"] <= columns["high"]
    text = " ".join(fine(*given).split())
    assert "functions of the features, too many to count: estimated from 4,000 trees (95%" in text


def test_choose_from_a_part(part):
    given = ("choose", *SET, *LITTLE, "--on-limit", "part")
    content = json.loads(run(*given, "-f", "json").stdout)
    assert content["complete"] is False
    assert content["trees"] == part.n_trees
    assert "of a part of the set" in " ".join(run(*given).stdout.split())
