"""Importance of regression trees: scikit-learn's on its own trees, and over all orders."""

import itertools

import numpy as np
import oracle
import oracle_importance as brute
import oracle_smallest
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor
from strategies import kinds as some_kinds, specs, tree_of

import orderless as ol
from orderless.errors import InvalidData

NUMBERS = (-2.5, 0.25, 1.0, 7.5)
SUM = {"task": "regression", "feature": "x1", "true": {"feature": "x2", "true": {"prediction": 3.5},
       "false": {"prediction": 2.0}}, "false": {"feature": "x2", "true": {"prediction": 1.5},
       "false": {"prediction": 0.0}}}  # fmt: skip
BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
TARGETS = [0.0, 1.5, 2.0, 3.5]


def sum_tree():
    return ol.read(SUM, feature_names=["x1", "x2"])


def numbers_of(spec, kinds):
    """The tree as a regression tree, also where its numbers are whole."""
    tree = tree_of(spec, kinds)
    order = np.argsort(tree.kernel.numbers)
    place = np.argsort(order)
    return tree.replace(
        task="regression", classes=tree.kernel.numbers[order].tolist(),
        leaf_class=np.where(tree.nodes.feature < 0, place[tree.nodes.leaf_class], -1),
    )  # fmt: skip


@st.composite
def problems_of_numbers(draw, most=10):
    kinds = draw(some_kinds(max_features=3))
    spec = draw(specs(kinds, NUMBERS))
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    said, how = oracle_smallest.table_of(kinds, spec)
    target = st.sampled_from([0.0, 0.1, 0.2, 0.3, -1.0, 7.5, 40.0])
    one = st.tuples(st.sampled_from(sorted(said, key=str)), target, st.sampled_from([1, 2, 0.5]))
    return kinds, spec, said, how, draw(st.lists(one, min_size=1, max_size=most))


# -- one tree ----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [
    DecisionTreeRegressor(max_depth=6, random_state=0),
    DecisionTreeRegressor(min_samples_leaf=3, random_state=0),
    ExtraTreeRegressor(max_depth=5, random_state=0),
])  # fmt: skip
def test_equal_to_scikit_learn(model):
    X, y = load_diabetes(return_X_y=True)
    random = np.random.RandomState(0)
    for target in (y, y.round(-1), 1000 + y / 7):
        for weight in (None, random.randint(0, 4, size=len(y)), random.random_sample(len(y))):
            model.fit(X, target, sample_weight=weight)
            ours = ol.impurity_importance(model, X, target, sample_weight=weight)
            near = 1e-9 if target[0] < 1000 else 1e-6  # scikit-learn's squares lose digits there
            np.testing.assert_allclose(ours, model.feature_importances_, rtol=0, atol=near)
            raw = model.tree_.compute_feature_importances(normalize=False)
            ours = ol.impurity_importance(
                model, X, target, sample_weight=weight, normalize=False, criterion="variance"
            )
            np.testing.assert_allclose(ours, raw, rtol=0, atol=near * target.var())


@given(problems_of_numbers())
@settings(max_examples=60)
def test_range_is_that_of_every_tree(problem):
    kinds, spec, said, how, rows = problem
    assume(brute.n_trees(said, how, 200) <= 200)
    every = list(brute.trees(said, how))
    tree = numbers_of(spec, kinds)
    X = [dict(zip(kinds, cell, strict=True)) for cell, _, _ in rows]
    y, weight = [target for _, target, _ in rows], [w for _, _, w in rows]
    raw = [brute.variance_importance(one, rows, len(how)) for one in every]
    # The numbers are doubles, and 0.1 + 0.2 is not 0.3: what they differ by is no importance.
    raw = [[value if value > 1e-25 else 0 for value in one] for one in raw]
    mean = [sum(column) / len(every) for column in zip(*raw, strict=True)]
    for normalize, values in ((False, raw), (True, [brute.normalised(one) for one in raw])):
        found = ol.importance_range(tree, X, y, sample_weight=weight, normalize=normalize)
        assert (found.n_trees, found.criterion) == (len(every), "variance")
        low = [float(min(column)) for column in zip(*values, strict=True)]
        high = [float(max(column)) for column in zip(*values, strict=True)]
        average = [float(v) for v in (brute.normalised(mean) if normalize else mean)]
        for got, expected in ((found.low, low), (found.high, high), (found.mean, average)):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)
        if found.irredundant:
            assert (found.low <= found.importance * (1 + 1e-12) + 1e-12).all()
            assert (found.importance <= found.high * (1 + 1e-12) + 1e-12).all()


def test_every_function_of_two_booleans_and_four_numbers():
    names, cells = ["a", "b"], list(itertools.product((0.0, 1.0), repeat=2))
    for numbers in itertools.product((0.5, 1.0, 4.0), repeat=4):
        said = dict(zip(cells, numbers, strict=True))
        every = list(brute.trees(said, ["cuts"] * 2))
        sides = [{"feature": "b", "true": {"prediction": said[a, 1.0]},
                  "false": {"prediction": said[a, 0.0]}} for a in (0.0, 1.0)]  # fmt: skip
        tree = ol.read({"task": "regression", "feature": "a", "true": sides[1],
                             "false": sides[0]}, space=ol.Space.independent(names))  # fmt: skip
        rows = [(cell, 3.0 * i % 4, i + 1) for i, cell in enumerate(cells)]
        found = ol.importance_range(
            tree, cells, [y for _, y, _ in rows], sample_weight=[w for _, _, w in rows]
        )
        assert found.n_trees == len(every)
        shares = [brute.normalised(brute.variance_importance(one, rows, 2)) for one in every]
        assert found.low.tolist() == pytest.approx([min(c) for c in zip(*shares, strict=True)])
        assert found.high.tolist() == pytest.approx([max(c) for c in zip(*shares, strict=True)])


def test_equivalent_trees_have_one_range():
    """The smallest tree asks in another order, and has the same range."""
    X, y = load_diabetes(return_X_y=True)
    tree = ol.read(DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y))
    one, two = (ol.importance_range(t, X, y) for t in (tree, tree.minimize()))
    assert one.n_trees == two.n_trees > 1
    for name in ("low", "high", "mean"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=0, atol=1e-12)
    assert (one.low <= one.importance + 1e-12).all()
    assert str(one).startswith("ImportanceRange(variance, ")


def test_numbers_of_any_size():
    """Shares do not depend on the unit; a variance that is no float is refused."""
    shares = ol.impurity_importance(sum_tree(), BITS, TARGETS)
    assert shares.tolist() == pytest.approx([0.64, 0.36])
    for factor in (2.0**-1000, 1e-200, 1e200, 2.0**1021):
        y = [factor * target for target in TARGETS]
        np.testing.assert_allclose(ol.impurity_importance(sum_tree(), BITS, y), shares, rtol=1e-12)
        found = ol.importance_range(sum_tree(), BITS, y)
        np.testing.assert_allclose(found.high, shares, rtol=1e-12)
    with pytest.raises(InvalidData, match="variance is larger than any float"):
        ol.impurity_importance(sum_tree(), BITS, [0, 0, 0, 1e200], normalize=False)
    with pytest.raises(InvalidData, match="variance is larger than any float"):
        ol.importance_range(sum_tree(), BITS, [0, 0, 0, 1e200], normalize=False)


def test_nothing_to_gain():
    """Equal numbers, and means that are equal but for rounding."""
    for y in ([0.1] * 4, [0.3, 0.1, 0.2, 0.4], [1e300] * 4):
        tree = sum_tree() if y[0] != 0.3 else ol.read(
            {"task": "regression", "feature": "x1", "true": {"prediction": 1.5},
             "false": {"prediction": 0.5}}, feature_names=["x1", "x2"])  # fmt: skip
        X = BITS if y[0] != 0.3 else [[0, 0], [1, 0], [1, 0], [0, 0]]
        y = y if y[0] != 0.3 else [0.3, 0.1, 0.2, 0.0]
        assert ol.impurity_importance(tree, X, y).tolist() == [0, 0]
        found = ol.importance_range(tree, X, y)
        assert found.low.tolist() == found.high.tolist() == found.mean.tolist() == [0, 0]


def test_rows_without_weight_do_not_matter():
    ours = ol.impurity_importance(sum_tree(), [*BITS, [1, 1]], [*TARGETS, 1e308],
                                  sample_weight=[1, 1, 1, 1, 0])  # fmt: skip
    assert ours.tolist() == ol.impurity_importance(sum_tree(), BITS, TARGETS).tolist()


def test_what_is_refused():
    classes = DecisionTreeClassifier().fit(BITS, [0, 0, 0, 1])
    for work in (ol.impurity_importance, ol.importance_range):
        for criterion in ("gini", "entropy", "mae"):
            with pytest.raises(ValueError, match=f"must be 'variance' .* got '{criterion}'"):
                work(sum_tree(), BITS, TARGETS, criterion=criterion)
        with pytest.raises(ValueError, match="'variance', which is for regression trees"):
            work(classes, BITS, [0, 0, 0, 1], criterion="variance")
        with pytest.raises(ValueError, match="must be 'gini' or 'entropy', got 'mae'"):
            work(classes, BITS, [0, 0, 0, 1], criterion="mae")
        with pytest.raises(InvalidData, match="y has 'a' in row 0, and the tree says numbers"):
            work(sum_tree(), BITS, ["a", "b", "c", "d"])
        with pytest.raises(InvalidData, match="y has inf in row 2: numbers must be finite"):
            work(sum_tree(), BITS, [0, 1, np.inf, 2])
        with pytest.raises(InvalidData, match="y has nan in row 1"):
            work(sum_tree(), BITS, [0, np.nan, 1, 2])
