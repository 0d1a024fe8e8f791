"""The tree of possible rows: a tree that says where the facts leave no row.

In:  a ``Tree`` over a space with facts.
Out: ``PossibleTree``: an equivalent tree in which impossible cells are leaves of their own. With
     them taken for any class, everything that works on trees works on possible rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..builder import TreeBuilder
from ..feature import Side
from .cells import Grid, tree_bins

if TYPE_CHECKING:
    from ..tree import TreeKernel

__all__ = ["Bits", "PossibleTree", "split"]

MOST_NODES = 1_000_000

Bits = dict[int, tuple[int, ...]]  # by feature its bins that are left


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
