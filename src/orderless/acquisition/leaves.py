"""The leaves of a tree that can still be reached, as bits.

In:  ``Bins``.
Out: ``Leaves``: what is left of a set of leaves after answers, which classes it has, and what the
     tree asks next.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from .. import _core
from ..model import Bins, Box, as_bits
from .costs import Purchase

__all__ = ["Answer", "Leaves"]

Answer = tuple[int, ...]  # a bin for each feature of a purchase


class Leaves:
    """The leaves of a tree, as bits: which of them have each bin, and which class they have.

    Attributes
    ----------
    all : int
    classes : list of int
        By class its leaves.
    masks : list of lists of int
        By feature and bin the leaves that have it.
    whole : list of int
        By feature all its bins.
    """

    def __init__(self, bins: Bins) -> None:
        self.bins = bins
        self._nodes, slots = _core.bins.leaf_boxes(bins.nodes, bins.layout, len(bins.tree.classes))
        label = bins.tree.leaf_class[self._nodes]
        self.n_leaves = len(label)
        self.all = (1 << len(label)) - 1
        self.classes = [as_bits(label == c) for c in range(len(bins.tree.classes))]
        boxes = Box.of_slots(bins, slots)
        self.masks = [_by_bin([box.bits[k] for box in boxes], n) for k, n in enumerate(bins.widths)]
        self.whole = [bins.every_bin(k) for k in range(len(bins.features))]
        self._met: dict[tuple[int, int], int] = {}
        self._holds: dict[int, list[bool]] = {}

    def class_of(self, leaves: int) -> int:
        """Give the class of a set of leaves, -1 if there are several."""
        for c, own in enumerate(self.classes):
            if leaves & own:
                return -1 if leaves & ~own else c
        raise AssertionError("no leaf is left: a row reaches one")

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
        """Give how many outcomes a purchase can have."""
        return math.prod(len(self.masks[k]) for k in purchase.features)

    def within(self, leaves: int, sides: Sequence[int]) -> int:
        """Give what is left of a set of leaves when bins are known, as bits by feature."""
        for side, masks in zip(sides, self.masks, strict=True):
            leaves &= _union(mask for b, mask in enumerate(masks) if side >> b & 1)
        return leaves

    def separates(self, leaves: int, k: int) -> bool:
        """Whether some bin of a feature excludes some of the leaves."""
        return any(leaves & ~mask for mask in self.masks[k])

    def matters(self, leaves: int, k: int) -> bool:
        """Whether a feature can still change the class of a row that reaches these leaves.

        It can iff two of them have different classes and are apart in that feature alone. Cost:
        leaves x features, on words of bits.
        """
        for own in self.classes:
            left = leaves & own
            while left:
                leaf = (left & -left).bit_length() - 1
                left &= left - 1
                rivals = leaves & ~own & ~self._meeting(k, leaf)
                for j in range(len(self.masks)):
                    if j != k and rivals:
                        rivals &= self._meeting(j, leaf)
                if rivals:
                    return True
        return False

    def _meeting(self, k: int, leaf: int) -> int:
        """Give the leaves that share a bin of a feature with a leaf."""
        found = self._met.get((k, leaf))
        if found is None:
            found = _union(mask for mask in self.masks[k] if mask >> leaf & 1)
            self._met[k, leaf] = found
        return found

    def asked_next(self, leaves: int) -> int:
        """Give the feature that the tree asks next where it matters; the leaves have two classes.

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

    def asked_on_path(self, known: Mapping[int, int]) -> int:
        """Give the feature that the tree asks about next, -1 at a leaf."""
        return self._tree[0][self.past(known)]

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
