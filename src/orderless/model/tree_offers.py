"""What a tree offers: what other files of the room, and the rooms above, make of it.

In:  a ``Tree``.
Out: whatever the room above gives; it is imported when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from .knowledge.fact import Fact
from .leaf_words import tree_text
from .predictor import Predictor
from .space import Space
from .tree_over import tree_over
from .words import side_text

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = ["TreeOffers"]


class TreeOffers:
    """Methods of ``Tree`` that fetch their answer elsewhere."""

    @property
    def _tree(self) -> TreeKernel:
        return cast("TreeKernel", self)

    def over(self, space: Space) -> TreeKernel:
        """Convert to another space that has its features, by name.

        A feature may become narrower there: declared integer, or boolean, or with fewer
        categories. Conditions that then always or never hold are dropped.
        """
        return tree_over(self._tree, space)

    def condition(self, node: int) -> str:
        """Write the condition of an inner node in words."""
        return side_text(self._tree.side(node))

    def __str__(self) -> str:
        """Draw it as indented text."""
        return tree_text(self._tree)

    @cached_property
    def _ready(self) -> Predictor:
        """What answers rows that come one at a time, and tables of floats."""
        return Predictor(self._tree)

    def predictor(self) -> Predictor:
        """Give a function that predicts one row at a time, with as little work as there can be.

        Returns
        -------
        Predictor
            ``predictor(row)`` takes a dict of feature: value, or the values in the order of the
            columns, and gives the class, or None where it is not certain.

        Examples
        --------
        >>> from orderless import read_tree
        >>> tree = read_tree({"feature": 0, "true": {"prediction": "a"}, "false": {"feature": 1,
        ...         "true": {"prediction": "b"}, "false": {"prediction": "c"}}})
        >>> predict = tree.predictor()
        >>> predict({"x0": 0, "x1": 1}), predict([1, None]), predict([None, 1])
        ('b', 'a', None)
        """
        return self._ready

    def predict_between(self, lower: Any, upper: Any) -> Any:
        """Give each row's class where it is certain, for values known only to lie in a range.

        See ``orderless.predict_between``.
        """
        from ..missing import predict_between

        return predict_between(self._tree, lower, upper)

    def possible_classes(self, X: Any) -> Any:
        """Give, for each row, every class that some completion of it gets, in their order."""
        from ..missing import possible_classes

        return possible_classes(self._tree, X)

    def with_facts(self, facts: Iterable[Fact | str]) -> TreeKernel:
        """Give the same tree over its space with more facts; see ``Space``.

        Examples
        --------
        >>> from orderless import Space, read_tree
        >>> tree = read_tree({"feature": "high", "relation": "<=", "reference": 5,
        ...                   "true": {"prediction": "no"}, "false": {"prediction": "yes"}},
        ...                  space=Space({"low": float, "high": float}))
        >>> tree.predict([{"low": 7}]).tolist()
        [None]
        >>> tree.with_facts(["low <= high"]).predict([{"low": 7}]).tolist()
        ['yes']
        """
        tree = self._tree
        return tree.over(tree.space.with_facts(facts))

    def missing_needed(
        self,
        row: Any,
        *,
        tolerance: float | None = None,
        limit: int = 200_000,
        time_limit: float = 60.0,
    ) -> Any:
        """Give the unknown features that would settle a row; see ``orderless.missing_needed``."""
        from ..missing import missing_needed

        return missing_needed(self._tree, row, tolerance=tolerance, limit=limit, time_limit=time_limit)

    def odds(self, X: Any, reference: Any = "leaves", y: ArrayLike | None = None) -> Any:
        """Give the share of each class among training rows that fit; see ``orderless.odds``."""
        from ..missing import odds

        return odds(self._tree, X, reference, y)

    def apply(self, X: Any) -> Any:
        """Give each row's leaf, masked where unknowns leave several.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
        """
        from ..inputs import labels_like

        tree = self._tree
        return labels_like(X, np.arange(tree.n_nodes), tree.reach(X).leaf, name="leaf")

    def to_sklearn(self) -> Any:
        """Give a fitted ``DecisionTreeClassifier`` that predicts the same.

        See ``orderless.output.code.to_sklearn`` for which columns it takes, and for rows that
        are not float32.
        """
        from ..output.code import to_sklearn

        return to_sklearn(self._tree)

    def to_onnx(
        self, *, floats: Literal["float32", "float64"] | None = None, unknowns: bool = True
    ) -> bytes:
        """Write a model of ONNX that decides as ``predict`` does, for onnxruntime and its kin.

        Parameters
        ----------
        floats : "float32", "float64" or None
            In which floats rows will be given. Every row of such floats is decided exactly as the
            tree decides it. None: float32 if all features that the tree asks about are float32, as
            scikit-learn's and XGBoost's are, else float64.
        unknowns : bool
            Whether to write what is certain in rows with unknown values. Its size grows with
            thresholds x leaves.

        Returns
        -------
        bytes
            A model whose inputs are a table ``X`` with a column for each feature of the space, in
            order (booleans are 0 and 1), or, where a feature has categories, one input for each
            feature, with one column. NaN is unknown, and so is the text "", or "(unknown)" where ""
            is a category. Results, for each row:

            - ``label``, or ``number`` of a regression tree: the answer. Where ``certain`` is false
              it is the answer of some completion of the row, and means no more than that.
            - ``certain``: whether every completion of the row has this answer.
            - ``possible``: for each class whether it is the answer of some completion; of a
              regression tree ``lower`` and ``upper``, the ends of its numbers.

            With ``unknowns=False`` there is ``complete`` instead of the last two: whether the row
            has all values that the tree may ask for.

        Raises
        ------
        TooLarge
            If what is certain takes more than 2^27 cells.

        Notes
        -----
        Needs the package onnx. Linear in the tree, and with ``unknowns`` thresholds x leaves. Where
        the tree asks for categories it is a TreeEnsemble (onnxruntime 1.20 and later), else a
        TreeEnsembleRegressor whose numbers are looked up in the list of labels.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read_tree({"feature": "age", "relation": "<=", "reference": 25,
        ...     "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
        ...     feature_names=["age"])
        >>> content = tree.to_onnx()  # doctest: +SKIP
        >>> ol.equivalent(ol.read_tree(content), tree)  # doctest: +SKIP
        True
        """
        from ..output.code import tree_as_onnx

        return tree_as_onnx(self._tree, floats=floats, unknowns=unknowns)

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
        Linear in the tree. A value is unknown if it is left out, undefined, null, NaN or ``""``;
        where NaN is a value of the feature, null and NaN are that value.
        """
        from ..output.code import tree_as_javascript

        return tree_as_javascript(self._tree, module=module)

    def to_pmml(self, *, complete: bool = False, limit: int = 20_000) -> str:
        """Write PMML 4.4, for engines of other makers.

        A tree of classes becomes a ``RuleSetModel`` of all sufficient reasons without a default:
        where a value is missing, a rule that needs it is unknown and does not fire, so that an
        engine gives the class where it is certain, and nothing elsewhere, as ``predict`` does. A
        tree of numbers becomes a ``TreeModel``.

        Parameters
        ----------
        complete : bool
            Write a ``TreeModel`` of classes too, for complete rows: as long as the tree, whatever
            the number of its reasons. An engine gives no answer where a value on the way is
            missing, also where the class is certain.
        limit : int
            Most reasons that are written as rules.

        Raises
        ------
        TooManyReasons
            If there are more reasons than ``limit``.
        InvalidTree
            For names and labels that XML cannot hold, and labels of several types.

        Notes
        -----
        Read it back with ``read_tree``. Values are the features' own, also where the rows of this
        tree have columns that are indicators. Numbers are compared as doubles, also those of
        float32 features, with every bit of the boundary that ``predict`` uses. Linear in the
        reasons, or in the nodes.

        Examples
        --------
        >>> from orderless import read_tree
        >>> tree = read_tree({"feature": "wet", "true": {"prediction": "stay"},
        ...                   "false": {"prediction": "go"}}, feature_names=["wet"])
        >>> for line in tree.to_pmml().splitlines():
        ...     if "Simple" in line:
        ...         print(line.strip())
        <SimpleRule id="1" score="go">
        <SimplePredicate field="wet" operator="equal" value="false"/>
        </SimpleRule>
        <SimpleRule id="2" score="stay">
        <SimplePredicate field="wet" operator="equal" value="true"/>
        </SimpleRule>
        """
        from ..output.code import as_pmml

        return as_pmml(self._tree, complete=complete, limit=limit)

    def _repr_html_(self) -> str:
        from ..output.rules import tree_as_html

        return tree_as_html(self._tree)

    def to_sql(
        self,
        *,
        dialect: str = "duckdb",
        columns: Mapping[str, str] | None = None,
        table: str | Sequence[str] | None = None,
        shape: str = "auto",
        needed: str | None = None,
    ) -> str:
        """Write what ``predict`` gives as an SQL expression; see ``CanonicalForm.to_sql``."""
        from ..output.code import as_sql

        return as_sql(self._tree, dialect=dialect, columns=columns, table=table, shape=shape,
                      needed=needed)  # fmt: skip

    def to_polars(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        shape: str = "auto",
        needed: str | None = None,
    ) -> Any:
        """Give a polars expression for what ``predict`` gives; see ``CanonicalForm.to_polars``."""
        from ..output.code import as_polars

        return as_polars(self._tree, columns=columns, shape=shape, needed=needed)
