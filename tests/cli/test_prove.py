"""``orderless prove``: properties out of a TOML file; a table, an exit code, JUnit XML."""

import json
import os
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import mistake, run
from sklearn.ensemble import RandomForestClassifier

import orderless as ol

TREE = {
    "feature": "age", "relation": "<=", "reference": 25,
    "true": {"feature": "income", "relation": "<=", "reference": 20,
             "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
    "false": {"prediction": "grant"},
}  # fmt: skip
SPACE = ol.Space({"age": int, "income": float, "race": ["a", "b", 'c "d"']})
GOOD = """
[race]
property = "ignores"
feature = "race"

["more income never hurts"]
property = "monotone"
feature = "income"
sign = 1
order = ["refuse", "grant"]

[adults]
property = "never"
answer = "refuse"
where = { age = { above = 25 } }

["the young and rich"]
property = "always"
answer = "grant"
where = { age = [18, 25], income = { at_least = 21 } }

[between]
property = "constant_in"
ranges = { age = [18, 25] }

[stable]
property = "stable"
feature = "age"
by = 3
where = { age = [30, inf] }
"""
BAD = """
[income]
property = "ignores"
features = ["income", "race"]
given = { race = ["a", "b"] }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.json").write_text(ol.read(TREE, space=SPACE).to_json())
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "bad.toml").write_text(GOOD + BAD)
    return tmp_path


def test_all_are_proven(folder):
    result = run("prove", "tree.json", "--file", "good.toml")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith("6 of 6 properties are proven.\n")
    assert result.stdout.splitlines()[1].split() == ["race", "ignores", "proven"]


def test_one_is_refuted(folder):
    result = run("prove", "tree.json", "--file", "bad.toml", "--junit", "out.xml")
    assert result.exit_code == 4
    used = 'where race != c "d", income is used: these two rows differ only in income'
    assert used in result.stdout
    suite = ElementTree.parse(folder / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("7", "1", "0")
    (failure,) = suite.iter("failure")
    assert used in failure.get("message")
    # Every feature is there, the one that changes first.
    for line in failure.text.splitlines()[1:3]:
        assert re.fullmatch(r"  income = \d+, age = \d+, race = [ab]: (grant|refuse)", line)
    result = run("prove", "tree.json", "--file", "bad.toml", "-f", "json")
    assert result.exit_code == 4
    record = json.loads(result.stdout)[-1]
    assert record["result"] == "refuted"
    tree = ol.read(TREE, space=SPACE)
    assert tree.predict(record["rows"]).tolist() == record["answers"]
    for form in ("csv", "md"):
        assert "refuted" in run("prove", "tree.json", "--file", "bad.toml", "-f", form).stdout


def test_another_model_is_found_beside_the_file(folder):
    sub = folder / "checks"
    sub.mkdir()
    (sub / "old.json").write_text(ol.read(TREE, space=SPACE).to_json())
    (sub / "same.toml").write_text('[old]\nproperty = "same_as"\nmodel = "old.json"\n')
    assert run("prove", "tree.json", "--file", sub / "same.toml").exit_code == 0
    (sub / "old.json").unlink()
    said = mistake("prove", "tree.json", "--file", sub / "same.toml")
    assert "same.toml, line 1, [old]" in said
    assert "there is no file" in said


def test_decisions_and_numbers(folder):
    number = {"task": "regression", "feature": "age", "relation": "<=", "reference": 25,
              "true": {"prediction": 2.5}, "false": {"prediction": 7.5}}  # fmt: skip
    (folder / "stay.json").write_text(ol.read(number, space=SPACE).to_json())
    (folder / "n.toml").write_text('[a]\nproperty = "never"\nabove = 7.5\n')
    assert run("prove", "stay.json", "--file", "n.toml").exit_code == 0
    (folder / "n.toml").write_text('[a]\nproperty = "never"\nanswer = "long"\n')
    args = ("prove", "stay.json", "--file", "n.toml", "--cut", "5", "--decisions", "short,long")
    assert run(*args).exit_code == 4


def test_undecided_is_an_error_for_build_servers(folder):
    X = np.random.default_rng(0).normal(size=(300, 4))
    model = RandomForestClassifier(40, max_depth=7, random_state=0).fit(X, X[:, 0] > X[:, 1])
    ensemble = ol.read(model)
    (folder / "forest.json").write_text(ensemble.to_json())
    halves = ensemble.replace(trees=[*ensemble.trees] * 2,
                              values=[own / 2 for own in ensemble.kernel.values] * 2,
                              scores=[-1] * 80)  # fmt: skip
    (folder / "other.json").write_text(halves.to_json())
    (folder / "same.toml").write_text(
        '[old]\nproperty = "same_as"\nmodel = "other.json"\nwhere = { x0 = [0, 1] }\n'
    )
    result = run("prove", "forest.json", "--file", "same.toml", "--time-limit", 0,
                 "--junit", "out.xml")  # fmt: skip
    assert result.exit_code == 5, (result.stdout, result.stderr)
    assert "undecided" in result.stdout
    assert "--time-limit" in result.stdout
    suite = ElementTree.parse(folder / "out.xml").getroot()
    assert suite.get("errors") == "1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no property"),
        ("a = 3", "'a' stands outside of a table"),
        ("[a", "is not TOML"),
        ("[a]\nx = 1\nx = 2\n", "line 3"),
        ("[a]\nfeature = 'age'", "line 1, [a]: property must be one of"),
        ("\n[a]\nproperty = 'ignors'", "line 2, [a]: property must be one of"),
        ("[a]\nproperty = 'ignores'\nfeatur = 'age'", "did you mean 'feature'?"),
        ("[a]\nproperty = 'ignores'", "needs feature, or features"),
        ("[a]\nproperty = 'monotone'\nfeature = 'age'", "monotone needs 'sign'"),
        ("[a]\nproperty = 'ignores'\nfeature = 3", "feature must be text"),
        ("[a]\nproperty = 'ignores'\nfeatures = 'age'", "features must be a list"),
        ("[a]\nproperty = 'never'\nanswer = 'refuse'\nwhere = 3", "where must be a table"),
        ("[a]\nproperty = 'never'\nanswer = 'refus'", "[a]: there is no class 'refus'"),
        ("[a]\nproperty = 'ignores'\nfeature = 'sex'", "[a]: there is no feature 'sex'"),
        ("[a]\nproperty = 'never'\nanswer = 'refuse'\n[a.where]\nage = [3, 1]", "lower is above"),
    ],
)
def test_mistakes_name_the_table(folder, text, said):
    (folder / "p.toml").write_text(text)
    assert said in mistake("prove", "tree.json", "--file", "p.toml")


def test_hostile_names_do_no_harm(folder):
    """Names with markup and control characters are shown, and make no broken XML."""
    name = "</testcase>\\u001b[2J\\u0000"
    (folder / "p.toml").write_text(
        f'["{name}"]\nproperty = "ignores"\nfeature = "age"\n', encoding="utf-8"
    )
    result = run("prove", "tree.json", "--file", "p.toml", "--junit", "out.xml")
    assert result.exit_code == 4, result.stderr
    assert "\x1b" not in result.stdout
    suite = ElementTree.parse(folder / "out.xml").getroot()
    assert len(list(suite.iter("testcase"))) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\nproperty = ["never"]', "property must be one of"),
        ("[a]\nproperty = { never = 1 }", "property must be one of"),
        ("[a]\nproperty = 'never'\nanswer = " + "1" * 5000, "is not TOML"),
        ("[a]\nproperty = 'stable'\nfeature = 'age'\nby = " + "1" * 4000, "[a]"),
        ("[a]\nproperty = 'ignores'\nfeatures = []", "features is empty"),
        ("[a]\nproperty = 'ignores'\nfeatures = [['age']]", "features must be a list of names"),
        ('[a]\nproperty = "same_as"\nmodel = ["tree.json"]', "model must be text"),
        ('[a]\nproperty = "same_as"\nmodel = "\\u0000"', "name of a file"),
        ('[a]\nproperty = "same_as"\nmodel = "."', "is a folder"),
    ],
)
def test_files_that_are_made_to_harm(folder, text, said):
    (folder / "own.toml").write_text(text)
    assert said in mistake("prove", "tree.json", "--file", "own.toml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_opened(folder):
    os.mkfifo(folder / "pipe")
    for name in ("pipe", "/dev/zero"):
        (folder / "own.toml").write_text(f'[a]\nproperty = "same_as"\nmodel = "{name}"\n')
        assert "a pipe" in mistake("prove", "tree.json", "--file", "own.toml")
        for args in (("tree.json", "--file", name), (name, "--file", "good.toml"),
                     ("tree.json", "--file", "good.toml", "--facts", name),
                     ("tree.json", "--file", "good.toml", "--space", name)):  # fmt: skip
            assert "a pipe" in mistake("prove", *args)
