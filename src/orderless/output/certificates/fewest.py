"""Why fewer rules are not enough: cells of which no two fit into one rule, or a search by cases.

In:  all reasons of a class, as boxes over bins, and how many rules it has.
Out: a bound with a proof as docs/certificates has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from ... import _core
from ...model import Bins, Box

__all__ = ["Proof", "lower_bound"]

CASES = 300  # of a proof
ROUNDS = 200  # in which a cell is added
ORDERS = 4  # in which reasons are avoided, to find cells that few of them contain
GREEDY = 30  # orders in which cells are chosen

Bits = tuple[int, ...]
Cell = tuple[int, Bits]  # the reasons that contain it, as bits, and the cell
Proof = list[Any]  # cells, and proofs by cases


class _TooLong(Exception):
    """The proof has too many cases."""


def lower_bound(
    bins: Bins, c: int, n_rules: int, reasons: Sequence[Bits], *, branching: bool
) -> tuple[int, Proof]:
    """Prove that a class needs as many rules as it has, or at least nearly as many.

    Parameters
    ----------
    reasons : sequence of boxes
        All widest boxes of the class, in the order of the certificate.
    branching : bool
        Whether the proof may go through the reasons that contain a cell, case by case.

    Returns
    -------
    bound, proof

    Notes
    -----
    A set of rules has to hit, for each cell, one of the reasons that contain it. Cells are added
    until those at hand cannot be hit by fewer than ``n_rules``: NP-hard, so the number of cases is
    limited.
    """
    search = _Cells(bins, c, reasons)
    best = search.apart(search.cells)
    for _ in range(ROUNDS):
        if len(best) >= n_rules or not branching:
            break
        chosen: list[int] = []
        try:
            proof = search.prove(search.cells, n_rules, chosen, [CASES])
        except _TooLong:
            break
        if proof is not None:
            return n_rules, proof
        search.add_outside(chosen)
        best = max(best, search.apart(search.cells), key=len)
    bound = min(len(best), n_rules)
    return bound, [[_places(cell) for _, cell in best[:bound]], []]


class _Cells:
    """Cells of a class, each with the reasons that contain it."""

    def __init__(self, bins: Bins, c: int, reasons: Sequence[Bits]) -> None:
        self.reasons = reasons
        leaves, boxes = _core.bins.leaf_boxes(bins.nodes, bins.layout)
        own = boxes[bins.tree.leaf_class[leaves] == c]
        self.leaves = [box.bits for box in Box.of_slots(bins, own)]
        self.random = Random(0)
        self.seen: dict[int, Bits] = {}
        for leaf in self.leaves:
            for _ in range(ORDERS):
                self.add(leaf)

    @property
    def cells(self) -> list[Cell]:
        """The cells, without those that are hit wherever another one is; few reasons first."""
        order = sorted(self.seen, key=lambda own: (own.bit_count(), own))
        kept: list[int] = []
        for own in order:
            if not any(other & own == other for other in kept):
                kept.append(own)
        return [(own, self.seen[own]) for own in kept]

    def add(self, box: Bits) -> None:
        """Add a cell of a box that lies in few reasons."""
        places = list(range(len(self.reasons)))
        self.random.shuffle(places)
        for i in places:
            reason = self.reasons[i]
            if not all(a & b for a, b in zip(box, reason, strict=True)):
                continue
            for k, (a, b) in enumerate(zip(box, reason, strict=True)):
                if a & ~b:
                    box = (*box[:k], a & ~b, *box[k + 1 :])
                    break
        cell = tuple(bits & -bits for bits in box)
        self.seen.setdefault(self._around(cell), cell)

    def _around(self, cell: Bits) -> int:
        """Give the reasons that contain a cell, as bits."""
        return sum(
            1 << i
            for i, reason in enumerate(self.reasons)
            if all(a & b for a, b in zip(cell, reason, strict=True))
        )

    def add_outside(self, chosen: Sequence[int]) -> None:
        """Add a cell that some reasons leave open."""
        todo = list(self.leaves)
        boxes = [self.reasons[i] for i in chosen]
        while todo:
            box = todo.pop()
            near = [r for r in boxes if all(a & b for a, b in zip(box, r, strict=True))]
            if not near:
                for _ in range(ORDERS):
                    self.add(box)
                return
            # What lies outside of the first of them: feature by feature.
            for k, bits in enumerate(near[0]):
                if box[k] & ~bits:
                    todo.append((*box[:k], box[k] & ~bits, *box[k + 1 :]))
                    box = (*box[:k], box[k] & bits, *box[k + 1 :])

    def apart(self, cells: Sequence[Cell]) -> list[Cell]:
        """Give cells of which no two lie in one reason, as many as a few tries find."""
        best: list[Cell] = []
        order = list(cells)
        for _ in range(GREEDY):
            taken, out = 0, []
            for own, cell in order:
                if not own & taken:
                    taken |= own
                    out.append((own, cell))
            best = max(best, out, key=len)
            order = sorted(cells, key=lambda one: one[0].bit_count() + 2 * self.random.random())
        return best

    def prove(
        self, cells: Sequence[Cell], k: int, chosen: list[int], left: list[int]
    ) -> Proof | None:
        """Prove that cells take k reasons; None, with fewer in ``chosen``, where they do not."""
        apart = self.apart(cells) if k > 0 else []
        if len(apart) >= k:
            return [[_places(cell) for _, cell in apart[:k]], []]
        if not cells:
            return None
        left[0] -= 1
        if left[0] < 0:
            raise _TooLong
        around, cell = min(cells, key=lambda one: (one[0].bit_count(), one[0]))
        branches = []
        for i in (i for i in range(len(self.reasons)) if around >> i & 1):
            chosen.append(i)
            open_ = [one for one in cells if not one[0] >> i & 1]
            branch = self.prove(open_, k - 1, chosen, left)
            if branch is None:
                return None
            chosen.pop()
            branches.append(branch)
        return [[_places(cell)], branches]


def _places(cell: Bits) -> list[int]:
    return [bits.bit_length() - 1 for bits in cell]
