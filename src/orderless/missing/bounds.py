"""Bounds: the smallest and the largest number that a row with unknowns can get.

In:  a classification tree with its training counts, or a regression tree; and rows.
Out: for each row two numbers (two per class), between which every completion of it stays.
Paper: beyond it; it asks for the class only (Theorem 3.2), here the same is done for numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..inputs import rows_for, table_like
from ..model import Floats, Rows, TreeKernel, refuse_facts

__all__ = ["groups_reached", "probability_bounds"]

MOST_CELLS = 16_000_000  # of a table of rows by leaves, one byte each; two are held at a time


def probability_bounds(tree: TreeKernel, X: Any) -> tuple[Any, Any]:
    r"""Give each class's least and greatest share over all completions; see ``predict_interval``.

    .. math:: \left[\min_{l \in R(x)} p_l(c),\ \max_{l \in R(x)} p_l(c)\right]

    over the leaves :math:`R(x)` that the row can reach. Each class has its own bounds: not all
    upper ends need hold at once. Cost: the nodes that a row can reach, and for rows that reach
    leaves with different shares, rows x classes x different leaves; memory is bounded.
    """
    rows = rows_for(tree, X)
    lower, upper = _ends(tree, rows, tree.shares)
    return table_like(X, lower, tree.classes), table_like(X, upper, tree.classes)


# -- the ends ----------------------------------------------------------------------------------


def _ends(tree: TreeKernel, rows: Rows, values: Floats) -> tuple[Floats, Floats]:
    """Give rows x numbers: the least and the greatest over the leaves that each row can reach.

    ``values`` is nodes x numbers. Leaves that say the same are one group.
    """
    leaves = np.flatnonzero(tree.feature < 0)
    distinct, which = np.unique(values[leaves], axis=0, return_inverse=True)
    only, others = groups_reached(tree, rows, which.ravel())
    lower = distinct[only]
    upper = lower.copy()
    order = np.argsort(distinct, axis=0, kind="stable")
    for at, reached in others:
        for c in range(distinct.shape[1]):
            ranked = distinct[order[:, c], c]
            by_rank = reached[:, order[:, c]]
            lower[at, c] = ranked[by_rank.argmax(axis=1)]
            upper[at, c] = ranked[::-1][by_rank[:, ::-1].argmax(axis=1)]
    return lower, upper


def groups_reached(
    tree: TreeKernel, rows: Rows, group: NDArray[Any]
) -> tuple[NDArray[np.int32], Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]]:
    """Tell which groups of leaves each row can reach.

    Parameters
    ----------
    tree : Tree
    rows : Rows
    group : array of int
        For each leaf, in the order of ``tree.leaves()``, the number of its group, from 0 on.

    Returns
    -------
    only : array of int
        By row its group, -1 where it can reach several.
    others : iterator of (positions of rows, rows x groups)
        The rows that can reach several, a block at a time, which bounds the memory.
    """
    refuse_facts(tree.space, "predict_interval(of='probability')")
    number = np.full(tree.n_nodes, -1, dtype=np.int32)
    number[tree.feature < 0] = group
    nodes = tree.relabelled(number)  # its group is the leaf's class
    fixed = (nodes, tree.space.arrays, tree.row_threshold)
    only = _core.rows.decide(*fixed, rows.columns, rows.n_rows, 1)
    n_groups = int(group.max()) + 1
    step = max(1, MOST_CELLS // n_groups)

    def others() -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
        several = np.flatnonzero(only < 0)
        for start in range(0, len(several), step):
            at = several[start : start + step]
            reached = _core.rows.reach(*fixed, rows.take(at).columns, len(at), n_groups, True)
            yield at, reached.possible.reshape(len(at), n_groups).view(np.bool_)

    return only, others()
