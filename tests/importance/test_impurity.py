"""Impurity importance: scikit-learn's on its own trees, and its range over all equivalent trees."""

import math
import subprocess
import sys

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData, InvalidTree, TooManyBoxes

AND = {"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
       "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
LABELS = [0, 0, 0, 1]


def and_tree():
    return ol.read(AND, feature_names=["x1", "x2"])


# -- one tree ----------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_equal_to_scikit_learn(criterion, n_classes):
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(n_classes)
    X = np.round(random.normal(size=(150, 4)), 1)
    y = (X @ [1.0, 2.0, -1.0, 0.0] + random.normal(size=150)).argsort().argsort() * n_classes // 150
    whole = random.randint(0, 4, size=150)
    for weight in (None, whole, random.random_sample(150)):
        for depth in (1, 3, 8):
            model = DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0)
            model.fit(X, y, sample_weight=weight)
            ours = ol.impurity_importance(model, X, y, criterion=criterion, sample_weight=weight)
            np.testing.assert_allclose(ours, model.feature_importances_, rtol=0, atol=1e-12)
            raw = model.tree_.compute_feature_importances(normalize=False)
            ours = ol.impurity_importance(
                model, X, y, criterion=criterion, sample_weight=weight, normalize=False
            )
            np.testing.assert_allclose(ours, raw, rtol=0, atol=1e-12)


def test_equal_to_scikit_learn_where_nan_is_a_value():
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5)
    X[random.random_sample(X.shape) < 0.2] = np.nan
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    ours = ol.impurity_importance(ol.read(model, nan="value"), X, y)
    np.testing.assert_allclose(ours, model.feature_importances_, rtol=0, atol=1e-12)
    with pytest.raises(InvalidData, match="has no value for"):
        ol.impurity_importance(model, X, y)  # without it NaN is unknown


def test_by_feature_of_a_binarized_space():
    """Columns of one feature are added up; scikit-learn's importances go by column."""
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(1)
    X = random.normal(size=(300, 3))
    y = (X[:, 0] > 0.3) | (X[:, 1] < -0.5)
    binarizer = ol.Binarizer((0.33, 0.66)).fit(X)
    B = binarizer.transform(X)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(B, y)
    space = binarizer.space_
    tree = ol.read(model, space=space)
    by_column = dict.fromkeys(space.names, 0.0)
    for column, value in zip(space.columns, model.feature_importances_, strict=True):
        by_column[column.feature] += value
    ours = ol.impurity_importance(tree, B, y)
    np.testing.assert_allclose(ours, list(by_column.values()), rtol=0, atol=1e-12)


def test_a_pandas_frame_gives_names():
    import pandas as pd
    import polars as pl

    frame = pd.DataFrame(BITS, columns=["x1", "x2"])
    ours = ol.impurity_importance(and_tree(), frame, LABELS)
    assert ours.index.tolist() == ["x1", "x2"]
    assert ours["x2"] == pytest.approx(2 / 3)
    other = ol.impurity_importance(and_tree(), pl.DataFrame({"x1": [0, 1], "x2": [1, 1]}), [0, 1])
    assert isinstance(other, np.ndarray)


def test_labels_need_not_be_classes():
    ours = ol.impurity_importance(and_tree(), BITS, ["a", "a", "a", "b"])
    assert ours.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_nothing_to_gain():
    assert ol.impurity_importance(and_tree(), BITS, [1, 1, 1, 1]).tolist() == [0, 0]
    found = ol.importance_range(and_tree(), BITS, [1, 1, 1, 1])
    assert found.low.tolist() == found.high.tolist() == found.mean.tolist() == [0, 0]
    assert found.n_trees == 2


# -- what comes out, and what is refused -------------------------------------------------------


def test_table_and_text():
    found = ol.importance_range(and_tree(), BITS, LABELS)
    assert found.table.columns.tolist() == ["feature", "importance", "min", "max", "mean"]
    assert found.table["feature"].tolist() == ["x1", "x2"]
    assert found.table["mean"].tolist() == pytest.approx([0.5, 0.5])
    assert found["x1"] == found[0] == pytest.approx((1 / 3, 2 / 3))
    assert len(found) == len(list(found)) == 2
    assert "2 equivalent trees" in repr(found)
    with pytest.raises(KeyError, match="no feature 'x3'"):
        found["x3"]
    with pytest.raises(ValueError, match="read-only"):
        found.low[0] = 1
    raw = ol.importance_range(and_tree(), BITS, LABELS, normalize=False)
    assert raw.high.tolist() == pytest.approx([0.25, 0.25])


def test_redundant_splits_are_told():
    same = {"feature": "x2", "true": AND, "false": AND}
    tree = ol.read(same, feature_names=["x1", "x2"])
    found = ol.importance_range(tree, BITS, LABELS)
    assert not found.irredundant
    assert "redundant splits" in repr(found)
    assert found.n_trees == 2
    assert found.high.tolist() == pytest.approx([2 / 3, 2 / 3])


def test_constant_tree_and_features_that_are_not_asked():
    space = ol.Space.independent(["a", "b"])
    tree = ol.Tree(space, [0, 1], feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                   leaf_class=[1])  # fmt: skip
    found = ol.importance_range(tree, BITS, LABELS)
    assert found.n_trees == 1
    assert found.irredundant
    assert found.high.tolist() == [0, 0]
    assert repr(found) == "ImportanceRange(gini, 1 tree)\n0 in every tree: 2 features"
    assert ol.impurity_importance(tree, BITS, LABELS).tolist() == [0, 0]


def test_many_trees_are_written_short():
    found = ol.importance_range(and_tree(), BITS, LABELS)
    from dataclasses import replace

    assert "about 1.2e30 equivalent trees" in repr(replace(found, n_trees=1234567 * 10**24))


def test_plot_draws_each_feature():
    import matplotlib as mpl

    mpl.use("agg")
    found = ol.importance_range(and_tree(), BITS, LABELS)
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x1", "x2"]
    bars = axes.patches
    assert [bar.get_x() for bar in bars] == pytest.approx([1 / 3, 1 / 3])
    assert [bar.get_width() for bar in bars] == pytest.approx([1 / 3, 1 / 3])
    assert found.plot(axes) is axes
    mpl.pyplot.close("all")


def test_what_is_refused():
    tree = and_tree()
    for work in (ol.impurity_importance, ol.importance_range):
        with pytest.raises(ValueError, match="criterion must be 'gini' or 'entropy', got 'mse'"):
            work(tree, BITS, LABELS, criterion="mse")
        with pytest.raises(InvalidData, match="row 1 has no value for 'x2'"):
            work(tree, [[0, 0], [0, None], [1, 0], [1, 1]], LABELS)
        with pytest.raises(InvalidData, match="y has shape"):
            work(tree, BITS, [0, 1])
        with pytest.raises(InvalidData, match="y has None in row 2"):
            work(tree, BITS, [0, 0, None, 1])
        with pytest.raises(InvalidData, match="y has nan in row 3"):
            work(tree, BITS, [0, 0, 1, math.nan])
        with pytest.raises(InvalidData, match="X has no rows"):
            work(tree, np.zeros((0, 2)), [])
        with pytest.raises(InvalidData, match="sample_weight has shape"):
            work(tree, BITS, LABELS, sample_weight=[1, 2])
        with pytest.raises(InvalidData, match=r"sample_weight has -1.0 in row 1"):
            work(tree, BITS, LABELS, sample_weight=[1, -1, 1, 1])
        with pytest.raises(InvalidData, match="sample_weight is zero in every row"):
            work(tree, BITS, LABELS, sample_weight=[0, 0, 0, 0])
        with pytest.raises(InvalidData, match="must hold one number per row"):
            work(tree, BITS, LABELS, sample_weight=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="limit must be at least 1"):
        ol.importance_range(tree, BITS, LABELS, limit=0)
    with pytest.raises(TooManyBoxes, match="more than 1 boxes"):
        ol.importance_range(tree, BITS, LABELS, limit=1)
    assert ol.importance_range(tree, BITS, LABELS, limit=3).n_boxes == 3


def test_too_many_categories_are_refused():
    letters = [chr(97 + i) for i in range(14)]
    space = ol.Space({"letter": letters})
    tree = {"prediction": 14}
    for i, letter in enumerate(letters):
        tree = {"feature": "letter", "relation": "in", "reference": [letter],
                "true": {"prediction": i}, "false": tree}  # fmt: skip
    with pytest.raises(InvalidTree, match="more than 12 groups"):
        ol.importance_range(ol.read(tree, space=space), [["a"], ["b"]], [0, 1])


def test_ctrl_c_is_heard():
    code = (
        "import os, signal, threading\n"
        "import numpy as np, orderless as ol\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "X = np.random.RandomState(0).normal(size=(500, 20))\n"
        "y = np.random.RandomState(1).randint(2, size=500)\n"
        "model = DecisionTreeClassifier(max_depth=8).fit(X, y)\n"
        "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    ol.importance_range(model, X, y, limit=10**8)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "heard"
