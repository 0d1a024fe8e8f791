"""What a form offers: rules and code, which rooms above write.

In:  a ``CanonicalForm``.
Out: text and expressions; what writes them is imported when it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

if TYPE_CHECKING:
    from ..output.certificates import Certificate
    from ..output.rules import Shown
    from .canonical import Form

__all__ = ["FormOffers"]


class FormOffers:
    """Methods of ``CanonicalForm`` that fetch their answer from a room above."""

    @property
    def _form(self) -> Form:
        return cast("Form", self)

    def __str__(self) -> str:
        """Write the rules, or in one line why there are none and what to do."""
        from ..output.rules import form_in_short

        return form_in_short(self._form)

    def _repr_html_(self) -> str:
        from ..output.rules import form_in_short_html

        return form_in_short_html(self._form)

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
            Show at most this many of each class.
        min_rows : int
            Show only those that cover at least this many rows of X; how many are hidden is stated.

        Examples
        --------
        >>> from orderless import canonicalize
        >>> print(canonicalize({"feature": 0, "true": {"prediction": 1},
        ...                     "false": {"prediction": 0}}).to_text())
        2 rules, proven minimal: 1 for 0, 1 for 1.
        <BLANKLINE>
        IF not x0  THEN 0
        <BLANKLINE>
        IF x0      THEN 1
        """
        from ..output.rules import form_as_text

        return form_as_text(self._form, X, y, **shown)

    def to_html(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as an HTML fragment, a table per class; parameters as in ``to_text``."""
        from ..output.rules import form_as_html

        return form_as_html(self._form, X, y, **shown)

    def to_markdown(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as Markdown, a table per class; parameters as in ``to_text``."""
        from ..output.rules import form_as_markdown

        return form_as_markdown(self._form, X, y, **shown)

    def to_latex(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as LaTeX, a list per class, for any engine and without packages.

        Parameters are those of ``to_text``.
        """
        from ..output.rules import form_as_latex

        return form_as_latex(self._form, X, y, **shown)

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
        Linear in the tree; rules and reasons are not needed. A value is unknown if it is left out,
        None or NaN; where NaN is a value of the feature, only if it is left out.
        """
        from ..output.code import form_as_python

        return form_as_python(self._form, function_name)

    def to_javascript(self, *, module: bool = True) -> str:
        """Write JavaScript that decides as ``predict`` does; see ``Tree.to_javascript``."""
        return self._form.tree.to_javascript(module=module)

    def to_pmml(self, *, complete: bool = False, limit: int = 20_000) -> str:
        """Write PMML that decides as ``predict`` does; see ``Tree.to_pmml``."""
        return self._form.tree.to_pmml(complete=complete, limit=limit)

    def certificate(self, *, reasons: int = 1_000) -> Certificate:
        """Certify the rules and reasons: a file that a small independent program checks.

        It states that the rules decide as the tree, that none of them and no reason can be widened,
        and where there are few enough also that the reasons are all that there are, and that fewer
        rules are not enough, with a proof (docs/certificates).

        Parameters
        ----------
        reasons : int
            How many reasons it may list; where there are more, it states none.

        Returns
        -------
        Certificate
            ``not_stated`` says what could not be stated, and why. ``check()`` checks it, ``save``
            writes it.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> form = ol.canonicalize(ol.read_tree(tree, feature_names=["snores"]))
        >>> form.certificate().check()[0]
        'The rules decide as the tree on every row; none can be widened.'
        """
        from ..output.certificates import form_certificate

        return form_certificate(self._form, reasons=reasons)

    def to_sql(
        self,
        *,
        dialect: str = "duckdb",
        columns: Mapping[str, str] | None = None,
        table: str | Sequence[str] | None = None,
        shape: str = "auto",
        needed: str | None = None,
    ) -> str:
        """Write an SQL expression that gives what ``predict`` gives, NULL where not determined.

        Parameters
        ----------
        dialect : str
            "bigquery", "clickhouse", "duckdb", "mysql" (MariaDB too), "oracle", "postgres",
            "snowflake", "spark", "sqlite" or "tsql" (SQL Server).
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
        >>> form = ol.canonicalize(ol.read_tree(tree, feature_names=["snores"]))
        >>> print(form.to_sql(dialect="tsql", table="guests"))
        SELECT [t].*,
        CASE
          WHEN [snores] = 0 THEN 0
          WHEN [snores] = 1 THEN 1
        END AS [prediction]
        FROM [guests] [t]
        """
        from ..output.code import as_sql

        return as_sql(
            self._form, dialect=dialect, columns=columns, table=table, shape=shape, needed=needed
        )

    def to_polars(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        shape: str = "auto",
        needed: str | None = None,
    ) -> Any:
        """Give a polars expression, for lazy frames too; parameters are those of ``to_sql``.

        Examples
        --------
        >>> import polars as pl
        >>> import orderless as ol
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> form = ol.canonicalize(ol.read_tree(tree, feature_names=["snores"]))
        >>> pl.DataFrame({"snores": [1, 0, None]}).select(form.to_polars())["prediction"].to_list()
        [1, 0, None]
        """
        from ..output.code import as_polars

        return as_polars(self._form, columns=columns, shape=shape, needed=needed)
