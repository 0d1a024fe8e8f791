"""Facts: how they are written, what they mean, and what a space does with them."""

import copy
import itertools
import math
import pickle
import warnings

import pytest

import orderless as ol
from orderless import Fact, Space, Tree, read
from orderless.errors import InvalidSpace, TooLarge
from orderless.model import PossibleTree, Side, values_between, values_in
from orderless.model.facts import cells

KINDS = {
    "age": "integer", "first charge": "integer", "sex": ["female", "male"], "pregnant": "boolean",
    "a": "numeric", "b": "numeric", "total": "numeric", "grade": [1, 2, 3], "größe": "numeric",
}  # fmt: skip


def holds(text, **values):
    """Whether a fact holds for some values, names with _ for spaces."""
    space = Space(KINDS, facts=[text])
    domains = {}
    for name, value in values.items():
        feature = space[name.replace("_", " ")]
        i = space.index(feature.name)
        if feature.ordered:
            domains[i] = values_between(feature, float(value), float(value), False)
        else:
            domains[i] = values_in(Side(feature, codes=(feature.code(value),)))
    return space.domain.possible(domains)


@pytest.mark.parametrize(("text", "yes", "no"), [
    ("`first charge` <= age", {"first_charge": 3, "age": 3}, {"first_charge": 4, "age": 3}),
    ("'first charge' < age", {"first_charge": 2, "age": 3}, {"first_charge": 3, "age": 3}),
    ("if pregnant then sex = female", {"pregnant": 0, "sex": "male"},
     {"pregnant": 1, "sex": "male"}),
    ("if pregnant = yes then sex != male", {"pregnant": 1, "sex": "female"},
     {"pregnant": 1, "sex": "male"}),
    ("if age >= 18 and not pregnant then a > 0 or b > 0",
     {"age": 18, "pregnant": 0, "a": 0, "b": 1},
     {"age": 18, "pregnant": 0, "a": 0, "b": 0}),
    ("total = a + b", {"total": 3, "a": 1, "b": 2}, {"total": 3, "a": 1, "b": 2.5}),
    ("total = a + b within 0.01", {"total": 0.3, "a": 0.1, "b": 0.2},
     {"total": 0.32, "a": 0.1, "b": 0.2}),
    ("total >= 2*a - b * 0.5 + 1", {"total": 4, "a": 2, "b": 2}, {"total": 3.9, "a": 2, "b": 2}),
    ("0 <= a <= b", {"a": 0, "b": 0}, {"a": -0.5, "b": 1}),
    ("grade in {1, 3}", {"grade": 3}, {"grade": 2}),
    ("grade not in {1}", {"grade": 2}, {"grade": 1}),
    ("grade >= 2", {"grade": 2}, {"grade": 1}),
    ("(sex, grade) in {(male, 1), (female, 2)}", {"sex": "male", "grade": 1},
     {"sex": "male", "grade": 2}),
    ("at most 1 of pregnant, a > 0, sex = male", {"pregnant": 1, "a": 0, "sex": "female"},
     {"pregnant": 1, "a": 1, "sex": "female"}),
    ("at least 2 of a > 0, b > 0, total > 0", {"a": 1, "b": 1}, {"a": 0, "b": 0}),
    ("exactly 1 of a > 0, b > 0", {"a": 1, "b": 0}, {"a": 1, "b": 1}),
    ("not (a > 0 and b > 0)", {"a": 0, "b": 1}, {"a": 1, "b": 1}),
    ("größe ≥ a", {"größe": 1, "a": 1}, {"größe": 0, "a": 1}),
    ("a != b", {"a": 1, "b": 2}, {"a": 1, "b": 1}),
    ("a <= -1.5e0", {"a": -1.5}, {"a": -1.25}),
])  # fmt: skip
def test_what_facts_mean(text, yes, no):
    assert holds(text, **yes)
    assert not holds(text, **no)


@pytest.mark.parametrize(("text", "message"), [
    ("age <=", "at character 7: expected the name of a feature, got the end"),
    ("ago <= age", "at character 1: there is no feature 'ago': the features are 'age'"),
    ("`first  charge` <= age", "at character 1: there is no feature 'first  charge'"),
    ("sex = mle", "at character 7: 'mle' is not a value of Feature"),
    ("if pregnant", "at character 12: expected 'then', got the end"),
    ("age <= 3 )", "at character 10: expected 'and', 'or' or the end"),
    ("at most 5 of pregnant", "at character 9: 5 of 1 is more than there are"),
    ("at most x of pregnant", "at character 9: expected how many"),
    ("a + sex < 3", "at character 5: .* is no number"),
    ("age ! 3", "at character 5: '!' cannot be read"),
    ("age", "expected a comparison, like 'a <= b', got the end"),
    ("sex < 3", "has no order"),
    ("sex + 1 = 2", "is compared by '=' or 'in'"),
    ("a <= 1e999", "'1e999' is too large"),
    ("a <= b within 3", "'within' follows 'a = b'"),
    ("(" * 60 + "a > 0" + ")" * 60, "nested too deeply"),
    ("not " * 60 + "pregnant", "repeated too often"),
    ("a > 0 or " * 4000 + "a > 0", "at most 20,000 are read"),
    ("pregnant = 2.5x", "cannot be read"),
    ("sex = age", "both must list all their values"),
])  # fmt: skip
def test_a_fact_that_cannot_be_read_says_where(text, message):
    with pytest.raises(InvalidSpace, match=message):
        Space(KINDS, facts=[text])


@pytest.mark.parametrize("given", ["a <= b", 3, [3], [""], [None]])
def test_facts_are_a_list_of_texts(given):
    with pytest.raises(InvalidSpace, match="fact"):
        Space(KINDS, facts=given)


def test_names_and_labels_of_all_kinds_survive_their_own_text():
    names = ['a "q" b', "it's", "tick ` tick", "x<=3", "and", "größe", "1st"]
    space = Space(dict.fromkeys(names, "numeric"), facts=[Fact.order(*names)])
    first, last = (space.index(names[k]) for k in (0, -1))
    assert not space.domain.possible({
        first: values_between(space.features[first], 2.0, 2.0, False),
        last: values_between(space.features[last], 1.0, 1.0, False),
    })  # fmt: skip
    labels = ["red", "dark red", 'a"b', "back\\slash", "if", "3", ""]
    rows = [(label, flag) for label in labels[:-1] for flag in (True,)]
    space = Space({"c": labels, "f": bool}, facts=[Fact.table(["c", "f"], rows)])
    own = {0: values_in(Side(space["c"], codes=(6,)))}
    assert not space.domain.possible(own)
    assert all(space.domain.possible({0: values_in(Side(space["c"], codes=(k,)))})
               for k in range(6))  # fmt: skip


def test_a_smallest_part_of_contradicting_facts_is_named():
    facts = ["a <= b", "b <= total", "a >= 0", "total < a", "age > 3", "grade = 1"]
    with pytest.raises(InvalidSpace, match=r"'a <= b'; 'b <= total'; 'total < a'\.") as fault:
        Space(KINDS, facts=facts)
    assert "age" not in str(fault.value)
    for gone in ("a <= b", "b <= total", "total < a"):
        Space(KINDS, facts=[fact for fact in facts if fact != gone])
    with pytest.raises(InvalidSpace, match="no row can satisfy this fact: 'a < a'"):
        Space(KINDS, facts=["a < a"])
    with pytest.raises(InvalidSpace, match="no row can satisfy this fact: '2\\*age = 3'"):
        Space(KINDS, facts=["2*age = 3"])  # no whole number


def test_a_space_with_facts_is_a_value():
    space = Space(KINDS, facts=["a <= b", "if pregnant then sex = female"])
    turned = Space(KINDS, facts=["if pregnant then sex = female", "a <= b", "a <= b"])
    assert space == turned
    assert hash(space) == hash(turned)
    assert space != space.without_facts()
    assert space.without_facts().without_facts() == Space(KINDS)
    assert repr(space).endswith("2 facts)")
    for again in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space),
                  Space.from_dict(space.to_dict())):  # fmt: skip
        assert again == space
        assert again.facts == space.facts
    assert "knowing" not in Space(KINDS).to_dict()


TREE = {"feature": "high", "relation": "<=", "reference": 5, "true": {"prediction": "no"},
        "false": {"prediction": "yes"}}  # fmt: skip


def test_trees_with_facts_are_written_with_a_version_that_older_readers_refuse():
    plain = read(TREE, space=Space({"low": float, "high": float}))
    tree = plain.with_facts(["low <= high"])
    assert '"version": 2' in tree.to_json()
    assert '"version": 1' in plain.to_json()
    assert Tree.from_json(tree.to_json()) == tree
    assert Tree.from_json(plain.to_json()) == plain
    assert tree.with_space(plain.space) == plain
    assert plain.with_space(tree.space) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_read_tree_keeps_the_facts_of_the_space():
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    rows = [[i, i + j] for i, j in itertools.product(range(6), range(3))]
    label = [b > 4 for _, b in rows]
    scaler = StandardScaler().fit(rows)
    model = DecisionTreeClassifier(random_state=0).fit(scaler.transform(rows), label)
    space = Space({"low": float, "high": float}, facts=["low <= high"])
    tree = read(model, preprocessing=scaler, space=space)
    assert tree.space.facts == space.facts
    assert tree.predict([{"low": 7.0}]).tolist() == [True]


def test_float32_features_compare_facts_before_they_are_rounded():
    space = Space({"x": "float32", "y": "float32"}, facts=["x < y"])
    near = math.nextafter(0.1, 1.0)  # the same float32 as 0.1
    tree = read({"feature": "x", "relation": "<=", "reference": 5,
                      "true": {"prediction": 0}, "false": {"prediction": 1}},
                     space=space)  # fmt: skip
    assert tree.predict([{"x": 0.1, "y": near}]).tolist() == [0]
    with pytest.warns(ol.errors.ContradictingRows, match="row 0 contradicts the facts: 'x < y'"):
        assert tree.predict([{"x": near, "y": 0.1}]).mask.tolist() == [True]


def test_missing_numbers_that_are_values_free_a_row_of_facts():
    space = Space([ol.Feature("low", nan=True), ol.Feature("high", nan=True)],
                  facts=["low <= high"])  # fmt: skip
    tree = read(TREE, space=space)
    # Not mentioned is unknown: at least 7, or missing, which this tree takes for "above".
    assert tree.possible([{"low": 7.0}, {"low": math.nan}]) == [("yes",), ("no", "yes")]
    assert tree.predict([{"low": 7.0, "high": 8.0}]).tolist() == ["yes"]
    assert tree.predict([{"low": math.nan, "high": 1.0}]).tolist() == ["no"]
    with pytest.warns(ol.errors.ContradictingRows):
        assert tree.predict([{"low": 7.0, "high": 6.0}]).mask.all()


def test_infinite_numbers_lie_beyond_all_floats():
    tree = read(TREE, space=Space({"low": float, "high": float}, facts=["low <= high"]))
    assert tree.predict([{"low": math.inf}, {"low": -math.inf, "high": 0.0}]).tolist() == [
        "yes",
        "no",
    ]
    with pytest.warns(ol.errors.ContradictingRows):
        tree.predict([{"low": math.inf, "high": 3.0}])


def test_too_many_cells_are_refused(monkeypatch):
    tree = read(TREE, space=Space({"low": float, "high": float}, facts=["low <= high"]))
    monkeypatch.setattr(cells, "MOST_CELLS", 1)
    with pytest.raises(TooLarge, match="the facts connect 'high', which the tree cuts into 2"):
        PossibleTree(tree.kernel)


@pytest.mark.parametrize(("fact", "missing", "there"), [
    ("if lab is missing then not tested", [False], [False, True]),
    ("if lab is not missing then tested", [False, True], [True]),
    ("at least 1 of lab is missing, tested", [False, True], [True]),
    ("if lab is missing and lab > 3 then tested", [False, True], [False, True]),
    ("if lab > 3 then tested", [False, True], [True]),
    ("if 2*lab = 3 then tested", [False, True], [False, True]),
    ("2*lab = 3", [False, True], []),
])  # fmt: skip
def test_what_facts_say_of_missing_numbers(fact, missing, there):
    lab = ol.Feature("lab", values="integer", nan=True)
    space = Space([lab, ol.Feature("tested", "boolean")], facts=[fact])
    asked = {"feature": "tested", "true": {"prediction": True}, "false": {"prediction": False}}
    tree = read(asked, space=space)
    for value, expected in ((math.nan, missing), (5, there)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rows that no fact allows
            assert list(tree.possible([{"lab": value}])[0]) == expected
