"""PRAXIS' trees (tree-praxis): ours predict what theirs do."""

from itertools import product

import numpy as np
import pytest

import orderless as ol
from orderless.errors import UnreadableModel

praxis = pytest.importorskip("praxis", reason="PRAXIS comes with the extra orderless[sources]")

ALL = np.array(list(product([0, 1], repeat=5)))
NAMES = list("abcde")


@pytest.fixture(autouse=True)
def _quiet(capfd):
    """PRAXIS prints from C++."""


def data(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (150, 5))
    y = (X[:, 0] & X[:, 1]) + (X[:, 2] if n_classes == 3 else X[:, 2] & ~X[:, 0] & 1)
    return X, np.where(rng.random(150) < 0.05, 0, y)


def fitted(X, y, **options):
    model = praxis.PRAXIS()
    model.fit(X, y, **{"lambda_reg": 0.02, "depth_budget": 3, "rashomon_mult": 0.3, **options})
    return model


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_every_tree_of_a_set_predicts_the_same(seed, n_classes):
    model = fitted(*data(seed, n_classes))
    trees = ol.read_many(model, feature_names=NAMES)
    assert len(trees) == model.count_trees() > 1
    for i, tree in enumerate(trees):
        np.testing.assert_array_equal(tree.predict(ALL), model.get_predictions(i, ALL))
        assert tree.space is trees[0].space
        assert tree.classes == tuple(range(n_classes))


def test_a_set_of_one_tree_is_a_tree():
    model = fitted(*data(0), rashomon_mult=0.0)
    tree = ol.read(model, feature_names=NAMES)
    np.testing.assert_array_equal(tree.predict(ALL), model.get_predictions(0, ALL))


def test_a_leaf():
    X, _ = data(0)
    tree = ol.read(fitted(X, np.zeros(len(X), dtype=int), rashomon_mult=0.0))
    assert (tree.n_nodes, tree.classes) == (1, (0,))


def test_a_set_given_as_a_tree():
    with pytest.raises(
        UnreadableModel, match=r"holds \d+ trees: read all with orderless.read_many"
    ):
        ol.read(fitted(*data(0)))


@pytest.mark.parametrize("read", [ol.read, ol.read_many])
def test_a_model_that_is_not_fitted(read):
    with pytest.raises(UnreadableModel, match="PRAXIS holds no tree: call fit"):
        read(praxis.PRAXIS())


def test_trees_that_defer():
    X, y = data(0)
    model = fitted(X, y, use_deferral=True, bb_pred=y)
    with pytest.raises(UnreadableModel, match="without use_deferral"):
        ol.read_many(model)
