"""What a policy says: its text, its questions, interviews, the plot."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace
from tests.acquisition.test_build import METHODS, cases, solved

from .small_policies import a_and_b, hard, policy_of, wards

mpl.use("agg")


def test_text():
    tree, rows, costs = wards()
    assert str(ol.cheapest_policy(tree, rows, costs)).splitlines()[1:] == [
        "ward? (cost 1)",
        "  ward != süd (62%): the \"age\"? (cost 2)",
        "    the \"age\" <= 36 (40%): well",
        "    the \"age\" > 36 (60%): dose <mg>? (cost 7.5)",
        "      dose <mg> < 0.1 (13%): well",
        "      dose <mg> >= 0.1 or missing (87%): ill",
        "  ward = süd (38%): dunno",
    ]  # fmt: skip
    known = str(ol.cheapest_policy(tree, rows, costs, known=["ward"]))
    assert "known at the start:\n  ward != süd" in known
    budget = ol.cheapest_policy(tree, rows, costs, budget=3)
    assert "determines" in str(budget)
    assert "not determined" in str(budget)
    html = policy_of()._repr_html_()
    assert html.startswith("<pre")
    assert "&lt;" not in html
    assert "dose &lt;mg&gt;" in ol.cheapest_policy(tree, rows, costs)._repr_html_()


def test_long_text_ends():
    tree, X, costs = hard()
    with pytest.warns(UserWarning, match="no policy was proven"):
        policy = ol.cheapest_policy(tree, X, costs, limit=1)
    assert str(policy).endswith("lines, not written)")
    with pytest.raises(ValueError, match="too many for a figure"):
        policy.plot()


def test_questions_say_why():
    policy = policy_of()
    question = policy.next_feature()
    assert (question.feature, question.cost, question.expected_cost) == ("b", 1, 3.5)
    assert question.possible == (0, 1)
    assert question.decision is None
    assert not question.determined
    first, second = question.outcomes
    assert (first.values, first.chance, first.settled, first.decision) == ("not b", 0.5, True, 0)
    assert (second.values, second.settled, second.expected_cost) == ("b", False, 5)
    assert question.chance_settled == 0.5
    never = ol.cheapest_policy(a_and_b(), [[1, 0]], [5, 1]).next_feature({"b": 1})
    assert never.rows == 0
    assert never.feature == "a"
    assert "no training row is like this" in never.reason
    with pytest.raises(InvalidSpace, match="no feature 'z'"):
        policy.next_feature(unavailable=["z"])


def test_known_in_many_ways():
    policy = policy_of()
    rows = [
        {"b": 1},
        pd.Series({"b": 1, "a": np.nan}),
        [None, 1],
        pd.DataFrame({"a": [None], "b": [1]}),
    ]
    assert {policy.next_feature(row).feature for row in rows} == {"a"}


@pytest.mark.parametrize("method", METHODS)
def test_what_cannot_be_had(method):
    tree, rows, costs = wards()
    policy = ol.cheapest_policy(tree, rows, costs, method=method)
    talk = policy.interview()
    asked = []
    while not talk.done:
        asked.append(talk.question.feature)
        talk = talk.skip()
    assert len(set(asked)) == len(asked) <= 3
    assert talk.decision is None
    assert set(talk.possible) == {"dunno", "ill", "well"}
    assert "none of the available features can settle it" in talk.question.reason
    assert "(unavailable); total cost 0." in str(talk)


@given(cases(max_features=4), st.data())
@settings(max_examples=60)
def test_interviews_end_as_they_must(problem, data):
    """Whatever cannot be had, nothing is asked twice, and it ends determined if it can."""
    case, _, _ = problem
    policy = solved(problem, method=data.draw(st.sampled_from(METHODS)), n_episodes=20)
    row = data.draw(st.sampled_from(case.rows))
    gone = data.draw(st.sets(st.sampled_from(sorted(case.purchases) or ["-"])))
    talk = policy.interview()
    while not talk.done:
        name = talk.question.feature
        assert name not in talk.asked
        values = {feature: row[feature] for feature in talk.question.features}
        talk = talk.skip() if name in gone else talk.answer(values)
        assert len(talk.asked) <= len(case.purchases)
    had = [name for name in talk.asked if name not in gone]
    assert talk.spent == pytest.approx(float(sum(case.purchases[name][1] for name in had)))
    everything = frozenset(case.purchases) - gone
    could = case.determined([case.rows.index(row)], everything)
    if not gone:
        assert talk.decision is not None
    if talk.decision is not None:
        assert could
        assert str(talk).startswith(str(talk.decision))
    elif policy.method != "path":  # which ends at a question that cannot be answered
        assert not could


def test_interview_refuses_what_was_not_asked():
    tree, rows, _ = wards()
    policy = ol.cheapest_policy(
        tree, rows, {"ward": 1, "lab": 9}, groups={"lab": ['the "age"', "dose <mg>"]}
    )
    talk = policy.interview()
    with pytest.raises(InvalidSpace, match="no feature 'z'"):
        talk.answer({"z": 1})
    with pytest.raises(InvalidData, match="must be one of 'east', 'north', 'süd'"):
        talk.answer("west")
    talk = talk.answer("east")
    with pytest.raises(InvalidData, match="answer with a dict of feature -> value"):
        talk.answer(3)
    some = talk.answer({'the "age"': 50})
    assert some.done
    assert some.decision is None
    assert some.spent == 10
    done = talk.answer({'the "age"': 20, "dose <mg>": 1.0})
    assert done.decision == "well"
    assert done.spent == 10
    assert str(done).startswith("well, because")
    for again in (done.skip, lambda: done.answer(1)):
        with pytest.raises(InvalidData, match="there is no question left"):
            again()
    assert policy.interview({"ward": "süd"}).done
    assert "Nothing was asked." in str(policy.interview({"ward": "süd"}))
    assert talk.answer(None).unavailable == ("lab",)


def test_plot():
    import matplotlib.pyplot as plt

    tree, rows, costs = wards()
    policy = ol.cheapest_policy(tree, rows, costs, known=["ward"], budget=3)
    ax = policy.plot()
    words = [text.get_text() for text in ax.texts]
    assert "not determined" in words
    assert any('the "age"\ncost 2' in word for word in words)
    assert not any("\\n" in word for word in words)  # lines are broken, not escaped
    figure, own = plt.subplots()
    assert policy_of().plot(ax=own) is own
    figure.canvas.draw()
    plt.close("all")
