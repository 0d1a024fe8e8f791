"""Many small trees over one table of 0/1 columns, quickly.

In:  ``SourceTree`` after ``SourceTree``, as a Rashomon set gives them.
Out: the ``Tree``s that ``build`` would make. What a column means is worked out once, with
     ``build`` itself; what is checked and brought to normal form there is not done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..space import Space
from ..tree import Tree
from .source import SourceColumn, SourceTree, build

__all__ = ["Builder"]


class Builder:
    """Builds the trees of one table."""

    def __init__(self, columns: Sequence[SourceColumn], space: Space) -> None:
        self.columns = columns
        self.space = space
        n = len(columns)
        self.met = np.zeros(n, dtype=bool)  # columns whose meaning is known
        self.odd = np.zeros(n, dtype=bool)  # of these the ones that ``build`` has to handle
        self.feature = np.zeros(n, dtype=np.int32)
        self.threshold = np.zeros(n)
        self.nan_true = np.zeros(n, dtype=np.uint8)
        self.flip = np.zeros(n, dtype=bool)
        self.classes: dict[Any, tuple[Any, ...]] = {}

    def __call__(self, source: SourceTree) -> Tree:
        """Build one."""
        inner = source.column >= 0
        asked = source.column[inner]
        if (
            source.binary is not True
            or source.members
            or source.distribution is not None
            or source.n_columns > len(self.columns)
            or not asked.size
        ):
            return build(source, self.columns, self.space)
        if not self.met[asked].all():
            for column in np.unique(asked[~self.met[asked]]).tolist():
                self._meet(column, source)
        if self.odd[asked].any():
            return build(source, self.columns, self.space)
        return self._assemble(source, inner, asked)

    def _meet(self, column: int, source: SourceTree) -> None:
        """Find out what it means that a column is 0: let ``build`` make a tree of that question."""
        question = replace(
            source,
            classes=(0, 1),
            column=np.array([column, -1, -1]),
            threshold=np.full(3, 0.5),
            when_true=np.array([1, -1, -1]),
            when_false=np.array([2, -1, -1]),
            leaf_class=np.array([-1, 0, 1]),
            n_columns=len(self.columns),
        )
        tree = build(question, self.columns, self.space)
        self.met[column] = True
        self.odd[column] = tree.n_nodes == 1 or len(tree.set_values) > 0
        self.feature[column] = tree.feature[0]
        self.threshold[column] = tree.threshold[0]
        self.nan_true[column] = tree.nan_true[0]
        self.flip[column] = tree.leaf_class[tree.when_true[0]] == 1

    def _assemble(self, source: SourceTree, inner: Any, asked: Any) -> Tree:
        n = len(inner)
        arrays: dict[str, Any] = {
            "feature": np.full(n, -1, dtype=np.int32),
            "threshold": np.zeros(n),
            "nan_true": np.zeros(n, dtype=np.uint8),
        }
        arrays["feature"][inner] = self.feature[asked]
        arrays["threshold"][inner] = self.threshold[asked]
        arrays["nan_true"][inner] = self.nan_true[asked]
        flip = np.zeros(n, dtype=bool)
        flip[inner] = self.flip[asked]
        arrays["when_true"] = np.where(flip, source.when_false, source.when_true)
        arrays["when_false"] = np.where(flip, source.when_true, source.when_false)
        arrays["leaf_class"] = np.array(source.leaf_class, dtype=np.int32)
        tree = Tree.__new__(Tree)
        tree.space = self.space
        tree.classes = self._labels(source)
        tree._keep(arrays, None, np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
        return tree

    def _labels(self, source):
        key = id(source.classes)
        if key not in self.classes:
            from ..tree import _read_classes
            self.classes[key] = (source.classes, _read_classes(source.classes))
        return self.classes[key][1]
