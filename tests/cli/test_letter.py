"""``orderless explain --letter``: a file for all, or a folder with one for each."""

import csv
import json

import pytest
from commands import fine, mistake

from tests.output.test_letter_codes import TREE

ROWS = "who,age,ward\nAnn,10,east\nBob,40,west\nCy,,west\n=Di,40,\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text(TREE.to_json())
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "codes.csv").write_text("feature,code,text\nage,A,Age\nward,W,Ward\n")
    return tmp_path


ARGS = ("explain", "model.json", "--rows", "rows.csv", "--letter", "codes.csv")


def test_text(folder):
    text = fine(*ARGS, "--adverse", "1", "--immutable", "age")
    letters = text.split("-" * 72)
    assert len(letters) == 4
    assert letters[0].startswith("For: row 1\nDecision: 1\n")
    assert "1. [A] Age\n     age <= 20 (here 10)" in letters[0]
    assert "It is not legal advice" in letters[0]
    assert "1. [W] Ward" in letters[1]
    assert "Decision: 1" in letters[2]  # certain without the age
    assert "No letter: the answer is not certain" in letters[3]


def test_one_file(folder):
    assert fine(*ARGS, "--name", "who", "-o", "all.html") == ""
    page = (folder / "all.html").read_text(encoding="utf-8")
    assert page.count('<article class="letter">') == 4
    assert fine(*ARGS, "--output", "all.json") == ""
    content = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    assert [one["decision"] for one in content] == [1, 1, 1, None]
    assert content[0]["reasons"][0]["code"] == "A"


def test_a_folder(folder):
    said = fine(*ARGS, "--name", "who", "-o", "out", "-f", "html", "--safe-csv")
    assert said == "3 of 4 rows have a letter in out.\n"
    files = sorted(path.name for path in (folder / "out").iterdir())
    assert files == ["index.csv", "letter-1.html", "letter-2.html", "letter-3.html"]
    with open(folder / "out" / "index.csv", newline="") as file:
        index = list(csv.DictReader(file))
    assert [row["codes"] for row in index] == ["A", "W", "W", ""]
    assert index[3]["name"] == "'=Di"  # no formula
    assert index[3]["why_not"].startswith("the answer is not certain")
    assert "is there already" in mistake(*ARGS, "-o", "out")


def test_mistakes(folder):
    assert "did you mean 'who'" in mistake(*ARGS, "--name", "whom")
    assert "letters are text, html or json" in mistake(*ARGS, "-f", "md")
    assert "give --rows FILE alone" in mistake("explain", "model.json", "--letter", "codes.csv")
    assert "--adverse does nothing beside" in mistake("explain", "model.json", "--adverse", "1")
    assert "--format html is for --letter" in mistake("explain", "model.json", "-f", "html")
    assert "--top does nothing beside --letter" in mistake(*ARGS, "--top", 3)
    assert "not a class" in mistake(*ARGS, "--adverse", "7")
    (folder / "codes.csv").write_text("feature,code,text\nage,A,Age\n")
    assert "no line for 'ward'" in mistake(*ARGS)
