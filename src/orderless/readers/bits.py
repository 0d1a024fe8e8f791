"""Many small trees over one table of 0/1 columns, as a Rashomon set holds them, quickly.

In:  leaves, and what joins two trees: a column that is 0 or 1; the ``SourceColumn``s of the table.
Out: ``BitTrees``; the ``TreeKernel``s that ``over_features`` would make. What a column means is
     worked out once, with ``over_features`` itself; what is checked and brought to normal form
     there is not done again for every tree. Subtrees are shared by the trees that they are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidTree
from ..model import Label, Space, TreeKernel
from .builder import ColumnTree, Table
from .preprocessing.conditions import over_features
from .preprocessing.stage import SourceColumn

__all__ = ["BitTrees", "Flat", "build_all", "join", "leaf"]

AT_ONCE = 4096

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


def build_all(
    bits: BitTrees, columns: Sequence[SourceColumn], space: Space
) -> Iterator[TreeKernel]:
    """Build all trees of a set, linear in their nodes."""
    meaning = _Meaning(bits, columns, space)
    rest = iter(bits.trees)
    while some := list(islice(rest, AT_ONCE)):
        first = meaning.tree(some[0])
        yield first
        ends = np.cumsum([len(tree) for tree in some[1:]], dtype=np.int64)
        codes = np.fromiter(chain.from_iterable(some[1:]), np.int32, ends[-1] if len(ends) else 0)
        _check(codes, len(columns), len(bits.classes))
        if meaning.is_simple(codes):
            yield from _assemble(codes, ends, meaning, first.classes)
        else:
            yield from map(meaning.tree, some[1:])


def _check(codes: NDArray[np.int32], n_columns: int, n_classes: int) -> None:
    """Refuse columns and classes that do not exist; links are right by construction."""
    if len(codes) and (codes.max() >= n_columns or codes.min() < -n_classes):
        raise InvalidTree(
            f"a tree of the set has a column or a class that does not exist, of {n_columns} "
            f"columns and {n_classes} classes: the model is damaged; fit it again"
        )


class _Meaning:
    """What it means, on the features, that a column is 0."""

    def __init__(self, bits: BitTrees, columns: Sequence[SourceColumn], space: Space) -> None:
        self.bits = bits
        self.columns = columns
        self.space = space
        n = len(columns)
        self.met = np.zeros(n, dtype=bool)  # columns whose meaning is known
        self.simple = np.zeros(n, dtype=bool)  # a single condition on one feature
        self.feature = np.zeros(n, dtype=np.int32)
        self.threshold = np.zeros(n)
        self.nan_true = np.zeros(n, dtype=np.uint8)
        self.flip = np.zeros(n, dtype=bool)  # the condition holds where the column is 1
        self.set_size = np.zeros(n, dtype=np.int64)
        self.set_values = [np.zeros(0, dtype=np.int32)] * n

    def tree(self, flat: Flat) -> TreeKernel:
        """Build one tree."""
        return over_features(self.bits.column_tree(flat), self.columns, self.space)

    def is_simple(self, column: NDArray[np.int32]) -> bool:
        """Whether all these columns are single conditions."""
        asked = np.unique(column[column >= 0])
        for j in asked[~self.met[asked]].tolist():
            self._meet(j)
        return bool(self.columns) and bool(self.simple[asked].all())

    def _meet(self, column: int) -> None:
        """Learn what a column means: make a tree of the question whether it is 0."""
        question = BitTrees(self.bits.table, (0, 1), ())
        flat = join(column, leaf(0), leaf(1))
        tree = over_features(question.column_tree(flat), self.columns, self.space)
        self.met[column] = True
        # A column that rises and falls is several thresholds, and a constant one is none.
        if tree.n_nodes != 3:
            return
        self.simple[column] = True
        self.feature[column] = tree.feature[0]
        self.threshold[column] = tree.threshold[0]
        self.nan_true[column] = tree.nan_true[0]
        self.flip[column] = tree.leaf_class[tree.when_true[0]] == 1
        self.set_values[column] = tree.set_of(0)
        self.set_size[column] = len(tree.set_of(0))


def _assemble(
    codes: NDArray[np.int32], ends: NDArray[np.int64], meaning: _Meaning, classes: tuple[Label, ...]
) -> Iterator[TreeKernel]:
    """Let the core put all trees together."""
    space = meaning.space
    sets = np.concatenate([[0], np.cumsum(meaning.set_size)]).astype(np.int64)
    columns = (
        meaning.feature,
        meaning.threshold,
        meaning.nan_true,
        meaning.flip.view(np.uint8),
        sets,
        np.concatenate([np.zeros(0, dtype=np.int32), *meaning.set_values]),
    )
    held = _core.tree.hold_bits(space.held, codes, ends, columns, len(classes))
    if held is None:
        raise AssertionError("a tree of a set was not put together rightly")
    for own in held:
        yield TreeKernel.of_held(space, classes, own)
