"""Policies with a budget: what was spent already, and conversations that stop at it."""

import itertools
import math

import pytest

import orderless as ol
from orderless.errors import InvalidData


def chain(n, **options):
    """A tree that is 1 only if all of n features are true; feature i costs i + 1."""
    tree = {"prediction": 1}
    for i in reversed(range(n)):
        tree = {"feature": i, "true": tree, "false": {"prediction": 0}}
    rows = [list(bits) for bits in itertools.product((0, 1), repeat=n)]
    return ol.cheapest_policy(tree, rows, {f"x{i}": i + 1 for i in range(n)}, **options)


def test_what_is_known_counts_as_bought_unless_spent_says_otherwise():
    policy = chain(3, budget=6)
    for known in ({"x0": 1}, {"x2": 1}, {"x0": 1, "x2": 1}):  # on the policy's way, and off it
        paid = sum(int(name[1]) + 1 for name in known)
        question = policy.next_feature(known)
        assert question.budget_left == 6 - paid
        assert question == policy.next_feature(known, spent=paid)
        assert policy.next_feature(known, spent=0).budget_left == 6
        stopped = policy.next_feature(known, spent=6)
        assert (stopped.feature, stopped.stopped, stopped.budget_left) == (None, "budget", 0)
        assert policy.next_feature(known, spent=60).stopped == "budget"
        free = policy.next_beyond(known)
        assert (free.feature, free.budget_left) == (question.feature, None)
    assert policy.next_feature({"x2": 0}, spent=60).decision == 0
    unlimited = chain(3)
    assert unlimited.next_feature({"x2": 1}, spent=60).feature == "x0"
    read = ol.Policy.from_json(policy.to_json())  # without training rows
    assert (read.budget, read.next_feature({"x2": 1}).budget_left) == (6, 3)
    assert read.next_feature({"x2": 1}, spent=6).stopped == "budget"


def test_questions_are_counted_likewise():
    policy = chain(3, max_questions=3)
    assert policy.next_feature({"x2": 1}, asked=2).feature is not None
    stopped = policy.next_feature({"x2": 1}, asked=3)
    assert str(stopped) == "Not determined, 0 or 1: no more questions are allowed."
    talk = chain(3, max_questions=1).interview()
    while not talk.done:
        talk = talk.answer(1)
    assert "Stopped after 1 of 1 questions.\nNext would be x1 (cost 2), 3.5 to spend" in str(talk)


@pytest.mark.parametrize("budget", [0, 1, 3, 4, 6, 7.5, 10])
@pytest.mark.parametrize("method", ["optimal", "greedy", "naive", "path", "q-learning"])
def test_no_conversation_spends_more_than_the_budget(budget, method):
    policy = chain(4, budget=budget, method=method)
    for said in itertools.product((0, 1, None), repeat=4):
        talk = policy.interview()
        while not talk.done:
            talk = talk.answer(said[int(talk.question.feature[1])])
        assert talk.spent <= budget
        bought = [name for name in talk.asked if name not in talk.unavailable]
        assert talk.spent == sum(int(name[1]) + 1 for name in bought)
        assert talk.answered == len(bought)
        if talk.decision is not None:
            assert talk.beyond is None
        elif talk.beyond is not None:
            assert talk.beyond.budget_left is None


def test_tenths_are_added_as_tenths():
    tree = {"feature": 0, "true": {"feature": 1, "true": {"feature": 2, "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}},
            "false": {"prediction": 0}}  # fmt: skip
    rows = [list(bits) for bits in itertools.product((0, 1), repeat=3)]
    policy = ol.cheapest_policy(tree, rows, [0.1, 0.2, 0.3], budget=0.6)
    talk = policy.interview({}).answer(1).answer(1)  # 0.1 + 0.2 is more than 0.3 in floats
    assert (talk.spent, talk.question.feature) == (0.3, "x2")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"spent": -1}, "spent is -1: nothing costs"),
        ({"spent": "1"}, "spent is '1': give a number"),
        ({"asked": 0.5}, "asked is 0.5: give a whole number"),
        ({"asked": math.inf}, "asked is inf: give a finite number"),
    ],
)
def test_what_was_spent_is_a_number(options, match):
    with pytest.raises(InvalidData, match=match):
        chain(2, budget=1).next_feature(**options)
