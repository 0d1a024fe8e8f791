"""Importance of sums of trees: a sum of one is as its tree, and forests are shuffled in full."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidSpace, InvalidTree
from orderless.importance import conditional_model_reliance


def data(seed, n=40):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, 3)).astype(float)
    return X, (X[:, 0] > X[:, 1]).astype(int), X[:, 0] * 2 - X[:, 1], random


def shuffled_in_full(predict, X, j, loss):
    """The mean loss over all permutations of a column, less the loss now."""
    losses = []
    for order in itertools.permutations(range(len(X))):
        moved = X.copy()
        moved[:, j] = X[list(order), j]
        losses.append(loss(predict(moved)))
    return np.mean(losses) - loss(predict(X))


@pytest.mark.parametrize("options", [{}, {"exact": False, "random_state": 3}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_sum_of_one_tree_is_as_the_tree(numbers, weighted, options):
    for seed in range(5):
        X, labels, values, random = data(seed)
        y = values if numbers else labels
        weight = random.integers(0, 3, len(X)) if weighted else None
        kind = DecisionTreeRegressor if numbers else DecisionTreeClassifier
        tree = ol.read(kind(max_depth=4, random_state=0).fit(X, y))
        for loss in ("squared", "absolute") if numbers else (None,):
            one, other = (
                ol.permutation_importance(model, X, y, loss=loss, sample_weight=weight, **options)
                for model in (tree, as_ensemble(tree))
            )
            assert other == pytest.approx(one, abs=1e-13)
            if not numbers and not options:
                assert one.tolist() == other.tolist()
            for strata in ("values", "bins"):
                one, other = (
                    conditional_model_reliance(
                        model, X, y, strata=strata, loss=loss, sample_weight=weight
                    )
                    for model in (tree, as_ensemble(tree))
                )
                assert other.tolist() == one.tolist()


@pytest.mark.parametrize("loss", [None, "squared", "absolute"])
def test_forests_are_shuffled_in_full(loss):
    X, labels, values, _ = data(9)
    y = labels if loss is None else values
    kind = RandomForestClassifier if loss is None else RandomForestRegressor
    forest = kind(5, max_depth=3, random_state=0).fit(X, y)
    rows, answers = X[:6], y[:6]
    losses = {
        None: lambda said: np.mean(said != answers),
        "squared": lambda said: np.mean((said - answers) ** 2),
        "absolute": lambda said: np.mean(np.abs(said - answers)),
    }
    frame = pd.DataFrame(rows, columns=["x0", "x1", "x2"])
    found = ol.permutation_importance(ol.read(forest), frame, answers, loss=loss)
    expected = [shuffled_in_full(forest.predict, rows, j, losses[loss]) for j in range(3)]
    assert found.to_numpy() == pytest.approx(expected, abs=1e-12)
    assert found.index.tolist() == ["x0", "x1", "x2"]


def test_what_sums_refuse():
    X, y, _, _ = data(1)
    binarizer = ol.Binarizer(2).fit(X, y)
    forest = RandomForestClassifier(3, random_state=0).fit(binarizer.transform(X), y)
    model = ol.read(forest, space=binarizer.space_)
    with pytest.raises(InvalidTree, match="by='feature'"):
        ol.permutation_importance(model, binarizer.transform(X), y, by="column")
    facts = ol.read(RandomForestClassifier(3, random_state=0).fit(X, y)).with_facts(["x0 <= x1"])
    with pytest.raises(InvalidSpace, match="permutation_importance"):
        ol.permutation_importance(facts, X, y)
