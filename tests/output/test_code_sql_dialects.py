"""SQL for other dialects: names, labels, what is refused, what engines do with text."""

import sqlite3
from contextlib import closing

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import showcase
import sqlglot
import tables
from sqlglot import exp

import orderless as ol
from orderless.errors import InvalidSpace, TooManyReasons
from orderless.output.code.formula import every, some
from orderless.output.code.sql_words import DIALECTS
from tests.output.test_code_python import chain

from .sql_engines import CLASSES, ENGINES, evaluated, said


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses(dialect):
    """Hostile names and labels stay names and labels, in an expression of one CASE."""
    for form in (showcase.mixed(), showcase.hostile(), showcase.iris()[0]):
        emoji = "🙂" if dialect == "mysql" else ""  # no character beyond the basic plane
        bad = str.maketrans(dict.fromkeys(emoji, "_"))
        columns = {n: n.translate(bad) for n in form.space.names}
        if dialect == "mysql":  # and no space at the end
            columns = {n: f"{own}." for n, own in columns.items()}
        for shape in ("reasons", "tree"):
            for needed in (None, "next"):
                text = form.tree.to_sql(
                    dialect=dialect, columns=columns, shape=shape, needed=needed
                )
                parsed = sqlglot.parse(text, dialect=dialect)
                assert len(parsed) == 1
                assert isinstance(parsed[0], exp.Case)
                found = {column.name for column in parsed[0].find_all(exp.Column)}
                wanted = {columns.get(n, n) for n in form.tree.features}
                assert found <= wanted
                if not needed:
                    assert found == wanted
                    texts = {x.name for x in parsed[0].find_all(exp.Literal) if x.is_string}
                    texts |= {x.name for x in parsed[0].find_all(exp.National)}
                    assert set(form.classes) <= texts
        query = form.tree.to_sql(
            dialect=dialect, columns=columns, table=("s", "my table"), needed="next"
        )
        select = sqlglot.parse_one(query, dialect=dialect)
        assert [e.alias_or_name for e in select.expressions] == ["*", "prediction", "needed"]
        (table,) = select.find_all(exp.Table)
        assert (table.db, table.name) == ("s", "my table")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("labels", CLASSES)
def test_labels_of_every_type_parse(dialect, labels):
    tree = ol.read(showcase.ask("a", "<=", 0.1, showcase.leaf(labels[0]),
                                     showcase.leaf(labels[1])), feature_names=["a"])  # fmt: skip
    case = sqlglot.parse_one(tree.to_sql(dialect=dialect), dialect=dialect)
    assert len(case.args["ifs"]) == 2


@pytest.mark.parametrize(
    ("same", "dialect"),
    [("postgresql", "postgres"), ("mariadb", "mysql"), ("databricks", "spark")],
)
def test_other_names_of_dialects(same, dialect):
    form = showcase.mixed()
    assert form.tree.to_sql(dialect=same) == form.tree.to_sql(dialect=dialect)


def test_a_query_runs_and_keeps_the_columns():
    import duckdb

    form = showcase.mixed()
    rows, _ = showcase.mixed_rows()
    table = pa.Table.from_pylist(rows)
    with duckdb.connect() as base:
        base.register('my "table"', table)
        found = base.sql(form.tree.to_sql(table='my "table"', needed="next")).to_arrow_table()
    assert found.column_names == [*table.column_names, "prediction", "needed"]
    assert found["prediction"].to_pylist() == form.predict(rows).tolist()
    assert found["needed"].to_pylist() == form.tree.ask_next(rows).tolist()


@pytest.mark.parametrize(("dialect", "said"), [
    ("postgre", r"dialect must be one of 'clickhouse', .* \(did you mean 'postgres'\?\)"),
    ("", "'sqlite', got ''$"), (None, "'sqlite', got None$"), (3, "'sqlite', got 3$"),
])  # fmt: skip
def test_unknown_dialects_are_refused(dialect, said):
    with pytest.raises(ValueError, match=said):
        showcase.mixed().tree.to_sql(dialect=dialect)


def test_bad_arguments_are_refused():
    form = showcase.mixed()
    with pytest.raises(ValueError, match=r"shape must be one of 'auto', .*, got 'rules'"):
        form.tree.to_sql(shape="rules")
    with pytest.raises(InvalidSpace, match="columns: the space has no column or feature 'Age'"):
        form.tree.to_sql(columns={"Age": "x"})
    with pytest.raises(InvalidSpace, match=r"columns\['age'\] must be a name, got 3"):
        form.tree.to_sql(columns={"age": 3})
    with pytest.raises(InvalidSpace, match=r"table=\(\): give its name, or a tuple"):
        form.tree.to_sql(table=())
    with pytest.raises(InvalidSpace, match=r"name 'a\\x00b' holds a NUL"):
        form.tree.to_sql(columns={"age": "a\0b"})
    with pytest.raises(InvalidSpace, match="half of a surrogate pair"):
        form.tree.to_sql(table="\ud800")
    with pytest.raises(TooManyReasons):
        form.tree.to_sql(shape="reasons", limit=2)


def test_labels_with_nul_are_refused():
    tree = ol.read(showcase.ask("a", "<=", 0.1, showcase.leaf("x\0"), showcase.leaf("y")),
                        feature_names=["a"])  # fmt: skip
    with pytest.raises(InvalidSpace, match=r"the label 'x\\x00' holds a NUL"):
        tree.to_sql()


def test_mixed_categories():
    """Only SQLite has columns that hold texts and numbers."""
    space = ol.Space({"c": ["one", 2, 3.5]})
    tree = ol.read(showcase.ask("c", "in", ["one", 2], showcase.leaf(1), showcase.leaf(0)),
                        space=space)  # fmt: skip
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (c)")
    base.executemany("INSERT INTO t VALUES (?)", [("one",), (2,), (3.5,), (None,)])
    found = base.execute(f"SELECT {tree.to_sql(dialect='sqlite')} FROM t").fetchall()
    base.close()
    assert [x for (x,) in found] == [1, 1, 0, None]
    with pytest.raises(InvalidSpace, match="numbers as categories, but a column of duckdb"):
        tree.to_sql(dialect="duckdb")
    with pytest.raises(InvalidSpace, match="numbers as categories, but a column of a data frame"):
        tree.to_expression()


NUMBERS = ("0.1", " 0.1 ", "1e-1", "0.10000000000000001", "0.1000000000000001", "-3", "+2", ".5",
           "5.", "9007199254740993", "9007199254740992", "1e400", "-1e400", "0")  # fmt: skip
NO_NUMBERS = ("", " ", "abc", "1abc", "-", "NA", "0x10", "1_0", "1,5", "nan", "1 2")
STORED = ("TEXT", "", "REAL", "NUMERIC", "INTEGER", "VARCHAR(9)")


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("shape", ["reasons", "tree"])
def test_sqlite_takes_text_that_is_no_number_for_unknown(stored, shape):
    """Whatever the type of the column is. CAST would make 0 of it."""
    space = ol.Space([ol.Feature("x"), ol.Feature("y"), ol.Feature("b", "boolean"),
                      ol.Feature("k", "categorical", categories=(0, 1, 2.5)),
                      ol.Feature("m", nan=True)])  # fmt: skip
    yes, no = showcase.leaf("yes"), showcase.leaf("no")
    trees = {
        "x": [("x", "<=", at) for at in (0.1, 0, -1, 2**53, -(2.0**60), 1e300)],
        "b": [("b", "==", 1)],
        "k": [("k", "in", [0, 1]), ("k", "in", [2.5])],
        "m": [("m", "<=", 0.1)],
    }
    texts = {"x": NUMBERS, "b": ("0", "1", "1.0", " 1", "0.0"), "k": ("0", "1", "2.5", "1.0"),
             "m": NUMBERS}  # fmt: skip
    for name, asked in trees.items():
        cells = [*texts[name], *NO_NUMBERS, None]
        plain = [float(cell) if cell in texts[name] else None for cell in cells]
        base = sqlite3.connect(":memory:")
        base.execute(f"CREATE TABLE t (i INTEGER PRIMARY KEY, {name} {stored})")
        base.executemany("INSERT INTO t VALUES (?, ?)", enumerate(cells))
        for ask in asked:
            tree = ol.read(showcase.ask(*ask, yes, no), space=space)
            sql = tree.to_sql(dialect="sqlite", shape=shape)
            found = base.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()
            rows = [{name: value} for value in plain]
            assert [one for (one,) in found] == tree.predict(rows).tolist(), (ask, cells, sql)
        base.close()
    within = showcase.ask("x", "<=", 3, showcase.ask("x", "<=", 1, yes, no), yes)
    within = ol.read(showcase.ask("y", "<=", 1, within, no), space=space)
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE t (i INTEGER PRIMARY KEY, x {stored}, y {stored})")
    pairs = [(x, y) for x in ("0", "2", "7", "", "abc", None) for y in ("0", "2", "", "abc", None)]
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, *p) for i, p in enumerate(pairs)])
    rows = [{"x": float(x) if x in ("0", "2", "7") else None,
             "y": float(y) if y in ("0", "2") else None} for x, y in pairs]  # fmt: skip
    for needed in (None, "next"):
        sql = within.to_sql(dialect="sqlite", shape=shape, needed=needed)
        found = base.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()
        wanted = within.ask_next(rows) if needed else within.predict(rows)
        assert [one for (one,) in found] == wanted.tolist()
    base.close()


def test_a_column_that_is_not_there_is_an_error_of_the_engine():
    """Also in SQLite, which takes a name in double quotes for a text if there is no such column."""
    sql = showcase.mixed().tree.to_sql(dialect="sqlite")
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (age, smoker, color)")
    with pytest.raises(sqlite3.OperationalError, match="no such column: lab value"):
        base.execute(f"SELECT {sql} FROM t")
    base.close()


def test_no_column_tells_a_feature():
    space = ol.Space([ol.Feature("a"), ol.Feature("b")], columns={"b": "b"})
    tree = ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[1, 0, 0], when_true=[1, -1, -1],
                   when_false=[2, -1, -1], leaf_class=[-1, 0, 1])  # fmt: skip
    with pytest.raises(InvalidSpace, match="no column holds the value of 'a': give columns="):
        tree.to_sql()
    assert "`a`" in tree.to_sql(dialect="sqlite", columns={"a": "a"})


def test_illegal_categories_get_no_class():
    """A category that is not listed is refused by predict; SQL must at least not make one up."""
    tree = ol.read(showcase.ask("c", "in", ["x"], showcase.leaf(1), showcase.leaf(0)),
                        space=ol.Space({"c": ["x", "y"]}))  # fmt: skip
    for engine in ENGINES:
        for shape in ("reasons", "tree"):
            found = said(engine, tree, pa.table({"c": ["x", "y", "z"]}), shape)
            assert found[0] == [1, 0, None]


def test_the_shape_follows_the_number_of_reasons():
    small = showcase.mixed().tree
    assert small.to_sql() == small.to_sql(shape="reasons")
    wide = tables.random_tree(np.random.default_rng(19),
                              ol.Space.independent([f"x{i}" for i in range(14)]), depth=7,
                              classes=(0, 1))  # fmt: skip
    assert wide.to_sql() == wide.to_sql(shape="tree") != wide.to_sql(shape="reasons")


def test_size_is_linear_in_the_tree():
    sizes = [len(chain(n).to_sql(shape="tree")) for n in (50, 100)]
    assert sizes[1] < 2.3 * sizes[0]


@pytest.mark.parametrize("name", showcase.FORMS)
def test_golden(name):
    """For people: what it looks like."""
    showcase.check_golden(f"{name}.sql", showcase.FORMS[name]().tree.to_sql(table="patients"))


def test_joining_is_short():
    assert every([]) is True
    assert every([True, True]) is True
    assert some([]) is False
    assert some([False]) is False
    assert every([some([False]), True]) is False
    assert some([every([]), False]) is True


@pytest.mark.parametrize("shape", ["tree", "reasons"])
def test_sqlite_does_not_take_the_word_true_for_a_column(shape):
    values = {"relation": "<=", "reference": 0.5}
    tree = {
        "feature": "true",
        **values,
        "true": {"prediction": True},
        "false": {"prediction": False},
    }
    tree = ol.read(tree, space=ol.Space({"true": "numeric"}))
    nan = ol.Feature("true", values="float64", nan=True)
    other = ol.Tree(ol.Space([nan]), ["no", "yes"], feature=[0, -1, -1], threshold=[np.inf, 0, 0],
                    when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                    nan_true=[False, False, False])  # fmt: skip
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (`true` REAL, `false` REAL)")
        base.executemany("INSERT INTO t VALUES (?, 7)", [(0.25,), (0.75,), (None,)])
        read = f"SELECT {tree.to_sql(dialect='sqlite', shape=shape)} FROM t"
        assert base.execute(read).fetchall() == [(1,), (0,), (None,)]
        read = f"SELECT {other.to_sql(dialect='sqlite', shape=shape)} FROM t"
        assert base.execute(read).fetchall() == [("no",), ("no",), ("yes",)]


@pytest.mark.parametrize("name", ["^a.*$", "*", "^$"])
def test_a_name_that_polars_takes_for_a_pattern_is_refused(name):
    tree = {"feature": name, "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read(tree, feature_names=[name])
    with pytest.raises(InvalidSpace, match="for a pattern of names: rename the column"):
        tree.to_expression()
    frame = pl.DataFrame({"a": [True, False, None]})
    assert evaluated(tree.to_expression(columns={name: "a"}), frame) == [1, 0, None]


def test_a_name_that_is_nearly_a_pattern_is_a_name():
    tree = {"feature": "a$", "true": {"prediction": 1}, "false": {"prediction": 0}}
    frame = pl.DataFrame({"a$": [True, False, None], "a": [False, True, True]})
    assert evaluated(ol.read(tree, feature_names=["a$"]).to_expression(), frame) == [1, 0, None]
