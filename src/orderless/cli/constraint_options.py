"""Constraints on the trees of a set, as they are written in a shell.

In:  ``--must-use age --min-leaf 20 --monotone age=+1 ...``.
Out: conditions on the trees of a ``RashomonSet``; what the output says of them.
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
    from ..rashomon import Condition, TreeSet

__all__ = ["ConstraintOptions", "asked", "constraints", "met"]


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
) -> list[Condition]:
    """Read the options as conditions."""
    from ..rashomon import member

    prices = None
    if costs is not None or other_costs is not None:
        if given.max_cost is None:
            raise Mistake("--costs are for --max-cost: say what a path may cost, or leave them out")
        prices = read_costs(costs, _Features(space, tuple(space.names)), files, other_costs)
    elif given.max_cost is not None:
        raise Mistake("--max-cost takes --costs: say what the features cost")
    out = [member.uses(name) for name in given.must_use or ()]
    out += [~member.uses(name) for name in given.must_not_use or ()]
    if given.at_most_features is not None:
        out.append(member.n_features <= given.at_most_features)
    if given.min_leaf is not None:
        out.append(member.min_leaf >= given.min_leaf)
    if given.max_leaves is not None:
        out.append(member.leaves <= given.max_leaves)
    if given.first is not None:
        out.append(member.root == _first(given.first))
    if given.max_cost is not None:
        out.append(member.path_cost(prices) <= given.max_cost)
    if given.monotone:
        out.append(member.monotone(_directions(given.monotone)))
    return out


def _first(written: str) -> Any:
    if not written.lstrip().startswith("{"):
        return written
    try:
        return json.loads(written)
    except ValueError as fault:
        raise Mistake(f"--first {written!r:.80} is not JSON: {fault}") from None


def _directions(written: list[str]) -> dict[str, int]:
    """Read ``age=+1``; names may have ``=`` in them."""
    out: dict[str, int] = {}
    for each in written:
        name, _, sign = each.rpartition("=")
        if not name or sign.strip() not in ("+1", "1", "-1"):
            raise Mistake(f"--monotone takes FEATURE=+1 or FEATURE=-1, got {each!r:.80}")
        if name in out:
            raise Mistake(f"--monotone names {name!r:.80} twice")
        out[name] = int(sign)
    return out


def asked(trees: TreeSet) -> dict[str, Any]:
    """Say what was asked of every tree, and why none is left; nothing where nothing was."""
    texts = [str(condition) for condition in trees.conditions]
    out: dict[str, Any] = {"constraints": texts} if texts else {}
    if not trees:
        out["empty"] = trees.why_empty
    return out


def met(content: dict[str, Any]) -> str:
    """Say what was asked of every tree; nothing where nothing was."""
    texts = content.get("constraints")
    return f" Only those that meet {', '.join(texts)}." if texts else ""
