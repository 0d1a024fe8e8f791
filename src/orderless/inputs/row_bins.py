"""Rows over bins: in which bins of each feature of a tree a row can lie.

In:  the ``Bins`` of a tree, and rows.
Out: tables of rows x bins, which bin where it is known, which rows are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import Bins, Box, as_bits
from .cells import AMONG, BETWEEN, CODE
from .rows import Rows

__all__ = [
    "allowed_bins",
    "certainly_inside",
    "distinct_rows",
    "known_bins",
    "known_rows",
    "row_bins",
    "row_box",
]


def allowed_bins(bins: Bins, k: int, rows: Rows) -> NDArray[np.bool_]:
    """Give rows x bins of a feature: where a row can be. NaN, where it is a value, is last."""
    feature, groups = bins.features[k], bins.groups[k]
    kind, first, second = rows.columns[bins.positions[k]]
    n, width = int(bins.layout.n_bins[k]), bins.widths[k]
    if first is None:
        return np.ones((rows.n_rows, width), dtype=bool)
    if kind == AMONG:
        return np.stack([first[:, list(group)].any(axis=1) for group in groups], axis=1)
    if kind == CODE:
        table = np.ones((feature.n_values + 1, n), dtype=bool)  # the last row: unknown
        for b, group in enumerate(groups):
            table[list(group)] = np.arange(n) == b
        return np.asarray(table[first])
    cuts = bins.row_cuts[k]
    low = first.astype(np.float64)
    high = low if second is None else second
    out = np.zeros((rows.n_rows, width), dtype=bool)
    number = ~np.isnan(low)
    end = np.where(np.isnan(high), n - 1, np.searchsorted(cuts, high))
    at = np.arange(n)
    begin = np.searchsorted(cuts, low)[:, None]
    out[:, :n] = number[:, None] & (at >= begin) & (at <= end[:, None])
    if feature.nan:
        out[:, n] = np.isnan(high)
    else:
        out[~number] = True
    return out


def known_bins(bins: Bins, k: int, rows: Rows) -> NDArray[np.int32]:
    """Give each row's bin of a feature (NaN, where it is a value, comes last); -1: not known."""
    feature = bins.features[k]
    kind, first, _ = rows.columns[bins.positions[k]]
    if first is None or kind in (BETWEEN, AMONG):
        table = allowed_bins(bins, k, rows)
        return np.where(table.sum(axis=1) == 1, table.argmax(axis=1), -1).astype(np.int32)
    if kind == CODE:
        number = np.full(feature.n_values + 1, -1, dtype=np.int32)
        for b, group in enumerate(bins.groups[k]):
            number[list(group)] = b
        return np.asarray(number[first])  # an unknown code is -1, and so is the last entry
    ends = bins.row_cuts[k]
    missing = len(ends) + 1 if feature.nan else -1
    numbers = first.astype(np.float64, copy=False)
    at = np.where(np.isnan(numbers), missing, np.searchsorted(ends, numbers))
    return at.astype(np.int32)


def known_rows(bins: Bins, rows: Rows) -> NDArray[np.bool_]:
    """Tell which rows lie in one bin of every feature of a tree."""
    known = np.ones(rows.n_rows, dtype=bool)
    for k in range(len(bins.features)):
        known &= known_bins(bins, k, rows) >= 0
    return known


def row_bins(bins: Bins, X: Any) -> NDArray[np.int32]:
    """Give each row's bin of each feature; NaN, where it is a value, comes last.

    Raises
    ------
    InvalidData
        If a row has no value for a feature, nor lies in one of its bins.
    """
    rows = bins.tree.read(X)
    table = np.zeros((rows.n_rows, len(bins.features)), dtype=np.int32)
    for k, own in enumerate(bins.features):
        table[:, k] = known_bins(bins, k, rows)
        if (table[:, k] < 0).any():
            what = "interval between thresholds" if own.ordered else "group of categories"
            raise InvalidData(
                f"row {int(np.argmax(table[:, k] < 0))} has no value for {own.name!r}, and its "
                f"{what} is not known either: give complete rows, without those that have gaps"
            )
    return table


def row_box(bins: Bins, rows: Rows) -> Box:
    """Give the box that one row is: per feature its possible bins."""
    tables = (allowed_bins(bins, k, rows) for k in range(len(bins.features)))
    return Box(bins, [as_bits(table[0]) for table in tables])


def certainly_inside(box: Box, rows: Rows) -> NDArray[np.bool_]:
    """Tell which rows lie in a box whatever their unknown values are.

    A row does if none of its possible bins is outside. Only features of which the box says
    something are looked at.
    """
    bins, inside = box.bins, np.ones(rows.n_rows, dtype=bool)
    for k, bits in enumerate(box.bits):
        if bits == bins.every_bin(k):
            continue
        flags = box.flags(k)
        known = known_bins(bins, k, rows)
        own = flags[known]
        several = np.flatnonzero(known < 0)
        if len(several):
            own[several] = ~(allowed_bins(bins, k, rows.take(several)) & ~flags).any(axis=1)
        inside &= own
    return inside


def distinct_rows(table: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Give the distinct rows of a table of bits, and which of them each row is."""
    if table.size == 0:
        return table[:1], np.zeros(len(table), dtype=np.intp)
    packed = np.packbits(table, axis=1)
    if packed.shape[1] <= 2:
        return _few_bits(packed, table.shape[1])
    size = max(packed.shape[1], 8)
    wide = np.zeros((len(packed), size), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    # Numbers are sorted more quickly than bytes.
    keys = wide.view(np.uint64 if size == 8 else np.dtype((np.void, size))).ravel()
    kinds, which = np.unique(keys, return_inverse=True)
    bits = np.unpackbits(kinds.view(np.uint8).reshape(-1, size), axis=1, count=table.shape[1])
    return bits.astype(bool), which


def _few_bits(packed: NDArray[np.uint8], n_bits: int) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Do as ``distinct_rows`` does, of at most 16 bits: nothing is sorted, there are few keys."""
    keys = packed.ravel() if packed.shape[1] == 1 else packed.view(np.uint16).ravel()
    there = np.zeros(1 << 8 * packed.shape[1], dtype=bool)
    there[keys] = True
    kinds = np.flatnonzero(there).astype(keys.dtype)
    number = np.zeros(len(there), dtype=np.intp)
    number[kinds] = np.arange(len(kinds))
    bits = np.unpackbits(kinds.view(np.uint8).reshape(-1, packed.shape[1]), axis=1, count=n_bits)
    return bits.astype(bool), number[keys]
