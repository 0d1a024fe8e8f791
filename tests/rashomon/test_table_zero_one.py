"""Tables of 0/1 of any type and layout are one table, and everything else is not taken for one."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from orderless import RashomonSet, _core
from orderless.errors import InvalidData
from orderless.rashomon.table import read_table
from orderless.rashomon.target import read_labels
from tests import oracle_rashomon as oracle

RNG = np.random.default_rng(0)
BITS = RNG.integers(0, 2, (1100, 9))
Y = (BITS[:, 0] & BITS[:, 3] | (RNG.random(len(BITS)) < 0.1)).astype(int)
TYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "f", "d"]


def layouts(table):
    """Give the same numbers in other places of memory."""
    wide = np.zeros((2 * len(table), 3 * table.shape[1]), dtype=table.dtype)
    wide[::2, 1::3] = table
    locked = table.copy()
    locked.flags.writeable = False
    odd = np.zeros(table.nbytes + 1, dtype=np.uint8)[1:].view(table.dtype).reshape(table.shape)
    odd[...] = table
    return [
        table,
        np.asfortranarray(table),
        wide[::2, 1::3],
        table[::-1, ::-1].copy()[::-1, ::-1],
        locked,
        odd,
    ]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("n_rows", [1, 7, 512, 513, 1100])
def test_every_type_and_layout_gives_the_same_bits(kind, n_rows):
    for given in layouts(BITS[:n_rows].astype(kind)):
        bits = _core.base.zero_one(given)
        assert bits.dtype == np.uint8
        assert bits.flags.c_contiguous
        assert np.array_equal(bits, BITS[:n_rows])
        assert not np.shares_memory(bits, given)


@pytest.mark.parametrize("kind", TYPES[1:])
def test_any_other_number_anywhere_is_seen(kind):
    others = (
        {2, 100, np.iinfo(kind).max} if kind not in "fd" else {0.5, -1, 2, np.nan, np.inf, 1e-40}
    )
    if kind in "bhilq":
        others |= {-1, np.iinfo(kind).min}
    for other in others:
        for place in [(0, 0), (511, 8), (512, 0), (1099, 8), (600, 4)]:
            table = BITS.astype(kind)
            table[place] = other
            assert all(_core.base.zero_one(given) is None for given in layouts(table))


def test_minus_zero_is_zero():
    assert _core.base.zero_one(np.array([[-0.0, 1.0]])).tolist() == [[0, 1]]


def test_what_is_no_plain_table_of_numbers_is_left_to_others():
    for given in (
        BITS.astype(">i8"), BITS.astype(object), BITS.astype("g"), BITS.astype("e"),
        BITS.astype("U1"), BITS.astype(complex), BITS[0], BITS[None], BITS.astype("m8[s]"),
        [[0, 1]], "text",
    ):  # fmt: skip
        assert _core.base.zero_one(given) is None
    for given in (Y.astype(">i8"), Y.astype(float), Y.astype(object), BITS, [0, 1]):
        assert _core.base.two_labels(given) is None


def test_tables_that_are_read_in_another_way_give_the_same_set():
    few, y = BITS[:60, :4], Y[:60]
    wanted = RashomonSet(2, 0.02, 0.05).fit(few.tolist(), y.tolist()).trees_
    brute = oracle.Problem(few.tolist(), y.tolist(), 2, depth=2, regularization=Fraction(1, 50),
                           epsilon=Fraction(1, 20))  # fmt: skip
    assert wanted.n_trees == len(brute.trees)
    for X in (
        few, few.astype(bool), few.astype(float), few.astype(">i4"), few.astype(object),
        few.astype("e"), np.asfortranarray(few), np.ma.MaskedArray(few, mask=False),
        pd.DataFrame(few), pd.DataFrame(few.astype(bool)),
    ):  # fmt: skip
        for labels in (y, y == 1, y.astype(object), np.where(y == 1, "yes", "no"), pd.Series(y),
                       y.astype(">i2"), y + 5, (y * 3).astype(float)):  # fmt: skip
            found = RashomonSet(2, 0.02, 0.05).fit(X, labels).trees_
            assert found.n_trees == wanted.n_trees
            assert found.objective == wanted.objective
            assert found.n_nontrivial == wanted.n_nontrivial


def test_weights_of_one_change_nothing_and_are_made_when_asked_for():
    few, y = BITS[:60, :4], Y[:60]
    plain = RashomonSet(2, 0.02, 0.05).fit(few, y).trees_
    weighed = RashomonSet(2, 0.02, 0.05).fit(few, y, np.ones(60)).trees_
    assert plain.counts().equals(weighed.counts())
    assert plain._problem.amounts.tolist() == weighed._problem.amounts.tolist() == [1] * 60
    assert plain._problem.weights.tolist() == weighed._problem.weights.tolist()


def test_a_set_does_not_change_with_the_table_it_was_made_from():
    X, y = BITS[:60, :4].astype(np.uint8), Y[:60].astype(np.int32)
    found = RashomonSet(2, 0.02, 0.05).fit(X, y).trees_
    before = len(found.functions())
    table = read_table(X, *read_labels(y), None, None)
    X[:], y[:] = 0, 0
    assert table.bits.any()
    assert table.labels.any()
    assert found.functions().table().n_trees.sum() == found.n_trees
    assert len(found.functions()) == before


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        (BITS[:4], Y[:3], "X has 4 rows and y has 3 labels"),
        (BITS[:4], np.zeros(4, int), "y has only 1 class, 0"),
        (BITS[:4], np.ones(4, bool), "y has only 1 class, True"),
        (
            BITS[:4, :1] * np.array([[np.nan]]),
            np.array([0, 1, 0, 1]),
            "column 'x0' has NaN in row 0",
        ),
        (BITS[:0], Y[:0], "y has no labels"),
    ],
)
def test_what_is_refused_says_why(X, y, match):
    with pytest.raises(InvalidData, match=match):
        RashomonSet().fit(X, y)
