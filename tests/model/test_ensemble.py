"""What an ensemble is: checked once, compared, written down and read again."""

import copy
import json
import pickle

import numpy as np
import pytest

import orderless as ol
from orderless import Ensemble
from orderless.errors import InvalidTree
from orderless.model import Adding, Rule

from ..oracle_ensemble_rows import draw

SPACE = ol.Space({"age": "integer", "dose": "numeric"})


def stump(feature=0, cut=3.0):
    ends = {"when_true": [1, -1, -1], "when_false": [2, -1, -1], "leaf_class": [-1, 0, 1]}
    return ol.Tree(SPACE, [0, 1], feature=[feature, -1, -1], threshold=[cut, 0, 0], **ends)


def points(**changes):
    own = {
        "trees": [stump(), stump(1)], "values": [[0.0, 1.0], [0.0, 2.0]],
        "classes": ["low", "high"], "adding": Adding(), "rule": Rule("cuts", (1.5,)),
    }  # fmt: skip
    return Ensemble(**{**own, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trees": []}, "at least one tree"),
        ({"trees": [stump(), "x"]}, "must consist of trees, got a str"),
        ({"trees": [stump(), ol.read({"prediction": 1})]}, "over one space"),
        ({"values": [[0.0, 1.0]]}, "2 trees, and values of 1"),
        ({"values": [[0.0, 1.0, 2.0], [0.0, 1.0]]}, "numbers 2 leaves and 3 have values"),
        ({"values": [[0.0, np.inf], [0.0, 1.0]]}, "finite numbers"),
        ({"values": [["x", 1.0], [0.0, 1.0]]}, "values must be"),
        ({"values": [[0.0, 1e308], [0.0, 1e308]]}, "larger than float64 holds"),
        ({"values": [[0.0, 2.0**127], [0.0, 1.0]], "adding": Adding("float32")}, "than float32"),
        ({"adding": None}, "adding must be an Adding"),
        ({"adding": Adding("float16")}, "precision must be one of"),
        ({"adding": Adding(base=(np.nan,))}, "base must be a tuple of finite numbers"),
        ({"adding": Adding(divisor=0)}, "divisor must be a number above 0"),
        ({"adding": Adding("float32", base=(0.1,))}, "has only such numbers, got"),
        ({"rule": Rule("most")}, "kind of the rule must be one of"),
        ({"rule": Rule("number")}, "'number' and 2 classes"),
        ({"rule": Rule("largest")}, "the largest of 1 scores"),
        ({"rule": Rule("cuts", (2.0, 1.0))}, "finite numbers that rise"),
        ({"rule": Rule("cuts", (1.0, 2.0))}, "2 cuts make 3 classes, got 2"),
        ({"rule": Rule("cuts", (1.5,), -1.0)}, "window of the rule"),
        ({"scores": [0]}, "whole number for each tree"),
        ({"scores": [0, 1]}, r"-1 \(all\) or 0 to 0"),
        ({"link": "probit"}, "link must be one of"),
        ({"factor": 0}, "factor must be a finite number above 0"),
        ({"classes": ["low", "low"]}, "duplicate class label"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(InvalidTree, match=message):
        points(**changes)


def test_only_scores_have_values():
    two = [[[0.0, 1.0], [1.0, 0.0]]] * 2
    with pytest.raises(InvalidTree, match="tree 1 adds to score 0 only, and has values of others"):
        points(values=two, scores=[-1, 0], adding=Adding(base=(0.0, 0.0)), rule=Rule("largest"))


def test_it_says_what_it_is():
    assert repr(points()) == "Ensemble(2 trees, features ['age', 'dose'], classes ['low', 'high'])"
    assert str(points()) == (
        "2 trees with 4 leaves, at most 1 deep, over 2 features: ['age', 'dose']\n"
        "classes ['low', 'high']; 1 score, added without rounding; the class of the interval that "
        "the score falls into"
    )
    one = points(trees=[stump()], values=[[0.1, 0.2]], classes=None, rule=Rule("number"))
    assert repr(one) == "Ensemble(1 tree, features ['age'], numbers)"
    assert (one.n_trees, one.n_scores, points().n_trees) == (1, 1, 2)
    assert "the score is the number" in str(one)


def test_equal_and_copied():
    one = points()
    one.kernel.summed  # noqa: B018  (what the core holds is made again)
    for other in (points(), copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
        assert hash(other) == hash(one)
        assert other.predict([[4, 4.0]]).tolist() == ["high"]
        with pytest.raises(ValueError, match="read-only"):
            other.kernel.values[0][0] = 3.0
    for changes in ({"values": [[0.0, 1.0], [0.0, 3.0]]}, {"trees": [stump(), stump(1, 4.0)]},
                    {"classes": ["low", "HIGH"]}, {"rule": Rule("cuts", (0.5,))},
                    {"adding": Adding(base=(1.0,))}, {"link": "logistic"}):  # fmt: skip
        assert points(**changes) != one
    assert one != "ensemble"


def test_training_rows_of_trees_are_left_out():
    tree = stump().replace(distribution=[[2, 1], [2, 0], [0, 1]])
    assert points(trees=[tree, stump(1)]) == points()


@pytest.mark.parametrize("seed", range(40))
def test_json_gives_back_the_same(seed):
    ensemble = draw(seed).ensemble()
    text = ensemble.to_json()
    again = Ensemble.from_json(text)
    assert again == ensemble
    assert again.to_json() == text
    assert json.loads(text)["format"] == "orderless-ensemble"


def test_numbers_and_windows_are_written():
    ensemble = points(adding=Adding("float32", (0.5,), True, 3.0), factor=2.0, link="logistic",
                      rule=Rule("cuts", (1.5,), 1e-6))  # fmt: skip
    again = Ensemble.from_json(ensemble.to_json().encode())
    assert again == ensemble
    assert (again.kernel.adding, again.kernel.rule) == (
        ensemble.kernel.adding,
        ensemble.kernel.rule,
    )


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "orderless-tree", "expected the format 'orderless-ensemble'"),
        (["version"], 9, "version 9"),
        (["trees"], [], "at least one tree"),
        (["trees"], [3], "'trees' must be a list of objects"),
        (["trees", 0, "values"], [[0.0]], "leaf_class"),
        (["trees", 0, "values"], [["x"], [1.0]], "list of lists of numbers"),
        (["trees", 0, "values"], [[1e999], [1.0]], "finite"),
        (["trees", 0, "score"], 7, "scores must be"),
        (["trees", 0, "score"], True, "'score' is a bool"),
        (["trees", 0, "feature"], [99, -1, -1], "feature is 99"),
        (["adding"], {"kind": 3}, "'adding' has the entry 'kind'"),
        (["adding", "base_last"], 1, "'base_last' is an int"),
        (["adding", "divisor"], "x", "divisor must be"),
        (["rule", "window"], None, "window of the rule"),
        (["rule", "cuts"], "x", "'cuts' is a str"),
        (["link"], 5, "'link' is an int"),
        (["factor"], "x", "factor must be"),
        (["classes"], "low", "'classes' is a str"),
        (["space"], {}, "does not describe"),
    ],
)
def test_files_that_say_something_else_are_refused(path, value, message):
    content = json.loads(points().to_json())
    at = content
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(InvalidTree, match=message):
        Ensemble.from_json(json.dumps(content))


def test_over_another_space():
    wide = ol.Space({"other": "boolean", "dose": "numeric", "age": "integer"})
    moved = points().with_space(wide)
    assert moved.space == wide
    assert moved.predict([{"age": 4, "dose": 4.0}]).tolist() == ["high"]
    assert points().with_space(SPACE).trees == points().trees
