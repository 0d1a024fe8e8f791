"""``orderless report --as card``: a card in every format, and what it cannot do without."""

import json

import pytest
from commands import PATIENTS, fine, mistake

ARGS = ("report", "--as", "card", "model.json", "--data", "patients.csv", "--target", "diagnosis")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    fine("fit", "patients.csv", "--target", "diagnosis", "-o", "model.json")
    return tmp_path


def test_formats(folder):
    use = ("--intended-use", "Teaching.", "--protected", "ward")
    text = fine(*ARGS, *use)
    assert text.startswith("---\nlibrary_name")
    assert "- **protected\\: ward:** Proven\\: ward makes no difference." in text
    assert json.loads(fine(*ARGS, *use, "--format", "json"))["name"] == "model.json"
    fine(*ARGS, *use, "-o", "card.html", "--title", "Triage")
    page = (folder / "card.html").read_text(encoding="utf-8")
    assert "<h1><bdi>Triage</bdi></h1>" in page


def test_in_the_report(folder):
    fine("report", *ARGS[3:], "--intended-use", "Teaching.", "-o", "report.html")
    assert ">Model card<" in (folder / "report.html").read_text(encoding="utf-8")


def test_mistakes(folder):
    assert "needs --intended-use" in mistake(*ARGS)
    assert "--labels is for --as page" in mistake(*ARGS, "--labels", "age=Age")
    assert "--risk-of is for --as report" in mistake(*ARGS, "--risk-of", "ill")
    assert "--authors is for --as card" in mistake("report", *ARGS[3:], "--authors", "me")
    assert "a report is HTML" in mistake("report", *ARGS[3:], "--format", "md")
    assert "must end in .md" in mistake(*ARGS, "--intended-use", "x", "-o", "card.pdf")
