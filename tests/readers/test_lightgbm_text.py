"""LightGBM's numbers: what every objective makes of a leaf, to the last bit of LightGBM's own."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, many_rows

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from orderless.readers.lightgbm import _Objective

lightgbm = pytest.importorskip(
    "lightgbm", reason="LightGBM comes with the extra orderless[sources]"
)

OBJECTIVES = (
    "regression", "regression_l1", "huber", "fair", "quantile", "mape", "poisson", "gamma",
    "tweedie", "cross_entropy", "cross_entropy_lambda", "binary",
)  # fmt: skip


def data(seed=0, missing=0.0, zeros=0.1, n=500):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-40, 4, n)
    y = np.abs(X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0)) + 0.1
    X[rng.random(X.shape) < zeros] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def targets(y, objective):
    if objective == "binary":
        return (y > 1).astype(int)
    return y / y.max() if objective.startswith("cross_entropy") else y


def fitted(X, y, objective="regression", kind=lightgbm.LGBMRegressor, fit=None, **options):
    settings = {
        "n_estimators": 1, "num_leaves": 40, "min_child_samples": 3, "learning_rate": 0.7,
        "verbose": -1, "n_jobs": 1,
    }  # fmt: skip
    return kind(**{**settings, **options}, objective=objective).fit(X, y, **(fit or {}))


def equals(tree, model, rows):
    ours = tree.predict(rows)
    assert not np.ma.is_masked(ours)
    np.testing.assert_array_equal(ours, model.predict(rows))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("root", [False, True])
def test_the_numbers_of_a_regressor(objective, root):
    X, y = data(missing=0.1)
    model = fitted(X, targets(y, objective), objective, reg_sqrt=root)
    tree = ol.read(model, nan="value")
    assert tree.task == "regression"
    assert len(tree.classes) > 15
    equals(tree, model, many_rows(tree, X))


@pytest.mark.parametrize("objective", OBJECTIVES[:-1])
def test_boosters_and_files(objective, tmp_path):
    X, y = data(1)
    model = fitted(X, targets(y, objective), objective)
    tree = ol.read(model)
    path = tmp_path / "model.txt"
    model.booster_.save_model(path)
    assert ol.read(model.booster_) == tree == ol.read(path)
    assert ol.read(pickle.loads(pickle.dumps(model))) == tree


def test_a_binary_objective():
    """A regressor says the probability; a booster, which does not know better, decides."""
    X, y = data(2)
    model = fitted(X, (y > 1).astype(int), "binary", sigmoid=1.7)
    tree = ol.read(model)
    assert 0 < tree.classes[0] < tree.classes[-1] < 1
    booster = ol.read(model.booster_)
    assert (booster.task, booster.classes) == ("classification", (0, 1))
    np.testing.assert_array_equal(booster.predict(X), model.predict(X) > 0.5)


@pytest.mark.parametrize("objective", ["lambdarank", "rank_xendcg"])
def test_the_scores_of_a_ranker(objective):
    X, y = data(3)
    fit = {"group": np.full(25, 20)}
    model = fitted(X, np.digitize(y, [1, 2]), objective, lightgbm.LGBMRanker, fit)
    tree = ol.read(model)
    assert tree.task == "regression"
    assert len(tree.classes) > 15
    equals(tree, model, many_rows(tree, X, edges=[x for x in EDGES if not np.isnan(x)]))
    assert ol.read(model.booster_) == tree


@pytest.mark.parametrize("way", [{"use_missing": False}, {"zero_as_missing": True}])
def test_ways_with_missing_values(way):
    X, y = data(4, missing=0.15, zeros=0.3)
    model = fitted(X, y, num_leaves=12, **way)
    tree = ol.read(model, nan="value")
    equals(tree, model, many_rows(tree, X))


@pytest.mark.parametrize("kind", ["dart", "rf"])
def test_other_ways_to_boost(kind):
    X, y = data(5)
    model = fitted(X, y, boosting_type=kind, subsample=0.7, subsample_freq=1)
    equals(ol.read(model), model, X)


def test_an_objective_of_ones_own():
    """LightGBM then predicts what the leaf holds."""
    X, y = data(6)
    model = fitted(X, y, lambda true, raw: (raw - true, np.ones(len(raw))))
    tree = ol.read(model)
    equals(tree, model, many_rows(tree, X, n=3000, edges=[0.0, 1e-36, -1e-36, np.inf, -np.inf]))
    assert ol.read(model.booster_) == tree


def test_names_categories_and_constant_targets():
    X, y = data(7)
    frame = pd.DataFrame({"size": X[:, 0], "ward": pd.Categorical(np.resize(list("äbc'"), 500))})
    model = fitted(frame, y + 3 * (frame["ward"] == "b"), min_child_samples=20)
    tree = ol.read(model)
    assert tree.space["ward"].categories == tuple(sorted("äbc'"))
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))
    model = fitted(X, np.full(500, 2.5))
    tree = ol.read(model)
    assert tree.n_nodes == 1
    equals(tree, model, X)


LEAVES = [0.0, 1e-30, 1e-17, 0.1, 1.0, 1 / 3, 36.7, 37.0, 709.7, -0.1, -36.7, -745.2, -800.0]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_what_becomes_of_a_leaf(objective):
    """Many numbers, through LightGBM itself."""
    X, y = data(8)
    booster = fitted(X, targets(y, objective), objective, reg_sqrt=True).booster_
    stated = re.search("\nobjective=(.*)\n", booster.model_to_string())[1]
    ours = _Objective({"num_tree_per_iteration": "1", "objective": stated}, "regression")
    leaves = [*LEAVES, *np.random.default_rng(0).normal(size=150) * 9]
    at = booster.predict(X[:1], pred_leaf=True)[0, 0]
    for number in map(float, leaves):
        booster.set_leaf_output(0, at, number)
        assert ours.numbers(np.array([number])) == booster.predict(X[:1])[0], number


def test_leaves_that_become_infinite():
    X, y = data(9)
    booster = fitted(X, y, "poisson").booster_
    booster.set_leaf_output(0, 3, 800.0)
    with pytest.raises(InvalidTree, match="a leaf predicts inf and must predict a finite number"):
        ol.read(booster)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("objective=poisson", "objective=multiclass num_class:3", "the objective 'multiclass"),
        ("objective=poisson", "objective=x", r"'x' cannot be read as one number.*'regression'"),
        ("objective=poisson", "objective=binary", "KeyError: 'sigmoid'"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=2", "2 trees at a time"),
        ("num_leaves=40", "num_leaves=41", "numbers, and 41 are expected"),
    ],
)
def test_damaged_files(old, new, said):
    X, y = data(10)
    text = fitted(X, y, "poisson").booster_.model_to_string()
    assert text.count(old) == 1
    with pytest.raises((UnreadableModel, InvalidTree), match=said):
        ol.read(text.replace(old, new))


def test_models_that_are_refused():
    X, y = data(0)
    with pytest.raises(UnreadableModel, match="LGBMRegressor adds up 3 trees"):
        ol.read_many([fitted(X, y, n_estimators=3)])
    with pytest.raises(UnreadableModel, match="fit with linear_tree=False"):
        ol.read(fitted(X, y, linear_tree=True))
    for kind in (lightgbm.LGBMRegressor, lightgbm.LGBMRanker):
        with pytest.raises(UnreadableModel, match=f"{kind.__name__} is not fitted"):
            ol.read(kind())

    class Doubled(lightgbm.LGBMRegressor):
        def predict(self, X, **options):
            return 2 * super().predict(X, **options)

    with pytest.raises(UnreadableModel, match=r"a Doubled has its own predict.*LGBMRegressor"):
        ol.read(fitted(X, y, kind=Doubled))
