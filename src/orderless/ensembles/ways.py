"""Ways to another class: which features to change, within limits, and to which values.

In:  a certain row among the bins of an ``Ensemble``; the bins that its features may be changed to.
Out: ``Ways``: all minimal sets of features whose change gives another class; for each the nearest
     changes, widened.

A change of a row with unknown values makes a class *possible*: for all new values inside its ranges
some completion of the rest gets the class.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..form import Way
from ..model import Hitting, Steps, members
from ..questions.boxes import Boxes, Cells, bits_of, possible_boxes

if TYPE_CHECKING:
    from .sufficient import Sufficient

__all__ = ["Distances", "Measure", "Ways"]

NO, YES, UNKNOWN = 0, 1, 2  # whether a class is possible
Distances = Sequence[Sequence[int | Fraction]]  # by feature and bin, from the row


class Measure(NamedTuple):
    """How far changes are.

    Attributes
    ----------
    bins : by feature and bin, added up over the changed features
    box : what facts that compare features make of it: how far the nearest possible row is among
        some bins of each changed feature, at least as far as by their nearest bins; None if just so
    """

    bins: Distances
    box: Callable[[Mapping[int, int]], Fraction] | None = None


class Ways:
    """Changes of one row.

    Parameters
    ----------
    search : Sufficient
        The row, which is certain; its clock is kept.
    allowed : by feature, the bins that it may be changed to
    labels : the classes that count
    steps : Steps
    """

    def __init__(
        self, search: Sufficient, allowed: Sequence[int], labels: frozenset[int], steps: Steps
    ) -> None:
        self.search, self.labels, self.steps = search, sorted(labels), steps
        self._new = [bits & ~row for bits, row in zip(allowed, search.row, strict=True)]
        self.complete = all(row.bit_count() == 1 for row in search.row)

    def changing(self, features: int) -> Boxes:
        """Give the row with new values for some features, all that are allowed."""
        box = self.search.box.copy()
        for k in members(features):
            box[self.search.at[k]] = self._flags(k, self._new[k])
        return box

    def _flags(self, k: int, bits: int) -> list[int]:
        return [bits >> b & 1 for b in range(self.search.bins.widths[k])]

    def _possible(self, box: Boxes, label: int) -> tuple[bool, Cells]:
        """Tell whether a box can get a class, with a completion that does."""
        self.steps.take()
        found = possible_boxes(self.search.ensemble, box[None], self.search.left)
        self._refuse(found.possible[0, label] == UNKNOWN)
        return found.possible[0, label] == YES, found.cells[0, label]

    def _refuse(self, unknown: bool) -> None:
        """Raise ``Undecided`` if something was not found out."""
        if unknown:
            raise self.search.undecided(2 if self.search.budget.over else 3)

    # -- which features --------------------------------------------------------------------------

    def minimal(self) -> Iterator[int]:
        """Go through all minimal sets of features whose change can give one of the classes.

        Each of them hits what every largest set that cannot leaves out, and the smallest choice
        that hits all of those which were met so far either can, or is part of one more.
        """
        changeable = sum(1 << k for k, bits in enumerate(self._new) if bits)
        if not self._reaches(changeable):
            return
        hitting = Hitting((), self.steps)
        while (chosen := hitting.next()) is not None:
            self.search.look()
            if self._reaches(chosen):
                hitting.keep(chosen)
                yield chosen
                continue
            cannot = chosen
            for k in members(changeable & ~chosen):
                if not self._reaches(cannot | 1 << k):
                    cannot |= 1 << k
            hitting.add(changeable & ~cannot)

    def _reaches(self, features: int) -> bool:
        """Tell whether a change of some features, or of fewer, can give one of the classes."""
        self.steps.take()
        search = self.search
        box = np.maximum(self.changing(features), search.box)
        possible = possible_boxes(search.ensemble, box[None], search.left).possible[0, self.labels]
        if (possible == YES).any():
            return True
        self._refuse(bool((possible == UNKNOWN).any()))
        return False

    # -- to which values -------------------------------------------------------------------------

    def preprocessing(self, features: int, measures: Sequence[Measure]) -> Iterator[Way]:
        """Give widest ranges of a minimal set of features, for each class that they can give.

        One around a nearest change by each of the measures.
        """
        region = self.changing(features)
        changed = members(features)
        for label in self.labels:
            boxes: list[Boxes] = []
            for own in measures:
                start = self._nearest(region, changed, label, own)
                if start is None:
                    break
                if any(self._holds(box, start, changed) for box in boxes):
                    continue
                box = self._widest(start, changed, label, region)
                boxes.append(box)
                bits = bits_of(self.search.bins, box)
                certain = self.complete or self.search.settled(box)
                yield tuple(changed), label, tuple(bits[k] for k in changed), certain

    def _holds(self, box: Boxes, cell: Cells, changed: Sequence[int]) -> bool:
        return all(box[self.search.at[k].start + int(cell[k])] for k in changed)

    def _nearest(
        self, region: Boxes, changed: Sequence[int], label: int, measure: Measure
    ) -> Cells | None:
        """Give a nearest change to a class, if there is one.

        Boxes are looked at in the order of their nearest corners, and halved.
        """
        distances, bins = measure.bins, self.search.bins

        def near(box: Boxes, k: int) -> list[int | Fraction]:
            inside = np.flatnonzero(box[self.search.at[k]]).tolist()
            return sorted({distances[k][b] for b in inside})

        best, cell = None, None
        number = 0
        todo = [(sum(near(region, k)[0] for k in changed), number, region)]
        while todo and (best is None or todo[0][0] < best):
            least, _, box = heapq.heappop(todo)
            possible, found = self._possible(box, label)
            if not possible:
                continue
            far = sum(distances[k][int(found[k])] for k in changed)
            if measure.box is not None:
                self.search.look()
                bits = bits_of(bins, box)
                least = measure.box({k: bits[k] for k in changed})
                far = measure.box({k: 1 << int(found[k]) for k in changed})
            if best is None or far < best:
                best, cell = far, found
            if measure.box is not None and least >= best:
                continue
            all_near = {k: near(box, k) for k in changed}
            widest = max(changed, key=lambda k: len(all_near[k]))
            at = self.search.at[widest]
            if len(all_near[widest]) > 1:
                middle = all_near[widest][(len(all_near[widest]) - 1) // 2]
                closer = np.array([own <= middle for own in distances[widest]], dtype=np.uint8)
            elif measure.box is not None:
                widest = max(changed, key=lambda k: int(box[self.search.at[k]].sum()))
                at = self.search.at[widest]
                inside = np.flatnonzero(box[at])
                if len(inside) == 1:
                    continue
                closer = np.zeros(bins.widths[widest], dtype=np.uint8)
                closer[inside[: len(inside) // 2]] = 1
            else:
                continue  # all of it is as near
            for half in (closer, 1 - closer):
                fewer = box.copy()
                fewer[at] &= half
                number += 1
                nearest = sum(near(fewer, k)[0] for k in changed)
                heapq.heappush(todo, (max(least, nearest), number, fewer))
        return cell

    def _widest(self, start: Cells, changed: Sequence[int], label: int, region: Boxes) -> Boxes:
        """Give ranges around a change that cannot be wider, one feature after the other."""
        search = self.search
        box = search.box.copy()
        for k in changed:
            box[search.at[k]] = 0
            box[search.at[k].start + int(start[k])] = 1
        for k in changed:
            if self.complete:
                box = search.grown(box, k, region, label)
            else:
                box[search.at[k]] = self._wider(box, k, changed, label, region)
        search.look()  # what was not found out in time is not in the ranges
        return box

    def _wider(
        self, box: Boxes, k: int, changed: Sequence[int], label: int, region: Boxes
    ) -> Boxes:
        """Give a side as wide as it can be; of an ordered feature an interval, and NaN."""
        at, bins = self.search.at[k], self.search.bins
        inside = box[at].copy()
        start = int(np.flatnonzero(inside)[0])

        def fits(b: int) -> bool:
            if not region[at.start + b]:
                return False
            slab = box.copy()
            slab[at] = 0
            slab[at.start + b] = 1
            return self._everywhere(slab, changed, label)

        def run(first: int, step: int) -> None:
            b = first
            while 0 <= b < n_bins and fits(b):
                inside[b] = 1
                b += step

        if not bins.features[k].ordered:
            for b in range(len(inside)):
                inside[b] = inside[b] or fits(b)
            return inside
        n_bins = int(bins.layout.n_bins[k])
        if start < n_bins:
            run(start + 1, 1)
            run(start - 1, -1)
            if n_bins < len(inside):
                inside[n_bins] = fits(n_bins)
            return inside
        runs: list[list[int]] = [[]]  # it becomes missing, or one of the numbers of the longest run
        for b in range(n_bins):
            if fits(b):
                runs[-1].append(b)
            else:
                runs.append([])
        inside[max(runs, key=len)] = 1
        return inside

    def _everywhere(self, box: Boxes, changed: Sequence[int], label: int) -> bool:
        """Tell whether a class is possible for all new values in a box; impossible ones aside."""
        search = self.search
        todo = [box]
        while todo:
            self.steps.take()
            box = todo.pop()
            if not search.has_rows(box):
                continue
            possible = possible_boxes(search.ensemble, box[None], search.left).possible[0]
            self._refuse(possible[label] == UNKNOWN)
            if possible[label] == NO:
                return False
            if not np.delete(possible, label).any():
                continue
            widest = max(changed, key=lambda k: int(box[search.at[k]].sum()))
            bins = np.flatnonzero(box[search.at[widest]])
            if len(bins) == 1:
                continue
            for half in (bins[: len(bins) // 2], bins[len(bins) // 2 :]):
                fewer = box.copy()
                fewer[search.at[widest]] = 0
                fewer[search.at[widest].start + half] = 1
                todo.append(fewer)
        return True
