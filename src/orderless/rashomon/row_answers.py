"""What a whole set of trees says about rows.

In:  a set of trees, rows.
Out: ``RowAnswers``: the classes of its best determined trees, votes of its functions or the range
     of their numbers, how far they differ. An answer from a sample is a ``Sampled``.
Paper: Section 6, Rashomon sets (some tree answers). Ambiguity and discrepancy are those of Marx,
Calmon and Ustun, "Predictive multiplicity in classification", ICML 2020; of numbers, like the
range, those of Watson-Daniels, Parkes and Ustun, "Predictive multiplicity in probabilistic
classification", AAAI 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import column_like, labels_like, read_rows, table_like
from .columns import Bits
from .conflict import Conflict, any_otherwise, share_otherwise
from .flat import FlatTrees, distinct
from .functions import FunctionSet, Listing
from .members import LIMIT, Members
from .number_rows import numbers_of, row_ends, steps_within, target_of, unknown_ends, windows
from .problem import Problem
from .target import Target

__all__ = ["RowAnswers", "Sampled", "disagreements"]

AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Sampled:
    """An answer from a random sample of the functions, not from all of them.

    Attributes
    ----------
    value : what all functions would give, estimated
    n_functions : int
        How many were drawn, uniformly, with replacement.
    standard_error : of the value where it is a mean, else None
    """

    value: Any
    n_functions: int
    standard_error: Any = None


class RowAnswers(Members):
    """The part of ``TreeSet`` that is about rows."""

    def predict(self, X: Any, *, limit: int = LIMIT) -> Any:
        """Give each row the class, or number, of the best tree that is determined on it.

        A row with unknowns is determined by a tree if every completion gets the same class there.
        The smallest objective decides; of several classes at the same objective, the first; of
        several numbers the smallest.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            NaN, None, NA and null are unknown.
        limit : int
            Most functions that are tried, where trees have to be tried one by one: for a list of
            trees, for rows of which a categorical feature is known in part, and for trees of
            numbers in a view by leaves or by features that are required.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Masked where no tree is determined.

        Notes
        -----
        The paper's Section 6. No tree is enumerated: dynamic programming over the compressed set,
        cost distinct rows x edges.
        """
        self._not_empty()
        self._warn_of_part("predict")
        answer = self._best_determined(X, limit)
        if self._has_numbers:
            used = np.unique(np.append(answer[answer >= 0], 0))
            numbers = np.array([self._problem.classes[label] for label in used.tolist()])
            places = np.where(answer < 0, -1, np.searchsorted(used, answer)).astype(np.int32)
            return labels_like(X, numbers, places)
        classes = np.array(self.classes)
        if classes.tolist() != list(self.classes):
            classes = np.array(self.classes, dtype=object)
        return labels_like(X, classes, answer)

    def _best_determined(self, X: Any, limit: int) -> NDArray[np.int32]:
        """Give by row the class of the best tree that is determined, -1 where none is."""
        one, zero, partly = self._problem.columns.read(X)
        first, which = distinct(np.hstack([one, zero, partly[:, None].astype(np.uint8)]))
        answer = np.full(len(first), -1, dtype=np.int32)
        plain = first[~partly[first]]
        decided = self._source.decide(self._view, one[plain], zero[plain]) if len(plain) else None
        rest = first if decided is None else first[partly[first]]
        if decided is not None:
            answer[~partly[first]] = decided[0]
        if len(rest):
            answer[np.isin(first, rest)] = self._try_trees(X, rest, limit)
        return answer[which]

    def _try_trees(self, X: Any, chosen: NDArray[np.intp], limit: int) -> NDArray[np.int32]:
        """Try one tree of each function after the other, the best first."""
        columns = self._problem.columns
        listing = Listing(self._source, self._view, self._problem.semantics(), limit)
        functions, cost = listing.functions, listing.cost
        rows = read_rows(X, columns.space, np.unique(columns.feature).tolist())
        answer = np.full(rows.n_rows, -1, dtype=np.int32)
        reached = np.full(rows.n_rows, np.iinfo(np.int64).max)
        for start in range(0, len(cost), AT_ONCE):
            open_ = np.zeros(rows.n_rows, dtype=bool)
            open_[chosen] = (answer[chosen] < 0) | (reached[chosen] >= cost[start])
            if not open_.any():
                break
            some = np.arange(start, min(start + AT_ONCE, len(cost)))
            trees = self._problem.trees(functions.trees(some))
            for k, tree in zip(some.tolist(), trees, strict=True):
                label = self._problem.places_of(tree)[tree.kernel.decide(rows)]
                cheaper = (cost[k] < reached) | ((cost[k] == reached) & (label < answer))
                better = (label >= 0) & open_ & cheaper
                answer[better] = label[better]
                reached[better] = cost[k]
        return answer[chosen]

    def _voters(self, sample: int | None, random_state: Any, limit: int) -> FunctionSet:
        self._not_empty()
        if sample is None:
            return self.functions(limit=limit)
        if isinstance(sample, bool) or not isinstance(sample, int | np.integer) or sample < 1:
            raise ValueError(
                f"sample must be a whole number from 1, or None for all, got {sample!r:.80}"
            )
        return self.sample_functions(sample, random_state=random_state, limit=limit)

    def predict_interval(self, X: Any, *, limit: int = LIMIT) -> tuple[Any, Any]:
        """Give the smallest and the largest number that each row can get; for regression.

        Over all trees of the set, and over all ways to fill in what a row does not say.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            NaN, None, NA and null are unknown.
        limit : int
            Most functions that are tried where trees have to be tried one by one, as in
            ``predict``.

        Returns
        -------
        lower, upper : arrays of float
            Series when a data frame came in.

        Notes
        -----
        Exact: some tree gives some completion of the row the lower number, and some the upper. No
        tree is enumerated: dynamic programming over the compressed set.
        """
        self._not_empty()
        if not self._has_numbers:
            raise InvalidData(
                "predict_interval is about numbers, and this set is of task='classification': "
                "multiplicity(X) says how many functions give a row each class"
            )
        self._warn_of_part("predict_interval")
        lower, upper = unknown_ends(self._source, self._view, X, limit)
        return column_like(X, lower, "lower"), column_like(X, upper, "upper")

    def multiplicity(
        self, X: Any, *, sample: int | None = None, random_state: Any = None, limit: int = LIMIT
    ) -> Any:
        """Count, for each row, the functions that give it each class; or give its numbers' range.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        sample : int, optional
            Ask only so many functions, drawn uniformly. The answer is then a ``Sampled``. For
            classes.
        random_state : int, RandomState, Generator or None
        limit : int
            Most functions; more are an error. For regression only a list of trees, and a view by
            leaves or by features that are required, list them.

        Returns
        -------
        array of int, rows by classes, or Sampled of it
            ``classes`` has their order. A data frame when one came in.
        array of float, rows by 2
            For regression: the smallest and the largest number that some tree of the set gives the
            row, exactly. A data frame with the columns ``smallest`` and ``largest`` when one came
            in.
        """
        self._warn_of_part("multiplicity")
        if self._has_numbers:
            if sample is not None:
                raise ValueError(
                    f"sample must be None for regression, got {sample!r:.80}: the smallest and the "
                    "largest number are found without a list of functions"
                )
            self._not_empty()
            bits = self._problem.columns.read_complete(X)
            target = target_of(self._problem)
            ends = row_ends(self._source, self._view, bits, limit)
            table = np.stack([numbers_of(target, labels) for labels in ends], axis=1)
            return table_like(X, table, ("smallest", "largest"))
        counts, n_functions = self._votes(X, sample, random_state, limit)
        table = table_like(X, counts, self.classes)
        return table if sample is None else Sampled(table, n_functions)

    def _votes(
        self, X: Any, sample: int | None, random_state: Any, limit: int
    ) -> tuple[NDArray[np.int64], int]:
        """Count the votes, and the voters."""
        voters = self._voters(sample, random_state, limit)
        bits = self._problem.columns.read_complete(X)
        return voters.votes(bits, len(self.classes)), len(voters)

    def predict_proba(
        self, X: Any, *, sample: int | None = None, random_state: Any = None, limit: int = LIMIT
    ) -> Any:
        """Give, for each row, the share of the distinct functions that give it each class.

        A vote, each function counted once: not a probability of the class. Parameters are those of
        ``multiplicity``, and a data frame comes back when one came in. Not for numbers.
        """
        if self._has_numbers:
            raise InvalidData(
                "predict_proba is about classes, and this set is of task='regression', whose trees "
                "predict numbers: multiplicity(X) gives the smallest and the largest of each row, "
                "and tree.discretize(levels) makes classes of a tree's numbers"
            )
        self._warn_of_part("predict_proba")
        counts, n_functions = self._votes(X, sample, random_state, limit)
        share = counts / n_functions
        table = table_like(X, share, self.classes)
        if sample is None:
            return table
        error = np.sqrt(share * (1 - share) / n_functions)
        return Sampled(table, n_functions, table_like(X, error, self.classes))

    def ambiguity(
        self, X: Any, y: Any = None, *, tolerance: Any = None, limit: int = LIMIT
    ) -> float:
        """Give the share of rows on which some function differs from the best one.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        y : labels, or numbers for regression, optional
            With labels: the share of rows for which some function is right and some is wrong,
            which is the same where there are two classes. A number is right if it is at most
            ``tolerance`` from y.
        tolerance : number, optional
            For regression: functions differ where their numbers are more than so far apart, by
            default 0. Read as the decimal that is written.
        limit : int
            Most functions; more are an error. For regression see ``multiplicity``.
        """
        self._warn_of_part("ambiguity")
        if self._has_numbers:
            return self._number_ambiguity(X, y, 0 if tolerance is None else tolerance, limit)
        self._no_distance(tolerance)
        counts, total = self._votes(X, None, None, limit)
        self._some(counts)
        if y is None:
            return float(np.mean((counts > 0).sum(axis=1) > 1))
        number = {label: i for i, label in enumerate(self.classes)}
        codes = [number.get(label) for label in np.asarray(y).tolist()]
        if len(codes) != len(counts):
            raise InvalidData(f"X has {len(counts)} rows and y has {len(codes)} labels")
        right = np.array(
            [0 if c is None else row[c] for c, row in zip(codes, counts.tolist(), strict=True)]
        )
        return float(np.mean((right > 0) & (right < total)))

    def _number_ambiguity(self, X: Any, y: Any, tolerance: Any, limit: int) -> float:
        self._not_empty()
        bits = self._problem.columns.read_complete(X)
        self._some(bits)
        target = target_of(self._problem)
        most = steps_within(target, tolerance)
        low, high = row_ends(self._source, self._view, bits, limit)
        if y is None:
            best = target.of_label(self._counts.unrank([0]).says(bits)[0])
            far = np.maximum(best - target.of_label(low), target.of_label(high) - best)
            return float(np.mean(far > most))
        near = windows(target, y, len(bits), tolerance)
        right, _ = row_ends(self._source, self._view, bits, limit, near)
        wrong = (low < near[0]) | (high > near[1])
        return float(np.mean((right >= 0) & wrong))

    def discrepancy(self, X: Any, *, tolerance: Any = None, limit: int = LIMIT) -> float:
        """Give the largest share of rows on which one function differs from the best one.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        tolerance : number, optional
            For regression: functions differ where their numbers are more than so far apart, by
            default 0. Read as the decimal that is written.
        limit : int
            Most functions; more are an error.
        """
        self._warn_of_part("discrepancy")
        target, most = self._problem.table.target, 0
        if target is None:
            self._no_distance(tolerance)
        else:
            most = steps_within(target, 0 if tolerance is None else tolerance)
        trees = self._voters(None, None, limit).table().trees
        bits = self._problem.columns.read_complete(X)
        self._some(bits)
        return float(_differing(trees, trees[:1], bits, target, most).max())

    def conflict(
        self, X: Any, *, sample: int | None = None, random_state: Any = None, limit: int = LIMIT
    ) -> Conflict:
        """Say of each row whether any tree decides otherwise than the best one, and how many do.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        sample : int, optional
            Ask only so many functions, drawn uniformly, for the share, which is then a ``Sampled``;
            0 asks none. Whether any tree decides otherwise is exact in any case.
        random_state : int, RandomState, Generator or None
        limit : int
            Most functions that are listed; more are an error.

        Returns
        -------
        Conflict
            ``decision``, ``any`` and ``share``, each a Series when a data frame came in.

        Examples
        --------
        >>> from orderless import RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> found = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
        >>> found.conflict(X).any.tolist()
        [False, True, True, False, True]
        """
        self._not_empty()
        self._warn_of_part("conflict")
        bits = self._problem.columns.read_complete(X)
        self._some(bits)
        best = self._counts.unrank([0])
        otherwise = any_otherwise(self._source, self._view, bits, best)
        share = None
        if sample is None or sample != 0:
            functions = self._voters(sample, random_state, limit)
            n_classes = 0 if self._has_numbers else len(self.classes)
            values = share_otherwise(functions, bits, best, n_classes)
            share = column_like(X, values, "share")
            if sample is not None:
                error = np.sqrt(values * (1 - values) / len(functions))
                share = Sampled(share, len(functions), column_like(X, error, "standard_error"))
        decision = self.best_tree.predict(X)
        return Conflict(decision, column_like(X, otherwise, "any"), share, self.complete)

    def _no_distance(self, tolerance: Any) -> None:
        if tolerance is not None:
            raise InvalidData(
                "tolerance is a distance between numbers, and this set is of "
                "task='classification': leave it out"
            )

    def _some(self, rows: NDArray[Any]) -> None:
        if not len(rows):
            raise InvalidData("X has no rows: give at least one")


def _differing(
    trees: FlatTrees, best: FlatTrees, bits: Bits, target: Target | None, most: int
) -> NDArray[np.float64]:
    """Give, per tree, the share of rows on which it differs from the best (by more than that)."""
    first, which = distinct(bits)
    weight = np.bincount(which, minlength=len(first)) / len(bits)
    base = best.says(bits[first])[0]
    out = np.zeros(len(trees))
    for part, labels in trees.says_in_parts(bits[first]):
        if target is None:
            differ = labels != base
        else:
            differ = np.abs(target.of_label(labels) - target.of_label(base)) > most
        out[part] = differ @ weight
    return out


def disagreements(problem: Problem, trees: FlatTrees) -> NDArray[np.float64]:
    """Give, for every two trees, the share of the training weight on which they differ.

    For regression, how far their numbers are apart on average over the training weight.
    """
    if problem.task == "regression":
        return _apart(problem, trees)
    labels = trees.says(problem.bits)
    weight = problem.weights / problem.total_weight
    same = np.zeros((len(trees), len(trees)))
    for c in range(len(problem.classes)):
        one = (labels == c).astype(np.float64)
        same += (one * weight) @ one.T
    distance = np.clip(1 - same, 0, 1)
    np.fill_diagonal(distance, 0)
    return distance


def _apart(problem: Problem, trees: FlatTrees) -> NDArray[np.float64]:
    """Give mean absolute differences. Cost: pairs of trees x distinct rows."""
    from scipy.spatial.distance import cdist

    first, which = distinct(problem.bits)
    weight = np.bincount(which, problem.weights.astype(np.float64)) / problem.total_weight
    target = target_of(problem)
    steps = target.of_label(trees.says(problem.bits[first])).astype(np.float64)
    out: NDArray[np.float64] = cdist(steps, steps, "cityblock", w=weight)
    return out / float(10.0**target.decimals)
