"""``orderless report``: everything that can be said of one tree, as one page."""

from __future__ import annotations

from typing import Annotated

import typer

from .costs import Costs, read_costs
from .mistakes import Mistake
from .options import OUTPUT, DataOptions, FileOptions, HtmlFile, ModelOptions
from .progress import busy
from .sink import write_html

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless report --data patients.csv --target diagnosis --output report.html\n\n"
    "Example: orderless report model.json --data patients.csv --target diagnosis "
    "--costs age=0,smoker=5 -o report.html"
)


def command(
    model: ModelOptions,
    data: DataOptions,
    files: FileOptions,
    output: HtmlFile = None,
    costs: Costs = None,
    title: Annotated[
        str, typer.Option(help="What stands at the top.", rich_help_panel=OUTPUT)
    ] = "What this decision tree decides",
) -> None:
    """Write a page on one tree: rules, reasons, gaps, importance, costs, and trees about as good.

    One HTML file that needs no other file and no network, in light and dark, on screen and paper.
    """
    from ..output.report import report
    from .models import source_of

    source = source_of(model, data, files, complete=True)
    if source.X is None or source.y is None:
        raise Mistake(
            "a report judges the tree on labelled rows: add --data FILE and --target COLUMN"
        )
    spent = None if costs is None else read_costs(costs, source.tree, files)
    about = {"tree from": source.name, "rows from": str(data.data)}
    if model.model is None:
        about["fitted by"] = (
            f"scikit-learn DecisionTreeClassifier(max_depth={data.max_depth}, "
            f"min_samples_leaf={data.min_leaf}, random_state=0)"
        )
        about["rows read"] = "; ".join(source.notes)
    with busy("Writing the report"):
        page = report(
            source.tree,
            source.X,
            source.y,
            spent,
            title=title,
            about=about,
            about_rows=source.about_rows,
        )
    write_html(page.html, output)
