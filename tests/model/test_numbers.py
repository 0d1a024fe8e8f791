import math
import struct
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings, strategies as st

from orderless import Feature
from orderless.model.numbers import (
    next_value,
    row_boundary,
    short_count,
    short_number,
    value_at_most,
)

MAX64 = 1.7976931348623157e308
MAX32 = struct.unpack("f", b"\xff\xff\x7f\x7f")[0]
TINY32 = struct.unpack("f", b"\x01\x00\x00\x00")[0]
ODD = [
    0.0, -0.0, 0.5, -0.5, 1.0, 0.1, -0.1, 24.5, 1e16, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63,
    5e-324, -5e-324, TINY32, -TINY32, TINY32 / 2, TINY32 * 1.5, -TINY32 / 2, 2.0**-126, 1e-40,
    MAX32, -MAX32, math.nextafter(MAX32, math.inf), 2.0**128, -(2.0**128), (MAX32 + 2.0**128) / 2,
    1e39, -1e39, 1e300, -1e300, MAX64, -MAX64, 2.0**24, 2.0**24 + 1, 2.0**24 + 3, 16777217.5,
]  # fmt: skip
finite = st.one_of(
    st.sampled_from(ODD),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.integers(-(2**60), 2**60).map(float),
)
KINDS = ("float64", "float32", "integer")
BELOW32 = -(2.0**128)  # how -inf, to which rows round, is written as a boundary of float32


def is_value(x: float, kind: str) -> bool:
    """By definition, without numpy."""
    if math.isinf(x) or kind == "float64" or (kind == "float32" and x == BELOW32):
        return True
    return x == math.floor(x) if kind == "integer" else oracle.as_float32(x) == x


def step(x: float, kind: str, way: int) -> float:
    """The neighbour of a value among its kind."""
    if kind == "float64":
        return math.nextafter(x, way * math.inf)
    if kind == "float32" and x == BELOW32:
        return -MAX32 if way > 0 else -math.inf
    if kind == "integer":
        near = math.nextafter(x, way * math.inf)
        return near if math.isinf(near) or near == math.floor(near) else float(int(x) + way)
    return oracle.float32_neighbours(x)[way > 0]


def one(function, x: float, kind: str, *rest: bool) -> float:
    return float(function(np.array([x]), kind, *rest)[0])


@pytest.mark.parametrize("kind", KINDS)
@given(cut=finite, strict=st.booleans())
@settings(max_examples=400)
def test_value_at_most_is_the_largest_value_there(kind, cut, strict):
    got = one(value_at_most, cut, kind, strict)
    assert is_value(got, kind)
    if got == BELOW32 and kind == "float32":
        assert cut <= -MAX32
    elif got < math.inf:
        assert got < cut if strict else got <= cut
    assert not (got == 0 and math.copysign(1, got) < 0)  # one zero only: equal is equal
    if math.isinf(got) and got > 0:  # every whole number is there
        assert kind == "integer"
        assert cut >= MAX64
    elif math.isinf(got):  # nothing is below but -inf
        assert not (cut > -MAX64 if strict else cut >= -MAX64)
    else:
        above = step(got, kind, 1)
        assert above >= cut if strict else above > cut


@pytest.mark.parametrize("kind", KINDS)
@given(boundary=finite)
@settings(max_examples=400)
def test_next_value_is_the_smallest_value_above(kind, boundary):
    got = one(next_value, boundary, kind)
    assert is_value(got, kind)
    assert got > boundary
    assert not (got == 0 and math.copysign(1, got) < 0)
    if math.isfinite(got):
        assert step(got, kind, -1) <= boundary
    else:
        assert boundary >= (MAX32 if kind == "float32" else MAX64)


def test_infinities():
    for kind, most in (("float64", MAX64), ("float32", MAX32), ("integer", MAX64)):
        assert one(value_at_most, math.inf, kind) == math.inf
        assert one(value_at_most, -math.inf, kind) == -math.inf
        top = math.inf if kind == "integer" else most  # infinity is no whole number
        assert one(value_at_most, math.inf, kind, True) == top
        assert one(next_value, math.inf, kind) == math.inf
        assert one(next_value, -math.inf, kind) == -most
        assert one(row_boundary, math.inf, kind) == math.inf
        assert one(row_boundary, -math.inf, kind) == -math.inf


def test_arrays_of_any_shape_keep_it():
    for kind in KINDS:
        for shape in ((), (0,), (3,), (2, 3)):
            array = np.full(shape, 0.7)
            assert value_at_most(array, kind).shape == shape
            assert next_value(array, kind).shape == shape
            assert row_boundary(array, kind).shape == shape


@given(finite)
@example(MAX32)
@example(-MAX32)
@example(0.0)
@example(-TINY32)
@settings(max_examples=1000)
def test_row_boundary_is_the_last_row_that_rounds_below(cut):
    """Rows are rounded to float32, ties to even, before they are compared."""
    low = one(value_at_most, cut, "float32")
    if math.isinf(low):
        return
    top = one(row_boundary, low, "float32")
    seen = oracle.as_float32(top)
    assert seen == -math.inf if low == BELOW32 else seen <= low
    assert oracle.as_float32(math.nextafter(top, math.inf)) > low
    assert one(row_boundary, cut, "float64") == cut
    assert one(row_boundary, cut, "integer") == cut


def test_ties_go_to_the_even_float32():
    even, odd = 2.0**24, 2.0**24 + 2  # neighbours, 2**24 + 1 lies in the middle
    assert one(row_boundary, even, "float32") == 2.0**24 + 1
    assert one(row_boundary, odd, "float32") == math.nextafter(2.0**24 + 3, 0)


@pytest.mark.parametrize("kind", KINDS)
@given(cut=finite)
@settings(max_examples=400)
def test_short_number_reads_back_and_is_shortest(kind, cut):
    boundary = one(value_at_most, cut, kind)
    if math.isinf(boundary) or (kind == "float32" and boundary == BELOW32):
        assert short_number(boundary, kind) == ("inf" if boundary > 0 else "-inf")
        return
    text = short_number(boundary, kind)
    read = oracle.as_float32 if kind == "float32" else float
    assert read(float(text)) == boundary
    assert one(value_at_most, boundary, kind) == boundary
    digits = text.lstrip("-").split("e")[0].replace(".", "").strip("0")
    if len(digits) < 2:
        return
    # No decimal with one digit less, rounded either way, reads as the same value.
    exact = abs(Fraction(boundary))
    exponent = math.floor(math.log10(exact)) - len(digits) + 2
    unit = Fraction(10) ** exponent
    for shorter in (exact // unit * unit, (exact // unit + 1) * unit):
        if shorter < MAX64:
            assert read(float(shorter)) != abs(boundary)


def test_short_number_for_people():
    shown = {0.0: "0", 30.0: "30", -2.5: "-2.5", 0.1: "0.1", 1e15: "1000000000000000",
             1e16: "1e+16", 1e-5: "0.00001", 1e-6: "1e-06", 5e-324: "5e-324",
             math.inf: "inf", -math.inf: "-inf"}  # fmt: skip
    for number, text in shown.items():
        assert short_number(number) == text
    assert short_number(oracle.as_float32(0.8), "float32") == "0.8"
    assert short_number(oracle.as_float32(0.8)) == "0.800000011920929"


@given(finite, st.booleans())
def test_a_boolean_has_three_boundaries(cut, strict):
    feature = Feature("b", "boolean")
    boundary = float(feature.at_most(cut, strict))
    below = [v for v in (0.0, 1.0) if (v < cut if strict else v <= cut)]
    assert boundary == (below[-1] if below else -1.0)
    assert float(feature.above(-1.0)) == 0.0
    assert float(feature.above(0.0)) == 1.0


@given(finite, finite)
def test_at_most_and_above_leave_no_value_between(a, b):
    for kind in KINDS:
        feature = Feature("x", values=kind)
        boundary = float(feature.at_most(a))
        above = float(feature.above(boundary))
        x = one(value_at_most, b, kind)
        assert x <= boundary or x >= above


@given(st.integers(0, 10**40) | st.integers(10**4999, 10**5001))
def test_counts_are_whole_or_right_to_two_digits(n):
    text = short_count(n)
    if n < 10**12:
        assert int(text.replace(",", "")) == n
        return
    digits, power = text.removeprefix("about ").split("e")
    near = int(digits.replace(".", "")) * 10 ** (int(power) - 1)
    assert len(digits) == 3
    assert abs(near - n) * 20 <= 10 ** int(power)  # half of the last digit
