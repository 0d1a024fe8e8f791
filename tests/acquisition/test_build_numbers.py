"""Policies that stop when the number is known well enough: the optimum is that of brute force."""

import itertools
import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle import decide, float32_names, values_by_feature
from oracle_acquisition import NumberCase
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import tree_of

import orderless as ol
from orderless.errors import InvalidTree
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
    within = max(0.0, draw(st.sampled_from([*near, 0.0, 0.5, 1.6e308])))
    own = {field.name: getattr(case, field.name) for field in fields(case)}
    if draw(st.booleans()):
        own["tree"] = case.tree.as_regression()
    return NumberCase(**own, within=within), costs, {**more, "within": within}


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
    assert (open_ == ~(told["upper"] - told["lower"] <= case.within)).all()
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
        case.kinds, case.spec, case.tree, case.rows, case.weights, free, within=case.within
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
        case.kinds, case.spec, case.tree, case.rows, case.weights, left, within=case.within
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
            for within in (0.0, 1.0, 1.5, 2.5):
                case = NumberCase(
                    kinds, spec, tree, rows, [Fraction(1)] * len(rows), purchases, within=within
                )
                policy = ol.cheapest_policy(tree, rows, costs, within=within)
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
    assert policy.within == case.within
    assert policy.bound <= best.expected_cost <= policy.expected_cost
    told = policy.simulate(case.rows)
    partly = []
    for row, bought in zip(case.rows, told["purchases"], strict=True):
        names = {f for p in bought for f in case.purchases[p][0]}
        partly.append({name: row[name] for name in names})
    ends = [case.possible(row) for row in partly]
    assert list(zip(told["lower"], told["upper"], strict=True)) == ends
    assert all(upper - lower <= case.within for lower, upper in ends)
    given = case.tree.predict(partly, within=case.within)
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
    assert told["upper"] - told["lower"] <= case.within
    assert told["lower"] <= decide(case.spec, row, float32_names(case.kinds)) <= told["upper"]
    if method == "optimal":  # the last answer was needed
        names -= set(case.purchases[told["purchases"][-1]][0]) if told["purchases"] else set()
        lower, upper = case.possible({name: row[name] for name in names})
        assert not told["purchases"] or upper - lower > case.within


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
        width = Fraction(case.within) * Fraction(1 + 2**-40)  # rounded once
        assert abs(Fraction(number) - true) <= width / 2 + Fraction(2) ** -1000


@given(number_cases(max_features=3))
@settings(max_examples=50)
def test_a_wider_interval_is_never_dearer(problem):
    case, _, _ = problem
    widths = sorted({0.0, case.within, 2 * case.within if case.within < 8e307 else 1.7e308})
    spent = [solved(problem, within=width).expected_cost for width in widths]
    assert spent == sorted(spent, reverse=True)


@given(number_cases(max_features=3), st.sampled_from(METHODS))
@settings(max_examples=60)
def test_within_0_is_one_number(problem, method):
    """As without ``within``: questions, costs, decisions; the words, but for the first line."""
    zero = solved(problem, method=method, n_episodes=50, within=0)
    plain = solved(problem, method=method, n_episodes=50, within=None)
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


# -- by hand ---------------------------------------------------------------------------------------


def sums(*parts):
    """A tree over booleans a, b, c, ... whose number is the sum of the parts that hold."""

    def grow(names, so_far):
        if not names:
            return {"prediction": float(so_far)}
        rest = dict(list(names.items())[1:])
        name, part = next(iter(names.items()))
        return {
            "feature": name,
            "true": grow(rest, so_far + part),
            "false": grow(rest, so_far),
        }

    names = dict(zip("abcdefgh", map(Fraction, parts), strict=False))
    tree = {"task": "regression", **grow(names, Fraction(0))}
    return ol.read_tree(tree, feature_names=list(names))


def every_row(n):
    return [[i >> k & 1 for k in range(n)] for i in range(2**n)]


def test_any_two_of_three_small_parts():
    """No single part is wider than 0.5, and yet one must ask for two, the cheapest."""
    tree = sums("0.4", "0.4", "0.4")
    policy = ol.cheapest_policy(tree, every_row(3), {"a": 3, "b": 1, "c": 2}, within=0.5)
    assert policy.expected_cost == policy.worst_cost == 3
    assert policy.optimal
    assert set(policy.simulate(every_row(3))["purchases"]) == {("b", "c")}


def test_sums_leave_out_as_much_as_fits():
    """Of a sum, all parts together that are not asked for must fit: a knapsack, tried out."""
    parts, costs = ("4", "2", "1", "0.5", "8"), (5, 3, 4, 1, 2)
    tree, rows = sums(*parts), every_row(5)
    for within in (0, 0.5, 1, 1.5, 3, 3.5, 7.5, 8, 15, 15.5, 20):
        left_out = [
            sum(cost for k, cost in enumerate(costs) if i >> k & 1)
            for i in range(32)
            if sum(Fraction(part) for k, part in enumerate(parts) if i >> k & 1) <= within
        ]
        policy = ol.cheapest_policy(tree, rows, dict(zip("abcde", costs, strict=True)),
                                    within=within)  # fmt: skip
        assert policy.expected_cost == sum(costs) - max(left_out)
        assert policy.optimal


def test_a_number_may_end_in_several_intervals():
    """5 is within 1 of 4 and of 6: whichever can be told apart at less cost."""
    tree = ol.read_tree({"task": "regression", "feature": "a", "true": {"prediction": 4.0},
        "false": {"feature": "b", "true": {"prediction": 6.0}, "false": {"prediction": 5.0}}},
        feature_names=["a", "b"])  # fmt: skip
    rows = [[0, 0]]
    for costs, bought in (((1, 2), "a"), ((2, 1), "b")):
        policy = ol.cheapest_policy(tree, rows, costs, within=1)
        assert policy.simulate(rows)["purchases"][0] == (bought,)
        assert policy.expected_cost == policy.bound == 1
        lower, upper = {"a": (5, 6), "b": (4, 5)}[bought]
        last = policy.next_feature({bought: 0})
        assert (last.interval, last.decision) == ((lower, upper), (lower + upper) / 2)
        assert str(last) == f"Settled: between {lower} and {upper}."
        assert last.possible == (lower, upper)


def test_more_than_64_leaves():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (300, 5)).astype(float)
    y = np.round(rng.normal(size=300), 1)
    tree = ol.read_tree(DecisionTreeRegressor(random_state=0).fit(X, y))
    assert tree.n_leaves > 128
    costs = [3, 1, 4, 1, 5]
    spent = []
    for within in (0, 1.0, 2.0, 3.0, float(np.ptp(tree.numbers))):
        policy = ol.cheapest_policy(tree, X, costs, within=within)
        assert policy.optimal
        told = policy.simulate(X)
        assert (told["upper"] - told["lower"] <= within).all()
        assert ((told["lower"] <= tree.predict(X)) & (tree.predict(X) <= told["upper"])).all()
        spent.append(policy.expected_cost)
        for method in ("greedy", "path", "q-learning"):
            other = ol.cheapest_policy(tree, X, costs, method=method, within=within)
            assert other.bound <= policy.expected_cost <= other.expected_cost
    assert spent == sorted(spent, reverse=True)
    assert spent[0] > spent[2] > spent[-1] == 0


def test_out_of_states():
    """A real tree, stopped too early: the best that was found, and a bound that holds."""
    X, y = load_diabetes(return_X_y=True)
    tree = ol.read_tree(DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y))
    costs = {name: 1 + k % 4 for k, name in enumerate(tree.space.names)}
    bounds = []
    for limit in (1, 50, 1000):
        with pytest.warns(UserWarning, match="no policy was proven"):
            policy = ol.cheapest_policy(tree, X, costs, limit=limit, within=40.0)
        assert 0 < policy.bound < policy.expected_cost
        bounds.append((policy.bound, policy.expected_cost))
        for method in ("greedy", "path"):
            other = ol.cheapest_policy(tree, X, costs, method=method, within=40.0)
            assert policy.expected_cost <= other.expected_cost
        told = policy.simulate(X)
        assert (told["upper"] - told["lower"] <= 40).all()
    assert max(low for low, _ in bounds) <= min(high for _, high in bounds)


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("within", "match"),
    [
        (-0.1, "within must be a finite number of at least 0, got -0.1"),
        (math.nan, "within must be a finite number of at least 0, got nan"),
        (math.inf, "within must be a finite number of at least 0, got inf"),
        (10**400, "within must be a finite number of at least 0, got 1000"),
        ("0.5", "within must be a number of at least 0, got '0.5'"),
        (True, "within must be a number of at least 0, got True"),
        (1j, "within must be a number of at least 0, got 1j"),
        ([1], r"within must be a number of at least 0, got \[1\]"),
    ],
)
def test_widths_that_are_refused(within, match):
    tree = sums(1, 2)
    with pytest.raises(ValueError, match=match):
        ol.cheapest_policy(tree, every_row(2), [1, 1], within=within)
    with pytest.raises(ValueError, match=match):
        tree.predict(every_row(2), within=within)


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True)])
def test_classes_that_are_not_numbers_are_refused(labels):
    no, yes = labels
    tree = {"feature": "a", "true": {"prediction": yes}, "false": {"prediction": no}}
    tree = ol.read_tree(tree, feature_names=["a"])
    with pytest.raises(InvalidTree, match=r"are not numbers: .* decide_at"):
        ol.cheapest_policy(tree, [[0]], [1], within=0.5)


@pytest.mark.parametrize("within", [np.float32(0.5), np.int64(1), 1, np.float64(0.25)])
def test_widths_of_every_kind(within):
    policy = ol.cheapest_policy(sums(1, 2), every_row(2), [1, 1], within=within)
    assert policy.within == float(within)


def test_constant_trees_cost_nothing():
    for method in METHODS:
        policy = ol.cheapest_policy({"prediction": 2.5}, [{}], {}, method=method, within=1)
        assert policy.expected_cost == policy.worst_cost == policy.bound == 0
        assert policy.optimal
        assert policy.next_feature().decision == 2.5
        assert policy.next_feature().interval == (2.5, 2.5)
        assert str(policy.next_feature()) == "Determined: 2.5."
        assert policy.to_tree().classes == (2.5,)
        assert ol.Policy.from_json(policy.to_json()).to_json() == policy.to_json()


def test_a_tree_that_is_narrow_from_the_start_asks_nothing():
    policy = ol.cheapest_policy(sums(1, 2), every_row(2), [1, 1], within=3)
    assert policy.expected_cost == 0
    assert str(policy.next_feature()) == "Settled: between 0 and 3."
    assert policy.to_tree().classes == (1.5,)
    naive = ol.cheapest_policy(sums(1, 2), every_row(2), [1, 1], within=3, method="naive")
    assert naive.expected_cost == 2
    assert naive.bound == 0


# -- risks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("probability", [0.0, 0.05, 0.2, 0.5, 0.9, 1.0])
def test_until_the_risk_is_on_one_side(probability):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["mean texture", "worst radius", "worst texture", "worst concave points"]]
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
    decision = ol.read_tree(model).decide_at(0, probability)
    costs = {"mean texture": 1, "worst radius": 3, "worst texture": 3, "worst concave points": 10}
    policy = ol.cheapest_policy(decision, X, costs)
    assert policy.optimal
    told = policy.simulate(X)
    assert (
        told["decision"].to_numpy(dtype=bool) == (model.predict_proba(X)[:, 0] >= probability)
    ).all()
    assert ol.equivalent(policy.to_tree(), decision)
    known = [
        {n: (v if n in bought else None) for n, v in row.items()}
        for row, bought in zip(X.head(80).to_dict("records"), told["purchases"], strict=False)
    ]
    assert not np.ma.getmaskarray(decision.predict(known)).any()
