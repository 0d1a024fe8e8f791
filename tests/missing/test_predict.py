"""Rows with unknown values, against brute force over all of their completions."""

import functools
import math

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData


def in_order(tree, classes):
    return tuple(label for label in tree.classes if label in classes)


def labels(result):
    return result.tolist()


OR = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1, "true": {"prediction": 1},
      "false": {"prediction": 0}}}  # fmt: skip
COLOR = ol.Space({"color": ["red", "green", "blue"], "age": "integer"})
WARM = ol.read(
    {"feature": "color", "relation": "in", "reference": ["red", "green"],
     "true": {"feature": "age", "relation": "<=", "reference": 30, "true": {"prediction": "a"},
              "false": {"prediction": "b"}},
     "false": {"prediction": "b"}},
    space=COLOR,
)  # fmt: skip


@functools.cache
def breast_cancer(depth=4):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y, DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)


# -- possible classes ----------------------------------------------------------------------------


@given(problems(max_features=4), st.data())
@settings(max_examples=100)
def test_theorem_3_2_possible_classes(problem, data):
    """All classes of all completions, in order; one of them iff predict answers, with that one."""
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = data.draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=4))
    expected = [in_order(tree, oracle.possible_classes(kinds, row, spec)) for row in rows]
    assert tree.possible(rows) == expected
    assert tree.possible(rows) == expected
    said = labels(tree.predict(rows))
    assert said == [one[0] if len(one) == 1 else None for one in expected]


def test_possible_classes_of_frames_arrays_and_nothing():
    assert ol.read(OR).possible(np.array([[np.nan, 0], [np.nan, 1]])) == [(0, 1), (1,)]
    of_frame = ol.read(OR).possible(pl.DataFrame({"x0": [None, 1], "x1": [0, None]}))
    assert of_frame.to_list() == [[0, 1], [1]]
    assert ol.read(OR).possible(np.zeros((0, 2))) == []
    assert ol.read({"prediction": 3}).possible(np.zeros((2, 0))) == [(3,), (3,)]


# -- ranges --------------------------------------------------------------------------------------


@st.composite
def ranges(draw, kinds, spec):
    """Per feature its ends as we are told them, and values that lie between."""
    values = oracle.values_by_feature(kinds, spec)
    lower, upper, box = {}, {}, {}
    for name, kind in kinds.items():
        if isinstance(kind, tuple):
            some = draw(st.one_of(st.none(), st.sets(st.sampled_from(kind), min_size=1)))
            box[name] = values[name] if some is None else sorted(some, key=str)
            make = draw(st.sampled_from([set, frozenset, list, tuple]))
            lower[name] = some if some is None else make(box[name])
            if some is not None and len(some) == 1 and draw(st.booleans()):
                lower[name] = upper[name] = box[name][0]
            continue
        ends = [float(value) for value in values[name]] + [v + 0.25 for v in (-1.0, 0.0, 1.0)]
        low, high = sorted([draw(st.sampled_from(ends)), draw(st.sampled_from(ends))])
        lower[name] = draw(st.sampled_from([low, None, math.nan]))
        upper[name] = draw(st.sampled_from([high, None, math.nan]))
        known = [None if e is None or math.isnan(e) else e for e in (lower[name], upper[name])]
        if None in known and draw(st.booleans()):  # what is not there is no bound
            (lower if known[0] is None else upper).pop(name)
        box[name] = oracle.values_in_range(kind, values[name], *known)
    return lower, upper, box


@given(problems(max_features=3), st.data())
@settings(max_examples=150)
def test_predict_between_is_exact(problem, data):
    """Never a wrong answer, never none where all values between the ends agree."""
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    lower, upper, box = data.draw(ranges(kinds, spec))
    empty = [name for name in tree.features if not box[name]]
    if empty:
        with pytest.raises(InvalidData, match=r"row 0, feature .* lies from"):
            tree.predict(ol.Between([lower], [upper]))
        return
    for name in kinds:
        box[name] = box[name] or [0]  # a feature that the tree does not ask about
    possible = oracle.classes_of_box(kinds, spec, box)
    expected = [next(iter(possible)) if len(possible) == 1 else None]
    assert labels(tree.predict(ol.Between([lower], [upper]))) == expected
    assert tree.possible(ol.Between([lower], [upper])) == [in_order(tree, possible)]


@given(problems(max_features=4), st.data())
def test_equal_ends_are_known(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = data.draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=4))
    assert labels(tree.predict(ol.Between(rows, rows))) == labels(tree.predict(rows))


def test_ranges_of_frames_and_arrays():
    X, _, model = breast_cancer()
    tree = ol.read(model)
    low, high = X * 0.97, X * 1.03
    said = tree.predict(ol.Between(low.set_index(X.index + 7), high))
    assert said.index.tolist() == (X.index + 7).tolist()
    assert 0.5 < said.notna().mean() < 1
    assert (said.dropna().to_numpy() == model.predict(X)[said.notna()]).all()
    array = tree.predict(ol.Between(low.to_numpy(), high.to_numpy()))
    assert (array.mask == said.isna().to_numpy()).all()
    both = tree.predict(ol.Between(pl.from_pandas(low), pl.from_pandas(high)))
    assert both.to_list() == labels(array)
    dropped = high.drop(columns=tree.features[0])  # not there: no upper end
    assert set(np.flatnonzero(tree.predict(ol.Between(low, dropped)).notna())) <= set(
        np.flatnonzero(said.notna())
    )


def test_float32_ends_are_rounded_as_rows_are():
    space = ol.Space({"x": "float32"})
    cut = float(np.float32(0.1))
    asked = {"feature": "x", "relation": "<=", "reference": cut}
    tree = ol.read({**asked, "true": {"prediction": 1}, "false": {"prediction": 0}}, space=space)
    for x in (0.1, cut, math.nextafter(cut, 1), float(np.nextafter(np.float32(cut), 1))):
        assert labels(tree.predict(ol.Between([[x]], [[x]]))) == labels(tree.predict([[x]]))


def test_ranges_where_nan_is_a_value():
    space = ol.Space([ol.Feature("x", nan=True), ol.Feature("y", values="float32", nan=True)])
    tree = ol.Tree(space, [0, 1, 2], feature=[0, -1, 1, -1, -1], threshold=[np.inf, 0, 2, 0, 0],
                   when_true=[2, -1, 3, -1, -1], when_false=[1, -1, 4, -1, -1],
                   leaf_class=[-1, 0, -1, 1, 2], nan_true=[0, 0, 1, 0, 0])  # fmt: skip
    assert labels(tree.predict([[np.nan, 1], [1.0, np.nan]])) == [0, 1]
    lower = [{"x": 1, "y": 1}, {"x": 1}, {"x": 1}, {"y": 0}, {"x": 1, "y": 3}]
    upper = [{"y": 2}, {"y": 2}, {}, {"y": 1}, {}]
    # A range is a number; no bound at all may be NaN.
    assert labels(tree.predict(ol.Between(lower, upper))) == [1, 1, None, None, 2]
    assert tree.possible([{}, {"x": 1}]) == [(0, 1, 2), (1, 2)]
    color = ol.Feature("c", "categorical", categories=("r", "g"), nan=True)
    tree = ol.Tree(ol.Space([color]), [0, 1], feature=[0, -1, -1], threshold=[0, 0, 0],
                   when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                   sets={0: [0, 2]})  # fmt: skip
    given_sets = [{"c": {"r", None}}, {"c": {"r"}}, {"c": {"g", None}}, {}]
    assert labels(tree.predict(ol.Between(given_sets, [{}] * 4))) == [0, 0, None, None]


def test_one_of_several_categories():
    lower = [{"color": {"red", "green"}, "age": 30}, {"color": ["blue", "red"], "age": 31}]
    lower += [{"color": ("red", "blue"), "age": 20}, {"color": np.array(["blue"])}]
    upper = [{"age": 30}, {"age": 99}, {"age": 22}, {"color": None}]
    assert labels(WARM.predict(ol.Between(lower, upper))) == ["a", "b", None, "b"]
    frame = pl.DataFrame({"color": [["red", "green"]], "age": [3]})
    assert WARM.predict(ol.Between(frame, pl.DataFrame({"age": [30]}))).to_list() == ["a"]
    table = [[{"red", "green"}, 3], ["blue", None]]
    assert labels(WARM.predict(ol.Between(table, [[None, 30], ["blue", None]]))) == ["a", "b"]


BINARIZED = ol.Space(
    {"x": "numeric", "c": ["red", "green", "blue"]},
    columns={
        "x <= 5": ol.Condition("x", at_most=5),
        "x <= 10": ol.Condition("x", at_most=10),
        "c_red": ol.Condition("c", among=("red",)),
        "c_green": ol.Condition("c", among=("green",)),
    },
)


def asks(column, space=BINARIZED):
    told = {"feature": column, "true": {"prediction": 1}, "false": {"prediction": 0}}
    return ol.read(told, space=space)


AT_10, RED = asks("x <= 10"), asks("c_red")


def test_one_known_column_settles_another():
    """``x <= 5`` known true settles ``x <= 10``; the paper's columns are unrelated."""
    nan = np.nan
    rows = np.array([[1, nan, nan, nan], [0, nan, nan, nan], [nan, 0, nan, nan], [nan] * 4])
    assert labels(AT_10.predict(rows)) == [1, None, 0, None]
    assert labels(ol.baselines.predict_path(AT_10, rows)) == [1, None, 0, None]
    assert labels(RED.predict([[nan, nan, nan, 1]])) == [0]
    tree = asks("x <= 10", ol.Space.independent(BINARIZED.column_names))
    assert labels(tree.predict(rows)) == [None, None, 0, None]


def test_ranges_of_columns_that_tell_conditions():
    nan = np.nan
    lower = [[1, nan, nan, nan], [0, 0, 0, 0], [nan, nan, nan, nan], [0, nan, 0, 1]]
    upper = [[1, nan, nan, nan], [1, 1, 1, 1], [nan, 0, nan, nan], [0, nan, 1, 1]]
    assert labels(AT_10.predict(ol.Between(lower, upper))) == [1, None, 0, None]
    assert labels(RED.predict(ol.Between(lower, upper))) == [None, None, None, 0]
    # The feature itself, and a column that says more.
    assert labels(AT_10.predict(ol.Between([{"x": 6}], [{"x": 10}]))) == [1]
    assert labels(AT_10.predict(ol.Between([{"x": 6}], [{"x <= 10": 0}]))) == [0]
    assert labels(RED.predict(ol.Between([{"c": {"red", "green"}, "c_green": 0}], [{}]))) == [None]
    assert labels(
        RED.predict(ol.Between([{"c": {"red", "green"}, "c_green": 0}], [{"c_green": 0}]))
    ) == [1]  # fmt: skip
    with pytest.raises(InvalidData, match="row 0 contradicts itself about 'x'"):
        AT_10.predict(ol.Between([{"x": 6, "x <= 5": 1}], [{"x": 8}]))
    with pytest.raises(InvalidData, match="row 0 contradicts itself about 'c'"):
        RED.predict(ol.Between([{"c": {"blue"}, "c_red": 1}], [{}]))


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([{"age": 1}, {"age": 31}], [{"age": 1}, {"age": 30}],
         "row 1, feature 'age': from 31 to 30 is not a range: lower is above upper"),
        ([{"age": 2.2}], [{"age": 2.8}], "feature 'age': no whole number lies from 2.2 to 2.8"),
        ([{"age": np.inf}], [{}], "no whole number lies from inf to no bound"),
        ([{"age": "old"}], [{}], "feature 'age' has the value 'old' in row 0"),
        ([{"age": {1, 2}}], [{}], "feature 'age' has the value {1, 2} in row 0"),
        ([{"age": 1}], [{}, {}], "lower has 1 rows and upper 2"),
        ([{"ago": 1}], [{}], "unknown feature 'ago'"),
        ([{"color": "red"}], [{"color": "blue"}], "upper is 'blue', but categories have no order"),
        ([{}], [{"color": "blue"}], "row 0, feature 'color': upper is 'blue'"),
        ([{"color": {"red"}}], [{"color": "red"}], "Give the possible values as a set in lower"),
        ([{"color": set()}], [{}], "row 0, feature 'color': the set of values is empty"),
        ([{"color": {"pink"}}], [{}], "it has no value 'pink'; it must be one of 'red'"),
        ([{"color": {"red", None}}], [{}], "it has no value None"),
        (pd.DataFrame({"age": [1]}), pd.DataFrame({"age": [1]}),
         "neither data frame has a column for 'color'"),
    ],
)  # fmt: skip
def test_ranges_that_are_refused(lower, upper, message):
    with pytest.raises(InvalidData, match=message):
        WARM.predict(ol.Between(lower, upper))


def test_a_boolean_between_false_and_true():
    tree = ol.read(OR)
    assert labels(tree.predict(ol.Between([[-3, 0]], [[0.5, 0.9]]))) == [0]
    for low, high in ((0.2, 0.8), (2, 2), (None, -1)):
        with pytest.raises(InvalidData, match="feature 'x0': neither 0 nor 1 lies from"):
            tree.predict(ol.Between([[low, 0]], [[high, 0]]))


# -- baselines -----------------------------------------------------------------------------------


def walk(spec, row):
    """The class at the end of the path, None where a value on it is missing."""
    while spec[0] == "split":
        _, name, test, yes, no = spec
        if row[name] is None:
            return None
        holds = row[name] in test if isinstance(test, frozenset) else row[name] <= test
        spec = yes if holds else no
    return spec[1]


@given(problems(max_features=4), st.data())
@settings(max_examples=100)
def test_baselines_answer_less_and_the_same(problem, data):
    kinds, (spec,) = problem
    assume("float32" not in kinds.values())
    tree = tree_of(spec, kinds)
    rows = data.draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=5))
    said = labels(tree.predict(rows))
    path, features = (
        labels(ol.baselines.predict_path(tree, rows)),
        labels(ol.baselines.predict_features(tree, rows)),
    )
    for row, ours, by_path, by_features in zip(rows, said, path, features, strict=True):
        walked = walk(spec, row)
        # Dead branches are gone from our tree: it may know an answer where the source asks on.
        assert walked is None or by_path == walked
        assert by_path in (None, ours)
        complete = all(row[name] is not None for name in tree.features)
        assert by_features == (ours if complete else None)
        assert by_features is None or by_path == by_features


def test_baselines_on_the_papers_columns():
    """Over independent columns these are the paper's: a missing column stops the path."""
    random = np.random.RandomState(0)
    X = random.randint(2, size=(300, 6)).astype(float)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, random.randint(2, size=300))
    X[random.random_sample(X.shape) < 0.4] = np.nan
    on_path = np.zeros(X.shape, dtype=bool)
    steps = model.decision_path(np.nan_to_num(X)).toarray().astype(bool)
    for node, feature in enumerate(model.tree_.feature):
        if feature >= 0:
            on_path[:, feature] |= steps[:, node]
    # A path that meets no missing value is the path of any completion.
    free = ~(on_path & np.isnan(X)).any(axis=1)
    assert (ol.baselines.predict_path(model, X).mask == ~free).all()
    used = [f for f in set(model.tree_.feature) if f >= 0]
    expected = np.isnan(X[:, used]).any(axis=1)
    assert (ol.baselines.predict_features(model, X).mask == expected).all()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    assert ol.baselines.predict_features(model, frame).isna().to_list() == expected.tolist()


def test_a_partly_known_feature_is_known_if_its_conditions_are():
    nan = np.nan
    rows = np.array([[1, nan, nan, nan], [nan, 1, nan, nan], [0, nan, nan, nan]])
    assert labels(ol.baselines.predict_features(AT_10, rows)) == [1, 1, None]
    rows = [{"c_red": 0}, {"c_green": 1}, {"c": "red"}, {}, {"c_green": 0}]
    assert labels(ol.baselines.predict_features(RED, rows)) == [0, 0, 1, None, None]
