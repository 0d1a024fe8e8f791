import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from orderless import Condition, Feature, Space
from orderless.errors import InvalidSpace
from orderless.model.feature import Column, plain_label, shared_feature

COLOR = Feature("color", "categorical", categories=("red", "blue"), other=True)


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (np.int8(3), 3),
        (np.uint64(2**63), 2**63),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        ("", ""),
        (0, 0),
        (-0.0, 0.0),
    ],
)
def test_plain_labels(given, plain):
    got = plain_label(given)
    assert got == plain
    assert type(got) is type(plain)


@pytest.mark.parametrize(
    ("label", "match"),
    [
        (None, "cannot use None .*must be bool, int, float or str"),
        (b"a", "bytes"),
        ((1,), "tuple"),
        ([1], "list"),
        ({}, "dict"),
        (float("nan"), "cannot use nan"),
        (float("inf"), "cannot use inf"),
        (np.float64("nan"), "cannot use nan"),
        (np.datetime64("2020-01-01"), "date"),
        (1j, "complex"),
        (10**400, "more than 1,023 bits"),
    ],
)
def test_labels_that_are_none(label, match):
    with pytest.raises(InvalidSpace, match=match):
        plain_label(label)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"name": ""}, "not empty"),
        ({"name": 3}, "must be text .* got 3"),
        ({"name": None}, "got None"),
        ({"name": "x", "kind": "ordinal"}, "kind 'ordinal': it must be one of .*categorical"),
        ({"name": "x", "kind": ["numeric"]}, "must be one of"),
        ({"name": "x", "values": "float16"}, "values 'float16': it must be one of .*float32"),
        ({"name": "x", "kind": "categorical"}, "lists 0 categories"),
        ({"name": "x", "categories": ("a",)}, "numeric and lists 1 categories"),
        ({"name": "x", "kind": "boolean", "categories": (0, 1)}, "boolean and lists 2"),
        ({"name": "x", "kind": "categorical", "categories": ("a", "a")}, "a category twice"),
        ({"name": "x", "kind": "categorical", "categories": (1, True)}, "a category twice"),
        ({"name": "x", "kind": "categorical", "categories": (None,)}, "cannot use None"),
        ({"name": "x", "kind": "boolean", "nan": True}, "make it categorical"),
        ({"name": "x", "other": True}, "only categorical features can have values"),
        ({"name": "x", "kind": "boolean", "values": "integer"}, "only numeric features choose"),
        (
            {"name": "x", "kind": "categorical", "categories": ("(other)",), "other": True},
            "rename the category",
        ),
        (
            {"name": "x", "kind": "categorical", "categories": ("(missing)",), "nan": True},
            "rename the category",
        ),
    ],
)
def test_features_that_are_none(arguments, match):
    with pytest.raises(InvalidSpace, match=match):
        Feature(**arguments)


def test_features_are_frozen_values():
    feature = Feature("x", "categorical", categories=[np.str_("a"), "b"])
    assert feature.categories == ("a", "b")
    assert {feature: 1}[Feature("x", "categorical", categories=("a", "b"))] == 1
    with pytest.raises(AttributeError):
        feature.name = "y"


def test_codes_and_labels():
    full = Feature("c", "categorical", categories=("a", "b"), other=True, nan=True)
    assert [full.label(i) for i in range(full.n_values)] == ["a", "b", "(other)", "(missing)"]
    assert (full.code("b"), full.code("z"), full.code(["a"])) == (1, 2, 2)
    only = Feature("c", "categorical", categories=("a", "b"), nan=True)
    assert [only.label(i) for i in range(only.n_values)] == ["a", "b", "(missing)"]
    assert only.code("z") is None
    numbers = Feature("c", "categorical", categories=(1, 2))
    assert (numbers.code(1.0), numbers.code(True), numbers.code("1")) == (0, 0, None)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({}, "either at_most=number or among=labels"),
        ({"at_most": 1.0, "among": ("a",)}, "either"),
        ({"at_most": float("nan")}, "finite, got nan"),
        ({"at_most": float("inf")}, "finite, got inf"),
        ({"at_most": "5"}, "a number, got '5'"),
        ({"at_most": "abc"}, "a number, got 'abc'"),
        ({"at_most": True}, "a number, got True"),
        ({"at_most": [1]}, r"a number, got \[1\]"),
        ({"at_most": 10**400}, "a number, got 1000"),
        ({"among": "red"}, "a tuple of labels, got 'red'"),
        ({"among": 5}, "a tuple of labels, got 5"),
        ({"among": (None,)}, "cannot use None"),
    ],
)
def test_conditions_that_are_none(arguments, match):
    with pytest.raises(InvalidSpace, match=match):
        Condition("x", **arguments)


def test_a_condition_is_on_a_named_feature():
    with pytest.raises(InvalidSpace, match="must name its feature, got 3"):
        Condition(3, at_most=1.0)


def test_conditions_are_one_value_however_they_are_written():
    assert Condition("x", at_most=-0.0) == Condition("x", at_most=0)
    assert Condition("x", at_most=np.float32(0.5)).at_most == 0.5
    assert Condition("x", among=["a", "a", "b"]).among == ("a", "b")
    assert str(Condition("b", among=(True,))) == "b"
    assert str(Condition("b", among=(False,))) == "b = False"
    assert str(Condition("n", among=(1,))) == "n = 1"
    assert str(Condition("x", at_most=1e300)) == "x <= 1e+300"
    assert str(Condition("x", among=())) == "x in {}"


@pytest.mark.parametrize(
    ("features", "columns", "match"),
    [
        (["x"], None, "expected a Feature, got 'x'"),
        ([None], None, "expected a Feature"),
        ({1: "numeric"}, None, "name must be text"),
        ({"x": "ordinal"}, None, "'x' is given as 'ordinal': it must be"),
        ({"x": str}, None, "it must be"),
        ({"x": None}, None, "it must be"),
        ({"x": 5}, None, "it must be"),
        ({"x": []}, None, "lists 0 categories"),
        ([Feature("x"), Feature("x")], None, "two features are named 'x'"),
        ([Feature("x")], [Column("a", "x"), Column("a", "x")], "two columns are named 'a'"),
        ([Feature("x")], ["x"], "expected a Column, got 'x'"),
        ([Feature("x")], [Column(3, "x")], "column's name must be text"),
        ([Feature("x")], [Column("", "x")], "column's name must be text"),
        ([Feature("x")], {"a": "y"}, "no feature 'y': the features are 'x'"),
        ([Feature("x")], {"a": 5}, "no feature 5"),
        ([Feature("x")], {"a": ["x"]}, r"no feature \['x'\]"),
        ([Feature("x")], {"a": Condition("y", at_most=1.0)}, "no feature 'y'"),
        (
            [Feature("x"), Feature("y")],
            [Column("a", "x", Condition("y", at_most=1.0))],
            "belongs to 'x' but its condition is on 'y'",
        ),
        ([COLOR], {"a": Condition("color", at_most=1.0)}, "'color' is not numeric"),
        ([COLOR], {"a": Condition("color", among=("green",))}, "'green' is not a value of"),
        ([Feature("b", "boolean")], {"a": Condition("b", at_most=0.0)}, "not numeric"),
        ([Feature("b", "boolean")], {"a": Condition("b", among=(2,))}, "2 is not a value of"),
        ([Feature("x")], {"a": Condition("x", among=(1,))}, "1 is not a value of"),
    ],
)
def test_spaces_that_are_none(features, columns, match):
    with pytest.raises(InvalidSpace, match=match):
        Space(features, columns)


def test_short_ways_to_say_a_kind():
    space = Space(
        {"a": float, "b": int, "c": bool, "d": ["x", "y"], "e": "float32", "f": ("z",),
         "g": Feature("ignored", values="integer"), "h": range(3)}
    )  # fmt: skip
    assert [f.kind for f in space.features] == [
        "numeric", "numeric", "boolean", "categorical", "numeric", "categorical", "numeric",
        "categorical"]  # fmt: skip
    assert space["g"].name == "g"
    assert space["h"].categories == (0, 1, 2)
    assert "a" in space
    assert "z" not in space
    assert len(space) == 8


def test_an_unknown_name_lists_the_legal_ones():
    space = Space.numeric(f"x{i}" for i in range(30))
    with pytest.raises(InvalidSpace, match=r"no feature 'y': the features are 'x0', .*and 10 more"):
        space.index("y")


def test_repr_is_golden():
    wide = Space.independent("abcdefgh")
    assert repr(wide) == (
        "Space(Feature('a', boolean), Feature('b', boolean), Feature('c', boolean), "
        "Feature('d', boolean), Feature('e', boolean), Feature('f', boolean), ... 2 more)"
    )
    features = [Feature("x", values="float32", nan=True), Feature("n", values="integer"), COLOR]
    told = Space(features, columns={"c": Condition("x", at_most=1.0)})
    assert repr(told) == (
        "Space(Feature('x', numeric float32, or missing), Feature('n', integer), "
        "Feature('color', categorical: 'red', 'blue', other); 1 column is an indicator)"
    )
    assert repr(Space([])) == "Space()"


HOSTILE = ["", " ", "a\nb", '"', "'", "\\", "\0", "é", "日本", "\ud800", "x<=3", "{}", "💥" * 50]
labels = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5), st.integers(), st.booleans(),
                   st.floats(allow_nan=False, allow_infinity=False))  # fmt: skip


@st.composite
def features(draw, name):
    kind = draw(st.sampled_from(["numeric", "boolean", "categorical"]))
    if kind == "numeric":
        return Feature(name, values=draw(st.sampled_from(["float64", "float32", "integer"])),
                       nan=draw(st.booleans()))  # fmt: skip
    if kind == "boolean":
        return Feature(name, "boolean")
    categories = draw(st.lists(labels, min_size=1, max_size=5, unique=True))
    return Feature(name, kind, categories=tuple(categories), other=draw(st.booleans()),
                   nan=draw(st.booleans()))  # fmt: skip


@st.composite
def spaces(draw):
    names = st.one_of(st.sampled_from(HOSTILE[1:]), st.text(min_size=1, max_size=4))
    some = [draw(features(n)) for n in draw(st.lists(names, max_size=4, unique=True))]
    if not some or draw(st.booleans()):
        return Space(some)
    columns = {}
    for name in draw(st.lists(names, max_size=5, unique=True)):
        feature = draw(st.sampled_from(some))
        told = draw(st.booleans())
        if not told:
            columns[name] = feature.name
        elif feature.kind == "numeric":
            cut = draw(st.floats(allow_nan=False, allow_infinity=False))
            columns[name] = Condition(feature.name, at_most=cut)
        else:
            legal = feature.categories or (False, True)
            among = draw(st.lists(st.sampled_from(legal), max_size=3))
            columns[name] = Condition(feature.name, among=tuple(among))
    if draw(st.booleans()):
        columns = dict.fromkeys(reversed([f.name for f in some]))
        columns = {name: name for name in columns}  # the features' own, in another order
    return Space(some, columns)


@given(spaces())
def test_round_trips_are_exact(space):
    again = Space.from_dict(json.loads(json.dumps(space.to_dict())))
    assert again == space
    assert hash(again) == hash(space)
    assert repr(again) == repr(space)
    types = [[type(c) for c in f.categories] for f in space.features]
    assert [[type(c) for c in f.categories] for f in again.features] == types
    for other in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space), copy.copy(space)):
        assert other == space
        assert other.columns_of == space.columns_of


def test_the_order_of_columns_is_kept_in_files():
    space = Space([Feature("a"), Feature("b")], columns={"b": "b", "a": "a"})
    assert Space.from_dict(space.to_dict()).column_names == ("b", "a")
    assert "columns" not in Space([Feature("a"), Feature("b")]).to_dict()


def test_what_the_core_sees_cannot_be_written_to():
    space = Space({"x": "numeric", "c": ["a"]})
    for one in (space, pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert not any(array.flags.writeable for array in one.arrays)


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "features",
        {},
        {"features": None},
        {"features": {"name": "x"}},
        {"features": "ab"},
        {"features": [None]},
        {"features": [[]]},
        {"features": [{"name": "x"}]},
        {"features": [{"kind": "numeric"}]},
        {"features": [{"name": ["x"], "kind": "numeric"}]},
        {"features": [{"name": "x", "kind": {}}]},
        {"features": [{"name": "x", "kind": "numeric", "values": []}]},
        {"features": [{"name": "x", "kind": "numeric", "nan": 1}]},
        {"features": [{"name": "x", "kind": "categorical", "categories": "ab"}]},
        {"features": [{"name": "x", "kind": "categorical", "categories": {"a": 1}}]},
        {"features": [{"name": "x", "kind": "categorical", "categories": [[]]}]},
        {"features": [{"name": "x", "kind": "categorical", "categories": ["a"], "other": "yes"}]},
        {"features": [], "columns": None},
        {"features": [], "columns": [{"name": "x", "feature": "x"}]},
        {"features": [{"name": "x", "kind": "numeric"}], "columns": [{"name": "c"}]},
        {"features": [{"name": "x", "kind": "numeric"}],
         "columns": [{"name": 1, "feature": "x"}]},
        {"features": [{"name": "x", "kind": "numeric"}],
         "columns": [{"name": "c", "feature": ["x"]}]},
        {"features": [{"name": "x", "kind": "numeric"}],
         "columns": [{"name": "c", "feature": "x", "at_most": "5"}]},
        {"features": [{"name": "x", "kind": "numeric"}],
         "columns": [{"name": "c", "feature": "x", "at_most": None, "among": "ab"}]},
        {"features": [{"name": "x", "kind": "numeric"}],
         "columns": [{"name": "c", "feature": "x", "among": "ab"}]},
    ],
)  # fmt: skip
def test_dicts_that_describe_no_space(given):
    with pytest.raises(InvalidSpace):
        Space.from_dict(given)


def test_shared_features():
    wide = Feature("c", "categorical", categories=("a", "b"), other=True)
    narrow = Feature("c", "categorical", categories=("b", "d"))
    assert shared_feature(wide, narrow).categories == ("b", "d")
    assert not shared_feature(wide, narrow).other
    integer, single = Feature("x", values="integer"), Feature("x", values="float32")
    assert shared_feature(single, integer) == shared_feature(integer, single) == integer
    assert shared_feature(integer, Feature("x", "boolean")).kind == "boolean"
    digits = Feature("x", "categorical", categories=(0, 1, 2, 0.5, "a"))
    assert shared_feature(Feature("x", "boolean"), digits).categories == (0, 1)
    assert shared_feature(digits, Feature("x")).categories == (0, 1, 2, 0.5)
    with pytest.raises(InvalidSpace, match=r"no value in common.*rename"):
        shared_feature(narrow, Feature("c", "categorical", categories=("z",)))


def test_equal_spaces_stay_equal_and_others_different():
    spaces = [Space.independent(["a", "b"]) for _ in range(5)]
    others = [Space.independent(["b", "a"]), Space.numeric(["a", "b"]), Space.independent(["a"])]
    for _ in range(2):
        for one in spaces:
            assert all(one == two for two in spaces)
            assert all(two == one for two in spaces)
            assert all(one != two and two != one for two in others)
    assert spaces[0].with_facts(["a"]) != spaces[0]
    assert copy.deepcopy(spaces[0]) == spaces[4]


def test_spaces_that_were_found_equal_stay_apart_from_others():
    """Equal spaces share a number, which no copy, pickle or other space may bring along."""
    a, b, other = (Space({name: float}) for name in ("a", "a", "b"))
    assert a == b
    for again in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(b)):
        assert again == a == b
        assert again != other
    assert [a == other, b == other] == [False, False]
