"""How much a set of trees may take, and what is written of one that took more.

In:  options of ``orderless rashomon`` and ``orderless choose``.
Out: ``SetLimits``, the settings of a ``RashomonSet`` by them, and what to say of a part.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from .options import LIMITS

if TYPE_CHECKING:
    from ..rashomon import TreeSet

__all__ = ["OnLimit", "SetLimits", "about_part", "part_text", "search_settings"]


class OnLimit(StrEnum):
    """What to do where a limit does not suffice."""

    error = "raise"
    part = "part"


@dataclass(frozen=True)
class SetLimits:
    """How much the set may take."""

    PANEL: ClassVar = LIMITS
    limit: Annotated[int, typer.Option(min=1, help="The most functions.")] = 5_000_000
    time_limit: Annotated[
        float, typer.Option(min=0.001, help="Seconds allowed for any one question.")
    ] = 60.0
    memory_limit: Annotated[
        int, typer.Option(min=1, help="The most bytes that the set may take.")
    ] = 4 * 1024**3
    on_limit: Annotated[
        OnLimit,
        typer.Option(
            help="Where time or memory does not suffice: stop with an error, or find a proven part "
            "of the set, which says so."
        ),
    ] = OnLimit.error
    jobs: Annotated[
        int, typer.Option(min=-1, help="Threads that search for the set; -1 for all cores.")
    ] = 1


def search_settings(limits: list[tuple[str, Any]]) -> dict[str, Any]:
    """Give the limits as ``RashomonSet`` has them."""
    given = dict(limits)
    del given["limit"]  # of functions, asked for later
    given["n_jobs"] = given.pop("jobs")
    return given | {"on_limit": given["on_limit"].value}


def about_part(found: TreeSet, limits: SetLimits) -> dict[str, Any]:
    """Say whether the set is complete, and what is proven if not; nothing unless it was allowed."""
    if limits.on_limit != OnLimit.part:
        return {}
    out: dict[str, Any] = {"complete": found.complete}
    if not found.complete:
        out["incomplete"] = found.incomplete
        out["trees_at_most"] = found.n_trees_bounds[1]
        out["objective_at_least"] = float(found.objective_bounds[0])
    return out


def part_text(content: dict[str, Any]) -> str:
    """Say that what is written is of a part of the set; nothing if it is of all."""
    if content.get("complete", True):
        return ""
    return f" All that follows is of a part of the set. It is {content['incomplete']}."
