"""Regions of an ensemble's space: boxes whose ends no tree draws.

In:  an ``Ensemble``, and a side for some features.
Out: the same ensemble with the ends of the sides among its bins; the region as a box over them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ..model import Box, Side, Space, SumKernel, TreeBuilder, TreeKernel
from .boxes import Boxes, box_of
from .joint import with_trees

__all__ = ["box_in", "region_trees", "within"]


def within(ensemble: SumKernel, region: Mapping[str, Side]) -> SumKernel:
    """Give the same ensemble with trees that add nothing, for the ends of a region."""
    return with_trees(ensemble, region_trees(ensemble.space, region.values()))


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
