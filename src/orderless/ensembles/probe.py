"""Probe: questions about boxes in one budget, and boxes that grow as far as a class is certain.

In:  an ``Ensemble``, boxes over its bins.
Out: whether boxes are certain, the classes of cells, the widest box around a box.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import Undecided
from ..model import Budget, SumKernel
from .boxes import CERTAIN, OPEN, Boxes, Cells, decide_boxes, slices, undecided

if TYPE_CHECKING:
    from .._core.ensembles import Decided

__all__ = ["Probe"]


class Probe:
    """Asks the core about boxes of one ensemble, as long as there is time.

    Parameters
    ----------
    ensemble : Ensemble
        Of classes.
    """

    def __init__(self, ensemble: SumKernel) -> None:
        self.ensemble, self.bins = ensemble, ensemble.bins
        self.at = slices(ensemble.bins)

    @property
    def budget(self) -> Budget:
        """The budget of the answer at hand."""
        return Budget.current()

    @property
    def left(self) -> float:
        """Seconds that are left for the answer."""
        return self.budget.share()

    # -- questions -------------------------------------------------------------------------------

    def decide(self, boxes: Boxes, most_nodes: int = 0) -> Decided:
        """Ask about boxes, which share the time that is left."""
        return decide_boxes(self.ensemble, np.atleast_2d(boxes), self.left, most_nodes=most_nodes)

    def certain(self, box: Boxes) -> bool:
        """Whether a box is proven to have one class; False also if it was not decided."""
        return int(self.decide(box).status[0]) == CERTAIN

    def settled(self, box: Boxes) -> bool:
        """Whether a box has one class; raises ``Undecided`` if that was not found out."""
        status = int(self.decide(box).status[0])
        if status > OPEN:
            raise self.undecided(status)
        return status == CERTAIN

    def undecided(self, status: int, **proven: object) -> Undecided:
        """Say that no answer was found, and what is proven all the same."""
        return undecided(status, "no exact answer about this row", self.budget, **proven)

    def look(self, **proven: object) -> None:
        """Raise ``Undecided`` if the time is over."""
        if self.budget.over:
            raise self.undecided(2, **proven)

    def labels(self, cells: Cells) -> NDArray[np.int32]:
        """Give the classes of cells, -1 within the library's rounding."""
        return self.ensemble.summed.evaluate(np.ascontiguousarray(np.atleast_2d(cells)), 1).label

    # -- boxes -----------------------------------------------------------------------------------

    def cell_in(self, box: Boxes) -> Cells:
        """Give a cell of a box: the middle of its bins."""
        inside = (np.flatnonzero(box[at]) for at in self.at)
        return np.array([int(own[len(own) // 2]) for own in inside], dtype=np.int32)

    def box_at(self, cell: Cells) -> Boxes:
        """Give the box that is one cell."""
        out = np.zeros(sum(self.bins.widths), dtype=np.uint8)
        out[[at.start + int(b) for at, b in zip(self.at, cell, strict=True)]] = 1
        return out

    def grown(self, box: Boxes, k: int, tolerance: Boxes, label: int) -> Boxes:
        """Give the box with a side as wide as it can be while the class stays certain.

        An ordered side stays an interval (and NaN). ``tolerance`` is as far as it may go. Of what
        is not decided in time, the bins that bounds prove are inside all the same.
        """
        flags, wide = np.ascontiguousarray(box), np.ascontiguousarray(tolerance)
        return self.ensemble.summed.grow(flags, k, wide, label, self.left)
