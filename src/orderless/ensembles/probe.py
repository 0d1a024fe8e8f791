"""Probe: questions about boxes under one clock, and boxes that grow as far as a class is certain.

In:  an ``Ensemble``, boxes over its bins, seconds.
Out: whether boxes are certain, the classes of cells, the widest box around a box.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import Undecided
from ..model import Ensemble
from .boxes import CERTAIN, OPEN, Boxes, Cells, decide_boxes, slices, undecided

if TYPE_CHECKING:
    from .._core.ensembles import Decided

__all__ = ["Probe"]

LEAST = 1e-3  # seconds that every search gets, so that the easy ones are answered all the same


class Probe:
    """Asks the core about boxes of one ensemble, as long as there is time.

    Parameters
    ----------
    ensemble : Ensemble
        Of classes.
    time_limit : float
        Seconds from each ``start`` on.
    """

    def __init__(self, ensemble: Ensemble, time_limit: float) -> None:
        self.ensemble, self.time_limit = ensemble, time_limit
        self.bins = ensemble.bins
        self.at = slices(ensemble.bins)
        self.ordered = [feature.ordered for feature in self.bins.features]
        self.nan = [bool(self.bins.nan_bit(k)) for k in range(len(self.at))]
        self.start()

    def start(self) -> None:
        """Begin a new answer: the clock starts again."""
        self.deadline = time.monotonic() + self.time_limit

    @property
    def left(self) -> float:
        """Seconds that are left for the answer."""
        return max(LEAST, self.deadline - time.monotonic())

    # -- questions -------------------------------------------------------------------------------

    def decide(self, boxes: Boxes) -> Decided:
        """Ask about boxes; each gets the time that is left."""
        return decide_boxes(self.ensemble, np.atleast_2d(boxes), self.left)

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
        return undecided(status, "no exact answer about this row", self.time_limit, **proven)

    def look(self, **proven: object) -> None:
        """Raise ``Undecided`` if the time is over."""
        if time.monotonic() > self.deadline:
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

    def grown(self, box: Boxes, k: int, within: Boxes, keeps: Callable[[Boxes], bool]) -> Boxes:
        """Give the box with a side as wide as it can be while it keeps a property.

        An ordered side stays an interval (and NaN), which grows up, then down, by halving; what
        holds of a box must hold of every smaller one. ``within`` is as far as it may go.
        """
        at = self.at[k]

        def adding(bins: NDArray[np.intp]) -> Boxes | None:
            wider = box.copy()
            wider[at.start + bins] = 1
            return wider if keeps(wider) else None

        free = np.flatnonzero((within[at] == 1) & (box[at] == 0))
        if not len(free):
            return box
        whole = adding(free)
        if whole is not None:
            return whole
        numbers = at.stop - at.start - self.nan[k]
        if not self.ordered[k]:
            singles = [np.array([b]) for b in free.tolist()]
        else:
            box = self._stretched(box, k, within, keeps)
            singles = [np.array([numbers])] if self.nan[k] and numbers in free else []
        for one in singles:
            wider = adding(one)
            box = box if wider is None else wider
        return box

    def _stretched(
        self, box: Boxes, k: int, within: Boxes, keeps: Callable[[Boxes], bool]
    ) -> Boxes:
        """Grow the interval of an ordered side up, then down."""
        at = self.at[k]
        numbers = at.stop - at.start - self.nan[k]
        inside = np.flatnonzero(box[at][:numbers])
        allowed = within[at][:numbers].astype(bool)
        if not len(inside):  # NaN alone: begin at the first bin that keeps it
            for b in np.flatnonzero(allowed).tolist():
                wider = box.copy()
                wider[at.start + b] = 1
                if keeps(wider):
                    return self._stretched(wider, k, within, keeps)
            return box
        low, high = int(inside[0]), int(inside[-1])
        top, bottom = high, low
        while top + 1 < numbers and allowed[top + 1]:
            top += 1
        while bottom > 0 and allowed[bottom - 1]:
            bottom -= 1
        for end, bad in ((high, top + 1), (low, bottom - 1)):
            good = end
            while abs(bad - good) > 1:
                middle = (good + bad) // 2
                wider = _filled(box, at.start, end, middle)
                good, bad = (middle, bad) if keeps(wider) else (good, middle)
            box = _filled(box, at.start, end, good)
        return box


def _filled(box: Boxes, start: int, one: int, other: int) -> Boxes:
    """Give a box that has all bins between two, of the feature that starts there."""
    out = box.copy()
    out[start + min(one, other) : start + max(one, other) + 1] = 1
    return out
