"""Proposed spaces: right on the paper's data, careful elsewhere, and true of the data at hand."""

import datetime
import decimal
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, strategies as st

from orderless import Condition, Feature, Space
from orderless.errors import InvalidData, InvalidSpace
from orderless.inputs import infer as inference, read_rows
from orderless.inputs.infer import infer_space

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the published files are not in ../shared/data"
)


def published(file):
    return pd.read_csv(SHARED / file).iloc[:, :-1]


def kinds(X, **options):
    return {feature.name: feature for feature in infer_space(X, **options).features}


def one_hot(stem, labels, other=False):
    return Feature(stem, "categorical", categories=tuple(labels), other=other)


# -- the paper's data ----------------------------------------------------------------------------


@needs_shared
def test_coupon_has_seven_groups():
    X = published("coupon_full.csv")
    space = Space.infer(X)
    groups = {f.name: len(f.categories) for f in space.features if f.kind == "categorical"}
    assert groups == {
        "destination": 3,
        "passenger": 4,
        "weather": 3,
        "coupon": 5,
        "maritalStatus": 5,
        "education": 6,
        "occupation": 25,
    }
    assert not any(feature.other for feature in space.features)
    assert space["destination"].categories == (0, 1, 2)
    assert space["toCoupon_GEQ5min1"].kind == "boolean"  # constant
    assert space["income1"].values == space["Bar1"].values == "integer"
    assert space.column_names == tuple(X.columns)
    assert len(space) == 23
    read_rows(X, space, range(len(space)))


@needs_shared
def test_tic_tac_toe_has_nine_squares_that_may_be_blank():
    space = Space.infer(published("tic-tac-toe.csv"))
    assert space.features == tuple(one_hot(f"Feat{i}", "ox", other=True) for i in range(9))
    assert space.columns[1].condition == Condition("Feat0", among=("x",))


@needs_shared
def test_compas_has_lone_booleans():
    found = kinds(published("compas_complete.csv"))
    assert found.pop("sex=female").kind == "boolean"
    assert found.pop("current_charge_degree=felony").kind == "boolean"
    assert {feature.values for feature in found.values()} == {"integer"}


@needs_shared
@pytest.mark.parametrize("file", ["wisconsin.csv", "spiral.csv", "iris_setosa.csv"])
def test_numbers_stay_numeric(file):
    X = published(file)
    assert Space.infer(X) == Space.numeric(X.columns)


@needs_shared
def test_broward_has_no_groups():
    found = kinds(published("broward_general_2y.csv"))
    assert len(found) == 38
    assert {feature.kind for feature in found.values()} == {"boolean", "numeric"}


# -- kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
def test_kinds_of_columns_with_unknowns(frame):
    X = frame(
        {
            "flag": [True, None, False, True],
            "bit": [0, 1, None, 0],
            "float_bit": [0.0, 1.0, 1.0, None],
            "age": [31, None, 25, 47],
            "whole": [1.0, 2.0, 3.0, None],
            "two": [1, 2, None, 2],
            "weight": [61.5, None, 80.0, 1.0],
            "color": ["red", None, "blue", "red"],
            "nothing": [None, None, None, None],
            "always": [1, 1, 1, 1],
            "seven": [7, 7, 7, 7],
        }
    )
    assert infer_space(X).features == (
        Feature("flag", "boolean"),
        Feature("bit", "boolean"),
        Feature("float_bit", "boolean"),
        Feature("age", values="integer"),
        Feature("whole", values="integer"),
        Feature("two"),
        Feature("weight"),
        Feature("color", "categorical", categories=("blue", "red")),
        Feature("nothing"),
        Feature("always", "boolean"),
        Feature("seven"),
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.array([True, None], dtype="boolean"), "boolean"),
        (pd.array([1, None, 2, 5], dtype="Int64"), "integer"),
        (pd.array(["x", None], dtype="string"), ["x"]),
        (pd.Categorical([3, 1, None]), [1, 3]),
        (pd.Categorical(["b", "a"], categories=["b", "a", "unseen"]), ["a", "b"]),
        (pl.Series(["u", None], dtype=pl.Categorical), ["u"]),
        (pl.Series(["u", "v"], dtype=pl.Enum(["v", "u"])), ["u", "v"]),
        (pl.Series([decimal.Decimal("1.5"), None]), "numeric"),
        (np.array([True, None, False], dtype=object), "boolean"),
        (np.array([1, 2.5, None, np.nan], dtype=object), "numeric"),
        (np.array([decimal.Decimal(3), np.int64(4), 5, pd.NA], dtype=object), "integer"),
        (np.array(["b", 2, None, 1, "a"], dtype=object), [1, 2, "a", "b"]),
        (np.array([np.inf, 1.0, 2.0, 3.0]), "numeric"),
        (np.array([1e300, 2e300, 3e300]), "numeric"),
        (np.array([-(2.0**53), 0.0, 2.0**53]), "integer"),
        (np.array([1, 2, 3], dtype=np.uint8), "integer"),
        (np.array([0, 1], dtype=np.float32), "boolean"),
    ],
)
def test_kind_of_a_column(values, expected):
    X = values.to_frame("x") if isinstance(values, pl.Series) else pd.DataFrame({"x": values})
    assert infer_space(X) == Space({"x": expected})


def test_arrays_and_lists():
    assert infer_space(np.array([[0, 1.5, 4], [1, 2.5, 5], [1, 0.5, 6]])) == Space(
        {"x0": "boolean", "x1": "numeric", "x2": "integer"}
    )
    assert infer_space([[1, "a"], [2, None]]) == Space({"x0": "numeric", "x1": ["a"]})
    assert infer_space(np.array([["b", "c"], ["a", "c"]])) == Space({"x0": ["a", "b"], "x1": ["c"]})
    hidden = np.ma.array([[1.0, 5.0], [0.0, 1.0]], mask=[[0, 1], [0, 0]])
    assert infer_space(hidden) == Space({"x0": "boolean", "x1": "boolean"})


def test_names_that_were_made_up_make_no_groups():
    assert infer_space(np.eye(3)) == Space.independent(["x0", "x1", "x2"])
    assert infer_space(scipy.sparse.csr_array(np.eye(3))) == infer_space(np.eye(3))
    assert infer_space(pd.DataFrame(np.eye(2))) == Space.independent(["0", "1"])


def test_one_row():
    found = infer_space(pd.DataFrame({"a_x": [1], "a_y": [0], "b": [30], "c": ["red"]}))
    assert found == Space({"a_x": "boolean", "a_y": "boolean", "b": "numeric", "c": ["red"]})


# -- groups --------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    "names",
    [
        ("color_red", "color_blue"),
        ("color=red", "color=blue"),
        ("color == red", "color == blue"),
        ("color is red", "color is blue"),
        ("color_is_red", "color_is_blue"),
        ("color:red", "color:blue"),
        ("color.red", "color.blue"),
        ("color[red]", "color[blue]"),
        ("color[T.red]", "color[T.blue]"),
    ],
)
def test_ways_to_write_a_group(frame, names):
    red, blue = names
    X = frame({red: [1, 0, 0], "between": [1, 2, 3], blue: [0, 1, 0]})
    space = infer_space(X)
    assert space.features == (
        one_hot("color", ["red", "blue"], other=True),
        Feature("between", values="integer"),
    )
    assert space.column_names == (red, "between", blue)
    assert space.columns[2].condition == Condition("color", among=("blue",))
    assert infer_space(X, one_hot=False) == Space(
        {red: "boolean", "between": "integer", blue: "boolean"}
    )


@pytest.mark.parametrize(
    ("names", "stem", "labels"),
    [
        (["a0", "a1"], "a", (0, 1)),
        (["a_0", "a_1"], "a", (0, 1)),
        (["a_01", "a_1"], "a", ("01", "1")),  # as numbers they would be one
        (["a_1", "a_b"], "a", ("1", "b")),
        (["größe_klein", "größe_groß"], "größe", ("klein", "groß")),
        (["a_b_c", "a_b_d_e"], "a_b", ("c", "d_e")),  # the longer stem
        (["a_b", "a_c_d"], "a", ("b", "c_d")),
        (["a b_'1'", 'a b_"2"'], "a b", ("'1'", '"2"')),
    ],
)
def test_stems_and_labels(names, stem, labels):
    X = pd.DataFrame(np.eye(2), columns=names)
    assert infer_space(X).features == (one_hot(stem, labels),)


@pytest.mark.parametrize(
    "columns",
    [
        {"a_x": [1, 0, 1], "a_y": [0, 1, 1]},  # two at once
        {"a_x": [1, 0, 1], "b_y": [0, 1, 0]},  # no common stem
        {"_x": [1, 0, 1], "_y": [0, 1, 0]},  # an empty one
        {"a_": [1, 0, 1], "a_y": [0, 1, 0]},  # an empty value
        {"a_x": [1, 0, 1], "a": [0, 1, 0]},
        {"a_x": [1, 0, 1], "a=y": [0, 1, 0]},  # written differently
        {"a_x": [1, 0, 1], "a_y": [0, 0, 0]},  # one is never 1
        {"a_x": [1, 0, 1], "a_y": [None, None, None]},
        {"a_x": [1, 0, 1], "a_y": [0, 2, 0]},  # not 0/1
        {"a_x": [1, 0, 1], "a_y": ["no", "yes", "no"]},
        {"a <= 5": [1, 0, 0], "a <= 6": [0, 1, 1]},  # thresholds, not values
        {"a<=5": [1, 0, 0], "a<=6": [0, 1, 1]},
        {"a": [7.5, 2, 3], "a_x": [1, 0, 1], "a_y": [0, 1, 0]},  # the stem is a column
    ],
)
def test_no_group(columns):
    assert infer_space(pd.DataFrame(columns)).names == tuple(columns)


def test_rare_flags_are_not_a_group():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"has_asthma": np.zeros(200), "has_gout": np.zeros(200)})
    X.iloc[rng.permutation(200)[:6], 0] = 1
    X.loc[X["has_asthma"] == 0, "has_gout"] = rng.permutation([1] * 6 + [0] * 188)
    assert {feature.kind for feature in infer_space(X).features} == {"boolean"}
    # The same shares in many rows are evidence: chance would have set both.
    assert infer_space(pd.concat([X] * 100)).features == (
        one_hot("has", ["asthma", "gout"], other=True),
    )


def test_a_value_that_is_never_there_is_an_other_value():
    X = pd.DataFrame({"a_x": [1, 0], "a_y": [0, 1], "a_z": [0, 0]})
    space = infer_space(X)
    assert space.features == (one_hot("a", "xy", other=True), Feature("a_z", "boolean"))
    read_rows(pd.DataFrame({"a_x": [0], "a_y": [0], "a_z": [1]}), space, [0, 1])


def test_unknowns_do_not_speak_against_a_group():
    X = pd.DataFrame({"a_x": [1, 0, None, None, 0], "a_y": [0, 1, None, 1, None]})
    assert infer_space(X).features == (one_hot("a", "xy"),)
    X.loc[5] = [0, 0]
    assert infer_space(X).features == (one_hot("a", "xy", other=True),)


def test_nested_stems_go_to_the_groups_that_hold():
    X = pd.DataFrame(
        {
            "has_car_yes": [1, 0, 1, 0],
            "has_car_no": [0, 1, 0, 1],
            "has_dog_yes": [1, 1, 0, 0],
            "has_dog_no": [0, 0, 1, 1],
        }
    )
    assert infer_space(X).names == ("has_car", "has_dog")


def test_two_groups_of_one_name_stay_apart():
    names = ["a_x", "a_y", "a=x", "a=y"]
    X = pd.DataFrame([[1, 0, 0, 1], [0, 1, 1, 0]], columns=names)
    assert infer_space(X).names == ("a", "a=x", "a=y")


def test_the_proposal_is_readable():
    X = pd.DataFrame({"age": [31, 25, 47], "color_red": [1, 0, 0], "color_blue": [0, 1, 1]})
    assert repr(Space.infer(X)) == (
        "Space(Feature('age', integer), Feature('color', categorical: 'red', 'blue'); "
        "2 columns are indicators)"
    )


# -- properties ----------------------------------------------------------------------------------

cells = {
    "bit": st.sampled_from([0, 1, None]),
    "flag": st.sampled_from([True, False, None]),
    "int": st.one_of(st.none(), st.integers(-(2**53), 2**53)),  # reading refuses larger ones
    "float": st.one_of(st.none(), st.floats(allow_infinity=False)),
    "text": st.one_of(st.none(), st.text(max_size=3)),
}


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 6))
    names = draw(
        st.lists(
            st.sampled_from([f"{a}{b}{c}" for a in "ab" for b in ("_", "=", "") for c in "xy12"]),
            unique=True,
            min_size=1,
            max_size=8,
        )
    )
    column = st.sampled_from(sorted(cells)).flatmap(
        lambda kind: st.lists(cells[kind], min_size=n_rows, max_size=n_rows)
    )
    return {name: draw(column) for name in names}


@given(tables(), st.booleans())
def test_a_proposal_holds_for_its_own_data(table, one_hot):
    """Whatever is proposed, the table itself can be read with it, and says the same in polars."""
    X = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in table.items()})
    space = infer_space(X, one_hot=one_hot, text=table)
    assert space.column_names == tuple(table)
    read_rows(X, space, range(len(space)))
    assert infer_space(pl.DataFrame(table, strict=False), one_hot=one_hot, text=table) == space


@given(
    st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("uvw")), min_size=1, max_size=30),
    st.sampled_from("_="),
)
def test_dummies_are_found_again(rows, sign):
    """One-hot columns of pandas come back as the features that they were made from."""
    raw = pd.DataFrame(rows, columns=["first", "second"])
    found = infer_space(pd.get_dummies(raw, prefix_sep=sign))
    for name in raw:
        values = sorted(set(raw[name]))
        if len(values) > 1:
            assert found[name] == one_hot(name, values)
        else:
            assert found[f"{name}{sign}{values[0]}"].kind == "boolean"


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
        (np.zeros((0, 3)), r"ndarray of shape \(0, 3\)"),
        (pd.DataFrame({"a": []}), r"DataFrame of shape \(0, 1\)"),
        (pd.DataFrame(index=[0, 1]), r"DataFrame of shape \(2, 0\)"),
        (pl.DataFrame(), r"DataFrame of shape \(0, 0\)"),
        ([], r"list of shape \(0,\)"),
        ([1, 2], r"list of shape \(2,\)"),
        ([[1, 2], [1]], r"list of shape \(2,\)"),
        (pd.Series([1, 2]), r"Series of shape \(2,\)"),
        (pl.LazyFrame({"a": [1]}), r"LazyFrame of shape \(\)"),
        ({"a": [1]}, r"dict of shape \(\)"),
        ("text", r"str of shape \(\)"),
    ],
)
def test_what_is_no_table(X, what):
    with pytest.raises(InvalidData, match=f"an? {what}: give a data frame"):
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
    with pytest.raises(InvalidData, match=rf"column 'd' has the value .* \({value}\): values must"):
        infer_space(X)


def test_names_that_are_not_unique():
    with pytest.raises(InvalidData, match=r"have the same name; give each its own.*\n.*'a'"):
        infer_space(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(InvalidSpace, match="two features are named '1'"):
        infer_space(pd.DataFrame([[1, 2]], columns=[1, "1"]))
