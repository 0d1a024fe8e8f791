"""Bins: the conditions of a tree cut each feature's values into bins.

In:  a ``Tree``.
Out: ``Bins``: the same tree over bins, for the core; and the way back from boxes and trees over
     bins to intervals and sets of values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from .arrays import BinNodes, Layout
from .box import Side
from .space import Feature, Label

if TYPE_CHECKING:
    from .tree import Tree

__all__ = ["Bins", "Side"]

MOST_BINS = 65_535


def _order_of_label(label: Label) -> tuple[int, Any]:
    return (1, label) if isinstance(label, str) else (0, float(label))


class Bins:
    """A tree's features, cut into bins, in the order of their names.

    Equal functions give the same boxes in the same order, whatever the order of the columns.

    Attributes
    ----------
    features : tuple of Feature
        The tree's features, sorted by name.
    cuts : list of arrays
        Ordered features: the sorted thresholds; bin i lies above cut i - 1 and at most at cut i.
    groups : list of lists of tuples
        Categorical features: per bin the numbers of the values that no condition tells apart.
    layout : Layout
        What the core needs to know of the bins.
    nodes : BinNodes
        The tree over bins, for the core.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        order = sorted(tree.used, key=lambda i: tree.space.features[i].name)
        self.features: tuple[Feature, ...] = tuple(tree.space.features[i] for i in order)
        self.cuts: list[NDArray[np.float64]] = []
        self.groups: list[list[tuple[int, ...]]] = []
        place = np.full(len(tree.space) + 1, -1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        feature = place[tree.feature]
        cut = np.full(tree.n_nodes, -1, dtype=np.int32)
        sets: dict[int, list[int]] = {}
        for k, own in enumerate(self.features):
            nodes = np.flatnonzero(feature == k)
            if own.ordered:
                thresholds = np.unique(tree.threshold[nodes])
                self.cuts.append(thresholds[np.isfinite(thresholds)])
                self.groups.append([])
                # "At most -inf" is bin -1, "at most inf" the last bin.
                cut[nodes] = np.searchsorted(self.cuts[k], tree.threshold[nodes])
                cut[nodes[np.isneginf(tree.threshold[nodes])]] = -1
            else:
                self.cuts.append(np.zeros(0))
                self.groups.append(self._group(own, nodes))
                for node in nodes.tolist():
                    inside = set(tree.set_of(node).tolist())
                    sets[node] = [b for b, g in enumerate(self.groups[k]) if g[0] in inside]
        n_bins = [
            len(c) + 1 if f.ordered else len(g)
            for f, c, g in zip(self.features, self.cuts, self.groups, strict=True)
        ]
        if n_bins and max(n_bins) > MOST_BINS:
            raise InvalidTree(
                f"the tree cuts one feature into {max(n_bins):,} intervals, or groups of "
                f"categories, and this works with at most {MOST_BINS:,}: use a smaller tree"
            )
        self.layout = Layout(
            np.array([f.ordered for f in self.features], dtype=np.uint8),
            np.array([f.nan for f in self.features], dtype=np.uint8),
            np.array(n_bins, dtype=np.int32),
        )
        sizes = np.zeros(tree.n_nodes + 1, dtype=np.int64)
        for node, inside_bins in sets.items():
            sizes[node + 1] = len(inside_bins)
        flat = [b for node in sorted(sets) for b in sets[node]]
        self.nodes = BinNodes(
            feature,
            cut,
            tree.nan_true,
            tree.when_true,
            tree.when_false,
            tree.leaf_class,
            np.cumsum(sizes),
            np.array(flat, dtype=np.int32),
        )
        self._slots = np.concatenate([[0], np.cumsum(self._widths())]).astype(int)

    def _group(self, feature: Feature, nodes: NDArray[Any]) -> list[tuple[int, ...]]:
        """Put together the values that no condition tells apart, first value first."""
        n = len(feature.categories)
        order = sorted(range(n), key=lambda code: _order_of_label(feature.categories[code]))
        inside = [set(self.tree.set_of(node).tolist()) for node in nodes.tolist()]
        groups: dict[tuple[bool, ...], list[int]] = {}
        for code in [*order, *range(n, feature.n_values)]:
            groups.setdefault(tuple(code in values for values in inside), []).append(code)
        return [tuple(group) for group in groups.values()]

    def _widths(self) -> list[int]:
        return [
            (3 if f.nan else 2) if f.ordered else (len(g) + 15) // 16
            for f, g in zip(self.features, self.groups, strict=True)
        ]

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Per feature its bins, and one more, the last, where NaN is a value of numbers."""
        nan = (f.ordered and f.nan for f in self.features)
        return tuple(int(n) + more for n, more in zip(self.layout.n_bins, nan, strict=True))

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Per feature its position in the tree's space."""
        return tuple(self.tree.space.index(feature.name) for feature in self.features)

    def holds(self, node: int) -> NDArray[np.bool_]:
        """Tell in which bins of its feature the condition of an inner node holds."""
        nodes = self.nodes
        k = int(nodes.feature[node])
        out = np.zeros(self.widths[k], dtype=bool)
        if self.features[k].ordered:
            out[: nodes.cut[node] + 1] = True
            if self.features[k].nan:
                out[-1] = bool(nodes.nan_true[node])
        else:
            out[nodes.set_bins[nodes.set_start[node] : nodes.set_start[node + 1]]] = True
        return out

    def sides(self, box: NDArray[np.uint16]) -> tuple[Side, ...]:
        """Give what a box says of each feature, leaving out features of which it says nothing."""
        sides = (self._side(k, box) for k in range(len(self.features)))
        return tuple(side for side in sides if not side.is_whole)

    def _side(self, k: int, box: NDArray[np.uint16]) -> Side:
        feature = self.features[k]
        slots = box[self._slots[k] : self._slots[k + 1]].tolist()
        if feature.ordered:
            low, high = slots[0], slots[1]
            cuts = self.cuts[k]
            nan = bool(feature.nan and slots[2])
            if low > high:
                return Side(feature, 0.0, 0.0, nan)
            lower = float(cuts[low - 1]) if low > 0 else -math.inf
            upper = float(cuts[high]) if high < len(cuts) else math.inf
            return Side(feature, lower, upper, nan)
        codes = [
            code
            for b, group in enumerate(self.groups[k])
            if slots[b // 16] >> (b % 16) & 1
            for code in group
        ]
        return Side(feature, codes=tuple(sorted(codes)))

    @property
    def n_slots(self) -> int:
        """How many numbers a box takes."""
        return int(self._slots[-1])

    def box(self, sides: Iterable[Side]) -> NDArray[np.uint16]:
        """Give the box that says this, as ``sides`` reads it; refuse what is no box of bins."""
        out = _whole_box(self.layout)
        place = {feature.name: k for k, feature in enumerate(self.features)}
        for side in sides:
            if side.is_whole:
                continue
            k = place.get(side.feature.name)
            slots = None if k is None else self._slots_of(k, side)
            if k is None or slots is None:
                raise InvalidTree(
                    f"a condition on {side.feature.name!r} does not begin and end where the "
                    "tree's conditions do"
                )
            out[self._slots[k] : self._slots[k + 1]] = slots
        return out

    def _slots_of(self, k: int, side: Side) -> list[int] | None:
        """Write a side down, as the core does; None if it ends inside a bin."""
        if not side.feature.ordered:
            inside = set(side.codes)
            slots = [0] * ((len(self.groups[k]) + 15) // 16)
            for b, group in enumerate(self.groups[k]):
                here = inside.intersection(group)
                if here and len(here) < len(group):
                    return None
                slots[b // 16] |= bool(here) << b % 16
            return slots
        nan = [int(side.nan)] if side.feature.nan else []
        if not side.lower < side.upper:
            return [1, 0, *nan]
        low, high = side.feature.bounds
        cuts = [-math.inf, *self.cuts[k].tolist(), math.inf]
        ends = [
            -math.inf if side.lower <= low else side.lower,
            math.inf if side.upper >= high else side.upper,
        ]
        if not all(end in cuts for end in ends):
            return None
        return [cuts.index(ends[0]), cuts.index(ends[1]) - 1, *nan]

    def tree_of(self, nodes: BinNodes) -> Tree:
        """Give a tree over these bins, as the core writes it, over the features again."""
        space = self.tree.space
        feature, cut, set_start = nodes.feature, nodes.cut, nodes.set_start
        place = np.array([*(space.index(f.name) for f in self.features), -1], dtype=np.int32)
        threshold = np.zeros(len(feature))
        sets: dict[int, list[int]] = {}
        for node in np.flatnonzero(feature >= 0).tolist():
            k = int(feature[node])
            if self.features[k].ordered:
                cuts = self.cuts[k]
                threshold[node] = cuts[cut[node]] if cut[node] < len(cuts) else np.inf
            else:
                inside = nodes.set_bins[set_start[node] : set_start[node + 1]].tolist()
                sets[node] = sorted(code for b in inside for code in self.groups[k][b])
        return type(self.tree)(
            space,
            self.tree.classes,
            feature=place[feature],
            threshold=threshold,
            when_true=nodes.when_true,
            when_false=nodes.when_false,
            leaf_class=nodes.leaf_class,
            nan_true=nodes.nan_true,
            sets=sets,
        )


def _whole_box(layout: Layout) -> NDArray[np.uint16]:
    """Give the box that is the whole space, as the core writes it."""
    slots: list[int] = []
    for ordered, nan, n_bins in zip(*(array.tolist() for array in layout), strict=True):
        if ordered:
            slots += [0, n_bins - 1, *([1] if nan else [])]
        else:
            bits = (1 << n_bins) - 1
            slots += [bits >> 16 * i & 0xFFFF for i in range((n_bins + 15) // 16)]
    return np.array(slots, dtype=np.uint16)
