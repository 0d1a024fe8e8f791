"""Spark: a DataFrame in, a DataFrame with predictions out.

In:  a model, and a ``pyspark.sql.DataFrame``.
Out: a DataFrame with native expressions: Spark plans and runs them, no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orderless.output.code import NAMES, new_columns

__all__ = ["predict"]


def predict(
    tree: Any,
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    shape: str = "auto",
    needed: str | None = None,
    names: Sequence[str] = NAMES,
) -> Any:
    """Add the class of each row to a Spark DataFrame, null where it is not determined.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    tree, columns, shape, needed, names
        As in ``orderless.duckdb.predict``.

    Returns
    -------
    pyspark.sql.DataFrame

    Notes
    -----
    The expression is that of ``to_sql(dialect="spark")``; docs/guide/databases has an example.
    """
    from pyspark.sql import functions

    added = new_columns(tree, frame.columns, dialect="spark", columns=columns, shape=shape,
                        needed=needed, names=names)  # fmt: skip
    for name, sql in added:
        frame = frame.withColumn(name, functions.expr(sql))
    return frame
