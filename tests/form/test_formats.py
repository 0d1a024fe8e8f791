"""Files of forms: the tree, and the rules that fit it."""

import json

import pytest

import orderless as ol
from orderless.errors import InvalidTree


def decision_list(n):
    """Questions whose answers alternate: small as a tree, and as rules no tree for the careless."""
    tree = {"prediction": 0}
    for i in reversed(range(n)):
        tree = {"feature": i, "true": {"prediction": i % 2}, "false": tree}
    return ol.read(tree, feature_names=[f"x{i:03}" for i in range(n)])


def test_a_decision_list_of_40_questions_is_read():
    form = ol.canonicalize(decision_list(40))
    again = ol.CanonicalForm.from_json(form.to_json())
    assert again == form
    assert again.tree.n_leaves == 41
    assert again.to_json() == form.to_json()


def mixed():
    space = ol.Space({"age": "integer", "ward": ["east", "north", "south"],
                      "dose": ol.Feature("dose", nan=True)})  # fmt: skip
    low = {"feature": "dose", "relation": "<=", "reference": 0.5,
           "true": {"prediction": "ill"}, "false": {"prediction": "well"}}  # fmt: skip
    young = {"feature": "age", "relation": "<=", "reference": 36,
             "true": low, "false": {"prediction": "ill"}}  # fmt: skip
    tree = {"feature": "ward", "relation": "in", "reference": ["east"],
            "true": young, "false": {"prediction": "well"}}  # fmt: skip
    return ol.canonicalize(ol.read(tree, space=space))


def changes():
    """(what is done to the rules of the file, what is said)."""

    def drop(rules):
        rules[0].pop()

    def swap(rules):
        rules.reverse()

    def widen(rules):
        rules[0][0].pop()

    def move(rules):
        for rule in rules[0]:
            for side in rule:
                if side["feature"] == "age":
                    side[next(key for key in ("above", "at_most") if key in side)] = 30.0

    def narrow(rules):
        for rule in rules[1]:
            for side in rule:
                if side["feature"] == "ward":
                    side["among"] = side["among"][:1]

    def stranger(rules):
        rules[0][0][0]["feature"] = "weight"

    return [
        (drop, "leave some rows out"), (swap, "another class"), (widen, "another class"),
        (move, "does not begin and end"), (narrow, "does not begin and end"),
        (stranger, "no feature 'weight'"), (lambda rules: rules.pop(), "rules for 1"),
        (lambda rules: rules.__setitem__(0, 3), "a list"),
        (lambda rules: rules[0].__setitem__(0, 3), "not rules"),
    ]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), changes())
def test_rules_that_contradict_the_tree_are_refused(change, said):
    content = json.loads(mixed().to_json())
    assert ol.CanonicalForm.from_json(json.dumps(content)) == mixed()
    change(content["rules"])
    with pytest.raises(InvalidTree, match=said):
        ol.CanonicalForm.from_json(json.dumps(content))


def test_a_tree_that_is_another_function_is_refused():
    content = json.loads(mixed().to_json())
    for key in ("feature", "leaf_class"):
        with pytest.raises(InvalidTree):
            ol.CanonicalForm.from_json(
                json.dumps({**content, "tree": {**content["tree"], key: [0]}})
            )
    labels = content["tree"]["leaf_class"]
    content["tree"]["leaf_class"] = [label if label < 0 else 1 - label for label in labels]
    with pytest.raises(InvalidTree, match="another class"):
        ol.CanonicalForm.from_json(json.dumps(content))
    content["rules"].reverse()
    with pytest.raises(InvalidTree, match="fingerprint"):
        ol.CanonicalForm.from_json(json.dumps(content))
    del content["tree"]
    with pytest.raises(InvalidTree, match="'tree' is missing"):
        ol.CanonicalForm.from_json(json.dumps(content))


def test_a_constant_form():
    form = ol.canonicalize({"prediction": 1})
    assert ol.CanonicalForm.from_json(form.to_json()) == form
    content = json.loads(form.to_json())
    content["rules"] = [[]]
    with pytest.raises(InvalidTree, match="leave some rows out"):
        ol.CanonicalForm.from_json(json.dumps(content))
