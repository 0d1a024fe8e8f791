"""Complete rows over bins: each row's bin of each feature of a tree.

In:  the ``Bins`` of a tree, and rows.
Out: a table of bins, rows x features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import Bins, row_boundary
from .rows import ABSENT, AMONG, BETWEEN, CODE, CoreColumn, read_rows

__all__ = ["row_bins"]


def row_bins(bins: Bins, X: Any) -> NDArray[np.int32]:
    """Give each row's bin of each feature; NaN, where it is a value, comes last.

    Raises
    ------
    InvalidData
        If a row does not tell the bin of a feature.
    """
    space = bins.tree.space
    used = [space.index(feature.name) for feature in bins.features]
    rows = read_rows(X, space, used)
    table = np.zeros((rows.n_rows, len(used)), dtype=np.int32)
    for k, i in enumerate(used):
        table[:, k] = _bins_of(bins, k, rows.columns[i], rows.n_rows)
        if (table[:, k] < 0).any():
            own = bins.features[k]
            what = "interval between thresholds" if own.ordered else "group of categories"
            raise InvalidData(
                f"row {int(np.argmax(table[:, k] < 0))} does not tell the value of {own.name!r}, "
                f"nor which {what} it is in: give complete rows, without those that have gaps"
            )
    return table


def _bins_of(bins: Bins, k: int, column: CoreColumn, n_rows: int) -> NDArray[np.int32]:
    """Give each row's bin of one feature (NaN, where it is a value, comes last); -1: not known."""
    kind, first, second = column
    if kind == ABSENT or first is None:
        return np.full(n_rows, -1, dtype=np.int32)
    feature = bins.features[k]
    if feature.ordered:
        ends = row_boundary(bins.cuts[k], feature.values)
        missing = len(ends) + 1 if feature.nan else -1

        def bin_of(values: NDArray[Any]) -> NDArray[Any]:
            numbers = values.astype(np.float64, copy=False)
            return np.where(np.isnan(numbers), missing, np.searchsorted(ends, numbers))

        low = bin_of(first)
        if kind == BETWEEN:
            assert second is not None
            low = np.where(low == bin_of(second), low, -1)
        return low.astype(np.int32)
    number = np.full(feature.n_values + 1, -1, dtype=np.int32)
    for b, group in enumerate(bins.groups[k]):
        number[list(group)] = b
    if kind == CODE:
        return number[first]  # an unknown code is -1, and so is the last entry
    assert kind == AMONG
    possible = np.stack([first[:, list(g)].any(axis=1) for g in bins.groups[k]], axis=1)
    return np.where(possible.sum(axis=1) == 1, possible.argmax(axis=1), -1).astype(np.int32)
