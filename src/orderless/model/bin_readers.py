"""What reads rows over the bins of a tree, in the core.

In:  the ``Bins`` of a tree.
Out: ``BinReaders``, their part that is made when it is asked for, and again in another process.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .arrays import BinNodes, Layout
from .condition import Column
from .feature import Feature
from .numbers import row_boundary

if TYPE_CHECKING:
    from .space import Space
    from .tree import TreeKernel

__all__ = ["BinReaders"]


class BinReaders:
    """Parts of ``Bins`` that are not pickled."""

    tree: TreeKernel
    features: tuple[Feature, ...]
    positions: tuple[int, ...]
    cuts: list[NDArray[np.float64]]
    groups: list[list[tuple[int, ...]]]
    layout: Layout
    nodes: BinNodes
    _slots: list[int]
    _read: dict[tuple[int, ...], int]

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """By feature its position in the space, for the core."""
        return np.array(self.positions, dtype=np.int32)

    @cached_property
    def row_cuts(self) -> list[NDArray[np.float64]]:
        """By feature the largest numbers that rows may hold below each cut; see row_boundary."""
        return [row_boundary(c, f.values) for f, c in zip(self.features, self.cuts, strict=True)]

    @cached_property
    def reader(self) -> _core.rows.RowReader | None:
        """What reads single rows in the core; None where that takes more than it can."""
        return row_reader(self.tree.space, range(len(self.tree.space.features)))[0]

    @cached_property
    def explainer(self) -> _core.reasons.Explainer:
        """What explains rows in the core."""
        space = self.tree.space
        place = row_reader(space, range(len(space.features)))[1]
        groups = []
        for own, bins in zip(self.features, self.groups, strict=True):
            group = np.zeros(own.n_values, dtype=np.int32)
            for b, codes in enumerate(bins):
                group[list(codes)] = b
            groups.append(group)
        columns = np.maximum(place[self.places], 0)  # -1 where no reader is
        return _core.reasons.Explainer(self.nodes, self.layout, self.row_cuts, groups, columns)

    def __getstate__(self) -> dict[str, Any]:
        made_again = ("places", "row_cuts", "reader", "explainer")
        return {name: own for name, own in vars(self).items() if name not in made_again}


def row_reader(
    space: Space, used: Iterable[int]
) -> tuple[_core.rows.RowReader | None, NDArray[np.int32]]:
    """Give what reads single rows in the core, and by feature its column, -1: not read.

    None if a feature is not just a column of its own name, or if there are facts between features.
    """
    place = np.full(len(space.features), -1, dtype=np.int32)
    features: list[tuple[Any, ...] | None] = [None] * len(space.columns)
    if space.knowledge is not None:
        return None, place
    for i in used:
        own = space.features[i]
        at = space.columns_of[own.name]
        if len(at) != 1 or space.columns[at[0]] != Column(own.name, own.name):
            return None, place
        place[i] = at[0]
        features[at[0]] = _cell(own)
    more = set(space.names).difference(space.column_names)
    names = [*space.column_names, *sorted(more)]
    return _core.rows.RowReader(names, features, len(space.columns)), place


def _cell(own: Feature) -> tuple[Any, ...]:
    """Say how the core reads a value of a feature."""
    codes = {label: code for code, label in enumerate(own.categories)}
    missing = len(own.categories) + own.other if own.nan else -1
    return (own.ordered, own.nan, own.whole, *own.bounds, codes, missing)
