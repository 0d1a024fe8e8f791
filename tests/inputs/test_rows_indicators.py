"""Rows whose columns are indicators of a feature, against all completions."""

import itertools
import math

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import Condition, Feature, Space, Tree
from orderless.errors import InvalidData
from orderless.inputs import read_rows

from .stumps import plain, stump


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
            over.predict([row]) if over.features else read_rows([row], over.space, [0])
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
            over.predict([given]) if over.features else read_rows([given], over.space, [0])
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
    binarizer = ol.Binarizer((0.33, 0.66)).fit(X)
    bits = np.asarray(binarizer.transform(X), dtype=float)
    tree = stump(binarizer.space_, threshold=binarizer.space_.columns[0].condition.at_most)
    by_columns = tree.predict(bits)
    by_values = tree.predict(X)
    assert by_columns.tolist() == by_values.tolist()


def test_frames_whose_columns_are_numbers():
    """Columns 0, 1, ... are positions for a tree that has no names either, and only for such."""
    split = {"feature": 1, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    tree = ol.read(split)
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
    named = ol.read(split, feature_names=["a", "b"])
    with pytest.raises(InvalidData, match="lacks the column 'b'"):
        named.predict(pd.DataFrame(rows))
