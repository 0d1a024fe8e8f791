"""The smallest gap that whole numbers allow, against every pair; what `nearest` proves."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.rashomon.leaf_sums import Form, Near
from orderless.rashomon.nearest import MAX_PAIRS, closer, least_gap, pairs_of


class Ends:
    """Counts between ends, as goals give them."""

    def __init__(self, ends):
        self.ends = ends

    def stairs(self, counted, largest):
        end = self.ends[int(np.flatnonzero(counted)[0])][largest]
        return SimpleNamespace(measure=[None, end])


counts = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 30), st.integers(-30, -1), st.integers(-300, 300), counts, counts)
def test_no_pair_between_the_ends_is_nearer(p, q, constant, one, other):
    form = Form(np.array([p, q], dtype=np.int64), constant, 1)
    wanted = min(
        abs(p * a + q * b + constant)
        for a in range(one[0], one[1] + 1)
        for b in range(other[0], other[1] + 1)
    )
    assert least_gap(Ends([one, other]), form) == wanted


def test_other_forms_prove_nothing():
    ends = Ends([(1, 5), (1, 5), (1, 5)])
    assert least_gap(ends, Form(np.array([2, 2, 2]), 0, 1)) == 0
    assert least_gap(ends, Form(np.array([2, 3, -4]), 0, 1)) == 0
    huge = Ends([(0, 10**7), (0, 10**7)])
    assert least_gap(huge, Form(np.array([1, -1]), 5, 1)) == 0
    far = Ends([(10, 12), (2**60, 2**60)])
    assert least_gap(far, Form(np.array([1, -(2**30)]), 5, 1)) == 0


@pytest.mark.parametrize("seed", range(12))
def test_the_fairest_is_that_of_all_trees_or_its_bound_is_below(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, size=(60, 7))
    y = (X[:, 0] + X[:, 1] + X[:, 2] + random.integers(0, 2, 60)) % 2
    groups = random.integers(0, 2, 60)
    found = ol.RashomonSet(3, 0.01, 0.06).fit(X, y).trees_
    flat = found._counts.unrank(range(min(found.n_trees, 200_000)))
    assert len(flat) == found.n_trees
    labels = flat.says(X.astype(np.uint8))
    negative = y == 0
    rates = [(labels[:, negative & (groups == g)] == 1).mean(axis=1) for g in (0, 1)]
    smallest = np.abs(rates[1] - rates[0]).min()
    for limit in (1, 2, 8, 64):
        fair = found.nearest(ol.Measure("fpr", groups=groups), limit=limit)
        assert fair.at_least <= smallest + 1e-12
        assert abs(fair.gap) >= smallest - 1e-12
        said = fair.tree.predict(X)
        own = [np.mean(np.asarray(said)[negative & (groups == g)] == 1) for g in (0, 1)]
        assert float(fair.gap) == pytest.approx(own[1] - own[0], abs=1e-12)
        assert fair.tree in found
        if fair.proven:
            assert abs(abs(float(fair.gap)) - smallest) < 1e-12
    assert found.nearest(ol.Measure("fpr", groups=groups), limit=10_000).proven


class Having:
    """Trees that are nothing but pairs of counts; what is asked of them is answered in part."""

    def __init__(self, pairs, sees):
        self.pairs, self.sees = pairs, sees
        self.asked = 0

    def stairs(self, counted, largest):
        at = int(np.flatnonzero(counted)[0])
        return SimpleNamespace(measure=[(max if largest else min)(p[at] for p in self.pairs)])

    def nearest(self, factors, wanted, most):
        self.asked += 1
        far = [abs(int(factors[0]) * a + int(factors[1]) * b - wanted) for a, b in self.pairs]
        least = min(far)
        seen = least if self.sees(self.asked) else max(far)
        proves = self.sees(self.asked + 1)
        return Near(0, 0, seen, least if proves else 0, None)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(1, 30), st.integers(-30, 30).filter(bool), st.integers(-60, 60),
    st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=9),
    st.sampled_from([lambda i: True, lambda i: False, lambda i: i % 2 == 0, lambda i: i % 3 == 0]),
    st.data(),
)  # fmt: skip
def test_pairs_that_are_nearer_are_found_or_excluded(p, q, constant, having, sees, data):
    """Whatever the searches for pairs find, the tree is one there is, and the bound holds."""
    if p == q:
        return
    form = Form(np.array([p, q], dtype=np.int64), constant, 1)
    goals = Having(sorted(having), sees)
    pairs = pairs_of(goals, form)
    gaps = {abs(p * a + q * b + constant) for a, b in having}
    a, b = data.draw(st.sampled_from(sorted(having)))
    first = Near(0, p * a + q * b, abs(p * a + q * b + constant), 0, None)
    best, at_least = closer(goals, pairs, first, 16)
    assert best.distance in gaps
    assert best.distance == abs(best.measure + constant) <= first.distance
    assert pairs.least <= at_least <= min(gaps)
    if sees(1) and sees(2) and goals.asked < MAX_PAIRS and best.distance <= pairs.whole:
        assert best.distance == min(gaps) == at_least
