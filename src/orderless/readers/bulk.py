"""Many small trees over one table of 0/1 columns, quickly.

In:  ``BitTrees``, as a Rashomon set gives them, and the ``SourceColumn``s of their table.
Out: the ``Tree``s that ``over_features`` would make. What a column means is worked out once, with
     ``over_features`` itself; what is checked and brought to normal form there is not done again
     for every tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from ..model import Label, Nodes, Space, Tree
from .binary import BitTrees, Flat, join, leaf
from .through.conditions import over_features
from .through.stage import SourceColumn

__all__ = ["build_all"]

AT_ONCE = 4096


def build_all(bits: BitTrees, columns: Sequence[SourceColumn], space: Space) -> Iterator[Tree]:
    """Build all trees of a set, linear in their nodes."""
    meaning = _Meaning(bits, columns, space)
    rest = iter(bits.trees)
    while some := list(islice(rest, AT_ONCE)):
        first = meaning.tree(some[0])
        yield first
        nodes = _Nodes(some[1:])
        nodes.check(len(columns), len(bits.classes))
        if meaning.is_simple(nodes.column):
            yield from _assemble(nodes, meaning, first.classes)
        else:
            yield from map(meaning.tree, some[1:])


class _Nodes:
    """The nodes of many trees, one tree after the other."""

    def __init__(self, trees: Sequence[Flat]) -> None:
        sizes = np.array([len(tree.column) for tree in trees], dtype=np.int64)
        self.ends = np.cumsum(sizes).tolist()
        self.column = self._joined(tree.column for tree in trees)
        self.zero = self._joined(tree.zero for tree in trees)
        self.one = self._joined(tree.one for tree in trees)
        self.leaf_class = self._joined(tree.leaf_class for tree in trees)
        # Children are relative to their node: make them positions in their tree.
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        place = (np.arange(len(self.column)) - starts).astype(np.int32)
        self.zero += place
        self.one += place

    def _joined(self, parts: Any) -> NDArray[np.int32]:
        return np.fromiter(chain.from_iterable(parts), np.int32, self.ends[-1] if self.ends else 0)

    def check(self, n_columns: int, n_classes: int) -> None:
        """Refuse columns and classes that do not exist; links are right by construction."""
        leaf_class = self.leaf_class[self.column < 0]
        if (
            (self.column >= n_columns).any()
            or (leaf_class >= n_classes).any()
            or (leaf_class < 0).any()
        ):
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

    def tree(self, flat: Flat) -> Tree:
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


def _assemble(nodes: _Nodes, meaning: _Meaning, classes: tuple[Label, ...]) -> Iterator[Tree]:
    """Work on all nodes of all trees at once, then cut between the trees."""
    if not nodes.ends:
        return
    inner = nodes.column >= 0
    asked = np.where(inner, nodes.column, 0)
    flip = meaning.flip[asked] & inner
    arrays: dict[str, Any] = {
        "feature": np.where(inner, meaning.feature[asked], -1).astype(np.int32),
        "threshold": np.where(inner, meaning.threshold[asked], 0.0),
        "nan_true": np.where(inner, meaning.nan_true[asked], 0).astype(np.uint8),
        "when_true": np.where(flip, nodes.one, nodes.zero),
        "when_false": np.where(flip, nodes.zero, nodes.one),
        "leaf_class": nodes.leaf_class,
    }
    starts = np.concatenate([[0], np.cumsum(np.where(inner, meaning.set_size[asked], 0))])
    values = np.zeros(0, dtype=np.int32)
    if starts[-1]:
        values = np.concatenate([meaning.set_values[j] for j in nodes.column[inner]])
    at = 0
    for end in nodes.ends:
        yield Tree.of_normal(
            meaning.space,
            classes,
            Nodes(
                **{name: array[at:end] for name, array in arrays.items()},
                set_start=starts[at : end + 1] - starts[at],
                set_values=values[starts[at] : starts[end]],
            ),
        )
        at = end
