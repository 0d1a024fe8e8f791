"""Rows of every kind, unknown values, data frames: against all completions."""

import math

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

from orderless import Condition, Feature, Space
from orderless.errors import InvalidData
from orderless.inputs import rows_for

from .stumps import BOOLEAN, COLOR, INTEGER, NUMERIC, X1, plain, stump

# -- Theorem 3.2: every kind of rows, against all completions ---------------------------------


@given(problems(max_features=3), st.data())
@settings(max_examples=200)
def test_theorem_3_2_masked_iff_completions_disagree(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = [data.draw(partial_rows(kinds, spec)) for _ in range(4)]
    expected = []
    for row in rows:
        possible = oracle.possible_classes(kinds, row, spec)
        expected.append(possible.pop() if len(possible) == 1 else None)
    got = tree.predict(rows)
    assert got.tolist() == expected
    assert got.dtype == tree.kernel.labels.dtype
    table = [[row[name] for name in kinds] for row in rows]
    assert tree.predict(table).tolist() == expected
    assert tree.predict(np.array(table, dtype=object)).tolist() == expected
    left_out = [{k: v for k, v in row.items() if v is not None} for row in rows]
    assert tree.predict(left_out).tolist() == expected
    frame = pd.DataFrame({name: pd.Series([r[name] for r in rows], dtype=object) for name in kinds})
    assert plain(tree.predict(frame)) == expected
    columns = {name: [r[name] for r in rows] for name in kinds}
    assert plain(tree.predict(pl.DataFrame(columns, strict=False))) == expected
    assert plain(tree.predict(pa.table(columns))) == expected
    possible = tree.kernel.reach(rows_for(tree.kernel, rows), all_classes=True).possible.reshape(
        len(rows), -1
    )
    classes = [tree.kernel.labels[flags.astype(bool)].tolist() for flags in possible]
    assert [set(c) for c in classes] == [oracle.possible_classes(kinds, r, spec) for r in rows]


@given(problems(max_features=3))
@settings(max_examples=50)
def test_complete_rows_of_all_cells_in_every_layout(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = list(oracle.cells(kinds, spec))
    expected = [oracle.decide(spec, row, oracle.float32_names(kinds)) for row in rows]
    assert tree.predict(rows).tolist() == expected
    leaves = tree.apply(rows)
    assert not np.ma.getmaskarray(leaves).any()
    assert [tree.classes[tree.nodes.leaf_class[leaf]] for leaf in leaves.tolist()] == expected
    if any(isinstance(kind, tuple) and isinstance(kind[0], str) for kind in kinds.values()):
        return
    table = np.array([[float(v) for v in row.values()] for row in rows])
    wide = np.zeros((2 * len(table), 3 * table.shape[1]))
    wide[::2, ::3] = table
    for layout in (
        table,
        np.asfortranarray(table),
        wide[::2, ::3],
        table[::-1][::-1],
        np.flip(np.flip(table, 1).copy(), 1),
        table.astype(">f8"),
        table.astype(np.longdouble),
        sp.csr_matrix(table),
        sp.csc_array(table),
        table.tolist(),
        [tuple(row) for row in table],
        list(table),
        (row for row in table.tolist()),
    ):
        assert tree.predict(layout).tolist() == expected
    packed = np.zeros(len(table), dtype=[("row", "<f8", (table.shape[1],)), ("odd", "i1")])
    packed["row"] = table
    assert tree.predict(packed["row"]).tolist() == expected
    single = table.astype(np.float32)
    shown = [dict(zip(kinds, row, strict=True)) for row in single.astype(float).tolist()]
    rounded = [oracle.decide(spec, row, oracle.float32_names(kinds)) for row in shown]
    assert tree.predict(single).tolist() == rounded


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, bool, np.float16, object])
def test_arrays_of_every_type(dtype):
    for tree in (NUMERIC, BOOLEAN, INTEGER):
        assert tree.predict(np.array([[0], [1]], dtype=dtype)).tolist() == [0, 1]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices():
    assert NUMERIC.predict(np.asmatrix([[0.0], [1.0]])).tolist() == [0, 1]
    assert COLOR.predict(np.asmatrix([["red"], ["green"]])).tolist() == [0, 1]


def test_infinities_are_numbers():
    for values in ("float64", "float32"):
        for cut in (0.0, 3.4028234663852886e38, -3.4028234663852886e38):
            tree = stump(Space({"x": "numeric" if values == "float64" else values}), cut)
            assert tree.predict([[-math.inf], [math.inf]]).tolist() == [0, 1]
            assert tree.predict(np.array([[-np.inf], [np.inf]], "f4")).tolist() == [0, 1]


def test_thresholds_to_the_last_bit():
    for cut in (0.1, 1e-300, -2.5, 2.0**53):
        tree = stump(X1, cut)
        beside = [math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf)]
        assert tree.predict([[x] for x in beside]).tolist() == [0, 0, 1]
    single = oracle.as_float32(0.1)
    tree = stump(Space({"x": "float32"}), single)
    middle = (single + oracle.float32_neighbours(single)[1]) / 2
    rows = [single, math.nextafter(middle, 0), math.nextafter(middle, 1)]
    assert tree.predict([[x] for x in rows]).tolist() == [0, 0, 1]


def test_no_rows():
    for empty in (
        [],
        (),
        np.empty((0, 1)),
        np.empty((0, 1), dtype=object),
        sp.csr_matrix((0, 1)),
        pd.DataFrame({"x": []}),
        pl.DataFrame({"x": []}),
        pa.table({"x": []}),
    ):
        assert plain(NUMERIC.predict(empty)) == []
    told = Space(
        [Feature("c", "categorical", categories=("a", "b"))],
        columns={"a": Condition("c", among=("a",)), "c": "c"},
    )
    assert stump(told, sets={0: [0]}).predict(np.empty((0, 2))).tolist() == []


# -- unknowns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "nothing",
    [
        None,
        math.nan,
        np.nan,
        np.float32("nan"),
        pd.NA,
        pd.NaT,
        np.datetime64("NaT", "ns"),
        np.ma.masked,
    ],
    ids=repr,
)
def test_every_way_to_say_unknown(nothing):
    for tree, name, known in ((NUMERIC, "x", 1), (BOOLEAN, "b", True), (COLOR, "c", "red")):
        if nothing is np.ma.masked:
            rows = np.ma.array([[known], [known]], mask=[[True], [False]], dtype=object)
            assert tree.predict(rows).mask.tolist() == [True, False]
            continue
        assert tree.predict([{name: nothing}, {name: known}]).mask.tolist() == [True, False]
        assert tree.predict(np.array([[nothing]], dtype=object)).mask.tolist() == [True]
        assert tree.predict([[nothing], [known]]).mask.tolist() == [True, False]


def test_masked_arrays_of_numbers():
    rows = np.ma.array([[0.0], [1.0], [0.0]], mask=[[True], [False], [False]])
    assert NUMERIC.predict(rows).tolist() == [None, 1, 0]
    assert NUMERIC.predict(np.ma.array([[0], [1]])).tolist() == [0, 1]


def test_dates_that_are_nothing():
    assert NUMERIC.predict(np.array([["NaT"]], dtype="M8[D]")).tolist() == [None]


def test_nan_as_a_value_is_not_unknown():
    space = Space(
        [Feature("x", nan=True), Feature("c", "categorical", categories=("a",), nan=True)]
    )
    known = stump(space, math.inf)
    assert known.predict([[math.nan, None], [math.inf, None], [-math.inf, "a"]]).tolist() == [
        1,
        0,
        0,
    ]
    missing = stump(space, -math.inf, nan_true=[1, 0, 0])
    assert missing.predict([[math.nan, 0], [-math.inf, 0]]).tolist() == [0, 1]
    listed = stump(space, feature=1, sets={0: [0]})
    assert listed.predict([[0, "a"], [0, None], [0, math.nan]]).tolist() == [0, 1, 1]


def test_what_a_dict_leaves_out_is_unknown_whatever_the_other_rows_say():
    space = Space(
        [Feature("x", nan=True), Feature("c", "categorical", categories=("a",), nan=True)]
    )
    known, listed = stump(space, math.inf), stump(space, feature=1, sets={0: [0]})
    for rows in ([{}], [{}, {"x": 1, "c": "a"}], [{}, {"x": None, "c": None}]):
        assert known.predict(rows).tolist()[0] is None
        assert listed.predict(rows).tolist()[0] is None
    assert known.predict([{}, {"x": None}, {"x": 1}]).tolist() == [None, 1, 0]
    assert listed.predict([{}, {"c": None}, {"c": "a"}]).tolist() == [None, 1, 0]


# -- data frames ------------------------------------------------------------------------------

MIXED = Space({"x": "numeric", "n": "integer", "b": "boolean", "c": ["red", "blue"]})
TREES = [stump(MIXED, feature=0), stump(MIXED, feature=1), stump(MIXED, feature=2),
         stump(MIXED, feature=3, sets={0: [0]})]  # fmt: skip
TABLE = {
    "x": [0.0, 1.0, None],
    "n": [0, 1, None],
    "b": [False, True, None],
    "c": ["red", "blue", None],
}
FRAMES = {
    "pandas objects": lambda: pd.DataFrame(TABLE, dtype=object),
    "pandas default": lambda: pd.DataFrame(TABLE),
    "pandas nullable": lambda: pd.DataFrame(TABLE).astype(
        {"x": "Float64", "n": "Int64", "b": "boolean", "c": "string"}
    ),
    "pandas arrow": lambda: pd.DataFrame(TABLE).astype(
        {"x": "float[pyarrow]", "n": "int8[pyarrow]", "b": "bool[pyarrow]", "c": "string[pyarrow]"}
    ),
    "pandas categories": lambda: pd.DataFrame(TABLE).astype(
        {"c": "category", "n": "category", "b": "category"}
    ),
    "pandas float32": lambda: pd.DataFrame(TABLE).astype({"x": "float32", "n": "Float32"}),
    "pandas sparse": lambda: pd.DataFrame(TABLE).astype({"x": pd.SparseDtype("float64")}),
    "polars": lambda: pl.DataFrame(TABLE),
    "polars categories": lambda: pl.DataFrame(TABLE).with_columns(
        pl.col("c").cast(pl.Enum(["blue", "red"])),
        pl.col("x").cast(pl.Decimal(10, 2)),
        pl.col("n").cast(pl.UInt8),
    ),
    "polars nan": lambda: pl.DataFrame({**TABLE, "x": [0.0, 1.0, math.nan]}),
    "pyarrow": lambda: pa.table(TABLE),
    "pyarrow dictionary": lambda: pa.table(
        {**TABLE, "c": pa.array(TABLE["c"]).dictionary_encode(), "x": pa.array(TABLE["x"], "f4")}
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_data_frames(kind):
    frame = FRAMES[kind]()
    for tree in TREES:
        assert plain(tree.predict(frame)) == [0, 1, None]


@pytest.mark.parametrize(
    ("classes", "pandas", "polars"),
    [
        ((3, 7), "Int64", pl.Int64),
        ((False, True), "boolean", pl.Boolean),
        (("no", "yes"), "string", pl.String),
        (("a\0", "a"), "string", pl.String),
        ((0.5, 1.5), "Float64", pl.Float64),
        ((1, 1.5), "Float64", pl.Float64),
        ((2**63, 2**63 + 1), "UInt64", pl.UInt64),
    ],
)
def test_results_are_nullable_and_of_the_labels_type(classes, pandas, polars):
    tree = stump(X1, classes=classes)
    index = pd.Index(["r", "s", "t"], name="patient")
    series = tree.predict(pd.DataFrame({"x": [0.0, None, 1.0]}, index=index))
    assert series.dtype == pandas
    assert series.index.equals(index)
    assert series.index.name == "patient"
    assert series.name == "prediction"
    assert plain(series) == [classes[0], None, classes[1]]
    out = tree.predict(pl.DataFrame({"x": [0.0, None, 1.0]}))
    assert isinstance(out, pl.Series)
    assert out.dtype == polars
    assert out.to_list() == [classes[0], None, classes[1]]
    arrow = tree.predict(pa.table({"x": [0.0, None, 1.0]}))
    assert arrow.to_pylist() == [classes[0], None, classes[1]]
    masked = tree.predict([[0.0], [None], [1.0]])
    assert masked.dtype == tree.kernel.labels.dtype
    assert masked.tolist() == [classes[0], None, classes[1]]


def test_labels_that_no_column_type_holds():
    tree = stump(X1, classes=(2**80, -1))
    assert tree.predict([[0.0], [1.0]]).tolist() == [2**80, -1]
    for frame in (pd.DataFrame({"x": [0.0]}), pl.DataFrame({"x": [0.0]})):
        with pytest.raises(InvalidData, match="fit no column type"):
            tree.predict(frame)


def test_a_multi_index_and_repeated_labels_are_kept():
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 1)])
    assert NUMERIC.predict(pd.DataFrame({"x": [0.0, 1.0]}, index=index)).index.equals(index)


def test_frames_go_by_name():
    tree = stump(Space({"x": "numeric", "y": "numeric"}))
    frame = pd.DataFrame({"extra": ["?"], "y": [9.0], "x": [0.0]})
    assert plain(tree.predict(frame)) == [0]
    assert plain(tree.predict(frame[["x"]])) == [0]  # y is not asked about
    with pytest.raises(InvalidData, match="lacks the column 'x'; it has 'extra', 'y'"):
        tree.predict(frame[["extra", "y"]])
    with pytest.raises(InvalidData, match="lacks the column 'x'; it has 0, 1"):
        tree.predict(pd.DataFrame([[0.0, 9.0]]))
    with pytest.raises(InvalidData, match="have the same name"):
        tree.predict(pd.DataFrame([[0.0, 9.0]], columns=["x", "x"]))
