"""``orderless export``: the workbook; the other formats are in test_app.py."""

import pytest
from commands import mistake, run

import orderless as ol

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.json").write_text(ol.read_rules("x,then\n<= 5,a\n> 5,b\n").to_json())
    return tmp_path


def test_a_workbook_is_written(folder):
    for name, options in (("a.xlsx", ()), ("b.bin", ("--format", "xlsx"))):
        result = run("export", "tree.json", "--output", name, *options)
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
    assert (folder / "a.xlsx").read_bytes() == (folder / "b.bin").read_bytes()
    assert openpyxl.load_workbook("a.xlsx")["Fill in"]["A6"].value == "x"


def test_a_workbook_is_not_for_terminals(folder):
    assert "add --output FILE.xlsx" in mistake("export", "tree.json", "--format", "xlsx")


def test_a_folder_of_spark_is_a_model(folder):
    (folder / "saved" / "metadata").mkdir(parents=True)
    assert "saved" in mistake("export", "saved")
    (folder / "other").mkdir()
    assert "is a folder" in mistake("export", "other")
