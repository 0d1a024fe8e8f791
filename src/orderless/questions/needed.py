"""What is needed to settle a row: the smallest sets of unknown features to find out.

In:  a kernel, and one row with unknown values, or many.
Out: ``Needed``; ``Settling``: of many rows of a tree the first of their smallest sets.
Paper: goes beyond Section 6, which says whether a row is determined, not what would make it so.

A set of features settles a row whatever their values are iff no two completions agree on it and get
different answers. So the smallest such sets are the smallest that have, of every two completions
with different answers, a feature in which these differ. Pairs are looked for until every set that
hits all of them settles the row. A set settles the row for some values iff these leave one answer.
Both are exact, and NP-hard in general.

Completions are known in two ways. A tree has leaves (``_Leaves``), which the facts may exclude. The
completions of a sum of trees are searched box by box (``_Boxes``); where facts connect its
features, values tell more than the cells in which they lie, and the row is answered as by one tree
that decides the same inside its box.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidParameter, OutOfTime, TooLarge, Undecided, setting
from ..inputs import one_row
from ..model import (
    AMONG,
    BETWEEN,
    TIME_LIMIT,
    Bins,
    Budget,
    Clock,
    Domain,
    Flags,
    Formula,
    Label,
    Rows,
    Steps,
    SumKernel,
    Target,
    TreeKernel,
    ValueSet,
    Watch,
    allowed_bins,
    as_bits,
    distinct_rows,
    hitting_sets,
    in_budget,
    meet,
    members,
    midpoint,
    narrow,
    one_value,
    opposite,
    out_of_time,
    refuse_contradiction,
    refuse_facts,
    row_box,
    row_values,
    too_many_steps,
    unrounded_rows,
    values_in,
)
from .bounds import number_box
from .boxes import (
    CERTAIN,
    OPEN,
    OUT_OF_TIME,
    WITHIN_ROUNDING,
    Boxes,
    Cells,
    Probe,
    RowBoxes,
    possible_boxes,
    touched,
)
from .joint import Twins
from .rows import read_width
from .splitting import tree_in_box

__all__ = ["Needed", "Settling", "needed_for"]

LIMIT = 200_000
LISTED = 6  # sets that a text lists
BLOCK = 256  # leaves that are compared with all others at one time
MOST_LEAVES = 1000  # of one tree that decides the same of a row, where facts hold
FEW = 200  # values of a set of features that are gone through one after the other
MOST_CELLS = 20_000_000  # of a table of rows by leaves at one time
REMEMBERED = 100_000  # answers that are kept for the rows to come

Names = tuple[str, ...]


@dataclass(frozen=True)
class Needed:
    """Which unknown features would settle a row. Made by ``Model.needed``.

    Attributes
    ----------
    label
        The class of the row if it is determined already, else None. With ``tolerance``, the
        midpoint of its numbers if they are near enough.
    possible : tuple of labels
        The classes that the row can get; of a sum of trees of numbers the smallest and the largest
        number.
    unknown : tuple of str
        Features of the model that the row does not know, or not exactly enough.
    settle : tuple of tuples of str
        All smallest sets of unknown features that settle the row whatever their values are.
    could : tuple of tuples of str
        All smallest sets of unknown features that settle the row for some of their values.
    tolerance : float, optional
        How far the numbers that are possible may be apart in a row that is settled.

    Notes
    -----
    A determined row needs nothing: both are one empty set. Sets and their names are in the order
    of the space's features.
    """

    label: Label | None
    possible: tuple[Label, ...]
    unknown: Names
    settle: tuple[Names, ...]
    could: tuple[Names, ...]
    tolerance: float | None = None

    def __str__(self) -> str:
        classes = [str(label) for label in self.possible]
        words = f"{', '.join(classes[:-1])} or {classes[-1]}"
        if self.tolerance is not None:
            words = f"between {classes[0]} and {classes[-1]}"
        if self.label is not None:
            if len(self.possible) == 1:
                words = str(self.label)
            return f"Determined: {words}. Nothing more is needed."
        lines = [
            f"Not determined: {words}.",
            f"Settled, whatever the values, by {_listed(self.settle)}.",
        ]
        if self.could != self.settle:  # else it would say the same twice
            lines.append(f"Settled, for some values, by {_listed(self.could)}.")
        return "\n".join(lines)


def _listed(sets: Sequence[Names]) -> str:
    texts = [" and ".join([*[", ".join(s[:-1])] * (len(s) > 1), s[-1]]) for s in sets[:LISTED]]
    more = f"; or {len(sets) - LISTED:,} more sets of {len(sets[0])}" * (len(sets) > LISTED)
    return "; or by ".join(texts) + more


class _Completions(Protocol):
    """The completions of one row; sets of its unknown features are bits."""

    unknown: list[int]  # positions in the space, rising

    def known_pairs(self) -> set[int]:
        """Return differences of completions with different answers, as far as they are listed."""

    def difference(self, some: int) -> int:
        """Return features of which one must be known too if a set does not settle the row; or 0.

        They are those in which two completions differ that agree on the set, and get different
        answers.
        """

    def can_settle(self, some: tuple[int, ...]) -> bool:
        """Return whether some values of a set leave one answer, and some completion."""

    def restart(self) -> Steps:
        """Return the steps of a new search."""


@in_budget
def needed_for(
    model: TreeKernel | SumKernel,
    row: Any,
    *,
    tolerance: float | None = None,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
) -> Needed:
    """Find the unknown features that would settle a row; see ``Model.needed``.

    Cost: of a tree the reachable leaves squared x features, of a sum a search for each pair of
    completions; and the searches for sets, which are exponential in the size of the smallest ones
    only. Where facts compare features with each other every pair is checked against them.
    """
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidParameter(
            f"{setting('limit', limit)}: at least one step must be allowed", "limit"
        )
    if isinstance(row, Rows):
        rows = row
    else:
        rows = one_row(row, model.space, model.used, if_there=model.connected)
    refuse_contradiction(model, rows)
    found: _Leaves | _Boxes
    first: _Leaves | _Boxes
    if isinstance(model, TreeKernel):
        tree, target = model.with_tolerance(tolerance)
        first = found = _Leaves(tree, rows, target, limit, Clock(time_limit))
    else:
        first = _Boxes(model, rows, tolerance, limit)
        tolerance = first.tolerance
        found = first.as_leaves(rows) if first.label is None and touched(model) else first
    names = [model.space.names[i] for i in found.unknown]
    also = {model.space.names[i] for i in first.unknown}
    unknown = tuple(name for name in model.space.names if name in also.union(names))
    if first.label is not None:
        return Needed(first.label, first.possible, unknown, ((),), ((),), tolerance)
    settle, could = (
        tuple(tuple(names[k] for k in one) for one in sorted(members(some) for some in sets))
        for sets in (_settling(found), _lucky(found))
    )
    return Needed(None, first.possible, unknown, settle, could, tolerance)


def _settling(found: _Completions) -> set[int]:
    """Return all smallest sets that settle the row whatever their values are."""
    steps, pairs, good = found.restart(), found.known_pairs(), set[int]()
    while True:
        sets = hitting_sets(pairs, steps)
        for some in sorted(sets - good, key=members):
            more = found.difference(some)
            if more:
                pairs.add(more)
                break
            good.add(some)
        else:
            return sets


def _lucky(found: _Completions) -> set[int]:
    """Return all smallest sets that settle the row for some of their values."""
    found.restart()
    n = len(found.unknown)
    for size in range(1, n + 1):
        sets = {
            sum(1 << k for k in some)
            for some in combinations(range(n), size)
            if found.can_settle(some)
        }
        if sets:
            return sets
    raise AssertionError("all unknown features together settle a row")


# -- the leaves of a tree --------------------------------------------------------------------------


class _Leaf(NamedTuple):
    """A leaf that a possible completion reaches: its class, its bins, and what facts are asked."""

    label: int
    bins: dict[int, int]  # of features that no fact is about, by position, as bits
    values: dict[int, ValueSet]


class _Leaves:
    """Completions of a row by the leaves of a tree that they reach.

    Two leaves keep a row open, whatever is known of a set of features, iff their sides have a value
    in common on each of them; where facts connect features, iff two rows satisfy the facts, one in
    each leaf, that agree on the set: one question to the facts, of two rows at once. What facts
    say of a set in a leaf is a formula, from which the other features were eliminated.

    Where facts only tell values of single features from each other, cells decide all of it: then
    leaves are those of the tree in which impossible cells are leaves of their own.
    """

    def __init__(
        self, tree: TreeKernel, rows: Rows, target: Target, limit: int, clock: Watch
    ) -> None:
        self.target, self.limit, self.clock = target, limit, clock
        self.domain = tree.space.domain
        cells = None if self.domain.linear else tree.possible_cells
        if cells is not None:
            rows = unrounded_rows(rows, tree.space.features, cells.tree.space.features)
            tree, self.domain = cells.tree, Domain(cells.tree.space.features, ())
        self.bins = tree.bins
        group_of = self.domain.group_of
        groups = {group_of[i] for i in tree.used if i in group_of}
        self.with_facts = bool(groups)
        told = row_values(tree.space, tuple(group_of), rows, 0)
        self.row = {i: values for i, values in told.items() if group_of[i] in groups}
        box = row_box(self.bins, rows).bits
        self.leaves = list(self._reached(box))
        unknown = [
            i
            for k, i in enumerate(self.bins.positions)
            if i not in group_of and box[k].bit_count() > 1
        ]
        for g in groups:
            unknown += [i for i in self.domain.groups[g] if not self._is_known(i)]
        self.unknown = sorted(unknown)
        self._twice: dict[tuple[int, ...], Domain] = {}
        self._left: dict[tuple[int, ...], set[int]] = {(): {(1 << len(self.leaves)) - 1}}
        self._outside: dict[tuple[int, tuple[int, ...]], Formula] = {}
        self.restart()

    def _reached(self, box: tuple[int, ...]) -> Iterator[_Leaf]:
        n_classes, domain = len(self.target.values), self.domain
        for _, label, sides in _reachable(self.bins, box, self.clock):
            if label >= n_classes:  # the class of impossible cells
                continue
            values, plain = dict(self.row), {}
            for k, i in enumerate(self.bins.positions):
                if i not in domain.group_of:
                    plain[i] = sides[k]
                    continue
                inside = values_in(self.bins.side(k, sides[k]))
                values[i] = meet(self.row.get(i, domain.whole[i]), inside)
            self.clock.look()
            if domain.possible(values):
                yield _Leaf(label, plain, values)

    def _is_known(self, i: int) -> bool:
        return i in self.row and one_value(self.row[i])

    def restart(self) -> Steps:
        """Return the steps of a new search."""
        self.steps = Steps(self.limit, self.clock)
        return self.steps

    @cached_property
    def classes(self) -> list[int]:
        """The classes of the possible completions, rising."""
        return sorted({leaf.label for leaf in self.leaves})

    @property
    def possible(self) -> tuple[Label, ...]:
        """What the row can get."""
        return tuple(self.target.values[c] for c in self.classes)

    @property
    def label(self) -> Label | None:
        """What the row gets, if that is settled."""
        return self.target.answer(self.classes[0], self.classes[-1])

    def _differ(self, a: int, b: int) -> bool:
        return max(a, b) > int(self.target.reach[min(a, b)])

    # -- whatever the values ---------------------------------------------------------------------

    def known_pairs(self) -> set[int]:
        """Return, without facts, for all pairs of leaves the features that separate them."""
        out: set[int] = set()
        if self.with_facts:
            return out
        labels = np.array([leaf.label for leaf in self.leaves])
        tables = [self._table(i).astype(np.float32) for i in self.unknown]
        for start in range(0, len(labels), BLOCK):
            self.clock.look()
            here = slice(start, start + BLOCK)
            apart = self.target.differ(labels[here, None], labels[None, :])
            if apart.any():
                which = [(table[here] @ table.T == 0)[apart] for table in tables]
                out |= _distinct(np.stack(which, axis=1))
        return out

    def _table(self, i: int) -> Flags:
        """Return leaves x bins of a feature that no fact is about: what is left of the row."""
        sides = [leaf.bins[i] for leaf in self.leaves]
        size = max(side.bit_length() for side in sides) // 8 + 1
        text = b"".join(side.to_bytes(size, "little") for side in sides)
        packed = np.frombuffer(text, dtype=np.uint8).reshape(len(sides), size)
        return np.unpackbits(packed, axis=1, bitorder="little").astype(bool)

    @cached_property
    def _open(self) -> list[tuple[_Leaf, _Leaf]]:
        """Pairs of leaves whose classes keep a row open."""
        return [(a, b) for a, b in combinations(self.leaves, 2) if self._differ(a.label, b.label)]

    def difference(self, some: int) -> int:
        """Return features of which one must be known too if a set does not settle the row; or 0."""
        if not self.with_facts:
            return 0  # all pairs are known
        pair = next((pair for pair in self._open if self._agree(*pair, some)), None)
        if pair is None:
            return 0
        for k in range(len(self.unknown)):  # as few as these two leaves allow
            if not some >> k & 1 and self._agree(*pair, some | 1 << k):
                some |= 1 << k
        return ~some & ((1 << len(self.unknown)) - 1)

    def _agree(self, a: _Leaf, b: _Leaf, some: int) -> bool:
        """Return whether possible completions in two leaves agree on a set of features."""
        self.steps.take()
        shared = {self.unknown[k] for k in members(some)}
        if any(not side & b.bins[i] for i, side in a.bins.items() if i in shared):
            return False
        apart = [i for i in self.unknown if i in self.domain.group_of and i not in shared]
        place = {i: len(self.domain.features) + k for k, i in enumerate(apart)}
        both = dict(a.values)
        for i, values in b.values.items():
            if i in place:
                both[place[i]] = values
            else:
                both[i] = meet(values, both[i])
        key = tuple(apart)
        if key not in self._twice:
            self._twice[key] = self.domain.twice(key)
        return self._twice[key].possible(both)

    # -- for some values -------------------------------------------------------------------------

    def can_settle(self, some: tuple[int, ...]) -> bool:
        """Return whether some values of a set leave one answer, and some completion."""
        positions = [self.unknown[k] for k in some]
        plain = tuple(i for i in positions if i not in self.domain.group_of)
        connected = tuple(i for i in positions if i in self.domain.group_of)
        lefts = self._lefts(plain)
        if any(not left & others for left in lefts for others in self._others.values()):
            return True
        return bool(connected) and any(self._by_facts(left, connected) for left in lefts)

    @cached_property
    def _others(self) -> dict[int, int]:
        """Return, by class, as the only one or the smallest number, the leaves that must go."""
        return {
            c: sum(
                1 << k
                for k, leaf in enumerate(self.leaves)
                if leaf.label < c or self._differ(c, leaf.label)
            )
            for c in self.classes
        }

    def _lefts(self, plain: tuple[int, ...]) -> set[int]:
        """Return the sets of leaves, as bits, that values of some features leave."""
        if plain not in self._left:
            before, kept = self._lefts(plain[:-1]), self._by_bin(plain[-1])
            self.steps.take()
            self._left[plain] = {left & own for left in before for own in kept} - {0}
        return self._left[plain]

    def _by_bin(self, i: int) -> set[int]:
        """Return the sets of leaves, as bits, that the bins of a feature leave."""
        return _distinct(self._table(i).T)

    def _by_facts(self, left: int, connected: tuple[int, ...]) -> bool:
        """Return whether values of connected features leave one answer of a set of leaves."""
        for others in self._others.values():
            away = [self._not_in(k, connected) for k in members(left & others)]
            away += [formula for i in connected for formula in self._in_bins(i)]
            for k in members(left & ~others):
                self.steps.take()
                if self.domain.satisfied(self.leaves[k].values, away):
                    return True
        return False

    def _in_bins(self, i: int) -> list[Formula]:
        """Say that a number is in a bin of the tree."""
        if i not in self.bins.positions or not self.domain.features[i].ordered:
            return []
        k = self.bins.positions.index(i)
        numbers = range(int(self.bins.layout.n_bins[k]))
        return self.domain.in_bins(i, (self.bins.side(k, 1 << b) for b in numbers))

    def _not_in(self, k: int, connected: tuple[int, ...]) -> Formula:
        """Return what values of some features satisfy with which no completion reaches a leaf."""
        if (k, connected) not in self._outside:
            self.steps.take()
            inside = self.domain.projected(self.leaves[k].values, connected)
            self._outside[k, connected] = opposite(inside)
        return self._outside[k, connected]


def _reachable(
    bins: Bins, sides: tuple[int, ...], clock: Watch
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Go through the leaves whose box meets the row's: node, class, and what is left of the box."""
    tree = bins.tree
    feature, label = bins.nodes.feature.tolist(), tree.leaf_class.tolist()
    when_true, when_false = tree.when_true.tolist(), tree.when_false.tolist()
    cut, nan_true = bins.nodes.cut.tolist(), bins.nodes.nan_true.tolist()
    todo = [(0, sides)]
    while todo:
        clock.look()
        node, box = todo.pop()
        k = feature[node]
        if k < 0:
            yield node, label[node], box
            continue
        if bins.features[k].ordered:
            holds = (1 << cut[node] + 1) - 1 | (bins.nan_bit(k) if nan_true[node] else 0)
        else:
            holds = as_bits(bins.holds(node))
        for child, side in (
            (when_false[node], box[k] & ~holds),
            (when_true[node], box[k] & holds),
        ):
            if side:
                todo.append((child, (*box[:k], side, *box[k + 1 :])))


def _distinct(table: Flags) -> set[int]:
    """Return the distinct rows of a table as whole numbers, bit i for column i."""
    packed = np.unique(np.packbits(table, axis=1, bitorder="little"), axis=0)
    return {int.from_bytes(one.tobytes(), "little") for one in packed} - {0}


# -- the boxes of a sum of trees -------------------------------------------------------------------


class _Boxes(Probe):
    """Completions of a row of a sum of trees, searched box by box; without facts."""

    def __init__(
        self,
        ensemble: SumKernel,
        rows: Rows,
        tolerance: float | None,
        limit: int,
    ) -> None:
        super().__init__(ensemble)
        self.numbers = ensemble.task == "regression"
        self.tolerance = read_width(ensemble, tolerance)
        self.limit = limit
        boxes = RowBoxes(ensemble, rows)
        self.box = boxes.boxes(np.zeros(1, dtype=np.intp))[0]
        order = sorted(range(len(self.bins.features)), key=self.bins.positions.__getitem__)
        self.places = [k for k in order if self.box[self.at[k]].sum() > 1]
        self.unknown = [self.bins.positions[k] for k in self.places]
        self.label, self.possible = self._row_answer(boxes)
        self.restart()

    def _row_answer(self, boxes: RowBoxes) -> tuple[Label | None, tuple[Label, ...]]:
        """Return what the row gets, None if it is open, and what it can get."""
        kernel = next((block.ensemble for block in boxes.blocks()), self.ensemble)
        if self.numbers:
            found = number_box(kernel, self.box, self.left)
            lower, upper = float(found.lower[0]), float(found.upper[0])
            possible = (lower,) if lower == upper else (lower, upper)
            if narrow(lower, upper, self.tolerance or 0.0):
                return float(midpoint(lower, upper)), possible
            if found.status[0] > OPEN:
                raise self.undecided(int(found.status[0]))
            return None, possible
        verdict = boxes.verdicts(1)
        status = int(verdict.status[0])
        if status > OPEN:
            raise self.undecided(status)
        classes = self.ensemble.classes
        if status == CERTAIN:
            label = classes[int(verdict.label[0])]
            return label, (label,)
        table = possible_boxes(kernel, self.box[None], self.left).possible[0]
        if (table == 2).any():
            raise self.undecided(OUT_OF_TIME)
        return None, tuple(classes[c] for c in np.flatnonzero(table))

    def as_leaves(self, rows: Rows) -> _Leaves:
        """Return the completions by the leaves of one tree that decides the same inside the box."""
        try:
            tree = tree_in_box(self.ensemble, self.box, MOST_LEAVES, self.left)
            tree, target = tree.with_tolerance(self.tolerance)
            return _Leaves(tree, rows, target, self.limit, self)
        except TooLarge as fault:
            raise Undecided(
                "what would settle this row was not found out: with facts it is looked for in one "
                f"tree that says the same of the row, and that has more than {MOST_LEAVES:,} "
                "leaves: give more values",
                "room",
            ) from fault
        except OutOfTime as fault:
            raise self.undecided(OUT_OF_TIME) from fault

    def restart(self) -> Steps:
        """Return the steps of a new search."""
        self.steps = Steps(self.limit, self)
        return self.steps

    def known_pairs(self) -> set[int]:
        """Return no pair: each is searched."""
        return set()

    # -- answers of boxes and cells --------------------------------------------------------------

    def _two(self, box: Boxes) -> tuple[Cells, Cells] | None:
        """Return two cells of a box with different answers; None if it is settled."""
        if not self.numbers:
            found = self.decide(box)
            status = int(found.status[0])
            if status > OPEN:
                raise self.undecided(status)
            return None if status == CERTAIN else (found.first[0], found.second[0])
        bounds = number_box(self.ensemble, box, self.left)
        if narrow(bounds.lower[0], bounds.upper[0], self.tolerance or 0.0):
            return None
        one, other = bounds.low_cell[0], bounds.high_cell[0]
        if not self._differ(one, other):
            raise self.undecided(WITHIN_ROUNDING if bounds.exact[0] else OUT_OF_TIME)
        return one, other

    def _answers(self, *cells: Cells) -> NDArray[Any]:
        """Return the class of each cell, -1 within the library's rounding, or its number."""
        if not self.numbers:
            return self.labels(np.stack(cells))
        found = self.ensemble.summed.evaluate(np.ascontiguousarray(np.stack(cells)), 1)
        return self.ensemble.numbers_of(found.sums)

    def _differ(self, one: Cells, other: Cells) -> bool:
        a, b = self._answers(one, other).tolist()
        if self.numbers:
            return not narrow(min(a, b), max(a, b), self.tolerance or 0.0)
        return bool(a != b and min(a, b) >= 0)

    # -- whatever the values ---------------------------------------------------------------------

    def difference(self, some: int) -> int:
        """Return a smallest difference of two completions that agree on a set; 0 if there is none.

        Twins are searched for, which differ outside of the set only. Where the set has few values,
        or that is not decided, boxes are split on its features until each is settled, or has two
        completions that agree on the set and get different answers.
        """
        chosen = [self.places[i] for i in members(some)]
        apart = [k for k in self.places if k not in chosen]
        if not apart:
            return 0
        cells = math.prod(int(self.box[self.at[k]].sum()) for k in chosen)
        if cells > FEW and not self.numbers:
            code, one, other = Twins(self.ensemble, apart).search(self.box, self.left)
            if code == 0:
                return 0
            if one is not None and other is not None:
                return self._nearest(one, other)
        todo = [self.box]
        while todo:
            self.steps.take()
            box = todo.pop()
            pair = self._two(box)
            if pair is None:
                continue
            for one, other in (pair, pair[::-1]):
                mixed = other.copy()
                mixed[chosen] = one[chosen]
                if not self.numbers and -1 in self._answers(one, mixed):
                    raise self.undecided(WITHIN_ROUNDING)
                if self._differ(one, mixed):
                    return self._nearest(one, mixed)
            todo += self._split(box, *pair, chosen)
        return 0

    def _nearest(self, one: Cells, other: Cells) -> int:
        """Bring two cells of different answers as near as can be; return in what they differ."""
        differing = [k for k in self.places if one[k] != other[k]]
        for k in list(differing):
            nearer = other.copy()
            nearer[k] = one[k]
            if self._differ(one, nearer):
                other = nearer
                differing.remove(k)
        return sum(1 << self.places.index(k) for k in differing)

    def _split(self, box: Boxes, x: Cells, y: Cells, chosen: list[int]) -> list[Boxes]:
        """Split a box on a feature of the set, where the answer changes between two cells."""
        here = y.copy()
        here[chosen] = x[chosen]
        answer = self._answers(here)[0]
        for k in chosen:  # from here to y; on the way the answer changes
            there = here.copy()
            there[k] = y[k]
            if there[k] != here[k] and self._answers(there)[0] != answer:
                cut = self._boundary(here, k, int(y[k]), answer)
                parts = []
                for side in (slice(None, cut), slice(cut, None)):
                    part = box.copy()
                    bins = np.zeros_like(box[self.at[k]])
                    bins[side] = box[self.at[k]][side]
                    part[self.at[k]] = bins
                    if bins.any():
                        parts.append(part)
                return parts
            here = there
        raise AssertionError("two cells of different answers differ on no feature of the set")

    def _boundary(self, cell: Cells, k: int, other: int, answer: Any) -> int:
        """Return a bin between two of a feature such that the answer changes just before it."""
        near, far = int(cell[k]), other
        while abs(far - near) > 1:
            middle = (near + far) // 2
            there = cell.copy()
            there[k] = middle
            near, far = (middle, far) if self._answers(there)[0] == answer else (near, middle)
        return max(near, far)

    # -- for some values -------------------------------------------------------------------------

    def can_settle(self, some: tuple[int, ...]) -> bool:
        """Return whether some values of a set of features settle the row.

        Per class, the values that can still do so are kept as boxes. Values that do not leave two
        completions of different classes; around each, the widest box of values for which it keeps
        its class is taken away from what can make any other class certain. Of numbers all values
        are tried.
        """
        chosen = [self.places[i] for i in some]
        n_classes = 1 if self.numbers else len(self.ensemble.classes)
        rest: dict[int, list[Boxes]] = {c: [self.box] for c in range(n_classes)}
        while any(rest.values()):
            self.steps.take()
            label = max(rest, key=lambda c: bool(rest[c]))
            cell = self.cell_in(rest[label][-1])
            pinned = self.box.copy()
            for k in chosen:
                pinned[self.at[k]] = 0
                pinned[self.at[k].start + int(cell[k])] = 1
            pair = self._two(pinned)
            if pair is None:
                return True
            if self.numbers:
                rest[0] = [p for box in rest[0] for p in self._without(box, pinned, chosen)]
                continue
            for one in pair:
                own = int(self.labels(one)[0])
                wide = self.box_at(one)
                for k in chosen:
                    wide = self.grown(wide, k, self.box, own)
                for c in range(n_classes):
                    if c != own:
                        rest[c] = [p for b in rest[c] for p in self._without(b, wide, chosen)]
        return False

    def _without(self, box: Boxes, taken: Boxes, chosen: list[int]) -> list[Boxes]:
        """Return what is left of a box outside of another, as boxes that do not meet."""
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


# -- many rows of a tree --------------------------------------------------------------------------


class Settling:
    """What would settle each of many rows: the first of the smallest sets, as ``missing_needed``.

    Two leaves that a row can reach are separated by a feature only if the row does not know it,
    and then by the tree alone. So rows that can reach the same leaves need the same features, and
    one search is enough for all of them. Only where a row knows part of a feature (some of its
    conditions) that part counts, too. ``limit`` and ``time_limit`` are for each search.
    """

    def __init__(
        self,
        tree: TreeKernel,
        limit: int = LIMIT,
        time_limit: float = TIME_LIMIT,
        tolerance: float | None = None,
    ) -> None:
        self.limit, self.time_limit = limit, time_limit
        refuse_facts(
            tree.space,
            "what settles a row",
            linear=True,
            why="no finite number of cells holds the values that they compare",
        )
        tree, self.target = tree.with_tolerance(tolerance)
        self.features = tree.space.features
        self.n_classes, cells = len(tree.classes), tree.possible_cells
        self.tree = tree = tree if cells is None else cells.tree
        self.bins = tree.bins
        self.order = sorted(range(len(self.bins.features)), key=self.bins.positions.__getitem__)
        leaves = np.flatnonzero(tree.feature < 0)
        label = tree.leaf_class[leaves]
        self.label = np.where(label < self.n_classes, label, 0).astype(
            np.int32
        )  # no row reaches others
        widths = [-(-self.bins.widths[k] // 64) for k in self.order]
        self.start = np.cumsum([0, *widths], dtype=np.int32)
        number = {node: i for i, node in enumerate(leaves.tolist())}
        self.sides = np.zeros((len(leaves), self.start[-1]), dtype=np.uint64)
        whole = tuple(self.bins.every_bin(k) for k in range(len(self.order)))
        for node, _, box in _reachable(self.bins, whole, Clock(time_limit)):
            self.sides[number[node]] = self._words([box[k] for k in self.order])
        self.seen: dict[bytes, Names] = {}

    def _words(self, sides: Sequence[int]) -> NDArray[np.uint64]:
        """Give the bins of each feature, as bits, one feature after the other."""
        sizes = np.diff(self.start).tolist()
        text = b"".join(
            side.to_bytes(8 * n, "little") for side, n in zip(sides, sizes, strict=True)
        )
        return np.frombuffer(text, dtype="<u8")

    def sets(self, rows: Rows, which: NDArray[np.intp]) -> tuple[list[Names], NDArray[np.intp]]:
        """Give sets of names, and for each of these undetermined rows which of them it needs."""
        rows = unrounded_rows(rows, self.features, self.tree.space.features)
        number: dict[Names, int] = {}
        out = np.zeros(len(which), dtype=np.intp)
        step = max(1, MOST_CELLS // len(self.label))
        for start in range(0, len(which), step):
            at = which[start : start + step]
            part = rows.take(at)
            tables = [self.tree.reached_leaves(part).astype(bool)]
            partly: list[int] = []
            for k, place in enumerate(self.bins.positions):
                if part.columns[place][0] in (BETWEEN, AMONG):
                    partly.append(k)
                    tables.append(allowed_bins(self.bins, k, part))
            kinds, of_row = distinct_rows(np.hstack(tables))
            here = np.array(
                [number.setdefault(one, len(number)) for one in self._names(kinds, partly)],
                dtype=np.intp,
            )
            out[start : start + step] = here[of_row]
        return list(number), out

    def _names(self, kinds: NDArray[np.bool_], partly: list[int]) -> list[Names]:
        """Give what each kind of row needs: which leaves it reaches, then what is known partly."""
        after = bytes(str(partly), "ascii")
        keys = [one.tobytes() + after for one in np.packbits(kinds, axis=1)]
        if len(self.seen) + len(keys) > REMEMBERED:
            self.seen.clear()
        new = [i for i, key in enumerate(keys) if key not in self.seen]
        some = kinds[new][:, : len(self.label)].any(axis=1)
        for i in np.array(new, dtype=int)[~some].tolist():
            self.seen[keys[i]] = ()  # a row that contradicts the facts needs nothing
        new = np.array(new, dtype=int)[some].tolist()
        if new:
            self.seen |= zip((keys[i] for i in new), self._search(kinds[new], partly), strict=True)
        return [self.seen[key] for key in keys]

    def _search(self, kinds: NDArray[np.bool_], partly: list[int]) -> list[Names]:
        """Let the core find what each kind of row needs."""
        n_leaves = len(self.label)
        try:
            found = _core.rows.settling_sets(
                self.start,
                self.sides,
                self.label,
                self.target.reach,
                np.ascontiguousarray(kinds[:, :n_leaves]).view(np.uint8),
                self._known(kinds[:, n_leaves:], partly),
                self.limit,
                self.time_limit,
            )
        except _core.base.LimitReached as fault:
            raise too_many_steps(self.limit, fault.met) from None
        except _core.base.TimeUp:
            raise out_of_time(Budget(self.time_limit)) from None
        names = [self.bins.features[k].name for k in self.order]
        flags = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")
        return [tuple(names[k] for k in np.flatnonzero(one)) for one in flags]

    def _known(self, tables: NDArray[np.bool_], partly: list[int]) -> NDArray[np.uint64]:
        """Give by kind what it allows of every feature's bins; nothing if all of them."""
        if not partly:
            return np.zeros((0, 0), dtype=np.uint64)
        known = np.full((len(tables), self.start[-1]), ~np.uint64(0))
        first = 0
        for k in partly:
            width = self.bins.widths[k]
            place = self.order.index(k)
            words = known[:, self.start[place] : self.start[place + 1]]
            bits = np.zeros((len(tables), 64 * words.shape[1]), dtype=bool)
            bits[:, :width] = tables[:, first : first + width]
            words[:] = np.packbits(bits, axis=1, bitorder="little").view("<u8")
            first += width
        return known
