"""``orderless export``: a tree, or what it decides, in another language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..inputs import busy
from .mistakes import Mistake
from .options import OUTPUT, DataOptions, FileOptions, LimitOptions, ModelOptions, OutputFile
from .sink import write

if TYPE_CHECKING:
    from ..form import CanonicalForm

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless export model.json --format dot --output tree.dot\n\n"
    "Example: orderless export --data patients.csv --target diagnosis --format python -o decide.py"
    "\n\nExample: orderless export model.json --format sql --dialect postgres --table patients"
)


def _dot(form: CanonicalForm) -> str:
    from ..output.code import tree_as_dot

    return tree_as_dot(form.tree)


# Format: what its files end in, and what writes it. A name stands for a method of the form.
KINDS: dict[str, tuple[str, Callable[[CanonicalForm], str] | str]] = {
    "json": (".json", lambda form: form.tree.to_json()),
    "rules-json": ("", "to_json"),
    "certificate": ("", lambda form: form.certificate().text),
    "dot": (".dot .gv", _dot),
    "python": (".py", "to_python"),
    "sql": (".sql", "to_sql"),
    "javascript": (".js .mjs", "to_javascript"),
    "text": (".txt", lambda form: str(form.tree)),
    "html": (".html .htm", "to_html"),
    "latex": (".tex", "to_latex"),
    "md": (".md", "to_markdown"),
}
Kind = StrEnum("Kind", {name: name for name in KINDS})  # type: ignore[misc]


@dataclass(frozen=True)
class WrittenOptions:
    """What is written, and where."""

    output: OutputFile = None
    format: Annotated[
        Kind | None,
        typer.Option(
            "--format",
            "-f",
            help="What to write; by default what the name of --output ends in, else json.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    smallest: Annotated[
        bool,
        typer.Option("--smallest", help="Export the smallest tree that decides the same instead."),
    ] = False
    dialect: Annotated[
        str | None,
        typer.Option(
            help="Which SQL, for --format sql: duckdb (left out), postgres, sqlite, spark, mysql, "
            "bigquery, snowflake, tsql or oracle.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="[SCHEMA.]TABLE",
            help="For --format sql: a query that adds the prediction to this table, instead of an "
            "expression.",
            rich_help_panel=OUTPUT,
        ),
    ] = None


def command(
    model: ModelOptions,
    data: DataOptions,
    files: FileOptions,
    limits: LimitOptions,
    written: WrittenOptions,
) -> None:
    """Write a tree as JSON, Graphviz (dot) or text, or its rules in other languages.

    There is no PMML and no ONNX: the packages that write them (sklearn2pmml, which needs Java, and
    skl2onnx) take scikit-learn models, which Tree.to_sklearn() gives, and neither format can say
    that a row with gaps is certain exactly where all ways to fill them agree.
    """
    output, dialect, table = written.output, written.dialect, written.table
    kind = str(written.format) if written.format is not None else _by_name(output)
    for option, given in (("--dialect", dialect), ("--table", table)):
        if given is not None and kind != "sql":
            raise Mistake(f"{option} is for --format sql, and this writes {kind}")
    if dialect is not None:
        from ..output.code import Words

        Words(dialect)  # refuses one that it does not know, before anything is fitted
    from .models import form_of, source_of

    tree = source_of(model, data, files).tree
    with busy(f"Writing {kind}"):
        if written.smallest:
            from ..form import smallest_tree

            tree = smallest_tree(tree)
        form = form_of(tree, limits)
        how = KINDS[kind][1]
        if callable(how):
            text = how(form)
        else:
            wanted = {"dialect": dialect, "table": None if table is None else table.split(".")}
            chosen = {name: value for name, value in wanted.items() if value is not None}
            text = getattr(form, how)(**chosen)
    write(text, output)


def _by_name(output: Path | None) -> str:
    if output is None:
        return "json"
    ending = output.suffix.lower()
    found = [n for n in Kind.__members__ if ending and ending in KINDS[n][0].split()]
    if not found:
        raise Mistake(
            f"{output.name} does not say what to write: give --format, one of "
            f"{', '.join(Kind.__members__)}"
        )
    return found[0]
