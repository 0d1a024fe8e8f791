"""Ensemble: a sum of trees, and what can be asked of it.

In:  a ``SumKernel`` that a reader made; or trees and what their leaves add, by hand.
Out: answers, other models, exports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self

from numpy.typing import ArrayLike, NDArray

from ..model import TIME_LIMIT, Adding, Link, Rule, Space, SumKernel, TreeKernel
from ..output.code import ensemble_as_onnx, ensemble_as_pmml, sum_as_expression, sum_as_sql
from ..questions import (
    Explanation,
    Explanations,
    as_one_tree,
    explain,
    explain_all,
    predict_proba,
    sums,
    tree_of_ensemble,
    without_idle,
)
from ..readers import read_score
from .model import LONGEST, Model
from .tree import Tree

__all__ = ["Ensemble"]


class Ensemble(Model[SumKernel]):
    """Trees whose leaves are added up, whatever made them.

    ``orderless.read`` makes one of a model of any library, and ``Ensemble.from_points`` of a
    points score.

    Parameters
    ----------
    trees : sequence of Tree
        Over one space. The classes of a tree are the numbers of its leaves, 0, 1, ...
    values : sequence of arrays
        Per tree, leaves x scores: what each leaf adds to each score.
    scores : sequence of int, optional
        Per tree the only score that it adds to, -1 for all (the default); the rest of its values
        are 0.
    classes : sequence of labels
        None for a model of numbers.
    adding : Adding
    rule : Rule
    link : "identity", "logistic", "softmax" or "exp"
        What makes a probability, or a number, of the (divided) scores.
    factor : float
        By which the (divided) scores are multiplied before the link.

    Attributes
    ----------
    trees : tuple of Tree
    n_trees, n_scores : int
    """

    def __init__(
        self,
        trees: Sequence[Tree],
        values: Sequence[ArrayLike],
        *,
        scores: Sequence[int] | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        adding: Adding,
        rule: Rule,
        link: Link = "identity",
        factor: float = 1.0,
    ) -> None:
        self.kernel = SumKernel(
            [tree.kernel if isinstance(tree, Tree) else tree for tree in trees],
            values,
            scores=scores,
            classes=classes,
            adding=adding,
            rule=rule,
            link=link,
            factor=factor,
        )

    @classmethod
    def _of(cls, kernel: SumKernel) -> Self:
        """Make an ensemble of a kernel."""
        ensemble = cls.__new__(cls)
        ensemble.kernel = kernel
        return ensemble

    @classmethod
    def from_points(
        cls,
        items: Any,
        *,
        verdicts: Mapping[Any, Any] | Sequence[Any] | None = None,
        space: Space | None = None,
        decimals: int | None = None,
    ) -> Self:
        """Read a points score, or weighted rules, which is an ensemble of one small tree per item.

        Parameters
        ----------
        items : dict, list of items, JSON text, or the path of such a file
            Items are dicts of a condition, or several, and points:
            ``{"feature": "age", "above": 65, "points": 2}``,
            ``{"when": [condition, ...], "points": 3}``. The relations are ``at most``, ``below``,
            ``above``, ``at least``, ``between`` (with both ends), ``is``, ``is not``, ``among`` and
            ``not among``, or ``<=``, ``<``, ``>``, ``>=``, ``==``, ``!=``, ``in``, ``not in``;
            several on one feature hold together, and none is "is true". A dict has ``items``, and
            perhaps ``base`` (points that every row has), ``verdicts``, ``features`` and ``name``.
            docs/formats has all of it.
        verdicts : dict, or list, optional
            The least total of each verdict, rising, None for the first. Without verdicts the total
            itself is the answer. Where the points of items are dicts of verdict and points, a list
            of the verdicts: the one of the largest total holds, of equals the first in the list.
        space : Space, optional
            The features and their kinds, instead of ``features``. Without either, a feature that is
            compared with true or false is boolean, with text categorical (what is not listed is
            other), with numbers numeric.
        decimals : int, optional
            Round points to so many decimals first, of two as near to the even one: for weights that
            were computed, of which no one wrote all digits. By default nothing is rounded.

        Returns
        -------
        Ensemble

        Raises
        ------
        InvalidTree
            The message names the item. Also for an item that no row, or every row, fulfils.

        Notes
        -----
        Points and least totals are read as the decimals that are written, and added up as whole
        numbers of their common unit: 0.1 + 0.2 is at least 0.3. A value that is missing, where that
        is a value (``nan=True`` in the space), fulfils no condition. Linear in the items.

        Examples
        --------
        >>> import orderless as ol
        >>> score = ol.Ensemble.from_points({
        ...     "items": [{"feature": "age", "above": 65, "points": 2},
        ...               {"feature": "smoker", "points": 1},
        ...               {"when": [{"feature": "ldl", "at least": 4.9},
        ...                         {"feature": "statin", "is": False}], "points": 2.5}],
        ...     "verdicts": {"low": None, "raised": 2, "high": 4.5},
        ... })
        >>> score.classes, score.features
        (('low', 'raised', 'high'), ('age', 'smoker', 'ldl', 'statin'))
        >>> score.predict([{"age": 70, "smoker": True, "ldl": 5}]).tolist()
        [None]
        """
        return cls._of(read_score(items, verdicts=verdicts, space=space, decimals=decimals))

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = LONGEST) -> Self:
        """Read what ``to_json`` wrote; anything else is refused.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls._of(SumKernel.from_json(text, limit=limit))

    # -- what it is ----------------------------------------------------------------------------

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Its trees; their classes are the numbers of their leaves."""
        return tuple(Tree._of(tree) for tree in self.kernel.trees)

    @property
    def n_trees(self) -> int:
        """How many trees it has."""
        return self.kernel.n_trees

    @property
    def n_scores(self) -> int:
        """How many scores the leaves add to."""
        return self.kernel.n_scores

    def replace(self, **changes: Any) -> Self:
        """Make an ensemble that differs in some of the parameters that ``Ensemble`` takes."""
        if "trees" in changes:
            changes["trees"] = [tree.kernel for tree in changes["trees"]]
        return self._of(self.kernel.replace(**changes))

    def __eq__(self, other: object) -> bool:
        """Whether it is the same sum of trees, node by node (``equivalent`` compares functions)."""
        return self.kernel == other.kernel if isinstance(other, Ensemble) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.kernel)

    def __repr__(self) -> str:
        return repr(self.kernel).replace("SumKernel", "Ensemble", 1)

    def __str__(self) -> str:
        return str(self.kernel).replace("SumKernel", "Ensemble", 1)

    # -- why -----------------------------------------------------------------------------------

    def _explain(
        self, row: Any, costs: Any, tolerance: float, limit: int, time_limit: float | None
    ) -> Explanation:
        return explain(
            self.kernel, row, costs=costs, tolerance=tolerance, limit=limit, time_limit=time_limit
        )

    def _explain_all(self, X: Any, time_limit: float | None) -> Explanations:
        return explain_all(self.kernel, X, time_limit)

    # -- exports, and the trees --------------------------------------------------------------

    @cached_property
    def _one_tree(self) -> TreeKernel:
        return as_one_tree(self.kernel)

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
        return ensemble_as_onnx(self.kernel)

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
        Read it back with ``orderless.read``. Linear in the nodes, times scores where every tree
        adds to several that are not shares.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
        >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> ol.equivalent(score, ol.read(score.to_pmml()))
        True
        """
        return ensemble_as_pmml(self.kernel)

    def to_sql(
        self,
        *,
        dialect: str = "duckdb",
        columns: Mapping[str, str] | None = None,
        table: str | Sequence[str] | None = None,
        of: Literal["answer", "lower", "upper"] = "answer",
        limit: int = 100_000,
    ) -> str:
        """Write an SQL expression of the class where bounds prove it, or of a bound of the score.

        Each tree is bounded by the leaves that a row can reach, and the bounds are added up, in
        whole numbers. So the class of a complete row is the library's, and of a row with unknown
        values it is given only where it is certain; but not everywhere where it is certain, because
        trees may not reach their smallest leaves together. ``predict`` searches where this gives
        NULL.

        Parameters
        ----------
        dialect : "clickhouse", "duckdb", "mysql" (MariaDB too), "postgres", "spark" or "sqlite"
        columns, table
            As for ``Tree.to_sql``; the new column is called "prediction", "lower" or "upper".
        of : "answer", "lower" or "upper"
            The class, or a bound of the score as in ``predict_interval(of="score")``, where there
            is one score: no completion of the row is below "lower" or above "upper".
        limit : int
            Conditions before ``TooLarge`` is raised.

        Notes
        -----
        The class of a complete row is NULL only where the score is so close to a boundary that the
        library's rounding decides. Leaves x features of their paths, for each pair of classes where
        the largest score wins. SQLite reads a million characters, unless it was built for more.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "rash", "points": 1}]
        >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 1}})
        >>> print(score.to_sql(dialect="sqlite", of="upper"))  # doctest: +NORMALIZE_WHITESPACE
        CAST((CAST(0 AS INTEGER) + CASE WHEN NOT COALESCE(`rash` = CAST(0 AS REAL), 1 = 0)
        THEN CAST(1 AS INTEGER) ELSE CAST(0 AS INTEGER) END) AS REAL) * 1
        """
        return sum_as_sql(
            self.kernel, dialect=dialect, columns=columns, table=table, of=of, limit=limit
        )

    def to_expression(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        of: Literal["answer", "lower", "upper"] = "answer",
        limit: int = 100_000,
    ) -> Any:
        """Return a narwhals expression of what ``to_sql`` writes.

        Parameters
        ----------
        columns, of, limit
            As for ``to_sql``.

        Returns
        -------
        narwhals.Expr
            Named "prediction", "lower" or "upper", as ``Tree.to_expression``.
        """
        return sum_as_expression(self.kernel, columns=columns, of=of, limit=limit)

    def without_idle_trees(self, *, time_limit: float | None = TIME_LIMIT) -> Self:
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
        >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 3}})
        >>> score.without_idle_trees().features
        ('age',)
        """
        return self._of(without_idle(self.kernel, time_limit=time_limit))

    def to_tree(self, *, limit: int = 10_000, time_limit: float | None = TIME_LIMIT) -> Tree:
        """Return one tree that decides every complete row as the ensemble does.

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
        >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> print(score.to_tree())
        age <= 65?
          yes: not rash?
            yes: low
            no:  not fever?
              yes: low
              no:  high
          no:  high
        """
        return Tree._of(tree_of_ensemble(self.kernel, limit, time_limit))

    def sums(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Return the sums of complete rows as the library adds them up, before it divides them.

        Returns
        -------
        array of shape (rows,), or (rows, scores) if there are several; or Series, data frame
        """
        return sums(self.kernel, X, n_jobs)

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Return the probabilities of complete rows, in the order of ``classes``."""
        return predict_proba(self.kernel, X, n_jobs)
