"""Odds of a row with unknown values, counted by hand."""

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.tree import DecisionTreeClassifier
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import codes_for
from tests.missing.test_predict import AT_10, OR, RED, WARM, breast_cancer


def answers(tree, name, value):
    """What a value answers to each of the tree's conditions on its feature: its bin."""
    nodes = np.flatnonzero(tree.nodes.feature == tree.space.index(name))
    if not tree.space[name].ordered:
        code = tree.space[name].code(value)
        return [code in tree.kernel.set_of(node) for node in nodes]
    return [float(value) <= tree.kernel.row_threshold[node] for node in nodes]


def odds_by_hand(tree, rows, training, codes):
    out = np.full((len(rows), len(tree.classes)), np.nan)
    for i, row in enumerate(rows):
        known = [name for name in tree.features if row[name] is not None]
        fits = [
            all(answers(tree, n, row[n]) == answers(tree, n, other[n]) for n in known)
            for other in training
        ]
        if any(fits):
            counts = np.bincount(codes[fits], minlength=len(tree.classes))
            out[i] = counts / counts.sum()
    return out


@given(problems(max_features=4), st.data())
@settings(max_examples=60)
def test_odds_of_training_rows(problem, data):
    kinds, (spec,) = problem
    cells = list(itertools.islice(oracle.cells(kinds, spec), 300))
    training = data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=8))
    rows = data.draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=3))
    tree = tree_of(spec, kinds)
    expected = odds_by_hand(tree, rows, training, codes_for(tree.kernel, training))
    np.testing.assert_allclose(tree.shares(rows, training), expected)
    y = [data.draw(st.sampled_from(tree.classes)) for _ in training]
    codes = np.array([tree.classes.index(label) for label in y])
    expected = odds_by_hand(tree, rows, training, codes)
    np.testing.assert_allclose(tree.shares(rows, training, y), expected)


def test_odds_of_leaves_count_the_reachable_ones():
    X, y, model = breast_cancer()
    tree = ol.read(model)
    assert (tree.shares(X).idxmax(axis=1) == model.predict(X)).all()
    np.testing.assert_allclose(tree.shares(X), model.predict_proba(X), atol=1e-9)
    unknown = X * np.nan
    np.testing.assert_allclose(tree.shares(unknown[:3]), [np.bincount(y) / len(y)] * 3)
    np.testing.assert_allclose(tree.shares(unknown[:3], X, y), [np.bincount(y) / len(y)] * 3)
    partly = X.mask(np.random.RandomState(0).random_sample(X.shape) < 0.5)
    shares = tree.shares(partly)
    possible = tree.possible(partly)
    assert ((shares > 0).sum(axis=1) >= [1] * len(X)).all()
    own = tree.shares(partly, X).to_numpy()
    there = ~np.isnan(own[:, 0])
    for row, classes in zip(own[there], itertools.compress(possible, there), strict=True):
        assert set(np.flatnonzero(row)) <= set(classes)


def test_odds_of_categories_and_ranges_of_columns():
    training = [
        {"color": "red", "age": 3},
        {"color": "green", "age": 40},
        {"color": "blue", "age": 3},
    ]
    # Red and green are one bin.
    shares = WARM.shares([{"color": "green"}, {"age": 5}, {"color": "blue", "age": 50}], training)
    np.testing.assert_allclose(shares, [[0.5, 0.5], [0.5, 0.5], [np.nan, np.nan]])
    columns = [[1, 1, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]]
    np.testing.assert_allclose(AT_10.shares([[0, None, None, None]], columns), [[1 / 3, 2 / 3]])
    np.testing.assert_allclose(RED.shares([[None, None, 0, None], [None] * 4], columns),
                               [[1, 0], [2 / 3, 1 / 3]])  # fmt: skip
    assert ol.read({"prediction": 1}).shares(np.zeros((2, 0)), np.zeros((3, 0))).tolist() == [
        [1],
        [1],
    ]


def test_odds_refuse():
    tree = ol.read(OR)
    with pytest.raises(InvalidData, match="does not say how many training rows its leaves have"):
        tree.shares([[0, 1]])
    shares = ol.Tree(tree.space, tree.classes, feature=[0, -1, -1], threshold=[0, 0, 0],
                     when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                     distribution=[[1, 1], [0.9, 0.1], [0, 1]])  # fmt: skip
    with pytest.raises(InvalidData, match=r"give the training rows, shares\(X, X_train\)"):
        shares.shares([[0, 1]])
    with pytest.raises(ValueError, match="reference must be 'leaves' or complete"):
        tree.shares([[0, 1]], "leafs")
    with pytest.raises(ValueError, match="y goes with training rows"):
        tree.shares([[0, 1]], y=[1])
    with pytest.raises(InvalidData, match="training row 1 has unknown values"):
        tree.shares([[0, 1]], [[0, 1], [None, 1]])
    with pytest.raises(InvalidData, match="training row 0 has a label that is not one of the"):
        tree.shares([[0, 1]], [[0, 1]], [5])
    with pytest.raises(InvalidData, match=r"y has shape \(2,\), but there are 1 rows"):
        tree.shares([[0, 1]], [[0, 1]], [1, 0])


def test_leaves_of_one_row_each_are_counted():
    """A leaf's count of 1 is no share: the root has as many rows as there are."""
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "a"]
    tree = ol.read(DecisionTreeClassifier(random_state=0).fit(X, y))
    assert tree.shares([[None]]).tolist() == [[2 / 3, 1 / 3]]
    assert tree.shares([[None], [2.0]], X, y)[0].tolist() == [2 / 3, 1 / 3]
    gaps = [[np.nan, 0.0, -1e-45], [-0.0, 1.0, 0.0], [np.nan, 1.0, 0.0]]
    model = DecisionTreeClassifier(max_depth=4, random_state=72).fit(gaps, [True, True, False])
    without = ol.read(model)  # where NaN is unknown, no row takes the split on NaN
    if model.tree_.node_count > 3:  # scikit-learn 1.6 makes no such split
        assert without.n_nodes < model.tree_.node_count
    assert np.nansum(without.shares([[None, None, None]])) == 1
    shares = ol.Tree(tree.space, tree.classes, feature=tree.nodes.feature,
                     threshold=tree.nodes.threshold, when_true=tree.nodes.when_true,
                     when_false=tree.nodes.when_false, leaf_class=tree.nodes.leaf_class,
                     distribution=tree.distribution / tree.distribution.sum(axis=1, keepdims=True),
                     )  # fmt: skip
    with pytest.raises(InvalidData, match="does not say how many training rows"):
        shares.shares([[None]])
