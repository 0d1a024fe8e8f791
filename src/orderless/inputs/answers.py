"""Rows in, classes and numbers of one tree out, in the kind that the rows came in.

In:  a ``TreeKernel``, and rows of any usual kind, many at once or one after the other.
Out: labels, or numbers, where they are certain (the paper's Theorem 3.2).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import TreeKernel, midpoint, narrow, read_tolerance
from .frames import arrow_slices, is_frame, labels_like, masked_like
from .ranges import rows_for
from .rows import one_row

__all__ = ["Predictor", "codes_for", "predict"]


def predict(
    tree: TreeKernel, X: Any, *, tolerance: float | None = None, n_jobs: int | None = None
) -> Any:
    """Return each row's class, or number, where it is certain; see ``Model.predict``.

    Cost per row: features x leaves / 64 for trees of up to 512 leaves, else the nodes that it can
    reach. Beyond rows and result, memory does not grow with the rows, if these are numbers in an
    array.
    """
    if tolerance is not None:
        width = read_tolerance(tolerance)
        lower, upper = tree.interval(rows_for(tree, X), n_jobs)
        return masked_like(X, midpoint(lower, upper), ~narrow(lower, upper, width))
    if type(X) is np.ndarray:
        labels = tree.predict_floats(X, n_jobs)
        if labels is not None:
            return labels
    if tree.labels.dtype == object or is_frame(X) or tree.connected:
        return labels_like(X, tree.labels, codes_for(tree, X, n_jobs))
    return tree.predict_rows(rows_for(tree, X), n_jobs)


def codes_for(tree: TreeKernel, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
    """Return by row the position of its class in ``classes``, -1 where it is not determined."""
    slices = [] if tree.connected else arrow_slices(X)  # facts warn of all rows at once
    with suppress(InvalidData):  # all rows together say which of them is at fault
        if slices:
            return np.concatenate([tree.decide(rows_for(tree, some), n_jobs) for some in slices])
    return tree.decide(rows_for(tree, X), n_jobs)


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

    __slots__ = ("_ask", "tree")

    def __init__(self, tree: TreeKernel) -> None:
        self.tree = tree
        ready = tree.row_predictor
        self._ask: Callable[[Any], Any] = _not_here if ready is None else ready.one

    def __call__(self, row: Any) -> Any:
        """Return the row's class, None where it is not certain.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
            What is missing, None or NaN is unknown.
        """
        label = self._ask(row)
        return label if label is not NotImplemented else self._in_general(row)

    def _in_general(self, row: Any) -> Any:
        if isinstance(row, np.ndarray) and row.ndim == 1:
            label = self._ask(row.tolist())
            if label is not NotImplemented:
                return label
        tree = self.tree
        rows = one_row(row, tree.space, tree.used, if_there=tree.connected)
        code = int(tree.decide(rows)[0])
        return None if code < 0 else tree.classes[code]

    def __reduce__(self) -> tuple[Any, ...]:
        return Predictor, (self.tree,)

    def __repr__(self) -> str:
        return f"Predictor({self.tree!r})"


def _not_here(_: Any) -> Any:
    """Stand for the core where rows of a space have to be read."""
    return NotImplemented
