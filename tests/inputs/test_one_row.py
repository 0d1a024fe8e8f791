"""One row, of any kind."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from orderless import Space
from orderless.errors import InvalidData
from orderless.inputs import one_row, row_and_cells

SPACE = Space({"a": "numeric", "b": "numeric"})


@pytest.mark.parametrize(
    "row",
    [
        {"a": 1, "b": 2},
        [{"a": 1, "b": 2}],
        [1, 2],
        (1, 2),
        [[1, 2]],
        np.array([1, 2]),
        np.array([[1, 2]]),
        pd.Series({"a": 1, "b": 2}),
        pd.Series([1, 2]),
        pd.DataFrame({"a": [1], "b": [2]}),
        pl.DataFrame({"a": [1], "b": [2]}),
        sparse.csr_matrix([[1, 2]]),
    ],
    ids=lambda row: type(row).__name__,
)
def test_rows_of_every_kind(row):
    rows = one_row(row, SPACE, [0, 1])
    assert rows.n_rows == 1
    assert [float(column[1][0]) for column in rows.columns] == [1, 2]
    assert row_and_cells(row, SPACE)[1] == {"a": 1, "b": 2}


@pytest.mark.parametrize("row", ["text", 3, None, {1, 2}, b"x"])
def test_what_is_no_row(row):
    with pytest.raises(InvalidData, match="cannot read one row from"):
        one_row(row, SPACE, [0])


def test_several_rows_are_refused():
    for rows in ([[1, 2], [3, 4]], pd.DataFrame({"a": [1, 2]}), [{}, {}]):
        with pytest.raises(InvalidData, match="expected one row, got 2: give them one at a time"):
            one_row(rows, SPACE, [0])
