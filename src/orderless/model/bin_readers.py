"""What reads rows over the bins of a tree, in the core.

In:  the ``Bins`` of a tree.
Out: ``BinReaders``, their part that is made when it is asked for, and again in another process.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .arrays import BinNodes, Layout
from .feature import Feature
from .numbers import row_boundary
from .predictor import row_reader

if TYPE_CHECKING:
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
