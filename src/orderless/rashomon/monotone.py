"""Functions that rise or fall along features: found by looking at each function of a set.

In:  the functions of a view, as the core lists them; features, and whether labels rise.
Out: ``SomeFunctions`` and ``SomeCounts``, which answer what those of the whole view answer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import TooLarge, setting
from .columns import Columns
from .flat import FlatTrees, join
from .histogram import Histogram
from .problem import Problem

__all__ = ["SomeCounts", "SomeFunctions", "monotone_trees"]

AT_ONCE = 4096

Directions = tuple[tuple[int, bool], ...]  # features, and whether labels rise


def monotone_trees(columns: Columns, flat: FlatTrees, directions: Directions) -> NDArray[np.bool_]:
    """Tell, per tree, whether it is monotone as a function of the features.

    Of any two points of the space that differ in one of these features alone, the one with more of
    it gets no smaller label; or no larger one.
    """
    first = {feature: j for j, feature in reversed(list(enumerate(columns.feature.tolist())))}
    asked = [(first[feature], rises) for feature, rises in directions if feature in first]
    if not asked or not len(flat):  # no tree asks about any of them
        return np.ones(len(flat), dtype=bool)
    measure = columns.weights((0, 1))  # classes do not matter
    found = _core.rashomon.monotone(flat.offsets, flat.column, flat.label, measure, asked)
    return found.astype(bool)


class Listing(Protocol):
    """The functions of a view, one by one."""

    errors: NDArray[np.int64]
    leaves: NDArray[np.int32]
    fingerprint: NDArray[np.uint64]
    n_trees: NDArray[np.uint64]
    n_nontrivial: NDArray[np.uint64]

    def sizes(self) -> _core.rashomon.Sizes: ...
    def trees(self, positions: NDArray[np.int64]) -> FlatTrees: ...
    def trees_of(self, position: int, start: int, count: int) -> FlatTrees: ...


class Run(NamedTuple):
    """Trees of one function with as many leaves, one after the other."""

    leaves: int
    function: int  # among all functions of the view
    start: int  # of the first, among the function's
    n: int
    n_nontrivial: int


class SomeFunctions:
    """The monotone ones of the functions of a view, in their order.

    As ways to label the training rows (``semantics="rows"``) some of them are one.
    """

    def __init__(
        self,
        problem: Problem,
        every: Listing,
        directions: Directions,
        semantics: str,
        limit: int,
    ) -> None:
        self.problem, self._all = problem, every
        kept = self._monotone(directions)
        members = [[each] for each in kept.tolist()]
        self.fingerprint = every.fingerprint[kept]
        if semantics == "rows":
            members, self.fingerprint = self._by_rows(kept)
        if len(members) > limit:
            raise TooLarge(
                f"there are {len(members):,} monotone functions, more than "
                f"{setting('limit', limit)}: raise {setting('limit')}",
                len(members),
            )
        self.members = members  # the cheapest first
        firsts = np.array([group[0] for group in members], dtype=np.int64)
        self.errors, self.leaves = every.errors[firsts], every.leaves[firsts]
        self.n_trees = self._sums(every.n_trees)
        self.n_nontrivial = self._sums(every.n_nontrivial)

    def _monotone(self, directions: Directions) -> NDArray[np.int64]:
        n, columns = len(self._all.errors), self.problem.columns
        good = [
            monotone_trees(columns, self._all.trees(np.arange(a, min(a + AT_ONCE, n))), directions)
            for a in range(0, n, AT_ONCE)
        ]
        return np.flatnonzero(np.concatenate(good)) if good else np.zeros(0, dtype=np.int64)

    def _by_rows(self, kept: NDArray[np.int64]) -> tuple[list[list[int]], NDArray[np.uint64]]:
        points = self.problem.points(self._all.trees(kept), "rows").reshape(-1, 2)
        groups: dict[bytes, list[int]] = {}
        for each, point in zip(kept.tolist(), points, strict=True):
            groups.setdefault(point.tobytes(), []).append(each)
        own = np.frombuffer(b"".join(groups), dtype=np.uint64).reshape(-1, 2)
        firsts = np.array([group[0] for group in groups.values()], dtype=np.int64)
        leaves = self._all.leaves[firsts]
        cost = self.problem.cost(self._all.errors[firsts], leaves)
        order = np.lexsort((own[:, 1], own[:, 0], leaves, cost))
        members = list(groups.values())
        return [members[i] for i in order.tolist()], own[order]

    def _sums(self, counts: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return np.array([int(counts[group].sum()) for group in self.members], dtype=np.uint64)

    def trees(self, positions: NDArray[np.int64]) -> FlatTrees:
        """Give a cheapest tree of some functions."""
        firsts = [self.members[k][0] for k in np.asarray(positions).tolist()]
        return self._all.trees(np.array(firsts, dtype=np.int64))

    def runs_of(self, position: int) -> list[Run]:
        """Give all trees of one function, in order of leaves."""
        return sorted(run for each in self.members[position] for run in self._runs(each))

    @cached_property
    def _sizes(self) -> _core.rashomon.Sizes:
        return self._all.sizes()

    def _runs(self, function: int) -> Iterator[Run]:
        a, b = self._sizes.start[function : function + 2].tolist()
        counts, fine = self._sizes.n_trees[a:b].tolist(), self._sizes.n_nontrivial[a:b].tolist()
        leaves, start = int(self._all.leaves[function]), 0
        for k, (n, n_nontrivial) in enumerate(zip(counts, fine, strict=True)):
            if n:
                yield Run(leaves + k, function, start, n, n_nontrivial)
            start += n

    def run(self, run: Run, start: int, count: int) -> FlatTrees:
        """Give some trees of a run."""
        return self._all.trees_of(run.function, run.start + start, min(count, run.n - start))

    def trees_of(self, position: int, start: int, count: int) -> FlatTrees:
        """Give some trees of one function, in order of leaves."""
        parts = []
        for run in self.runs_of(position):
            if count > 0 and start < run.n:
                parts.append(self.run(run, start, count))
                count -= len(parts[-1])
            start = max(0, start - run.n)
        return join(parts)

    def votes(self, bits: NDArray[np.uint8], n_classes: int) -> NDArray[np.int64]:
        """Count, by complete row and class, the functions that give the class."""
        out = np.zeros((len(bits), n_classes), dtype=np.int64)
        for start in range(0, len(self.members), AT_ONCE):
            some = np.arange(start, min(start + AT_ONCE, len(self.members)))
            out += self.trees(some).votes(bits, n_classes)
        return out


class SomeCounts:
    """The trees of some functions, in order of objective, then leaves, then their functions'."""

    def __init__(self, functions: SomeFunctions) -> None:
        self._functions, self._problem = functions, functions.problem
        runs = [
            (int(functions.errors[k]), run)
            for k in range(len(functions.members))
            for run in functions.runs_of(k)
        ]
        cost = self._problem.cost(
            np.array([errors for errors, _ in runs], dtype=np.int64),
            np.array([run.leaves for _, run in runs], dtype=np.int64),
        ).tolist()
        order = sorted(range(len(runs)), key=lambda i: (cost[i], runs[i][1]))
        self._cost = [cost[i] for i in order]
        self._errors = [runs[i][0] for i in order]
        self._runs = [runs[i][1] for i in order]
        self._before = [0, *accumulate(run.n for run in self._runs)]
        self.n = self._before[-1]
        self.n_nontrivial = sum(run.n_nontrivial for run in self._runs)

    def n_at(self, cost: int) -> int:
        """Count those that have exactly an objective."""
        return sum(run.n for own, run in zip(self._cost, self._runs, strict=True) if own == cost)

    def histogram(self) -> Histogram:
        """Count them by leaves and errors."""
        return Histogram.of(
            (run.leaves, errors, run.n, run.n_nontrivial)
            for errors, run in zip(self._errors, self._runs, strict=True)
        )

    def unrank(self, positions: Sequence[int]) -> FlatTrees:
        """Give the trees at some positions."""
        parts, at = [], 0
        while at < len(positions):
            i = bisect_right(self._before, positions[at]) - 1
            start, count = positions[at] - self._before[i], 1
            while (
                at + count < len(positions)
                and positions[at + count] == positions[at] + count < self._before[i + 1]
            ):
                count += 1
            parts.append(self._functions.run(self._runs[i], start, count))
            at += count
        return join(parts)

    def rank(self, tree: FlatTrees) -> int | None:
        """Give the position of a tree, None if it is not in; looks at all trees of its function."""
        leaves, key = int(tree.n_leaves[0]), tree.keys()[0]
        errors = int(self._problem.errors_of(tree)[0])
        semantics = self._problem.semantics()
        point = self._problem.points(tree, semantics)[0]
        same = {
            member
            for k in np.flatnonzero((self._functions.fingerprint == point).all(axis=1)).tolist()
            for member in self._functions.members[k]
        }
        for i, run in enumerate(self._runs):
            if run.leaves != leaves or self._errors[i] != errors or run.function not in same:
                continue
            for start in range(0, run.n, AT_ONCE):
                keys = self._functions.run(run, start, AT_ONCE).keys()
                if key in keys:
                    return self._before[i] + start + keys.index(key)
        return None
