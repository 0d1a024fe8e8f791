"""The leaves that a row can reach, with what is left of each of their boxes.

In:  ``Bins``, and the bins that a row leaves of each feature.
Out: leaves, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Bins, as_bits
from .smallest_sets import Watch

__all__ = ["in_order", "reachable"]


def in_order(bins: Bins) -> list[int]:
    """Give the features in the order of the space."""
    return sorted(range(len(bins.features)), key=bins.positions.__getitem__)


def reachable(
    bins: Bins, sides: tuple[int, ...], clock: Watch
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Go through the leaves whose box meets the row's: node, class, and what is left of the box."""
    tree = bins.tree
    feature, label = bins.nodes.feature.tolist(), tree.leaf_class.tolist()
    when_true, when_false = tree.when_true.tolist(), tree.when_false.tolist()
    todo = [(0, sides)]
    while todo:
        clock.look()
        node, box = todo.pop()
        k = feature[node]
        if k < 0:
            yield node, label[node], box
            continue
        holds = as_bits(bins.holds(node))
        for child, side in (
            (when_false[node], box[k] & ~holds),
            (when_true[node], box[k] & holds),
        ):
            if side:
                todo.append((child, (*box[:k], side, *box[k + 1 :])))
