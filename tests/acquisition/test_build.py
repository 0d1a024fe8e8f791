"""The cheapest policy: the optimum is that of brute force, whatever the kinds, costs and rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle import decide, float32_names, values_by_feature
from oracle_acquisition import Case
from strategies import LABELS, kinds, specs, tree_of

import orderless as ol

METHODS = ("optimal", "q-learning", "greedy", "path", "naive")
COSTS = st.sampled_from([0, 1, 2, 3, 5, 10, 0.1, 0.25, 2.5, 7])


@st.composite
def cases(draw, max_features=3, depth=3, max_rows=7, limited=False, labels=LABELS):
    which = draw(kinds(min_features=1, max_features=max_features))
    spec = draw(specs(which, draw(labels), depth))
    tree = tree_of(spec, which)
    values = values_by_feature(which, spec)
    row = st.fixed_dictionaries({name: st.sampled_from(v) for name, v in values.items()})
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    if len(rows) > 1 and draw(st.booleans()):  # correlated: two features are one
        first, second = sorted(which)[0], sorted(which)[-1]
        rows = [
            {**r, second: values[second][values[first].index(r[first]) % len(values[second])]}
            for r in rows
        ]
    weights = [Fraction(draw(st.integers(1, 4))) for _ in rows]
    costs = {name: draw(COSTS) for name in which}
    groups = {}
    if len(which) > 1 and draw(st.integers(0, 3)) == 0:
        members = sorted(which)[:2]
        groups = {"both of them": members}
        costs = {n: c for n, c in costs.items() if n not in members} | {"both of them": draw(COSTS)}
    purchases = {}
    for name in tree.features:
        group = next((g for g, members in groups.items() if name in members), name)
        features = tuple(n for n in groups.get(group, [name]) if n in tree.features)
        purchases[group] = (features, Fraction(str(costs[group])))
    case = Case(which, spec, tree, rows, weights, purchases)
    options = {"groups": groups or None, "sample_weight": [float(w) for w in weights]}
    if limited:
        case.budget = draw(st.sampled_from([None, Fraction(0), Fraction(3), Fraction("5.1")]))
        case.questions = draw(st.sampled_from([None, 0, 1, 2]))
        options["budget"] = None if case.budget is None else float(case.budget)
        options["max_questions"] = case.questions
    return case, costs, options


def solved(problem, **more):
    case, costs, options = problem
    return ol.cheapest_policy(case.tree, case.rows, costs, **{**options, **more})


def total(case):
    return sum(case.weights, Fraction(0))


@given(cases())
@settings(max_examples=100)
def test_optimal_is_what_brute_force_finds(problem):
    case, _, _ = problem
    policy = solved(problem)
    _, cost = case.best()
    assert policy.optimal
    assert policy.expected_cost == policy.bound == float(cost / total(case))
    assert policy.share_determined == 1


@given(cases())
@settings(max_examples=50)
def test_the_dearest_row_is_as_cheap_as_brute_force_finds(problem):
    case, _, _ = problem
    case.worst = True
    policy = solved(problem, objective="worst")
    most = case.best()[1]
    assert policy.optimal
    assert policy.worst_cost == policy.bound == float(most)
    case.worst, case.budget = False, most  # and of such policies it is the cheapest on average
    assert policy.expected_cost == float(case.best()[1] / total(case))


@given(cases(limited=True), st.booleans())
@settings(max_examples=50)
def test_within_a_budget_brute_force_determines_no_more(problem, worst):
    case, _, _ = problem
    case.worst = worst
    missed, cost = case.best()
    policy = solved(problem, objective="worst" if worst else "expected")
    assert policy.optimal
    assert policy.share_determined == policy.share_bound == 1 - float(missed) / float(total(case))
    got = policy.worst_cost if worst else policy.expected_cost
    assert policy.optimal
    assert got == policy.bound == float(cost if worst else cost / total(case))
    if case.budget is not None:
        assert (policy.costs(case.rows) <= float(case.budget)).all()
    if case.questions is not None:
        assert (policy.simulate(case.rows)["questions"] <= case.questions).all()


@given(cases(max_features=2, max_rows=4))
@settings(max_examples=40)
def test_no_policy_written_out_is_cheaper(problem):
    """Independent of the equation for V: every policy is written out and paid for."""
    case, _, _ = problem
    everyone = list(case.all_policies(list(range(len(case.rows)))))
    spent = [sum((case.weights[i] * c for i, c in p.items()), Fraction(0)) for p in everyone]
    assert solved(problem).expected_cost == float(min(spent) / total(case))
    worst = min(max(policy.values()) for policy in everyone)
    assert solved(problem, objective="worst").worst_cost == float(worst)


@given(cases(max_features=4), st.sampled_from(METHODS))
@settings(max_examples=100)
def test_every_policy_decides_as_the_tree_and_none_is_cheaper(problem, method):
    case, _, _ = problem
    best = solved(problem)
    policy = solved(problem, method=method, n_episodes=300)
    assert policy.bound <= best.expected_cost <= policy.expected_cost
    told = policy.simulate(case.rows)
    for row, label in zip(case.rows, told["decision"], strict=True):
        assert label == decide(case.spec, row, float32_names(case.kinds))
    spent = policy.costs(case.rows)
    weight = np.array([float(w) for w in case.weights])
    assert np.average(spent, weights=weight) == pytest.approx(policy.expected_cost)
    assert spent.max() == policy.worst_cost
    assert told["cost"].tolist() == spent.tolist()
    paid = [sum(policy.purchases[name] for name in bought) for bought in told["purchases"]]
    assert paid == pytest.approx(spent.tolist())
    assert ol.equivalent(policy.to_tree(), case.tree)


@given(cases(max_features=4), st.sampled_from(METHODS), st.data())
@settings(max_examples=50)
def test_rows_that_were_never_seen_end_determined(problem, method, data):
    case, _, _ = problem
    values = values_by_feature(case.kinds, case.spec)
    row = {name: data.draw(st.sampled_from(v)) for name, v in sorted(values.items())}
    told = solved(problem, method=method, n_episodes=50).simulate([row])
    assert told["decision"][0] == decide(case.spec, row, float32_names(case.kinds))
    features = sum((case.purchases[name][0] for name in told["purchases"][0]), ())
    if method == "naive":
        assert set(features) == set(case.tree.features)
    if method == "path":  # the features of the conditions on the way of the row
        node, way = 0, []
        while case.tree.nodes.feature[node] >= 0:
            name = case.tree.space.names[case.tree.nodes.feature[node]]
            way.append(next(p for p, (own, _) in case.purchases.items() if name in own))
            holds = case.holds(node, row[name])
            node = (case.tree.nodes.when_true if holds else case.tree.nodes.when_false)[node]
        assert told["purchases"][0] == tuple(dict.fromkeys(way))
    if method == "greedy":
        costs = [case.purchases[name][1] for name in told["purchases"][0]]
        assert costs == sorted(costs)


@given(cases(max_features=4), st.data())
@settings(max_examples=60)
def test_what_is_known_at_the_start_costs_nothing(problem, data):
    case, _costs, _options = problem
    case_known = [
        name for name in case.tree.features if (name,) == case.purchases.get(name, ((),))[0]
    ]
    known = data.draw(st.lists(st.sampled_from(case_known), unique=True)) if case_known else []
    policy = solved(problem, known=known)
    free = {name: (own, Fraction(0) if name in known else c)
            for name, (own, c) in case.purchases.items()}  # fmt: skip
    same = Case(case.kinds, case.spec, case.tree, case.rows, case.weights, free)
    assert policy.expected_cost == float(same.best()[1] / total(case))
    assert not set(known) & {name for b in policy.simulate(case.rows)["purchases"] for name in b}
    assert ol.equivalent(policy.to_tree(), case.tree)
    plain = solved(problem, known=known, method="greedy")
    assert policy.expected_cost <= plain.expected_cost


@given(cases(max_features=4), st.data())
@settings(max_examples=50)
def test_questions_one_by_one(problem, data):
    """next_feature leads every row the way that simulate tells, and says what is true there."""
    case, _costs, _options = problem
    method = data.draw(st.sampled_from(["optimal", "greedy", "q-learning"]))
    policy = solved(problem, method=method, n_episodes=100)
    row = data.draw(st.sampled_from(case.rows))
    told = policy.simulate([row]).iloc[0]
    known = {}
    for name in told["purchases"]:
        question = policy.next_feature(known)
        assert question.feature == name
        assert not question.determined
        assert set(question.features) == set(case.purchases[name][0])
        assert sum(one.chance for one in question.outcomes) == pytest.approx(1)
        below = sum(one.chance * one.expected_cost for one in question.outcomes)
        assert question.expected_cost == pytest.approx(question.cost + below)
        known |= {feature: row[feature] for feature in question.features}
    last = policy.next_feature(known)
    assert last.feature is None
    assert last.determined
    assert last.decision == told["decision"]
    assert str(last.decision) in last.reason or last.decision == ""


@given(cases(max_features=3), st.data())
@settings(max_examples=60)
def test_from_anything_known_it_goes_on_as_cheaply_as_can_be(problem, data):
    case, _costs, _ = problem
    policy = solved(problem)
    row = data.draw(st.sampled_from(case.rows))
    names = data.draw(st.lists(st.sampled_from(sorted(case.kinds)), unique=True))
    known = {name: row[name] for name in names}
    question = policy.next_feature(known)
    fits = [
        i
        for i, other in enumerate(case.rows)
        if all(case.shown(n, other[n]) == case.shown(n, row[n]) for n in names)
    ]
    left = {
        name: (own, cost) for name, (own, cost) in case.purchases.items() if set(own) - set(names)
    }
    rest = Case(case.kinds, case.spec, case.tree, case.rows, case.weights, {
        **left, "": (tuple(n for n in names if n in case.tree.features), Fraction(0)),
    })  # fmt: skip
    _, cost = rest.best(fits, frozenset([""]))
    weight = sum((case.weights[i] for i in fits), Fraction(0))
    assert question.expected_cost == pytest.approx(float(cost / weight))
