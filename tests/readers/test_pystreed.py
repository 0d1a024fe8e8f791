"""STreeD's trees: ours, over the columns that went in, predicts what theirs does."""

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, at_thresholds, many_rows

import orderless as ol
from orderless.errors import UnreadableModel

# pystreed imports scikit-survival, which is not always at peace with the newest pandas.
pystreed = pytest.importorskip("pystreed", reason="STreeD comes with the extra orderless[sources]")


def fitted(X, y, categorical=None, **options):
    model = pystreed.STreeDClassifier(**{"max_depth": 3, "n_thresholds": 6, **options})
    return model.fit(X, y, categorical=categorical)


def numbers(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=300), rng.integers(0, 2, 300), rng.integers(0, 9, 300), rng.random(300)]
    )
    y = ((X[:, 0] > 0.3) ^ (X[:, 1] == 1)) | (X[:, 2] > 6)
    return X, np.where(rng.random(300) < 0.05, 0, y).astype(int)


def mixed(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 300),
            "colour": rng.choice(list("rgbkyw"), 300),
            "flag": rng.integers(0, 2, 300),
            "weight": rng.normal(70, 9, 300),
            "sex": rng.choice(["f", "m"], 300),
            "wet": rng.random(300) < 0.5,
        }
    )
    y = (frame["age"] > 40) ^ frame["colour"].isin(["r", "k"]) ^ (frame["sex"] == "f")
    return frame, np.where(rng.random(300) < 0.05, 0, y & frame["wet"]).astype(int)


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "tree"])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_at_every_threshold(seed, strategy):
    X, y = numbers(seed)
    model = fitted(X, y, continuous_binarize_strategy=strategy)
    tree = ol.read(model)
    assert [feature.kind for feature in tree.space.features] == [
        "numeric", "boolean", "numeric", "numeric",
    ]  # fmt: skip
    thresholds = model.binarizer_.continuous_binarizer.thresholds_
    cuts = [(j, cut) for j, several in zip([0, 2, 3], thresholds, strict=True) for cut in several]
    rows = at_thresholds(X, cuts, random_state=0)
    for table in (rows, rows.astype(np.float32)):
        np.testing.assert_array_equal(tree.predict(table), model.predict(table))


@pytest.mark.parametrize("options", [{}, {"n_categories": 2}, {"max_num_binary_features": 8}],
                         ids=str)  # fmt: skip
@pytest.mark.parametrize("seed", range(4))
def test_a_data_frame_of_all_kinds(seed, options):
    X, y = mixed(seed)
    model = fitted(X, y, **options)
    tree = ol.read(model)
    assert set(tree.space.names) == set(X)
    assert tree.space["flag"].kind == tree.space["wet"].kind == "boolean"
    assert tree.space["colour"].kind == "categorical"
    new = X.assign(colour=["violet", *X["colour"][1:]], sex=["?", *X["sex"][1:]])
    for table in (X, new, X[X.columns[::-1]]):
        np.testing.assert_array_equal(tree.predict(table).to_numpy(int), model.predict(table))


def test_a_space_and_names_go_by_name():
    """STreeD forgets the order of the columns, so the reader must not count on its own."""
    X, y = mixed(0)
    X = X.drop(columns="colour")
    model = fitted(X, y)
    plain = ol.read(model)
    space = ol.Space(
        {
            "age": "integer", "flag": "boolean", "weight": "numeric", "sex": ["f", "m"],
            "wet": "boolean",
        }
    )  # fmt: skip
    for tree in (ol.read(model, space=space), ol.read(model, feature_names=list(X))):
        assert tree.space.names == tuple(X)
        assert set(tree.features) == set(plain.features)
        np.testing.assert_array_equal(tree.predict(X).to_numpy(int), model.predict(X))
        by_position = tree.predict(X.astype(object).to_numpy())
        np.testing.assert_array_equal(by_position, model.predict(X))
    with pytest.raises(UnreadableModel, match="does not keep their order, so they go by name"):
        ol.read(model, feature_names=["a", "b", "c", "d", "e"])


def test_columns_said_to_be_categorical():
    X, y = numbers(0)
    for columns in ([2], [1, 2]):  # column 1 is 0/1 as well
        model = fitted(X, y, categorical=columns)
        tree = ol.read(model)
        assert tree.space["x2"].kind == "categorical"
        np.testing.assert_array_equal(tree.predict(X), model.predict(X))


@pytest.mark.parametrize("labels", [[0, 1], [1, 2], [9, 10], [False, True], [0.0, 3.0]], ids=str)
def test_labels(labels):
    X, y = numbers(0)
    model = fitted(X, np.array(labels)[y])
    tree = ol.read(model)
    assert [type(label) for label in tree.classes] == [type(label) for label in labels]
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))


def test_three_classes_and_what_the_leaves_hold():
    X, y = numbers(0)
    y = y + 2 * (X[:, 3] > 0.5)
    model = fitted(X, y)
    tree = ol.read(model)
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))
    leaf = np.asarray(tree.apply(X))
    for node in tree.kernel.leaves():
        expected = [np.sum((leaf == node) & (y == label)) for label in tree.classes]
        np.testing.assert_array_equal(tree.distribution[node], expected)


@pytest.mark.parametrize(
    "task", ["cost-complex-accuracy", "f1-score", "balanced-accuracy", "accuracy-flex"]
)
def test_other_tasks(task):
    X, y = numbers(1)
    model = fitted(X, y, optimization_task=task)
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))


def test_bits_only_keep_their_order():
    X = np.random.default_rng(0).integers(0, 2, (100, 4))
    frame = pd.DataFrame(X, columns=list("dcba"))
    model = fitted(frame, X[:, 0] & X[:, 2])
    tree = ol.read(model)
    assert tree.space == ol.Space.independent("dcba")
    np.testing.assert_array_equal(tree.predict(X), model.predict(frame))


def test_a_leaf():
    X, y = numbers(0)
    tree = ol.read(fitted(X, np.ones_like(y), max_depth=1))
    assert set(tree.predict(X)) == {1}


def cost_sensitive(X, y, costs, **options):
    """STreeD's trees that weigh errors against what features cost; every column is a feature."""
    from pystreed.data import CostSpecifier, FeatureCostSpecifier

    features = [FeatureCostSpecifier(c, 0.0, f"g{i}", i, i) for i, c in enumerate(costs)]
    n = int(np.max(y)) + 1
    wrong = (1.0 - np.eye(n)).tolist()
    model = pystreed.STreeDCostSensitiveClassifier(**{"max_depth": 3, **options})
    return model.fit(X, y, CostSpecifier(wrong, features))


@pytest.mark.parametrize("shift", [0, 2])
@pytest.mark.parametrize("frame", [False, True])
def test_cost_sensitive_trees(frame, shift):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (200, 5))
    X = pd.DataFrame(bits, columns=list("edcba")) if frame else bits
    y = ((bits[:, 0] & bits[:, 1]) | bits[:, 3]) + shift + bits[:, 4] * (bits[:, 2] & bits[:, 3])
    model = cost_sensitive(X, y, [0.001, 0.001, 0.004, 0.05, 0.001])
    tree = ol.read(model)
    assert tree.space == ol.Space.independent("edcba" if frame else [f"x{i}" for i in range(5)])
    every = np.array(np.unravel_index(np.arange(32), (2,) * 5)).T
    rows = pd.DataFrame(every, columns=list("edcba")) if frame else every
    np.testing.assert_array_equal(tree.predict(every), model.predict(rows))
    assert tree.distribution[[*tree.kernel.leaves()]].sum() == 200


def test_cost_sensitive_trees_cost_less_than_their_own_order_says():
    """The paper's appendix: a tree that is cheapest to walk can be cheaper to evaluate."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (300, 4))
    y = np.where(bits[:, 0] == 1, bits[:, 1], bits[:, 2])
    costs = [0.01, 0.02, 0.02, 0.001]
    tree = ol.read(cost_sensitive(bits, y, costs, max_depth=2))
    path = ol.cheapest_policy(tree, bits, costs, method="path")
    best = ol.cheapest_policy(tree, bits, costs)
    assert path.expected_cost == pytest.approx(0.03)
    assert best.optimal
    assert best.expected_cost <= path.expected_cost
    assert ol.equivalent(best.to_tree(), tree)


def test_labels_that_streed_cuts():
    X, y = numbers(0)
    with pytest.raises(UnreadableModel, match=r"cut the label 0.5 to 0: use whole numbers"):
        ol.read(fitted(X, y + 0.5))


def test_a_model_that_is_not_fitted():
    with pytest.raises(UnreadableModel, match="STreeDClassifier holds no tree: call fit"):
        ol.read(pystreed.STreeDClassifier())


def test_a_cost_sensitive_model_that_is_not_fitted():
    with pytest.raises(UnreadableModel, match="STreeDCostSensitiveClassifier holds no tree"):
        ol.read(pystreed.STreeDCostSensitiveClassifier())


def regressor(X, y, categorical=None, **options):
    model = pystreed.STreeDRegressor(**{"max_depth": 3, "n_thresholds": 6, **options})
    return model.fit(X, y, categorical=categorical)


@pytest.mark.parametrize("task", ["regression", "cost-complex-regression"])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_a_regressor(seed, task):
    X, y = numbers(seed)
    y = 3.3 * y + X[:, 3] / 3 + X[:, 2]
    model = regressor(X, y, optimization_task=task)
    tree = ol.read(model)
    assert tree.task == "regression"
    rows = many_rows(tree, X, edges=[x for x in EDGES if np.isfinite(x)])
    rows[:, 1] = np.arange(len(rows)) % 2
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


@pytest.mark.parametrize("options", [{}, {"n_categories": 2}, {"max_num_binary_features": 8}],
                         ids=str)  # fmt: skip
def test_a_regressor_of_a_data_frame_of_all_kinds(options):
    X, y = mixed(1)
    y = y * 4.0 + X["weight"] / 7 + X["colour"].isin(["r", "k"])
    model = regressor(X, y, **options)
    tree = ol.read(model)
    assert set(tree.space.names) == set(X)
    new = X.assign(colour=["violet", *X["colour"][1:]], sex=["?", *X["sex"][1:]])
    for table in (X, new, X[X.columns[::-1]]):
        np.testing.assert_array_equal(tree.predict(table).to_numpy(float), model.predict(table))


def test_a_regressor_of_one_leaf_and_of_bits():
    X, _ = numbers(0)
    tree = ol.read(regressor(X, np.full(len(X), 2.5), max_depth=1))
    assert tree.classes == (2.5,)
    bits = np.random.default_rng(0).integers(0, 2, (100, 4))
    model = regressor(bits, bits @ [1.5, -2.0, 0.25, 0.125])
    np.testing.assert_array_equal(ol.read(model).predict(bits), model.predict(bits))


def test_regressors_that_are_refused():
    with pytest.raises(UnreadableModel, match="STreeDRegressor holds no tree: call fit"):
        ol.read(pystreed.STreeDRegressor())
    with pytest.raises(UnreadableModel, match=r"linear model at each leaf.*STreeDRegressor"):
        ol.read(pystreed.STreeDPiecewiseLinearRegressor())
    with pytest.raises(UnreadableModel, match="the STreeDRegressor and the STreeDCostSensitive"):
        ol.read(pystreed.STreeDSurvivalAnalysis())

    class Rounded(pystreed.STreeDRegressor):
        def predict(self, X):
            return np.round(super().predict(X))

    X, y = numbers(0)
    with pytest.raises(UnreadableModel, match="a Rounded has its own predict"):
        ol.read(Rounded(max_depth=1).fit(X, y + 0.5))
