"""DL8.5's trees: ours predicts what theirs does."""

import pickle
from itertools import product

import numpy as np
import pytest

import orderless as ol
from orderless.errors import UnreadableModel

pydl85 = pytest.importorskip("pydl85", reason="DL8.5 comes with the extra orderless[sources]")

ALL = np.array(list(product([0, 1], repeat=4)))
NAMES = ["a", "b", "c", "d"]


def data(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (80, 4)), rng.integers(0, n_classes, 80)


def fitted(X, y, **options):
    return pydl85.DL85Classifier(**{"max_depth": 3, **options}).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_predicts_the_same(seed, n_classes):
    model = fitted(*data(seed, n_classes))
    tree = ol.read(model, feature_names=NAMES)
    np.testing.assert_array_equal(tree.predict(ALL), model.predict(ALL))
    assert tree.space == ol.Space.independent(NAMES)
    assert tree.classes == tuple(range(n_classes))


@pytest.mark.parametrize("dtype", [bool, float])
def test_labels_that_are_0_and_1_in_another_way(dtype):
    X, y = data(0)
    model = fitted(X, y.astype(dtype))
    np.testing.assert_array_equal(
        ol.read(model, feature_names=NAMES).predict(ALL), model.predict(ALL)
    )


def test_without_names_the_last_column_asked_about_is_the_last():
    X, _ = data(0)
    tree = ol.read(fitted(X, X[:, 1]))
    assert tree.space.names == ("x0", "x1")
    assert tree.predict([[0, 1], [1, 0]]).tolist() == [1, 0]


def test_names_too_few():
    X, _ = data(0)
    with pytest.raises(UnreadableModel, match="at least 2 columns and 1 are described"):
        ol.read(fitted(X, X[:, 1]), feature_names=["a"])


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_a_leaf(label):
    X, _ = data(0)
    tree = ol.read(fitted(X, np.full(len(X), label)), feature_names=NAMES)
    assert (tree.n_nodes, set(tree.predict(ALL))) == (1, {label})


def test_a_pickled_model_reads_the_same():
    model = fitted(*data(2))
    assert ol.read(pickle.loads(pickle.dumps(model))) == ol.read(model)


@pytest.mark.parametrize("labels", [[1, 2], [9, 10], [-1, 1], [0, 2], [2, 2]], ids=str)
def test_labels_that_dl85_garbles(labels):
    X, y = data(0)
    with pytest.raises(UnreadableModel, match="number the classes from 0 and fit again"):
        ol.read(fitted(X, np.array(labels)[y]))


def test_a_model_that_is_not_fitted():
    with pytest.raises(UnreadableModel, match="not fitted: call fit"):
        ol.read(pydl85.DL85Classifier())


def test_a_search_that_found_nothing(capfd):
    with pytest.raises(UnreadableModel, match="found no tree: raise time_limit or max_error"):
        ol.read(fitted(*data(0), max_error=1))


def test_leaves_that_are_no_classes():
    X, y = data(0)
    model = fitted(X, y, fast_error_function=lambda support: (min(support), 7))
    with pytest.raises(
        UnreadableModel, match=r"a leaf predicts 7, which is not one of the classes \[0, 1\]"
    ):
        ol.read(model)


def test_a_clustering_has_no_classes():
    with pytest.raises(UnreadableModel, match="DL85Cluster does not predict classes"):
        ol.read(pydl85.DL85Cluster())


def test_an_ensemble_is_many_trees():
    with pytest.raises(UnreadableModel, match=r"many trees: read one with .*estimators_\[i\]"):
        ol.read(pydl85.DL85Booster())
