"""Codes of reasons: what is empty, incomplete or ambiguous is refused."""

import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.output.pages import read_codes

SPACE = ol.Space({"age": int, "ward": ["east", "west"]})
LEAF = {"true": {"prediction": 1}, "false": {"prediction": 0}}
WARD = {"feature": "ward", "relation": "in", "reference": ["west"], **LEAF}
YOUNG = {
    "feature": "age",
    "relation": "<=",
    "reference": 20,
    "true": {"prediction": 1},
    "false": WARD,
}
TREE = ol.read(
    {
        "feature": "age",
        "relation": "<=",
        "reference": 60,
        "true": YOUNG,
        "false": {"prediction": 1},
    },
    space=SPACE,
)


def written(tmp_path, text):
    path = tmp_path / "codes.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have the columns 'feature', 'code', 'text' and perhaps 'direction', got "),
        ("feature,code\nage,A\n", "must have the columns"),
        ("feature,code,text,more\n", "must have the columns"),
        ("feature,code,text\n", "codes.csv has no codes"),
        ("feature,code,text\n\n , , \n", "codes.csv has no codes"),
        ("feature,code,text\nage,A\n", "line 2: 2 cells, the first has 3"),
        ("feature,code,text\nage,,Age\n", "line 2: the code is empty"),
        ("feature,code,text\nage,A, \n", "line 2: the text is empty"),
        ("feature,code,text\n,A,Age\n", "line 2: the feature is empty"),
        ("feature,code,text\nage,A,Age\nage,B,Old\n", "line 3: 'age' is there twice, so its code"),
        ("feature,code,text\nage,A,Age\nward,A,Ward\n", "line 3: the code 'A' has two texts"),
        ("feature,code,text,direction\nage,A,Age,up\n", "direction must be low, high or empty"),
        ('feature,code,text\nage,A,"Age\n', "is not complete CSV"),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    with pytest.raises(InvalidData, match=message):
        read_codes(written(tmp_path, text))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ({}, "the codes has no codes|has no codes"),
        ({"age": ("A", "Age")}, "have no line for 'ward', on which the model's answers depend"),
        ({"age": ("A", "Age"), "wart": ("W", "Ward")}, "names? 'wart'.*did you mean 'ward'"),
        ({"age": "A", "ward": ("W", "Ward")}, "must give each feature a code and a text, got 'A'"),
        (["age"], "must be the path of a CSV file or a dict"),
    ],
)
def test_codes_that_do_not_fit(codes, message):
    with pytest.raises(InvalidData, match=message):
        ol.reason_letters(TREE, {"age": 10, "ward": "east"}, codes)


def test_directions(tmp_path):
    head = "feature,code,text,direction\n"
    lines = "age,A1,Too young,low\nage,A2,Too old,high\nward,W,Ward,\n"
    codes = written(tmp_path, "\ufeff" + head + lines)  # as spreadsheets write it
    young, old = ({"age": age, "ward": "east"} for age in (10, 70))
    assert ol.reason_letters(TREE, young, codes).codes == ("A1",)
    assert ol.reason_letters(TREE, old, codes).codes == ("A2",)
    # Between two ends it is neither, so the codes are ambiguous there.
    with pytest.raises(InvalidData, match="have 'age' as low and high, and a reason says neither"):
        ol.reason_letters(TREE, {"age": 40, "ward": "east"}, codes)
    both = written(tmp_path, head + lines + "age,A3,Age,\n")
    assert ol.reason_letters(TREE, {"age": 40, "ward": "east"}, both).codes == ("A3", "W")
    half = written(tmp_path, head + "age,A1,Too young,low\nward,W,Ward,\n")
    with pytest.raises(InvalidData, match="have 'age' only as low: add the other direction"):
        ol.reason_letters(TREE, young, half)
    wrong = written(tmp_path, head + "age,A1,Age,\nward,W,Ward,low\n")
    with pytest.raises(InvalidData, match="have 'ward' only as low: add a line with an empty"):
        ol.reason_letters(TREE, young, wrong)
