"""Second goals: what other measures the trees of a set can have, without listing them.

In:  a set of trees; a measure; rows, the training rows or others.
Out: ``SecondGoals``, the part of ``TreeSet`` that gives ``Range``, ``Front``, ``Fairest`` and
     ``Conflict``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import Tree
from ..errors import InvalidData
from ..inputs import column_like
from .conflict import Conflict, any_otherwise, share_otherwise
from .flat import FlatTrees
from .gaps import closer, pairs_of
from .goal_results import Fairest, Front, FrontPoint, Range
from .goal_trees import GoalTrees, ListedGoalTrees, Stairs, goal_trees
from .leaf_shares import LeafShares
from .measured_rows import MeasuredRows, read_measured
from .measures import SHARES, class_quantity, more_is_better
from .members import LIMIT
from .number_measures import number_quantity
from .number_rows import target_of
from .quantity import Quantity, as_number
from .ratios import Ratios
from .row_answers import RowAnswers, Sampled

__all__ = ["SecondGoals"]

GOALS = ("smallest", "largest")
FIRST_VALUES, MORE_VALUES = 16, 4


class SecondGoals(RowAnswers):
    """The part of ``TreeSet`` that is about second goals."""

    def range(
        self,
        measure: Any,
        X: Any = None,
        y: Any = None,
        *,
        rows: Any = None,
        groups: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
    ) -> Range:
        """Give the smallest and the largest measure over all trees, and a tree for each.

        Exact, and without listing trees: dynamic programming over the compressed set.

        Parameters
        ----------
        measure : str, cost matrix, or callable of (label, prediction)
            Counts: "errors", "correct", "false positives", "false negatives", "true positives",
            "true negatives", "positives", "negatives". Rates: "error rate", "accuracy", "fpr",
            "fnr", "tpr" (or "recall"), "tnr", "positive rate", "balanced accuracy". Ratios:
            "precision", "f1", "jaccard", "negative predictive value". Of the shares of leaves:
            "squared error", "brier score". A cost matrix is a dict of (label, prediction), a frame,
            or a table in the order of ``classes``; numbers are read as the decimals that are
            written. A callable is asked once for each label and prediction. For regression:
            "squared error", "absolute error", "mean squared error", "mean absolute error", "mean
            prediction", or a callable of (number, prediction).
        X, y : rows and labels, optional
            Complete rows, such as a validation set. By default the training rows.
        rows : array of bool, optional
            Which of the rows count.
        groups : array of labels, or the name of a column, optional
            One of two groups for each row: then the measure is its value in the second group (in
            sorted order) less that in the first. "demographic parity", "equal opportunity",
            "predictive equality" and "equal error rates" are the differences of "positive rate",
            "tpr", "fpr" and "error rate".
        positive : label, optional
            Which class is positive; by default the last one.
        sample_weight : array of numbers from 0, optional
            By default the weights of the training rows; 1 for other rows.

        Returns
        -------
        Range

        Notes
        -----
        A tree without a ratio (no row is predicted positive, so there is no precision) is left out.
        Ratios are found by Dinkelbach's parametric search, each step of it an exact range. Other
        rows than the training rows are followed along every path: two paths that lead to the same
        training rows may part other rows differently.

        Examples
        --------
        >>> from orderless import RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> found = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1])
        >>> found.range("false positives")
        Range(false positives: 0 to 1)
        >>> found.range("precision").smallest
        Fraction(2, 3)
        """
        self._not_empty()
        self._warn_of_part("range")
        if self._by_shares(measure):
            return self._shares(measure, X, y, rows, groups, sample_weight).range()
        goals, measured = self._goals(measure, X, y, rows, groups, positive, sample_weight)
        name = goals.quantity.name
        if len(goals.quantity.forms) == 2:
            small, large = (Ratios(goals, largest).some() for largest in (False, True))
            values = [small.value, large.value]
            trees = [small.tree, large.tree]
        else:
            stairs = [self._stairs(goals, largest) for largest in (False, True)]
            form = goals.quantity.forms[0]
            values = [form.value(each.measure[-1]) for each in stairs]
            trees = [each.trees([len(each) - 1]) for each in stairs]
        return Range(
            name,
            as_number(values[0]),
            as_number(values[1]),
            self._tree(trees[0]),
            self._tree(trees[1]),
            groups=measured.group_names,
            complete=self.complete,
        )

    def front(
        self,
        measure: Any,
        X: Any = None,
        y: Any = None,
        *,
        goal: str | None = None,
        rows: Any = None,
        groups: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
    ) -> Front:
        """Give the exact trade-off between the objective and a second goal, with a tree per point.

        Parameters
        ----------
        measure, X, y, rows, groups, positive, sample_weight
            As of ``range``.
        goal : "smallest" or "largest", optional
            Which is better. By default "largest" for what people want much of (accuracy, recall,
            precision, ...), else "smallest".

        Returns
        -------
        Front
            Points by rising objective; each measures better than all before.

        Examples
        --------
        >>> from orderless import RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> found = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1])
        >>> [(float(p.objective), p.value) for p in found.front("false negatives")]
        [(0.15, 0)]
        """
        self._not_empty()
        self._warn_of_part("front")
        if goal is not None and goal not in GOALS:
            raise ValueError(f"goal must be one of {str(GOALS)[1:-1]}, got {goal!r:.80}")
        largest = more_is_better(measure) if goal is None else goal == "largest"
        if self._by_shares(measure):
            return self._shares(measure, X, y, rows, groups, sample_weight).front(largest)
        goals, measured = self._goals(measure, X, y, rows, groups, positive, sample_weight)
        if len(goals.quantity.forms) == 2:
            steps = [(b.cost, b.value, b.tree) for b in Ratios(goals, largest).front()]
        else:
            stairs = self._stairs(goals, largest)
            form = goals.quantity.forms[0]
            flat = stairs.trees(list(range(len(stairs))))
            steps = [
                (cost, form.value(value), flat[i : i + 1])
                for i, (cost, value) in enumerate(zip(stairs.cost, stairs.measure, strict=True))
            ]
        points = [
            FrontPoint(self._problem.objective(cost), as_number(value), self._tree(tree))
            for cost, value, tree in steps
        ]
        name, groups = goals.quantity.name, measured.group_names
        return Front(name, GOALS[largest], points, groups, complete=self.complete)

    def fairest(
        self,
        measure: Any,
        X: Any = None,
        y: Any = None,
        *,
        groups: Any,
        rows: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
        limit: int = 64,
    ) -> Fairest:
        """Give the tree whose two groups differ least in a measure.

        Parameters
        ----------
        measure, X, y, groups, rows, positive, sample_weight
            As of ``range`` with ``groups``.
        limit : int
            Most values that are told apart for any subset of rows. Where there are more, the answer
            is a tree with a small gap and a proven bound: see ``Fairest.proven``.

        Returns
        -------
        Fairest

        Notes
        -----
        The smallest distance from 0 is no sum over leaves: the values that each subset of rows can
        contribute are listed with their cheapest subtrees, first few and then more, neighbours
        put together as intervals, until the bound is met or ``limit`` is. Then the sides of the
        cheapest first questions are put together anew, aiming at 0. No gap is smaller than the
        smallest that whole numbers of rows between their own ends allow; pairs of such numbers
        that are nearer to 0 than the tree are looked for one by one.
        """
        self._not_empty()
        self._warn_of_part("fairest")
        if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
            raise ValueError(f"limit must be a whole number from 1, got {limit!r:.80}")
        if self._by_shares(measure):
            raise InvalidData(f"{measure!r} has no difference between groups: choose a rate")
        goals, measured = self._goals(measure, X, y, rows, groups, positive, sample_weight)
        if measured.group is None:
            raise InvalidData("groups is None: give one of two groups for each row")
        form = goals.quantity.forms[0]
        step = math.gcd(form.constant, *np.unique(form.factors).tolist()) or 1
        most, best, at_least = min(FIRST_VALUES, limit), None, 0
        while True:
            near = goals.nearest(form.factors, -form.constant, int(most))
            if near is None:
                raise InvalidData("there is no tree in this view: require less of its trees")
            at_least = max(at_least, -(-near.at_least // step) * step)
            if best is None or near.distance < best.distance:
                best = near
            if best.distance > at_least and most == min(FIRST_VALUES, limit):
                pairs = pairs_of(goals, form)
                if pairs is not None:
                    best, proven = closer(goals, pairs, best, int(most))
                    at_least = max(at_least, proven)
            if best.distance <= at_least or most >= limit:
                break
            most = min(most * MORE_VALUES, limit)
        return Fairest(
            goals.quantity.name,
            as_number(form.value(best.measure)),
            self._tree(best.tree),
            as_number(Fraction(at_least, form.unit)),
            self._problem.objective(best.cost),
            measured.group_names,
            self.complete,
        )

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
        >>> found = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1])
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

    # -- how -----------------------------------------------------------------------------------

    def _by_shares(self, measure: Any) -> bool:
        return not self._has_numbers and isinstance(measure, str) and measure in SHARES

    def _shares(
        self, measure: str, X: Any, y: Any, rows: Any, groups: Any, sample_weight: Any
    ) -> LeafShares:
        if groups is not None:
            raise InvalidData(
                f"{measure!r} has no difference between groups: measure each with rows="
            )
        measured = read_measured(self._problem, X, y, rows, None, sample_weight)
        return LeafShares(self._source, self._view, measure, measured)

    def _goals(
        self, measure: Any, X: Any, y: Any, rows: Any, groups: Any, positive: Any, weight: Any
    ) -> tuple[GoalTrees | ListedGoalTrees, MeasuredRows]:
        measured = read_measured(self._problem, X, y, rows, groups, weight)
        quantity = self._quantity(measure, measured, positive)
        return goal_trees(self._source, self._view, quantity), measured

    def _goal_quantity(
        self,
        measure: Any,
        X: Any = None,
        y: Any = None,
        rows: Any = None,
        groups: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
    ) -> tuple[Quantity, bool]:
        """Give what a measure adds up, and whether it is a difference between groups."""
        if self._by_shares(measure):
            raise InvalidData(
                f"{measure!r} is of trees, not of functions, whose trees have leaves of their own: "
                "range and front have it"
            )
        measured = read_measured(self._problem, X, y, rows, groups, sample_weight)
        return self._quantity(measure, measured, positive), measured.group is not None

    def _quantity(self, measure: Any, rows: MeasuredRows, positive: Any) -> Quantity:
        if not self._has_numbers:
            return class_quantity(measure, rows, self.classes, positive)
        if positive is not None:
            raise InvalidData("positive is a class, and this set is of task='regression'")
        labels: NDArray[np.int32] = self._source.said(self._view)
        target = target_of(self._problem)
        numbers = [target.numbers.exact(label) for label in labels.tolist()]
        return number_quantity(measure, rows, labels, numbers)

    def _stairs(self, goals: GoalTrees | ListedGoalTrees, largest: bool) -> Stairs:
        return goals.stairs(goals.quantity.forms[0].factors, largest)

    def _tree(self, flat: FlatTrees) -> Tree:
        (tree,) = self._problem.trees(flat)
        return tree
