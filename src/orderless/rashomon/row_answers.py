"""What a whole set of trees answers on rows.

In:  a set of trees, rows.
Out: ``RowAnswers``: the answers of its best determined trees, the range of its numbers, ``Votes``.
Paper: Section 6, Rashomon sets (some tree answers).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from ..inputs import column_like, labels_like, read_rows
from .flat import distinct
from .functions import FunctionSet, Listing
from .members import LIMIT, Members
from .number_rows import unknown_ends
from .votes import Votes

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["RowAnswers"]

AT_ONCE = 256


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
                "votes(X) says how many functions give a row each class"
            )
        self._warn_of_part("predict_interval")
        lower, upper = unknown_ends(self._source, self._view, X, limit)
        return column_like(X, lower, "lower"), column_like(X, upper, "upper")

    def votes(
        self,
        X: Any,
        *,
        tolerance: Any = None,
        sample: int | None = None,
        random_state: Any = None,
        limit: int = LIMIT,
    ) -> Votes:
        """Count how the functions of the set decide complete rows, each function once.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        tolerance : number, optional
            For regression: two numbers differ where they are more than so far apart, by default 0.
            Read as the decimal that is written.
        sample : int, optional
            Ask only so many functions, drawn uniformly, with replacement.
        random_state : int, RandomState, Generator or None
        limit : int
            Most functions that are listed; more are an error. Of a sample see
            ``sample_functions``.

        Returns
        -------
        Votes
            ``counts`` and ``shares`` by row and class; by row what the ``best`` tree decides,
            whether that is ``contested`` by any tree, the share of functions in ``conflict`` with
            it, whether it is ``overruled`` by more than half; ``ambiguity()`` and
            ``discrepancy()`` over all rows.

        Examples
        --------
        >>> from orderless import RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> votes = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_.votes(X)
        >>> votes.contested.tolist()
        [False, True, True, False, True]
        >>> votes.ambiguity()
        0.6
        """
        self._not_empty()
        self._warn_of_part("votes")
        drawn = None if sample is None else self._voters(sample, random_state, limit)
        return Votes(cast("TreeSet", self), X, tolerance, drawn, limit)

    def _voters(self, sample: int | None, random_state: Any, limit: int) -> FunctionSet:
        """Return all functions, or so many that were drawn."""
        self._not_empty()
        if sample is None:
            return self.functions(limit=limit)
        if isinstance(sample, bool) or not isinstance(sample, int | np.integer) or sample < 1:
            raise InvalidParameter(
                f"sample must be a whole number from 1, or None for all, got {sample!r:.80}",
                "sample",
            )
        return self.functions(limit=limit).sample(sample, random_state=random_state)
