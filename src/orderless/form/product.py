"""Two trees asked one after the other: one tree whose classes are pairs of answers.

In:  two trees over one space.
Out: the tree, and what its classes stand for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..model import TreeKernel

__all__ = ["product_tree", "shared_classes"]

MOST_NODES = 5_000_000


def shared_classes(trees: Sequence[TreeKernel]) -> list[NDArray[np.int32]]:
    """Give, per tree, its classes' numbers among the labels of all."""
    labels: dict[object, int] = {}
    return [
        np.array([*(labels.setdefault(c, len(labels)) for c in t.classes), -1], dtype=np.int32)
        for t in trees
    ]


def product_tree(shared: Sequence[TreeKernel]) -> tuple[TreeKernel, list[tuple[int, int]]]:
    """Ask both trees one after the other; class 0 where they agree, else the pair of answers.

    The second tree is put at every leaf of the first, and what no row reaches is dropped.
    """
    old, new = shared
    inner = np.flatnonzero(old.feature >= 0)
    leaves = np.flatnonzero(old.feature < 0)
    n_new = new.n_nodes
    size = len(inner) + len(leaves) * n_new
    if size > MOST_NODES:
        raise TooLarge(
            f"the two trees together have {size:,} regions to look at, and at most {MOST_NODES:,} "
            "are: compare smaller trees, or ask counterexample and disagreement",
            size,
        )
    place = np.zeros(old.n_nodes + 1, dtype=np.int64)
    place[inner] = np.arange(len(inner))
    starts = len(inner) + np.arange(len(leaves)) * n_new
    place[leaves] = starts

    def moved(own: NDArray[np.int32]) -> NDArray[np.int64]:
        copies = np.where(own >= 0, own + starts[:, None], -1).ravel()
        return copies.astype(np.int64)

    codes = shared_classes(shared)
    pairs, table = _pairs(old, new, codes)
    label = table[old.leaf_class[leaves][:, None], new.leaf_class[None, :]]
    label = np.where(new.feature[None, :] < 0, label, -1).ravel()
    sets = {int(place[node]): old.set_of(node).tolist() for node in inner.tolist()
            if len(old.set_of(node))}  # fmt: skip
    own_sets = {n: new.set_of(n).tolist() for n in range(n_new) if len(new.set_of(n))}
    for start in starts.tolist() if own_sets else []:
        sets |= {start + node: values for node, values in own_sets.items()}
    times = len(leaves)
    product = TreeKernel(
        old.space,
        range(len(pairs) + 1),
        feature=np.concatenate([old.feature[inner], np.tile(new.feature, times)]),
        threshold=np.concatenate([old.threshold[inner], np.tile(new.threshold, times)]),
        when_true=np.concatenate([place[old.when_true[inner]], moved(new.when_true)]),
        when_false=np.concatenate([place[old.when_false[inner]], moved(new.when_false)]),
        leaf_class=np.concatenate([np.full(len(inner), -1), label]),
        nan_true=np.concatenate([old.nan_true[inner], np.tile(new.nan_true, times)]),
        sets=sets,
    )
    return product, pairs


def _pairs(
    old: TreeKernel, new: TreeKernel, codes: Sequence[NDArray[np.int32]]
) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """Give the pairs of answers that differ, and their numbers, from 1; 0 where they agree."""
    mine, theirs = (np.unique(tree.leaf_class[tree.feature < 0]).tolist() for tree in (old, new))
    pairs = [(a, b) for a in mine for b in theirs if codes[0][a] != codes[1][b]]
    table = np.zeros((len(old.classes), len(new.classes)), dtype=np.int64)
    for k, (a, b) in enumerate(pairs, 1):
        table[a, b] = k
    return pairs, table
