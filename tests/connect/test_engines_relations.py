"""DuckDB relations and Dask data frames, as far as they need only pip; Spark: test_engines.py."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import showcase
import tables

import orderless as ol
from orderless.errors import InvalidData


def test_duckdb_relations_from_files(tmp_path):
    """A relation over a Parquet file, and what is made of it further on."""
    import duckdb
    from orderless.duckdb import predict

    tree, table, class_, needed = tables.large(True)
    numbered = table.append_column("row_", pa.array(range(table.num_rows)))
    pq.write_table(numbered, tmp_path / "in.parquet")
    with duckdb.connect() as base:
        rows = base.read_parquet(str(tmp_path / "in.parquet"))
        out = predict(tree, rows, needed="next", names=('my "class"', "ask"),
                      shape="tree")  # fmt: skip
        assert out.columns == [*numbered.column_names, 'my "class"', "ask"]
        found = out.order("row_").to_arrow_table()
    assert found['my "class"'].to_pylist() == class_
    assert found["ask"].to_pylist() == needed


def test_duckdb_names_are_checked():
    import duckdb
    from orderless.duckdb import predict

    form = showcase.mixed()
    rows = duckdb.sql("SELECT 1 AS age, 2 AS \"lab value\", true AS smoker, 'red' AS color")
    taken = {"names": ("prediction", "Prediction"), "needed": "next"}
    for options in ({"names": ("AGE",)}, taken, {"names": (3, "ask")}):
        with pytest.raises(InvalidData, match="already, or that is no name: choose another"):
            predict(form, rows, **options)
    with pytest.raises(ValueError, match="needed must be 'next' or None, got 'ask'"):
        predict(form, rows, needed="ask")
    for names in ("prediction", ("a",), ("a", "b", "c")):
        with pytest.raises(ValueError, match="names must be the names of two columns"):
            predict(form, rows, needed="next", names=names)
    with pytest.raises(duckdb.BinderException, match="nowhere"):
        predict(form, rows, columns={"age": "nowhere"}).fetchall()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dask_without_a_cluster():
    import dask.dataframe as dd
    from orderless.dask import predict

    form, X, _ = showcase.iris()
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    frame = dd.from_pandas(X, npartitions=3)
    lazy = predict(form, frame, needed="next", names=("species", "ask"))
    assert list(lazy.columns) == [*X.columns, "species", "ask"]
    out = lazy.compute(scheduler="synchronous")
    assert dict(out.dtypes) == dict(lazy.dtypes)
    pd.testing.assert_series_equal(out["species"], form.predict(X), check_names=False)
    pd.testing.assert_series_equal(out["ask"], form.tree.ask_next(X), check_names=False)
    with pytest.raises(InvalidData, match=r"has a column 'petal width .* already"):
        predict(form, frame, names=("petal width (cm)",))
    with pytest.raises(InvalidData, match="the data frame lacks the column 'petal width"):
        predict(form, frame[["sepal length (cm)"]])


def test_files_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.pq").write_bytes(b"PAR1")
    with pytest.raises(
        ImportError, match=r"reading a.pq, a Parquet file, needs pyarrow: pip install"
    ):
        ol.predict_file(showcase.mixed(), tmp_path / "a.pq", tmp_path / "b.csv")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_in_memory(kind):
    """predict and ask_next take them as they are."""
    import polars as pl

    tree, table, class_, needed = tables.large(False)
    part = table.slice(0, 2_000)
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype(),
                pa.string(): pd.StringDtype()}  # fmt: skip
    frame = {
        "pandas": lambda: part.to_pandas(types_mapper=nullable.get),
        "polars": lambda: pl.from_arrow(part),
        "pyarrow": lambda: part,
    }[kind]()
    for found, wanted in ((tree.predict(frame), class_), (tree.ask_next(frame), needed)):
        values = found.to_pylist() if kind == "pyarrow" else found.to_list()
        assert [None if pd.isna(value) else value for value in values] == wanted[:2_000]
