"""Cells: which combinations of bins of the features that facts connect are possible.

In:  a ``Tree`` over a space with facts, and more cuts if somebody needs them.
Out: ``Grid``: the bins of each such feature, and for each group a table of what is possible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TooLarge
from ..arrays import Flags
from ..feature import Side
from .knowledge import domain_of
from .solve import Domain, holds, meet

if TYPE_CHECKING:
    from ..space import Space
    from ..tree import TreeKernel

__all__ = ["Grid", "tree_bins"]

MOST_CELLS = 4_000_000
MOST_CHECKS = 300_000


class Grid:
    """The bins into which a tree, and whoever asks, cut the features that facts connect.

    Parameters
    ----------
    space : Space
        With facts.
    bins : dict of position -> list of Side
        Of features that facts connect. Numeric features: rising; NaN, where it is a value, is last.
    row : dict of position -> Domain, optional
        What is known of features that facts connect: cells are those of this row.

    Attributes
    ----------
    features : tuple of int
        Positions of the features that are cut, group by group.
    tables : list of (tuple of positions, array)
        By group, which cells are possible: one axis for each feature.

    Notes
    -----
    A cell is possible iff the facts have a solution in it; features that are not cut are free.
    Cost: at most one exact check for each cell; boxes in which all or no cells are possible need
    one. More than ``MOST_CHECKS`` raise ``TooLarge``.
    """

    def __init__(
        self,
        space: Space,
        bins: Mapping[int, list[Side]],
        row: Mapping[int, Domain] | None = None,
    ) -> None:
        knowledge = space.knowledge
        assert knowledge is not None
        self.space, self.knowledge, self.bins, self.row = space, knowledge, bins, row or {}
        self.tables: list[tuple[tuple[int, ...], Flags]] = []
        for group in knowledge.groups:
            own = tuple(i for i in group if i in bins)
            if own:
                self.tables.append((own, self._table(own)))
        self.features = tuple(i for own, _ in self.tables for i in own)

    def _table(self, own: tuple[int, ...]) -> Flags:
        """Decide cells by boxes of them; halve those of which some may be possible."""
        shape = tuple(len(self.bins[i]) for i in own)
        if math.prod(shape) > MOST_CELLS:
            raise self._too_large(own, math.prod(shape))
        table = np.zeros(shape, dtype=bool)
        formulas = self.knowledge.formulas_of(self.knowledge.group_of[own[0]])
        group = self.knowledge.groups[self.knowledge.group_of[own[0]]]
        known = {i: self.row[i] for i in group if i in self.row}
        rest = {i: known.get(i, self.knowledge.whole[i]) for i in group}
        partly = any(i in known for i in own)  # some bins may have no value of the row
        todo = [tuple((0, n) for n in shape)]
        checks = 0
        while todo:
            box = todo.pop()
            sizes = [end - start for start, end in box]
            found = [self._domain(i, *run) for i, run in zip(own, box, strict=True)]
            domains = {
                i: meet(d, known[i]) if i in known else d
                for i, d in zip(own, found, strict=True)
                if d is not None
            }
            at = tuple(slice(*run) for run in box)
            if len(domains) < len(own):
                axis = found.index(None)
            elif any(domain.empty for domain in domains.values()):
                continue
            elif (max(sizes) == 1 or not partly) and all(
                holds(formula, {**rest, **domains}) for formula in formulas
            ):
                table[at] = True
                continue
            else:
                checks += 1
                if checks > MOST_CHECKS:
                    raise self._too_large(own, math.prod(shape))
                if not self.knowledge.possible({**known, **domains}):
                    continue
                if max(sizes) == 1:
                    table[at] = True
                    continue
                axis = sizes.index(max(sizes))
            start, end = box[axis]
            middle = (start + end) // 2
            for run in ((start, middle), (middle, end)):
                todo.append((*box[:axis], run, *box[axis + 1 :]))
        return table

    def _domain(self, i: int, start: int, end: int) -> Domain | None:
        """Give the values of some bins; None where numbers and NaN have to be taken apart."""
        sides = self.bins[i][start:end]
        feature = sides[0].feature
        if not feature.ordered:
            return domain_of(Side(feature, codes=tuple(c for s in sides for c in s.codes)))
        nan = sides[-1].nan
        if nan and len(sides) > 1:
            return None
        return domain_of(sides[0] if nan else Side(feature, sides[0].lower, sides[-1].upper))

    def _names(self, own: tuple[int, ...]) -> str:
        return ", ".join(repr(self.space.features[i].name) for i in own)

    def _too_large(self, own: tuple[int, ...], n_cells: int) -> TooLarge:
        names = self._names(own)
        return TooLarge(
            f"the facts connect {names}, which the tree cuts into {n_cells:,} cells together: too "
            "many to look at. Use fewer facts, or a tree with fewer thresholds on these features",
            n_cells,
        )

    def bins_in(self, i: int, side: Side) -> list[int]:
        """Give the bins that have a value of a side which begins and ends where bins do."""
        if not side.feature.ordered:
            inside = set(side.codes)
            return [b for b, own in enumerate(self.bins[i]) if inside.intersection(own.codes)]
        some = side.lower < side.upper
        return [
            b
            for b, own in enumerate(self.bins[i])
            if (own.nan and side.nan)
            or (not own.nan and some and own.lower < side.upper and own.upper > side.lower)
        ]

    def any_possible(self, sides: Mapping[str, Side]) -> bool:
        """Tell whether a box has a possible cell."""
        names = self.space.features
        for own, table in self.tables:
            chosen = [
                self.bins_in(i, sides[names[i].name])
                if names[i].name in sides
                else range(len(self.bins[i]))
                for i in own
            ]
            if not table[np.ix_(*chosen)].any():
                return False
        return True


def tree_bins(
    tree: TreeKernel, more: Mapping[int, Sequence[Side]] | None = None
) -> dict[int, list[Side]]:
    """Give the bins into which a tree, and whoever asks, cut the features that facts connect.

    ``more``: by feature values that must be bins apart from others.
    """
    knowledge = tree.space.knowledge
    assert knowledge is not None
    cut = {*tree.used, *(more or {})}
    return {
        i: _bins(tree, i, (more or {}).get(i, ()))
        for group in knowledge.groups
        for i in group
        if i in cut
    }


def _bins(tree: TreeKernel, i: int, more: Sequence[Side]) -> list[Side]:
    feature = tree.space.features[i]
    nodes = np.flatnonzero(tree.feature == i)
    if feature.ordered:
        ends = [*tree.threshold[nodes].tolist(), *(e for s in more for e in (s.lower, s.upper))]
        low, high = feature.bounds
        cuts = sorted({end for end in ends if math.isfinite(end) and low < end < high})
        bins = [Side(feature, a, b) for a, b in zip([low, *cuts], [*cuts, high], strict=True)]
        return bins + [Side(feature, 0.0, 0.0, True)] * feature.nan
    sets = [set(tree.set_of(node).tolist()) for node in nodes.tolist()]
    sets += [set(side.codes) for side in more]
    groups: dict[tuple[bool, ...], list[int]] = {}
    for code in range(feature.n_values):
        groups.setdefault(tuple(code in own for own in sets), []).append(code)
    return [Side(feature, codes=tuple(codes)) for codes in groups.values()]
