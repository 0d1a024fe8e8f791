"""DuckDB: a relation in, a relation with predictions out.

In:  a model, and a ``duckdb.DuckDBPyRelation``.
Out: a relation: nothing is computed before it is asked for, and no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orderless.output.code import NAMES, Words, new_columns

__all__ = ["predict"]


def predict(
    tree: Any,
    relation: Any,
    *,
    columns: Mapping[str, str] | None = None,
    shape: str = "auto",
    needed: str | None = None,
    names: Sequence[str] = NAMES,
) -> Any:
    """Add the class of each row to a DuckDB relation, NULL where it is not determined.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read`` knows
    relation : duckdb.DuckDBPyRelation
    columns, shape
        As in ``CanonicalForm.to_sql``.
    needed : {None, "next"}
        "next": a second new column has the feature to ask next (``ask_next``).
    names : two str
        Names of the new columns; the second may be left out where there is none.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Examples
    --------
    >>> import duckdb
    >>> from orderless.duckdb import predict
    >>> tree = {"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> rows = duckdb.sql("SELECT * FROM (VALUES (1), (0), (NULL)) AS t(x0)")
    >>> predict(tree, rows, needed="next").fetchall()
    [(1, 'yes', None), (0, 'no', None), (None, None, 'x0')]
    """
    words = Words("duckdb")
    added = new_columns(tree, relation.columns, dialect="duckdb", columns=columns, shape=shape,
                        needed=needed, names=names)  # fmt: skip
    return relation.project(", ".join(["*", *(f"{sql} AS {words.name(n)}" for n, sql in added)]))
