"""``orderless prove --certificate``: valid, not valid, undecided; and the checker as a program."""

import json

import pytest
from commands import fine, mistake, run

import orderless as ol


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    node = {"feature": "age", "relation": "<=", "reference": 40,
            "true": {"prediction": "well"}, "false": {"prediction": "ill"}}  # fmt: skip
    tree = ol.read(node, space=ol.Space({"age": int}))
    (tmp_path / "model.json").write_text(tree.to_json())
    (tmp_path / "other.json").write_text(ol.read({**node, "reference": 50},
                                         space=ol.Space({"age": int})).to_json())  # fmt: skip
    fine("export", "model.json", "--format", "certificate", "--output", "c.json")
    return tmp_path


def test_valid(folder):
    lines = fine("prove", "model.json", "--certificate", "c.json").splitlines()
    assert lines[0] == "The rules decide as the tree on every row; none can be widened."
    assert lines[-2:] == ["The tree is the one that was given, split by split.", "Valid."]


def test_not_valid(folder):
    result = run("prove", "other.json", "--certificate", "c.json")
    assert result.exit_code == 4
    assert result.stdout.startswith("The certificate is about another tree")
    content = json.loads((folder / "c.json").read_text())
    (a, one), (b, other) = content["stated"].items()
    content["stated"] = {a: other, b: one}
    (folder / "bad.json").write_text(json.dumps(content))
    result = run("prove", "--certificate", "bad.json")
    assert (result.exit_code, result.stderr) == (4, "")
    assert result.stdout.startswith("The certificate is not valid: a rule or reason holds where")


def test_undecided(folder):
    result = run("prove", "--certificate", "c.json", "--limit", "3")
    assert result.exit_code == 5
    assert "raise --limit 3" in result.stdout


def test_the_checker_is_written(folder):
    assert fine("prove", "--write-checker", "check.py") == ""
    assert "import orderless" not in (folder / "check.py").read_text(encoding="utf-8")


def test_mistakes(folder):
    assert "what is to be proven?" in mistake("prove")
    assert "what is to be proven?" in mistake("prove", "model.json", "--rules", "r", "--file", "f")
    assert "none.json" in mistake("prove", "--certificate", "none.json")
    assert "--hit does nothing beside --certificate" in mistake(
        "prove", "--certificate", "c.json", "--hit", "first"
    )
    assert "a MODEL is needed beside --file" in mistake("prove", "--file", "properties.toml")
    assert "leave out the MODEL" in mistake("prove", "model.json", "--rules", "rules.csv")
