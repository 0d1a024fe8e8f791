"""The leaves of a tree as boxes of values, and the pairs of them that rows can go between.

In:  a ``TreeKernel``, and conditions on features.
Out: ``LeafTable``: which leaves there are inside, and which meet on some features.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Undecided, setting
from .arrays import Flags
from .budget import Budget
from .feature import Feature, Side
from .tree import TreeKernel

__all__ = ["LeafTable", "common_side", "common_sides"]

Numbers = NDArray[np.float64]


class LeafTable:
    """The leaves of a tree that rows inside a region can reach, as boxes.

    Parameters
    ----------
    tree : Tree
    where : dict of feature -> Side
        The region; a feature of the tree's space that is not named may have every value.
    start : int
        The node below which leaves are looked at; the region has rows that may not reach it.

    Attributes
    ----------
    names : tuple of str
        The features that the tree or the region is about.
    label : array of int
        By leaf its class.

    Notes
    -----
    Cost: nodes x features.
    """

    def __init__(self, tree: TreeKernel, where: Mapping[str, Side], start: int = 0) -> None:
        self.tree, space = tree, tree.space
        self.names = tuple(n for n in space.names if n in where or n in tree.features)
        self.features = tuple(space[name] for name in self.names)
        whole = [where.get(name) or Side.whole(space[name]) for name in self.names]
        self.place = {space.index(name): k for k, name in enumerate(self.names)}
        self._walk(whole, start)

    def _walk(self, whole: Sequence[Side], start: int) -> None:
        """Go down from a node with the box of each node; empty boxes are left out."""
        tree, n = self.tree, len(whole)
        low, high = (np.array([getattr(s, end) for s in whole]) for end in ("lower", "upper"))
        nan = np.array([s.nan and f.ordered for s, f in zip(whole, self.features, strict=True)])
        codes = tuple(frozenset(s.codes) for s in whole)
        todo = [(start, low, high, nan, codes)]
        found: list[Any] = []
        while todo:
            node, low, high, nan, codes = todo.pop()
            if tree.feature[node] < 0:
                found.append((node, low, high, nan, codes))
                continue
            k = self.place[int(tree.feature[node])]
            yes, no = int(tree.when_true[node]), int(tree.when_false[node])
            if not self.features[k].ordered:
                inside = frozenset(tree.set_of(node).tolist())
                for child, own in ((no, codes[k] - inside), (yes, codes[k] & inside)):
                    if own:
                        todo.append((child, low, high, nan, (*codes[:k], own, *codes[k + 1 :])))
                continue
            cut, missing = float(tree.threshold[node]), bool(tree.nan_true[node])
            sides = (
                (no, (max(low[k], cut), high[k], nan[k] and not missing)),
                (yes, (low[k], min(high[k], cut), nan[k] and missing)),
            )
            for child, side in sides:
                if side[0] < side[1] or side[2]:
                    parts = low.copy(), high.copy(), nan.copy()
                    for part, value in zip(parts, side, strict=True):
                        part[k] = value
                    todo.append((child, *parts, codes))
        self.leaf = np.array([one[0] for one in found], dtype=np.int64)
        self.label = tree.leaf_class[self.leaf] if found else np.zeros(0, dtype=np.int32)
        shape = (len(found), n)
        self.lower, self.upper = (
            np.array([one[i] for one in found]).reshape(shape) for i in (1, 2)
        )
        self.nan = np.array([one[3] for one in found], dtype=bool).reshape(shape)
        self.codes = {
            k: _flags([one[4][k] for one in found], feature)
            for k, feature in enumerate(self.features)
            if not feature.ordered
        }

    def __len__(self) -> int:
        return len(self.leaf)

    def has_numbers(self, k: int) -> Flags:
        """Tell which leaves have numbers of an ordered feature."""
        return np.asarray(self.lower[:, k] < self.upper[:, k])

    def meeting(
        self, leaf: int, others: NDArray[np.intp], apart: Collection[str], table: LeafTable | None
    ) -> NDArray[np.intp]:
        """Give those of some leaves that meet a leaf on every feature but those ``apart``.

        ``table``: to which the others belong, where it is another; over the same space.
        """
        there = self if table is None else table
        for k, name in enumerate(self.names):
            if name in apart or name not in there.names:
                continue
            if not len(others):
                break
            q = there.names.index(name)
            if not self.features[k].ordered:
                keep = there.codes[q][others] @ self.codes[k][leaf]
            else:
                low = np.maximum(there.lower[others, q], self.lower[leaf, k])
                high = np.minimum(there.upper[others, q], self.upper[leaf, k])
                keep = (low < high) | (there.nan[others, q] & self.nan[leaf, k])
            others = others[keep]
        return others

    def pairs(
        self, apart: Collection[str], differ: Flags, table: LeafTable | None = None
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Go through the leaves, each with those that it can be exchanged for.

        Parameters
        ----------
        apart : names of features
            On these the two rows may differ; on all others leaves must meet.
        differ : array of classes x classes
            Whether a leaf of the first class together with one of the second is looked for.

        Raises
        ------
        Undecided
            If the time of the call is over; every leaf takes leaves x features steps.
        """
        there, budget = self if table is None else table, Budget.current()
        for leaf in range(len(self)):
            if budget.over:
                raise Undecided(
                    f"the pairs of leaves were not all looked at in {budget}: raise "
                    f"{setting('time_limit')}, or use a smaller model",
                    "time",
                )
            others = np.flatnonzero(differ[self.label[leaf]][there.label])
            found = self.meeting(leaf, others, apart, table)
            if len(found):
                yield leaf, found

    def sides(self, leaf: int) -> dict[str, Side]:
        """Give what a leaf says of each feature."""
        out = {}
        for k, feature in enumerate(self.features):
            if feature.ordered:
                low, high = float(self.lower[leaf, k]), float(self.upper[leaf, k])
                side = Side(feature, *((low, high) if low < high else (0.0, 0.0)),
                            bool(self.nan[leaf, k]))  # fmt: skip
            else:
                codes = tuple(np.flatnonzero(self.codes[k][leaf]).tolist())
                side = Side(feature, codes=codes)
            out[feature.name] = side
        return out


def _flags(sets: Sequence[frozenset[int]], feature: Feature) -> Flags:
    out = np.zeros((len(sets), feature.n_values), dtype=bool)
    for i, codes in enumerate(sets):
        out[i, list(codes)] = True
    return out


def common_side(a: Side, b: Side) -> Side:
    """Give the values that two sides of one feature have in common."""
    if not a.feature.ordered:
        return Side(a.feature, codes=tuple(sorted({*a.codes} & {*b.codes})))
    low, high = max(a.lower, b.lower), min(a.upper, b.upper)
    return Side(a.feature, *((low, high) if low < high else (0.0, 0.0)), a.nan and b.nan)


def common_sides(a: Mapping[str, Side], b: Mapping[str, Side]) -> dict[str, Side]:
    """Give what two boxes have in common, feature by feature."""
    both = {name: common_side(a[name], b[name]) for name in a if name in b}
    return {**a, **b, **both}
