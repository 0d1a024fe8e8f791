"""Reasons and rules: what a tree decides, free of the order it asks in.

In:  a ``Tree`` over a ``Space``.
Out: ``CanonicalForm``.
Paper: Algorithms 1, 4 and 5; departures are in docs/decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import OutOfTime, TooManyReasons, setting
from ..model import Bins, Label, Space, Tree, formats as serial
from ..readers import read_tree
from .equivalence import equivalent, fingerprint
from .formats import read_form, write_form
from .function_tree import canonical_tree, with_function_bins
from .term import Term

if TYPE_CHECKING:
    from ..output.rules import Shown
    from .explain import Explanation

__all__ = ["CanonicalForm", "canonicalize"]

LIMIT = 1_000_000
TIME_LIMIT = 60.0


def canonicalize(
    tree: Any, *, limit: int = LIMIT, time_limit: float = TIME_LIMIT, exact: bool = True
) -> CanonicalForm:
    """Give the order-free form of a tree: its shortest rules, and every sufficient reason.

    Parameters
    ----------
    tree : Tree, or any model that ``read_tree`` knows
    limit : int
        How many reasons a class may have before ``TooManyReasons`` is raised.
    time_limit : float
        Seconds that finding all reasons, or the rules of one class, may take before ``OutOfTime``
        is raised.
    exact : bool
        Whether rules are proven minimal. If not, they are found without all reasons, quickly for
        trees of any size; none of them can be left out, and ``bounds`` says how far from minimal
        they may be.

    Returns
    -------
    CanonicalForm
        Rules and reasons are computed when they are first asked for.

    Notes
    -----
    The paper's Algorithms 1 and 4, without truth tables: reasons by divide and conquer over the
    tree, rules by covering with lazily found cells. The number of reasons can grow exponentially
    with the leaves; everything else about a tree (equivalence, prediction with unknowns) works
    without them.

    Examples
    --------
    The tree of the paper's second figure has two rules for class 1, and one more reason:

    >>> x3 = {"feature": "x3", "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> x2 = {"feature": "x2", "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> form = canonicalize(read_tree({"feature": "x1", "true": x2, "false": x3},
    ...                               feature_names=["x1", "x2", "x3"]))
    >>> [str(term) for term in form.rules[1]]
    ['not x1 AND x3', 'x1 AND x2']
    >>> [str(term) for term in form.reasons[1]]
    ['not x1 AND x3', 'x2 AND x3', 'x1 AND x2']
    """
    if isinstance(tree, CanonicalForm):
        tree = tree.tree
    return CanonicalForm(read_tree(tree), limit=limit, time_limit=time_limit, exact=exact)


class CanonicalForm:
    """What a tree decides, free of the order in which it asks.

    Made by ``canonicalize``. Rules and reasons are computed when they are first asked for.

    Attributes
    ----------
    tree : Tree
        The tree it came from.
    limit : int
        How many reasons a class may have.
    time_limit : float
        Seconds that computing the reasons, or the rules of one class, may take.
    exact : bool
        Whether rules are proven minimal.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        limit: int = LIMIT,
        time_limit: float = TIME_LIMIT,
        exact: bool = True,
    ) -> None:
        if limit < 1:
            raise ValueError(f"{setting('limit', limit)}: at least one reason must be allowed")
        if not time_limit > 0:
            raise ValueError(f"{setting('time_limit', time_limit)}: give seconds, more than 0")
        self.tree = tree
        self.limit = limit
        self.time_limit = float(time_limit)
        self.exact = exact

    # -- what it is ----------------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """The features, and how rows say them."""
        return self.tree.space

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels."""
        return self.tree.classes

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that name the function, the same on every machine."""
        return fingerprint(self.tree)

    @cached_property
    def bins(self) -> Bins:
        """The features, cut into the bins that the function tells apart."""
        return with_function_bins(self.tree).bins

    @cached_property
    def _canonical(self) -> Tree:
        """The tree that depends on the function alone."""
        return canonical_tree(self.tree, time_limit=self.time_limit)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that the decision depends on, sorted."""
        names = {name for terms in self.rules.values() for term in terms for name in term.features}
        return tuple(sorted(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CanonicalForm):
            return NotImplemented
        return self.fingerprint == other.fingerprint and equivalent(self.tree, other.tree)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    # -- reasons and rules ---------------------------------------------------------------------

    @cached_property
    def _reason_tables(self) -> list[NDArray[np.uint16]]:
        outcome, met, tables = _core.reasons(
            self.bins.nodes, self.bins.layout, len(self.classes), self.limit, self.time_limit
        )
        if outcome == 1:
            raise TooManyReasons(
                f"a class of this tree has more than {setting('limit', self.limit)} reasons (gave "
                "up after "
                f"meeting {met:,}): raise {setting('limit')}, use {setting('exact', False)} for "
                "rules without all reasons, explain single rows, or use a smaller tree",
                met,
            )
        if outcome == 2:
            raise OutOfTime(
                f"finding all reasons took longer than {setting('time_limit', self.time_limit)} "
                f"seconds (a class has {met:,} or more): raise {setting('time_limit')}, use "
                f"{setting('exact', False)} for rules "
                "without all reasons, explain single rows, or use a smaller tree"
            )
        return tables

    @cached_property
    def reasons(self) -> dict[Label, tuple[Term, ...]]:
        """All sufficient reasons: per class every maximal box on which it is certain.

        The paper's Blake canonical form (its Algorithm 4), for any number of classes and any kinds
        of features. Fewest conditions first.
        """
        return {
            label: tuple(Term(self.bins, box) for box in table)
            for label, table in zip(self.classes, self._reason_tables, strict=True)
        }

    @cached_property
    def _rules_and_bounds(self) -> list[tuple[tuple[Term, ...], int]]:
        # Which reasons are grown from the leaves depends on the tree, so it has to be canonical;
        # a smallest cover does not, whatever the leaves.
        bins = self.bins if self.exact else self._canonical.bins
        leaves, boxes = _core.leaf_boxes(bins.nodes, bins.layout, len(self.classes))
        labels = bins.tree.leaf_class[leaves]
        find = self._smallest if self.exact else self._irredundant
        return [
            find(c, bins, np.ascontiguousarray(boxes[labels == c]))
            for c in range(len(self.classes))
        ]

    def _smallest(
        self, c: int, bins: Bins, leaves: NDArray[np.uint16]
    ) -> tuple[tuple[Term, ...], int]:
        table = self._reason_tables[c]
        outcome, _, chosen = _core.smallest_cover(bins.layout, leaves, table, self.time_limit)
        if outcome == 2:
            raise OutOfTime(
                f"the smallest set of rules for class {self.classes[c]!r} was not found in "
                f"{setting('time_limit', self.time_limit)} seconds: raise {setting('time_limit')}, "
                f"or use {setting('exact', False)}"
            )
        return tuple(Term(bins, table[i]) for i in chosen), len(chosen)

    def _irredundant(
        self, c: int, bins: Bins, leaves: NDArray[np.uint16]
    ) -> tuple[tuple[Term, ...], int]:
        outcome, _, table, bound = _core.irredundant_cover(
            bins.nodes, bins.layout, len(self.classes), c, leaves, self.time_limit
        )
        if outcome == 2:
            raise OutOfTime(
                f"rules for class {self.classes[c]!r} were not found in "
                f"{setting('time_limit', self.time_limit)} seconds: raise {setting('time_limit')}"
            )
        return tuple(Term(bins, box) for box in table), bound

    @property
    def rules(self) -> dict[Label, tuple[Term, ...]]:
        """The fewest reasons that cover each class (the paper's minimal DNF).

        With ``exact`` proven minimal: fewest rules, then fewest conditions, then first in a fixed
        order. Otherwise none can be left out, and ``bounds`` says how many are needed at least.
        Either way equivalent trees over one space have identical rules, in the same order.
        """
        pairs = zip(self.classes, self._rules_and_bounds, strict=True)
        return {label: terms for label, (terms, _) in pairs}

    @property
    def bounds(self) -> dict[Label, int]:
        """Per class a proven lower bound on the number of rules."""
        pairs = zip(self.classes, self._rules_and_bounds, strict=True)
        return {label: bound for label, (_, bound) in pairs}

    # -- what it says of rows ------------------------------------------------------------------

    def predict(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Give each row's class where it is certain; see ``Tree.predict``."""
        return self.tree.predict(X, n_jobs=n_jobs)

    def predict_between(self, lower: Any, upper: Any) -> Any:
        """Give each row's class where it is certain; see ``orderless.predict_between``."""
        return self.tree.predict_between(lower, upper)

    def possible_classes(self, X: Any) -> list[tuple[Label, ...]]:
        """Give, for each row, every class that some completion of it gets, in their order."""
        return self.tree.possible_classes(X)

    def missing_needed(self, row: Any, *, limit: int = 200_000) -> Any:
        """Tell which unknown features would settle a row; see ``orderless.missing_needed``.

        It may take the form's ``time_limit``.
        """
        return self.tree.missing_needed(row, limit=limit, time_limit=self.time_limit)

    def odds(self, X: Any, weights: Any = "leaves", y: ArrayLike | None = None) -> Any:
        """Give the share of each class among training rows that fit; see ``orderless.odds``."""
        return self.tree.odds(X, weights, y)

    def explain(
        self, row: Any, *, costs: Mapping[str, float] | None = None, limit: int = 10_000
    ) -> Explanation:
        """Explain why one row gets its class, and what would change it.

        Parameters
        ----------
        row : dict, one-row data frame, Series, or values in the order of the space's columns
            What is missing, None or NaN is unknown.
        costs : dict of feature -> cost, optional
            If given, the text shows the cheapest reason, otherwise the shortest. 0 or more, for
            every feature that the tree asks about.
        limit : int
            How many reasons ``all_reasons`` may list before ``TooManyReasons`` is raised.

        Returns
        -------
        Explanation
            Every part is computed when it is asked for, without the whole form.

        Examples
        --------
        >>> young = {"feature": "age", "relation": "<=", "reference": 25,
        ...          "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> tree = {"feature": "priors", "relation": ">", "reference": 3,
        ...         "true": young, "false": {"prediction": 0}}
        >>> form = canonicalize(read_tree(tree, space=Space({"age": int, "priors": int})))
        >>> print(form.explain({"age": 23, "priors": 5}))
        1, because age <= 25 AND priors > 3.
        It would be 0 if age were > 25, or if priors were <= 3.
        >>> print(form.explain({"age": 23}))
        Not determined: 0 or 1 are possible, because priors is unknown.
        """
        from .explain import explain_row

        return explain_row(self, row, costs=costs, limit=limit)

    # -- words ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        classes = ", ".join(f"{label!r:.40}" for label in self.classes[:8])
        more = f", {len(self.classes) - 8:,} more" if len(self.classes) > 8 else ""
        leaves = "1 leaf" if self.tree.n_leaves == 1 else f"{self.tree.n_leaves:,} leaves"
        return f"CanonicalForm(of a tree with {leaves}, classes [{classes}{more}])"

    def __str__(self) -> str:
        """Write the rules, or in one line why there are none and what to do."""
        from ..output.rules import form_in_short

        return form_in_short(self)

    def _repr_html_(self) -> str:
        from ..output.rules import form_in_short_html

        return form_in_short_html(self)

    def to_text(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as aligned text, "IF age <= 25 AND smoker THEN yes".

        Numbers are as short as they can be while they still decide every row the same way.

        Parameters
        ----------
        X : array, data frame, or list of dicts, optional
            Rows; each rule is then shown with how many of them it covers for certain, whatever
            their unknown values are.
        y : array of labels, optional
            The rows' labels; then also how many of the covered rows have the rule's class.
        terms : "rules" or "reasons"
            Reasons are all shown, however many there are.
        about_rows : str
            Which rows X are, in a sentence, such as whether the tree was fitted on them; it is
            written below what the counts are.
        sort : "coverage" or "length", optional
            Within a class, rules that cover the most rows come first, or those with the fewest
            conditions. By default by coverage where X is given, and otherwise in the order of
            ``rules``, which equivalent trees share.
        top : int, optional
            Show at most so many of each class.
        min_rows : int
            Show only those that cover so many rows of X or more. How many are not shown is said.

        Examples
        --------
        >>> print(canonicalize({"feature": 0, "true": {"prediction": 1},
        ...                     "false": {"prediction": 0}}).to_text())
        2 rules, proven minimal: 1 for 0, 1 for 1.
        <BLANKLINE>
        IF not x0  THEN 0
        <BLANKLINE>
        IF x0      THEN 1
        """
        from ..output.rules import form_as_text

        return form_as_text(self, X, y, **shown)

    def to_html(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as an HTML fragment, a table per class; parameters as in ``to_text``."""
        from ..output.rules import form_as_html

        return form_as_html(self, X, y, **shown)

    def to_markdown(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as Markdown, a table per class; parameters as in ``to_text``."""
        from ..output.rules import form_as_markdown

        return form_as_markdown(self, X, y, **shown)

    def to_latex(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as LaTeX, a list per class, for any engine and without packages.

        Parameters are those of ``to_text``.
        """
        from ..output.rules import form_as_latex

        return form_as_latex(self, X, y, **shown)

    def to_python(self, function_name: str = "decide") -> str:
        """Write the source of a Python module that decides as ``predict`` does.

        It needs no package and Python 3.8 or later. Its function takes a dict of feature -> value
        (the features' own values, also where the rows of this form have columns that tell
        conditions) and gives the class, or None where that depends on unknown values. Its second
        function, ``why(row)``, gives one of the reasons that hold, in words.

        Parameters
        ----------
        function_name : str
            An identifier.

        Notes
        -----
        Linear in the tree; rules and reasons are not needed. A value is unknown if it is left out,
        None or NaN; where NaN is a value of the feature, only if it is left out.
        """
        from ..output.code import form_as_python

        return form_as_python(self, function_name)

    def to_javascript(self, *, module: bool = True) -> str:
        """Write JavaScript that decides as ``predict`` does; see ``Tree.to_javascript``."""
        return self.tree.to_javascript(module=module)

    def to_sql(
        self,
        *,
        dialect: str = "duckdb",
        columns: Mapping[str, str] | None = None,
        table: str | Sequence[str] | None = None,
        shape: str = "auto",
        needed: bool = False,
    ) -> str:
        """Write an SQL expression that gives what ``predict`` gives, NULL where not determined.

        Parameters
        ----------
        dialect : str
            "bigquery", "duckdb", "mysql", "oracle", "postgres", "snowflake", "spark", "sqlite" or
            "tsql" (SQL Server).
        columns : dict of column or feature -> str, optional
            What columns are called in the database, where that is not their name in the space. A
            feature that rows tell by conditions can be read from a column that holds its value.
        table : str, or tuple of str such as ("schema", "table"), optional
            If given, the result is a query that adds a column "prediction" to the table.
        shape : "auto", "reasons" or "tree"
            "reasons" lists all sufficient reasons, which people can read. "tree" goes both ways
            where a value is NULL; it is as long as the tree has nodes, times classes (deep trees:
            leaves times features of a path). "auto" takes the reasons if there are at most 50.
        needed : bool
            If true, the expression gives the feature to ask next (``ask_next``), NULL where the row
            is determined; a query then has that too, as a column "needed".

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
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> form = canonicalize(read_tree(tree, feature_names=["snores"]))
        >>> print(form.to_sql(dialect="tsql", table="guests"))
        SELECT [t].*,
        CASE
          WHEN [snores] = 0 THEN 0
          WHEN [snores] = 1 THEN 1
        END AS [prediction]
        FROM [guests] [t]
        """
        from ..output.code import as_sql

        return as_sql(self, dialect=dialect, columns=columns, table=table, shape=shape,
                      needed=needed)  # fmt: skip

    def to_polars(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        shape: str = "auto",
        needed: bool = False,
    ) -> Any:
        """Give a polars expression, for lazy frames too; parameters are those of ``to_sql``.

        Examples
        --------
        >>> import polars as pl
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> form = canonicalize(read_tree(tree, feature_names=["snores"]))
        >>> pl.DataFrame({"snores": [1, 0, None]}).select(form.to_polars())["prediction"].to_list()
        [1, 0, None]
        """
        from ..output.code import as_polars

        return as_polars(self, columns=columns, shape=shape, needed=needed)

    def to_tree(self, minimize: Literal["leaves", "depth", "expected_depth"] = "leaves") -> Tree:
        """Give the smallest tree that decides the same; see ``smallest_tree``."""
        from .smallest import smallest_tree

        return smallest_tree(self.tree, minimize=minimize)

    # -- files ---------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write the canonical tree and the rules as versioned JSON (docs/formats).

        Equivalent trees over one space, with the same classes, give the same bytes. Finding the
        canonical tree may take ``time_limit`` seconds, as may the rules of each class.
        """
        return write_form(self._canonical, self.exact, list(self.rules.values()))

    @classmethod
    def from_json(
        cls, text: str | bytes, *, limit: int = serial.LIMIT, time_limit: float = TIME_LIMIT
    ) -> CanonicalForm:
        """Read what ``to_json`` wrote; whether all fits is checked. Anything else is refused.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        time_limit : float
            Seconds that building a tree may take before ``OutOfTime`` is raised: a file of version
            1 has rules only. It is also the form's own ``time_limit``.
        """
        if not time_limit > 0:
            raise ValueError(f"{setting('time_limit', time_limit)}: give seconds, more than 0")
        tree, exact = read_form(text, limit=limit, time_limit=time_limit)
        return cls(tree, exact=exact, time_limit=time_limit)
