"""Where the trees of a set come from: the core's graph, or a list.

In:  a ``Problem``; and a ``View``, which says by a bound and by constraints which of the trees are
     meant.
Out: for any view: counts, trees by their position, functions, decisions on rows. ``Engine`` here,
     ``Listed`` in listed.py, alike from outside: either is a ``Source``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData, OutOfMemory, OutOfTime, TooLarge, setting
from ..model import n_threads
from .caps import LISTS, Caps, one_call
from .few_features import FewFeatures, by_sets
from .flat import FlatTrees
from .halves import narrow, whole, wide
from .histogram import Histogram
from .monotone import SomeCounts, SomeFunctions
from .narrowed import Step, asked_features, core_view, narrowing, steps
from .problem import Problem
from .view import LIMIT, View

if TYPE_CHECKING:
    from .incomplete import Incomplete
    from .leaf_sums import Quantity

__all__ = ["MEMORY", "Engine", "Histogram", "Piece", "View", "check_limits"]

MEMORY = 4 * 1024**3  # bytes that a set may take unless more are allowed
NUMBERS = (int, float)
MOST_PARTS = 1000  # sets of features that are looked at one after the other

# (r, k): the functions whose fingerprint is r modulo 2^k, a random 2^k-th of all.
Piece = tuple[int, int]


class EngineCounts:
    """The trees of a view, in order of objective, then leaves, then a fixed order."""

    def __init__(self, core: _core.rashomon.Counts, caps: Caps, problem: Problem) -> None:
        # The engine would be a cycle, which lives on unused.
        self.core, self._caps, self._problem = core, caps, problem
        self.n = whole(core.n)

    @property
    def n_nontrivial(self) -> int:
        """How many have no split of two leaves with equal label."""
        return whole(self.core.n_nontrivial)

    def n_at(self, cost: int) -> int:
        """Count those that have exactly an objective."""
        return whole(self.core.n_at(cost + self._problem.base))

    def histogram(self) -> Histogram:
        """Count them by leaves and errors."""
        caps = self._caps
        with caps("the histogram"):
            counted = self.core.histogram(caps.memory_limit, caps.seconds)
        return Histogram(
            counted.leaves,
            counted.errors - self._problem.offset,
            wide(counted.trees_high, counted.trees_low),
            wide(counted.nontrivial_high, counted.nontrivial_low),
        )

    def unrank(self, positions: Sequence[int]) -> FlatTrees:
        """Give the trees at some positions."""
        some = len(positions) > 0
        return FlatTrees(*self.core.unrank(narrow(positions))) if some else FlatTrees.none()

    def rank(self, tree: FlatTrees) -> int | None:
        """Give the position of a tree, None if it is not in."""
        halves = self.core.rank(tree.column, tree.label)
        return None if halves is None else whole(halves)


class EngineFunctions:
    """The distinct functions of a view, by objective of the cheapest tree, leaves, fingerprint."""

    def __init__(self, core: _core.rashomon.Functions, offset: int) -> None:
        self.core = core
        arrays = core.arrays()
        self.errors, self.leaves = arrays.errors - offset, arrays.leaves
        self.fingerprint: NDArray[np.uint64] = arrays.points.reshape(-1, 2)
        self.n_trees, self.n_nontrivial = arrays.n_trees, arrays.n_nontrivial

    def sizes(self) -> _core.rashomon.Sizes:
        """Count the trees of each function by leaves."""
        return self.core.sizes()

    def trees(self, positions: NDArray[np.int64]) -> FlatTrees:
        """Give a cheapest tree of some functions."""
        at = np.asarray(positions, dtype=np.int64)
        return FlatTrees(*self.core.trees(at)) if len(at) else FlatTrees.none()

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
        self.caps = Caps(memory_limit, time_limit)
        self.n_jobs = n_jobs
        self.incomplete: Incomplete | None = None  # where it is a part of what was asked for
        self.known_optimum: int | None = None  # the smallest objective, found before
        self.seen: dict[str, FlatTrees] = {}  # trees of functions that were looked at last
        self.counted: dict[tuple[View, str], int] = {}  # functions, once they were counted
        self._graph: _core.rashomon.Graph | None = None
        self._counts: dict[View, EngineCounts | SomeCounts | FewFeatures] = {}
        self._narrowed: dict[tuple[Step, ...], _core.rashomon.Graph] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.problem, self.memory_limit, self.time_limit, self.n_jobs)
        return Engine, given, {"incomplete": self.incomplete}

    @property
    def memory_limit(self) -> int:
        """Most bytes for a question."""
        return self.caps.memory_limit

    @property
    def time_limit(self) -> float | None:
        """Most seconds for a question, as they were given."""
        return self.caps.time_limit

    @property
    def seconds(self) -> float:
        """Most of them for a question."""
        return self.caps.seconds

    @property
    def graph(self) -> _core.rashomon.Graph:
        """The core's own object."""
        if self._graph is None:
            caps = self.caps
            known = None if self.known_optimum is None else self.known_optimum + self.base
            threads = n_threads(self.n_jobs)
            try:  # a context takes longer than to find a few trees
                self._graph = self.problem.graph(caps.memory_limit, caps.seconds, threads, known)
            except BaseException as fault:
                caps.refuse("the set", fault)
                raise
        return self._graph

    @property
    def base(self) -> int:
        """What the core adds to the objective of every tree."""
        return self.problem.base

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

    @one_call
    def graph_for(self, view: View) -> _core.rashomon.Graph:
        """Give the graph of the trees that meet what a view asks of paths and of leaves.

        All else that a view asks (``_view``) is left to who looks at the graph.
        """
        if not (view.least_weight or view.first or view.paid):
            return self.graph
        graph, done = self.graph, cast("tuple[Step, ...]", ())
        for step in steps(view):
            done = (*done, step)
            if done not in self._narrowed:
                wanted = narrowing(self.problem.columns, step)
                with self.caps("the set with its constraints"):
                    self._narrowed[done] = graph.narrowed(wanted, self.memory_limit, self.seconds)
            graph = self._narrowed[done]
        return graph

    def _view(self, view: View) -> _core.rashomon.View:
        """Give the record by which the core knows a view of ``graph_for(view)``."""
        return core_view(self.problem.columns, self.graph_for(view), view, self.base)

    @one_call
    def counts(self, view: View) -> EngineCounts | SomeCounts | FewFeatures:
        """Count the trees of a view."""
        known = self._counts.get(view)
        if known is None:
            if view.monotone:
                functions = self.functions(view, self.problem.semantics(), LIMIT)
                assert isinstance(functions, SomeFunctions)
                known = SomeCounts(functions)
            else:
                known = self._counted(view)
            self._counts[view] = known
        return known

    def _counted(self, view: View) -> EngineCounts | FewFeatures:
        few = by_sets(self, view)
        if few is not None:
            return few
        graph, caps = self.graph_for(view), self.caps
        wanted = core_view(self.problem.columns, graph, view, self.base)
        try:
            core = graph.counts(wanted, caps.memory_limit, caps.seconds)
        except BaseException as fault:
            caps.refuse("counting the trees", fault)
            raise
        return EngineCounts(core, caps, self.problem)

    @one_call
    def histogram(self, view: View) -> Histogram:
        """Count the trees of a view by leaves and errors, and keep nothing of it."""
        known = view in self._counts or view.monotone
        return (self.counts(view) if known else self._counted(view)).histogram()

    def _functions(
        self, view: View, semantics: str, limit: int, counts: bool, piece: Piece | None
    ) -> _core.rashomon.Functions:
        graph = self.graph_for(view)
        weights = self.problem.fingerprint_weights(semantics, graph)
        with self.caps(LISTS):
            try:
                return graph.functions(
                    self._view(view), weights, counts, limit, piece, self.memory_limit,
                    self.seconds,
                )  # fmt: skip
            except _core.base.LimitReached as fault:
                raise TooLarge(
                    f"there are more than {setting('limit', limit)} functions: raise "
                    f"{setting('limit')}, look at fewer trees (where), or take estimate() or "
                    "sample",
                    limit,
                ) from fault

    @one_call
    def count_functions(self, view: View, semantics: str, limit: int) -> int:
        """Count the functions of a view."""
        if view.monotone:
            return len(self.functions(view, semantics, limit).errors)
        return int(self._functions(view, semantics, limit, False, None).n)

    @one_call
    def functions(
        self, view: View, semantics: str, limit: int, piece: Piece | None = None
    ) -> EngineFunctions | SomeFunctions:
        """Give the functions of a view, or one piece of them."""
        if view.monotone:
            return self._monotone(view, semantics, limit, piece)
        core = self._functions(view, semantics, limit, True, piece)
        return EngineFunctions(core, self.problem.offset)

    def _monotone(
        self, view: View, semantics: str, limit: int, piece: Piece | None
    ) -> SomeFunctions:
        """Look at every function of the features: monotone is a property of the whole of one."""
        own = self.problem.semantics() if semantics == "rows" else semantics
        try:
            core = self._functions(view.plain, own, max(limit, LIMIT), True, piece)
        except (TooLarge, OutOfMemory, OutOfTime) as fault:
            fault.args = (
                "whether a function is monotone is a property of the whole of it, so all functions "
                f"have to be listed, and that cannot be done: {fault}",
            )
            raise
        every = EngineFunctions(core, self.problem.offset)
        return SomeFunctions(self.problem, every, view.monotone, semantics, limit)

    def _parts(self, view: View) -> list[View] | None:
        """Give views without a number of features whose trees together are those of a view.

        A tree of at most k features asks about no other than some k. None where they are many.
        """
        if view.most_features is None:
            return [view]
        feature = self.problem.columns.feature
        used = asked_features(self.problem.columns, self.graph_for(view), view)
        free = view._replace(most_features=None)
        if len(used) <= view.most_features:
            return [free]
        if math.comb(len(used), view.most_features) > MOST_PARTS:
            return None
        return [
            free.without(np.flatnonzero(~np.isin(feature, chosen)).tolist())
            for chosen in combinations(used, view.most_features)
        ]

    @one_call
    def decide(
        self, view: View, one: NDArray[np.uint8], zero: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
        """Give the class and objective of the best determined tree by row; None: by trying."""
        parts = None if view.monotone else self._parts(view)
        if parts is None or (
            self.problem.task == "regression" and (view.max_leaves or view.required)
        ):
            return None
        graph = self.graph_for(view)
        best = np.full(len(one), -1, dtype=np.int32)
        reached = np.full(len(one), np.iinfo(np.int64).max)
        with self.caps("deciding the rows"):
            for part in parts:
                label, cost = graph.decide(self._view(part), one, zero, self.seconds)
                better = (label >= 0) & ((cost < reached) | ((cost == reached) & (label < best)))
                best, reached = np.where(better, label, best), np.where(better, cost, reached)
        return best, np.where(best < 0, -1, reached)

    @one_call
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
        parts = None if view.monotone else self._parts(view)
        if view.max_leaves or view.required or parts is None:
            return None
        none = np.zeros(0, dtype=np.int32)
        first, last = (none, none) if asked is None else asked
        graph = self.graph_for(view)
        low = np.full(len(one), -1, dtype=np.int32)
        high = low.copy()
        with self.caps("the ranges of the rows"):
            for part in parts:
                ends = graph.ranges(self._view(part), one, zero, first, last, self.seconds)
                lower = (ends.smallest >= 0) & ((low < 0) | (ends.smallest < low))
                low = np.where(lower, ends.smallest, low)
                high = np.maximum(high, ends.largest)
        return low, high

    def said(self, view: View) -> NDArray[np.int32]:
        """Give what leaves can predict in a view: labels, rising."""
        labels: NDArray[np.int32] = self.graph_for(view).labels()
        return labels

    @one_call
    def measured(self, view: View, quantity: Quantity) -> _core.rashomon.Measured:
        """Find the rows that come to the leaves of a view's trees."""
        if view.monotone:
            raise InvalidData(
                "the shares of leaves differ between trees of one function, and monotone is a "
                "property of functions: leave out monotone, or measure what is predicted"
            )
        graph = self.graph_for(view)
        with self.caps("measuring the trees"):
            return _core.rashomon.Measured(
                graph, self._view(view), quantity.bits, quantity.part, quantity.weights,
                quantity.n_parts, quantity.share_bits, self.memory_limit, self.seconds,
            )  # fmt: skip


def check_limits(**limits: Any) -> None:
    """Refuse limits that are not positive numbers; ``time_limit=None`` is no limit."""
    for name, given in limits.items():
        if given is None and name == "time_limit":
            continue
        if isinstance(given, bool) or not isinstance(given, NUMBERS) or not given > 0:
            raise ValueError(f"{name} must be a positive number, got {given!r:.80}")
