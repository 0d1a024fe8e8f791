"""Sufficient features of a row: those whose values alone make its class certain.

In:  a certain row, as a box over the bins of an ``Ensemble``.
Out: ``Sufficient``: minimal sets of features, the smallest, all of them; boxes around the row on
     which the class is certain; the fewest features whose change gives another class.

Sets of features are whole numbers: bit k for feature k of the bins. Sets that are sufficient and
sets whose change can give another class hit each other, and each smallest set of one kind is found
by hitting those of the other kind that were met so far (implicit hitting sets; Ignatiev et al.,
"Abduction-based explanations for machine learning models", 2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from ..errors import TooManyReasons, Undecided, setting
from ..form import Term, Way, bin_steps
from ..model import (
    Box,
    Hitting,
    Steps,
    SumKernel,
    cheapest_hitting_set,
    greedy_hitting_set,
    hitting_sets,
    members,
    worth,
)
from ..questions.boxes import CERTAIN, OPEN, Boxes, Cells, Probe, bits_of, box_of, possible_boxes
from .ways import Distances, Measure, Ways

__all__ = ["Sufficient"]

STEPS = 200_000  # of one search for sets, and more if the limit on reasons is high
STEPS_EACH = 20
SHORT = 4  # most nodes of a search while the sides of one reason are first widened
GREEDY = 50  # greedy choices before the next one that is proven cheapest

Sides = tuple[int, ...]


class Sufficient(Probe):
    """The sufficient features of one row.

    Parameters
    ----------
    ensemble : Ensemble
        Of classes.
    box : array
        The row, as the core reads it.
    label : int
        Its class; -1 if it is not certain: then there are no reasons, and no changes.
    limit : int
        Sets of features to look at.
    time_limit : float
        Seconds for each answer.
    """

    def __init__(
        self, ensemble: SumKernel, box: Boxes, label: int, limit: int, time_limit: float | None
    ) -> None:
        super().__init__(ensemble, time_limit)
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

    def one(self) -> Sides:
        """Give one reason: a minimal set of features, each with its widest side.

        First as wide as short searches can prove, then as far as it goes: should the time not
        suffice for that (``is_widest``), every side is wide all the same.
        """
        self.start()
        features, sides = self._reason(self.known, shrink=True, widen=True, most_nodes=SHORT)
        box = box_of(self.bins, sides)
        within = np.ones_like(box)
        for k in reversed(self.order):  # those first that matter most
            if features >> k & 1:
                box = self.grown(box, k, within, self.label)
        self.is_widest = not self.budget.over
        return bits_of(self.bins, box)

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
        self.start()
        out = []
        for k in members(self.known if self.label >= 0 else 0):
            if not self.settled(self.freeing(1 << k)):
                out.append(k)
                self._contrasts.add(1 << k)
        return out

    def best(self, costs: Sequence[int]) -> Term:
        """Give the reason whose features cost least, and of these has fewest."""
        self.start()
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
        self.start()
        hitting = Hitting(self._contrasts, self._steps())
        while (chosen := hitting.next()) is not None:
            more = self.contrast(chosen)
            if more is None:
                hitting.keep(chosen)
                yield chosen
                self.start()
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

    def changes(self, limit: int) -> list[Way]:
        """Give the fewest features to change: (features, class, widest sides of them, certain)."""
        self.start()
        steps = self._steps()
        if self.label < 0 or self.certain(self.keeping(0)):
            return []
        while True:
            choices = sorted(hitting_sets(self._reasons or {self.known}, steps), key=members)
            grew = False
            for chosen in choices:
                self.look()
                if self.settled(self.freeing(chosen)):
                    self._reasons.add(self.shrunk(self.known & ~chosen))
                    grew = True
                    break
            if not grew:
                break
        labels = frozenset(range(len(self.ensemble.classes))) - {self.label}
        ways = Ways(self, self.full, labels, steps)
        return [
            way for chosen in choices for way in ways.preprocessing(chosen, [Measure(self.steps)])
        ]

    @cached_property
    def steps(self) -> Distances:
        """By feature and bin how many thresholds the row has to cross to reach it."""
        return [bin_steps(self, k) for k in range(len(self.row))]

    def allowed_changes(
        self,
        allowed: Sequence[int],
        labels: frozenset[int],
        limit: int,
        measures: Sequence[Measure],
    ) -> list[Way]:
        """Give all minimal sets of features to change, with widest sides of them.

        ``allowed`` has for each feature the bins that it may be changed to, and ``labels`` the
        classes that count. For each set, each class and each of the ``measures`` there is a way
        that holds the nearest change.
        """
        if self.label < 0:
            return []
        self.start()
        steps = self._steps()
        ways = Ways(self, allowed, labels, steps)
        sets = list(islice(ways.minimal(), limit + 1))
        if len(sets) > limit:
            raise TooManyReasons(
                f"there are more than {setting('limit', limit)} minimal sets of features whose "
                "change gives another class: raise explain(..., limit=), or allow fewer changes",
                len(sets),
            )
        sets.sort(key=lambda chosen: (chosen.bit_count(), members(chosen)))
        return [way for chosen in sets for way in ways.preprocessing(chosen, measures)]

    def has_rows(self, box: Boxes) -> bool:
        """Whether a box has a possible row."""
        return True
