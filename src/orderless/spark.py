"""Spark: a DataFrame in, a DataFrame with predictions out.

In:  a model, and a ``pyspark.sql.DataFrame``.
Out: a DataFrame with native expressions: Spark plans and runs them, no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import InvalidData
from .missing import tree_of
from .output.sql import as_sql

__all__ = ["predict"]


def predict(
    tree: Any,
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    shape: str = "auto",
    prediction: str = "prediction",
    needed: str | None = None,
) -> Any:
    """Add the class of each row to a Spark DataFrame, null where it is not determined.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    frame : pyspark.sql.DataFrame
    columns, shape
        As in ``CanonicalForm.to_sql``.
    prediction : str
        Name of the new column.
    needed : str, optional
        Name of a second new column: the feature to ask next (``ask_next``).

    Returns
    -------
    pyspark.sql.DataFrame

    Notes
    -----
    The expression is that of ``to_sql(dialect="spark")``; docs/guide/databases has an example.
    """
    from pyspark.sql import functions

    tree = tree_of(tree)
    out = frame
    new = [(prediction, False), *([(needed, True)] if needed is not None else [])]
    for name, wants in new:
        if not isinstance(name, str) or name.casefold() in map(str.casefold, out.columns):
            raise InvalidData(
                f"the data frame has a column {name!r:.80} already, or that is no name: choose "
                "another with prediction= or needed="
            )
        said = as_sql(tree, dialect="spark", columns=columns, shape=shape, needed=wants)
        out = out.withColumn(name, functions.expr(said))
    return out
