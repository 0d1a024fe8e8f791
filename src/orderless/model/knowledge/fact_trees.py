"""What facts exclude, as trees over the bins of a model, for the core.

In:  ``Bins`` over a space with facts, and a ``Grid`` of the same bins.
Out: ``FactTrees``: nodes and roots, one tree for each group of features; leaves are possible (0) or
     not (1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import BinNodes
from ..bins import Bins
from ..builder import TreeBuilder
from ..feature import Side
from .cells import Grid
from .possible_tree import Bits, split

__all__ = ["FactTrees", "fact_trees", "joined_trees", "sides_by_bin"]


class FactTrees(NamedTuple):
    """Trees of what is possible; none where everything is."""

    nodes: BinNodes
    roots: NDArray[np.int32]


def sides_by_bin(bins: Bins) -> dict[int, list[Side]]:
    """Give the bins of the features that facts connect, by position in the space."""
    knowledge = bins.tree.space.knowledge
    assert knowledge is not None
    return {
        i: [bins.side(k, 1 << b) for b in range(bins.widths[k])]
        for k, i in enumerate(bins.positions)
        if i in knowledge.group_of
    }


def fact_trees(bins: Bins, grid: Grid) -> FactTrees | None:
    """Give trees that say which cells have a possible row; None if all have one.

    ``grid``: over bins as ``sides_by_bin`` gives them, of all features or some. Linear in the cells
    that it tells apart, times their features.
    """
    place = {i: k for k, i in enumerate(bins.positions)}
    nodes = TreeBuilder()
    roots = []
    for own, table in grid.tables:
        if not table.all():
            roots.append(len(nodes))
            _add_tree(own, table, grid, place, nodes)
    if not roots:
        return None
    return FactTrees(nodes.bin_nodes(), np.array(roots, dtype=np.int32))


def joined_trees(parts: Sequence[FactTrees]) -> FactTrees:
    """Put trees of different features one behind the other."""
    first = np.cumsum([0, *(len(part.nodes.feature) for part in parts)])[:-1].tolist()
    sets = np.cumsum([0, *(len(part.nodes.set_bins) for part in parts)]).tolist()

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part.nodes, name) for part in parts])

    def moved(name: str) -> NDArray[np.int32]:
        arrays = (getattr(part.nodes, name) for part in parts)
        every = [np.where(a >= 0, a + by, -1) for a, by in zip(arrays, first, strict=True)]
        return np.concatenate(every).astype(np.int32)

    starts = [part.nodes.set_start[:-1] + by for part, by in zip(parts, sets, strict=False)]
    nodes = BinNodes(
        joined("feature"), joined("cut"), joined("nan_true"), moved("when_true"),
        moved("when_false"), joined("leaf_class"),
        np.concatenate([*starts, sets[-1:]]).astype(np.int64), joined("set_bins"),
    )  # fmt: skip
    roots = [part.roots + by for part, by in zip(parts, first, strict=True)]
    return FactTrees(nodes, np.concatenate(roots).astype(np.int32))


def _add_tree(
    own: tuple[int, ...], table: NDArray[np.bool_], grid: Grid, place: Mapping[int, int],
    nodes: TreeBuilder,
) -> None:  # fmt: skip
    whole: Bits = {i: tuple(range(n)) for i, n in zip(own, table.shape, strict=True)}
    todo: list[tuple[Bits, int, bool]] = [(whole, -1, True)]
    while todo:
        box, parent, side = todo.pop()
        node = nodes.reserve(parent, side)
        part = table[np.ix_(*(box[i] for i in own))]
        if part.all() or not part.any():
            nodes.leaf(node, 0 if part.any() else 1)
            continue
        i, first = split(own, part, box, grid)
        rest = tuple(b for b in box[i] if b not in first)
        todo += [({**box, i: rest}, node, False), ({**box, i: first}, node, True)]
        if grid.bins[i][0].feature.ordered:
            nodes.split(node, place[i], limit=max(first))
        else:
            nodes.split(node, place[i], members=sorted(first))
