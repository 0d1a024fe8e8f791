"""Sets of leaves: what is decided on them, and which features can still settle it."""

import itertools
import math

import numpy as np
import pytest
from decimal_numbers import near
from hypothesis import given, settings, strategies as st
from oracle import completions, decide, float32_names, values_by_feature
from strategies import partial_rows

import orderless as ol
from orderless.acquisition import leaves as module
from orderless.acquisition.leaves import Leaves
from tests.acquisition.test_build import cases, solved as solved_class
from tests.acquisition.test_build_numbers import number_cases, solved


def one_of_each(numbers):
    """A tree with one leaf for each number, in this order, by one feature."""
    ranked = sorted(set(numbers))
    n = len(numbers)
    return ol.Tree(
        ol.Space({"x": "numeric"}), ranked,
        feature=[0] * (n - 1) + [-1] * n, threshold=[*range(n - 1), *[0] * n],
        when_true=[*range(n - 1, 2 * n - 2), *[-1] * n],
        when_false=[*range(1, n - 1), 2 * n - 2, *[-1] * n][: 2 * n - 1],
        leaf_class=[-1] * (n - 1) + [ranked.index(number) for number in numbers],
        task="regression",
    )  # fmt: skip


@given(
    st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.7, 1.0, 5.0, -1e308, 1.7e308]), min_size=2,
             max_size=7),
    st.sampled_from([0.0, 0.1, math.nextafter(0.1, 1), 0.3, 0.6, 4.0, 1.6e308, 1.79e308]),
)  # fmt: skip
def test_windows_are_the_largest_sets_of_near_numbers(numbers, tolerance):
    """Every set of leaves is tried: it is decided iff its numbers are near, iff a window has it."""
    tree = one_of_each(numbers)
    leaves = Leaves(tree.kernel.bins, tolerance)
    rows = [[k - 0.5 if k else -1.0] for k in range(len(numbers))]
    said = tree.predict(rows).tolist()
    each = [leaves.masks[0][b] for b in range(leaves.n_leaves)]
    by_leaf = [leaves.interval(mask)[0] for mask in each]
    assert sorted(set(by_leaf)) == sorted(set(said))
    for size in range(1, len(each) + 1):
        for some in itertools.combinations(range(len(each)), size):
            together = sum(each[i] for i in some)
            low, high = min(by_leaf[i] for i in some), max(by_leaf[i] for i in some)
            close = near([low, high], tolerance)
            assert (leaves.end_of(together) >= 0) == close
            assert any(not together & ~window for window in leaves.windows) == close
            assert leaves.interval(together) == (low, high)
            if close:
                decision = leaves.decision(leaves.end_of(together))
                assert decision.interval == (low, high)
                middle = (low + high) / 2
                assert decision.label == (middle if math.isfinite(middle) else low / 2 + high / 2)
    for a, b in itertools.permutations(leaves.windows, 2):
        assert a & ~b  # none is in another
    assert len(leaves.windows) <= len(set(numbers))


def test_windows_of_classes_are_the_classes():
    leaves = Leaves(one_of_each([3.0, 1.0, 2.0, 1.0]).kernel.bins)
    assert leaves.windows == leaves.classes
    assert leaves.interval(leaves.all) is None


@given(number_cases(max_features=3), st.data())
@settings(max_examples=150)
def test_what_matters_is_what_brute_force_finds(problem, data):
    """Exactly: a feature matters iff it settles some row that is open without it."""
    case, _, _ = problem
    row = data.draw(partial_rows(case.kinds, case.spec))
    policy = solved(problem)
    for name in case.tree.features:
        if row.get(name) is None:
            assert policy.can_matter(row, [name]) == case.can_settle(row, name)


@given(cases(max_features=3), st.data())
@settings(max_examples=60)
def test_what_matters_to_a_class_is_what_changes_it(problem, data):
    case, _, _ = problem
    row = data.draw(partial_rows(case.kinds, case.spec))
    policy = solved_class(problem)
    rounded = float32_names(case.kinds)
    values = values_by_feature(case.kinds, case.spec)
    for name in case.tree.features:
        if row.get(name) is None:
            changes = any(
                len({decide(case.spec, {**full, name: v}, rounded) for v in values[name]}) > 1
                for full in completions(case.kinds, row, case.spec)
            )
            assert policy.can_matter(row, [name]) == changes


@given(number_cases(max_features=3, depth=4), st.booleans(), st.data())
@settings(max_examples=100)
def test_what_matters_where_some_bins_are_known(problem, numbers, data):
    """Features may be known in part, as several columns of one tell: every cell is looked at."""
    case, _, _ = problem
    leaves = Leaves(case.tree.kernel.as_regression().bins, case.tolerance if numbers else None)
    sides = [data.draw(st.integers(1, whole)) for whole in leaves.whole]
    bins = [[b for b in range(whole.bit_length()) if side >> b & 1]
            for whole, side in zip(leaves.whole, sides, strict=True)]  # fmt: skip
    classes = leaves.bins.tree.classes
    number = {  # a cell has one leaf
        cell: classes[leaves.possible(leaves.inside(leaves.all, [1 << b for b in cell]))[0]]
        for cell in itertools.product(*bins)
    }

    def is_open(known):
        some = [
            value for cell, value in number.items()
            if all(b is None or b == own for b, own in zip(known, cell, strict=True))
        ]  # fmt: skip
        return not near(some, leaves.tolerance) if numbers else len(set(some)) > 1

    at = leaves.inside(leaves.all, sides)
    for k in range(len(sides)):
        others = [[None] if j == k else [None, *own] for j, own in enumerate(bins)]
        settles = any(
            is_open(known) and any(not is_open((*known[:k], b, *known[k + 1 :])) for b in bins[k])
            for known in itertools.product(*others)
        )
        assert leaves.matters(at, k, sides) == settles


@given(number_cases(max_features=3), st.data())
@settings(max_examples=60)
def test_a_proof_that_is_cut_short_calls_nothing_irrelevant(problem, data):
    case, _, _ = problem
    row = data.draw(partial_rows(case.kinds, case.spec))
    policy = solved(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STEPS", data.draw(st.integers(0, 3)))
        for name in case.tree.features:
            if row.get(name) is None and case.can_settle(row, name):
                assert policy.can_matter(row, [name])


def test_what_changes_the_number_only_where_it_is_near_enough_is_not_needed():
    """k moves 10 to 10.1; what a is settles it, and without a nothing does."""
    by_a = {"feature": "a", "true": {"prediction": 10.1}, "false": {"prediction": 20.0}}
    other = {"feature": "a", "true": {"prediction": 10.0}, "false": {"prediction": 20.0}}
    tree = ol.read({"task": "regression", "feature": "k", "true": by_a, "false": other},
                        feature_names=["a", "k"])  # fmt: skip
    policy = ol.cheapest_policy(tree, [[1, 1]], {"a": 9, "k": 1}, tolerance=0.5)
    assert policy.can_matter({}, ["a"])
    assert not policy.can_matter({}, ["k"])
    assert not policy.can_matter({"a": 1}, ["k"])
    exact = ol.cheapest_policy(tree, [[1, 1]], {"a": 9, "k": 1}, tolerance=0)
    assert exact.can_matter({}, ["k"])
    assert exact.can_matter({"a": 1}, ["k"])
    assert not exact.can_matter({"a": 0}, ["k"])
    read = ol.Policy.from_json(policy.to_json())  # without rows: as the tree asks, but for k
    assert read.simulate(np.array([[0, 1]]))["purchases"][0] == ("a",)
    assert read.next_feature({}, unavailable=["k"]).feature == "a"


@pytest.mark.parametrize("tolerance", [None, 0.5])
def test_what_matters_only_for_a_value_that_is_excluded(tolerance):
    """Whatever k is, a says 1 and c says 2; only for b does it matter, which is excluded."""

    def by_ward(values, yes, no):
        return {"feature": "ward", "relation": "in", "reference": values,
                "true": {"prediction": yes}, "false": {"prediction": no}}  # fmt: skip

    tree = {"task": "regression", "feature": "k", "relation": "==", "reference": 1,
            "true": by_ward(["a", "b"], 1.0, 2.0),
            "false": by_ward(["b", "c"], 2.0, 1.0)}  # fmt: skip
    tree = ol.read(tree, space=ol.Space({"k": "boolean", "ward": ["a", "b", "c"]}))
    leaves = Leaves(tree.kernel.bins, tolerance)
    k, ward = (
        next(i for i, f in enumerate(tree.kernel.bins.features) if f.name == n)
        for n in ("k", "ward")
    )
    excluded = list(leaves.whole)
    excluded[ward] = 0b101
    assert leaves.matters(leaves.all, k, leaves.whole)
    assert not leaves.matters(leaves.inside(leaves.all, excluded), k, excluded)
    assert leaves.matters(leaves.inside(leaves.all, excluded), ward, excluded)
