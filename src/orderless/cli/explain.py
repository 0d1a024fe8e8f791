"""``orderless explain``: rules, reasons, and why single rows get their class."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..inputs import busy
from .mistakes import Mistake
from .options import (
    DataOptions,
    FileOptions,
    Format,
    HoldOutOptions,
    LimitOptions,
    ModelOptions,
    OutputOptions,
)

if TYPE_CHECKING:
    from ..form import CanonicalForm
    from ..output.rules import Shown
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless explain --data patients.csv --target diagnosis --max-depth 4\n\n"
    "Example: orderless explain model.json --row age=45 --row smoker=yes"
)
ROWS = "One row, or several"
SHOWN = "What is shown"


class Sort(StrEnum):
    """What comes first within a class."""

    coverage = "coverage"
    length = "length"


Reasons = Annotated[
    bool, typer.Option("--reasons", help="Every sufficient reason, instead of the fewest rules.")
]


@dataclass(frozen=True)
class RowOptions:
    """Rows to explain."""

    row: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Explain this row; once per feature. What is left out is unknown.",
            rich_help_panel=ROWS,
            show_default=False,
        ),
    ] = None
    rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Explain every row of a CSV or Parquet file.",
            rich_help_panel=ROWS,
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class ShownOptions:
    """Which rules or reasons are shown, and in which order."""

    sort: Annotated[
        Sort | None,
        typer.Option(
            help="First in each class: most rows covered (the default with --data), or fewest "
            "conditions.",
            rich_help_panel=SHOWN,
            show_default=False,
        ),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="At most N rules or reasons of each class; what is left out is counted.",
            rich_help_panel=SHOWN,
            show_default=False,
        ),
    ] = None
    min_rows: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Only those that cover N rows of --data or more.",
            rich_help_panel=SHOWN,
        ),
    ] = 0


def command(
    model: ModelOptions,
    data: DataOptions,
    files: FileOptions,
    hold_out: HoldOutOptions,
    limits: LimitOptions,
    output: OutputOptions,
    which: RowOptions,
    show: ShownOptions,
    reasons: Reasons = False,
) -> None:
    """Write the shortest rules of a tree, every reason, or why a row gets its class.

    With --data, rules are shown with how many rows they cover, and with --target with how many of
    those have the rule's class, followed by how often the tree is right, class by class. If the
    tree was fitted here on the same rows, that is said; --test or --folds judge it on others.
    """
    if (which.row and which.rows) or (reasons and (which.row or which.rows)):
        raise Mistake("give one of --row, --rows and --reasons, not several")
    if (show.sort == Sort.coverage or show.min_rows) and data.data is None:
        raise Mistake("--sort coverage and --min-rows count rows: give them with --data")
    from .models import form_of, source_of
    from .sink import write

    source = source_of(model, data, files, hold_out)
    form = form_of(source.tree, limits)
    if which.row or which.rows is not None:
        from .explained_rows import explained, rows_of

        rows = rows_of(source.tree, which.row, which.rows, data, files)
        write(explained(form, rows, output), output.output)
        return
    with busy(f"Finding {'reasons' if reasons else 'rules'}"):
        text = _terms_text(form, source, "reasons" if reasons else "rules", show, output)
    write(text, output.output)


def _terms_text(
    form: CanonicalForm, source: Source, terms: str, show: ShownOptions, output: OutputOptions
) -> str:
    """Write rules or reasons, and how often the tree is right."""
    from ..output.rules import list_terms, listing_records, quality_as_markdown, quality_as_text
    from .sink import records_as

    shown: Shown = {
        "terms": terms, "sort": show.sort, "top": show.top, "min_rows": show.min_rows,
        "about_rows": source.about_rows,
    }  # fmt: skip
    judged = source.judged
    if output.format == Format.text:
        text = form.to_text(source.X, source.y, **shown)
        return text + (f"\n\n{quality_as_text(judged)}" if judged else "")
    if output.format == Format.md:
        text = form.to_markdown(source.X, source.y, **shown)
        return text + (f"\n\n{quality_as_markdown(judged)}" if judged else "")
    listing = list_terms(form, source.X, source.y, **shown)
    records = listing_records(listing)
    if output.format == Format.csv:
        return records_as(records, Format.csv, safe_csv=output.safe_csv)
    content: dict[str, Any] = {"fingerprint": form.fingerprint, "classes": list(form.classes)}
    if listing.hidden:
        content["not_shown"] = listing.hidden
    if source.rows_record is not None:
        content["data"] = source.rows_record
    if judged:
        content["quality"] = [one.to_dict() for one in judged]
    return json.dumps({**content, terms: records}, ensure_ascii=False, indent=1)
