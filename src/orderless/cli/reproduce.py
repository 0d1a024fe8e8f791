"""``orderless reproduce``: the paper's tables and figures, beside what was published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from .mistakes import Mistake
from .options import OUTPUT, Format
from .sink import records_as, write

__all__ = ["EXAMPLE", "command"]

EXAMPLE = "Example: orderless reproduce figure-and --quick --output pages"
WORK = "How it is run"


Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME...]", help="Targets, or all. Left out: the targets are listed."),
]


@dataclass(frozen=True)
class WorkOptions:
    """How much is run, and where."""

    PANEL: ClassVar = WORK
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Run a small version that takes seconds, instead of the paper's size."
        ),
    ] = False
    cache: Annotated[
        bool,
        typer.Option(
            help="Reuse pieces that were finished before, with these parameters, this data and "
            "this code."
        ),
    ] = True
    jobs: Annotated[
        int,
        typer.Option(
            help="How many pieces are run at once; -1 for as many as there are processors."
        ),
    ] = 1
    backend: Annotated[
        str | None,
        typer.Option(
            help="A backend of joblib: loky (processes), threading, dask or ray (the cluster that "
            "DASK_SCHEDULER_ADDRESS or RAY_ADDRESS names, else one on this machine)."
        ),
    ] = None


Folder = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="The folder for the pages, one per target with its tables and figures, and for the "
        "cache.",
        rich_help_panel=OUTPUT,
    ),
]
ListFormat = Annotated[
    Format,
    typer.Option(
        "--format", "-f", help="How the list of targets is written.", rich_help_panel=OUTPUT
    ),
]


def command(
    work: WorkOptions,
    names: Names = None,
    output: Folder = Path("reproduction"),
    format: ListFormat = Format.text,  # noqa: A002  the name of the option
) -> None:
    """Run tables and figures of the paper, and write what came out beside what was published.

    Without a name, the targets are listed. Interrupted work continues where it stopped.
    """
    from ..inputs import near
    from ..reproduce import ALIASES, check_backend, run, targets

    if not names:
        listed = [
            {"name": target.name, "in the paper": target.place, "shows": target.title}
            for target in targets()
        ]
        write(records_as(listed, format), None)
        return
    known = ["all", *(target.name for target in targets()), *ALIASES]
    for name in names:
        if name not in known:
            raise Mistake(
                f"there is no target {name!r:.80}{near(name, known)}: list them with `orderless "
                "reproduce`"
            )
    if work.jobs == 0:
        raise Mistake("--jobs must be 1 or more, or -1 for all processors, got 0")
    if work.backend is not None:
        check_backend(work.backend)
    if output.exists() and not output.is_dir():
        raise Mistake(f"{output} is a file: give --output the name of a folder")
    run(names, output, quick=work.quick, cache=work.cache, n_jobs=work.jobs,
        backend=work.backend, announce=typer.echo)  # fmt: skip
