"""``orderless prove --rules``: findings with example rows, an exit code, the tree."""

import json

import pytest
from commands import mistake, run

import orderless as ol

GOOD = "age,ward,then\n< 18,-,refer\n>= 18,a,treat\n>= 18,not a,refer\n"
BAD = "age,ward,then\n<= 30,-,=refer\n> 20,a,treat\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "bad.csv").write_text(BAD)
    return tmp_path


def test_good_rules(folder):
    result = run("prove", "--rules", "good.csv", "--tree", "tree.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        "3 rules over age, ward, hit policy unique.\nEach row has one output.\n"
    )
    tree = ol.Tree.from_json((folder / "tree.json").read_text())
    assert ol.equivalent(tree, ol.rules.read(GOOD))


def test_findings(folder):
    result = run("prove", "--rules", "bad.csv", "--tree", "tree.json")
    assert result.exit_code == 4
    assert not (folder / "tree.json").exists()
    assert result.stdout.splitlines() == [
        "2 rules over age, ward, hit policy unique.",
        "Not every row has one output.",
        "- lines 2 and 3 say =refer and treat where 20 < age <= 30 AND ward = a, for example "
        "age = 25, ward = a",
        "- no rule covers age > 30 AND ward = (other), for example age = 40, ward = other",
    ]


def test_formats(folder):
    content = json.loads(run("prove", "--rules", "bad.csv", "--format", "json").stdout)
    assert content["overlaps"][0]["lines"] == [2, 3]
    assert content["gaps"][0]["row"] == {"age": 40.0, "ward": "other"}
    assert run("prove", "--rules", "bad.csv", "--format", "csv").stdout.splitlines() == [
        "finding,lines,where,age,ward",
        "contradiction,2 and 3,20 < age <= 30 AND ward = a,25.0,a",
        "gap,,age > 30 AND ward = (other),40.0,other",
    ]
    assert "- lines 2 and 3" in run("prove", "--rules", "bad.csv", "--format", "md").stdout


def test_options(folder):
    (folder / "kinds.json").write_text('{"ward": ["a"]}')
    result = run(
        "prove", "--rules", "bad.csv", "--hit", "first", "--space", "kinds.json", "--tree", "t.json"
    )
    assert result.exit_code == 0, result.stderr
    assert not ol.Tree.from_json((folder / "t.json").read_text()).space["ward"].other
    result = run("prove", "--rules", "bad.csv", "--hit", "F", "--default", "none", "--most", "1")
    assert result.exit_code == 0
    assert "what no rule covers is none" in result.stdout


def test_mistakes(folder):
    assert "--hit must be one of" in mistake("prove", "--rules", "bad.csv", "--hit", "last")
    (folder / "dirty.csv").write_text("age,then\n<= x,a\n")
    assert "line 2, 'age': '<= x' needs a number" in mistake("prove", "--rules", "dirty.csv")
    assert "there is no file" in mistake("prove", "--rules", "nowhere.csv")
