"""One row where facts hold: its classes, its reasons, and what changes it, among possible rows.

In:  a ``Tree`` over a space with facts, and one row.
Out: ``PossibleSearch``: what an ``Explanation`` is made of.

The tree's impossible cells are taken for the row's own class: then no reason has to keep them away,
and no change leads to them. Cells are those of the tree and of the values that facts name. Where
facts compare features with each other, the row's own values are cells too, as they stand in the
row: with ``low <= high``, a low of 12 says that high is above 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..model import (
    Bins,
    Feature,
    Label,
    PossibleRows,
    PossibleTree,
    Rows,
    Side,
    Space,
    TreeKernel,
    ValueSet,
    row_boundary,
    row_values,
    unrounded_rows,
    value_at_most,
)
from .row_search import RowSearch

__all__ = ["PossibleSearch", "own_values"]


class PossibleSearch:
    """One row among the possible rows of a tree.

    Attributes
    ----------
    label, possible, interval, unknown, partly_known
        As of ``Explanation``.
    search : RowSearch
        For reasons and changes.
    asked : tuple of str
        The features that the tree depends on.
    tree, given
        Of a row that is certain: the tree and the row, without rounding to float32 where facts
        compare features, and for a regression tree around its interval.
    cells : PossibleTree
        Of a row that is certain: what ``search`` searches.
    """

    cells: PossibleTree

    def __init__(self, tree: TreeKernel, given: Rows, time_limit: float) -> None:
        self.time_limit = time_limit
        leaves = PossibleRows(tree, given).all_leaves()[0]
        label = tree.leaf_class[tree.feature < 0]
        codes = np.unique(label[leaves]).tolist()
        self.possible: tuple[Label, ...] = tuple(tree.classes[c] for c in codes)
        self.label = self.possible[0] if len(codes) == 1 else None
        self.interval: tuple[float, float] | None = None
        self.asked = tree.features
        plain = RowSearch.of_rows(tree.bins, given, time_limit)
        open_features = [] if self.label is not None else _unsettled(plain, leaves)
        self.unknown = tuple(tree.bins.features[k].name for k in open_features)
        self.partly_known = any(plain.row[k] != plain.full[k] for k in open_features)
        self.search = plain
        if tree.task == "regression":
            self.interval = (float(min(self.possible)), float(max(self.possible)))
            tree = tree.around(*self.interval)
            codes = np.unique(tree.leaf_class[tree.feature < 0][leaves]).tolist()
        self.certain = len(codes) == 1
        if self.certain:
            self.code: int = codes[0]
            self.features = tree.space.features
            self.tree = tree.unrounded
            self.given = unrounded_rows(given, self.features, self.tree.space.features)
            self.cells = self.cells_with({})
            self.search = self.search_of(self.cells)
            assert self.search.possible == [self.code], "a certain row has one class in its cells"

    def cells_with(self, more: Mapping[int, Sequence[Side]]) -> PossibleTree:
        """Give the tree of possible rows, where more values are cells of their own."""
        tree, knowledge = self.tree, self.tree.space.domain
        if not knowledge.linear and not more:
            cells = tree.possible_cells
            assert cells is not None
            return cells
        groups = {knowledge.group_of[i] for i in tree.used if i in knowledge.group_of}
        sides: dict[int, list[Side]] = {}
        if knowledge.linear:
            sides = {i: list(own) for i, own in self.own_values().items()}
        for some in (knowledge.own_sides(), more):
            for i, own in some.items():
                sides.setdefault(i, []).extend(own)
        return PossibleTree(
            tree, {i: own for i, own in sides.items() if knowledge.group_of.get(i) in groups}
        )

    def own_values(self) -> Mapping[int, Sequence[Side]]:
        """Give what the row says of the features that facts connect, as bins."""
        return own_values(self.tree.space, self.tree.connected, self.given)

    def search_of(self, cells: PossibleTree) -> RowSearch:
        """Give the search around the row among some cells."""
        tree = cells.taken_for(self.code)
        bins = tree.bins if self.features == tree.space.features else _Shown(tree, self.features)
        impossible = cells.impossible[tree.feature < 0]
        return RowSearch.of_rows(bins, self.given, self.time_limit, impossible)


class _Shown(Bins):
    """Bins of numbers that are not rounded; people see the ends between which float32 lie."""

    def __init__(self, tree: TreeKernel, features: Sequence[Feature]) -> None:
        super().__init__(tree)
        self._own = {feature.name: feature for feature in features}

    def shown(self, side: Side) -> Side:
        """Give a side in numbers of its own feature, if it begins and ends between two of them."""
        own = self._own[side.feature.name]
        if own == side.feature or not side.lower < side.upper:
            return Side(own, side.lower, side.upper, side.nan, side.codes)
        ends = np.array([side.lower, side.upper])
        rounded = value_at_most(ends, own.values)
        if (row_boundary(rounded, own.values) != ends).any():
            return side
        low, high = rounded.tolist()
        return Side(own, low, high, side.nan)


def _unsettled(search: RowSearch, leaves: NDArray[np.bool_]) -> list[int]:
    """Give the features whose unknown values decide, where facts leave some leaves.

    Two leaves of different classes differ on such a feature only; where there are no such two, on
    others too. Quadratic in the leaves that the row reaches.
    """
    met = np.flatnonzero(~search.missed.any(axis=1) & leaves)
    apart = []
    for k, row in enumerate(search.row):
        sides = [row & search.leaf_side(leaf, k) for leaf in met.tolist()]
        distinct = list(dict.fromkeys(sides))
        number = {side: i for i, side in enumerate(distinct)}
        which = np.array([number[side] for side in sides])
        differ = np.array([[not a & b for b in distinct] for a in distinct], dtype=bool)
        apart.append(differ[np.ix_(which, which)])
    label = search.leaf_class[met]
    other = label[:, None] != label
    alone = other & (np.sum(apart, axis=0) == 1)
    for decides in (alone, other):
        found = [k for k, differ in enumerate(apart) if (decides & differ).any()]
        if found:
            return found
    return []


def own_values(
    space: Space, connected: tuple[int, ...], given: Rows
) -> Mapping[int, Sequence[Side]]:
    """Give what the first row says of the features that facts connect, as bins."""
    domains = row_values(space, connected, given, 0)
    return {i: [_side(space.features[i], domain)] for i, domain in domains.items()}


def _side(feature: Feature, domain: ValueSet) -> Side:
    if domain.codes is not None:
        return Side(feature, codes=tuple(sorted(domain.codes)))
    if domain.ends is None:
        return Side(feature, 0.0, 0.0, domain.nan)
    low, high = domain.ends
    below = -np.inf if low is None else float(feature.at_most(float(low[0]), strict=True))
    upper = np.inf if high is None else float(feature.at_most(float(high[0])))
    if feature.kind == "numeric" and feature.values == "float32" and low is not None:
        value = float(np.float32(float(low[0])))  # as the tree rounds it
        below = float(feature.at_most(value, strict=True))
        upper = max(upper, value)
    return Side(feature, below, upper, domain.nan)
