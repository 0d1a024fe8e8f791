"""``orderless app``: a tree, or a sum of trees, as one page to fill in.

In:  a model file; what the page says.
Out: the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy
from .costs import Costs, OtherCosts, read_costs, read_named_texts
from .mistakes import Mistake
from .number_options import Tolerance
from .options import OUTPUT, FileOptions, HtmlFile, ModelOptions, RowsOptions
from .sink import write_html

if TYPE_CHECKING:
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless app model.json --output page.html\n\n"
    "Example: orderless app forest.skops --time-limit 1 --output page.html\n\n"
    "Example: orderless app model.json --data patients.csv --target diagnosis "
    "--costs age=0,bmi=1,smoker=1,ward=1 -o page.html"
)


def _texts(words: str) -> Any:
    return typer.Option(
        metavar="NAME=TEXT|FILE",
        help=f"{words}; may be given several times, or once as a JSON file {{name: text}}.",
        rich_help_panel=OUTPUT,
    )


@dataclass(frozen=True)
class PageOptions:
    """What the page says."""

    PANEL: ClassVar = OUTPUT
    title: Annotated[str | None, typer.Option(help="The title at the top.")] = None
    description: Annotated[str, typer.Option(help="The text below it.")] = ""
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


def command(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    page: PageOptions,
    output: HtmlFile = None,
    costs: Costs = None,
    other_costs: OtherCosts = None,
    tolerance: Tolerance = None,
) -> None:
    """Write a page on which a person fills in what is known, and reads what is certain.

    One HTML file that needs no other file and no network. With --costs it says what to ask next at
    the least cost; with --data too, by the cheapest policy over these rows. The model may be a
    forest or a boosted model, too: then the page searches for what is certain.
    """
    from .decision import check_numbers, refuse_tolerance
    from .models import source_of

    refuse_tolerance(tolerance, model)
    source = source_of(model, data, files, complete=bool(costs) or other_costs is not None)
    if source.ensemble is not None and data.data is not None:
        raise Mistake(
            f"--data is for the cheapest policy of one tree, and {source.name} holds "
            f"{len(source.ensemble.trees):,}: leave it out"
        )
    if source.ensemble is not None and tolerance is not None:
        raise Mistake(
            f"--tolerance is for the page of one tree, and {source.name} holds "
            f"{len(source.ensemble.trees):,}: leave it out"
        )
    check_numbers(tolerance, source)
    spent = None
    if costs is not None or other_costs is not None:
        spent = read_costs(costs, source.model, files, other_costs)
    with busy("Writing the page"):
        html = _html(source, page, data.target, spent, tolerance)
    write_html(html, output)


def _html(
    source: Source,
    page: PageOptions,
    target: str | None,
    costs: dict[str, float] | None,
    tolerance: float | None,
) -> str:
    from ..output.page import write_page

    shown = source.model if tolerance is None else source.tree.as_regression()
    policy = None
    if costs is not None and source.X is not None:
        from ..api import cheapest_policy

        policy = cheapest_policy(shown, source.X, costs, tolerance=tolerance)
    names, classes = shown.space.names, shown.classes
    return write_page(
        shown,
        title=page.title,
        description=page.description,
        labels=read_named_texts(page.labels, "--labels", names, "feature"),
        units=read_named_texts(page.units, "--units", names, "feature"),
        target_name=(target or "") if page.target_name is None else page.target_name,
        class_names=read_named_texts(page.class_names, "--class-names", classes, "class"),
        costs=costs,
        policy=policy,
        tolerance=tolerance,
        time_limit=page.time_limit,
    )
