"""Boxes: bits, slots and sides say the same, for all of them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless import _core
from orderless.errors import InvalidTree
from orderless.inputs import rows_for
from orderless.model import Box, Side, allowed_bins, certainly_inside, ends, ones

SPACE = ol.Space(
    [
        ol.Feature("a", values="integer"),
        ol.Feature("b", nan=True),
        ol.Feature("c", "categorical", categories=("p", "q", "r"), other=True),
        ol.Feature("d", "boolean"),
    ]
)


def tree():
    leaf = [{"prediction": i % 2} for i in range(6)]
    at = {"relation": "<=", "reference": 3}
    c = {"feature": "c", "relation": "in", "reference": ["p"], "true": leaf[0], "false": leaf[1]}
    b = {"feature": "b", **at, "true": leaf[2], "false": c}
    a = {"feature": "a", "relation": "<=", "reference": 9, "true": b, "false": leaf[4]}
    d = {"feature": "d", "relation": "==", "reference": 1, "true": leaf[3], "false": a}
    return ol.read({"feature": "a", **at, "true": leaf[5], "false": d}, space=SPACE)


def choices(bins, k):
    """All sides that a box can have: intervals of numbers, with or without NaN, and sets."""
    nan, width = bins.nan_bit(k), bins.widths[k]
    if not bins.features[k].ordered:
        return list(range(1, 1 << width))
    n = width - bool(nan)
    runs = [0] * bool(nan) + [ones(i, j) for i in range(n) for j in range(i, n)]
    return [run | more for run in runs for more in ({0, nan} if run else {nan})]


def test_bits_slots_and_sides_are_one_box():
    bins = tree().kernel.bins
    for bits in itertools.product(*(choices(bins, k) for k in range(len(bins.features)))):
        box = Box(bins, bits)
        assert Box.of_slots(bins, box.slots[None])[0].bits == bits
        assert Box.of_sides(bins, box.sides).bits == bits
        assert [box.flags(k).tolist() for k in range(len(bits))] == [
            [bool(own >> b & 1) for b in range(width)]
            for own, width in zip(bits, bins.widths, strict=True)
        ]


def test_sides_as_data():
    bins = tree().kernel.bins
    for k, feature in enumerate(bins.features):
        for bits in choices(bins, k):
            side = bins.side(k, bits)
            assert Side.from_dict(feature, side.to_dict()) == side
            assert side.is_whole == (bits == bins.every_bin(k)) == (side == Side.whole(feature))


def test_leaves_of_the_core_are_read_and_written():
    bins = tree().kernel.bins
    _, table = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    for slots, box in zip(table, Box.of_slots(bins, table), strict=True):
        assert box.slots.tolist() == slots.tolist()
    assert str(Box(bins, [bins.every_bin(k) for k in range(4)])) == "always"


def test_sides_that_end_inside_a_bin_are_refused():
    bins = tree().kernel.bins
    for side in (Side(SPACE["a"], upper=5.0), Side(SPACE["c"], codes=(1,)),
                 Side(ol.Feature("z"), upper=1.0)):  # fmt: skip
        with pytest.raises(InvalidTree, match="does not begin and end where"):
            Box.of_sides(bins, [side])


def test_ends_of_bits():
    assert ends(ones(2, 5)) == (2, 5)
    assert ends(0) is None
    assert ones(3, 2) == 0


@settings(max_examples=60)
@given(problems(), st.data())
def test_a_row_is_certainly_inside_if_no_possible_bin_is_outside(problem, data):
    kinds, (spec,) = problem
    own = tree_of(spec, kinds)
    rows = rows_for(own.kernel, [data.draw(partial_rows(kinds, spec)) for _ in range(3)])
    bins = own.kernel.bins
    _, table = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    for box in Box.of_slots(bins, table):
        expected = np.ones(3, dtype=bool)
        for k in range(len(bins.features)):
            expected &= ~(allowed_bins(bins, k, rows) & ~box.flags(k)).any(axis=1)
        assert certainly_inside(box, rows).tolist() == expected.tolist()
