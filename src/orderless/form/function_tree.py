"""Trees that depend on the function alone: what a form stands on.

In:  a ``Tree``.
Out: an equivalent ``Tree``: without conditions that do not matter, or rebuilt from the function.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OutOfTime, TooLarge, setting
from ..model import Budget, TreeKernel

__all__ = ["canonical_tree", "with_function_bins"]

MOST_NODES = 1_000_000


def with_function_bins(tree: TreeKernel) -> TreeKernel:
    """Give the tree with only those thresholds and sets that the function needs.

    Trees that are the same function have the same ``Bins`` afterwards, whatever their redundant
    splits are. The tree itself comes back where no split is redundant.

    Notes
    -----
    Bins that have one fingerprint are put together, and the tree is compared with the one that
    came, leaf by leaf. Cost: the lengths of all paths, and pairs of leaves that meet.
    """
    bins = tree.bins
    groups = _core.bins.function_bins(bins.nodes, bins.layout)
    idle = [not group.any() or len(set(group.tolist())) < len(group) for group in groups]
    if not any(idle):
        return tree
    threshold, nan_true = tree.threshold.copy(), tree.nan_true.copy()
    sets = tree.sets
    for k, feature in enumerate(bins.features):
        nodes = np.flatnonzero(tree.feature == bins.positions[k])
        if not idle[k]:
            continue
        if not feature.ordered:
            for node in nodes.tolist():
                sets[node] = _whole_groups(bins.groups[k], groups[k], set(sets.get(node, ())))
        elif not groups[k].any():
            threshold[nodes], nan_true[nodes] = -np.inf, 0  # all values go one way
        else:
            threshold[nodes] = _at_most(bins.cuts[k], groups[k], threshold[nodes])
    kept = tree.replace(threshold=threshold, nan_true=nan_true, sets=sets, distribution=None)
    return _same_function(tree, kept)


def _at_most(
    cuts: NDArray[np.float64], group: NDArray[np.int32], threshold: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the largest threshold that matters, at most each of these; "known" stays."""
    kept = np.append(-np.inf, cuts[group[: len(cuts)] != group[1 : len(cuts) + 1]])
    below = kept[np.searchsorted(kept, threshold, side="right") - 1]
    return np.where(np.isposinf(threshold), threshold, below)


def _whole_groups(
    bins: list[tuple[int, ...]], group: NDArray[np.int32], inside: set[int]
) -> list[int]:
    """Give the values of all groups whose first value is inside."""
    first = {int(g): codes[0] for g, codes in reversed(list(zip(group, bins, strict=True)))}
    return sorted(
        code for g, codes in zip(group, bins, strict=True) if first[int(g)] in inside
        for code in codes
    )  # fmt: skip


def canonical_tree(tree: TreeKernel, *, limit: int = MOST_NODES) -> TreeKernel:
    """Give a tree that depends on the function alone: equivalent trees give the same tree.

    In each region the question is asked that leaves the fewest thresholds that matter to its two
    sides together. As a rule the tree is about as large as the one that came, or smaller; that is
    not proven (``smallest_tree`` is, and takes longer).

    Parameters
    ----------
    limit : int
        Nodes that it may have before ``TooLarge`` is raised.

    Notes
    -----
    Trees over one space with the same classes are meant. Cost: per node, the leaves that reach
    into its region x squared number of features on their paths.
    """
    bins, budget = with_function_bins(tree).bins, Budget.current()
    try:
        nodes = _core.reasons.canonical_tree(bins.nodes, bins.layout, limit, budget.left)
    except _core.base.LimitReached as fault:
        raise TooLarge(
            f"the canonical tree of this function has more than {setting('limit', limit)} nodes: "
            f"raise {setting('limit')}, or use a smaller tree",
            fault.met,
        ) from None
    except _core.base.TimeUp:
        raise OutOfTime(
            "the canonical tree of this function was not found in "
            f"{budget}: raise {setting('time_limit')}, or use a smaller tree"
        ) from None
    return _same_function(tree, tree.replace(**bins.over_features(nodes)))


def _same_function(tree: TreeKernel, other: TreeKernel) -> TreeKernel:
    """Check exactly what rests on fingerprints."""
    budget = Budget.current()
    try:
        difference = _core.same.first_difference(
            tree.nodes, other.nodes, tree.space.arrays, budget.left
        )
    except _core.base.TimeUp:
        raise OutOfTime(
            f"whether two trees are the same function was not checked in {budget}: raise "
            f"{setting('time_limit')}, or use a smaller tree"
        ) from None
    if difference is not None:
        raise AssertionError(f"{other!r} is not the same function as {tree!r}")
    return other
