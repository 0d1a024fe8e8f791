"""Numbers in: which are read exactly, which are rounded, and which are refused."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from oracle_rashomon_numbers import lower_median, mean, rounded

import orderless as ol
from orderless.errors import InvalidData
from orderless.rashomon.target import Numbers, distinct_numbers, read_numbers

X = [[0, 0], [0, 1], [1, 0], [1, 1]]


def fit(y, X=X, sample_weight=None, loss="squared", **options):
    return ol.RashomonSet(2, loss=loss, **options).fit(X, y, sample_weight).trees_


def target_of(y, loss="squared", decimals=None, weights=None):
    values, which = distinct_numbers(y)
    amounts = np.ones(len(which), dtype=np.int64) if weights is None else np.array(weights)
    return read_numbers(values, which, amounts, loss, decimals)


decimals_ = st.decimals(-1000, 1000, places=3).map(lambda d: Fraction(str(d)))


@given(st.lists(st.tuples(decimals_, st.integers(1, 5)), min_size=1, max_size=9))
def test_decimals_are_exact_and_leaves_are_those_of_the_definition(rows):
    y, weights = [number for number, _ in rows], [weight for _, weight in rows]
    exact = [Fraction(weight) for weight in weights]
    for loss in ("squared", "absolute"):
        target, labels = target_of(y, loss, weights=weights)
        steps = target.of_row(labels)
        said = [
            (target.numbers.low + int(step)) / Fraction(10) ** target.decimals for step in steps
        ]
        assert said == y
        due = mean(y, exact) if loss == "squared" else lower_median(y, exact)
        if loss == "squared":
            due = rounded(due, target.decimals)
        power = 2 if loss == "squared" else 1
        total = target.constant_loss(labels, np.array(weights))
        assert total / target.per_one == sum(
            w * abs(number - due) ** power for number, w in zip(y, exact, strict=True)
        )


@pytest.mark.parametrize(
    ("y", "decimals"),
    [([1, 2, 3, 4], 6), ([0.5, 0.25, 0.125, 7], 6), ([0, 1e6, 5e5, 123], 1), ([0, 0, 0, 0], 0),
     ([1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3], 3), ([1000, 3000, 1000, 5000], 3),
     ([2.5, 2.5, 2.5, 2.5], 1)],
)  # fmt: skip
def test_decimals_of_means(y, decimals):
    """As many as fit, none that floats of this size do not tell apart."""
    target, _ = target_of(y)
    assert target.decimals == decimals
    numbers = target.numbers
    assert len(numbers) == 1 or numbers[0] < numbers[1] <= numbers[-1]


@pytest.mark.parametrize(
    "numbers", [Numbers(2, -150, 400), Numbers(1, 7, 90, np.array([0, 3, 89]))]
)
def test_numbers_are_found_where_they_are(numbers):
    assert [numbers.find(number) for number in numbers] == list(range(len(numbers)))
    assert numbers[-1] == numbers[len(numbers) - 1]
    assert numbers[1:3] == [numbers[1], numbers[2]]
    for other in (numbers[0] - 1, numbers[-1] + 1, numbers[0] + 0.001, float("nan"), float("inf"),
                  "text"):  # fmt: skip
        assert numbers.find(other) is None
    with pytest.raises(IndexError):
        numbers[len(numbers)]


@pytest.mark.parametrize(
    "y",
    [[1, 2, 3, 4.5], np.array([1, 2, 3, 4.5]), np.array([1, 2, 3, 4.5], dtype=np.float32),
     pd.Series([1, 2, 3, 4.5]), pl.Series([1.0, 2.0, 3.0, 4.5]), np.array([[1], [2], [3], [4.5]]),
     [Decimal("1"), Fraction(2), 3, np.float64(4.5)], pd.DataFrame({"y": [1, 2, 3, 4.5]}),
     pd.Series([1, 2, 3, 4.5], dtype="Float64")],
)  # fmt: skip
def test_every_usual_kind_of_y(y):
    assert fit(y).objective == fit([1, 2, 3, 4.5]).objective
    assert fit(y, loss="absolute").n_trees == fit([1, 2, 3, 4.5], loss="absolute").n_trees


def test_true_and_false_are_one_and_zero():
    assert fit([True, False, True, True]).objective == fit([1, 0, 1, 1]).objective


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([1, float("nan"), 3, 4], r"y has nan in row 1: every row needs a number"),
        ([1, None, 3, 4], r"y has None in row 1: every row needs a number"),
        ([1, 2, float("inf"), 4], r"y has inf in row 2, and trees of numbers need finite"),
        ([1, 2, -np.inf, 4], r"y has -inf in row 2"),
        (["a", "b", "c", "d"], r"y has 'a' in row 0, and trees of numbers need finite numbers: "
         r"give those, or, for labels, RashomonSet and RashomonImportance loss='errors'"),
        (["1", "2", "3", "4"], r"y has '1' in row 0"),
        (pd.Series([1, 2, 3, None], dtype="Float64"), r"y has <NA> in row 3"),
        ([1j, 2, 3, 4], r"y has 1j in row 0"),
        ([[1, 2], [3, 4], [5, 6], [7, 8]], r"y must hold one number per row"),
        ([1, 2, 3], r"X has 4 rows and y has 3 numbers"),
        ([], r"y has no numbers"),
    ],
)  # fmt: skip
def test_targets_that_are_refused(y, match):
    with pytest.raises(InvalidData, match=match):
        fit(y)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"loss": "huber"}, r"loss must be 'errors' \(y holds classes\), 'squared' or 'absolute' "
         r"\(y holds numbers\), got 'huber'"),
        ({"loss": None}, r"loss must be .*, got None"),
        ({"loss": 2}, r"loss must be .*, got 2"),
        ({"decimals": 2}, r"decimals is for numbers \(loss='squared' or 'absolute'\), and must be "
         r"None for loss='errors', got 2"),
        ({"loss": "squared", "decimals": 1.5}, r"decimals must be a whole number .* got 1.5"),
        ({"loss": "squared", "decimals": True}, r"decimals must be a whole number .* got True"),
        ({"loss": "squared", "decimals": 40}, r"decimals=40 would make losses pass 2\^51"),
        ({"loss": "squared", "decimals": 999}, r"decimals must be a whole number"),
    ],
)  # fmt: skip
def test_parameters_that_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        ol.RashomonSet(**options).fit(X, [0, 1, 0, 1])


def test_too_many_decimals_are_rounded_with_a_warning():
    y = [0.1234567890123456, 2.2, 3.3, 4.4]
    with pytest.warns(UserWarning, match=r"y has more decimals .* rounded to 6 decimals, which "
                      r"changes a number by 2.1e-07 at most; give decimals=6"):  # fmt: skip
        found = fit(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = fit(y, decimals=6)
        fit([0.12345678901234, 2.2, 3.3, 4.4], loss="absolute")  # distances need less room
    assert same.objective == found.objective == fit(np.round(y, 6), decimals=6).objective
    assert "squared loss, numbers to 6 decimals" in str(found)


def test_decimals_round_the_targets_and_the_leaves():
    found = fit([1.04, 1.05, 2.26, 3.31], decimals=1, regularization=0, epsilon=0)
    assert set(found.best_tree.predict(X).tolist()) == {1.0, 1.1, 2.3, 3.3}
    assert "numbers to 1 decimal" in str(found)
    coarse = fit([104, 106, 251, 367], decimals=-1, regularization=0, epsilon=0)
    assert set(coarse.best_tree.predict(X).tolist()) == {100.0, 110.0, 250.0, 370.0}
    assert "numbers to the nearest 10" in str(coarse)
    third = fit([0, 0, 1, 0], X=[[0], [0], [0], [1]], decimals=2)
    assert 0.33 in third.best_tree.classes


def test_parameters_with_too_many_digits():
    match = r"objectives in whole numbers would pass 2\^62: .* give decimals=(\d+), or round"
    with pytest.raises(InvalidData, match=match) as fault:
        fit([1, 2, 3, 4.5], regularization="1/9999991")
    decimals = int(str(fault.value).split("decimals=")[1].split(",")[0])
    assert fit([1, 2, 3, 4.5], regularization="1/9999991", decimals=decimals).n_trees > 0


def test_rows_without_weight_do_not_count():
    weighted = fit([1, 2, 3, 1e30], sample_weight=[1, 2, 1, 0])
    plain = fit([1, 2, 2, 3], X=[X[0], X[1], X[1], X[2]])
    assert weighted.objective == plain.objective
    assert weighted.n_trees == plain.n_trees
    with pytest.raises(InvalidData, match=r"sample_weight has too many digits"):
        fit([1, 2, 3, 4], sample_weight=[2**60, 1, 1, 1])
