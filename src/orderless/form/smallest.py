"""The smallest tree that is the same function.

In:  a ``Tree``, and what shall be small: leaves, depth, or the expected number of conditions asked.
Out: a ``Tree``, proven smallest or with a proven bound.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData, InvalidTree
from ..inputs import rows_for
from ..model import TIME_LIMIT, Bins, TreeKernel, read_seconds, refuse_facts, row_bins
from ..readers import read_tree
from .two_trees import same_trees

__all__ = ["smallest_tree"]

Minimize = Literal["leaves", "depth", "expected_depth"]

MINIMIZE = ("leaves", "depth", "expected_depth")
WORDS = {"leaves": "leaves", "depth": "depth", "expected_depth": "expected depth"}
LIMIT = 200_000


@overload
def smallest_tree(
    tree: Any,
    what: Minimize = ...,
    X: Any = ...,
    *,
    limit: int = ...,
    time_limit: float | None = ...,
    return_bound: Literal[False] = ...,
) -> TreeKernel: ...
@overload
def smallest_tree(
    tree: Any,
    what: Minimize = ...,
    X: Any = ...,
    *,
    limit: int = ...,
    time_limit: float | None = ...,
    return_bound: Literal[True],
) -> tuple[TreeKernel, float]: ...
def smallest_tree(
    tree: Any,
    what: Minimize = "leaves",
    X: Any = None,
    *,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
    return_bound: bool = False,
) -> TreeKernel | tuple[TreeKernel, float]:
    """Find the smallest tree that is the same function; see ``Tree.minimize``.

    Dynamic programming over boxes with branch and bound. A box stands for what is left of the tree
    in it; boxes in which the same function is left share one state (compared exactly). Every cut
    at which a function changes must be asked, and cells of which no two fit into one pure box must
    have leaves of their own: two lower bounds that often prove the tree at once where thresholds
    are all different.
    """
    source = read_tree(tree)
    refuse_facts(
        source.space,
        "minimize",
        why="what impossible rows get is free, which its search does not use",
    )
    if what not in MINIMIZE:
        raise ValueError(f"what must be one of {str(MINIMIZE)[1:-1]}, got {what!r}")
    if X is not None and what != "expected_depth":
        raise ValueError(f"X is for what='expected_depth', got what={what!r}")
    if limit < 1:
        raise ValueError(f"limit={limit}: at least one box must be allowed")
    bins = source.bins
    rows, weight = _weighted_rows(bins, X)
    try:
        found = _core.smallest.smallest_tree(
            bins.nodes,
            bins.layout,
            MINIMIZE.index(what),
            X is not None,
            rows,
            weight,
            limit,
            read_seconds(time_limit),
        )
    except _core.base.OutOfReach:
        raise InvalidTree(
            "the features of this tree have more than 2^32 combinations of intervals between "
            "thresholds, or it is deeper than 500 conditions: give rows X for the expected depth, "
            "or use a smaller tree"
        ) from None
    value, bound = float(found.value), float(found.bound)
    if what == "expected_depth":
        n_rows = found.weight
        value, bound = (found.value / n_rows, found.bound / n_rows) if n_rows else (0.0, 0.0)
    smallest = bins.tree.replace(**bins.over_features(found.nodes))
    if not same_trees(source, smallest):
        raise AssertionError(f"{smallest!r} is not the same function as {source!r}")
    if return_bound:
        return smallest, bound if what == "expected_depth" else int(bound)
    if found.bound < found.value:
        warnings.warn(
            f"the tree is not proven smallest: its {WORDS[what]} is {value:g}, and no "
            f"equivalent tree has less than {bound:g}; the search ended after {found.n_states:,} "
            "boxes. Raise limit= or time_limit=, or take the bound with return_bound=True",
            UserWarning,
            stacklevel=2,
        )
    return smallest


def _weighted_rows(bins: Bins, X: Any) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give the distinct rows over bins, and how often each is there."""
    n = len(bins.features)
    if X is None:
        return np.zeros((0, n), dtype=np.int32), np.zeros(0, dtype=np.int64)
    table = row_bins(bins, rows_for(bins.tree, X))
    if len(table) == 0:
        raise InvalidData("there are no rows to take the expected depth over")
    distinct, count = (
        np.unique(table, axis=0, return_counts=True) if n else (table[:1], [len(table)])
    )
    return np.ascontiguousarray(distinct, dtype=np.int32), np.array(count, dtype=np.int64)
