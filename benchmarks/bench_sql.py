"""Where the data is: SQL engines, polars and files against predict, on the same rows.

Processor time of all threads, but for Spark, which is another process. A server or a JVM that is
not installed is reported as that.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

import orderless as ol
from orderless.connect import predict_file

from .data import one_tree
from .figures import OURS, Figure
from .timing import NOT_INSTALLED, Failed, Table, at_least, clock, now, seconds

N_ROWS = 2_000_000
N_QUICK = 200_000
FILES = {("parquet", "parquet"): 5, ("csv", "csv"): 3}  # million rows per second
SLOW = 10  # SQLite gets a tenth of the rows


def run(quick: bool) -> Iterator[Table | Figure | str]:
    n = N_QUICK if quick else N_ROWS
    tree, rows = _tree(), _rows(n)
    wanted = tree.predict(rows).to_pylist()
    table = Table(
        f"{n:,} rows of 6 doubles, a fifth of them NULL; a tree of {tree.n_leaves} leaves",
        ["engine", "shape", "seconds", "million rows/s", "as long as `predict`", "target"],
        [
            "Processor time, best of 5, of all threads together; Spark, which works in another "
            "process, on the wall. Asserted: every answer is "
            "that of `predict` (an Arrow table in, an Arrow array out: texts as a dictionary, "
            "so no text is written; engines write texts). Target: ahead of DuckDB and polars, "
            "whichever shape. The engines write their answer to a new column or "
            "table of their own; loading the rows into them does not count. SQLite: a tenth of the "
            f"rows, one thread, scaled. {_shapes(tree)}"
        ],
    )
    ours = _best(lambda: tree.predict(rows))
    table.add("`predict`", "", seconds(ours), f"{n / ours / 1e6:.2f}", "1x", "")
    said = []
    for name, engine in ENGINES.items():
        for shape in ("reasons", "tree"):
            found = _timed(engine, tree, rows, wanted, shape)
            if found is None:
                table.add(name, shape, NOT_INSTALLED, "", "", "")
            else:
                said.append(f"{name} ({shape}) {found / ours:.2g}")
                target = at_least(1.0, found, ours) if name in ("DuckDB", "polars") else ""
                table.add(name, shape, seconds(found), f"{n / found / 1e6:.2f}",
                          f"{found / ours:.2g}x", target)  # fmt: skip
    yield f"In short, of this run, as multiples of the time of `predict`: {', '.join(said)}."
    yield table
    yield _files(tree, rows, wanted)
    yield _figure(tree, rows, wanted, quick)


def _tree() -> ol.Tree:
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=len(X)) > 0, "yes", "no")
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    return one_tree(model, feature_names=[f"f{i}" for i in range(6)])


def _rows(n: int) -> Any:
    import pyarrow as pa

    rng = np.random.default_rng(1)
    return pa.table(
        {f"f{i}": pa.array(rng.normal(size=n), mask=rng.random(n) < 0.2) for i in range(6)}
    )


def _shapes(tree: ol.Tree) -> str:
    n = sum(len(terms) for terms in ol.canonicalize(tree).reasons.values())
    sizes = [len(tree.to_sql(shape=shape)) / 1000 for shape in ("reasons", "tree")]
    return f"The tree has {n} reasons: {sizes[0]:.1f} kB of SQL, {sizes[1]:.1f} kB from the tree."


def _best(work: Callable[[], Any], n: int = 5, timer: Callable[[], float] = clock) -> float:
    times = []
    for _ in range(n):
        start = timer()
        work()
        times.append(timer() - start)
    return min(times)


# -- engines -------------------------------------------------------------------------------------


def _duckdb(tree: ol.Tree, rows: Any, wanted: list[Any], shape: str) -> float:
    import duckdb

    with duckdb.connect() as base:
        base.register("given", rows)
        base.execute("CREATE TABLE rows AS SELECT * FROM given")
        said = f"SELECT {tree.to_sql(shape=shape)} AS p FROM rows"
        assert base.sql(said).to_arrow_table()["p"].to_pylist() == wanted
        return _best(lambda: base.execute(f"CREATE OR REPLACE TABLE out AS {said}"))


def _polars(tree: ol.Tree, rows: Any, wanted: list[Any], shape: str) -> float:
    import polars as pl

    frame = nw.from_native(pl.DataFrame(rows))
    expression = tree.to_expression()
    assert frame.select(expression)["prediction"].to_list() == wanted
    return _best(lambda: frame.select(expression))


def _sqlite(tree: ol.Tree, rows: Any, wanted: list[Any], shape: str) -> float:
    part = rows.slice(0, len(rows) // SLOW)
    base = sqlite3.connect(":memory:")
    try:
        base.execute(f"CREATE TABLE rows ({', '.join(f'{c} REAL' for c in part.column_names)})")
        marks = ", ".join("?" * part.num_columns)
        columns = (column.to_pylist() for column in part.columns)
        base.executemany(f"INSERT INTO rows VALUES ({marks})", zip(*columns, strict=True))
        said = f"SELECT {tree.to_sql(dialect='sqlite', shape=shape)} AS p FROM rows"
        assert [p for (p,) in base.execute(said)] == wanted[: len(part)]

        def work() -> None:
            base.execute("DROP TABLE IF EXISTS out")
            base.execute(f"CREATE TABLE out AS {said}")

        return _best(work) * SLOW
    finally:
        base.close()


def _spark(tree: ol.Tree, rows: Any, wanted: list[Any], shape: str) -> float | None:
    if shutil.which("java") is None:
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        numbered = rows.append_column("row_", pa.array(np.arange(len(rows))))
        pq.write_table(numbered, path, row_group_size=250_000)
        frame = session.read.parquet(path).cache()
        frame.count()
        out = nw.from_native(frame).with_columns(tree.to_expression()).to_native()
        found = out.select("row_", "prediction").toArrow().sort_by("row_")
        assert found["prediction"].to_pylist() == wanted
        best = _best(
            lambda: out.select("prediction").write.format("noop").mode("overwrite").save(),
            3, time.perf_counter,
        )  # fmt: skip
        frame.unpersist()
    return best


ENGINES: dict[str, Callable[..., float | None]] = {
    "DuckDB": _duckdb,
    "polars": _polars,
    "SQLite": _sqlite,
    "Spark, local[2]": _spark,
}


def _timed(
    engine: Callable[..., float | None], tree: ol.Tree, rows: Any, wanted: list[Any], shape: str
) -> float | None:
    """Seconds, or None where the engine is not installed."""
    try:
        return engine(tree, rows, wanted, shape)
    except ImportError:
        return None


def _figure(tree: ol.Tree, rows: Any, wanted: list[Any], quick: bool) -> Figure:
    import pyarrow.parquet as pq

    figure = Figure(
        "sql", "processor time",
        ["The same rows, the first n of them; engines with the tree's shape, answers asserted as "
         "above, Spark on the wall. Best of 5. Files: Parquet to Parquet."],
    )  # fmt: skip
    panel = figure.panel("rows", f"A tree of {tree.n_leaves} leaves, 6 columns")
    files = figure.panel("rows", "predict_file, the same rows")
    sizes = [1000, 10_000] if quick else [1000, 10_000, 100_000, 1_000_000]
    for n in sizes:
        now(f"growth with rows: {n:,}")
        part = rows.slice(0, n)
        panel.add(OURS, n, _best(lambda part=part: tree.predict(part)))
        for name, engine in ENGINES.items():
            if name not in panel.stopped:
                found = _timed(engine, tree, part, wanted[:n], "tree")
                panel.add(name, n, Failed(NOT_INSTALLED) if found is None else found)
        with tempfile.TemporaryDirectory() as name:
            given, out = Path(name) / "in.parquet", Path(name) / "out.parquet"
            pq.write_table(part, given)
            files.add(OURS, n, _best(lambda a=given, b=out: predict_file(tree, a, b)))
            assert pq.read_table(out)["prediction"].to_pylist() == wanted[:n]
    return figure


# -- files ---------------------------------------------------------------------------------------


def _files(tree: ol.Tree, rows: Any, wanted: list[Any]) -> Table:
    import pyarrow.parquet as pq
    from pyarrow import csv

    n = len(rows)
    table = Table(
        f"`predict_file` on {n:,} of these rows, `n_jobs=2`",
        ["from", "to", "MB in", "on the wall", "processor time", "million rows/s of two free cores",
         "target"],
        [
            "Best of 3. With the columns `determined` and `needed`. Reading, answering and writing "
            "overlap; the rows per second are those of two cores that share the processor time "
            "evenly, and the target is judged by them: on the wall it depends on what else "
            "runs. Half and more of the time is pyarrow's, which decodes and encodes every column. "
            "Asserted: the predictions are those of `predict`."
        ],
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(rows, folder / "in.parquet")
        csv.write_csv(rows, folder / "in.csv")
        for source, target in (("parquet", "parquet"), ("csv", "parquet"), ("csv", "csv")):
            given = folder / f"in.{source}"
            work = partial(predict_file, tree, given, folder / f"out.{target}", n_jobs=2)
            passed = _best(work, 3, time.perf_counter)
            spent = _best(work, 3)
            if target == "parquet":
                found = pq.read_table(folder / "out.parquet")["prediction"].to_pylist()
            else:
                column = csv.read_csv(folder / "out.csv")["prediction"]
                found = [label or None for label in column.to_pylist()]
            assert found == wanted
            speed, wanted_speed = 2 * n / spent / 1e6, FILES.get((source, target))
            met = "met" if speed >= (wanted_speed or 0) else "**missed**"
            table.add(source, target, f"{given.stat().st_size / 1e6:.0f}", seconds(passed),
                      seconds(spent), f"{speed:.2f}",
                      "" if wanted_speed is None else f">= {wanted_speed}: {met}")  # fmt: skip
    return table
