"""What an ensemble offers: what the rooms above make of it.

In:  an ``Ensemble``.
Out: whatever the room above gives; it is imported when it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from .space import Space

if TYPE_CHECKING:
    from ..ensembles import Answers, EnsembleExplanation, Verdicts
    from ..missing import Needed
    from .ensemble import Ensemble
    from .tree import Tree

__all__ = ["EnsembleOffers"]

TIME_LIMIT = 1.0  # seconds for each row


class EnsembleOffers:
    """Methods of ``Ensemble`` that fetch their answer elsewhere."""

    @property
    def _ensemble(self) -> Ensemble:
        return cast("Ensemble", self)

    def over(self, space: Space) -> Ensemble:
        """Convert to another space that has its features, by name; see ``Tree.over``."""
        own = self._ensemble
        return own if space == own.space else own.replace(trees=[t.over(space) for t in own.trees])

    # -- rows ------------------------------------------------------------------------------------

    def predict(
        self,
        X: Any,
        *,
        within: float | None = None,
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
        within : float, optional
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
        Three of four votes decide, whatever the last one is:

        >>> from orderless.model import Adding, Ensemble, Rule, Space, Tree
        >>> space = Space({name: "boolean" for name in "abcd"})
        >>> votes = [Tree(space, [0, 1], feature=[i, -1, -1], threshold=[0, 0, 0],
        ...               when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1])
        ...          for i in range(4)]
        >>> ensemble = Ensemble(votes, [[0, 1]] * 4, classes=["no", "yes"], adding=Adding(),
        ...                     rule=Rule("cuts", cuts=(2.0,)))
        >>> ensemble.predict([[1, 1, 1, None], [1, 1, None, None], [0, 0, None, None]]).tolist()
        ['yes', None, 'no']
        """
        from ..ensembles import predict_rows

        return predict_rows(self._ensemble, X, within, time_limit, n_jobs)

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

        Returns
        -------
        array of str, or a Series when a data frame came in
            "certain": every completion gets the same class. "open": two completions get different
            ones (``witness`` shows two). "undecided": neither was proven; ``answers`` says why.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> from orderless.ensembles import as_ensemble
        >>> as_ensemble(ol.read_tree(tree)).decide([[1], [None]]).tolist()
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

        Returns
        -------
        list of tuple of labels, or a Series of them when a data frame came in

        Raises
        ------
        Undecided
            If it was not found out whether a row can get some class; ``proven`` then has the
            classes that it certainly can get, and those that it cannot, for the first such row.
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

        Returns
        -------
        lower, upper, exact
            Arrays, or Series and data frames when a data frame came in. No completion is below
            ``lower`` or above ``upper``. Where ``exact`` is true some completions come as close to
            both ends as the library rounds; elsewhere the time was over, and the ends are proven
            all the same.
        """
        from ..ensembles import interval_rows

        return interval_rows(self._ensemble, X, time_limit, n_jobs)

    def predict_proba_interval(
        self, X: Any, *, time_limit: float = TIME_LIMIT, n_jobs: int | None = None
    ) -> tuple[Any, Any, Any]:
        """Give, for each row and class, the least and the greatest probability.

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

    # -- one row ---------------------------------------------------------------------------------

    def witness(
        self, row: Any, *, time_limit: float = TIME_LIMIT
    ) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Give two completions of a row that get different classes, or None if it is certain.

        Returns
        -------
        two dicts, or None
            Complete rows, in the order of the space's columns; what the row knows is as it was.

        Raises
        ------
        Undecided
            If neither was proven.
        """
        from ..ensembles import witness_rows

        return witness_rows(self._ensemble, row, time_limit)

    def missing_needed(self, row: Any, *, limit: int = 200_000, time_limit: float = 60.0) -> Needed:
        """Give the unknown features that would settle a row; see ``orderless.missing_needed``.

        Raises
        ------
        Undecided
            If the row, or a set of features, could not be decided; ``proven`` says what was.
        TooManyReasons, OutOfTime
            If the search takes more steps than ``limit``, or longer than ``time_limit``.
        """
        from ..ensembles import needed_of_row

        return needed_of_row(self._ensemble, row, limit, time_limit)

    def ask_next(
        self,
        X: Any,
        costs: Any = None,
        *,
        time_limit: float = TIME_LIMIT,
        n_jobs: int | None = None,
    ) -> Any:
        """Give, for each row that is not certain, an unknown feature whose value can matter.

        Parameters
        ----------
        X : array, data frame, or list of dicts
        costs : dict of feature -> cost, optional
            For every feature that the trees ask about. Without them, each costs the same.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Names of features; masked where the row is certain.

        Notes
        -----
        Of an open row the feature always matters: there are two completions that differ in it
        alone and get different classes. Among the features that matter it is the one that changes
        the class most often, per cost, over some completions in which every unknown feature falls
        into each of its bins with the same probability; the choice is the same on every run. Of an
        undecided row it is the one that moves the scores most.
        """
        from ..ensembles import ask_rows

        return ask_rows(self._ensemble, X, costs, time_limit, n_jobs)

    def explain(
        self,
        row: Any,
        *,
        costs: Any = None,
        within: float = 0.0,
        limit: int = 10_000,
        time_limit: float = 10.0,
    ) -> EnsembleExplanation:
        """Explain one row: why it gets its class, and what would change it.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
        costs : dict of feature -> cost, optional
            For ``cheapest``.
        within : float
            For a model of numbers: reasons keep the number within so much of what the row can get.
        limit : int
            Reasons, or sets of features, to look at before ``TooManyReasons`` is raised.
        time_limit : float
            Seconds for each of the answers that the explanation gives.

        Returns
        -------
        EnsembleExplanation
        """
        from ..ensembles import explain_ensemble_row

        return explain_ensemble_row(self._ensemble, row, costs, within, limit, time_limit)

    # -- the whole -------------------------------------------------------------------------------

    def cut(self, levels: Sequence[float], labels: Sequence[Any] | None = None) -> Ensemble:
        """Turn a model of numbers into one of classes: into which interval the number falls.

        As ``Tree.cut``: a number equal to a level belongs to the class below it.
        """
        from ..ensembles import cut_numbers

        return cut_numbers(self._ensemble, levels, labels)

    def without_idle_trees(self, *, time_limit: float = 10.0) -> Ensemble:
        """Leave out trees whose removal changes no decision.

        Trees are tried one after the other, those that add least first. Each removal is proven for
        every row there can be, up to the library's own rounding; where that takes longer than
        ``time_limit`` seconds the tree stays. Scores and probabilities change; classes do not.
        """
        from ..ensembles import without_idle

        return without_idle(self._ensemble, time_limit)

    def to_tree(self, *, limit: int = 10_000, time_limit: float = 60.0) -> Tree:
        """Give one tree that decides every complete row as the ensemble does.

        Parameters
        ----------
        limit : int
            Most leaves that the tree may get.
        time_limit : float
            Seconds in all.

        Raises
        ------
        TooLarge
            If there would be more leaves; it says which share of the space was settled.
        Undecided
            If a cell is within the library's own rounding.
        """
        from ..ensembles import tree_of_ensemble

        return tree_of_ensemble(self._ensemble, limit, time_limit)
