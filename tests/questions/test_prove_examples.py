"""Properties of trees by example: missing values, one-hot columns, stable rows, mistakes."""

import json
import math

import pytest

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace, InvalidTree

AGE = {"feature": "age", "relation": "<=", "reference": 25,
       "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}  # fmt: skip


SPACE = ol.Space({"age": "integer", "color": ["red", "blue"], "income": "numeric"})


def age_tree():
    return ol.read(AGE, space=SPACE)


def test_a_form_and_any_model_can_be_asked():
    for model in (age_tree(), ol.canonicalize(age_tree()), age_tree().to_json()):
        assert not ol.prove(
            model if not isinstance(model, str) else ol.Tree.from_json(model)
        ).never("refuse")


def test_missing_is_neither_more_nor_less():
    space = ol.Space([ol.Feature("lab", nan=True)])
    node = {"feature": "lab", "relation": "<=", "reference": 3, "true": {"prediction": 0},
            "false": {"prediction": 1}}  # fmt: skip
    tree = ol.read(node, space=space)
    low = tree.replace(nan_true=[1, 0, 0])
    high = tree.replace(nan_true=[0, 0, 0])
    for own in (low, high):
        assert ol.prove(own).monotone("lab", 1)
        assert not ol.prove(own).ignores("lab")
    proof = ol.prove(low).never(0, where={"lab": math.nan})
    assert math.isnan(proof.row["lab"])
    assert proof.answers == (0,)
    assert "lab = missing" in str(proof)
    assert json.dumps(proof.to_dict()) == json.dumps(
        {"claim": "where lab is missing, the answer is never 0", "proven": False,
         "rows": [{"lab": None}], "answers": [0]}
    )  # fmt: skip
    assert ol.prove(low).always(0, where={"lab": (None, 3)})
    assert ol.prove(high).never(0, where={"lab": math.nan})
    assert ol.prove(low).constant_in({"lab": (None, 3)})


def test_one_hot_columns_are_one_feature():
    color = ol.Feature("color", "categorical", categories=("red", "blue"), other=True)
    space = ol.Space(
        [color, ol.Feature("age", values="integer")],
        columns={"is_red": ol.Condition("color", among=("red",)),
                 "is_blue": ol.Condition("color", among=("blue",)), "age": "age"},
    )  # fmt: skip
    node = {"feature": "is_red", "true": {"feature": "is_blue", "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
    tree = ol.read(node, space=space)
    assert ol.prove(tree).never(1)  # no row is red and blue
    assert ol.prove(tree).ignores("color")
    red = {"feature": "is_red", "true": {"prediction": 1}, "false": {"prediction": 0}}
    proof = ol.prove(ol.read(red, space=space)).never(1)
    assert proof.row["color"] == "red"
    assert proof.columns == ({"is_red": 1, "is_blue": 0, "age": proof.row["age"]},)


def test_stable_rows():
    tree = age_tree()
    X = [{"age": 20}, {"age": 24}, {"age": 26}, {"age": None}, {"age": 30}]
    proof = ol.prove(tree).stable("age", by=2, X=X)
    assert proof.at == (1, 2)
    assert proof.rows == ({"age": 24}, {"age": 26})
    assert proof.answers == ("refuse", "grant")
    assert "2 of the rows" in str(proof)
    assert ol.prove(tree).stable("age", by=0.5, X=X)
    # Decimals: from 0.3 to 0.4 it is a tenth.
    cut = {"feature": "dose", "relation": "<", "reference": 0.4, "true": {"prediction": 0},
           "false": {"prediction": 1}}  # fmt: skip
    dose = ol.read(cut, space=ol.Space({"dose": "numeric"}))
    assert ol.prove(dose).stable("dose", by=0.1, X=[[0.3]]).at == (0,)
    assert ol.prove(dose).stable("dose", by=0.09999, X=[[0.3]])


@pytest.mark.parametrize(
    ("ask", "error", "match"),
    [
        (lambda p: p.never("refus"), InvalidData, "did you mean 'refuse'"),
        (lambda p: p.never(), InvalidData, "give one answer"),
        (lambda p: p.never([]), InvalidData, "is empty"),
        (lambda p: p.never("refuse", above=3), InvalidData, "give one answer"),
        (lambda p: p.never(above=3), InvalidTree, "says classes"),
        (lambda p: p.ignores("Age"), InvalidSpace, "there is no feature 'Age'"),
        (lambda p: p.ignores([]), InvalidData, "features is empty"),
        (lambda p: p.ignores("age", given={"rage": 3}), InvalidSpace, "no feature 'rage'"),
        (lambda p: p.ignores("age", given=[3]), InvalidData, "given must be a dict"),
        (lambda p: p.monotone("age", 1), InvalidData, "give order="),
        (lambda p: p.monotone("age", 1, order=["grant"]), InvalidData, "each class once"),
        (lambda p: p.monotone("age", 2), InvalidData, "sign must be"),
        (lambda p: p.monotone("color", 1), InvalidData, "is categorical"),
        (lambda p: p.stable("age", by=0), InvalidData, "by is 0"),
        (lambda p: p.stable("age", by=-1), InvalidData, "by is -1"),
        (lambda p: p.stable("age", 1, where={}, X=[]), InvalidData, "not both"),
        (lambda p: p.constant_in({}), InvalidData, "ranges is empty"),
        (lambda p: p.constant_in({"age": (1, 2)}, where={"age": 1}), InvalidData, "give it once"),
        (lambda p: p.never("refuse", where={"age": (3, 2)}), InvalidData, "where, feature 'age'"),
        (lambda p: p.never("refuse", where={"color": "green"}), InvalidData, "no value 'green'"),
    ],
)
def test_mistakes(ask, error, match):
    with pytest.raises(error, match=match):
        ask(ol.prove(age_tree()))


def test_mistakes_about_numbers():
    number = {**AGE, "task": "regression", "true": {"prediction": 1.0},
              "false": {"prediction": 2.0}}  # fmt: skip
    asked = ol.prove(ol.read(number, space=SPACE))
    for ask, match in (
        (lambda: asked.never("many"), "must be a number"),
        (lambda: asked.never(above=1, at_least=2), "not both"),
        (lambda: asked.never(above=2, below=1), "no number lies between"),
        (lambda: asked.never(above=math.inf), "finite"),
        (lambda: asked.monotone("age", 1, order=[1.0, 2.0]), "leave it out"),
    ):
        with pytest.raises(InvalidData, match=match):
            ask()


def test_features_of_both_models_count():
    other = ol.read(AGE, space=ol.Space({"age": "integer", "ward": ["east", "west"]}))
    assert ol.prove(age_tree()).same_as(other, where={"ward": "east", "color": "red"})
    always = ol.read({"prediction": "grant"}, space=ol.Space({"ward": ["east", "west"]}))
    proof = ol.prove(age_tree()).same_as(always, where={"ward": "west", "color": "blue"})
    assert proof.row["ward"] == "west"
    assert proof.row["color"] == "blue"
    assert proof.answers == ("refuse", "grant")
    assert "this model says refuse, the other grant" in str(proof)


def test_names_are_escaped():
    space = ol.Space({"<b>age</b>": "integer"})
    tree = ol.read({**AGE, "feature": "<b>age</b>"}, space=space)
    assert "<b>" not in ol.prove(tree).ignores("<b>age</b>")._repr_html_()
