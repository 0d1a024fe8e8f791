"""Lists of trees as sets: the same interface, checked against the oracle tree by tree."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from oracle_rashomon import is_trivial, n_leaves, say
from rashomon_cases import Case, key

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidTree, TooLarge
from orderless.rashomon import TreeSet

CASES = 25


def listed(case, **options):
    """The oracle's set, as a list of trees."""
    trees = [case.read(tree) for tree in case.oracle.trees]
    return ol.TreeSet.from_trees(
        trees + trees[:2], case.X, case.labels, regularization=case.regularization,
        sample_weight=case.weights, **options,
    )  # fmt: skip


@pytest.fixture(scope="module", params=range(CASES))
def both(request):
    case = Case(request.param)
    return case, listed(case)


def distinct_trees(case):
    """Different columns can tell one condition: their trees are one ``Tree``."""
    return {case.key(tree): tree for tree in case.oracle.trees}


def test_numbers_are_the_oracles(both):
    case, found = both
    trees = distinct_trees(case).values()
    assert found.n_trees == len(found) == len(trees)
    assert found.n_nontrivial == sum(not is_trivial(tree) for tree in trees)
    assert found.objective == case.oracle.optimum
    assert len(found.functions()) == len(found.functions()) == len(case.oracle.functions("cells"))
    assert len(found.functions("rows")) == len(case.oracle.functions("rows"))
    costs = [case.oracle.objectives[tree] for tree in trees]
    assert found.bound == max(costs)
    assert found.on_bound == costs.count(max(costs))


def test_trees_come_in_order(both):
    case, found = both
    known = distinct_trees(case)
    before = (Fraction(0), 0)
    for i, tree in enumerate(found):
        now = (case.oracle.objectives[known[key(tree)]], tree.n_leaves)
        assert before <= now
        before = now
        assert found[i] == found[i - found.n_trees] == tree
        assert found.index(tree) == i
        assert tree in found
    assert {key(tree) for tree in found} == set(known)


def test_functions_have_their_trees(both):
    case, found = both
    by_function = case.oracle.functions("cells", list(distinct_trees(case).values()))
    before = Fraction(0)
    for function in found.functions():
        own = distinct_trees(case)[key(function.tree)]
        said = tuple(say(own, cell) for cell in case.cells)
        members = by_function.pop(said)
        assert function.n_trees == len(members)
        assert function.n_nontrivial == sum(not is_trivial(tree) for tree in members)
        assert {key(t) for t in function.trees()} == set(map(case.key, members))
        assert function.objective == min(case.oracle.objectives[tree] for tree in members)
        assert function.leaves == min(n_leaves(tree) for tree in members)
        assert function.fingerprint == function.tree.fingerprint
        assert before <= function.objective
        before = function.objective
    assert not by_function


def test_files_give_the_same_set_back():
    for seed in range(8):
        case = Case(seed)
        found = listed(case).where(~member.trivial)
        for again in (ol.TreeSet.from_json(found.to_json()), pickle.loads(pickle.dumps(found))):
            assert isinstance(again, TreeSet)
            assert list(again) == list(found)
            assert again.functions() == found.functions()
            assert again.bound == found.bound


def test_changed_files_are_refused():
    content = json.loads(listed(Case(1)).to_json())
    for change, words in [
        ({"n_trees": 10**9}, "says n_trees = 1000000000, but"),
        ({"rows": []}, "'rows' must hold"),
        ({"rows": [content["rows"][0]] * 2}, "'y' must hold 2 whole numbers"),
        ({"weights": [0] * len(content["y"])}, "'weights' must hold"),
        ({"max_depth": 99}, "max_depth 99"),
        ({"regularization": "-1/2"}, "regularization must be a number from 0"),
        ({"regularization": "x"}, "does not describe a set"),
        ({"trees": {**content["trees"], "column": [0] * len(content["trees"]["column"])}},
         "are not trees"),
        ({"where": [{"kind": "uses", "feature": "x99", "used": True}]}, "no feature 'x99'"),
        ({"where": [{"kind": "uses"}]}, "this is not a condition"),
        ({"where": [{"kind": "depth", "most": 3}]}, "not the JSON form of a condition"),
        ({"version": 2}, "version 2"),
        ({"format": "orderless-tree"}, "expected the format"),
    ]:  # fmt: skip
        with pytest.raises(InvalidTree, match=words):
            ol.TreeSet.from_json(json.dumps({**content, **change}))


def test_numeric_trees_by_hand():
    """Trees over raw features: their conditions become the columns."""
    space = ol.Space({"age": "integer", "color": ["red", "blue", "green"]})
    leaf = {"prediction": "a"}
    trees = [
        leaf,
        {"feature": "age", "relation": "<=", "reference": 30.5, "true": leaf,
         "false": {"prediction": "b"}},
        {"feature": "color", "relation": "in", "reference": ["red"], "true": leaf,
         "false": {"feature": "age", "relation": "<=", "reference": 30, "true": leaf,
                   "false": {"prediction": "b"}}},
    ]  # fmt: skip
    X = [[20, "red"], [40, "blue"], [31, "green"], [30, "blue"]]
    found = ol.TreeSet.from_trees(trees, X, ["a", "b", "b", "a"], space=space)
    assert found.n_trees == len(found.functions()) == 3
    assert found.columns == ("age <= 30", "color = red")
    assert [tree.n_leaves for tree in found] == [2, 3, 1]
    assert found.predict([{"age": 50}, {"color": "blue"}, {"age": 30}]).tolist() == ["b", "a", "a"]
    assert found.where(~member.uses("color")).n_trees == 2
    assert found.where(member.uses("color"), member.uses("age")).n_trees == 1
    assert found.where(member.leaves <= 2, ~member.trivial).n_trees == 2
    assert found.votes(X).counts.tolist() == [[3, 0], [1, 2], [1, 2], [3, 0]]
    assert found.votes(X).ambiguity() == 0.5 == found.votes(X).discrepancy()


def test_bad_lists_are_refused():
    case = Case(3)
    trees = [case.read(tree) for tree in case.oracle.trees]
    give = ol.TreeSet.from_trees
    with pytest.raises(InvalidData, match="there are no trees"):
        give([], case.X, case.labels)
    with pytest.raises(InvalidData, match="different spaces"):
        give([*trees, ol.read({"prediction": case.classes[0]})], case.X, case.labels)
    with pytest.raises(InvalidData, match="a tree predicts"):
        give(trees, case.X, [f"{label}?" for label in case.labels])
    with pytest.raises(InvalidData, match="rows and y has"):
        give(trees, case.X[1:], case.labels)
    gap = case.X.astype(float)
    gap[0] = np.nan
    with pytest.raises(InvalidData, match="complete rows are needed"):
        give(trees, gap, case.labels)
    with pytest.raises(TooLarge, match="more than limit=0"):
        len(give(trees, case.X, case.labels).functions(limit=0))
