"""Engines that run SQL here, and what they say."""

import polars as pl
import tables

CLASSES = [("no", "yes"), (0, 1, 2), (False, True), (0.1, 1.5, 2.0), ("it's", "a\\b\n", "größe 🙂"),
           (-3, 2**40)]  # fmt: skip


def said(engine, source, table, shape="auto", **options):
    """Run the two expressions in an engine."""
    if engine == "polars":
        frame = pl.from_arrow(table)
        expressions = [source.to_polars(shape=shape, needed=n, **options) for n in (None, "next")]
        out = frame.lazy().select(expressions).collect()
        return out["prediction"].to_list(), out["needed"].to_list()
    found = tables.RUN[engine](
        [source.to_sql(dialect=engine, shape=shape, **options),
         source.to_sql(dialect=engine, shape=shape, needed="next", **options)], table)  # fmt: skip
    return tuple(found)


ENGINES = ["duckdb", "sqlite", "polars"]
