"""Where the trees of a set come from: the core's graph, or a list.

In:  a ``Problem``; and a ``View``, which says by a bound, features that must or must not be asked
     about and a number of leaves which of the trees are meant.
Out: for any view: counts, trees by their position, functions, decisions on rows. ``Engine`` here,
     ``Listed`` in listed.py, alike from outside: either is a ``Source``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OutOfMemory, OutOfTime, TooLarge, setting
from ..model import n_threads
from .flat import FlatTrees
from .problem import Problem
from .quantity import Quantity

__all__ = ["Engine", "Histogram", "Piece", "View", "check_limits"]

MOST_GROUPS = 16

# (r, k): the functions whose fingerprint is r modulo 2^k, a random 2^k-th of all.
Piece = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many trees have so many leaves and so much wrong weight, best first."""

    leaves: NDArray[np.int32]
    errors: NDArray[np.int64]
    trees: list[int]
    nontrivial: list[int]


@dataclass(frozen=True)
class View:
    """What trees must be like to be in.

    Attributes
    ----------
    epsilon : Fraction
        How far from the optimum.
    bound : int
        The largest objective, in the problem's whole numbers.
    max_leaves : int
        The most leaves; 0 for any number.
    forbidden : frozenset of int
        Columns that no tree asks about.
    required : tuple of tuples of int
        Of each group of columns, a tree asks about at least one.
    trivial : bool
        Whether a split may have two leaves of equal label.
    """

    epsilon: Fraction
    bound: int
    max_leaves: int = 0
    forbidden: frozenset[int] = frozenset()
    required: tuple[tuple[int, ...], ...] = ()
    trivial: bool = True

    def at_most(self, leaves: int) -> View:
        """Allow so many leaves at most."""
        return replace(self, max_leaves=min(leaves, self.max_leaves or leaves))

    def without(self, columns: list[int]) -> View:
        """Forbid columns."""
        return replace(self, forbidden=self.forbidden.union(columns))

    def using(self, columns: list[int]) -> View:
        """Require one of some columns."""
        groups = dict.fromkeys((*self.required, tuple(columns)))
        if len(groups) > MOST_GROUPS:
            raise ValueError(
                f"{len(groups)} features are required: at most {MOST_GROUPS} can be, and a tree of "
                "depth d asks about fewer than 2^d"
            )
        return replace(self, required=tuple(groups))


def _wide(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> list[int]:
    """Read 128-bit numbers that come in two halves."""
    if not high.any():
        small: list[int] = low.tolist()
        return small
    return [(h << 64) | v for h, v in zip(high.tolist(), low.tolist(), strict=True)]


def _whole(halves: tuple[int, int]) -> int:
    return (int(halves[0]) << 64) | int(halves[1])


def _narrow(positions: Sequence[int]) -> NDArray[np.uint64]:
    """Write numbers in two halves."""
    mask = 2**64 - 1
    pairs = [(p >> 64, p & mask) for p in positions]
    return np.array(pairs, dtype=np.uint64).reshape(len(pairs), 2)


class EngineCounts:
    """The trees of a view, in order of objective, then leaves, then a fixed order."""

    def __init__(self, core: _core.rashomon.Counts, engine: Engine) -> None:
        self.core, self._engine = core, engine
        self.n, self.n_nontrivial = _whole(core.n), _whole(core.n_nontrivial)

    def n_at(self, cost: int) -> int:
        """Count those that have exactly an objective."""
        return _whole(self.core.n_at(cost + self._engine.base))

    def histogram(self) -> Histogram:
        """Count them by leaves and errors."""
        with self._engine.caps("the histogram"):
            counted = self.core.histogram(self._engine.memory_limit, self._engine.seconds)
        return Histogram(
            counted.leaves,
            counted.errors - self._engine.problem.offset,
            _wide(counted.trees_high, counted.trees_low),
            _wide(counted.nontrivial_high, counted.nontrivial_low),
        )

    def unrank(self, positions: Sequence[int]) -> FlatTrees:
        """Give the trees at some positions."""
        if not len(positions):
            return FlatTrees.none()
        return FlatTrees(*self.core.unrank(_narrow(positions)))

    def rank(self, tree: FlatTrees) -> int | None:
        """Give the position of a tree, None if it is not in."""
        halves = self.core.rank(tree.column, tree.label)
        return None if halves is None else _whole(halves)


class EngineFunctions:
    """The distinct functions of a view, by objective of the cheapest tree, leaves, fingerprint."""

    def __init__(self, core: _core.rashomon.Functions, offset: int) -> None:
        self.core = core
        arrays = core.arrays()
        self.errors, self.leaves = arrays.errors - offset, arrays.leaves
        self.fingerprint: NDArray[np.uint64] = arrays.points.reshape(-1, 2)
        self.n_trees, self.n_nontrivial = arrays.n_trees, arrays.n_nontrivial

    def trees(self, positions: NDArray[np.int64]) -> FlatTrees:
        """Give a cheapest tree of some functions."""
        if not len(positions):
            return FlatTrees.none()
        return FlatTrees(*self.core.trees(np.asarray(positions, dtype=np.int64)))

    def trees_of(self, position: int, start: int, count: int) -> FlatTrees:
        """Give some trees of one function, in order of leaves."""
        return FlatTrees(*self.core.trees_of(position, start, count))

    def votes(self, bits: NDArray[np.uint8], n_classes: int) -> NDArray[np.int64]:
        """Count, by complete row and class, the functions that give the class."""
        counts: NDArray[np.int64] = self.core.votes(np.ascontiguousarray(bits))
        return counts.reshape(len(bits), n_classes)


class Engine:
    """All near-optimal trees of a problem, as the core's compressed graph.

    Made when first asked, and made again after unpickling: the graph is not written down.
    """

    def __init__(
        self,
        problem: Problem,
        memory_limit: int,
        time_limit: float | None,
        n_jobs: int | None = 1,
    ) -> None:
        self.problem = problem
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self._counts: dict[View, EngineCounts] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.problem, self.memory_limit, self.time_limit, self.n_jobs)

    @property
    def seconds(self) -> float:
        """Most of them for a question."""
        return math.inf if self.time_limit is None else self.time_limit

    @cached_property
    def graph(self) -> _core.rashomon.Graph:
        """The core's own object."""
        with self.caps("the set"):
            return self.problem.graph(self.memory_limit, self.seconds, n_threads(self.n_jobs))

    @property
    def base(self) -> int:
        """What the core adds to the objective of every tree."""
        return self.problem.error_cost * self.problem.offset

    @property
    def optimum(self) -> int:
        """The smallest objective."""
        return int(self.graph.optimum) - self.base

    @property
    def bound(self) -> int:
        """The largest objective."""
        return int(self.graph.bound) - self.base

    @property
    def left_out(self) -> tuple[str, ...]:
        """The features that no tree could ask about."""
        return self.problem.left_out

    @contextmanager
    def caps(self, what: str) -> Iterator[None]:
        """Say what to do where the core gives up."""
        shrink = "take a smaller max_depth or epsilon, a larger regularization, or fewer columns"
        try:
            yield
        except MemoryError as fault:  # the core's limit, or the machine's
            raise OutOfMemory(
                f"{what} needs more than {setting('memory_limit', self.memory_limit)} bytes: raise "
                f"it, or {shrink}. n_trees, sample and predict work without listing functions"
            ) from fault
        except _core.base.TimeUp as fault:
            raise OutOfTime(
                f"{what} took longer than {setting('time_limit', self.time_limit)} seconds: raise "
                f"it, or {shrink}"
            ) from fault
        except _core.base.CountOverflow as fault:
            trees = "trees" if fault.bits == 128 else "trees of one function"
            raise TooLarge(
                f"{what} holds more than 2^{fault.bits} {trees}: {shrink}", 2**fault.bits
            ) from fault
        except (_core.base.CostOverflow, _core.base.TooManyLeaves) as fault:
            raise TooLarge(f"{what} holds trees that are too large: {shrink}", 1) from fault

    def _view(self, view: View) -> tuple[int, int, NDArray[np.uint8], list[list[int]], bool]:
        """Give the five arguments by which the core knows a view."""
        allowed = np.ones(self.problem.table.bits.shape[1], dtype=np.uint8)
        allowed[sorted(view.forbidden)] = 0
        groups = [list(group) for group in view.required]
        return view.bound + self.base, view.max_leaves, allowed, groups, view.trivial

    def counts(self, view: View) -> EngineCounts:
        """Count the trees of a view."""
        if view not in self._counts:
            with self.caps("counting the trees"):
                core = self.graph.counts(*self._view(view), self.memory_limit, self.seconds)
            self._counts[view] = EngineCounts(core, self)
        return self._counts[view]

    def _functions(
        self, view: View, semantics: str, limit: int, counts: bool, piece: Piece | None
    ) -> _core.rashomon.Functions:
        weights = self.problem.fingerprint_weights(semantics, self.graph)
        with self.caps("the list of functions"):
            try:
                return self.graph.functions(
                    *self._view(view), weights, counts, limit, piece, self.memory_limit,
                    self.seconds,
                )  # fmt: skip
            except _core.base.LimitReached as fault:
                raise TooLarge(
                    f"there are more than {setting('limit', limit)} functions: raise "
                    f"{setting('limit')}, look at a view "
                    "(within, at_most, using, without), or sample trees",
                    limit,
                ) from fault

    def count_functions(self, view: View, semantics: str, limit: int) -> int:
        """Count the functions of a view."""
        return int(self._functions(view, semantics, limit, False, None).n)

    def functions(
        self, view: View, semantics: str, limit: int, piece: Piece | None = None
    ) -> EngineFunctions:
        """Give the functions of a view, or one piece of them."""
        core = self._functions(view, semantics, limit, True, piece)
        return EngineFunctions(core, self.problem.offset)

    def decide(
        self, view: View, one: NDArray[np.uint8], zero: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
        """Give the class and objective of the best determined tree by row; None: by trying."""
        if self.problem.task == "regression" and (view.max_leaves or view.required):
            return None
        with self.caps("deciding the rows"):
            return self.graph.decide(*self._view(view), one, zero, self.seconds)

    def ranges(
        self,
        view: View,
        one: NDArray[np.uint8],
        zero: NDArray[np.uint8],
        asked: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """Give the smallest and largest label that some tree gives each row; None: by trying.

        With ``asked``, of the labels from one to another, by row; -1 where there is none.
        """
        if view.max_leaves or view.required:
            return None
        none = np.zeros(0, dtype=np.int32)
        first, last = (none, none) if asked is None else asked
        bound, _, allowed, _, trivial = self._view(view)
        with self.caps("the ranges of the rows"):
            found = self.graph.ranges(bound, allowed, trivial, one, zero, first, last, self.seconds)
        return found.smallest, found.largest

    def said(self) -> NDArray[np.int32]:
        """Give what leaves can predict: labels, rising."""
        labels: NDArray[np.int32] = self.graph.labels()
        return labels

    def measured(self, view: View, quantity: Quantity) -> _core.rashomon.Measured:
        """Find the rows that come to the leaves of a view's trees."""
        with self.caps("measuring the trees"):
            return _core.rashomon.Measured(
                self.graph, *self._view(view), quantity.bits, quantity.part, quantity.weights,
                quantity.n_parts, quantity.share_bits, self.memory_limit, self.seconds,
            )  # fmt: skip


def check_limits(**limits: Any) -> None:
    """Refuse limits that are not positive numbers; ``time_limit=None`` is no limit."""
    for name, given in limits.items():
        if given is None and name == "time_limit":
            continue
        if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
            raise ValueError(f"{name} must be a positive number, got {given!r:.80}")
