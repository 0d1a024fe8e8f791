"""How far the trees of a set agree about complete rows.

In:  a ``TreeSet``, complete rows.
Out: ``Votes``: shares of functions by class, rows on which the best tree is contradicted, and how
     many of them there are.
Paper: none. Ambiguity and discrepancy are those of Marx, Calmon and Ustun, "Predictive multiplicity
in classification", ICML 2020; of numbers those of Watson-Daniels, Parkes and Ustun, "Predictive
multiplicity in probabilistic classification", AAAI 2023.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import column_like, table_like
from .columns import Bits
from .flat import FlatTrees, distinct
from .functions import FunctionSet
from .leaf_sums import Form, Quantity, leaf_sums
from .listed import Listed
from .number_rows import row_ends, steps_within, target_of, windows
from .problem import Problem

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["Votes", "disagreements"]

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Votes:
    """What the trees of a set decide about complete rows. Made by ``TreeSet.votes``.

    Every function has one vote, however many trees of the set it is. Each answer is computed when
    it is first asked for, within the limits of the set. Those that list the functions end with
    ``TooLarge`` beyond ``limit``; ``best`` and ``contested`` list nothing, but for lists of trees
    and where trees must be monotone. What has an entry per row is a Series, or a frame, where a
    data frame came in.
    """

    def __init__(
        self, trees: TreeSet, X: Any, tolerance: Any, sample: FunctionSet | None, limit: int
    ) -> None:
        self._trees, self._X, self._limit, self._sample = trees, X, limit, sample
        self._problem: Problem = trees._problem
        self._has_numbers = self._problem.task == "regression"
        self._bits: Bits = self._problem.columns.read_complete(X)
        if not len(self._bits):
            raise InvalidData("X has no rows: give at least one")
        if tolerance is not None and not self._has_numbers:
            raise InvalidData(
                "tolerance is a distance between numbers, and this set is of "
                "task='classification': leave it out"
            )
        self._tolerance = 0 if tolerance is None else tolerance
        # The same in steps of the leaves' numbers.
        self._steps = 0
        if self._has_numbers:
            self._steps = steps_within(target_of(self._problem), self._tolerance)

    def __len__(self) -> int:
        return len(self._bits)

    def __repr__(self) -> str:
        contested = ""
        if "_contested" in self.__dict__:
            contested = f", {int(self._contested.sum()):,} contested"
        rows = f"{len(self):,} row{'' if len(self) == 1 else 's'}"
        sampled = "" if self._sample is None else f", {self.n_functions:,} functions drawn"
        part = "" if self._trees.complete else ", of an incomplete set"
        return f"Votes({rows}{contested}{sampled}{part})"

    # -- the functions -------------------------------------------------------------------------

    @cached_property
    def _functions(self) -> FunctionSet:
        return self._trees.functions(limit=self._limit) if self._sample is None else self._sample

    @property
    def n_functions(self) -> int:
        """How many functions vote: all of them, or those that were drawn."""
        return len(self._functions)

    @property
    def sampled(self) -> bool:
        """Whether the functions that vote are a random sample."""
        return self._sample is not None

    # -- by row and class ----------------------------------------------------------------------

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        if self._has_numbers:
            raise InvalidData(
                "the trees of this set predict numbers (task='regression'), so there are no votes "
                "for classes: predict_interval(X) gives the smallest and the largest number of "
                "each row, and tree.discretize(levels) makes classes of a tree's numbers"
            )
        return self._functions.votes(self._bits, len(self._problem.classes))

    @property
    def counts(self) -> Any:
        """By row and class, how many functions give the row this class. Not of numbers."""
        return table_like(self._X, self._counts, self._problem.classes)

    @property
    def shares(self) -> Any:
        """By row and class, the share of the functions that give the row this class.

        Not a probability of the class, and not of numbers.
        """
        return table_like(self._X, self._counts / self.n_functions, self._problem.classes)

    @property
    def standard_error(self) -> Any:
        """The standard error of ``shares``: 0 unless the functions were drawn."""
        share = self._counts / self.n_functions
        error = np.sqrt(share * (1 - share) / self.n_functions)
        return table_like(self._X, error * self.sampled, self._problem.classes)

    # -- against the best tree -----------------------------------------------------------------

    @cached_property
    def _best_tree(self) -> FlatTrees:
        return self._trees._counts.unrank([0])

    @cached_property
    def _best(self) -> NDArray[np.int32]:
        labels: NDArray[np.int32] = self._best_tree.says(self._bits)[0]
        return labels

    @property
    def best(self) -> Any:
        """What the best tree decides, by row."""
        return self._trees.best_tree.predict(self._X)

    @cached_property
    def _ends(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The smallest and the largest number that some tree gives each row, as labels."""
        trees = self._trees
        return row_ends(trees._source, trees._view, self._bits, self._limit)

    @cached_property
    def _contested(self) -> Flags:
        if not self._has_numbers:
            return _any_otherwise(self._trees, self._bits, self._best_tree, self._limit)
        target = target_of(self._problem)
        low, high = (target.of_label(labels) for labels in self._ends)
        best = target.of_label(self._best)
        far: Flags = np.maximum(best - low, high - best) > self._steps
        return far

    @property
    def contested(self) -> Any:
        """Whether some tree of the set decides otherwise than the best one, by row: exact.

        Of numbers: whether some tree's number is further than ``tolerance`` from the best tree's.
        Cost: distinct rows x edges of the compressed set; in views by leaves or by features that
        are required, for every distinct row a range over the set.
        """
        return column_like(self._X, self._contested, "contested")

    @property
    def conflict(self) -> Any:
        """The share of the functions that decide otherwise than the best tree, by row."""
        if self._has_numbers:
            share = self._share_far()
        else:
            share = 1 - self._counts[np.arange(len(self)), self._best] / self.n_functions
        return column_like(self._X, share, "conflict")

    def _share_far(self) -> Floats:
        first, which = distinct(self._bits)
        target = target_of(self._problem)
        best = target.of_label(self._best[first])
        n = np.zeros(len(first), dtype=np.int64)
        rows = np.ascontiguousarray(self._bits[first])
        for _, labels in self._functions.table().trees.says_in_parts(rows):
            n += (np.abs(target.of_label(labels) - best) > self._steps).sum(axis=0)
        share: Floats = n / self.n_functions
        return share[which]

    @property
    def overruled(self) -> Any:
        """Whether more than half of the functions decide against the best tree, all alike, by row.

        Not of numbers.
        """
        others = self._counts.copy()
        others[np.arange(len(self)), self._best] = 0
        return column_like(self._X, 2 * others.max(axis=1) > self.n_functions, "overruled")

    # -- over all rows -------------------------------------------------------------------------

    def ambiguity(self, y: Any = None) -> float:
        """Return the share of the rows on which some function differs from the best one.

        Parameters
        ----------
        y : labels, or numbers for regression, optional
            With labels: the share of the rows for which some function is right and some is wrong,
            which is the same where there are two classes. A number is right if it is at most
            ``tolerance`` from y.
        """
        if y is None:
            return float(np.mean(self._contested))
        return float(np.mean(self._right_and_wrong(y)))

    def _right_and_wrong(self, y: Any) -> Flags:
        if self._has_numbers:
            target, trees = target_of(self._problem), self._trees
            near = windows(target, y, len(self), self._tolerance)
            right, _ = row_ends(trees._source, trees._view, self._bits, self._limit, near)
            low, high = self._ends
            both: Flags = (right >= 0) & ((low < near[0]) | (high > near[1]))
            return both
        self._not_sampled("ambiguity with labels")
        number = {label: i for i, label in enumerate(self._problem.classes)}
        codes = [number.get(label, -1) for label in np.asarray(y).tolist()]
        if len(codes) != len(self):
            raise InvalidData(f"X has {len(self)} rows and y has {len(codes)} labels")
        votes = self._counts[np.arange(len(self)), codes]
        known = np.array(codes) >= 0
        return known & (votes > 0) & (votes < self.n_functions)

    def discrepancy(self) -> float:
        """Return the largest share of the rows on which one function differs from the best one."""
        self._not_sampled("discrepancy")
        trees = self._functions.table().trees
        first, which = distinct(self._bits)
        weight = np.bincount(which, minlength=len(first)) / len(self)
        best, largest = self._best[first], 0.0
        target = self._problem.table.target
        for _, labels in trees.says_in_parts(np.ascontiguousarray(self._bits[first])):
            if target is None:
                differ = labels != best
            else:
                distance = np.abs(target.of_label(labels) - target.of_label(best))
                differ = distance > self._steps
            largest = max(largest, float((differ @ weight).max()))
        return largest

    def _not_sampled(self, name: str) -> None:
        if self._sample is not None:
            raise InvalidData(
                f"{name} is about all functions of the set, and a sample of them would give a "
                "bound: ask for votes(X) without sample="
            )


def _any_otherwise(trees: TreeSet, bits: Bits, best: FlatTrees, limit: int) -> Flags:
    """Tell, by complete row, whether some tree gives another class than the best one."""
    source, view = trees._source, trees._view
    first, which = distinct(bits)
    rows = np.ascontiguousarray(bits[first])
    says = best.says(rows)[0]
    if isinstance(source, Listed) or view.monotone:  # their functions are listed anyway
        functions = source.functions(view, source.problem.semantics(), limit)
        out = np.zeros(len(rows), dtype=bool)
        flat = functions.trees(np.arange(len(functions.errors)))
        for _, labels in flat.says_in_parts(rows):
            out |= (labels != says).any(axis=0)
        return out[which]
    ends = source.ranges(view, rows, 1 - rows)
    if ends is None:
        pairs = zip(rows, says.tolist(), strict=True)
        return np.array([_some_tree(trees, row, label) for row, label in pairs], dtype=bool)[which]
    otherwise: Flags = (ends[0] != says) | (ends[1] != says)
    return otherwise[which]


def _some_tree(trees: TreeSet, row: NDArray[np.uint8], label: int) -> bool:
    """Tell whether some tree gives another class to one row."""
    labels = np.arange(len(trees._problem.classes), dtype=np.int32)
    factors = (labels != label).astype(np.int64).reshape(1, -1)
    quantity = Quantity(
        "otherwise",
        row.reshape(1, -1),
        np.zeros(1, dtype=np.int32),
        np.ones(1, dtype=np.int64),
        labels,
        (Form(factors, 0, 1),),
    )
    sums = leaf_sums(trees._source, trees._view, quantity)
    return sums.stairs(factors, True).measure[-1] == 1


def disagreements(problem: Problem, trees: FlatTrees) -> Floats:
    """Return, for every two trees, the share of the training weight on which they differ.

    For regression, how far their numbers are apart on average over the training weight.
    """
    if problem.task == "regression":
        return _mean_distances(problem, trees)
    labels = trees.says(problem.bits)
    weight = problem.weights / problem.total_weight
    same = np.zeros((len(trees), len(trees)))
    for c in range(len(problem.classes)):
        one = (labels == c).astype(np.float64)
        same += (one * weight) @ one.T
    distance = np.clip(1 - same, 0, 1)
    np.fill_diagonal(distance, 0)
    return distance


def _mean_distances(problem: Problem, trees: FlatTrees) -> Floats:
    """Return mean absolute differences. Cost: pairs of trees x distinct rows."""
    from scipy.spatial.distance import cdist

    first, which = distinct(problem.bits)
    weight = np.bincount(which, problem.weights.astype(np.float64)) / problem.total_weight
    target = target_of(problem)
    steps = target.of_label(trees.says(problem.bits[first])).astype(np.float64)
    out: Floats = cdist(steps, steps, "cityblock", w=weight)
    return out / float(10.0**target.decimals)
