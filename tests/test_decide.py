"""The quick ways to decide rows give what the plain one gives: walks, and masks of all widths."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("leaves", [2, 40, 64, 100, 160, 230, 400])
def test_decide_equals_reach(leaves, order, dtype):
    rng = np.random.default_rng(leaves)
    X = rng.normal(size=(3000, 6)).round(1)  # thresholds are hit exactly
    y = rng.integers(0, 3, 3000)
    tree = ol.read_tree(DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y))
    for share in (0.0, 0.1, 0.25, 0.5, 0.9, 1.0):
        rows = np.array(np.where(rng.random(X.shape) < share, np.nan, X), dtype=dtype, order=order)
        plain = tree.reach(rows)[1]
        for n_jobs in (1, 2):
            np.testing.assert_array_equal(tree.decide(rows, n_jobs=n_jobs), plain)


def test_jobs_that_are_no_number_of_threads():
    tree = ol.read_tree({"prediction": 0})
    for bad in (0, -2, 1.5, True):
        with pytest.raises(ValueError, match="n_jobs="):
            tree.predict([{}], n_jobs=bad)
