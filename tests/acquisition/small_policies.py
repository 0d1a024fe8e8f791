"""Small trees and their policies."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

A_AND_B = {
    "feature": "a",
    "true": {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 0}},
    "false": {"prediction": 0},
}
EVERY = [[0, 0], [0, 1], [1, 0], [1, 1]]


def a_and_b():
    return ol.read(A_AND_B, feature_names=["a", "b"])


def policy_of(costs=(5, 1), **options):
    return ol.cheapest_policy(a_and_b(), EVERY, dict(zip("ab", costs, strict=True)), **options)


def wards():
    """A tree with a category, a number that may be missing, three classes, and odd names."""
    dose = ol.Feature("dose <mg>", values="float32", nan=True)
    space = ol.Space({'the "age"': "integer", "dose <mg>": dose, "ward": ["east", "north", "süd"]})
    low = {"feature": "dose <mg>", "relation": "<=", "reference": 0.1,
           "true": {"prediction": "well"}, "false": {"prediction": "ill"}}  # fmt: skip
    young = {"feature": 'the "age"', "relation": "<=", "reference": 36.5,
             "true": {"prediction": "well"}, "false": low}  # fmt: skip
    tree = {"feature": "ward", "relation": "in", "reference": ["east", "north"],
            "true": young, "false": {"prediction": "dunno"}}  # fmt: skip
    tree = ol.read(tree, space=space)
    rng = np.random.default_rng(0)
    rows = [
        {'the "age"': int(rng.integers(20, 60)), "ward": str(rng.choice(["east", "north", "süd"])),
         "dose <mg>": float(rng.choice([0.05, 0.1, 0.2, np.nan]))}
        for _ in range(40)
    ]  # fmt: skip
    return tree, rows, {'the "age"': 2, "dose <mg>": 7.5, "ward": 1}


# -- limits --------------------------------------------------------------------------------------


def hard(seed=0, n_features=14, n_rows=400):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, n_features)).astype(float)
    y = rng.integers(0, 2, n_rows)
    tree = ol.read(DecisionTreeClassifier(max_depth=7, random_state=0).fit(X, y))
    return tree, X, rng.integers(1, 11, n_features)
