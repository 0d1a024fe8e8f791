import json
import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import nested, problems, space_of

import orderless as ol
from orderless import Condition, Feature, Space
from orderless.errors import InvalidSpace, InvalidTree, UnreadableModel
from orderless.readers import builder

NO, YES = {"prediction": 0}, {"prediction": 1}
COLORS = Space({"color": ["red", "green", "blue"]})
ONE_HOT = Space(
    [Feature("color", "categorical", categories=("red", "green"), other=True)],
    columns={"is_red": Condition("color", among=("red",)),
             "is_green": Condition("color", among=("green",))},
)  # fmt: skip


def split(feature=0, true=YES, false=NO, **more):
    return {"feature": feature, "true": true, "false": false, **more}


@given(problems())
@settings(max_examples=150)
def test_dicts_and_their_json_say_what_the_oracle_says(problem):
    kinds, (spec,) = problem
    space = space_of(kinds)
    given = nested(spec)
    tree = ol.read(given, space=space)
    rows = list(oracle.cells(kinds, spec))
    rounded = oracle.float32_names(kinds)
    expected = [oracle.decide(spec, row, rounded) for row in rows]
    assert tree.predict(rows).tolist() == expected
    assert ol.read(json.dumps(given), space=space) == tree
    numbered = json.loads(json.dumps(given))
    todo = [numbered]
    while todo:
        node = todo.pop()
        if "feature" in node:
            node["feature"] = np.int64(list(kinds).index(node["feature"]))
            todo += [node["true"], node["false"]]
    assert ol.read(numbered, space=space) == tree


@pytest.mark.parametrize("relation", ["<=", "<", ">", ">="])
@pytest.mark.parametrize("reference", [0.0, 0.1, 24.5, -1e300, 1e-300, 5, np.float32(0.3)])
def test_relations_at_the_reference_and_beside_it(relation, reference):
    tree = ol.read(split(relation=relation, reference=reference))
    r = float(reference)
    says = {"<=": lambda x: x <= r, "<": lambda x: x < r, ">": lambda x: x > r,
            ">=": lambda x: x >= r}[relation]  # fmt: skip
    for x in (r, math.nextafter(r, math.inf), math.nextafter(r, -math.inf), r + 1, r - 1):
        assert tree.predict([[x]]).tolist() == [int(says(x))]


def test_without_a_relation_the_column_is_one():
    tree = ol.read(split())
    assert tree.space == Space.independent(["x0"])
    assert tree.predict([[0], [1], [True]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize("reference", ["true", True, 1, 1.0, np.int64(1), np.bool_(True)])
def test_treefarms_style_equality(reference):
    for space, row, other in (
        (None, [1], [0]),
        (Space({"x0": "boolean"}), [True], [False]),
        (ONE_HOT, [1, 0], [0, 1]),
        (Space([Feature("x")], columns={"x0": Condition("x", at_most=5.0)}), [1], [0]),
    ):
        tree = ol.read(split(relation="==", reference=reference), space=space)
        assert tree.predict([row, other]).tolist() == [1, 0], space
        opposite = "false" if reference == "true" else 1 - int(reference)
        swapped = ol.read(split(relation="==", reference=opposite), space=space)
        assert swapped.predict([row, other]).tolist() == [0, 1], space


def test_labels_that_look_like_truth():
    space = Space({"answer": ["true", "false", "maybe"]})
    tree = ol.read(split("answer", relation="==", reference="true"), space=space)
    assert tree.predict([["true"], ["false"], ["maybe"]]).tolist() == [1, 0, 0]


@pytest.mark.parametrize("reference", [["red", "blue"], ("blue", "red"), {"red", "blue"}])
def test_sets_of_categories(reference):
    tree = ol.read(split("color", relation="in", reference=reference), space=COLORS)
    assert tree.predict([["red"], ["green"], ["blue"]]).tolist() == [1, 0, 1]
    assert str(tree).splitlines()[0] == "color != green?"


def test_a_relation_or_a_reference_alone():
    assert ol.read(split(relation="==")).predict([[1]]).tolist() == [1]
    assert ol.read(split(reference=0)).predict([[1]]).tolist() == [0]


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({}, r"a leaf 'prediction'; this node has \[\]"),
        ({"feature": 0}, "this node has"),
        ({"feature": 0, "true": YES}, r"this node has \['feature', 'true'\]"),
        ({"feature": 0, "false": YES, 3: 4}, "this node has"),
        (split(true=None), "a node must be a dict, got a NoneType"),
        (split(false=[YES]), "a node must be a dict, got a list"),
        (split(true="leaf"), "a node must be a dict, got a str"),
        (split("age"), "no column is named 'age'.*feature_names="),
        (split(-1), "feature -1 is not a column: it must be a name, or one of 0 to"),
        (split(True), "feature True is not a column"),
        (split(1.0), "feature 1.0 is not a column"),
        (split(None), "feature None is not a column"),
        (split([0]), r"feature \[0\] is not a column"),
        (split(10**12), "feature 1000000000000 is not a column"),
        (split(np.int64(2**40)), "is not a column"),
        (split(relation="~"), "relation must be one of .*'<='.*, got '~'"),
        (split(relation=["<="]), "relation must be one of"),
        (split(relation=None), "relation must be one of"),
        (split(relation="<=", reference="abc"), "reference 'abc' is not a number"),
        (split(relation="<=", reference=None), "reference None is not a number"),
        (split(relation=">", reference=[1]), "is not a number"),
        (split(relation=">", reference=10**400), "is not a number"),
        (split(relation="<", reference=float("nan")), "not a finite number"),
        (split(relation="<", reference=float("inf")), "not a finite number"),
        (split(relation="in", reference="red"), "'red' is not a list"),
        (split(relation="in", reference=5), "5 is not a list"),
        (split(relation="in", reference={"a": 1}), "is not a list"),
        (split(true={"prediction": "a"}), "class labels must be of one type"),
        (split(true={"prediction": True}), "class labels must be of one type"),
        (split(true={"prediction": "1"}), "class labels must be of one type"),
    ],
)
def test_dicts_that_are_no_tree(given, match):
    with pytest.raises(InvalidTree, match=match):
        ol.read(given)


@pytest.mark.parametrize("label", [None, [], {}, float("nan"), b"x", object()])
def test_predictions_that_are_no_label(label):
    with pytest.raises(InvalidSpace, match="cannot use"):
        ol.read({"prediction": label})


@pytest.mark.parametrize(
    ("given", "space", "match"),
    [
        (split(relation="==", reference="purple"), COLORS, "'purple', which it never is"),
        (split(relation="in", reference=["red", 3]), COLORS, "3, which it never is"),
        (split(relation="==", reference="yes"), Space({"a": "boolean"}), "'yes', which it never"),
        (split(relation="==", reference=2), Space({"a": "boolean"}), "2, which it never is"),
        (split(relation="==", reference=2), ONE_HOT, "columns|never is"),
        (split(relation="==", reference=3), Space({"a": "numeric"}), "declare it categorical"),
        (split(relation="<=", reference=3), COLORS, "compares 'color' with 3"),
        (split(1, relation="<=", reference=3), Space.numeric("ab"), None),
    ],
)
def test_references_that_the_space_does_not_have(given, space, match):
    if match is None:
        ol.read(given, space=space)
        return
    with pytest.raises(UnreadableModel, match=match):
        ol.read(given, space=space)


def test_names_out_of_the_space():
    with pytest.raises(
        InvalidTree, match=r"named 'colour' .did you mean 'color'.*there are 'color'"
    ):
        ol.read(split("colour"), space=COLORS)
    with pytest.raises(
        InvalidTree, match="feature 1 is not a column: it must be a name, or one of 0 to 0"
    ):
        ol.read(split(1), space=COLORS)
    tree = ol.read(split("b"), feature_names=["a", "b"])
    assert tree.features == ("b",)


@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("no", "yes"), (0.5, 1), (-3, 7)])
def test_predictions_of_every_type(labels):
    no, yes = ({"prediction": label} for label in labels)
    tree = ol.read(split(true=yes, false=no))
    assert tree.classes == tuple(sorted(labels))
    assert tree.predict([[0], [1]]).tolist() == list(labels)
    numpy = split(
        true={"prediction": np.array(labels)[1]}, false={"prediction": np.array(labels)[0]}
    )
    assert ol.read(numpy).predict([[0], [1]]).tolist() == list(labels)


@pytest.mark.parametrize("side", ["true", "false"])
def test_ten_thousand_levels(side):
    node = dict(YES)
    other = "false" if side == "true" else "true"
    for i in range(10_000):
        node = {"feature": 0, "relation": "<=", "reference": i, side: node, other: dict(NO)}
    tree = ol.read(node)
    assert tree.n_leaves + tree.kernel.n_dropped > 1
    assert tree.predict([[-1.0], [1e9]]).tolist() == ([1, 0] if side == "true" else [0, 1])


def test_a_dict_that_contains_itself():
    node = split()
    node["true"] = node
    with pytest.raises(InvalidTree, match="cycle"):
        ol.read(node)
    a, b = split(), split(1)
    a["true"], b["false"] = b, a
    with pytest.raises(InvalidTree, match="cycle"):
        ol.read({"feature": 2, "true": YES, "false": a})


def test_shared_dicts_are_no_cycle():
    leaf = {"prediction": 1}
    inner = split(1, true=leaf, false=dict(NO))
    tree = ol.read(split(0, true=inner, false=split(2, true=inner, false=leaf)))
    assert tree.n_leaves == 5
    assert tree.predict([[0, 1, 1], [0, 0, 1], [1, 0, 0]]).tolist() == [1, 0, 0]


def test_dicts_that_unfold_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(builder, "MAX_NODES", 1000)
    node = YES
    for i in range(60):
        node = split(i, true=node, false=node)
    with pytest.raises(InvalidTree, match="more than 1,000 nodes"):
        ol.read(node)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not complete JSON"),
        ("{", "not complete JSON"),
        ('{"feature": 0, "true": {"prediction": 1}', "not complete JSON"),
        ("[]", "expected a JSON object, got a list"),
        ("3", "expected a JSON object, got an int"),
        ("null", "expected a JSON object"),
        ('"text"', "expected a JSON object"),
        ('{"prediction": NaN}', "NaN is not JSON"),
        ('{"prediction": 0, "prediction": 1}', "duplicate entry 'prediction'"),
        ('{"prediction": %s}' % ("1" * 5000), "cannot be read"),
        ('{"true": ' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    ],
)
def test_text_that_is_no_tree(text, match):
    with pytest.raises(InvalidTree, match=match):
        ol.read(text)


@pytest.mark.parametrize("relation", ["<=", "<", ">", ">="])
def test_where_nan_is_a_value_no_comparison_with_it_holds(relation):
    split = {"feature": "lab", "relation": relation, "reference": 5, "true": {"prediction": 1},
             "false": {"prediction": 0}}  # fmt: skip
    space = ol.Space({"lab": ol.Feature("lab", nan=True)})
    assert ol.read(split, space=space).predict([[float("nan")]]).tolist() == [0]
