"""A tree over another space.

In:  a ``Tree``, and a ``Space`` that has its features, by name.
Out: the same tree over that space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidSpace
from .feature import Feature
from .space import Space

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = ["tree_over"]


def tree_over(tree: TreeKernel, space: Space) -> TreeKernel:
    """Give the same tree over another space; see ``Tree.over``."""
    if space == tree.space:
        return tree
    feature = tree.feature.copy()
    sets: dict[int, list[int]] = {}
    for old, name in zip(tree.used, tree.features, strict=True):
        new = space.index(name)
        nodes = tree.feature == old
        feature[nodes] = new
        here, there = tree.space.features[old], space.features[new]
        if not _fits(here, there):
            raise InvalidSpace(
                f"a tree over {here!r} cannot be converted to {there!r}: their values differ"
            )
        if not there.ordered:
            for node in np.flatnonzero(nodes).tolist():
                sets[node] = _set_over(tree, node, here, there)
    return tree.replace(space=space, feature=feature, threshold=tree.row_threshold, sets=sets)


def _set_over(tree: TreeKernel, node: int, here: Feature, there: Feature) -> list[int]:
    """Give a condition as a set of another feature's values."""
    if here.ordered:
        inside = [float(c) <= tree.row_threshold[node] for c in there.categories]
        codes = [code for code, flag in enumerate(inside) if flag]
    else:
        own = set(tree.set_of(node).tolist())
        codes = [i for i, label in enumerate(there.categories) if here.code(label) in own]
        if there.other and len(here.categories) in own:
            codes.append(len(there.categories))
    if there.nan and (
        tree.nan_true[node] if here.ordered else here.n_values - 1 in tree.set_of(node)
    ):
        codes.append(there.n_values - 1)
    return codes


def _fits(here: Feature, there: Feature) -> bool:
    """Whether every value of ``there`` is one of ``here``."""
    if there.nan and not here.nan:
        return False
    if here.ordered and there.ordered:
        return there.kind == "boolean" or (
            here.kind == "numeric" and (there.whole or not here.whole)
        )
    if here.ordered:
        low, high = here.bounds
        return not there.other and all(
            not isinstance(c, str) and low < c <= high and (not here.whole or c == int(c))
            for c in there.categories
        )
    if there.ordered:
        return False
    return (here.other or not there.other) and all(
        here.code(label) is not None for label in there.categories
    )
