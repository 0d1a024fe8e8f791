"""Tree: one decision tree, and what can be asked of it.

In:  a ``TreeKernel`` that a reader made; or arrays of nodes, by hand.
Out: answers, other trees, exports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..form import (
    Form,
    smallest_tree,
)
from ..inputs import Predictor, labels_like, rows_for
from ..model import TIME_LIMIT, Nodes, Space, Task, TreeKernel, tree_text
from ..output.code import (
    as_pmml,
    to_sklearn,
    tree_as_expression,
    tree_as_onnx,
    tree_as_sql,
)
from ..output.rules import tree_as_html
from ..questions import Explanation, Explanations, explain, explain_all, redundant_splits
from .model import LONGEST, Model

__all__ = ["Tree"]


class Tree(Model[TreeKernel]):
    """A decision tree over a space, whatever made it.

    Node 0 is the root. An inner node asks one condition: a numeric or boolean feature is at most
    the node's threshold, or a categorical feature has one of the node's values. A leaf has
    feature -1 and a class. ``orderless.read`` makes one of a model of any library.

    Parameters
    ----------
    space : Space
    classes : sequence of labels
        Class labels; bool, int, float or str, all of one type.
    feature : array of int
        Per node the position of its feature in the space, -1 for a leaf.
    threshold : array of float
        Per node its threshold, ignored where there is none. "At most infinity" always holds, so
        its branch is dropped; where NaN is a value it asks whether the value is known.
    when_true, when_false : array of int
        Per node the child where the condition holds, and where it does not.
    leaf_class : array of int
        Per leaf the position of its class in ``classes``.
    nan_true : array of bool, optional
        Where NaN is a value of the feature: whether NaN counts as "condition holds".
    sets : dict of node -> sequence of int, optional
        For nodes on categorical features, the numbers of the values for which the condition holds.
    distribution : array of shape (nodes, classes), optional
        Training rows (or weights, or shares) by class, kept for leaves.
    task : "classification" or "regression"
        Whether classes are only told apart, or are numbers to compute with; these must rise.

    Attributes
    ----------
    n_leaves, n_nodes, depth : int
    nodes : Nodes
        The arrays of its nodes: ``feature``, ``threshold``, ``when_true`` and so on.
    distribution : array or None

    Notes
    -----
    Checking and dropping dead branches is linear in the nodes.

    Examples
    --------
    >>> from orderless import Space, Tree
    >>> tree = Tree(Space({"age": "integer"}), ["no", "yes"], feature=[0, -1, -1],
    ...             threshold=[24.5, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
    ...             leaf_class=[-1, 0, 1])
    >>> print(tree)
    age <= 24?
      yes: class no
      no:  class yes
    >>> tree.predict([[24], [25]]).tolist()
    ['no', 'yes']
    """

    def __init__(
        self,
        space: Space,
        classes: Sequence[Any] | NDArray[Any],
        *,
        feature: ArrayLike,
        threshold: ArrayLike,
        when_true: ArrayLike,
        when_false: ArrayLike,
        leaf_class: ArrayLike,
        nan_true: ArrayLike | None = None,
        sets: Mapping[int, Sequence[int]] | None = None,
        distribution: ArrayLike | None = None,
        task: Task = "classification",
    ) -> None:
        self.kernel = TreeKernel(
            space,
            classes,
            feature=feature,
            threshold=threshold,
            when_true=when_true,
            when_false=when_false,
            leaf_class=leaf_class,
            nan_true=nan_true,
            sets=sets,
            distribution=distribution,
            task=task,
        )

    @classmethod
    def _of(cls, kernel: TreeKernel) -> Self:
        """Make a tree of a kernel."""
        tree = cls.__new__(cls)
        tree.kernel = kernel
        return tree

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = LONGEST) -> Self:
        """Read what ``to_json`` wrote; anything else is refused.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls._of(TreeKernel.from_json(text, limit=limit))

    # -- what it is ----------------------------------------------------------------------------

    @property
    def n_leaves(self) -> int:
        """How many leaves it has."""
        return self.kernel.n_leaves

    @property
    def n_nodes(self) -> int:
        """How many nodes it has."""
        return self.kernel.n_nodes

    @property
    def depth(self) -> int:
        """Conditions on the longest path; 0 for a single leaf."""
        return self.kernel.depth

    @property
    def nodes(self) -> Nodes:
        """The arrays of its nodes."""
        return self.kernel.nodes

    @property
    def distribution(self) -> NDArray[np.float64] | None:
        """Training rows by node and class, if they are known."""
        return self.kernel.distribution

    def replace(self, **changes: Any) -> Self:
        """Make a tree that differs in some of the parameters that ``Tree`` takes.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
        >>> tree.replace(classes=("no", "yes")).classes
        ('no', 'yes')
        """
        return self._of(self.kernel.replace(**changes))

    def __eq__(self, other: object) -> bool:
        """Whether it is the same tree, node by node (``equivalent`` compares functions)."""
        return self.kernel == other.kernel if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.kernel)

    def __repr__(self) -> str:
        return repr(self.kernel)

    def __str__(self) -> str:
        return tree_text(self.kernel)

    def _repr_html_(self) -> str:
        return tree_as_html(self.kernel)

    # -- other trees ---------------------------------------------------------------------------

    def minimize(
        self,
        what: Literal["leaves", "depth", "expected_depth"] = "leaves",
        X: Any = None,
        *,
        limit: int = 200_000,
        time_limit: float | None = TIME_LIMIT,
        return_bound: bool = False,
    ) -> Any:
        """Find the smallest tree that decides the same.

        Parameters
        ----------
        what : "leaves", "depth" or "expected_depth"
            What is to be small; the expected depth is the average over the distinct rows of X, or
            over all cells.
        X : array, data frame, or list of dicts, optional
            Complete rows, for the expected depth.
        limit : int
            Most boxes that the search may keep.
        time_limit : float
            Seconds that the search may take.
        return_bound : bool
            Whether to return, beside the tree, what no equivalent tree is below. The tree is
            proven smallest where it reaches the bound.

        Returns
        -------
        Tree, or (Tree, bound)
            No split of the tree is redundant. Among the smallest trees it is the first in a fixed
            order, so that equivalent trees over one space give identical trees.

        Warns
        -----
        UserWarning
            Where ``limit`` or ``time_limit`` ended the search before the tree was proven smallest,
            and ``return_bound`` was not asked for. The tree is then the best one found, and the
            warning has a proven lower bound.

        Notes
        -----
        Dynamic programming over boxes with branch and bound. The number of boxes can grow
        exponentially with the conditions. Where a categorical feature has more than 12 groups of
        values that the function distinguishes in a box, only sets of the tree and single groups are
        tried there.

        Examples
        --------
        Asking b first needs a in both branches:

        >>> import orderless as ol
        >>> a = {"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> mixed = {"feature": "a", "true": {"feature": "c", "true": {"prediction": 1},
        ...          "false": {"prediction": 0}}, "false": {"prediction": 0}}
        >>> tree = ol.read({"feature": "b", "true": a, "false": mixed},
        ...                feature_names=["a", "b", "c"])
        >>> tree.n_leaves, tree.minimize().n_leaves
        (5, 4)
        """
        if not return_bound:
            return self._of(smallest_tree(self.kernel, what, X, limit=limit, time_limit=time_limit))
        smallest, bound = smallest_tree(
            self.kernel, what, X, limit=limit, time_limit=time_limit, return_bound=True
        )
        return self._of(smallest), bound

    def redundant_splits(self, *, time_limit: float | None = TIME_LIMIT) -> tuple[int, ...]:
        """Find the splits that can be left out, each by itself, without changing what it decides.

        Parameters
        ----------
        time_limit : float
            Seconds before ``OutOfTime`` is raised.

        Returns
        -------
        tuple of int
            Positions of nodes, in order.

        Notes
        -----
        A split is redundant if the tree with one of the split's two sides in its place is the same
        function; the paper's "trivial" splits, two leaves of one class, are the plainest case. In
        the region of each split its two sides are compared leaf by leaf.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
        ...                 "true": {"prediction": 0}, "false": {"prediction": 0}}})
        >>> tree.redundant_splits()
        (2,)
        """
        return redundant_splits(self.kernel, time_limit=time_limit)

    # -- rows ----------------------------------------------------------------------------------

    def predictor(self) -> Predictor:
        """Return a function that predicts one row at a time, with as little work as there can be.

        Returns
        -------
        Predictor
            ``predictor(row)`` takes a dict of feature: value, or the values in the order of the
            columns, and returns the class, or None where it is not certain.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"prediction": "a"}, "false": {"feature": 1,
        ...                 "true": {"prediction": "b"}, "false": {"prediction": "c"}}})
        >>> predict = tree.predictor()
        >>> predict({"x0": 0, "x1": 1}), predict([1, None]), predict([None, 1])
        ('b', 'a', None)
        """
        return self._predictor

    def apply(self, X: Any) -> Any:
        """Return each row's leaf, masked where unknowns leave several."""
        kernel = self.kernel
        return labels_like(
            X, np.arange(kernel.n_nodes), kernel.reach(rows_for(kernel, X)).leaf, name="leaf"
        )

    @cached_property
    def _predictor(self) -> Predictor:
        return Predictor(self.kernel)

    def _predict_row(
        self, row: Mapping[str, Any], tolerance: float | None, time_limit: float | None
    ) -> Any:
        if tolerance is None:
            return self._predictor(row)
        return super()._predict_row(row, tolerance, time_limit)

    # -- why -----------------------------------------------------------------------------------

    @cached_property
    def _form(self) -> Form:
        return Form(self.kernel)

    def _explain(
        self, row: Any, costs: Any, tolerance: float, limit: int, time_limit: float | None
    ) -> Explanation:
        return explain(
            self._form, row, costs=costs, tolerance=tolerance, limit=limit, time_limit=time_limit
        )

    def _explain_all(self, X: Any, time_limit: float | None) -> Explanations:
        return explain_all(self._form, X, time_limit)

    # -- exports -------------------------------------------------------------------------------

    @property
    def _one_tree(self) -> TreeKernel:
        return self.kernel

    def to_sklearn(self) -> Any:
        """Return a fitted ``DecisionTreeClassifier`` that predicts the same.

        See ``orderless.output.code.to_sklearn`` for which columns it takes, and for rows that
        are not float32.
        """
        return to_sklearn(self.kernel)

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
        >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 25,
        ...     "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
        ...     feature_names=["age"])
        >>> content = tree.to_onnx()  # doctest: +SKIP
        >>> ol.equivalent(ol.read(content), tree)  # doctest: +SKIP
        True
        """
        return tree_as_onnx(self.kernel, floats=floats, unknowns=unknowns)

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
        Read it back with ``orderless.read``. Values are the features' own, also where the rows of
        this tree have columns that are indicators. Numbers are compared as doubles, also those of
        float32 features, with every bit of the boundary that ``predict`` uses. Linear in the
        reasons, or in the nodes.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "wet", "true": {"prediction": "stay"},
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
        return as_pmml(self.kernel, complete=complete, limit=limit)

    def to_sql(
        self,
        *,
        dialect: str = "duckdb",
        columns: Mapping[str, str] | None = None,
        table: str | Sequence[str] | None = None,
        shape: str = "auto",
        needed: str | None = None,
        limit: int = 1_000_000,
    ) -> str:
        """Write an SQL expression that gives what ``predict`` gives, NULL where not determined.

        Parameters
        ----------
        dialect : "clickhouse", "duckdb", "mysql" (MariaDB too), "postgres", "spark" or "sqlite"
        columns : dict of column or feature -> str, optional
            What columns are called in the database, where that is not their name in the space. A
            feature that rows give by indicators can be read from a column that holds its value.
        table : str, or tuple of str such as ("schema", "table"), optional
            If given, the result is a query that adds a column "prediction" to the table.
        shape : "auto", "reasons" or "tree"
            "reasons" lists all sufficient reasons, which people can read. "tree" goes both ways
            where a value is NULL; it is as long as the tree has nodes, times classes (deep trees:
            leaves times features of a path). "auto" takes the reasons if there are at most 50.
        needed : {None, "next"}
            "next": the expression gives the feature to ask next (``ask_next``), NULL where the row
            is determined; a query then has that too, as a column "needed".
        limit : int
            For "reasons": how many a class may have before ``TooManyReasons`` is raised.

        Notes
        -----
        NULL is unknown, and so is NaN in engines that have it; where NaN is a value of a feature,
        both are that value. Complete by the paper's Theorem 3.2: by three-valued logic a reason
        is true iff it holds whatever the unknown values are. Numbers are compared as doubles with
        every bit of the boundary that ``predict`` uses. Values that ``predict`` refuses (a third
        value of a boolean, a category that is not listed, rows that contradict themselves) are not
        reported; they get no class, or one that is meaningless.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> tree = ol.read(tree, feature_names=["snores"])
        >>> print(tree.to_sql(dialect="mysql", table="guests"))
        SELECT `t`.*,
        CASE
          WHEN `snores` = 0 THEN 0
          WHEN `snores` = 1 THEN 1
        END AS `prediction`
        FROM `guests` `t`
        """
        return tree_as_sql(
            self.kernel,
            dialect=dialect,
            columns=columns,
            table=table,
            shape=shape,
            needed=needed,
            limit=limit,
        )

    def to_expression(
        self, *, columns: Mapping[str, str] | None = None, needed: str | None = None
    ) -> Any:
        """Return a narwhals expression, which data frames and databases of many kinds evaluate.

        Parameters
        ----------
        columns, needed
            As for ``to_sql``.

        Returns
        -------
        narwhals.Expr
            Named "prediction" (or "needed"), for ``narwhals.from_native(frame).with_columns(...)``
            and, where the tree has more than one class, ``select`` and ``filter``. Null where the
            class is not certain. Tested with polars (eager and lazy), pandas, pyarrow, DuckDB, Dask
            and Spark.

        Notes
        -----
        Null and NaN are unknown; where NaN is a value of a feature, both are that value. Numbers
        are compared as doubles: pyarrow refuses integers beyond 2^53. Linear in the nodes (deep
        trees: leaves times features of a path).

        Examples
        --------
        >>> import narwhals as nw
        >>> import pandas as pd
        >>> import orderless as ol
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> tree = ol.read(tree, feature_names=["snores"])
        >>> guests = nw.from_native(pd.DataFrame({"snores": [1, 0, None]}))
        >>> guests.with_columns(tree.to_expression())["prediction"].to_list()
        [1.0, 0.0, nan]
        """
        return tree_as_expression(self.kernel, columns=columns, needed=needed)
