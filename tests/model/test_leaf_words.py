"""Trees and policies of numbers as text: no more digits than tell numbers apart, and it is said."""

import pytest
from hypothesis import given, strategies as st

import orderless as ol
from orderless.model import ROUNDED, any_rounded, number_names

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def stump(low, high):
    return ol.read({"task": "regression", "feature": "a", "true": {"prediction": low},
                         "false": {"prediction": high}}, feature_names=["a"])  # fmt: skip


def test_numbers_that_are_whole_or_short_are_as_they_are():
    assert str(stump(2.0, -0.125)) == "not a?\n  yes: -0.125\n  no:  2"


def test_rounding_is_said():
    assert str(stump(37 / 3, 100 / 3)) == f"not a?\n  yes: 33.33\n  no:  12.33\n{ROUNDED}"
    near = stump(1 / 3, 1 / 3 + 1e-9)
    assert str(near) == f"not a?\n  yes: 0.333333334\n  no:  0.333333333\n{ROUNDED}"


def test_classes_are_as_before():
    split = {"feature": "a", "true": {"prediction": 2.0}, "false": {"prediction": 37 / 3}}
    tree = ol.read(split, feature_names=["a"])
    assert str(tree) == "not a?\n  yes: 12.333333333333334\n  no:  2.0"


@given(FINITE, FINITE)
def test_leaves_are_told_apart_and_rounding_is_never_silent(a, b):
    text = str(stump(a, b)).splitlines()
    first, second = (line.split(": ")[1].strip() for line in text[1:3])
    assert (first == second) == (a == b)
    exact = {float(first), float(second)} == {a, b}
    assert (text[-1] == ROUNDED) == (not exact)
    assert any_rounded(number_names([a, b])) == (not exact)


@pytest.mark.parametrize("within", [None, 0, 7])
def test_policies(within):
    inner = {"feature": "b", "true": {"prediction": 4}, "false": {"prediction": 10}}
    tree = ol.read({"task": "regression", "feature": "a", "true": {"prediction": 37 / 3},
                         "false": inner}, feature_names=["a", "b"])  # fmt: skip
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    lines = str(ol.cheapest_policy(tree, X, {"a": 1, "b": 2}, tolerance=within)).splitlines()
    assert lines[-1] == ROUNDED
    ends = [line.split("): ")[1] for line in lines[2:-1] if "?" not in line]
    assert ends == (["between 4 and 10", "12.33"] if within == 7 else ["10", "4", "12.33"])
