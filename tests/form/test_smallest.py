import itertools
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import nested, problems, space_of, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidTree

HOW = ("leaves", "depth", "expected_depth")


def size(tree, minimize):
    return tree.n_leaves if minimize == "leaves" else tree.depth


def expected(tree, cells):
    """Conditions asked on average, counted along each row's path."""
    total = 0
    parent = {c: i for i in range(tree.n_nodes) if tree.feature[i] >= 0
              for c in (int(tree.when_true[i]), int(tree.when_false[i]))}  # fmt: skip
    for leaf in tree.apply(cells).tolist():
        while leaf:
            leaf = parent[leaf]
            total += 1
    return total / len(cells)


def no_split_is_redundant(tree):
    """No inner node can be replaced by one of its children."""
    leaves = [*tree.leaves()]
    for node in set(range(tree.n_nodes)) - set(leaves):
        for child in (int(tree.when_true[node]), int(tree.when_false[node])):
            lift = dict(zip(range(tree.n_nodes), range(tree.n_nodes), strict=True))
            lift[node] = child
            kept, todo = [], [lift[0]]
            while todo:
                at = todo.pop()
                kept.append(at)
                if tree.feature[at] >= 0:
                    todo += [lift[int(tree.when_false[at])], lift[int(tree.when_true[at])]]
            number = {at: i for i, at in enumerate(kept)}
            inner = [tree.feature[at] >= 0 for at in kept]
            without = ol.Tree(
                tree.space,
                tree.classes,
                feature=tree.feature[kept],
                threshold=tree.threshold[kept],
                when_true=[number[lift[int(tree.when_true[at])]] if i else -1
                           for at, i in zip(kept, inner, strict=True)],
                when_false=[number[lift[int(tree.when_false[at])]] if i else -1
                            for at, i in zip(kept, inner, strict=True)],
                leaf_class=tree.leaf_class[kept],
                nan_true=tree.nan_true[kept],
                sets={number[at]: tree.set_of(at).tolist() for at in kept},
            )  # fmt: skip
            if ol.equivalent(tree, without):
                return False
    return True


@given(problems(max_features=4))
@settings(max_examples=120)
def test_leaves_and_depth_are_least(problem):
    """Against every split of every box there is, for mixed kinds of features."""
    kinds, (spec,) = problem
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    tree = tree_of(spec, kinds)
    said, how = oracle.table_of(kinds, spec)
    for minimize in ("leaves", "depth"):
        smallest, bound = ol.smallest_tree(tree, minimize=minimize, return_bound=True)
        assert size(smallest, minimize) == bound == oracle.smallest(said, how, minimize)
        assert ol.equivalent(tree, smallest)
        assert no_split_is_redundant(smallest)
        assert smallest.space is tree.space
        assert smallest.classes == tree.classes
        assert smallest.distribution is None


@given(problems(max_features=3))
@settings(max_examples=120)
def test_expected_depth_is_least(problem):
    """With every combination of the bins that the function tells apart equally likely."""
    kinds, (spec,) = problem
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    tree = tree_of(spec, kinds)
    said, how = oracle.table_of(kinds, spec)
    cells = oracle.merged(said, how)
    least = oracle.smallest(cells, how, "expected_depth") / len(cells)
    smallest, bound = ol.smallest_tree(tree, minimize="expected_depth", return_bound=True)
    assert bound == pytest.approx(least, abs=1e-12)
    rows = [dict(zip(kinds, cell, strict=True)) for cell in cells]
    assert expected(smallest, rows) == pytest.approx(least, abs=1e-12)
    assert ol.equivalent(tree, smallest)
    assert no_split_is_redundant(smallest)


@given(problems(max_features=3), st.data())
@settings(max_examples=120)
def test_expected_depth_over_rows_is_least(problem, data):
    """Over rows that come as they come, among trees whose every condition matters."""
    kinds, (spec,) = problem
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    tree = tree_of(spec, kinds)
    said, how = oracle.table_of(kinds, spec)
    cells = data.draw(st.lists(st.sampled_from(sorted(said, key=str)), min_size=1, max_size=20))
    weight = {cell: cells.count(cell) for cell in cells}
    least = oracle.smallest(said, how, "expected_depth", weight, that_matter=True) / len(cells)
    rows = [dict(zip(kinds, cell, strict=True)) for cell in cells]
    smallest, bound = ol.smallest_tree(tree, minimize="expected_depth", X=rows, return_bound=True)
    assert bound == pytest.approx(least, abs=1e-12)
    assert expected(smallest, rows) == pytest.approx(least, abs=1e-12)
    assert ol.equivalent(tree, smallest)


@given(problems(max_features=3), st.data())
@settings(max_examples=100)
def test_equivalent_trees_give_the_same_tree(problem, data):
    """Another order, redundant conditions and cuts that do not matter change nothing."""
    kinds, (spec,) = problem
    tests = [*oracle.tests_of(spec)]
    assume(tests)
    other = spec
    for name, test in data.draw(st.lists(st.sampled_from(tests), min_size=1, max_size=3)):
        if isinstance(test, float):
            test += data.draw(st.sampled_from([0.0, 1.0]))
        other = ("split", name, test, other, other)
    one, two = tree_of(spec, kinds), tree_of(other, kinds)
    assume(one.classes == two.classes)
    for minimize in HOW:
        smallest = ol.smallest_tree(one, minimize=minimize)
        assert smallest == ol.smallest_tree(two, minimize=minimize)
        assert smallest == ol.smallest_tree(smallest, minimize=minimize)


def test_every_function_of_three_booleans():
    """All 256, each out of two trees that ask in different orders."""
    names = ("a", "b", "c")
    kinds = dict.fromkeys(names, "boolean")
    seen = set()
    for labels in itertools.product((0, 1), repeat=8):
        said = dict(zip(itertools.product((False, True), repeat=3), labels, strict=True))

        def full(order, known, said=said):
            if not order:
                return ("leaf", said[tuple(known[name] for name in names)])
            name, *rest = order
            yes, no = (full(rest, {**known, name: flag}) for flag in (True, False))
            return ("split", name, frozenset([True]), yes, no)

        trees = [tree_of(full(order, {}), kinds) for order in (names, names[::-1])]
        for minimize in ("leaves", "depth"):
            one, other = (ol.smallest_tree(tree, minimize=minimize) for tree in trees)
            assert size(one, minimize) == oracle.smallest(said, ["cuts"] * 3, minimize)
            assert str(one) == str(other)
            assert ol.equivalent(one, trees[0])
        seen.add(str(one))
    assert len(seen) == 256


@given(st.data())
@settings(max_examples=60)
def test_missing_as_a_value(data):
    """Numbers that can be NaN, a category that can be, and a boolean."""
    color = ol.Feature("color", "categorical", categories=("r", "g"), other=True, nan=True)
    space = ol.Space([ol.Feature("x", nan=True), color, ol.Feature("flag", "boolean")])

    def grow(depth):
        if depth == 0 or data.draw(st.integers(0, 3)) == 0:
            return [(-1, 0.0, False, [], data.draw(st.integers(0, 2)))]
        f = data.draw(st.integers(0, 2))
        own = (
            f,
            data.draw(st.sampled_from([0.0, 1.0, 2.0, math.inf])),
            data.draw(st.booleans()),
            data.draw(st.lists(st.integers(0, 3), unique=True)),
            -1,
        )
        return [own, grow(depth - 1), grow(depth - 1)]

    nodes, links = [], []

    def flatten(part):
        at = len(nodes)
        nodes.append(part[0])
        links.append((-1, -1))
        if len(part) == 3:
            links[at] = (flatten(part[1]), flatten(part[2]))
        return at

    flatten(grow(3))
    tree = ol.Tree(
        space,
        [0, 1, 2],
        feature=[node[0] for node in nodes],
        threshold=[node[1] for node in nodes],
        nan_true=[node[2] for node in nodes],
        sets={i: node[3] for i, node in enumerate(nodes) if node[0] == 1},
        when_true=[link[0] for link in links],
        when_false=[link[1] for link in links],
        leaf_class=[node[4] for node in nodes],
    )
    rows = [
        {"x": x, "color": c, "flag": b}
        for x in (0.0, 1.0, 2.0, 3.0, math.nan)
        for c in ("r", "g", "other", math.nan)
        for b in (False, True)
    ]

    def cell(row):  # inf stands for a missing number
        number = math.inf if row["x"] != row["x"] else row["x"]
        return number, str(row["color"]), float(row["flag"])

    said = {cell(row): label for row, label in zip(rows, tree.predict(rows).tolist(), strict=True)}
    how = ["nan", "sets", "cuts"]
    for minimize in ("leaves", "depth"):
        smallest, bound = ol.smallest_tree(tree, minimize=minimize, return_bound=True)
        assert size(smallest, minimize) == bound == oracle.smallest(said, how, minimize)
    cells = oracle.merged(said, how)
    _, bound = ol.smallest_tree(tree, minimize="expected_depth", return_bound=True)
    # A feature that does not matter has one bin for us, and NaN beside it in the oracle's table.
    alone = (
        all(not oracle.told_apart(said, 0, x, math.inf) for x in (0.0, 1.0, 2.0, 3.0))
        and len({c[0] for c in cells}) == 2
    )
    if not alone:
        least = oracle.smallest(cells, how, "expected_depth") / len(cells)
        assert bound == pytest.approx(least, abs=1e-12)


def parity(n, seed=None):
    """Parity of n booleans, asked in a different order in every branch."""
    rng = np.random.default_rng(seed)

    def grow(left, odd):
        if not left:
            return {"prediction": odd}
        i = left[rng.integers(len(left)) if seed is not None else 0]
        rest = [j for j in left if j != i]
        return {"feature": i, "true": grow(rest, 1 - odd), "false": grow(rest, odd)}

    return ol.read_tree(grow(list(range(n)), 0), feature_names=[f"b{i:02}" for i in range(n)])


def test_parity_cannot_be_smaller():
    for minimize, least in (("leaves", 32), ("depth", 5), ("expected_depth", 5.0)):
        one, bound = ol.smallest_tree(parity(5, 1), minimize=minimize, return_bound=True)
        assert bound == least
        assert one == ol.smallest_tree(parity(5, 2), minimize=minimize)
        assert one.condition(0) == "not b00"


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

    tree = ol.read_tree(grow(5), space=space)
    smallest, bound = ol.smallest_tree(tree, time_limit=2, return_bound=True)
    assert 2 <= bound <= smallest.n_leaves <= tree.n_leaves
    assert ol.equivalent(tree, smallest)
    one = {"feature": "v", "relation": "in", "reference": labels[:20],
           "true": {"prediction": 1}, "false": {"prediction": 0}}  # fmt: skip
    only = ol.smallest_tree(ol.read_tree(one, space=space))
    assert only.n_leaves == 2
    assert only.set_of(0).tolist() == list(range(20))


def random_tree(n_features, depth, seed):
    rng = np.random.default_rng(seed)

    def grow(left):
        if left == 0:
            return {"prediction": int(rng.integers(2))}
        return {"feature": int(rng.integers(n_features)), "relation": "<=",
                "reference": int(rng.integers(6)), "true": grow(left - 1),
                "false": grow(left - 1)}  # fmt: skip

    names = [f"f{i:02}" for i in range(n_features)]
    return ol.read_tree(grow(depth), feature_names=names)


def without_redundant_splits(tree):
    """Leaves left after splits of equal leaves are dropped, bottom up."""

    def count(node):
        if tree.feature[node] < 0:
            return 1, ("leaf", int(tree.leaf_class[node]))
        yes, no = count(int(tree.when_true[node])), count(int(tree.when_false[node]))
        own = (int(tree.feature[node]), float(tree.threshold[node]), yes[1], no[1])
        return yes if yes[1] == no[1] else (yes[0] + no[0], own)

    return count(0)[0]


def test_limits_are_kept():
    tree = random_tree(12, 9, 0)
    with pytest.warns(UserWarning, match=r"not proven smallest: its leaves is \d+, and no .* \d+;"):
        smallest = ol.smallest_tree(tree, limit=50)
    assert ol.equivalent(tree, smallest)
    assert smallest.n_leaves <= without_redundant_splits(tree)
    best = smallest.n_leaves
    for limit in (1, 50, 2000):
        found, bound = ol.smallest_tree(tree, limit=limit, return_bound=True)
        assert bound <= found.n_leaves <= without_redundant_splits(tree)
        assert ol.equivalent(tree, found)
        assert isinstance(bound, int)
    assert found.n_leaves <= best
    for minimize in HOW[1:]:
        small = random_tree(8, 7, 1)
        with pytest.warns(UserWarning, match="not proven"):
            found = ol.smallest_tree(small, minimize=minimize, limit=20)
        assert found.depth <= small.depth


def test_time_limit_is_kept():
    tree = random_tree(12, 9, 0)
    found, bound = ol.smallest_tree(tree, time_limit=0.05, return_bound=True)
    assert bound < found.n_leaves
    assert ol.equivalent(tree, found)


def test_nothing_is_said_when_proven():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ol.smallest_tree(random_tree(4, 4, 3))


def test_constant_and_single_split():
    leaf = ol.read_tree({"prediction": "yes"})
    for minimize in HOW:
        smallest, bound = ol.smallest_tree(leaf, minimize=minimize, return_bound=True)
        assert smallest == leaf
        assert bound == (1 if minimize == "leaves" else 0)
    same = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 1}}
    assert ol.smallest_tree(same).n_leaves == 1
    rows = [[0], [1]]
    assert ol.smallest_tree(same, minimize="expected_depth", X=rows).n_leaves == 1


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
        smallest = ol.smallest_tree(tree)
    assert smallest.n_leaves < tree.n_leaves
    with pytest.raises(InvalidTree, match="deeper than 500"):
        ol.smallest_tree(tree, minimize="expected_depth")


def test_bad_arguments():
    tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    with pytest.raises(ValueError, match=r"minimize must be one of .*, got 'size'"):
        ol.smallest_tree(tree, minimize="size")
    with pytest.raises(ValueError, match="X is for minimize='expected_depth'"):
        ol.smallest_tree(tree, X=[[1]])
    with pytest.raises(ValueError, match="limit=0"):
        ol.smallest_tree(tree, limit=0)
    for bad in (0, -1, math.nan):
        with pytest.raises(ValueError, match="time_limit"):
            ol.smallest_tree(tree, time_limit=bad)
    with pytest.raises(InvalidData, match="row 1 has no value for 'x0'"):
        ol.smallest_tree(tree, minimize="expected_depth", X=[[1], [None]])
    with pytest.raises(InvalidData, match="no rows"):
        ol.smallest_tree(tree, minimize="expected_depth", X=[])
    many = {"prediction": 0}
    for i in range(40):
        many = {"feature": i, "true": many, "false": {"prediction": i % 2}}
    with pytest.raises(InvalidTree, match="more than 2\\^32 combinations"):
        ol.smallest_tree(many, minimize="expected_depth")
    rows = np.random.default_rng(0).integers(0, 2, (50, 40))
    found, bound = ol.smallest_tree(many, minimize="expected_depth", X=rows, time_limit=0.5,
                                    return_bound=True)  # fmt: skip
    assert 1 <= bound <= expected(found, rows)


def test_rows_told_by_conditions():
    """One-hot and threshold columns, data frames, and rows that leave the bin open."""
    color = ol.Feature("color", "categorical", categories=("red", "blue", "green"))
    space = ol.Space(
        [color, ol.Feature("age", values="integer")],
        columns={
            "red": ol.Condition("color", among=("red",)),
            "blue": ol.Condition("color", among=("blue",)),
            "age <= 5": ol.Condition("age", at_most=5),
            "age <= 9": ol.Condition("age", at_most=9),
        },
    )
    tree = ol.Tree(
        space, [0, 1], feature=[0, 1, -1, -1, -1], threshold=[0, 5, 0, 0, 0],
        when_true=[1, 2, -1, -1, -1], when_false=[4, 3, -1, -1, -1],
        leaf_class=[-1, -1, 1, 0, 0], sets={0: [0, 1]},
    )  # fmt: skip
    rows = [[1, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0], [0, 1, None, None]]
    _, bound = ol.smallest_tree(tree, minimize="expected_depth", X=rows[:3], return_bound=True)
    assert bound == pytest.approx(4 / 3)
    with pytest.raises(InvalidData, match="row 3 has no value for 'age'"):
        ol.smallest_tree(tree, minimize="expected_depth", X=rows)
    with pytest.raises(InvalidData, match="row 0 has no value for 'color'"):
        ol.smallest_tree(tree, minimize="expected_depth", X=[[0, None, 1, 1]])
    open_but_alike = [{"age <= 5": 1, "color": "red"}, {"age": 7, "red": 1}]
    assert ol.smallest_tree(tree, minimize="expected_depth", X=open_but_alike).n_leaves == 3


def test_ctrl_c_is_heard():
    code = (
        "import os, signal, threading, sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/tests']\n"
        "import orderless as ol\n"
        "from tests.form.test_smallest import random_tree\n"
        "tree = random_tree(12, 10, 0)\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    ol.smallest_tree(tree, limit=10**7, time_limit=1e9)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[2])],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert out.stdout.strip() == "heard"


@given(problems(max_features=4))
@settings(max_examples=30)
def test_a_form_gives_its_smallest_tree(problem):
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    for minimize in HOW:
        assert form.to_tree(minimize=minimize) == ol.smallest_tree(form.tree, minimize=minimize)
    assert form.to_tree() == form.to_tree(minimize="leaves")


def test_known_numbers_of_the_papers_data(shared, monkeypatch):
    """Depth 5 on raw features: proven, and how many leaves remain."""
    from sklearn.tree import DecisionTreeClassifier

    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    known = {"compas": (32, 14), "wine_quality": (31, 21), "coupon": (32, 28), "fico": (31, 23),
             "broward": (30, 23), "tic_tac_toe": (22, 20)}  # fmt: skip
    for name, (before, after) in known.items():
        X, y = ol.datasets.load(name)
        tree = ol.read_tree(DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y))
        smallest, bound = ol.smallest_tree(tree, return_bound=True)
        assert (tree.n_leaves, smallest.n_leaves, bound) == (before, after, after)
        assert np.array_equal(smallest.predict(X), tree.predict(X))


def test_every_kind_of_space_can_be_asked(tmp_path):
    """A tree of every kind at once, through JSON and back."""
    kinds = {"x": "float32", "n": "integer", "b": "boolean", "c": ("red", "green", "blue")}
    spec = ("split", "c", frozenset(["red", "blue"]),
            ("split", "x", 0.5, ("split", "n", 3.5, ("leaf", 0), ("leaf", 1)), ("leaf", 2)),
            ("split", "b", frozenset([True]), ("leaf", 2),
             ("split", "x", 0.5, ("leaf", 0), ("leaf", 2))))  # fmt: skip
    tree = ol.read_tree(nested(spec), space=space_of(kinds))
    for minimize in HOW:
        found = ol.smallest_tree(tree, minimize=minimize)
        assert ol.Tree.from_json(found.to_json()) == found
        for row in itertools.islice(oracle.cells(kinds, spec), 500):
            assert found.predict([row])[0] == oracle.decide(spec, row, frozenset(["x"]))
