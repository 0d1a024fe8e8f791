"""TreeBuilder: trees that are made node by node.

In:  splits and leaves, in any order; a node is reserved first where its children come before it.
Out: what ``TreeKernel`` takes for a tree over values; ``BinNodes`` over bins.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .arrays import BinNodes

__all__ = ["TreeBuilder"]

FEATURE, LIMIT, NAN, YES, NO, LABEL = range(6)


class TreeBuilder:
    """Nodes of one tree, or of several one after the other; they are numbered as they are reserved.

    Examples
    --------
    >>> nodes = TreeBuilder()
    >>> root = nodes.split(nodes.reserve(), 0, limit=24.0)
    >>> young, old = (nodes.leaf(nodes.reserve(root, side), int(side)) for side in (True, False))
    >>> from orderless import Space, Tree
    >>> print(Tree(Space({"age": "integer"}), ("old", "young"), **nodes.arrays()))
    age <= 24?
      yes: young
      no:  old
    """

    def __init__(self) -> None:
        self._nodes: list[list[Any]] = []
        self._members: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def reserve(self, parent: int = -1, side: bool = True) -> int:
        """Return the number of a new node: the child of a node on a side, or a root."""
        self._nodes.append([-1, 0.0, False, -1, -1, -1])
        if parent >= 0:
            self._nodes[parent][YES if side else NO] = len(self._nodes) - 1
        return len(self._nodes) - 1

    def leaf(self, node: int, label: int) -> int:
        """Make a node a leaf of a class, by its position."""
        self._nodes[node][LABEL] = label
        return node

    def split(
        self,
        node: int,
        feature: int,
        *,
        limit: float = 0.0,
        nan: bool = False,
        members: Iterable[int] | None = None,
        children: tuple[int, int] | None = None,
    ) -> int:
        """Let a node ask a condition.

        It holds for values, or bins, up to ``limit``, for NaN if ``nan``; of a categorical feature
        for ``members``.
        """
        self._nodes[node][:YES] = [feature, limit, nan]
        if members is not None:
            self._members[node] = list(members)
        if children is not None:
            self._nodes[node][YES:LABEL] = children
        return node

    def arrays(self) -> dict[str, Any]:
        """Return what ``TreeKernel`` takes for nodes whose conditions are about values."""
        feature, limit, nan, yes, no, label = zip(*self._nodes, strict=True)
        return {
            "feature": feature,
            "threshold": limit,
            "nan_true": nan,
            "when_true": yes,
            "when_false": no,
            "leaf_class": label,
            "sets": self._members,
        }

    def bin_nodes(self) -> BinNodes:
        """Make the nodes of trees whose conditions are about bins."""
        feature, cut, nan, yes, no, label = np.array(self._nodes, dtype=np.int32).T.copy()
        sizes = np.zeros(len(self._nodes) + 1, dtype=np.int64)
        for node, members in self._members.items():
            sizes[node + 1] = len(members)
        flat = [b for node in sorted(self._members) for b in self._members[node]]
        return BinNodes(
            feature, cut, nan.astype(np.uint8), yes, no, label,
            np.cumsum(sizes), np.array(flat, dtype=np.int32),
        )  # fmt: skip
