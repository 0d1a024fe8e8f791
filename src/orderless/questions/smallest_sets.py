"""The smallest sets of features that settle a row, whatever their values are or with luck.

In:  the leaves that a row can reach, each as the bins that are left of every feature.
Out: sets of features, as bits.
Paper: goes beyond Section 6; see ``missing_needed``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..model import (
    Bins,
    Steps,
    Target,
    Watch,
    as_bits,
    hitting_sets,
    members,
)

__all__ = [
    "Leaf",
    "in_order",
    "lucky_sets",
    "possible_lucky_sets",
    "reachable",
    "settling_sets",
]

BLOCK = 256  # leaves that are compared with all others at one time

Leaf = tuple[int, tuple[int, ...]]  # class, and per feature the bins that are left, as bits


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
    cut, nan_true = bins.nodes.cut.tolist(), bins.nodes.nan_true.tolist()
    todo = [(0, sides)]
    while todo:
        clock.look()
        node, box = todo.pop()
        k = feature[node]
        if k < 0:
            yield node, label[node], box
            continue
        if bins.features[k].ordered:
            holds = (1 << cut[node] + 1) - 1 | (bins.nan_bit(k) if nan_true[node] else 0)
        else:
            holds = as_bits(bins.holds(node))
        for child, side in (
            (when_false[node], box[k] & ~holds),
            (when_true[node], box[k] & holds),
        ):
            if side:
                todo.append((child, (*box[:k], side, *box[k + 1 :])))


# -- whatever the values -----------------------------------------------------------------------


def settling_sets(leaves: list[Leaf], steps: Steps, target: Target) -> set[int]:
    """Give all smallest sets of features that separate any two leaves of different classes.

    Of numbers, any two leaves that are too far apart.
    """
    return hitting_sets(_separating(leaves, steps.clock, target), steps)


def _separating(leaves: list[Leaf], clock: Watch, target: Target) -> set[int]:
    """Give, for all pairs of leaves of different classes, the features that separate them."""
    labels = np.array([c for c, _ in leaves])
    tables = [table.astype(np.float32) for table in _tables(leaves)]
    features: set[int] = set()
    for start in range(0, len(leaves), BLOCK):
        clock.look()
        here = slice(start, start + BLOCK)
        apart = target.differ(labels[here, None], labels[None, :])
        which = [(table[here] @ table.T == 0)[apart] for table in tables]
        if apart.any():
            features |= _distinct(np.stack(which, axis=1))
    return features


# -- with luck ---------------------------------------------------------------------------------


def lucky_sets(leaves: list[Leaf], steps: Steps, target: Target) -> set[int]:
    """Give all smallest sets of features of which some values leave leaves of one class only.

    Of numbers, leaves that are near enough to each other.
    """
    # Per feature, for each of its values that the row allows: which leaves it excludes, as bits.
    excluded = [_distinct(~table[:, table.any(axis=0)].T) for table in _tables(leaves)]
    labels = np.array([label for label, _ in leaves])
    # Leaves that must go if a class, or a number as the smallest one, is to be left.
    targets = [
        sum(1 << i for i in np.flatnonzero(_others(labels, c, target)).tolist())
        for c in sorted(set(labels.tolist()))
    ]
    size = 1
    while True:
        choices: set[int] = set()
        for leaves_out in targets:
            _exclude(excluded, leaves_out, 0, size, choices, set(), steps)
        if choices:
            return choices
        size += 1


def possible_lucky_sets(leaves: list[Leaf], steps: Steps, target: Target) -> set[int]:
    """Give what ``lucky_sets`` does, where not all values are possible together.

    Some leaf must be left. Cost: all combinations of values of the smallest sets.
    """
    tables = _tables(leaves)
    full = (1 << len(leaves)) - 1
    kept = [{full & ~e for e in _distinct(~table[:, table.any(axis=0)].T)} for table in tables]
    labels = np.array([label for label, _ in leaves])
    open_with = [
        sum(1 << i for i in np.flatnonzero(target.differ(labels, np.full_like(labels, c))).tolist())
        for c in labels.tolist()
    ]

    def settled(left: int) -> bool:
        return not any(left & open_with[i] for i in members(left))

    for size in range(1, len(tables) + 1):
        choices = set()
        for some in combinations(range(len(tables)), size):
            lefts = {full}
            for k in some:
                steps.take()
                lefts = {left & own for left in lefts for own in kept[k]} - {0}
            if any(map(settled, lefts)):
                choices.add(sum(1 << k for k in some))
        if choices:
            return choices
    raise AssertionError("all features together settle a row")


def _others(labels: NDArray[np.intp], c: int, target: Target) -> NDArray[np.bool_]:
    return np.asarray(target.differ(labels, np.full_like(labels, c)) | (labels < c))


def _exclude(
    excluded: list[set[int]], target: int, chosen: int, left: int, choices: set[int],
    seen: set[tuple[int, int]], steps: Steps,
) -> None:  # fmt: skip
    """Add to ``choices`` every choice of ``left`` more features whose values exclude the target."""
    steps.take()
    if not target:
        choices.add(chosen)
        return
    if (chosen, target) in seen:
        return
    seen.add((chosen, target))
    free = [k for k in range(len(excluded)) if not chosen >> k & 1]
    best = {k: max((e & target).bit_count() for e in excluded[k]) for k in free}
    if sum(sorted(best.values(), reverse=True)[:left]) < target.bit_count():
        return
    first = target & -target  # some value must exclude it
    for k in free:
        useful = {e & target for e in excluded[k] if e & first}
        for one in useful:
            if not any(one != other and one & other == one for other in useful):
                _exclude(excluded, target & ~one, chosen | 1 << k, left - 1, choices, seen, steps)


# -- tables -------------------------------------------------------------------------------------


def _tables(leaves: list[Leaf]) -> list[NDArray[np.bool_]]:
    """Give, per feature, leaves x bins: what is left of the row in each leaf."""
    out = []
    for k in range(len(leaves[0][1])):
        size = max(own[k].bit_length() for _, own in leaves) // 8 + 1
        text = b"".join(own[k].to_bytes(size, "little") for _, own in leaves)
        packed = np.frombuffer(text, dtype=np.uint8).reshape(len(leaves), size)
        out.append(np.unpackbits(packed, axis=1, bitorder="little").astype(bool))
    return out


def _distinct(table: NDArray[np.bool_]) -> set[int]:
    """Give the distinct rows of a table as whole numbers, bit i for column i."""
    packed = np.unique(np.packbits(table, axis=1, bitorder="little"), axis=0)
    return {int.from_bytes(one.tobytes(), "little") for one in packed}
