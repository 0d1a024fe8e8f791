"""What is needed to settle a row of an ensemble: the smallest sets of unknown features.

In:  an ``Ensemble`` of classes and one row with unknown values.
Out: ``Needed``, what a tree gives, too.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import InvalidParameter, OutOfTime, TooLarge, Undecided, setting
from ..form import OneRow, read_one
from ..model import Steps, SumKernel, hitting_sets, in_budget, members, refuse_contradiction
from .boxes import CERTAIN, OPEN, Boxes, Cells, Probe, RowBoxes, possible_boxes, touched
from .joint import Twins
from .rows import refuse_numbers
from .splitting import tree_in_box
from .tree_needed import Needed, needed_of_read

__all__ = ["needed_of_row"]

MOST_LEAVES = 1000  # of one tree that says the same of a row, where facts hold
FEW = 200  # values of a set of features that are gone through one after the other


@in_budget
def needed_of_row(ensemble: SumKernel, row: Any, limit: int, time_limit: float | None) -> Needed:
    """Give what would settle a row; see ``Model.needed``.

    Examples
    --------
    >>> import orderless as ol
    >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
    >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 3}})
    >>> print(score.needed({}))
    Not determined: low or high.
    Settled, whatever the values, by age and rash.
    Settled, for some values, by age; or by rash.
    """
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidParameter(
            f"{setting('limit', limit)}: at least one step must be allowed", "limit"
        )
    refuse_numbers(ensemble, "needed", "predict_interval(X)")
    one = row if isinstance(row, OneRow) else read_one(ensemble, row)
    refuse_contradiction(ensemble, one.rows)
    boxes = RowBoxes(ensemble, one.rows)
    search = _Settling(ensemble, boxes.boxes(np.zeros(1, dtype=np.intp))[0], limit)
    # In the order of the space, in which sets and names then come.
    bins = ensemble.bins
    order = sorted(range(len(bins.features)), key=bins.positions.__getitem__)
    unknown = [k for k in order if search.box[search.at[k]].sum() > 1]
    names = [bins.features[k].name for k in unknown]
    found = boxes.verdicts(1)
    status = int(found.status[0])
    if status > OPEN:
        raise search.undecided(status)
    if status == CERTAIN:
        label = ensemble.classes[int(found.label[0])]
        return Needed(label, (label,), tuple(names), ((),), ((),))
    if touched(ensemble):
        return _among_possible(search, one, names)
    possible = search.possible()
    settle, could = (
        tuple(tuple(names[i] for i in sorted(map(unknown.index, members(bits)))) for bits in sets)
        for sets in (search.settling(unknown), search.lucky(unknown))
    )
    place = {name: i for i, name in enumerate(names)}
    settle, could = (tuple(sorted(s, key=lambda one: [place[n] for n in one]))
                     for s in (settle, could))  # fmt: skip
    return Needed(None, possible, tuple(names), settle, could)


def _among_possible(search: _Settling, one: OneRow, names: list[str]) -> Needed:
    """Answer where facts are about features of the trees: as for one tree that says the same.

    Values say more than their bins there, so that no search over cells is enough.
    """
    ensemble, space = search.ensemble, search.ensemble.space
    try:
        tree = tree_in_box(ensemble, search.box, MOST_LEAVES, search.left)
        found = needed_of_read(tree, one.rows, search.steps.limit, search.left)
    except TooLarge as fault:
        raise Undecided(
            "what would settle this row was not found out: with facts it is looked for in one tree "
            f"that says the same of the row, and that has more than {MOST_LEAVES:,} leaves: give "
            "more values",
            "room",
        ) from fault
    except OutOfTime as fault:
        raise search.undecided(2) from fault
    unknown = {*names, *found.unknown}
    return replace(found, unknown=tuple(name for name in space.names if name in unknown))


class _Settling(Probe):
    """Which sets of unknown features settle an open row."""

    def __init__(self, ensemble: SumKernel, box: Boxes, limit: int) -> None:
        super().__init__(ensemble)
        self.box = box
        self.steps = Steps(limit, self)

    def possible(self) -> tuple[Any, ...]:
        """Give the classes that the row can get."""
        found = possible_boxes(self.ensemble, self.box[None], self.left)
        if (found.possible == 2).any():
            raise self.undecided(2)
        return tuple(self.ensemble.classes[c] for c in np.flatnonzero(found.possible[0]))

    # -- whatever the values ---------------------------------------------------------------------

    def settling(self, unknown: list[int]) -> list[int]:
        """Give all smallest sets of features that settle the row whatever their values are.

        A set does not, if two completions with different classes agree on it: then every set must
        have one of the features in which these two differ.
        """
        differences: set[int] = set()
        while True:
            choices = hitting_sets(differences, self.steps)
            for chosen in sorted(choices, key=members):
                more = self._difference(members(chosen), unknown)
                if more is not None:
                    differences.add(more)
                    break
            else:
                return sorted(choices)

    def _difference(self, chosen: list[int], unknown: list[int]) -> int | None:
        """Give a smallest difference of two completions that agree on a set, or None.

        Twins are searched for, which differ outside of the set only. Where the set has few values,
        or that is not decided, boxes are split on its features until each is certain, or has two
        completions that agree on the set and get different classes.
        """
        apart = [k for k in unknown if k not in chosen]
        if not apart:
            return None
        cells = math.prod(int(self.box[self.at[k]].sum()) for k in chosen)
        if cells > FEW:
            code, one, other = Twins(self.ensemble, apart).search(self.box, self.left)
            if code == 0:
                return None
            if one is not None and other is not None:
                return self._nearer(one, other, unknown)
        todo = [self.box]
        while todo:
            self.steps.take()
            box = todo.pop()
            found = self.decide(box)
            status = int(found.status[0])
            if status == CERTAIN:
                continue
            if status != OPEN:
                raise self.undecided(status)
            x, y = found.first[0], found.second[0]
            for one, other in ((x, y), (y, x)):
                mixed = other.copy()
                mixed[chosen] = one[chosen]
                labels = self.labels(np.stack([one, mixed]))
                if -1 in labels:
                    raise self.undecided(3)
                if labels[0] != labels[1]:
                    return self._nearer(one, mixed, unknown)
            todo += self._split(box, x, y, chosen)
        return None

    def _nearer(self, one: Cells, other: Cells, unknown: list[int]) -> int:
        """Bring two cells of different classes as near as can be; give in what they differ."""
        label = int(self.labels(one)[0])
        differ = [k for k in unknown if one[k] != other[k]]
        for k in list(differ):
            nearer = other.copy()
            nearer[k] = one[k]
            if int(self.labels(nearer)[0]) not in (label, -1):
                other = nearer
                differ.remove(k)
        return sum(1 << k for k in differ)

    def _split(self, box: Boxes, x: Cells, y: Cells, chosen: list[int]) -> list[Boxes]:
        """Split a box on a feature of the set, where the class changes between two cells."""
        here = y.copy()
        here[chosen] = x[chosen]
        label = int(self.labels(here)[0])
        for k in chosen:  # from here to y; on the way the class changes
            there = here.copy()
            there[k] = y[k]
            if there[k] != here[k] and int(self.labels(there)[0]) != label:
                cut = self._boundary(here, k, int(y[k]), label)
                parts = []
                for side in (slice(None, cut), slice(cut, None)):
                    part = box.copy()
                    own = np.zeros_like(box[self.at[k]])
                    own[side] = box[self.at[k]][side]
                    part[self.at[k]] = own
                    if own.any():
                        parts.append(part)
                return parts
            here = there
        raise AssertionError("two cells of different classes differ on no feature of the set")

    def _boundary(self, cell: Cells, k: int, other: int, label: int) -> int:
        """Give a bin between two of a feature such that the class changes just before it."""
        near, far = int(cell[k]), other
        while abs(far - near) > 1:
            middle = (near + far) // 2
            there = cell.copy()
            there[k] = middle
            near, far = (middle, far) if int(self.labels(there)[0]) == label else (near, middle)
        return max(near, far)

    # -- for some values -------------------------------------------------------------------------

    def lucky(self, unknown: list[int]) -> list[int]:
        """Give all smallest sets of features that settle the row for some of their values."""
        for size in range(1, len(unknown) + 1):
            sets = [one for one in combinations(unknown, size) if self._lucky(list(one))]
            if sets:
                return [sum(1 << k for k in one) for one in sets]
        raise AssertionError("all unknown features together settle a row")

    def _lucky(self, chosen: list[int]) -> bool:
        """Whether some values of a set of features make the row certain.

        Per class, the values that can still do so are kept as boxes. Values that do not leave two
        completions of different classes; around each, the widest box of values for which it keeps
        its class is taken away from what can make any other class certain.
        """
        n_classes = len(self.ensemble.classes)
        rest: dict[int, list[Boxes]] = {c: [self.box] for c in range(n_classes)}
        while any(rest.values()):
            self.steps.take()
            label = max(rest, key=lambda c: bool(rest[c]))
            cell = self.cell_in(rest[label][-1])
            box = self.box.copy()
            for k in chosen:
                box[self.at[k]] = 0
                box[self.at[k].start + int(cell[k])] = 1
            found = self.decide(box)
            status = int(found.status[0])
            if status == CERTAIN:
                return True
            if status != OPEN:
                raise self.undecided(status)
            for one in (found.first[0], found.second[0]):
                own = int(self.labels(one)[0])
                wide = self.box_at(one)
                for k in chosen:
                    wide = self.grown(wide, k, self.box, own)
                for c in range(n_classes):
                    if c != own:
                        rest[c] = [p for b in rest[c] for p in self._without(b, wide, chosen)]
        return False

    def _without(self, box: Boxes, taken: Boxes, chosen: list[int]) -> list[Boxes]:
        """Give what is left of a box outside of another, as boxes that do not meet."""
        if any(not (box[self.at[k]] & taken[self.at[k]]).any() for k in chosen):
            return [box]
        parts = []
        for k in chosen:
            outside = box[self.at[k]] & ~taken[self.at[k]] & 1
            if outside.any():
                part = box.copy()
                part[self.at[k]] = outside
                parts.append(part)
            box = box.copy()
            box[self.at[k]] &= taken[self.at[k]]
        return parts
