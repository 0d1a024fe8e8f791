"""Nothing about data is decided silently: what is guessed is refused or said, and settled."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import fine, mistake

import orderless as ol
from orderless.connect import predict_file
from orderless.connect.tables.table import open_table
from orderless.errors import InvalidData
from orderless.inputs.cell_style import CellStyle, mixture_of

N = 40
BMI = [18 + (7 * i) % N / 2 for i in range(N)]  # all different, in no order
LABEL = ["ill" if value > 28 else "well" for value in BMI]
RULE = "IF bmi > 28.25   THEN ill"


def put(folder, columns, name="t.csv", sign=",", encoding="utf-8"):
    """Write a table, given by its columns."""
    rows = [sign.join(columns), *(sign.join(map(str, row)) for row in zip(*columns.values(),
                                                                         strict=True))]  # fmt: skip
    (folder / name).write_bytes(("\n".join(rows) + "\n").encode(encoding))
    return name


def table(**more):
    """A table whose classes hang on bmi alone."""
    return {"bmi": BMI, "ward": ["east", "west"] * (N // 2), "y": LABEL, **more}


def german(value):
    return f"{value:,.1f}".translate(str.maketrans(",.", ".,"))


def fit(*args):
    return ("fit", args[0], "--target", "y", *args[1:])


def rules(*args):
    said = fine(*fit(*args))
    return said[said.index("IF") :]


# -- numbers that are no numbers ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "said", "settled"),
    [
        ([german(v) for v in BMI], "'18,0' in row 1;", ["--decimal", ","]),
        ([german(v * 100) for v in BMI], "add --decimal , and --thousands .",
         ["--decimal", ",", "--thousands", "."]),
        ([f"{v * 100:,.0f}" for v in BMI], "add --decimal , or --thousands ,",
         ["--thousands", ","]),
        (["n.d.", *BMI[1:]], "as written, 1 does not ('n.d.' in row 1)",
         ["--na", "n.d."]),
        (["n.d.", "<50", *BMI[2:-1], "n.d."], "('n.d.' in row 1 and 1 more; '<50' in row 2)",
         ["--na", "n.d.,<50"]),
        (["n.d.", *BMI[1:]], "--na 'n.d.'",
         ["--na", "bmi=n.d."]),
    ],
)  # fmt: skip
def test_a_number_column_does_not_become_categories(folder, cells, said, settled):
    name = put(folder, table(bmi=cells), sign=";")
    error = mistake(*fit(name, "--delimiter", ";"))
    assert f"the column 'bmi' of {name} would be text, although" in error
    assert said in error
    assert "if the column is text, add --text 'bmi'" in error
    found = rules(name, "--delimiter", ";", *settled)
    assert "IF bmi > 28" in found
    assert "bmi =" not in found
    text = fine(*fit(name, "--delimiter", ";", "--text", "bmi", "-f", "json"))
    assert '"kind": "numeric"' not in text


def test_numbers_as_names_of_wards_are_settled_once(folder):
    name = put(folder, table(ward=["1", "2", "3", "A"] * (N // 4)))
    assert "the column 'ward'" in mistake(*fit(name))
    assert RULE in rules(name, "--text", "ward")


@pytest.mark.parametrize("ward", [["1", "2", "A", "B"], ["2020-01-01", "2020-02-01", "x", "1"]])
def test_half_is_not_most(folder, ward):
    assert RULE in rules(put(folder, table(ward=ward * (N // 4))))


def test_missing_texts_in_the_target_and_for_one_column(folder):
    name = put(folder, {"bmi": [*BMI, -9], "age": [*range(N, 0, -1), -9], "y": [*LABEL, "."]})
    args = ("--na", ".", "--na", "bmi=-9,-99", "-f", "json")
    content = json.loads(fine("data", name, "--target", "y", *args))
    assert [column["missing"] for column in content["columns"]] == [1, 0, 1]
    assert content["rows_left_out"] == 1
    assert {one["class"] for one in content["classes"]} == {"ill", "well"}
    error = mistake(*fit(name, "--na", "bim=-9"))
    assert "--na names the column 'bim', and t.csv has no such column" in error


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (["--na", ""], "names no text"),
        (["--na", '"a'], "is not a list with commas between"),
        (["--decimal", ";"], "--decimal ';' must be one of '.', ','"),
        (["--thousands", "."], "one sign cannot be both: add --decimal ,"),
        (["--thousands", "x"], "must be one of '.', ',', ' '"),
        (["--use", "bim"], "did you mean 'bmi'?): it has 'bmi', 'ward', 'y'. Correct --use"),
        (["--text", "z"], "Correct --text"),
        (["--use", "bmi", "--ignore", "bmi"], "--use and --ignore both name 'bmi'"),
    ],
)
def test_options_that_make_no_sense(folder, given, match):
    assert match in mistake(*fit(put(folder, table()), *given))


def test_cell_style_reads_what_it_says():
    style = CellStyle(missing={None: ["-9"], "a": ["N.D."]}, decimal=",", thousands=" ")
    assert style.number("1\u202f234,5") == 1234.5
    assert [style.missing_in("a", c) for c in ("-9,0", "n.d. ", -9, -9.5, "1")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert not style.missing_in("b", "n.d.")
    for text in ("27.6", "1 23", "12 3456", "x", "1,2,3"):
        with pytest.raises(ValueError, match=r"^$"):
            style.number(text)
    assert mixture_of(["1", "2", "a", "a"]).suspicious
    assert not mixture_of(["1", "2", "a", "b"]).suspicious
    with pytest.raises(InvalidData, match="must be a list of texts"):
        CellStyle(missing="abc")


# -- the same in predictions ----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_predictions_read_cells_in_the_same_way(folder, ending):
    name = put(folder, table())
    fine("fit", name, "--target", "y", "-o", "model.json")
    (folder / "new.csv").write_text("bmi;ward\n27,5;east\n1.128,5;east\n-9;east\n-9,0;x\nn.d.;x\n")
    tree = ol.Tree.from_json((folder / "model.json").read_text())
    options = {"decimal": ",", "thousands": ".", "delimiter": ";"}
    done = predict_file(tree, "new.csv", f"out.{ending}", missing=["-9", "n.d."], **options)
    assert (done.n_rows, done.counts) == (5, {"ill": 1, "well": 1})
    if ending == "jsonl":
        found = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
        assert [row["bmi"] for row in found] == [27.5, 1128.5, None, None, None]
    by_column = predict_file(tree, "new.csv", "b.csv", missing={"bmi": ["-9", "n.d."]}, **options)
    assert by_column.counts == done.counts
    said = fine("predict", "model.json", "new.csv", "--delimiter", ";", "--decimal", ",",
                "--thousands", ".", "--na", "bmi=-9,n.d.")  # fmt: skip
    assert said == (folder / "b.csv").read_text()
    with pytest.raises(InvalidData, match=r"row 5 .*'n.d.' .* If it means missing, add missing='n"):
        predict_file(tree, "new.csv", "no.csv", **options)
    with pytest.raises(InvalidData, match=r"has '27,5' .* If it is a number, add decimal=','"):
        predict_file(tree, "new.csv", "no.csv", delimiter=";")
    with pytest.raises(InvalidData, match="missing= names the column 'bim'"):
        predict_file(tree, "new.csv", "no.csv", missing={"bim": ["1"]}, delimiter=";")


def test_missing_numbers_of_parquet(folder):
    tree = ol.read({"feature": "a", "relation": "<=", "reference": 5,
                         "true": {"prediction": 0}, "false": {"prediction": 1}},
                        feature_names=["a"])  # fmt: skip
    pq.write_table(pa.table({"a": [1.0, -9.0, 7.0, None]}), "in.parquet")
    done = predict_file(tree, "in.parquet", "out.csv", missing=["-9"])
    assert done.counts == {0: 1, 1: 1}


# -- files that are not what they seem ------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark(folder, encoding):
    name = put(folder, table(), encoding=encoding)
    said = mistake(*fit(name))
    assert "has NUL characters in the names of its columns" in said
    assert f"perhaps --encoding {encoding}" in said
    said = mistake(*fit(name, "--encoding", "utf-16"))
    assert "cannot be read with --encoding utf-16" in said
    assert f"perhaps --encoding {encoding}" in said
    assert RULE in rules(name, "--encoding", encoding)
    with pytest.raises(InvalidData, match=f"encoding='{encoding}'"), open_table(name):
        pass
    assert "no encoding 'hex'" in mistake(*fit(name, "--encoding", "hex"))


@pytest.mark.parametrize("values", [[[1], [2], [3], [4]], [{"x": 1}] * 4])
def test_parquet_of_lists_and_structs(folder, values):
    kind = "lists" if isinstance(values[0], list) else "structs"
    pq.write_table(pa.table({"a": [1, 2, 3, 4], "b": values, "y": list("uuvv")}), "in.parquet")
    said = mistake(*fit("in.parquet"))
    assert f"the column 'b' of in.parquet holds {kind}" in said
    assert "leave it out with --ignore" in said
    assert "IF a <= 2.5" in rules("in.parquet", "--ignore", "b")
    assert kind in fine("data", "in.parquet")
    assert kind in mistake("fit", "in.parquet", "--target", "b")
    tree = ol.read({"feature": "b", "true": {"prediction": 0}, "false": {"prediction": 1}},
                        feature_names=["b"])  # fmt: skip
    (folder / "m.json").write_text(tree.to_json())
    for args in (["predict", "m.json", "in.parquet"], ["explain", "m.json", "--rows", "in.parquet"],
                 ["explain", "m.json", "--data", "in.parquet"]):  # fmt: skip
        assert "in row 1" in mistake(*args) or "row 1 of in.parquet has" in mistake(*args)


@pytest.mark.parametrize("args", [["--target", "z"], ["--target", "y", "--use", "z"]])
def test_a_huge_name_is_cut_in_messages(folder, args):
    (folder / "huge.csv").write_text("x" * 3_000_000 + ",y\n1,a\n2,b\n")
    assert len(mistake("fit", "huge.csv", *args)) < 1000
    (folder / "text.csv").write_text("x" * 3_000_000 + ",y\n1,a\n2,b\nn.d.,b\n")
    assert len(mistake("fit", "text.csv", "--target", "y")) < 1000
    assert len(fine("data", "text.csv")) < 3000
    tree = {"feature": 0, "true": {"prediction": 0}, "false": {"prediction": 1}}
    with pytest.raises(InvalidData) as fault:
        predict_file(tree, "huge.csv", "out.csv")
    assert len(str(fault.value)) < 1000


def test_a_quote_in_a_cell_changes_no_answer(folder):
    tall = ["6'5\"" if i == N // 2 else f"{i}" for i in range(N)]
    name, plain = put(folder, table(note=tall)), put(folder, table(note=range(N)), "plain.csv")
    fine("fit", plain, "--target", "y", "--ignore", "note", "-o", "m.json")
    answers = [
        [line.split(",")[-3:] for line in fine("predict", "m.json", file).splitlines()]
        for file in (name, plain)
    ]
    assert answers[0] == answers[1]
    ignore = ("--ignore", "note")
    assert rules(name, *ignore) == rules(plain, *ignore)


def test_reading_starts_no_threads(folder, monkeypatch):
    """A process that ends while pyarrow starts threads is aborted, whatever its exit code is."""
    from pyarrow import csv

    used, read_csv = [], csv.read_csv

    def recorded(*args, **options):
        used.append(options["read_options"].use_threads)
        return read_csv(*args, **options)

    monkeypatch.setattr(csv, "read_csv", recorded)
    fine("data", put(folder, table()))
    assert used == [False]
