"""What an ensemble says of rows: classes and numbers where they are certain, and their ends.

In:  an ``Ensemble``, and rows with unknown values.
Out: whatever the room of ensembles gives; it is imported when it is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ..ensembles import Answers, Verdicts
    from .ensemble import SumKernel

__all__ = ["TIME_LIMIT", "EnsembleRows"]

TIME_LIMIT = 1.0  # seconds for each row


class EnsembleRows:
    """Methods of ``Ensemble`` that answer for each of many rows."""

    @property
    def _ensemble(self) -> SumKernel:
        return cast("SumKernel", self)

    def predict(
        self,
        X: Any,
        *,
        tolerance: float | None = None,
        time_limit: float = TIME_LIMIT,
        n_jobs: int | None = None,
    ) -> Any:
        """Give each row's class, or number, where it is certain.

        A row with unknowns (NaN, None, NA) has a class if every completion of it gets that class,
        by the library's own arithmetic; otherwise it is masked, and so is a row that could not be
        decided (``decide`` says which).

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Arrays go by position, the others by name.
        tolerance : float, optional
            For a model of numbers: give the midpoint of the numbers that a row can get, if these
            are at most so far apart (``predict_interval``).
        time_limit : float
            Seconds that the search may take for each row that is not complete.
        n_jobs : int, optional
            Threads to use, by default one; -1 is all cores.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in

        Notes
        -----
        The paper's Theorem 3.2 for a sum of trees, for which it is NP-hard: on models from data
        nearly every row takes less than a millisecond, and what takes longer than the limit is
        masked. Rows that allow the same values are searched once. Which rows are out of time can
        differ from run to run; what is not masked is proven.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": name, "points": 1} for name in ("cough", "fever", "rash", "pain")]
        >>> score = ol.read_score({"items": items, "verdicts": {"wait": None, "see a doctor": 3}})
        >>> score.predict([[1, 1, 1, None], [1, None, 1, None], [0, 0, None, None]]).tolist()
        ['see a doctor', None, 'wait']
        """
        from ..ensembles import predict_rows

        return predict_rows(self._ensemble, X, tolerance, time_limit, n_jobs)

    def predict_between(
        self,
        lower: Any,
        upper: Any,
        *,
        time_limit: float = TIME_LIMIT,
        n_jobs: int | None = None,
    ) -> Any:
        """Give each row's class where it is certain, for values known only to lie in a range.

        Parameters
        ----------
        lower, upper : arrays, data frames, or lists of dicts
            As for ``orderless.predict_between``: two ends of the same rows; for a categorical
            feature a set of possible values in ``lower`` and None in ``upper``.
        time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when ``lower`` is a data frame
        """
        from ..ensembles import predict_ranges

        return predict_ranges(self._ensemble, lower, upper, time_limit, n_jobs)

    def decide(self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None) -> Any:
        """Say of each row whether its class, or number, is certain.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        array of str, or a Series when a data frame came in
            "certain": every completion gets the same class. "open": two completions get different
            ones (``witness`` shows two). "undecided": neither was proven; ``answers`` says why.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": name, "points": 1} for name in ("cough", "fever", "rash")]
        >>> score = ol.read_score({"items": items, "verdicts": {"wait": None, "see a doctor": 2}})
        >>> score.decide([[1, 1, None], [1, None, None]]).tolist()
        ['certain', 'open']
        """
        from ..ensembles import decide_rows

        return decide_rows(self._ensemble, X, time_limit, n_jobs)

    def verdicts(
        self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None
    ) -> Verdicts:
        """Give by row a status, and the position of its class in ``classes``, as numbers.

        Returns
        -------
        Verdicts
            ``status``: 0 certain, 1 open, 2 and more undecided (of time, rounding, room).
            ``label``: -1 where it is not certain, and for a model of numbers.
        """
        from ..ensembles import verdicts_of

        return verdicts_of(self._ensemble, self._ensemble.read(X), time_limit, n_jobs)

    def answers(
        self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None
    ) -> Answers:
        """Give all that is known of each row: status, class, why not, and what is proven.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        Answers
            ``status``, ``label``, ``why``, ``lower`` and ``upper``; see there.
        """
        from ..ensembles import answer_rows

        return answer_rows(self._ensemble, X, time_limit, n_jobs)

    def possible_classes(
        self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None
    ) -> Any:
        """Give, for each row, every class that some completion of it gets, in their order.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        list of tuple of labels, or a Series of them when a data frame came in

        Raises
        ------
        Undecided
            If it was not found out whether a row can get some class; ``proven`` then has the
            classes that it certainly can get, and those that it cannot, for the first such row.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": name, "points": 1} for name in ("cough", "fever", "rash")]
        >>> score = ol.read_score({"items": items, "verdicts": {"none": None, "some": 1, "all": 3}})
        >>> score.possible_classes([[1, None, None], [0, 0, None]])
        [('some', 'all'), ('none', 'some')]
        """
        from ..ensembles import possible_rows

        return possible_rows(self._ensemble, X, time_limit, n_jobs)

    def predict_interval(
        self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None
    ) -> tuple[Any, Any, Any]:
        """Give the smallest and the largest number, or score, that each row can get.

        For a model of numbers these are its predictions. For a classifier they are its scores,
        divided as the library divides them, before any link: one for each row where one score
        decides (``decision_function``, margin), else a table of rows x classes.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        lower, upper, exact
            Arrays, or Series and data frames when a data frame came in. No completion is below
            ``lower`` or above ``upper``. Where ``exact`` is true some completions come as close to
            both ends as the library rounds; elsewhere the time was over, and the ends are proven
            all the same.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1},
        ...          {"feature": "age", "at most": 40, "points": 1.5}]
        >>> lower, upper, exact = ol.read_score(items).predict_interval([[None, 1], [50, None]])
        >>> lower.tolist(), upper.tolist(), exact.tolist()
        ([1.0, 0.0], [3.0, 1.0], [True, True])
        """
        from ..ensembles import interval_rows

        return interval_rows(self._ensemble, X, time_limit, n_jobs)

    def predict_proba_interval(
        self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None
    ) -> tuple[Any, Any, Any]:
        """Give, for each row and class, the least and the greatest probability.

        Parameters
        ----------
        X, time_limit, n_jobs
            As for ``predict``.

        Returns
        -------
        lower, upper, exact : arrays of shape (rows, classes), or data frames
            In the order of ``classes``. No completion is outside, but for the rounding of the link
            itself. Where ``exact`` is true some completions reach both ends; for a softmax of three
            and more classes the ends come from the differences of two scores at a time, and are
            exact only where a completion was found that reaches them.
        """
        from ..ensembles import proba_interval_rows

        return proba_interval_rows(self._ensemble, X, time_limit, n_jobs)

    def sums(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Give the sums of complete rows as the library adds them up, before it divides them.

        Returns
        -------
        array of shape (rows,), or (rows, scores) if there are several; or Series, data frame
        """
        from ..ensembles import sum_rows

        return sum_rows(self._ensemble, X, n_jobs)

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Give the probabilities of complete rows, in the order of ``classes``."""
        from ..ensembles import proba_rows

        return proba_rows(self._ensemble, X, n_jobs)
