"""Permutation importance and conditional reliance: the mean over every permutation, exactly."""

import math
from fractions import Fraction

import numpy as np
import oracle
import oracle_importance as brute
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidTree
from orderless.importance import conditional_model_reliance

from .small_trees import (
    BITS,
    SPACE,
    and_tree,
    binarized,
    binarized_rows,
    deciding,
    dicts,
    small_data,
)

LABELS = [0, 0, 0, 1]


# -- permutation importance --------------------------------------------------------------------


@given(problems(max_features=3), st.data())
@settings(max_examples=100)
def test_equals_the_mean_over_all_permutations(problem, data):
    kinds, (spec,) = problem
    rows = data.draw(small_data(kinds, spec))
    tree, y = tree_of(spec, kinds), [label for _, label in rows]
    ours = ol.permutation_importance(tree, dicts(kinds, rows), y)
    decide = deciding(kinds, spec)
    for j in range(len(kinds)):
        # One division of whole numbers, so the very double that is nearest to the fraction.
        assert ours[j] == float(brute.permuted(decide, rows, [j]))


@given(problems(max_features=3), st.data())
@settings(max_examples=60)
def test_a_row_of_weight_two_is_two_rows(problem, data):
    kinds, (spec,) = problem
    rows = data.draw(small_data(kinds, spec, most=3))
    weight = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    assume(0 < sum(weight) <= 5)
    tree, y = tree_of(spec, kinds), [label for _, label in rows]
    several = [row for row, w in zip(rows, weight, strict=True) for _ in range(w)]
    ours = ol.permutation_importance(tree, dicts(kinds, rows), y, sample_weight=weight)
    half = ol.permutation_importance(
        tree, dicts(kinds, rows), y, sample_weight=[w / 8 + w / 4 for w in weight]
    )
    cond = conditional_model_reliance(tree, dicts(kinds, rows), y, sample_weight=weight)
    for j in range(len(kinds)):
        expected = brute.permuted(deciding(kinds, spec), several, [j])
        assert ours[j] == float(expected)
        assert half[j] == pytest.approx(float(expected), abs=1e-12)
    others = conditional_model_reliance(
        tree, dicts(kinds, several), [label for _, label in several]
    )
    np.testing.assert_allclose(cond, others, rtol=0, atol=1e-12)


@given(problems(n_trees=1, max_features=3), st.data())
@settings(max_examples=60)
def test_equivalent_trees_agree(problem, data):
    """The smallest tree, and one with redundant splits on top: the same function, other orders."""
    kinds, (spec,) = problem
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    rows = data.draw(small_data(kinds, spec, most=12))
    tests = [*oracle.tests_of(spec)]
    assume(tests)
    wider = spec
    for name, test in data.draw(st.lists(st.sampled_from(tests), max_size=2)):
        wider = ("split", name, test, wider, wider)
    tree = tree_of(spec, kinds)
    X, y = dicts(kinds, rows), [label for _, label in rows]
    for other in (tree.minimize(), tree_of(wider, kinds)):
        one, two = (ol.permutation_importance(t, X, y) for t in (tree, other))
        assert one.tolist() == two.tolist()
        for strata in ("values", "bins"):
            one, two = (conditional_model_reliance(t, X, y, strata=strata) for t in (tree, other))
            np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


def test_a_few_permutations_come_near():
    random = np.random.RandomState(0)
    X = random.randint(2, size=(400, 2))
    y = X.all(axis=1).astype(int)
    exact = ol.permutation_importance(and_tree(), X, y)
    few = ol.permutation_importance(and_tree(), X, y, exact=False, n_repeats=200, random_state=0)
    np.testing.assert_allclose(few, exact, rtol=0, atol=0.01)
    again = ol.permutation_importance(and_tree(), X, y, exact=False, n_repeats=200, random_state=0)
    assert few.tolist() == again.tolist()
    other = ol.permutation_importance(and_tree(), X, y, exact=False, random_state=1)
    assert other.tolist() != few.tolist()
    weighted = ol.permutation_importance(
        and_tree(), BITS, LABELS, exact=False, n_repeats=3000, random_state=0,
        sample_weight=[1, 0, 2, 1],
    )  # fmt: skip
    exact = ol.permutation_importance(and_tree(), BITS, LABELS, sample_weight=[1, 0, 2, 1])
    np.testing.assert_allclose(weighted, exact, rtol=0, atol=0.02)


def test_exact_is_the_limit_of_scikit_learn():
    from sklearn.inspection import permutation_importance
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    theirs = permutation_importance(model, X, y, n_repeats=60, random_state=0)
    ours = ol.permutation_importance(model, X, y)
    error = theirs.importances_std / math.sqrt(60)
    assert (np.abs(theirs.importances_mean - ours) <= 5 * error + 1e-12).all()


def test_by_column_and_by_feature():
    tree, decide = binarized()
    rows = [(cell, label, 1) for cell, label in binarized_rows()]
    X, y = [cell for cell, _, _ in rows], [label for _, label, _ in rows]
    by_column = ol.permutation_importance(tree, X, y, by="column")
    by_feature = ol.permutation_importance(tree, X, y)
    for j in range(4):
        excess, _, total = brute.handed(decide, rows, [j])
        assert by_column[j] == float(Fraction(excess, total**2))
    for j, own in enumerate([[0, 1], [2, 3]]):
        excess, _, total = brute.handed(decide, rows, own)
        assert by_feature[j] == float(Fraction(excess, total**2))
    assert len(by_column) == 4
    sampled = ol.permutation_importance(tree, X, y, by="column", exact=False, n_repeats=2000,
                                        random_state=0)  # fmt: skip
    np.testing.assert_allclose(sampled, by_column, rtol=0, atol=0.03)


def test_by_column_is_by_feature_where_columns_are_features():
    import pandas as pd

    for by in ("feature", "column"):
        frame = pd.DataFrame(BITS, columns=["x1", "x2"])
        ours = ol.permutation_importance(and_tree(), frame, LABELS, by=by)
        assert ours.index.tolist() == ["x1", "x2"]
        assert ours.tolist() == [0.25, 0.25]


def test_a_set_that_is_asked_the_other_way_round():
    """The column tells blue, the tree asks for red or green."""
    tree = ol.Tree(SPACE, [0, 1], feature=[1, -1, -1], threshold=[0, 0, 0], when_true=[1, -1, -1],
                   when_false=[2, -1, -1], leaf_class=[-1, 0, 1], sets={0: [0, 1]})  # fmt: skip
    X = [{"color": color} for color in ("red", "green", "blue", "blue")]
    ours = ol.permutation_importance(tree, X, [0, 0, 1, 1], by="column")
    assert ours.tolist() == [0, 0, 0, 0.5]


def test_a_condition_that_no_column_tells():
    links = {"when_true": [1, -1, -1], "when_false": [2, -1, -1], "leaf_class": [-1, 0, 1]}
    tree = ol.Tree(SPACE, [0, 1], feature=[0, -1, -1], threshold=[4, 0, 0], **links)
    with pytest.raises(InvalidTree, match="no single column is the condition 'age <= 4'"):
        ol.permutation_importance(tree, [{"age": 3}, {"age": 5}], [0, 1], by="column")
    assert ol.permutation_importance(tree, [{"age": 3}, {"age": 5}], [0, 1]).tolist() == [0.5, 0]
    tree = ol.Tree(SPACE, [0, 1], feature=[1, -1, -1], threshold=[0, 0, 0], sets={0: [1]}, **links)
    with pytest.raises(InvalidTree, match="those about 'color' are"):
        ol.permutation_importance(tree, [{"color": "red"}], [0], by="column")


def test_booleans_and_missing_told_by_conditions():
    flag = ol.Feature("flag", "boolean")
    number = ol.Feature("x", nan=True)
    columns = {"yes": ol.Condition("flag", among=(True,)), "low": ol.Condition("x", at_most=1.0)}
    space = ol.Space([flag, number], columns=columns)
    tree = ol.Tree(space, [0, 1], feature=[0, -1, 1, -1, -1], threshold=[0, 0, 1, 0, 0],
                   when_true=[1, -1, 3, -1, -1], when_false=[2, -1, 4, -1, -1],
                   leaf_class=[-1, 1, -1, 0, 1])  # fmt: skip
    cells = [(1, 1), (1, 0), (0, 1), (0, 0), (1, 1), (1, 0)]
    y = [0, 1, 0, 1, 1, 1]

    def decide(cell):
        return 0 if cell == (1, 1) else 1

    rows = [(cell, label, 1) for cell, label in zip(cells, y, strict=True)]
    X = [{"flag": bool(a), "x": 0.0 if b else 2.0} for a, b in cells]
    X[-1]["x"] = math.nan  # a value, for which "at most 1" does not hold
    ours = ol.permutation_importance(tree, X, y, by="column")
    for j in range(2):
        excess, _, total = brute.handed(decide, rows, [j])
        assert ours[j] == float(Fraction(excess, total**2))


def test_what_is_refused():
    tree = and_tree()
    with pytest.raises(ValueError, match="by must be 'feature' or 'column', got 'row'"):
        ol.permutation_importance(tree, BITS, LABELS, by="row")
    for bad in (0, 1.5):
        with pytest.raises(ValueError, match="n_repeats must be"):
            ol.permutation_importance(tree, BITS, LABELS, n_repeats=bad)
    with pytest.raises(InvalidData, match="weights must be whole numbers"):
        ol.permutation_importance(tree, BITS, LABELS, exact=False, sample_weight=[0.5, 1, 1, 1])
    with pytest.raises(ValueError, match="strata must be 'values' or 'bins', got 'rows'"):
        conditional_model_reliance(tree, BITS, LABELS, strata="rows")
    for work in (ol.permutation_importance, conditional_model_reliance):
        with pytest.raises(InvalidData, match="row 1 has no value for 'x2'"):
            work(tree, [[0, 0], [0, None], [1, 0], [1, 1]], LABELS)
        with pytest.raises(InvalidData, match="y has shape"):
            work(tree, BITS, [0, 1])
        with pytest.raises(InvalidData, match="y has None in row 2"):
            work(tree, BITS, [0, 0, None, 1])
    space = ol.Space({"a": "boolean", "b": "numeric", "c": ["r", "g"]})
    tree = ol.read({"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}},
                        space=space)  # fmt: skip
    with pytest.raises(InvalidData, match="X has no column for 'b'"):
        conditional_model_reliance(tree, [{"a": 1}, {"a": 0}], [1, 0])
    with pytest.raises(InvalidData, match="row 1 has no value for 'b'"):
        conditional_model_reliance(tree, [[1, 2.0, "r"], [0, None, "g"]], [1, 0])
    with pytest.raises(InvalidData, match="row 0 has no value for 'c'"):
        conditional_model_reliance(tree, [[1, 2.0, None], [0, 1.0, "g"]], [1, 0])
    assert conditional_model_reliance(
        tree, [{"a": 1}, {"a": 0}], [1, 0], strata="bins"
    ).tolist() == [0.5, 0, 0]  # fmt: skip


def test_constant_tree():
    tree = ol.Tree(ol.Space.independent(["a", "b"]), [0, 1], feature=[-1], threshold=[0],
                   when_true=[-1], when_false=[-1], leaf_class=[1])  # fmt: skip
    for exact in (True, False):
        assert ol.permutation_importance(tree, BITS, LABELS, exact=exact).tolist() == [0, 0]
    assert conditional_model_reliance(tree, BITS, LABELS).tolist() == [0, 0]


def chain(n):
    """A tree as deep as it has conditions: x <= 1, x <= 2, ..."""
    inner = np.arange(n)
    return ol.Tree(
        ol.Space({"x": "integer"}),
        [0, 1],
        feature=np.r_[np.zeros(n, dtype=int), np.full(n + 1, -1)],
        threshold=np.r_[inner, np.zeros(n + 1)],
        when_true=np.r_[n + inner, np.full(n + 1, -1)],
        when_false=np.r_[inner[1:], 2 * n, np.full(n + 1, -1)],
        leaf_class=np.r_[np.full(n, -1), np.arange(n + 1) % 2],
    )


def test_deep_trees_are_answered_or_refused():
    tree, X = chain(3000), np.arange(0, 3000, 100)[:, None]
    y = X[:, 0] // 100 % 2
    rows = [((int(x),), int(label), 1) for (x,), label in zip(X, y, strict=True)]
    expected, _, total = brute.handed(lambda cell: cell[0] % 2, rows, [0])
    assert ol.permutation_importance(tree, X, y)[0] == float(Fraction(expected, total**2))
    few = ol.permutation_importance(tree, X, y, exact=False, random_state=0)
    assert few.shape == (1,)
    assert ol.impurity_importance(tree, X, y).tolist() == [1.0]
    # The only feature: one stratum, so reliance is permutation importance.
    reliance = conditional_model_reliance(tree, X, y)
    assert reliance[0] == pytest.approx(float(Fraction(expected, total**2)), abs=1e-12)
    assert conditional_model_reliance(tree, X, y, strata="bins")[0] == reliance[0]
    with pytest.raises(InvalidTree, match="more than 500 conditions on one path"):
        ol.importance_range(tree, X, y)


@pytest.mark.parametrize("goes_with", ["low", "high", "alone"])
def test_missing_is_a_bin_of_its_own(goes_with):
    """Also where the function treats it as it treats some numbers."""
    from sklearn.tree import DecisionTreeClassifier

    x = np.repeat([0.0, 0.5, 2.0, 3.0, np.nan], 6)
    a = np.tile([0, 1, 1, 0, 1, 0], 5)
    side = {"low": (x <= 1) | np.isnan(x), "high": x <= 1, "alone": np.isnan(x)}[goes_with]
    X, y = np.stack([a, x], axis=1), (side & (a == 1)).astype(int)
    tree = ol.read(DecisionTreeClassifier(random_state=0).fit(X, y), nan="value")

    def decide(cell):
        missing = cell[1] != cell[1]
        holds = {"low": missing or cell[1] <= 1, "high": not missing and cell[1] <= 1,
                 "alone": missing}[goes_with]  # fmt: skip
        return int(bool(holds) and cell[0] == 1)

    assert tree.predict(X).tolist() == [decide(cell) for cell in X.tolist()]
    noisy = y.copy()
    noisy[[1, 8, 15, 22, 25, 28]] ^= 1
    ours = conditional_model_reliance(tree, X, noisy, strata="bins")

    def bin_of(value):
        if value != value:
            return "missing"
        return 0 if goes_with == "alone" else int(value > 1)

    rows = list(zip(X.tolist(), noisy.tolist(), strict=True))
    strata = {}
    for cell, label in rows:
        strata.setdefault(bin_of(cell[1]), []).append((decide(cell), label))
    lost = 0.0
    for members in strata.values():
        now = sum(said == label for said, label in members)
        mean = sum(said == label for said, _ in members for _, label in members) / len(members)
        lost += now - mean
    assert ours[0] == pytest.approx(lost / len(rows), abs=1e-12)
    assert len(strata) == (2 if goes_with == "alone" else 3)
    # An equivalent tree that asks in another order agrees.
    other = tree.minimize()
    again = conditional_model_reliance(other, X, noisy, strata="bins")
    assert again.tolist() == pytest.approx(ours.tolist(), abs=1e-12)


def test_a_value_that_is_merely_unknown_is_refused():
    space = ol.Space({"a": "boolean", "x": "numeric"})
    tree = ol.read(
        {"feature": "x", "relation": "<=", "reference": 1.0,
         "true": {"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}},
         "false": {"prediction": 0}}, space=space)  # fmt: skip
    for strata in ("values", "bins"):
        with pytest.raises(InvalidData, match="row 1 has no value for 'x'"):
            conditional_model_reliance(tree, [(1, 0.5), (1, None)], [1, 0], strata=strata)
