"""``orderless export``: a tree, or what it decides, in another language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..inputs import busy, write_whole
from .mistakes import Mistake
from .options import OUTPUT, FileOptions, LimitOptions, ModelOptions, OutputFile, RowsOptions
from .sink import write

if TYPE_CHECKING:
    from ..api import CanonicalForm

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless export model.json --format dot --output tree.dot\n\n"
    "Example: orderless export model.json --format python --output decide.py"
    "\n\nExample: orderless export model.json --format sql --dialect postgres --table patients"
)


def _dot(form: CanonicalForm) -> str:
    from ..output.code import tree_as_dot

    return tree_as_dot(form.tree.kernel)


# Format: what its files end in, and what writes it. A name stands for a method of the tree.
KINDS: dict[str, tuple[str, Callable[[CanonicalForm], str] | str]] = {
    "json": (".json", lambda form: form.tree.to_json()),
    "rules-json": ("", lambda form: form.to_json()),
    "certificate": ("", lambda form: form.certificate().text),
    "dot": (".dot .gv", _dot),
    "python": (".py", "to_python"),
    "sql": (".sql", "to_sql"),
    "javascript": (".js .mjs", "to_javascript"),
    "pmml": (".pmml", "to_pmml"),
    "text": (".txt", lambda form: str(form.tree)),
    "html": (".html .htm", lambda form: form.to_html()),
    "latex": (".tex", lambda form: form.to_latex()),
    "md": (".md", lambda form: form.to_markdown()),
    "onnx": (".onnx", "to_onnx"),
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
            help="Which SQL, for --format sql: duckdb (left out), postgres, sqlite, spark, mysql "
            "or clickhouse.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="For --format pmml: write the tree itself, for complete rows, not its reasons.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
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
    limits: LimitOptions,
    written: WrittenOptions,
) -> None:
    """Write a tree as SQL, Python, JavaScript, PMML, ONNX and more.

    PMML has all sufficient reasons as rules without a default: an engine gives the class of a row
    with gaps where all ways to fill them agree, and none elsewhere. With --complete it has the tree
    itself, for complete rows. A sum of several trees can be written as PMML or as ONNX,
    which needs --output. orderless compare --export proves that what was written
    decides as the model does.
    """
    output, dialect, table = written.output, written.dialect, written.table
    kind = str(written.format) if written.format is not None else _by_name(output)
    for option, given in (("--dialect", dialect), ("--table", table)):
        if given is not None and kind != "sql":
            raise Mistake(f"{option} is for --format sql, and this writes {kind}")
    if written.complete and kind != "pmml":
        raise Mistake(f"--complete is for --format pmml, and this writes {kind}")
    if dialect is not None:
        from ..output.code import Words

        Words(dialect)  # refuses one that it does not know, before anything is read
    if kind == "onnx":
        _write_onnx(model, written)
        return
    from ..api import CanonicalForm, wrap
    from .models import form_of, source_of

    source = source_of(model, RowsOptions(), FileOptions())
    if source.ensemble is not None and kind == "pmml":
        write(wrap(source.ensemble).to_pmml(), output)
        return
    tree = source.tree
    with busy(f"Writing {kind}"):
        if written.smallest:
            from ..form import smallest_tree

            tree = smallest_tree(tree)
        form = CanonicalForm(form_of(tree, limits))
        how = KINDS[kind][1]
        if callable(how):
            text = how(form)
        else:
            wanted: dict[str, object] = {
                "dialect": dialect,
                "table": None if table is None else table.split("."),
                "complete": written.complete or None,
            }
            chosen = {name: value for name, value in wanted.items() if value is not None}
            text = getattr(form.tree, how)(**chosen)
    write(text, output)


def _write_onnx(model: ModelOptions, written: WrittenOptions) -> None:
    """Write a tree or an ensemble as ONNX, which is no text."""
    from ..api import wrap
    from .models import source_of

    if written.output is None:
        raise Mistake("ONNX is no text: give a file to write it to, --output model.onnx")
    source = source_of(model, RowsOptions(), FileOptions())
    own = wrap(source.model)
    with busy("Writing onnx"):
        if written.smallest:
            own = wrap(source.tree).minimize()
        content = own.to_onnx()
    write_whole(written.output, content)


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
