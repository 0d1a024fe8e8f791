"""``orderless compare --changes``: the account as text, HTML and data, and an exit code."""

import json

import pytest
from commands import mistake, run

import orderless as ol

SPACE = ol.Space({"age": int, "ward": ["east", "west"]})


def tree(cut, name="age"):
    node = {"feature": name, "relation": "<=", "reference": cut,
            "true": {"prediction": "well"}, "false": {"prediction": "ill"}}  # fmt: skip
    return ol.read(node, space=SPACE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.json").write_text(tree(40).to_json())
    (tmp_path / "new.json").write_text(tree(50).to_json())
    (tmp_path / "rows.csv").write_text("age,ward\n39,east\n45,west\n50,east\n,east\n60,west\n")
    return tmp_path


def test_the_same(folder):
    result = run("compare", "--changes", "old.json", "old.json")
    assert result.exit_code == 0
    assert result.stdout == "Both models give every row the same answer; this is proven.\n"


def test_different(folder):
    result = run(
        "compare", "--changes", "old.json", "new.json", "--data", "rows.csv", "--html", "out.html"
    )
    assert result.exit_code == 4, result.stderr
    assert result.stdout.splitlines() == [
        "The models differ on 33.3 % of the space.",
        "Of the 5 rows 2 change; 1 has no certain answer.",
        "",
        "ill -> well:",
        "  40 < age <= 50",
        "  2 rows: 2, 3",
    ]
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert page.lstrip().startswith("<!doctype html>")
    assert "40 &lt; <bdi>age</bdi> ≤ 50" in page


def test_formats(folder):
    args = ("compare", "--changes", "old.json", "new.json", "--data", "rows.csv", "--format")
    content = json.loads(run(*args, "json").stdout)
    assert content["rows_changed"] == 2
    assert content["shifts"][0]["rows"] == [2, 3]
    assert content["shifts"][0]["texts"] == ["40 < age <= 50"]
    assert run(*args, "csv").stdout == "before,after,rule,rows\nill,well,40 < age <= 50,2\n"
    assert "| ill | well |" in run(*args, "md").stdout.replace("  ", " ")


def test_decisions_are_compared(folder):
    for name, most in (("a", 7.5), ("b", 9.5)):
        node = {"task": "regression", "feature": "age", "relation": "<=", "reference": 40,
                "true": {"prediction": 2.5}, "false": {"prediction": most}}  # fmt: skip
        (folder / f"{name}.json").write_text(ol.read(node, space=SPACE).to_json())
    result = run("compare", "--changes", "a.json", "b.json")
    assert result.exit_code == 4
    assert "7.5 -> 9.5 (+2):" in result.stdout
    assert run("compare", "--changes", "a.json", "b.json", "--cut", "5").exit_code == 0


def test_mistakes(folder):
    (folder / "empty.json").write_text("")
    assert "is empty" in mistake("compare", "--changes", "old.json", "empty.json")
    (folder / "less.csv").write_text("ward\neast\n")
    assert "'age'" in mistake("compare", "--changes", "old.json", "new.json", "--data", "less.csv")


def test_names_are_escaped_on_the_page(folder):
    name = "<img src=x>"
    space = ol.Space({name: int})
    for i, cut in enumerate((1, 2)):
        node = {"feature": name, "relation": "<=", "reference": cut,
                "true": {"prediction": "<i>"}, "false": {"prediction": "b"}}  # fmt: skip
        (folder / f"{i}.json").write_text(ol.read(node, space=space).to_json())
    run("compare", "--changes", "0.json", "1.json", "--html", "out.html")
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "<i>" not in page
