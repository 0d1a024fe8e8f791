"""The exact ends of measures, against every tree of a set."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import member

LABELS = {2: ["no", "yes"], 3: ["a", "b", "c"]}


def problem(seed, classes=2, n=24, d=4):
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, d))
    y = np.array(LABELS[classes])[random.integers(0, classes, n)]
    return X, y


def share(tree, X, y, label=None):
    """The share of rows that a tree gets wrong, or of one class that it gets right."""
    said = np.asarray(np.ma.getdata(tree.predict(X)))
    if label is None:
        return Fraction(int((said != y).sum()), len(y))
    own = y == label
    return Fraction(int((said[own] == label).sum()), int(own.sum()))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.sampled_from([0, 0.02, 0.06]))
def test_ends_are_those_of_all_trees(seed, classes, regularization):
    X, y = problem(seed, classes)
    X_new, y_new = problem(seed + 1, classes)
    found = ol.RashomonSet(2, regularization, 0.08).fit(X, y).trees_
    trees = list(found.trees())
    ends = found.ends(X_new, y_new)
    expected = {
        "error": [share(tree, X, y) for tree in trees],
        "held_out_error": [share(tree, X_new, y_new) for tree in trees],
    }
    if classes == 2:
        expected["sensitivity"] = [share(tree, X_new, y_new, "yes") for tree in trees]
        expected["specificity"] = [share(tree, X_new, y_new, "no") for tree in trees]
    assert set(ends.index) == {"objective", "leaves", *expected}
    for name, values in expected.items():
        assert ends.loc[name, "smallest"] == min(values)
        assert ends.loc[name, "largest"] == max(values)
        for which in ("smallest", "largest"):
            tree = found.functions()[ends.loc[name, f"{which}_function"]].tree
            assert ends.loc[name, which] == values[found.index(tree)]
    assert ends.loc["objective", "smallest"] == found.objective
    assert ends.loc["leaves", "smallest"] == min(tree.n_leaves for tree in trees)
    assert ends.loc["leaves", "largest"] is None


def test_views_and_measures():
    X, y = problem(3)
    found = ol.RashomonSet(2, 0.01, 0.3).fit(X, y).trees_.where(~member.uses("x0"))
    ends = found.ends(measures=["false positives", "precision"], positive="no")
    for name in ("false positives", "precision"):
        assert ends.loc[name, "smallest"] == found.range(ol.Measure(name, positive="no")).smallest
        assert ends.loc[name, "largest"] == found.range(ol.Measure(name, positive="no")).largest
    assert (
        ends.loc["sensitivity", "largest"] == found.range(ol.Measure("tpr", positive="no")).largest
    )


def test_a_class_without_rows_has_no_rate():
    X, y = problem(5)
    found = ol.RashomonSet(2, 0.01, 0.1).fit(X, y).trees_
    ends = found.ends(X, np.full(len(X), "no"))
    assert "specificity" in ends.index
    assert "sensitivity" not in ends.index


def test_numbers():
    X, _ = problem(6)
    y = X @ [1.0, 2, 0, 0.5]
    found = ol.RashomonSet(2, 0.05, 0.2, loss="squared").fit(X, y).trees_
    ends = found.ends(X, y + 1)
    said = [np.asarray(tree.predict(X)) for tree in found.trees()]
    errors = [float(np.mean((one - y - 1) ** 2)) for one in said]
    assert float(ends.loc["held_out_loss", "smallest"]) == pytest.approx(min(errors))
    assert float(ends.loc["held_out_loss", "largest"]) == pytest.approx(max(errors))


def test_an_empty_view_is_refused():
    X, y = problem(7)
    found = ol.RashomonSet(1, 0.01, 0).fit(X, y).trees_
    with pytest.raises(ValueError, match="no tree in this view"):
        found.where(member.uses("x0"), member.uses("x1")).ends()
