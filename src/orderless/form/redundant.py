"""Redundant splits: questions that a tree could leave out, one at a time.

In:  a ``Tree``.
Out: positions of its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from ..errors import OutOfTime, setting
from ..model import TIME_LIMIT, Budget, Side, TreeKernel, in_budget
from ..readers import read_tree
from .leaf_table import LeafTable, common_side, common_sides
from .possible_pairs import is_possible

__all__ = ["redundant_splits"]


Region = dict[str, Side]


@in_budget
def redundant_splits(tree: Any, *, time_limit: float | None = TIME_LIMIT) -> tuple[int, ...]:
    """Find the splits that can be left out, each by itself; see ``Tree.redundant_splits``.

    In the region of each split its two sides are compared, leaf by leaf, until two leaves differ:
    exact, and quick as a rule. At worst it takes as many steps per split as pairs of leaves meet,
    and with facts each of these steps is an exact check of them.
    """
    tree = read_tree(tree)
    budget = Budget.current()
    try:
        found = _core.same.redundant_splits(tree.nodes, tree.space.arrays, budget.left)
    except _core.base.TimeUp as fault:  # each split is compared from two sides
        raise _out_of_time(tree, budget, (fault.met + 1) // 2) from None
    redundant = {*found.tolist()}
    if tree.possible is not None:
        others = [one for one in _regions(tree) if one[0] not in redundant]
        for n, (node, *sides) in enumerate(others):
            children = int(tree.when_true[node]), int(tree.when_false[node])
            for region in sides:  # in this one, the child of the other side would decide
                if budget.over:
                    raise _out_of_time(tree, budget, len(redundant) + n)
                if not _differ(tree, children, region):
                    redundant.add(node)
    return tuple(sorted(redundant))


def _out_of_time(tree: TreeKernel, budget: Budget, n: int) -> OutOfTime:
    return OutOfTime(
        f"the {tree.n_nodes - tree.n_leaves:,} splits were not all compared in "
        f"{budget} (about {n:,} were): "
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
        is_possible(tree.space.domain, common_sides(one.sides(leaf), other.sides(there)))
        for leaf, others in one.pairs((), differ, other)
        for there in others.tolist()
    )
