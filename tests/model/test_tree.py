"""Trees: what they keep, say and refuse."""

import copy
import math
import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import problems, tree_of

import orderless as ol
from orderless import Feature, Space, Tree, _core

from .small_trees import MIXED, X1, arrays, leaf, stump


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


# -- what it keeps ----------------------------------------------------------------------------


@given(problems())
@settings(max_examples=150)
def test_dead_branches_are_dropped_and_the_function_stays(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    n_specs = 1 + 2 * len(list(oracle.tests_of(spec)))
    assert tree.n_nodes + tree.kernel.n_dropped == n_specs
    rows = list(oracle.cells(kinds, spec))
    rounded = oracle.float32_names(kinds)
    assert tree.predict(rows).tolist() == [oracle.decide(spec, row, rounded) for row in rows]
    assert set(tree.apply(rows).tolist()) == set(tree.kernel.leaves())  # every leaf is some row's
    again = Tree(
        tree.space,
        tree.classes,
        feature=tree.nodes.feature,
        threshold=tree.nodes.threshold,
        when_true=tree.nodes.when_true,
        when_false=tree.nodes.when_false,
        leaf_class=tree.nodes.leaf_class,
        sets={i: tree.kernel.set_of(i) for i in range(tree.n_nodes)},
        task=tree.task,
    )
    assert again == tree
    assert again.kernel.n_dropped == 0
    assert (", " + str(tree.kernel.n_dropped) + " dead nodes dropped" in repr(tree)) == (
        tree.kernel.n_dropped > 0
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
    assert tree.kernel.n_dropped == 2
    assert tree.kernel.set_of(1).tolist() == [1, 3]
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
    assert (never.n_nodes, never.kernel.n_dropped) == (1, 2)


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
    assert one.fingerprint == other.fingerprint


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
    return [
        *tree.nodes,
        *(getattr(tree.kernel, name) for name in tree.nodes._fields),
        tree.kernel.labels,
        tree.kernel.row_threshold,
        *([] if tree.distribution is None else [tree.distribution]),
        *tree.space.arrays,
    ]


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
        assert other.fingerprint == tree.fingerprint
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
        "    yes: class no\n"
        "    no:  n <= 24?\n"
        "      yes: class yes\n"
        "      no:  class no\n"
        "  no:  c in {red, (other)}?\n"
        "    yes: c = (other)?\n"
        "      yes: class no\n"
        "      no:  class yes\n"
        "    no:  class no"
    )
    assert str(leaf(classes=["alone"])) == "alone"
    assert tree.depth == 3
    assert tree.features == ("x", "b", "n", "c")
    assert tree.n_leaves == 6
    assert list(tree.kernel.leaves()) == [2, 4, 5, 8, 9, 10]


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
    assert (tree.depth, tree.n_leaves, tree.kernel.n_dropped) == (n, n + 1, 0)
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
    half = tree.with_space(Space({"x": "integer"}))
    assert half.n_leaves == n + 1
    dead = Tree(X1, [0, 1], **{**chain(n), "threshold": np.ones(2 * n + 1)})
    assert (dead.n_nodes, dead.kernel.n_dropped) == (3, 2 * n - 2)


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


def test_the_core_takes_strided_rows_and_refuses_other_arrays():
    tree = stump()
    with pytest.raises((TypeError, RuntimeError)):
        _core.tree.check_links((1, 2, 3))
    with pytest.raises((TypeError, RuntimeError)):
        _core.rows.reach(
            tree.nodes, tree.space.arrays, tree.kernel.row_threshold, [(1, "x", None)], 1, 2, False
        )
