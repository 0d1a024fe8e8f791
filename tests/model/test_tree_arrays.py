"""Arrays that are no tree are refused, and hostile ones never crash."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import Space, Tree
from orderless.errors import InvalidSpace, InvalidTree

from .small_trees import MIXED, arrays, leaf, stump


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"when_true": [0, -1, -1]}, "node 0 has two parents, or is its own"),
        ({"when_true": [2, -1, -1]}, "node 2 has two parents"),
        ({"feature": [-1, -1, -1], "leaf_class": [0, 0, 1]}, "node 1 cannot be reached"),
        ({"when_false": [3, -1, -1]}, "when_false is 3 at position 0: it must be 0 to 2"),
        ({"when_true": [-1, -1, -1]}, "when_true is -1 at position 0"),
        ({"feature": [1, -1, -1]}, r"feature is 1 at position 0: it must be -1 \(a leaf\) to 0"),
        ({"feature": [-2, -1, -1]}, "feature is -2 at position 0"),
        ({"feature": [2**40, -1, -1]}, "feature holds a number that is too large"),
        ({"feature": [2**80, -1, -1]}, "feature must hold whole numbers"),
        ({"leaf_class": [-1, 0, 2]}, "leaf_class is 2 at position 2: it must be 0 to 1"),
        ({"leaf_class": [-1, -1, 1]}, "leaf_class is -1 at position 1"),
        ({"threshold": [math.nan, 0, 0]}, "threshold is nan at position 0: it must be a number"),
        ({"threshold": [0.5, 0]}, r"threshold has shape \(2,\), feature has \(3,\)"),
        ({"threshold": [[0.5], [0], [0]]}, r"threshold has shape \(3, 1\)"),
        ({"threshold": 0.5}, "threshold has shape"),
        ({"threshold": ["0.5", 0, 0]}, "threshold must hold numbers"),
        ({"threshold": [None, 0, 0]}, "threshold must hold numbers"),
        ({"threshold": [True, False, False]}, "threshold must hold numbers"),
        ({"threshold": [1j, 0, 0]}, "threshold must hold numbers"),
        ({"threshold": [[1], 0, 0]}, "threshold is not an array"),
        ({"feature": [0.0, -1.0, -1.0]}, "feature must hold whole numbers, got float64"),
        ({"feature": [True, False, False]}, "feature must hold whole numbers, got bool"),
        ({"feature": ["0", "-1", "-1"]}, "feature must hold whole numbers"),
        ({"feature": [None, -1, -1]}, "feature must hold whole numbers"),
        ({"feature": [[0], -1, -1]}, "feature is not an array"),
        ({"feature": {}}, "feature"),
        ({"feature": None}, "feature"),
        ({"feature": np.zeros((3, 0), dtype=int)}, "shape"),
        ({"when_true": [1.0, -1, -1]}, "when_true must hold whole numbers"),
        ({"leaf_class": [[-1], [0], [1]]}, "leaf_class has shape"),
        ({"feature": [], "threshold": [], "when_true": [], "when_false": [], "leaf_class": []},
         "at least one node"),
        ({"nan_true": [1]}, "nan_true has shape"),
        ({"nan_true": ["no", "", ""]}, "nan_true must hold true or false"),
        ({"nan_true": [2, 0, 0]}, "nan_true must hold true or false"),
        ({"nan_true": [[1], 2, 3]}, "nan_true is not an array"),
        ({"nan_true": [0.0, 1.0, 0.0]}, "nan_true must hold true or false"),
        ({"distribution": [[1, 2]]}, r"distribution has shape \(1, 2\), expected \(3, 2\)"),
        ({"distribution": [1, 2, 3]}, r"distribution has shape \(3,\)"),
        ({"distribution": [[1], [2, 3], [4]]}, "distribution is not an array"),
        ({"distribution": [[math.nan, 1]] * 3}, "not finite"),
        ({"distribution": [[math.inf, 1]] * 3}, "not finite"),
        ({"distribution": [["1", "2"]] * 3}, "distribution must hold numbers"),
        ({"sets": {0: [0]}}, "set value is 0 at position 0"),
        ({"sets": {3: [0]}}, "for node 3, but there are nodes 0 to 2"),
        ({"sets": {-1: [0]}}, "for node -1"),
        ({"sets": {"0": [0]}}, "sets must be a dict of node number"),
        ({"sets": {0.5: [0]}}, "sets must be a dict of node number"),
        ({"sets": {True: [0]}}, "sets must be a dict of node number"),
        ({"sets": [[0]]}, "sets must be a dict of node number"),
        ({"sets": {1: [0]}}, "set value is 0 at position 0"),
    ],
)  # fmt: skip
def test_arrays_that_are_no_tree(changed, match):
    with pytest.raises(InvalidTree, match=match):
        stump(**changed)


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([4], "set value is 4 at position 0"),
        ([-1], "set value is -1"),
        ([0.0], "set must hold whole numbers"),
        (["red"], "set must hold whole numbers"),
        ([[0, 1]], r"must be a list of numbers, got \[\[0, 1\]\]"),
        (1, "must be a list of numbers, got 1"),
        ([2**40], "too large"),
        (None, "set must hold whole numbers|must be a list"),
    ],
)
def test_sets_that_are_none(values, match):
    with pytest.raises(InvalidTree, match=match):
        stump(MIXED, feature=[3, -1, -1], sets={0: values})


def test_a_lone_leaf_has_no_set():
    with pytest.raises(InvalidTree, match="set value"):
        leaf(sets={0: [10**8]})
    with pytest.raises(InvalidTree, match="set value"):
        leaf(Space([]), sets={0: [0]})


@pytest.mark.parametrize(
    ("classes", "error", "match"),
    [
        ([], InvalidTree, "at least one class"),
        ([0, 0], InvalidTree, "duplicate class label"),
        ([1, 1.0], InvalidTree, "duplicate class label"),
        ([1, True], InvalidTree, "duplicate class label"),
        ([0, "1"], InvalidTree, "class labels must be of one type"),
        ([0, True], InvalidTree, "class labels must be of one type"),
        (["a", None], InvalidSpace, "cannot use None"),
        ([0, math.nan], InvalidSpace, "cannot use nan"),
        ([0, 10**400], InvalidSpace, "1,023 bits"),
        ("ab", InvalidTree, "a sequence of labels, got 'ab'"),
        (3, InvalidTree, "a sequence of labels, got 3"),
        (None, InvalidTree, "a sequence of labels, got None"),
    ],
)
def test_classes_that_are_none(classes, error, match):
    with pytest.raises(error, match=match):
        stump(classes=classes)


@pytest.mark.parametrize("space", [None, {"x": "numeric"}, "x", Space])
def test_a_tree_has_a_space(space):
    with pytest.raises(InvalidTree, match=r"space must be a Space, got (a|the class) "):
        stump(space)


junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from([*arrays(), "nan_true", "distribution"]),
        st.one_of(junk, st.lists(st.integers(-3, 5), max_size=7)),
        min_size=1,
    )
)
@settings(max_examples=300)
def test_hostile_arrays_never_crash(changed):
    try:
        tree = stump(MIXED, **changed)
    except (InvalidTree, InvalidSpace):
        return
    tree.predict([{}])


@given(st.data())
@settings(max_examples=200)
def test_random_links_are_a_tree_or_refused(data):
    n = data.draw(st.integers(1, 7))
    ints = st.lists(st.integers(-2, n), min_size=n, max_size=n)
    given = {name: data.draw(ints) for name in ("when_true", "when_false")}
    given["feature"] = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    given["leaf_class"] = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    given["threshold"] = data.draw(
        st.lists(st.sampled_from([0.0, 1.0, math.inf, -math.inf]), min_size=n, max_size=n)
    )
    given["nan_true"] = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    sets = st.dictionaries(st.integers(0, n - 1), st.lists(st.integers(0, 3), max_size=3))
    try:
        tree = Tree(MIXED, [0, 1], **given, sets=data.draw(sets))
    except InvalidTree:
        return
    assert Tree.from_json(tree.to_json()) == tree
    assert tree.n_nodes == 2 * tree.n_leaves - 1
    assert ol.equivalent(tree, Tree.from_json(tree.to_json()))
