"""Policies: costs, and those that are refused; limits; Q-learning."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from oracle import all_boolean_trees
from oracle_acquisition import Case
from sklearn.tree import DecisionTreeClassifier
from strategies import tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace
from tests.acquisition.test_build import METHODS, cases, solved

from .small_policies import EVERY, a_and_b, hard, policy_of, wards

# -- exhaustively --------------------------------------------------------------------------------


def test_all_trees_of_two_features():
    """Every tree over two booleans, every subset of rows, three ways to weigh the costs."""
    kinds = {"a": "boolean", "b": "boolean"}
    every = [{"a": a, "b": b} for a in (False, True) for b in (False, True)]
    seen = 0
    for spec in all_boolean_trees(("a", "b")):
        tree = tree_of(spec, kinds)
        for which in range(1, 16):
            rows = [row for i, row in enumerate(every) if which >> i & 1]
            for costs in ({"a": 1, "b": 1}, {"a": 3, "b": 1}):
                purchases = {n: ((n,), Fraction(costs[n])) for n in tree.features}
                case = Case(kinds, spec, tree, rows, [Fraction(1)] * len(rows), purchases)
                policy = ol.cheapest_policy(tree, rows, costs)
                assert policy.expected_cost == float(case.best()[1] / len(rows))
                seen += 1
    assert seen > 1000


def test_a_question_that_cannot_matter_may_be_worth_its_cost():
    """Where q is 0, p cannot change the class; but it tells whether to buy a or b."""
    both = {"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
    by_p = {"feature": "p", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read({"feature": "q", "true": by_p, "false": both}, feature_names=list("abpq"))
    rows = [{"q": 0, "p": p, "a": p, "b": 1 - p} for p in (0, 1)]
    policy = ol.cheapest_policy(tree, rows, {"a": 10, "b": 10, "p": 1, "q": 0})
    assert policy.expected_cost == 11
    assert set(policy.simulate(rows)["purchases"]) == {("q", "p", "a"), ("q", "p", "b")}


# -- costs ---------------------------------------------------------------------------------------


ONES = {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("costs", "options", "error", "match"),
    [
        ({"a": 1}, {}, InvalidData, "no cost for 'b', which the tree asks about"),
        ({}, {}, InvalidData, r"no cost for 'a', 'b'.* all others .*dict.fromkeys\(tree.features"),
        ({"a": 1, "b": -1}, {}, InvalidData, "cost of 'b' is -1: nothing costs or weighs less"),
        ({"a": 1, "b": np.nan}, {}, InvalidData, "cost of 'b' is nan: give a finite number"),
        ({"a": 1, "b": np.inf}, {}, InvalidData, "cost of 'b' is inf: give a finite number"),
        ({"a": 1, "b": "2"}, {}, InvalidData, "cost of 'b' is '2': give a number"),
        ({"a": 1, "b": True}, {}, InvalidData, "cost of 'b' is True: give a number"),
        ({"a": 1, "b": None}, {}, InvalidData, "cost of 'b' is None: give a number"),
        ({"a": 1, "b": 1, "c": 1}, {}, InvalidSpace, "no feature 'c': the features are 'a', 'b'"),
        ([1], {}, InvalidData, r"got 1 costs for 2 features \('a', 'b'\)"),
        (3, {}, InvalidData, "costs must be a dict of feature -> cost, or one .* got 3"),
        ({"a": 1, "b": 2}, {"groups": {"g": ["a", "b"]}}, InvalidData, "have different costs"),
        ({"a": 1, "g": 2}, {"groups": {"g": ["a", "b"]}}, InvalidData, "'g' has a cost, and so"),
        ({}, {"groups": {"g": ["a", "b"]}}, InvalidData, "no cost for the group 'g'"),
        ({"g": 1}, {"groups": {"g": ["a", "z"]}}, InvalidSpace, "no feature 'z'"),
        ({"g": 1}, {"groups": {"g": ["a", "b", "a"]}}, InvalidData, "'a' is in two groups, or twi"),
        ({"g": 1}, {"groups": {"g": "ab"}}, InvalidData, "a group must be a list of .* got 'ab'"),
        ({"g": 1}, {"groups": {"g": []}}, InvalidData, "the group 'g' has no features"),
        ({"g": 1}, {"groups": 7}, InvalidData, "groups must be a dict of name -> .* got 7"),
        ({"a": 1}, {"groups": {"a": ["a", "b"]}}, InvalidData, "a group cannot be named 'a'"),
        ({"a": 1}, {"groups": {3: ["a", "b"]}}, InvalidData, "a group's name must be text"),
        (ONES, {"known": ["z"]}, InvalidSpace, "no feature 'z'"),
        (ONES, {"method": "best"}, ValueError, "method must be one of 'optimal', .*, got 'best'"),
        (ONES, {"objective": "most"}, ValueError, "objective must be one of .* got 'most'"),
        (ONES, {"budget": -1}, InvalidData, "budget is -1: nothing costs"),
        (ONES, {"max_questions": 1.5}, ValueError, "max_questions must be a whole .* got 1.5"),
        (ONES, {"max_questions": -1}, ValueError, "max_questions must be a whole .* got -1"),
        (ONES, {"limit": 0}, ValueError, "limit must be at least 1 .*got 0"),
        (ONES, {"gamma": 1.1}, ValueError, "gamma must be from 0 to 1, got 1.1"),
        (ONES, {"alpha": -1}, ValueError, "alpha must be from 0 to 1, got -1"),
        (ONES, {"exploration": 2}, ValueError, "exploration must be from 0 to 1, got 2"),
        (ONES, {"n_episodes": -1}, ValueError, "n_episodes must be a whole .* got -1"),
        (ONES, {"random_state": "x"}, ValueError, "random_state must be a whole .* got 'x'"),
        (ONES, {"reward": np.nan}, InvalidData, "reward is nan: give a finite"),
        (ONES, {"sample_weight": [1, 1]}, InvalidData, r"has shape \(2,\), but there"),
        (ONES, {"sample_weight": [1, 1, 1, -1]}, InvalidData, "sample_weight has -1 in row 3"),
        (ONES, {"sample_weight": [0] * 4}, InvalidData, "sample_weight is zero in every row"),
    ],
)  # fmt: skip
def test_what_is_refused(costs, options, error, match):
    with pytest.raises(error, match=match):
        ol.cheapest_policy(a_and_b(), EVERY, costs, **options)


def test_rows_must_be_complete():
    with pytest.raises(InvalidData, match="row 1 has no value for 'b'"):
        ol.cheapest_policy(a_and_b(), [[0, 0], [1, None]], [1, 1])
    with pytest.raises(InvalidData, match="X has no rows"):
        ol.cheapest_policy(a_and_b(), [], {"a": 1, "b": 1})
    with pytest.raises(InvalidData, match="row 0 has no value for 'a'"):
        policy_of().costs([{"b": 1}])


def test_ways_to_say_costs():
    expected = policy_of().expected_cost
    assert expected == 3.5
    for costs in ([5, 1], np.array([5.0, 1.0]), pd.Series({"b": 1, "a": 5}), (Fraction(5), 1)):
        assert ol.cheapest_policy(a_and_b(), EVERY, costs).expected_cost == expected
    frame = pd.DataFrame(EVERY, columns=["a", "b"])[["b", "a"]]  # by the columns of X
    assert ol.cheapest_policy(a_and_b(), frame, [1, 5]).expected_cost == expected


def test_costs_of_the_features_that_columns_tell_of():
    X = pd.DataFrame({"age": [20, 30, 40, 50] * 5, "dose": [1.0, 2.0, 2.0, 3.0] * 5})
    binarizer = ol.Binarizer((0.33, 0.66)).fit(X)
    model = DecisionTreeClassifier(random_state=0).fit(binarizer.transform(X), [0, 1, 1, 0] * 5)
    tree = ol.read(model, preprocessing=binarizer)
    raw = ol.cheapest_policy(tree, X, [1, 4])
    told = ol.read(model, space=binarizer.space_)
    bits = ol.cheapest_policy(told, binarizer.transform(X), [1, 4])
    assert raw.expected_cost == bits.expected_cost > 0


def test_decimals_are_exact():
    policy = policy_of((0.1, 0.2), method="naive")
    assert policy.expected_cost == 0.3  # and not 0.30000000000000004
    assert policy.exact
    fine = policy_of((1e-12, 1e12), budget=1e13)
    assert not fine.exact
    assert fine.expected_cost == pytest.approx(5e11)


def test_a_group_is_bought_together():
    tree, rows, _ = wards()
    costs = {"ward": 4, "lab": 3}
    policy = ol.cheapest_policy(tree, rows, costs, groups={"lab": ['the "age"', "dose <mg>"]})
    assert policy.purchases == {"lab": 3, "ward": 4}
    assert policy.next_feature({"ward": "east"}).features == ('the "age"', "dose <mg>")
    assert ol.equivalent(policy.to_tree(), tree)
    unnamed = ol.cheapest_policy(
        tree, rows, {"ward": 4, 'the "age"': 3, "dose <mg>": 3}, groups=[['the "age"', "dose <mg>"]]
    )
    assert unnamed.expected_cost == policy.expected_cost


def test_constant_trees_cost_nothing():
    for method in METHODS:
        policy = ol.cheapest_policy({"prediction": "yes"}, [{}], {}, method=method)
        assert policy.expected_cost == policy.worst_cost == policy.bound == 0
        assert policy.optimal
        assert policy.next_feature().decision == "yes"
        assert str(policy).endswith("yes")
        assert policy.to_tree().n_leaves == 1
        assert policy.simulate([{}, {}])["decision"].tolist() == ["yes", "yes"]
        assert ol.Policy.from_json(policy.to_json()).to_json() == policy.to_json()


def test_costs_of_nothing():
    policy = policy_of((0, 0))
    assert policy.expected_cost == policy.bound == 0
    assert policy.optimal
    assert ol.equivalent(policy.to_tree(), a_and_b())


@pytest.mark.parametrize(
    ("objective", "options"),
    [("expected", {"limit": 50}), ("expected", {"time_limit": 0.0001}), ("expected", {"limit": 1}),
     ("worst", {"limit": 50}), ("worst", {"limit": 1})],
    ids=str,
)  # fmt: skip
def test_out_of_time_or_states(objective, options):
    tree, X, costs = hard()
    with pytest.warns(UserWarning, match="no policy was proven .* the best found: raise them"):
        policy = ol.cheapest_policy(tree, X, costs, objective=objective, **options)
    assert not policy.optimal
    value = {"expected": "expected_cost", "worst": "worst_cost"}[objective]
    assert 0 < policy.bound < getattr(policy, value)
    for method in ("greedy", "path"):
        other = ol.cheapest_policy(tree, X, costs, method=method)
        assert getattr(policy, value) <= getattr(other, value)
    assert policy.costs(X).mean() == pytest.approx(policy.expected_cost)
    np.testing.assert_array_equal(policy.simulate(X)["decision"], tree.predict(X))


def test_more_time_is_never_worse_and_the_bound_holds():
    tree, X, costs = hard(n_features=8, n_rows=150)
    best = ol.cheapest_policy(tree, X, costs)
    assert best.optimal
    for limit in (1, 20, 200):
        with pytest.warns(UserWarning, match="no policy was proven"):
            some = ol.cheapest_policy(tree, X, costs, limit=limit)
        assert some.bound <= best.expected_cost <= some.expected_cost


def test_more_than_64_leaves():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (300, 5)).astype(float)
    y = rng.integers(0, 3, 300)
    tree = ol.read(DecisionTreeClassifier(random_state=0).fit(X, y))
    assert tree.n_leaves > 128
    policy = ol.cheapest_policy(tree, X, [3, 1, 4, 1, 5])
    assert policy.optimal
    assert ol.equivalent(policy.to_tree(), tree)
    for method in ("greedy", "path", "q-learning"):
        other = ol.cheapest_policy(tree, X, [3, 1, 4, 1, 5], method=method)
        assert policy.expected_cost <= other.expected_cost


def test_ctrl_c_is_heard():
    code = (
        "import os, random, signal, threading\n"
        "import orderless as ol\n"
        "random.seed(0)\n"
        "def grow(free, depth):\n"
        "    if depth == 0:\n"
        "        return {'prediction': random.randint(0, 1)}\n"
        "    f = random.choice(free)\n"
        "    rest = [g for g in free if g != f]\n"
        "    return {'feature': f, 'true': grow(rest, depth - 1), 'false': grow(rest, depth - 1)}\n"
        "tree = ol.read(grow(list(range(30)), 9))\n"
        "X = [[random.randint(0, 1) for _ in tree.space.names] for _ in range(3000)]\n"
        "costs = [random.randint(1, 9) for _ in tree.space.names]\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    ol.cheapest_policy(tree, X, costs, limit=10**9, time_limit=1e9)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "heard"


# -- Q-learning ----------------------------------------------------------------------------------


@given(cases(max_features=4))
@settings(max_examples=60)
def test_values_begin_with_the_walk_of_the_tree(problem):
    """The paper's Algorithm 7: the reward less what the path still costs, in each of its states."""
    case, costs, _ = problem
    policy = solved(problem, method="q-learning", n_episodes=0)
    path = solved(problem, method="path")
    total = sum(Fraction(str(cost)) for cost in costs.values())
    start = (None,) * len(case.purchases)
    if not case.purchases:
        return
    first = path.simulate(case.rows)["purchases"][0][0]
    values = policy.q_table.of(start)
    assert values[first] == pytest.approx(float(total) - path.expected_cost)
    assert all(value == 0 for name, value in values.items() if name != first)
    for state, at in policy.q_table.states.items():  # the other states, by hand
        fits = [
            i
            for i, row in enumerate(case.rows)
            if all(
                outcome is None or _bins(policy, name, row) == outcome
                for name, outcome in zip(policy.q_table.names, state, strict=True)
            )
        ]
        bought = {n for n, o in zip(policy.q_table.names, state, strict=True) if o is not None}
        left = 0.0
        for i in fits:
            spent = path.simulate([case.rows[i]])["purchases"][0]
            left += float(case.weights[i]) * sum(
                float(case.purchases[n][1]) for n in spent if n not in bought
            )
        weight = sum(float(case.weights[i]) for i in fits)
        assert policy.q_table.values[at].sum() == pytest.approx(float(total) - left / weight)


def _bins(policy, name, row):
    problem = policy.problem
    purchase = next(p for p in problem.purchases if p.name == name)
    sides = policy._sides(row)
    return tuple(sides[k].bit_length() - 1 for k in purchase.features)


def test_costs_are_like_the_rows():
    policy, X = policy_of(), [[0, 0], [1, 1]]
    frame = pd.DataFrame(X, columns=["a", "b"], index=["x", "y"])
    assert policy.costs(X).tolist() == [1, 6]
    assert policy.costs(frame).to_dict() == {"x": 1, "y": 6}
    assert policy.costs(pl.from_pandas(frame)).to_list() == [1, 6]
    assert policy.simulate(frame)["cost"].to_dict() == {"x": 1, "y": 6}


def test_learning_is_seeded():
    tree, X, costs = hard(n_features=6, n_rows=100)

    def learned(seed, **options):
        return ol.cheapest_policy(
            tree, X, costs, method="q-learning", n_episodes=500, random_state=seed, **options
        )

    assert learned(3).to_json() == learned(3).to_json()
    assert learned(3).q_table.states != learned(4).q_table.states
    rng = np.random.default_rng(0)
    assert learned(rng).q_table.states != learned(rng).q_table.states  # it goes on
    assert learned(None).q_table.states != learned(None).q_table.states


def test_undiscounted_learning_comes_close_to_the_optimum():
    tree, X, costs = hard(n_features=4, n_rows=200)
    best = ol.cheapest_policy(tree, X, costs).expected_cost
    options = {"method": "q-learning", "n_episodes": 20_000}
    plain = ol.cheapest_policy(tree, X, costs, gamma=1, **options).expected_cost
    assert best <= plain <= 1.05 * best


def test_discounted_learning_asks_few_questions_rather_than_cheap_ones():
    """One dear question settles it, or two cheap ones; with gamma 0.9 these are worth less.

    By hand: 100 - 12 = 88 against -5 + 0.9 (100 - 5) = 80.5.
    """
    two = {"feature": "two", "true": {"prediction": 1}, "false": {"prediction": 0}}
    one = {"feature": "one", "true": two, "false": {"prediction": 0}}
    tree = {"feature": "dear", "true": {"prediction": 1}, "false": one}
    tree = ol.read(tree, feature_names=["dear", "one", "two"])
    rows = [{"one": 1, "two": 1, "dear": 1}]
    costs = {"one": 5, "two": 5, "dear": 12}
    options = {"method": "q-learning", "reward": 100}
    assert ol.cheapest_policy(tree, rows, costs).expected_cost == 10
    assert ol.cheapest_policy(tree, rows, costs, gamma=1, **options).expected_cost == 10
    discounted = ol.cheapest_policy(tree, rows, costs, **options)
    assert discounted.expected_cost == 12
    values = discounted.q_table.of((None, None, None))
    assert values["dear"] == 88
    assert values["one"] == pytest.approx(80.5, abs=0.01)


# -- the paper's data ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["compas_complete", "wine_quality", "wisconsin", "iris_virginica"])
def test_optimal_is_cheaper_on_the_papers_data(shared, name):
    """Section 7: a bootstrap, two quantile cuts, depth 3, costs from 1 to 10."""
    data = pd.read_csv(shared / "data" / f"{name}.csv")
    rows = np.random.default_rng(0).integers(0, len(data), len(data))
    data = data.iloc[rows].reset_index(drop=True)
    X, y = data.iloc[:, :-1], data.iloc[:, -1]
    binarizer = ol.Binarizer((0.33, 0.66)).fit(X)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(binarizer.transform(X), y)
    tree = ol.read(model, preprocessing=binarizer)
    costs = np.random.default_rng(1).integers(1, 11, X.shape[1])
    found = {m: ol.cheapest_policy(tree, X, costs, method=m) for m in METHODS}
    best = found["optimal"]
    assert best.optimal
    assert all(best.expected_cost <= other.expected_cost for other in found.values())
    assert best.expected_cost < found["path"].expected_cost < found["naive"].expected_cost
    if name == "wisconsin":  # gamma 0.9 asks few questions rather than cheap ones
        assert best.expected_cost < found["q-learning"].expected_cost
    for policy in found.values():
        assert ol.equivalent(policy.to_tree(), tree)
        assert policy.costs(X).mean() == pytest.approx(policy.expected_cost)


def test_off_the_training_rows_nothing_is_asked_in_vain():
    """No training row fits any more: what cannot change the class is not asked, nor paid for."""
    leaf = {v: {"prediction": v} for v in (0, 1)}
    c = {"feature": "c", "true": leaf[0], "false": leaf[0]}
    tree = {"feature": "b", "true": {"feature": "a", "true": leaf[1], "false": c}, "false": leaf[0]}
    tree = ol.read(tree, space=ol.Space(dict.fromkeys("abc", "boolean")))
    talk = ol.cheapest_policy(tree, [[0, 0, 1]], {"a": 1, "b": 3, "c": 1}).interview()
    talk = talk.skip().answer(1)
    assert talk.question.rows == 0
    assert talk.question.feature is None
    assert talk.possible == (0, 1)
