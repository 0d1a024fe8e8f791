"""Two completions that get different answers, of trees and of sums of trees, by brute force."""

import math

import numpy as np
import pytest
from fact_cases import case
from hypothesis import given, settings, strategies as st
from oracle import decide, float32_names, possible_classes
from strategies import partial_rows, problems, tree_of
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidData


def same(value, other):
    return value == other or (value != value and other != other)


@settings(max_examples=150)
@given(problems(max_features=4), st.data())
def test_both_are_completions_and_get_different_classes(problem, data):
    kinds, (spec,) = problem
    row = data.draw(partial_rows(kinds, spec))
    classes = possible_classes(kinds, row, spec)
    tree = tree_of(spec, kinds)
    for model in (tree, as_ensemble(tree)):
        pair = model.explain(row).witness
        assert (pair is None) == (len(classes) == 1)
        if pair is None:
            continue
        for one in pair:
            assert list(one) == list(kinds)
            assert all(same(one[name], value) for name, value in row.items() if value is not None)
        labels = [decide(spec, one, float32_names(kinds)) for one in pair]
        assert labels[0] != labels[1]
        assert set(labels) <= set(classes)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("part", range(3))
def test_both_satisfy_the_facts(part, numbers):
    n_open = n_certain = 0
    for seed in range(part, 36, 3):
        own = case(seed, real=seed % 5 == 4, numbers=numbers)
        if not own.possible:
            continue
        tree = own.trees()[0]
        for row in own.parts(4):
            answers = {own.says(one) for one in own.completions(row)}
            for model in (tree, as_ensemble(tree)):
                if not answers:
                    with pytest.raises(InvalidData, match="contradicts"):
                        model.explain(row)
                    continue
                pair = model.explain(row).witness
                assert (pair is None) == (len(answers) == 1), (seed, row)
                if pair is None:
                    n_certain += 1
                    continue
                n_open += 1
                for one in pair:
                    assert all(same(one[name], value) for name, value in row.items())
                    assert all(holds(one) for _, holds in own.facts), (seed, row, one)
                labels = [own.says(one) for one in pair]
                assert labels[0] != labels[1]
                assert set(labels) <= answers
                if numbers and model is tree:
                    assert labels == [min(answers), max(answers)]
    assert min(n_open, n_certain) > 5


def test_what_columns_say_is_kept():
    """Conditions of one feature, of which some are known; a category that no column is about."""
    space = ol.Space(
        {"x": "integer", "c": ["red", "green", "blue"]},
        columns={
            "x <= 5": ol.Condition("x", at_most=5), "x <= 9": ol.Condition("x", at_most=9),
            "red": ol.Condition("c", among=("red",)),
        },
    )  # fmt: skip
    tree = ol.Tree(space, ["a", "b"], feature=[0, -1, 1, -1, -1], threshold=[7, 0, 0, 0, 0],
                   when_true=[1, -1, 3, -1, -1], when_false=[2, -1, 4, -1, -1], sets={2: [2]},
                   leaf_class=[-1, 0, -1, 1, 0])  # fmt: skip
    for model in (tree, as_ensemble(tree)):
        first, second = model.explain({"x <= 5": 0, "red": 0}).witness
        assert (first["x <= 5"], first["red"]) == (second["x <= 5"], second["red"]) == (0, 0)
        assert sorted(model.predict([first, second]).tolist()) == ["a", "b"]
        assert model.explain({"x <= 5": 1}).witness is None


def test_where_nan_is_a_value_and_where_one_end_is_known():
    nan = ol.Feature("x", nan=True)
    tree = ol.Tree(ol.Space([nan]), ["no", "yes"], feature=[0, -1, -1],
                   threshold=[math.inf, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
                   leaf_class=[-1, 0, 1])  # fmt: skip
    for model in (tree, as_ensemble(tree)):
        first, second = model.explain({}).witness
        assert {np.isnan(first["x"]).item(), np.isnan(second["x"]).item()} == {False, True}
        assert model.explain({"x": None}).witness is None
