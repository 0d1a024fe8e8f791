"""One expression gives what ``predict`` gives, in each kind of data frame and database.

Spark, and Dask on several processes: ``tests/connect/test_engines.py``.
"""

import itertools

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import showcase
import sums
import tables

import orderless as ol
from orderless.errors import InvalidSpace, InvalidTree, TooLarge

from .sql_engines import CLASSES, evaluated

NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype(),
            pa.string(): pd.StringDtype()}  # fmt: skip


def in_duckdb(table):
    import duckdb

    return duckdb.from_arrow(table)


def in_dask(table):
    import dask.dataframe as dd

    return dd.from_pandas(table.to_pandas(types_mapper=NULLABLE.get), npartitions=3)


FRAMES = {
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.from_arrow(table).lazy(),
    "pandas": lambda table: table.to_pandas(),
    "pandas, nullable": lambda table: table.to_pandas(types_mapper=NULLABLE.get),
    "pandas, arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pyarrow": lambda table: table,
    "DuckDB": in_duckdb,
    "Dask": in_dask,
}


def within_doubles(table):
    """Integers that are doubles: pyarrow refuses to compare others with doubles."""
    for i, name in enumerate(table.column_names):
        column = table[name]
        if pa.types.is_int64(column.type):
            large = pc.greater(pc.abs(column), 2**53)
            table = table.set_column(i, name, pc.if_else(large, 5, column))
    return table


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("nan", [False, True])
def test_every_kind_of_frame(kind, classes, nan):
    """At all thresholds and beside them, with null and NaN, for the class and what to ask."""
    rng = np.random.default_rng(len(classes) + nan)
    space = tables.random_space(rng, 6, nan=nan)
    tree = tables.random_tree(rng, space, depth=4, classes=classes)
    table = within_doubles(tables.random_table(rng, space, 300))
    frame = FRAMES[kind](table)
    predicted, asked = tables.expected(tree, table)
    assert evaluated(tree.to_expression(), frame) == predicted
    assert evaluated(tree.to_expression(needed="next"), frame) == asked


def test_pyarrow_refuses_integers_that_it_would_round():
    tree = ol.read(showcase.ask("n", "<=", 0.5, showcase.leaf(1), showcase.leaf(0)),
                   space=ol.Space({"n": "integer"}))  # fmt: skip
    with pytest.raises(pa.ArrowInvalid, match="not in range"):
        evaluated(tree.to_expression(), pa.table({"n": [2**60]}))


def test_a_parquet_file_in_duckdb(tmp_path):
    import duckdb

    tree, table, class_, needed = tables.large(True)
    numbered = table.append_column("row_", pa.array(range(table.num_rows)))
    pq.write_table(numbered, tmp_path / "in.parquet")
    with duckdb.connect() as base:
        rows = nw.from_native(base.read_parquet(str(tmp_path / "in.parquet")))
        out = rows.with_columns(tree.to_expression(), tree.to_expression(needed="next"))
        answers = out.to_native().order("row_").to_arrow_table()
    assert answers["prediction"].to_pylist() == class_
    assert answers["needed"].to_pylist() == needed


def test_columns_that_are_indicators_or_have_other_names():
    form = showcase.mixed()
    rows, _ = showcase.mixed_rows()
    table = pa.Table.from_pylist(rows).rename_columns(
        ["AGE" if name == "age" else name for name in pa.Table.from_pylist(rows).column_names]
    )
    answers = evaluated(form.tree.to_expression(columns={"age": "AGE"}), pl.from_arrow(table))
    assert answers == form.predict(rows).tolist()
    with pytest.raises(InvalidSpace, match="columns: the space has no column or feature 'Age'"):
        form.tree.to_expression(columns={"Age": "x"})
    with pytest.raises(ValueError, match="needed must be 'next' or None, got 'ask'"):
        form.tree.to_expression(needed="ask")


# -- sums of trees ---------------------------------------------------------------------------------


def drawn_sum(rng, kinds, **options):
    """Draw until the kind fits."""
    while True:
        model = sums.Sum(rng, **options)
        if model.kind in kinds:
            return model


def drawn_rows(rng, model, n):
    """Rows with gaps as a table, and for each all of its completions."""
    columns = {feature.name: [] for feature in model.features}
    completions = []
    for i in range(n):
        gap_share = 0.4 * (i % 2)
        cells = []
        for feature in model.features:
            values = sums.values_of(feature)
            value = values[rng.integers(len(values))]
            gap = rng.random() < gap_share and not feature.nan  # null is NaN where that is a value
            columns[feature.name].append(None if gap or value != value else value)
            cells.append(values if gap else [value])
        completions.append(list(itertools.product(*cells)))
    types = {"boolean": pa.int64(), "categorical": pa.string(), "numeric": pa.float64()}
    kinds = {feature.name: pa.float64() if feature.name == "code" else types[feature.kind]
             for feature in model.features}  # fmt: skip
    table = pa.table({name: pa.array(cells, kinds[name]) for name, cells in columns.items()})
    return table, completions


@pytest.mark.parametrize("engine", ["polars", "duckdb", "sqlite"])
@pytest.mark.parametrize("seed", range(15))
def test_the_class_of_a_sum_is_certain(seed, engine):
    """Added up by hand, for every completion; complete rows have their class, but for rounding."""
    rng = np.random.default_rng(seed)
    model = drawn_sum(rng, {"shares", "rounds", "cuts"}, window=0.0 if seed % 3 else 0.11)
    table, completions = drawn_rows(rng, model, 60)
    answers = answered(model.ensemble, engine, table)
    exact = not model.ensemble.kernel.whole.slack.any() and not model.rule.window
    for answer, rows in zip(answers, completions, strict=True):
        labels = {model.label(row) for row in rows}
        if answer is not None:
            assert {model.classes[label] for label in labels} == {answer}
        elif exact:
            assert len(rows) > 1


@pytest.mark.parametrize("engine", ["polars", "duckdb", "sqlite"])
@pytest.mark.parametrize("seed", range(15))
def test_the_bounds_of_a_score_hold(seed, engine):
    rng = np.random.default_rng(seed)
    model = drawn_sum(rng, {"number", "cuts"})
    table, completions = drawn_rows(rng, model, 60)
    lower, upper = (answered(model.ensemble, engine, table, of) for of in ("lower", "upper"))
    for low, high, rows in zip(lower, upper, completions, strict=True):
        scores = [float(model.sums(row)[0]) for row in rows]
        assert low <= min(scores)
        assert high >= max(scores)
        if len(rows) == 1:
            assert high - low < 1e-5


def answered(ensemble, engine, table, of="answer"):
    if engine == "polars":
        return evaluated(ensemble.to_expression(of=of), pl.from_arrow(table))
    (answers,) = tables.RUN[engine]([ensemble.to_sql(dialect=engine, of=of)], table)
    kind = type(ensemble.classes[0]) if of == "answer" else float
    return [None if answer is None else kind(answer) for answer in answers]


def test_a_sum_that_is_refused():
    rng = np.random.default_rng(3)
    number = drawn_sum(rng, {"number"}).ensemble
    shares = drawn_sum(rng, {"shares"}).ensemble
    for write in (number.to_sql, number.to_expression):
        with pytest.raises(InvalidTree, match="predicts numbers: ask for bounds of its score"):
            write()
        with pytest.raises(ValueError, match=r"of must be one of 'answer', .*, got 'both'"):
            write(of="both")
        with pytest.raises(TooLarge, match="more than 3 conditions: raise limit="):
            write(of="lower", limit=3)
    for write in (shares.to_sql, shares.to_expression):
        with pytest.raises(InvalidTree, match="scores, and an expression has one number"):
            write(of="upper")


def test_facts_are_not_written():
    space = ol.Space({"a": "integer", "b": "integer"}, facts=["a <= b"])
    tree = ol.read(showcase.ask("a", "<=", 0, showcase.leaf("x"), showcase.leaf("y")), space=space)
    ensemble = sums.as_ensemble(tree)
    for write in (ensemble.to_sql, ensemble.to_expression):
        with pytest.warns(UserWarning, match="writes nothing of the facts between features"):
            write()


def test_a_query_has_the_columns_of_the_table():
    import duckdb

    ensemble = ol.Ensemble.from_points({"items": [{"feature": "rash", "points": 1}],
                                        "verdicts": {"low": None, "high": 1}})  # fmt: skip
    rows = pa.table({"rash": [True, False, None]})  # noqa: F841 (in the query)
    answers = duckdb.sql(ensemble.to_sql(table="rows")).to_arrow_table()
    assert answers.to_pylist() == [{"rash": True, "prediction": "high"},
                                   {"rash": False, "prediction": "low"},
                                   {"rash": None, "prediction": None}]  # fmt: skip
