"""Proposed spaces: the work that they take, text that reads as numbers, and what is refused."""

import datetime
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from orderless import Feature, Space
from orderless.errors import InvalidData, InvalidSpace
from orderless.inputs import infer as inference
from orderless.inputs.infer import infer_space
from tests.inputs.test_infer import FRAMES

# -- size and errors -----------------------------------------------------------------------------


class Counted(str):
    """A name that counts how often it is compared with another one."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__

    def __str__(self):
        return self


def work_for(n_columns, monkeypatch):
    """How much is done for a table: lines that run, names compared, columns and values looked at.

    The clock of a machine that others use as well says nothing; these numbers are always the same.
    """
    n_features = n_columns // 5
    codes = np.add.outer(np.arange(20), np.arange(n_features)) % 5
    values = np.eye(5, dtype=np.int8)[codes].reshape(20, n_columns)
    names = [Counted(f"f{i // 5}_{i % 5}") for i in range(n_columns)]
    X = pd.DataFrame(values, columns=pd.Index(names, dtype=object))
    lines = together = 0
    own = inference._together

    def counted(columns, ones):
        nonlocal together
        together += len(columns)
        return own(columns, ones)

    def trace(frame, event, _):
        nonlocal lines
        if frame.f_code.co_filename != inference.__file__:
            return None
        lines += event == "line"
        return trace

    monkeypatch.setattr(inference, "_together", counted)
    Counted.comparisons, before = 0, sys.gettrace()
    sys.settrace(trace)
    try:
        found = infer_space(X)
    finally:
        sys.settrace(before)
        monkeypatch.undo()
    assert len(found) == n_features
    return lines, Counted.comparisons, together


def test_work_grows_with_the_columns_and_not_with_their_square(monkeypatch):
    few, many = work_for(1_000, monkeypatch), work_for(4_000, monkeypatch)
    assert few[2] == 1_000  # each column is looked at for one group only
    assert many[2] == 4_000
    for less, more in zip(few, many, strict=True):
        assert more <= 4.4 * less + 100


# -- text that reads as numbers --------------------------------------------------------------------


@pytest.mark.parametrize("frame", [*FRAMES, lambda table: np.array(list(table.values())).T])
@pytest.mark.parametrize(
    ("cells", "odd"),
    [
        (
            ["27.6", "n.d.", "31", "29.5"],
            r"3 of its 4 .* \(not as written: 'n.d.' in row 1\)",
        ),
        (["27,6", "30,1", "31", "29,5"], r"4 of its 4 .*'27,6' in row 0; '30,1' in row 1; '29,5'"),
        (["3,750", "1,200", "900", "<50"], r"3 of its 4 .*'<50' in row 3"),
        (["1.234,5", "2.000,0", "3", "4"], "4 of its 4"),
        (["1", "0", "1", "0"], "4 of its 4 known cells read as numbers: turn"),
        (["1", "1", "1", "a"], "3 of its 4"),  # most cells
        (["1", "2", "a", "a"], "2 of its 4"),  # most different texts
        (["1", "NA", "", "2"], "2 of its 2"),
    ],
)
def test_text_that_mostly_reads_as_numbers_is_refused(frame, cells, odd):
    X = frame({"x0": cells, "x1": ["a", "b", "c", "d"]})
    with pytest.raises(InvalidData, match=rf"column 'x0' holds text, although {odd}"):
        infer_space(X)
    found = infer_space(X, text=["x0"])
    assert found["x0"] == Feature("x0", "categorical", categories=tuple(sorted(set(cells))))


@pytest.mark.parametrize(
    "cells",
    [
        ["east", "west", "7", "north"],
        ["1", "2", "a", "b"],  # half is not most
        ["2020-01-31", "2020-02-01", "x", "y"],
        ["<50", "50-100", ">100", "1"],
        pd.Categorical(["1", "2", "3", "1"]),  # the type says what they are
        [None, None, "a", "b"],
    ],
)
def test_text_that_is_text(cells):
    assert infer_space(pd.DataFrame({"x": cells}))["x"].kind == "categorical"


def test_numbers_among_objects_are_refused_too():
    X = pd.DataFrame({"bmi": np.array([27.6, "n.d.", 31, pd.NA], dtype=object)})
    with pytest.raises(InvalidData, match=r"'bmi' .* 2 of its 3 .*'n.d.' in row 1\)"):
        Space.infer(X)
    assert Space.infer(X, text="bmi")["bmi"].categories == (27.6, 31, "n.d.")
    with pytest.raises(InvalidData, match="text='bim' must be the name of a column"):
        Space.infer(X, text=["bim"])


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (np.zeros((0, 3)), r"ndarray .*shape=\(0, 3\)"),
        (pd.DataFrame({"a": []}), r"DataFrame .*shape=\(0, 1\)"),
        (pd.DataFrame(index=[0, 1]), r"DataFrame .*shape=\(2, 0\)"),
        (pl.DataFrame(), r"DataFrame .*shape=\(0, 0\)"),
        ([], r"list .*shape=\(0,\)"),
        ([1, 2], r"list .*shape=\(2,\)"),
        ([[1, 2], [1]], r"list .*shape=\(2,\)"),
        (pd.Series([1, 2]), r"Series .*shape=\(2,\)"),
        (pl.LazyFrame({"a": [1]}), r"LazyFrame .*shape=\(\)"),
        ({"a": [1]}, r"dict .*shape=\(\)"),
        ("text", r"str .*shape=\(\)"),
    ],
)
def test_what_is_no_table(X, what):
    with pytest.raises(InvalidData, match=f"an? {what}.*: give a data frame"):
        infer_space(X)


@pytest.mark.parametrize(
    ("X", "value"),
    [
        (pd.DataFrame({"d": [datetime.datetime(2020, 1, 1)]}), "Timestamp"),
        (pl.DataFrame({"d": [datetime.date(2020, 1, 1)]}), "date"),
        (pl.DataFrame({"d": [[1], [2]]}), "list"),
        (pd.DataFrame({"d": [np.array([1, 2])]}), "ndarray"),
        (pd.DataFrame({"d": [10**400]}, dtype=object), "int"),
        (pd.DataFrame({"d": [b"a"]}), "bytes"),
        (pd.DataFrame({"d": [1j]}), "complex"),
        (pd.DataFrame({"d": ["a", np.inf]}), "float"),
        (pd.DataFrame({"d": ["a", datetime.date(2020, 1, 1)]}), "date"),
    ],
)
def test_values_that_no_feature_has(X, value):
    with pytest.raises(InvalidData, match=rf"column 'd' has the value .* \({value}\): every cell"):
        infer_space(X)


def test_names_that_are_not_unique():
    with pytest.raises(InvalidData, match=r"have the same name; give each its own.*\n.*'a'"):
        infer_space(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(InvalidSpace, match="two features are named '1'"):
        infer_space(pd.DataFrame([[1, 2]], columns=[1, "1"]))
