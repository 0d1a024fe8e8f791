"""Regions of an ensemble's space: boxes whose ends no tree draws.

In:  an ``Ensemble``, and a side for some features.
Out: the same ensemble with the ends of the sides among its bins; the region as a box over them; a
     cell as sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..model import Bins, Box, Side, Space, SumKernel, TreeBuilder, TreeKernel
from .boxes import Boxes, Cells, box_of

__all__ = ["box_in", "region_trees", "sides_of_cell", "with_trees", "within"]


def within(ensemble: SumKernel, region: Mapping[str, Side]) -> SumKernel:
    """Give the same ensemble with trees that add nothing, for the ends of a region."""
    return with_trees(ensemble, region_trees(ensemble.space, region.values()))


def with_trees(ensemble: SumKernel, more: Sequence[TreeKernel]) -> SumKernel:
    """Add trees that add nothing, for their bins."""
    if not more:
        return ensemble
    n = ensemble.n_scores
    zeros = [np.zeros((len(tree.classes), n)) for tree in more]
    return ensemble.replace(
        trees=[*ensemble.trees, *more],
        values=[*ensemble.values, *zeros],
        scores=[*ensemble.scores.tolist(), *[-1] * len(more)],
    )


def region_trees(space: Space, sides: Iterable[Side]) -> list[TreeKernel]:
    """Give a tree for each of some sides that asks for its ends."""
    return [_tree(space, side) for side in sides if not side.is_whole and _cuts(side)]


def box_in(ensemble: SumKernel, region: Mapping[str, Side]) -> Boxes:
    """Give a region as a box over the bins of an ensemble, which must have its ends.

    Sides of features that no tree asks about are left out.
    """
    names = {feature.name for feature in ensemble.bins.features}
    sides = [side for name, side in region.items() if name in names]
    return box_of(ensemble.bins, Box.of_sides(ensemble.bins, sides).bits)


def sides_of_cell(bins: Bins, cell: Cells) -> dict[str, Side]:
    """Return a cell as a side for each feature."""
    return {f.name: bins.side(k, 1 << int(cell[k])) for k, f in enumerate(bins.features)}


def _cuts(side: Side) -> list[Any]:
    """Give the conditions that draw a side: thresholds, or a set of values."""
    if not side.feature.ordered:
        return [side.codes]
    low, high = side.feature.bounds
    if not side.lower < side.upper:
        return [math.inf]  # whether the value is known
    ends = [end for end in (side.lower, side.upper) if low < end < high]
    return ends or [math.inf]


def _tree(space: Space, side: Side) -> TreeKernel:
    """Give a tree that asks one condition after the other, each leaf a class of its own."""
    nodes, feature = TreeBuilder(), space.index(side.feature.name)
    cuts = _cuts(side)
    node = nodes.reserve()
    for number, cut in enumerate(cuts):
        if side.feature.ordered:
            nodes.split(node, feature, limit=cut)
        else:
            nodes.split(node, feature, members=cut)
        nodes.leaf(nodes.reserve(node), number)
        node = nodes.reserve(node, False)
    nodes.leaf(node, len(cuts))
    return TreeKernel(space, range(len(cuts) + 1), **nodes.arrays())
