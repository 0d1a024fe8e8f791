"""Displays draw what the functions draw, and keep what they drew."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless import member

mpl.use("agg")

from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def no_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def spiral():
    X, y = ol.datasets.load("spiral")
    return DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def found():
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 4)
    y = X[:, 0] | X[:, 1] & X[:, 2]
    return ol.RashomonSet(max_depth=2, regularization=0.02, epsilon=0.1).fit(X, y)


def drawn(ax):
    """Everything that can be compared of two drawings."""
    lines = [line.get_xydata().tolist() for line in ax.lines]
    boxes = [patch.get_window_extent().bounds for patch in ax.patches]
    words = [text.get_text() for text in ax.texts]
    return lines, boxes, words, ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim(), ax.get_ylim()


def test_coverage(spiral):
    model, X, y = spiral
    options = {"missing_rates": (0.0, 0.3, 0.6), "n_repeats": 2, "random_state": 3}
    display = ol.plots.CoverageDisplay.from_estimator(model, X, y, **options)
    wanted = ol.coverage(model, X, y=y, **options)
    pd.testing.assert_frame_equal(display.coverage.table, wanted.table)
    assert "accuracy" in display.coverage.table
    assert drawn(display.ax_) == drawn(wanted.plot())
    assert display.figure_ is display.ax_.figure


def test_coverage_of_numbers(spiral):
    _, X, _ = spiral
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, X.iloc[:, 0])
    display = ol.plots.CoverageDisplay.from_estimator(model, X, missing_rates=(0.2,), by="width")
    assert display.ax_.get_xlabel() == "width of the interval, at most"
    first = display.ax_
    again = display.plot(by="rate")
    assert again is display
    assert display.ax_ is not first
    assert display.ax_.get_ylabel() == "share of rows answered"


@pytest.mark.parametrize("terms", ["rules", "reasons"])
def test_rules(spiral, terms):
    model, X, _ = spiral
    display = ol.plots.RulesDisplay.from_estimator(model, X, terms=terms)
    assert display.form == ol.canonicalize(model)
    assert drawn(display.ax_) == drawn(ol.plot_rules(model, X=X, terms=terms))
    _, ax = plt.subplots()
    assert display.plot(ax, features=list(X)[::-1]).ax_ is ax
    assert display.figure_ is ax.figure


def test_rules_of_more_features_are_cut(spiral):
    X, y = ol.datasets.load("iris_virginica")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    names = list(ol.read(model).features)
    known = {name: float(X[name].median()) for name in names[2:]}
    display = ol.plots.RulesDisplay.from_estimator(model, features=names[:2], known=known)
    assert drawn(display.ax_) == drawn(ol.plot_rules(model, names[:2], known=known))


@pytest.mark.parametrize("kind", ["objectives", "sizes", "map"])
def test_rashomon(found, kind):
    display = ol.plots.RashomonDisplay.from_estimator(found, kind=kind)
    assert display.trees is found.trees_
    assert drawn(display.ax_) == drawn(getattr(ol.plots, f"plot_{kind}")(found.trees_))
    _, ax = plt.subplots()
    assert display.plot(ax, kind=kind).figure_ is ax.figure


def test_a_view_is_drawn_too(found):
    view = found.trees_.where(member.leaves <= 3)
    assert drawn(ol.plots.RashomonDisplay(view).plot().ax_) == drawn(ol.plots.plot_objectives(view))


def test_mistakes_are_named(found, spiral):
    with pytest.raises(ValueError, match="kind must be one of 'objectives', 'sizes', 'map', got"):
        ol.plots.RashomonDisplay.from_estimator(found, kind="pie")
    with pytest.raises(TypeError, match="only kind='map' takes most"):
        ol.plots.RashomonDisplay.from_estimator(found, most=3)
    with pytest.raises(TypeError, match="takes a fitted RashomonSet, got DecisionTree"):
        ol.plots.RashomonDisplay.from_estimator(spiral[0])
    with pytest.raises(NotFittedError, match="not fitted"):
        ol.plots.RashomonDisplay.from_estimator(ol.RashomonSet())
    with pytest.raises(TypeError, match="takes a TreeSet, got RashomonSet"):
        ol.plots.RashomonDisplay(found).plot()
    with pytest.raises(ValueError, match="by must be 'rate' for this tree"):
        ol.plots.CoverageDisplay.from_estimator(*spiral[:2], by="width")
