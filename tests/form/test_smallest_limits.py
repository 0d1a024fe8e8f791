"""Smallest trees within limits, and what is refused."""

import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData, InvalidTree
from tests.form.test_smallest import HOW, expected


def parity(n, seed=None):
    """Parity of n booleans, asked in a different order in every branch."""
    rng = np.random.default_rng(seed)

    def grow(left, odd):
        if not left:
            return {"prediction": odd}
        i = left[rng.integers(len(left)) if seed is not None else 0]
        rest = [j for j in left if j != i]
        return {"feature": i, "true": grow(rest, 1 - odd), "false": grow(rest, odd)}

    return ol.read(grow(list(range(n)), 0), feature_names=[f"b{i:02}" for i in range(n)])


def test_parity_cannot_be_smaller():
    for minimize, least in (("leaves", 32), ("depth", 5), ("expected_depth", 5.0)):
        one, bound = parity(5, 1).minimize(what=minimize, return_bound=True)
        assert bound == least
        assert one == parity(5, 2).minimize(what=minimize)
        assert one.kernel.condition(0) == "not b00"


def test_many_categories():
    """More than 12 groups: the tree's own sets, and a bound."""
    labels = [f"v{i:02}" for i in range(40)]
    space = ol.Space({"v": labels, "w": labels})
    rng = np.random.default_rng(0)

    def grow(depth):
        if depth == 0:
            return {"prediction": int(rng.integers(2))}
        chosen = sorted(rng.choice(labels, 20, replace=False).tolist())
        return {"feature": str(rng.choice(["v", "w"])), "relation": "in", "reference": chosen,
                "true": grow(depth - 1), "false": grow(depth - 1)}  # fmt: skip

    tree = ol.read(grow(5), space=space)
    smallest, bound = tree.minimize(time_limit=2, return_bound=True)
    assert 2 <= bound <= smallest.n_leaves <= tree.n_leaves
    assert ol.equivalent(tree, smallest)
    one = {"feature": "v", "relation": "in", "reference": labels[:20],
           "true": {"prediction": 1}, "false": {"prediction": 0}}  # fmt: skip
    only = ol.read(one, space=space).minimize()
    assert only.n_leaves == 2
    assert only.kernel.set_of(0).tolist() == list(range(20))


def random_tree(n_features, depth, seed):
    rng = np.random.default_rng(seed)

    def grow(left):
        if left == 0:
            return {"prediction": int(rng.integers(2))}
        return {"feature": int(rng.integers(n_features)), "relation": "<=",
                "reference": int(rng.integers(6)), "true": grow(left - 1),
                "false": grow(left - 1)}  # fmt: skip

    names = [f"f{i:02}" for i in range(n_features)]
    return ol.read(grow(depth), feature_names=names)


def without_redundant_splits(tree):
    """Leaves left after splits of equal leaves are dropped, bottom up."""

    def count(node):
        if tree.nodes.feature[node] < 0:
            return 1, ("leaf", int(tree.nodes.leaf_class[node]))
        yes, no = count(int(tree.nodes.when_true[node])), count(int(tree.nodes.when_false[node]))
        own = (int(tree.nodes.feature[node]), float(tree.nodes.threshold[node]), yes[1], no[1])
        return yes if yes[1] == no[1] else (yes[0] + no[0], own)

    return count(0)[0]


def test_limits_are_kept():
    tree = random_tree(12, 9, 0)
    with pytest.warns(UserWarning, match=r"not proven smallest: its leaves is \d+, and no .* \d+;"):
        smallest = tree.minimize(limit=50)
    assert ol.equivalent(tree, smallest)
    assert smallest.n_leaves <= without_redundant_splits(tree)
    best = smallest.n_leaves
    for limit in (1, 50, 2000):
        found, bound = tree.minimize(limit=limit, return_bound=True)
        assert bound <= found.n_leaves <= without_redundant_splits(tree)
        assert ol.equivalent(tree, found)
        assert isinstance(bound, int)
    assert found.n_leaves <= best
    for minimize in HOW[1:]:
        small = random_tree(8, 7, 1)
        with pytest.warns(UserWarning, match="not proven"):
            found = small.minimize(what=minimize, limit=20)
        assert found.depth <= small.depth


def test_time_limit_is_kept():
    tree = random_tree(12, 9, 0)
    found, bound = tree.minimize(time_limit=0.05, return_bound=True)
    assert bound < found.n_leaves
    assert ol.equivalent(tree, found)


def test_nothing_is_said_when_proven():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        random_tree(4, 4, 3).minimize()


def test_constant_and_single_split():
    leaf = ol.read({"prediction": "yes"})
    for minimize in HOW:
        smallest, bound = leaf.minimize(what=minimize, return_bound=True)
        assert smallest == leaf
        assert bound == (1 if minimize == "leaves" else 0)
    same = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 1}})
    assert same.minimize().n_leaves == 1
    rows = [[0], [1]]
    assert same.minimize(what="expected_depth", X=rows).n_leaves == 1


def test_a_very_deep_tree_loses_its_redundant_splits():
    n = 3000
    feature = [0, -1] * n + [-1]
    tree = ol.Tree(
        ol.Space({"x": "numeric"}),
        [0, 1],
        feature=feature,
        threshold=[float(i // 2) for i in range(2 * n + 1)],
        when_true=[i + 1 if i % 2 == 0 and i < 2 * n else -1 for i in range(2 * n + 1)],
        when_false=[i + 2 if i % 2 == 0 and i < 2 * n else -1 for i in range(2 * n + 1)],
        leaf_class=[-1 if i % 2 == 0 and i < 2 * n else (i // 2 // 2) % 2 if i < 2 * n - 8 else 1
                    for i in range(2 * n + 1)],
    )  # fmt: skip
    with pytest.warns(UserWarning, match="not proven"):
        smallest = tree.minimize()
    assert smallest.n_leaves < tree.n_leaves
    with pytest.raises(InvalidTree, match="deeper than 500"):
        tree.minimize(what="expected_depth")


def test_bad_arguments():
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    with pytest.raises(ValueError, match=r"what must be one of .*, got 'size'"):
        tree.minimize(what="size")
    with pytest.raises(ValueError, match=r"X is for .*'expected_depth'"):
        tree.minimize(X=[[1]])
    with pytest.raises(ValueError, match="limit=0"):
        tree.minimize(limit=0)
    for bad in (-1, math.nan):
        with pytest.raises(ValueError, match="time_limit"):
            tree.minimize(time_limit=bad)
    with pytest.raises(InvalidData, match="row 1 has no value for 'x0'"):
        tree.minimize(what="expected_depth", X=[[1], [None]])
    with pytest.raises(InvalidData, match="no rows"):
        tree.minimize(what="expected_depth", X=[])
    many = {"prediction": 0}
    for i in range(40):
        many = {"feature": i, "true": many, "false": {"prediction": i % 2}}
    many = ol.read(many)
    with pytest.raises(InvalidTree, match="more than 2\\^32 combinations"):
        many.minimize(what="expected_depth")
    rows = np.random.default_rng(0).integers(0, 2, (50, 40))
    found, bound = many.minimize(what="expected_depth", X=rows, time_limit=0.5,
                                    return_bound=True)  # fmt: skip
    assert 1 <= bound <= expected(found, rows)


def test_ctrl_c_is_heard():
    code = (
        "import os, signal, threading, sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/tests']\n"
        "import orderless as ol\n"
        "from tests.form.test_smallest_limits import random_tree\n"
        "tree = random_tree(12, 10, 0)\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    tree.minimize(limit=10**7, time_limit=1e9)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[2])],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert out.stdout.strip() == "heard"
