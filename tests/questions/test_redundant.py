"""Redundant splits: against taking each split out by hand and comparing on all cells."""

import itertools
import math

import numpy as np
import pytest
from fact_cases import case
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import OutOfTime

NAMES = ["a", "b", "c"]


@st.composite
def nested(draw, depth=3):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return {"prediction": draw(st.integers(0, 2))}
    return {
        "feature": draw(st.sampled_from(NAMES)),
        "true": draw(nested(depth=depth - 1)),
        "false": draw(nested(depth=depth - 1)),
    }


def evaluate(tree, row):
    while "feature" in tree:
        tree = tree["true"] if row[NAMES.index(tree["feature"])] else tree["false"]
    return tree["prediction"]


def decides(tree):
    return [evaluate(tree, row) for row in itertools.product([0, 1], repeat=3)]


def shrunk(tree):
    """Every tree with one split replaced by one of its sides, and which split that was."""
    if "feature" not in tree:
        return
    yield (), tree["true"]
    yield (), tree["false"]
    for side in ("true", "false"):
        for path, smaller in shrunk(tree[side]):
            yield (side, *path), {**tree, side: smaller}


def live(tree, known=()):
    """Drop branches that no row can reach, as reading a tree does."""
    if "feature" not in tree:
        return tree
    for feature, side in known:
        if feature == tree["feature"]:
            return live(tree[side], known)
    return {
        "feature": tree["feature"],
        "true": live(tree["true"], (*known, (tree["feature"], "true"))),
        "false": live(tree["false"], (*known, (tree["feature"], "false"))),
    }


@settings(max_examples=300, deadline=None)
@given(nested())
def test_a_split_is_redundant_iff_a_side_can_stand_for_it(tree):
    tree = live(tree)
    expected = {path for path, smaller in shrunk(tree) if decides(smaller) == decides(tree)}
    read = ol.read(tree, space=ol.Space.independent(NAMES))

    def path_of(node, at=0, path=()):
        if at == node:
            return path
        if read.nodes.feature[at] < 0:
            return None
        # a boolean's condition is "not a": true leads to the nested "false"
        found = path_of(node, read.nodes.when_true[at], (*path, "false"))
        return (
            found
            if found is not None
            else path_of(node, read.nodes.when_false[at], (*path, "true"))
        )

    assert {path_of(node) for node in read.redundant_splits()} == expected


def test_numbers_categories_and_single_leaves():
    space = ol.Space({"x": "numeric", "color": ["red", "green", "blue"]})
    same = {"prediction": "p"}
    tree = {
        "feature": "color", "relation": "in", "reference": ["red"],
        "true": {"feature": "x", "relation": "<=", "reference": 1.5, "true": same, "false": same},
        "false": {"feature": "x", "relation": "<=", "reference": 1.5, "true": same,
                  "false": {"prediction": "q"}},
    }  # fmt: skip
    read = ol.read(tree, space=space)
    found = read.redundant_splits()
    assert [read.kernel.condition(node) for node in found] == ["x <= 1.5"]
    assert read.nodes.when_true[0] in found or read.nodes.when_false[0] in found
    assert ol.read({"prediction": 1}).redundant_splits() == ()


def test_what_is_no_tree_is_refused():
    with pytest.raises(TypeError, match="cannot read an int"):
        ol.read(3).redundant_splits()


def long_chain(n, label):
    """n questions one after the other, the leaf of each and of the end labelled by its number."""
    at = 2 * np.arange(n)
    feature = np.full(2 * n + 1, -1)
    feature[at] = 0
    threshold = np.zeros(2 * n + 1)
    threshold[at] = np.arange(n)
    when_true, when_false = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    when_true[at], when_false[at] = at + 1, at + 2
    leaf_class = np.full(2 * n + 1, -1)
    leaf_class[at + 1] = [label(i) for i in range(n)]
    leaf_class[-1] = label(n)
    return ol.Tree(ol.Space({"x": "integer"}), [0, 1], feature=feature, threshold=threshold,
                   when_true=when_true, when_false=when_false, leaf_class=leaf_class)  # fmt: skip


def test_a_chain_of_100_000_splits():
    assert long_chain(100_000, lambda i: i % 2).redundant_splits() == ()
    every_other = long_chain(100_000, lambda i: i // 2 % 2).redundant_splits()
    assert every_other == tuple(range(0, 200_000, 4))
    assert len(long_chain(100_000, lambda i: 0).redundant_splits()) == 100_000


def test_limits_are_kept():
    tree = long_chain(1000, lambda i: i % 2)
    with pytest.raises(OutOfTime, match=r"1,000 splits .* time_limit=1e-09 seconds.*raise"):
        tree.redundant_splits(time_limit=1e-9)
    for bad in (-1, math.nan):
        with pytest.raises(ValueError, match="time_limit"):
            tree.redundant_splits(time_limit=bad)


# -- where facts hold ------------------------------------------------------------------------------


def walked(tree, row, instead):
    """The class of a row, where one node stands instead of another."""
    node = instead.get(0, 0)
    while tree.nodes.feature[node] >= 0:
        feature = tree.space.features[tree.nodes.feature[node]]
        value = row[feature.name]
        if feature.ordered:
            holds = float(value) <= tree.nodes.threshold[node]
        else:
            holds = feature.categories.index(value) in tree.kernel.set_of(node).tolist()
        node = int((tree.nodes.when_true if holds else tree.nodes.when_false)[node])
        node = instead.get(node, node)
    return tree.classes[tree.nodes.leaf_class[node]]


@pytest.mark.parametrize("numbers", [False, True])
def test_facts_leave_rows_out(numbers):
    """Against taking each split out by hand and comparing on all possible rows of a grid."""
    more = tried = 0
    for seed in range(60):
        own = case(seed, numbers=numbers, real=seed % 5 == 4)
        if not own.possible:
            continue
        tree = own.trees()[0]
        said = [own.says(row) for row in own.possible]
        expected = []
        for node in np.flatnonzero(tree.nodes.feature >= 0).tolist():
            children = int(tree.nodes.when_true[node]), int(tree.nodes.when_false[node])
            if any([walked(tree, row, {node: child}) for row in own.possible] == said
                   for child in children):  # fmt: skip
                expected.append(node)
        assert tree.redundant_splits() == tuple(expected), seed
        tried += 1
        plain = tree.with_space(tree.space.without_facts())
        more += len(expected) > len(plain.redundant_splits())
    assert tried > 30
    assert more > 15


def test_facts_keep_the_time_limit():
    own = next(c for c in map(case, range(60)) if c.possible and c.trees()[0].n_leaves > 4)
    with pytest.raises(OutOfTime, match=r"splits were not all compared.*raise time_limit"):
        own.trees()[0].redundant_splits(time_limit=1e-9)
