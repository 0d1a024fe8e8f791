"""Equal functions, equal answers: rules, reasons, files and texts do not depend on the tree."""

import itertools
import json
import random
from functools import partial

import numpy as np
import pytest
from equivalents import equivalent_pair, random_part, random_space, tree_of

import orderless as ol
from orderless import _core
from orderless.api import wrap
from orderless.errors import OutOfTime, TooLarge
from orderless.form.function_tree import canonical_tree, with_function_bins
from orderless.model import Bins, Budget, TreeKernel

N_PAIRS = 2000
PARTS = 8


def ask(name, values, yes, no):
    return {"feature": name, "relation": "in", "reference": values, "true": yes, "false": no}


def test_a_set_asked_in_two_pieces():
    """The first report: u in {a, e}, or u = a and then u = e."""
    space = ol.Space({"u": list("abcde"), "v": "boolean"})
    v = {"feature": "v", "true": {"prediction": 1}, "false": {"prediction": 0}}
    w = {"feature": "v", "true": {"prediction": 0}, "false": {"prediction": 1}}
    bd = ask("u", ["b"], w, {"prediction": 0})
    once = ol.read(ask("u", ["a", "e"], v, bd), space=space)
    twice = ol.read(ask("u", ["a"], v, ask("u", ["e"], v, bd)), space=space)
    one, other = ol.canonicalize(once), ol.canonicalize(twice)
    assert list(one.rules.items()) == list(other.rules.items())
    assert list(one.reasons.items()) == list(other.reasons.items())
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("part", range(PARTS))
def test_equivalent_trees_have_one_form(part):
    """Theorem 3.4 in bytes, also where trees ask what does not matter."""
    n_different = 0
    for seed in range(part, N_PAIRS, PARTS):
        a, b = equivalent_pair(seed)
        n_different += a != b
        for exact in (True, False):
            one, other = ol.canonicalize(a, exact=exact), ol.canonicalize(b, exact=exact)
            assert list(one.rules.items()) == list(other.rules.items()), seed
            assert one.bounds == other.bounds, seed
            assert one.to_json() == other.to_json(), seed
            assert str(one) == str(other), seed
            assert one == other, seed
            assert hash(one) == hash(other), seed
        assert list(one.reasons.items()) == list(other.reasons.items()), seed
    assert n_different > 0.5 * N_PAIRS / PARTS


@pytest.mark.parametrize("seed", range(40))
def test_a_form_comes_back_from_its_file(seed):
    tree = equivalent_pair(seed)[1]
    for exact in (True, False):
        form = ol.canonicalize(tree, exact=exact)
        again = ol.CanonicalForm.from_json(form.to_json())
        assert again == form
        assert again.form.exact is exact
        assert again.rules == form.rules
        assert again.to_json() == form.to_json()


@pytest.mark.parametrize("part", range(4))
def test_the_canonical_tree_is_one(part):
    n_before = n_after = 0
    for seed in range(part, 600, 4):
        a, b = equivalent_pair(seed)
        tree = canonical_tree(a.kernel)
        assert tree == canonical_tree(b.kernel), seed
        assert tree == canonical_tree(tree), seed
        assert ol.equivalent(tree, a)
        n_before += a.n_leaves
        n_after += tree.n_leaves
    assert n_after <= n_before  # small as a rule, though not proven so for each


def test_different_functions_have_different_trees():
    rng = random.Random(5)
    space = ol.Space({"u": list("abc"), "v": "boolean", "w": "integer"})
    trees = [tree_of(space, [0, 1], random_part(rng, space, 2, 2)) for _ in range(150)]
    found = {}
    for tree in trees:
        found.setdefault(canonical_tree(tree.kernel).to_json(), []).append(tree.fingerprint)
    assert all(len(set(prints)) == 1 for prints in found.values())
    assert len(found) == len({tree.fingerprint for tree in trees}) > 10


def values_of(tree, i):
    """One value per bin of a feature, in order."""
    feature = tree.space.features[i]
    if not feature.ordered:
        others = ["another"] * feature.other + [None] * feature.nan
        return [*feature.categories, *others]
    cuts = np.unique(tree.threshold[tree.feature == i])
    cuts = cuts[np.isfinite(cuts)].tolist()
    last = 1.0 if feature.kind == "boolean" else cuts[-1] + 1 if cuts else 0.0
    return [*cuts, last, *[None] * feature.nan]


def test_bins_are_those_of_the_function():
    """Neighbours differ in the table of all cells; values of one group do not."""
    rng = random.Random(1)
    for _ in range(80):
        space = random_space(rng)
        tree = tree_of(space, [0, 1], random_part(rng, space, 3, 2))
        own = with_function_bins(tree.kernel)
        assert ol.equivalent(own, tree)
        assert with_function_bins(own) is own
        values = [values_of(own, i) for i in own.used]
        rows = [dict(zip(own.features, row, strict=True)) for row in itertools.product(*values)]
        table = wrap(own).predict(rows).filled(-1).reshape([len(v) for v in values])
        bins = Bins(own)
        for axis, i in enumerate(own.used):
            slices = [table.take(k, axis).tobytes() for k in range(table.shape[axis])]
            if space.features[i].ordered:
                n = table.shape[axis] - space.features[i].nan
                assert all(slices[k] != slices[k + 1] for k in range(n - 1))
                assert len(set(slices)) > 1
                continue
            groups = bins.groups[[f.name for f in bins.features].index(space.features[i].name)]
            assert all(len({slices[code] for code in group}) == 1 for group in groups)
            assert len(set(slices)) == len(groups) > 1


def parity(n):
    def grow(i, odd):
        if i == n:
            return {"prediction": odd}
        return {"feature": i, "true": grow(i + 1, 1 - odd), "false": grow(i + 1, odd)}

    return ol.read(grow(0, 0))


def test_limits_of_the_canonical_tree():
    with pytest.raises(TooLarge, match=r"more than limit=100 nodes.*smaller tree") as caught:
        canonical_tree(parity(8).kernel, limit=100)
    assert caught.value.met == 100
    with Budget(1e-9), pytest.raises(OutOfTime, match="time_limit=1e-09 seconds"):
        canonical_tree(parity(8).kernel)
    with pytest.raises(OutOfTime, match="time_limit=1e-09 seconds"):
        ol.canonicalize(parity(8), time_limit=1e-9, exact=False).to_json()


def test_looking_for_what_is_left_open_can_be_stopped():
    """Rules without all reasons spend their time in one search, which has to poll."""
    bins = ol.canonicalize(parity(10)).form.bins
    leaves, boxes = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    own = np.ascontiguousarray(boxes[bins.tree.leaf_class[leaves] == 0])
    fault = partial(_core.reasons.cover_fault, bins.nodes, bins.layout, 2)
    for polls in (0, 5):
        with pytest.raises(_core.base.TimeUp):
            fault(0, own, own, polls)
    assert fault(0, own, own, 1000) == 0
    assert fault(0, own, own[1:].copy(), 1000) == 2
    assert fault(1, own, own, 1000) == 1


def test_the_file_of_a_form_is_the_same_after_any_way():
    """A file says nothing of the tree that the form came from."""
    a, b = equivalent_pair(11)
    content = json.loads(ol.canonicalize(b).to_json())
    assert "distribution" not in content["tree"]
    tree = TreeKernel.from_dict({**content["tree"], "space": content["space"],
                              "classes": content["classes"]})  # fmt: skip
    assert tree == canonical_tree(a.kernel)
