"""Leaves of a tree that can still be reached, as bits.

In:  ``Bins``, answers; how wide the interval of the numbers that are possible may be.
Out: ``Leaves``: what is left of a set of leaves after answers, which classes it has, what is
     decided then (``Decision``: a class, or an interval of numbers), and what the tree asks next.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model import (
    Bins,
    Box,
    Label,
    PossibleTree,
    Target,
    TreeKernel,
    as_bits,
    label_text,
    short_number,
    values_in,
)
from .costs import Purchase

__all__ = ["Answer", "Decision", "Leaves", "between", "possible_cells_tree", "priced_features"]

Answer = tuple[int, ...]  # a bin for each feature of a purchase
STEPS = 1_000  # of the proof that a feature need not be asked for


def between(lower: float, upper: float) -> str:
    """Write an interval of numbers."""
    if lower == upper:
        return label_text(lower)
    return f"between {short_number(lower)} and {short_number(upper)}"


class Decision(NamedTuple):
    """What is decided: a class, or the numbers that are still possible.

    Attributes
    ----------
    label
        The class; of an interval the midpoint, as ``Tree.predict(tolerance=)`` gives it.
    interval : tuple of float, or None
        The smallest and the largest number, where an interval is asked for.
    """

    label: Label
    interval: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        """What is decided, in words."""
        return label_text(self.label) if self.interval is None else between(*self.interval)


class Leaves:
    """The leaves of a tree, as bits: which of them have each bin, and which class they have.

    With facts, those that possible rows reach; no leaf is left where answers exclude each other.

    Attributes
    ----------
    target : Target
        When it is decided: one class is left, or numbers that are near enough.
    all : int
    classes : list of int
        By class its leaves.
    masks : list of lists of int
        By feature and bin the leaves that have it.
    whole : list of int
        By feature all its bins.
    """

    def __init__(self, bins: Bins, tolerance: float | None = None) -> None:
        self.bins = bins
        self.target = Target(bins.tree.classes, tolerance)
        self._reach: list[int] = self.target.reach.tolist()
        self._nodes, slots = _core.bins.leaf_boxes(bins.nodes, bins.layout)
        self.facts = bins.tree.space.domain.restricts
        if self.facts:
            there = _reached_by_possible_rows(bins, slots)
            self._nodes, slots = self._nodes[there], slots[there]
        label = bins.tree.leaf_class[self._nodes]
        self.n_leaves = len(label)
        self.all = (1 << len(label)) - 1
        self.classes = [as_bits(label == c) for c in range(len(bins.tree.classes))]
        boxes = Box.of_slots(bins, slots)
        self.masks = [_by_bin([box.bits[k] for box in boxes], n) for k, n in enumerate(bins.widths)]
        self.whole = [bins.every_bin(k) for k in range(len(bins.features))]
        self._met: dict[tuple[int, int, int], int] = {}
        self._holds: dict[int, list[bool]] = {}

    @property
    def tolerance(self) -> float | None:
        """How far the numbers that are possible may be apart; None: until one class is left."""
        return self.target.tolerance

    def end_of(self, leaves: int) -> int:
        """Give the number of what is decided on a set of leaves (``decision``), -1 if it is open.

        That is the places of its first and its last class, where these count as the same.
        """
        low, high = self._ends(leaves)
        return low * len(self.classes) + high if high <= self._reach[low] else -1

    def decision(self, end: int) -> Decision:
        """Give what is decided, by its number from ``end_of``."""
        low, high = self.ends_of(end)
        label = self.target.answer(low, high)
        assert label is not None, "what is decided has an answer"
        return Decision(label, self._interval(low, high))

    def ends_of(self, end: int) -> tuple[int, int]:
        """Give the first and the last class of what is decided."""
        return divmod(end, len(self.classes))

    def interval(self, leaves: int) -> tuple[float, float] | None:
        """Give the smallest and the largest number of a set of leaves, if one asks for that."""
        return self._interval(*self._ends(leaves))

    def _interval(self, low: int, high: int) -> tuple[float, float] | None:
        if self.tolerance is None:
            return None
        values = self.target.values
        return float(values[low]), float(values[high])

    def _ends(self, leaves: int) -> tuple[int, int]:
        """Give the first and the last class of a set of leaves."""
        there = range(len(self.classes))
        low = next(c for c in there if leaves & self.classes[c])
        return low, next(c for c in reversed(there) if leaves & self.classes[c])

    @cached_property
    def windows(self) -> list[int]:
        """By what can be decided its leaves: all largest sets of classes that count as the same.

        A set of leaves is decided iff it lies in one of them. Sets of near numbers overlap; they
        are in the order of their smallest numbers, which is that of their largest, too.
        """
        there = [c for c, own in enumerate(self.classes) if own]
        out: list[int] = []
        last = 0  # the place behind the largest number of the set before
        for i, low in enumerate(there):
            end = max(last, i + 1)
            while end < len(there) and there[end] <= self._reach[low]:
                end += 1
            if end > last:
                out.append(_union(self.classes[c] for c in there[i:end]))
            last = end
        return out

    def possible(self, leaves: int) -> list[int]:
        """Give the classes of a set of leaves."""
        return [c for c, own in enumerate(self.classes) if leaves & own]

    def after(self, leaves: int, purchase: Purchase, outcome: Answer) -> int:
        """Give what is left of a set of leaves when a purchase has an outcome."""
        for k, b in zip(purchase.features, outcome, strict=True):
            leaves &= self.masks[k][b]
        return leaves

    def outcomes(self, purchase: Purchase) -> Iterable[Answer]:
        """Go through all outcomes that a purchase can have."""
        return product(*(range(len(self.masks[k])) for k in purchase.features))

    def n_outcomes(self, purchase: Purchase) -> int:
        """Give how many outcomes a purchase can have, were there no facts."""
        return math.prod(len(self.masks[k]) for k in purchase.features)

    def inside(self, leaves: int, sides: Sequence[int]) -> int:
        """Give what is left of a set of leaves when bins are known, as bits by feature."""
        for side, masks in zip(sides, self.masks, strict=True):
            leaves &= _union(mask for b, mask in enumerate(masks) if side >> b & 1)
        return leaves

    def separates(self, leaves: int, k: int) -> bool:
        """Whether some bin of a feature excludes some of the leaves."""
        return any(leaves & ~mask for mask in self.masks[k])

    def matters(self, leaves: int, k: int, sides: Sequence[int]) -> bool:
        """Whether finding out a feature can still settle what is open without it.

        That is whether some row that reaches these leaves (``sides``: its possible bins, as bits by
        feature) is determined with it and not without it, some other features being known. For
        classes that is whether it can change the class.

        What cannot change the number never narrows an interval, as it leaves every number possible.
        What can change it may do so only where the interval is narrow anyway: that is found out by
        trying bins of the other features, in at most ``STEPS`` steps. It counts as needed if these
        do not show that it is not.
        """
        if self.end_of(leaves) >= 0:
            return False
        if self.facts:  # leaves may be apart in several features at once
            return self.separates(leaves, k) and self._can_settle(leaves, k, sides)
        if not self._changes(leaves, k, sides):
            return False
        return self.tolerance is None or self._can_settle(leaves, k, sides)

    def _can_settle(self, leaves: int, k: int, sides: Sequence[int]) -> bool:
        """Whether some bin of a feature settles it, where others are known and it is open."""

        def known(j: int) -> set[int]:
            return {mask for b, mask in enumerate(self.masks[j]) if sides[j] >> b & 1}

        others = [known(j) for j in range(len(sides)) if j != k]
        seen: set[tuple[int, int, int]] = set()
        todo = [(0, leaves, leaves & mask) for mask in sorted(known(k)) if leaves & mask]
        while todo:
            state = i, without, with_it = todo.pop()
            if self.end_of(with_it) >= 0:
                return True
            if i == len(others) or state in seen:
                continue
            seen.add(state)
            if len(seen) > STEPS:
                return True
            todo.append((i + 1, without, with_it))  # the next one stays unknown
            some = sorted({without & mask for mask in others[i]} - {without})
            todo += [(i + 1, left, with_it & left) for left in some
                     if left & with_it and self.end_of(left) < 0]  # fmt: skip
        return False

    def _changes(self, leaves: int, k: int, sides: Sequence[int]) -> bool:
        """Whether a feature can still change the class of a row that reaches these leaves.

        It can iff two of them have different classes and are apart in that feature alone. Cost:
        leaves x features, on words of bits.
        """
        for own in self.classes:
            left = leaves & own
            while left:
                leaf = (left & -left).bit_length() - 1
                left &= left - 1
                rivals = leaves & ~own & ~self._meeting(k, leaf, sides[k])
                for j, side in enumerate(sides):
                    if j != k and rivals:
                        rivals &= self._meeting(j, leaf, side)
                if rivals:
                    return True
        return False

    def _meeting(self, k: int, leaf: int, side: int) -> int:
        """Give the leaves that share one of some bins of a feature with a leaf."""
        key = k, leaf, side
        if key not in self._met:
            some = (mask for b, mask in enumerate(self.masks[k]) if side >> b & 1)
            self._met[key] = _union(mask for mask in some if mask >> leaf & 1)
        return self._met[key]

    def asked_next(self, leaves: int) -> int:
        """Give the feature that the tree asks next where it matters; it is open on the leaves.

        Where the leaves below a node have one class, or all lie on one side of it, it is passed.
        """
        feature, when_true, when_false = self._tree
        node = 0
        while True:
            yes, no = when_true[node], when_false[node]
            on_yes, on_no = leaves & self._below[yes], leaves & self._below[no]
            if on_yes and on_no:
                return feature[node]
            node = yes if on_yes else no

    def child(self, node: int, b: int) -> int:
        """Give the node of the tree that a bin of its feature leads to."""
        if node not in self._holds:
            self._holds[node] = self.bins.holds(node).tolist()
        _, when_true, when_false = self._tree
        return when_true[node] if self._holds[node][b] else when_false[node]

    def past(self, known: Mapping[int, int], node: int = 0) -> int:
        """Walk down the tree as far as known bins lead."""
        feature = self._tree[0]
        while feature[node] in known:
            node = self.child(node, known[feature[node]])
        return node

    @cached_property
    def _tree(self) -> tuple[list[int], list[int], list[int]]:
        """By node its feature, and where it leads if its condition holds and if it does not."""
        nodes = self.bins.nodes
        return nodes.feature.tolist(), nodes.when_true.tolist(), nodes.when_false.tolist()

    @cached_property
    def _below(self) -> list[int]:
        """By node of the tree: the leaves below it."""
        feature, when_true, when_false = self._tree
        out = [0] * len(feature)
        order = [0]
        for node in order:
            if feature[node] >= 0:
                order += [when_true[node], when_false[node]]
        for i, node in enumerate(self._nodes.tolist()):
            out[node] = 1 << i
        for node in reversed(order):
            if feature[node] >= 0:
                out[node] = out[when_true[node]] | out[when_false[node]]
        return out


def _by_bin(leaves: Sequence[int], n_bins: int) -> list[int]:
    """Turn the bins of each leaf into the leaves of each bin, all as bits."""
    width = (n_bins + 7) // 8
    text = b"".join(bits.to_bytes(width, "little") for bits in leaves)
    octets = np.frombuffer(text, dtype=np.uint8).reshape(len(leaves), width)
    flags = np.unpackbits(octets, axis=1, count=n_bins, bitorder="little").astype(bool)
    return [as_bits(column) for column in flags.T]


def _union(masks: Iterable[int]) -> int:
    out = 0
    for mask in masks:
        out |= mask
    return out


# -- where facts hold ------------------------------------------------------------------------------
# A policy knows values by their bins: those of the tree, and those of what facts name. A row's
# answer may be certain earlier by its exact values, where facts compare features with each other.


def possible_cells_tree(tree: TreeKernel, priced: Collection[str]) -> TreeKernel:
    """Give the tree with cells that facts exclude as leaves of their own, whatever class they say.

    ``priced``: features that can be bought besides those of the tree, because facts name them.
    """
    domain = tree.space.domain
    if tree.possible is None:
        return tree
    groups = {domain.group_of[i] for i in tree.used if i in domain.group_of}
    names = tree.space.names
    sides = {
        i: own
        for i, own in domain.own_sides().items()
        if domain.group_of[i] in groups and (i in tree.used or names[i] in priced)
    }
    return PossibleTree(tree, sides).taken_for(0)


def priced_features(costs: Any, groups: Any, known: Any) -> set[str]:
    """Give the names that costs, groups and known features mention; of other costs none."""
    out = set() if isinstance(known, str) else set(known)
    if hasattr(costs, "items"):
        out |= {name for name, _ in costs.items()}
    if isinstance(groups, Mapping):
        out |= {name for own in groups.values() if not isinstance(own, str) for name in own}
    return out


def _reached_by_possible_rows(bins: Bins, slots: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which leaves have a possible row; ``slots``: their boxes."""
    space = bins.tree.space
    domain = space.domain
    place = {space.features[i].name: i for i in domain.group_of}
    return np.array(
        [
            domain.possible(
                {place[s.feature.name]: values_in(s) for s in box.sides if s.feature.name in place}
            )
            for box in Box.of_slots(bins, slots)
        ],
        dtype=bool,
    )
