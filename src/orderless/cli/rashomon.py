"""``orderless rashomon``: all near-optimal trees of a table, counted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..inputs import busy
from .mistakes import Mistake
from .options import LIMITS, OUTPUT, FileOptions, Format, OutputOptions, TableOptions, finite

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless rashomon --data patients.csv --target diagnosis --ignore id\n\n"
    "Example: orderless rashomon --data wisconsin --max-depth 2 --functions 5"
)
SET = "Which trees"


@dataclass(frozen=True)
class SetOptions:
    """Which trees are near-optimal."""

    max_depth: Annotated[
        int, typer.Option(min=0, max=20, help="Most conditions on a path.", rich_help_panel=SET)
    ] = 3
    regularization: Annotated[
        float,
        typer.Option(min=0, callback=finite, help="What a leaf costs.", rich_help_panel=SET),
    ] = 0.01
    epsilon: Annotated[
        float,
        typer.Option(
            min=0,
            callback=finite,
            help="How far from the smallest objective trees may be. The objective is the share of "
            "wrong rows + regularization x leaves.",
            rich_help_panel=SET,
        ),
    ] = 0.02


@dataclass(frozen=True)
class ShownOptions:
    """Which members of the set are shown."""

    trees: Annotated[
        int,
        typer.Option(min=0, help="Show so many trees, the best first.", rich_help_panel=OUTPUT),
    ] = 0
    functions: Annotated[
        int,
        typer.Option(
            min=0,
            help="Show so many different functions, the best first.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the objectives as .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class SetLimits:
    """How much the set may take."""

    limit: Annotated[int, typer.Option(min=1, help="Most functions.", rich_help_panel=LIMITS)] = (
        5_000_000
    )
    time_limit: Annotated[
        float,
        typer.Option(min=0.001, help="Most seconds for any one question.", rich_help_panel=LIMITS),
    ] = 60.0
    memory_limit: Annotated[
        int,
        typer.Option(min=1, help="Most bytes that the set may take.", rich_help_panel=LIMITS),
    ] = 4 * 1024**3


def command(
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    which: SetOptions,
    show: ShownOptions,
    limits: SetLimits,
) -> None:
    """Count all near-optimal trees, and the different functions that they are.

    Numbers are cut where a boosted ensemble of small trees would (threshold guessing); columns of 0
    and 1 stay as they are; text becomes one column per value. Features that no tree can ask about,
    because they are constant or have no threshold, are named. CSV is one table: the trees, the
    functions, or how many trees have which objective.
    """
    if data.data is None:
        raise Mistake("near-optimal trees are those of a table: add --data FILE --target COLUMN")
    if show.trees and show.functions and output.format == Format.csv:
        raise Mistake("a CSV file is one table: give --trees or --functions, not both")
    from ..rashomon import RashomonSet
    from .rashomon_text import content_of, written
    from .sink import write, write_figure
    from .table import labelled

    given = labelled(data, files)
    with busy("Finding all near-optimal trees"):
        found = RashomonSet(
            which.max_depth, which.regularization, which.epsilon,
            given.space if data.infer_kinds else None,
            memory_limit=limits.memory_limit, time_limit=limits.time_limit,
        ).fit(given.typed, given.y)  # fmt: skip
        content = content_of(
            found, given.name, len(given.X), show.trees, show.functions, limits.limit
        )
        content["notes"] = given.summary.head()
    write(written(content, output), output.output)
    if show.plot is not None:
        write_figure(found.plot_objectives, show.plot)
