"""Frame in, frame out: results are of the library that came in, with pandas' index."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import column_like, frame_of, is_frame, labels_like, rows_at, table_like

TREE = ol.read(
    {
        "feature": "a",
        "true": {"prediction": "x"},
        "false": {"feature": "b", "true": {"prediction": "y"}, "false": {"prediction": "z"}},
    },
    feature_names=["a", "b"],
)
COLUMNS = {"a": [1.0, 0.0, None], "b": [None, None, 0.0]}
INDEX = ["p", "q", "r"]
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS, index=INDEX),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
}


def plain(column):
    return column.to_pylist() if isinstance(column, pa.ChunkedArray) else column.to_list()


@pytest.mark.parametrize("library", FRAMES)
def test_every_answer_about_rows_is_like_the_rows(library):
    X = FRAMES[library]
    kind = {"pandas": pd.Series, "polars": pl.Series, "pyarrow": pa.ChunkedArray}[library]
    table = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}[library]
    possible = TREE.possible(X)
    leaf = TREE.apply(X)
    odds = TREE.shares(X, [[1, 0], [0, 1], [0, 0]])
    assert isinstance(possible, kind)
    assert isinstance(leaf, kind)
    assert isinstance(odds, table)
    assert [tuple(labels) for labels in plain(possible)] == [("x",), ("y", "z"), ("x", "z")]
    assert [None if pd.isna(i) else i for i in plain(leaf)] == TREE.apply(
        [[1, None], [0, None], [None, 0]]
    ).tolist()
    if library == "pandas":
        for result in (possible, leaf, odds):
            assert list(result.index) == INDEX
        assert list(odds.columns) == list(TREE.classes)


def test_other_rows_give_what_they_gave():
    rows = [[1, None], [0, None], [None, 0]]
    assert TREE.possible(rows) == [("x",), ("y", "z"), ("x", "z")]
    assert isinstance(TREE.apply(rows), np.ma.MaskedArray)
    assert isinstance(TREE.shares(rows, [[1, 0]]), np.ndarray)


def test_what_is_a_frame():
    assert is_frame(FRAMES["pandas"])
    assert is_frame(FRAMES["pyarrow"])
    assert not is_frame([[1]])
    assert frame_of(FRAMES["polars"].lazy()) is None
    with pytest.raises(InvalidData, match="same name; give each its own"):
        frame_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_columns_and_tables_without_a_frame_stay_arrays():
    numbers = np.array([[1.0, 2.0]])
    assert table_like([[0]], numbers, ["a", "b"]) is numbers
    assert column_like([[0]], numbers[0], "a") is not None
    assert labels_like([[0]], np.array([7, 8]), np.array([1])).tolist() == [8]


def test_some_rows_of_every_kind():
    at = np.array([2, 0])
    assert rows_at(FRAMES["pandas"], at).index.tolist() == ["r", "p"]
    assert rows_at(FRAMES["polars"], at)["a"].to_list() == [None, 1.0]
    assert rows_at([1, 2, 3], at) == [3, 1]
    assert rows_at(np.arange(3), at).tolist() == [2, 0]
