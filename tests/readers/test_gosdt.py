"""GOSDT's trees: ours predicts what theirs does."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.errors import UnreadableModel

gosdt = pytest.importorskip("gosdt", reason="GOSDT comes with the extra orderless[sources]")

ALL = np.array(list(product([0, 1], repeat=4)))
LABELS = ([0, 1], [1, 2], ["no", "yes"], [False, True], [-1.0, 2.0])


def fitted(X, y, **options):
    return gosdt.GOSDTClassifier(regularization=0.01, depth_budget=4, **options).fit(X, y)


def data(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (120, 4))
    y = (X[:, 0] & X[:, 1]) + (X[:, 2] if n_classes == 3 else X[:, 2] & ~X[:, 0] & 1)
    y = np.where(rng.random(120) < 0.05, rng.integers(0, n_classes, 120), y)
    return X, np.clip(y, 0, n_classes - 1)


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_predicts_the_same(labels, seed):
    X, y = data(seed)
    model = fitted(X, np.array(labels)[y])
    tree = ol.read(model)
    # GOSDTClassifier.predict itself does not work with scikit-learn 1.8 and newer.
    np.testing.assert_array_equal(tree.predict(ALL), model.trees_[0].predict(ALL))
    assert tree.space == ol.Space.independent(["x0", "x1", "x2", "x3"])
    assert set(map(type, tree.classes)) == {type(labels[0])}


def test_three_classes():
    X, y = data(1, n_classes=3)
    model = fitted(X, y)
    tree = ol.read(model)
    assert set(tree.predict(ALL)) == {0, 1, 2}
    np.testing.assert_array_equal(tree.predict(ALL), model.trees_[0].predict(ALL))


def test_names_of_a_data_frame():
    X, y = data(0)
    model = fitted(pd.DataFrame(X, columns=list("abcd")), y)
    tree = ol.read(model)
    assert tree.space.names == ("a", "b", "c", "d")
    frame = pd.DataFrame(ALL, columns=list("abcd"))[["d", "c", "b", "a"]]
    np.testing.assert_array_equal(
        tree.predict(frame).to_numpy(int), model.trees_[0].predict(ALL)
    )  # fmt: skip


def test_one_class_is_a_leaf():
    X, _ = data(0)
    tree = ol.read(fitted(X, np.full(len(X), "only")))
    assert (tree.n_nodes, tree.classes) == (1, ("only",))
    assert set(tree.predict(ALL)) == {"only"}


def test_one_of_several_trees():
    X = ALL.repeat(4, axis=0)
    model = fitted(X, X[:, 0] ^ X[:, 1], model_limit=10)
    assert len(model.trees_) > 1
    trees = ol.read_many(model.trees_)
    for tree, theirs in zip(trees, model.trees_, strict=True):
        np.testing.assert_array_equal(tree.predict(ALL), theirs.predict(ALL))
    assert ol.read(model) == trees[0]


def test_over_the_features_that_the_columns_tell():
    """The columns say age <= 20, age <= 40 and a colour; the tree comes out over age and colour."""
    rng = np.random.default_rng(3)
    age = rng.integers(10, 60, 200)
    colour = rng.choice(["red", "blue", "green"], 200)
    X = np.column_stack([age <= 20, age <= 40, colour == "red"]).astype(int)
    model = fitted(X, (age <= 20) | ((age <= 40) & (colour == "red")))
    space = ol.Space(
        {"age": "integer", "colour": ["red", "blue", "green"]},
        columns={
            "young": ol.Condition("age", at_most=20),
            "middle": ol.Condition("age", at_most=40),
            "red": ol.Condition("colour", among=("red",)),
        },
    )
    tree = ol.read(model, space=space)
    assert tree.features == ("age", "colour")
    rows = [{"age": int(a), "colour": str(c)} for a, c in zip(age, colour, strict=True)]
    np.testing.assert_array_equal(tree.predict(rows), model.trees_[0].predict(X))


def test_a_pickled_model_reads_the_same():
    model = fitted(*data(2))
    assert ol.read(pickle.loads(pickle.dumps(model))) == ol.read(model)


def test_a_model_that_is_not_fitted():
    with pytest.raises(UnreadableModel, match=r"GOSDTClassifier holds no tree: call fit"):
        ol.read(gosdt.GOSDTClassifier())


def test_a_space_with_another_number_of_columns():
    with pytest.raises(UnreadableModel, match="fitted on 4 columns and 3 are described"):
        ol.read(fitted(*data(0)), feature_names=["a", "b", "c"])
