"""Predictor: a tree made ready for rows that come one at a time, and for tables of floats.

In:  a ``Tree``, once; then one row after the other.
Out: each row's class where it is certain (the paper's Theorem 3.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .condition import Column
from .feature import Feature
from .space import Space

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = ["Predictor", "row_reader"]

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class Predictor:
    """What a tree says of one row. Made by ``Tree.predictor``.

    It is never changed, so that threads can share it; it can be copied and pickled, as the tree
    that it belongs to.

    Parameters
    ----------
    tree : Tree

    Notes
    -----
    Plain numbers, text, bools and None in a dict or list are read by the core. All else (numpy's
    own numbers, a Series, columns that are conditions) is read as ``Tree.predict`` reads it, with
    the same answers and errors, and takes a hundred times as long. Cost: the values of the row, and
    the nodes that it can reach until two classes are met.
    """

    __slots__ = ("_ask", "_table", "tree")

    def __init__(self, tree: TreeKernel) -> None:
        self.tree = tree
        reader, place = row_reader(tree.space, tree.used)
        self._ask: Any = _not_here
        self._table: Any = _not_here
        if reader is not None:
            ready = _core.rows.RowPredictor(
                reader, tree.nodes, tree.space.domains, tree.row_threshold, place, tree.classes
            )
            self._ask = ready.one
            self._table = ready.table

    def __call__(self, row: Any) -> Any:
        """Give the row's class, None where it is not certain.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
            What is missing, None or NaN is unknown.
        """
        found = self._ask(row)
        return found if found is not NotImplemented else self._in_general(row)

    def _in_general(self, row: Any) -> Any:
        from ..inputs import one_row

        if isinstance(row, np.ndarray) and row.ndim == 1:
            found = self._ask(row.tolist())
            if found is not NotImplemented:
                return found
        tree = self.tree
        read = one_row(row, tree.space, tree.used, if_there=tree.connected)
        code = int(tree.decide(read)[0])
        return None if code < 0 else tree.classes[code]

    def table(self, X: NDArray[Any], n_threads: int) -> Any:
        """Give the classes of a table of floats, as ``Tree.predict``; None if it is another."""
        labels = self.tree.labels
        if X.dtype not in FLOATS or X.ndim != 2 or labels.dtype == object:
            return None
        if X.strides[0] % X.itemsize or X.strides[1] % X.itemsize:
            return None  # the core steps over whole values only
        data = np.empty(len(X), dtype=labels.dtype)
        hidden = np.empty(len(X), dtype=bool)
        done = self._table(
            X, n_threads, labels.view(np.uint8), labels.itemsize,
            data.view(np.uint8), hidden.view(np.uint8),
        )  # fmt: skip
        return np.ma.MaskedArray(data, mask=hidden) if done is True else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Predictor, (self.tree,)

    def __repr__(self) -> str:
        return f"Predictor({self.tree!r})"


def _not_here(*_: Any) -> Any:
    """Say that rows of this space are read in general."""
    return NotImplemented


def row_reader(
    space: Space, used: Iterable[int]
) -> tuple[_core.rows.RowReader | None, NDArray[np.int32]]:
    """Give what reads single rows in the core, and by feature its column, -1: not read.

    None if a feature is not just a column of its own name, or if there are facts between features.
    """
    place = np.full(len(space.features), -1, dtype=np.int32)
    features: list[tuple[Any, ...] | None] = [None] * len(space.columns)
    if space.knowledge is not None:
        return None, place
    for i in used:
        own = space.features[i]
        at = space.columns_of[own.name]
        if len(at) != 1 or space.columns[at[0]] != Column(own.name, own.name):
            return None, place
        place[i] = at[0]
        features[at[0]] = _cell(own)
    more = set(space.names).difference(space.column_names)
    names = [*space.column_names, *sorted(more)]
    return _core.rows.RowReader(names, features, len(space.columns)), place


def _cell(own: Feature) -> tuple[Any, ...]:
    """Say how the core reads a value of a feature."""
    codes = {label: code for code, label in enumerate(own.categories)}
    missing = len(own.categories) + own.other if own.nan else -1
    return (own.ordered, own.nan, own.whole, *own.bounds, codes, missing)
