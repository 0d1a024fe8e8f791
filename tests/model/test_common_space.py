"""Trees over different spaces: one rule for what they have in common."""

import itertools
import math

import numpy as np
import pytest

import orderless as ol
from orderless.model.common_space import over_common_space

KINDS = ("float32", "numeric", "integer", "boolean")
MAX32, MAX64 = 3.4028234663852886e38, 1.7976931348623157e308
ODD = [0.0, 0.1, 0.5, 1.0, 24.5, 2.0**24 + 1, 2.0**53, 2.0**53 + 2, 2.0**63, 5e-324, 1e-45, 1e-40,
       MAX32, 2.0**128, (MAX32 + 2.0**128) / 2, 1e39, 1e300, MAX64]  # fmt: skip


def stump(kind, cut, sets=None):
    space = ol.Space([kind] if isinstance(kind, ol.Feature) else {"x": kind})
    return ol.Tree(space, ["lower", "upper"], feature=[0, -1, -1], threshold=[cut, 0, 0],
                   when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                   sets=sets)  # fmt: skip


def thresholds(n, seed):
    """Pairs of thresholds: close to each other, of all sizes, round and not."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size = rng.choice(["odd", "short", "plain", "wide"])
        x = {
            "odd": rng.choice(ODD) * rng.choice([-1, 1]),
            "short": rng.integers(-1000, 1000) / 1000,
            "plain": rng.uniform(-1000, 1000),
            "wide": rng.choice([-1, 1]) * 10 ** rng.uniform(-320, 308),
        }[size]
        with np.errstate(over="ignore"):
            single = np.float32(x)
            near = [x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), single,
                    np.nextafter(single, np.float32(np.inf)),
                    np.nextafter(single, np.float32(-np.inf))]  # fmt: skip
        yield float(x), float(rng.choice(near))


@pytest.mark.parametrize(("one", "other"), list(itertools.product(KINDS[:3], KINDS)))
def test_a_made_up_row_gets_different_classes_from_both_trees(one, other):
    """Also where one tree rounds rows to float32 and the other does not."""
    n_different = 0
    for seed, (x, y) in enumerate(thresholds(400, KINDS.index(one) * 4 + KINDS.index(other))):
        if not math.isfinite(y):
            continue
        a, b = stump(one, x), stump(other, y)
        if seed % 2:
            a, b = stump(one, y), stump(other, x)
        row = ol.counterexample(a, b)  # fails by itself if both say the same
        assert ol.equivalent(a, b) == (row is None)
        assert (ol.disagreement(a, b) > 0) == (row is not None)
        if row is not None:
            n_different += 1
            assert a.predict([row])[0] != b.predict([row])[0]
    assert n_different >= (1 if "boolean" in (one, other) else 40)


def test_the_row_of_a_float32_and_a_float64_tree_is_a_float32():
    single, double = stump("float32", 0.1), stump("numeric", float(np.float32(0.1)))
    row = ol.counterexample(single, double)
    assert row == {"x": 0.10000000149011612}
    # Two trees that both round may get the short number.
    assert ol.counterexample(single, stump("float32", 0.10000000149011612)) == {"x": 0.1}


# -- numbers against categories -----------------------------------------------------------------


def category(labels, other, inside, nan=False):
    feature = ol.Feature("x", "categorical", categories=labels, other=other, nan=nan)
    return stump(feature, 0, sets={0: inside})


NUMBERS = [-50, -7, -1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 97, 200]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [(1, 2, 3), (0, 1), ("red", "blue"), (1, "red", 2.5), (True,)])
def test_categories_with_other_against_numbers(kind, labels):
    """Every number that the numeric feature takes counts: those that are not listed are other."""
    values = [v for v in NUMBERS if kind not in ("integer", "boolean") or v == int(v)]
    values = [v for v in values if kind != "boolean" or v in (0, 1)]
    if all(type(label) is int for label in labels):  # among whole numbers a fraction is no value
        values = [v for v in values if v == int(v)]
    for size in range(len(labels) + 2):
        for inside in itertools.combinations(range(len(labels) + 1), size):
            a = category(labels, True, list(inside))
            for cut in (-9, 0, 0.5, 1, 2, 2.5, 3, 99):
                b = stump(kind, cut)
                same = all(a.predict([{"x": v}])[0] == b.predict([{"x": v}])[0] for v in values)
                for one, two in ((a, b), (b, a)):
                    row = ol.counterexample(one, two)
                    assert ol.equivalent(one, two) == same == (row is None)
                    assert ol.group_equivalent([one, two]) == ([[0, 1]] if same else [[0], [1]])
                    assert (ol.disagreement(one, two) == 0) == same
                    if row is not None:
                        assert one.predict([row])[0] != two.predict([row])[0]
                        assert ol.counterexample(one, two, [[row["x"]]]) == row


def test_categories_without_other_are_compared_where_they_are_listed():
    a, b = category((1, 2, 3), False, [0, 1]), stump("numeric", 2.5)
    assert ol.equivalent(a, b)
    assert not ol.equivalent(category((1, 2, 3), False, [0, 2]), b)
    with pytest.raises(ol.errors.InvalidSpace, match="no value in common"):
        ol.equivalent(category(("red",), False, [0]), b)


def test_one_unlisted_number_stands_for_each_interval():
    """What ``disagreement`` counts: each listed number, and the others between two thresholds."""
    trees = [category((1, 2, 3), True, [0, 1]), stump("numeric", 2.5)]
    (feature,) = over_common_space([tree.kernel for tree in trees])[0].space.features
    assert feature.categories[:3] == (1, 2, 3)
    below, above = feature.categories[3:]
    assert below <= 2.5 < above
    assert ol.disagreement(*trees) == 1 / 5  # the others up to 2.5
    whole = [category((1, 2, 3), True, [0, 1]), stump("integer", 2), stump("integer", 1)]
    (feature,) = over_common_space([tree.kernel for tree in whole])[0].space.features
    assert len(feature.categories) == 5  # above 1 and up to 2 there is only 2
    assert ol.group_equivalent(whole) == [[0], [1], [2]]


def test_missing_is_common_where_both_have_it():
    nan = ol.Feature("x", nan=True)
    a, b = category((1, 2), True, [0, 1], nan=True), stump(nan, 2.0)
    assert over_common_space([a.kernel, b.kernel])[0].space["x"].nan
    assert not over_common_space([a.kernel, stump("numeric", 2.0).kernel])[0].space["x"].nan


# -- the measure --------------------------------------------------------------------------------


def test_disagreement_counts_every_category_alike():
    """Also categories that no tree tells apart: one of four differs, whatever the sets are."""
    labels = ("a", "b", "c", "d")
    assert ol.disagreement(category(labels, False, [0]), category(labels, False, [0, 1])) == 1 / 4
    assert ol.disagreement(category(labels, True, [0]), category(labels, True, [0, 1])) == 1 / 5
    assert (
        ol.disagreement(
            category(labels, True, [0], nan=True), category(labels, True, [0, 5], nan=True)
        )
        == 1 / 6
    )


def test_disagreement_counts_every_interval_alike():
    assert ol.disagreement(stump("numeric", 1.0), stump("numeric", 1000.0)) == 1 / 3
    assert ol.disagreement(stump("integer", 1.2), stump("integer", 1.7)) == 0.0
