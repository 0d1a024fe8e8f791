"""Many small trees over 0/1 columns, as a Rashomon set holds them.

In:  leaves, and what joins two trees: a column that is 0 or 1.
Out: ``BitTrees``, which ``bulk`` builds all at once. Subtrees are shared by the trees they are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .build import ColumnTree, Table

__all__ = ["BitTrees", "Flat", "join", "leaf"]


class Flat(NamedTuple):
    """A tree, root first, every branch in one piece; children are relative to the node."""

    column: tuple[int, ...]
    zero: tuple[int, ...]
    one: tuple[int, ...]
    leaf_class: tuple[int, ...]


def leaf(number: int) -> Flat:
    """Make a tree that is a leaf, by the position of its class."""
    return Flat((-1,), (0,), (0,), (number,))


def join(column: int, zero: Flat, one: Flat) -> Flat:
    """Ask a column, and go on with one tree where it is 0 and with another where it is 1."""
    return Flat(
        (column, *zero.column, *one.column),
        (1, *zero.zero, *one.zero),
        (1 + len(zero.column), *zero.one, *one.one),
        (0, *zero.leaf_class, *one.leaf_class),
    )


@dataclass(frozen=True)
class BitTrees:
    """Trees over the 0/1 columns of one table, with the same classes."""

    table: Table
    classes: Sequence[Any]
    trees: Iterable[Flat]

    def column_tree(self, flat: Flat) -> ColumnTree:
        """Give one of the trees as a single one is given."""
        n = len(flat.column)
        at = np.arange(n, dtype=np.int32)
        return ColumnTree(
            self.table,
            self.classes,
            column=np.array(flat.column, dtype=np.int32),
            at_most=np.full(n, 0.5),
            when_true=at + np.array(flat.zero, dtype=np.int32),
            when_false=at + np.array(flat.one, dtype=np.int32),
            leaf_class=np.array(flat.leaf_class, dtype=np.int32),
            nan_true=np.zeros(n, dtype=bool),
        )
