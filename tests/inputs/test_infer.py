"""Proposed spaces: right on the paper's data, careful elsewhere, and true of the data at hand."""

import decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, strategies as st

from orderless import Condition, Feature, Space
from orderless.inputs import read_rows
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
