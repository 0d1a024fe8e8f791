"""Policies where facts hold: the tree whose leaves say what is possible, and its possible leaves.

In:  a ``Tree`` over a space with facts; what can be bought.
Out: an equivalent tree that tells possible cells from others; which of its leaves rows reach.

A policy knows values by their bins: those of the tree, and those of what facts name. A row's answer
may be certain earlier by its exact values, where facts compare features with each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Bins, Box, PossibleTree, Tree, domain_of

__all__ = ["possible_cells_tree", "priced_features", "reached_by_possible_rows"]


def possible_cells_tree(tree: Tree, priced: Collection[str]) -> Tree:
    """Give the tree with cells that facts exclude as leaves of their own, whatever class they say.

    ``priced``: features that can be bought besides those of the tree, because facts name them.
    """
    knowledge = tree.space.knowledge
    if knowledge is None or tree.possible is None:
        return tree
    groups = {knowledge.group_of[i] for i in tree.used if i in knowledge.group_of}
    names = tree.space.names
    sides = {
        i: own
        for i, own in knowledge.own_sides().items()
        if knowledge.group_of[i] in groups and (i in tree.used or names[i] in priced)
    }
    return PossibleTree(tree, sides).taken_for(0)


def priced_features(costs: Any, groups: Any, known: Any) -> set[str]:
    """Give the names that costs, groups and known features mention; of other costs none."""
    out = set() if isinstance(known, str) else set(known)
    if hasattr(costs, "items"):
        out |= {name for name, _ in costs.items()}
    if isinstance(groups, Mapping):
        out |= {name for own in groups.values() if not isinstance(own, str) for name in own}
    return out


def reached_by_possible_rows(bins: Bins, slots: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which leaves have a possible row; ``slots``: their boxes."""
    space = bins.tree.space
    knowledge = space.knowledge
    assert knowledge is not None
    place = {space.features[i].name: i for i in knowledge.group_of}
    return np.array(
        [
            knowledge.possible(
                {place[s.feature.name]: domain_of(s) for s in box.sides if s.feature.name in place}
            )
            for box in Box.of_slots(bins, slots)
        ],
        dtype=bool,
    )
