"""Points scores: totals and verdicts are what anybody gets who adds up the points by hand."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import InvalidSpace, InvalidTree, UnreadableModel
from orderless.readers import read_model
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
    score = ol.read_score(STROKE)
    rows = [
        {"age": 64, "sex": "male", "stroke": False, "diabetes": False},
        {"age": 65, "sex": "male", "stroke": False, "diabetes": False},
        {"age": 74, "sex": "female", "stroke": False, "diabetes": False},
        {"age": 75, "sex": "female", "stroke": True, "diabetes": True},
    ]
    assert divided(score, rows)[:, 0].tolist() == [0, 1, 2, 6]
    assert labels(score, rows).tolist() == ["low", "moderate", "high", "high"]
    assert score.features == ("age", "sex", "stroke", "diabetes")
    assert score.whole.slack.tolist() == [0]


def test_a_tenth_and_two_tenths_are_three_tenths():
    """As floats they would be more than 0.3, and ten tenths less than 1."""
    items = [{"feature": f"f{i}", "points": 0.2 if i == 0 else 0.1} for i in range(9)]
    score = ol.read_score(items, verdicts={"no": None, "at 0.3": 0.3, "at 1": 1})
    row = dict.fromkeys((f"f{i}" for i in range(9)), False)
    rows = [row, {**row, "f0": True}, {**row, "f0": True, "f1": True}, dict.fromkeys(row, True)]
    assert divided(score, rows)[:, 0].tolist() == [0.0, 0.2, 0.3, 1.0]
    assert labels(score, rows).tolist() == ["no", "no", "at 0.3", "at 1"]
    assert score.whole.slack.tolist() == [0]


def test_computed_weights_are_rounded_only_if_asked():
    items = [{"feature": f"f{i}", "points": 1 / (3 + i)} for i in range(3)]
    with pytest.raises(InvalidTree, match="round the points, decimals=6"):
        ol.read_score(items)
    score = ol.read_score(items, decimals=4, verdicts={"no": None, "yes": 0.5833})
    assert divided(score, [[1, 1, 0], [1, 0, 1]])[:, 0].tolist() == [0.5833, 0.5333]
    assert labels(score, [[1, 1, 0], [1, 0, 1]]).tolist() == ["yes", "no"]
    for wrong in (-1, 16, 2.5, True):
        with pytest.raises(ValueError, match="decimals must be a whole number from 0 to 15"):
            ol.read_score(items, decimals=wrong)


def test_thirds_are_exact_and_a_level_need_not_be_a_multiple():
    items = [{"feature": f"f{i}", "points": "1/3"} for i in range(3)]
    score = ol.read_score(items, verdicts={"none": None, "two": 0.4, "all": 1})
    rows = [[i >= 1, i >= 2, i >= 3] for i in range(4)]
    assert labels(score, rows).tolist() == ["none", "none", "two", "all"]
    assert divided(score, rows)[:, 0].tolist() == [0.0, 1 / 3, 2 / 3, 1.0]


def test_without_verdicts_the_total_is_the_answer():
    score = ol.read_score({"items": [{"feature": "x", ">": 1, "points": -2.5}], "base": "7.25"})
    assert (score.task, score.rule.kind) == ("regression", "number")
    assert divided(score, [[1.0], [np.nextafter(1.0, 2)]])[:, 0].tolist() == [7.25, 4.75]


def test_points_by_verdict_and_ties_to_the_first():
    score = ol.read_score(
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
    tie = ol.read_score([{"feature": "x", "points": {"b": 1, "a": 1}}], verdicts=["b", "a"])
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
        score = ol.read_score(given_items, verdicts=verdicts, space=SPACE)
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
    score = ol.read_score([{"feature": "age", "above": 40, "at most": 65, "points": 1}])
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
    score = ol.read_score(items, space=ol.Space(features))
    assert added(score, [{"x": None, "c": None}])[0, 0] == 0
    assert added(score, [{"x": 1, "c": "b"}])[0, 0] == 5


def test_values_of_the_space_decide_what_a_threshold_means():
    space = ol.Space({"n": "integer", "s": "float32"})
    items = [
        {"feature": "n", "below": 3.5, "points": 1},
        {"feature": "s", "at most": 0.1, "points": 2},
    ]
    score = ol.read_score(items, space=space)
    assert score.trees[0].threshold[0] == 3.0
    assert added(score, [[3, np.float32(0.1)], [4, 0.09999]])[:, 0].tolist() == [1, 2]


# -- JSON and CSV ----------------------------------------------------------------------------------


def same_scores(a: ol.Ensemble, b: ol.Ensemble) -> bool:
    pairs = zip(a.trees, b.trees, strict=True)
    return (
        all(x == y for x, y in pairs)
        and all(np.array_equal(x, y) for x, y in zip(a.values, b.values, strict=True))
        and (a.classes, a.adding, a.rule, a.space) == (b.classes, b.adding, b.rule, b.space)
    )


def test_json_text_and_files(tmp_path):
    plain = {
        **STROKE,
        "features": {**STROKE["features"], "stroke": "boolean", "diabetes": "boolean"},
    }
    text = json.dumps({"format": "orderless-score", "version": 1, **plain})
    file = tmp_path / "größe.json"
    file.write_text(text, encoding="utf-8-sig")
    assert same_scores(ol.read_score(text), ol.read_score(STROKE))
    assert same_scores(ol.read_score(file), ol.read_score(STROKE))


def test_read_ensemble_takes_scores_that_say_so(tmp_path):
    plain = {
        **STROKE,
        "features": {**STROKE["features"], "stroke": "boolean", "diabetes": "boolean"},
    }
    text = json.dumps({"format": "orderless-score", "version": 1, **plain})
    file = tmp_path / "score.json"
    file.write_text(text, encoding="utf-8")
    for given_score in (text, file, STROKE):
        assert same_scores(ol.read_ensemble(given_score), ol.read_score(STROKE))
    assert same_scores(read_model(file), ol.read_score(STROKE))
    with pytest.raises(UnreadableModel, match="a score names its features itself"):
        ol.read_ensemble(text, feature_names=["age"])


CSV = """item,feature,relation,value,points
,age,above,65,2
,color,among,red|blue green,0.5
old and thin,age,>=,80,1.5
old and thin,bmi,between,10|18.5,
,smoker,is,true,1
,code,is,"""


def test_csv(tmp_path):
    text = CSV + '"""7""",3\n\n,,base,,0.25\n,,verdict,low,\n,,verdict,at risk,2.75\n'
    file = tmp_path / "score.csv"
    file.write_text(text, encoding="utf-8")
    expected = ol.read_score(
        {
            "items": [
                {"feature": "age", "above": 65, "points": 2},
                {"feature": "color", "in": ["red", "blue green"], "points": 0.5},
                {
                    "when": [
                        {"feature": "age", ">=": 80},
                        {"feature": "bmi", "between": [10, 18.5]},
                    ],
                    "points": 1.5,
                },
                {"feature": "smoker", "points": 1},
                {"feature": "code", "is": "7", "points": 3},
            ],
            "base": 0.25,
            "verdicts": {"low": None, "at risk": 2.75},
        }
    )
    assert same_scores(ol.read_score(file), expected)
    assert same_scores(ol.read_score(text), expected)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("feature,value,points\na,1,2\n", "has the columns 'feature', 'relation'"),
        ("feature,relation,value,points\na,over,1,2\n", "row 2: 'over' is not a relation"),
        ("feature,relation,value,points\na,above,1\n", "row 2 has 3 cells, the first 4"),
        ("feature,relation,value,points\na,above,,2\n", "row 2 has no value"),
        ("feature,relation,value,points\na,above,1,\n", "row 2 has no points"),
        ("feature,relation,value,points\na,above,1,two\n", "item 1: points: 'two' is not a number"),
        (
            "item,feature,relation,value,points\nx,a,above,1,2\nx,b,above,1,3\n",
            "row 3: item 'x' has the points 2 and 3",
        ),
        (
            "feature,relation,value,points\n,verdict,a,\n,verdict,a,3\n",
            "verdict 'a' is there twice",
        ),
        ('feature,relation,value,points\na,is,"x,1\n', "not complete CSV"),
    ],
)
def test_what_is_wrong_in_csv(text, reason):
    with pytest.raises(InvalidTree, match=reason):
        ol.read_score(text)


GOOD: dict[str, Any] = {"feature": "age", "above": 65, "points": 2}


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        ([], "must have a list of items"),
        ({"items": {}}, "must have a list of items"),
        ({"items": [GOOD], "verdict": {}}, r"entry 'verdict' \(did you mean 'verdicts'"),
        ({"items": [GOOD], "format": "other"}, "expected the format 'orderless-score'"),
        ({"items": [GOOD], "version": 2}, "of version 2"),
        ([GOOD, 7], "item 2 must be a dict"),
        ([GOOD, {"feature": "age", "above": 3}], r"item 2 \(on 'age'\) has no points"),
        ([{**GOOD, "points": True}], r"item 1 .*: points: expected a number, got a bool"),
        ([{**GOOD, "points": float("nan")}], "points: .*not"),
        ([{**GOOD, "points": {}}], "must be a number, or a dict"),
        ([{**GOOD, "obove": 3}], r"'obove' is not a relation \(did you mean 'above'"),
        ([{**GOOD, "above": "65"}], "item 1 .*: '>' needs a number, got '65'"),
        ([{**GOOD, "above": True}], "needs a number, got True"),
        ([{**GOOD, "above": float("inf")}], "must be finite"),
        ([{**GOOD, "above": 2**60 + 1}], "must be a float64"),
        ([{**GOOD, "when": []}], "both 'feature' and 'when'"),
        ([{"when": [], "points": 1}], "'when' must be a list of conditions"),
        ([{"when": [7], "points": 1}], "a condition must be a dict"),
        ([{"when": [{"above": 3}], "points": 1}], "'feature' must be the name"),
        ([{"when": [GOOD], "points": 1}], "'points' is not a relation"),
        ([{"feature": "a", "among": "red", "points": 1}], "'among' needs a list"),
        ([{"feature": "a", "among": [], "points": 1}], "at least one value"),
        ([{"feature": "a", "between": [3, 1], "points": 1}], "the smaller first"),
        ([{"feature": "a", "is": None, "points": 1}], "item 1 .*cannot use None"),
        ([{"name": "old", "when": [{"feature": "a", "<": 1, ">": 2}], "points": 1}],
         r"item 1 \('old'\) asks nothing: no row can fulfil"),
        ([{"feature": "a", "among": [True, False], "points": 1}], "every row fulfils"),
        ([{**GOOD}, {"feature": "age", "is": "old", "points": 1}],
         r"compared by item 1 .* with 65 and by item 2 .* with 'old'"),
        ([GOOD, {**GOOD, "points": {"a": 1}}], "write all items in one way"),
        ({"items": [GOOD], "base": {"a": 1}}, "base is by verdict"),
        ({"items": [{**GOOD, "points": {"a": 1}}], "verdicts": ["a", "b"], "base": 1},
         "base must be by verdict"),
        ({"items": [{**GOOD, "points": {"c": 1}}], "verdicts": ["a", "b"]}, "has points for 'c'"),
        ({"items": [{**GOOD, "points": {"a": 1}}]}, "verdicts must be a list"),
        ({"items": [GOOD], "verdicts": ["a", "b"]}, "verdicts must be a dict"),
        ({"items": [GOOD], "verdicts": {"a": None}}, "at least two verdicts"),
        ({"items": [GOOD], "verdicts": {"a": 0, "b": 1}}, "first verdict, and no other"),
        ({"items": [GOOD], "verdicts": {"a": None, "b": None}}, "first verdict, and no other"),
        ({"items": [GOOD], "verdicts": {"a": None, "b": 2, "c": 2}}, "must rise: 'c' has 2"),
        ({"items": [GOOD], "verdicts": {"a": None, "b": 1.2, "c": 1.7}},
         "no total reaches 'b' and not 'c'"),
        ({"items": [GOOD], "verdicts": {"a": None, "b": "x"}}, "verdict 'b': 'x' is not a number"),
        ([{**GOOD, "points": 1e-12}, {**GOOD, "points": 1e6}], "round the points"),
        ({"items": [GOOD], "features": {"Age": "integer"}}, r"no feature 'age' \(did you mean"),
        ({"items": [GOOD], "features": {"age": "boolean"}}, "is boolean: write 'is': true"),
        ({"items": [GOOD], "features": {"age": ["a"]}}, "categorical and has no order"),
        ({"items": [GOOD], "features": ["age"]}, "features must be a dict"),
        ({"items": [{"feature": "c", "is": "read", "points": 1}], "features": {"c": ["red"]}},
         r"'read' is not a value of .* \(did you mean 'red'"),
        ({"items": [{"feature": "n", "is": 2.5, "points": 1}], "features": {"n": "integer"}},
         r"2\.5 is not a value of Feature\('n', integer"),
        ({"items": [{"feature": "n", "points": 1}], "features": {"n": "integer"}},
         "is numeric and is compared with True"),
        ("score.json", "is neither JSON nor CSV: to read a file give a path"),
        ("[1, 2", "not complete JSON"),
        (7, "a score must be a dict"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(score, reason):
    with pytest.raises(InvalidTree, match=reason):
        ol.read_score(score)


def test_what_is_given_twice_is_refused():
    with pytest.raises(InvalidTree, match="verdicts of its own"):
        ol.read_score(STROKE, verdicts={"a": None, "b": 1})
    with pytest.raises(InvalidSpace, match="features of its own"):
        ol.read_score(STROKE, space=ol.Space({"age": "integer"}))
    with pytest.raises(InvalidSpace, match="space must be a Space"):
        ol.read_score([GOOD], space={"age": "integer"})


def test_too_many_numbers_or_conditions():
    many = [{"feature": f"f{i}", "among": list(range(0, 60, 2))} for i in range(5)]
    with pytest.raises(InvalidTree, match="too many numbers to choose from"):
        ol.read_score([{"when": many, "points": 1}])
    with pytest.raises(InvalidTree, match="65 conditions: 64 are the most"):
        ol.read_score([{"when": [{"feature": f"f{i}"} for i in range(65)], "points": 1}])
