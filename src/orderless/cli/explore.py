"""``orderless rashomon --explore``: a set as a page to walk in, served to this machine.

In:  a ``TreeSet``, and the rows that it was found on.
Out: the explorer, until Ctrl-C.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from .mistakes import Mistake
from .options import TaskKind

if TYPE_CHECKING:
    from ..rashomon import TreeSet
    from .options import TableOptions
    from .table import Labelled

__all__ = ["ExploreOptions", "serve_explorer"]


@dataclass(frozen=True)
class ExploreOptions:
    """Whether the set is explored in a browser, and where."""

    PANEL: ClassVar = "On this machine"
    explore: Annotated[
        bool,
        typer.Option(
            "--explore",
            help="Instead of counting, serve a page on which to walk among the functions and to "
            "choose one, to browsers on this machine and to no other, until Ctrl-C.",
        ),
    ] = False
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port for --explore; 0 takes any free one.")
    ] = 0

    def check(self, data: TableOptions) -> None:
        """Refuse what does not belong together."""
        if self.port and not self.explore:
            raise Mistake("--port is for --explore, which is not given")
        if self.explore and data.task == TaskKind.regression:
            raise Mistake(
                "--explore is about classes, and trees of --task regression predict numbers: "
                "orderless choose gives their functions as a table"
            )


def serve_explorer(found: TreeSet, given: Labelled, target: str, options: ExploreOptions) -> None:
    """Serve the explorer, and say where it is."""
    from ..output.explorer import explore

    explore(
        found,
        given.typed,
        title=given.name,
        rows=given.typed.assign(**{target: given.y}),
        report_on=(given.typed, given.y),
        port=options.port,
        ready=_say,
    )


def _say(address: str) -> None:
    typer.echo(f"Open {address} in a browser on this machine. Ctrl-C ends it.")
