"""RashomonSet: all near-optimal trees of a data set, counted exactly and never all built.

In:  complete rows and labels.
Out: ``RashomonSet``, an estimator, whose ``trees_`` are a ``TreeSet``.
Paper: Section 4 (sizes), Section 6 (answers on rows with unknowns).
"""

from __future__ import annotations

import math
import warnings
from html import escape
from time import monotonic
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.utils import ClassifierTags, check_consistent_length, column_or_1d, estimator_html_repr

from ..errors import IncompleteSet, InvalidData, OutOfMemory, OutOfTime, TooLarge
from ..inputs import names_of
from ..model import Space, n_threads, refuse_facts
from .conditions import read_conditions, view_of
from .engine import MEMORY, Engine, check_limits
from .incomplete import part_of
from .number_problem import read_problem
from .problem import Rules
from .thresholds import Clock
from .tree_set import TreeSet
from .view import LIMIT

__all__ = ["RashomonSet"]

UNSEEN = -2  # the place of a label that is not among the classes


class RashomonSet(BaseEstimator):  # type: ignore[misc]
    r"""All trees whose objective is within epsilon of the best one's.

    The objective of a tree is its share of wrong training rows + regularization x leaves; of a tree
    of numbers, its loss as a share of the best constant's + regularization x leaves. The set
    holds *every* tree up to a depth with objective at most the bound. ``fit`` finds it, and
    ``trees_`` has it: a ``TreeSet``, which is counted, ranked, sampled and reduced to its distinct
    functions without building the trees. All arithmetic is exact, so that trees that lie exactly
    on the bound are in.

    Parameters
    ----------
    max_depth : int
        Most conditions on a path.
    regularization : number
        What a leaf costs, 0 or more. Read as the decimal that is written: 0.01 is 1/100.
    epsilon : number
        How far from the smallest objective trees may be, read in the same way.
    relative : bool
        Whether the bound is the smallest objective times (1 + epsilon), instead of + epsilon.
    loss : "errors", "squared" or "absolute"
        What is minimized, and so what leaves predict. "errors": classes, by the weight of the wrong
        rows. "squared" and "absolute": numbers, by the sum of weight x the square of the distance,
        or the distance, between a row's number and its leaf's.
    decimals : int, optional
        For numbers: round y, and what leaves predict, to so many decimals. By default y is taken
        as it is, and means have as many decimals as exact arithmetic has room for. A parameter,
        since rounding y beforehand does not round the means. See Notes.
    thresholds : "guess", "all", int, sequence of float, None, or a binarizer with a ``space_``
        Where numbers are cut. "guess": where a boosted ensemble of small trees would (the paper's).
        "all": between each two neighbouring values of a feature, which leaves no choice out. An
        int: at so many quantiles of each feature, evenly spaced. Several numbers from 0 to 1: at
        these quantiles. All four are those of ``Binarizer(thresholds)``, and look at the numbers
        only: a 0/1 column stays as it is, and text has one column per value, whatever else is in
        the table. None takes no numbers, but 0/1 columns and text. A binarizer of your own is
        applied to all columns, which must be numbers.
    space : Space, optional
        What the columns mean. For 0/1 columns a binarizer's ``space_``, or one that says which are
        a one-hot group; without it each column stands alone, as in the paper. For other features
        their kinds, as in ``Binarizer(space=...)``. Without it, beside other features
        0/1 columns are true or false, text is categories, and numbers whose thresholds are guessed
        are float32, as the guessing trees read them.
    constraints : Condition, or several
        Only trees that meet all of these, made from ``orderless.member``:
        ``constraints=(member.leaves <= 6, ~member.uses("race"))``.
    memory_limit : int
        Most bytes that the compressed set, or a list of functions, may take.
    time_limit : float, optional
        Most seconds for a call: for ``fit``, where thresholds are guessed in that time too, and for
        each question after it.
    on_limit : "raise" or "part"
        What ``fit`` does where memory or time does not suffice. "raise" is an error. "part" finds a
        smaller set, every tree of which is proven to be in the one that was asked for, warns
        (``IncompleteSet``) and says so: ``complete`` is False, ``n_trees_bounds`` and
        ``objective_bounds`` have what is proven of the whole. Half of ``time_limit`` is for it.
    n_jobs : int, optional
        How many threads search for the set: None is 1, and -1 all cores. The set is the same to the
        bit, whatever it says.

    Attributes
    ----------
    trees_ : TreeSet
        All near-optimal trees.
    binarizer_ : the fitted binarizer, of the numbers in the table, or None
    n_features_in_ : int
    feature_names_in_ : array
        Where X has names.
    decimals_ : int
        For numbers: how many decimals the numbers have that leaves predict.

    Notes
    -----
    A leaf predicts the heaviest class of its training rows, the last of several. Both sides of a
    split have training rows. Constant columns are kept and never split (``left_out`` names the
    features that have no others, and those without a threshold); duplicate columns are kept,
    and trees that ask one or the other are different trees, and one function where the space says
    that they are one condition. Rows of weight 0 are left out, also where numbers are cut; of the
    others each counts once there, however much it weighs.

    scikit-learn's ``check_estimator`` passes, but for ``check_estimators_nan_inf`` (``predict``
    takes NaN for an unknown value; ``fit`` refuses it) and, with ``thresholds`` a number of
    quantiles, ``check_sample_weight_equivalence_on_dense_data`` and ``..._on_sparse_data``.

    Numbers: a leaf predicts the mean of its training rows for squared loss, rounded to the nearest
    of the set's decimals (upwards where two are near), and the lower median for absolute loss. Its
    loss is that of the number that it predicts, so every objective is exact, and two leaves are
    equal where these decimals are. ``print`` says how many decimals there are; a y that has more of
    them than fit is rounded, with a warning. An objective of 1 is the loss of the best constant, so
    that a leaf has to explain ``regularization`` of what there is to explain.

    Constraints take trees away and change nothing else: the smallest objective and the bound stay
    those of all trees. ``RashomonSet(constraints=member.uses("age")).fit(X, y).trees_`` and
    ``RashomonSet().fit(X, y).trees_.where(member.uses("age"))`` hold the same trees.

    Thresholds are guessed, or quantiles taken, of the numbers alone. So further columns of text or
    0/1 never take a column away: with them there are as many trees within a bound, or more. Further
    *numbers* can change the thresholds that are guessed for the others.

    Cost: a graph of row subsets, not of trees: grows with the distinct subsets that near-optimal
    trees meet, at most columns choose depth x 2^depth.

    References
    ----------
    Xin et al., "Exploring the whole Rashomon set of sparse decision trees", NeurIPS 2022.

    Examples
    --------
    >>> from orderless import RashomonSet
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> rset = RashomonSet(max_depth=2, regularization=0.05, epsilon=0.05).fit(X, [0, 0, 0, 1, 1])
    >>> trees = rset.trees_
    >>> trees.n_trees, trees.n_nontrivial, len(trees.functions())
    (6, 3, 2)
    >>> trees.objective, trees.bound
    (Fraction(3, 20), Fraction(1, 5))
    >>> print(rset)
    RashomonSet(epsilon=0.05, max_depth=2, regularization=0.05)
    6 trees, 2 functions, objectives 0.15 to 0.2 (epsilon 0.05)
    >>> print(trees.best_tree)
    not x0?
      yes: 0
      no:  not x1?
        yes: 0
        no:  1
    >>> rset.predict([[0, None, None], [None, None, 0]]).tolist()
    [0, None]

    Trees of numbers:

    >>> trees = RashomonSet(2, 0.05, 0.1, loss="squared").fit(X, [1, 2, 4, 4.5, 7]).trees_
    >>> trees.n_trees, len(trees.functions()), trees.objective
    (4, 4, Fraction(779, 4360))
    >>> trees.best_tree.predict(X).tolist()
    [1.5, 1.5, 4.25, 4.25, 7.0]
    """

    def __init__(
        self,
        max_depth: int = 3,
        regularization: Any = 0.01,
        epsilon: Any = 0.02,
        *,
        relative: bool = False,
        loss: str = "errors",
        decimals: int | None = None,
        thresholds: Any = "guess",
        space: Space | None = None,
        constraints: Any = (),
        memory_limit: int = MEMORY,
        time_limit: float | None = None,
        on_limit: str = "raise",
        n_jobs: int | None = 1,
    ) -> None:
        self.max_depth = max_depth
        self.regularization = regularization
        self.epsilon = epsilon
        self.relative = relative
        self.loss = loss
        self.decimals = decimals
        self.thresholds = thresholds
        self.space = space
        self.constraints = constraints
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.on_limit = on_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the set.

        Parameters
        ----------
        X : array, sparse array or data frame
            Complete rows: 0/1 columns, numbers, which ``thresholds`` cuts, or text, which
            becomes one 0/1 column per value.
        y : labels
            Of any type, two classes or more; finite numbers for ``loss`` other than "errors".
        sample_weight : array of numbers from 0, optional
            Read as decimals; counts are whole numbers.

        Returns
        -------
        self
        """
        rules = Rules.read(self.max_depth, self.regularization, self.epsilon, self.relative)
        conditions = read_conditions(self.constraints, "constraints")
        check_limits(memory_limit=self.memory_limit, time_limit=self.time_limit)
        n_threads(self.n_jobs)
        if self.on_limit not in ("raise", "part"):
            raise ValueError(f"on_limit must be 'raise' or 'part', got {self.on_limit!r:.80}")
        if isinstance(self.space, Space):
            refuse_facts(self.space, "RashomonSet", why="its functions are told apart on all rows")
        start, limit = monotonic(), self.time_limit
        end = math.inf if limit is None else start + limit
        problem = read_problem(self, X, y, sample_weight, rules, Clock(limit, end))
        table = problem.table
        engine = Engine(problem, self.memory_limit, limit, self.n_jobs)
        try:
            engine.caps.offers_part = self.on_limit == "raise"
            with engine.caps.until(None if limit is None else self._first_end(end)):
                trees = TreeSet(engine, conditions)
                engine.counts(trees._view)
        except (OutOfMemory, OutOfTime, TooLarge) as fault:
            if self.on_limit == "raise":
                raise
            engine = part_of(engine, fault, lambda engine: view_of(engine, conditions), end)
            with engine.caps.until(None if limit is None else end):
                trees = TreeSet(engine, conditions)
        self.trees_ = trees
        if engine.incomplete is not None:
            message = f"the set is {self.trees_.incomplete}"
            warnings.warn(message, IncompleteSet, stacklevel=2)
        self.binarizer_ = table.binarizer
        self.n_features_in_ = len(table.columns.space.columns)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if (names := names_of(X)) is not None:
            self.feature_names_in_ = names
        if table.target is not None:
            self.decimals_ = table.target.decimals
        return self

    def _first_end(self, end: float) -> float:
        """Until when the whole set is looked for: half of the time stays for a part of it."""
        return end if self.on_limit == "raise" else (monotonic() + end) / 2

    def predict(self, X: Any) -> Any:
        """Give each row the class, or number, of the best tree that is determined on it.

        See ``TreeSet.predict``.
        """
        return self._fitted().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is right; of numbers, the share explained (R²).

        A row on which no tree is determined counts as wrong; where leaves predict numbers it is an
        error.
        """
        trees = self._fitted()
        places = trees._best_determined(X, LIMIT)
        truth = column_or_1d(y)
        check_consistent_length(places, truth)
        if trees.task == "regression":
            if (places < 0).any():
                raise InvalidData(
                    f"score: no tree is determined on {int((places < 0).sum()):,} of the "
                    f"{len(places):,} rows, because of their unknown values: leave them out"
                )
            classes = trees._problem.classes
            numbers = [classes[place] for place in places.tolist()]
            return float(r2_score(truth, numbers, sample_weight=sample_weight))
        place_of = {label: place for place, label in enumerate(trees.classes)}
        expected = np.array([place_of.get(label, UNSEEN) for label in truth.tolist()])
        right = expected == places
        return float(np.average(right, weights=sample_weight))

    def _fitted(self) -> TreeSet:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this RashomonSet is not fitted: call fit(X, y) first")
        return self.trees_

    # As of every estimator, repr gives the parameters; str and notebooks say what was found, too.

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return str(BaseEstimator.__repr__(self, N_CHAR_MAX))

    def __str__(self) -> str:
        return "\n".join([repr(self), *self._description()])

    def _description(self) -> list[str]:
        """Describe what was found, in lines; none before ``fit``."""
        if not self.__sklearn_is_fitted__():
            return []
        trees = self.trees_
        kind = "" if trees._problem.rules.kind == "additive" else ", relative"
        first = f"{trees._found()} (epsilon {float(trees._problem.rules.epsilon):g}{kind})"
        return [first, *filter(None, trees._further())]

    def _repr_html_inner(self) -> str:
        """Say what was found, above what scikit-learn shows of any estimator."""
        shown = "<br>".join(escape(line, quote=False) for line in self._description())
        return (f"<p>{shown}</p>" if shown else "") + str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        out: dict[str, str] = BaseEstimator._repr_mimebundle_(self, **options)
        shown = {"text/plain": str(self)}
        return out | shown | ({"text/html": self._repr_html_inner()} if "text/html" in out else {})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        # Not an estimator_type: its trees are not bound to answer every row. But they have classes.
        tags.classifier_tags = ClassifierTags() if self.loss == "errors" else None
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "trees_" in self.__dict__
