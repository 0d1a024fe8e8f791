"""Tables with gaps for the tests of SQL and data frames, and the engines that need only pip.

A table is a ``pyarrow.Table``, whose types say how a database should store it.
"""

from __future__ import annotations

import math
import sqlite3
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from neighbours import neighbours

import orderless as ol

# No NUL: refused. No backslash at the end, no case pairs: legal, but not the point.
NAMES = (
    "age", "blood pressure", "it's", 'a "quoted" name', "größe 中文 🙂", "back`tick",
    "semi;colon --", "line\nbreak", "back\\slash", "[brackets]", "select",
    "%s {x} $1 :y ?", "dotted.name",
)  # fmt: skip
TEXTS = ("red", "Red", "red ", "", "it's", 'say "x"', "a\\b", "a\nb", "größe 🙂", "NULL", "%", "`")
NUMBERS = (-3.0, -0.1, 0.0, 0.1, 0.5, 1.0, 1 / 3, 2.5, 24.5, 1e-30, 1e30, 123456.789, 2.0**60,
           -1e39, 1e39)  # fmt: skip


def random_space(rng: np.random.Generator, n: int, *, nan: bool = False) -> ol.Space:
    """Numeric, boolean and categorical features with hostile names."""
    out = []
    for i, name in enumerate(rng.permutation(NAMES)[:n].tolist()):
        kind = i % 6
        own = nan and bool(rng.integers(2))
        if kind == 0:
            out.append(ol.Feature(name, nan=own))
        elif kind == 1:
            out.append(ol.Feature(name, values="float32", nan=own))
        elif kind == 2:
            out.append(ol.Feature(name, values="integer", nan=own))
        elif kind == 3:
            out.append(ol.Feature(name, "boolean"))
        else:
            labels = rng.permutation(TEXTS)[:5].tolist() if kind == 4 else [1, 2, 7]
            out.append(ol.Feature(name, "categorical", categories=tuple(labels), nan=own,
                                  other=bool(rng.integers(2))))  # fmt: skip
    return ol.Space(out)


def random_tree(
    rng: np.random.Generator, space: ol.Space, *, depth: int, classes: tuple[Any, ...]
) -> ol.Tree:
    """A tree that asks features again and again, with dead branches before it is read."""
    arrays: dict[str, list[Any]] = {name: [] for name in (
        "feature", "threshold", "when_true", "when_false", "leaf_class", "nan_true")}  # fmt: skip
    sets: dict[int, list[int]] = {}

    def grow(left: int) -> int:
        node = len(arrays["feature"])
        inner = left > 0 and (left == depth or rng.random() < 0.85)
        i = int(rng.integers(len(space))) if inner else -1
        cut = NUMBERS[rng.integers(len(NUMBERS))]
        if inner and space.features[i].nan and rng.random() < 0.2:
            cut = math.inf
        label = -1 if inner else int(rng.integers(len(classes)))
        row = {"feature": i, "threshold": cut, "when_true": -1, "when_false": -1,
               "leaf_class": label, "nan_true": bool(rng.integers(2))}  # fmt: skip
        for name, value in row.items():
            arrays[name].append(value)
        if inner:
            n = space.features[i].n_values
            if n:
                sets[node] = np.flatnonzero(rng.random(n) < 0.5).tolist()
            elif space.features[i].kind == "boolean":
                arrays["threshold"][node] = 0.0
            arrays["when_true"][node] = grow(left - 1)
            arrays["when_false"][node] = grow(left - 1)
        return node

    grow(depth)
    return ol.Tree(space, classes, sets=sets, **arrays)


def random_table(
    rng: np.random.Generator, space: ol.Space, n: int, *, single: bool = False, nan: bool = True
) -> pa.Table:
    """Rows at the thresholds and beside them, infinite ones, with NULL and NaN.

    ``single``: columns of float32 features are stored as float32. ``nan``: floats hold NaN, too.
    """
    columns: dict[str, pa.Array] = {}
    for feature in space.features:
        gaps = rng.random(n) < 0.3
        values: list[Any]
        if feature.kind == "boolean":
            values, kind = [False, True], pa.bool_()
            if rng.integers(2):
                values, kind = [0, 1], pa.int64()
        elif feature.kind == "categorical":
            text = any(isinstance(label, str) for label in feature.categories)
            values, kind = list(feature.categories), pa.string() if text else pa.int64()
            if feature.other:
                values += ["never seen", "RED"] if text else [5, -1]
        elif feature.values == "integer":
            cuts = [math.floor(x) for x in NUMBERS if abs(x) < 2**53]
            values, kind = sorted({c + d for c in cuts for d in (-1, 0, 1)}), pa.int64()
            values += [2**60, 2**60 + 2**8, -(2**62)]  # 2**60 + 1 is no float64: refused
        else:
            kind = pa.float32() if single and feature.values == "float32" else pa.float64()
            near = [x for cut in NUMBERS for x in neighbours(cut)]
            if feature.values == "float32":  # and where rows are rounded to the next float32
                singles = [np.float32(c) for c in NUMBERS if abs(c) < 1e38]
                middle = [(np.float64(c) + np.nextafter(c, np.float32(d))) / 2
                          for c in singles for d in (-np.inf, np.inf)]  # fmt: skip
                near += [x for m in middle for x in neighbours(float(m))]
            values = [*near, math.inf, -math.inf, 3.5e38, -3.5e38, 1e300, -1e300, 5e-324, -0.0]
            if nan:
                values += [math.nan] * 10
        drawn = [values[k] for k in rng.integers(len(values), size=n)]
        if kind == pa.float32():
            with np.errstate(over="ignore"):
                drawn = [float(np.float32(x)) for x in drawn]
        columns[feature.name] = pa.array(drawn, kind, mask=gaps, from_pandas=False)
    return pa.table(columns)


# -- engines --------------------------------------------------------------------------------------


def run_duckdb(expressions: list[str], table: pa.Table) -> list[list[Any]]:
    import duckdb

    with duckdb.connect() as base:
        base.register("rows", table)
        base.execute("SET preserve_insertion_order = true")
        out = base.sql(f"SELECT {', '.join(f'{e} AS c{i}' for i, e in enumerate(expressions))} "
                       "FROM rows").to_arrow_table()  # fmt: skip
    return [column.to_pylist() for column in out.columns]


def run_sqlite(expressions: list[str], table: pa.Table) -> list[list[Any]]:
    names = ["`" + name.replace("`", "``") + "`" for name in table.column_names]
    kinds = ["TEXT" if pa.types.is_string(t) else "REAL" if pa.types.is_floating(t) else "INTEGER"
             for t in table.schema.types]  # fmt: skip
    base = sqlite3.connect(":memory:")
    try:
        declared = ", ".join(f"{n} {k}" for n, k in zip(names, kinds, strict=True))
        base.execute(f"CREATE TABLE data (row INTEGER PRIMARY KEY, {declared})")
        marks = ", ".join("?" for _ in range(len(names) + 1))
        rows = zip(range(table.num_rows), *(c.to_pylist() for c in table.columns), strict=True)
        base.executemany(f"INSERT INTO data VALUES ({marks})", rows)
        found = base.execute(f"SELECT {', '.join(expressions)} FROM data ORDER BY row").fetchall()
    finally:
        base.close()
    return [list(column) for column in zip(*found, strict=True)]


RUN = {"duckdb": run_duckdb, "sqlite": run_sqlite}


def expected(tree: ol.Tree, table: pa.Table) -> tuple[list[Any], list[Any]]:
    """What predict and ask_next say of each row of a table."""
    return tree.predict(table).to_pylist(), tree.ask_next(table).to_pylist()


@cache
def large(single: bool) -> tuple[ol.Tree, pa.Table, list[Any], list[Any]]:
    """A tree over features of all kinds with hostile names, 10^5 rows, and what we say of them."""
    rng = np.random.default_rng(7 + single)
    space = random_space(rng, 12)
    tree = random_tree(rng, space, depth=7, classes=("low", "middle", "it's high"))
    table = random_table(rng, space, 100_000, single=single)
    return tree, table, *expected(tree, table)
