import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless import Condition, Feature, Space, Tree
from orderless.errors import InvalidData, InvalidSpace, InvalidTree
from orderless.inputs import is_unknown, read_rows


def stump(space, threshold=0.5, classes=(0, 1), feature=0, sets=None, nan_true=None):
    return Tree(
        space,
        classes,
        feature=[feature, -1, -1],
        threshold=[threshold, 0, 0],
        when_true=[1, -1, -1],
        when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
        sets=sets,
        nan_true=nan_true,
    )


X1 = Space({"x": "numeric"})
ONES = sp.coo_array(np.ones(3))
NUMERIC = stump(X1)
BOOLEAN = stump(Space({"b": "boolean"}))
INTEGER = stump(Space({"n": "integer"}))
COLOR = stump(Space({"c": ["red", "green", "blue"]}), sets={0: [0, 2]})


def plain(predicted):
    """Labels, and None where masked."""
    if hasattr(predicted, "to_list"):
        return [None if is_unknown(v) else v for v in predicted.to_list()]
    if hasattr(predicted, "to_pylist"):
        return predicted.to_pylist()
    return predicted.tolist()


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
    assert got.dtype == tree.labels.dtype
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
    classes = [tree.labels[flags.astype(bool)].tolist() for flags in
               tree.reach(rows, all_classes=True).possible.reshape(len(rows), -1)]  # fmt: skip
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
    assert [tree.classes[tree.leaf_class[leaf]] for leaf in leaves.tolist()] == expected
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
    assert masked.dtype == tree.labels.dtype
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


# -- what is refused --------------------------------------------------------------------------


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
        (NUMERIC, {"x": 1.0}, "got one dict: give a list of rows"),
        (NUMERIC, [[1, 2]], "got 2 columns, the tree's space has 1: 'x'"),
        (NUMERIC, np.empty((0, 2)), "got 2 columns"),
        (NUMERIC, sp.csr_matrix((1, 3)), "got 3 columns"),
        # Before scipy 1.13 every sparse array had two.
        (NUMERIC, ONES, "1 dimension" if ONES.ndim == 1 else "got 3 columns"),
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
    assert list(single.decide(X)[:2]) == [0, 0]


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


# -- columns that tell conditions -------------------------------------------------------------


def brute_force(tree, name, values, columns, row):
    """Classes over all values of a feature that fit what a row tells of it."""
    out = set()
    for value in values:
        fits = True
        for told, known in zip(columns, row, strict=True):
            if known is None:
                continue
            holds = told(value)
            fits = fits and (holds == known if isinstance(holds, bool) else value == known)
        if fits:
            out.add(tree.predict([{name: value}]).tolist()[0])
    return out


@st.composite
def chains(draw, feature, cuts):
    """A random tree over one ordered feature."""
    arrays = {"feature": [], "threshold": [], "when_true": [], "when_false": [],
              "leaf_class": [], "nan_true": []}  # fmt: skip

    def grow(depth):
        at = len(arrays["feature"])
        split = depth > 0 and draw(st.integers(0, 3)) > 0
        arrays["feature"].append(0 if split else -1)
        arrays["threshold"].append(draw(st.sampled_from(cuts)) if split else 0.0)
        arrays["nan_true"].append(draw(st.booleans()) if feature.nan else False)
        arrays["leaf_class"].append(-1 if split else draw(st.integers(0, 2)))
        for side in ("when_true", "when_false"):
            arrays[side].append(-1)
        if split:
            arrays["when_true"][at] = grow(depth - 1)
            arrays["when_false"][at] = grow(depth - 1)
        return at

    grow(4)
    return arrays


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("values", ["float64", "float32", "integer"])
@given(data=st.data())
@settings(max_examples=60)
def test_some_threshold_columns_known(values, nan, data):
    feature = Feature("x", values=values, nan=nan)
    cuts = [1.0, 2.5, 5.0, 0.1, 10.0]
    own = [*cuts, math.inf, -math.inf] if nan else cuts
    arrays = data.draw(chains(feature, own))
    tree = Tree(Space([feature]), ["a", "b", "c"], **arrays)
    told = {f"x<={c}": Condition("x", at_most=c) for c in data.draw(st.permutations(cuts))}
    over = Tree(Space([feature], columns=told), ["a", "b", "c"], **arrays)
    points = []
    for cut in cuts:
        low = float(feature.at_most(cut))
        points += [low, float(feature.above(low))]
    points += [math.nan] if nan else []
    tests = [lambda v, c=c.at_most: (oracle.as_float32(v) if values == "float32" else v)
             <= float(feature.at_most(c)) for c in told.values()]  # fmt: skip
    row = [data.draw(st.sampled_from([None, False, True])) for _ in told]
    expected = brute_force(tree, "x", points, tests, row)
    if not expected:
        with pytest.raises(InvalidData, match="row 0 contradicts itself about 'x'"):
            # A leaf alone asks nothing, so nothing is looked at.
            over.predict([row]) if over.used else read_rows([row], over.space, [0])
        return
    want = [expected.pop() if len(expected) == 1 else None]
    assert over.predict([row]).tolist() == want
    number = [math.nan if v is None else float(v) for v in row]
    assert over.predict(np.array([number])).tolist() == want
    frame = pd.DataFrame([number], columns=list(told))
    assert plain(over.predict(frame)) == want
    short = {k: v for k, v in zip(told, row, strict=True) if v is not None}
    assert over.predict([short]).tolist() == want
    assert over.predict([short, {}, dict.fromkeys(told)]).tolist()[:1] == want


@pytest.mark.parametrize(("other", "nan"), list(itertools.product([False, True], repeat=2)))
@given(data=st.data())
@settings(max_examples=60)
def test_some_one_hot_columns_known(other, nan, data):
    labels = ("a", "b", "c", "d")
    feature = Feature("f", "categorical", categories=labels, other=other, nan=nan)
    sets = data.draw(st.lists(st.lists(st.sampled_from(range(feature.n_values))), min_size=3,
                              max_size=3))  # fmt: skip
    arrays = {
        "feature": [0, 0, -1, -1, 0, -1, -1],
        "threshold": [0.0] * 7,
        "when_true": [1, 2, -1, -1, 5, -1, -1],
        "when_false": [4, 3, -1, -1, 6, -1, -1],
        "leaf_class": [-1, -1, 0, 1, -1, 2, 0],
        "sets": dict(zip((0, 1, 4), sets, strict=True)),
    }
    groups = [("a",), ("b",), ("c", "d"), ("a", "c"), ()]
    told = {f"in {g}": Condition("f", among=g) for g in groups}
    classes = ["x", "y", "z"]
    tree = Tree(Space([feature]), classes, **arrays)
    over = Tree(Space([feature], columns={**told, "f": "f"}), classes, **arrays)
    values = [*labels, *(["other!"] if other else []), *([math.nan] if nan else [])]
    row = [data.draw(st.sampled_from([None, None, False, True])) for _ in told]
    expected = brute_force(tree, "f", values, [lambda v, g=g: v in g for g in groups], row)
    given = dict(zip(told, row, strict=True))
    if not expected:
        with pytest.raises(InvalidData, match="contradicts itself about 'f'"):
            over.predict([given]) if over.used else read_rows([given], over.space, [0])
        return
    want = [expected.pop() if len(expected) == 1 else None]
    assert over.predict([given]).tolist() == want
    assert over.predict([given, {}]).tolist()[:1] == want


def test_one_column_settles_another():
    cuts = {f"x<={c}": Condition("x", at_most=float(c)) for c in (5, 10)}
    tree = stump(Space([Feature("x")], columns=cuts), 10.0)
    assert tree.predict([[1, None], [None, 1], [0, None], [None, 0]]).tolist() == [0, 0, None, 1]
    with pytest.raises(InvalidData, match=r"row 1 contradicts itself about 'x'.*independent"):
        tree.predict([[1, 1], [1, 0]])
    with pytest.raises(InvalidData, match="'x <= 5' has the value 2"):
        tree.predict([[2, 0]])
    with pytest.raises(InvalidData, match="lacks the column 'x<=10'"):
        tree.predict(pd.DataFrame({"x<=5": [1]}))


def test_a_row_may_give_the_feature_instead():
    cuts = {f"x<={c}": Condition("x", at_most=float(c)) for c in (5, 10)}
    tree = stump(Space([Feature("x")], columns=cuts), 10.0)
    assert tree.predict([{"x": 7}, {"x": 11}, {"x<=5": 1}, {}]).tolist() == [0, 1, 0, None]
    assert plain(tree.predict(pd.DataFrame({"x": [7.0, None]}))) == [0, None]
    assert tree.predict([{"x": 7, "x<=5": 0}]).tolist() == [0]
    with pytest.raises(InvalidData, match="contradicts itself"):
        tree.predict([{"x": 7, "x<=5": 1}])


def test_a_float32_feature_is_rounded_before_it_is_compared_with_its_columns():
    space = Space(
        [Feature("x", values="float32")], columns={"x": "x", "c": Condition("x", at_most=5.0)}
    )
    tree = stump(space, 5.0)
    assert tree.predict([[5.00000001, 1]]).tolist() == [0]
    with pytest.raises(InvalidData, match="contradicts itself"):
        tree.predict([[5.00000001, 0]])


def test_two_columns_of_one_feature():
    tree = stump(Space([Feature("x")], columns={"a": "x", "b": "x"}))
    assert tree.predict([[0, None], [None, 1], [1, 1], [None, None]]).tolist() == [0, 1, 1, None]
    with pytest.raises(InvalidData, match="row 0 contradicts itself about 'x'"):
        tree.predict([[0, 1]])


@pytest.mark.parametrize(
    ("among", "row", "want"),
    [
        ((True,), 1, [1]),
        ((True,), 0, [0]),
        ((False,), 1, [0]),
        ((False,), 0, [1]),
        ((True, True), 1, [1]),
        ((True, True), 0, [0]),
        ((1,), 1, [1]),
        ((True, False), 1, [None]),
        ((), 0, [None]),
        ((True, False), 0, None),
        ((), 1, None),
    ],
)
def test_booleans_told_by_columns(among, row, want):
    tree = stump(Space([Feature("b", "boolean")], columns={"k": Condition("b", among=among)}))
    if want is None:
        with pytest.raises(InvalidData, match="contradicts itself about 'b'"):
            tree.predict([[row]])
    else:
        assert tree.predict([[row]]).tolist() == want
    assert tree.predict([[None]]).tolist() == [None]


def test_the_binarizers_own_space():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    binarizer = ol.QuantileBinarizer().fit(X)
    bits = np.asarray(binarizer.transform(X), dtype=float)
    tree = stump(binarizer.space_, threshold=binarizer.space_.columns[0].condition.at_most)
    by_columns = tree.predict(bits)
    by_values = tree.predict(X)
    assert by_columns.tolist() == by_values.tolist()


def test_frames_whose_columns_are_numbers():
    """Columns 0, 1, ... are positions for a tree that has no names either, and only for such."""
    split = {"feature": 1, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    tree = ol.read_tree(split)
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, np.nan]])
    out = tree.predict(pd.DataFrame(rows, index=[7, 8, 9]))
    assert out.tolist()[:2] == ["yes", "no"]
    assert out.isna().tolist() == [False, False, True]
    assert out.index.tolist() == [7, 8, 9]
    for columns in ([1, 0], [1, 2], [0, "x1 "], [0.5, 1]):
        with pytest.raises(InvalidData, match="lacks the column 'x1'"):
            tree.predict(pd.DataFrame(rows, columns=columns))
    with pytest.raises(InvalidData, match="lacks the column 'x1'"):
        tree.predict(pd.DataFrame(np.zeros((2, 3))))  # as an array of three columns is refused
    named = ol.read_tree(split, feature_names=["a", "b"])
    with pytest.raises(InvalidData, match="lacks the column 'b'"):
        named.predict(pd.DataFrame(rows))
