"""Engines that run SQL here, and what they say."""

import narwhals as nw
import pandas as pd
import polars as pl
import tables

CLASSES = [("no", "yes"), (0, 1, 2), (False, True), (0.1, 1.5, 2.0), ("it's", "a\\b\n", "größe 🙂"),
           (-3, 2**40)]  # fmt: skip


def said(engine, source, table, shape="auto", **options):
    """Run the two expressions in an engine."""
    if engine == "polars":
        options.pop("limit", None)
        expressions = [source.to_expression(needed=n, **options) for n in (None, "next")]
        out = nw.from_native(pl.from_arrow(table)).lazy().with_columns(expressions).collect()
        return out["prediction"].to_list(), out["needed"].to_list()
    found = tables.RUN[engine](
        [source.to_sql(dialect=engine, shape=shape, **options),
         source.to_sql(dialect=engine, shape=shape, needed="next", **options)], table)  # fmt: skip
    return tuple(found)


def evaluated(expression, frame):
    """Evaluate an expression in a data frame of any kind."""
    out = nw.from_native(frame).lazy().with_columns(expression.alias("answer_")).collect()
    return [None if pd.isna(value) else value for value in out["answer_"].to_list()]


ENGINES = ["duckdb", "sqlite", "polars"]
