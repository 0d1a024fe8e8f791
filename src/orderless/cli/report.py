"""``orderless report``: everything that can be said of one tree, as one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..inputs import busy
from .costs import Costs, OtherCosts, read_costs
from .mistakes import Mistake
from .options import OUTPUT, FileOptions, HtmlFile, ModelOptions, RowsOptions
from .sink import write_html

if TYPE_CHECKING:
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless report model.json --data patients.csv --target diagnosis -o report.html\n\n"
    "Example: orderless report model.json --data patients.csv --target diagnosis "
    "--costs age=0,smoker=5 -o report.html"
)


def command(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    output: HtmlFile = None,
    costs: Costs = None,
    other_costs: OtherCosts = None,
    risk_of: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="Whose risk the section on thresholds is about; by default that of the class with "
            "the fewest training rows.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="The title at the top.", rich_help_panel=OUTPUT)
    ] = None,
    intended_use: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="If given, the page has a model card (see orderless card)."
        ),
    ] = None,
) -> None:
    """Write a page on one tree: rules, reasons, gaps, importance, costs, and trees about as good.

    Of a forest or a boosted model: what is certain with gaps, which values matter, and reasons.

    One HTML file that needs no other file and no network, in light and dark, on screen and paper.
    """
    from ..output.pages import report
    from .decision import risk_class
    from .models import source_of

    source = source_of(model, data, files, complete=True)
    if source.X is None or source.y is None:
        raise Mistake(
            "a report judges the tree on labelled rows: add --data FILE and --target COLUMN"
        )
    spent = None
    if costs is not None or other_costs is not None:
        spent = read_costs(costs, source.tree, files, other_costs)
    about = _about(data, source)
    with busy("Writing the report"):
        page = report(
            source.model,
            source.X,
            source.y,
            spent,
            title=title,
            about=about,
            about_rows=source.about_rows,
            made_by=source.made_by if intended_use is not None else None,
            card=None if intended_use is None else _card(intended_use, data),
            risk_of=None if risk_of is None else risk_class(risk_of, source.tree, source.name),
        )
    write_html(page.html, output)


def _about(data: RowsOptions, source: Source) -> dict[str, str]:
    """Say where the tree and its rows come from, for "How this was made"."""
    about = {"tree from": source.name, "rows from": str(data.data)}
    if source.decision:
        about["decision"] = source.decision
    if source.notes:
        about["rows read"] = "; ".join(source.notes)
    return about


def _card(intended_use: str, data: RowsOptions) -> dict[str, str]:
    return {"intended_use": intended_use, "data": str(data.data), "target": data.target or ""}
