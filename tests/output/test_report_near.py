"""The trees around the tree of a report: all over its columns, and what is left out."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from oracle_rashomon import Problem
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import OutOfTime
from orderless.output.pages.near import EPSILON, REGULARIZATION, around, near
from orderless.output.pages.subject import Subject


def bits_of(found):
    """The columns of a set, as conditions on the rows."""
    return [column.condition for column in found.trees.best_tree.space.columns]


@pytest.mark.parametrize("seed", range(6))
def test_the_set_is_all_trees_over_its_columns(seed):
    """Against brute force over every tree; thresholds, a boolean, categories, three classes."""
    random = np.random.RandomState(seed)
    n = 40
    X = pd.DataFrame(
        {
            "age": random.randint(20, 60, n).astype(float),
            "smoker": random.randint(2, size=n),
            "color": random.choice(["red", "green", "blue"], n),
        }
    )
    y = np.where(X["age"] > 40, np.where(X["smoker"] == 1, "a", "b"), "c")
    y = np.where(random.rand(n) < 0.2, "a", y)
    space = ol.Space({"age": "numeric", "smoker": "boolean", "color": ["red", "green", "blue"]})
    leaves = [{"prediction": label} for label in random.choice(["a", "b", "c"], 3)]
    tree = ol.read(
        {"feature": "age", "relation": "<=", "reference": float(random.randint(25, 55)),
         "true": {"feature": "color", "relation": "in", "reference": ["red"],
                  "true": leaves[0], "false": leaves[1]}, "false": leaves[2]},
        space=space,
    )  # fmt: skip
    found = around(Subject(tree.kernel, X, y))
    conditions = bits_of(found)
    rows = [
        tuple(
            int(row[c.feature] <= c.at_most if c.at_most is not None else row[c.feature] in c.among)
            for c in conditions
        )
        for row in X.to_dict("records")
    ]
    classes = sorted(set(y))
    oracle = Problem(rows, [classes.index(label) for label in y], len(classes), depth=tree.depth,
                     regularization=REGULARIZATION, epsilon=EPSILON)  # fmt: skip
    assert found.trees.objective == oracle.optimum
    assert found.trees.n_trees == len(oracle.trees)
    wrong = int((np.asarray(tree.predict(X)) != y).sum())
    assert found.objective == Fraction(wrong, n) + REGULARIZATION * tree.n_leaves
    assert found.n_better == sum(oracle.objectives[t] < found.objective for t in oracle.trees)
    assert found.inside == (found.objective <= oracle.bound)
    own = {("age", float(tree.nodes.threshold[0])), ("color", ("red",))}
    asked = {(c.feature, c.among if c.at_most is None else c.at_most) for c in conditions}
    assert own <= asked
    assert found.n_own == 2


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_one_of_those_that_are_compared(seed, depth):
    random = np.random.RandomState(seed)
    X = np.round(random.rand(80, 3), 1)
    y = (X.sum(axis=1) > 1.5).astype(int) + (X[:, 0] > 0.8)
    tree = ol.read(DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(X, y))
    found = around(Subject(tree.kernel, X, y))
    assert found.trees.objective <= found.objective
    if found.inside:
        assert found.n_better < found.trees.n_trees
    page = ol.report(tree, X, y).html
    where = "This tree is among " if found.inside else "This tree is not among them"
    assert where in page
    assert f"{found.trees.n_trees:,}" in page
    assert f"{len(found.trees.functions()):,}" in page


def test_columns_that_were_binarized_before():
    X, y = ol.datasets.load("iris_versicolor")
    binarizer = ol.Binarizer((0.33, 0.66)).fit(X)
    bits = pd.DataFrame(binarizer.transform(X), columns=binarizer.get_feature_names_out())
    tree = ol.read(
        DecisionTreeClassifier(max_depth=3, random_state=0).fit(bits, y), space=binarizer.space_
    )
    found = around(Subject(tree.kernel, bits, y))
    assert found.n_own <= len(found.trees.columns)
    assert found.trees.objective <= found.objective


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        ({"SECONDS": 1e-9}, "too many trees of depth 4 to look at within the time and memory"),
        ({"BYTES": 1000}, "too many trees of depth 4 to look at within the time and memory"),
    ],
)
def test_too_much_is_left_out_and_said(wisconsin, monkeypatch, patch, says):
    tree, X, y, _ = wisconsin
    for name, value in patch.items():
        monkeypatch.setattr(f"orderless.output.pages.near.{name}", value)
    section = near(Subject(tree.kernel, X, y))
    assert section.lead.startswith("Left out: ")
    assert says in section.lead
    assert section.parts == ()


def test_thresholds_guessed_from_some_of_the_rows_are_said(wisconsin, monkeypatch):
    tree, X, y, page = wisconsin
    assert "drawn at random" not in page
    monkeypatch.setattr("orderless.output.pages.near.MOST_CELLS", 30 * 200)
    section = near(Subject(tree.kernel, X, y))
    assert "threshold guessing proposed from 200 of the 569 rows, drawn at random." in section.lead


def test_hopeless_sets_are_not_guessed_for(wisconsin, monkeypatch):
    tree, X, y, _ = wisconsin

    def out_of_time(*_):
        raise OutOfTime("the set took too long")

    def never(*_, **__):
        raise AssertionError("thresholds are guessed for a set that cannot be counted")

    monkeypatch.setattr(ol.RashomonSet, "fit", out_of_time)
    monkeypatch.setattr(ol.Binarizer, "fit", never)
    assert near(Subject(tree.kernel, X, y)).lead.startswith("Left out: ")
