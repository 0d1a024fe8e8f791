"""Many small trees over 0/1 columns, as a Rashomon set holds them.

In:  leaves, and what joins two trees: a column that is 0 or 1.
Out: ``BitTrees``, which ``bulk`` builds all at once. Subtrees are shared by the trees they are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidTree
from .build import ColumnTree, Table

__all__ = ["BitTrees", "Flat", "join", "leaf"]


# A tree in preorder: a column, then what follows where it is 0, then what follows where it is 1; a
# leaf of class c is -1 - c.
Flat = tuple[int, ...]


def leaf(number: int) -> Flat:
    """Make a tree that is a leaf, by the position of its class."""
    if number < 0:
        raise InvalidTree(
            f"a leaf has class number {number}, and they count from 0: the model is damaged; fit "
            "it again"
        )
    return (-1 - number,)


def join(column: int, zero: Flat, one: Flat) -> Flat:
    """Ask a column, and go on with one tree where it is 0 and with another where it is 1."""
    if column < 0:
        raise InvalidTree(f"a tree asks about column {column}: the model is damaged; fit it again")
    return (column, *zero, *one)


@dataclass(frozen=True)
class BitTrees:
    """Trees over the 0/1 columns of one table, with the same classes."""

    table: Table
    classes: Sequence[Any]
    trees: Iterable[Flat]

    def column_tree(self, flat: Flat) -> ColumnTree:
        """Give one of the trees as a single one is given."""
        code = np.array(flat, dtype=np.int32)
        n = len(code)
        inner = code >= 0
        one = np.full(n, -1, dtype=np.int32)
        open_splits: list[int] = []
        for i, split in enumerate(inner.tolist()):
            if split:
                open_splits.append(i)
            elif open_splits:  # the other branch of the last open split begins behind a leaf
                one[open_splits.pop()] = i + 1
        return ColumnTree(
            self.table,
            self.classes,
            column=np.where(inner, code, -1),
            at_most=np.full(n, 0.5),
            when_true=np.where(inner, np.arange(1, n + 1, dtype=np.int32), -1),
            when_false=one,
            leaf_class=np.where(inner, -1, -1 - code),
            nan_true=np.zeros(n, dtype=bool),
        )
