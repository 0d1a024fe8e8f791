"""Conditions are values: made once, checked when they are made, written down and read again."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidSpace
from orderless.rashomon import Condition

EVERY = {
    "leaves <= 6": member.leaves <= 6,
    "n_features <= 3": member.n_features <= 3,
    "min_leaf >= 20": member.min_leaf >= 20,
    "min_leaf >= 0.05": member.min_leaf >= 0.05,
    "objective <= 0.2": member.objective <= 0.2,
    "objective <= Fraction(1, 3)": member.objective <= Fraction(1, 3),
    "epsilon <= 0.01": member.epsilon <= 0.01,
    "uses('age')": member.uses("age"),
    '~uses("it\'s")': ~member.uses("it's"),
    "root == 'age <= 30'": member.root == "age <= 30",
    "root == {'feature': 'age', 'false': 'sex'}": member.root == {"feature": "age", "false": "sex"},
    "path_cost({'age': 1, 'sex': 0.5}) <= 5": member.path_cost({"sex": 0.5, "age": 1}) <= 5,
    "monotone({'age': +1, 'sex': -1})": member.monotone({"sex": -1, "age": 1}),
    "~trivial": ~member.trivial,
    "(leaves <= 6) & uses('age')": (member.leaves <= 6) & member.uses("age"),
    "~uses('age') & ~trivial & (root == 'sex')": (
        ~member.uses("age") & ~member.trivial & (member.root == "sex")
    ),
}

every = pytest.mark.parametrize(("text", "condition"), EVERY.items())


@every
def test_the_text_is_the_python_that_makes_it(text, condition):
    assert str(condition) == text
    names = {"member": member, "Fraction": Fraction}
    assert eval(repr(condition), names) == condition
    assert hash(eval(repr(condition), names)) == hash(condition)


@every
def test_files_pickles_and_copies_are_equal(text, condition):
    again = Condition.from_dict(json.loads(json.dumps(condition.to_dict())))
    for other in (again, pickle.loads(pickle.dumps(condition)), copy.deepcopy(condition)):
        assert other == condition
        assert hash(other) == hash(condition)
        assert str(other) == text


def test_different_conditions_are_different():
    assert all(a != b for a, b in combinations(EVERY.values(), 2))
    assert len(set(EVERY.values())) == len(EVERY)


@every
def test_they_cannot_be_changed(text, condition):
    for name in condition.__dataclass_fields__:
        with pytest.raises(AttributeError, match="cannot assign"):
            setattr(condition, name, 3)


def test_what_is_alike_is_equal():
    assert (member.leaves < 7) == (member.leaves <= 6) == (member.leaves <= 6)
    assert ~~member.uses("age") == member.uses("age")
    assert (member.root == "age") == (member.root == {"feature": "age", "true": None})
    assert (member.min_leaf >= 0.1) == (member.min_leaf >= Fraction(1, 10))
    assert (member.leaves <= np.int64(6)) == (member.leaves <= 6)
    one, other, third = member.uses("a"), member.uses("b"), ~member.trivial
    assert (one & other) & third == one & (other & third)
    assert one & one == one


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: member.leaves == 3, r"member.leaves == 3 is not .*write member.leaves <= a whole"),
        (lambda: member.leaves >= 3, "write member.leaves <= a whole number from 1"),
        (lambda: member.n_features != 3, "write member.n_features <= a whole number from 0"),
        (lambda: 2 <= member.leaves <= 6, "write member.leaves <="),
        (lambda: member.min_leaf <= 3, "write member.min_leaf >= a number of rows"),
        (lambda: member.objective < 3, "write member.objective <= a number from 0"),
        (lambda: member.root != "age", "write member.root == the name"),
        (lambda: member.path_cost({"a": 1}) == 3, r"write member.path_cost\(costs\) <= a number"),
        (lambda: member.trivial == 1, "write ~member.trivial"),
        (lambda: ~~member.trivial, "write ~member.trivial"),
        (lambda: ~member.leaves, "write member.leaves <="),
        (lambda: member.leaves & member.uses("a"), "write member.leaves <="),
        (lambda: member.uses("a") & member.leaves, "write member.leaves <=|two conditions"),
        (lambda: member.uses("a") & True, "& takes two conditions, .*got a bool"),
        (lambda: member.uses("a") | member.uses("b"), r"cannot be combined by \|"),
        (lambda: member.uses("a") == 3, "cannot be compared with an int"),
        (lambda: member.uses("a") != "b", "cannot be compared with a str"),
        (lambda: member.uses("a") and member.uses("b"), "combine conditions by &"),
        (lambda: not member.uses("a"), "negate by ~"),
        (lambda: bool(member.leaves), "write member.leaves <="),
        (lambda: ~(member.leaves <= 3), "leaves <= 3 cannot be negated"),
        (lambda: ~member.monotone({"a": 1}), "cannot be negated"),
        (lambda: ~(member.uses("a") & member.uses("b")), "cannot be negated"),
    ],
)
def test_what_cannot_be_counted_is_refused_when_it_is_made(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: member.leaves <= "x", "leaves must be a whole number from 1, got 'x'"),
        (lambda: member.leaves < 1, "leaves must be a whole number from 2, got 1"),
        (lambda: member.n_features <= True, "n_features must be a whole number from 0, got True"),
        (lambda: member.min_leaf >= "many", "min_leaf must be a number of rows"),
        (lambda: member.objective <= -1, "objective must be a number from 0"),
        (lambda: member.epsilon <= None, "epsilon must be a number from 0"),
        (lambda: member.root == 3, "a first question must be the name"),
        (lambda: member.root == {"feature": "a", "yes": "b"}, "keys 'feature', 'true' and 'false'"),
        (lambda: member.uses(["a", "b"]), "the name of one feature"),
        (lambda: member.path_cost([1, 2]), "costs must be a dict"),
        (lambda: member.path_cost({"a": -1}), "the cost of 'a' is -1"),
        (lambda: member.path_cost({"a": 1}) <= "x", "the most that a path may cost is 'x'"),
        (lambda: member.monotone({"a": 2}), "must be .1 .rises. or -1 .falls., got 2"),
        (lambda: member.uses("a") & ~member.uses("a"), "contradict each other"),
    ],
)
def test_values_are_read_when_it_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_where_takes_conditions_alone():
    trees = ol.RashomonSet(2, 0.02, 0.2).fit([[0, 1], [1, 0], [1, 1]] * 2, [0, 1, 1] * 2).trees_
    for odd in ("leaves <= 6", 3, None, member.leaves, member.trivial):
        with pytest.raises(TypeError, match=r"where takes conditions, such as member.leaves <= 6"):
            trees.where(odd)
    for odd in ("leaves <= 6", 3, None, [member.leaves], {"leaves": 6}):
        with pytest.raises(TypeError, match=r"constraints takes conditions, such as member.leaves"):
            ol.RashomonSet(constraints=odd).fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(InvalidSpace, match=r"no feature 'x9'.*the features are"):
        trees.where(member.uses("x9"))
    with pytest.raises(InvalidData, match="the first question asks 'x9', which is no column"):
        ol.RashomonSet(constraints=member.root == "x9").fit([[0, 1], [1, 0]], [0, 1])


@pytest.mark.parametrize(
    "content",
    [None, [], {}, {"kind": "depth"}, {"kind": "uses"}, {"kind": "near", "quantity": "x"},
     {"kind": "root", "beginning": "age"}, {"kind": "root", "beginning": [3, None, None]},
     {"kind": "path_cost", "costs": [["a"]], "most": "1"}, {"kind": "all", "conditions": [3]},
     {"kind": "monotone", "directions": 3}, {"kind": ["uses"]}],
)  # fmt: skip
def test_other_json_is_refused(content):
    with pytest.raises(ValueError, match=r"not a condition|JSON form|name"):
        Condition.from_dict(content)
