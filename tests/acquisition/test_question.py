"""Equal branches are said once; what cannot matter is not asked, and not refused as an answer."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle import possible_classes, values_by_feature
from showcase import ask, leaf

import orderless as ol
from orderless.acquisition import branches
from orderless.errors import InvalidData, InvalidSpace
from tests.acquisition.test_build import cases, solved


def bands() -> tuple[ol.Tree, list[dict[str, int]]]:
    """Below 10 and above 30 the score decides, between nothing does."""
    by_score = ask("score", "<=", 5, leaf("no"), leaf("yes"))
    middle = ask("age", "<=", 30, leaf("no"), by_score)
    tree = ask("age", "<=", 10, by_score, ask("age", "<=", 20, leaf("no"), middle))
    space = ol.Space({"age": "integer", "score": "integer"})
    rows = [{"age": age, "score": score} for age in (5, 15, 25, 40, 41) for score in (1, 9, 9)]
    return ol.read(tree, space=space), rows


def test_equal_branches_are_printed_once():
    tree, rows = bands()
    said = str(ol.cheapest_policy(tree, rows, {"age": 1, "score": 5})).splitlines()
    assert said[1:] == [
        "age? (cost 1)",
        "  age <= 10 or age > 30 (60%): score? (cost 5)",
        "    score <= 5 (33%): no",
        "    score > 5 (67%): yes",
        "  10 < age <= 30 (40%): no",
    ]


def test_answers_that_settle_it_with_the_same_class_are_one():
    tree, rows = bands()
    question = ol.cheapest_policy(tree, rows, {"age": 1, "score": 5}).next_feature()
    said = [(one.values, round(one.chance, 3), one.settled) for one in question.outcomes]
    assert said == [
        ("age <= 10", 0.2, False),
        ("10 < age <= 30", 0.4, True),
        ("age > 30", 0.4, False),
    ]


def test_categories_that_lead_to_the_same_are_one_set():
    space = ol.Space({"ward": ["a", "b", "c", "d"], "x": "boolean"})
    by_x = ask("x", "==", 1, leaf("yes"), leaf("no"))
    tree = ask("ward", "in", ["a"], by_x, ask("ward", "in", ["b"], leaf("no"),
               ask("ward", "in", ["c"], by_x, leaf("no"))))  # fmt: skip
    tree = ol.read(tree, space=space)
    rows = [{"ward": w, "x": x} for w in "abcd" for x in (0, 1)]
    said = str(ol.cheapest_policy(tree, rows, {"ward": 1, "x": 3})).splitlines()
    assert said[1:] == [
        "ward? (cost 1)",
        "  ward in {a, c} (50%): x? (cost 3)",
        "    not x (50%): no",
        "    x (50%): yes",
        "  ward in {b, d} (50%): no",
    ]


@given(cases(max_features=4))
@settings(max_examples=40)
def test_branches_say_every_answer_once(problem):
    """The weights add up, no node is in two branches, and no two branches go on alike."""
    policy = solved(problem, method="optimal")
    nodes = policy.nodes
    todo = [(0,)]
    while todo:
        at = todo.pop()
        if nodes.purchase[at[0]] < 0:
            continue
        found = branches(nodes, at)
        assert sum(one.weight for one in found) == sum(nodes.weight[node] for node in at)
        members = [node for one in found for node in one.nodes]
        assert len(set(members)) == len(members)
        texts = [one.text for one in found]
        assert len(set(texts)) == len(texts)
        ends = [nodes.label[one.nodes[0]] for one in found if nodes.purchase[one.nodes[0]] < 0]
        assert len(set(ends)) == len(ends)
        todo += [one.nodes for one in found]


@given(cases(max_features=4), st.data())
@settings(max_examples=40)
def test_no_question_without_a_meaning(problem, data):
    """Against the oracle: for some values of all others, the answer changes the class."""
    case, _, _ = problem
    policy = solved(problem, method="optimal")
    values = values_by_feature(case.kinds, case.spec)
    row = data.draw(st.sampled_from(case.rows))
    talk = policy.interview(only_relevant=True)
    while not talk.done:
        asked = talk.question.features
        free = [n for n in case.kinds if n not in talk.known and n not in asked]
        ways = product(*(values[name] for name in free))
        rows = ({**talk.known, **dict(zip(free, way, strict=True))} for way in ways)
        assert any(len(possible_classes(case.kinds, one, case.spec)) > 1 for one in rows)
        talk = talk.answer({n: row[n] for n in asked})
    if policy.budget is None and policy.max_questions is None:
        assert {talk.decision} == possible_classes(case.kinds, row, case.spec)


def panel() -> ol.Policy:
    """Sodium is measured with the others, and the tree does not ask about it."""
    space = ol.Space({"age": "integer", "crp": "integer", "sodium": "integer"})
    by_crp = ask("crp", "<=", 5, leaf("home"), leaf("ward"))
    tree = ol.read(ask("age", "<=", 60, leaf("home"), by_crp), space=space)
    rows = np.array([[age, crp, 140] for age in (50, 70) for crp in (1, 9)])
    return ol.cheapest_policy(tree, rows, {"age": 1, "crp": 5})


def test_results_that_the_tree_does_not_need_are_taken():
    talk = panel().interview().answer({"age": 70, "sodium": 141})
    assert talk.not_needed == ("sodium",)
    assert talk.question.feature == "crp"
    done = talk.answer({"crp": 9, "sodium": 140, "age": 20})
    assert done.decision == "ward"  # what was known stays
    assert done.not_needed == ("sodium", "age")
    assert "Not needed: sodium and age." in str(done)
    assert done.spent == 6
    after = done.answer({"sodium": 3})
    assert after.done
    assert after.decision == "ward"


def test_more_than_was_asked_counts_at_no_cost():
    talk = panel().interview().answer({"age": 70, "crp": 9})
    assert talk.done
    assert talk.decision == "ward"
    assert (talk.spent, talk.asked, talk.not_needed) == (1.0, ("age",), ())
    first = panel().interview().answer({"crp": 2})  # not what was asked
    assert first.decision == "home"
    assert first.spent == 0
    open_ = panel().interview().answer({"sodium": 3})
    assert open_.question.feature == "age"
    assert open_.asked == ()
    gone = panel().interview().answer({"age": None, "sodium": 3})
    assert gone.unavailable == ("age",)
    assert gone.not_needed == ("sodium",)


def test_what_is_still_refused():
    talk = panel().interview()
    with pytest.raises(InvalidSpace, match="no feature 'sodum'"):
        talk.answer({"age": 70, "sodum": 141})
    with pytest.raises(InvalidData, match="feature 'crp' has the value 'x'"):
        talk.answer({"age": 70, "crp": "x"})
    with pytest.raises(InvalidData, match="no question left"):
        talk.answer(20).answer(3)
