"""SQL and expressions give what ``predict`` and ``ask_next`` give, bit by bit, where they run.

PostgreSQL and Spark: ``test_engines.py``. The other dialects are parsed by sqlglot.
"""

import math
import sqlite3
from fractions import Fraction

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import showcase
import tables
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import InvalidTree, TooManyReasons
from orderless.output.code.sql_words import Words
from tests.output.test_code_python import chain

from .sql_engines import CLASSES, ENGINES, evaluated, said

# -- the same answers -----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("single", [False, True])
def test_a_hundred_thousand_rows(engine, single):
    """Theorem 3.2 by three-valued logic, at all thresholds and beside them, with NULL and NaN."""
    tree, table, class_, needed = tables.large(single)
    assert 5_000 < sum(label is None for label in class_) < 95_000
    found = said(engine, tree, table, "tree")
    assert found[0] == class_
    assert found[1] == needed


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from(CLASSES), st.booleans(), st.sampled_from(ENGINES))
def test_random_trees(seed, classes, nan, engine):
    """Both shapes; where NaN is a value of a feature, NULL and NaN are that value."""
    rng = np.random.default_rng(seed)
    space = tables.random_space(rng, int(rng.integers(1, 7)), nan=nan)
    tree = tables.random_tree(rng, space, depth=int(rng.integers(0, 5)), classes=classes)
    table = tables.random_table(rng, space, 300, single=bool(rng.integers(2)))
    wanted = tables.expected(tree, table)
    for shape in ("auto", "tree"):
        assert said(engine, tree, table, shape) == wanted
    try:
        found = said(engine, tree, table, "reasons", limit=2_000)
    except TooManyReasons:
        return
    assert found == wanted


def told_space():
    """Columns that are indicators: cuts of a number, a boolean as its opposite, one-hot columns."""
    color = ol.Feature("color", "categorical", categories=("red", "green", "blue", "grey"),
                       other=True)  # fmt: skip
    return ol.Space(
        [ol.Feature("age", values="integer"), ol.Feature("dose", values="float32"),
         ol.Feature("well", "boolean"), color, ol.Feature("x", nan=True)],
        columns={
            **{f"age<={c}": ol.Condition("age", at_most=c) for c in (3, 5, 10, 20)},
            "dose": "dose",
            "dose<=0.1": ol.Condition("dose", at_most=0.1),
            "not well": ol.Condition("well", among=(False,)),
            "is red": ol.Condition("color", among=("red",)),
            "warm": ol.Condition("color", among=("red", "grey")),
            "is blue": ol.Condition("color", among=("blue",)),
            "x<=1": ol.Condition("x", at_most=1.0),
            "x<=2": ol.Condition("x", at_most=2.0),
        },
    )  # fmt: skip


def told_table(rng, space, n):
    """Rows that do not contradict themselves: true values first, then columns about them."""
    truth = {"age": rng.integers(0, 30, n), "dose": rng.choice([0.0, 0.1, 0.2, 5.0], n),
             "well": rng.integers(0, 2, n).astype(bool),
             "x": rng.choice([0.5, 1.5, 3.0, np.nan], n),
             "color": rng.choice(["red", "green", "blue", "grey", "pink"], n)}  # fmt: skip
    out = {}
    for column in space.columns:
        value, condition = truth[column.feature], column.condition
        if condition is None:
            told = value
        elif condition.at_most is not None:
            top = float(space[column.feature].at_most(condition.at_most))
            own = value.astype(np.float32) if column.feature == "dose" else value
            told = (own <= top).astype(int)
        else:
            told = np.isin(value, condition.among).astype(int)
        out[column.name] = pa.array(told, mask=rng.random(n) < 0.5)
    return pa.table(out)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(8))
def test_columns_that_tell_conditions(engine, seed):
    """A row then knows a range or a set of values: what one column says, another may imply."""
    rng = np.random.default_rng(seed)
    space = told_space()
    tree = tables.random_tree(rng, space, depth=5, classes=(0, 1))
    cuts = {"age": (3, 5, 10, 20), "dose": (0.1, 0.2), "x": (1.0, 2.0)}
    asked = [space.features[i].name if i >= 0 else None for i in tree.nodes.feature]
    threshold = [float(rng.choice(cuts[name])) if name in cuts else 0.0 for name in asked]
    tree = ol.Tree(space, (0, 1), feature=tree.nodes.feature, threshold=threshold,
                   when_true=tree.nodes.when_true, when_false=tree.nodes.when_false,
                   leaf_class=tree.nodes.leaf_class, nan_true=tree.nodes.nan_true,
                   sets={i: tree.kernel.set_of(i) for i in range(tree.n_nodes)})  # fmt: skip
    table = told_table(rng, space, 500)
    wanted = tables.expected(tree, table)
    assert None in wanted[0]
    for shape in ("tree", "auto"):
        assert said(engine, tree, table, shape) == wanted
    if sum(map(len, ol.canonicalize(tree).reasons.values())) < 500:
        assert said(engine, tree, table, "reasons") == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_a_feature_read_from_its_own_column_instead(engine):
    """Columns of the space are indicators; the database has the feature itself."""
    space = told_space()
    tree = ol.Tree(space, ["young", "middle", "old"], feature=[0, -1, 0, -1, -1],
                   threshold=[5, 0, 10, 0, 0], when_true=[1, -1, 3, -1, -1],
                   when_false=[2, -1, 4, -1, -1], leaf_class=[-1, 0, -1, 1, 2])  # fmt: skip
    table = pa.table({"Alter": pa.array([5, 6, 10, 11, None])})
    found = said(engine, tree, table, columns={"age": "Alter"})
    assert found == (["young", "middle", "middle", "old", None], [None] * 4 + ["age"])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tree_that_asks_nothing(engine):
    """One answer per row, also of a space without features."""
    alone = ol.Tree(ol.Space([]), ["yes"], feature=[-1], threshold=[0], when_true=[-1],
                    when_false=[-1], leaf_class=[0])  # fmt: skip
    for source in (showcase.constant().tree, alone):
        for values in ([True, None], [True], [True, False, None]):
            table = pa.table({"a": pa.array(values)})
            expected = (["yes"] * len(values), [None] * len(values))
            assert said(engine, source, table) == expected


def test_a_tree_that_asks_nothing_is_a_literal():
    one = showcase.constant().tree
    for labels in (["yes"], [3], [0.5], [True], [2**63]):
        tree = ol.Tree(ol.Space([]), labels, feature=[-1], threshold=[0], when_true=[-1],
                       when_false=[-1], leaf_class=[0])  # fmt: skip
        for frame in (pl.DataFrame({"a": [1, 2, 3]}), pl.DataFrame({"a": []})):
            found = nw.from_native(frame).with_columns(tree.to_expression())["prediction"]
            assert found.to_list() == labels * frame.height
            assert found.to_native().dtype == tree.predict(frame).dtype
    frame = nw.from_native(pl.DataFrame({"a": [1, 2, 3]}))
    assert frame.select("a", one.to_expression()).shape == (3, 2)


@pytest.mark.parametrize("engine", ENGINES)
def test_labels_beyond_doubles_are_compared_exactly(engine):
    labels = (2**60, 2**60 + 1, 2**60 + 2)
    space = ol.Space([ol.Feature("id", "categorical", categories=labels, other=True)])
    tree = ol.read(showcase.ask("id", "in", [2**60], showcase.leaf(1), showcase.leaf(0)),
                        space=space)  # fmt: skip
    table = pa.table({"id": pa.array([*labels, 5, None])})
    assert said(engine, tree, table)[0] == [1, 0, 0, 0, None]
    assert tree.predict(table).to_pylist() == [1, 0, 0, 0, None]


@pytest.mark.parametrize("engine", ENGINES)
def test_boolean_categories(engine):
    space = ol.Space({"flag": [True, False]})
    tree = ol.read(showcase.ask("flag", "in", [True], showcase.leaf("y"), showcase.leaf("n")),
                        space=space)  # fmt: skip
    table = pa.table({"flag": pa.array([True, False, None])})
    assert said(engine, tree, table)[0] == ["y", "n", None]


def test_many_reasons_run():
    """Balanced, so that engines take them."""
    rng = np.random.default_rng(19)
    wide = tables.random_tree(rng, ol.Space.independent([f"x{i}" for i in range(14)]), depth=7,
                              classes=(0, 1))  # fmt: skip
    assert sum(map(len, ol.canonicalize(wide).reasons.values())) > 400
    flags = pa.table({n: pa.array(rng.integers(0, 2, 400), mask=rng.random(400) < 0.2)
                      for n in wide.space.names})  # fmt: skip
    for engine in ENGINES:
        assert said(engine, wide, flags, "reasons") == tables.expected(wide, flags)


@pytest.mark.parametrize("engine", ENGINES)
def test_deep_trees(engine):
    """Flat from a depth of 13 on, so that no parser's stack is too small; questions are nested."""
    for n in (12, 13, 600):
        tree = chain(n)
        ends = [-1.0, 0.5, 0.6, 7.0, 11.5, 12.5, n - 1.5, n - 0.5, n - 0.4, math.nan]
        table = pa.table({"x": pa.array([*ends, None])})
        wanted = tables.expected(tree, table)
        if n < 100:
            assert said(engine, tree, table, "tree") == wanted
        elif engine == "polars":
            assert evaluated(tree.to_expression(), pl.from_arrow(table)) == wanted[0]
        else:
            assert tables.RUN[engine]([tree.to_sql(dialect=engine)], table) == [wanted[0]]


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(ENGINES))
def test_deep_random_trees(seed, nan, engine):
    """Written leaf by leaf: all kinds of features, and columns that are indicators."""
    rng = np.random.default_rng(seed)
    space = told_space() if seed % 3 == 0 else tables.random_space(rng, 6, nan=nan)
    tree = tables.random_tree(rng, space, depth=5, classes=(0, 1, 2))
    table = told_table(rng, space, 200) if seed % 3 == 0 else tables.random_table(rng, space, 200)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("orderless.output.code.certain.NESTED", 0)
        assert said(engine, tree, table, "tree") == tables.expected(tree, table)


def test_questions_that_nest_too_deep_are_refused():
    tree = chain(5_000)
    assert tree.to_sql().count(" THEN ") == 2
    with pytest.raises(InvalidTree, match=r"depth 5,000; choices that nest deeper than 150"):
        tree.to_sql(needed="next")


# -- numbers --------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_back(number):
    """SQLite and DuckDB read what we write as the same double; so does a fraction's arithmetic."""
    import duckdb

    base = sqlite3.connect(":memory:")
    try:
        text = Words("sqlite").number(number)
        (found,) = base.execute(f"SELECT CAST({text} AS REAL)").fetchone()
    finally:
        base.close()
    assert Fraction(found) == Fraction(number)
    text = Words("duckdb").number(number)
    assert duckdb.sql(f"SELECT CAST({text} AS DOUBLE)").fetchall() == [(number,)]
    assert float(Words("postgres").number(number)) == number
