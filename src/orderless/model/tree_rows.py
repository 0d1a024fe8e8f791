"""Rows through a tree: which leaves and classes they can reach, with facts and without.

In:  a ``Tree`` and rows of any usual kind.
Out: leaves and classes by row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
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

if TYPE_CHECKING:
    from .._core.rows import Reached
    from ..inputs import PossibleRows, Rows
    from .feature import Label
    from .tree import TreeKernel

__all__ = ["TreeRows", "labels_array", "n_threads"]

MOST_THREADS = 1_024
LONG = 1_000  # characters: numpy would make every label of a result as long as the longest

T = TypeVar("T")


class TreeRows:
    """Methods of ``Tree`` that let rows through it."""

    def predict(self, X: Any, *, tolerance: float | None = None, n_jobs: int | None = None) -> Any:
        """Give each row's class, or number, where it is certain.

        A row with unknowns (NaN, None, NA) has a class if every completion of it gets that class;
        otherwise it is masked. Where the space has facts, completions are those that satisfy them;
        a row that contradicts them has none, is masked, and is warned of.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Arrays go by position, the others by name. One dict is one row.
        tolerance : float, optional
            For classes that are numbers: give the midpoint of the numbers that a row can get, if
            these are at most so far apart (``predict_interval``). 0 is the same as without.
        n_jobs : int, optional
            Threads to use, by default one; -1 is all cores. The result is the same.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Of one dict its label, None where it is not certain.

        Notes
        -----
        The paper's Theorem 3.2, read off the tree. Cost per row: features x leaves / 64 for trees
        of up to 512 leaves, else the nodes that it can reach. Beyond rows and result, memory does
        not grow with the rows, if these are numbers in an array.
        """
        tree = cast("TreeKernel", self)
        if tolerance is not None:
            return tree.predict_with_tolerance(X, tolerance, n_jobs)
        if type(X) is np.ndarray:
            found = tree.predictor.table(X, n_threads(n_jobs))
            if found is not None:
                return found
        elif isinstance(X, Mapping):
            return tree.predictor(X)
        from ..inputs import is_frame, labels_like

        if self.labels.dtype == object or is_frame(X) or self.connected:
            return labels_like(X, self.labels, self.decide(X, n_jobs))
        rows = self.read(X)
        data = np.empty(rows.n_rows, dtype=self.labels.dtype)
        hidden = np.empty(rows.n_rows, dtype=bool)
        self.over_rows(
            _core.rows.label,
            tree.nodes,
            rows,
            n_jobs,
            self.labels.view(np.uint8),
            self.labels.itemsize,
            data.view(np.uint8),
            hidden.view(np.uint8),
        )
        return np.ma.MaskedArray(data, mask=hidden)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        return labels_array(cast("TreeKernel", self).classes)

    @cached_property
    def row_threshold(self) -> NDArray[np.float64]:
        """Give, per node, the largest float64 in a row for which its condition holds."""
        tree = cast("TreeKernel", self)
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
        tree = cast("TreeKernel", self)
        from ..inputs import rows_for

        return rows_for(X, tree.space, tree.used, if_there=self.connected)

    @cached_property
    def connected(self) -> tuple[int, ...]:
        """Positions of the features that facts are about: rows are read with them."""
        knowledge = cast("TreeKernel", self).space.knowledge
        return () if knowledge is None else tuple(sorted(knowledge.group_of))

    @cached_property
    def possible(self) -> PossibleTree | None:
        """The tree with what facts exclude as leaves; None where no fact is about its features."""
        tree = cast("TreeKernel", self)
        return PossibleTree(tree) if {*tree.used} & {*self.connected} else None

    @cached_property
    def possible_cells(self) -> PossibleTree | None:
        """Like ``possible``, with every value apart that its facts tell apart, ``unrounded``.

        Where no fact compares features with each other, its leaves say all that facts do.
        """
        tree = self.unrounded
        knowledge = tree.space.knowledge
        if knowledge is None or tree.possible is None:
            return None
        groups = {knowledge.group_of[i] for i in tree.used if i in knowledge.group_of}
        sides = knowledge.own_sides()
        return PossibleTree(
            tree, {i: own for i, own in sides.items() if knowledge.group_of[i] in groups}
        )

    @cached_property
    def unrounded(self) -> TreeKernel:
        """The same tree over ``Space.unrounded``."""
        tree = cast("TreeKernel", self)
        return tree.over(tree.space.unrounded)

    def known_rows(self, rows: Rows) -> PossibleRows | None:
        """Give rows as the facts leave them; None without facts."""
        from ..inputs import PossibleRows

        return PossibleRows(cast("TreeKernel", self), rows) if self.connected else None

    def reach(self, X: Any, all_classes: bool = False) -> Reached:
        """Give by row the leaf, the class (-1: several), and on request all possible classes.

        The leaf is the one to which the known values lead, without facts.
        """
        tree = cast("TreeKernel", self)
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
        tree = cast("TreeKernel", self)
        reached = self._reach(tree.numbered_leaves, tree.n_leaves, rows, True)
        return reached.possible.reshape(rows.n_rows, tree.n_leaves)

    def _reach(self, nodes: Nodes, n_classes: int, rows: Rows, all_classes: bool) -> Reached:
        tree = cast("TreeKernel", self)
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

        tree = cast("TreeKernel", self)
        slices = [] if self.connected else arrow_slices(X)  # facts warn of all rows at once
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
        tree = cast("TreeKernel", self)
        return answer(
            nodes,
            tree.space.domains,
            tree.row_threshold,
            rows.columns,
            rows.n_rows,
            n_threads(n_jobs),
            *more,
        )


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that ``n_jobs`` asks for.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(
            f"n_jobs must be None, a whole number from 1, or -1 for all cores, got {n_jobs!r}"
        )
    return min(n_jobs, MOST_THREADS) if n_jobs > 0 else os.cpu_count() or 1


def labels_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """Give classes as an array, for results."""
    long = any(isinstance(c, str) and len(c) > LONG for c in classes)
    out = np.array(classes, dtype=object if long else None)
    # numpy drops final NULs of text, and rounds whole numbers of different signs.
    if not long and out.tolist() != list(classes):
        out = np.array(classes, dtype=object)
    out.setflags(write=False)
    return out
