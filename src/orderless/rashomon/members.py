"""The members of a set: its trees, in order of objective, and the functions that they are.

In:  a ``Source`` (the core's graph, or a list) and conditions on its trees.
Out: ``Members``: counts, ``Tree``s one by one, ``FunctionSet``s.
Paper: Section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..api import Tree
from ..errors import InvalidData, InvalidParameter
from ..inputs import generator
from ..model import Label
from ..readers import read_tree
from .completeness import Completeness
from .conditions import Condition, read_conditions, view_of
from .functions import FunctionSet, Listing
from .halves import positions_below
from .listed import Source
from .near import apart
from .view import LIMIT

__all__ = ["LIMIT", "Members"]

AT_ONCE = 4096
BY = {"features": "aware", "columns": "independent", "rows": "rows"}  # readings of a tree


class Members(Completeness):
    """The part of ``TreeSet`` that gives its trees and functions."""

    def __init__(self, source: Source, conditions: tuple[Condition, ...] = ()) -> None:
        super().__init__(source, conditions)
        self._distinct: dict[str, int] = {}  # functions by semantics, once they were counted

    @property
    def task(self) -> str:
        """Whether leaves predict classes ("classification") or numbers ("regression")."""
        return self._problem.task

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels, sorted; not there for regression, as leaves predict numbers."""
        if self._has_numbers:
            raise AttributeError(
                "there are no classes in a set of task='regression', whose trees predict numbers"
            )
        labels: tuple[Label, ...] = self._problem.classes
        return labels

    @property
    def _has_numbers(self) -> bool:
        return self._problem.task == "regression"

    # -- numbers -------------------------------------------------------------------------------

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return self._counts.n

    @property
    def n_nontrivial(self) -> int:
        """How many of them have no split of two leaves with equal label."""
        return self._counts.n_nontrivial

    def __len__(self) -> int:
        if self.n_trees >= 2**63:
            raise OverflowError(
                f"there are {self.n_trees:,} trees, and Python's len() ends at 2^63: use n_trees"
            )
        return self.n_trees

    def __bool__(self) -> bool:
        return self.n_trees > 0

    def where(self, *conditions: Condition) -> Self:
        """Return the set of the trees that meet all conditions.

        Conditions take trees away and change nothing else: the smallest objective and the bound
        stay those of the full set, unless a condition is about the objective. A set that is fitted
        with ``constraints`` holds the same trees, at the same positions.

        Parameters
        ----------
        *conditions : Condition
            Made from ``orderless.member``: ``member.leaves <= 6``, ``~member.uses("race")``.
        """
        return type(self)(
            self._source, tuple(dict.fromkeys((*self._conditions, *read_conditions(conditions))))
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What all trees of the set meet, beyond being near-optimal."""
        return self._conditions

    @property
    def why_empty(self) -> str:
        """Which condition leaves no tree, in words; empty if a tree is left."""
        conditions = self._conditions
        if self.n_trees or not conditions:
            return ""
        source = self._source
        alone = [each for each in conditions if not source.counts(view_of(source, [each])).n]
        if alone:
            return f"no tree within the bound meets {' or '.join(map(str, alone))}"
        if len(conditions) > 1:
            return (
                f"some tree within the bound meets each of {', '.join(map(str, conditions))}, but "
                "none meets all of them"
            )
        return ""

    # -- trees ---------------------------------------------------------------------------------

    def _build(self, positions: list[int]) -> Iterator[Tree]:
        return self._problem.trees(self._counts.unrank(positions))

    def trees(self, start: int = 0) -> Iterator[Tree]:
        """Go through the trees in order of objective, then leaves, then a fixed order; lazily.

        Parameters
        ----------
        start : int
            Position of the first.
        """
        if start < 0:
            raise ValueError(f"start must be a position from 0, got {start}")
        return self._trees(range(start, self.n_trees))

    def _trees(self, positions: range) -> Iterator[Tree]:
        done, step = 0, 16
        n = _length(positions)
        while done < n:
            some = [positions.start + positions.step * i for i in range(done, min(done + step, n))]
            yield from self._build(some)
            done += len(some)
            step = min(4 * step, AT_ONCE)

    def __iter__(self) -> Iterator[Tree]:
        return self.trees()

    def __getitem__(self, which: Any) -> Any:
        """Give the tree at a position, or a list of trees for a slice."""
        n = self.n_trees
        if isinstance(which, slice):
            return list(self._trees(range(*which.indices(n))))
        if isinstance(which, bool) or not hasattr(which, "__index__"):
            raise TypeError(f"a position must be a whole number or a slice, got {which!r:.80}")
        position = which.__index__()
        if not -n <= position < n:
            raise IndexError(f"there is no tree {position:,}: positions go from 0 to {n - 1:,}")
        return next(self._build([position % n]))

    def index(self, tree: Any) -> int | None:
        """Give the position of a tree in the order of ``trees()``, None if it is not in.

        Where several columns are the same condition, several positions hold the same tree; this is
        one of them.

        Parameters
        ----------
        tree : Tree, or any model that ``orderless.read`` reads as a tree
        """
        flat = self._problem.columns.flatten(read_tree(tree), self._problem.classes)
        return None if flat is None else self._counts.rank(flat)

    def __contains__(self, tree: object) -> bool:
        """Whether a tree is one of these, node by node (not just an equivalent one)."""
        position = self.index(tree)
        if position is None:
            self._warn_of_part("that a tree is not in this set")
        return position is not None

    @property
    def best_tree(self) -> Tree:
        """A tree with the smallest objective: the first of ``trees()``, and of ``functions()``.

        Of several the one with the fewest leaves, then the first in a fixed order of the columns.
        """
        self._not_empty()
        return next(self._build([0]))

    def _not_empty(self) -> None:
        if not self.n_trees:
            raise InvalidData(
                "there is no tree in this view: require less of its trees"
                + "".join(f" ({why})" for why in [self.why_empty] if why)
            )

    def sample(self, k: int, *, random_state: Any = None) -> list[Tree]:
        """Draw trees: each is any tree of the set with the same chance, one may come twice.

        Parameters
        ----------
        k : int
        random_state : int, RandomState, Generator or None
        """
        return list(self._build(self._drawn_positions(k, generator(random_state))))

    def _drawn_positions(self, k: int, random: np.random.Generator) -> list[int]:
        """Draw positions of trees."""
        self._not_empty()
        return positions_below(self.n_trees, k, random)

    # -- functions -----------------------------------------------------------------------------

    def functions(
        self, by: str = "features", *, limit: int = LIMIT, tolerance: Any = None
    ) -> FunctionSet:
        """Return the different functions, in order of their cheapest tree's objective.

        The first is the function of ``best_tree``. Nothing is listed before it is asked for:
        ``len`` counts them, and ``estimate`` goes on where they are too many to count.

        Parameters
        ----------
        by : "features", "columns" or "rows"
            When two trees are one function: where they decide alike whatever the values of the
            features; of the 0/1 columns, each taken as unrelated to the others (the paper's); or
            on the training rows.
        limit : int
            Give up, with ``TooLarge``, beyond so many.
        tolerance : number, optional
            For regression: go through the functions in order, and leave out those that differ by at
            most so much, on every training row, from one that is kept. Read as the decimal that is
            written.

        Returns
        -------
        FunctionSet
        """
        if by not in BY:
            raise InvalidParameter(
                f"by must be one of {', '.join(map(repr, BY))}, got {by!r:.80}", "by"
            )
        semantics = self._problem.semantics(BY[by])
        functions = FunctionSet.of(Listing(self._source, self._view, semantics, limit))
        return functions if tolerance is None else apart(functions, self._problem, tolerance)


def _length(positions: range) -> int:
    """Give the length of a range, which may pass what ``len`` can say."""
    start, stop, step = positions.start, positions.stop, positions.step
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)
