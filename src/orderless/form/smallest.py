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
from ..inputs import row_bins
from ..model import Bins, TreeKernel, refuse_facts
from ..readers import read_tree
from .equivalence import equivalent

__all__ = ["smallest_tree"]

Minimize = Literal["leaves", "depth", "expected_depth"]

MINIMIZE = ("leaves", "depth", "expected_depth")
WORDS = {"leaves": "leaves", "depth": "depth", "expected_depth": "expected depth"}
LIMIT = 200_000
TIME_LIMIT = 10.0


@overload
def smallest_tree(
    tree: Any,
    *,
    minimize: Minimize = ...,
    X: Any = ...,
    limit: int = ...,
    time_limit: float = ...,
    return_bound: Literal[False] = ...,
) -> TreeKernel: ...
@overload
def smallest_tree(
    tree: Any,
    *,
    minimize: Minimize = ...,
    X: Any = ...,
    limit: int = ...,
    time_limit: float = ...,
    return_bound: Literal[True],
) -> tuple[TreeKernel, float]: ...
def smallest_tree(
    tree: Any,
    *,
    minimize: Minimize = "leaves",
    X: Any = None,
    limit: int = LIMIT,
    time_limit: float = TIME_LIMIT,
    return_bound: bool = False,
) -> TreeKernel | tuple[TreeKernel, float]:
    """Give the smallest tree that is the same function.

    No split of it is redundant. Among the smallest trees it is the first in a fixed order (at
    every node the first feature by name, then the first cut or set that leads to a smallest tree),
    so equivalent trees over one space give identical trees.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    minimize : "leaves", "depth" or "expected_depth"
        The number of leaves; the conditions on the longest path; or the conditions asked on
        average, and among equals the number of leaves.
    X : rows, optional
        For ``"expected_depth"``: the complete rows over which the average goes, each condition
        being one that matters to the function where it is asked. Without them every combination
        of the bins that the function distinguishes is equally likely.
    limit : int
        How many boxes may be looked at.
    time_limit : float
        Seconds that the search may take.
    return_bound : bool
        Whether to give the bound too.

    Returns
    -------
    Tree
        Without a distribution: rows are divided among other leaves than in the tree that came.
    float
        With ``return_bound``: no equivalent tree has fewer leaves, or less depth, than this (a
        whole number for those two). The tree is proven smallest where it reaches the bound.

    Warns
    -----
    UserWarning
        Where ``limit`` or ``time_limit`` ended the search before the tree was proven smallest, and
        ``return_bound`` was not asked for. The tree is then the best one found: never larger than
        the one that came without its redundant splits.

    Notes
    -----
    Dynamic programming over boxes with branch and bound. A box stands for what is left of the tree
    in it; boxes in which the same function is left share one state (compared exactly). Every cut
    at which a function changes must be asked, and cells of which no two fit into one pure box must
    have leaves of their own: two lower bounds that often prove the tree at once where thresholds
    are all different. The number of states can grow exponentially with the conditions. Where a
    categorical feature has more than 12 groups of values that the function distinguishes in a box,
    only sets of the tree and single groups are tried there.

    If a limit ends the search after the value is proven but while ties are broken, the tree is a
    smallest one, perhaps not the first of them.

    Examples
    --------
    Asking b first needs a in both branches:

    >>> from orderless import read_tree, smallest_tree
    >>> a = {"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> mixed = {"feature": "a", "true": {"feature": "c", "true": {"prediction": 1},
    ...          "false": {"prediction": 0}}, "false": {"prediction": 0}}
    >>> tree = read_tree({"feature": "b", "true": a, "false": mixed}, feature_names=["a", "b", "c"])
    >>> print(tree.n_leaves, smallest_tree(tree).n_leaves)
    5 4
    >>> print(smallest_tree(tree))
    not a?
      yes: 0
      no:  not b?
        yes: not c?
          yes: 0
          no:  1
        no:  1
    >>> smallest_tree(tree, minimize="expected_depth", return_bound=True)[1]
    1.75
    """
    source = read_tree(tree)
    refuse_facts(
        source.space,
        "smallest_tree",
        why="what impossible rows get is free, which its search does not use",
    )
    if minimize not in MINIMIZE:
        raise ValueError(f"minimize must be one of {MINIMIZE}, got {minimize!r}")
    if X is not None and minimize != "expected_depth":
        raise ValueError(f"X is for minimize='expected_depth', got minimize={minimize!r}")
    if limit < 1:
        raise ValueError(f"limit={limit}: at least one box must be allowed")
    if not time_limit > 0:
        raise ValueError(f"time_limit={time_limit}: give seconds, more than 0")
    bins = source.bins
    rows, weight = _weighted_rows(bins, X)
    try:
        found = _core.smallest.smallest_tree(
            bins.nodes,
            bins.layout,
            MINIMIZE.index(minimize),
            X is not None,
            rows,
            weight,
            limit,
            float(time_limit),
        )
    except _core.base.OutOfReach:
        raise InvalidTree(
            "the features of this tree have more than 2^32 combinations of intervals between "
            "thresholds, or it is deeper than 500 conditions: give rows X for the expected depth, "
            "or use a smaller tree"
        ) from None
    value, bound = float(found.value), float(found.bound)
    if minimize == "expected_depth":
        n_rows = found.weight
        value, bound = (found.value / n_rows, found.bound / n_rows) if n_rows else (0.0, 0.0)
    smallest = bins.tree.replace(**bins.over_features(found.nodes))
    if not equivalent(source, smallest):
        raise AssertionError(f"{smallest!r} is not the same function as {source!r}")
    if return_bound:
        return smallest, bound if minimize == "expected_depth" else int(bound)
    if found.bound < found.value:
        warnings.warn(
            f"the tree is not proven smallest: its {WORDS[minimize]} is {value:g}, and no "
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
    table = row_bins(bins, X)
    if len(table) == 0:
        raise InvalidData("there are no rows to take the expected depth over")
    distinct, count = (
        np.unique(table, axis=0, return_counts=True) if n else (table[:1], [len(table)])
    )
    return np.ascontiguousarray(distinct, dtype=np.int32), np.array(count, dtype=np.int64)
