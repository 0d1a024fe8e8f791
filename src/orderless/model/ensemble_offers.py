"""What an ensemble offers: what the rooms above make of it.

In:  an ``Ensemble``.
Out: whatever the room above gives; it is imported when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .ensemble_rows import TIME_LIMIT, EnsembleRows
from .knowledge.fact import Fact
from .space import Space

if TYPE_CHECKING:
    from ..ensembles import EnsembleExplanation
    from ..missing import Needed
    from .ensemble import SumKernel
    from .tree import TreeKernel

__all__ = ["EnsembleOffers"]


class EnsembleOffers(EnsembleRows):
    """Methods of ``Ensemble`` that fetch their answer elsewhere."""

    def over(self, space: Space) -> SumKernel:
        """Convert to another space that has its features, by name; see ``Tree.over``."""
        own = self._ensemble
        return own if space == own.space else own.replace(trees=[t.over(space) for t in own.trees])

    def with_facts(self, facts: Iterable[Fact | str]) -> SumKernel:
        """Give the same ensemble over its space with more facts; see ``Space``.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "high", "above": 5, "points": 2}, {"feature": "rash", "points": 1}]
        >>> score = ol.read_score({"items": items, "verdicts": {"low": None, "high": 2}},
        ...                       space=ol.Space({"low": float, "high": float, "rash": bool}))
        >>> score.predict([{"low": 7}]).tolist()
        [None]
        >>> score.with_facts(["low <= high"]).predict([{"low": 7}]).tolist()
        ['high']
        """
        return self.over(self._ensemble.space.with_facts(facts))

    def to_onnx(self) -> bytes:
        """Write a model of ONNX that decides complete rows as the library does, to the last bit.

        Returns
        -------
        bytes
            A model with the inputs that ``Tree.to_onnx`` has, in the floats in which the library
            adds. Results, for each row: ``label`` and ``scores``, or ``number``; and ``complete``,
            whether the row has all values that the trees may ask for. Where it is false the answer
            means nothing: whether it is certain is a search (``predict``).

        Raises
        ------
        InvalidTree
            If the number that is predicted is a function of the sum, such as an exponential.

        Notes
        -----
        Needs the package onnx. A TreeEnsemble (onnxruntime 1.20 and later), whose size is linear in
        the nodes; a leaf that adds to k scores takes k of its leaves. onnxruntime adds in this
        order with one thread, or one row at a time; with more of both, its own sums can differ in
        the last bits.
        """
        from ..output.code import ensemble_as_onnx

        return ensemble_as_onnx(self._ensemble)

    # -- one row ---------------------------------------------------------------------------------

    def witness(
        self, row: Any, *, time_limit: float = TIME_LIMIT
    ) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Give two completions of a row that get different classes, or None if it is certain.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
        time_limit : float
            Seconds that the search may take.

        Returns
        -------
        two dicts, or None
            Complete rows, in the order of the space's columns; what the row knows is as it was.

        Raises
        ------
        Undecided
            If neither was proven.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
        >>> score = ol.read_score({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> for row in score.witness({"rash": True}):
        ...     print(row, score.predict([row])[0])
        {'age': 70.0, 'rash': True} high
        {'age': 60.0, 'rash': True} low
        """
        from ..ensembles import witness_rows

        return witness_rows(self._ensemble, row, time_limit)

    def missing_needed(self, row: Any, *, limit: int = 200_000, time_limit: float = 60.0) -> Needed:
        """Give the unknown features that would settle a row; see ``orderless.missing_needed``.

        Raises
        ------
        Undecided
            If the row, or a set of features, could not be decided in ``time_limit`` seconds, or
            because of rounding.
        TooManyReasons
            If the search takes more steps than ``limit``.

        Notes
        -----
        Where facts are about features of the trees, it is what ``orderless.missing_needed`` gives
        for one tree that says the same of the row's completions; more than 1,000 leaves of it are
        ``Undecided``.
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
        alone and get different classes (only where the library's own rounding hides classes it
        may not). Among the features that are seen to matter it is the one whose value leaves the
        least range of the scores open, on average over its bins; with costs, the one that gains
        most per cost; of equals the first by name. Of an undecided row it need not be seen to
        matter. The choice is the same on every run, and that of the page which ``write_page``
        writes. Where facts hold, completions are possible ones, and two that differ in one feature
        alone need not be: then it is one of the features in which two of them with different
        classes differ, as few as were found.

        It grows with the nodes that the row can reach times the features that each tree asks
        about; where the best feature is not seen to matter at once, with some more searches.
        """
        from ..ensembles import ask_rows

        return ask_rows(self._ensemble, X, costs, time_limit, n_jobs)

    def explain(
        self,
        row: Any,
        *,
        costs: Any = None,
        tolerance: float = 0.0,
        limit: int = 10_000,
        time_limit: float = 10.0,
    ) -> EnsembleExplanation:
        """Explain one row: why it gets its class, and what would change it.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
        costs : dict of feature -> cost, optional
            For ``cheapest``.
        tolerance : float
            For a model of numbers: reasons keep the number within so much of what the row can get.
        limit : int
            Reasons, or sets of features, to look at before ``TooManyReasons`` is raised.
        time_limit : float
            Seconds for each of the answers that the explanation gives.

        Returns
        -------
        EnsembleExplanation

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1},
        ...          {"feature": "fever", "points": 1}]
        >>> score = ol.read_score({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> print(score.explain({"age": 70, "rash": False}))
        high, because age > 65 (whatever fever and rash are).
        It would be low if age were <= 65.
        """
        from ..ensembles import explain_ensemble_row

        return explain_ensemble_row(self._ensemble, row, costs, tolerance, limit, time_limit)

    # -- the whole -------------------------------------------------------------------------------

    def cut(self, levels: Sequence[float], labels: Sequence[Any] | None = None) -> SumKernel:
        """Turn a model of numbers into one of classes: into which interval the number falls.

        As ``Tree.cut``: a number equal to a level belongs to the class below it.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
        >>> ol.read_score(items).cut([1]).predict([{"age": 70}, {"age": 40}]).tolist()
        ['above 1', 'at most 1']
        """
        from ..ensembles import cut_numbers

        return cut_numbers(self._ensemble, levels, labels)

    def without_idle_trees(self, *, time_limit: float = 60.0) -> SumKernel:
        """Leave out trees whose removal changes no decision.

        Trees are tried one after the other, those that add least first. Each removal is proven for
        every row there can be, by the library's own arithmetic; a tree that is not proven idle
        stays. Scores and probabilities change; classes do not.

        Parameters
        ----------
        time_limit : float
            Seconds in all, shared among the trees.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 3}, {"feature": "rash", "points": 1},
        ...          {"feature": "fever", "points": 1}]
        >>> score = ol.read_score({"items": items, "verdicts": {"low": None, "high": 3}})
        >>> score.without_idle_trees().features
        ('age',)
        """
        from ..ensembles import without_idle

        return without_idle(self._ensemble, time_limit)

    def to_tree(self, *, limit: int = 10_000, time_limit: float = 60.0) -> TreeKernel:
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

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1},
        ...          {"feature": "fever", "points": 1}]
        >>> score = ol.read_score({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> print(score.to_tree())
        age <= 65?
          yes: not rash?
            yes: low
            no:  not fever?
              yes: low
              no:  high
          no:  high
        """
        from ..ensembles import tree_of_ensemble

        return tree_of_ensemble(self._ensemble, limit, time_limit)

    def to_pmml(self) -> str:
        """Write PMML 4.4, for engines of other makers: a ``MiningModel`` of all trees.

        Sums are added in the order of the trees, in the same precision: an engine that adds so, as
        JPMML does, has the same scores to the last bit. Of a model that adds float32 the file says
        so with JPMML's attribute ``x-mathContext``; engines that do not know it add float64. What
        is decided by cuts is written as a tree over the score, what is decided by the largest
        score as an average of shares, or as a ``RegressionModel`` over sums.

        Where a value on the way through a tree is missing, engines give no answer, also where the
        class is certain: PMML has no sum of what is possible.

        Raises
        ------
        UnreadableModel
            If the model divides its sums by what PMML does not divide by.
        InvalidTree
            For names and labels that XML cannot hold, and labels of several types.

        Notes
        -----
        Read it back with ``read_ensemble``. Linear in the nodes, times scores where every tree adds
        to several that are not shares.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
        >>> score = ol.read_score({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> ol.equivalent(score, ol.read_ensemble(score.to_pmml()))
        True
        """
        from ..output.code import ensemble_as_pmml

        return ensemble_as_pmml(self._ensemble)
