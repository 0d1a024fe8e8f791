"""The range of impurity importance: over every tree of a function, and the paper's examples."""

import itertools
import math

import numpy as np
import oracle
import oracle_importance as brute
import oracle_smallest
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import problems, tree_of

import orderless as ol
from orderless.inputs import codes_for
from tests.importance.test_impurity import BITS, LABELS


def truth_table(n):
    return np.array(list(itertools.product((0, 1), repeat=n)))


def floats(values):
    return [float(value) for value in values]


# -- all orders --------------------------------------------------------------------------------


def rows_of(data, said, labels):
    """Some rows: cells of the table, with any labels and whole weights."""
    cells = sorted(said, key=str)
    one = st.tuples(st.sampled_from(cells), st.sampled_from(labels), st.integers(1, 3))
    return data.draw(st.lists(one, min_size=1, max_size=10))


def check_range(tree, X, rows, said, how, order):
    """Against every tree there is; ``order``: by place of the cells, the feature's place."""
    every = list(brute.trees(said, how))
    y = [label for _, label, _ in rows]
    weight = [w for _, _, w in rows]
    for criterion, impurity in (("gini", brute.gini), ("entropy", brute.entropy)):
        raw = [brute.importance(one, rows, len(how), impurity) for one in every]
        shares = [brute.normalised(one) for one in raw]
        mean = [sum(column) / len(every) for column in zip(*raw, strict=True)]
        for normalize, values in ((False, raw), (True, shares)):
            # The oracle's entropy is in floats, where a gain of 0 is not exactly 0: its ratios of
            # two such zeros mean nothing.
            if normalize and any(0 < abs(sum(one)) < 1e-9 for one in raw):
                continue
            found = ol.importance_range(
                tree, X, y, criterion=criterion, sample_weight=weight, normalize=normalize
            )
            assert found.n_trees == len(every)
            low = [min(column) for column in zip(*values, strict=True)]
            high = [max(column) for column in zip(*values, strict=True)]
            average = brute.normalised(mean) if normalize else mean
            for got, expected in ((found.low, low), (found.high, high), (found.mean, average)):
                expected = [float(expected[order.index(i)]) for i in range(len(order))]
                np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)
            if found.irredundant:
                assert (found.low <= found.importance + 1e-12).all()
                assert (found.importance <= found.high + 1e-12).all()
    return every


@given(problems(max_features=3), st.data())
@settings(max_examples=150)
def test_range_is_that_of_every_tree(problem, data):
    """Mixed kinds of features, three and more classes, rows anywhere, also on one side only."""
    kinds, (spec,) = problem
    assume(oracle.n_boxes(kinds, spec) <= 1500)
    said, how = oracle_smallest.table_of(kinds, spec)
    assume(brute.n_trees(said, how, 300) <= 300)
    rows = rows_of(data, said, data.draw(st.sampled_from([(0, 1), ("a", "b", "c")])))
    tree = tree_of(spec, kinds)
    X = [dict(zip(kinds, cell, strict=True)) for cell, _, _ in rows]
    check_range(tree, X, rows, said, how, list(range(len(kinds))))


def spec_of(one, said, box, names, kinds):
    """A tree of the oracle of trees, as a spec of the oracle of rows."""
    if one is None:
        return ("leaf", next(iter({said[cell] for cell in box})))
    f, yes, first, second = one
    inside, outside = brute.parted(box, f, yes)
    test = yes if kinds[f] == "sets" else max(yes)
    if isinstance(test, bool):
        test = frozenset([test])  # booleans are asked as "is true", here "is false"
    return ("split", names[f], test, spec_of(first, said, inside, names, kinds),
            spec_of(second, said, outside, names, kinds))  # fmt: skip


@given(problems(max_features=3), st.data())
@settings(max_examples=40)
def test_every_tree_of_a_function_has_the_same_range(problem, data):
    """Each is read back, has the oracle's importance, and is one of the trees of the range."""
    kinds, (spec,) = problem
    assume(oracle.n_boxes(kinds, spec) <= 600)
    said, how = oracle_smallest.table_of(kinds, spec)
    assume(brute.n_trees(said, how, 60) <= 60)
    assume("boolean" not in kinds.values())
    rows = rows_of(data, said, (0, 1, 2))
    X = [dict(zip(kinds, cell, strict=True)) for cell, _, _ in rows]
    y, weight = [label for _, label, _ in rows], [w for _, _, w in rows]
    first = ol.importance_range(tree_of(spec, kinds), X, y, sample_weight=weight)
    every = list(brute.trees(said, how))
    for one in data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=4)):
        other = tree_of(spec_of(one, said, frozenset(said), list(kinds), how), kinds)
        found = ol.importance_range(other, X, y, sample_weight=weight)
        assert found.irredundant
        assert found.n_trees == first.n_trees
        np.testing.assert_allclose(found.low, first.low, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.high, first.high, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.mean, first.mean, rtol=0, atol=1e-12)
        raw = ol.impurity_importance(other, X, y, sample_weight=weight, normalize=False)
        expected = floats(brute.importance(one, rows, len(kinds)))
        np.testing.assert_allclose(raw, expected, rtol=0, atol=1e-12)


@given(st.data())
@settings(max_examples=100)
def test_range_where_missing_is_a_value(data):
    space = ol.Space([ol.Feature("x", nan=True), ol.Feature("flag", "boolean")])
    n = 4
    cuts = [data.draw(st.sampled_from([0.0, 1.0, math.inf])) for _ in range(n)]
    feature = [data.draw(st.sampled_from([0, 0, 1])) for _ in range(n)]
    # A chain of n questions, leaves on their true sides and at the end.
    tree = ol.Tree(
        space,
        [0, 1, 2],
        feature=[*feature, *[-1] * (n + 1)],
        threshold=[
            *(0.0 if f else c for f, c in zip(feature, cuts, strict=True)),
            *[0.0] * (n + 1),
        ],
        nan_true=[*(data.draw(st.booleans()) for _ in range(n)), *[False] * (n + 1)],
        when_true=[*range(n, 2 * n), *[-1] * (n + 1)],
        when_false=[*range(1, n), 2 * n, *[-1] * (n + 1)],
        leaf_class=[*[-1] * n, *(data.draw(st.integers(0, 2)) for _ in range(n + 1))],
    )
    cells = list(itertools.product((0.0, 1.0, 2.0, math.inf), (0.0, 1.0)))

    def row(cell):  # inf stands for a missing number
        return {"x": math.nan if cell[0] == math.inf else cell[0], "flag": bool(cell[1])}

    said = dict(zip(cells, tree.predict([row(cell) for cell in cells]).tolist(), strict=True))
    assume(brute.n_trees(said, ["nan", "cuts"], 300) <= 300)
    rows = rows_of(data, said, (0, 1))
    check_range(tree, [row(cell) for cell, _, _ in rows], rows, said, ["nan", "cuts"], [0, 1])


def test_every_function_of_three_booleans():
    """All 256 functions, over their truth table with two labels that differ from the function."""
    names = ["a", "b", "c"]
    cells = list(itertools.product((0.0, 1.0), repeat=3))
    for number in range(256):
        said = {cell: number >> i & 1 for i, cell in enumerate(cells)}
        every = list(brute.trees(said, ["cuts"] * 3))

        def grow(cell):
            if len(cell) == 3:
                return {"prediction": said[cell]}  # noqa: B023
            return {"feature": names[len(cell)], "true": grow((*cell, 1.0)),
                    "false": grow((*cell, 0.0))}  # fmt: skip

        tree = ol.read(grow(()), space=ol.Space.independent(names))
        rows = [(cell, (i * 5 + number) % 3 % 2, 1) for i, cell in enumerate(cells)]
        found = ol.importance_range(tree, [c for c, _, _ in rows], [y for _, y, _ in rows])
        assert found.n_trees == len(every) == brute.n_trees(said, ["cuts"] * 3)
        shares = [brute.normalised(brute.importance(one, rows, 3)) for one in every]
        assert found.low.tolist() == pytest.approx([min(c) for c in zip(*shares, strict=True)])
        assert found.high.tolist() == pytest.approx([max(c) for c in zip(*shares, strict=True)])


def test_normalised_extremes_are_not_those_of_the_sums():
    """Leaves that are not pure: the sum over the features hangs on the order, too."""
    names = ["a", "b", "c"]
    leaf0, leaf1 = {"prediction": 0}, {"prediction": 1}
    c = {"feature": "c", "true": leaf1, "false": leaf0}
    b = {"feature": "b", "true": leaf1, "false": leaf0}
    tree = ol.read({"feature": "a", "true": b, "false": c}, space=ol.Space.independent(names))
    random = np.random.RandomState(3)
    X = random.randint(2, size=(40, 3))
    y = (codes_for(tree.kernel, X) + (random.random_sample(40) < 0.3)) % 2
    cells = list(itertools.product((0, 1), repeat=3))
    said = {cell: (cell[1] if cell[0] else cell[2]) for cell in cells}
    rows = [(tuple(row), label, 1) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    raw = [brute.importance(one, rows, 3) for one in brute.trees(said, ["cuts"] * 3)]
    totals = {sum(one) for one in raw}
    assert len(totals) > 1
    found = ol.importance_range(tree, X, y)
    shares = [brute.normalised(one) for one in raw]
    expected = [max(column) for column in zip(*shares, strict=True)]
    assert found.high.tolist() == pytest.approx(floats(expected), abs=1e-12)
    # Dividing the extremes of the sums by the extremes of the total would be wrong.
    naive = [max(column) / max(totals) for column in zip(*raw, strict=True)]
    assert max(abs(float(a - b)) for a, b in zip(naive, expected, strict=True)) > 1e-3


# -- the paper's examples ----------------------------------------------------------------------


def test_and_of_two_bits(shared):
    """The paper's first figure of Section 5.1: scikit-learn's two trees, and the range of both."""
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier

    known = pd.read_csv(shared / "reference" / "gini_and_example.csv", index_col="tree")
    for tree, expected in known.iterrows():
        seed = int(str(tree).partition("=")[2])
        model = DecisionTreeClassifier(random_state=seed).fit(BITS, LABELS)
        ours = ol.impurity_importance(model, BITS, LABELS)
        assert ours.tolist() == pytest.approx(expected.tolist(), abs=1e-12)
        found = ol.importance_range(model, BITS, LABELS)
        assert found.low.tolist() == pytest.approx([1 / 3, 1 / 3], abs=1e-12)
        assert found.high.tolist() == pytest.approx([2 / 3, 2 / 3], abs=1e-12)
        assert found.mean.tolist() == pytest.approx([1 / 2, 1 / 2], abs=1e-12)


def test_and_of_ten_of_twelve_bits():
    """The paper's second example: three trees, one function, one range, one mean."""
    from sklearn.tree import DecisionTreeClassifier

    X = truth_table(12)
    y = X[:, :10].all(axis=1).astype(int)
    seen = []
    for seed in (0, 1, 2):
        model = DecisionTreeClassifier(random_state=seed).fit(X, y)
        found = ol.importance_range(model, X, y)
        np.testing.assert_allclose(found.importance, model.feature_importances_, atol=1e-12)
        seen.append(found)
    assert not np.allclose(seen[0].importance, seen[1].importance)
    assert not np.allclose(seen[0].importance, seen[2].importance)
    for found in seen:
        assert found.n_trees == math.factorial(10)
        assert found.irredundant
        np.testing.assert_allclose(found.low, seen[0].low, atol=1e-15)
        np.testing.assert_allclose(found.high, seen[0].high, atol=1e-15)
        np.testing.assert_allclose(found.mean, [0.1] * 10 + [0.0] * 2, atol=1e-12)
    # Asked k-th, a bit gains what the k-th split of the chain gains: the first, and the last.
    chain = [_gain_at(k) for k in range(10)]
    low, high = (float(extreme(chain) / sum(chain)) for extreme in (min, max))
    np.testing.assert_allclose(seen[0].low, [low] * 10 + [0.0] * 2, atol=1e-12)
    np.testing.assert_allclose(seen[0].high, [high] * 10 + [0.0] * 2, atol=1e-12)


def _gain_at(k):
    """2^(10-k) rows come to the split, of which one is in class 1."""
    n = 2 ** (10 - k)
    return n * brute.gini([n - 1, 1]) - n * brute.gini([n // 2 - 1, 1]) / 2


def test_counts_are_exact():
    """AND of n bits: n! orders. 64 bits end at 20!, doubles much earlier."""
    n = 13
    names = [f"x{i}" for i in range(n)]
    tree = {"prediction": 1}
    for name in names:
        tree = {"feature": name, "true": tree, "false": {"prediction": 0}}
    X = np.vstack([np.ones(n), 1 - np.eye(n)])
    two = {"feature": "top", "true": tree, "false": tree_below(names)}
    space = ol.Space.independent([*names, "top"])
    found = ol.importance_range(ol.read(two, space=space), np.c_[X, X[:, 0]], [1] + [0] * n)
    # The function is XOR of "top" with an AND: any order, where "top" may come anywhere.
    assert found.n_trees == orders_of_xor(n)
    assert found.n_trees > 2**64


def tree_below(names):
    tree = {"prediction": 0}
    for name in names:
        tree = {"feature": name, "true": tree, "false": {"prediction": 1}}
    return tree


def orders_of_xor(n):
    """Trees for "top xor all of n": ask top now (then n! orders each side), or one of the n."""
    if n == 0:
        return 1
    return math.factorial(n) ** 2 + n * orders_of_xor(n - 1)


def test_a_tree_that_gains_nothing_beside_one_that_does():
    """Its normalised importances are 0, so they are the least; those of the other are not."""
    names = ["a", "b", "c"]
    b = {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 0}}
    c = {"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read({"feature": "a", "true": b, "false": c}, space=ol.Space.independent(names))
    cells = list(itertools.product((0, 1), repeat=3))
    said = {cell: (cell[1] if cell[0] else cell[2]) for cell in cells}
    # Where a holds both labels are equally frequent everywhere; elsewhere the label is b.
    rows = [(cell, y, 1) for cell in cells for y in (0, 1) if cell[0] == 1 or y == cell[1]]
    raw = [brute.importance(one, rows, 3) for one in brute.trees(said, ["cuts"] * 3)]
    assert min(map(sum, raw)) == 0 < max(map(sum, raw))
    found = ol.importance_range(tree, [c for c, _, _ in rows], [y for _, y, _ in rows])
    shares = [brute.normalised(one) for one in raw]
    assert found.low.tolist() == [0, 0, 0]
    expected = [max(column) for column in zip(*shares, strict=True)]
    assert found.high.tolist() == pytest.approx(floats(expected), abs=1e-12)
    assert found.high[1] > 0
