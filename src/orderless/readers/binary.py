"""Trees over 0/1 columns, as the solvers of optimal trees make them.

In:  a root, and a function that opens a node.
Out: ``SourceTree``. Shared by the readers of GOSDT, TreeFARMS, DL8.5 and PRAXIS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .source import SourceTree

__all__ = ["Flat", "flatten", "join", "leaf", "over_bits"]


class Flat(NamedTuple):
    """A tree, root first, every branch in one piece; children are relative to the node."""

    column: tuple[int, ...]
    zero: tuple[int, ...]
    one: tuple[int, ...]
    value: tuple[Any, ...]


def leaf(value: Any) -> Flat:
    """Make a tree that is a leaf."""
    return Flat((-1,), (0,), (0,), (value,))


def join(column: int, zero: Flat, one: Flat) -> Flat:
    """Ask a column, and go on with one tree where it is 0 and with another where it is 1."""
    return Flat(
        (column, *zero.column, *one.column),
        (1, *zero.zero, *one.zero),
        (1 + len(zero.column), *zero.one, *one.one),
        (0, *zero.value, *one.value),
    )


def flatten(root: Any, opened: Callable[[Any], tuple[int, Any, Any]]) -> Flat:
    """Walk a tree of a library's own nodes, without recursion.

    ``opened`` gives a node's column and its children for 0 and 1, or (-1, value, None).
    """
    column: list[int] = []
    zero: list[int] = []
    one: list[int] = []
    value: list[Any] = []
    todo: list[tuple[Any, int]] = [(root, -1)]
    while todo:
        node, parent = todo.pop()
        at = len(column)
        if parent >= 0:
            one[parent] = at - parent
        test, first, second = opened(node)
        column.append(test)
        zero.append(int(test >= 0))
        one.append(0)
        value.append(0 if test >= 0 else first)
        if test >= 0:
            todo += [(second, at), (first, -1)]
    return Flat(tuple(column), tuple(zero), tuple(one), tuple(value))


def over_bits(flat: Flat, classes: Sequence[Any], n_columns: int, **known: Any) -> SourceTree:
    """Hand a tree over whose values are positions in ``classes``."""
    column = np.array(flat.column, dtype=np.int32)
    at = np.arange(len(column), dtype=np.int32)
    return SourceTree(
        classes=classes,
        column=column,
        threshold=np.full(len(column), 0.5),
        when_true=at + np.array(flat.zero, dtype=np.int32),
        when_false=at + np.array(flat.one, dtype=np.int32),
        leaf_class=np.array(flat.value, dtype=np.int32),
        n_columns=n_columns,
        binary=True,
        **known,
    )
