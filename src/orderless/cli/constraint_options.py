"""Constraints on the trees of a set, as they are written in a shell.

In:  ``--must-use age --min-leaf 20 --monotone age=+1 ...``.
Out: the parameters of ``RashomonSet`` that say the same; what the output says of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from .costs import read_costs
from .mistakes import Mistake
from .options import FileOptions, finite

if TYPE_CHECKING:
    from ..model import Space
    from ..rashomon import RashomonSet

__all__ = ["ConstraintOptions", "asked", "constraints", "met"]


CONSTRAINTS = (
    "must_use", "must_not_use", "at_most_features", "min_leaf", "max_leaves", "first", "max_cost",
    "costs", "monotone",
)  # fmt: skip


@dataclass(frozen=True)
class ConstraintOptions:
    """What is asked of every tree."""

    PANEL: ClassVar = "Only trees that"
    must_use: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="ask about this; may be given several times."),
    ] = None
    must_not_use: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="do not ask about this; may be given several times."),
    ] = None
    at_most_features: Annotated[
        int | None, typer.Option(min=0, help="ask about at most so many features.")
    ] = None
    min_leaf: Annotated[
        float | None,
        typer.Option(
            min=0,
            callback=finite,
            help="have so many rows in every leaf; below 1, such a share of all rows.",
        ),
    ] = None
    max_leaves: Annotated[int | None, typer.Option(min=1, help="have at most so many leaves.")] = (
        None
    )
    first: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|JSON",
            help="first ask about this column or feature; or begin with several questions: "
            '{"feature": NAME, "true": ..., "false": ...}.',
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0,
            callback=finite,
            help="cost at most this on every path, each feature paid for once: see --costs.",
        ),
    ] = None
    monotone: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE=+1|-1",
            help="never give a row with more of the feature a lower class or number (+1), or a "
            "higher one (-1); may be given several times.",
        ),
    ] = None


@dataclass(frozen=True)
class _Features:
    """All that a table has."""

    space: Space
    features: tuple[str, ...]


def constraints(
    given: ConstraintOptions,
    space: Space,
    costs: str | None,
    other_costs: float | None,
    files: FileOptions,
) -> dict[str, Any]:
    """Give the parameters of a set."""
    prices = None
    if costs is not None or other_costs is not None:
        if given.max_cost is None:
            raise Mistake("--costs are for --max-cost: say what a path may cost, or leave them out")
        prices = read_costs(costs, _Features(space, tuple(space.names)), files, other_costs)
    elif given.max_cost is not None:
        raise Mistake("--max-cost takes --costs: say what the features cost")
    return {
        "must_use": given.must_use or None,
        "must_not_use": given.must_not_use or None,
        "at_most_features": given.at_most_features,
        "min_leaf": given.min_leaf,
        "max_leaves": given.max_leaves,
        "first": _first(given.first),
        "max_cost": given.max_cost,
        "costs": prices,
        "monotone": _directions(given.monotone),
    }


def _first(written: str | None) -> Any:
    if written is None or not written.lstrip().startswith("{"):
        return written
    try:
        return json.loads(written)
    except ValueError as fault:
        raise Mistake(f"--first {written!r:.80} is not JSON: {fault}") from None


def _directions(written: list[str] | None) -> dict[str, int] | None:
    """Read ``age=+1``; names may have ``=`` in them."""
    out: dict[str, int] = {}
    for each in written or ():
        name, _, sign = each.rpartition("=")
        if not name or sign.strip() not in ("+1", "1", "-1"):
            raise Mistake(f"--monotone takes FEATURE=+1 or FEATURE=-1, got {each!r:.80}")
        if name in out:
            raise Mistake(f"--monotone names {name!r:.80} twice")
        out[name] = int(sign)
    return out or None


def asked(rset: RashomonSet) -> dict[str, Any]:
    """Say what was asked of every tree, and why none is left; nothing where nothing was."""
    given = rset.get_params(deep=False)
    own = {name: given[name] for name in CONSTRAINTS if given[name] is not None}
    out: dict[str, Any] = {"constraints": own} if own else {}
    if not rset.trees_:
        out["empty"] = rset.trees_.why_empty
    return out


def met(content: dict[str, Any]) -> str:
    """Say what was asked of every tree; nothing where nothing was."""
    asked = content.get("constraints")
    if not asked:
        return ""
    return f" Only those that meet {', '.join(f'{name}={each}' for name, each in asked.items())}."
