"""Bounds on numbers: never too narrow, and exact for one tree, against all completions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from oracle import possible_classes
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor
from strategies import kinds, partial_rows, space_of, specs, tree_of

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from orderless.questions import rows as question_rows

TREES = [
    DecisionTreeRegressor(max_depth=4, random_state=0),
    DecisionTreeRegressor(max_depth=4, criterion="absolute_error", random_state=0),
    ExtraTreeRegressor(max_depth=4, random_state=0),
]


def data(n=60, seed=0):
    """Rows with many ties, numbers and classes that depend on them, and rows with gaps."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n, 3)).astype(float)
    number = X[:, 0] * X[:, 1] - X[:, 2] + rng.normal(size=n)
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.5] = np.nan
    return X, number, np.array(["low", "middle", "top"])[np.digitize(number, [0, 8])], gaps


def said_of_completions(model, says, row):
    """What a model says of completions that between them reach every combination of bins."""
    values = []
    for j, value in enumerate(row):
        cuts = model.tree_.threshold[model.tree_.feature == j]
        steps = np.unique(np.floor(cuts * 64) / 64)  # below each cut, and a bit above; all float32
        values.append([value] if not np.isnan(value) else [*steps, *(steps + 1 / 64), 99.0])
    return says(np.array(list(itertools.product(*values))))


def numbered(spec, count):
    """Give every leaf a number of its own."""
    if spec[0] == "leaf":
        return ("leaf", next(count))
    return (*spec[:3], numbered(spec[3], count), numbered(spec[4], count))


# -- against the oracle --------------------------------------------------------------------------


@given(st.data())
def test_numbers_of_any_tree(draw):
    which = draw.draw(kinds())
    spec = draw.draw(specs(which, (-1.5, 0.25, 3.0, 1e300)))
    row = draw.draw(partial_rows(which, spec))
    possible = possible_classes(which, row, spec)
    lower, upper = tree_of(spec, which).predict_interval([row])[:2]
    assert (lower.tolist(), upper.tolist()) == ([min(possible)], [max(possible)])


@given(st.data())
def test_shares_of_any_tree(draw):
    which = draw.draw(kinds())
    spec = numbered(draw.draw(specs(which, (0,))), itertools.count())
    rows = draw.draw(st.lists(partial_rows(which, spec), min_size=1, max_size=4))
    plain = tree_of(spec, which)
    n_classes = draw.draw(st.integers(1, 3))
    counts = {
        label: draw.draw(st.lists(st.integers(1, 9), min_size=n_classes, max_size=n_classes))
        for label in plain.classes
    }
    weight = np.array([counts[plain.classes[c]] for c in plain.nodes.leaf_class])
    tree = ol.Tree(
        space_of(which),
        list("abc")[:n_classes],
        feature=plain.nodes.feature,
        threshold=plain.nodes.threshold,
        when_true=plain.nodes.when_true,
        when_false=plain.nodes.when_false,
        leaf_class=np.where(plain.nodes.feature < 0, weight.argmax(axis=1), -1),
        sets={i: plain.kernel.set_of(i).tolist() for i in range(plain.n_nodes)},
        distribution=weight,
    )
    lower, upper = tree.predict_interval(rows, of="probability")[:2]
    for row, low, high in zip(rows, lower, upper, strict=True):
        leaves = possible_classes(which, row, spec)
        shares = [[w / sum(counts[leaf]) for w in counts[leaf]] for leaf in leaves]
        assert low.tolist() == np.min(shares, axis=0).tolist()
        assert high.tolist() == np.max(shares, axis=0).tolist()


@pytest.mark.parametrize("model", TREES, ids=str)
def test_regressors_over_all_completions(model):
    X, number, _, gaps = data()
    tree = ol.read(model.fit(X, number))
    lower, upper, exact = tree.predict_interval(gaps)
    assert exact.all()
    for row, low, high in zip(gaps, lower, upper, strict=True):
        said = said_of_completions(model, model.predict, row)
        assert (low, high) == (said.min(), said.max())
    complete = tree.predict_interval(X)[:2]
    assert [list(end) for end in complete] == [model.predict(X).tolist()] * 2


def test_classifier_over_all_completions():
    X, _, label, gaps = data()
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=3, random_state=0).fit(X, label)
    tree = ol.read(model)
    lower, upper, exact = tree.predict_interval(gaps, of="probability")
    assert exact.all()
    assert lower.shape == upper.shape == (len(X), 3)
    for row, low, high in zip(gaps, lower, upper, strict=True):
        said = said_of_completions(model, model.predict_proba, row)
        assert low == pytest.approx(said.min(axis=0), abs=1e-12)
        assert high == pytest.approx(said.max(axis=0), abs=1e-12)
    sure = tree.apply(gaps).mask == 0  # one leaf
    assert sure.any()
    assert np.array_equal(lower[sure], upper[sure])


@pytest.mark.parametrize("cells", [1, 7, 100])
def test_blocks_change_nothing(monkeypatch, cells):
    X, number, label, gaps = data()
    models = [
        ("answer", ol.read(DecisionTreeRegressor(random_state=0).fit(X, number))),
        ("probability", ol.read(DecisionTreeClassifier(random_state=0).fit(X, label))),
    ]
    whole = [tree.predict_interval(gaps, of=of)[:2] for of, tree in models]
    monkeypatch.setattr(question_rows, "MOST_CELLS", cells)
    for (of, tree), expected in zip(models, whole, strict=True):
        assert np.array_equal(tree.predict_interval(gaps, of=of)[:2], expected)


# -- what comes in, what comes out ---------------------------------------------------------------


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["sepal length", "sepal width", "petal length", "petal width"]
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.4)
    return X, y, gaps.set_axis([f"row {i}" for i in range(len(X))])


def test_data_frames_come_back(iris):
    X, y, gaps = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, names)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, names)
    for fitted in (model, forest):
        read = ol.read(fitted)

        def bounds_of(table, read=read):
            return read.predict_interval(table, of="probability")[:2]

        plain = np.array(bounds_of(gaps.to_numpy()))
        for end, expected in zip(bounds_of(gaps), plain, strict=True):
            assert isinstance(end, pd.DataFrame)
            assert end.index.equals(gaps.index)
            assert list(end.columns) == fitted.classes_.tolist()
            assert np.array_equal(end, expected)
        for frame in (pl.DataFrame(gaps), pa.table(gaps.reset_index(drop=True))):
            for end, expected in zip(bounds_of(frame), plain, strict=True):
                assert type(end) is type(frame)
                columns = [np.asarray(end[name]) for name in fitted.classes_]
                assert np.array_equal(np.transpose(columns), expected)


def test_series_come_back(iris):
    X, y, gaps = iris
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    forest = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    for read in (ol.read(model), ol.read(forest)):
        plain = read.predict_interval(gaps.to_numpy())
        ends = read.predict_interval(gaps)
        for end, expected, name in zip(ends, plain, ("lower", "upper", "exact"), strict=True):
            assert isinstance(end, pd.Series)
            assert end.name == name
            assert end.index.equals(gaps.index)
            assert end.tolist() == expected.tolist()
        for end, expected in zip(read.predict_interval(pl.DataFrame(gaps)), plain, strict=True):
            assert isinstance(end, pl.Series)
            assert end.to_list() == expected.tolist()


def test_dicts_and_no_rows(iris):
    X, y, _ = iris
    model = ol.read(DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y))
    lower, upper = model.predict_interval([{"petal width": 0.2}, {}])[:2]
    assert lower.tolist() == [0.0, 0.0]
    assert upper[0] == 0.0 < upper[1]
    assert [len(end) for end in model.predict_interval(X.to_numpy()[:0])[:2]] == [0, 0]


def test_through_pipelines(iris):
    X, y, gaps = iris
    plain = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    scaled = make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=3, random_state=0))
    scaled.fit(X, y)
    bounds_of_plain = ol.read(plain).predict_interval(gaps)
    assert np.array_equal(ol.read(scaled).predict_interval(gaps), bounds_of_plain)
    bare_pipeline = Pipeline([("only", plain)])
    assert np.array_equal(ol.read(bare_pipeline).predict_interval(gaps), bounds_of_plain)


def test_an_unknown_category_is_one_of_its_values():
    X = pd.DataFrame({"color": ["red", "green", "blue", "red"], "size": [1.0, 2.0, 3.0, 4.0]})
    encode = ColumnTransformer([("hot", OneHotEncoder(), ["color"])], remainder="passthrough")
    model = make_pipeline(encode, DecisionTreeRegressor(random_state=0)).fit(X, [1, 20, 40, 1])
    row = pd.DataFrame({"color": [None], "size": [4.0]})
    said = [
        model.predict(pd.DataFrame({"color": [c], "size": [4.0]}))[0]
        for c in ("red", "green", "blue")
    ]
    (low,), (high,) = ol.read(model).predict_interval(row)[:2]
    assert (low, high) == (min(said), max(said))


def test_equal_leaves_are_one_class():
    model = DecisionTreeRegressor(random_state=0).fit([[1], [2], [3], [4]], [7, 5, 7, -0.0])
    tree = ol.read(model, feature_names=["age"])
    assert tree.classes == (0.0, 5.0, 7.0)
    assert math.copysign(1, tree.classes[0]) == 1
    assert tree.features == ("age",)
    assert tree.n_leaves == 4


def test_a_tree_of_one_leaf():
    model = DecisionTreeRegressor(random_state=0).fit([[1], [2]], [3.5, 3.5])
    assert [end.tolist() for end in ol.read(model).predict_interval([[None], [1]])[:2]] == [
        [3.5, 3.5]
    ] * 2


# -- errors --------------------------------------------------------------------------------------


def test_what_has_no_probabilities():
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    with pytest.raises(InvalidTree, match="does not say how many training rows"):
        tree.predict_interval([[1]], of="probability")[:2]
    with pytest.raises(InvalidTree, match="says numbers, not shares of classes"):
        ol.read(TREES[0].fit([[1]], [1])).predict_interval([[1]], of="probability")[:2]
    leaf = {"feature": [-1], "threshold": [0.0], "when_true": [-1], "when_false": [-1]}
    space = ol.Space.numeric(["x"])
    for counts in ([0, 0], [3, -1]):
        tree = ol.Tree(space, ["a", "b"], **leaf, leaf_class=[0], distribution=[counts])
        with pytest.raises(InvalidTree, match="leaf 0 has no training rows"):
            tree.predict_interval([[1.0]], of="probability")[:2]


def test_what_is_no_regression_tree():
    X, number, label, _ = data()
    tree = ol.read(DecisionTreeClassifier(random_state=0).fit(X, label))
    with pytest.raises(InvalidTree, match=r"are not numbers.*probability"):
        tree.predict_interval(X)
    both = DecisionTreeRegressor().fit(X, np.stack([number, number], axis=1))
    with pytest.raises(UnreadableModel, match="predicts 2 outputs at once"):
        ol.read(both)
