"""Rows in: arrays, data frames and dicts become one column per feature, as the core reads them.

In:  X of any usual kind, and the ``Space`` that says what its columns mean.
Out: ``Rows``. A row with unknowns is a box (design: a known value is one point, a missing one is
     everything, some known conditions are an interval or a set).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import Space
from .cells import ABSENT, CoreColumn, read_feature
from .lookup import Lookup, absent_columns, open_rows
from .names import some_names

__all__ = ["Rows", "read_columns", "read_rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the core reads them: for each feature of the space one entry."""

    n_rows: int
    columns: list[CoreColumn]

    def take(self, at: slice | NDArray[np.intp]) -> Rows:
        """Give some of the rows: a slice, or their positions."""
        columns: list[CoreColumn] = [
            (kind, None if first is None else first[at], None if second is None else second[at])
            for kind, first, second in self.columns
        ]
        n_rows = len(range(self.n_rows)[at]) if isinstance(at, slice) else len(at)
        return Rows(n_rows, columns)


def read_rows(X: Any, space: Space, used: Iterable[int], *, also: Iterable[int] = ()) -> Rows:
    """Read the features ``used`` out of X; the others stay unknown.

    The features ``also`` are read where X has them and what it has is legal.

    Arrays go by position of the space's columns, data frames and dicts by name: by the names of
    the columns, or by the features' own. In dicts a feature that is not there is unknown; in data
    frames it is an error. NaN, None, NA, NaT and null are unknown; where the feature says that NaN
    is a value, they are that value. A whole number that float64 cannot hold (from 2^53 on) is an
    error, except for float32 features, which round every row (docs/decisions/0011).
    """
    used = list(used)
    n_rows, lookup, there = open_rows(X, space)
    absent = [] if there is None else absent_columns(space, used, there)
    if absent:
        raise InvalidData(
            f"the data frame lacks the column{'s' * (len(absent) > 1)} {', '.join(absent)}; it has "
            f"{some_names(there or ())}. Unknown values are NaN or null in a column that is there; "
            "a tree's features are named with read_tree(..., feature_names=)"
        )
    rows = read_columns(lookup, n_rows, space, used)
    for i in also:
        if there is None or not absent_columns(space, [i], there):
            with suppress(InvalidData):
                rows.columns[i] = read_feature(space.features[i], space, lookup, n_rows)
    return rows


def read_columns(lookup: Lookup, n_rows: int, space: Space, used: Iterable[int]) -> Rows:
    """Read columns by name; what ``lookup`` does not know (None) is unknown."""
    columns: list[CoreColumn] = [(ABSENT, None, None)] * len(space)
    for i in used:
        columns[i] = read_feature(space.features[i], space, lookup, n_rows)
    return Rows(n_rows, columns)
