import copy
import math
import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from strategies import problems, space_of, tree_of

import orderless as ol
from orderless import Condition, Feature, Space, Tree, _core
from orderless.errors import InvalidSpace, InvalidTree

X1 = Space({"x": "numeric"})
MIXED = Space(
    [Feature("x", nan=True), Feature("b", "boolean"), Feature("n", values="integer"),
     Feature("c", "categorical", categories=("red", "blue"), other=True, nan=True)]
)  # fmt: skip


def arrays(**other):
    given = {
        "feature": [0, -1, -1],
        "threshold": [0.5, 0.0, 0.0],
        "when_true": [1, -1, -1],
        "when_false": [2, -1, -1],
        "leaf_class": [-1, 0, 1],
    }
    return {**given, **other}


def stump(space=X1, classes=(0, 1), **other):
    return Tree(space, classes, **arrays(**other))


def leaf(space=X1, classes=(0,), **other):
    given = {"feature": [-1], "threshold": [0.0], "when_true": [-1], "when_false": [-1],
             "leaf_class": [0]}  # fmt: skip
    return Tree(space, classes, **{**given, **other})


def chain(n, space=X1, step=1.0):
    """x <= 0, x <= 1, ...: as deep as a tree of n + 1 leaves can be."""
    feature = np.full(2 * n + 1, -1)
    feature[: 2 * n : 2] = 0
    at = np.arange(2 * n + 1)
    inner = feature >= 0
    return {
        "feature": feature,
        "threshold": np.where(inner, at // 2 * step, 0.0),
        "when_true": np.where(inner, at + 1, -1),
        "when_false": np.where(inner, at + 2, -1),
        "leaf_class": np.where(inner, -1, at // 2 % 2),
    }


# -- what is no tree --------------------------------------------------------------------------


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


# -- what it keeps ----------------------------------------------------------------------------


@given(problems())
@settings(max_examples=150)
def test_dead_branches_are_dropped_and_the_function_stays(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    n_specs = 1 + 2 * len(list(oracle.tests_of(spec)))
    assert tree.n_nodes + tree.n_dropped == n_specs
    rows = list(oracle.cells(kinds, spec))
    rounded = oracle.float32_names(kinds)
    assert tree.predict(rows).tolist() == [oracle.decide(spec, row, rounded) for row in rows]
    assert set(tree.apply(rows).tolist()) == set(tree.leaves())  # every leaf is some row's
    again = Tree(tree.space, tree.classes, feature=tree.feature, threshold=tree.threshold,
                 when_true=tree.when_true, when_false=tree.when_false, leaf_class=tree.leaf_class,
                 sets={i: tree.set_of(i) for i in range(tree.n_nodes)}, task=tree.task)  # fmt: skip
    assert again == tree
    assert again.n_dropped == 0
    assert (", " + str(tree.n_dropped) + " dead nodes dropped" in repr(tree)) == (
        tree.n_dropped > 0
    )


def test_dropping_keeps_sets_distributions_and_the_missing_side():
    tree = Tree(
        MIXED,
        ["a", "b"],
        feature=[0, 3, -1, -1, 0, -1, -1],
        threshold=[math.inf, 0, 0, 0, 7.0, 0, 0],
        when_true=[1, 2, -1, -1, 5, -1, -1],
        when_false=[4, 3, -1, -1, 6, -1, -1],
        leaf_class=[-1, -1, 0, 1, -1, 0, 1],
        nan_true=[0, 0, 0, 0, 1, 0, 0],
        sets={1: [1, 3]},
        distribution=np.arange(14.0).reshape(7, 2),
    )
    # Past "x is known: no" only NaN is left, so "x <= 7 or missing" always holds.
    assert tree.n_dropped == 2
    assert tree.set_of(1).tolist() == [1, 3]
    assert tree.distribution.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [10, 11]]
    assert str(tree) == (
        "x is known?\n  yes: c in {blue, (missing)}?\n    yes: a\n    no:  b\n  no:  a"
    )


def test_a_question_for_missing_values_has_one_form():
    missing = stump(MIXED, threshold=[-math.inf, 0, 0], nan_true=[1, 0, 0])
    known = stump(MIXED, threshold=[math.inf, 0, 0], leaf_class=[-1, 1, 0])
    assert str(missing) == str(known) == "x is known?\n  yes: 1\n  no:  0"
    assert missing.predict([[math.nan, 0, 0, "red"], [-math.inf, 0, 0, "red"]]).tolist() == [0, 1]
    assert ol.equivalent(missing, known)
    never = stump(MIXED, threshold=[-math.inf, 0, 0])
    assert (never.n_nodes, never.n_dropped) == (1, 2)


def test_fingerprints_where_only_missing_is_left_to_ask_for():
    """Past x > 1, "x <= 0 or missing" asks for NaN alone, as "x is known" does."""

    def build(cut, nan_true, yes, no):
        return Tree(
            Space([Feature("x", nan=True)]), ["a", "b", "c"],
            feature=[0, -1, 0, -1, -1], threshold=[1.0, 0, cut, 0, 0],
            when_true=[1, -1, 3, -1, -1], when_false=[2, -1, 4, -1, -1],
            leaf_class=[-1, 0, -1, yes, no], nan_true=[0, 0, nan_true, 0, 0],
        )  # fmt: skip

    one, other = build(0.0, 1, 1, 2), build(math.inf, 0, 2, 1)
    rows = [[0.5], [2.0], [math.nan]]
    assert one.predict(rows).tolist() == other.predict(rows).tolist() == ["a", "c", "b"]
    assert ol.equivalent(one, other)
    assert ol.fingerprint(one) == ol.fingerprint(other)


def test_thresholds_become_the_boundary_they_draw():
    integer = Space({"n": "integer"})
    assert stump(integer, threshold=[24.5, 0, 0]) == stump(integer, threshold=[24.0, 9, 9])
    single = Space({"x": "float32"})
    low = oracle.as_float32(0.1)
    assert stump(single, threshold=[low, 0, 0]) == stump(single, threshold=[low + 1e-10, 0, 0])
    assert stump(threshold=[-0.0, 0, 0]) == stump(threshold=[0.0, 0, 0])
    assert hash(stump(threshold=[-0.0, 0, 0])) == hash(stump(threshold=[0.0, 0, 0]))
    assert stump(nan_true=[1, 1, 1]) == stump()  # NaN is no value of this feature
    assert stump(MIXED, nan_true=[0, 1, 1]) == stump(MIXED)  # a leaf asks nothing
    assert stump(when_true=[1, 7, 8], leaf_class=[5, 0, 1]) == stump()


def frozen_arrays(tree):
    return [*tree.nodes, tree.feature, tree.threshold, tree.when_true, tree.when_false,
            tree.leaf_class, tree.nan_true, tree.set_start, tree.set_values, tree.labels,
            tree.row_threshold, *([] if tree.distribution is None else [tree.distribution]),
            *tree.space.domains]  # fmt: skip


def test_arrays_are_our_own_and_cannot_be_written_to():
    given = {name: np.array(array) for name, array in arrays().items()}
    given["distribution"] = np.ones((3, 2))
    given["nan_true"] = np.zeros(3, dtype=bool)
    labels = np.array(["a", "b"])
    tree = Tree(MIXED, labels, **given)
    before = tree.to_json()
    for array in given.values():
        array[:] = 1
    labels[:] = "z"
    assert tree.to_json() == before
    for copied in (tree, pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert copied == tree
        copied.predict([[0, 0, 0, "red"]])
        for array in frozen_arrays(copied):
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


@given(problems())
@settings(max_examples=50)
def test_pickles_and_copies(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = list(oracle.cells(kinds, spec))
    expected = tree.predict(rows).tolist()
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert other == tree
        assert hash(other) == hash(tree)
        assert other.predict(rows).tolist() == expected
        assert ol.fingerprint(other) == ol.fingerprint(tree)
        assert repr(other) == repr(tree)


def test_equal_is_node_by_node():
    assert stump() == stump()
    assert len({stump(), stump(), stump(threshold=[0.6, 0, 0])}) == 2
    assert stump() != stump(classes=(1, 0))
    assert stump() != stump(classes=(False, True))
    assert stump() != stump(classes=(0.0, 1.0))
    assert stump() != stump(Space({"y": "numeric"}))
    assert stump() != stump(distribution=np.ones((3, 2)))
    assert stump(distribution=np.ones((3, 2))) == stump(distribution=np.ones((3, 2)))
    assert stump() != "tree"
    assert stump() != stump(leaf_class=[-1, 1, 0])


def test_labels_are_what_came():
    for classes in (("b\0", "b"), (2**63 + 1, -1), (2**80, 0), (1, 0.5), ("", "a"), (True, False)):
        tree = stump(classes=classes)
        assert tree.predict([[0.0], [1.0]]).tolist() == list(classes)
        assert tree.classes == classes
    numpy = stump(classes=np.array(["a", "b"]))
    assert all(type(label) is str for label in numpy.classes)


# -- words ------------------------------------------------------------------------------------


def test_repr_is_golden():
    assert repr(stump()) == "Tree(2 leaves, depth 1, features ['x'], classes [0, 1])"
    assert repr(leaf()) == "Tree(1 leaves, depth 0, features [], classes [0])"
    dead = stump(threshold=[math.inf, 0, 0])
    assert repr(dead) == (
        "Tree(1 leaves, depth 0, features [], classes [0, 1], 2 dead nodes dropped)"
    )


def test_str_is_golden():
    tree = Tree(
        MIXED,
        ["no", "yes"],
        feature=[0, 1, -1, 2, -1, -1, 3, 3, -1, -1, -1],
        threshold=[0.1, 0.5, 0, 24.5, 0, 0, 0, 0, 0, 0, 0],
        when_true=[1, 2, -1, 4, -1, -1, 7, 8, -1, -1, -1],
        when_false=[6, 3, -1, 5, -1, -1, 10, 9, -1, -1, -1],
        leaf_class=[-1, -1, 0, -1, 1, 0, -1, -1, 0, 1, 0],
        nan_true=[1, *[0] * 10],
        sets={6: [0, 2], 7: [2]},
    )
    assert str(tree) == (
        "x <= 0.1 or missing?\n"
        "  yes: not b?\n"
        "    yes: no\n"
        "    no:  n <= 24?\n"
        "      yes: yes\n"
        "      no:  no\n"
        "  no:  c in {red, (other)}?\n"
        "    yes: c = (other)?\n"
        "      yes: no\n"
        "      no:  yes\n"
        "    no:  no"
    )
    assert str(leaf(classes=["alone"])) == "alone"
    assert tree.depth == 3
    assert tree.features == ("x", "b", "n", "c")
    assert tree.n_leaves == 6
    assert list(tree.leaves()) == [2, 4, 5, 8, 9, 10]


def test_a_tree_of_no_features():
    tree = leaf(Space([]), classes=["a", "b"])
    assert tree.predict(np.empty((3, 0))).tolist() == ["a"] * 3
    assert tree.predict([{}, {}]).tolist() == ["a"] * 2
    assert tree.depth == 0
    assert tree.features == ()


# -- size -------------------------------------------------------------------------------------


def test_a_chain_of_a_hundred_thousand():
    n = 100_000
    tree = Tree(X1, [0, 1], **chain(n))
    assert (tree.depth, tree.n_leaves, tree.n_dropped) == (n, n + 1, 0)
    rows = [[-1.0], [0.0], [0.5], [n - 1.0], [n + 5.0]]
    assert tree.predict(rows).tolist() == [0, 0, 1, (n - 1) % 2, n % 2]
    assert tree.predict([[None]]).tolist() == [None]
    assert tree.apply([[None]]).mask.tolist() == [True]
    assert len(repr(tree)) < 200
    text = str(tree)
    assert text.endswith("... (deeper than 100 conditions, not drawn)")
    assert len(text) < 100_000
    again = pickle.loads(pickle.dumps(tree))
    assert Tree.from_json(tree.to_json()) == tree == again == copy.deepcopy(tree)
    assert ol.equivalent(tree, again)
    half = tree.over(Space({"x": "integer"}))
    assert half.n_leaves == n + 1
    dead = Tree(X1, [0, 1], **{**chain(n), "threshold": np.ones(2 * n + 1)})
    assert (dead.n_nodes, dead.n_dropped) == (3, 2 * n - 2)


def test_a_chain_over_categories():
    names = [f"v{i}" for i in range(300)]
    space = Space({"c": names})
    n = 299
    given = chain(n)
    tree = Tree(space, [0, 1], **given, sets={2 * i: [i] for i in range(n)})
    assert tree.depth == n
    assert tree.predict([[name] for name in names]).tolist() == [i % 2 for i in range(300)]
    assert Tree.from_json(tree.to_json()) == tree


def test_a_hundred_thousand_leaves():
    depth = 17
    n = 2**depth - 1  # inner nodes, heap order
    at = np.arange(2 * n + 1)
    inner = at < n
    level = np.floor(np.log2(at + 1)).astype(int)
    tree = Tree(
        Space.independent(f"b{i}" for i in range(depth)),
        [0, 1],
        feature=np.where(inner, level, -1),
        threshold=np.full(2 * n + 1, 0.5),
        when_true=np.where(inner, 2 * at + 1, -1),
        when_false=np.where(inner, 2 * at + 2, -1),
        leaf_class=np.where(inner, -1, (at - n) % 2),
    )
    assert (tree.n_leaves, tree.depth) == (n + 1, depth)
    rows = np.random.default_rng(0).integers(0, 2, size=(1000, depth))
    assert tree.predict(rows).tolist() == rows[:, -1].tolist()
    hidden = rows.astype(float)
    hidden[:, 0] = np.nan  # the last feature alone decides
    assert tree.predict(hidden).tolist() == rows[:, -1].tolist()
    hidden[:, -1] = np.nan
    assert tree.predict(hidden).mask.all()
    last = stump(Space.independent(f"b{i}" for i in range(depth)), feature=[depth - 1, -1, -1])
    assert ol.equivalent(tree, last)


# -- over another space -----------------------------------------------------------------------


@given(problems(max_features=3))
@settings(max_examples=100)
def test_over_narrower_spaces_keeps_what_both_can_say(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    narrower = {"float64": "float32", "float32": "integer", "integer": "boolean"}
    other = {}
    for name, kind in kinds.items():
        other[name] = kind[:2] if isinstance(kind, tuple) else narrower.get(kind, kind)
    over = tree.over(space_of(other))
    assert over.classes == tree.classes
    rows = list(oracle.cells(other, spec))
    assert over.predict(rows).tolist() == tree.predict(rows).tolist()
    assert tree.over(tree.space) is tree


def test_over_categories_rounds_as_rows_are_rounded():
    low = oracle.as_float32(0.1)
    near = low + 1e-10  # a float64 that rounds to it
    tree = stump(Space({"x": "float32"}), threshold=[low, 0, 0])
    over = tree.over(Space({"x": [near, 5.0]}))
    assert (
        over.predict([[near], [5.0]]).tolist() == tree.predict([[near], [5.0]]).tolist() == [0, 1]
    )


def test_over_a_wider_float_keeps_the_rounding():
    low = oracle.as_float32(0.1)
    tree = stump(Space({"x": "float32"}), threshold=[low, 0, 0])
    over = tree.over(X1)
    middle = (low + oracle.float32_neighbours(low)[1]) / 2
    for x in (low, middle, math.nextafter(middle, 0), math.nextafter(middle, 1)):
        assert over.predict([[x]]).tolist() == tree.predict([[x]]).tolist()


def test_over_goes_by_name_and_keeps_labels_and_shares():
    tree = stump(classes=(1, 0.5), distribution=[[1, 2], [3, 4], [5, 6]])
    over = tree.over(Space({"y": "boolean", "x": "integer"}))
    assert over.features == ("x",)
    assert [type(c) for c in over.classes] == [int, float]
    assert over.distribution.tolist() == [[1, 2], [3, 4], [5, 6]]
    columns = Space([Feature("x")], columns={"x<=1": Condition("x", at_most=1.0)})
    assert tree.over(columns).predict([[1], [0]]).tolist() == [None, 0.5]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (Feature("x", values="integer"), Feature("x")),
        (Feature("x", values="integer"), Feature("x", values="float32")),
        (Feature("x", "boolean"), Feature("x", values="integer")),
        (Feature("x", "boolean"), Feature("x", "categorical", categories=(0, 1, 2))),
        (Feature("x", values="integer"), Feature("x", "categorical", categories=(0, 0.5))),
        (Feature("x"), Feature("x", "categorical", categories=(0, "a"))),
        (Feature("x"), Feature("x", "categorical", categories=(0, 1), other=True)),
        (Feature("x"), Feature("x", nan=True)),
    ],
)
def test_over_refuses_values_that_the_tree_does_not_know(here, there):
    with pytest.raises(InvalidSpace, match="cannot be converted to"):
        stump(Space([here])).over(Space([there]))


def test_over_refuses_categories_that_the_tree_does_not_know():
    here = Space({"c": ["a", "b"]})
    tree = stump(here, sets={0: [0]})
    for there in (["a", "z"], [1], "numeric"):
        with pytest.raises(InvalidSpace, match="cannot be converted to"):
            tree.over(Space({"c": there}))
    with pytest.raises(InvalidSpace, match="no feature 'c'"):
        tree.over(X1)
    open_here = Feature("c", "categorical", categories=("a", "b"), other=True, nan=True)
    wide = stump(Space([open_here]), sets={0: [0, 2, 3]})
    assert wide.over(here).predict([["a"], ["b"]]).tolist() == [0, 1]
    there = Feature("c", "categorical", categories=("z", "b"), other=True, nan=True)
    over = wide.over(Space([there]))
    for value in ("a", "b", "z", "q", None):
        assert over.predict([[value]]).tolist() == wide.predict([[value]]).tolist()


def test_the_core_takes_strided_rows_and_refuses_other_arrays():
    tree = stump()
    with pytest.raises((TypeError, RuntimeError)):
        _core.tree.check_links((1, 2, 3))
    with pytest.raises((TypeError, RuntimeError)):
        _core.rows.reach(
            tree.nodes, tree.space.domains, tree.row_threshold, [(1, "x", None)], 1, 2, False
        )
