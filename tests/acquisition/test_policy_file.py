"""Policies in files: they come back, another language can walk them, broken ones are refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import InvalidData, InvalidTree
from tests.acquisition.test_build import METHODS, cases, solved

from .small_policies import policy_of, wards


@given(cases(max_features=4, limited=True), st.sampled_from(METHODS))
@settings(max_examples=80)
def test_a_policy_comes_back_from_its_file(problem, method):
    case, _, _ = problem
    policy = solved(problem, method=method, n_episodes=100)
    text = policy.to_json()
    back = ol.Policy.from_json(text)
    assert back.to_json() == text
    for name in ("expected_cost", "worst_cost", "bound", "share_determined", "share_bound",
                 "optimal", "method", "objective", "purchases"):  # fmt: skip
        assert getattr(back, name) == getattr(policy, name), name
    assert back.costs(case.rows).tolist() == policy.costs(case.rows).tolist()
    assert str(back) == str(policy)
    assert back.next_feature() == policy.next_feature()


def walk(content, row):
    """Walk as a page in another language would: from the file alone; the end, and what is spent."""
    node = content["nodes"][0]
    spent = 0
    while "ask" in node:
        bought = content["purchases"][node["ask"]]
        spent += bought["cost"]
        answer = []
        for k in bought["features"]:
            bins, value = content["bins"][k], row[content["bins"][k]["feature"]]
            if "cuts" in bins:
                missing = value != value
                answer.append(len(bins["cuts"]) + 1 if missing else
                              sum(value > cut for cut in bins["cuts"]))  # fmt: skip
            else:
                feature = next(f for f in content["tree"]["space"]["features"]
                               if f["name"] == bins["feature"])  # fmt: skip
                code = feature["categories"].index(value)
                answer.append(next(i for i, g in enumerate(bins["values"]) if code in g))
        node = content["nodes"][next(a[-1] for a in node["answers"] if a[:-1] == answer)]
    return node, spent


@pytest.mark.parametrize("method", METHODS)
def test_another_language_can_walk_the_file(method):
    tree, rows, costs = wards()
    policy = ol.cheapest_policy(tree, rows, costs, method=method)
    content = json.loads(policy.to_json())
    new = [{'the "age"': age, "dose <mg>": float(np.float32(dose)), "ward": ward}
           for age in (1, 36, 37) for dose in (0.1, 0.2, np.nan)
           for ward in ("east", "north", "süd")]  # fmt: skip
    told = policy.simulate(new)
    for row, label, spent in zip(new, told["decision"], told["cost"], strict=True):
        node, paid = walk(content, row)
        assert (content["tree"]["classes"][node["decision"]], paid) == (label, spent)


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda c: c.update(version=3), "has version 3 and this orderless reads versions 1 and 2"),
        (lambda c: c.update(version=2), "needs a regression tree"),
        (lambda c: c.update(method="best"), "the method must be one of .* got 'best'"),
        (lambda c: c.update(objective=3), "the entry 'objective' is an int"),
        (lambda c: c.update(objective="most"), "the objective must be .* got 'most'"),
        (lambda c: c["bins"].pop(), "are not those of the tree in the file"),
        (lambda c: c["purchases"].pop(), "every feature of the tree must be in exactly"),
        (lambda c: c["purchases"][0].update(cost=-1), "nothing costs or weighs less"),
        (lambda c: c["purchases"][0].update(cost="1/0"), "1/0 divides by 0"),
        (lambda c: c["purchases"][0].update(name=3), "expected a purchase"),
        (lambda c: c["purchases"][0].update(name="b"), "two purchases have the same name"),
        (lambda c: c.update(nodes=[]), "at least one node"),
        (lambda c: c["nodes"].append({"rows": 0, "decision": 0}), "node 5 cannot be reached"),
        (lambda c: c["nodes"][1].update(decision=1), "node 1 does not end as the tree does"),
        (lambda c: c["nodes"][1].update(rows=1.5), "expected a whole number"),
        (lambda c: c["nodes"][2].update(ask=1), "node 2 asks for 'b', which is known there"),
        (lambda c: c["nodes"][2].update(ask=9), "does not describe a policy: IndexError"),
        (lambda c: c["nodes"][0]["answers"].pop(), "must have every answer to 'b' exactly once"),
        (lambda c: c["nodes"][0]["answers"].reverse(), "nodes are numbered level by level"),
        (lambda c: c["nodes"][0].pop("answers"), "does not describe a policy: KeyError"),
        (lambda c: c.pop("bound"), "does not describe a policy: KeyError"),
    ],
)
def test_a_broken_file_is_refused(spoil, match):
    content = json.loads(policy_of().to_json())
    spoil(content)
    with pytest.raises(InvalidTree, match=match):
        ol.Policy.from_json(json.dumps(content))


def test_a_policy_that_stops_is_no_tree():
    policy = policy_of(budget=1)
    assert policy.share_determined == 0.5
    with pytest.raises(ValueError, match="leaves rows undetermined, so it is not a tree"):
        policy.to_tree()


def test_groups_of_too_many_answers_are_not_written_out():
    n = 22
    tree = {"prediction": 1}
    for i in range(n):
        tree = {"feature": i, "true": tree, "false": {"prediction": 0}}
    X = np.ones((3, n), dtype=int)
    X[0, 3] = 0
    policy = ol.cheapest_policy(tree, X, {"all": 1}, groups={"all": [f"x{i}" for i in range(n)]})
    assert policy.expected_cost == 1
    assert policy.costs(1 - X).tolist() == [1, 1, 1]  # never seen
    assert len(policy.next_feature().outcomes) == 2
    with pytest.raises(InvalidTree, match="has 4,194,304 combinations of answers, too many"):
        policy.to_json()


@pytest.mark.parametrize("cost", [1e308, 1e201, 10**300])
def test_costs_that_cannot_be_added_up_are_refused(cost):
    """What is read can be written; what cannot be is not made either."""
    rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
    node = {"feature": 1, "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read({"feature": 0, "true": node, "false": {"prediction": 0}})
    policy = ol.cheapest_policy(tree, rows, {"x0": 1, "x1": 2})
    content = json.loads(policy.to_json())
    content["purchases"][0]["cost"] = cost
    with pytest.raises(InvalidTree, match="larger unit"):
        ol.Policy.from_json(json.dumps(content))
    with pytest.raises(InvalidData, match="larger unit"):
        ol.cheapest_policy(tree, rows, {"x0": cost, "x1": 2})
    large = ol.cheapest_policy(tree, rows, {"x0": 1e150, "x1": 1e150})
    assert ol.Policy.from_json(large.to_json()).worst_cost == 2e150


@pytest.mark.parametrize("options", [{"budget": 1e308}, {"max_questions": 2**70}])
def test_limits_beyond_every_cost_are_none(options):
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    policy = ol.cheapest_policy(tree, [[0], [1]], {"x0": 1}, **options)
    assert policy.worst_cost == 1
    assert ol.Policy.from_json(policy.to_json()).worst_cost == 1
