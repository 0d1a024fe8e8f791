"""The report of a regression tree: its own measures, and no word of classes."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.tree import DecisionTreeRegressor

import orderless as ol
from orderless.errors import InvalidData
from orderless.estimators import deviation, judge
from orderless.model import amount
from orderless.output.pages.near import around
from orderless.output.pages.sections import quality
from orderless.output.pages.subject import Subject


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_depth=3, min_samples_leaf=10, random_state=0)
    return ol.read(model.fit(X[:300], y[:300])), X, y


def words(page):
    """What a person reads, without styles."""
    page = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_no_section_speaks_of_classes(diabetes):
    tree, X, y = diabetes
    page = ol.report(tree, X, y, dict.fromkeys(X, 1)).html
    said = words(page)
    for word in ("class", "accuracy", "right on", "sensitivity", "Gini"):
        assert word not in said
    for word in ("until it has a number", "R² on the rows, which may be training rows",
                 "variance, all orders",
                 "squared error added", "settles the number", "for each number"):  # fmt: skip
        assert word in said
    assert "objective is its squared error, as a share of that of always saying the mean," in said
    assert "width of the interval, at most" in page
    assert 'id="thresholds"' not in page
    assert page == ol.report(tree, X, y, dict.fromkeys(X, 1)).html


def test_the_measures_are_scikit_learns(diabetes):
    tree, X, y = diabetes
    held_out = {"test rows": deviation(tree, X[300:], y[300:])}
    subject = Subject(tree.kernel, X[:300], y[:300], held_out=held_out)
    (table,) = quality(subject).parts
    for line, at in zip(table.rows, (slice(0, 300), slice(300, None)), strict=True):
        said, truth = np.asarray(tree.predict(X[at])), y[at]
        assert line[1] == len(truth)
        assert line[2] == f"{r2_score(truth, said):.3f}"
        assert line[3] == amount(mean_absolute_error(truth, said))
        assert line[4] == amount(mean_squared_error(truth, said))
        mean = np.full(len(truth), truth.mean())
        assert line[5] == amount(mean_absolute_error(truth, mean))
        assert line[6] == amount(mean_squared_error(truth, mean))
    page = ol.report(tree, X[:300], y[:300], held_out=held_out).html
    assert "R² on test rows" in page


def test_the_shares_are_those_of_coverage(diabetes):
    tree, X, y = diabetes
    found = ol.coverage(tree, X, n_repeats=5)
    wide = tree.kernel.numbers[-1] - tree.kernel.numbers[0]
    said = words(ol.report(tree, X, y).html)
    share = found.widths.within(wide / 4)[0.3]
    line = re.search(rf"at most {re.escape(amount(wide / 4))} wide ([0-9.]+)% ([0-9.]+)%", said)
    assert line[2] == f"{100 * share:.1f}"
    certain = re.search(r"the number is certain ([0-9.]+)% ([0-9.]+)%", said)
    assert certain[2] == f"{100 * found.widths.within(0)[0.3]:.1f}"


def test_a_tree_without_splits():
    X = np.arange(10.0)[:, None]
    tree = DecisionTreeRegressor().fit(X, np.full(10, 2.5))
    said = words(ol.report(tree, X, np.full(10, 2.5)).html)
    assert "every answer is certain" in said
    assert "always" in said


def test_what_is_refused(diabetes):
    tree, X, y = diabetes
    with pytest.raises(InvalidData, match="the tree says numbers"):
        ol.report(tree, X, ["a"] * len(X))
    with pytest.raises(InvalidData, match="y has nan in row 0"):
        ol.report(tree, X, y * np.nan)
    classes = judge(tree.discretize([150]), X, ["at most 150"] * len(X))
    with pytest.raises(InvalidData, match=r"held_out\['test'\] is a Quality, .* give deviation"):
        ol.report(tree, X, y, held_out={"test": classes})
    other = tree.discretize([150])
    with pytest.raises(InvalidData, match=r"held_out\['test'\] is a Deviation, .* give judge"):
        ol.report(other, X, other.predict(X), held_out={"test": deviation(tree, X, y)})


def near_set(tree, X, y):
    return around(Subject(tree.kernel, X, y))


def test_near_trees_of_numbers(diabetes):
    """The tree's place among all trees over its conditions and the guessed ones, by listing."""
    _, X, y = diabetes
    for leaf in (10, 60):
        model = DecisionTreeRegressor(max_depth=2, min_samples_leaf=leaf, random_state=0).fit(X, y)
        tree = ol.read(model)
        found = near_set(tree, X, y)
        assert (found.trees.task, found.rounded) == ("regression", False)
        share = ((model.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        assert float(found.objective) == pytest.approx(share + 0.01 * tree.n_leaves, abs=1e-9)
        objectives = [found.trees.objective_of(one) for one in found.trees]
        assert found.inside == (found.objective <= found.trees.bound)
        if found.inside:
            assert found.n_better == sum(own < found.objective for own in objectives)
        said = words(ol.report(tree, X, y).html)
        assert f"this tree {tree.n_leaves} {share:.2%}" in said
        assert "Numbers of leaves are rounded to 3 decimals here." in said


def test_a_best_tree_is_among_the_best():
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 20, 1 / 3, 7.0)  # 1/3 has more decimals than can be kept
    tree = DecisionTreeRegressor(max_depth=1).fit(X, y)
    found = near_set(ol.read(tree), X, y)
    assert (found.inside, found.n_better, found.rounded) == (True, 0, True)
    said = words(ol.report(tree, X, y).html)
    assert "This tree is among the best: none has a smaller objective." in said
    assert "The numbers of rows and leaves are rounded to" in said


def test_too_many_near_trees_are_counted_but_not_drawn(diabetes, monkeypatch):
    tree, X, y = diabetes
    monkeypatch.setattr("orderless.output.pages.near.MOST_DRAWN", 0)
    page = ol.report(tree, X, y).html
    assert "How many trees have which objective" not in page
    assert "different functions" in page


def test_near_trees_that_take_too_much(diabetes, monkeypatch):
    _, X, y = diabetes
    model = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    monkeypatch.setattr("orderless.output.pages.near.BYTES", 1000)
    assert "Left out: there are too many trees of depth 2" in words(ol.report(model, X, y).html)
