"""Policies that stop when the number is known well enough: the optimum is that of brute force."""

import itertools
import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from decimal_numbers import near
from hypothesis import given, settings, strategies as st
from oracle import decide, float32_names, values_by_feature
from oracle_acquisition import NumberCase
from strategies import tree_of

import orderless as ol
from orderless.api import wrap
from tests.acquisition.test_build import METHODS, cases, total

# Steps of a tenth differ in the last bit: 0.3 - 0.2 is below 0.1, and 0.4 - 0.3 is above.
NUMBERS = [(0.1, 0.2, 0.3, 0.4, 0.7), (0, 1, 2, 3, 10), (-2.5, -2.0, 0.0, 0.25, 1e300), (7.5, 8.0),
           (-1.7e308, 0.5, 1.7e308)]  # fmt: skip


@st.composite
def number_cases(draw, **options):
    """A problem whose classes are numbers, and a width that is often just one of their gaps."""
    labels = draw(st.sampled_from(NUMBERS))
    case, costs, more = draw(cases(labels=st.just(labels), **options))
    a, b = (float(draw(st.sampled_from(labels))) for _ in range(2))
    gap = abs(a - b)
    gap = 0.0 if math.isinf(gap) else gap
    near = [gap, math.nextafter(gap, -math.inf), math.nextafter(gap, math.inf)]
    tolerance = max(0.0, draw(st.sampled_from([*near, 0.0, 0.5, 1.6e308])))
    own = {field.name: getattr(case, field.name) for field in fields(case)}
    if draw(st.booleans()):
        own["tree"] = wrap(case.tree.kernel.as_regression())
    return NumberCase(**own, tolerance=tolerance), costs, {**more, "tolerance": tolerance}


def solved(problem, **more):
    case, costs, options = problem
    return ol.cheapest_policy(case.tree, case.rows, costs, **{**options, **more})


# -- against brute force ---------------------------------------------------------------------------


@given(number_cases())
@settings(max_examples=150)
def test_optimal_is_what_brute_force_finds(problem):
    case, _, _ = problem
    policy = solved(problem)
    _, cost = case.best()
    assert policy.optimal
    assert policy.expected_cost == policy.bound == float(cost / total(case))
    assert policy.share_determined == 1


@given(number_cases())
@settings(max_examples=60)
def test_the_dearest_row_is_as_cheap_as_brute_force_finds(problem):
    case, _, _ = problem
    case.worst = True
    policy = solved(problem, objective="worst")
    most = case.best()[1]
    assert policy.optimal
    assert policy.worst_cost == policy.bound == float(most)
    case.worst, case.budget = False, most  # and of such policies it is the cheapest on average
    assert policy.expected_cost == float(case.best()[1] / total(case))


@given(number_cases(limited=True), st.booleans())
@settings(max_examples=80)
def test_within_a_budget_brute_force_determines_no_more(problem, worst):
    case, _, _ = problem
    case.worst = worst
    missed, cost = case.best()
    policy = solved(problem, objective="worst" if worst else "expected")
    assert policy.optimal
    assert policy.share_determined == policy.share_bound == 1 - float(missed) / float(total(case))
    got = policy.worst_cost if worst else policy.expected_cost
    assert got == policy.bound == float(cost if worst else cost / total(case))
    told = policy.simulate(case.rows)
    open_ = told["decision"].isna()
    narrow = [near(pair, case.tolerance) for pair in zip(told["lower"], told["upper"], strict=True)]
    assert (open_ == ~np.array(narrow)).all()
    if case.budget is not None:
        assert (policy.costs(case.rows) <= float(case.budget)).all()
    if case.questions is not None:
        assert (told["questions"] <= case.questions).all()


@given(number_cases(max_features=2, max_rows=4))
@settings(max_examples=50)
def test_no_policy_written_out_is_cheaper(problem):
    """Independent of the equation for V: every policy is written out and paid for."""
    case, _, _ = problem
    everyone = list(case.all_policies(list(range(len(case.rows)))))
    spent = [sum((case.weights[i] * c for i, c in p.items()), Fraction(0)) for p in everyone]
    assert solved(problem).expected_cost == float(min(spent) / total(case))
    worst = min(max(policy.values()) for policy in everyone)
    assert solved(problem, objective="worst").worst_cost == float(worst)


@given(number_cases(max_features=4), st.data())
@settings(max_examples=50)
def test_what_is_known_at_the_start_costs_nothing(problem, data):
    case, _, _ = problem
    alone = [name for name in case.tree.features if case.purchases.get(name, ((),))[0] == (name,)]
    known = data.draw(st.lists(st.sampled_from(alone), unique=True)) if alone else []
    policy = solved(problem, known=known)
    free = {
        name: (own, Fraction(0) if name in known else cost)
        for name, (own, cost) in case.purchases.items()
    }
    same = NumberCase(
        case.kinds, case.spec, case.tree, case.rows, case.weights, free, tolerance=case.tolerance
    )
    assert policy.expected_cost == float(same.best()[1] / total(case))
    assert policy.expected_cost <= solved(problem, known=known, method="greedy").expected_cost


@given(number_cases(max_features=3), st.data())
@settings(max_examples=60)
def test_from_anything_known_it_goes_on_as_cheaply_as_can_be(problem, data):
    case, _, _ = problem
    row = data.draw(st.sampled_from(case.rows))
    names = data.draw(st.lists(st.sampled_from(sorted(case.kinds)), unique=True))
    question = solved(problem).next_feature({name: row[name] for name in names})
    fits = [
        i
        for i, other in enumerate(case.rows)
        if all(case.shown(n, other[n]) == case.shown(n, row[n]) for n in names)
    ]
    left = {p: (own, cost) for p, (own, cost) in case.purchases.items() if set(own) - set(names)}
    left[""] = (tuple(n for n in names if n in case.tree.features), Fraction(0))
    rest = NumberCase(
        case.kinds, case.spec, case.tree, case.rows, case.weights, left, tolerance=case.tolerance
    )
    _, cost = rest.best(fits, frozenset([""]))
    weight = sum((case.weights[i] for i in fits), Fraction(0))
    assert question.expected_cost == pytest.approx(float(cost / weight))
    assert question.interval == case.possible({name: row[name] for name in names})


def test_all_numbers_at_the_leaves_of_two_questions():
    """Every tree a, then b on both sides, with three numbers; some rows; every width there is."""
    kinds = {"a": "boolean", "b": "boolean"}
    every = [{"a": a, "b": b} for a in (False, True) for b in (False, True)]
    true = frozenset([True])
    seen = set()
    for numbers in itertools.product((0.0, 1.0, 2.5), repeat=4):
        low, high = (("split", "b", true, *map(leaf, pair)) for pair in (numbers[:2], numbers[2:]))
        spec = ("split", "a", true, low, high)
        tree = tree_of(spec, kinds)
        for rows, costs in itertools.product(
            (every, every[:1], every[1:3], every[1:]), ({"a": 1, "b": 1}, {"a": 3, "b": 1})
        ):
            purchases = {name: ((name,), Fraction(costs[name])) for name in tree.features}
            for tolerance in (0.0, 1.0, 1.5, 2.5):
                case = NumberCase(
                    kinds,
                    spec,
                    tree,
                    rows,
                    [Fraction(1)] * len(rows),
                    purchases,
                    tolerance=tolerance,
                )
                policy = ol.cheapest_policy(tree, rows, costs, tolerance=tolerance)
                assert policy.optimal
                assert policy.expected_cost == float(case.best()[1] / len(rows))
                seen.add(policy.expected_cost)
    assert len(seen) > 8


def leaf(number):
    return ("leaf", number)


# -- every method ----------------------------------------------------------------------------------


@given(number_cases(max_features=4), st.sampled_from(METHODS))
@settings(max_examples=100)
def test_every_policy_ends_near_enough_and_none_is_cheaper(problem, method):
    case, _, _ = problem
    best = solved(problem)
    policy = solved(problem, method=method, n_episodes=300)
    assert policy.tolerance == case.tolerance
    assert policy.bound <= best.expected_cost <= policy.expected_cost
    told = policy.simulate(case.rows)
    partly = []
    for row, bought in zip(case.rows, told["purchases"], strict=True):
        names = {f for p in bought for f in case.purchases[p][0]}
        partly.append({name: row[name] for name in names})
    ends = [case.possible(row) for row in partly]
    assert list(zip(told["lower"], told["upper"], strict=True)) == ends
    assert all(upper - lower <= case.tolerance for lower, upper in ends)
    given = case.tree.predict(partly, tolerance=case.tolerance)
    assert not np.ma.getmaskarray(given).any()
    assert told["decision"].tolist() == given.tolist()
    spent = policy.costs(case.rows)
    weight = np.array([float(w) for w in case.weights])
    assert np.average(spent, weights=weight) == pytest.approx(policy.expected_cost)
    assert spent.max() == policy.worst_cost


@given(number_cases(max_features=4), st.sampled_from(METHODS), st.data())
@settings(max_examples=60)
def test_rows_that_were_never_seen_end_near_enough(problem, method, data):
    case, _, _ = problem
    values = values_by_feature(case.kinds, case.spec)
    row = {name: data.draw(st.sampled_from(v)) for name, v in sorted(values.items())}
    policy = solved(problem, method=method, n_episodes=50)
    told = policy.simulate([row]).iloc[0]
    names = {f for p in told["purchases"] for f in case.purchases[p][0]}
    assert (told["lower"], told["upper"]) == case.possible({name: row[name] for name in names})
    assert told["upper"] - told["lower"] <= case.tolerance
    assert told["lower"] <= decide(case.spec, row, float32_names(case.kinds)) <= told["upper"]
    if method == "optimal":  # the last answer was needed
        names -= set(case.purchases[told["purchases"][-1]][0]) if told["purchases"] else set()
        lower, upper = case.possible({name: row[name] for name in names})
        assert not told["purchases"] or upper - lower > case.tolerance


@given(number_cases(max_features=4), st.sampled_from(METHODS), st.data())
@settings(max_examples=60)
def test_as_a_tree_it_says_the_midpoints(problem, method, data):
    case, _, _ = problem
    policy = solved(problem, method=method, n_episodes=50)
    tree = policy.to_tree()
    assert tree.task == "regression"
    values = values_by_feature(case.kinds, case.spec)
    row = st.fixed_dictionaries({name: st.sampled_from(v) for name, v in values.items()})
    rows = [*case.rows, *data.draw(st.lists(row, max_size=4))]
    said = tree.predict(rows).tolist()
    assert said == policy.simulate(rows)["decision"].tolist()
    for row, number in zip(rows, said, strict=True):
        true = Fraction(float(decide(case.spec, row, float32_names(case.kinds))))
        width = Fraction(case.tolerance) * Fraction(1 + 2**-40)  # rounded once
        assert abs(Fraction(number) - true) <= width / 2 + Fraction(2) ** -1000


@given(number_cases(max_features=3))
@settings(max_examples=50)
def test_a_wider_interval_is_never_dearer(problem):
    case, _, _ = problem
    widths = sorted(
        {0.0, case.tolerance, 2 * case.tolerance if case.tolerance < 8e307 else 1.7e308}
    )
    spent = [solved(problem, tolerance=width).expected_cost for width in widths]
    assert spent == sorted(spent, reverse=True)


@given(number_cases(max_features=3), st.sampled_from(METHODS))
@settings(max_examples=60)
def test_within_0_is_one_number(problem, method):
    """As without ``tolerance``: questions, costs, decisions; the words, but for the first line."""
    zero = solved(problem, method=method, n_episodes=50, tolerance=0)
    plain = solved(problem, method=method, n_episodes=50, tolerance=None)
    case, _, _ = problem
    assert zero.expected_cost == plain.expected_cost
    assert zero.bound == plain.bound
    told, same = zero.simulate(case.rows), plain.simulate(case.rows)
    for column in ("purchases", "cost", "decision"):
        assert told[column].tolist() == same[column].tolist()
    assert ol.equivalent(zero.to_tree(), plain.to_tree())
    assert ol.equivalent(zero.to_tree(), case.tree)
    if case.tree.task == "regression":
        assert str(zero).splitlines()[1:] == str(plain).splitlines()[1:]
        assert zero.next_feature().reason == plain.next_feature().reason
