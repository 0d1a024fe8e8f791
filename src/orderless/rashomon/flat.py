"""Many trees over 0/1 columns as a few arrays.

In:  what the core gives: trees one after the other, each root first.
Out: ``FlatTrees``; what they say of rows, without an object per tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FlatTrees", "distinct", "join", "merge"]

MOST_CELLS = 8_000_000  # of a table of trees by rows, at one time

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FlatTrees:
    """Trees over 0/1 columns, one after the other, each root first.

    The child where a node's column is 1 comes right after the node, the child where it is 0 after
    the whole of that branch.

    Attributes
    ----------
    offsets : array of int, one longer than there are trees
        Tree i has the nodes ``offsets[i]`` up to ``offsets[i + 1]``.
    column : array of int
        Per node the column it asks about, -1 for a leaf.
    label : array of int
        Per leaf the position of its class among the classes, -1 for others.
    false_child : array of int
        Per node the child where its column is 0, counted from the root of its tree; -1 for a leaf.
    """

    offsets: NDArray[np.int64]
    column: Ints
    label: Ints
    false_child: Ints

    @classmethod
    def of(cls, arrays: Sequence[ArrayLike]) -> FlatTrees:
        """Make the four arrays what the core takes."""
        offsets, column, label, false_child = arrays
        return cls(
            np.asarray(offsets, dtype=np.int64),
            np.asarray(column, dtype=np.int32),
            np.asarray(label, dtype=np.int32),
            np.asarray(false_child, dtype=np.int32),
        )

    @classmethod
    def none(cls) -> FlatTrees:
        """Give no trees at all."""
        empty = np.zeros(0, dtype=np.int32)
        return cls(np.zeros(1, dtype=np.int64), empty, empty, empty)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], Ints, Ints, Ints]:
        """The four arrays, as the core takes them."""
        return self.offsets, self.column, self.label, self.false_child

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, which: Any) -> FlatTrees:
        """Choose trees by their positions (an array), or by a slice."""
        if isinstance(which, slice):
            first, end, step = which.indices(len(self))
            if step == 1:  # neighbours stay where they are
                ends = self.offsets[first : max(first, end) + 1]
                nodes = slice(ends[0], ends[-1])
                parts = (part[nodes] for part in (self.column, self.label, self.false_child))
                return FlatTrees(ends - ends[0], *parts)
        chosen = np.arange(len(self))[which]
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        at = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return FlatTrees(offsets, self.column[at], self.label[at], self.false_child[at])

    @property
    def root_of(self) -> NDArray[np.int64]:
        """Per node the root of its tree."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @property
    def n_leaves(self) -> Ints:
        """Per tree the number of its leaves."""
        return ((np.diff(self.offsets) + 1) // 2).astype(np.int32)

    @property
    def nontrivial(self) -> NDArray[np.bool_]:
        """Per tree whether no split has two leaves of equal label."""
        inner = np.flatnonzero(self.column >= 0)
        zero = self.root_of[inner] + self.false_child[inner]
        one_label, zero_label = self.label[inner + 1], self.label[zero]
        bad = inner[(one_label >= 0) & (one_label == zero_label)]
        out = np.ones(len(self), dtype=bool)
        out[np.searchsorted(self.offsets, bad, side="right") - 1] = False
        return out

    @property
    def depth(self) -> Ints:
        """Per tree the columns on its longest path."""
        level = np.zeros(len(self.column), dtype=np.int32)
        root = self.root_of
        front = self.offsets[:-1]
        while len(front):
            front = front[self.column[front] >= 0]
            one, zero = front + 1, root[front] + self.false_child[front]
            level[one] = level[zero] = level[front] + 1
            front = np.concatenate([one, zero])
        out = np.zeros(len(self), dtype=np.int32)
        np.maximum.at(out, np.searchsorted(self.offsets, np.arange(len(level)), "right") - 1, level)
        return out

    def uses(self, n_columns: int) -> NDArray[np.bool_]:
        """Tell, per tree and column, whether the tree asks about the column."""
        out = np.zeros((len(self), n_columns), dtype=bool)
        inner = self.column >= 0
        tree = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        out[tree[inner], self.column[inner]] = True
        return out

    def says(self, bits: NDArray[np.uint8]) -> Ints:
        """Give the label of each complete row by each tree: an array of trees by rows."""
        root = self.offsets[:-1, None]
        node = np.repeat(root, len(bits), axis=1)
        row = np.arange(len(bits))[None, :]
        while True:
            column = self.column[node]
            inner = column >= 0
            if not inner.any():
                return self.label[node]
            one = bits[row, np.where(inner, column, 0)] == 1
            step = np.where(one, node + 1, root + self.false_child[node])
            node = np.where(inner, step, node)

    def says_in_parts(self, bits: NDArray[np.uint8]) -> Iterator[tuple[slice, Ints]]:
        """Give what ``says`` gives, some trees at a time."""
        step = max(1, MOST_CELLS // max(1, len(bits)))
        for start in range(0, len(self), step):
            part = slice(start, min(start + step, len(self)))
            yield part, self[part].says(bits)

    def errors(
        self, bits: NDArray[np.uint8], y: Ints, weight: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Give, per tree, the weight of the rows that it gets wrong."""
        out = np.zeros(len(self), dtype=np.int64)
        for part, labels in self.says_in_parts(bits):
            out[part] = (labels != y) @ weight
        return out

    def votes(self, bits: NDArray[np.uint8], n_classes: int) -> NDArray[np.int64]:
        """Count, by complete row and class, the trees that give the class."""
        out = np.zeros((len(bits), n_classes), dtype=np.int64)
        for _, labels in self.says_in_parts(bits):
            for c in range(n_classes):
                out[:, c] += (labels == c).sum(axis=0)
        return out

    def keys(self) -> list[bytes]:
        """Give bytes per tree that are equal for equal trees only."""
        both = np.stack([self.column, self.label], axis=1).astype(np.int32)
        ends = self.offsets.tolist()
        return [both[a:b].tobytes() for a, b in pairwise(ends)]


def join(parts: Sequence[FlatTrees]) -> FlatTrees:
    """Put several batches one after the other."""
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return parts[0] if parts else FlatTrees.none()
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    return FlatTrees(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.column for part in parts]),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.false_child for part in parts]),
    )


def distinct(bits: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find equal rows of bits: the first row of each kind, and which kind each row is."""
    n_rows = len(bits)
    packed = np.packbits(bits, axis=1)
    width = 8 * max(1, -(-packed.shape[1] // 8))
    words = np.zeros((n_rows, width), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    keys = words.view(np.uint64 if width == 8 else np.dtype((np.void, width))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which.ravel()


def merge(
    bits: NDArray[np.uint8], y: Ints, weights: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], Ints, NDArray[np.int64]]:
    """Put equal rows of one class together, and leave out those without weight."""
    there = weights > 0
    bits, y, weights = bits[there], y[there], weights[there]
    _, kind = distinct(bits)
    _, first, which = np.unique(
        kind * (int(y.max()) + 1) + y, return_index=True, return_inverse=True
    )
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, which.ravel(), weights)
    return np.ascontiguousarray(bits[first]), y[first].astype(np.int32), total
