"""Points scores: totals and verdicts are what anybody gets who adds up the points by hand."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import InvalidTree
from tests.slow_sums import added, divided, labels

STROKE = {
    "name": "CHA2DS2-VASc",
    "features": {"age": "integer", "sex": ["female", "male"], "stroke": bool, "diabetes": bool},
    "items": [
        {"feature": "age", "at least": 75, "points": 2},
        {"feature": "age", "between": [65, 74], "points": 1},
        {"feature": "sex", "is": "female", "points": 1},
        {"feature": "stroke", "points": 2},
        {"feature": "diabetes", "is": True, "points": 1},
    ],
    "verdicts": {"low": None, "moderate": 1, "high": 2},
}


def test_a_score_of_the_clinic():
    score = ol.Ensemble.from_points(STROKE)
    rows = [
        {"age": 64, "sex": "male", "stroke": False, "diabetes": False},
        {"age": 65, "sex": "male", "stroke": False, "diabetes": False},
        {"age": 74, "sex": "female", "stroke": False, "diabetes": False},
        {"age": 75, "sex": "female", "stroke": True, "diabetes": True},
    ]
    assert divided(score, rows)[:, 0].tolist() == [0, 1, 2, 6]
    assert labels(score, rows).tolist() == ["low", "moderate", "high", "high"]
    assert score.features == ("age", "sex", "stroke", "diabetes")
    assert score.kernel.whole.slack.tolist() == [0]


def test_a_tenth_and_two_tenths_are_three_tenths():
    """As floats they would be more than 0.3, and ten tenths less than 1."""
    items = [{"feature": f"f{i}", "points": 0.2 if i == 0 else 0.1} for i in range(9)]
    score = ol.Ensemble.from_points(items, verdicts={"no": None, "at 0.3": 0.3, "at 1": 1})
    row = dict.fromkeys((f"f{i}" for i in range(9)), False)
    rows = [row, {**row, "f0": True}, {**row, "f0": True, "f1": True}, dict.fromkeys(row, True)]
    assert divided(score, rows)[:, 0].tolist() == [0.0, 0.2, 0.3, 1.0]
    assert labels(score, rows).tolist() == ["no", "no", "at 0.3", "at 1"]
    assert score.kernel.whole.slack.tolist() == [0]


def test_computed_weights_are_rounded_only_if_asked():
    items = [{"feature": f"f{i}", "points": 1 / (3 + i)} for i in range(3)]
    with pytest.raises(InvalidTree, match="round the points, decimals=6"):
        ol.Ensemble.from_points(items)
    score = ol.Ensemble.from_points(items, decimals=4, verdicts={"no": None, "yes": 0.5833})
    assert divided(score, [[1, 1, 0], [1, 0, 1]])[:, 0].tolist() == [0.5833, 0.5333]
    assert labels(score, [[1, 1, 0], [1, 0, 1]]).tolist() == ["yes", "no"]
    for wrong in (-1, 16, 2.5, True):
        with pytest.raises(ValueError, match="decimals must be a whole number from 0 to 15"):
            ol.Ensemble.from_points(items, decimals=wrong)


def test_thirds_are_exact_and_a_level_need_not_be_a_multiple():
    items = [{"feature": f"f{i}", "points": "1/3"} for i in range(3)]
    score = ol.Ensemble.from_points(items, verdicts={"none": None, "two": 0.4, "all": 1})
    rows = [[i >= 1, i >= 2, i >= 3] for i in range(4)]
    assert labels(score, rows).tolist() == ["none", "none", "two", "all"]
    assert divided(score, rows)[:, 0].tolist() == [0.0, 1 / 3, 2 / 3, 1.0]


def test_without_verdicts_the_total_is_the_answer():
    score = ol.Ensemble.from_points(
        {"items": [{"feature": "x", ">": 1, "points": -2.5}], "base": "7.25"}
    )
    assert (score.task, score.kernel.rule.kind) == ("regression", "number")
    assert divided(score, [[1.0], [np.nextafter(1.0, 2)]])[:, 0].tolist() == [7.25, 4.75]


def test_points_by_verdict_and_ties_to_the_first():
    score = ol.Ensemble.from_points(
        {
            "items": [
                {"feature": "barks", "points": {"dog": 2, "cat": -1}},
                {
                    "when": [{"feature": "kg", "below": 6}, {"feature": "tail"}],
                    "points": {"cat": 3},
                },
            ],
            "base": {"dog": 1},
            "verdicts": ["cat", "dog"],
        }
    )
    rows = [
        {"barks": True, "kg": 5, "tail": True},
        {"barks": False, "kg": 5, "tail": True},
        {"barks": False, "kg": 6, "tail": True},
    ]
    assert divided(score, rows).tolist() == [[2, 3], [3, 1], [0, 1]]
    assert labels(score, rows).tolist() == ["dog", "cat", "dog"]
    tie = ol.Ensemble.from_points(
        [{"feature": "x", "points": {"b": 1, "a": 1}}], verdicts=["b", "a"]
    )
    assert labels(tie, [[True], [False]]).tolist() == ["b", "b"]


# -- every relation, against the definition --------------------------------------------------------

OPERATORS: dict[str, Any] = {
    "at most": lambda x, v: x <= v,
    "below": lambda x, v: x < v,
    "above": lambda x, v: x > v,
    "at least": lambda x, v: x >= v,
    "between": lambda x, v: v[0] <= x <= v[1],
    "is": lambda x, v: x == v,
    "is not": lambda x, v: x != v,
    "among": lambda x, v: x in v,
    "not among": lambda x, v: x not in v,
}
SIGNS = {
    "at most": ["<=", "at_most"], "below": ["<"], "above": [">"], "at least": [">=", "at_least"],
    "between": [], "is": ["=", "=="], "is not": ["!=", "is_not"], "among": ["in"],
    "not among": ["not in", "not_among"],
}  # fmt: skip
NUMBERS = st.sampled_from([-3, -1, 0, 1, 2, 2.5, 3, 7, 0.1])
TEXTS = st.sampled_from(["red", "blue", "größer ☃", 'a "b"', "with space"])


@st.composite
def conditions(draw: Any) -> dict[str, Any]:
    kind = draw(st.sampled_from(["x", "y", "color", "flag"]))
    if kind == "flag":
        relation = draw(st.sampled_from(["is", "is not"]))
        return {"feature": "flag", relation: draw(st.booleans())}
    if kind == "color":
        relation = draw(st.sampled_from(["is", "is not", "among", "not among"]))
        value = draw(st.lists(TEXTS, min_size=1, max_size=3) if "among" in relation else TEXTS)
        return {"feature": "color", relation: value}
    relation = draw(st.sampled_from(list(OPERATORS)))
    if "among" in relation:
        value = draw(st.lists(NUMBERS, min_size=1, max_size=4))
    elif relation == "between":
        value = sorted(draw(st.tuples(NUMBERS, NUMBERS)))
    else:
        value = draw(NUMBERS)
    names = [relation, *SIGNS[relation]]
    return {"feature": kind, draw(st.sampled_from(names)): value}


POINTS = st.one_of(st.integers(-5, 9), st.sampled_from([0.1, 0.25, -0.7, "1/3", 1e-6, 2.5]))
ITEMS = st.lists(
    st.tuples(st.lists(conditions(), min_size=1, max_size=3), POINTS), min_size=1, max_size=5
)


COLORS = ("red", "blue", "größer ☃", 'a "b"', "with space")
SPACE = ol.Space(
    {
        "x": "numeric",
        "y": "numeric",
        "color": ol.Feature("color", "categorical", categories=COLORS, other=True),
        "flag": "boolean",
    }
)


def holds(condition: dict[str, Any], row: dict[str, Any]) -> bool:
    (key,) = [name for name in condition if name != "feature"]
    canonical = next(name for name in OPERATORS if key == name or key in SIGNS[name])
    return bool(OPERATORS[canonical](row[condition["feature"]], condition[key]))


def total(items: Any, row: dict[str, Any]) -> Fraction:
    return sum(
        (Fraction(str(points)) for when, points in items if all(holds(c, row) for c in when)),
        Fraction(0),
    )


@settings(max_examples=200, deadline=None)
@given(ITEMS, st.integers(0, 2**32 - 1))
def test_totals_are_what_the_definition_says(items, seed):
    rng = np.random.default_rng(seed)
    numbers = [-3, -1, 0, 1, 2, 2.5, 3, 7, 0.1, -7.5, 0.5, 99]
    numbers += [float(np.nextafter(x, s)) for x in numbers for s in (-np.inf, np.inf)]
    rows = [
        {
            "x": numbers[rng.integers(len(numbers))],
            "y": numbers[rng.integers(len(numbers))],
            "color": [*COLORS, "another"][rng.integers(6)],
            "flag": bool(rng.integers(2)),
        }
        for _ in range(60)
    ]
    expected = [total(items, row) for row in rows]
    level = expected[0]
    given_items = [{"when": when, "points": points} for when, points in items]
    verdicts = {"below": None, "at or above": level}
    try:
        score = ol.Ensemble.from_points(given_items, verdicts=verdicts, space=SPACE)
    except InvalidTree as fault:
        found = re.match(r"item (\d+) asks nothing", str(fault))
        if found is None:
            raise
        when = items[int(found[1]) - 1][0]
        if len({all(holds(one, row) for one in when) for row in rows}) != 1:
            raise
        return
    assert divided(score, rows)[:, 0].tolist() == [float(exact) for exact in expected]
    assert labels(score, rows).tolist() == [
        "at or above" if exact >= level else "below" for exact in expected
    ]


def test_several_relations_on_one_feature_hold_together():
    score = ol.Ensemble.from_points([{"feature": "age", "above": 40, "at most": 65, "points": 1}])
    assert added(score, [[40], [41], [65], [66]])[:, 0].tolist() == [0, 1, 1, 0]


def test_a_missing_value_that_is_a_value_fulfils_nothing():
    features = [
        ol.Feature("x", nan=True),
        ol.Feature("c", "categorical", categories=("a", "b"), nan=True),
    ]
    items = [
        {"feature": "x", key: value, "points": 1}
        for key, value in (("<=", 3), (">", 3), ("is not", 3), ("among", [1, 2]), ("not in", [3]))
    ]
    items += [
        {"feature": "c", "is": "a", "points": 1},
        {"feature": "c", "is not": "a", "points": 1},
    ]
    score = ol.Ensemble.from_points(items, space=ol.Space(features))
    assert added(score, [{"x": None, "c": None}])[0, 0] == 0
    assert added(score, [{"x": 1, "c": "b"}])[0, 0] == 5


def test_values_of_the_space_decide_what_a_threshold_means():
    space = ol.Space({"n": "integer", "s": "float32"})
    items = [
        {"feature": "n", "below": 3.5, "points": 1},
        {"feature": "s", "at most": 0.1, "points": 2},
    ]
    score = ol.Ensemble.from_points(items, space=space)
    assert score.trees[0].nodes.threshold[0] == 3.0
    assert added(score, [[3, np.float32(0.1)], [4, 0.09999]])[:, 0].tolist() == [1, 2]


@pytest.mark.parametrize("points", [
    [f"1/{10**400 + i}" for i in range(20)], ["1e300", "1e-300"], [1e308] * 3, [10**300],
])  # fmt: skip
def test_points_of_very_many_digits_are_refused_in_words(points):
    items = [{"feature": "a", "above": 1, "points": number} for number in points]
    with pytest.raises(InvalidTree, match="round the points"):
        ol.Ensemble.from_points({"items": items})
