"""Whole numbers beyond 2^53 are never rounded in silence, whoever cuts them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import Binarizer

BIG = 2**53
ROWS = [[BIG, 0.5], [BIG + 1, 0.25], [BIG + 2, 0.5], [BIG + 3, 0.75]]
Y = [0, 1, 0, 1]
TABLES = {
    "frame": pd.DataFrame({"n": [row[0] for row in ROWS], "x": [row[1] for row in ROWS]}),
    "polars": pl.DataFrame({"n": [row[0] for row in ROWS], "x": [row[1] for row in ROWS]}),
    "integers": np.array([[row[0]] for row in ROWS]),
    "one column": pd.DataFrame({"n": [row[0] for row in ROWS]}),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("thresholds", ["all", 2])
def test_sets_refuse_what_float64_cannot_hold(table, thresholds):
    rset = ol.RashomonSet(2, 0.01, 0.5, thresholds=thresholds)
    with pytest.raises(InvalidData, match=f"{BIG + 1}"):
        rset.fit(TABLES[table], Y)


def test_sets_take_what_float64_holds():
    X = pd.DataFrame({"n": [BIG, BIG + 2, BIG + 4, BIG + 6]})
    rset = ol.RashomonSet(1, 0.01, 0.0, thresholds="all", space=ol.Space({"n": int}))
    assert rset.fit(X, [0, 0, 1, 1]).predict(X).tolist() == [0, 0, 1, 1]
    rounded = ol.Space({"n": ol.Feature("n", values="float32")})
    rset = ol.RashomonSet(1, 0.01, 0.0, thresholds="all", space=rounded)
    far = pd.DataFrame({"n": [BIG + 1, BIG + 3, 2**60 + 1, 2**60 + 3]})
    assert rset.fit(far, [0, 0, 1, 1]).trees_.best_tree.predict(far).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("binarizer", [Binarizer("all"), Binarizer((0.33, 0.66)),
                                       Binarizer(n_estimators=2)])  # fmt: skip
def test_binarizers_refuse_what_float64_cannot_hold(binarizer):
    with pytest.raises(InvalidData, match=f"{BIG + 1}"):
        binarizer.fit(TABLES["frame"], Y)
    with pytest.raises(InvalidData, match=f"{BIG + 1}"):
        ol.RashomonSet(2, 0.01, 0.5, thresholds=binarizer).fit(TABLES["frame"], Y)
    fitted = binarizer.fit(pd.DataFrame({"n": [1, 2, 3, 4], "x": [0.5, 0.25, 0.5, 0.75]}), Y)
    with pytest.raises(InvalidData, match=f"{BIG + 1}"):
        fitted.transform(TABLES["frame"])


def test_what_cannot_be_cut_is_said_truly():
    """Both values differ, and no quantile below the largest lies between them."""
    with pytest.raises(InvalidData, match="no column is left") as told:
        ol.RashomonSet(1, 0.01, 0.5, thresholds=1).fit([[1.5], [2.5], [2.5], [2.5]], Y)
    assert "vary" in str(told.value)


def test_tables_of_functions_are_equal_where_they_hold_the_same():
    X = [[0, 1], [1, 0], [1, 1], [0, 0]]
    fit = ol.RashomonSet(2, 0.01, 0.5).fit
    one, same, other = (fit(X, y).trees_.functions().table() for y in (Y, Y, [0, 0, 1, 1]))
    assert one == one
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "table"
