"""Real engines agree with predict: PostgreSQL, Spark, and Dask on several processes.

Run by ``make test-engines``, which installs what is missing; here, what is missing fails.
"""

import os
import signal
import time

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import showcase
import tables
from servers import postgres_server
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import orderless as ol
from tests.house.test_docs import ROOT, run_examples
from tests.output.sql_engines import CLASSES
from tests.output.test_code_sql import told_space, told_table

pytestmark = [
    pytest.mark.engine,
    # What the engines' own packages warn about is not ours to fix.
    pytest.mark.filterwarnings("ignore"),
]


# -- PostgreSQL ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def postgres():
    with postgres_server() as server:
        yield server


def in_postgres(server, tree, table, shape="auto"):
    said = [tree.to_sql(dialect="postgres", shape=shape, needed=n) for n in (None, "next")]
    found = server.query(said, table)
    kind = type(tree.classes[0])
    read = {bool: lambda text: text == "t", int: int, float: float, str: str}[kind]
    return [None if text is None else read(text) for text in found[0]], found[1]


@pytest.mark.parametrize("single", [False, True])
def test_postgres_on_a_hundred_thousand_rows(postgres, single):
    tree, table, class_, needed = tables.large(single)
    found = in_postgres(postgres, tree, table, "tree")
    assert found[0] == class_
    assert found[1] == needed


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("nan", [False, True])
def test_postgres_on_random_trees(postgres, classes, nan):
    """All types of labels, both shapes, and NaN as a value."""
    rng = np.random.default_rng(len(classes) + nan)
    space = tables.random_space(rng, 6, nan=nan)
    tree = tables.random_tree(rng, space, depth=4, classes=classes)
    table = tables.random_table(rng, space, 500, single=nan)
    wanted = tables.expected(tree, table)
    for shape in ("auto", "tree"):
        assert in_postgres(postgres, tree, table, shape) == wanted


def test_postgres_with_columns_that_tell_conditions(postgres):
    space = told_space()
    rng = np.random.default_rng(3)
    tree = tables.random_tree(rng, space, depth=4, classes=(0, 1))
    table = told_table(rng, space, 500)
    assert in_postgres(postgres, tree, table, "tree") == tables.expected(tree, table)


def test_postgres_types_beyond_the_usual(postgres):
    """Enums, fixed-width text, numerics and small integers, booleans as numbers."""
    form = showcase.mixed()
    postgres.psql(
        "DROP TABLE IF EXISTS odd; DROP TYPE IF EXISTS tint; CREATE TYPE tint AS ENUM "
        "('red', 'green', 'blue', 'grey', 'pink'); CREATE TABLE odd (n int, age smallint, "
        '"lab value" numeric(8, 3), smoker int, color tint);\n'
        "INSERT INTO odd VALUES (0, 20, 0.05, 1, 'red'), (1, 20, 0.2, 1, 'red'), "
        "(2, 70, NULL, NULL, 'pink'), (3, NULL, 3, 0, 'green'), (4, 30, 'NaN', 0, 'grey');"
    )
    rows = [
        {"age": 20, "lab value": 0.05, "smoker": 1, "color": "red"},
        {"age": 20, "lab value": 0.2, "smoker": 1, "color": "red"},
        {"age": 70, "color": "pink"},
        {"lab value": 3, "smoker": 0, "color": "green"},
        {"age": 30, "smoker": 0, "color": "grey"},
    ]
    query = form.tree.to_sql(dialect="postgres", table=("public", "odd"))
    said = postgres.psql(rf"\pset format unaligned \\ \pset tuples_only on \\ {query} ORDER BY n;")
    found = [line.split("|")[-1] or None for line in said.strip().splitlines()]
    assert found == form.predict(rows).tolist()


# -- Spark -----------------------------------------------------------------------------------------


def in_spark(session, model, table, folder):
    numbered = table.append_column("row_", pa.array(range(table.num_rows)))
    path = str(folder / "rows.parquet")
    # narwhals does not quote names with dots and backticks for Spark: to_sql does, see below.
    columns = {name: f"c{i}" for i, name in enumerate(table.column_names)}
    pq.write_table(numbered.rename_columns([*columns.values(), "row_"]), path)
    expressions = [model.to_expression(columns=columns, needed=n) for n in (None, "next")]
    frame = nw.from_native(session.read.parquet(path)).with_columns(expressions).to_native()
    out = frame.select("row_", "prediction", "needed").toArrow().sort_by("row_")
    return out["prediction"].to_pylist(), out["needed"].to_pylist()


@pytest.mark.parametrize("single", [False, True])
def test_spark_on_a_hundred_thousand_rows(spark, single, tmp_path):
    tree, table, class_, needed = tables.large(single)
    found = in_spark(spark, tree, table, tmp_path)
    assert found[0] == class_
    assert found[1] == needed


@pytest.mark.parametrize("classes", CLASSES)
def test_spark_on_random_trees(spark, classes, tmp_path):
    rng = np.random.default_rng(len(classes))
    space = tables.random_space(rng, 6, nan=len(classes) == 3)
    tree = tables.random_tree(rng, space, depth=4, classes=classes)
    table = tables.random_table(rng, space, 500)
    assert in_spark(spark, tree, table, tmp_path) == tables.expected(tree, table)


def test_spark_sql_on_random_trees(spark):
    rng = np.random.default_rng(1)
    space = tables.random_space(rng, 6)
    tree = tables.random_tree(rng, space, depth=4, classes=("no", "yes"))
    table = tables.random_table(rng, space, 500)
    numbered = table.append_column("row_", pa.array(range(table.num_rows)))
    spark.createDataFrame(numbered).createOrReplaceTempView("rows_")
    for shape in ("auto", "tree"):
        query = tree.to_sql(dialect="spark", table="rows_", shape=shape, needed="next")
        out = spark.sql(query).toArrow().sort_by("row_")
        answers = out["prediction"].to_pylist(), out["needed"].to_pylist()
        assert answers == tables.expected(tree, table)


def test_spark_runs_no_python(spark):
    form = showcase.mixed()
    frame = nw.from_native(spark.createDataFrame(pa.Table.from_pylist(showcase.mixed_rows()[0])))
    predicted = frame.with_columns(form.tree.to_expression(needed="next")).to_native()
    plan = predicted._jdf.queryExecution().toString()
    assert "CASE WHEN" in plan
    assert "Python" not in plan
    with pytest.raises(Exception, match="columns were not found"):
        frame.with_columns(form.tree.to_expression(columns={"age": "nowhere"})).to_native().count()


def test_spark_bounds_a_forest(spark):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = ol.read(RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, y))
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    rows = pa.Table.from_pandas(X).append_column("row_", pa.array(range(len(X))))
    frame = nw.from_native(spark.createDataFrame(rows)).with_columns(forest.to_expression())
    answers = frame.to_native().toArrow().sort_by("row_")["prediction"].to_pylist()
    certain = forest.predict(X).tolist()
    assert sum(answer is not None for answer in answers) > 500
    assert all(answer in (None, label) for answer, label in zip(answers, certain, strict=True))


# -- Dask ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
                      host="127.0.0.1") as made, Client(made) as client:  # fmt: skip
        yield client


def test_dask_with_a_worker_that_dies(cluster):
    """One of three processes is killed while it works: the result is complete and equal."""
    import dask.dataframe as dd

    tree, table, class_, needed = tables.large(False)
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype(),
                pa.string(): pd.StringDtype()}  # fmt: skip
    whole = table.to_pandas(types_mapper=nullable.get)
    n_parts, size = 30, -(-len(whole) // 30)

    def part(i):
        time.sleep(0.2)
        return whole.iloc[i * size : (i + 1) * size]

    frame = dd.from_map(part, range(n_parts), meta=whole.iloc[:0])
    expressions = [tree.to_expression(), tree.to_expression(needed="next").alias("ask")]
    future = cluster.compute(nw.from_native(frame).with_columns(expressions).to_native())
    pids = cluster.run(os.getpid)
    address, pid = sorted(pids.items())[0]
    while not cluster.processing()[address]:
        time.sleep(0.01)
    assert not future.done()
    os.kill(pid, signal.SIGKILL)
    out = future.result(timeout=120)
    assert pid not in cluster.run(os.getpid).values()
    assert len(out) == len(whole)
    assert [None if pd.isna(x) else x for x in out["prediction"]] == class_
    assert [None if pd.isna(x) else x for x in out["ask"]] == needed


# -- pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["databases", "scale"])
def test_examples_that_need_an_engine(page, spark, tmp_path, monkeypatch):
    """The examples of a page that ``make test`` leaves out, with all that come before them.

    The page makes its own cluster; its Spark session is the one that is there.
    """
    monkeypatch.chdir(tmp_path)
    path = ROOT / "docs" / "guide" / f"{page}.md"
    said = run_examples(path, engines=True)
    assert not said, said
