"""``orderless predict``: what comes out is what the library says, however the rows come in."""

import io
import json
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from commands import PATIENTS, fine, mistake, on_terminal, patients, records
from showcase import check_golden, mixed, mixed_rows

import orderless as ol
from orderless.connect import predict_file

FIT = ("--target", "diagnosis", "--ignore", "id")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text(mixed().tree.to_json())
    return tmp_path


def write_rows(rows, path="rows.csv", names=("note", "age", "lab value", "smoker", "color")):
    lines = [",".join(names)]
    for i, row in enumerate(rows):
        cells = {"note": f'"0{i}, ""x"""', **row}
        lines.append(",".join("" if cells.get(n) is None else str(cells[n]) for n in names))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def answers(rows):
    form = mixed()
    for row, label in zip(rows, form.predict(rows), strict=True):
        known = {name: value for name, value in row.items() if value is not None}
        sure = label is not np.ma.masked
        needed = () if sure else form.tree.needed(known).settle[0]
        yield (label if sure else None), sure, list(needed)


def many_rows(n):
    draw = random.Random(0)
    return [
        {
            "age": draw.choice([None, 24, 25, 60, 61, draw.randrange(100)]),
            "lab value": draw.choice([None, 0.1, 2.5, 0.10000000149011612, draw.random() * 4]),
            "smoker": draw.choice([None, 0, 1]),
            "color": draw.choice([None, "red", "green", "blue", "grey", "pink"]),
        }
        for _ in range(n)
    ]


@pytest.mark.parametrize("chunk_rows", [1, 7, 100_000])
def test_predictions_are_the_librarys(folder, chunk_rows):
    rows = many_rows(150)
    write_rows(rows)
    said = records(fine("predict", "model.json", "rows.csv", "--chunk-rows", chunk_rows))
    assert [r["note"] for r in said] == [f'0{i}, "x"' for i in range(len(rows))]
    got = [(r["prediction"] or None, r["determined"] == "yes",
            r["needed"].split("; ") if r["needed"] else []) for r in said]  # fmt: skip
    assert got == list(answers(rows))
    assert any(not sure for _, sure, _ in got)
    lines = fine("predict", "model.json", "rows.csv", "--chunk-rows", chunk_rows, "-f", "json")
    got = [json.loads(line) for line in lines.splitlines()]
    assert [(r["prediction"], r["determined"], r["needed"]) for r in got] == list(answers(rows))
    assert [{k: r[k] for k in row} for r, row in zip(got, rows, strict=True)] == rows


def test_cells_pass_as_they_are(folder):
    text = 'id,age,lab value,smoker,color,"a ""b"""\n007,020, 1.50,TRUE,red,"x\ny"\n1e3,,,,,\n'
    (folder / "rows.csv").write_text(text)
    said = fine("predict", "model.json", "rows.csv", "--no-needed")
    (first, second) = mixed().predict(
        [{"age": 20, "lab value": 1.5, "smoker": 1, "color": "red"}, {}]
    )
    assert second is np.ma.masked
    lines = text.split("\n")
    assert said.split("\n") == [
        lines[0] + ",prediction,determined", lines[1], f"{lines[2]},{first},yes",
        f"{lines[3]},,no", "",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "json", "md", "text"])
def test_formats(folder, form):
    rows, _ = mixed_rows()
    write_rows(rows[::11])
    said = fine("predict", "model.json", "rows.csv", "--format", form)
    check_golden(f"cli_predict.{form}", said)
    ending = {"text": "txt", "json": "jsonl"}.get(form, form)
    assert fine("predict", "model.json", "rows.csv", "-o", f"out.{ending}") == ""
    assert (folder / f"out.{ending}").read_text(encoding="utf-8") == said


def test_parquet_in_and_out(folder):
    rows = many_rows(60)
    frame = pd.DataFrame(rows).assign(
        smoker=lambda f: f["smoker"].astype("boolean"), age=lambda f: f["age"].astype("Int16"),
        when=pd.Timestamp("2024-01-01"),
    )  # fmt: skip
    frame.to_parquet("rows.parquet", index=False)
    write_rows(rows, names=("age", "lab value", "smoker", "color"))
    args = ("--chunk-rows", 16)
    fine("predict", "model.json", "rows.parquet", "-o", "out.parquet", *args)
    out = pd.read_parquet("out.parquet", dtype_backend="numpy_nullable")
    pd.testing.assert_frame_equal(
        out[list(frame)], pd.read_parquet("rows.parquet", dtype_backend="numpy_nullable")
    )
    expected = list(answers(rows))
    assert [None if pd.isna(v) else v for v in out["prediction"]] == [e[0] for e in expected]
    assert out["determined"].tolist() == [e[1] for e in expected]
    assert [[] if pd.isna(v) else v.split("; ") for v in out["needed"]] == [e[2] for e in expected]
    fine("predict", "model.json", "rows.csv", "-o", "from_csv.parquet", *args)
    again = pd.read_parquet("from_csv.parquet", dtype_backend="numpy_nullable")
    assert again["prediction"].equals(out["prediction"])
    from_parquet = records(fine("predict", "model.json", "rows.parquet", *args))
    from_csv = records(fine("predict", "model.json", "rows.csv", *args))
    assert [r["needed"] for r in from_parquet] == [r["needed"] for r in from_csv]
    assert "say where to write it" in mistake("predict", "model.json", "rows.csv", "-f", "parquet")


def test_a_parquet_file_cut_in_half(folder):
    pd.DataFrame(many_rows(60)).to_parquet("rows.parquet", index=False)
    content = (folder / "rows.parquet").read_bytes()
    (folder / "half.parquet").write_bytes(content[: len(content) // 2])
    assert "not a complete Parquet file" in mistake(
        "predict", "model.json", "half.parquet", "-o", "out.parquet"
    )
    assert not (folder / "out.parquet").exists()


def test_labels_of_all_types(folder):
    for classes in ([0, 1], [0.5, 1.5], [False, True], ["a", "b"]):
        leaves = {"true": {"prediction": classes[1]}, "false": {"prediction": classes[0]}}
        tree = ol.read({"feature": "x", **leaves}, feature_names=["x"])
        (folder / "t.json").write_text(tree.to_json())
        (folder / "x.csv").write_text("x\n1\n0\n\n")
        fine("predict", "t.json", "x.csv", "-o", "x.parquet")
        out = pd.read_parquet("x.parquet", dtype_backend="numpy_nullable")["prediction"]
        assert out.tolist()[:2] == [classes[1], classes[0]]
        assert type(out[0]) in (type(classes[0]), np.bool_, np.int64, np.float64)
        assert pd.isna(out[2])
        lines = fine("predict", "t.json", "x.csv", "-f", "json").splitlines()
        assert [json.loads(line)["prediction"] for line in lines] == [classes[1], classes[0], None]


def test_standard_input(folder):
    rows = many_rows(5)
    write_rows(rows)
    content = (folder / "rows.csv").read_bytes()
    assert fine("predict", "model.json", "-", stdin=content) == fine(
        "predict", "model.json", "rows.csv"
    )
    assert "standard input is empty" in mistake("predict", "model.json", "-", stdin=b"")


def test_fitted_on_the_spot_as_scikit_learn_does(folder):
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    draw = np.random.default_rng(0)
    X = pd.DataFrame({
        "weight": draw.normal(70, 10, 300).round(2), "height": draw.integers(150, 200, 300),
        "ward": draw.choice(["east", "west", "north & south"], 300),
        "smokes": draw.random(300) < 0.4,
    })  # fmt: skip
    y = np.where((X["weight"] > 75) ^ (X["ward"] == "west") ^ X["smokes"], "ill", "well")
    X.assign(diagnosis=y).to_csv("train.csv", index=False)
    X.to_csv("new.csv", index=False)
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["ward"]), remainder="passthrough"),
        DecisionTreeClassifier(max_depth=5, min_samples_leaf=2, random_state=0),
    ).fit(X, y)
    fit = ("train.csv", "--target", "diagnosis", "--max-depth", 5, "--min-leaf", 2)
    fine("fit", *fit, "-o", "model.json")
    said = records(fine("predict", "model.json", "new.csv"))
    assert [r["prediction"] for r in said] == model.predict(X).tolist()
    kinds = {f.name: f.kind for f in ol.read("model.json").space.features}
    assert kinds == {"weight": "numeric", "height": "numeric", "ward": "categorical",
                     "smokes": "boolean"}  # fmt: skip
    tree = ol.Tree.from_json(fine("fit", *fit, "--infer-kinds", "-o", "-"))
    assert tree.space["height"].values == "integer"
    assert tree.predict(X).tolist() == model.predict(X).tolist()
    saved = (folder / "model.json").read_bytes()
    piped = fine("predict", "-", "new.csv", stdin=saved)
    assert records(piped) == said


def test_one_hot_columns_or_the_feature_itself(folder):
    color = ol.Feature("color", "categorical", categories=("red", "blue"), other=True)
    told = {f"is {c}": ol.Condition("color", among=(c,)) for c in ("red", "blue")}
    space = ol.Space([color], columns=told)
    tree = ol.read({"feature": "is red", "true": {"prediction": 1},
                         "false": {"prediction": 0}}, space=space)  # fmt: skip
    (folder / "t.json").write_text(tree.to_json())
    (folder / "columns.csv").write_text("is red,is blue\n1,0\n,1\n0,\n,\n")
    (folder / "own.csv").write_text("color\nred\nblue\npink\n\n")
    for name in ("columns.csv", "own.csv"):
        said = records(fine("predict", "t.json", name))
        assert [r["prediction"] for r in said] == ["1", "0", "0", ""]
        assert [r["needed"] for r in said] == ["", "", "", "color"]
    (folder / "neither.csv").write_text("x\n1\n")
    assert "has no columns 'is red', 'is blue'" in mistake("predict", "t.json", "neither.csv")


def test_which_rows(folder):
    assert "Missing argument 'ROWS'" in mistake("predict", "model.json")
    assert "standard input is one file" in mistake("predict", "-", "-")


def test_memory_does_not_grow_with_the_file(folder):
    """Ten times the rows, and the same memory, but for a little that the allocator keeps."""
    line = b"some text that is passed on,33,1.25,0,red\n"
    head = b"note,age,lab value,smoker,color\n"
    (folder / "small.csv").write_bytes(head + line * 20_000)
    (folder / "large.csv").write_bytes(head + line * 200_000)
    peaks = []
    code = (
        "import resource, sys; from orderless.cli.app import app\n"
        "try: app()\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    for name in ("small.csv", "large.csv"):
        command = [sys.executable, "-c", code, "predict", "model.json", name,
                   "--chunk-rows", "5000", "-o", "out.csv"]  # fmt: skip
        out = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(out.stderr))
    assert (folder / "out.csv").stat().st_size > 200_000 * len(line)
    assert peaks[1] < peaks[0] + 30 * 1024  # kB; all rows at once would take more than 100 MB


def test_progress_is_for_people(folder):
    """On a terminal a summary is shown, on stderr; the rows on stdout are the same."""
    write_rows(many_rows(50))
    code, out, shown = on_terminal("predict", "model.json", "rows.csv")
    assert code == 0
    sure = sum(sure for _, sure, _ in answers(many_rows(50)))
    assert f"{sure} of 50 rows are determined" in shown
    assert out.decode() == fine("predict", "model.json", "rows.csv")


def test_quotes_and_gaps_of_patients(folder):
    patients(folder)
    fine("fit", "patients.csv", *FIT, "-o", "model.json")
    said = records(fine("predict", "model.json", "patients.csv"))
    assert [r["prediction"] for r in said] == [r["diagnosis"] for r in said]
    gaps = io.StringIO(PATIENTS.replace("61,31.5", ",").replace("True,east", "?,NA")).getvalue()
    (folder / "gaps.csv").write_text(gaps)
    first = records(fine("predict", "model.json", "gaps.csv"))[0]
    assert (first["determined"], first["prediction"]) == ("no", "")
    assert first["needed"]


# -- one way through the house -------------------------------------------------------------------


@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "md", "parquet", "txt"])
def test_the_command_is_the_function(folder, source, ending):
    rows = many_rows(80)
    write_rows(rows, names=("age", "lab value", "smoker", "color"))
    pd.DataFrame(rows).to_parquet("rows.parquet", index=False)
    for needed in ("smallest", "next", "none"):
        fine("predict", "model.json", source, "-o", f"one.{ending}", "--needed", needed)
        predict_file(mixed(), source, f"two.{ending}",
                        needed=None if needed == "none" else needed)  # fmt: skip
        one, two = (folder / f"{name}.{ending}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    with pytest.raises(ol.errors.InvalidData) as fault:
        predict_file(mixed(), "two.csv" if ending == "csv" else "model.json", "x.csv")
    assert str(fault.value).partition("names=")[0] in mistake(
        "predict", "model.json", "two.csv" if ending == "csv" else "model.json"
    )


def test_types_in_json(folder):
    """What the space holds for numbers is a number, unknown is null, the rest is text."""
    space = ol.Space([ol.Feature("n", values="integer"), ol.Feature("x"),
                      ol.Feature("b", "boolean"), ol.Feature("not asked"),
                      ol.Feature("c", "categorical", categories=("a", 2), other=True)])  # fmt: skip
    tree = ol.read(
        {
            "feature": "x",
            "relation": "<=",
            "reference": 1,
            "true": {"prediction": 1},
            "false": {"prediction": 0},
        },
        space=space,
    )
    (folder / "t.json").write_text(tree.to_json())
    (folder / "in.csv").write_text(
        "id,n,x,b,not asked,c\n007,12,1.50,yes,3,2\n1,NA,-2,0,many,a\n,,inf,?,unknown,pink\n"
    )
    lines = fine("predict", "t.json", "in.csv", "-f", "json", "--no-needed").splitlines()
    head = [line.partition(', "prediction"')[0] for line in lines]
    assert head == [
        '{"id": "007", "n": 12, "x": 1.5, "b": true, "not asked": 3, "c": 2',
        '{"id": "1", "n": null, "x": -2, "b": false, "not asked": "many", "c": "a"',
        '{"id": "", "n": null, "x": "inf", "b": null, "not asked": null, "c": "pink"',
    ]


def test_words_for_unknown(folder):
    """In small and capital letters; the same in the command and in the function."""
    words = ["", "?", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null",
             "Null", "unknown", "UNKNOWN", "None", " na "]  # fmt: skip
    tree = ol.read({"feature": "x", "relation": "<=", "reference": 1,
                         "true": {"prediction": 1}, "false": {"prediction": 0}},
                        feature_names=["x"])  # fmt: skip
    (folder / "t.json").write_text(tree.to_json())
    (folder / "in.csv").write_text("i,x\n" + "".join(f"{i},{w}\n" for i, w in enumerate(words)))
    said = records(fine("predict", "t.json", "in.csv"))
    assert [(r["x"], r["determined"]) for r in said] == [(word, "no") for word in words]
    for word in ("none", "nothing", "-", "."):
        (folder / "in.csv").write_text(f"i,x\n1,2\n2,{word}\n")
        assert f"row 2 of in.csv has {word!r}" in mistake("predict", "t.json", "in.csv")


@pytest.mark.parametrize("name", ["out.csv.gz", "out.xlsx"])
def test_an_ending_that_would_say_something_else(folder, name):
    write_rows(many_rows(3))
    said = mistake("predict", "model.json", "rows.csv", "-o", name)
    assert "must end in one of .csv, .json," in said
    assert not (folder / name).exists()
    fine("predict", "model.json", "rows.csv", "-o", "out.dat", "--format", "csv")
    fine("predict", "model.json", "rows.csv", "-o", "out")
    assert (folder / "out.dat").read_text() == (folder / "out").read_text()


def test_new_names(folder):
    write_rows(many_rows(3))
    said = fine("predict", "model.json", "rows.csv", "--names", "class,sure,ask")
    assert said.splitlines()[0].endswith(",class,sure,ask")
    (folder / "again.csv").write_text(said)
    assert "has a column 'sure' already" in mistake(
        "predict", "model.json", "again.csv", "--names", "a,sure,b"
    )
    assert "give three different names" in mistake(
        "predict", "model.json", "rows.csv", "--names", "a,b"
    )
    for names in ("a,b", "a,b,c"):  # there is no third column, so two names suffice
        said = fine("predict", "model.json", "rows.csv", "--names", names, "--no-needed")
        assert said.splitlines()[0].endswith(",color,a,b")


def test_no_answers_before_all_rows_are_read_are_kept(folder):
    """An error in the last of many parts leaves no file, and names the row."""
    write_rows(many_rows(100))
    with open("rows.csv", "a", encoding="utf-8") as file:
        file.write("x,20,high,0,red\n")
    before = sorted(folder.iterdir())
    said = mistake("predict", "model.json", "rows.csv", "-o", "out.csv", "--chunk-rows", 9)
    assert "row 101 of rows.csv has 'high' in the column 'lab value'" in said
    assert sorted(folder.iterdir()) == before
