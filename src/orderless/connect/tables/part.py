"""Parts of a table: some rows, by column.

A column is a list of cells, or an array of pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["Coded", "Part", "cells_of", "coded", "in_pieces"]


@dataclass(frozen=True)
class Part:
    """Some rows: by name a column, and the number of the first row, from 1."""

    columns: dict[str, Any]
    first: int
    n_rows: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_rows", len(next(iter(self.columns.values()))))


@dataclass(frozen=True)
class Coded:
    """A column as its different values, and for each row which of them it has (-1: none)."""

    values: list[Any]
    index: NDArray[Any]
    texts: list[str] = field(default_factory=list)  # how the values are written

    def of(self, values: list[Any]) -> list[Any]:
        """Give other values in place of these, row by row, and None for none."""
        more = [*values, None]
        return [more[i] for i in self.index.tolist()]


def cells_of(column: Any) -> list[Any]:
    """Give a column as a list."""
    return column if isinstance(column, list) else list(column.to_pylist())


def coded(column: Any) -> Coded:
    """Find the different values of a column, in the order in which they come.

    Examples
    --------
    >>> coded(["b", "a", "b"]).values
    ['b', 'a']
    """
    if isinstance(column, list):
        number: dict[Any, int] = {}
        index = np.array([number.setdefault(cell, len(number)) for cell in column], dtype=np.int64)
        return Coded(list(number), index)
    if not pa.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except pa.ArrowException:  # of a type that has no dictionaries
            cells = column.to_pylist()
            return Coded(cells, np.arange(len(cells)))
    values = column.dictionary.to_pylist()
    index = column.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    return Coded([*values, None], index.astype(np.int64))


def in_pieces(columns: dict[str, Any], n_rows: int, first: int, size: int) -> Iterator[Part]:
    """Go through rows, a few at one time."""
    if n_rows <= size:
        yield Part(columns, first)
        return
    for start in range(0, n_rows, size):
        yield Part(
            {name: column[start : start + size] for name, column in columns.items()}, first + start
        )
