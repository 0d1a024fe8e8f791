import itertools
import os
import subprocess
import sys

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.tree import DecisionTreeClassifier
from strategies import nested, problems, space_of, tree_of

import orderless as ol
from orderless import _core
from orderless.form import fingerprints

AND_12 = {
    "feature": 0,
    "true": {"feature": 1, "true": {"prediction": 1}, "false": {"prediction": 0}},
    "false": {"prediction": 0},
}
AND_21 = {
    "feature": 1,
    "true": {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}},
    "false": {"prediction": 0},
}


def test_the_papers_first_figure_is_one_function():
    assert ol.equivalent(AND_12, AND_21)
    assert ol.read(AND_12).fingerprint == ol.read(AND_21).fingerprint
    assert ol.counterexample(AND_12, AND_21) is None
    assert ol.disagreement(AND_12, AND_21) == 0.0


def test_every_tree_over_three_booleans_falls_into_its_function():
    """Exhaustive: 16,430 trees, 256 functions (Theorem 3.4)."""
    names = ("a", "b", "c")
    specs = list(oracle.all_boolean_trees(names))
    assert len(specs) == 16430
    space = ol.Space.independent(names)
    trees = ol.read_many([nested(spec) for spec in specs], space=space)
    groups = ol.group_equivalent(trees)
    rows = [
        dict(zip(names, bits, strict=True)) for bits in itertools.product([False, True], repeat=3)
    ]
    tables = [tuple(oracle.decide(spec, row) for row in rows) for spec in specs]
    assert len(groups) == len(set(tables)) == 256
    for group in groups:
        assert len({tables[i] for i in group}) == 1
    assert sorted(itertools.chain.from_iterable(groups)) == list(range(len(specs)))
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)


@given(problems(n_trees=2), st.data())
@settings(max_examples=400)
def test_theorem_3_4_equivalent_agrees_with_all_cells(problem, data):
    kinds, (a, b) = problem
    tree_a, tree_b = tree_of(a, kinds), tree_of(b, kinds)
    same = oracle.same_function(kinds, a, b)
    assert ol.equivalent(tree_a, tree_b) == same
    assert (tree_a.fingerprint == tree_b.fingerprint) == same
    row = ol.counterexample(tree_a, tree_b)
    assert (row is None) == same
    if row is not None:
        assert set(row) == set(kinds)
        rounded = oracle.float32_names(kinds)
        assert oracle.decide(a, row, rounded) != oracle.decide(b, row, rounded)
    assert (ol.disagreement(tree_a, tree_b) > 0) == (not same)


@given(problems(n_trees=1), st.data())
@settings(max_examples=200)
def test_another_order_is_the_same_function(problem, data):
    """Ask any condition of the tree first: f = (c and f) or (not c and f)."""
    kinds, (spec,) = problem
    tests = list(oracle.tests_of(spec))
    tree = tree_of(spec, kinds)
    for name, test in tests:
        other = tree_of(("split", name, test, spec, spec), kinds)
        assert ol.equivalent(tree, other)
        assert tree.fingerprint == other.fingerprint


@given(problems(n_trees=2, max_features=3))
def test_disagreement_is_the_share_of_bins(problem):
    kinds, (a, b) = problem
    tree_a, tree_b = tree_of(a, kinds), tree_of(b, kinds)
    # Bins by brute force: values that no condition tells apart count once.
    used = set(tree_a.features) | set(tree_b.features)
    values = oracle.values_by_feature(kinds, a, b)
    cuts = {
        name: {
            cut
            for tree in (tree_a, tree_b)
            for node in range(tree.n_nodes)
            if tree.nodes.feature[node] >= 0
            and tree.space.features[tree.nodes.feature[node]].name == name
            for cut in [float(tree.nodes.threshold[node])]
        }
        for name in kinds
    }
    rounded = oracle.float32_names(kinds)
    bins = {}
    for name, kind in kinds.items():
        if isinstance(kind, tuple) or kind == "boolean":
            bins[name] = values[name]
        else:
            seen = {}
            for value in values[name]:
                v = oracle.as_float32(value) if name in rounded else value
                seen.setdefault(tuple(v <= cut for cut in sorted(cuts[name])), value)
            bins[name] = list(seen.values())
        if name not in used:
            bins[name] = bins[name][:1]
    rows = [dict(zip(bins, row, strict=True)) for row in itertools.product(*bins.values())]
    differ = [oracle.decide(a, row, rounded) != oracle.decide(b, row, rounded) for row in rows]
    assert ol.disagreement(tree_a, tree_b) == pytest.approx(sum(differ) / len(rows))


def test_all_functions_of_a_grid_have_fingerprints_of_their_own():
    """All 2^20 functions of 5 x 4 bins: a million and more, no two alike."""
    cuts_a, cuts_b = [1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0]

    def column(cuts, name, leaf):
        spec = leaf(len(cuts))
        for i, cut in reversed(list(enumerate(cuts))):
            spec = ("split", name, cut, leaf(i), spec)
        return spec

    spec = column(cuts_a, "a", lambda i: column(cuts_b, "b", lambda j: ("leaf", f"{i} {j}")))
    tree = tree_of(spec, {"a": "float64", "b": "float64"})
    assert tree.n_leaves == 20
    n = tree.n_nodes
    hashes = [fingerprints._hash(b"feature", name) for name in "ab"]
    keys = np.array(hashes, dtype=np.uint64).ravel()
    values = np.array([fingerprints._class_value(c) for c in (0, 1)], dtype=np.uint64).ravel()
    leaves = np.flatnonzero(tree.nodes.feature < 0)
    points = []
    chunk = 2**16
    for first in range(0, 2**20, chunk):
        functions = np.arange(first, first + chunk)
        leaf_class = np.full((chunk, n), -1, dtype=np.int32)
        leaf_class[:, leaves] = functions[:, None] >> np.arange(20) & 1
        nodes = (
            *(np.tile(array, chunk) for array in tree.nodes[:5]),
            leaf_class.ravel(),
            np.zeros(chunk * n + 1, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
        )
        start = np.arange(chunk + 1, dtype=np.int64) * n
        empty = np.zeros(0, dtype=np.uint64)
        points.append(
            _core.same.fingerprints(nodes, start, tree.space.arrays, keys, [empty, empty], values)
        )
    pairs = np.concatenate(points).reshape(-1, 2)
    for k in (0, 1):  # already one point of the two tells all of them apart
        assert len(np.unique(pairs[:, k])) == 2**20
    # The same numbers come out by the front door.
    some = tree_of(
        column(cuts_a, "a", lambda i: column(cuts_b, "b", lambda j: ("leaf", int(i == j)))),
        {"a": "float64", "b": "float64"},
    )
    order = [leaves.tolist().index(leaf) for leaf in leaves]
    labels = [
        spec_label.split() for spec_label in np.array(tree.classes)[tree.nodes.leaf_class[leaves]]
    ]
    number = sum(1 << k for k, (i, j) in zip(order, labels, strict=True) if i == j)
    assert some.fingerprint == "".join(f"{int(part):016x}" for part in pairs[number])


def test_fingerprint_is_the_same_in_another_process():
    code = (
        "import orderless as ol;"
        "t={'feature':0,'true':{'prediction':'ja'},'false':{'prediction':'nein'}};"
        "print(ol.read(t).fingerprint)"
    )
    tree = {"feature": 0, "true": {"prediction": "ja"}, "false": {"prediction": "nein"}}
    for seed in ("0", "1"):
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert out.stdout.strip() == ol.read(tree).fingerprint


def test_fingerprint_stays_what_it_was():
    """A change of this number breaks everyone's stored fingerprints: bump the version for it."""
    assert ol.read(AND_12).fingerprint == "04d248d3d1c00d3e0632aef5237611c1"
    assert len(ol.read({"prediction": 1}).fingerprint) == 32


def test_siphash_is_the_published_function():
    """OpenSSL 3: mac -macopt hexkey:00..0f -macopt size:16 of the bytes 00..07."""
    key, message = bytes(range(16)), bytes(range(8))
    parts = _core.same.siphash(
        int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little"),
        int.from_bytes(message, "little"),
    )  # fmt: skip
    digest = b"".join(part.to_bytes(8, "little") for part in parts)
    assert digest.hex() == "3b62a9ba6258f5610f83e264f31497b4"


# -- data --------------------------------------------------------------------------------------


def test_disagreement_on_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    a = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    b = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    assert ol.disagreement(a, b, X) == np.mean(a.predict(X) != b.predict(X))
    with pytest.raises(ValueError, match="complete rows"):
        ol.disagreement(a, b, np.full((1, 4), np.nan))
    with pytest.raises(ValueError, match="no rows"):
        ol.disagreement(a, b, X[:0])


def test_groups_of_nothing():
    assert ol.group_equivalent([]) == []


def test_models_may_be_given_as_they_are():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = X[:, 0] & X[:, 1]
    fits = [DecisionTreeClassifier(random_state=seed).fit(X, y) for seed in range(6)]
    assert {int(fit.tree_.feature[0]) for fit in fits} == {0, 1}  # really different orders
    assert ol.group_equivalent(fits) == [list(range(6))]
    assert ol.equivalent(fits[0], fits[1])


def test_ctrl_c_is_heard_inside_the_core():
    """A long comparison stops at an interrupt instead of running to its end."""
    code = """
import os, signal, threading, numpy as np, orderless as ol
n = 12000
def comb(name, seed):
    at = np.random.default_rng(seed).permutation(n) % 2
    feature = np.full(2 * n + 1, -1); threshold = np.zeros(2 * n + 1)
    yes = np.full(2 * n + 1, -1); no = np.full(2 * n + 1, -1); label = np.full(2 * n + 1, -1)
    for i in range(n):
        feature[2 * i] = name; threshold[2 * i] = i
        yes[2 * i], no[2 * i] = 2 * i + 1, 2 * i + 2
        label[2 * i + 1] = 0
    label[2 * n] = 0
    return ol.Tree(space, [0, 1], feature=feature, threshold=threshold, when_true=yes,
                   when_false=no, leaf_class=label)
space = ol.Space.numeric(["p", "q"])
a, b = comb(0, 0), comb(1, 1)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    ol.counterexample(a, b)
except KeyboardInterrupt:
    print("heard")
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "heard"


def test_space_of_kinds_is_what_the_strategies_mean():
    assert space_of({"a": "float64", "b": ("x", "y")}).names == ("a", "b")


# -- examples near what is usual -------------------------------------------------------------------


def cut_at(name, *thresholds, space):
    """A tree that gives a class of its own to each interval between thresholds."""
    tree = {"prediction": len(thresholds)}
    for i, threshold in reversed(list(enumerate(thresholds))):
        tree = {"feature": name, "relation": "<=", "reference": threshold,
                "true": {"prediction": i}, "false": tree}  # fmt: skip
    return ol.read(tree, space=space)


@given(
    st.lists(st.integers(-500, 500).map(lambda n: n / 8), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-500, 500).map(lambda n: n / 8), min_size=1, max_size=4, unique=True),
    st.sampled_from(["numeric", "integer"]),
)
def test_a_made_up_row_differs_and_lies_near_the_thresholds(one, other, kind):
    space = ol.Space({"x": kind, "y": kind})
    a, b = cut_at("x", *sorted(one), space=space), cut_at("x", *sorted(other), space=space)
    row = ol.counterexample(a, b)
    if row is None:
        assert ol.equivalent(a, b)
        return
    assert a.predict([row])[0] != b.predict([row])[0]
    cuts = sorted({*one, *other})
    wide = max([*np.diff(cuts), *np.abs(cuts), 2])
    assert cuts[0] - wide <= row["x"] <= cuts[-1] + wide


def test_a_real_row_is_preferred_to_one_that_is_made_up():
    space = ol.Space({"radius": "numeric", "smoker": "boolean"})
    a, b = cut_at("radius", 16.8, space=space), cut_at("radius", 13.1, 16.8, space=space)
    rows = [[11.0, 0], [None, 1], [15.25, 1], [16.0, 0]]
    frame = pd.DataFrame(rows, columns=["radius", "smoker"], dtype=float)
    dicts = [dict(zip(("radius", "smoker"), row, strict=True)) for row in rows]
    del dicts[2]["smoker"]
    assert ol.counterexample(a, b, frame[2:]) == {"radius": 15.25, "smoker": 1}
    assert ol.counterexample(a, b, frame[3:].to_numpy()) == {"radius": 16.0, "smoker": 0}
    third = cut_at("radius", 16.8, 20.0, space=space)
    assert ol.counterexample(a, third, dicts)["radius"] > 20  # none differs: made up
    assert ol.counterexample(a, cut_at("radius", 13.1, space=space), dicts) == {"radius": 15.25}
    with pytest.raises(ol.errors.InvalidData, match="got one dict"):
        ol.counterexample(a, b, dicts[0])


def test_forms_are_taken_wherever_trees_are():
    first = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    second = {"feature": 0, "true": first["true"], "false": {"feature": 1, **first}}
    trees = [ol.read(tree, feature_names=["a", "b"]) for tree in (first, second)]
    forms = [ol.canonicalize(tree) for tree in trees]
    for a, b in ((0, 0), (0, 1)):
        assert ol.equivalent(forms[a], forms[b]) == ol.equivalent(trees[a], trees[b])
        assert ol.disagreement(forms[a], trees[b]) == ol.disagreement(trees[a], trees[b])
        assert ol.counterexample(forms[a], forms[b]) == ol.counterexample(trees[a], trees[b])
    for form, tree in zip(forms, trees, strict=True):
        assert form.fingerprint == tree.fingerprint
        assert form.tree.minimize() == tree.minimize()
        assert len(form.tree.redundant_splits()) == len(tree.redundant_splits())
    assert ol.group_equivalent(forms) == ol.group_equivalent(trees)


def test_groups_over_equal_spaces_that_are_not_one():
    """As over one space; also if labels are equal without being alike, or classes differ."""
    rng = np.random.default_rng(5)
    names = ["a", "b", "c"]
    specs = list(oracle.all_boolean_trees(tuple(names)))
    some = [nested(specs[i]) for i in rng.integers(0, len(specs), 60)]
    one = ol.Space.independent(names)
    expected = ol.group_equivalent([ol.read(spec, space=one) for spec in some])
    apart = [ol.read(spec, space=ol.Space.independent(names)) for spec in some]
    assert len({id(tree.space) for tree in apart}) == len(apart)
    for _ in range(2):  # what was found out about spaces the first time is kept
        assert ol.group_equivalent(apart) == expected
    assert ol.group_equivalent(reversed(apart)) == [
        [len(apart) - 1 - i for i in sorted(group, reverse=True)]
        for group in sorted(expected, key=max, reverse=True)
    ]
    other = ol.Space([*one.features, ol.Feature("d", "boolean")])
    wider = [ol.read(spec, space=other) for spec in some[:30]]
    both = ol.group_equivalent([*wider, *apart[30:]])
    assert both == expected
    assert ol.group_equivalent([]) == []


def test_fingerprints_do_not_mix_up_equal_labels():
    leaf = {"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read(leaf, space=ol.Space.independent(["a"]))
    same = [tree.replace(classes=c) for c in ((0, 1), (False, True), (0.0, 1.0))]
    text = tree.replace(classes=("0", "1"))
    swapped = tree.replace(classes=(1, 0))
    assert len({one.fingerprint for one in same}) == 1
    assert ol.group_equivalent([*same, text, swapped]) == [[0, 1, 2], [3], [4]]
