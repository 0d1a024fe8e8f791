"""What is needed to settle a row where facts compare features with each other.

In:  a ``Tree`` over a space with facts, one row.
Out: ``PossibleNeeded``: the classes that are possible, and the smallest sets of features that
     settle the row, whatever their values are or with luck.

Finding out a feature shows its value, not only its bin: with ``low <= high``, a low of 12 says that
high is above 10. So sets are judged by the facts themselves, not by cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from ..model import (
    Domain,
    Formula,
    Rows,
    Steps,
    Target,
    TreeKernel,
    ValueSet,
    hitting_sets,
    meet,
    members,
    one_value,
    opposite,
    row_box,
    row_values,
    values_in,
)
from .smallest_sets import reachable

__all__ = ["PossibleNeeded"]


class Leaf(NamedTuple):
    """A leaf that a possible row reaches: its class, its bins, and what facts have to be asked."""

    label: int
    bins: dict[int, int]  # of features that no fact is about, by position, as bits
    value_sets: dict[int, ValueSet]


class PossibleNeeded:
    """Sets of features that settle one row, among its possible completions.

    Attributes
    ----------
    leaves : list of Leaf
        Those that a possible completion reaches.
    unknown : list of int
        The positions of the features that the row does not know: sets are bits over them.

    Notes
    -----
    A set settles the row whatever its values are iff no two possible completions agree on it and
    have different classes: one question to the facts, of two rows at once, for every pair of
    leaves. Two completions that do give a set of features of which one must be known; the smallest
    sets that hit all of these are tried until all of them settle the row. With luck: values of the
    set that some completion has, and no completion of another class; what facts say of the set in
    a leaf is a formula, from which the other features were eliminated. Cost: exponential in the
    unknown features in the worst case, for each set that is tried the leaves squared, each
    with an exact check.
    """

    def __init__(self, tree: TreeKernel, given: Rows, target: Target, steps: Steps) -> None:
        domain = tree.space.domain
        self.domain, self.target, self.steps = domain, target, steps
        self.bins = tree.bins
        self.row = self._row(tree, given)
        self.leaves = list(self._leaves(tree, given))
        self.unknown = self._unknown(tree, given)
        self._twice: dict[tuple[int, ...], Domain] = {}

    def _row(self, tree: TreeKernel, given: Rows) -> dict[int, ValueSet]:
        """Give what the row says of the features that facts connect with those of the tree."""
        group_of = self.domain.group_of
        self.groups = {group_of[i] for i in tree.used if i in group_of}
        own = row_values(tree.space, tree.connected, given, 0)
        return {i: value_set for i, value_set in own.items() if group_of[i] in self.groups}

    def _leaves(self, tree: TreeKernel, given: Rows) -> Iterator[Leaf]:
        bins, whole = tree.bins, self.domain.whole
        for _, label, box in reachable(bins, row_box(bins, given).bits, self.steps.clock):
            value_sets = dict(self.row)
            plain = {}
            for k, i in enumerate(bins.positions):
                if i not in self.domain.group_of:
                    plain[i] = box[k]
                    continue
                value_sets[i] = meet(self.row.get(i, whole[i]), values_in(bins.side(k, box[k])))
            self.steps.clock.look()
            if self.domain.possible(value_sets):
                yield Leaf(label, plain, value_sets)

    def _unknown(self, tree: TreeKernel, given: Rows) -> list[int]:
        sides = row_box(tree.bins, given).bits
        out = [i for k, i in enumerate(tree.bins.positions)
               if i not in self.domain.group_of and sides[k].bit_count() > 1]  # fmt: skip
        for g in self.groups:
            out += [i for i in self.domain.groups[g] if not self._known(i)]
        return sorted(out)

    def _known(self, i: int) -> bool:
        return i in self.row and one_value(self.row[i])

    @property
    def classes(self) -> list[int]:
        """The classes of the possible completions."""
        return sorted({leaf.label for leaf in self.leaves})

    def _apart(self, a: int, b: int) -> bool:
        return bool(self.target.differ(np.array([a]), np.array([b]))[0])

    # -- whatever the values ---------------------------------------------------------------------

    def settling(self) -> set[int]:
        """Give all smallest sets that settle the row whatever their values are."""
        pairs: set[int] = set()
        good: set[int] = set()
        while True:
            sets = hitting_sets(pairs, self.steps)
            before = len(pairs)
            for some in sets - good:
                more = self._between(some)
                if more:
                    pairs.add(more)
                else:
                    good.add(some)
            if len(pairs) == before:
                return sets

    @cached_property
    def _open(self) -> list[tuple[Leaf, Leaf]]:
        """Pairs of leaves whose classes keep a row open."""
        return [
            (a, b)
            for k, a in enumerate(self.leaves)
            for b in self.leaves[k + 1 :]
            if self._apart(a.label, b.label)
        ]

    def _between(self, some: int) -> int:
        """Give features of which one must be known too, if a set leaves two classes; else 0.

        They are those in which two completions with different classes differ, and as few as these
        two leaves allow.
        """
        pair = next((pair for pair in self._open if self._agree(*pair, some)), None)
        if pair is None:
            return 0
        for k in range(len(self.unknown)):
            if not some >> k & 1 and self._agree(*pair, some | 1 << k):
                some |= 1 << k
        return ~some & ((1 << len(self.unknown)) - 1)

    def _agree(self, a: Leaf, b: Leaf, some: int) -> bool:
        """Tell whether possible completions in two leaves agree on a set of features."""
        self.steps.take()
        shared = {self.unknown[k] for k in members(some)}
        if any(not side & b.bins[i] for i, side in a.bins.items() if i in shared):
            return False
        apart = [i for i in self.unknown if i in self.domain.group_of and i not in shared]
        place = {i: len(self.domain.features) + k for k, i in enumerate(apart)}
        value_sets = dict(a.value_sets)
        for i, value_set in b.value_sets.items():
            if i in place:
                value_sets[place[i]] = value_set
            else:
                value_sets[i] = meet(value_set, value_sets[i])
        return self._of_two(tuple(apart)).possible(value_sets)

    def _of_two(self, apart: tuple[int, ...]) -> Domain:
        if apart not in self._twice:
            self._twice[apart] = self.domain.twice(apart)
        return self._twice[apart]

    # -- with luck -------------------------------------------------------------------------------

    def lucky(self) -> set[int]:
        """Give all smallest sets that settle the row for some of their values."""
        for size in range(1, len(self.unknown) + 1):
            found = {
                sum(1 << k for k in some)
                for some in combinations(range(len(self.unknown)), size)
                if self._can_settle([self.unknown[k] for k in some])
            }
            if found:
                return found
        raise AssertionError("all features together settle a row")

    def _can_settle(self, some: list[int]) -> bool:
        """Tell whether some values of a set leave one class, and some completion."""
        plain = [i for i in some if i not in self.domain.group_of]
        connected = tuple(i for i in some if i in self.domain.group_of)
        every = frozenset(range(len(self.leaves)))
        kept = [self._by_bin(i) for i in plain]
        for chosen in {every.intersection(*one) for one in product(*kept)}:
            self.steps.take()
            if chosen and self._can_settle_among(sorted(chosen), connected):
                return True
        return False

    def _by_bin(self, i: int) -> set[frozenset[int]]:
        """Give the sets of leaves that the bins of a feature leave."""
        most = max(leaf.bins[i].bit_length() for leaf in self.leaves)
        sets = (
            frozenset(k for k, leaf in enumerate(self.leaves) if leaf.bins[i] >> b & 1)
            for b in range(most)
        )
        return {own for own in sets if own}

    def _can_settle_among(self, chosen: list[int], connected: tuple[int, ...]) -> bool:
        labels = sorted({self.leaves[k].label for k in chosen})
        for first in labels:  # the only class that is left, or the smallest number
            near = [c for c in labels if c >= first and not self._apart(first, c)]
            others = [k for k in chosen if self.leaves[k].label not in near]
            if not others:
                return True
            if not connected:
                continue
            away = [self._not_in(k, connected) for k in others]
            away += [formula for i in connected for formula in self._in_bins(i)]
            for k in chosen:
                self.steps.take()
                own = self.leaves[k]
                if own.label in near and self.domain.satisfied(own.value_sets, away):
                    return True
        return False

    def _in_bins(self, i: int) -> list[Formula]:
        """Say that a number is in a bin of the tree."""
        if i not in self.bins.positions or not self.domain.features[i].ordered:
            return []
        k = self.bins.positions.index(i)
        numbers = range(int(self.bins.layout.n_bins[k]))
        return self.domain.in_bins(i, (self.bins.side(k, 1 << b) for b in numbers))

    @cached_property
    def _outside(self) -> dict[tuple[int, tuple[int, ...]], Formula]:
        return {}

    def _not_in(self, k: int, connected: tuple[int, ...]) -> Formula:
        """Give what values of some features satisfy with which no completion reaches a leaf."""
        if (k, connected) not in self._outside:
            self.steps.take()
            inside = self.domain.projected(self.leaves[k].value_sets, connected)
            self._outside[k, connected] = opposite(inside)
        return self._outside[k, connected]
