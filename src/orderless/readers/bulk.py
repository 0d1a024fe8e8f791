"""Many small trees over one table of 0/1 columns, quickly.

In:  ``SourceTree`` after ``SourceTree``, as a Rashomon set gives them.
Out: the ``Tree``s that ``build`` would make. What a column means is worked out once, with ``build``
     itself; what is checked and brought to normal form there is not done again for every tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from ..model import Label, Nodes, Space, Tree
from .checks import check_source
from .source import SourceColumn, SourceTree, build

__all__ = ["Builder"]

AT_ONCE = 4096


class Builder:
    """Builds the trees of one table: one by calling it, many with ``build_all``."""

    def __init__(self, columns: Sequence[SourceColumn], space: Space) -> None:
        self.columns = columns
        self.space = space
        n = len(columns)
        self.met = np.zeros(n, dtype=bool)  # columns whose meaning is known
        self.constant = np.zeros(n, dtype=bool)
        self.feature = np.zeros(n, dtype=np.int32)
        self.threshold = np.zeros(n)
        self.nan_true = np.zeros(n, dtype=np.uint8)
        self.flip = np.zeros(n, dtype=bool)  # its condition holds where the column is 1
        self.set_size = np.zeros(n, dtype=np.int64)
        self.set_values = [np.zeros(0, dtype=np.int32)] * n

    def __call__(self, source: SourceTree) -> Tree:
        """Build one."""
        check_source(source)
        return build(source, self.columns, self.space)

    def build_all(self, sources: Iterable[SourceTree]) -> Iterator[Tree]:
        """Build many, linear in their nodes."""
        rest = iter(sources)
        while some := list(islice(rest, AT_ONCE)):
            first = self(some[0])
            yield first
            if self._alike(some):
                yield from self._assemble(some[1:], first.classes)
            else:
                yield from map(self, some[1:])

    def _alike(self, sources: Sequence[SourceTree]) -> bool:
        """Whether they only ask if columns are 0 or 1, and share their table and classes."""
        first = sources[0]
        if not self.columns or not all(
            source.binary is True
            and not source.members
            and source.distribution is None
            and source.classes is first.classes
            and source.n_columns == first.n_columns
            for source in sources
        ):
            return False
        column = np.unique(np.concatenate([source.column for source in sources]))
        column = column[column >= 0]
        for j in column[~self.met[column]].tolist():
            self._meet(j, first)
        return not self.constant[column].any()

    def _meet(self, column: int, source: SourceTree) -> None:
        """Learn what it means that a column is 0: let ``build`` make a tree of that question."""
        question = replace(
            source,
            classes=(0, 1),
            column=np.array([column, -1, -1]),
            threshold=np.full(3, 0.5),
            when_true=np.array([1, -1, -1]),
            when_false=np.array([2, -1, -1]),
            leaf_class=np.array([-1, 0, 1]),
        )
        tree = self(question)
        self.met[column] = True
        # A column that rises and falls is several thresholds: left to build, like a constant one.
        self.constant[column] = tree.n_nodes != 3
        if tree.n_nodes == 3:
            self.feature[column] = tree.feature[0]
            self.threshold[column] = tree.threshold[0]
            self.nan_true[column] = tree.nan_true[0]
            self.flip[column] = tree.leaf_class[tree.when_true[0]] == 1
            self.set_values[column] = tree.set_of(0)
            self.set_size[column] = len(tree.set_of(0))

    def _assemble(
        self, sources: Sequence[SourceTree], classes: tuple[Label, ...]
    ) -> Iterator[Tree]:
        """Work on all nodes of all trees at once, then cut between the trees."""
        if not sources:
            return
        column = np.concatenate([source.column for source in sources])
        zero = np.concatenate([source.when_true for source in sources])
        one = np.concatenate([source.when_false for source in sources])
        leaf_class = np.concatenate([source.leaf_class for source in sources])
        inner = column >= 0
        asked = np.where(inner, column, 0)
        flip = self.flip[asked] & inner
        arrays: dict[str, Any] = {
            "feature": np.where(inner, self.feature[asked], -1).astype(np.int32),
            "threshold": np.where(inner, self.threshold[asked], 0.0),
            "nan_true": np.where(inner, self.nan_true[asked], 0).astype(np.uint8),
            "when_true": np.where(flip, one, zero).astype(np.int32),
            "when_false": np.where(flip, zero, one).astype(np.int32),
            "leaf_class": leaf_class.astype(np.int32),
        }
        starts = np.concatenate([[0], np.cumsum(np.where(inner, self.set_size[asked], 0))])
        values = np.zeros(0, dtype=np.int32)
        if starts[-1]:
            values = np.concatenate([self.set_values[j] for j in column[inner]])
        at = 0
        for source in sources:
            end = at + len(source.column)
            start = starts[at : end + 1] - starts[at]
            yield Tree.of_normal(
                self.space,
                classes,
                Nodes(
                    **{name: array[at:end] for name, array in arrays.items()},
                    set_start=start,
                    set_values=values[starts[at] : starts[end]],
                ),
            )
            at = end
