"""``orderless fit``: a model of a table, its rules, how good it is, and a file of it.

In:  a table with a target; how to fit, or a model that is there already.
Out: the tree, its rules, and how it does on rows that it did not see; the model as JSON, which all
     other commands take.

Annotations are not postponed here: typer would compile each of them again for every command.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..errors import OutOfTime, TooLarge, TooManyReasons
from ..inputs import busy
from ..model import printable
from .facts_option import FactsFile
from .mistakes import Mistake, one_line
from .options import (
    DATA,
    OUTPUT,
    FileOptions,
    Format,
    LimitOptions,
    ReadOptions,
    SafeCsv,
    TableOptions,
    TaskKind,
    finite,
)
from .sink import as_json, tree_text, write

if TYPE_CHECKING:
    from ..model import SumKernel, TreeKernel
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless fit patients.csv --target diagnosis --output model.json\n\n"
    "Example: orderless fit patients.csv --target diagnosis --max-depth 2 --test 0.3\n\n"
    "Example: orderless fit patients.csv --target diagnosis --model old.json -o model.json"
)


@dataclass(frozen=True, kw_only=True)
class FitTable(TableOptions):
    """A table to fit a model on."""

    PANEL: ClassVar = DATA
    data: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV or Parquet file with a header, or the name of a data set (orderless "
            "data lists them).",
        ),
    ] = field()
    task: Annotated[
        TaskKind | None,
        typer.Option(
            help="Whether the target holds classes, or numbers that a regression tree is fitted "
            "to. By default many different numbers are numbers, anything else is classes.",
        ),
    ] = None  # type: ignore[assignment]


@dataclass(frozen=True)
class FitOptions:
    """How a model is fitted."""

    PANEL: ClassVar = "How it is fitted"
    max_depth: Annotated[
        int | None,
        typer.Option(min=1, help="The most conditions on a path; 4, and 3 for --optimal."),
    ] = None
    min_leaf: Annotated[int, typer.Option(min=1, help="The fewest rows in a leaf.")] = 1
    forest: Annotated[bool, typer.Option("--forest", help="A random forest of 100 trees.")] = False
    optimal: Annotated[
        bool,
        typer.Option(
            "--optimal",
            help="The best tree of its depth, by the share of wrong rows (of numbers: of squared "
            "error) and what each leaf costs, instead of one that is grown greedily.",
        ),
    ] = False
    regularization: Annotated[
        float, typer.Option(min=0, callback=finite, help="What a leaf costs, for --optimal.")
    ] = 0.01
    other: Annotated[
        bool,
        typer.Option(
            "--other",
            help="Give each text column one more value, for every text that it was not fitted on. "
            "Without it such a text is not known to the tree.",
        ),
    ] = False


@dataclass(frozen=True)
class HoldOutOptions:
    """Rows that a model does not see, to judge it on."""

    PANEL: ClassVar = "How it is judged"
    test: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Fit on the other rows, and judge the model on this share of the rows, chosen at "
            "random with the same share of every class.",
        ),
    ] = None
    test_rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the rows of --test as CSV too, for the other commands, with commas between "
            "cells and points for decimals.",
        ),
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Fit on all rows, and judge this way of fitting by cross-validation: each part of "
            "the rows is predicted by a model that was fitted on the others. 5 where "
            "--test is not given; 0 judges on the rows of the fit alone.",
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**32 - 1, help="Seed of the random choice for --test, --folds and --forest."
        ),
    ] = 0


@dataclass(frozen=True, kw_only=True)
class StartOptions(ReadOptions):
    """A model that is there already, and what is known."""

    PANEL: ClassVar = "A model that is there already"
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Fit nothing: read this model, show what it decides on the table, and save it "
            "with its columns, facts and decision.",
        ),
    ] = None
    facts: FactsFile = None


@dataclass(frozen=True)
class SavedOptions:
    """Where the model goes, and how the rest is written."""

    PANEL: ClassVar = OUTPUT
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save the model here as JSON, which all other commands take; - writes it, and "
            "nothing else, to standard output.",
        ),
    ] = None
    format: Annotated[
        Format,
        typer.Option("--format", "-f", help="How the tree, its rules and its quality are written."),
    ] = Format.text
    safe_csv: SafeCsv = False


def command(
    data: FitTable,
    files: FileOptions,
    how: FitOptions,
    hold_out: HoldOutOptions,
    start: StartOptions,
    limits: LimitOptions,
    saved: SavedOptions,
) -> None:
    """Fit a tree, show its rules and how good it is, and save it.

    The tree is scikit-learn's, or with --optimal the best of its depth; --forest fits many. Rows
    with gaps are left out of fitting, and it is said how many; they are judged with their gaps.
    With --model nothing is fitted: a model of a file is shown on the table, and saved with what
    --space, --facts or --at say of it.
    """
    from .fitting import fitted_source, model_source, refuse_fitting
    from .table import say

    if start.model is None:
        source = fitted_source(data, files, how, hold_out, start)
    else:
        refuse_fitting(start.model, data, how, hold_out)
        source = model_source(data, files, start)
    to_stdout = str(saved.output) == "-"
    content = _model_json(source.model)
    if to_stdout:
        write(content, None)
        return
    text = _report(source, limits, saved.format, safe_csv=saved.safe_csv)
    if saved.output is not None:
        write(content, saved.output)
    write(text, None)
    where = f"saved in {saved.output}" if saved.output else "not saved: --output FILE keeps it"
    say([printable(where)], quiet=data.quiet, what="Model")


def _model_json(model: "TreeKernel | SumKernel") -> str:
    from ..api import wrap

    return wrap(model).to_json()


def _report(source: "Source", limits: LimitOptions, form: Format, *, safe_csv: bool) -> str:
    """Write the tree, its rules and how good it is."""
    from ..model import SumKernel
    from .explain import RULES, terms_text
    from .judging import judged_markdown, judged_text
    from .models import form_of

    model = source.model
    if isinstance(model, SumKernel):
        return _about_sum(source, model, form)
    with busy("Finding rules"):
        try:
            rules = terms_text(
                form_of(model, limits),
                source,
                RULES,
                form,
                safe_csv=safe_csv,
                more={"tree": str(model)},
            )
        except (OutOfTime, TooLarge, TooManyReasons) as fault:
            if form in (Format.csv, Format.json):
                raise
            quality = judged_markdown if form == Format.md else judged_text
            quality_text = [quality(source.judged)] if source.judged else []
            rules = "\n\n".join([f"No rules: {one_line(fault)}.", *quality_text])
    if form in (Format.csv, Format.json):
        return rules
    return f"{tree_text(str(model), form)}\n\n{rules}"


def _about_sum(source: "Source", model: "SumKernel", form: Format) -> str:
    """Write how good a sum of trees is: it has no short list of rules."""
    from .judging import judged_markdown, judged_text

    n_leaves = sum(tree.n_leaves for tree in model.trees)
    judged = source.judged
    content: dict[str, Any] = {"trees": len(model.trees), "leaves": n_leaves}
    if form == Format.json:
        return as_json(
            content | {"data": source.rows_record, "quality": [one.to_dict() for one in judged]}
        )
    if form == Format.csv:
        raise Mistake("a sum of trees has no rules, which CSV would hold: leave out --format csv")
    quality = judged_markdown if form == Format.md else judged_text
    head = f"A sum of {len(model.trees):,} trees with {n_leaves:,} leaves."
    return "\n\n".join([head, quality(judged)] if judged else [head])
