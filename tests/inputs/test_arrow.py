"""Columns of Arrow: against pyarrow's own words for them, cell by cell."""

import math

import numpy as np
import pyarrow as pa
import pytest

import orderless as ol
from orderless import _core
from orderless.inputs import arrow_floats
from orderless.model import distinct_rows

CELLS = [1.5, None, -0.0, math.inf, None, -math.inf, math.nan, 5e-324, None, 2.0, 3.0, None]


def same(numbers, cells):
    assert len(numbers) == len(cells)
    for number, cell in zip(numbers.tolist(), cells, strict=True):
        if cell is None or math.isnan(cell):
            assert math.isnan(number)
        else:
            assert number == cell
            assert math.copysign(1, number) == math.copysign(1, cell)


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
@pytest.mark.parametrize("first", range(11))
def test_numbers_are_those_of_the_column_wherever_it_begins(kind, first):
    whole = pa.array(CELLS * 3, kind)
    for end in (first, first + 1, first + 9, len(whole)):
        part = whole.slice(first, end - first)
        same(arrow_floats(part), part.to_pylist())
        pieces = pa.chunked_array([part, whole.slice(3, 2), pa.array([], kind), part.drop_null()])
        same(arrow_floats(pieces), pieces.to_pylist())


def test_numbers_without_nulls_are_not_copied():
    column = pa.array([1.0, 2.0, 3.0])
    given = np.frombuffer(column.buffers()[1])
    assert np.shares_memory(arrow_floats(pa.chunked_array([column])), given)


def test_other_columns_are_left_to_others():
    assert arrow_floats(pa.array([1, 2])) is None
    assert arrow_floats(pa.array(["a"])) is None


def test_bits_and_places_must_be_enough():
    numbers, bits = np.zeros(9), np.zeros(1, dtype=np.uint8)
    for known, first, to in ((bits, 0, numbers), (np.zeros(2, np.uint8), 8, numbers),
                             (np.zeros(2, np.uint8), 99, numbers),
                             (np.zeros(2, np.uint8), 0, numbers[:8])):  # fmt: skip
        with pytest.raises(ValueError, match="a bit and a place for every number"):
            _core.rows.copy_known(np.zeros(9), known, first, to.copy())


@pytest.mark.parametrize("classes", [("no", "yes"), (0, 1), (False, True), (0.5, 2.5)])
def test_labels_are_those_of_an_array(classes):
    tree = ol.read(
        {"feature": "a", "true": {"prediction": classes[0]}, "false": {"feature": "b",
         "true": {"prediction": classes[1]}, "false": {"prediction": classes[0]}}},
        feature_names=["a", "b"],
    )  # fmt: skip
    rows = [[a, b] for a in (1.0, 0.0, None) for b in (1.0, 0.0, None)]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate("ab")})
    for n in (0, 1, 8, 9):
        got = tree.predict(table.slice(0, n))
        assert got.to_pylist() == tree.predict(rows[:n]).tolist()
        got.validate(full=True)
        assert pa.types.is_dictionary(got.type) == isinstance(classes[0], str)
    known = table.slice(0, 2)
    assert tree.predict(known).null_count == 0


def test_many_rows_are_answered_in_slices_and_refused_by_their_own_number(monkeypatch):
    monkeypatch.setattr("orderless.inputs.frames.SLICE", 4)
    tree = ol.read(
        {"feature": "n", "relation": "<=", "reference": 3, "true": {"prediction": "few"},
         "false": {"prediction": "many"}}, space=ol.Space({"n": "integer"}),
    )  # fmt: skip
    cells = [1.0, None, 7.0, 3.0, 4.0, None, 0.0, 9.0, 2.0]
    for n in range(len(cells) + 1):
        wanted = tree.predict([[cell] for cell in cells[:n]]) if n else np.ma.array([], dtype="U4")
        assert tree.predict(pa.table({"n": pa.array(cells[:n], pa.float64())})).to_pylist() == (
            wanted.tolist()
        )
    with pytest.raises(ol.errors.InvalidData, match=r"the value 0\.5 in row 6"):
        tree.predict(pa.table({"n": [*cells[:6], 0.5, 1.0]}))


def test_rows_that_contradict_facts_are_counted_over_all_slices(monkeypatch):
    monkeypatch.setattr("orderless.inputs.frames.SLICE", 2)
    space = ol.Space({"x": "numeric", "y": "numeric"}, facts=["x < y"])
    tree = ol.read(
        {"feature": "x", "relation": "<=", "reference": 3, "true": {"prediction": "few"},
         "false": {"prediction": "many"}}, space=space,
    )  # fmt: skip
    table = pa.table({"x": [5.0, 1.0, 2.0, 9.0, 4.0], "y": [1.0, 2.0, 1.0, None, 6.0]})
    with pytest.warns(ol.errors.ContradictingRows, match="2 rows contradict") as said:
        assert tree.predict(table).to_pylist() == [None, "few", None, "many", "many"]
    assert len(said) == 1


@pytest.mark.parametrize("width", [1, 3, 8, 9, 16, 17, 70])
def test_distinct_rows_are_those_of_numpy(width):
    table = np.random.default_rng(width).random((200, width)) < 0.2
    kinds, which = distinct_rows(table)
    assert np.array_equal(kinds[which], table)
    assert len(kinds) == len(np.unique(table, axis=0))
