"""A category that the tree does not know: any category is possible, and the rows are counted."""

import io
import sqlite3
from contextlib import closing

import narwhals as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import fine, mistake, records, run
from showcase import ask, leaf

import orderless as ol
from orderless.connect import predict_file
from orderless.errors import InvalidData

COLOURS = ("red", "green", "blue")
SHAPES = ("round", "square")
# What the table says, by row: known values, unknown ones, and values that no feature lists.
COLOUR = ["red", "green", "blue", None, "pink", "mauve", "pink", "teal", "plum", "red", "red"]
SHAPE = [
    "round",
    "square",
    "round",
    "square",
    "round",
    "square",
    None,
    "round",
    "round",
    "oval",
    "square",
]


def tree(nan: bool = False) -> ol.Tree:
    """Blue is b whatever the shape; red and green are a if round."""
    space = ol.Space(
        [
            ol.Feature("colour", "categorical", categories=COLOURS, nan=nan),
            ol.Feature("shape", "categorical", categories=SHAPES),
            ol.Feature("size"),
        ]
    )
    warm = ask("colour", "in", ["red", "green"], leaf("a"), leaf("a"))
    cold = ask("colour", "in", ["red"], leaf("c"), leaf("b"))
    return ol.read(ask("shape", "in", ["round"], warm, cold), space=space)


def table(size: bool = True) -> pa.Table:
    columns = {"colour": COLOUR * 3, "shape": SHAPE * 3}
    return pa.table(columns | ({"size": list(range(33))} if size else {}))


def expected(model: ol.Tree) -> list[str | None]:
    """Every way to complete an unseen or missing value, one by one."""
    out = []
    for colour, shape in zip(COLOUR * 3, SHAPE * 3, strict=True):
        rows = [
            {"colour": c, "shape": s}
            for c in ([colour] if colour in COLOURS else COLOURS)
            for s in ([shape] if shape in SHAPES else SHAPES)
        ]
        classes = set(model.predict(rows).tolist())
        out.append(classes.pop() if len(classes) == 1 else None)
    return out


def test_the_example_tells_the_cases_apart():
    assert set(expected(tree())) == {"a", "b", "c", None}


@pytest.mark.parametrize("batch_size", [1, 4, 1000])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_of_all_kinds_agree(tmp_path, ending, batch_size, n_jobs):
    source, target = tmp_path / f"in.{ending}", tmp_path / "out.parquet"
    table().to_pandas().to_csv(tmp_path / "in.csv", index=False)
    pq.write_table(table(), tmp_path / "in.parquet")
    done = predict_file(tree(), source, target, batch_size=batch_size, n_jobs=n_jobs)
    found = pq.read_table(target)
    assert found["prediction"].to_pylist() == expected(tree())
    assert [c or None for c in found["colour"].to_pylist()] == COLOUR * 3  # cells as they came
    assert {name: one.n_rows for name, one in done.unseen.items()} == {"colour": 15, "shape": 3}
    assert done.unseen["colour"].values[:3] == ("pink", "mauve", "teal")
    assert str(done).splitlines()[1:] == [
        "15 rows taken as unknown in 'colour': the tree does not know 'pink', 'mauve', 'teal' and "
        "others",
        "3 rows taken as unknown in 'shape': the tree does not know 'oval'",
    ]


def test_a_pipe_a_dictionary_and_no_pyarrow_agree(tmp_path, monkeypatch):
    text = table().to_pandas().to_csv(index=False).encode()
    out = io.BytesIO()
    piped = predict_file(tree(), io.BytesIO(text), out, format="csv")
    answers = [row["prediction"] or None for row in records(out.getvalue().decode())]
    assert answers == expected(tree())
    coded = table().set_column(0, "colour", table()["colour"].combine_chunks().dictionary_encode())
    pq.write_table(coded, tmp_path / "in.parquet")
    done = predict_file(tree(), tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert done.unseen == piped.unseen
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    again = io.BytesIO()
    assert predict_file(tree(), io.BytesIO(text), again, format="csv").unseen == piped.unseen
    assert again.getvalue() == out.getvalue()


def test_expressions_and_sql_agree():
    form = ol.canonicalize(tree())
    frame = pl.DataFrame(table().to_pydict())
    predicted = nw.from_native(frame).with_columns(form.tree.to_expression())["prediction"]
    assert predicted.to_list() == expected(tree())
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (colour TEXT, shape TEXT, size REAL)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", frame.rows())
        said = base.execute(form.tree.to_sql(dialect="sqlite", table="t")).fetchall()
    assert [row[-1] for row in said] == expected(tree())


def test_unseen_is_unknown_also_where_missing_is_a_value(tmp_path):
    """Missing leads to a leaf of its own there; pink is not missing."""
    model = tree(nan=True)
    pq.write_table(table(), tmp_path / "in.parquet")
    predict_file(model, tmp_path / "in.parquet", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")["prediction"].to_pylist()
    gap = model.predict([{"colour": None, "shape": "square"}]).tolist()[0]
    assert gap == "b"  # the side that is not red
    assert found[3] == gap
    assert found[5] is None


def test_a_feature_with_other_has_no_unseen_values(tmp_path):
    space = ol.Space([ol.Feature("colour", "categorical", categories=COLOURS, other=True)])
    model = ol.read(ask("colour", "in", ["red"], leaf("a"), leaf("b")), space=space)
    (tmp_path / "in.csv").write_text("colour\nred\npink\n")
    done = predict_file(model, tmp_path / "in.csv", tmp_path / "out.csv")
    assert done.unseen == {}
    assert done.n_determined == 2


def test_many_unseen_values_are_counted_and_not_kept(tmp_path):
    n = 5_000
    text = "colour,shape,size\n" + "".join(f"c{i},round,1\n" for i in range(n))
    (tmp_path / "in.csv").write_text(text)
    done = predict_file(tree(), tmp_path / "in.csv", tmp_path / "out.csv", batch_size=999)
    assert done.unseen["colour"].n_rows == n
    assert len(done.unseen["colour"].values) == 4
    assert done.counts["a"] == n  # all colours are a if round


def test_an_error_on_request_and_always_for_other_cells(tmp_path):
    def refused(text, match, **options):
        (tmp_path / "in.csv").write_text(text)
        with pytest.raises(InvalidData, match=match):
            predict_file(tree(), tmp_path / "in.csv", tmp_path / "out.csv", **options)
        assert not (tmp_path / "out.csv").exists()

    refused("colour,shape\nred,round\npink,round\n", "row 2 of in.csv has 'pink'", unseen="error")
    whole = ol.Space({"age": "integer"})
    model = ol.read(ask("age", "<=", 3, leaf("a"), leaf("b")), space=whole)
    (tmp_path / "in.csv").write_text("age\nold\n")
    with pytest.raises(InvalidData, match="has 'old' in the column 'age'"):
        predict_file(model, tmp_path / "in.csv", tmp_path / "out.csv")


def test_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text(tree().to_json())
    text = "colour,shape\npink\x1b,square\nblue,square\n"
    (tmp_path / "in.csv").write_text(text)
    result = run("predict", "model.json", "in.csv", "--no-needed")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["pink\x1b,square,,no", "blue,square,b,yes"]
    assert result.stderr == (
        "1 row taken as unknown in 'colour': the tree does not know 'pink\\x1b'.\n"
    )
    assert run("predict", "model.json", "-", stdin=text.encode()).stderr == result.stderr
    said = mistake("predict", "model.json", "in.csv", "--unseen", "error")
    assert "row 1 of in.csv has" in said
    (tmp_path / "in.csv").write_text("colour,shape\nred,square\n")
    assert "c,yes" in fine("predict", "model.json", "in.csv", "--no-needed")
