"""Binarizers: the paper's columns, good scikit-learn citizens, and the way back to features."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import (
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

import orderless as ol
from orderless import Condition, Feature, Space
from orderless.errors import InvalidData, InvalidSpace
from orderless.inputs import Binarizer

BOTH = [Binarizer(), Binarizer((0.33, 0.66))]
both = pytest.mark.parametrize("binarizer", BOTH, ids=lambda b: type(b).__name__)


# -- scikit-learn --------------------------------------------------------------------------------


@parametrize_with_checks(BOTH)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@both
def test_names_as_scikit_learn_wants_them(binarizer):
    name = type(binarizer).__name__
    check_transformer_get_feature_names_out(name, binarizer)
    check_transformer_get_feature_names_out_pandas(name, binarizer)


@both
def test_frames_and_arrays_give_the_same(binarizer, iris):
    X, y = iris
    expected = clone(binarizer).fit_transform(X.to_numpy(), y)
    assert expected.dtype == np.int8
    assert set(np.unique(expected)) == {0, 1}
    for frame in (X, pl.from_pandas(X), pa.Table.from_pandas(X), X.to_numpy().tolist()):
        np.testing.assert_array_equal(clone(binarizer).fit_transform(frame, y), expected)


@both
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(binarizer, library, iris):
    X, y = iris
    binarizer = clone(binarizer).set_output(transform=library).fit(X, y)
    out = binarizer.transform(X)
    assert type(out).__module__.startswith(library)
    assert tuple(out.columns) == binarizer.space_.column_names
    np.testing.assert_array_equal(out.to_numpy(), np.asarray(clone(binarizer).set_output(
        transform="default").fit_transform(X, y)))  # fmt: skip
    if library == "pandas":
        assert set(out.dtypes) == {np.dtype(np.int8)}
        assert out.index.equals(X.index)


@both
def test_clone_and_pickle(binarizer, iris):
    X, y = iris
    binarizer = clone(binarizer).set_params(space=Space.numeric(X.columns)).fit(X, y)
    again = pickle.loads(pickle.dumps(binarizer))
    assert again.space_ == binarizer.space_
    np.testing.assert_array_equal(again.transform(X), binarizer.transform(X))
    fresh = clone(binarizer)
    assert not hasattr(fresh, "space_")
    assert fresh.fit(X, y).space_ == binarizer.space_


def test_in_a_pipeline_with_a_search(iris):
    X, y = iris
    pipeline = Pipeline(
        [("binarize", Binarizer()), ("tree", DecisionTreeClassifier(random_state=0))]
    )
    grid = {
        "binarize": [Binarizer(n_estimators=5), Binarizer((0.33, 0.66))],
        "tree__max_depth": [1, 3],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.9
    columns = ColumnTransformer([("some", Binarizer((0.33, 0.66)), X.columns[:2])])
    assert columns.fit(X).get_feature_names_out()[0].startswith("some__sepal length (cm) <= ")


def test_defaults_are_the_papers():
    assert Binarizer().get_params() == {
        "thresholds": "guess",
        "n_estimators": 40,
        "max_depth": 1,
        "learning_rate": 0.1,
        "backward_select": True,
        "random_state": 42,
        "space": None,
        "task": "classification",
    }


def test_import_stays_light():
    code = "import orderless, sys; assert 'sklearn' not in sys.modules; orderless.Binarizer"
    subprocess.run([sys.executable, "-c", code], check=True)


# -- thresholds and names ------------------------------------------------------------------------


@both
def test_rows_at_each_threshold_and_beside_it(binarizer, iris):
    X, y = iris
    binarizer = clone(binarizer).fit(X.to_numpy(), y)
    for k, (j, threshold) in enumerate(binarizer.thresholds_):
        rows = np.tile(X.to_numpy()[:1], (3, 1))
        rows[:, j] = [np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf)]
        assert binarizer.transform(rows)[:, k].tolist() == [1, 1, 0]


@both
@pytest.mark.parametrize(
    "names", [["a b", 'a "q"'], ["it's", "größe"], ["x <= 3", "x"], [0, 1], ["  ", "\n"]]
)
def test_names(binarizer, names):
    X = pd.DataFrame([[0.0, 9.0], [1.0, 5.0], [2.0, 1.0], [7.0, 2.0]], columns=names)
    binarizer = clone(binarizer).fit(X, [0, 0, 1, 1])
    assert binarizer.space_.names == tuple(str(name) for name in names)
    expected = [
        f"{names[j]} <= {np.format_float_positional(t, trim='-')}" for j, t in binarizer.thresholds_
    ]
    assert list(binarizer.space_.column_names) == expected
    assert binarizer.get_feature_names_out().tolist() == expected
    assert binarizer.set_output(transform="pandas").transform(X).columns.tolist() == expected


def test_names_given_later():
    binarizer = Binarizer((0.33, 0.66)).fit(np.arange(6.0).reshape(3, 2))
    assert binarizer.get_feature_names_out(["a", "b"])[0].startswith("a <= ")
    with pytest.raises(ValueError, match=r"length equal to number of features \(2\), got 1"):
        binarizer.get_feature_names_out(["a"])
    binarizer.fit(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    with pytest.raises(ValueError, match=r"not equal to feature_names_in_: got .* leave it out"):
        binarizer.get_feature_names_out(["a", "c"])


def test_names_that_clash():
    X = pd.DataFrame([[0.0, 0.0], [1.0, 1.0]], columns=["a", "a"])
    # scikit-learn 1.9 says it first, older ones leave it to us.
    with pytest.raises(ValueError, match=r"two features are named 'a'|unique column names"):
        Binarizer([0.5]).fit(X)
    X.columns = ["a", "a <= 0.5"]
    with pytest.raises(InvalidSpace, match=r"X has a column named 'a <= 0\.5'.*: rename it"):
        Binarizer([0.5]).fit(X)


# -- the way back --------------------------------------------------------------------------------


def rows_around(binarizer, X, n_rows, rng):
    """Random rows, many of them exactly at thresholds or beside them."""
    rows = X[rng.integers(0, len(X), n_rows)].copy()
    for j, threshold in binarizer.thresholds_:
        beside = [np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf)]
        here = rng.random(n_rows) < 0.3
        rows[here, j] = rng.choice(beside, here.sum())
    return rows


@both
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4))
@settings(max_examples=15, deadline=None)
def test_trees_on_the_columns_are_trees_on_the_features(binarizer, seed, n_classes):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 4)), 1)
    y = rng.integers(0, n_classes, 60)
    y[:n_classes] = range(n_classes)
    binarizer = clone(binarizer)
    if isinstance(binarizer, Binarizer):
        binarizer.set_params(n_estimators=8)
    binarizer.fit(X, y)
    model = DecisionTreeClassifier(max_depth=5, random_state=seed).fit(binarizer.transform(X), y)
    tree = ol.read(model, space=binarizer.space_)
    assert set(tree.features) <= {"x0", "x1", "x2", "x3"}
    rows = rows_around(binarizer, X, 300, rng)
    expected = model.predict(binarizer.transform(rows))
    columns = pd.DataFrame(binarizer.transform(rows), columns=binarizer.get_feature_names_out())
    raw = pd.DataFrame(rows, columns=binarizer.space_.names)
    for given_rows in (columns, columns.to_numpy(), raw):
        np.testing.assert_array_equal(tree.predict(given_rows), expected)


def test_space_says_what_the_columns_mean(iris):
    X, y = iris
    binarizer = Binarizer().fit(X, y == 0)
    assert binarizer.space_.features == tuple(Feature(name) for name in X.columns)
    column = binarizer.space_.columns[0]
    assert (column.name, column.feature) == ("petal length (cm) <= 2.449999988079071", X.columns[2])
    assert column.condition == Condition(X.columns[2], at_most=2.449999988079071)


# -- declared features ---------------------------------------------------------------------------


def test_declared_integers_merge_cuts():
    X = pd.DataFrame({"age": [18, 19, 19, 20], "dose": [0.5, 1.0, 1.5, 2.0]})
    space = Space({"dose": "numeric", "age": "integer"})
    free, declared = Binarizer((0.33, 0.66)), Binarizer((0.33, 0.66), space=space)
    assert [j for j, _ in free.set_params(thresholds=(0.1, 0.2)).fit(X).thresholds_] == [0, 0, 1, 1]
    declared.set_params(thresholds=(0.1, 0.2)).fit(X)
    assert [j for j, _ in declared.thresholds_] == [0, 1, 1]
    assert declared.space_.features == space.features
    assert declared.space_.columns[0].condition == Condition("age", at_most=18.3)


def test_declared_booleans():
    X = pd.DataFrame({"smoker": [0, 1, 0, 1], "age": [30, 40, 50, 60]})
    space = Space({"smoker": "boolean", "age": "integer"})
    binarizer = Binarizer(space=space).fit(X, ["n", "y", "n", "y"])
    assert binarizer.space_.columns[0].name == "smoker <= 0.5"
    assert binarizer.space_.columns[0].condition == Condition("smoker", among=(False,))
    model = DecisionTreeClassifier().fit(binarizer.transform(X), ["n", "y", "n", "y"])
    tree = ol.read(model, space=binarizer.space_)
    assert tree.predict(X).tolist() == ["n", "y", "n", "y"]


def test_declared_one_hot_columns():
    X = pd.DataFrame(np.eye(3)[[0, 1, 2, 0, 1, 2]], columns=["c_r", "c_g", "c_b"])
    y = [0, 0, 1, 0, 0, 1]
    binarizer = Binarizer([0.5], space=Space.infer(X)).fit(X)
    assert [f.name for f in binarizer.space_.features] == ["c"]
    assert binarizer.space_.columns[2].condition == Condition("c", among=("r", "g"))
    model = DecisionTreeClassifier().fit(binarizer.transform(X), y)
    tree = ol.read(model, space=binarizer.space_)
    assert tree.predict([{"c": "b"}, {"c": "r"}]).tolist() == [1, 0]
    np.testing.assert_array_equal(tree.predict(binarizer.transform(X)), y)


def test_declared_float32_rounds_first():
    X = np.array([[0.1], [0.3], [0.5]])  # 0.3 as float32 is more than 0.3
    space = Space({"x": "float32"})
    binarizer = Binarizer([0.5], space=space).fit(X)
    threshold = binarizer.thresholds_[0][1]
    below = float(space["x"].at_most(threshold))
    rows = np.array([[below], [np.nextafter(below, 1)], [float(space["x"].above(below))]])
    assert binarizer.transform(rows)[:, 0].tolist() == [1, 1, 0]
    model = DecisionTreeClassifier().fit(binarizer.transform(X), [0, 0, 1])
    tree = ol.read(model, space=binarizer.space_)
    assert tree.predict(pd.DataFrame(rows, columns=["x"])).tolist() == [0, 0, 1]


def test_declared_space_of_an_array_goes_by_position():
    X = np.array([[1, 0.5], [2, 1.5], [3, 2.5]])
    space = Space({"age": "integer", "dose": "numeric"})
    binarizer = Binarizer([0.5], space=space).fit(X)
    assert binarizer.get_feature_names_out().tolist() == ["age <= 2", "dose <= 1.5"]
    np.testing.assert_array_equal(binarizer.transform(X), [[1, 1], [1, 1], [0, 0]])
    some = Binarizer([0.5], space=space).fit(pd.DataFrame({"dose": [1, 2]}))
    assert some.space_.names == ("dose",)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({"a": "integer", "b": "numeric"}, "space must be a Space of the columns that come in"),
        (Space({"a": "numeric"}), r"X has 2 columns, but the space describes 1 and none named 'b'"),
        (Space({"a": "numeric", "b": ["p", "q"]}), r"'b <= .*cannot be written as a condition on"),
        (
            Space(
                [Feature("c", "categorical", categories=("p", "q"), other=True)],
                {"a": Condition("c", among=("p",)), "b": Condition("c", among=("q",))},
            ),
            r"cannot be written.*read\(\.\.\., preprocessing=binarizer, space=\.\.\.\)",
        ),
    ],
)
def test_spaces_that_do_not_fit(space, message):
    X = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(InvalidSpace, match=message):
        Binarizer([0.5], space=space).fit(X)


def test_values_that_the_space_does_not_allow():
    space = Space({"age": "integer", "smoker": "boolean"})
    binarizer = Binarizer([0.5], space=space).fit([[20, 0], [30, 1]])
    with pytest.raises(InvalidData, match=r"'age' has the value 20\.5 in row 1.*declared integer"):
        binarizer.transform([[20, 0], [20.5, 1]])
    with pytest.raises(InvalidData, match=r"'smoker' has the value 2 in row 0.*declared 0/1"):
        binarizer.fit([[20, 2], [30, 1]])


# -- errors --------------------------------------------------------------------------------------


@both
def test_rows_that_are_not_complete(binarizer, iris):
    X, y = iris[0].to_numpy().copy(), iris[1]
    fitted = clone(binarizer).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        clone(binarizer).fit(X, y)
    with pytest.raises(ValueError, match="contains NaN"):
        fitted.transform(X)


@both
def test_nothing_to_cut(binarizer):
    with pytest.raises(InvalidData, match=r"no column is left.* 2 feature\(s\)"):
        clone(binarizer).fit(np.ones((3, 2)), [0, 1, 0])


@both
def test_text_is_refused(binarizer):
    with pytest.raises(ValueError, match="could not convert string to float"):
        clone(binarizer).fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])


@pytest.mark.parametrize("y", [[1, 1, 1], ["no"] * 3])
def test_one_class_is_refused(y):
    with pytest.raises(InvalidData, match=r"y has 1 class, .*: guessing thresholds needs at least"):
        Binarizer().fit([[1], [2], [3]], y)


@pytest.mark.parametrize(
    ("y", "message"),
    [([0.1, 0.2, 0.3], "Unknown label type"), ([0, 1, np.nan], "NaN"), (None, "requires y")],
)
def test_labels_that_are_no_classes(y, message):
    with pytest.raises(ValueError, match=message):
        Binarizer().fit([[1], [2], [3]], y)


@pytest.mark.parametrize("thresholds", [(), 0.5, "0.5", (1.5,), (np.nan,), ("a",), None, 0, True])
def test_thresholds_that_are_none(thresholds):
    with pytest.raises(ValueError, match="thresholds must be 'guess', 'all', how many quantiles"):
        Binarizer(thresholds).fit([[1.0], [2.0]])


def test_guesses_for_numbers_are_those_of_a_regressor():
    """Candidates as a boosted regressor cuts; a column that explains nothing is dropped."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3)).round(2)
    y = 10.0 * (X[:, 0] <= 0.3) + 4.0 * (X[:, 1] <= -0.5) + random.normal(0, 0.5, 200)
    booster = GradientBoostingRegressor(n_estimators=40, max_depth=1, random_state=42).fit(X, y)
    due = {
        (int(stump.tree_.feature[0]), float(stump.tree_.threshold[0]))
        for stump in booster.estimators_.ravel()
        if stump.tree_.node_count > 1
    }
    every = Binarizer(task="regression", backward_select=False).fit(X, y)
    assert set(every.thresholds_) == due
    some = Binarizer(task="regression").fit(X, y)
    assert set(some.thresholds_) <= due
    assert {feature for feature, _ in some.thresholds_} >= {0, 1}
    assert len(some.thresholds_) < len(due)
    with pytest.raises(ValueError, match=r"task must be one of 'classification', 'regression'"):
        Binarizer(task="ranking").fit(X, y)
