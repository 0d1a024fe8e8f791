"""MariaDB (the dialect mysql) and ClickHouse agree with predict; run by ``make test-engines``."""

import math

import numpy as np
import pyarrow as pa
import pytest
import tables
from servers import mariadb_server

import orderless as ol
from orderless.errors import InvalidSpace

from .sql_engines import CLASSES

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]
MOST = float(np.finfo(np.float64).max)


@pytest.fixture(scope="module")
def mariadb():
    with mariadb_server() as server:
        yield server


def storable(table):
    """MySQL's doubles are finite, and what is no number is NULL."""
    out = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type):
            most = MOST if column.type == pa.float64() else float(np.finfo(np.float32).max)
            values = [None if x is None or math.isnan(x) else min(max(x, -most), most)
                      for x in column.to_pylist()]  # fmt: skip
            column = pa.array(values, column.type)
        out[name] = column
    return pa.table(out)


def plain_names(tree):
    """Give column names that MySQL takes, by feature: no characters beyond the basic plane."""
    return {name: name.replace("🙂", "x") for name in tree.space.names}


def in_mariadb(server, tree, table, shape="auto"):
    names = plain_names(tree)
    said = [tree.to_sql(dialect="mysql", shape=shape, needed=n, columns=names)
            for n in (None, "next")]  # fmt: skip
    found = server.query(said, table.rename_columns([names[n] for n in table.column_names]))
    if isinstance(tree.classes[0], bool):
        found[0] = [None if value is None else bool(value) for value in found[0]]
    found[1] = [value.decode() if isinstance(value, bytes) else value for value in found[1]]
    found[0] = [value.decode() if isinstance(value, bytes) else value for value in found[0]]
    back = {new: name for name, new in names.items()}
    return found[0], [back.get(value, value) for value in found[1]]


@pytest.mark.parametrize("single", [False, True])
def test_mariadb_on_many_rows(mariadb, single):
    tree, table, _, _ = tables.large(single)
    table = storable(table.slice(0, 20_000))
    assert in_mariadb(mariadb, tree, table, "tree") == tables.expected(tree, table)


@pytest.mark.parametrize("classes", CLASSES)
def test_mariadb_on_random_trees(mariadb, classes):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        space = tables.random_space(rng, 6)
        tree = tables.random_tree(rng, space, depth=4, classes=classes)
        table = storable(tables.random_table(rng, space, 400))
        wanted = tables.expected(tree, table)
        for shape in ("auto", "tree"):
            assert in_mariadb(mariadb, tree, table, shape) == wanted


def test_mysql_refuses_names_beyond_the_basic_plane():
    tree = ol.read({"feature": "größe 🙂", "true": {"prediction": 1},
                         "false": {"prediction": 0}}, feature_names=["größe 🙂"])  # fmt: skip
    with pytest.raises(InvalidSpace, match="mysql does not allow in names"):
        tree.to_sql(dialect="mysql")


# -- ClickHouse ------------------------------------------------------------------------------------


def in_clickhouse(tree, table, shape="auto"):
    chdb = pytest.importorskip("chdb", reason="chdb is not installed")
    said = [tree.to_sql(dialect="clickhouse", shape=shape, needed=n) for n in (None, "next")]
    rows = table.append_column("row_", pa.array(range(table.num_rows)))  # noqa: F841 (in the query)
    query = f"SELECT {said[0]} AS a_, {said[1]} AS b_ FROM Python(rows) ORDER BY row_"
    found = chdb.query(query, "ArrowTable")
    answers = []
    for name in ("a_", "b_"):
        values = found[name].to_pylist()
        answers.append([v.decode() if isinstance(v, bytes) else v for v in values])
    if isinstance(tree.classes[0], bool):
        answers[0] = [None if value is None else bool(value) for value in answers[0]]
    return tuple(answers)


@pytest.mark.parametrize("single", [False, True])
def test_clickhouse_on_a_hundred_thousand_rows(single):
    tree, table, class_, needed = tables.large(single)
    assert in_clickhouse(tree, table, "tree") == (class_, needed)


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("nan", [False, True])
def test_clickhouse_on_random_trees(classes, nan):
    rng = np.random.default_rng(len(classes) + nan)
    space = tables.random_space(rng, 6, nan=nan)
    tree = tables.random_tree(rng, space, depth=4, classes=classes)
    table = tables.random_table(rng, space, 500, single=nan)
    wanted = tables.expected(tree, table)
    for shape in ("auto", "tree"):
        assert in_clickhouse(tree, table, shape) == wanted
