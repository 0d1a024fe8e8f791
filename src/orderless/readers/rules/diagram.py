"""The diagram of a table of rules: which rules hold, for every row there can be.

In:  ``Boxes`` and a hit policy.
Out: ``Diagram``: splits and leaves, each written once. A leaf has the rules that hold there (with
     "first" the first of them); a leaf without rules is a gap.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ...errors import TooLarge, setting
from .boxes import Boxes
from .table import Hit

__all__ = ["Branch", "Diagram", "Leaf", "Node", "Split", "merged"]

STEPS = 500  # looks at a rule, per region that is allowed

Active = tuple[int, ...]  # boxes that hold in a region, in the order of the rules


class Leaf(NamedTuple):
    """A region in which these rules hold, and no other, in their order."""

    rules: tuple[int, ...]


class Branch(NamedTuple):
    """Values of a feature (an interval, above the first up to the second; or codes), and a node."""

    values: Any
    node: int


class Split(NamedTuple):
    """All values of one feature; those of an ordered one rise."""

    feature: int
    branches: tuple[Branch, ...]


Node = Leaf | Split


def merged(branches: Iterable[Branch], ordered: bool) -> tuple[Branch, ...]:
    """Join branches that lead to one node; of an ordered feature, if they are neighbours.

    Examples
    --------
    >>> merged([Branch((0, 1), 7), Branch((1, 2), 7), Branch((2, 3), 8)], ordered=True)
    (Branch(values=(0, 2), node=7), Branch(values=(2, 3), node=8))
    """
    if ordered:
        groups = [list(group) for _, group in groupby(branches, lambda branch: branch.node)]
        return tuple(
            Branch((group[0].values[0], group[-1].values[1]), group[0].node) for group in groups
        )
    codes: dict[int, list[int]] = {}
    for branch in branches:
        codes.setdefault(branch.node, []).extend(branch.values)
    return tuple(Branch(tuple(sorted(values)), node) for node, values in codes.items())


class Diagram:
    """Splits the space feature by feature, until it is clear everywhere which rules hold.

    A feature is split once on the way, at all ends that the rules still have on it. What happens
    below depends on the rules that still may hold and on the features they still ask, and is
    worked out once.
    """

    def __init__(self, rules: Boxes, hit: Hit, limit: int) -> None:
        self.rules, self.first, self.limit = rules, hit == "first", limit
        self.asked = [sum(1 << at for at in box.sides) for box in rules.boxes]
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}
        self._done: dict[tuple[Active, int], int] = {}
        self._steps = 0
        self.root = self._grow(tuple(range(len(rules.boxes))), 0)

    def _grow(self, active: Active, settled: int) -> int:
        """Give the node of a region; on the settled features all active boxes hold there."""
        open_ = [self.asked[i] & ~settled for i in active]
        if self.first and 0 in open_:
            end = open_.index(0) + 1  # what comes after a rule that holds is never used
            active, open_ = active[:end], open_[:end]
        rest = 0
        for bits in open_[:1] if self.first else open_:
            rest |= bits
        if rest == 0:
            # With "first" what is left is one rule that holds, or none.
            held = dict.fromkeys(self.rules.boxes[i].rule for i in active)
            return self._node(Leaf(tuple(held)))
        mask = 0
        for bits in open_:
            mask |= bits
        key = (active, mask)
        if key not in self._done:
            self._done[key] = self._split(active, open_, rest, settled)
            if len(self._done) > self.limit:
                raise self._too_large(len(self._done))
        return self._done[key]

    def _split(self, active: Active, open_: Sequence[int], rest: int, settled: int) -> int:
        features = [at for at in range(len(self.rules.space.features)) if rest >> at & 1]
        at = max(features, key=lambda f: (sum(bits >> f & 1 for bits in open_), -f))
        runs = self._runs(at, active)
        settled |= 1 << at
        branches = merged(
            [Branch(values, self._grow(boxes, settled)) for values, boxes in runs],
            self.rules.space.features[at].ordered,
        )
        if len(branches) == 1:
            return branches[0].node
        return self._node(Split(at, branches))

    def _runs(self, at: int, active: Active) -> list[tuple[Any, Active]]:
        """Split a feature into runs of values that the same of these boxes allow."""
        boxes, feature = self.rules.boxes, self.rules.space.features[at]
        if not feature.ordered:
            allowed = [(i, boxes[i].sides.get(at)) for i in active]
            self._count(len(active) * feature.n_values)
            by_boxes: dict[Active, list[int]] = {}
            for code in range(feature.n_values):
                own = tuple(i for i, codes in allowed if codes is None or code in codes)
                by_boxes.setdefault(own, []).append(code)
            return [(tuple(codes), own) for own, codes in by_boxes.items()]
        sides: list[Any] = [boxes[i].sides.get(at, ((-math.inf, math.inf),)) for i in active]
        low, high = feature.bounds
        ends = {end for side in sides for interval in side for end in interval if low < end < high}
        cuts = [-math.inf, *sorted(ends), math.inf]
        own_boxes: list[list[int]] = [[] for _ in cuts[1:]]
        for i, side in zip(active, sides, strict=True):
            for start, end in side:
                first = 0 if start <= low else bisect_left(cuts, start)
                last = len(cuts) - 1 if end >= high else bisect_left(cuts, end)
                self._count(last - first)
                for run in range(first, last):
                    own_boxes[run].append(i)
        return [((cuts[run], cuts[run + 1]), tuple(own)) for run, own in enumerate(own_boxes)]

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > STEPS * self.limit:
            raise self._too_large(len(self._done))

    def _too_large(self, met: int) -> TooLarge:
        return TooLarge(
            f"these rules cut the space into too many regions (more than {met:,} parts of it were "
            f"looked at): raise {setting('limit', self.limit)}, or split the table",
            met,
        )

    def _node(self, node: Node) -> int:
        if node not in self._known:
            self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return self._known[node]
