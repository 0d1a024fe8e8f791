"""Impurity importance: scikit-learn's on its own trees, and its range over all equivalent trees."""

import itertools
import math
import subprocess
import sys

import numpy as np
import oracle
import oracle_importance as brute
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidTree, TooManyBoxes

AND = {"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
       "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
LABELS = [0, 0, 0, 1]


def and_tree():
    return ol.read_tree(AND, feature_names=["x1", "x2"])


def truth_table(n):
    return np.array(list(itertools.product((0, 1), repeat=n)))


def floats(values):
    return [float(value) for value in values]


# -- one tree ----------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_equal_to_scikit_learn(criterion, n_classes):
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(n_classes)
    X = np.round(random.normal(size=(150, 4)), 1)
    y = (X @ [1.0, 2.0, -1.0, 0.0] + random.normal(size=150)).argsort().argsort() * n_classes // 150
    whole = random.randint(0, 4, size=150)
    for weight in (None, whole, random.random_sample(150)):
        for depth in (1, 3, 8):
            model = DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0)
            model.fit(X, y, sample_weight=weight)
            ours = ol.impurity_importance(model, X, y, criterion=criterion, sample_weight=weight)
            np.testing.assert_allclose(ours, model.feature_importances_, rtol=0, atol=1e-12)
            raw = model.tree_.compute_feature_importances(normalize=False)
            ours = ol.impurity_importance(
                model, X, y, criterion=criterion, sample_weight=weight, normalize=False
            )
            np.testing.assert_allclose(ours, raw, rtol=0, atol=1e-12)


def test_equal_to_scikit_learn_where_nan_is_a_value():
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5)
    X[random.random_sample(X.shape) < 0.2] = np.nan
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    ours = ol.impurity_importance(ol.read_tree(model, nan="value"), X, y)
    np.testing.assert_allclose(ours, model.feature_importances_, rtol=0, atol=1e-12)
    with pytest.raises(InvalidData, match="has no value for"):
        ol.impurity_importance(model, X, y)  # without it NaN is unknown


def test_by_feature_of_a_binarized_space():
    """Columns of one feature are added up; scikit-learn's importances go by column."""
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.RandomState(1)
    X = random.normal(size=(300, 3))
    y = (X[:, 0] > 0.3) | (X[:, 1] < -0.5)
    binarizer = ol.QuantileBinarizer().fit(X)
    B = binarizer.transform(X)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(B, y)
    space = binarizer.space_
    tree = ol.read_tree(model, space=space)
    by_column = dict.fromkeys(space.names, 0.0)
    for column, value in zip(space.columns, model.feature_importances_, strict=True):
        by_column[column.feature] += value
    ours = ol.impurity_importance(tree, B, y)
    np.testing.assert_allclose(ours, list(by_column.values()), rtol=0, atol=1e-12)


def test_a_pandas_frame_gives_names():
    import pandas as pd
    import polars as pl

    frame = pd.DataFrame(BITS, columns=["x1", "x2"])
    ours = ol.impurity_importance(and_tree(), frame, LABELS)
    assert ours.index.tolist() == ["x1", "x2"]
    assert ours["x2"] == pytest.approx(2 / 3)
    other = ol.impurity_importance(and_tree(), pl.DataFrame({"x1": [0, 1], "x2": [1, 1]}), [0, 1])
    assert isinstance(other, np.ndarray)


def test_labels_need_not_be_classes():
    ours = ol.impurity_importance(and_tree(), BITS, ["a", "a", "a", "b"])
    assert ours.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_nothing_to_gain():
    assert ol.impurity_importance(and_tree(), BITS, [1, 1, 1, 1]).tolist() == [0, 0]
    found = ol.importance_range(and_tree(), BITS, [1, 1, 1, 1])
    assert found.low.tolist() == found.high.tolist() == found.mean.tolist() == [0, 0]
    assert found.n_trees == 2


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
    said, how = oracle.table_of(kinds, spec)
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
    said, how = oracle.table_of(kinds, spec)
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

        tree = ol.read_tree(grow(()), space=ol.Space.independent(names))
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
    tree = ol.read_tree({"feature": "a", "true": b, "false": c}, space=ol.Space.independent(names))
    random = np.random.RandomState(3)
    X = random.randint(2, size=(40, 3))
    y = (tree.decide(X) + (random.random_sample(40) < 0.3)) % 2
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
    found = ol.importance_range(ol.read_tree(two, space=space), np.c_[X, X[:, 0]], [1] + [0] * n)
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


# -- what comes out, and what is refused -------------------------------------------------------


def test_table_and_text():
    found = ol.importance_range(and_tree(), BITS, LABELS)
    assert found.table.columns.tolist() == ["feature", "importance", "min", "max", "mean"]
    assert found.table["feature"].tolist() == ["x1", "x2"]
    assert found.table["mean"].tolist() == pytest.approx([0.5, 0.5])
    assert found["x1"] == found[0] == pytest.approx((1 / 3, 2 / 3))
    assert len(found) == len(list(found)) == 2
    assert "2 equivalent trees" in repr(found)
    with pytest.raises(KeyError, match="no feature 'x3'"):
        found["x3"]
    with pytest.raises(ValueError, match="read-only"):
        found.low[0] = 1
    raw = ol.importance_range(and_tree(), BITS, LABELS, normalize=False)
    assert raw.high.tolist() == pytest.approx([0.25, 0.25])


def test_redundant_splits_are_told():
    same = {"feature": "x2", "true": AND, "false": AND}
    tree = ol.read_tree(same, feature_names=["x1", "x2"])
    found = ol.importance_range(tree, BITS, LABELS)
    assert not found.irredundant
    assert "redundant splits" in repr(found)
    assert found.n_trees == 2
    assert found.high.tolist() == pytest.approx([2 / 3, 2 / 3])


def test_constant_tree_and_features_that_are_not_asked():
    space = ol.Space.independent(["a", "b"])
    tree = ol.Tree(space, [0, 1], feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                   leaf_class=[1])  # fmt: skip
    found = ol.importance_range(tree, BITS, LABELS)
    assert found.n_trees == 1
    assert found.irredundant
    assert found.high.tolist() == [0, 0]
    assert repr(found) == "ImportanceRange(gini, 1 tree)\n0 in every tree: 2 features"
    assert ol.impurity_importance(tree, BITS, LABELS).tolist() == [0, 0]


def test_many_trees_are_written_short():
    found = ol.importance_range(and_tree(), BITS, LABELS)
    from dataclasses import replace

    assert "about 1.2e30 equivalent trees" in repr(replace(found, n_trees=1234567 * 10**24))


def test_plot_draws_each_feature():
    import matplotlib as mpl

    mpl.use("agg")
    found = ol.importance_range(and_tree(), BITS, LABELS)
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x1", "x2"]
    bars = axes.patches
    assert [bar.get_x() for bar in bars] == pytest.approx([1 / 3, 1 / 3])
    assert [bar.get_width() for bar in bars] == pytest.approx([1 / 3, 1 / 3])
    assert found.plot(axes) is axes
    mpl.pyplot.close("all")


def test_what_is_refused():
    tree = and_tree()
    for work in (ol.impurity_importance, ol.importance_range):
        with pytest.raises(ValueError, match="criterion must be 'gini' or 'entropy', got 'mse'"):
            work(tree, BITS, LABELS, criterion="mse")
        with pytest.raises(InvalidData, match="row 1 has no value for 'x2'"):
            work(tree, [[0, 0], [0, None], [1, 0], [1, 1]], LABELS)
        with pytest.raises(InvalidData, match="y has shape"):
            work(tree, BITS, [0, 1])
        with pytest.raises(InvalidData, match="y has None in row 2"):
            work(tree, BITS, [0, 0, None, 1])
        with pytest.raises(InvalidData, match="y has nan in row 3"):
            work(tree, BITS, [0, 0, 1, math.nan])
        with pytest.raises(InvalidData, match="X has no rows"):
            work(tree, np.zeros((0, 2)), [])
        with pytest.raises(InvalidData, match="sample_weight has shape"):
            work(tree, BITS, LABELS, sample_weight=[1, 2])
        with pytest.raises(InvalidData, match=r"sample_weight has -1.0 in row 1"):
            work(tree, BITS, LABELS, sample_weight=[1, -1, 1, 1])
        with pytest.raises(InvalidData, match="sample_weight is 0 in every row"):
            work(tree, BITS, LABELS, sample_weight=[0, 0, 0, 0])
        with pytest.raises(InvalidData, match="must hold one number per row"):
            work(tree, BITS, LABELS, sample_weight=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="limit must be at least 1"):
        ol.importance_range(tree, BITS, LABELS, limit=0)
    with pytest.raises(TooManyBoxes, match="more than 1 boxes"):
        ol.importance_range(tree, BITS, LABELS, limit=1)
    assert ol.importance_range(tree, BITS, LABELS, limit=3).n_boxes == 3


def test_too_many_categories_are_refused():
    letters = [chr(97 + i) for i in range(14)]
    space = ol.Space({"letter": letters})
    tree = {"prediction": 14}
    for i, letter in enumerate(letters):
        tree = {"feature": "letter", "relation": "in", "reference": [letter],
                "true": {"prediction": i}, "false": tree}  # fmt: skip
    with pytest.raises(InvalidTree, match="more than 12 groups"):
        ol.importance_range(ol.read_tree(tree, space=space), [["a"], ["b"]], [0, 1])


def test_ctrl_c_is_heard():
    code = (
        "import os, signal, threading\n"
        "import numpy as np, orderless as ol\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "X = np.random.RandomState(0).normal(size=(500, 20))\n"
        "y = np.random.RandomState(1).randint(2, size=500)\n"
        "model = DecisionTreeClassifier(max_depth=8).fit(X, y)\n"
        "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    ol.importance_range(model, X, y, limit=10**8)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "heard"


def test_a_tree_that_gains_nothing_beside_one_that_does():
    """Its normalised importances are 0, so they are the least; those of the other are not."""
    names = ["a", "b", "c"]
    b = {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 0}}
    c = {"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read_tree({"feature": "a", "true": b, "false": c}, space=ol.Space.independent(names))
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
