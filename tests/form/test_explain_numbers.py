"""Explanations of numbers: intervals, reasons to lie in them, changes that lead out of them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from oracle import cells, decide, float32_names, possible_classes
from strategies import kinds, partial_rows, specs, tree_of

import orderless as ol

NUMBERS = (-2.5, 0.25, 3.0, 7.5, 9.0)
STAY = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
        "true": {"prediction": 2.5},
        "false": {"feature": "smoker", "true": {"prediction": 12.0},
                  "false": {"prediction": 7.5}}}  # fmt: skip


@st.composite
def problems_of_numbers(draw):
    own = draw(kinds())
    spec = draw(specs(own, NUMBERS))
    return own, spec, draw(partial_rows(own, spec))


@given(problems_of_numbers())
def test_reasons_keep_every_row_in_the_interval_and_changes_lead_out(problem):
    own, spec, row = problem
    tree = tree_of(spec, own).replace(task="regression")
    numbers = possible_classes(own, row, spec)
    why = tree.explain(row)
    assert why.interval == (min(numbers), max(numbers))
    assert why.possible == tuple(sorted(numbers))
    assert why.label == (min(numbers) if len(numbers) == 1 else None)
    all_rows = list(cells(own, spec))
    said = [decide(spec, one, float32_names(own)) for one in all_rows]
    reasons = why.all_reasons
    assert reasons
    for reason in reasons:
        assert reason.covers([row]).all()
        for inside, number in zip(reason.covers(all_rows), said, strict=True):
            assert not inside or min(numbers) <= number <= max(numbers)
    assert why.shortest == reasons[0]
    outside = {number for number in said if not min(numbers) <= number <= max(numbers)}
    assert bool(why.changes()) == bool(outside)
    for change in why.changes():
        above = change.label.startswith("above")
        assert above or change.label.startswith("below")
        assert any(number > max(numbers) if above else number < min(numbers) for number in outside)


def explained(row):
    return ol.read(STAY, feature_names=["age", "smoker"]).explain(row)


def test_what_it_says():
    assert str(explained({"age": 50, "smoker": 0})) == (
        "2.5, because age <= 60 (whatever smoker is).\n"
        "It would be above 2.5 if age were > 60."
    )  # fmt: skip
    why = explained({"age": 70})
    assert str(why) == (
        "Between 7.5 and 12, because age > 60 (whatever smoker is).\n"
        "Which number it is cannot be told, because smoker is unknown.\n"
        "It would be below 7.5 if age were <= 60."
    )
    assert repr(why) == "Explanation(Between 7.5 and 12)"
    assert why.to_dict()["interval"] == [7.5, 12.0]
    assert why.to_dict()["label"] is None
    assert str(explained({})) == (
        "Between 2.5 and 12, whatever age and smoker are.\n"
        "Which number it is cannot be told, because age and smoker are unknown."
    )
    assert explained({"age": 70, "smoker": 1}).cheapest({"age": 1, "smoker": 2}) is not None


def test_classes_have_no_interval():
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    assert tree.explain({"x0": 1}).interval is None
    assert "interval" not in tree.explain({"x0": 1}).to_dict()
    with pytest.raises(ValueError, match="cheapest reason needs costs"):
        explained({"age": 70}).cheapest()
