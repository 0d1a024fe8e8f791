"""The workbook to fill in decides as ``predict`` does, recalculated by LibreOffice."""

import csv
import io
import math
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
import showcase

import orderless as ol
from orderless.errors import InvalidParameter, TooLarge

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
HOSTILE = ("=1+2", "+x", "-y", "@z", '=HYPERLINK("http://x")', "plain", "Plain", 'it\'s "q"')


def hostile_tree():
    space = ol.Space({
        "=SUM(A1)": "numeric",
        "@who": ol.Feature("@who", "categorical", categories=HOSTILE, other=True),
        "-flag": "boolean", "n": "integer",
        "dose": ol.Feature("dose", values="float32", nan=True),
    })  # fmt: skip
    rng = np.random.default_rng(3)
    arrays = {k: [] for k in ("feature", "threshold", "when_true", "when_false", "leaf_class",
                              "nan_true")}  # fmt: skip
    sets = {}

    def grow(left):
        node = len(arrays["feature"])
        at = int(rng.integers(5)) if left else -1
        row = (at, [1.5, 0, 0.0, 3.0, 0.1][at] + (at in (0, 3)) * float(rng.integers(4)), -1, -1,
               -1 if left else int(rng.integers(3)), bool(rng.integers(2)))  # fmt: skip
        for name, value in zip(arrays, row, strict=True):
            arrays[name].append(value)
        if left:
            if at == 1:
                sets[node] = np.flatnonzero(rng.random(len(HOSTILE) + 1) < 0.5).tolist()
            arrays["when_true"][node] = grow(left - 1)
            arrays["when_false"][node] = grow(left - 1)
        return node

    grow(4)
    return ol.Tree(space, ["=1+1", "no", "yes"], sets=sets, **arrays)


def cells(path):
    return openpyxl.load_workbook(path)


def test_names_and_labels_are_never_formulas(tmp_path):
    path = tmp_path / "tree.xlsx"
    tree = hostile_tree()
    tree.to_excel(path, units={"n": "=cmd()"})
    book = cells(path)
    assert book.sheetnames == ["Fill in", "Rules", "Lists"]
    texts, formulas = set(), []
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    formulas.append(cell.value)
                elif isinstance(cell.value, str):
                    texts.add(cell.value)
                    assert cell.quotePrefix
    assert {"=SUM(A1)", "@who", "-flag", "=1+2", "=1+1", "=cmd()"} <= texts
    assert all(not any(label in f for label in ("HYPERLINK", "SUM(A1)", "cmd")) for f in formulas)
    names = zipfile.ZipFile(path).namelist()
    assert not any("vba" in name.lower() for name in names)


def test_the_same_tree_gives_the_same_bytes(tmp_path):
    form = showcase.mixed()
    for name in ("a", "b"):
        form.to_excel(tmp_path / f"{name}.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_inputs_are_checked_by_the_sheet(tmp_path):
    hostile_tree().to_excel(tmp_path / "t.xlsx")
    sheet = cells(tmp_path / "t.xlsx")["Fill in"]
    kinds = {str(v.sqref): v.type for v in sheet.data_validations.dataValidation}
    names = {sheet[f"A{row}"].value: f"B{row}" for row in range(6, 11)}
    assert kinds[names["=SUM(A1)"]] == "decimal"
    assert kinds[names["@who"]] == kinds[names["-flag"]] == "list"
    assert kinds[names["n"]] == "whole"


def test_bad_arguments(tmp_path, monkeypatch):
    tree = showcase.mixed().tree
    with pytest.raises(InvalidParameter, match="units has 'nobody'"):
        tree.to_excel(tmp_path / "t.xlsx", units={"nobody": "mm"})
    monkeypatch.setattr("orderless.output.code.excel.MOST_LEAVES", 1)
    with pytest.raises(TooLarge, match="a workbook takes 1"):
        tree.to_excel(tmp_path / "t.xlsx")
    monkeypatch.undo()
    monkeypatch.setattr("orderless.output.code.excel.MOST_FORMULA", 10)
    with pytest.raises(TooLarge, match="a cell takes 10"):
        tree.to_excel(tmp_path / "t.xlsx")
    space = ol.Space({"c": [1, "1"]})
    nodes = {"feature": "c", "relation": "in", "reference": [1], "true": {"prediction": 0},
             "false": {"prediction": 1}}  # fmt: skip
    with pytest.raises(InvalidParameter, match="look the same as text"):
        ol.read_tree(nodes, space=space).to_excel(tmp_path / "t.xlsx")
    assert not (tmp_path / "t.xlsx").exists()


# -- LibreOffice -----------------------------------------------------------------------------------


def recalculated(folder, tree, rows):
    """Fill in one workbook per row, let LibreOffice recalculate all, and read answer and state."""
    office = shutil.which("soffice") or shutil.which("libreoffice")
    assert office, "LibreOffice is not installed: apt-get install libreoffice-calc-nogui"
    tree.to_excel(folder / "blank.xlsx")
    for i, row in enumerate(rows):
        book = cells(folder / "blank.xlsx")
        sheet = book["Fill in"]
        for k, name in enumerate(tree.features):
            value = row.get(name)
            if value is None:
                continue
            feature = tree.space[name]
            if feature.kind == "boolean":
                value = "yes" if value else "no"
            elif isinstance(value, float) and math.isnan(value):
                value = "(missing)"
            elif not feature.ordered and value not in feature.categories:
                value = value if value == "WRONG" else "(other)"
            sheet[f"B{6 + k}"].value = value
            if isinstance(value, str):
                sheet[f"B{6 + k}"].data_type = "s"
        book.save(folder / f"row{i}.xlsx")
    files = [str(folder / f"row{i}.xlsx") for i in range(len(rows))]
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = [
        office,
        profile,
        "--headless",
        "--convert-to",
        "csv",
        "--outdir",
        str(folder),
        *files,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    out = []
    for i in range(len(rows)):
        text = (folder / f"row{i}.csv").read_text(encoding="utf-8")
        lines = list(csv.reader(io.StringIO(text)))
        out.append((lines[0][1], lines[1][1]))
    return out


def random_rows(tree, n):
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(n):
        row = {"=SUM(A1)": float(rng.choice([1.4, 1.5, 1.6, 2.5, 3.5, 4.5, 4.6])),
               "@who": str(rng.choice([*HOSTILE, "unlisted"])), "-flag": bool(rng.integers(2)),
               "n": int(rng.integers(0, 9)),
               "dose": float(rng.choice([0.05, 0.1, 0.2, math.nan]))}  # fmt: skip
        rows.append({k: v for k, v in row.items() if rng.random() < 0.75})
    return rows


@pytest.mark.engine
def test_libreoffice_says_what_predict_says(tmp_path):
    tree = hostile_tree()
    rows = random_rows(tree, 60)
    found = recalculated(tmp_path, tree, rows)
    expected = tree.predict(rows).tolist()
    assert found == [(label, "certain") if label is not None else ("open", "not certain yet")
                     for label in expected]  # fmt: skip
    assert {state for _, state in found} == {"certain", "not certain yet"}


@pytest.mark.engine
def test_libreoffice_with_wrong_inputs_and_numbers(tmp_path):
    tree = hostile_tree()
    wrong = [{"@who": "WRONG"}, {"n": 1.5}, {"=SUM(A1)": "x"}]
    (tmp_path / "a").mkdir()
    found = recalculated(tmp_path / "a", tree, wrong)
    assert found == [("", "check the inputs")] * 3
    numbers = ol.read_rules("x,y,out\n<= 1,-,2.5\n> 1,true,4\n> 1,false,7\n", task="regression")
    (tmp_path / "b").mkdir()
    rows = [{"x": 1}, {"x": 2}, {"x": 2, "y": True}, {"y": False}, {}]
    assert recalculated(tmp_path / "b", numbers, rows) == [
        ("2.5", "certain"), ("4 to 7", "not certain yet"), ("4", "certain"),
        ("2.5 to 7", "not certain yet"), ("2.5 to 7", "not certain yet"),
    ]  # fmt: skip
