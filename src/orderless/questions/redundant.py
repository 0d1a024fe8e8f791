"""What a model could leave out: splits of a tree, one at a time; trees of a sum.

In:  a tree, a sum of trees.
Out: positions of nodes; the same sum without idle trees. Every one of them is proven.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from ..errors import OutOfTime, setting
from ..form import meeting_boxes
from ..model import (
    TIME_LIMIT,
    Budget,
    Side,
    SumKernel,
    TreeKernel,
    common_side,
    in_budget,
)
from ..readers import read_tree
from .joint import Joint

__all__ = ["redundant_splits", "without_idle"]


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
    """Return whether two parts of a tree differ on a possible row of a region."""
    differ = ~np.eye(len(tree.classes), dtype=bool)
    return next(meeting_boxes(tree, tree, differ, region, children), None) is not None


# -- trees of a sum ------------------------------------------------------------------------------


@in_budget
def without_idle(ensemble: SumKernel, *, time_limit: float | None = TIME_LIMIT) -> SumKernel:
    """Leave out trees that change no decision; see ``Ensemble.without_idle_trees``."""
    budget = Budget.current()
    kept = list(range(ensemble.n_trees))
    # What a tree can change at most, those first that change least.
    spread = [float(np.ptp(own, axis=0).max(initial=0.0)) for own in ensemble.values]
    size = [float(np.abs(own).max(initial=0.0)) for own in ensemble.values]
    order = sorted(kept, key=lambda i: (spread[i], size[i], i))
    for tried, i in enumerate(order):
        if budget.over and size[i] > 0:  # preparing a search takes time, too
            continue
        fewer = [j for j in kept if j != i]
        # What is left of the time is for all trees that are left.
        share = budget.left / (len(order) - tried)
        if fewer and _idle(ensemble, fewer, size[i], share):
            kept = fewer
    return ensemble if len(kept) == ensemble.n_trees else _only(ensemble, kept)


def _only(ensemble: SumKernel, kept: list[int]) -> SumKernel:
    """Return the ensemble of some of the trees; a mean becomes the mean of these."""
    adding = ensemble.adding
    if adding.divisor == ensemble.n_trees and ensemble.task == "classification":
        adding = adding._replace(divisor=float(len(kept)))
    return ensemble.replace(
        trees=[ensemble.trees[j] for j in kept],
        values=[ensemble.values[j] for j in kept],
        scores=ensemble.scores[kept],
        adding=adding,
    )


def _idle(ensemble: SumKernel, kept: list[int], size: float, seconds: float) -> bool:
    """Whether the trees that are kept are proven to decide as all do."""
    if size == 0:
        return True  # it adds nothing, in any arithmetic
    if ensemble.task == "regression":
        return False
    joint = Joint(ensemble, _only(ensemble, kept))
    n = len(ensemble.classes)
    each = seconds / max(1, n * (n - 1))
    return all(
        joint.search(a, b, each, surely=False)[0] == 0 for a in range(n) for b in range(n) if a != b
    )
