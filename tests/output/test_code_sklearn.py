import itertools
import math
import pickle

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from neighbours import at_thresholds
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree
from sklearn.utils.validation import check_is_fitted
from strategies import kinds as some_kinds, specs, tree_of

import orderless as ol
from orderless.errors import InvalidSpace


def frame(rows, tree):
    return pd.DataFrame(rows, columns=list(tree.space.column_names))


def cuts_of(tree):
    return [
        (int(f), float(t))
        for f, t in zip(tree.nodes.feature, tree.nodes.threshold, strict=True)
        if f >= 0
    ]


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("depth", [1, 3, None])
def test_there_and_back(load, depth):
    """What scikit-learn has fitted comes back node for node, with its probabilities."""
    X, y = load(return_X_y=True)
    fitted = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    tree = ol.read(fitted)
    made = tree.to_sklearn()
    check_is_fitted(made)
    assert ol.read(made) == tree
    rows = at_thresholds(X, cuts_of(tree), 0).astype(np.float32)
    for method in ("predict", "predict_proba", "apply"):
        assert np.allclose(getattr(made, method)(rows), getattr(fitted, method)(rows))
    assert np.array_equal(made.predict(rows), tree.predict(rows))
    assert (made.decision_path(rows) != fitted.decision_path(rows)).nnz == 0
    one, other = made.tree_.__getstate__(), fitted.tree_.__getstate__()
    assert one["nodes"].dtype == other["nodes"].dtype
    for name in one["nodes"].dtype.names:
        assert np.allclose(one["nodes"][name], other["nodes"][name]), name
    assert np.allclose(one["values"], other["values"])
    assert one["max_depth"] == other["max_depth"]
    assert export_text(made, decimals=4) == export_text(fitted, decimals=4)
    assert (made.get_depth(), made.get_n_leaves()) == (fitted.get_depth(), fitted.get_n_leaves())
    assert np.allclose(made.feature_importances_, fitted.feature_importances_)


@pytest.mark.parametrize("minimize", ["leaves", "depth", "expected_depth"])
def test_the_smallest_tree_as_a_classifier(minimize):
    X, y = load_wine(return_X_y=True)
    fitted = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    smallest = ol.read(fitted).minimize(what=minimize)
    made = smallest.to_sklearn()
    rows = at_thresholds(X, cuts_of(smallest), 1).astype(np.float32)
    assert np.array_equal(made.predict(rows), fitted.predict(rows))
    assert made.predict_proba(rows).max(axis=1).min() == 1  # no distribution: sure of its class
    assert ol.equivalent(made, fitted)
    assert made.get_n_leaves() == smallest.n_leaves


def test_what_people_do_with_a_classifier():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    made = ol.read(fitted).to_sklearn()
    assert list(made.feature_names_in_) == list(X.columns)
    assert made.score(X, y) == fitted.score(X, y)
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again.predict(X), made.predict(X))
    assert not hasattr(clone(made), "tree_")
    clone(made).fit(X, y)
    figure = plt.figure()
    assert plot_tree(made, feature_names=list(X.columns))
    plt.close(figure)
    assert "petal" in export_text(made, feature_names=list(X.columns))


@given(st.data())
@settings(max_examples=80)
def test_numbers_and_booleans_predict_the_same(data):
    """Every bin of random trees, on rows of float32 numbers; labels of every type."""
    which = {
        name: kind if not isinstance(kind, tuple) else "integer"
        for name, kind in data.draw(some_kinds()).items()
    }
    labels = data.draw(st.sampled_from([(0, 1), ("no", "yes"), (True, False), (7, 3, 5)]))
    spec = data.draw(specs(which, labels))
    tree = tree_of(spec, which)
    made = tree.to_sklearn()
    values = oracle.values_by_feature(which, spec)
    single = {
        name: sorted({oracle.as_float32(float(v)) for v in some if abs(v) < 1e30})
        for name, some in values.items()
    }
    rows = np.array(list(itertools.islice(itertools.product(*single.values()), 300)))
    assert np.array_equal(made.predict(frame(rows, tree)), tree.predict(rows))
    assert np.array_equal(made.classes_, np.sort(tree.classes))
    if all(kind in ("float32", "boolean") for kind in which.values()):
        assert ol.equivalent(ol.read(made), tree)


def test_a_float64_boundary_between_two_float32_numbers():
    tree = ol.read(
        {"feature": 0, "relation": "<=", "reference": 0.1, "true": {"prediction": 1},
         "false": {"prediction": 0}}, feature_names=["x0"],
    )  # fmt: skip
    made = tree.to_sklearn()
    below = np.nextafter(np.float32(0.1), np.float32(0))
    rows = np.array([[below], [np.float32(0.1)]], dtype=np.float32)
    assert made.predict(rows).tolist() == tree.predict(rows).tolist() == [1, 0]
    assert not hasattr(made, "feature_names_in_")


def test_missing_as_a_value():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.2] = np.nan
    fitted = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    tree = ol.read(fitted, nan="value")
    made = tree.to_sklearn()
    assert np.array_equal(made.predict(X), fitted.predict(X))
    assert ol.read(made, nan="value") == tree
    smallest = tree.minimize()
    assert np.array_equal(smallest.to_sklearn().predict(X), fitted.predict(X))
    known = ol.Tree(
        ol.Space([ol.Feature("x", values="float32", nan=True)]), [0, 1], feature=[0, -1, -1],
        threshold=[math.inf, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
    )  # fmt: skip
    made = known.to_sklearn()
    rows = pd.DataFrame({"x": [-1e30, 3, math.nan]})
    assert made.predict(rows).tolist() == [0, 0, 1]
    assert ol.equivalent(ol.read(made, nan="value"), known)


def test_unknown_values_go_with_more_rows():
    X, y = load_iris(return_X_y=True)
    fitted = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    made = ol.read(fitted).to_sklearn()
    assert np.array_equal(made.tree_.missing_go_to_left, fitted.tree_.missing_go_to_left)


COLOR = ol.Feature("color", "categorical", categories=("red", "green", "blue"), other=True)


def one_hot_tree(inside, columns=("red", "green", "blue")):
    space = ol.Space(
        [ol.Feature("age", values="integer"), COLOR, ol.Feature("smoker", "boolean")],
        columns={
            "age <= 30": ol.Condition("age", at_most=30),
            **{name: ol.Condition("color", among=(name,)) for name in columns},
            "age <= 50": ol.Condition("age", at_most=50),
            "smokes": ol.Condition("smoker", among=(True,)),
        },
    )
    tree = ol.Tree(
        space,
        ["yes", "no", "perhaps"],
        feature=[1, 0, -1, -1, 2, -1, 0, -1, -1],
        threshold=[0, 30, 0, 0, 0, 0, 50, 0, 0],
        when_true=[1, 2, -1, -1, 5, -1, 7, -1, -1],
        when_false=[4, 3, -1, -1, 6, -1, 8, -1, -1],
        leaf_class=[-1, -1, 0, 1, -1, 2, -1, 0, 1],
        sets={0: inside},
    )
    return tree, space


@pytest.mark.parametrize("inside", [[0], [1, 2], [0, 1], [0, 3], [0, 1, 2], [3]])
def test_conditions_on_columns(inside):
    tree, space = one_hot_tree(inside)
    made = tree.to_sklearn()
    rows = [
        [age <= 30, color == 0, color == 1, color == 2, age <= 50, smoker]
        for age in (20, 30, 31, 50, 51)
        for color in range(4)
        for smoker in (False, True)
    ]
    rows = np.array(rows, dtype=np.float32)
    assert made.predict(frame(rows, tree)).tolist() == tree.predict(rows).tolist()
    assert list(made.classes_) == ["no", "perhaps", "yes"]
    assert ol.equivalent(ol.read(made, space=space), tree)
    smallest = tree.minimize()
    assert ol.equivalent(ol.read(smallest.to_sklearn(), space=space), tree)


def test_a_binarizer_and_back():
    X, y = load_wine(return_X_y=True, as_frame=True)
    binarizer = ol.Binarizer((0.33, 0.66)).fit(X, y)
    Z = binarizer.transform(X)
    fitted = DecisionTreeClassifier(max_depth=4, random_state=0).fit(Z, y)
    tree = ol.read(fitted, space=binarizer.space_)
    made = tree.minimize().to_sklearn()
    rows = pd.DataFrame(np.asarray(Z), columns=list(tree.space.column_names))
    assert np.array_equal(made.predict(rows), fitted.predict(Z))


def test_what_no_column_tells():
    space = ol.Space({"color": ["red", "green"], "x": "numeric"})
    ask = {"feature": "color", "relation": "in", "reference": ["red"], "true": {"prediction": 1},
           "false": {"prediction": 0}}  # fmt: skip
    with pytest.raises(InvalidSpace, match="color = red: one-hot encode 'color'"):
        ol.read(ask, space=space).to_sklearn()
    tree, _ = one_hot_tree([0, 3], columns=("green",))
    with pytest.raises(InvalidSpace, match="one-hot encode 'color'"):
        tree.to_sklearn()
    age = ol.Space([ol.Feature("age")], columns={"young": ol.Condition("age", at_most=30)})
    tree = ol.Tree(age, [0, 1], feature=[0, -1, -1], threshold=[40, 0, 0], when_true=[1, -1, -1],
                   when_false=[2, -1, -1], leaf_class=[-1, 0, 1])  # fmt: skip
    with pytest.raises(InvalidSpace, match=r"no column says whether age <= 40.*with_space"):
        tree.to_sklearn()


def test_leaves_alone_and_odd_distributions():
    leaf = ol.read({"prediction": "yes"}, feature_names=["x0"])
    assert leaf.to_sklearn().predict([[3.0]]).tolist() == ["yes"]
    odd = ol.Tree(
        ol.Space({"x0": "numeric"}), [0, 1], feature=[0, -1, -1], threshold=[1, 0, 0],
        when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
        distribution=[[0, 0], [3, 1], [9, 1]],  # the last leaf predicts what few of its rows are
    )  # fmt: skip
    made = odd.to_sklearn()
    assert made.predict([[1.0], [2.0]]).tolist() == [0, 1]
    assert made.predict_proba([[1.0], [2.0]]).tolist() == [[0.75, 0.25], [0.0, 1.0]]
    assert made.tree_.n_node_samples.tolist() == [14, 4, 10]
