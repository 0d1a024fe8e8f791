"""One row where facts hold: its classes, its reasons, and what changes it, among possible rows.

In:  a ``Tree`` over a space with facts, and one row.
Out: ``PossibleSearch``: what an ``Explanation`` is made of.

The tree's impossible cells are taken for the row's own class: then no reason has to keep them away,
and no change leads to them. Where the row is certain only because of its exact values (``low`` is
12, so ``high`` is above 10), these values are bins of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import Undecided
from ..inputs import PossibleRows, Rows, row_domains
from ..model import Domain, Feature, Label, PossibleTree, Side, Space, Tree
from .row_search import RowSearch

__all__ = ["PossibleSearch", "own_values"]


class PossibleSearch:
    """One row among the possible rows of a tree.

    Attributes
    ----------
    label, possible, interval, unknown, partly_known
        As of ``Explanation``.
    search : RowSearch
        For reasons.
    changes_search : RowSearch
        For changes: every value that facts connect is a bin of its own.
    asked : tuple of str
        The features that the tree depends on.
    """

    def __init__(self, tree: Tree, given: Rows, time_limit: float) -> None:
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
        self.search = self.changes_search = plain
        if tree.task == "regression":
            self.interval = (float(min(self.possible)), float(max(self.possible)))
            tree = tree.around(*self.interval)
            codes = np.unique(tree.leaf_class[tree.feature < 0][leaves]).tolist()
        if len(codes) == 1:
            self._search(tree, given, codes[0])

    def _search(self, tree: Tree, given: Rows, code: int) -> None:
        possible = tree.possible
        assert possible is not None
        exact = PossibleTree(tree, own_values(tree.space, tree.connected, given))
        self.changes_search = self._over(exact, given, code)
        self.search = self._over(possible, given, code)
        if self.search.possible != [code]:
            self.search = self.changes_search
        if self.search.possible != [code]:
            raise Undecided(
                "the row's class is certain because of its exact values, which its features round "
                "to float32, so that no reason can be stated in their values: make these features "
                "float64 with tree.over(space)",
                "rounding",
            )

    def _over(self, possible: PossibleTree, given: Rows, code: int) -> RowSearch:
        return RowSearch.of_rows(possible.taken_for(code).bins, given, self.time_limit)


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
    domains = row_domains(space, connected, given, 0)
    return {i: [_side(space.features[i], domain)] for i, domain in domains.items()}


def _side(feature: Feature, domain: Domain) -> Side:
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
