"""Intervals in trees of thousands of leaves, against every leaf."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import orderless as ol


def boxes_of(nodes):
    """Give the numbers of scikit-learn's leaves, and between which values each feature lies."""
    todo = [(0, np.full(nodes.n_features, -np.inf), np.full(nodes.n_features, np.inf))]
    number, low, high = [], [], []
    while todo:
        node, above, up_to = todo.pop()
        if nodes.children_left[node] < 0:
            number.append(nodes.value[node, 0, 0])
            low.append(above)
            high.append(up_to)
            continue
        one = np.arange(nodes.n_features) == nodes.feature[node]
        cut = nodes.threshold[node]
        todo.append((nodes.children_left[node], above, np.where(one, cut, up_to)))
        todo.append((nodes.children_right[node], np.where(one, cut, above), up_to))
    return np.array(number), np.array(low), np.array(high)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6])
@pytest.mark.parametrize("kind", ["float32", "float64", "not rounded"])
def test_intervals_of_thousands_of_leaves(kind, share):
    """Every row against every leaf; numbers that are compared as floats and as doubles."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3_000, 6))
    model = DecisionTreeRegressor(max_leaf_nodes=1_200, random_state=0).fit(
        X, X.sum(axis=1).round(2)
    )
    nodes = model.tree_
    number, low, high = boxes_of(nodes)
    assert len(number) > 1_000
    rows = rng.normal(size=(3_000, 6)).astype("float32" if kind == "float32" else "float64")
    rows[:1_500] = nodes.threshold[rng.integers(nodes.node_count, size=(1_500, 6))]
    rows[rng.random(rows.shape) < share] = np.nan
    rows[0] = np.nan
    rows[1] = np.inf
    if kind == "not rounded":
        tree = raw_tree(nodes)
    else:
        tree = ol.read(model)
        rows = rows.astype("float32").astype(rows.dtype)  # which is what scikit-learn does
    lower, upper, _ = tree.predict_interval(rows)
    for some in range(0, len(rows), 500):
        x = rows[some : some + 500, None, :]
        reached = (((x > low) & (x <= high)) | np.isnan(x)).all(axis=2)
        assert (lower[some : some + 500] == np.where(reached, number, np.inf).min(axis=1)).all()
        assert (upper[some : some + 500] == np.where(reached, number, -np.inf).max(axis=1)).all()


def raw_tree(nodes):
    """Give scikit-learn's tree as it stands there, over doubles."""
    leaf = nodes.children_left < 0
    numbers, label = np.unique(nodes.value[:, 0, 0], return_inverse=True)
    return ol.Tree(
        ol.Space({f"x{i}": "numeric" for i in range(nodes.n_features)}),
        numbers.tolist(),
        feature=np.where(leaf, -1, nodes.feature),
        threshold=np.where(leaf, 0, nodes.threshold),
        when_true=nodes.children_left,
        when_false=nodes.children_right,
        leaf_class=np.where(leaf, label.ravel(), -1),
        task="regression",
    )
