"""Model: what people ask of one model, be it a tree or a sum of trees.

In:  a kernel, which a reader made or a person put together by hand.
Out: answers. Every method is short: it reads what it was given, and calls the room that knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

from ..form import fingerprint
from ..model import TIME_LIMIT, Budget, Fact, Label, Space, SumKernel, TreeKernel, formats
from ..output.code import tree_as_javascript, tree_as_python
from ..questions import (
    Explanation,
    Explanations,
    Needed,
    ask_next,
    interval,
    needed_for,
    possible,
    predict,
    shares_of,
    status,
)

__all__ = ["Model"]

LONGEST = formats.LIMIT  # characters of a file
OF = ("answer", "score", "probability")

K = TypeVar("K", TreeKernel, SumKernel)


class Model(ABC, Generic[K]):
    """A model that was read: a ``Tree``, or an ``Ensemble`` of several.

    Both answer the same questions. ``kernel`` holds the nodes and numbers that the answers are
    computed from.
    """

    kernel: K

    @classmethod
    @abstractmethod
    def _of(cls, kernel: K) -> Self:
        """Make a model of a kernel."""

    @property
    def space(self) -> Space:
        """The features, and how the columns of rows describe them."""
        return self.kernel.space

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels, or the numbers of a regression tree; empty for sums of numbers."""
        return self.kernel.classes

    @property
    def task(self) -> str:
        """Whether it tells classes apart ("classification") or gives numbers ("regression")."""
        return self.kernel.task

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it asks about, in the order of the space."""
        return self.kernel.features

    @property
    def fingerprint(self) -> str:
        """32 hex digits that name the function: equal for equivalent models, on every machine.

        Two functions share a fingerprint with a probability below 2^-100; ``equivalent`` proves
        that they are equal. An ensemble has that of the one tree that decides the same, which small
        ensembles have (``Ensemble.to_tree``), and raises ``TooLarge`` without it.

        Examples
        --------
        >>> import orderless as ol
        >>> one = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
        ...        "false": {"prediction": 0}}, "false": {"prediction": 0}}
        >>> other = {"feature": 1, "true": {"feature": 0, "true": {"prediction": 1},
        ...          "false": {"prediction": 0}}, "false": {"prediction": 0}}
        >>> ol.read(one).fingerprint == ol.read(other).fingerprint
        True
        """
        return fingerprint(self._one_tree)

    # -- rows ----------------------------------------------------------------------------------

    def predict(
        self,
        X: Any,
        *,
        tolerance: float | None = None,
        time_limit: float | None = TIME_LIMIT,
        n_jobs: int | None = None,
    ) -> Any:
        """Return each row's class, or number, where it is certain.

        A row with unknowns (NaN, None, NA) has a class if every completion of it gets that class,
        by the library's own arithmetic; otherwise it is masked. Where the space has facts,
        completions are those that satisfy them; a row that contradicts them is masked, and a
        warning says so.

        Parameters
        ----------
        X : array, data frame, list of dicts, or Between
            Arrays go by position, the others by name. One dict is one row. ``Between`` gives
            values that are known to lie in a range.
        tolerance : float, optional
            For numbers: return the midpoint of the numbers that a row can get, if these are at
            most so far apart (``predict_interval``). 0 is the same as without.
        time_limit : float, optional
            Seconds for the call; None for no limit. Sums of trees search the rows that are not
            complete, and these share the time: each gets an equal part, and easy ones leave
            theirs to hard ones. 0: no search. Of one tree, only facts take time.
        n_jobs : int, optional
            Threads to use, by default one; -1 is all cores.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Of one dict its label, None where it is not certain.

        Notes
        -----
        The paper's Theorem 3.2. Of one tree it is read off the leaves: features x leaves / 64 for
        each row. Of a sum of trees it is NP-hard; on models from data nearly every row takes less
        than a millisecond. Rows for which the time does not suffice are masked, and a warning says
        how many (``status`` says which). What is not masked is proven.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": name, "points": 1} for name in ("cough", "fever", "rash", "pain")]
        >>> score = ol.Ensemble.from_points(
        ...     {"items": items, "verdicts": {"wait": None, "see a doctor": 3}})
        >>> score.predict([[1, 1, 1, None], [1, None, 1, None], [0, 0, None, None]]).tolist()
        ['see a doctor', None, 'wait']
        """
        if type(X) is dict or isinstance(X, Mapping):
            return self._predict_row(X, tolerance, time_limit)
        with Budget(time_limit):
            return predict(self.kernel, X, tolerance=tolerance, n_jobs=n_jobs, warn=True)

    def _predict_row(
        self, row: Mapping[str, Any], tolerance: float | None, time_limit: float | None
    ) -> Any:
        with Budget(time_limit):
            return predict(self.kernel, [row], tolerance=tolerance, warn=True).tolist()[0]

    def possible(
        self, X: Any, *, time_limit: float | None = TIME_LIMIT, n_jobs: int | None = None
    ) -> Any:
        """Return, for each row, the classes that are still possible, in their order.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        list of tuple of labels, or a Series of them when a data frame came in
            One label: the row is certain.

        Raises
        ------
        Undecided
            If time did not suffice to tell whether a row can get some class; ``proven`` has what
            is known of the first such row.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"prediction": "a"}, "false": {"feature": 1,
        ...                 "true": {"prediction": "b"}, "false": {"prediction": "c"}}})
        >>> tree.possible([[1, None], [0, None], [None, 0]])
        [('a',), ('b', 'c'), ('a', 'c')]
        """
        with Budget(time_limit):
            return possible(self.kernel, X, n_jobs)

    def status(
        self, X: Any, *, time_limit: float | None = TIME_LIMIT, n_jobs: int | None = None
    ) -> Any:
        """Return whether each row's answer is certain.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        array of str, or a Series when a data frame came in
            "certain": every completion gets the same answer. "open": two completions get
            different ones (``explain(row).witness`` shows two). "undecided": neither was proven in
            time. Where the space has facts, "impossible": the row contradicts them.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"prediction": "a"}, "false": {"feature": 1,
        ...                 "true": {"prediction": "b"}, "false": {"prediction": "c"}}})
        >>> tree.status([[1, None], [0, None]]).tolist()
        ['certain', 'open']
        """
        with Budget(time_limit):
            return status(self.kernel, X, n_jobs)

    def predict_interval(
        self,
        X: Any,
        *,
        of: str = "answer",
        time_limit: float | None = TIME_LIMIT,
        n_jobs: int | None = None,
    ) -> tuple[Any, Any, Any]:
        """Return the smallest and the largest number that each row can get.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.
        of : "answer", "score" or "probability"
            "answer": the number that is predicted (classes that are numbers count as such).
            "score": the sums of a sum of trees, divided as the library divides them, before any
            link: one for each row where one score decides, else rows x classes. "probability":
            rows x classes, as the library's ``predict_proba`` gives them.

        Returns
        -------
        lower, upper, exact
            Arrays, or Series and data frames when a data frame came in. No completion is below
            ``lower`` or above ``upper``. Where ``exact`` is true, some completions come as close
            to both as the library rounds; elsewhere time did not suffice, and the bounds are
            proven all the same. A row that contradicts the facts gets NaN.

        Notes
        -----
        Where a row of a sum of trees of numbers has at most 256 completions, counting values
        between the same thresholds once, the bounds are the library's own predictions. For other
        rows they are moved outwards by what its additions can round: for XGBoost, which adds in
        float32, about 2e-5 of the number with 100 trees, so that an interval can be wider than it
        has to be by more than 1e-6.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"task": "regression", "feature": "age", "relation": "<=",
        ...                 "reference": 60, "true": {"prediction": 2.5},
        ...                 "false": {"prediction": 7.5}}, feature_names=["age"])
        >>> lower, upper, exact = tree.predict_interval([[50], [None]])
        >>> lower.tolist(), upper.tolist(), exact.tolist()
        ([2.5, 2.5], [2.5, 7.5], [True, True])
        """
        if of not in OF:
            raise ValueError(f"of must be one of {str(OF)[1:-1]}, got {of!r:.80}")
        with Budget(time_limit):
            return interval(self.kernel, X, of, n_jobs)

    def shares(self, X: Any, reference: Any = "leaves", y: Any = None) -> Any:
        """Return the share of each class among the training rows that fit each row.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Rows with unknown values.
        reference : "leaves", or complete training rows
            "leaves": all training rows in the leaves that the row can reach, as a tree has counted
            them. It forgets what else is known of the row. Training rows: those that lie in the
            same bin as the row in every feature that the row knows.
        y : labels of the training rows, optional
            Without them, a training row has the class that the model gives it.

        Returns
        -------
        array of shape (rows, classes), or a data frame when one came in
            In the order of ``classes``; NaN where no training row fits.

        Notes
        -----
        An estimate from the training rows, not a certainty: it assumes that values are missing at
        random.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
        ...                 "true": {"prediction": 1}, "false": {"prediction": 0}}})
        >>> tree.shares([[None, 0], [1, None]], [[1, 0], [0, 0], [0, 0], [0, 1]]).round(2)
        array([[0.67, 0.33],
               [0.  , 1.  ]])
        """
        return shares_of(self.kernel, X, reference, y)

    def needed(
        self,
        row: Any,
        *,
        tolerance: float | None = None,
        limit: int = 200_000,
        time_limit: float | None = TIME_LIMIT,
    ) -> Needed:
        """Find the unknown features that would settle a row.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
            What is missing, None or NaN is unknown.
        tolerance : float, optional
            For numbers: a row is settled as soon as those that are possible are at most so far
            apart.
        limit : int
            Steps that each of the two searches may take before ``TooManyReasons`` is raised.
        time_limit : float, optional
            Seconds before ``OutOfTime`` is raised (of a sum of trees: ``Undecided``); None for no
            limit.

        Returns
        -------
        Needed
            ``settle``: the smallest sets of features that settle the row whatever their values
            are; ``could``: those that settle it for some of their values.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
        ...                 "false": {"prediction": 0}}, "false": {"prediction": 0}})
        >>> print(tree.needed({}))
        Not determined: 0 or 1.
        Settled, whatever the values, by x0 and x1.
        Settled, for some values, by x0; or by x1.
        """
        return needed_for(self.kernel, row, tolerance=tolerance, limit=limit, time_limit=time_limit)

    def ask_next(
        self,
        X: Any,
        costs: Any = None,
        *,
        tolerance: float | None = None,
        time_limit: float | None = TIME_LIMIT,
        n_jobs: int | None = None,
    ) -> Any:
        """Return, for each row that is not certain, an unknown feature whose value can matter.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.
        costs : dict of feature -> cost, optional
            For every feature that the model asks about. Without them a tree asks in its own order,
            and for a sum of trees each feature costs the same; with them the feature is asked that
            narrows the scores most per cost. (``cheapest_policy`` finds the order that costs
            least.)
        tolerance : float, optional
            For numbers: ask only until those that are possible are at most so far apart.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Names of features; masked where the row is certain.

        Raises
        ------
        Undecided
            If the time is over before every row has its question.

        Notes
        -----
        The feature always matters: for some values of the others, its value changes the answer.
        It is a quick choice, the same on every run; ``needed`` finds the smallest sets.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
        ...                 "false": {"prediction": 0}}, "false": {"prediction": 0}})
        >>> tree.ask_next([[None, None], [1, None], [None, 0], [None, 1]]).tolist()
        ['x0', 'x1', None, 'x0']
        """
        with Budget(time_limit):
            return ask_next(self.kernel, X, costs, tolerance=tolerance, n_jobs=n_jobs)

    # -- why -----------------------------------------------------------------------------------

    def explain(
        self,
        row: Any,
        *,
        costs: Mapping[str, float] | None = None,
        tolerance: float = 0.0,
        limit: int = 10_000,
        time_limit: float | None = TIME_LIMIT,
    ) -> Explanation:
        """Explain why one row gets its class, and what would change it.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
            What is missing, None or NaN is unknown.
        costs : dict of feature -> cost, optional
            If given, the text shows the cheapest reason. 0 or more, for every feature that the
            model asks about.
        tolerance : float
            For numbers: reasons keep the number within so much of what the row can get.
        limit : int
            How many reasons ``reasons()`` may list before ``TooManyReasons`` is raised.
        time_limit : float, optional
            Seconds for the call, and for each part of the explanation (``reason``, ``shortest``,
            ``changes`` ...), which is a call of its own, made when it is asked for. None for no
            limit.

        Returns
        -------
        Explanation
            Every part is computed when it is asked for.

        Examples
        --------
        >>> import orderless as ol
        >>> young = {"feature": "age", "relation": "<=", "reference": 25,
        ...          "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> tree = ol.read({"feature": "priors", "relation": ">", "reference": 3, "true": young,
        ...                 "false": {"prediction": 0}},
        ...                space=ol.Space({"age": int, "priors": int}))
        >>> print(tree.explain({"age": 23, "priors": 5}))
        1, because age <= 25 AND priors > 3.
        It would be 0 if age were > 25, or if priors were <= 3.
        >>> print(tree.explain({"age": 23}))
        Not determined: 0 or 1 are possible, because priors is unknown.
        Settled, whatever the values, by priors.
        """
        return self._explain(row, costs, tolerance, limit, time_limit)

    def explain_all(self, X: Any, *, time_limit: float | None = TIME_LIMIT) -> Explanations:
        """Explain many rows: the class or number of each, and the reason that ``explain`` shows.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            NaN, None, NA and null are unknown.
        time_limit : float, optional
            Seconds for all rows together, which share them; None for no limit.

        Returns
        -------
        Explanations
            ``.label`` and ``.reasons`` by row, of a model of numbers also ``.intervals``;
            ``explanations[i]`` is what ``explain`` gives for row i.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
        ...                 "false": {"prediction": 0}}, "false": {"prediction": 0}})
        >>> why = tree.explain_all([[1, 1], [0, None], [1, None]])
        >>> why.label.tolist(), [str(reason) for reason in why.reasons]
        ([1, 0, None], ['x0 AND x1', 'not x0', 'None'])
        """
        return self._explain_all(X, time_limit)

    # -- other models --------------------------------------------------------------------------

    def with_space(self, space: Space) -> Self:
        """Convert to another space that has its features, by name.

        A feature may become narrower there: declared integer, or boolean, or with fewer
        categories. Conditions that then always or never hold are dropped.
        """
        return self._of(self.kernel.over(space))

    def with_facts(self, facts: Iterable[Fact | str]) -> Self:
        """Return the same model over its space with more facts; see ``Space``.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "high", "relation": "<=", "reference": 5,
        ...                 "true": {"prediction": "no"}, "false": {"prediction": "yes"}},
        ...                space=ol.Space({"low": float, "high": float}))
        >>> tree.predict([{"low": 7}]).tolist()
        [None]
        >>> tree.with_facts(["low <= high"]).predict([{"low": 7}]).tolist()
        ['yes']
        """
        return self.with_space(self.space.with_facts(facts))

    def discretize(self, levels: Sequence[float], labels: Sequence[Any] | None = None) -> Self:
        """Turn a model of numbers into one of classes: into which interval the number falls.

        Parameters
        ----------
        levels : sequence of float
            Rising. A number equal to a level belongs to the class below it.
        labels : sequence, optional
            One more than levels; by default "at most 10", "above 10 to 20", "above 20".

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"task": "regression", "feature": "age", "relation": "<=",
        ...                 "reference": 60, "true": {"prediction": 2.5},
        ...                 "false": {"prediction": 7.5}}, feature_names=["age"])
        >>> tree.discretize([5], labels=["short", "long"]).predict([[50]]).tolist()
        ['short']
        """
        return self._of(self.kernel.discretize(levels, labels))

    def decide_at(self, label: Any, probability: float) -> Self:
        """Turn a classifier into "is the probability at least this?": the classes False and True.

        The probability is what the library's ``predict_proba`` gives: of a tree the share of the
        label among the training rows of a leaf.

        Parameters
        ----------
        label : class label
        probability : float
            From 0 to 1. A probability equal to it counts as "at least".

        Examples
        --------
        >>> import orderless as ol
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier(max_depth=1, random_state=0)
        >>> model = model.fit([[1], [2], [3], [4], [5], [6]], ["ok", "ok", "ill", "ok", "ok", "ok"])
        >>> print(ol.read(model).decide_at("ill", 0.2))
        x0 <= 3.5?
          yes: True
          no:  False
        """
        return self._of(self.kernel.decide_at(label, probability))

    # -- files ---------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write it as JSON, which ``orderless.read`` reads."""
        return self.kernel.to_json()

    def to_javascript(self, *, module: bool = True) -> str:
        """Write JavaScript that decides as ``predict`` does, without dependencies.

        It has three functions. ``decide(row)`` takes an object of feature: value and gives the
        class, or null where that depends on unknown values; ``possibleClasses(row)`` gives all
        classes that are left; ``why(row)`` gives one of the reasons that hold, in words. A value
        may also be a range, ``{from: 20, to: 30}``, or one of several categories,
        ``["red", "blue"]``.

        Parameters
        ----------
        module : bool
            Whether to write an ES module that exports the functions, or a script that puts them
            into the global object ``orderless``.

        Notes
        -----
        Linear in the tree. An ensemble is written as the one tree that decides the same, which
        small ensembles have (``Ensemble.to_tree``), so that it knows what is certain. A value is
        unknown if it is left out, undefined, null, NaN or ``""``; where NaN is a value of the
        feature, null and NaN are that value.
        """
        return tree_as_javascript(self._one_tree, module=module)

    def to_python(self, function_name: str = "decide") -> str:
        """Write the source of a Python module that decides as ``predict`` does.

        It needs no package and Python 3.8 or later. Its function takes a dict of feature -> value
        (the features' own values, also where the rows of this form have columns that are
        indicators) and gives the class, or None where that depends on unknown values. Its second
        function, ``why(row)``, gives one of the reasons that hold, in words.

        Parameters
        ----------
        function_name : str
            An identifier.

        Notes
        -----
        Linear in the tree; rules and reasons are not needed. An ensemble is written as for
        ``to_javascript``. A value is unknown if it is left out,
        None or NaN; where NaN is a value of the feature, only if it is left out.
        """
        return tree_as_python(self._one_tree, function_name)

    # -- how one kind of model answers ---------------------------------------------------------

    @property
    @abstractmethod
    def _one_tree(self) -> TreeKernel:
        """One tree that decides the same."""

    @abstractmethod
    def _explain(
        self, row: Any, costs: Any, tolerance: float, limit: int, time_limit: float | None
    ) -> Explanation: ...

    @abstractmethod
    def _explain_all(self, X: Any, time_limit: float | None) -> Explanations: ...
