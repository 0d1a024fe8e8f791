"""Sufficient features of a row where facts hold.

In:  an ``Ensemble`` over a space with facts, and a possible row.
Out: ``PossibleSufficient``: as ``Sufficient``, among possible rows; what facts exclude is of any
     class.

What facts tell apart are bins, and, where they compare features with each other, so are the row's
own values: what is certain because of them can then be said in bins, as widely as of a tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..form import own_values
from ..model import Rows, Side, SumKernel
from ..questions.boxes import OPEN, Boxes, Cells, PossibleCells
from ..questions.regions import region_trees, with_trees
from .sufficient import Sufficient

__all__ = ["PossibleSufficient", "with_fact_bins"]


def with_fact_bins(ensemble: SumKernel, rows: Rows) -> SumKernel:
    """Give the same ensemble, with bins where facts, or values of the first row, need them."""
    space, domain = ensemble.space, ensemble.space.domain
    groups = {domain.group_of[i] for i in ensemble.used if i in domain.group_of}
    apart: list[Mapping[int, Sequence[Side]]] = [domain.own_sides()]
    if domain.linear:
        apart.append(own_values(space, ensemble.connected, rows))
    sides = [
        side
        for some in apart
        for i, own in some.items()
        if domain.group_of[i] in groups
        for side in dict.fromkeys(own)
    ]
    return with_trees(ensemble, region_trees(space, sides))


class PossibleSufficient(Sufficient):
    """The sufficient features of one row among possible rows."""

    def __init__(
        self, ensemble: SumKernel, box: Boxes, label: int, limit: int, time_limit: float | None
    ) -> None:
        self.cells = PossibleCells(ensemble.bins)
        super().__init__(self.cells.over(ensemble), box, label, limit, time_limit)

    def labels(self, cells: Cells) -> NDArray[np.int32]:
        """Give the classes of cells; those that facts exclude have that of the row."""
        cells = np.atleast_2d(cells)
        found = super().labels(cells)
        return np.where(self.cells.possible(cells), found, self.label).astype(np.int32)

    def has_rows(self, box: Boxes) -> bool:
        """Whether a box has a possible row."""
        return self.cells.any_in(box)

    def opens(self) -> bool:
        """Whether another class is in the row's own cells."""
        return int(self.decide(self.box).status[0]) == OPEN
