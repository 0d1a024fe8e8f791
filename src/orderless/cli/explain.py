"""``orderless explain``: rules, reasons, and why single rows get their class."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from .progress import busy

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


def command(
    model: ModelOptions,
    data: DataOptions,
    files: FileOptions,
    hold_out: HoldOutOptions,
    limits: LimitOptions,
    output: OutputOptions,
    reasons: Annotated[
        bool,
        typer.Option("--reasons", help="Every sufficient reason, instead of the fewest rules."),
    ] = False,
    row: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Explain this row; once per feature. What is left out is unknown.",
            rich_help_panel=ROWS,
            show_default=False,
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Explain every row of a CSV or Parquet file.",
            rich_help_panel=ROWS,
            show_default=False,
        ),
    ] = None,
    sort: Annotated[
        Sort | None,
        typer.Option(
            help="First in each class: most rows covered (the default with --data), or fewest "
            "conditions.",
            rich_help_panel=SHOWN,
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="At most N rules or reasons of each class; what is left out is counted.",
            rich_help_panel=SHOWN,
            show_default=False,
        ),
    ] = None,
    min_rows: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Only those that cover N rows of --data or more.",
            rich_help_panel=SHOWN,
        ),
    ] = 0,
) -> None:
    """Write the shortest rules of a tree, every reason, or why a row gets its class.

    With --data, rules are shown with how many rows they cover, and with --target with how many of
    those have the rule's class, followed by how often the tree is right, class by class. If the
    tree was fitted here on the same rows, that is said; --test or --folds judge it on others.
    """
    if (row and rows) or (reasons and (row or rows)):
        raise Mistake("give one of --row, --rows and --reasons, not several")
    if (sort == Sort.coverage or min_rows) and data.data is None:
        raise Mistake("--sort coverage and --min-rows count rows: give them with --data")
    from ..output.rules import list_terms, listing_records, quality_as_markdown, quality_as_text
    from .models import form_of, source_of
    from .sink import records_as, write

    source = source_of(model, data, files, hold_out)
    form = form_of(source.tree, limits)
    if row or rows is not None:
        write(_rows_text(form, _rows(source, row, rows, files), output), output.output)
        return
    terms = "reasons" if reasons else "rules"
    shown: Shown = {
        "terms": terms, "sort": sort, "top": top, "min_rows": min_rows,
        "about_rows": source.about_rows,
    }  # fmt: skip
    with busy(f"Finding {terms}"):
        judged = source.judged
        if output.format == Format.text:
            text = form.to_text(source.X, source.y, **shown)
            text += f"\n\n{quality_as_text(judged)}" if judged else ""
        elif output.format == Format.md:
            text = form.to_markdown(source.X, source.y, **shown)
            text += f"\n\n{quality_as_markdown(judged)}" if judged else ""
        else:
            listing = list_terms(form, source.X, source.y, **shown)
            records = listing_records(listing)
            text = records_as(records, output.format, safe_csv=output.safe_csv)
            if output.format == Format.json:
                content: dict[str, Any] = {
                    "fingerprint": form.fingerprint,
                    "classes": list(form.classes),
                }
                if listing.hidden:
                    content["not_shown"] = listing.hidden
                if source.rows_record is not None:
                    content["data"] = source.rows_record
                if judged:
                    content["quality"] = [one.to_dict() for one in judged]
                text = json.dumps({**content, terms: records}, ensure_ascii=False, indent=1)
    write(text, output.output)


def _rows(
    source: Source, row: list[str] | None, rows: Path | None, files: FileOptions
) -> list[dict[str, Any]]:
    from .cells import frame_for, row_from
    from .files import open_table, style_of

    if row:
        return [row_from(row, source.tree, style_of(files))]
    assert rows is not None
    with open_table(rows, files) as table:
        table.check_missing(source.tree.space.column_names)
        frame = frame_for(source.tree, table.whole(), table.name, style=table.style)
    return [{str(name): value for name, value in one.items()} for one in frame.to_dict("records")]


def _rows_text(form: CanonicalForm, rows: list[dict[str, Any]], output: OutputOptions) -> str:
    from ..model import printable
    from ..output.rules import escaped
    from .sink import records_as

    records, texts = [], []
    for one in rows:
        why, needed = form.explain(one), form.missing_needed(one)
        settle = [list(names) for names in needed.settle] if needed.label is None else []
        records.append({**why.to_dict(), "settle": settle})
        lines = str(why).splitlines()
        if needed.label is None:
            lines += str(needed).splitlines()[1:]
        texts.append([printable(line) for line in lines])
    if output.format == Format.json:
        return json.dumps(
            records if len(records) != 1 else records[0], ensure_ascii=False, indent=1
        )
    if output.format == Format.csv:
        flat = [
            {
                "row": i,
                "prediction": record["label"],
                "possible": record["possible"],
                "necessary": record["necessary"],
                "needed": record["settle"][0] if record["settle"] else [],
                "text": record["text"].replace("\n", " "),
            }
            for i, record in enumerate(records, 1)
        ]
        return records_as(flat, Format.csv, safe_csv=output.safe_csv)
    if output.format == Format.md:
        shown = [[escaped(line) for line in lines] for lines in texts]
        return "\n".join(
            f"{i}. {'  '.join(['', *lines]).strip()}" if len(shown) > 1 else "\n\n".join(lines)
            for i, lines in enumerate(shown, 1)
        )
    if len(texts) == 1:
        return "\n".join(texts[0])
    return "\n".join(
        "\n".join([f"Row {i:,}: {lines[0]}", *(f"  {line}" for line in lines[1:])])
        for i, lines in enumerate(texts, 1)
    )
