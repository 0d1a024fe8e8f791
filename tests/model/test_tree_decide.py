"""The quick ways to decide rows give what the plain one gives: walks, and masks of all widths."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.inputs import codes_for, rows_for


def grown(leaves, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 6)).round(1)  # thresholds are hit exactly
    y = rng.integers(0, n_classes, 3000)
    return X, DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)


def gone(rng, X, share, **kind):
    return np.array(np.where(rng.random(X.shape) < share, np.nan, X), **kind)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("leaves", [2, 40, 64, 100, 230, 400, 900])
def test_decide_equals_reach(leaves, order, dtype):
    rng = np.random.default_rng(leaves)
    X, model = grown(leaves)
    tree = ol.read(model)
    for share in (0.0, 0.01, 0.1, 0.25, 0.5, 1.0):
        rows = gone(rng, X, share, dtype=dtype, order=order)
        plain = tree.kernel.reach(rows_for(tree.kernel, rows)).label
        for n_jobs in (None, 2):
            np.testing.assert_array_equal(codes_for(tree.kernel, rows, n_jobs=n_jobs), plain)
        for few in (0, 1, 7, 255, 257):
            np.testing.assert_array_equal(codes_for(tree.kernel, rows[:few]), plain[:few])
        np.testing.assert_array_equal(codes_for(tree.kernel, rows[::-2]), plain[::-2])


@pytest.mark.parametrize("leaves", [50, 300, 1000])
def test_blocks_that_differ_in_what_is_unknown(leaves):
    rng = np.random.default_rng(0)
    X, model = grown(leaves)
    tree = ol.read(model)
    X = np.tile(X, (20, 1))
    X[20_000:40_000] = gone(rng, X[20_000:40_000], 0.5)
    X[50_000] = np.nan  # one row that the look at the first of a block does not see
    plain = tree.kernel.reach(rows_for(tree.kernel, X)).label
    for n_jobs in (1, 2, 7, -1):
        np.testing.assert_array_equal(codes_for(tree.kernel, X, n_jobs=n_jobs), plain)


@pytest.mark.parametrize("values", ["float64", "float32"])
def test_doubles_around_thresholds(values):
    """Doubles are compared as floats only where that moves none across a threshold."""
    space = ol.Space([ol.Feature(name, values=values) for name in "ab"])
    cuts = [0.1, 1.0, 16777217.0, 1e-42, 1e-320, 0.0, -0.3, 3e38]
    if values == "float64":
        cuts += [1e300, -1e300]
    rng = np.random.default_rng(0)

    def below(depth, low, high):
        f = int(rng.integers(2))
        open_cuts = [cut for cut in cuts if low[f] < cut < high[f]]
        if depth == 0 or not open_cuts:
            return {"prediction": int(rng.integers(2))}
        cut = float(rng.choice(open_cuts))
        return {
            "feature": "ab"[f],
            "relation": "<=",
            "reference": cut,
            "true": below(depth - 1, low, [*high[:f], cut, *high[f + 1 :]]),
            "false": below(depth - 1, [*low[:f], cut, *low[f + 1 :]], high),
        }

    near = [np.nan, np.inf, -np.inf, 1e39, -1e39, 1.8e308]
    for cut in cuts:
        around = [cut, float(np.float32(cut)) if abs(cut) < 3e38 else cut]
        for x in around:
            near += [x, np.nextafter(x, -np.inf), np.nextafter(x, np.inf)]
    X = rng.choice(near, size=(2000, 2))
    for _ in range(30):
        tree = ol.read(below(5, [-np.inf] * 2, [np.inf] * 2), space=space)
        np.testing.assert_array_equal(
            codes_for(tree.kernel, X), tree.kernel.reach(rows_for(tree.kernel, X)).label
        )


@pytest.mark.parametrize(
    "names",
    [
        [10, 20, 30],
        [0.5, 1.5, -2.0],
        [True, False],
        ["no", "yes", "ä long one"],
        ["", "b"],
        ["a", "a\0"],
    ],
)
def test_labels_of_all_kinds(names):
    X, model = grown(200, n_classes=len(names))
    rows = gone(np.random.default_rng(1), X, 0.1)
    tree = ol.read(model)
    named = ol.Tree(
        tree.space,
        names,
        feature=tree.nodes.feature,
        threshold=tree.nodes.threshold,
        when_true=tree.nodes.when_true,
        when_false=tree.nodes.when_false,
        leaf_class=tree.nodes.leaf_class,
    )
    codes = named.kernel.reach(rows_for(named.kernel, rows)).label
    assert sorted(set(codes.tolist())) == list(range(-1, len(names)))
    wanted = [None if code < 0 else names[code] for code in codes]
    for n_jobs in (1, 2):
        out = named.predict(rows, n_jobs=n_jobs)
        assert isinstance(out, np.ma.MaskedArray)
        assert out.dtype == named.kernel.labels.dtype
        assert out.tolist() == wanted
        out[0] = np.ma.masked  # the result is the caller's own
    assert ol.canonicalize(named).predict(rows, n_jobs=2).tolist() == wanted


def test_more_classes_than_bits():
    X, model = grown(1500, n_classes=200)
    rows = gone(np.random.default_rng(1), X, 0.05)
    for tree in (ol.read(model), ol.read(grown(120, n_classes=100)[1])):
        np.testing.assert_array_equal(
            codes_for(tree.kernel, rows), tree.kernel.reach(rows_for(tree.kernel, rows)).label
        )


def test_branches_of_one_class_are_one_leaf():
    side = {"feature": 1, "true": {"prediction": "a"}, "false": {"prediction": "a"}}
    tree = ol.read({"feature": 0, "true": side, "false": {"prediction": "a"}})
    assert tree.predict(np.full((1000, 2), np.nan)).tolist() == ["a"] * 1000


def test_threads_for_columns_of_mixed_kinds():
    """Ranges, categories, and floats beside doubles take the plain way, in blocks."""
    rng = np.random.default_rng(0)
    X, model = grown(100)
    tree = ol.read(model)
    wide = np.tile(gone(rng, X, 0.2), (15, 1))
    mixed = pd.DataFrame(
        {f"x{i}": wide[:, i].astype(np.float32 if i % 2 else float) for i in range(6)}
    )
    plain = tree.kernel.reach(rows_for(tree.kernel, mixed)).label
    assert len(set(plain.tolist())) == 4
    for n_jobs in (1, 3):
        np.testing.assert_array_equal(codes_for(tree.kernel, mixed, n_jobs=n_jobs), plain)


def test_memory_does_not_grow_with_rows():
    """No arrays as long as the rows but the result's: what numpy allocates."""
    _, model = grown(200)
    tree = ol.read(model)
    X = np.zeros((400_000, 6), dtype=np.float32)
    tree.predict(X[:1000])
    tracemalloc.start()
    try:
        out = tree.predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < out.data.nbytes + out.mask.nbytes + 100_000


def test_jobs_that_are_no_number_of_threads():
    tree = ol.read({"prediction": 0})
    for bad in (0, -2, 1.5, True, "2"):
        with pytest.raises(ValueError, match="n_jobs must be"):
            tree.predict([{}], n_jobs=bad)
