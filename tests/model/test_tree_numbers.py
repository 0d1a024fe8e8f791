"""Trees of numbers: intervals, cuts and risk thresholds, against all completions of each row."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from decimal_numbers import near
from hypothesis import given, strategies as st
from oracle import cells, decide, float32_names, possible_classes
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor
from strategies import kinds, partial_rows, specs, tree_of

import orderless as ol
from orderless.api import wrap
from orderless.errors import InvalidTree
from orderless.inputs import rows_for

NUMBERS = (-2.5, -1.0, 0.0, 0.25, 3.0, 7.5, 1e300)
TWO = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
       "true": {"prediction": 2.5}, "false": {"feature": "age", "relation": "<=", "reference": 70,
                 "true": {"prediction": 7.5}, "false": {"prediction": 12.0}}}  # fmt: skip

TWO_LEAVES = {"feature": [0, -1, -1], "threshold": [60, 0, 0], "when_true": [1, -1, -1],
              "when_false": [2, -1, -1], "leaf_class": [-1, 0, 1]}  # fmt: skip


def two():
    return ol.read(TWO, feature_names=["age"])


@st.composite
def problems_of_numbers(draw):
    own = draw(kinds())
    spec = draw(specs(own, NUMBERS))
    return own, spec, [draw(partial_rows(own, spec)) for _ in range(4)]


# -- intervals -------------------------------------------------------------------------------------


@given(problems_of_numbers())
def test_intervals_are_those_of_all_completions(problem):
    own, spec, rows = problem
    tree = tree_of(spec, own)
    lower, upper, exact = tree.predict_interval(rows)
    assert exact.all()
    possible = [possible_classes(own, row, spec) for row in rows]
    assert lower.tolist() == [min(numbers) for numbers in possible]
    assert upper.tolist() == [max(numbers) for numbers in possible]
    for within in (0.0, 0.25, 3.5, 1e300):
        given = tree.predict(rows, tolerance=within)
        narrow = [near(numbers, within) for numbers in possible]
        assert (~np.ma.getmaskarray(given)).tolist() == narrow
        for number, numbers in zip(given, possible, strict=True):
            if number is not np.ma.masked:
                assert number == (min(numbers) + max(numbers)) / 2
    certain = tree.predict(rows)
    assert np.ma.getmaskarray(certain).tolist() == [len(numbers) > 1 for numbers in possible]


@pytest.mark.parametrize("n_leaves", [2, 30, 64, 65, 200, 500, 900])
@pytest.mark.parametrize("order", ["C", "F"])
def test_intervals_of_many_rows(n_leaves, order):
    """Masks of every width, walks, and blocks, against the numbers of the leaves reached."""
    rng = np.random.default_rng(n_leaves)
    X = rng.normal(size=(2_000, 4))
    model = DecisionTreeRegressor(max_leaf_nodes=n_leaves, random_state=0)
    tree = ol.read(model.fit(X, rng.normal(size=len(X)).round(1)))
    rows = np.asarray(np.where(rng.random((20_000, 4)) < 0.3, np.nan, rng.normal(size=(20_000, 4))),
                      order=order)  # fmt: skip
    lower, upper, _ = tree.predict_interval(rows, n_jobs=2)
    reached = tree.kernel.reached_leaves(rows_for(tree.kernel, rows[:500])).astype(bool)
    number = tree.kernel.numbers[tree.nodes.leaf_class[list(tree.kernel.leaves())]]
    for row, low, high in zip(reached, lower, upper, strict=False):
        assert (low, high) == (number[row].min(), number[row].max())
    assert (lower <= upper).all()
    certain = tree.predict(rows)
    assert ((lower == upper) == ~np.ma.getmaskarray(certain)).all()
    assert (certain.compressed() == lower[lower == upper]).all()


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_complete_rows_get_the_models_own_numbers(kind):
    X, y = load_diabetes(return_X_y=True)
    for depth in (1, 4, None):
        model = kind(max_depth=depth, random_state=0).fit(X, y)
        tree = ol.read(model)
        assert tree.task == "regression"
        rows = np.random.default_rng(0).normal(scale=0.05, size=(5_000, X.shape[1]))
        rows = np.concatenate([X, rows])
        assert (tree.predict(rows) == model.predict(rows)).all()
        lower, upper, exact = tree.predict_interval(rows)
        assert exact.all()
        assert (lower == model.predict(rows)).all()
        assert (upper == lower).all()


def test_a_form_says_the_same_numbers():
    form, rows = ol.canonicalize(two()), [[50], [None], [65]]
    assert form.predict(rows, tolerance=20).tolist() == two().predict(rows, tolerance=20).tolist()
    ends = [end.tolist() for end in two().predict_interval(rows)]
    assert [end.tolist() for end in form.tree.predict_interval(rows)] == ends
    again = ol.CanonicalForm.from_json(form.to_json())
    assert again.tree.task == "regression"
    assert again == form


def test_frames_give_series():
    rows = pd.DataFrame({"age": [50, None, 65]}, index=["a", "b", "c"])
    lower, upper, exact = two().predict_interval(rows)
    assert lower.to_dict() == {"a": 2.5, "b": 2.5, "c": 7.5}
    assert upper.to_dict() == {"a": 2.5, "b": 12.0, "c": 7.5}
    assert exact.to_dict() == {"a": True, "b": True, "c": True}
    given = two().predict(rows, tolerance=1)
    assert given.index.tolist() == ["a", "b", "c"]
    assert given.isna().tolist() == [False, True, False]
    given = two().predict(pl.DataFrame({"age": [50.0, None]}), tolerance=1)
    assert given.to_list() == [2.5, None]


def test_classes_that_are_whole_numbers_have_intervals_in_any_order():
    tree = ol.Tree(ol.Space({"age": "numeric"}), [30, 10], **TWO_LEAVES)
    lower, upper, _ = tree.predict_interval([[None], [50]])
    assert (lower.tolist(), upper.tolist()) == ([10, 30], [30, 30])
    assert tree.predict([[None]], tolerance=20).tolist() == [20]
    assert tree.predict([[None]], tolerance=19).mask.all()


def test_numbers_near_the_end_of_what_floats_hold():
    leaf = {"feature": "age", "true": {"prediction": 1.7e308}, "false": {"prediction": 1.5e308}}
    tree = ol.read(leaf, feature_names=["age"])
    assert tree.predict([{}], tolerance=1e308).tolist() == [1.6e308]
    wide = {"feature": "age", "true": {"prediction": 1.7e308}, "false": {"prediction": -1.7e308}}
    assert ol.read(wide, feature_names=["age"]).predict([{}], tolerance=1e308).mask.all()


@pytest.mark.parametrize("within", [-1, float("nan"), float("inf"), 10**400, 1j, "wide", True])
def test_tolerance_is_a_number(within):
    with pytest.raises(ValueError, match="tolerance must be a"):
        two().predict([[50]], tolerance=within)


@given(problems_of_numbers())
def test_classes_that_are_numbers_become_a_regression_tree(problem):
    own, spec, rows = problem
    tree = tree_of(spec, own)
    numbers = tree.kernel.as_regression()
    assert numbers.task == "regression"
    assert numbers.classes == tuple(sorted(float(label) for label in tree.classes))
    numbers = wrap(numbers)
    assert ol.equivalent(numbers, tree)
    for one, same in zip(numbers.predict_interval(rows), tree.predict_interval(rows), strict=True):
        assert one.tolist() == same.tolist()
    assert numbers.kernel.as_regression() is numbers.kernel


def test_whole_numbers_that_are_one_float_become_one_class():
    tree = ol.Tree(ol.Space({"age": "numeric"}), [2**53 + 1, 2**53], **TWO_LEAVES)
    assert tree.kernel.as_regression().classes == (2.0**53,)
    assert wrap(tree.kernel.as_regression()).predict([[None]]).tolist() == [2.0**53]
    with pytest.raises(InvalidTree, match="are not numbers"):
        ol.read({"prediction": "yes"}).kernel.as_regression()


def test_text_has_no_intervals():
    tree = ol.read({"prediction": "yes"}, feature_names=["age"])
    with pytest.raises(InvalidTree, match=r"\['yes'\] are not numbers.*possible"):
        tree.predict_interval([[1]])
    with pytest.raises(InvalidTree, match="are not numbers"):
        tree.predict([[1]], tolerance=1)


# -- regression trees are trees --------------------------------------------------------------------


def test_a_regression_tree_says_so_and_keeps_it():
    tree = two()
    assert tree.task == "regression"
    assert repr(tree) == "Tree(3 leaves, depth 2, features ['age'], numbers 2.5 to 12)"
    for same in (ol.Tree.from_json(tree.to_json()), pickle.loads(pickle.dumps(tree)),
                 copy.deepcopy(tree), tree.replace()):  # fmt: skip
        assert same.task == "regression"
        assert same == tree
        assert same.predict([[50]]).tolist() == [2.5]
    assert tree.with_space(ol.Space({"age": "integer"})).task == "regression"
    assert tree.replace(task="classification") != tree


def test_equal_leaves_are_one_number():
    X = [[1], [2], [3], [4]]
    tree = ol.read(DecisionTreeRegressor(random_state=0).fit(X, [7, 5, 7, 7]))
    assert tree.classes == (5.0, 7.0)
    assert ol.equivalent(tree, tree.minimize())


def test_nested_dicts_say_whether_they_are_a_regression_tree():
    split = {"feature": 0, "true": {"prediction": 1.5}, "false": {"prediction": 0}}
    assert ol.read(split).task == "classification"
    assert ol.read({"task": "regression", **split}).task == "regression"
    assert ol.read({"task": "regression", **split}).classes == (0.0, 1.5)
    with pytest.raises(InvalidTree, match="task must be one of"):
        ol.read({"task": "ranking", **split})
    with pytest.raises(InvalidTree, match="has numbers for classes"):
        ol.read({"task": "regression", "prediction": "yes"})


@pytest.mark.parametrize(("classes", "said"), [
    (["a", "b"], "has numbers for classes"), ([2.0, 1.0], "must rise"), ([True, False], "numbers"),
])  # fmt: skip
def test_numbers_of_a_regression_tree_rise(classes, said):
    with pytest.raises(InvalidTree, match=said):
        ol.Tree(ol.Space({"age": "numeric"}), classes, **TWO_LEAVES, task="regression")
    with pytest.raises(InvalidTree, match="task must be one of 'classification', 'regression'"):
        ol.Tree(ol.Space({"age": "numeric"}), [1, 2], **TWO_LEAVES, task="ranking")


# -- cuts ------------------------------------------------------------------------------------------


@given(problems_of_numbers(), st.lists(st.sampled_from([-2.0, -1.0, 0.1, 0.25, 3.0]), min_size=1,
                                       max_size=3, unique=True))  # fmt: skip
def test_cuts_give_the_interval_of_the_number(problem, levels):
    own, spec, rows = problem
    tree, levels = tree_of(spec, own), sorted(levels)
    there = [decide(spec, row, float32_names(own)) for row in cells(own, spec)]
    cut = tree.discretize(levels, labels=list("abcd"[: len(levels) + 1]))
    assert cut.task == "classification"

    def named(number):
        return "abcd"[sum(number > level for level in levels)]

    for row in rows:
        possible = {named(number) for number in possible_classes(own, row, spec)}
        assert set(cut.possible([row])[0]) == possible
    assert ol.equivalent(cut, cut.minimize())
    given = {named(number) for number in there}
    for label in cut.classes:  # a class that no row gets is an answer, and proven
        assert bool(ol.prove(cut).never(label)) == (label not in given)
        assert bool(ol.canonicalize(cut).rules[label]) == (label in given)


def test_a_number_at_a_level_belongs_below_it_and_labels_say_so():
    cut = two().discretize([2.5, 7.5])
    assert cut.classes == ("at most 2.5", "above 2.5 to 7.5", "above 7.5")
    assert cut.predict([[50], [65], [80]]).tolist() == list(cut.classes)
    assert ol.canonicalize(cut).rules["above 7.5"]


@pytest.mark.parametrize(("levels", "said"), [
    ([7, 3], r"levels must rise, got \[7.0, 3.0\]"), ([3, 3], "must rise"), ([], "at least one"),
    ("7", "a list of"), ([float("nan")], "finite"), ([float("inf")], "finite"), (["7"], "numbers"),
    ([True], "numbers"), (7, "a list of"),
])  # fmt: skip
def test_levels_that_cannot_be(levels, said):
    with pytest.raises(InvalidTree, match=said):
        two().discretize(levels)


def test_labels_of_a_cut_are_as_many_as_classes():
    with pytest.raises(InvalidTree, match=r"1 level cuts the numbers into 2 classes.*got"):
        two().discretize([5], labels=["only"])
    with pytest.raises(InvalidTree, match="duplicate class label"):
        two().discretize([5], labels=["same", "same"])


# -- risk thresholds -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wisconsin():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    return X, y, DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)


def test_decide_at_is_predict_proba_at_a_threshold(wisconsin):
    X, _, model = wisconsin
    tree = ol.read(model)
    risk = model.predict_proba(X)[:, list(model.classes_).index("malignant")]
    for probability in (0.0, 0.05, 0.2, 0.5, 1.0, *np.unique(risk)):
        decided = tree.decide_at("malignant", probability)
        assert decided.classes == (False, True)
        assert (decided.predict(X) == (risk >= probability)).all()


@pytest.mark.parametrize("seed", range(20))
def test_shares_that_are_the_threshold_are_at_least_it(seed):
    """Weighted rows too, whose shares are computed in another order than scikit-learn's."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 9, size=(200, 3)), rng.integers(0, 3, size=200)
    weight = rng.random(200) if seed % 2 else None
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y, sample_weight=weight)
    tree = ol.read(model)
    for label in (0, 1, 2):
        risk = model.predict_proba(X)[:, label]
        for probability in np.unique(risk):
            assert (tree.decide_at(label, probability).predict(X) == (risk >= probability)).all()


def test_certain_answers_at_a_threshold_are_those_of_all_completions(wisconsin):
    X, _, model = wisconsin
    tree = ol.read(model)
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    lower, upper, _ = tree.predict_interval(gaps, of="probability")
    certain = tree.decide_at("malignant", 0.2).predict(gaps)
    low, high = lower["malignant"] >= 0.2, upper["malignant"] >= 0.2
    assert (certain.isna() == (low != high)).all()
    assert (certain[low == high] == low[low == high]).all()


@pytest.mark.parametrize(("label", "probability", "kind", "said"), [
    ("ill", 0.2, InvalidTree, r"no class 'ill': the classes are \['benign', 'malignant'\]"),
    ("malignant", 1.2, ValueError, "from 0 to 1, got 1.2"),
    ("malignant", -0.1, ValueError, "from 0 to 1"),
    ("malignant", float("nan"), ValueError, "from 0 to 1"),
    ("malignant", "0.2", ValueError, "must be a number"), ("malignant", True, ValueError, "number"),
])  # fmt: skip
def test_thresholds_that_cannot_be(wisconsin, label, probability, kind, said):
    with pytest.raises(kind, match=said):
        ol.read(wisconsin[2]).decide_at(label, probability)


def test_a_tree_without_training_rows_has_no_risk():
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    with pytest.raises(InvalidTree, match="does not say how many training rows"):
        tree.decide_at(1, 0.2)
    with pytest.raises(InvalidTree, match="no class True"):
        tree.decide_at(True, 0.2)
    with pytest.raises(InvalidTree, match=r"discretize\(\[level\]\) to decide"):
        two().decide_at(2.5, 0.2)


def test_decisions_change_at_the_risks_of_the_leaves_and_nowhere_else(wisconsin):
    tree = ol.read(wisconsin[2])
    place = tree.kernel.place_of("malignant")
    risks = tree.kernel.risks(place)
    assert risks == sorted(set(wisconsin[2].predict_proba(wisconsin[0])[:, place].tolist()))
    for low, high in itertools.pairwise(risks):
        at = tree.decide_at("malignant", high)
        assert ol.equivalent(tree.decide_at("malignant", (low + high) / 2), at)
        assert not ol.equivalent(tree.decide_at("malignant", low), at)
