"""A tree over another space: what both can say is kept, the rest is refused."""

import math

import oracle
import pytest
from hypothesis import given, settings
from strategies import problems, space_of, tree_of

from orderless import Condition, Feature, Space
from orderless.errors import InvalidSpace

from .small_trees import X1, stump


@given(problems(max_features=3))
@settings(max_examples=100)
def test_over_narrower_spaces_keeps_what_both_can_say(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    narrower = {"float64": "float32", "float32": "integer", "integer": "boolean"}
    other = {}
    for name, kind in kinds.items():
        other[name] = kind[:2] if isinstance(kind, tuple) else narrower.get(kind, kind)
    over = tree.with_space(space_of(other))
    assert over.classes == tree.classes
    rows = list(oracle.cells(other, spec))
    assert over.predict(rows).tolist() == tree.predict(rows).tolist()
    assert tree.with_space(tree.space) == tree


def test_over_categories_rounds_as_rows_are_rounded():
    low = oracle.as_float32(0.1)
    near = low + 1e-10  # a float64 that rounds to it
    tree = stump(Space({"x": "float32"}), threshold=[low, 0, 0])
    over = tree.with_space(Space({"x": [near, 5.0]}))
    assert (
        over.predict([[near], [5.0]]).tolist() == tree.predict([[near], [5.0]]).tolist() == [0, 1]
    )


def test_over_a_wider_float_keeps_the_rounding():
    low = oracle.as_float32(0.1)
    tree = stump(Space({"x": "float32"}), threshold=[low, 0, 0])
    over = tree.with_space(X1)
    middle = (low + oracle.float32_neighbours(low)[1]) / 2
    for x in (low, middle, math.nextafter(middle, 0), math.nextafter(middle, 1)):
        assert over.predict([[x]]).tolist() == tree.predict([[x]]).tolist()


def test_over_goes_by_name_and_keeps_labels_and_shares():
    tree = stump(classes=(1, 0.5), distribution=[[1, 2], [3, 4], [5, 6]])
    over = tree.with_space(Space({"y": "boolean", "x": "integer"}))
    assert over.features == ("x",)
    assert [type(c) for c in over.classes] == [int, float]
    assert over.distribution.tolist() == [[1, 2], [3, 4], [5, 6]]
    columns = Space([Feature("x")], columns={"x<=1": Condition("x", at_most=1.0)})
    assert tree.with_space(columns).predict([[1], [0]]).tolist() == [None, 0.5]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (Feature("x", values="integer"), Feature("x")),
        (Feature("x", values="integer"), Feature("x", values="float32")),
        (Feature("x", "boolean"), Feature("x", values="integer")),
        (Feature("x", "boolean"), Feature("x", "categorical", categories=(0, 1, 2))),
        (Feature("x", values="integer"), Feature("x", "categorical", categories=(0, 0.5))),
        (Feature("x"), Feature("x", "categorical", categories=(0, "a"))),
        (Feature("x"), Feature("x", "categorical", categories=(0, 1), other=True)),
        (Feature("x"), Feature("x", nan=True)),
    ],
)
def test_over_refuses_values_that_the_tree_does_not_know(here, there):
    with pytest.raises(InvalidSpace, match="cannot be converted to"):
        stump(Space([here])).with_space(Space([there]))


def test_over_refuses_categories_that_the_tree_does_not_know():
    here = Space({"c": ["a", "b"]})
    tree = stump(here, sets={0: [0]})
    for there in (["a", "z"], [1], "numeric"):
        with pytest.raises(InvalidSpace, match="cannot be converted to"):
            tree.with_space(Space({"c": there}))
    with pytest.raises(InvalidSpace, match="no feature 'c'"):
        tree.with_space(X1)
    open_here = Feature("c", "categorical", categories=("a", "b"), other=True, nan=True)
    wide = stump(Space([open_here]), sets={0: [0, 2, 3]})
    assert wide.with_space(here).predict([["a"], ["b"]]).tolist() == [0, 1]
    there = Feature("c", "categorical", categories=("z", "b"), other=True, nan=True)
    over = wide.with_space(Space([there]))
    for value in ("a", "b", "z", "q", None):
        assert over.predict([[value]]).tolist() == wide.predict([[value]]).tolist()
