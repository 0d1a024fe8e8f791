"""``orderless explain``: rules, reasons, why single rows get their class, and letters about it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy
from ..model import printable
from .mistakes import Mistake
from .options import (
    OUTPUT,
    FileOptions,
    Format,
    LimitOptions,
    ModelOptions,
    OutputOptions,
    RowsOptions,
    SafeCsv,
    refuse_beside,
)
from .sink import as_json, records_as, write, write_result

if TYPE_CHECKING:
    from ..form import Form
    from ..model import SumKernel, TreeKernel
    from ..output.rules import Shown
    from .models import Source

__all__ = ["EXAMPLE", "REASONS", "RULES", "command", "terms_text"]

EXAMPLE = (
    "Example: orderless explain model.json --data patients.csv --target diagnosis\n\n"
    "Example: orderless explain model.json --row age=45 --row smoker=yes\n\n"
    "Example: orderless explain model.json --at ill=0.2\n\n"
    "Example: orderless explain model.json --rows rows.csv --letter codes.csv -o letters.html"
)
Why = tuple[dict[str, Any], list[str]]  # a record, and lines of text
ROWS = "One row, or several"
SHOWN = "What is shown"
RULES, REASONS = "rules", "reasons"


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

    PANEL: ClassVar = ROWS
    row: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Explain this row; once per feature. What is left out is unknown.",
        ),
    ] = None
    rows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Explain every row of a CSV or Parquet file."),
    ] = None


@dataclass(frozen=True)
class LetterOptions:
    """What stands in a letter."""

    PANEL: ClassVar = "Letters"
    letter: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a letter for each row of --rows, with the codes of this CSV file: it has "
            "the columns feature, code, text, and perhaps direction (low or high).",
        ),
    ] = None
    adverse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS",
            help="The decision that letters are for; may be repeated. Default: all.",
        ),
    ] = None
    at_most: Annotated[
        int, typer.Option(min=1, help="Reasons that a letter explains; it names the others.")
    ] = 4
    immutable: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="What a person cannot change; may be repeated."),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names a row; by default rows are counted from 1.",
        ),
    ] = None


class ExplainFormat(StrEnum):
    """How explanations are written; html is for letters."""

    text = "text"
    json = "json"
    csv = "csv"
    md = "md"
    html = "html"


@dataclass(frozen=True)
class ExplainOutput:
    """Where explanations go, and how they are written."""

    PANEL: ClassVar = OUTPUT
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write here, all or nothing, instead of to the screen. Letters: a file for all "
            "(.txt, .html or .json), or a folder with a file for each and index.csv.",
        ),
    ] = None
    format: Annotated[
        ExplainFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="How it is written; by default text, or what the name of a file of letters ends "
            "in. html is for letters.",
        ),
    ] = None
    safe_csv: SafeCsv = False

    def plain(self) -> OutputOptions:
        """Return the same for what is no letter."""
        if self.format == ExplainFormat.html:
            raise Mistake(
                "--format html is for --letter; rules as a page: orderless export --format html"
            )
        written = Format.text if self.format is None else Format(str(self.format))
        return OutputOptions(self.output, written, self.safe_csv)


@dataclass(frozen=True)
class ShownOptions:
    """Which rules or reasons are shown, and in which order."""

    PANEL: ClassVar = SHOWN
    sort: Annotated[
        Sort | None,
        typer.Option(
            help="First in each class: most rows covered (the default with --data), or fewest "
            "conditions."
        ),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="At most N rules or reasons of each class; what is left out is counted.",
        ),
    ] = None
    min_rows: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Only those that cover N rows of --data or more."),
    ] = 0


def command(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    limits: LimitOptions,
    output: ExplainOutput,
    which: RowOptions,
    letters: LetterOptions,
    show: ShownOptions,
    reasons: Reasons = False,
) -> None:
    """Write the rules of a tree, or why a row gets its class.

    Rows can also be explained of a forest or a boosted model, and to the people whom they are
    about: --letter writes the principal reasons of each decision, with codes.

    With --data, rules are shown with how many rows they cover, and with --target with how many of
    those have the rule's class, followed by how often the tree is right, class by class.
    """
    if (which.row and which.rows) or (reasons and (which.row or which.rows)):
        raise Mistake("give one of --row, --rows and --reasons, not several")
    if (show.sort == Sort.coverage or show.min_rows) and data.data is None:
        raise Mistake("--sort coverage and --min-rows count rows: give them with --data")
    if letters.letter is not None:
        _write_letters(model, data, files, limits, output, which, letters, (show, reasons))
        return
    refuse_beside("what is no --letter", letters)
    _explain(model, data, files, limits, output.plain(), which, show, reasons=reasons)


def _write_letters(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    limits: LimitOptions,
    output: ExplainOutput,
    which: RowOptions,
    letters: LetterOptions,
    others: tuple[ShownOptions, bool],
) -> None:
    from .letter import write_letters
    from .models import source_of

    refuse_beside("--letter", others[0])
    if which.rows is None or others[1]:
        raise Mistake("--letter writes letters for the rows of a file: give --rows FILE alone")
    if data.data is not None:
        raise Mistake("--data does nothing beside --letter: the rows are those of --rows")
    source = source_of(model, data, files)
    write_letters(source, which.rows, data, files, letters, output, limits.time_limit)


def _explain(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    limits: LimitOptions,
    output: OutputOptions,
    which: RowOptions,
    show: ShownOptions,
    *,
    reasons: bool,
) -> None:
    from .models import form_of, source_of

    source = source_of(model, data, files)
    many = source.ensemble
    if many is not None:
        if not which.row and which.rows is None:
            raise Mistake(
                f"{source.name} holds a sum of {len(many.trees):,} trees, which has no short list "
                "of rules: explain rows, with --row NAME=VALUE or --rows FILE"
            )
        rows = _rows_of(many, which, data, files)
        _write_rows([_why(many, one, limits) for one in rows], output)
        return
    form = form_of(source.tree, limits)
    if which.row or which.rows is not None:
        rows = _rows_of(source.tree, which, data, files)
        _write_rows([_why(form, one, limits) for one in rows], output)
        return

    terms = REASONS if reasons else RULES
    with busy(f"Finding {terms}"):
        text = terms_text(form, source, terms, output.format, show, safe_csv=output.safe_csv)
    write(text, output.output)


# -- rules and reasons -----------------------------------------------------------------------------


def terms_text(
    form: Form,
    source: Source,
    terms: str,
    written: Format,
    show: ShownOptions | None = None,
    *,
    safe_csv: bool = False,
    more: Mapping[str, Any] | None = None,
) -> str:
    """Write rules or reasons, and how often the tree is right; JSON holds ``more``, too."""
    from ..output.rules import form_as_markdown, form_as_text, list_terms, listing_records
    from .judging import judged_markdown, judged_text

    show = show or ShownOptions()
    shown: Shown = {
        "terms": terms, "sort": show.sort, "top": show.top, "min_rows": show.min_rows,
        "about_rows": source.about_rows,
    }  # fmt: skip
    judged = source.judged
    y = source.y
    if written == Format.text:
        text = form_as_text(form, source.X, y, **shown)
        return text + (f"\n\n{judged_text(judged)}" if judged else "")
    if written == Format.md:
        text = form_as_markdown(form, source.X, y, **shown)
        return text + (f"\n\n{judged_markdown(judged)}" if judged else "")
    listing = list_terms(form, source.X, y, **shown)
    records = listing_records(listing)
    if written == Format.csv:
        return records_as(records, Format.csv, safe_csv=safe_csv)
    content: dict[str, Any] = {"fingerprint": form.fingerprint, "classes": list(form.classes)}
    content |= more or {}
    if source.decision:
        content["decision"] = source.decision
    if listing.hidden:
        content["not_shown"] = listing.hidden
    if source.rows_record is not None:
        content["data"] = source.rows_record
    if judged:
        content["quality"] = [one.to_dict() for one in judged]
    return as_json({**content, terms: records})


# -- single rows: why each gets its class ----------------------------------------------------------


def _why(model: Form | SumKernel, row: dict[str, Any], limits: LimitOptions) -> Why:
    """Explain a row; what is not found out in time is said in the text."""
    from ..errors import InvalidTree, OutOfTime, TooManyReasons, Undecided
    from ..questions import explain

    why = explain(model, row, limit=limits.limit, time_limit=limits.time_limit)
    settle: list[list[str]] = []
    if why.status == "open":
        with suppress(InvalidTree, Undecided, OutOfTime, TooManyReasons):
            settle = [list(names) for names in why.needed.settle]
    return {**why.to_dict(), "settle": settle}, str(why).splitlines()


def _rows_of(
    tree: TreeKernel | SumKernel, which: RowOptions, data: RowsOptions, files: FileOptions
) -> list[dict[str, Any]]:
    """Read the rows to explain."""
    from ..inputs import NOT_GIVEN
    from .files import open_table, style_of
    from .rows import frame_with_unseen, row_from

    if which.row:
        return [row_from(which.row, tree, style_of(files))]
    assert which.rows is not None
    with open_table(which.rows, files) as table:
        table.check_missing(tree.space.column_names)
        frame = frame_with_unseen(tree, table.whole(), table.name, table.style, data)
    records = frame.to_dict("records")
    return [{str(name): value for name, value in one.items() if value is not NOT_GIVEN}
            for one in records]  # fmt: skip


def _write_rows(found: list[Why], output: OutputOptions) -> None:
    """Say why each row gets its class, or what it depends on."""
    records = [record for record, _ in found]
    texts = [[printable(line) for line in lines] for _, lines in found]
    flat = [
        {
            "row": i,
            "prediction": record["label"],
            "possible": record["possible"],
            **dict(zip(("lower", "upper"), record.get("interval", ()), strict=False)),
            "necessary": record["necessary"],
            "needed": record["settle"][0] if record["settle"] else [],
            "text": record["text"].replace("\n", " "),
        }
        for i, record in enumerate(records, 1)
    ]
    content = records if len(records) != 1 else records[0]
    text = _rows_markdown if output.format == Format.md else _rows_text
    write_result(output, content, flat, lambda: text(texts))


def _rows_text(texts: list[list[str]]) -> str:
    if len(texts) == 1:
        return "\n".join(texts[0])
    return "\n".join(
        "\n".join([f"Row {i:,}: {lines[0]}", *(f"  {line}" for line in lines[1:])])
        for i, lines in enumerate(texts, 1)
    )


def _rows_markdown(texts: list[list[str]]) -> str:
    from ..output.rules import escaped

    shown = [[escaped(line) for line in lines] for lines in texts]
    if len(shown) == 1:
        return "\n\n".join(shown[0])
    return "\n".join(f"{i}. {'  '.join(['', *lines]).strip()}" for i, lines in enumerate(shown, 1))
