"""One row of a sum of trees: its answer, sufficient features, and ways to another class.

In:  a sum of trees, and one row.
Out: ``SumRow``: what an ``Explanation`` is made of; ``Sufficient``: minimal sets of features whose
     values alone make the class certain, the smallest, all of them, boxes around the row on which
     the class is certain; ``Ways``: all minimal sets of features whose change gives another class,
     and for each the nearest changes, widened.

Sets of features are integers: bit k for feature k of the bins. Sets that are sufficient and
sets whose change can give another class hit each other, and each smallest set of one kind is found
by hitting those of the other kind that were met so far (implicit hitting sets; Ignatiev et al.,
"Abduction-based explanations for machine learning models", 2019).

A change of a row with unknown values makes a class *possible*: for all new values inside its ranges
some completion of the rest gets the class.

Where facts hold, what they exclude is of any class. What facts tell apart are bins, and, where they
compare features with each other, so are the row's own values: what is certain because of them can
then be said in bins, as widely as of a tree.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OutOfTime, TooLarge, TooManyReasons, Undecided, setting
from ..form import Form, OneRow, Term, completed, read_one
from ..model import (
    Box,
    Budget,
    Hitting,
    Label,
    Side,
    Steps,
    SumKernel,
    cheapest_hitting_set,
    greedy_hitting_set,
    hitting_sets,
    members,
    refuse_contradiction,
    row_values,
    worth,
)
from .bounds import number_verdicts
from .boxes import (
    CERTAIN,
    OPEN,
    OUT_OF_TIME,
    Boxes,
    Cells,
    PossibleCells,
    Probe,
    RowBoxes,
    bits_of,
    box_of,
    decide_boxes,
    possible_boxes,
    touched,
    undecided,
)
from .changes import (
    Change,
    Changes,
    Distances,
    Effects,
    Limits,
    Sides,
    Way,
    allowed_bins,
    bin_costs,
    bin_steps,
    bins_meeting,
    box_cost,
    changes_of,
    wanted_classes,
)
from .regions import region_trees, with_trees
from .row_facts import fact_sides, widened_interval
from .splitting import tree_of_ensemble
from .tree_row import TreeRow

__all__ = ["Measure", "Sufficient", "SumRow", "Ways"]

STEPS = 200_000  # of one search for sets, and more if the limit on reasons is high
STEPS_EACH = 20
SHORT = 4  # most nodes of a search while the sides of one reason are first widened
MOST_LEAVES = 1000  # of one tree that decides the same of a row, where facts compare features
GREEDY = 50  # greedy choices before the next one that is proven cheapest
NO, YES, UNKNOWN = 0, 1, 2  # whether a class is possible


class Sufficient(Probe):
    """The sufficient features of one row, among possible rows.

    Parameters
    ----------
    ensemble : SumKernel
        Of classes.
    box : array
        The row, as the core reads it.
    label : int
        Its class; -1 if it is not certain: then there are no reasons, and no changes.
    limit : int
        Sets of features to look at.

    Notes
    -----
    Each answer takes the time of the budget at hand.
    """

    def __init__(self, ensemble: SumKernel, box: Boxes, label: int, limit: int) -> None:
        self.cells = PossibleCells(ensemble.bins)
        super().__init__(self.cells.over(ensemble))
        self.box, self.label, self.limit = box, label, limit
        self._flags = np.ascontiguousarray(box)
        self.cell = self.cell_in(box)
        bins = self.bins
        self.full = [bins.every_bin(k) for k in range(len(bins.features))]
        self.row: Sides = bits_of(bins, box)
        self.known = sum(1 << k for k, own in enumerate(self.row) if own != self.full[k])
        self._contrasts: set[int] = set()  # sets whose change can give another class
        self._reasons: set[int] = set()  # minimal sets that are sufficient
        self._order: list[int] | None = None
        self.is_widest = True  # whether the sides of ``one`` are proven to be as wide as they go
        self._least = 0  # features of the shortest reason, as far as that is proven

    def labels(self, cells: Cells) -> NDArray[np.int32]:
        """Return the classes of cells; those that facts exclude have that of the row."""
        cells = np.atleast_2d(cells)
        possible = self.cells.possible(cells)
        return np.where(possible, super().labels(cells), self.label).astype(np.int32)

    def opens(self) -> bool:
        """Whether another class is in the row's own cells."""
        return int(self.decide(self.box).status[0]) == OPEN

    def keeping(self, features: int) -> Boxes:
        """Give the row with only some of its features known."""
        box = np.ones_like(self.box)
        for k in members(features):
            box[self.at[k]] = self.box[self.at[k]]
        return box

    def freeing(self, features: int) -> Boxes:
        """Give the row with some features unknown."""
        box = self.box.copy()
        for k in members(features):
            box[self.at[k]] = 1
        return box

    @property
    def order(self) -> list[int]:
        """The known features, those first whose value matters least when they change alone."""
        if self._order is None:
            self._order = self.ensemble.summed.order(self._flags, self.label).tolist()
        return self._order

    # -- one minimal set, and its box ------------------------------------------------------------

    def shrunk(self, features: int) -> int:
        """Give a minimal sufficient set among features that are sufficient together.

        By deletion, in order; several at once as long as that goes well. Where the time is over for
        a set, it counts as not sufficient: what comes out is sufficient all the same.
        """
        return self._reason(features, shrink=True, widen=False)[0]

    def widened(self, features: int) -> Sides:
        """Give a box around the row that asks about these features only, as wide as can be."""
        return self._reason(features, shrink=False, widen=True)[1]

    def one(self) -> Term:
        """Find one reason: a minimal set of features, each with its widest side.

        First as wide as short searches can prove, then as far as it goes: should the time not
        suffice for that (``is_widest``), every side is wide all the same.
        """
        features, sides = self._reason(self.known, shrink=True, widen=True, most_nodes=SHORT)
        box = box_of(self.bins, sides)
        within = np.ones_like(box)
        for k in reversed(self.order):  # those first that matter most
            if features >> k & 1:
                box = self.grown(box, k, within, self.label)
        self.is_widest = not self.budget.over
        return self.term(bits_of(self.bins, box))

    def _reason(
        self, features: int, *, shrink: bool, widen: bool, most_nodes: int = 0
    ) -> tuple[int, Sides]:
        kept = np.array([features >> k & 1 for k in range(len(self.at))], dtype=np.uint8)
        found = self.ensemble.summed.reason(
            self._flags, self.label, kept, shrink, widen, self.left, most_nodes
        )
        left = sum(1 << k for k in np.flatnonzero(found.features).tolist())
        return left, bits_of(self.bins, found.box) if widen else ()

    # -- the best, and all -----------------------------------------------------------------------

    def contrast(self, features: int) -> int | None:
        """Give a minimal set outside of some features whose change gives another class, or None.

        None: the features are sufficient.
        """
        found = self.decide(self.keeping(features))
        status = int(found.status[0])
        if status == CERTAIN:
            return None
        if status != OPEN:
            raise self.undecided(status)
        pair = np.stack([found.first[0], found.second[0]])
        other = pair[np.flatnonzero(self.labels(pair) != self.label)[0]]
        return self._nearer(other)

    def _nearer(self, cell: Cells) -> int:
        """Bring a cell of another class as near to the row as can be; give what still differs."""
        cell = cell.copy()
        differ = [k for k in reversed(self.order) if not self.row[k] >> int(cell[k]) & 1]
        for k in reversed(differ):
            nearer = cell.copy()
            nearer[k] = self.cell[k]
            label = int(self.labels(nearer)[0])
            if label not in (self.label, -1):
                cell = nearer
        return sum(1 << k for k in differ if not self.row[k] >> int(cell[k]) & 1)

    @property
    def necessary(self) -> list[int]:
        """Features whose value, were it unknown, would leave the class open."""
        out = []
        for k in members(self.known if self.label >= 0 else 0):
            if not self.settled(self.freeing(1 << k)):
                out.append(k)
                self._contrasts.add(1 << k)
        return out

    def best(self, costs: Sequence[int]) -> Term:
        """Give the reason whose features cost least, and of these has fewest."""
        minimal = self.shrunk(self.known)  # what there is, if the search is not done in time
        most = minimal.bit_count()
        contrasts = set(self._contrasts)
        try:
            chosen = self._cheapest(costs, contrasts, minimal)
        except Undecided as fault:
            if any(costs):
                raise
            fault.proven |= {"at_least": self._least, "at_most": most}
            fault.args = (f"the shortest reason has {self._least} to {most} features: {fault}",)
            raise
        finally:
            self._contrasts |= contrasts
        self._reasons.add(chosen)
        return self.term(self.widened(chosen))

    def _cheapest(self, costs: Sequence[int], contrasts: set[int], minimal: int) -> int:
        """Give the sufficient set that costs least; adds to the contrasts that it must hit.

        ``minimal`` is some sufficient set. Choices that are made greedily find contrasts until one
        is sufficient, or for a while; then the cheapest choice is sought, which takes longer. It is
        the answer if it is sufficient, or as cheap as a set that is.
        """
        contrasts |= {1 << k for k in self.necessary}
        steps = self._steps()
        best = minimal
        while True:
            for _ in range(GREEDY):
                quick = greedy_hitting_set(contrasts, costs)
                if not self._found_more(quick, contrasts):
                    best = min(best, quick, key=lambda one: worth(one, costs))
                    break
            chosen = cheapest_hitting_set(contrasts, costs, steps)
            self._least = chosen.bit_count()
            if worth(chosen, costs) == worth(best, costs):
                return best
            if not self._found_more(chosen, contrasts):
                return chosen

    def _found_more(self, chosen: int, contrasts: set[int]) -> bool:
        """Add contrasts that a choice misses, and that have nothing in common; False: none."""
        together, more = chosen, self.contrast(chosen)
        while more is not None:
            self.look()
            contrasts.add(more)
            together |= more
            more = self.contrast(together)
        return together != chosen

    def sets(self) -> Iterator[int]:
        """Go through all minimal sufficient sets, each once."""
        if self.label < 0:
            return
        hitting = Hitting(self._contrasts, self._steps())
        while (chosen := hitting.next()) is not None:
            more = self.contrast(chosen)
            if more is None:
                hitting.keep(chosen)
                yield chosen
            else:
                self._contrasts.add(more)
                hitting.add(more)

    def terms(self) -> Iterator[Term]:
        """Go through one widest reason for each minimal sufficient set."""
        return (self.term(self.widened(features)) for features in self.sets())

    def all_terms(self, limit: int) -> tuple[Term, ...]:
        """Give all of them, fewest features first, then in their order; one more than the limit."""
        found = islice(self.sets(), limit + 1)
        ranked = sorted(found, key=lambda features: (features.bit_count(), members(features)))
        return tuple(self.term(self.widened(features)) for features in ranked)

    def relevant(self) -> list[int]:
        """Features that are in some minimal sufficient set."""
        seen = 0
        for features in self.sets():
            seen |= features
            if seen == self.known:
                break
        return members(seen)

    def term(self, sides: Sides) -> Term:
        """Give a box as a term."""
        return Term(Box(self.bins, sides))

    def _steps(self) -> Steps:
        return Steps(max(STEPS, STEPS_EACH * self.limit), self)

    # -- changes ---------------------------------------------------------------------------------

    @cached_property
    def possible(self) -> list[int]:
        """The classes that the row can get, by number, as far as they were found."""
        if self.label >= 0:
            return [self.label]
        found = possible_boxes(self.ensemble, self.box[None], self.left)
        return np.flatnonzero(found.possible[0] != 0).tolist()

    def ways(
        self,
        limit: int,
        allowed: Sequence[int] | None = None,
        labels: frozenset[int] | None = None,
        measures: Sequence[Measure] = (),
    ) -> list[Way]:
        """Find the minimal sets of features to change, with widest sides of them.

        Parameters
        ----------
        limit : int
            Sets that there may be.
        allowed : by feature the bins that it may be changed to
            Without it, every bin, and only the fewest features.
        labels : the classes that count
            Without them, all others.
        measures : sequence of Measure
            For each set, each class and each of them there is a way that holds the nearest change;
            without them, the nearest by thresholds.
        """
        if self.label < 0:
            return []
        steps = self._steps()
        others = frozenset(range(len(self.ensemble.classes))) - {self.label}
        ways = Ways(self, allowed or self.full, others if labels is None else labels, steps)
        if allowed is None:
            sets = self._fewest(steps)
        else:
            sets = list(islice(ways.minimal(), limit + 1))
            if len(sets) > limit:
                raise TooManyReasons(
                    f"there are more than {setting('limit', limit)} minimal sets of features whose "
                    "change gives another class: raise explain(..., limit=), or allow fewer "
                    "changes",
                    len(sets),
                )
            sets.sort(key=lambda chosen: (chosen.bit_count(), members(chosen)))
        by = measures or [Measure(self.steps)]
        return [way for chosen in sets for way in ways.widest(chosen, by)]

    def _fewest(self, steps: Steps) -> list[int]:
        """Find the smallest sets of features whose change can give another class."""
        if self.certain(self.keeping(0)):
            return []
        while True:
            choices = sorted(hitting_sets(self._reasons or {self.known}, steps), key=members)
            for chosen in choices:
                self.look()
                if self.settled(self.freeing(chosen)):
                    self._reasons.add(self.shrunk(self.known & ~chosen))
                    break
            else:
                return choices

    @cached_property
    def steps(self) -> Distances:
        """By feature and bin how many thresholds the row has to cross to reach it."""
        return [bin_steps(self, k) for k in range(len(self.row))]

    def has_rows(self, box: Boxes) -> bool:
        """Whether a box has a possible row."""
        return self.cells.any_in(box)


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
        The row, which is certain.
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

    def widest(self, features: int, measures: Sequence[Measure]) -> Iterator[Way]:
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


class SumRow:
    """One row of a sum of trees: its answer, and what it is made of.

    Parameters
    ----------
    kernel : SumKernel
    row
        One row of any kind.
    tolerance : float
        For numbers: reasons keep the number within so much of what the row can get.
    limit : int
        Sets of features to look at.

    Attributes
    ----------
    label, possible, interval, unknown, status
        As of ``Explanation``.
    partly_known : bool
        Whether the row gives some of the unknown features as a range.
    asked : tuple of str
        The features that trees ask about.
    given : dict
        The row, as it came.
    search : Sufficient
        Reasons and changes, around the interval of a number.
    """

    def __init__(self, kernel: SumKernel, row: Any, tolerance: float, limit: int) -> None:
        self.one, self.tolerance = read_one(kernel, row), tolerance
        self.given = self.one.given
        refuse_contradiction(kernel, self.one.rows)
        status = self._decide(kernel, tolerance, limit)
        if status == CERTAIN and touched(kernel) and self.search.opens():
            exact = kernel.over(kernel.space.unrounded)  # exact values decide, which features round
            self.one = read_one(exact, row)
            status = self._decide(exact, tolerance, limit)
        self.status = ("certain", "open")[status] if status <= OPEN else "undecided"
        search, features = self.search, self.kernel.bins.features
        unknown = [k for k, own in enumerate(search.row) if own.bit_count() > 1]
        self.unknown = tuple(features[k].name for k in unknown)
        self.partly_known = any(search.row[k] != search.full[k] for k in unknown)
        self.asked = tuple(feature.name for feature in features)

    def _decide(self, kernel: SumKernel, tolerance: float, limit: int) -> int:
        """Find the answer, and the search around it."""
        rows = self.one.rows
        boxes = RowBoxes(kernel, rows)
        sides = [own for some in fact_sides(kernel, rows).values() for own in dict.fromkeys(some)]
        self.kernel = with_trees(kernel, region_trees(kernel.space, sides))
        box = RowBoxes(self.kernel, rows).boxes(np.zeros(1, dtype=np.intp))[0]
        self.label: Label | None = None
        self.interval: tuple[float, float] | None = None
        if kernel.task == "regression":
            numbers = number_verdicts(kernel, boxes, 1)
            status = int(numbers.status[0])
            lower, upper = float(numbers.lower[0]), float(numbers.upper[0])
            self.interval = widened_interval(lower, upper, tolerance)
            self.search = Sufficient(self.kernel.around(*self.interval), box, 1, limit)
            self.possible: tuple[Label, ...] = tuple(dict.fromkeys((lower, upper)))
            if status == CERTAIN:
                self.label = number = float(numbers.number[0])
                self.interval = self.interval if tolerance else (number, number)
            return status
        verdict = boxes.verdicts(1)
        status, code = int(verdict.status[0]), int(verdict.label[0])
        self.search = Sufficient(self.kernel, box, code, limit)
        if status == CERTAIN:
            self.label = kernel.classes[code]
        self.possible = (kernel.classes[code],) if status == CERTAIN else _possible(boxes)
        return status

    def witness(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Find two completions with different answers."""
        return witness_rows(self.kernel, self.one)

    # -- changes ---------------------------------------------------------------------------------

    def changes(self, limits: Limits | None, limit: int) -> Changes:
        """Find all minimal sets of features that can be changed as the limits allow, and how.

        Without limits those with the fewest features.
        """
        if self._compares_unknown():
            return self._as_tree().changes(limits, limit)
        if limits is None:
            return changes_of(self.search.ways(limit), Effects(self.search))
        search = self._with_ends(limits.ranges)
        allowed, labels = allowed_bins(search, limits), wanted_classes(search, limits)
        effects = plain = Effects(search, limits, self.given)
        space = self.kernel.space
        facts = touched(self.kernel)
        if facts:
            known = row_values(space, self.kernel.connected, self.one.rows, 0)
            effects = Effects(search, limits, self.given, known)
        measures = [Measure(search.steps)]
        if limits.costs is not None:
            new = [bits & ~own for bits, own in zip(allowed, search.row, strict=True)]
            by_bin = [bin_costs(plain, k, bits) for k, bits in enumerate(new)]
            compares = facts and space.domain.linear and limits.per_unit
            measures.append(Measure(by_bin, partial(box_cost, effects) if compares else None))
        return changes_of(search.ways(limit, allowed, labels, measures), effects)

    def _compares_unknown(self) -> bool:
        """Whether facts compare a feature that is asked, and that the row does not know."""
        domain = self.kernel.space.domain
        unknown = (self.kernel.space.index(name) for name in self.unknown)
        return domain.linear and any(i in domain.group_of for i in unknown)

    def _as_tree(self) -> TreeRow:
        """Return the row of one tree that decides the same.

        How far a change goes then depends on what the changed leaf says of unknown features, which
        facts carry over to those that are changed; cells do not know it.
        """
        try:
            tree = tree_of_ensemble(self.kernel, MOST_LEAVES, Budget.current().share())
        except TooLarge as fault:
            raise Undecided(
                "what would change this row was not found out: where facts compare features that "
                "the row does not know it is looked for in one tree that decides the same, and "
                f"that has more than {MOST_LEAVES:,} leaves: give more values",
                "room",
            ) from fault
        except OutOfTime as fault:
            raise undecided(OUT_OF_TIME, "no exact answer", Budget.current()) from fault
        return TreeRow(Form(tree), self.given, self.tolerance)

    def _with_ends(self, ranges: Mapping[str, Side]) -> Sufficient:
        """Return the search where ranges of features that facts compare begin and end with bins."""
        search, space = self.search, self.kernel.space
        if not space.domain.linear or not touched(self.kernel):
            return search
        group_of = space.domain.group_of
        compared = {i for i in search.bins.positions if i in group_of}
        sides = [side for name, side in ranges.items() if space.index(name) in compared]
        ensemble = with_trees(search.ensemble, region_trees(space, sides))
        if ensemble is search.ensemble:
            return search
        box = RowBoxes(ensemble, self.one.rows).boxes(np.zeros(1, dtype=np.intp))[0]
        return Sufficient(ensemble, box, search.label, search.limit)

    def row_after(self, change: Change) -> dict[str, Any]:
        """Complete the row after a change, so that it gets the class of the change."""
        search = self._with_ends(change.ranges)
        bins = search.bins
        box = search.box.copy()
        for k, feature in enumerate(bins.features):
            if feature.name in change.ranges:
                bits = bins_meeting(bins, k, change.ranges[feature.name])
                flags = [bits >> b & 1 for b in range(bins.widths[k])]
                box[search.at[k]] = flags
        label = search.ensemble.classes.index(change.label)
        after = possible_boxes(search.ensemble, box[None], Budget.current().share())
        space = self.kernel.space
        changed = {space.index(name): side for name, side in change.ranges.items()}
        there = _cell_box(search.ensemble, after.cells[0, label])
        return completed(search.ensemble, self.one, there, changed)


def _possible(rows: RowBoxes) -> tuple[Label, ...]:
    """Return the classes that the row can get, as far as they were found."""
    box, ensemble = rows.boxes(np.zeros(1, dtype=np.intp)), rows.ensemble
    for block in rows.blocks():
        box, ensemble = block.boxes, block.ensemble
    result = possible_boxes(ensemble, box, Budget.current().share())
    return tuple(ensemble.classes[c] for c in np.flatnonzero(result.possible[0] != 0))


def _cell_box(ensemble: SumKernel, cell: NDArray[np.int32]) -> dict[int, Side]:
    """Return a cell as sides, by position of the feature."""
    bins = ensemble.bins
    return {i: bins.side(k, 1 << int(cell[k])) for k, i in enumerate(bins.positions)}


def witness_rows(ensemble: SumKernel, one: OneRow) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Find two completions with different answers; see ``Explanation.witness``."""
    budget = Budget.current()
    boxes = RowBoxes(ensemble, one.rows)
    if ensemble.task == "regression":
        numbers = number_verdicts(ensemble, boxes, 1)
        status, pair = int(numbers.status[0]), (numbers.low_cell[0], numbers.high_cell[0])
    elif boxes.complete.all():
        status, pair = int(boxes.verdicts(1).status[0]), None
    else:
        block = next(boxes.blocks())
        found = decide_boxes(block.ensemble, block.boxes, block.seconds)
        status, pair = int(found.status[0]), (found.first[0], found.second[0])
    if status == CERTAIN:
        return None
    if status != OPEN or pair is None:
        raise undecided(status, "it is not known whether the row is certain", budget)
    first, second = (completed(ensemble, one, _cell_box(ensemble, cell)) for cell in pair)
    return first, second
