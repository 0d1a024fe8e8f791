"""Rows that are refused, and values that would be rounded."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from orderless import Condition, Feature, Space
from orderless.errors import InvalidData, InvalidSpace, InvalidTree
from orderless.inputs import codes_for

from .stumps import BOOLEAN, COLOR, INTEGER, NUMERIC, stump

ONES = sp.coo_array(np.ones(3))


@pytest.mark.parametrize(
    ("tree", "X", "match"),
    [
        (NUMERIC, [0.5, 1.5], "array of 1 dimension"),
        (NUMERIC, np.zeros(3), "one row is \\[row\\]"),
        (NUMERIC, np.zeros((2, 1, 1)), "3 dimension"),
        (NUMERIC, 5, "0 dimension"),
        (NUMERIC, None, "cannot read rows from a NoneType"),
        (NUMERIC, object(), "cannot read rows from an object"),
        (NUMERIC, "x", "got text: 'x'"),
        (NUMERIC, b"x", "got text"),
        (COLOR, ["red", "blue"], "1 dimension"),
        (NUMERIC, [[1, 2]], "X has 2 features, but Space is expecting 1 features as input: 'x'"),
        (NUMERIC, np.empty((0, 2)), "X has 2 features"),
        (NUMERIC, sp.csr_matrix((1, 3)), "X has 3 features"),
        # Before scipy 1.13 every sparse array had two.
        (NUMERIC, ONES, "1 dimension" if ONES.ndim == 1 else "X has 3 features"),
        (NUMERIC, [[1], [2, 3]], "different lengths"),
        (NUMERIC, [[1], 2], "row 1 is 2: a row must be a list"),
        (NUMERIC, [["a"], "b"], "row 1 is 'b'"),
        (NUMERIC, [{"x": 1}, [1]], "row 1 is a list, but others are dicts"),
        (NUMERIC, [{"y": 1}], "row 0 has the unknown feature 'y': the features are 'x'"),
        (NUMERIC, [{"x": 1}, {1: 1}], "row 1 has the unknown feature 1"),
        (NUMERIC, pd.Series([1.0]), "1 dimension"),
        (NUMERIC, pl.LazyFrame({"x": [1.0]}), "LazyFrame.*collected"),
        (NUMERIC, [["1"]], "feature 'x' has the value '1' in row 0: it is numeric, so give num"),
        (NUMERIC, np.array([["1"]]), "'1'.* in row 0"),
        (NUMERIC, np.array([[b"1"]]), "row 0: it is numeric"),
        (NUMERIC, [{"x": [1]}], r"the value \[1\] in row 0"),
        (NUMERIC, [{"x": np.array([1.0, 2.0])}], "the value array"),
        (NUMERIC, [{"x": np.array([1.0])}], "the value array"),
        (NUMERIC, [{"x": 1j}], "the value 1j"),
        (NUMERIC, np.array([[1j]]), "'x' is numeric, its column complex128"),
        (NUMERIC, np.array([["2020-01-01"]], dtype="M8[D]"), "2020-01-01"),
        (NUMERIC, np.array([[3]], dtype="m8[D]"), "timedelta"),
        (NUMERIC, [[10**400]], "the value 1000000"),
        (NUMERIC, pd.DataFrame({"x": ["a"]}), "the value 'a' in row 0"),
        (NUMERIC, pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])}), "Timestamp"),
        (NUMERIC, np.zeros((1, 1), dtype=[("a", "f8")]), "its column"),
        (BOOLEAN, [[2]], "feature 'b' has the value 2.* boolean: 0, 1, False or True"),
        (BOOLEAN, [[0.5]], "the value 0.5 in row 0 and is declared boolean"),
        (BOOLEAN, [[-1]], "the value -1"),
        (BOOLEAN, [[math.inf]], "the value inf"),
        (BOOLEAN, [["yes"]], "'yes' in row 0: it is boolean, so give 0, 1, False or True"),
        (INTEGER, [[1000000.5]], "'n' has the value 1000000.5 in row 0 and is declared integer"),
        (INTEGER, np.array([[0.1]], dtype="f4"), "the value 0.1 in row 0 and is declared integer"),
        (INTEGER, [[math.inf]], "the value inf in row 0 and is declared integer"),
        (INTEGER, [[-math.inf]], "the value -inf in row 0 and is declared integer"),
        (COLOR, [["red"], ["purple"]], "'c' has the value 'purple' in row 1: must be one of 'red'"),
        (COLOR, [["RED"]], "'RED'"),
        (COLOR, [[1]], "the value 1 in row 0"),
        (COLOR, [[b"red"]], "b'red'"),
        (COLOR, [{"c": ["red"]}], r"\['red'\]"),
        (COLOR, [{"c": np.array(["red", "x"])}], "the value array"),
        (COLOR, pd.DataFrame({"c": ["purple"]}, dtype="category"), "'purple'"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_refused(tree, X, match):
    with pytest.raises(InvalidData, match=match):
        tree.predict(X)


def test_columns_that_the_tree_does_not_ask_about_are_not_looked_at():
    tree = stump(Space({"x": "numeric", "c": ["red"]}))
    assert tree.predict([[0.0, "purple"]]).tolist() == [0]


def test_categories_that_look_like_numbers():
    text = stump(Space({"c": ["1", "2"]}), sets={0: [0]})
    assert text.predict([["1"], ["2"]]).tolist() == [0, 1]
    assert text.predict(np.array([["1"], ["2"]])).tolist() == [0, 1]
    with pytest.raises(InvalidData, match="the value 1 in row 0: must be one of '1', '2'"):
        text.predict([[1]])
    number = stump(Space({"c": [1, 2]}), sets={0: [0]})
    for rows in (
        [[1], [2]],
        [[1.0], [2.0]],
        np.array([[1], [2]], "u1"),
        [[np.int8(1)], [True + 1]],
    ):
        assert number.predict(rows).tolist() == [0, 1]
    with pytest.raises(InvalidData, match=r"the value 1\.5 in row 0"):
        number.predict([[1.5]])


def test_unlisted_categories_are_other_where_there_is_other():
    color = Feature("c", "categorical", categories=("red", "blue"), other=True)
    tree = stump(Space([color]), sets={0: [0, 2]})
    assert tree.predict([["red"], ["blue"], ["purple"], [7], [""]]).tolist() == [0, 1, 0, 0, 0]
    with pytest.raises(InvalidData, match=r"\['red'\]"):  # that is no label at all
        tree.predict([{"c": ["red"]}])


LARGE = 2**53 + 1  # no float64
IN_ROW_1 = f"'n' has the value {LARGE} in row 1, which float64 cannot hold .the nearest is {2**53}"


@pytest.mark.parametrize(
    "X",
    [
        [[1], [LARGE]],
        [[1], [LARGE], [2.0]],
        [{"n": 1}, {"n": LARGE}],
        [[Decimal(1)], [Decimal(LARGE)]],
        [[Fraction(1)], [Fraction(LARGE)]],
        np.array([[1], [LARGE]]),
        np.array([[1], [LARGE]], dtype=np.uint64),
        np.array([[1], [LARGE]], dtype=object),
        np.array([[np.int64(1)], [np.int64(LARGE)]], dtype=object),
        np.ma.array([[1], [LARGE]]),
        pd.DataFrame({"n": [1, LARGE]}),
        pd.DataFrame({"n": pd.array([1, LARGE, None], dtype="Int64")}),
        pl.DataFrame({"n": [1, LARGE]}),
        pl.DataFrame({"n": [1, LARGE, None]}),
        pl.DataFrame({"n": [Decimal(1), Decimal(LARGE)]}),
        pa.table({"n": [1, LARGE]}),
        pa.table({"n": [1, LARGE, None]}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_whole_numbers_that_would_be_rounded_are_refused(X):
    """2^53 + 1 is above a threshold of 2^53, and would be read as 2^53."""
    for kind in ("integer", "numeric"):
        with pytest.raises(InvalidData, match=IN_ROW_1):
            stump(Space({"n": kind}), 2.0**53).predict(X)
    single = stump(Space({"n": "float32"}), 2.0**53)  # every row is rounded there
    assert list(codes_for(single.kernel, X)[:2]) == [0, 0]


def test_large_whole_numbers_that_float64_holds():
    for kind in ("integer", "numeric", "float32"):
        tree = stump(Space({"n": kind}), 2.0**53)
        assert tree.predict([[2**53], [2**53 + 2**30], [-(2**63)]]).tolist() == [0, 1, 0]
        X = np.array([[2**62], [-(2**63)], [2**53]])
        assert tree.predict(X).tolist() == [1, 0, 0]
        assert tree.predict(np.array([[2**63]], dtype=np.uint64)).tolist() == [1]
        assert tree.predict([[10.0**300], [0.0]]).tolist() == [1, 0]
    for X, said in (
        (np.array([[2**63 - 1]]), 2**63 - 1),
        (np.array([[2**64 - 1]], dtype=np.uint64), 2**64 - 1),
        ([[10**300]], 10**20),
        ([[Decimal("1e400")]], "1E.400"),
    ):
        with pytest.raises(InvalidData, match=f"{said}.* in row 0, which float64 cannot hold"):
            stump(Space({"n": "numeric"}), 2.0**53).predict(X)


def test_thresholds_that_would_be_rounded_are_refused():
    for threshold in (LARGE, np.int64(LARGE)):
        with pytest.raises(InvalidTree, match=f"threshold holds {LARGE}, which float64 cannot"):
            stump(Space({"n": "integer"}), threshold)
    with pytest.raises(
        InvalidSpace, match=f"a float64, and {LARGE} is not one: the nearest is {2**53}"
    ):
        Condition("n", at_most=LARGE)
    assert Condition("n", at_most=2**60).at_most == 2.0**60


def test_a_value_that_is_not_whole_is_found_in_its_row():
    tree = stump(Space({"n": "integer"}), 2.0)
    X = [[1.0], [math.nan], [3.0], [2.5], [0.5]]
    for rows in (X, np.array(X), np.array(X, dtype="f4"), pd.DataFrame(X, columns=["n"])):
        with pytest.raises(
            InvalidData, match=r"'n' has the value 2\.5 in row 3 and is declared int"
        ):
            tree.predict(rows)
    flag = stump(Space({"n": "boolean"}), 0.0)
    with pytest.raises(InvalidData, match=r"'n' has the value 7\.0 in row 2 and is declared bool"):
        flag.predict([[1], [None], [7]])
