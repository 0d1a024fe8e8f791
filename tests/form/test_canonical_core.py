"""Bins and fingerprints by the core: what Python gives step by step. Limits on reasons."""

import copy
import gc
import pickle
import random
import weakref

import numpy as np
import pytest

import orderless as ol
from orderless import _core
from orderless.errors import TooManyReasons
from orderless.form.fingerprints import class_weights, fingerprint_points, space_weights
from orderless.form.flat_trees import flat_nodes
from orderless.form.function_tree import with_function_bins
from orderless.form.reasons import Subject, all_reasons
from orderless.model import Bins
from tests.equivalents import (
    equivalent_pair,
    random_part,
    random_space,
    rewritten,
    tree_of,
    with_idle_question,
)

PRIME = 2**61 - 1
ORDERED = (
    ol.Feature("zeta"),
    ol.Feature("whole", values="integer"),
    ol.Feature("single", values="float32"),
    ol.Feature("flag", "boolean"),
    ol.Feature("gaps", nan=True),
    ol.Feature("an odd 'name'", values="integer", nan=True),
)


def ordered_tree(seed, depth=4):
    """A tree without categories, some with splits that do not matter; two to four classes."""
    rng = random.Random(seed)
    space = ol.Space(rng.sample(ORDERED, rng.randint(1, 5)))
    n_classes = rng.randint(2, 4)
    part = random_part(rng, space, rng.randint(0, depth), n_classes)
    for change in (with_idle_question, rewritten):
        if rng.random() < 0.5:
            part = change(rng, space, part)
    return tree_of(space, list(range(n_classes)), part)


def cut_in_python(tree):
    bins = Bins.__new__(Bins)
    bins.tree = tree
    bins._cut_here()
    return bins


def assert_same_bins(one, other):
    assert one.positions == other.positions
    assert one.features == other.features
    assert one.groups == other.groups
    assert [c.tolist() for c in one.cuts] == [c.tolist() for c in other.cuts]
    for name in ("layout", "nodes"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist()
    assert (one._slots, one.n_slots, one.widths) == (other._slots, other.n_slots, other.widths)


@pytest.mark.parametrize("seed", range(120))
def test_bins_by_the_core(seed):
    tree = ordered_tree(seed, 6).kernel
    assert_same_bins(Bins(tree), cut_in_python(tree))


@pytest.mark.parametrize("seed", range(8))
def test_forms_and_terms_are_copied_and_pickled(seed):
    form = ol.canonicalize(ordered_tree(seed))
    reasons, rules = form.reasons, form.rules
    for again in (pickle.loads(pickle.dumps(form)), copy.deepcopy(form)):
        assert again.reasons == reasons
        assert again.rules == rules
        assert again == form
    fresh = ol.canonicalize(form.tree).reasons
    assert pickle.loads(pickle.dumps(fresh)) == reasons


def test_limits_are_kept():
    rng = np.random.default_rng(0)
    space = ol.Space.independent([f"x{i}" for i in range(12)])
    part = random_part(random.Random(int(rng.integers(100))), space, 6, 2)
    tree = tree_of(space, [0, 1], part)
    with pytest.raises(TooManyReasons, match="more than limit=2 reasons"):
        _ = ol.canonicalize(tree, limit=2).reasons
    with pytest.raises(TooManyReasons, match="more than limit=2 reasons"):
        _ = ol.canonicalize(tree, limit=2).rules


@pytest.mark.parametrize("seed", range(60))
def test_a_limit_is_about_the_function_not_its_idle_splits(seed):
    tree = ordered_tree(seed, 3)
    form = ol.canonicalize(tree)
    most = max(map(len, form.reasons.values()))
    bins = with_function_bins(tree.kernel).bins
    try:
        all_reasons(Subject.of(bins), most)
    except TooManyReasons:  # more of them below some node
        with pytest.raises(TooManyReasons):
            _ = ol.canonicalize(tree, limit=most).reasons
    else:
        assert ol.canonicalize(tree, limit=most).reasons == form.reasons


def test_a_form_with_reasons_is_no_cycle():
    form = ol.canonicalize(ordered_tree(3))
    reasons, rules = form.reasons, form.rules
    gone = weakref.ref(form)
    gc.disable()
    try:
        del form
        assert gone() is None
    finally:
        gc.enable()
    assert [str(t) for terms in (reasons | rules).values() for t in terms]


# -- fingerprints --------------------------------------------------------------------------------


def brute_point(tree, k):
    """The polynomial of a tree, leaf by leaf and feature by feature, in whole numbers."""
    keys, values = space_weights(tree.space)
    keys = keys.reshape(-1, 2)
    labels = class_weights(tree.classes).reshape(-1, 2)

    def element(f, threshold):
        feature = tree.space.features[f]
        low, high = feature.bounds
        if threshold <= low:
            return 0
        if threshold >= high:
            return 1 - nan(f)
        bits = int(np.array([threshold + 0.0]).view(np.uint64)[0])
        return _core.same.siphash(int(keys[f][0]), int(keys[f][1]), bits)[k] % PRIME

    def nan(f):
        if not tree.space.features[f].nan:
            return 0
        return _core.same.siphash(int(keys[f][0]), int(keys[f][1]), 0x7FF8000000000000)[k] % PRIME

    def weight(f, side):
        if not tree.space.features[f].ordered:
            own = values[f].reshape(-1, 2)
            return sum(int(own[code][k]) for code in side)
        low, high, with_nan = side
        return (element(f, high) - element(f, low) if low < high else 0) + nan(f) * with_nan

    def whole(f):
        feature = tree.space.features[f]
        return (*feature.bounds, feature.nan) if feature.ordered else set(range(feature.n_values))

    total = 0
    todo = [(0, {f: whole(f) for f in tree.kernel.used})]
    while todo:
        node, box = todo.pop()
        f = int(tree.nodes.feature[node])
        if f < 0:
            term = int(labels[tree.nodes.leaf_class[node]][k])
            for g, side in box.items():
                term = term * weight(g, side) % PRIME
            total += term
            continue
        if tree.space.features[f].ordered:
            low, high, with_nan = box[f]
            cut, nan_true = float(tree.nodes.threshold[node]), bool(tree.nodes.nan_true[node])
            yes = (low, min(high, cut), with_nan and nan_true)
            no = (max(low, cut), high, with_nan and not nan_true)
        else:
            yes = box[f] & set(tree.kernel.set_of(node).tolist())
            no = box[f] - yes
        todo += [
            (int(tree.nodes.when_true[node]), {**box, f: yes}),
            (int(tree.nodes.when_false[node]), {**box, f: no}),
        ]
    return total % PRIME


@pytest.mark.parametrize("seed", range(60))
def test_fingerprints_by_the_definition(seed):
    tree = ordered_tree(seed, 5) if seed % 2 else equivalent_pair(seed)[0]
    assert fingerprint_points([tree.kernel])[0].tolist() == [brute_point(tree, k) for k in (0, 1)]


@pytest.mark.parametrize("seed", range(10))
def test_many_held_trees_as_their_arrays(seed):
    rng = random.Random(seed)
    space = random_space(rng)
    trees = [tree_of(space, [0, 1, 2], random_part(rng, space, 4, 3)).kernel for _ in range(30)]
    keys, weights = space_weights(space)
    nodes, start, labels = flat_nodes(trees)
    slow = _core.same.fingerprints(nodes, start, space.arrays, keys, weights, class_weights(labels))
    assert fingerprint_points(trees).ravel().tolist() == slow.tolist()
    mixed = [*trees, trees[0].replace(classes=("a", "b", "c")), trees[1].replace(classes=(2, 1, 0))]
    points = fingerprint_points(mixed)
    for i, tree in enumerate(mixed):
        assert points[i].tolist() == fingerprint_points([tree])[0].tolist()
    assert _core.tree.held_alike(mixed) is None
    assert _core.tree.held_alike([trees[0], equivalent_pair(1)[0].kernel]) is None
    assert len(_core.tree.held_alike(trees)) == len(trees)
    with pytest.raises(RuntimeError, match="bad_cast"):
        _core.same.Prints(space.held, keys, weights, class_weights(labels)).points([1])
