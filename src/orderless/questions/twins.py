"""Twins: two completions of one row that differ in some features only, and in their class.

In:  an ``Ensemble`` of classes, a box over its bins, and the features in which twins may differ.
Out: two cells, or the proof that there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..model import Formula, Nodes, Space, SumKernel, TreeKernel, ValueSet, meet, second, values_in
from .boxes import Boxes, Cells, slices
from .joint import Joint

__all__ = ["Twins"]


class Twins:
    """Two copies of an ensemble that share all features but some, of which each has its own.

    Trees that do not ask about those are one tree in the search (``Joint``), and what one copy says
    beyond the other comes from the few that do.

    Parameters
    ----------
    ensemble : Ensemble
    apart : sequence of int
        Features, by their place among the bins, of which each copy has its own.
    also : sequence of int
        More of them that no tree asks about, by position in the space: facts may connect them.
    more : sequence of Formula
        What holds between the two rows, beside the facts: second values come after all features.
    row : dict of position -> ValueSet
        What both rows have of the features that facts connect.

    Notes
    -----
    Where the space has facts, both rows satisfy them: cells of both copies are possible iff there
    are two such rows (``Domain.twice``).
    """

    def __init__(
        self,
        ensemble: SumKernel,
        apart: Sequence[int],
        *,
        also: Sequence[int] = (),
        more: Sequence[Formula] = (),
        row: Mapping[int, ValueSet] | None = None,
    ) -> None:
        self.ensemble, self.apart = ensemble, apart
        bins, space = ensemble.bins, ensemble.space
        taken = set(space.names)
        self.name: dict[int, str] = {}
        for k in apart:
            name = bins.features[k].name
            while name in taken:
                name += "'"
            taken.add(name)
            self.name[k] = name
        own = [replace(bins.features[k], name=self.name[k]) for k in apart]
        own += [replace(space.features[i], name=second(space.features[i].name)) for i in also]
        wide, known = Space([*space.features, *own]), dict(row or {})
        if space.domain.restricts:
            twice = [*(bins.positions[k] for k in apart), *also]
            wide.domain = space.domain.twice(twice, more)
            places = enumerate(twice, len(space.features))
            known |= {there: known[i] for there, i in places if i in known}
        place = np.arange(len(space.features) + 1)
        for i, k in enumerate(apart):
            place[bins.positions[k]] = len(space.features) + i
        place[-1] = -1
        plain = [_over(tree, wide, tree.feature) for tree in ensemble.trees]
        moved = [_over(tree, wide, place[tree.feature]) for tree in ensemble.trees]
        one, other = (ensemble.replace(trees=trees) for trees in (plain, moved))
        self.joint = Joint(one, other, known)
        self.of_name = {f.name: k for k, f in enumerate(self.joint.one.bins.features)}

    def search(self, box: Boxes, time_limit: float) -> tuple[int, Cells | None, Cells | None]:
        """Look for twins in a box: 0 (there are none), 1 (two cells) or 2 (not found out)."""
        wide = self.wide(box, box)
        if not self.joint.possible.any_in(wide):
            return 0, None, None
        n, missed = len(self.ensemble.classes), False
        for a in range(n):
            for b in range(a + 1, n):  # which of the two is which does not matter
                code, cell = self.joint.search(a, b, time_limit, surely=False, box=wide)
                missed |= code == 2
                if code == 1:
                    pair = self.narrow(cell)
                    labels = self.ensemble.summed.evaluate(np.stack(pair), 1).label
                    if labels[0] != labels[1] and (labels >= 0).all():
                        return 1, *pair
                    missed = True  # within rounding
        return (2 if missed else 0), None, None

    def wide(self, one: Boxes, other: Boxes) -> Boxes:
        """Give the box over the features of both copies: what each has of its own features.

        Features that both share have what the one says of them.
        """
        bins = self.joint.one.bins
        wide = np.zeros(sum(bins.widths), dtype=np.uint8)
        there = slices(bins)
        for k, at in enumerate(slices(self.ensemble.bins)):
            wide[there[self.of_name[self.ensemble.bins.features[k].name]]] = one[at]
            if k in self.name:
                wide[there[self.of_name[self.name[k]]]] = other[at]
        return wide

    def possible(self, one: Cells, other: Cells) -> bool:
        """Tell whether two cells, that agree on what both share, have two possible rows."""
        bins = self.joint.one.bins
        domain = bins.tree.space.domain
        if not domain.restricts:
            return True
        wide = np.zeros(len(self.of_name), dtype=np.int32)
        for k, feature in enumerate(self.ensemble.bins.features):
            wide[self.of_name[feature.name]] = one[k]
            if k in self.name:
                wide[self.of_name[self.name[k]]] = other[k]
        known = dict(self.joint.row or {})
        for k, i in enumerate(bins.positions):
            if i in domain.group_of:
                own = values_in(bins.side(k, 1 << int(wide[k])))
                known[i] = meet(known[i], own) if i in known else own
        return domain.possible(known)

    def narrow(self, cell: Cells) -> tuple[Cells, Cells]:
        """Give the two cells that a cell of both copies is."""
        features = self.ensemble.bins.features
        one = np.array([cell[self.of_name[f.name]] for f in features], dtype=np.int32)
        other = one.copy()
        for k, name in self.name.items():
            other[k] = cell[self.of_name[name]]
        return one, other


def _over(tree: TreeKernel, space: Space, feature: np.ndarray) -> TreeKernel:
    """Give a tree over a wider space, its features by their place there."""
    arrays = {name: array.copy() for name, array in tree.nodes._asdict().items()}
    arrays["feature"] = np.where(tree.feature < 0, -1, feature).astype(np.int32)
    return TreeKernel.of_normal(space, tree.classes, Nodes(**arrays))
