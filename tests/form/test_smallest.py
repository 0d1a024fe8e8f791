import itertools
import math

import numpy as np
import oracle
import oracle_smallest
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import nested, problems, space_of, tree_of

import orderless as ol
from orderless.errors import InvalidData

HOW = ("leaves", "depth", "expected_depth")


def size(tree, minimize):
    return tree.n_leaves if minimize == "leaves" else tree.depth


def expected(tree, cells):
    """Conditions asked on average, counted along each row's path."""
    total = 0
    parent = {c: i for i in range(tree.n_nodes) if tree.nodes.feature[i] >= 0
              for c in (int(tree.nodes.when_true[i]), int(tree.nodes.when_false[i]))}  # fmt: skip
    for leaf in tree.apply(cells).tolist():
        while leaf:
            leaf = parent[leaf]
            total += 1
    return total / len(cells)


def no_split_is_redundant(tree):
    """No inner node can be replaced by one of its children."""
    leaves = [*tree.kernel.leaves()]
    for node in set(range(tree.n_nodes)) - set(leaves):
        for child in (int(tree.nodes.when_true[node]), int(tree.nodes.when_false[node])):
            lift = dict(zip(range(tree.n_nodes), range(tree.n_nodes), strict=True))
            lift[node] = child
            kept, todo = [], [lift[0]]
            while todo:
                at = todo.pop()
                kept.append(at)
                if tree.nodes.feature[at] >= 0:
                    todo += [
                        lift[int(tree.nodes.when_false[at])],
                        lift[int(tree.nodes.when_true[at])],
                    ]
            number = {at: i for i, at in enumerate(kept)}
            inner = [tree.nodes.feature[at] >= 0 for at in kept]
            without = ol.Tree(
                tree.space,
                tree.classes,
                feature=tree.nodes.feature[kept],
                threshold=tree.nodes.threshold[kept],
                when_true=[number[lift[int(tree.nodes.when_true[at])]] if i else -1
                           for at, i in zip(kept, inner, strict=True)],
                when_false=[number[lift[int(tree.nodes.when_false[at])]] if i else -1
                            for at, i in zip(kept, inner, strict=True)],
                leaf_class=tree.nodes.leaf_class[kept],
                nan_true=tree.nodes.nan_true[kept],
                sets={number[at]: tree.kernel.set_of(at).tolist() for at in kept},
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
    said, how = oracle_smallest.table_of(kinds, spec)
    for minimize in ("leaves", "depth"):
        smallest, bound = tree.minimize(what=minimize, return_bound=True)
        assert size(smallest, minimize) == bound == oracle_smallest.smallest(said, how, minimize)
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
    said, how = oracle_smallest.table_of(kinds, spec)
    cells = oracle_smallest.merged(said, how)
    least = oracle_smallest.smallest(cells, how, "expected_depth") / len(cells)
    smallest, bound = tree.minimize(what="expected_depth", return_bound=True)
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
    said, how = oracle_smallest.table_of(kinds, spec)
    cells = data.draw(st.lists(st.sampled_from(sorted(said, key=str)), min_size=1, max_size=20))
    weight = {cell: cells.count(cell) for cell in cells}
    least = oracle_smallest.smallest(said, how, "expected_depth", weight, that_matter=True) / len(
        cells
    )
    rows = [dict(zip(kinds, cell, strict=True)) for cell in cells]
    smallest, bound = tree.minimize(what="expected_depth", X=rows, return_bound=True)
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
        smallest = one.minimize(what=minimize)
        assert smallest == two.minimize(what=minimize)
        assert smallest == smallest.minimize(what=minimize)


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
            one, other = (tree.minimize(what=minimize) for tree in trees)
            assert size(one, minimize) == oracle_smallest.smallest(said, ["cuts"] * 3, minimize)
            assert str(one) == str(other)
            assert ol.equivalent(one, trees[0])
        seen.add(str(one))
    assert len(seen) == 256


def tree_with_gaps(data):
    """Draw a tree over numbers that can be NaN, a category that can be, and a boolean."""
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
    return ol.Tree(
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


@given(st.data())
@settings(max_examples=60)
def test_missing_as_a_value(data):
    tree = tree_with_gaps(data)
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
        smallest, bound = tree.minimize(what=minimize, return_bound=True)
        assert size(smallest, minimize) == bound == oracle_smallest.smallest(said, how, minimize)
    cells = oracle_smallest.merged(said, how)
    _, bound = tree.minimize(what="expected_depth", return_bound=True)
    # A feature that does not matter has one bin for us, and NaN beside it in the oracle's table.
    alone = (
        all(not oracle_smallest.told_apart(said, 0, x, math.inf) for x in (0.0, 1.0, 2.0, 3.0))
        and len({c[0] for c in cells}) == 2
    )
    if not alone:
        least = oracle_smallest.smallest(cells, how, "expected_depth") / len(cells)
        assert bound == pytest.approx(least, abs=1e-12)


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
    _, bound = tree.minimize(what="expected_depth", X=rows[:3], return_bound=True)
    assert bound == pytest.approx(4 / 3)
    with pytest.raises(InvalidData, match="row 3 has no value for 'age'"):
        tree.minimize(what="expected_depth", X=rows)
    with pytest.raises(InvalidData, match="row 0 has no value for 'color'"):
        tree.minimize(what="expected_depth", X=[[0, None, 1, 1]])
    open_but_alike = [{"age <= 5": 1, "color": "red"}, {"age": 7, "red": 1}]
    assert tree.minimize(what="expected_depth", X=open_but_alike).n_leaves == 3


def test_known_numbers_of_the_papers_data(shared, monkeypatch):
    """Depth 5 on raw features: proven, and how many leaves remain."""
    from sklearn.tree import DecisionTreeClassifier

    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    known = {"compas": (32, 14), "wine_quality": (31, 21), "coupon": (32, 28), "fico": (31, 23),
             "broward": (30, 23), "tic_tac_toe": (22, 20)}  # fmt: skip
    for name, (before, after) in known.items():
        X, y = ol.datasets.load(name)
        tree = ol.read(DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y))
        smallest, bound = tree.minimize(return_bound=True)
        assert (tree.n_leaves, smallest.n_leaves, bound) == (before, after, after)
        assert np.array_equal(smallest.predict(X), tree.predict(X))


def test_every_kind_of_space_can_be_asked(tmp_path):
    """A tree of every kind at once, through JSON and back."""
    kinds = {"x": "float32", "n": "integer", "b": "boolean", "c": ("red", "green", "blue")}
    spec = ("split", "c", frozenset(["red", "blue"]),
            ("split", "x", 0.5, ("split", "n", 3.5, ("leaf", 0), ("leaf", 1)), ("leaf", 2)),
            ("split", "b", frozenset([True]), ("leaf", 2),
             ("split", "x", 0.5, ("leaf", 0), ("leaf", 2))))  # fmt: skip
    tree = ol.read(nested(spec), space=space_of(kinds))
    for minimize in HOW:
        found = tree.minimize(what=minimize)
        assert ol.Tree.from_json(found.to_json()) == found
        for row in itertools.islice(oracle.cells(kinds, spec), 500):
            assert found.predict([row])[0] == oracle.decide(spec, row, frozenset(["x"]))
