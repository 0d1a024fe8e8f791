"""One row among the leaves of a tree: which it can reach, and how far it is from the others.

In:  one row, as a box over the bins of a tree.
Out: ``RowLeaves``: the classes the row can get; which leaves a box around the row misses, and on
     which features; the fewest features whose change gives another class.

A side of a box is a whole number here: bit b for bin b, and one more bit for NaN where NaN is a
value. A set of leaves is a whole number too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import TooManyReasons, setting
from ..model import Box, as_bits, ends, ones
from .term import Term

__all__ = ["RowLeaves", "Sides", "Way"]

Sides = tuple[int, ...]
Way = tuple[int, int]  # a feature, and what a box keeps of it
REMEMBERED = 100_000


class RowLeaves:
    """One row among the leaves of a tree.

    Parameters
    ----------
    row : Box
        Over the bins of the tree.

    Attributes
    ----------
    row : tuple of int
        The row's side of each feature of ``bins``.
    possible : list of int
        The classes that the row can get, by number; one if it is determined.
    """

    def __init__(self, row: Box) -> None:
        self.bins = bins = row.bins
        self.row = row.bits
        features = range(len(bins.features))
        self.ordered = [feature.ordered for feature in bins.features]
        self.n_bins: list[int] = bins.layout.n_bins.tolist()
        self.nan = [bins.nan_bit(k) for k in features]
        self.full = [bins.every_bin(k) for k in features]
        # Whether the row may be a number; where it is NaN alone, a box's numbers need not touch it.
        self.some = [bool(r & ~v) for r, v in zip(self.row, self.nan, strict=True)]
        self._memory: dict[tuple[str, int, int], int] = {}
        self._zone_memory: dict[Way, list[int]] = {}
        self._read_leaves()

    # -- the leaves ----------------------------------------------------------------------------

    def _read_leaves(self) -> None:
        n_classes = len(self.bins.tree.classes)
        leaves, self._table = _core.bins.leaf_boxes(self.bins.nodes, self.bins.layout, n_classes)
        self._leaf_node = leaves
        self._leaf_class = self.bins.tree.leaf_class[leaves]
        features = range(len(self.full))
        self._missed = np.zeros((len(leaves), len(features)), dtype=bool)
        keys = []
        for k in features:
            self._missed[:, k], key = self._key(k)
            keys.append(key)
        met = ~self._missed.any(axis=1)
        self.possible: list[int] = np.unique(self._leaf_class[met]).tolist()
        self._sides: list[list[tuple[int, int]]] = [[] for _ in features]
        self._ids = np.zeros((0, len(features)), dtype=np.int64)
        self.all = 0
        if len(self.possible) != 1:
            return
        others = np.flatnonzero(self._leaf_class != self.possible[0])
        if len(others) == 0:
            return
        ids = np.full((len(others), len(features)), -1)
        sides: list[list[int]] = []
        for k in features:
            missed = self._missed[others, k]
            distinct, ids[missed, k] = _distinct(keys[k][others[missed]])
            sides.append([self.bins.bits(k, key) for key in distinct.tolist()])
        ids = np.unique(ids, axis=0)  # leaves that are missed alike are one
        self._ids = ids[np.argsort((ids >= 0).sum(axis=1), kind="stable")]
        self.all = ones(0, len(ids) - 1)
        self._sides = [
            [(side, as_bits(self._ids[:, k] == i)) for i, side in enumerate(sides[k])]
            for k in features
        ]

    def _key(self, k: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Tell which leaves the row misses on a feature, and on which part of it they lie."""
        columns = self._table[:, self.bins.slots_of(k)].astype(np.int64)
        if not self.ordered[k]:
            words = np.array(self.bins.slots(k, self.row[k]))
            return ~(columns & words).any(axis=1), columns
        low, high = columns[:, 0], columns[:, 1]
        nan = columns[:, 2] if self.nan[k] else np.zeros_like(low)
        some = low <= high
        met = (nan == 1) & bool(self.row[k] & self.nan[k])
        if not self.some[k]:
            return ~met, np.stack([low, high, nan], axis=1)
        first, last = self._ends(k, self.row[k])
        above, below = some & (low > last), some & (high < first)
        met |= some & ~above & ~below
        # What lies behind the near end of a leaf never matters.
        low = np.where(above, low, np.where(below, 0, 1))
        high = np.where(above, self.n_bins[k] - 1, np.where(below, high, 0))
        return ~met, np.stack([low, high, nan], axis=1)

    def _leaf_side(self, leaf: int, k: int) -> int:
        """Give the side of a leaf, as it is."""
        return self.bins.bits(k, self._table[leaf, self.bins.slots_of(k)].tolist())

    def _ends(self, k: int, side: int) -> tuple[int, int]:
        return ends(side & ~self.nan[k]) or (-1, -1)

    # -- what a side misses --------------------------------------------------------------------

    def misses(self, k: int, side: int) -> int:
        """Give the leaves that a side misses."""
        return self._remember("misses", k, side)

    def touches(self, k: int, part: int) -> int:
        """Give the leaves, of those that the row misses on the feature, which have some of this."""
        return self._remember("touches", k, part)

    def _remember(self, what: str, k: int, side: int) -> int:
        found = self._memory.get((what, k, side))
        if found is None:
            if len(self._memory) > REMEMBERED:
                self._memory.clear()
            touching = what == "touches"
            found = 0
            for leaf_side, bits in self._sides[k]:
                if bool(leaf_side & side) == touching:
                    found |= bits
            self._memory[what, k, side] = found
        return found

    def zones(self, k: int, side: int) -> list[int]:
        """Give the parts that must each be touched by a leaf which no other feature misses.

        That is what makes a box maximal. A box that still shrinks may end anywhere between the row
        and the first bin beyond its end, so that whole stretch is one part; when no leaf is met any
        more, only its last bin can be touched, and the test is exact.
        """
        found = self._zone_memory.get((k, side))
        if found is not None:
            return found
        n, nan = self.n_bins[k], self.nan[k]
        found = [nan] if nan & ~side else []
        numbers = side & ~nan
        if not self.ordered[k] or not numbers:
            found += [1 << b for b in range(n) if not side >> b & 1]
        else:
            first, last = self._ends(k, side)
            row_first, row_last = self._ends(k, self.row[k]) if self.some[k] else (last, first)
            if last < n - 1:
                found.append(ones(row_last + 1, last + 1))
            if first > 0:
                found.append(ones(first - 1, row_first - 1))
        if len(self._zone_memory) > REMEMBERED:
            self._zone_memory.clear()
        self._zone_memory[k, side] = found
        return found

    def ways(self, leaf: int) -> list[Way]:
        """Give the ways in which a box around the row can miss a leaf."""
        ways: list[Way] = []
        for k, i in enumerate(self._ids[leaf].tolist()):
            if i < 0:
                continue
            side = self._sides[k][i][0]
            if not self.ordered[k] or self.some[k]:
                ways.append((k, self.full[k] & ~side))
                continue
            first, last = self._ends(k, side)  # NaN alone: stay below the leaf, or above it
            keeps = [ones(0, first - 1), ones(last + 1, self.n_bins[k] - 1)]
            ways += [(k, keep | self.nan[k]) for keep in keeps if keep] or [(k, self.nan[k])]
        return ways

    def side_of(self, leaf: int, k: int) -> int:
        """Give a leaf's side on a feature on which the row misses it, up to the far end."""
        return self._sides[k][int(self._ids[leaf, k])][0]

    # -- results -------------------------------------------------------------------------------

    def term(self, sides: Sides) -> Term:
        """Give a box as a term."""
        return Term(Box(self.bins, sides))

    @property
    def unsettled(self) -> list[int]:
        """Features whose unknown values decide: two leaves of different classes differ on it only.

        Exact: rows that differ on one feature only lie in leaves that meet on all others. Quadratic
        in the leaves that the row reaches.
        """
        return self._unsettled(np.flatnonzero(~self._missed.any(axis=1)))

    def unsettled_among(self, leaves: NDArray[np.bool_]) -> list[int]:
        """Features whose unknown values decide, where facts leave some leaves (in their order).

        Where no two leaves of different classes differ on one feature only, all on which two do.
        """
        number = {node: at for at, node in enumerate(self.bins.tree.leaves())}
        kept = np.array([leaves[number[node]] for node in self._leaf_node.tolist()], dtype=bool)
        met = np.flatnonzero(~self._missed.any(axis=1) & kept)
        return self._unsettled(met) or self._unsettled(met, any_number=True)

    def _unsettled(self, met: NDArray[np.intp], any_number: bool = False) -> list[int]:
        count = np.zeros((len(met), len(met)), dtype=np.int32)
        apart = []
        for k, row in enumerate(self.row):
            sides = [row & self._leaf_side(leaf, k) for leaf in met.tolist()]
            distinct = list(dict.fromkeys(sides))
            number = {side: i for i, side in enumerate(distinct)}
            which = np.array([number[side] for side in sides])
            differ = np.array([[not a & b for b in distinct] for a in distinct], dtype=bool)
            apart.append((differ, which))
            count += differ[np.ix_(which, which)]
        label = self._leaf_class[met]
        decides = (label[:, None] != label) & ((count == 1) | any_number)
        return [
            k
            for k, (differ, which) in enumerate(apart)
            if differ.any() and (decides & differ[np.ix_(which, which)]).any()
        ]

    @property
    def necessary(self) -> list[int]:
        """Features that alone keep some leaf of another class away."""
        alone = self._ids[(self._ids >= 0).sum(axis=1) == 1]
        return [k for k in range(len(self.full)) if (alone[:, k] >= 0).any()]

    def changes(self, limit: int) -> list[tuple[tuple[int, ...], int, Sides, bool]]:
        """Give the fewest features to change: (features, class, largest box, whether certain).

        A leaf is reached by changing exactly the features on which the row misses it. Its ranges
        are then widened: the leaves of one class, cut down to the changed features, are joined
        pairwise (consensus, with absorption) until no join is new, which gives every largest box.
        """
        if len(self.possible) != 1 or not self.all:
            return []
        size = self._missed.sum(axis=1)
        others = self._leaf_class != self.possible[0]
        groups: dict[tuple[tuple[int, ...], int], set[Sides]] = {}
        for leaf in np.flatnonzero(others & (size == size[others].min())).tolist():
            features = tuple(np.flatnonzero(self._missed[leaf]).tolist())
            box = tuple(self._leaf_side(leaf, k) for k in features)
            groups.setdefault((features, int(self._leaf_class[leaf])), set()).add(box)
        out = []
        for (features, label), boxes in sorted(groups.items()):
            for box in self._widened(features, boxes, limit):
                sides = list(self.full)
                for k, side in zip(features, box, strict=True):
                    sides[k] = side
                certain = self._certain(features, label, box)
                out.append((features, label, tuple(sides), certain))
        return out

    def allowed_changes(
        self, allowed: Sequence[int], labels: frozenset[int], limit: int
    ) -> list[tuple[tuple[int, ...], int, Sides, bool]]:
        """Give all minimal sets of features to change: (features, class, box on them, certain).

        ``allowed`` has for each feature the bins that it may be changed to, and ``labels`` the
        classes that count.
        """
        if len(self.possible) != 1 or not self.all:
            return []
        reached: dict[tuple[int, ...], dict[int, set[Sides]]] = {}
        for leaf in np.flatnonzero(np.isin(self._leaf_class, sorted(labels))).tolist():
            features = tuple(np.flatnonzero(self._missed[leaf]).tolist())
            box = tuple(self._leaf_side(leaf, k) & allowed[k] for k in features)
            if all(box):
                own = reached.setdefault(features, {})
                own.setdefault(int(self._leaf_class[leaf]), set()).add(box)
        minimal: list[tuple[int, ...]] = []
        for features in sorted(reached, key=lambda own: (len(own), own)):
            if not any(set(less) <= set(features) for less in minimal):
                minimal.append(features)
        return [
            (features, label, box, self._certain(features, label, box))
            for features in minimal
            for label, boxes in sorted(reached[features].items())
            for box in self._widened(features, boxes, limit)
        ]

    def _widened(self, features: tuple[int, ...], boxes: set[Sides], limit: int) -> list[Sides]:
        kept: list[Sides] = []
        todo = sorted(boxes, reverse=True)
        while todo:
            new = todo.pop()
            if any(_inside(new, box) for box in kept):
                continue
            kept = [box for box in kept if not _inside(box, new)]
            todo += [join for box in kept for join in self._joins(features, new, box)]
            kept.append(new)
            if len(todo) > limit:
                raise TooManyReasons(
                    f"there are more than {setting('limit', limit)} ranges to look at for the "
                    "features whose "
                    "change gives another class: raise explain(..., limit=), or use a smaller tree",
                    len(todo),
                )
        return sorted(kept, key=lambda box: [f"{side:b}"[::-1] for side in box], reverse=True)

    def _joins(self, features: tuple[int, ...], a: Sides, b: Sides) -> Iterator[Sides]:
        """Give the boxes that join two along one feature and intersect them elsewhere."""
        shared = [p & q for p, q in zip(a, b, strict=True)]
        empty = [i for i, side in enumerate(shared) if not side]
        if len(empty) > 1:
            return
        for i in empty or range(len(features)):
            both, nan = a[i] | b[i], self.nan[features[i]]
            sides = [both]
            if self.ordered[features[i]] and not _run(both & ~nan):  # NaN may still join
                sides = [side | both & nan for side in (a[i], b[i])]
            for side in sides:
                yield (*shared[:i], side, *shared[i + 1 :])

    def _certain(self, features: tuple[int, ...], label: int, box: Sides) -> bool:
        """Whether a change gives the class whatever the row's unknown values are."""
        elsewhere = np.delete(self._missed, features, axis=1).any(axis=1)
        return not any(
            all(self._leaf_side(leaf, k) & side for k, side in zip(features, box, strict=True))
            for leaf in np.flatnonzero(~elsewhere & (self._leaf_class != label)).tolist()
        )


def _run(side: int) -> bool:
    """Whether bins are next to each other."""
    return not side & (side + (side & -side))


def _inside(a: Sides, b: Sides) -> bool:
    return not any(p & ~q for p, q in zip(a, b, strict=True))


def _distinct(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    return distinct, inverse.reshape(-1)  # numpy 2.0 gave it two dimensions
