"""Ensembles where facts hold: what the search leaves out, by what a row says.

In:  an ``Ensemble`` over a space with facts; rows.
Out: ``PossibleSums``: the same ensemble, whose search looks at possible cells only, by row;
     ``PossibleCells``: of all rows.

The core gets trees that say which cells facts exclude (``fact_trees``), made for the exact values
of a row; what they exclude is worth less than anything else, so that bounds leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..model import (
    Bins,
    FactTrees,
    Grid,
    SumKernel,
    ValueSet,
    fact_trees,
    joined_trees,
    one_value,
    sides_by_bin,
)

__all__ = ["PossibleCells", "PossibleSums", "touched"]


def touched(ensemble: SumKernel) -> bool:
    """Whether facts are about features that the ensemble asks about."""
    return bool({*ensemble.connected} & {*ensemble.used})


class PossibleSums:
    """An ensemble, by what rows say of the features that facts connect.

    Cost: for each group of connected features, and each different part of a row that leaves one of
    them unknown, checks of the facts for some cells (``Grid``); a copy of the trees for rows for
    which facts exclude the same.
    """

    whole = ValueSet()

    def __init__(self, ensemble: SumKernel) -> None:
        self.ensemble = ensemble
        self.sides = sides_by_bin(ensemble.bins)
        self._parts: dict[tuple[tuple[int, ValueSet], ...], FactTrees | None] = {}
        self._same: dict[bytes, FactTrees] = {}
        self._made: dict[tuple[int, ...], SumKernel] = {}

    def given(self, row: Mapping[int, ValueSet]) -> SumKernel:
        """Give the ensemble over the possible rows that have the values of this one."""
        domain = self.ensemble.space.domain
        found = [self._part(group, row) for group in domain.groups]
        parts = [part for part in found if part is not None]
        if not parts:
            return self.ensemble
        key = tuple(map(id, parts))  # they are kept, and equal ones are one
        if key not in self._made:
            self._made[key] = _with_facts(self.ensemble, joined_trees(parts))
        return self._made[key]

    def _part(self, group: tuple[int, ...], row: Mapping[int, ValueSet]) -> FactTrees | None:
        """Give what facts exclude of one group of features."""
        known = {i for i in group if i in row and one_value(row[i])}
        unknown = {i: own for i, own in self.sides.items() if i in group and i not in known}
        if not unknown:
            return None
        own = {i: row[i] for i in group if i in row}
        key = (*own.items(), (group[0], self.whole))  # of which group, where nothing is known
        if key not in self._parts:
            trees = fact_trees(self.ensemble.bins, Grid(self.ensemble.space, unknown, own))
            if trees is not None:
                text = b"".join(array.tobytes() for array in trees.nodes)
                trees = self._same.setdefault(text, trees)
            self._parts[key] = trees
        return self._parts[key]


class PossibleCells:
    """Which cells have a possible row, over the bins of an ensemble.

    Without facts all cells do. ``row``: what is known of features that facts connect; cells are
    those of this row, and of what has one value no bin is told from others.
    """

    def __init__(self, bins: Bins, row: Mapping[int, ValueSet] | None = None) -> None:
        self.bins, self.trees = bins, None
        self._tables: list[tuple[list[int], NDArray[np.bool_]]] = []
        if bins.tree.space.domain.restricts:
            known = row or {}
            cut = {i: own for i, own in sides_by_bin(bins).items()
                   if i not in known or not one_value(known[i])}  # fmt: skip
            grid = Grid(bins.tree.space, cut, known)
            self.trees = fact_trees(bins, grid)
            place = {i: k for k, i in enumerate(bins.positions)}
            self._tables = [([place[i] for i in own], table) for own, table in grid.tables]

    def over(self, ensemble: SumKernel) -> SumKernel:
        """Give an ensemble with these bins, whose search looks at possible cells only."""
        return ensemble if self.trees is None else _with_facts(ensemble, self.trees)

    def possible(self, cells: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which cells have a possible row."""
        out = np.ones(len(cells), dtype=bool)
        for own, table in self._tables:
            out &= table[tuple(cells[:, k] for k in own)]
        return out

    def share(self, box: NDArray[np.uint8], weights: Sequence[NDArray[np.float64]]) -> float:
        """Give what the possible cells of a box weigh, of the weights of bins by feature."""
        ends = np.cumsum([0, *self.bins.widths]).tolist()
        own = [w * box[a:b] for w, (a, b) in zip(weights, pairwise(ends), strict=True)]
        out, free = 1.0, set(range(len(own)))
        for some, table in self._tables:
            left = table.astype(np.float64)
            for k in reversed(some):
                left = left @ own[k]  # the last axis
            out *= float(left)
            free -= {*some}
        for k in free:
            out *= float(own[k].sum())
        return out

    def any_in(self, box: NDArray[np.uint8]) -> bool:
        """Tell whether a box, as the core reads it, has a possible row."""
        ends = np.cumsum([0, *self.bins.widths]).tolist()
        inside = [np.flatnonzero(box[a:b]) for a, b in pairwise(ends)]
        return all(
            bool(table[np.ix_(*(inside[k] for k in own))].any()) for own, table in self._tables
        )


def _with_facts(ensemble: SumKernel, trees: FactTrees) -> SumKernel:
    summed = ensemble.summed.with_facts(trees.nodes, trees.roots)
    out = SumKernel.__new__(SumKernel)
    out.__dict__.update({**ensemble.__dict__, "summed": summed, "excluded": trees})
    return out
