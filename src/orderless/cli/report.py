"""``orderless report``: what is known of a model, as a report, a page to fill in, or a card."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy
from .costs import Costs, OtherCosts, read_costs, read_named_texts
from .mistakes import Mistake
from .number_options import Tolerance
from .options import OUTPUT, FileOptions, ModelOptions, RowsOptions
from .sink import write, write_html

if TYPE_CHECKING:
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless report model.json --data patients.csv --target diagnosis -o report.html\n\n"
    "Example: orderless report model.json --as page --costs age=0,smoker=5 -o page.html\n\n"
    "Example: orderless report model.json --as card --data patients.csv --target diagnosis "
    "--intended-use Teaching. -o card.md"
)


class Kind(StrEnum):
    """What is written."""

    report = "report"
    page = "page"
    card = "card"


class WrittenAs(StrEnum):
    """How it is written."""

    html = "html"
    md = "md"
    json = "json"


@dataclass(frozen=True)
class WrittenReport:
    """What is written, how, and where."""

    PANEL: ClassVar = OUTPUT
    kind: Annotated[
        Kind,
        typer.Option(
            "--as",
            help="report: everything that can be said of the model; page: a form on which a person "
            "fills in what is known, and reads what is certain; card: a model card.",
        ),
    ] = Kind.report
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write here, all or nothing: HTML; a card also as .md or .json.",
        ),
    ] = None
    written: Annotated[
        WrittenAs | None,
        typer.Option(
            "--format",
            "-f",
            help="By default what the name of --output ends in, else html, and md for a card.",
        ),
    ] = None
    title: Annotated[str | None, typer.Option(help="The title at the top.")] = None


@dataclass(frozen=True)
class ReportOptions:
    """What a report or a card says beside what is computed."""

    PANEL: ClassVar = "Of a report or a card"
    risk_of: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="Whose risk a report's section on thresholds is about; by default that of the "
            "class with the fewest training rows.",
        ),
    ] = None
    intended_use: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="For what, and by whom, the model is meant to be used: for a card, and a report "
            "then has one.",
        ),
    ] = None
    limitations: Annotated[
        str, typer.Option(metavar="TEXT", help="A card: for what it must not be used.")
    ] = ""
    authors: Annotated[str, typer.Option(metavar="TEXT", help="A card: who made it.")] = ""
    license: Annotated[str, typer.Option(metavar="ID", help="A card: such as apache-2.0.")] = ""
    protected: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE",
            help="A card: is it proven that the model ignores this feature? May be repeated.",
        ),
    ] = None


PAGE = "Of a page to fill in"


def _texts(words: str) -> Any:
    return typer.Option(
        metavar="NAME=TEXT|FILE",
        help=f"{words}; may be given several times, or once as a JSON file {{name: text}}.",
        rich_help_panel=PAGE,
    )


@dataclass(frozen=True)
class PageOptions:
    """What a page to fill in says."""

    PANEL: ClassVar = PAGE
    description: Annotated[str, typer.Option(help="The text below the title.")] = ""
    labels: Annotated[list[str] | None, _texts("What people call a feature")] = None
    units: Annotated[list[str] | None, _texts("What a feature is measured in")] = None
    class_names: Annotated[list[str] | None, _texts("What people call a class")] = None
    target_name: Annotated[
        str | None,
        typer.Option(
            help="What the tree decides, above the answer; by default the name of --target."
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Of a forest or boosted model: seconds that the page may work on an answer; "
            "by default half a second.",
        ),
    ] = None
    tolerance: Tolerance = None


def command(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    written: WrittenReport,
    report: ReportOptions,
    page: PageOptions,
    costs: Costs = None,
    other_costs: OtherCosts = None,
) -> None:
    """Write a report of a model, a page to fill in, or a model card.

    The report has rules, reasons, gaps, importance, costs, and trees about as good; of a forest or
    a boosted model: what is certain with gaps, which values matter, and reasons. The page says what
    is certain of a row that a person fills in, and with --costs what to ask next, by the cheapest
    policy over the rows of --data. The card has data, intended use, performance with intervals (of
    Clopper and Pearson), and what is proven for every possible row.

    Report and page are one HTML file that needs no other file and no network, in light and dark, on
    screen and paper.
    """
    how = _format(written)
    _refuse(written.kind, report, page)
    spent = (costs, other_costs)
    if written.kind == Kind.page:
        write_html(_page(model, data, files, written, page, spent), written.output)
    elif written.kind == Kind.card:
        write(_card(model, data, files, written, report, spent, how), written.output)
    else:
        write_html(_report(model, data, files, written, report, spent), written.output)


def _format(written: WrittenReport) -> WrittenAs:
    """Return how something is written, by the option or by the name of the file."""
    ending = "" if written.output is None else written.output.suffix.lower()
    by_name = WrittenAs.__members__.get({".htm": "html"}.get(ending, ending[1:]))
    if written.kind != Kind.card:
        if written.written not in (None, WrittenAs.html):
            raise Mistake(f"a {written.kind} is HTML, not {written.written}: leave out --format")
        return WrittenAs.html
    if written.output is not None and written.written is None and by_name is None:
        raise Mistake(f"{written.output.name} must end in .md, .html or .json, or give --format")
    return written.written or by_name or WrittenAs.md


def _refuse(kind: Kind, report: ReportOptions, page: PageOptions) -> None:
    """Refuse options that say nothing of what is written."""
    of_page: list[tuple[Any, Any]] = [(field, page) for field in fields(page)]
    of_both: list[tuple[Any, Any]] = [(field, report) for field in fields(report)]
    used = {
        Kind.page: {field.name for field, _ in of_page},
        Kind.card: {field.name for field, _ in of_both} - {"risk_of"},
        Kind.report: {"risk_of", "intended_use"},
    }[kind]
    useless = [pair for pair in (*of_page, *of_both) if pair[0].name not in used]
    for field, group in useless:
        if getattr(group, field.name) != field.default:
            other = "page" if group is page else "report" if field.name == "risk_of" else "card"
            raise Mistake(
                f"--{field.name.replace('_', '-')} is for --as {other}, and this writes a {kind}: "
                "leave it out"
            )


def _labelled(
    model: ModelOptions, data: RowsOptions, files: FileOptions, what: str
) -> tuple[Source, Any, list[Any]]:
    """Return a model with complete rows and their labels."""
    from .models import source_of

    source = source_of(model, data, files, complete=True)
    if source.X is None or source.y is None:
        raise Mistake(
            f"a {what} judges the model on labelled rows: add --data FILE and --target COLUMN"
        )
    return source, source.X, source.y


def _spent(
    spent: tuple[str | None, float | None], source: Source, files: FileOptions, *, one: bool = True
) -> dict[str, float] | None:
    """Return what features cost, if that is said; ``one``: the model must be one tree."""
    return (
        None
        if spent == (None, None)
        else read_costs(spent[0], source.tree if one else source.model, files, spent[1])
    )


# -- a report --------------------------------------------------------------------------------------


def _report(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    written: WrittenReport,
    options: ReportOptions,
    spent: tuple[str | None, float | None],
) -> str:
    from ..output.pages import report
    from .decision import risk_class

    source, X, y = _labelled(model, data, files, "report")
    risk_of, use = options.risk_of, options.intended_use
    card = {"intended_use": use, "data": str(data.data), "target": data.target or ""}
    costs = _spent(spent, source, files)
    with busy("Writing the report"):
        return report(
            source.model,
            X,
            y,
            costs,
            title=written.title,
            about=_about(data, source),
            about_rows=source.about_rows,
            made_by=None if use is None else source.made_by,
            card=None if use is None else card,
            risk_of=None if risk_of is None else risk_class(risk_of, source.tree, source.name),
        ).html


def _about(data: RowsOptions, source: Source) -> dict[str, str]:
    """Say where the tree and its rows come from, for "How this was made"."""
    about = {"tree from": source.name, "rows from": str(data.data)}
    if source.decision:
        about["decision"] = source.decision
    if source.notes:
        about["rows read"] = "; ".join(source.notes)
    return about


# -- a card ----------------------------------------------------------------------------------------


def _card(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    written: WrittenReport,
    options: ReportOptions,
    spent: tuple[str | None, float | None],
    how: WrittenAs,
) -> str:
    from ..output.pages import model_card

    if options.intended_use is None:
        raise Mistake("a model card needs --intended-use TEXT, which only you can say")
    source, X, y = _labelled(model, data, files, "card")
    costs = _spent(spent, source, files)
    with busy("Writing the card"):
        card = model_card(
            source.model,
            X,
            y,
            costs,
            name=written.title or source.name,
            intended_use=options.intended_use,
            limitations=options.limitations,
            authors=options.authors,
            license=options.license,
            data=str(data.data),
            target=data.target or "",
            protected=options.protected or (),
            about_rows=source.about_rows,
            made_by=source.made_by,
        )
    if how == WrittenAs.html:
        return card.to_html()
    return card.to_json() if how == WrittenAs.json else card.to_markdown()


# -- a page to fill in -----------------------------------------------------------------------------


def _page(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    written: WrittenReport,
    page: PageOptions,
    spent: tuple[str | None, float | None],
) -> str:
    from ..api import cheapest_policy
    from ..output.page import write_page
    from .decision import check_numbers, refuse_tolerance
    from .models import source_of

    tolerance = page.tolerance
    refuse_tolerance(tolerance, model)
    source = source_of(model, data, files, complete=spent != (None, None))
    if source.ensemble is not None:
        for option, value, what in (
            ("--data", data.data, "for the cheapest policy of one tree"),
            ("--tolerance", tolerance, "for the page of one tree"),
        ):
            if value is not None:
                raise Mistake(
                    f"{option} is {what}, and {source.name} holds "
                    f"{len(source.ensemble.trees):,}: leave it out"
                )
    check_numbers(tolerance, source)
    costs = _spent(spent, source, files, one=False)
    shown = source.model if tolerance is None else source.tree.as_regression()
    names, classes = shown.space.names, shown.classes
    with busy("Writing the page"):
        policy = None
        if costs is not None and source.X is not None:
            policy = cheapest_policy(shown, source.X, costs, tolerance=tolerance)
        return write_page(
            shown,
            title=written.title,
            description=page.description,
            labels=read_named_texts(page.labels, "--labels", names, "feature"),
            units=read_named_texts(page.units, "--units", names, "feature"),
            target_name=(data.target or "") if page.target_name is None else page.target_name,
            class_names=read_named_texts(page.class_names, "--class-names", classes, "class"),
            costs=costs,
            policy=policy,
            tolerance=tolerance,
            time_limit=page.time_limit,
        )
