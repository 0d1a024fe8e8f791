"""Conditional reliance: the mean over every permutation within strata, exactly."""

import itertools
import math
from functools import cache

import oracle
import oracle_importance as brute
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import problems, tree_of

import orderless as ol
from orderless.importance import conditional_model_reliance

from .small_trees import (
    binarized,
    binarized_rows,
    deciding,
    dicts,
    small_data,
)


@given(problems(max_features=3), st.data())
@settings(max_examples=100)
def test_reliance_equals_the_mean_over_permutations_within_strata(problem, data):
    kinds, (spec,) = problem
    rows = data.draw(small_data(kinds, spec, most=5))
    tree, y = tree_of(spec, kinds), [label for _, label in rows]
    names, rounded = list(kinds), oracle.float32_names(kinds)
    decide = deciding(kinds, spec)
    values = oracle.values_by_feature(kinds, spec)
    cells = list(itertools.product(*(values[name] for name in kinds)))
    assume(len(cells) <= 200)

    def felt(i, value):
        return oracle.as_float32(value) if names[i] in rounded else value

    def told(i, value, other):
        """Whether two values of a feature are told apart anywhere."""
        put = [[(*c[:i], v, *c[i + 1 :]) for c in cells] for v in (value, other)]
        return any(decide(a) != decide(b) for a, b in zip(*put, strict=True))

    @cache
    def bin_of(i, value):
        """Ordered: how often the function changes up to the value. Else: what it is told from."""
        if kinds[names[i]] == "boolean" or isinstance(kinds[names[i]], tuple):
            return [told(i, value, other) for other in values[names[i]]]
        below = [v for v in sorted(values[names[i]]) if felt(i, v) <= felt(i, value)]
        return sum(told(i, a, b) for a, b in itertools.pairwise(below))

    for strata, say in (("values", felt), ("bins", bin_of)):
        ours = conditional_model_reliance(tree, dicts(kinds, rows), y, strata=strata)
        for j in range(len(kinds)):

            def others(cell, j=j, say=say):
                return [say(i, value) for i, value in enumerate(cell) if i != j]

            expected = brute.permuted(decide, rows, [j], others)
            assert ours[j] == pytest.approx(float(expected), abs=1e-12)


def test_strata_by_bins_of_the_function():
    """Cuts at 1 and 2 where only the one at 2 matters, and a number that hardly repeats."""
    space = ol.Space({"a": "boolean", "x": "numeric"})
    a = {"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}}
    deep = {"feature": "x", "relation": "<=", "reference": 1.0, "true": a, "false": a}
    tree = ol.read({"feature": "x", "relation": "<=", "reference": 2.0, "true": deep,
                         "false": {"prediction": 0}}, space=space)  # fmt: skip
    X = [(0, 0.5), (1, 1.5), (1, 0.25), (0, 1.75), (1, 3.0), (0, 3.5)]
    y = [0, 1, 1, 0, 0, 0]
    assert conditional_model_reliance(tree, X, y)[0] == 0  # no two rows agree on x
    ours = conditional_model_reliance(tree, X, y, strata="bins")

    def decide(cell):
        return int(cell[0] == 1 and cell[1] <= 2)

    rows = list(zip(X, y, strict=True))
    for j, stratum in ((0, lambda cell: cell[1] <= 2), (1, lambda cell: cell[0])):
        expected = brute.permuted(decide, rows, [j], stratum)
        assert ours[j] == pytest.approx(float(expected), abs=1e-12)
    assert ours[0] > 0


def test_strata_where_columns_tell_features():
    tree, decide = binarized()
    rows = binarized_rows()[:6]
    X, y = [cell for cell, _ in rows], [label for _, label in rows]
    for strata in ("values", "bins"):
        ours = conditional_model_reliance(tree, X, y, strata=strata)
        for j, own in enumerate([[0, 1], [2, 3]]):
            expected = brute.permuted(
                decide, rows, own, lambda cell, own=own: [cell[k] for k in range(4) if k not in own]
            )
            assert ours[j] == pytest.approx(float(expected), abs=1e-12)


def test_missing_as_a_value_is_a_stratum():
    space = ol.Space([ol.Feature("x", nan=True), ol.Feature("flag", "boolean")])
    tree = ol.read({"feature": "flag", "true": {"prediction": 1}, "false": {"prediction": 0}},
                        space=space)  # fmt: skip
    X = [(math.nan, 0), (math.nan, 1), (1.0, 0), (2.0, 1)]
    ours = conditional_model_reliance(tree, X, [0, 1, 0, 1])
    assert ours.tolist() == [0, 0.25]  # the two rows of NaN change places half of the time
