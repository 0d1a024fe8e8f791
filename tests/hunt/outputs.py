"""What is written decides as ``predict`` does: SQL, expressions, Python, JavaScript, JSON."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import sqlglot

import orderless as ol

from . import drawing
from .grid import Grid
from .missing import Case as Rows, Told, a_row, allowed, certain, labels_of
from .model import Ask, Feat, Leaf, Node, Split, to_json
from .running import Wrong, literal, same, without_one

NODE = shutil.which("node")
PARSED = ("clickhouse", "mysql", "postgres", "spark")
SHAPES = ("auto", "reasons", "tree")


@dataclass(frozen=True)
class Case:
    """A tree and rows, complete in part."""

    feats: tuple[Feat, ...]
    classes: list[Any]
    tree: Node
    rows: tuple[Told, ...]

    def read(self) -> Any:
        return ol.Tree.from_json(to_json(self.feats, self.tree, self.classes))

    def named(self, row: Told) -> dict[str, Any]:
        return {self.feats[at].name: value for at, value in row.items()}

    @property
    def expected(self) -> list[Any]:
        """By brute force over all completions."""
        rows = Rows(self.feats, self.classes, self.tree, self.rows, ())
        grid = Grid.of(self.feats, self.tree)
        return [certain(labels_of(rows, allowed(rows, grid, row))) for row in self.rows]

    @property
    def tabular(self) -> Case:
        """Only rows that a table can hold: NULL is "missing" where that is a value."""
        fine = tuple(
            row
            for row in self.rows
            if all(at in row for at, feat in enumerate(self.feats) if feat.nan)
        )
        return replace(self, rows=fine)


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=4)
    classes = rng.choice(drawing.CLASSES)
    tree = drawing.tree(rng, feats, classes, rng.randint(1, 8))
    Grid.of(feats, tree)
    rows = [a_row(rng, feats, tree, rng.choice([0.0, 0.2, 0.5])) for _ in range(25)]
    return Case(feats, classes, tree, tuple(rows))


def smaller(case: Case) -> Iterator[Case]:
    if len(case.rows) > 1:
        for row in case.rows:
            yield replace(case, rows=(row,))
    for tree in without_one(case.tree):
        yield replace(case, tree=tree)


def show(case: Case) -> str:
    text = to_json(case.feats, case.tree, case.classes)
    return (
        "import orderless as ol\nfrom math import inf, nan\n"
        f"tree = ol.Tree.from_json({literal(text)})\n"
        f"rows = {[case.named(row) for row in case.rows]!r}\n"
        "print(tree.predict(rows).tolist())"
    )


def as_predicted(case: Case) -> None:
    rows = [case.named(row) for row in case.rows]
    tree = case.read()
    form = ol.canonicalize(tree)
    read = ol.CanonicalForm.from_json(form.to_json())
    for what in (tree, form, read, ol.Tree.from_json(tree.to_json()), form.tree.minimize()):
        same(f"{type(what).__name__}.predict", what.predict(rows).tolist(), case.expected)


def in_python(case: Case) -> None:
    space: dict[str, Any] = {}
    exec(case.read().to_python(), space)  # what we wrote ourselves
    got = [space["decide"](case.named(row)) for row in case.rows]
    same("to_python", got, case.expected)
    for row, label in zip(case.rows, case.expected, strict=True):
        reason = space["why"](case.named(row))
        same("why() gives a reason where it is determined", bool(reason), label is not None)


def for_javascript(value: Any) -> Any:
    if isinstance(value, float):
        return {"number": "Infinity" if value == math.inf else
                "-Infinity" if value == -math.inf else repr(value)}  # fmt: skip
    return value


def in_javascript(case: Case) -> None:
    if NODE is None:
        return
    rows = [
        {name: for_javascript(value) for name, value in case.named(row).items()}
        for row in case.rows
    ]
    program = (
        case.read().to_javascript(module=False)
        + f"\nconst text = {json.dumps(json.dumps(rows))};\n"
        + "const real = (key, one) => (one && one.number ? Number(one.number) : one);\n"
        + "const rows = JSON.parse(text, real);"
        + "\nconst said = rows.map((row) => [globalThis.orderless.decide(row),"
        + " globalThis.orderless.possibleClasses(row).length]);\nconsole.log(JSON.stringify(said));"
    )
    done = subprocess.run([NODE, "-"], input=program, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Wrong("the script runs", done.stderr[-600:])
    said = json.loads(done.stdout)
    same("to_javascript", [one[0] for one in said], case.expected)
    for (_, number), label in zip(said, case.expected, strict=True):
        same("one possible class where it is determined", number == 1, label is not None)


def column_type(feat: Feat) -> str:
    if feat.kind == "boolean":
        return "BOOLEAN"
    if feat.kind != "categorical":
        return "DOUBLE"
    if all(isinstance(label, str) for label in feat.labels):
        return "VARCHAR"
    if all(isinstance(label, int) for label in feat.labels):
        return "BIGINT"
    return "DOUBLE" if not any(isinstance(label, str) for label in feat.labels) else ""


def table_of(case: Case) -> list[list[Any]]:
    return [[row.get(at) for at in range(len(case.feats))] for row in case.rows]


def fits_a_table(case: Case) -> bool:
    folded = {feat.name.casefold() for feat in case.feats}
    return all(column_type(feat) for feat in case.feats) and len(folded) == len(case.feats)


def in_engine(case: Case, dialect: str, base: Any) -> None:
    quoted = ['"' + feat.name.replace('"', '""') + '"' for feat in case.feats]
    types = [column_type(feat) for feat in case.feats]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, types, strict=True))
    base.execute(f"CREATE TABLE t (place_ INTEGER, {columns})")
    marks = ", ".join("?" * (len(quoted) + 1))
    rows = [[at, *row] for at, row in enumerate(table_of(case))]
    base.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    tree = case.read()
    asked = tree.ask_next([case.named(row) for row in case.rows]).tolist()
    for shape in SHAPES:
        for needed, expected in ((None, case.expected), ("next", asked)):
            text = tree.to_sql(dialect=dialect, shape=shape, needed=needed)
            got = base.execute(f"SELECT {text} FROM t ORDER BY place_").fetchall()
            same(f"{dialect}, {shape}, needed={needed}", [one[0] for one in got], expected)
    whole = base.execute(tree.to_sql(dialect=dialect, table="t")).fetchall()
    answers = [one[-1] for one in sorted(whole, key=lambda one: one[0])]
    same(f"{dialect}, whole query", answers, case.expected)


def in_sqlite(case: Case) -> None:
    case = case.tabular
    if fits_a_table(case) and case.rows:
        with sqlite3.connect(":memory:") as base:
            in_engine(case, "sqlite", base)
        base.close()


def in_duckdb(case: Case) -> None:
    case = case.tabular
    if fits_a_table(case) and case.rows:
        with duckdb.connect(":memory:") as base:
            in_engine(case, "duckdb", base)


def in_other_dialects(case: Case) -> None:
    tree = case.read()
    for dialect in PARSED:
        try:
            text = tree.to_sql(dialect=dialect, table="t")
        except ol.errors.InvalidSpace as fault:
            if not any(repr(name) in str(fault) for name in tree.features):
                raise Wrong(f"{dialect} says which name it cannot write", str(fault)) from None
            continue
        try:
            sqlglot.parse_one(text, read=dialect)
        except sqlglot.errors.SqlglotError as fault:
            raise Wrong(f"{dialect} parses", str(fault)[:300], text) from None


def in_polars(case: Case) -> None:
    case = case.tabular
    if not fits_a_table(case) or not case.rows:
        return
    types = {"BOOLEAN": pl.Boolean, "DOUBLE": pl.Float64, "VARCHAR": pl.String, "BIGINT": pl.Int64}
    columns = list(zip(*table_of(case), strict=True))
    frame = pl.DataFrame(
        [
            pl.Series(feat.name, values, dtype=types[column_type(feat)], strict=False)
            for feat, values in zip(case.feats, columns, strict=True)
        ]
    )
    tree = case.read()
    asked = tree.ask_next([case.named(row) for row in case.rows]).tolist()
    for needed, expected in ((None, case.expected), ("next", asked)):
        try:
            expression = tree.to_expression(needed=needed)
        except ol.errors.InvalidSpace as fault:
            if "pattern of names" not in str(fault):
                raise
            continue
        answers = nw.from_native(frame).lazy().with_columns(expression.alias("a_")).collect()
        same(f"polars, needed={needed}", answers["a_"].to_list(), expected)
    same("predict of a polars frame", tree.predict(frame).to_list(), case.expected)


YES, NO = Leaf(True), Leaf(False)
TRUE = (Feat("true", "float64"),)
PATTERN = (Feat("^a.*$", "boolean"), Feat("abc", "boolean"))
KEPT = (
    Case(TRUE, [False, True], Split(Ask(0, 0.5), YES, NO), ({0: 0.25}, {0: 2.0}, {})),
    Case(
        PATTERN, [False, True], Split(Ask(0), NO, YES), ({0: True, 1: False}, {0: False, 1: False})
    ),
    Case(PATTERN, [False, True], YES, ({0: True, 1: False}, {0: False, 1: True})),
)
CHECKS = (
    as_predicted, in_python, in_javascript, in_sqlite, in_duckdb, in_other_dialects, in_polars,
)  # fmt: skip
