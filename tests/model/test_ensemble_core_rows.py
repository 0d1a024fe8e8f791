"""Sums of trees: rows of columns are answered as the boxes that they are."""

import numpy as np
import pytest

from orderless._core import ensembles as core

from ..oracle_ensembles import draw

ABSENT, F64, F32, BETWEEN, CODE, AMONG = range(6)
N_ROWS = 40


def numbers(random, n_bins, nan):
    """Values of which bin i holds i - 0.5 < x <= i + 0.5, and NaN."""
    values = random.integers(0, n_bins, N_ROWS) + random.choice([-0.25, 0.0, 0.5], N_ROWS)
    values[random.random(N_ROWS) < 0.3] = np.nan
    return values


def bins_of(value, n_bins, nan):
    if np.isnan(value):
        return {n_bins} if nan else set(range(n_bins))
    return {int(np.clip(np.ceil(value - 0.5), 0, n_bins - 1))}


def drawn_column(random, n_bins, nan, values):
    """Give a column of an ordered feature, and by row the bins that it leaves."""
    kind = random.integers(4)
    if kind == 0:
        return (ABSENT, None, None), [set(range(n_bins + nan))] * N_ROWS
    if kind < 3:
        table = np.stack([values] * 3, axis=1).astype(np.float32 if kind == 1 else np.float64)
        return (F32 if kind == 1 else F64, table[:, 1], None), [
            bins_of(value, n_bins, nan) for value in values
        ]
    high = values + random.choice([0.0, 1.0, 3.0, np.nan], N_ROWS)
    if not nan:  # without NaN as a value both ends are known, or neither
        high = np.where(np.isnan(high), values, high)
    left = []
    for low, top in zip(values, high, strict=True):
        first = min(bins_of(low, n_bins, False)) if not np.isnan(low) else None
        last = n_bins - 1 if np.isnan(top) else min(bins_of(top, n_bins, False))
        own = set() if first is None else set(range(first, last + 1))
        if nan:
            own |= {n_bins} if np.isnan(top) else set()
        elif first is None:
            own = set(range(n_bins))
        left.append(own)
    return (BETWEEN, values, high), left


def drawn_values(random, n_bins):
    """Give a column of an unordered feature whose values are two to a bin, and what it leaves."""
    bins = np.arange(2 * n_bins, dtype=np.int32) % n_bins
    if random.random() < 0.5:
        codes = random.integers(-1, 2 * n_bins, N_ROWS).astype(np.int32)
        left = [set(range(n_bins)) if code < 0 else {int(bins[code])} for code in codes]
        return (CODE, codes, None), left, bins
    some = random.random((N_ROWS, 2 * n_bins)) < 0.4
    some[np.arange(N_ROWS), random.integers(2 * n_bins, size=N_ROWS)] = True
    left = [set(bins[own].tolist()) for own in some]
    return (AMONG, some.view(np.uint8), None), left, bins


def rows_of(random, drawn):
    columns, cuts, bins, boxes = [(ABSENT, None, None)], [], [], []
    for ordered, nan, n in zip(drawn.ordered, drawn.nan, drawn.n_bins, strict=True):
        if ordered:
            column, left = drawn_column(random, n, nan, numbers(random, n, nan))
            cuts.append(np.arange(n - 1) + 0.5)
            bins.append(np.zeros(0, np.int32))
        else:
            column, left, of_value = drawn_values(random, n)
            cuts.append(np.zeros(0))
            bins.append(of_value)
        columns.append(column)
        boxes.append(np.array([[b in own for b in range(n + (ordered and nan))] for own in left]))
    own = drawn.sum()
    positions = np.arange(1, len(cuts) + 1, dtype=np.int32)
    return own, core.RowBins(own, positions, cuts, bins), columns, np.hstack(boxes).astype(np.uint8)


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_answered_as_boxes(seed):
    random = np.random.default_rng(seed)
    drawn = draw(random)
    own, bins, columns, boxes = rows_of(random, drawn)
    by_rows = own.decide_rows(bins, columns, N_ROWS, 10.0, 1, True)
    for ours, expected in zip(by_rows, own.decide(boxes, 10.0, 1), strict=True):
        assert ours.tolist() == expected.tolist()
    without = own.decide_rows(bins, columns, N_ROWS, 10.0, 2, False)
    assert without.status.tolist() == by_rows.status.tolist()
    assert without.first.shape == (N_ROWS, 0)


@pytest.mark.parametrize("seed", range(20))
def test_complete_rows_are_added_up(seed):
    random = np.random.default_rng(seed)
    drawn = draw(random)
    own, bins, columns, boxes = rows_of(random, drawn)
    sums, label, complete = own.evaluate_rows(bins, columns, N_ROWS, 1)
    cells = [drawn.cells(box) for box in boxes]
    assert complete.tolist() == [len(some) == 1 for some in cells]
    for row in np.flatnonzero(complete).tolist():
        assert sums[row].tolist() == drawn.scores_of(cells[row][0])
        assert label[row] == drawn.label_of(cells[row][0])
    assert (label[complete == 0] == -1).all()


def test_bins_that_do_not_fit_are_refused():
    drawn = draw(np.random.default_rng(0))
    with pytest.raises(ValueError, match="not those of the sum's features"):
        core.RowBins(drawn.sum(), np.zeros(0, np.int32), [], [])
    wrong = np.full((1, len(drawn.n_bins)), 99, np.int32)
    with pytest.raises(ValueError, match="its feature does not have"):
        drawn.sum().evaluate(wrong, 1)
