"""Sums in whole numbers: the library's own sum is never further away than the slack says."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from orderless.model import Adding
from orderless.model.ensemble import whole_numbers

NUMBERS = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, -0.3, 0.5, 1.0, -1.0, 1e-9, 0.99, 3.0, 1e-300, 5e-324, 1e6]),
    st.floats(-2.0, 2.0),
    st.integers(-9, 9).map(float),
)
TREES = st.lists(st.lists(NUMBERS, min_size=1, max_size=3), min_size=1, max_size=5)


def as_library(parts, adding):
    """Add as the library does; not divided."""
    kind = np.float32 if adding.precision == "float32" else np.float64
    total = kind(0.0) if adding.base_last else kind(adding.base[0])
    for part in parts:
        total = kind(total + kind(part))
    return float(kind(total + kind(adding.base[0]))) if adding.base_last else float(total)


@settings(max_examples=300, deadline=None)
@given(
    TREES,
    NUMBERS,
    st.booleans(),
    st.sampled_from(["float64", "float32"]),
    st.sampled_from([1.0, 2.0, 3.0, 7.0, 100.0]),
)
def test_no_sum_is_further_away_than_the_slack(trees, base, base_last, precision, divisor):
    kind = np.dtype(precision).type
    trees = [[float(kind(number)) for number in tree] for tree in trees]
    adding = Adding(precision, (float(kind(base)),), base_last, divisor)
    whole = whole_numbers([np.array(tree)[:, None] for tree in trees], adding)
    unit, slack = Fraction(2) ** whole.exponent, int(whole.slack[0])
    starts = np.cumsum([0, *map(len, trees)])
    sums = []
    for choice in product(*(range(len(tree)) for tree in trees)):
        theirs = as_library([tree[i] for tree, i in zip(trees, choice, strict=True)], adding)
        ours = int(whole.base[0]) + sum(
            int(whole.values[start + i, 0])
            for start, i in zip(starts[:-1].tolist(), choice, strict=True)
        )
        assert abs(Fraction(theirs) - ours * unit) <= slack * unit
        sums.append((ours, float(kind(kind(theirs) / kind(divisor)))))
    for (ours, quotient), (other, its) in product(sums, repeat=2):
        if ours - other > 2 * slack:  # told apart by whole numbers alone
            assert quotient > its


def test_points_and_votes_have_no_slack():
    values = [np.array([[0.0, 1.0], [1.0, 0.0]])] * 100
    assert whole_numbers(values, Adding(base=(0.0, 0.0), divisor=100.0)).slack.tolist() == [0, 0]
    points = [np.array([[0.0], [2.0**51]])]
    assert whole_numbers(points, Adding(divisor=3.0)).slack.tolist() == [0]


@pytest.mark.parametrize(("divisor", "slack"), [(1.0, False), (4.0, False), (3.0, True)])
def test_a_division_can_make_different_sums_equal(divisor, slack):
    """Sums of 53 bits are exact, and two of them can have one quotient by 3."""
    low = 0.99
    high = np.nextafter(low, 1.0)
    assert low / 3 == high / 3
    assert low / 4 < high / 4
    whole = whole_numbers([np.array([[low], [high]])], Adding(divisor=divisor))
    assert (whole.slack[0] > 0) == slack
