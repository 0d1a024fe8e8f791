"""``orderless card``: a model card, as Markdown, HTML or JSON."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from ..inputs import busy
from .costs import Costs, OtherCosts, read_costs
from .mistakes import Mistake
from .options import OUTPUT, FileOptions, ModelOptions, RowsOptions
from .sink import write

__all__ = ["EXAMPLE", "CardOptions", "command"]

EXAMPLE = (
    "Example: orderless card model.json --data patients.csv --target diagnosis "
    '--intended-use "Teaching." --output card.md\n\n'
    "Example: orderless card model.json --data patients.csv --target diagnosis "
    '--intended-use "Triage." --protected ward -o card.html'
)


class CardKind(StrEnum):
    """How a card is written."""

    md = "md"
    html = "html"
    json = "json"


@dataclass(frozen=True)
class CardOptions:
    """What only people know of a model."""

    PANEL: ClassVar[str] = "What only you know"
    intended_use: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="For what, and by whom, the model is meant to be used."),
    ] = None
    limitations: Annotated[
        str, typer.Option(metavar="TEXT", help="For what it must not be used.")
    ] = ""
    authors: Annotated[str, typer.Option(metavar="TEXT", help="Who made it.")] = ""
    license: Annotated[str, typer.Option(metavar="ID", help="Such as apache-2.0.")] = ""
    protected: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE",
            help="Is it proven that the model ignores this feature? May be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class WrittenCard:
    """How a card is written, and where."""

    PANEL: ClassVar[str] = OUTPUT
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="The model's name.")] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A file that ends in .md, .html or .json."
        ),
    ] = None
    kind: Annotated[
        CardKind | None,
        typer.Option(
            "--format", "-f", help="By default what the name of --output ends in, else md."
        ),
    ] = None


def command(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    told: CardOptions,
    written: WrittenCard,
    costs: Costs = None,
    other_costs: OtherCosts = None,
) -> None:
    """Write a model card: data, intended use, performance with intervals, and what is proven.

    Which features the model ignores, and where it is monotone, is proven for every possible row.
    Intervals are those of Clopper and Pearson.
    """
    from ..output.pages import model_card
    from .models import source_of

    if told.intended_use is None:
        raise Mistake("a model card needs --intended-use TEXT, which only you can say")
    output = written.output
    ending = "" if output is None else output.suffix.lower()
    chosen = written.kind or CardKind.__members__.get({".htm": "html"}.get(ending, ending[1:]))
    if output is not None and chosen is None:
        raise Mistake(f"{output.name} must end in .md, .html or .json, or give --format")
    source = source_of(model, data, files, complete=True)
    if source.X is None or source.y is None:
        raise Mistake(
            "a card judges the model on labelled rows: add --data FILE and --target COLUMN"
        )
    spent = None
    if costs is not None or other_costs is not None:
        spent = read_costs(costs, source.tree, files, other_costs)
    with busy("Writing the card"):
        card = model_card(
            source.model, source.X, source.y, spent, name=written.name or source.name,
            intended_use=told.intended_use, limitations=told.limitations, authors=told.authors,
            license=told.license, data=str(data.data), target=data.target or "",
            protected=told.protected or (), about_rows=source.about_rows,
            made_by=source.made_by,
        )  # fmt: skip
    text = {CardKind.html: card.to_html, CardKind.json: card.to_json}.get(
        chosen or CardKind.md, card.to_markdown
    )()
    write(text, output)
