"""Brute force: every cell of a space, every box, every cover, every tree.

A grid has, per feature, one point of every bin that the given questions cut. A set of cells is an
int, one bit per cell; a *side* is a set of places in a feature's points; a *box* is a side per
feature.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .model import Ask, Feat, Node, Point, accepts, asks, decide

Side = frozenset[int]
Box = tuple[Side, ...]


class TooBig(Exception):
    """The case is too large for brute force; another one is drawn."""


class Grid:
    """The cells that the questions of some trees cut."""

    def __init__(self, feats: Sequence[Feat], questions: Iterable[Ask], most: int = 600) -> None:
        self.feats = tuple(feats)
        questions = list(questions)
        self.points: list[list[Point]] = []
        for at, feat in enumerate(feats):
            mine = [ask for ask in questions if ask.feature == at]
            self.points.append(points_of(feat, mine))
        self.shape = [len(points) for points in self.points]
        if math.prod(self.shape) > most:
            raise TooBig
        self.places = list(itertools.product(*(range(n) for n in self.shape)))
        self.cells = [
            tuple(self.points[at][place] for at, place in enumerate(places))
            for places in self.places
        ]
        self.all = (1 << len(self.cells)) - 1
        self.slices = [[0] * n for n in self.shape]
        for bit, places in enumerate(self.places):
            for at, place in enumerate(places):
                self.slices[at][place] |= 1 << bit

    @classmethod
    def of(cls, feats: Sequence[Feat], *trees: Node, most: int = 600) -> Grid:
        return cls(feats, [ask for tree in trees for ask in asks(tree)], most)

    def table(self, tree: Node) -> list[Any]:
        """The label of every cell."""
        return [decide(tree, cell) for cell in self.cells]

    def by_label(self, table: Sequence[Any]) -> dict[Any, int]:
        """The cells of every label."""
        found: dict[Any, int] = {}
        for bit, label in enumerate(table):
            found[label] = found.get(label, 0) | 1 << bit
        return found

    def mask(self, at: int, side: Iterable[int]) -> int:
        found = 0
        for place in side:
            found |= self.slices[at][place]
        return found

    def box_mask(self, box: Sequence[Iterable[int]]) -> int:
        found = self.all
        for at, side in enumerate(box):
            found &= self.mask(at, side)
        return found

    def term_mask(self, conditions: Iterable[dict[str, Any]]) -> int:
        """The cells of a term, given by its conditions as docs/formats writes them."""
        names = [feat.name for feat in self.feats]
        found = self.all
        for condition in conditions:
            at = names.index(condition["feature"])
            found &= self.mask(
                at,
                (
                    place
                    for place, point in enumerate(self.points[at])
                    if accepts(self.feats[at], condition, point)
                ),
            )
        return found

    @property
    def whole(self) -> Box:
        return tuple(frozenset(range(n)) for n in self.shape)

    def sides(self, at: int) -> list[Side]:
        """Every side: intervals of an ordered feature, with "missing" or not; any set otherwise."""
        n = self.shape[at]
        if not self.feats[at].ordered:
            if n > 6:
                raise TooBig
            return [
                frozenset(chosen)
                for size in range(1, n + 1)
                for chosen in itertools.combinations(range(n), size)
            ]
        gone = self.points[at][-1] is None
        numbers = n - gone
        spans = [frozenset(range(a, b)) for a in range(numbers) for b in range(a + 1, numbers + 1)]
        if gone:
            spans += [span | {n - 1} for span in spans] + [frozenset([n - 1])]
        return spans

    def reasons(self, target: int, most: int = 40_000) -> set[int]:
        """The maximal boxes inside a set of cells, each as its own set of cells."""
        choices = [
            [self.mask(at, side) for side in self.sides(at)] for at in range(len(self.shape))
        ]
        if math.prod(len(some) for some in choices) > most:
            raise TooBig
        inside = {self.all} if not choices else set()
        for masks in itertools.product(*choices):
            found = self.all
            for mask in masks:
                found &= mask
            if not found & ~target:
                inside.add(found)
        if len(inside) > 4000:
            raise TooBig
        kept: list[int] = []
        for found in sorted(inside, key=int.bit_count, reverse=True):
            if not any(found & ~larger == 0 for larger in kept):
                kept.append(found)
        return set(kept)

    def splits(self, box: Box) -> Iterator[tuple[int, Box, Box]]:
        """Every question that parts a box, once, with its two sides."""
        for at, side in enumerate(box):
            for left in halves(side, self.feats[at], self.points[at]):
                yes, no = list(box), list(box)
                yes[at], no[at] = left, side - left
                yield at, tuple(yes), tuple(no)


def halves(side: Side, feat: Feat, points: Sequence[Point]) -> Iterator[Side]:
    """One of the two halves of each way to part a side by one question."""
    places = sorted(side)
    if not feat.ordered:
        for size in range(1, len(places)):
            for chosen in itertools.combinations(places[1:], size - 1):
                yield frozenset([places[0], *chosen])
        return
    gone = [place for place in places if points[place] is None]
    numbers = [place for place in places if points[place] is not None]
    for cut in range(1, len(numbers)):
        yield frozenset(numbers[:cut])
        if gone:
            yield frozenset(numbers[:cut] + gone)
    if gone and numbers:
        yield frozenset(numbers)


def points_of(feat: Feat, questions: Iterable[Ask]) -> list[Point]:
    """One point per bin; for a categorical feature all of its values.

    What is below the least float32 is -inf there, which is at most any finite threshold.
    """
    questions = list(questions)
    if not feat.ordered:
        return list(feat.codes)
    cuts = sorted({feat.floor(ask.at_most) for ask in questions})
    if feat.kind == "boolean":
        found: list[Point] = [0.0, 1.0]
    else:
        below = feat.kind == "float32" and any(
            math.isfinite(ask.at_most) for ask in questions if feat.floor(ask.at_most) == -math.inf
        )
        cuts = [cut for cut in cuts if math.isfinite(cut) or (below and cut < 0)]
        found = [*cuts, feat.after(cuts[-1]) if cuts else 0.0]
        if feat.kind == "integer" and found[-1] == math.inf:  # no whole number
            found.pop()
    return [*found, None] if feat.nan else found


def least_cover(target: int, boxes: Sequence[int], most: int = 60_000) -> int:
    """The fewest of the boxes that cover the target."""
    tried = 0
    for size in range(1, len(boxes) + 1):
        for chosen in itertools.combinations(boxes, size):
            tried += 1
            if tried > most:
                raise TooBig
            covered = 0
            for box in chosen:
                covered |= box
            if not target & ~covered:
                return size
    return 0


class Smallest:
    """The smallest trees for a function, by trying every question in every box."""

    def __init__(self, grid: Grid, table: Sequence[Any], most: int = 3000) -> None:
        self.grid, self.most = grid, most
        self.labels = list(grid.by_label(table).values())
        self.memory: dict[tuple[str, Box], float] = {}

    def pure(self, box: Box) -> bool:
        mask = self.grid.box_mask(box)
        return any(not mask & ~cells for cells in self.labels)

    def value(self, what: str, box: Box | None = None) -> float:
        """Fewest leaves, least depth, or least total depth over the cells of a box."""
        box = self.grid.whole if box is None else box
        key = what, box
        if key not in self.memory:
            if len(self.memory) > self.most:
                raise TooBig
            self.memory[key] = self.search(what, box)
        return self.memory[key]

    def search(self, what: str, box: Box) -> float:
        if self.pure(box):
            return float(what == "leaves")
        best = math.inf
        for _, yes, no in self.grid.splits(box):
            both = self.value(what, yes), self.value(what, no)
            if what == "leaves":
                best = min(best, sum(both))
            elif what == "depth":
                best = min(best, 1 + max(both))
            else:
                best = min(best, self.grid.box_mask(box).bit_count() + sum(both))
        return best
