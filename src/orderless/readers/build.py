"""The builder of readers that read one tree and several in two files.

In:  the nodes of a tree, as a library states them: a test on a column, or a leaf.
Out: ``ColumnTree``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from ..model import Label, Task, plain_label, value_at_most
from .builder import (
    DAMAGED,
    MAX_COLUMNS as MOST_COLUMNS,
    MAX_NODES as MOST_NODES,
    REMEMBERED as KEPT,
    ColumnTree,
    Nan,
    Relation,
    Table,
    numbered_names,
    whole_number,
)
from .leaf_labels import ordered, places

__all__ = [
    "DAMAGED", "KEPT", "MOST_COLUMNS", "MOST_NODES", "ColumnTree", "Nan", "Relation", "Table",
    "TreeBuilder", "numbered_names", "whole_number",
]  # fmt: skip


class TreeBuilder:
    """Takes a tree node by node, from the root down, and checks every node.

    A reader goes through the nodes with ``walk`` and says of each what it is, with exactly one
    call of ``numerical_test``, ``categorical_test``, ``bit_test``, ``leaf``, ``leaf_number`` or
    ``leaf_of_number``. Children are whatever the library has: objects, dicts, positions.

    Notes
    -----
    Linear in the nodes, without recursion.

    Examples
    --------
    >>> builder = TreeBuilder(Table(2, names=["cold", "wet"], binary=True))
    >>> for node in builder.walk({"column": 1, "zero": "go", "one": "stay"}):
    ...     if isinstance(node, str):
    ...         builder.leaf(node)
    ...     else:
    ...         builder.bit_test(node["column"], node["zero"], node["one"])
    >>> tree = builder.finish()
    >>> tree.classes, tree.column.tolist(), tree.leaf_class.tolist()
    (['go', 'stay'], [1, -1, -1], [-1, 0, 1])
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._n_columns = MOST_COLUMNS if table.n_columns is None else table.n_columns
        self._column: list[int] = []
        self._number: list[float] = []
        self._strict: list[bool] = []
        self._nan_true: list[bool] = []
        self._sides: tuple[list[int], list[int]] = ([], [])  # where the condition holds, where not
        self._members: dict[int, Sequence[Any]] = {}
        self._leaf_class: list[int] = []
        self._labels: dict[int, Label] = {}
        self._rows: dict[int, Sequence[float]] = {}
        self._task: Task = "classification"
        self._node: Any = None
        # What is to be described: node, parent, and the side of it; (node, -1, -1) ends a branch.
        self._todo: list[tuple[Any, int, int]] = []

    def __len__(self) -> int:
        return len(self._column)

    def walk(self, root: Any) -> Iterator[Any]:
        """Go through the nodes, each before those below it, the true branch first."""
        above: set[int] = set()  # nodes between the root and this one
        self._todo = [(root, -1, 0)]
        while self._todo:
            node, parent, side = self._todo.pop()
            if side < 0:
                above.discard(id(node))
                continue
            if id(node) in above:
                raise InvalidTree("a node is its own descendant: this is a cycle, not a tree")
            at = len(self)
            if at >= MOST_NODES:  # nodes that are used twice can unfold without end
                raise InvalidTree(
                    f"more than {MOST_NODES:,} nodes: build orderless.Tree(...) by hand"
                )
            if parent >= 0:
                self._sides[side][parent] = at
            self._node = node
            yield node
            if len(self) != at + 1:
                raise RuntimeError(f"a reader must describe each node once, got {len(self) - at}")
            if self._column[at] >= 0:
                above.add(id(node))

    def numerical_test(
        self,
        column: int,
        relation: Relation,
        threshold: float,
        true: Any,
        false: Any,
        nan_true: bool = False,
    ) -> None:
        """Say that the node compares a column with a number, and where it goes then.

        ``nan_true`` says whether NaN goes to ``true``, for libraries that learn it. With others it
        goes to ``false``, as every comparison with NaN is false.
        """
        self._split(column, relation in (">", ">="), true, false, nan_true)
        self._number[-1] = float(threshold)
        self._strict[-1] = relation in ("<", ">=")

    def categorical_test(
        self,
        column: int,
        relation: Literal["in", "not in"],
        members: Sequence[Any],
        true: Any,
        false: Any,
        nan_true: bool = False,
    ) -> None:
        """Say that the node asks whether a column holds one of some values."""
        self._split(column, relation == "not in", true, false, nan_true)
        self._members[len(self) - 1] = [plain_label(value) for value in members]

    def bit_test(self, column: int, zero: Any, one: Any) -> None:
        """Say that the node asks whether a column is 0 or 1."""
        self.numerical_test(column, "<=", 0.5, zero, one)

    def leaf_of_number(self, number: Any) -> None:
        """Say that the node is a leaf of a regression tree, which predicts this number."""
        label = number.item() if isinstance(number, np.generic) else number
        if isinstance(label, bool) or not isinstance(label, int | float) or not isfinite(label):
            raise InvalidTree(
                f"a leaf predicts {label!r:.80} and must predict a finite number: check the "
                "targets, fit or save the model again"
            )
        self._task = "regression"
        self._labels[len(self)] = float(label) + 0.0
        self.leaf_number(-1)

    def leaf(self, label: Any, rows: Sequence[float] | None = None) -> None:
        """Say that the node is a leaf of this class; ``rows`` by class, if they are known."""
        self._labels[len(self)] = plain_label(label)
        self.leaf_number(-1, rows)

    def leaf_number(self, number: int, rows: Sequence[float] | None = None) -> None:
        """Say that the node is a leaf, by the position of its class."""
        if rows is not None:
            self._rows[len(self)] = rows
        self._add(-1, int(number), False)

    def finish(self, classes: Sequence[Any] | NDArray[Any] | None = None) -> ColumnTree:
        """Give the tree; without classes, they are what its leaves say, in order."""
        table = self.table
        if table.n_columns is None:
            table = replace(table, n_columns=max(self._column) + 1, at_least=True)
        leaf_class = np.array(self._leaf_class, dtype=np.int64)
        if self._labels:
            classes = ordered(self._labels.values()) if classes is None else classes
            at = places(classes, self._labels)
            leaf_class[list(at)] = list(at.values())
        elif classes is None:
            classes = range(int(leaf_class.max()) + 1)
        at_most, strict = np.array(self._number), np.array(self._strict)
        when_true, when_false = (np.array(side, dtype=np.int32) for side in self._sides)
        nan_true = np.array(self._nan_true)
        if strict.any():
            # Nothing is below -infinity: the same as "not at most infinity".
            never = strict & np.isneginf(at_most)
            at_most[strict] = value_at_most(at_most[strict], table.values, strict=True)
            at_most[never] = np.inf
            nan_true[never] ^= True
            when_true[never], when_false[never] = when_false[never], when_true[never]
        return ColumnTree(
            table, classes, np.array(self._column, dtype=np.int32), at_most, when_true, when_false,
            leaf_class, nan_true, self._members, self._distribution(len(classes)), self._task,
        )  # fmt: skip

    def _split(self, column: int, negated: bool, true: Any, false: Any, nan_true: bool) -> None:
        try:
            place = index(column)
        except TypeError:
            place = -1
        if not 0 <= place < self._n_columns:
            raise InvalidTree(
                f"a node has the column {column!r:.40}, and there are {self._n_columns:,}: "
                f"{DAMAGED}"
            )
        at = self._add(place, -1, bool(nan_true) != negated)
        holds, not_holds = (1, 0) if negated else (0, 1)
        self._todo += [(self._node, -1, -1), (false, at, not_holds), (true, at, holds)]

    def _add(self, column: int, leaf_class: int, nan_true: bool) -> int:
        self._column.append(column)
        self._number.append(0.0)
        self._strict.append(False)
        self._nan_true.append(nan_true)
        for side in self._sides:
            side.append(-1)
        self._leaf_class.append(leaf_class)
        return len(self._column) - 1

    def _distribution(self, n_classes: int) -> NDArray[np.float64] | None:
        if not self._rows:
            return None
        out = np.zeros((len(self), n_classes))
        for node, rows in self._rows.items():
            out[node] = rows
        return out
