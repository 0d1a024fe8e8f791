"""Every cut point, as scikit-learn's trees have them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import orderless as ol
from orderless.errors import InvalidData


def test_a_cut_between_each_two_neighbours():
    X = [[1.0, 7], [2.0, 7], [2.0, 7], [4.0, 7]]
    binarizer = ol.Binarizer("all").fit(X)
    assert binarizer.thresholds_ == [(0, 1.5), (0, 3.0)]
    assert binarizer.transform(X).tolist() == [[1, 1], [0, 1], [0, 1], [0, 0]]
    assert clone(binarizer).fit(X).thresholds_ == binarizer.thresholds_


@given(st.lists(st.floats(-1e308, 1e308, allow_subnormal=True), min_size=2, max_size=12))
def test_every_way_to_part_the_values_is_there_once(values):
    distinct = sorted(set(values))
    rows = [[value] for value in values]
    if len(distinct) < 2:
        with pytest.raises(InvalidData, match="no column is left"):
            ol.Binarizer("all").fit(rows)
        return
    binarizer = ol.Binarizer("all").fit(rows)
    cuts = [threshold for _, threshold in binarizer.thresholds_]
    assert len(cuts) == len(distinct) - 1
    for low, cut, high in zip(distinct, cuts, distinct[1:], strict=False):
        assert low <= cut < high


def test_thresholds_are_scikit_learns():
    """Where float32 holds the values, a tree that parts everything has the same thresholds."""
    random = np.random.default_rng(0)
    values = np.unique(random.normal(size=60).astype(np.float32)).astype(float)
    tree = DecisionTreeRegressor().fit(values[:, None], np.arange(len(values)))
    theirs = np.sort(tree.tree_.threshold[tree.tree_.feature >= 0])
    cuts = [cut for _, cut in ol.Binarizer("all").fit(values[:, None]).thresholds_]
    assert cuts == theirs.tolist()


def test_float64_values_are_told_apart_and_float32_are_not():
    near = np.nextafter(1.0, 2.0)  # the same float32
    rows = [[1.0], [near], [3.0]]
    assert [t for _, t in ol.Binarizer("all").fit(rows).thresholds_] == [1.0, near / 2 + 1.5]
    single = ol.Binarizer("all", space=ol.Space([ol.Feature("x", values="float32")]))
    assert single.fit(rows).thresholds_ == [(0, 2.0)]


def test_neighbouring_floats_have_the_lower_one_as_threshold():
    low = 1.0
    high = np.nextafter(low, 2.0)
    tiny = np.nextafter(0.0, 1.0)
    rows = [[low, 0.0], [high, tiny]]
    binarizer = ol.Binarizer("all").fit(rows)
    assert binarizer.thresholds_ == [(0, low), (1, 0.0)]
    assert binarizer.transform(rows).tolist() == [[1, 1], [0, 0]]


@parametrize_with_checks([ol.Binarizer("all")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_trees_are_read_through_it():
    X = np.array([[1.0, 5], [2, 6], [3, 5], [4, 9]])
    binarizer = ol.Binarizer("all").fit(X)
    model = DecisionTreeClassifier(random_state=0).fit(binarizer.transform(X), [0, 1, 0, 1])
    tree = ol.read(model, preprocessing=binarizer)
    assert tree.predict(X).tolist() == [0, 1, 0, 1]
    assert set(tree.features) <= {"x0", "x1"}
