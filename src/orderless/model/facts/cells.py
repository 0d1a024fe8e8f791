"""Cells: which combinations of bins of the features that facts connect are possible.

In:  a tree or a sum of trees over a space with facts, and more cuts if somebody needs them.
Out: ``Grid``: the bins of each such feature, and for each group a table of what is possible.
     ``PossibleTree``: an equivalent tree in which impossible cells are leaves of their own: with
     them taken for any class, everything that works on trees works on possible rows. ``FactTrees``:
     what facts exclude, as trees over the bins of a model, for the core's searches over sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..arrays import BinNodes, Flags
from ..builder import TreeBuilder
from ..feature import Side
from .domain import values_in
from .solver import ValueSet, holds, meet

if TYPE_CHECKING:
    from ..bins import Bins
    from ..space import Space
    from ..tree import TreeKernel

__all__ = ["FactTrees", "Grid", "PossibleTree", "fact_trees", "joined_trees", "sides_by_bin"]

MOST_CELLS = 4_000_000
MOST_CHECKS = 300_000
MOST_NODES = 1_000_000

Bits = dict[int, tuple[int, ...]]  # by feature its bins that are left


class Grid:
    """The bins into which a tree, and whoever asks, cut the features that facts connect.

    Parameters
    ----------
    space : Space
        With facts.
    bins : dict of position -> list of Side
        Of features that facts connect. Numeric features: rising; NaN, where it is a value, is last.
    row : dict of position -> ValueSet, optional
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
        row: Mapping[int, ValueSet] | None = None,
    ) -> None:
        domain = space.domain
        self.space, self.domain, self.bins, self.row = space, domain, bins, row or {}
        self.tables: list[tuple[tuple[int, ...], Flags]] = []
        for group in domain.groups:
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
        formulas = self.domain.formulas_of(self.domain.group_of[own[0]])
        group = self.domain.groups[self.domain.group_of[own[0]]]
        known = {i: self.row[i] for i in group if i in self.row}
        rest = {i: known.get(i, self.domain.whole[i]) for i in group}
        partly = any(i in known for i in own)  # some bins may have no value of the row
        todo = [tuple((0, n) for n in shape)]
        checks = 0
        while todo:
            box = todo.pop()
            sizes = [end - start for start, end in box]
            found = [self._domain(i, *run) for i, run in zip(own, box, strict=True)]
            value_sets = {
                i: meet(d, known[i]) if i in known else d
                for i, d in zip(own, found, strict=True)
                if d is not None
            }
            at = tuple(slice(*run) for run in box)
            if len(value_sets) < len(own):
                axis = found.index(None)
            elif any(value_set.empty for value_set in value_sets.values()):
                continue
            elif (max(sizes) == 1 or not partly) and all(
                holds(formula, {**rest, **value_sets}) for formula in formulas
            ):
                table[at] = True
                continue
            else:
                checks += 1
                if checks > MOST_CHECKS:
                    raise self._too_large(own, math.prod(shape))
                if not self.domain.possible({**known, **value_sets}):
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

    def _domain(self, i: int, start: int, end: int) -> ValueSet | None:
        """Give the values of some bins; None where numbers and NaN have to be taken apart."""
        sides = self.bins[i][start:end]
        feature = sides[0].feature
        if not feature.ordered:
            return values_in(Side(feature, codes=tuple(c for s in sides for c in s.codes)))
        nan = sides[-1].nan
        if nan and len(sides) > 1:
            return None
        return values_in(sides[0] if nan else Side(feature, sides[0].lower, sides[-1].upper))

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
    domain = tree.space.domain
    cut = {*tree.used, *(more or {})}
    return {
        i: _bins(tree, i, (more or {}).get(i, ()))
        for group in domain.groups
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


class PossibleTree:
    """A tree in which the cells that the facts exclude are leaves of their own.

    Attributes
    ----------
    tree : Tree
        Over the same space, with one class more, the last: impossible. Classes are numbers.
    grid : Grid
    """

    def __init__(self, tree: TreeKernel, more: Mapping[int, Sequence[Side]] | None = None) -> None:
        self.source = tree
        self.grid = Grid(tree.space, tree_bins(tree, more))
        self._nodes = TreeBuilder()
        self._walk()
        self.tree: TreeKernel = tree.replace(
            classes=range(len(tree.classes) + 1), task="classification", distribution=None,
            **self._nodes.arrays(),
        )  # fmt: skip

    def taken_for(self, label: int) -> TreeKernel:
        """Give the tree with the classes of the source, and impossible cells of one of them."""
        own = self.tree.leaf_class
        return self.tree.replace(
            classes=self.source.classes,
            task=self.source.task,
            leaf_class=np.where(own == len(self.source.classes), label, own),
        )

    @property
    def impossible(self) -> NDArray[np.bool_]:
        """By node, whether it is a leaf that no possible row reaches."""
        return np.asarray(self.tree.leaf_class == len(self.source.classes))

    # -- building --------------------------------------------------------------------------------

    def _new(self, parent: int = -1, side: bool = True) -> int:
        if len(self._nodes) >= MOST_NODES:
            raise TooLarge(
                f"the tree with the cells that facts exclude has more than {MOST_NODES:,} nodes: "
                "use fewer facts, or a smaller tree",
                MOST_NODES,
            )
        return self._nodes.reserve(parent, side)

    def _walk(self) -> None:
        tree = self.source
        whole: Bits = {i: tuple(range(len(b))) for i, b in self.grid.bins.items()}
        todo = [(self._new(), 0, whole)]
        while todo:
            at, node, box = todo.pop()
            states = [self._part(own, table, box) for own, table in self.grid.tables]
            if not all(part.any() for part in states):
                self._nodes.leaf(at, len(tree.classes))
                continue
            i = int(tree.feature[node])
            if i >= 0:
                side = tree.side(node)
                self._ask(at, side, i)
                yes = set(self.grid.bins_in(i, side)) if i in box else set()
                for wanted, child in (
                    (True, int(tree.when_true[node])),
                    (False, int(tree.when_false[node])),
                ):
                    there = box
                    if i in box:
                        there = {**box, i: tuple(b for b in box[i] if (b in yes) == wanted)}
                    todo.append((self._new(at, wanted), child, there))
                continue
            mixed = next((g for g, part in enumerate(states) if not part.all()), None)
            if mixed is None:
                self._nodes.leaf(at, int(tree.leaf_class[node]))
                continue
            i, first = split(self.grid.tables[mixed][0], states[mixed], box, self.grid)
            self._ask(at, self._condition(i, first), i)
            rest = tuple(b for b in box[i] if b not in first)
            for wanted, some in ((True, tuple(first)), (False, rest)):
                todo.append((self._new(at, wanted), node, {**box, i: some}))

    def _part(self, own: tuple[int, ...], table: NDArray[np.bool_], box: Bits) -> Any:
        return table[np.ix_(*(box[i] for i in own))]

    def _ask(self, at: int, side: Side, i: int) -> None:
        if side.feature.ordered:
            self._nodes.split(at, i, limit=side.upper, nan=side.nan)
        else:
            self._nodes.split(at, i, members=side.codes)

    def _condition(self, i: int, first: tuple[int, ...]) -> Side:
        """Give the condition that separates the first bins of a feature from the others."""
        bins = self.grid.bins[i]
        feature = bins[0].feature
        if not feature.ordered:
            return Side(feature, codes=tuple(sorted(c for b in first for c in bins[b].codes)))
        return Side(feature, upper=bins[max(first)].upper)  # all numbers: "is it known?"


def split(
    own: tuple[int, ...], part: NDArray[np.bool_], box: Bits, grid: Grid
) -> tuple[int, tuple[int, ...]]:
    """Choose a feature, and its bins on one side: where cells are all possible, or none are."""
    best: tuple[tuple[int, int], int, tuple[int, ...]] | None = None
    for axis, i in enumerate(own):
        others = tuple(a for a in range(part.ndim) if a != axis)
        state = part.any(axis=others).astype(int) + part.all(axis=others)
        if len(set(state.tolist())) < 2:
            continue
        ordered = grid.bins[i][0].feature.ordered
        if ordered:
            n = int(np.argmax(state != state[0]))
            first = box[i][:n]
        else:
            first = tuple(b for b, s in zip(box[i], state.tolist(), strict=True) if s == state[0])
        rank = (0 if 0 in state else 1, len(state))
        if best is None or rank < best[0]:
            best = rank, i, first
    if best is not None:
        return best[1:]
    axis = int(np.argmax(part.shape))
    i = own[axis]
    return i, box[i][: part.shape[axis] // 2]


class FactTrees(NamedTuple):
    """Trees of what is possible; none where everything is."""

    nodes: BinNodes
    roots: NDArray[np.int32]


def sides_by_bin(bins: Bins) -> dict[int, list[Side]]:
    """Give the bins of the features that facts connect, by position in the space."""
    domain = bins.tree.space.domain
    return {
        i: [bins.side(k, 1 << b) for b in range(bins.widths[k])]
        for k, i in enumerate(bins.positions)
        if i in domain.group_of
    }


def fact_trees(bins: Bins, grid: Grid) -> FactTrees | None:
    """Give trees that say which cells have a possible row; None if all have one.

    ``grid``: over bins as ``sides_by_bin`` gives them, of all features or some. Linear in the cells
    that it tells apart, times their features.
    """
    place = {i: k for k, i in enumerate(bins.positions)}
    nodes = TreeBuilder()
    roots = []
    for own, table in grid.tables:
        if not table.all():
            roots.append(len(nodes))
            _add_tree(own, table, grid, place, nodes)
    if not roots:
        return None
    return FactTrees(nodes.bin_nodes(), np.array(roots, dtype=np.int32))


def joined_trees(parts: Sequence[FactTrees]) -> FactTrees:
    """Put trees of different features one behind the other."""
    first = np.cumsum([0, *(len(part.nodes.feature) for part in parts)])[:-1].tolist()
    sets = np.cumsum([0, *(len(part.nodes.set_bins) for part in parts)]).tolist()

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part.nodes, name) for part in parts])

    def moved(name: str) -> NDArray[np.int32]:
        arrays = (getattr(part.nodes, name) for part in parts)
        every = [np.where(a >= 0, a + by, -1) for a, by in zip(arrays, first, strict=True)]
        return np.concatenate(every).astype(np.int32)

    starts = [part.nodes.set_start[:-1] + by for part, by in zip(parts, sets, strict=False)]
    nodes = BinNodes(
        joined("feature"), joined("cut"), joined("nan_true"), moved("when_true"),
        moved("when_false"), joined("leaf_class"),
        np.concatenate([*starts, sets[-1:]]).astype(np.int64), joined("set_bins"),
    )  # fmt: skip
    roots = [part.roots + by for part, by in zip(parts, first, strict=True)]
    return FactTrees(nodes, np.concatenate(roots).astype(np.int32))


def _add_tree(
    own: tuple[int, ...], table: NDArray[np.bool_], grid: Grid, place: Mapping[int, int],
    nodes: TreeBuilder,
) -> None:  # fmt: skip
    whole: Bits = {i: tuple(range(n)) for i, n in zip(own, table.shape, strict=True)}
    todo: list[tuple[Bits, int, bool]] = [(whole, -1, True)]
    while todo:
        box, parent, side = todo.pop()
        node = nodes.reserve(parent, side)
        part = table[np.ix_(*(box[i] for i in own))]
        if part.all() or not part.any():
            nodes.leaf(node, 0 if part.any() else 1)
            continue
        i, first = split(own, part, box, grid)
        rest = tuple(b for b in box[i] if b not in first)
        todo += [({**box, i: rest}, node, False), ({**box, i: first}, node, True)]
        if grid.bins[i][0].feature.ordered:
            nodes.split(node, place[i], limit=max(first))
        else:
            nodes.split(node, place[i], members=sorted(first))
