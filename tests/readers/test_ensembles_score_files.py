"""Points scores in JSON, and what is wrong in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import orderless as ol
from orderless.errors import InvalidSpace, InvalidTree, UnreadableModel
from tests.readers.test_ensembles_score import STROKE


@pytest.fixture
def text():
    """The score as JSON, which has no types of Python."""
    features = {**STROKE["features"], "stroke": "boolean", "diabetes": "boolean"}
    return json.dumps({"format": "orderless-score", "version": 1, **STROKE, "features": features})


def test_json_text_and_files(tmp_path, text):
    file = tmp_path / "größe.json"
    file.write_text(text, encoding="utf-8-sig")
    assert ol.Ensemble.from_points(text) == ol.Ensemble.from_points(STROKE)
    assert ol.Ensemble.from_points(file) == ol.Ensemble.from_points(STROKE)


def test_read_takes_scores_that_say_so(tmp_path, text):
    file = tmp_path / "score.json"
    file.write_text(text, encoding="utf-8")
    for given_score in (text, file, STROKE):
        assert ol.read(given_score) == ol.Ensemble.from_points(STROKE)
    with pytest.raises(UnreadableModel, match="a score names its features itself"):
        ol.read(text, feature_names=["age"])


def test_csv_is_not_json(tmp_path):
    file = tmp_path / "score.csv"
    file.write_text("feature,relation,value,points\na,above,1,2\n", encoding="utf-8")
    with pytest.raises(InvalidTree, match="JSON"):
        ol.Ensemble.from_points(file)


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
        ("[1, 2", "not complete JSON"),
        (7, "a score must be a dict"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(score, reason):
    with pytest.raises(InvalidTree, match=reason):
        ol.Ensemble.from_points(score)


def test_what_is_given_twice_is_refused():
    with pytest.raises(InvalidTree, match="verdicts of its own"):
        ol.Ensemble.from_points(STROKE, verdicts={"a": None, "b": 1})
    with pytest.raises(InvalidSpace, match="features of its own"):
        ol.Ensemble.from_points(STROKE, space=ol.Space({"age": "integer"}))
    with pytest.raises(InvalidSpace, match="space must be a Space"):
        ol.Ensemble.from_points([GOOD], space={"age": "integer"})


def test_too_many_numbers_or_conditions():
    many = [{"feature": f"f{i}", "among": list(range(0, 60, 2))} for i in range(5)]
    with pytest.raises(InvalidTree, match="too many numbers to choose from"):
        ol.Ensemble.from_points([{"when": many, "points": 1}])
    with pytest.raises(InvalidTree, match="65 conditions: 64 are the most"):
        ol.Ensemble.from_points([{"when": [{"feature": f"f{i}"} for i in range(65)], "points": 1}])
