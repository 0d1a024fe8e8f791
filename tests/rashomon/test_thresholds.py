"""Where numbers are cut: every cut point against brute force and against explicit columns."""

import pickle
import random
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from oracle_rashomon import Problem

import orderless as ol
from orderless.errors import InvalidData, OutOfMemory, OutOfTime


def columns_of(table):
    """One 0/1 column for every cut, by hand."""
    out = []
    for feature in np.asarray(table, dtype=float).T:
        values = sorted(set(feature.tolist()))
        out += [feature <= (a + b) / 2 for a, b in pairwise(values)]
    return np.array(out, dtype=np.uint8).T


def shape(found):
    """What two sets that are equal share."""
    histogram = found.counts()
    return (
        found.n_trees, found.n_nontrivial, len(found.functions("rows")), found.objective,
        found.bound, found.on_bound, histogram.trees.tolist(), histogram.leaves.tolist(),
        np.asarray(histogram.errors).tolist(),
    )  # fmt: skip


# -- brute force -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_every_tree_over_every_cut_point_is_counted(seed):
    draw = random.Random(seed)
    depth, n_classes = draw.choice([(1, 2), (2, 3), (2, 2), (3, 2)])
    n_values = 2 if depth == 3 else 4
    n = draw.randint(3, 9)
    table = [[draw.randint(0, n_values) / 2 for _ in range(2)] for _ in range(n)]
    table[0], table[1] = [0.0, 0.5], [1.0, 0.25]  # numbers, not 0/1
    y = [draw.randrange(n_classes) for _ in range(n)]
    y[:n_classes] = range(n_classes)
    weights = [draw.choice([1, 2, 3]) if seed % 3 == 0 else 1 for _ in range(n)]
    regularization, epsilon = (
        Fraction(draw.choice([0, 1, 2]), 20),
        Fraction(draw.choice([1, 4]), 20),
    )
    bits = [tuple(row) for row in columns_of(table).tolist()]
    wanted = Problem(
        bits, y, n_classes, depth=depth, regularization=regularization, epsilon=epsilon,
        relative=False, weights=[Fraction(w) for w in weights],
    )  # fmt: skip
    found = (
        ol.RashomonSet(depth, regularization, epsilon, thresholds="all")
        .fit(np.array(table), y, sample_weight=weights)
        .trees_
    )
    assert found.n_trees == len(wanted.trees)
    assert found.objective == wanted.optimum
    assert len(list(found)) == found.n_trees
    assert found.n_trees == sum(tree in found for tree in found)


# -- explicit columns ------------------------------------------------------------------------------


def problem(seed, n_classes=2, n=70, n_features=5):
    """More than 256 cut points, so that the search goes by chains."""
    n += 20 * (seed % 3 == 0)  # a quarter of these rows weigh nothing, and are cut nowhere
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, n_features)).round(2 if seed % 2 else 6)
    score = X[:, 0] + (X[:, 1] > 0.3) + draw.normal(size=n) * 0.4
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    weights = draw.integers(0, 4, n) if seed % 3 == 0 else None
    return X, y, weights


def in_disorder(X, y, weights, *parameters, **options):
    """The set of the same columns in an order in which none follows from the one before.

    Rows without weight set no thresholds.
    """
    weighed = slice(None) if weights is None else np.asarray(weights) > 0
    binarizer = ol.Binarizer("all").fit(X[weighed])
    order = np.random.default_rng(1).permutation(len(binarizer.thresholds_))
    columns = pd.DataFrame(binarizer.transform(X), columns=binarizer.get_feature_names_out())
    space = ol.Space(binarizer.space_.features, [binarizer.space_.columns[j] for j in order])
    made = ol.RashomonSet(*parameters, thresholds=None, space=space, **options)
    return made.fit(columns.iloc[:, order], y, sample_weight=weights).trees_


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_chains_find_what_words_of_bits_find(seed, depth):
    X, y, weights = problem(seed)
    parameters = (depth, 0.02, 0.02 if seed % 2 else 0.03)
    found = ol.RashomonSet(*parameters, thresholds="all").fit(X, y, sample_weight=weights).trees_
    assert len(found.columns) > 256
    explicit = in_disorder(X, y, weights, *parameters)
    assert shape(found) == shape(explicit)
    if found.n_trees < 100_000:
        assert len(found.functions()) == len(explicit.functions())
    for tree in found.sample(20, random_state=seed):
        assert tree in explicit


@pytest.mark.parametrize("scale", [1000, 10**7])
def test_weights_of_more_bits(scale):
    X, y, _ = problem(1, n=60)
    weights = np.random.default_rng(3).integers(1, 5, len(y)) * scale
    found = ol.RashomonSet(3, 0.03, 0.03, thresholds="all").fit(X, y, sample_weight=weights).trees_
    assert shape(found) == shape(in_disorder(X, y, weights, 3, 0.03, 0.03))


def test_three_classes():
    X, y, weights = problem(3, 3)
    found = ol.RashomonSet(2, 0.02, 0.03, thresholds="all").fit(X, y, sample_weight=weights).trees_
    assert shape(found) == shape(in_disorder(X, y, weights, 2, 0.02, 0.03))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_numbers_as_targets(loss):
    X, _, _ = problem(5, n=60)
    y = (X[:, 0] * 3 + np.random.default_rng(0).normal(size=len(X))).round(1)
    found = ol.RashomonSet(2, 0.05, 0.05, loss=loss, thresholds="all").fit(X, y).trees_
    explicit = in_disorder(X, y, None, 2, 0.05, 0.05, loss=loss)
    assert len(found.columns) > 256
    assert (found.n_trees, found.objective) == (explicit.n_trees, explicit.objective)
    assert len(found.functions("rows")) == len(explicit.functions("rows"))


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_chains_with_ties_everywhere(data):
    """Few rows, drawn as whole numbers of a wide range, so that there are chains and ties."""
    n = data.draw(st.integers(55, 70))
    numbers = st.lists(st.integers(0, 400), min_size=n, max_size=n)
    X = np.array([data.draw(numbers) for _ in range(6)], dtype=float).T + 0.5
    y = data.draw(
        st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len({*y}) > 1)
    )
    epsilon = data.draw(st.sampled_from([0, 0.01, 0.02]))
    found = ol.RashomonSet(2, 0.02, epsilon, thresholds="all").fit(X, y).trees_
    assert shape(found) == shape(in_disorder(X, y, None, 2, 0.02, epsilon))


@cache
def _data(name):
    return ol.datasets.load(name)


@pytest.mark.parametrize(
    ("name", "depth", "n_trees"),
    [("compas", 3, 651_190), ("iris_versicolor", 3, 145_288), ("spiral", 3, 513_280),
     ("wine_quality", 2, 1_355_494), ("fico", 2, 16_826)],
)  # fmt: skip
def test_known_numbers_of_explicit_columns(name, depth, n_trees, shared, monkeypatch):
    """Counted by words of bits, before there were chains."""
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    X, y = _data(name)
    found = ol.RashomonSet(depth, thresholds="all").fit(X, y).trees_
    assert found.n_trees == n_trees


# -- what stays as it is ---------------------------------------------------------------------------


def test_text_and_bits_stay_whole():
    table = pd.DataFrame({
        "age": [20, 30, 30, 40, 50, 60], "sex": list("fmfmfm"), "ill": [0, 1, 0, 1, 1, 0],
    })  # fmt: skip
    rset = ol.RashomonSet(2, 0.05, 0.1, thresholds="all").fit(table, [0, 0, 0, 1, 1, 1])
    found = rset.trees_
    assert found.columns == (
        "age <= 25", "age <= 35", "age <= 45", "age <= 55", "sex = f", "sex = m", "ill",
    )  # fmt: skip
    assert found.best_tree.space["age"].values == "float64"
    assert isinstance(rset.binarizer_, ol.Binarizer)
    bits = table[["ill"]]
    assert ol.RashomonSet(thresholds="all").fit(bits, [0, 1, 0, 1, 1, 0]).trees_.columns == ("ill",)


def test_values_that_float32_merges_are_told_apart():
    X = np.array([[1.0], [np.nextafter(1, 2)], [3.0], [4.0]])
    found = ol.RashomonSet(1, 0.01, 0, thresholds="all").fit(X, [0, 1, 1, 1]).trees_
    assert len(found.columns) == 3
    assert found.objective == Fraction(2, 100)
    assert found.predict(X).tolist() == [0, 1, 1, 1]


def test_a_whole_number_takes_quantiles():
    X, y, _ = problem(2)
    found = ol.RashomonSet(2, thresholds=3).fit(X, y).trees_
    by_hand = ol.Binarizer((0.25, 0.5, 0.75)).fit(X)
    assert found.columns == tuple(by_hand.get_feature_names_out())
    assert shape(found) == shape(ol.RashomonSet(2, thresholds=np.int64(3)).fit(X, y).trees_)


def test_a_set_is_written_and_read():
    X, y, _ = problem(4)
    found = ol.RashomonSet(2, thresholds="all").fit(X, y).trees_
    for again in (ol.TreeSet.from_json(found.to_json()), pickle.loads(pickle.dumps(found))):
        assert again.n_trees == found.n_trees
        assert again.best_tree == found.best_tree


@pytest.mark.parametrize(
    "bad",
    [
        "al",
        "",
        "ALL",
        "quantile",
        0,
        -1,
        2.5,
        True,
        [3],
        [],
        [True],
        (0.5, 1.5),
        (0.5, "a"),
        10**7,
        ol.Binarizer,
        object(),
    ],
)
def test_thresholds_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="thresholds must be 'guess', 'all' for every cut point"):
        ol.RashomonSet(thresholds=bad).fit([[0.5], [1], [2]], [0, 1, 1])


def test_quantiles_are_those_of_a_binarizer():
    X, y, _ = problem(2)
    found = ol.RashomonSet(2, thresholds=[0.33, 0.66]).fit(X, y).trees_
    by_hand = ol.Binarizer((0.33, 0.66)).fit(X)
    assert found.columns == tuple(by_hand.get_feature_names_out())
    assert shape(found) == shape(ol.RashomonSet(2, thresholds=by_hand).fit(X, y).trees_)


def test_without_thresholds_numbers_are_refused():
    match = r"column 'x0' has the value 0.5 in row 0, and thresholds=None takes 0/1 columns"
    with pytest.raises(InvalidData, match=match):
        ol.RashomonSet(thresholds=None).fit([[0.5], [1]], [0, 1])
    assert ol.RashomonSet(thresholds=None).fit([[0], [1]], [0, 1]).trees_.columns == ("x0",)


def test_text_that_a_binarizer_cannot_take_is_refused():
    match = r"X has columns of text, and Binarizer takes numbers: give thresholds='guess', 'all' or"
    with pytest.raises(InvalidData, match=match):
        ol.RashomonSet(thresholds=ol.Binarizer(2)).fit([["a", 1], ["b", 2]], [0, 1])


def test_numbers_without_a_cut_are_refused():
    with pytest.raises(InvalidData, match="no column is left"):
        ol.RashomonSet(thresholds="all").fit([[3.5], [3.5]], [0, 1])


def test_limits_hold_where_there_are_chains():
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(400, 12)), draw.integers(0, 2, 400)
    with pytest.raises(OutOfTime, match=r"took longer than time_limit=0\.01"):
        ol.RashomonSet(3, thresholds="all", time_limit=0.01).fit(X, y)
    with pytest.raises(OutOfMemory, match="needs more than memory_limit"):
        ol.RashomonSet(3, thresholds="all", memory_limit=10**6).fit(X, y)
