"""Permutation importance and conditional reliance of regression trees: every permutation made."""

import itertools

import numpy as np
import oracle
import oracle_importance as brute
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.datasets import load_diabetes
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import kinds as some_kinds, specs, tree_of

import orderless as ol
from orderless.errors import InvalidData
from orderless.importance import conditional_model_reliance

NUMBERS = (-2.5, 0.1, 1.0, 7.5)
LOSSES = ["squared", "absolute"]
BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
STEP = {"task": "regression", "feature": "x1", "true": {"prediction": 2.5},
        "false": {"prediction": 0.5}}  # fmt: skip


def step():
    return ol.read(STEP, feature_names=["x1", "x2"])


def numbers_of(spec, kinds):
    """The tree as a regression tree, also where its numbers are whole."""
    tree = tree_of(spec, kinds)
    order = np.argsort(tree.kernel.numbers)
    return tree.replace(
        task="regression", classes=tree.kernel.numbers[order].tolist(),
        leaf_class=np.where(tree.nodes.feature < 0, np.argsort(order)[tree.nodes.leaf_class], -1),
    )  # fmt: skip


@st.composite
def problems_of_numbers(draw, most=4, **options):
    kinds = draw(some_kinds(max_features=3))
    spec = draw(specs(kinds, NUMBERS, **options))
    values = oracle.values_by_feature(kinds, spec)
    target = st.sampled_from([0.0, 0.1, 0.2, 0.3, -1.0, 7.5, 40.0, 1e30])
    one = st.tuples(st.tuples(*(st.sampled_from(values[name]) for name in kinds)), target)
    return kinds, spec, draw(st.lists(one, min_size=1, max_size=most))


def deciding(kinds, spec):
    rounded = oracle.float32_names(kinds)
    return lambda cell: oracle.decide(spec, dict(zip(kinds, cell, strict=True)), rounded)


def dicts(kinds, rows):
    return [dict(zip(kinds, cell, strict=True)) for cell, _ in rows]


# -- permutation importance --------------------------------------------------------------------


@given(problems_of_numbers(), st.sampled_from(LOSSES))
@settings(max_examples=120)
def test_equals_the_mean_over_all_permutations(problem, loss):
    kinds, spec, rows = problem
    tree, y = numbers_of(spec, kinds), [target for _, target in rows]
    ours = ol.permutation_importance(tree, dicts(kinds, rows), y, loss=loss)
    for j in range(len(kinds)):
        # Whole numbers divided once: the very double that is nearest to the fraction.
        expected = brute.permuted_numbers(deciding(kinds, spec), rows, [j], loss)
        assert ours[j] == float(expected)
    if loss == "squared":
        assert ol.permutation_importance(tree, dicts(kinds, rows), y).tolist() == ours.tolist()


@given(problems_of_numbers(most=3), st.sampled_from(LOSSES), st.data())
@settings(max_examples=60)
def test_a_row_of_weight_two_is_two_rows(problem, loss, data):
    kinds, spec, rows = problem
    weight = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    assume(0 < sum(weight) <= 5)
    tree, y = numbers_of(spec, kinds), [target for _, target in rows]
    several = [row for row, w in zip(rows, weight, strict=True) for _ in range(w)]
    X = dicts(kinds, rows)
    ours = ol.permutation_importance(tree, X, y, loss=loss, sample_weight=weight)
    shares = [w / 8 + w / 4 for w in weight]
    part = ol.permutation_importance(tree, X, y, loss=loss, sample_weight=shares)
    assert ours.tolist() == part.tolist()
    for j in range(len(kinds)):
        expected = brute.permuted_numbers(deciding(kinds, spec), several, [j], loss)
        assert ours[j] == float(expected)
    cond = conditional_model_reliance(tree, X, y, loss=loss, sample_weight=weight)
    others = conditional_model_reliance(
        tree, dicts(kinds, several), [target for _, target in several], loss=loss
    )
    assert cond.tolist() == pytest.approx(others.tolist(), rel=1e-12)


@given(problems_of_numbers(most=12), st.sampled_from(LOSSES), st.data())
@settings(max_examples=60)
def test_equivalent_trees_agree(problem, loss, data):
    kinds, spec, rows = problem
    tests = [*oracle.tests_of(spec)]
    assume(tests)
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    wider = spec
    for name, test in data.draw(st.lists(st.sampled_from(tests), max_size=2)):
        wider = ("split", name, test, wider, wider)
    tree = numbers_of(spec, kinds)
    X, y = dicts(kinds, rows), [target for _, target in rows]
    one = ol.permutation_importance(tree, X, y, loss=loss)
    for other in (tree.minimize(), numbers_of(wider, kinds)):
        assert one.tolist() == ol.permutation_importance(other, X, y, loss=loss).tolist()


@pytest.mark.parametrize("loss", LOSSES)
def test_by_column(loss):
    """Columns of one feature, each by itself; rows may then contradict themselves."""
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    y = [1.0, 3.0, 2.5, 7.0, 9.0]
    binarizer = ol.Binarizer((0.25, 0.5, 0.75)).fit(X)
    B = binarizer.transform(X)
    model = DecisionTreeRegressor(random_state=0).fit(B, y)
    tree = ol.read(model, space=binarizer.space_)
    ours = ol.permutation_importance(tree, B, y, by="column", loss=loss)
    rows = [(tuple(bits), target) for bits, target in zip(B.tolist(), y, strict=True)]
    said = {cell: float(model.predict([cell])[0]) for cell in itertools.product((0, 1), repeat=3)}
    expected = [float(brute.permuted_numbers(said.get, rows, [j], loss)) for j in range(3)]
    assert ours.tolist() == expected
    whole = ol.permutation_importance(tree, B, y, loss=loss)
    assert whole.tolist() == [float(brute.permuted_numbers(said.get, rows, [0, 1, 2], loss))]


@pytest.mark.parametrize("loss", LOSSES)
def test_exact_is_the_limit_of_scikit_learn_and_of_repeats(loss):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    ours = ol.permutation_importance(model, X, y, loss=loss)
    theirs = permutation_importance(
        model, X, y, n_repeats=200, random_state=0, scoring=f"neg_mean_{loss}_error"
    )
    near = 4 * theirs.importances_std / np.sqrt(200) + 1e-12
    assert (np.abs(ours - theirs.importances_mean) <= near).all()
    few = [ol.permutation_importance(model, X, y, loss=loss, exact=False, n_repeats=200,
                                     random_state=seed) for seed in (0, 0, 1)]  # fmt: skip
    assert few[0].tolist() == few[1].tolist() != few[2].tolist()
    assert (np.abs(ours - few[0]) <= near).all()
    tree = ol.read(model)
    unused = [i for i, name in enumerate(tree.space.names) if name not in tree.features]
    assert (ours[unused] == 0).all()


def test_repeats_of_weighted_rows_are_those_of_the_rows_written_out():
    X, y, weight = BITS, [0.0, 1.0, 2.0, 3.0], [1, 0, 2, 3]
    rows = np.repeat(np.arange(4), weight)
    one = ol.permutation_importance(step(), X, y, exact=False, random_state=0, sample_weight=weight)
    two = ol.permutation_importance(
        step(), np.array(X)[rows], np.array(y)[rows], exact=False, random_state=0
    )
    assert one.tolist() == two.tolist()


# -- conditional reliance ----------------------------------------------------------------------


@given(problems_of_numbers(most=5), st.sampled_from(LOSSES))
@settings(max_examples=80)
def test_reliance_equals_the_mean_over_permutations_within_strata(problem, loss):
    kinds, spec, rows = problem
    tree, y = numbers_of(spec, kinds), [target for _, target in rows]
    ours = conditional_model_reliance(tree, dicts(kinds, rows), y, loss=loss)
    felt = [oracle.as_float32 if kind == "float32" else (lambda v: v) for kind in kinds.values()]
    for j in range(len(kinds)):

        def others(cell):
            return tuple(f(v) for k, (f, v) in enumerate(zip(felt, cell, strict=True)) if k != j)  # noqa: B023

        expected = brute.permuted_numbers(deciding(kinds, spec), rows, [j], loss, others)
        assert ours[j] == pytest.approx(float(expected), rel=1e-12, abs=1e-300)


# -- edges -------------------------------------------------------------------------------------


def test_what_is_refused():
    classes = DecisionTreeClassifier().fit(BITS, [0, 0, 0, 1])
    for work in (ol.permutation_importance, conditional_model_reliance):
        with pytest.raises(ValueError, match="must be 'squared' or 'absolute', got 'mse'"):
            work(step(), BITS, [0, 1, 2, 3], loss="mse")
        with pytest.raises(ValueError, match="loss is for models of numbers"):
            work(classes, BITS, [0, 0, 0, 1], loss="squared")
        with pytest.raises(InvalidData, match="y has 'a' in row 0, and the tree says numbers"):
            work(step(), BITS, ["a", "b", "c", "d"])
        with pytest.raises(InvalidData, match="y has nan in row 1"):
            work(step(), BITS, [0, np.nan, 1, 2])
        with pytest.raises(InvalidData, match="y has inf in row 1"):
            work(step(), BITS, [0, np.inf, 1, 2])
    huge = step().replace(classes=[-1e308, 1e308])
    with pytest.raises(InvalidData, match="the loss is larger than any float"):
        ol.permutation_importance(huge, BITS, [-1e308, -1e308, 1e308, 1e308])
    with pytest.raises(InvalidData, match="weights must be whole numbers"):
        ol.permutation_importance(step(), BITS, [0, 1, 2, 3], exact=False, sample_weight=[0.5] * 4)


def test_constant_tree():
    tree = step().replace(feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                          leaf_class=[0], nan_true=[False], sets={})  # fmt: skip
    for loss, exact in itertools.product(LOSSES, (True, False)):
        ours = ol.permutation_importance(tree, BITS, [0, 1, 2, 3], loss=loss, exact=exact)
        assert ours.tolist() == [0, 0]
        assert conditional_model_reliance(tree, BITS, [0, 1, 2, 3], loss=loss).tolist() == [0, 0]


def test_a_pandas_frame_gives_names():
    import pandas as pd

    frame = pd.DataFrame(BITS, columns=["x1", "x2"])
    ours = ol.permutation_importance(step(), frame, pd.Series([0, 1, 2, 3]))
    assert ours.to_dict() == {"x1": 2.0, "x2": 0.0}
