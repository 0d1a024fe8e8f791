"""What changed between two trees, against every row."""

import html
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidTree
from tests.questions.test_prove import all_rows, said


@settings(max_examples=150, deadline=None)
@given(problems(n_trees=2, max_features=3), st.booleans())
def test_the_regions_hold_exactly_the_rows_that_change(problem, exact):
    kinds, (old, new) = problem
    rows = all_rows(kinds, [old, new])
    if not rows:
        return
    before, after = tree_of(old, kinds), tree_of(new, kinds)
    found = ol.difference(before, after, rows, exact=exact)
    assert found.exact == (exact or found.same)
    pairs = {(said(old, kinds, r), said(new, kinds, r)) for r in rows}
    changed = {(a, b) for a, b in pairs if a != b}
    assert bool(found) == bool(changed)
    assert found.same == ol.equivalent(before, after)
    assert {(s.before, s.after) for s in found.shifts} == changed
    assert found.n_rows == len(rows)
    assert found.n_open == 0
    at = [i for i, r in enumerate(rows) if said(old, kinds, r) != said(new, kinds, r)]
    assert list(found.at) == at
    for shift in found.shifts:
        inside = np.zeros(len(rows), dtype=bool)
        for term in shift.rules:
            own = term.covers(rows_of(term, rows))
            assert own.any()
            inside |= own
        expected = [(said(old, kinds, r), said(new, kinds, r)) == (shift.before, shift.after)
                    for r in rows]  # fmt: skip
        assert inside.tolist() == expected
        assert shift.at == tuple(np.flatnonzero(expected).tolist())
        row = shift.example
        assert set(row) == set(kinds)
        assert before.predict([row]).tolist() == [shift.before]
        assert after.predict([row]).tolist() == [shift.after]


def rows_of(term, rows):
    """Give what a term's own space has of rows."""
    space = term.box.bins.tree.space
    return [{name: row[name] for name in row if name in space} for row in rows]


@settings(max_examples=60, deadline=None)
@given(problems(n_trees=2, max_features=3))
def test_rules_are_the_fewest(problem):
    """As many as the canonical form of the changes needs, and no fewer without a proof."""
    kinds, (old, new) = problem
    before, after = tree_of(old, kinds), tree_of(new, kinds)
    few = ol.difference(before, after)
    many = ol.difference(before, after, exact=False)
    assert [(s.before, s.after) for s in few.shifts] == [(s.before, s.after) for s in many.shifts]
    for one, other in zip(few.shifts, many.shifts, strict=True):
        assert len(one.rules) <= len(other.rules)


def test_equivalent_trees_have_the_same_account():
    """The order in which the trees ask does not matter."""
    space = ol.Space({"a": bool, "b": bool, "c": bool})

    def both(first, second):
        return {"feature": first, "true": {"feature": second, "true": {"prediction": 1},
                "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip

    c = ol.read({"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}},
                     space=space)  # fmt: skip
    texts = {str(ol.difference(ol.read(both(*names), space=space), c))
             for names in (("a", "b"), ("b", "a"))}  # fmt: skip
    assert len(texts) == 1
    assert texts.pop().splitlines() == [
        "The models differ on 50 % of the space.",
        "",
        "0 -> 1:",
        "  not a AND c",
        "  not b AND c",
        "",
        "1 -> 0:",
        "  a AND b AND not c",
    ]


def credit(cut, name="age", space=None):
    node = {"feature": name, "relation": "<=", "reference": cut,
            "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}  # fmt: skip
    return ol.read(node, space=space or ol.Space({"age": int, "income": int}))


def test_the_account_in_words():
    found = ol.difference(credit(25), credit(22), pd.DataFrame({"age": [20, 23, 30, 25]}))
    assert str(found) == (
        "The models differ on 33.3 % of the space.\n"
        "Of the 4 rows 2 change.\n"
        "\n"
        "refuse -> grant:\n"
        "  22 < age <= 25\n"
        "  2 of the rows, counted from 0: 1, 3"
    )
    same = ol.difference(credit(25), credit(25.5))
    assert str(same) == "Both models give every row the same answer; this is proven."
    assert not same
    assert repr(same) == "Difference(none)"
    data = json.loads(found.to_json())
    assert data["shifts"][0]["texts"] == ["22 < age <= 25"]
    assert data["shifts"][0]["at"] == [1, 3]
    assert data["rows_changed"] == 2


def test_rows_with_unknowns_are_not_compared():
    found = ol.difference(credit(25), credit(22), [{"age": None}, {"age": 24}])
    assert found.n_open == 1
    assert found.at == (1,)
    assert "1 has no certain answer" in str(found)


def test_spaces_may_differ():
    wide = ol.Space({"age": "numeric", "ward": ["east", "west"], "income": int})
    new = ol.read({"feature": "ward", "relation": "in", "reference": ["east"],
                        "true": {"prediction": "grant"}, "false": {"prediction": "refuse"}},
                       space=wide)  # fmt: skip
    found = ol.difference(credit(25), new)
    assert {str(t) for s in found.shifts for t in s.rules} == {
        "age <= 25 AND ward = east", "age > 25 AND ward = west"}  # fmt: skip
    for shift in found.shifts:
        assert set(shift.example) == {"age", "ward", "income"}
    # A category more: compared on those that both have.
    more = ol.Space({"age": "numeric", "ward": ["east", "west", "north"], "income": int})
    node = {"feature": "ward", "relation": "in", "reference": ["east", "north"],
            "true": {"prediction": "grant"}, "false": {"prediction": "refuse"}}  # fmt: skip
    assert not ol.difference(new, ol.read(node, space=more))


def test_missing_is_a_value():
    space = ol.Space([ol.Feature("lab", nan=True)])
    node = {"feature": "lab", "relation": "<=", "reference": 3, "true": {"prediction": 0},
            "false": {"prediction": 1}}  # fmt: skip
    tree = ol.read(node, space=space)
    found = ol.difference(tree.replace(nan_true=[1, 0, 0]), tree.replace(nan_true=[0, 0, 0]))
    assert [str(t) for s in found.shifts for t in s.rules] == ["lab is missing"]
    assert math.isnan(found.shifts[0].example["lab"])
    assert json.loads(found.to_json())["shifts"][0]["example"] == {"lab": None}


def data():
    random = np.random.default_rng(1)
    X = random.integers(0, 20, size=(300, 3)) / 4
    return X, (X[:, 0] + X[:, 1] > 5).astype(int), X[:, 0] * 2 - X[:, 2]


def test_numbers_say_by_how_much():
    X, _, y = data()
    old = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    new = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    found = ol.difference(old, new, X)
    says = old.predict(X), new.predict(X)
    assert list(found.at) == np.flatnonzero(says[0] != says[1]).tolist()
    for shift in found.shifts:
        assert shift.by == shift.after - shift.before
        for i in shift.at:
            assert (says[0][i], says[1][i]) == (shift.before, shift.after)
    assert [abs(s.by) for s in found.shifts] == sorted(abs(s.by) for s in found.shifts)[::-1]
    assert "The largest change that is listed is" in str(found)


def test_training_rows_that_change_lie_between_two_shares():
    X, y, _ = data()
    old = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    new = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[:150], y[:150])
    found = ol.difference(old, new, X)
    low, high = found.training
    share = np.mean(old.predict(X) != new.predict(X))
    assert low <= share + 1e-12
    assert share <= high + 1e-12
    assert "training rows" in str(found)
    assert ol.difference(credit(25), credit(22)).training is None


def test_html_is_escaped():
    name = '<script>alert("1")</script>'
    space = ol.Space({name: int})
    found = ol.difference(credit(25, name, space), credit(22, name, space))
    assert "<script>" not in found.to_html()
    assert html.escape("<script>", quote=False) in found._repr_html_()
    assert found.to_html().count("<li>") == 1


def test_classes_and_numbers_do_not_compare():
    _, _, y = data()
    number = DecisionTreeRegressor(max_depth=2).fit(data()[0], y)
    with pytest.raises(InvalidTree, match="cannot be compared"):
        ol.difference(number, credit(25))


def test_where_the_fewest_take_too_long_there_are_others():
    """Fewer reasons allowed, no time at all: still exactly the rows that change, and it is said."""
    X, y, _ = data()
    old, new = (
        ol.read(DecisionTreeClassifier(max_depth=d, random_state=0).fit(X[:, ::s], y))
        for d, s in ((5, 1), (5, -1))
    )
    for limits, note in (
        ({"limit": 1}, "none can be left out"),
        ({"time_limit": 1e-9}, "fewer may be enough"),
    ):
        found = ol.difference(old, new, X, **limits)
        assert not found.exact
        assert note in str(found)
        for shift in found.shifts:
            inside = np.zeros(len(X), dtype=bool)
            for term in shift.rules:
                inside |= term.covers(X)
            assert tuple(np.flatnonzero(inside).tolist()) == shift.at
