"""Redundant splits: questions that a tree could leave out, one at a time.

In:  a ``Tree``.
Out: positions of its nodes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from ..errors import OutOfTime, setting
from ..model import Side, TreeKernel, in_time
from ..readers import read_tree
from .leaf_table import LeafTable, common_side, common_sides
from .possible_pairs import is_possible

__all__ = ["redundant_splits"]

TIME_LIMIT = 60.0

Region = dict[str, Side]


@in_time
def redundant_splits(tree: Any, *, time_limit: float = TIME_LIMIT) -> tuple[int, ...]:
    """Find the splits that can be left out without changing what the tree decides.

    A split is redundant if the tree with one of the split's two sides in its place is the same
    function. The paper's "trivial" splits, two leaves of one class, are the plainest case. Each is
    tried by itself: when one is taken out, another may be needed. Where the space has facts, it is
    enough that the two trees are the same on possible rows.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    time_limit : float
        Seconds before ``OutOfTime`` is raised.

    Returns
    -------
    tuple of int
        Positions of nodes, in order. For the smallest tree that decides the same see
        ``smallest_tree``.

    Notes
    -----
    In the region of each split its two sides are compared, leaf by leaf, until two leaves differ:
    exact, and quick as a rule. At worst it takes as many steps per split as pairs of leaves meet,
    and with facts each of these steps is an exact check of them.

    Examples
    --------
    >>> from orderless import read_tree
    >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...                   "true": {"prediction": 0}, "false": {"prediction": 0}}})
    >>> print(tree)
    not x0?
      yes: not x1?
        yes: 0
        no:  0
      no:  1
    >>> [tree.condition(node) for node in redundant_splits(tree)]
    ['not x1']
    """
    if not time_limit > 0:
        raise ValueError(f"{setting('time_limit', time_limit)}: give seconds, more than 0")
    tree = read_tree(tree)
    deadline = time.monotonic() + time_limit
    try:
        found = _core.same.redundant_splits(tree.nodes, tree.space.domains, float(time_limit))
    except _core.base.TimeUp as fault:  # each split is compared from two sides
        raise _out_of_time(tree, time_limit, (fault.met + 1) // 2) from None
    redundant = {*found.tolist()}
    if tree.possible is not None:
        others = [one for one in _regions(tree) if one[0] not in redundant]
        for n, (node, *sides) in enumerate(others):
            children = int(tree.when_true[node]), int(tree.when_false[node])
            for region in sides:  # in this one, the child of the other side would decide
                if time.monotonic() > deadline:
                    raise _out_of_time(tree, time_limit, len(redundant) + n)
                if not _differ(tree, children, region):
                    redundant.add(node)
    return tuple(sorted(redundant))


def _out_of_time(tree: TreeKernel, time_limit: float, n: int) -> OutOfTime:
    return OutOfTime(
        f"the {tree.n_nodes - tree.n_leaves:,} splits were not all compared in "
        f"{setting('time_limit', time_limit)} seconds (about {n:,} were): "
        f"raise {setting('time_limit')}, or use a smaller tree"
    )


def _regions(tree: TreeKernel) -> Iterator[tuple[int, Region, Region]]:
    """Go through the splits, each with the rows for which its condition holds, and the others."""
    todo: list[tuple[int, Region]] = [(0, {})]
    while todo:
        node, region = todo.pop()
        if tree.feature[node] < 0:
            continue
        holds = tree.side(node)
        feature = holds.feature
        own = region.get(feature.name) or Side.whole(feature)
        if feature.ordered:
            fails = Side(feature, lower=holds.upper, nan=feature.nan and not holds.nan)
        else:
            others = {*range(feature.n_values)} - {*holds.codes}
            fails = Side(feature, codes=tuple(sorted(others)))
        yes, no = ({**region, feature.name: common_side(own, side)} for side in (holds, fails))
        yield node, yes, no
        todo += [(int(tree.when_true[node]), yes), (int(tree.when_false[node]), no)]


def _differ(tree: TreeKernel, children: tuple[int, int], region: Region) -> bool:
    """Tell whether two parts of a tree differ on a possible row of a region."""
    one, other = (LeafTable(tree, region, child) for child in children)
    differ = ~np.eye(len(tree.classes), dtype=bool)
    return any(
        is_possible(tree.space.knowledge, common_sides(one.sides(leaf), other.sides(there)))
        for leaf, others in one.pairs((), differ, other)
        for there in others.tolist()
    )
