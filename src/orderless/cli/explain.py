"""``orderless explain``: rules, reasons, and why single rows get their class."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .mistakes import Mistake
from .options import (
    DataOptions,
    FileOptions,
    Format,
    LimitOptions,
    ModelOptions,
    OutputOptions,
)
from .progress import busy

if TYPE_CHECKING:
    from ..canonical import CanonicalForm
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless explain --data patients.csv --target diagnosis --max-depth 4\n\n"
    "Example: orderless explain model.json --row age=45 --row smoker=yes"
)
ROWS = "One row, or several"


def command(
    model: ModelOptions,
    data: DataOptions,
    files: FileOptions,
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
) -> None:
    """Write the shortest rules of a tree, every reason, or why a row gets its class.

    With --data, rules are shown with how many rows they cover, and with --target with how many of
    those have the rule's class. If the tree was fitted here on the same rows, that is said.
    """
    if (row and rows) or (reasons and (row or rows)):
        raise Mistake("give one of --row, --rows and --reasons, not several")
    from ..output.listing import list_terms
    from ..output.records import listing_records
    from .models import form_of, source_of
    from .sink import records_as, write

    source = source_of(model, data, files)
    form = form_of(source.tree, limits)
    if row or rows is not None:
        write(_rows_text(form, _rows(source, row, rows, files), output.format), output.output)
        return
    terms = "reasons" if reasons else "rules"
    with busy(f"Finding {terms}"):
        if output.format == Format.text:
            text = form.to_text(source.X, source.y, terms=terms, about_rows=source.about_rows)
        elif output.format == Format.md:
            text = form.to_markdown(source.X, source.y, terms=terms, about_rows=source.about_rows)
        else:
            records = listing_records(list_terms(form, source.X, source.y, terms))
            text = records_as(records, output.format)
            if output.format == Format.json:
                content: dict[str, Any] = {
                    "fingerprint": form.fingerprint,
                    "classes": list(form.classes),
                }
                if source.rows_record is not None:
                    content["data"] = source.rows_record
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


def _rows_text(form: CanonicalForm, rows: list[dict[str, Any]], written: Format) -> str:
    from ..output.markdown import escaped
    from ..words import printable
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
    if written == Format.json:
        return json.dumps(
            records if len(records) != 1 else records[0], ensure_ascii=False, indent=1
        )
    if written == Format.csv:
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
        return records_as(flat, Format.csv)
    if written == Format.md:
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
