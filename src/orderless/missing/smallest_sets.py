"""The smallest sets of features that settle a row, whatever their values are or with luck.

In:  the leaves that a row can reach, each as the bins that are left of every feature.
Out: sets of features, as bits.
Paper: goes beyond Section 6; see ``missing_needed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import OutOfTime, TooManyReasons, setting
from ..inputs import near_numbers
from ..model import Bins, Budget, TreeKernel, as_bits, read_tolerance

__all__ = [
    "Clock", "Ends", "Leaf", "Steps", "Watch", "hitting_sets", "in_order", "lucky_sets", "members",
    "out_of_time", "possible_lucky_sets", "reachable", "settling_sets", "too_many_steps",
]  # fmt: skip

BLOCK = 256  # leaves that are compared with all others at one time

Leaf = tuple[int, tuple[int, ...]]  # class, and per feature the bins that are left, as bits


class Watch(Protocol):
    """What is looked at while one searches."""

    def look(self) -> None:
        """Raise an error if the time is over."""


@dataclass(frozen=True, eq=False)
class Ends:
    """When a row is settled: by one class, or by numbers that are near to each other.

    Attributes
    ----------
    reach : array
        By class, a number, the last class whose number is near enough; None where classes are only
        told apart.
    """

    reach: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, tree: TreeKernel, tolerance: float | None) -> tuple[TreeKernel, Ends]:
        """Read when a row of a tree is settled, None: by one class; give the tree with numbers."""
        if tolerance is None:
            return tree, cls()
        most = read_tolerance(tolerance)
        tree = tree.as_regression()
        return tree, cls(near_numbers(tree.numbers, most))

    def apart(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether both classes of a pair keep a row open."""
        if self.reach is None:
            return np.asarray(a != b)
        return np.asarray(np.maximum(a, b) > self.reach[np.minimum(a, b)])


CLASSES = Ends()


def out_of_time(budget: Budget) -> OutOfTime:
    """Say that a search took too long."""
    return OutOfTime(
        "the smallest sets of features were not found in "
        f"{budget}: raise {setting('time_limit')}, "
        "or give more values of the row"
    )


def too_many_steps(limit: int, taken: int) -> TooManyReasons:
    """Say that a search took too many steps."""
    return TooManyReasons(
        "finding the smallest sets of features takes more than "
        f"{setting('limit', limit)} steps: raise {setting('limit')}, or give more "
        "values of the row",
        taken,
    )


class Clock:
    """Refuses to go on when the time is over."""

    def __init__(self, time_limit: float | None) -> None:
        self.budget = Budget(time_limit)

    def look(self) -> None:
        """Raise ``OutOfTime`` if the time is over."""
        if self.budget.over:
            raise out_of_time(self.budget)


class Steps:
    """Counts the steps of a search, and refuses to take too many, or too long."""

    def __init__(self, limit: int, clock: Watch) -> None:
        self.limit = limit
        self.clock = clock
        self.taken = 0

    def take(self) -> None:
        """Count a step; raise ``TooManyReasons`` if there were too many."""
        self.clock.look()
        self.taken += 1
        if self.taken > self.limit:
            raise too_many_steps(self.limit, self.taken)


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


def members(bits: int) -> list[int]:
    """Give the positions of the bits that are set."""
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


# -- whatever the values -----------------------------------------------------------------------


def settling_sets(leaves: list[Leaf], steps: Steps, ends: Ends = CLASSES) -> set[int]:
    """Give all smallest sets of features that separate any two leaves of different classes.

    Of numbers, any two leaves that are too far apart.
    """
    return hitting_sets(_separating(leaves, steps.clock, ends), steps)


def hitting_sets(sets: Iterable[int], steps: Steps) -> set[int]:
    """Give all smallest choices that have a member in every one of some sets, all as bits.

    Examples
    --------
    >>> sorted(hitting_sets([0b011, 0b110], Steps(100, Clock(60.0))))
    [2]
    """
    minimal: list[int] = []
    for pair in sorted(sets, key=lambda bits: (bits.bit_count(), bits)):
        steps.take()
        if not any(small & pair == small for small in minimal):
            minimal.append(pair)
    size = _disjoint(minimal)
    while True:
        choices: set[int] = set()
        _hit(minimal, 0, size, choices, steps)
        if choices:
            return choices
        size += 1


def _separating(leaves: list[Leaf], clock: Watch, ends: Ends) -> set[int]:
    """Give, for all pairs of leaves of different classes, the features that separate them."""
    labels = np.array([c for c, _ in leaves])
    tables = [table.astype(np.float32) for table in _tables(leaves)]
    features: set[int] = set()
    for start in range(0, len(leaves), BLOCK):
        clock.look()
        here = slice(start, start + BLOCK)
        apart = ends.apart(labels[here, None], labels[None, :])
        which = [(table[here] @ table.T == 0)[apart] for table in tables]
        if apart.any():
            features |= _distinct(np.stack(which, axis=1))
    return features


def _disjoint(sets: list[int]) -> int:
    """Count sets that have nothing in common: each takes a feature of its own."""
    taken = count = 0
    for one in sets:
        if not one & taken:
            taken |= one
            count += 1
    return count


def _hit(sets: list[int], chosen: int, left: int, choices: set[int], steps: Steps) -> None:
    """Add to ``choices`` every choice of ``left`` more features that hits all sets, each once."""
    steps.take()
    if not sets:
        choices.add(chosen)
        return
    if _disjoint(sets) > left:
        return
    banned = 0
    for k in members(min(sets, key=int.bit_count)):
        bit = 1 << k
        rest = [one & ~banned for one in sets if not one & bit]
        banned |= bit  # choices with this feature have all been seen
        if all(rest):
            rest.sort(key=int.bit_count)
            _hit(rest, chosen | bit, left - 1, choices, steps)


# -- with luck ---------------------------------------------------------------------------------


def lucky_sets(leaves: list[Leaf], steps: Steps, ends: Ends = CLASSES) -> set[int]:
    """Give all smallest sets of features of which some values leave leaves of one class only.

    Of numbers, leaves that are near enough to each other.
    """
    # Per feature, for each of its values that the row allows: which leaves it excludes, as bits.
    excluded = [_distinct(~table[:, table.any(axis=0)].T) for table in _tables(leaves)]
    labels = np.array([label for label, _ in leaves])
    # Leaves that must go if a class, or a number as the smallest one, is to be left.
    targets = [
        sum(1 << i for i in np.flatnonzero(_others(labels, c, ends)).tolist())
        for c in sorted(set(labels.tolist()))
    ]
    size = 1
    while True:
        choices: set[int] = set()
        for target in targets:
            _exclude(excluded, target, 0, size, choices, set(), steps)
        if choices:
            return choices
        size += 1


def possible_lucky_sets(leaves: list[Leaf], steps: Steps, ends: Ends = CLASSES) -> set[int]:
    """Give what ``lucky_sets`` does, where not all values are possible together.

    Some leaf must be left. Cost: all combinations of values of the smallest sets.
    """
    tables = _tables(leaves)
    full = (1 << len(leaves)) - 1
    kept = [{full & ~e for e in _distinct(~table[:, table.any(axis=0)].T)} for table in tables]
    labels = np.array([label for label, _ in leaves])
    open_with = [
        sum(1 << i for i in np.flatnonzero(ends.apart(labels, np.full_like(labels, c))).tolist())
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


def _others(labels: NDArray[np.intp], c: int, ends: Ends) -> NDArray[np.bool_]:
    far = ends.apart(labels, np.full_like(labels, c))
    return far if ends.reach is None else far | (labels < c)


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
