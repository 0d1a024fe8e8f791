"""Policies that stop when the number is known well enough: optima that can be reckoned by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import InvalidTree
from tests.acquisition.test_build import METHODS


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
    return ol.read(tree, feature_names=list(names))


def every_row(n):
    return [[i >> k & 1 for k in range(n)] for i in range(2**n)]


def test_any_two_of_three_small_parts():
    """No single part is wider than 0.5, and yet one must ask for two, the cheapest."""
    tree = sums("0.4", "0.4", "0.4")
    policy = ol.cheapest_policy(tree, every_row(3), {"a": 3, "b": 1, "c": 2}, tolerance=0.5)
    assert policy.expected_cost == policy.worst_cost == 3
    assert policy.optimal
    assert set(policy.simulate(every_row(3))["purchases"]) == {("b", "c")}


def test_sums_leave_out_as_much_as_fits():
    """Of a sum, all parts together that are not asked for must fit: a knapsack, tried out."""
    parts, costs = ("4", "2", "1", "0.5", "8"), (5, 3, 4, 1, 2)
    tree, rows = sums(*parts), every_row(5)
    for tolerance in (0, 0.5, 1, 1.5, 3, 3.5, 7.5, 8, 15, 15.5, 20):
        left_out = [
            sum(cost for k, cost in enumerate(costs) if i >> k & 1)
            for i in range(32)
            if sum(Fraction(part) for k, part in enumerate(parts) if i >> k & 1) <= tolerance
        ]
        policy = ol.cheapest_policy(tree, rows, dict(zip("abcde", costs, strict=True)),
                                    tolerance=tolerance)  # fmt: skip
        assert policy.expected_cost == sum(costs) - max(left_out)
        assert policy.optimal


def test_a_number_may_end_in_several_intervals():
    """5 is within 1 of 4 and of 6: whichever can be told apart at less cost."""
    tree = ol.read({"task": "regression", "feature": "a", "true": {"prediction": 4.0},
        "false": {"feature": "b", "true": {"prediction": 6.0}, "false": {"prediction": 5.0}}},
        feature_names=["a", "b"])  # fmt: skip
    rows = [[0, 0]]
    for costs, bought in (((1, 2), "a"), ((2, 1), "b")):
        policy = ol.cheapest_policy(tree, rows, costs, tolerance=1)
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
    tree = ol.read(DecisionTreeRegressor(random_state=0).fit(X, y))
    assert tree.n_leaves > 128
    costs = [3, 1, 4, 1, 5]
    spent = []
    for tolerance in (0, 1.0, 2.0, 3.0, float(np.ptp(tree.kernel.numbers))):
        policy = ol.cheapest_policy(tree, X, costs, tolerance=tolerance)
        assert policy.optimal
        told = policy.simulate(X)
        assert (told["upper"] - told["lower"] <= tolerance).all()
        assert ((told["lower"] <= tree.predict(X)) & (tree.predict(X) <= told["upper"])).all()
        spent.append(policy.expected_cost)
        for method in ("greedy", "path", "q-learning"):
            other = ol.cheapest_policy(tree, X, costs, method=method, tolerance=tolerance)
            assert other.bound <= policy.expected_cost <= other.expected_cost
    assert spent == sorted(spent, reverse=True)
    assert spent[0] > spent[2] > spent[-1] == 0


def test_out_of_states():
    """A real tree, stopped too early: the best that was found, and a bound that holds."""
    X, y = load_diabetes(return_X_y=True)
    tree = ol.read(DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y))
    costs = {name: 1 + k % 4 for k, name in enumerate(tree.space.names)}
    bounds = []
    for limit in (1, 50, 1000):
        with pytest.warns(UserWarning, match="no policy was proven"):
            policy = ol.cheapest_policy(tree, X, costs, limit=limit, tolerance=40.0)
        assert 0 < policy.bound < policy.expected_cost
        bounds.append((policy.bound, policy.expected_cost))
        for method in ("greedy", "path"):
            other = ol.cheapest_policy(tree, X, costs, method=method, tolerance=40.0)
            assert policy.expected_cost <= other.expected_cost
        told = policy.simulate(X)
        assert (told["upper"] - told["lower"] <= 40).all()
    assert max(low for low, _ in bounds) <= min(high for _, high in bounds)


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tolerance", "match"),
    [
        (-0.1, "tolerance must be a finite number of at least 0, got -0.1"),
        (math.nan, "tolerance must be a finite number of at least 0, got nan"),
        (math.inf, "tolerance must be a finite number of at least 0, got inf"),
        (10**400, "tolerance must be a finite number of at least 0, got 1000"),
        ("0.5", "tolerance must be a number of at least 0, got '0.5'"),
        (True, "tolerance must be a number of at least 0, got True"),
        (1j, "tolerance must be a number of at least 0, got 1j"),
        ([1], r"tolerance must be a number of at least 0, got \[1\]"),
    ],
)
def test_widths_that_are_refused(tolerance, match):
    tree = sums(1, 2)
    with pytest.raises(ValueError, match=match):
        ol.cheapest_policy(tree, every_row(2), [1, 1], tolerance=tolerance)
    with pytest.raises(ValueError, match=match):
        tree.predict(every_row(2), tolerance=tolerance)


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True)])
def test_classes_that_are_not_numbers_are_refused(labels):
    no, yes = labels
    tree = {"feature": "a", "true": {"prediction": yes}, "false": {"prediction": no}}
    tree = ol.read(tree, feature_names=["a"])
    with pytest.raises(InvalidTree, match=r"are not numbers: .* decide_at"):
        ol.cheapest_policy(tree, [[0]], [1], tolerance=0.5)


@pytest.mark.parametrize("tolerance", [np.float32(0.5), np.int64(1), 1, np.float64(0.25)])
def test_widths_of_every_kind(tolerance):
    policy = ol.cheapest_policy(sums(1, 2), every_row(2), [1, 1], tolerance=tolerance)
    assert policy.tolerance == float(tolerance)


def test_constant_trees_cost_nothing():
    for method in METHODS:
        policy = ol.cheapest_policy({"prediction": 2.5}, [{}], {}, method=method, tolerance=1)
        assert policy.expected_cost == policy.worst_cost == policy.bound == 0
        assert policy.optimal
        assert policy.next_feature().decision == 2.5
        assert policy.next_feature().interval == (2.5, 2.5)
        assert str(policy.next_feature()) == "Determined: 2.5."
        assert policy.to_tree().classes == (2.5,)
        assert ol.Policy.from_json(policy.to_json()).to_json() == policy.to_json()


def test_a_tree_that_is_narrow_from_the_start_asks_nothing():
    policy = ol.cheapest_policy(sums(1, 2), every_row(2), [1, 1], tolerance=3)
    assert policy.expected_cost == 0
    assert str(policy.next_feature()) == "Settled: between 0 and 3."
    assert policy.to_tree().classes == (1.5,)
    naive = ol.cheapest_policy(sums(1, 2), every_row(2), [1, 1], tolerance=3, method="naive")
    assert naive.expected_cost == 2
    assert naive.bound == 0


# -- risks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("probability", [0.0, 0.05, 0.2, 0.5, 0.9, 1.0])
def test_until_the_risk_is_on_one_side(probability):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["mean texture", "worst radius", "worst texture", "worst concave points"]]
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
    decision = ol.read(model).decide_at(0, probability)
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
