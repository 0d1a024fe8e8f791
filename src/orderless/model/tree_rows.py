"""Rows through a tree: which leaves and classes they can reach, with facts and without.

In:  a ``Tree`` and rows of any usual kind.
Out: leaves and classes by row.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData
from .arrays import Nodes
from .knowledge.possible_tree import PossibleTree
from .numbers import row_boundary
from .tree_arrays import n_threads

if TYPE_CHECKING:
    from .._core.rows import Reached
    from ..inputs import PossibleRows, Rows
    from .tree import Tree

__all__ = ["TreeRows"]

T = TypeVar("T")


class TreeRows:
    """Methods of ``Tree`` that let rows through it."""

    @cached_property
    def row_threshold(self) -> NDArray[np.float64]:
        """Give, per node, the largest float64 in a row for which its condition holds."""
        tree = cast("Tree", self)
        out = tree.threshold.copy()
        numbers, kinds = tree.space.alike
        kind = numbers[tree.feature]
        for i, own in enumerate(kinds):
            if own.kind == "numeric" and own.values == "float32":  # others are not rounded
                at = kind == i
                out[at] = row_boundary(tree.threshold[at], own.values)
        out.setflags(write=False)
        return out

    def read(self, X: Any) -> Rows:
        """Read what it asks of rows of any usual kind; rows that were read stay as they are."""
        tree = cast("Tree", self)
        from ..inputs import Rows, read_rows

        if isinstance(X, Rows):
            return X
        return read_rows(X, tree.space, tree.used, if_there=self.connected)

    @cached_property
    def connected(self) -> tuple[int, ...]:
        """Positions of the features that facts are about: rows are read with them."""
        knowledge = cast("Tree", self).space.knowledge
        return () if knowledge is None else tuple(sorted(knowledge.group_of))

    @cached_property
    def possible(self) -> PossibleTree | None:
        """The tree with what facts exclude as leaves; None where no fact is about its features."""
        tree = cast("Tree", self)
        return PossibleTree(tree) if {*tree.used} & {*self.connected} else None

    @cached_property
    def possible_cells(self) -> PossibleTree | None:
        """Like ``possible``, with every value apart that its facts tell apart.

        Where no fact compares features with each other, its leaves say all that facts do.
        """
        tree = cast("Tree", self)
        knowledge = tree.space.knowledge
        if knowledge is None or self.possible is None:
            return None
        groups = {knowledge.group_of[i] for i in tree.used if i in knowledge.group_of}
        sides = knowledge.own_sides()
        return PossibleTree(
            tree, {i: own for i, own in sides.items() if knowledge.group_of[i] in groups}
        )

    def known_rows(self, rows: Rows) -> PossibleRows | None:
        """Give rows as the facts leave them; None without facts."""
        from ..inputs import PossibleRows

        return PossibleRows(cast("Tree", self), rows) if self.connected else None

    def reach(self, X: Any, all_classes: bool = False) -> Reached:
        """Give by row the leaf, the class (-1: several), and on request all possible classes.

        The leaf is the one to which the known values lead, without facts.
        """
        tree = cast("Tree", self)
        rows = self.read(X)
        reached = self._reach(tree.nodes, len(tree.classes), rows, all_classes)
        known = self.known_rows(rows)
        if known is None:
            return reached
        possible = reached.possible
        if all_classes:
            label = tree.leaf_class[tree.feature < 0]
            table = known.all_leaves() @ (label[:, None] == np.arange(len(tree.classes)))
            possible = table.astype(np.uint8).ravel()
        return reached._replace(label=known.codes(reached.label), possible=possible)

    def reached_leaves(self, X: Any) -> NDArray[np.uint8]:
        """Give rows x leaves: 1 where a row can reach a leaf. Leaves are in their order."""
        rows = self.read(X)
        known = self.known_rows(rows)
        return self.plain_leaves(rows) if known is None else known.all_leaves().astype(np.uint8)

    def plain_leaves(self, rows: Rows) -> NDArray[np.uint8]:
        """Give rows x leaves without facts: 1 where a row can reach a leaf."""
        tree = cast("Tree", self)
        reached = self._reach(tree.numbered_leaves, tree.n_leaves, rows, True)
        return reached.possible.reshape(rows.n_rows, tree.n_leaves)

    def _reach(self, nodes: Nodes, n_classes: int, rows: Rows, all_classes: bool) -> Reached:
        tree = cast("Tree", self)
        return _core.rows.reach(
            nodes,
            tree.space.domains,
            tree.row_threshold,
            rows.columns,
            rows.n_rows,
            n_classes,
            all_classes,
        )

    def decide(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Give by row the position of its class in ``classes``, -1 where it is not determined."""
        from ..inputs import arrow_slices

        tree = cast("Tree", self)
        slices = arrow_slices(X)
        with suppress(InvalidData):  # all rows together say which of them is at fault
            if slices:
                return np.concatenate([self.decide(some, n_jobs) for some in slices])
        rows = self.read(X)
        codes = self.over_rows(_core.rows.decide, tree.nodes, rows, n_jobs)
        known = self.known_rows(rows)
        return codes if known is None else known.codes(codes)

    def over_rows(
        self, answer: Callable[..., T], nodes: Nodes, rows: Rows, n_jobs: int | None, *more: Any
    ) -> T:
        """Let a function of the core answer something about rows; ``nodes`` are its own, or like.

        ``relabelled`` gives such nodes.
        """
        tree = cast("Tree", self)
        return answer(
            nodes,
            tree.space.domains,
            tree.row_threshold,
            rows.columns,
            rows.n_rows,
            n_threads(n_jobs),
            *more,
        )
