"""Bins: the conditions of a tree cut each feature's values into bins. Boxes: some bins of each.

In:  a ``TreeKernel`` or a ``SumKernel``; what the core, a row or a file says of each feature.
Out: ``Bins``: the same tree over bins, for the core, and the way back from bins to intervals and
     sets of values. ``Box``: bits to compute with, slots for the core, sides and words for people.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidTree
from .arrays import BinNodes, Layout
from .feature import Column, Feature, Label, Side
from .numbers import row_boundary
from .words import sides_text

if TYPE_CHECKING:
    from .ensemble import SumKernel
    from .space import Space
    from .tree import TreeKernel

__all__ = ["Bins", "Box", "as_bits", "ends", "ones"]


class BinReaders:
    """Parts of ``Bins`` that are not pickled."""

    tree: TreeKernel
    features: tuple[Feature, ...]
    positions: tuple[int, ...]
    cuts: list[NDArray[np.float64]]
    groups: list[list[tuple[int, ...]]]
    layout: Layout
    nodes: BinNodes
    _slots: list[int]
    _read: dict[tuple[int, ...], int]

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """By feature its position in the space, for the core."""
        return np.array(self.positions, dtype=np.int32)

    @cached_property
    def row_cuts(self) -> list[NDArray[np.float64]]:
        """By feature the largest numbers that rows may hold below each cut; see row_boundary."""
        return [row_boundary(c, f.values) for f, c in zip(self.features, self.cuts, strict=True)]

    @cached_property
    def reader(self) -> _core.rows.RowReader | None:
        """What reads single rows in the core; None where that takes more than it can."""
        return row_reader(self.tree.space, range(len(self.tree.space.features)))[0]

    @cached_property
    def explainer(self) -> _core.reasons.Explainer:
        """What explains rows in the core."""
        space = self.tree.space
        place = row_reader(space, range(len(space.features)))[1]
        groups = []
        for own, bins in zip(self.features, self.groups, strict=True):
            group = np.zeros(own.n_values, dtype=np.int32)
            for b, codes in enumerate(bins):
                group[list(codes)] = b
            groups.append(group)
        columns = np.maximum(place[self.places], 0)  # -1 where no reader is
        return _core.reasons.Explainer(self.nodes, self.layout, self.row_cuts, groups, columns)

    def __getstate__(self) -> dict[str, Any]:
        made_again = ("places", "row_cuts", "reader", "explainer")
        return {name: own for name, own in vars(self).items() if name not in made_again}


def row_reader(
    space: Space, used: Iterable[int]
) -> tuple[_core.rows.RowReader | None, NDArray[np.int32]]:
    """Give what reads single rows in the core, and by feature its column, -1: not read.

    None if a feature is not just a column of its own name, or if there are facts between features.
    """
    place = np.full(len(space.features), -1, dtype=np.int32)
    features: list[tuple[Any, ...] | None] = [None] * len(space.columns)
    if space.domain.restricts:
        return None, place
    for i in used:
        own = space.features[i]
        at = space.columns_of[own.name]
        if len(at) != 1 or space.columns[at[0]] != Column(own.name, own.name):
            return None, place
        place[i] = at[0]
        features[at[0]] = _cell(own)
    more = set(space.names).difference(space.column_names)
    names = [*space.column_names, *sorted(more)]
    return _core.rows.RowReader(names, features, len(space.columns)), place


def _cell(own: Feature) -> tuple[Any, ...]:
    """Say how the core reads a value of a feature."""
    codes = {label: code for code, label in enumerate(own.categories)}
    missing = len(own.categories) + own.other if own.nan else -1
    return (own.ordered, own.nan, own.whole, *own.bounds, codes, missing)


MOST_BINS = 65_535
Slots = NDArray[np.uint16] | None


def _order_of_label(label: Label) -> tuple[int, Any]:
    return (1, label) if isinstance(label, str) else (0, float(label))


class Bins(BinReaders):
    """A tree's features, cut into bins, in the order of their names.

    Equal functions give the same boxes in the same order, whatever the order of the columns.

    Attributes
    ----------
    features : tuple of Feature
        The tree's features, sorted by name.
    positions : tuple of int
        Per feature its position in the tree's space.
    cuts : list of arrays
        Ordered features: the sorted thresholds; bin i lies above cut i - 1 and at most at cut i.
    groups : list of lists of tuples
        Categorical features: per bin the numbers of the values that no condition distinguishes.
    layout : Layout
        What the core needs to know of the bins.
    nodes : BinNodes
        The tree over bins, for the core.
    """

    def __init__(self, tree: TreeKernel | SumKernel) -> None:
        self.tree = cast("TreeKernel", tree)  # an ensemble has what is asked of it here
        held = getattr(tree, "held", None)
        cut = None if held is None else _core.bins.cut_tree(held, tree.space.held)
        if cut is None:
            self._cut_here()
        else:
            self._take(cut)

    def _take(self, cut: _core.bins.CutTree) -> None:
        """Take over what the core cut."""
        own = self.tree.space.features
        self.positions = cut.positions
        self.features = tuple(own[i] for i in cut.positions)
        self.cuts = cut.cuts
        self.groups = [[] for _ in cut.cuts]
        self.layout = Layout(*cut.layout)
        self.nodes = BinNodes(*cut.nodes)
        self._slots = [0, *itertools.accumulate(self._slot_counts())]
        self._read = {}

    def _cut_here(self) -> None:
        """Cut the features at the conditions of the tree, also those that are categorical."""
        tree = self.tree
        own_nodes = tree.nodes
        order = sorted(tree.used, key=lambda i: tree.space.features[i].name)
        self.positions = tuple(order)
        self.features = tuple(tree.space.features[i] for i in order)
        self.cuts = []
        self.groups = []
        place = np.full(len(tree.space.features) + 1, -1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        feature = place[own_nodes.feature]
        cut = np.full(len(feature), -1, dtype=np.int32)
        sets: dict[int, list[int]] = {}
        for k, own in enumerate(self.features):
            nodes = np.flatnonzero(feature == k)
            if own.ordered:
                thresholds = np.unique(own_nodes.threshold[nodes])
                self.cuts.append(thresholds[np.isfinite(thresholds)])
                self.groups.append([])
                # "At most -inf" is bin -1, "at most inf" the last bin.
                cut[nodes] = np.searchsorted(self.cuts[k], own_nodes.threshold[nodes])
                cut[nodes[np.isneginf(own_nodes.threshold[nodes])]] = -1
            else:
                self.cuts.append(np.zeros(0))
                self.groups.append(self._group(own, nodes))
                for node in nodes.tolist():
                    inside = self._values(node)
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
        sizes = np.zeros(len(feature) + 1, dtype=np.int64)
        for node, inside_bins in sets.items():
            sizes[node + 1] = len(inside_bins)
        flat = [b for node in sorted(sets) for b in sets[node]]
        self.nodes = BinNodes(
            feature,
            cut,
            own_nodes.nan_true,
            own_nodes.when_true,
            own_nodes.when_false,
            own_nodes.leaf_class,
            np.cumsum(sizes),
            np.array(flat, dtype=np.int32),
        )
        self._slots = [0, *itertools.accumulate(self._slot_counts())]
        self._read = {}

    def _values(self, node: int) -> set[int]:
        """Give the numbers of the values for which a node's condition holds."""
        start, values = self.tree.nodes.set_start, self.tree.nodes.set_values
        return set(values[start[node] : start[node + 1]].tolist())

    def _group(self, feature: Feature, nodes: NDArray[Any]) -> list[tuple[int, ...]]:
        """Put together the values that no condition distinguishes, first value first."""
        n = len(feature.categories)
        order = sorted(range(n), key=lambda code: _order_of_label(feature.categories[code]))
        inside = [self._values(node) for node in nodes.tolist()]
        groups: dict[tuple[bool, ...], list[int]] = {}
        for code in [*order, *range(n, feature.n_values)]:
            groups.setdefault(tuple(code in values for values in inside), []).append(code)
        return [tuple(group) for group in groups.values()]

    def _slot_counts(self) -> list[int]:
        return [
            (3 if f.nan else 2) if f.ordered else (len(g) + 15) // 16
            for f, g in zip(self.features, self.groups, strict=True)
        ]

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Per feature its bins, and one more, the last, where NaN is a value of numbers."""
        nan = (f.ordered and f.nan for f in self.features)
        return tuple(int(n) + more for n, more in zip(self.layout.n_bins, nan, strict=True))

    def holds(self, node: int, nodes: BinNodes | None = None) -> NDArray[np.bool_]:
        """Tell in which bins of its feature the condition of an inner node holds.

        ``nodes``: of another tree over these bins.
        """
        nodes = self.nodes if nodes is None else nodes
        k = int(nodes.feature[node])
        out = np.zeros(self.widths[k], dtype=bool)
        if self.features[k].ordered:
            out[: nodes.cut[node] + 1] = True
            if self.features[k].nan:
                out[-1] = bool(nodes.nan_true[node])
        else:
            out[nodes.set_bins[nodes.set_start[node] : nodes.set_start[node + 1]]] = True
        return out

    # -- a side of a box: bits, slots of the core, and what it says ------------------------------

    def slots_of(self, k: int) -> slice:
        """Give where a feature stands among the numbers that the core writes for a box."""
        return slice(self._slots[k], self._slots[k + 1])

    @property
    def n_slots(self) -> int:
        """How many numbers the core writes for a box."""
        return self._slots[-1]

    def every_bin(self, k: int) -> int:
        """Give all bins of a feature, as bits."""
        return (1 << self.widths[k]) - 1

    def nan_bit(self, k: int) -> int:
        """Give the bit of NaN, where it is a value of numbers; else 0."""
        own = self.features[k]
        return 1 << self.widths[k] - 1 if own.ordered and own.nan else 0

    def bits(self, k: int, slots: Sequence[int]) -> int:
        """Read what the core writes of a feature: two ends and NaN, or words of 16 bins."""
        if not self.features[k].ordered:
            return sum(word << 16 * i for i, word in enumerate(slots))
        return ones(slots[0], slots[1]) | (self.nan_bit(k) if len(slots) > 2 and slots[2] else 0)

    def read_slots(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Read what the core writes of a box. Few sides are different: each is read once."""
        out = []
        for k, start in enumerate(self._slots[:-1]):
            own = (k, *numbers[start : self._slots[k + 1]])
            if own not in self._read:
                self._read[own] = self.bits(k, own[1:])
            out.append(self._read[own])
        return tuple(out)

    def slots(self, k: int, bits: int) -> list[int]:
        """Write bits as the core does."""
        if not self.features[k].ordered:
            return [bits >> 16 * i & 0xFFFF for i in range(self._slots[k + 1] - self._slots[k])]
        nan = self.nan_bit(k)
        return [*(ends(bits & ~nan) or (1, 0)), *([int(bool(bits & nan))] if nan else [])]

    def side(self, k: int, bits: int) -> Side:
        """Give what bits say of a feature."""
        feature, nan = self.features[k], self.nan_bit(k)
        if not feature.ordered:
            inside = (group for b, group in enumerate(self.groups[k]) if bits >> b & 1)
            return Side(feature, codes=tuple(sorted(code for group in inside for code in group)))
        interval = ends(bits & ~nan)
        if interval is None:
            return Side(feature, 0.0, 0.0, bool(bits & nan))
        first, last = interval
        cuts = self.cuts[k]
        lower = float(cuts[first - 1]) if first > 0 else -math.inf
        upper = float(cuts[last]) if last < len(cuts) else math.inf
        return Side(feature, lower, upper, bool(bits & nan))

    def shown(self, side: Side) -> Side:
        """Give a side as people are to see it."""
        return side

    def bits_of(self, k: int, side: Side) -> int | None:
        """Give the bins of a side; None if it begins or ends inside a bin."""
        if not side.feature.ordered:
            inside = set(side.codes)
            shares = [len(inside.intersection(group)) for group in self.groups[k]]
            if any(0 < n < len(g) for n, g in zip(shares, self.groups[k], strict=True)):
                return None
            return sum(1 << b for b, n in enumerate(shares) if n)
        nan = self.nan_bit(k) if side.nan else 0
        if not side.lower < side.upper:
            return nan
        low, high = side.feature.bounds
        cuts = [-math.inf, *self.cuts[k].tolist(), math.inf]
        lower = -math.inf if side.lower <= low else side.lower
        upper = math.inf if side.upper >= high else side.upper
        if lower not in cuts or upper not in cuts:
            return None
        return ones(cuts.index(lower), cuts.index(upper) - 1) | nan

    def to_list(self) -> list[dict[str, Any]]:
        """Give what JSON needs to write down which values each bin has (docs/formats)."""
        return [
            {"feature": f.name, "cuts": cuts.tolist()}
            if f.ordered
            else {"feature": f.name, "values": [list(group) for group in groups]}
            for f, cuts, groups in zip(self.features, self.cuts, self.groups, strict=True)
        ]

    # -- trees -----------------------------------------------------------------------------------

    def over_features(self, nodes: BinNodes) -> dict[str, Any]:
        """Give what ``Tree.replace`` takes for a tree over these bins, as the core writes it."""
        feature, cut, set_start = nodes.feature, nodes.cut, nodes.set_start
        place = np.array([*self.positions, -1], dtype=np.int32)
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
        return {
            "feature": place[feature],
            "threshold": threshold,
            "when_true": nodes.when_true,
            "when_false": nodes.when_false,
            "leaf_class": nodes.leaf_class,
            "nan_true": nodes.nan_true,
            "sets": sets,
            "distribution": None,
        }


class Box:
    """Some of the bins of each feature of a tree; a row lies in it or not.

    Parameters
    ----------
    bins : Bins
    bits : sequence of int
        Per feature of ``bins``, bit b for bin b; NaN, where it is a value of numbers, comes last.
    """

    __slots__ = ("_bits", "_written", "bins")

    def __init__(self, bins: Bins, bits: Sequence[int] | None, written: Slots = None) -> None:
        self.bins = bins
        self._bits = None if bits is None else tuple(bits)
        self._written = written

    @classmethod
    def of_slots(cls, bins: Bins, table: Iterable[NDArray[np.uint16]]) -> list[Box]:
        """Give the boxes of the rows of a table of the core's; each is read when asked for."""
        return [cls(bins, None, slots) for slots in table]

    def __reduce__(self) -> tuple[Any, ...]:
        return Box, (self.bins, self.bits)

    @property
    def bits(self) -> tuple[int, ...]:
        """Per feature of ``bins`` its bins, as bits."""
        if self._bits is None:
            assert self._written is not None
            self._bits, self._written = self.bins.read_slots(self._written.tolist()), None
        return self._bits

    @classmethod
    def of_sides(cls, bins: Bins, sides: Iterable[Side]) -> Box:
        """Give the box that says this; refuse sides that begin or end inside a bin."""
        bits = [bins.every_bin(k) for k in range(len(bins.features))]
        place = {feature.name: k for k, feature in enumerate(bins.features)}
        for side in sides:
            if side.is_whole:
                continue
            k = place.get(side.feature.name)
            own = None if k is None else bins.bits_of(k, side)
            if k is None or own is None:
                raise InvalidTree(
                    f"a condition on {side.feature.name!r} does not begin and end where the "
                    "tree's conditions do"
                )
            bits[k] = own
        return cls(bins, bits)

    @property
    def slots(self) -> NDArray[np.uint16]:
        """The box as the core writes it."""
        parts = (self.bins.slots(k, own) for k, own in enumerate(self.bits))
        return np.array([slot for part in parts for slot in part], dtype=np.uint16)

    @property
    def sides(self) -> tuple[Side, ...]:
        """What it says of each feature, leaving out features of which it says nothing."""
        return tuple(
            self.bins.shown(self.bins.side(k, own))
            for k, own in enumerate(self.bits)
            if own != self.bins.every_bin(k)
        )

    def flags(self, k: int) -> NDArray[np.bool_]:
        """Tell which bins of a feature are in."""
        width = self.bins.widths[k]
        octets = np.frombuffer(self.bits[k].to_bytes((width + 7) // 8, "little"), dtype=np.uint8)
        return np.unpackbits(octets, count=width, bitorder="little").astype(bool)

    def __str__(self) -> str:
        return sides_text(self.sides)

    def __repr__(self) -> str:
        return f"Box({self})"


def ones(first: int, last: int) -> int:
    """Give the bins from the first to the last, as bits.

    Examples
    --------
    >>> bin(ones(1, 3))
    '0b1110'
    """
    return ((1 << (last - first + 1)) - 1) << first if last >= first else 0


def ends(bits: int) -> tuple[int, int] | None:
    """Give the first and the last of some bins; None if there are none.

    Examples
    --------
    >>> ends(0b1110)
    (1, 3)
    """
    return ((bits & -bits).bit_length() - 1, bits.bit_length() - 1) if bits else None


def as_bits(flags: NDArray[np.bool_]) -> int:
    """Give flags as one whole number: bit b for flag b."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
