"""Many trees as the core reads them: their nodes one after the other.

In:  trees over one space.
Out: ``Nodes`` of all of them, where each begins, and the labels that classes now stand for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..model import Label, Nodes, TreeKernel

__all__ = ["flat_nodes"]


def flat_nodes(
    trees: Sequence[TreeKernel],
) -> tuple[Nodes, NDArray[np.int64], list[Label]]:
    """Give the nodes of trees over one space one after the other, as the core reads many trees.

    With them the first node of each tree and the end, and the labels that classes now stand for.
    """
    start = np.zeros(len(trees) + 1, dtype=np.int64)
    np.cumsum([tree.n_nodes for tree in trees], out=start[1:])
    parts: Any = Nodes(*cast(Any, zip(*[tree.nodes for tree in trees], strict=True)))
    labels, leaf_class = _common_labels(trees, np.concatenate(parts.leaf_class), start)
    set_values = np.concatenate(parts.set_values)
    set_start = np.zeros(start[-1] + 1, dtype=np.int64)
    if len(set_values):
        np.cumsum(np.concatenate([np.diff(own) for own in parts.set_start]), out=set_start[1:])
    some_nan = trees[0].space.arrays.nan.any()
    nan_true = np.concatenate(parts.nan_true) if some_nan else np.zeros(start[-1], dtype=np.uint8)
    nodes = Nodes(
        np.concatenate(parts.feature),
        np.concatenate(parts.threshold),
        nan_true,
        np.concatenate(parts.when_true),
        np.concatenate(parts.when_false),
        leaf_class,
        set_start,
        set_values,
    )
    return nodes, start, labels


def _common_labels(
    trees: Sequence[TreeKernel], leaf_class: NDArray[np.int32], start: NDArray[np.int64]
) -> tuple[list[Label], NDArray[np.int32]]:
    """Give the labels of all trees, and the leaves' classes as positions among them."""
    first = trees[0].classes
    if all(tree.classes is first for tree in trees):
        return list(first), leaf_class
    labels: dict[Any, int] = {}
    tables: dict[tuple[Label, ...], int] = {}  # where each begins in the one below
    table: list[int] = []
    begins = []
    for tree in trees:
        if tree.classes not in tables:
            tables[tree.classes] = len(table)
            table += [labels.setdefault(label, len(labels)) for label in tree.classes] + [-1]
        begins.append(tables[tree.classes])
    at = leaf_class + np.repeat(begins, np.diff(start))  # -1 is the end of the table before
    return list(labels), np.array(table, dtype=np.int32)[at]
