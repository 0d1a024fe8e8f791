"""The extra results of our ONNX models, proven: what is possible for rows with unknown values.

In:  a source, the tree that was read from the artifact, and the artifact.
Out: that both allow the same answers for every row with gaps; or such a row on which they do not.

A row with gaps can get what its completions get. So if a leaf of the artifact is reached by an
unknown value just where some value reaches it, the two are equal on all rows if they are on
complete ones. Where a leaf is not like that, only rows that lack the features in question need be
looked at besides (docs/decisions/0028).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...errors import UnreadableModel
from ...model import Label, SumKernel, TreeKernel, any_value, over_common_space
from ...readers import ColumnBins, Unknowns, read_unknowns
from .cells import Cells, Leaf, artifact_leaves, tree_leaves

__all__ = ["Difference", "TooMany", "difference_of_unknowns"]

MOST_STEPS = 5_000_000  # boxes that are compared with one another
Sides = tuple[int, ...]
Place = tuple[int | None, ...]  # per feature a cell, or unknown


class TooMany(Exception):
    """More boxes than are compared."""


class Difference(NamedTuple):
    """A row, None where a value is unknown, and what both say of it: labels, or two numbers."""

    row: dict[str, Any]
    result: str
    source: tuple[Label, ...]
    artifact: tuple[Label, ...]


def difference_of_unknowns(
    source: TreeKernel | SumKernel,
    tree: TreeKernel,
    artifact: Any,
    *,
    gaps: bool,
    single: bool,
    near: bool,
) -> Difference | bool:
    """Give a row on which the extra results differ from the source; True if there is none.

    False if they were not compared, because they are not made as ``Tree.to_onnx`` makes them.
    ``gaps`` says whether rows may lack values, otherwise complete rows are compared; ``single``
    whether rows hold float32 only; ``near`` that its numbers only come near the tree's. The tree
    then stands for it, as it does for an ensemble.
    """
    read = read_unknowns(artifact)
    if read is None or len(tree.space.columns) != len(tree.space):
        return False
    extra = {tree.space.columns[i].feature: own for i, own in read.columns.items()}
    if isinstance(source, SumKernel):
        own = over_common_space([*source.trees, tree])[-1]
    else:
        own = over_common_space([source, tree])[-1] if near else source
    cells = Cells(own, tree.space, extra, gaps=gaps, single=single)
    try:
        compared = _Compared(cells, read, extra)
    except (UnreadableModel, ValueError, TypeError):  # the engine does not take each of the values
        return False
    place = compared.difference()
    if place is None:
        return True
    row = {}
    for feature in source.space.features:
        if feature.name in cells.names:
            k = cells.names.index(feature.name)
            cell = place[k]
            row[feature.name] = None if cell is None else cells.values[k][cell]
        else:
            row[feature.name] = any_value(feature)
    said = [compared.words(leaves, place) for leaves in (compared.own, compared.theirs)]
    result = "possible"
    if read.numbers:
        result = "lower" if said[0][:1] != said[1][:1] else "upper"
    return Difference(row, result, said[0], said[1])


class _Compared:
    """The leaves of both, and whether they allow the same."""

    def __init__(self, cells: Cells, read: Unknowns, extra: dict[str, ColumnBins]) -> None:
        self.cells, self.read = cells, read
        self.own = tree_leaves(cells)
        self.theirs = artifact_leaves(cells, read, extra)
        self.steps = 0

    # -- rows ------------------------------------------------------------------------------------

    def said(self, leaves: Sequence[Leaf], place: Place) -> set[Label]:
        """Give what is possible for a row."""
        out: set[Label] = set()
        for leaf in leaves:
            if all(
                leaf.gaps[k] if cell is None else leaf.sides[k] >> cell & 1
                for k, cell in enumerate(place)
            ):
                out |= leaf.says
        return out

    def words(self, leaves: Sequence[Leaf], place: Place) -> tuple[Label, ...]:
        """Give the result of the model for a row: classes in order, or the two ends."""
        said = self.said(leaves, place)
        if not self.read.numbers:
            return tuple(label for label in self.read.classes if label in said) + tuple(
                sorted(said - set(self.read.classes), key=str)
            )
        numbers = [float(number) for number in said]
        return (min(numbers), max(numbers)) if numbers else ()

    # -- all rows --------------------------------------------------------------------------------

    def difference(self) -> Place | None:
        """Give a row for which the results differ."""
        classes = {label for leaf in (*self.own, *self.theirs) for label in leaf.says}
        place = self._first([frozenset([label]) for label in sorted(classes, key=str)])
        if place is None or not self.read.numbers:
            return place
        if self.words(self.own, place) != self.words(self.theirs, place):
            return place
        # A number between the two ends does not matter: compare what is at most, and at least, it.
        numbers = sorted(float(number) for number in classes)
        below = [frozenset(numbers[: i + 1]) for i in range(len(numbers))]
        above = [frozenset(numbers[i:]) for i in range(len(numbers))]
        return self._first([*below, *above])

    def _first(self, claims: Sequence[frozenset[Any]]) -> Place | None:
        for claim in claims:
            own = [leaf for leaf in self.own if leaf.says & claim]
            theirs = [leaf for leaf in self.theirs if leaf.says & claim]
            for place in itertools.chain(self._too_much(own, theirs), self._lost(own, theirs)):
                return place
        return None

    def _too_much(self, own: list[Leaf], theirs: list[Leaf]) -> Iterator[Place]:
        """Give rows that reach a leaf of the artifact, and none of the tree.

        Rows with the fewest gaps suffice: where a tree's leaf is reached, it is with one gap more.
        """
        boxes: dict[frozenset[int], dict[Sides, None]] = {}
        for leaf in theirs:
            empty = frozenset(k for k, side in enumerate(leaf.sides) if not side)
            if all(self.cells.unknown[k] and leaf.gaps[k] for k in empty):
                if empty not in boxes:
                    boxes[empty] = self._boxes(own, empty)
                yield from self._outside(self._without(leaf.sides, empty), boxes[empty], empty)

    def _lost(self, own: list[Leaf], theirs: list[Leaf]) -> Iterator[Place]:
        """Give rows that reach a leaf of the tree, and none of the artifact.

        A row need only lack features of which some value, but no unknown one, reaches a leaf of the
        artifact, and those of which no value that a row can hold reaches the leaf of the tree.
        """
        features = [
            k
            for k, may in enumerate(self.cells.unknown)
            if may and any(leaf.sides[k] and not leaf.gaps[k] for leaf in theirs)
        ]
        for size in range(len(features) + 1):
            for some in itertools.combinations(features, size):
                boxes: dict[frozenset[int], dict[Sides, None]] = {}
                for leaf in own:
                    empty = {k for k, side in enumerate(leaf.sides) if not side}
                    lacking = frozenset(empty.union(some))
                    if not all(self.cells.unknown[k] for k in empty):
                        continue
                    if lacking not in boxes:
                        boxes[lacking] = self._boxes(theirs, lacking)
                    region = self._without(leaf.sides, lacking)
                    yield from self._outside(region, boxes[lacking], lacking)

    def _boxes(self, leaves: list[Leaf], lacking: frozenset[int]) -> dict[Sides, None]:
        """Give the boxes of the leaves that a row can reach that lacks features, each once."""
        reached = [leaf for leaf in leaves if all(leaf.gaps[k] for k in lacking)]
        boxes = [self._without(leaf.sides, lacking) for leaf in reached]
        return {box: None for box in boxes if all(box)}

    def _without(self, sides: Sides, lacking: frozenset[int]) -> Sides:
        """Drop what a box asks of features that a row lacks."""
        return tuple(self.cells.every(k) if k in lacking else s for k, s in enumerate(sides))

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooMany

    def _outside(
        self, region: Sides, known: dict[Sides, None], lacking: frozenset[int]
    ) -> Iterator[Place]:
        """Give a row of a region that is in none of the boxes, if there is one."""
        self._step()
        if region in known:  # as it is where nothing was changed
            return
        boxes = list(known)
        todo = [(region, 0)]
        while todo:
            sides, start = todo.pop()
            for at in range(start, len(boxes)):
                self._step()
                box = boxes[at]
                if not all(a & b for a, b in zip(sides, box, strict=True)):
                    continue
                left = list(sides)
                for k, own in enumerate(box):  # what is outside of the box, piece by piece
                    if beyond := left[k] & ~own:
                        todo.append(((*left[:k], beyond, *left[k + 1 :]), at + 1))
                        left[k] &= own
                break
            else:
                yield tuple(
                    None if k in lacking else (side & -side).bit_length() - 1
                    for k, side in enumerate(sides)
                )
                return
