"""Options that are about numbers, in the table or in the leaves; see options.py.

In:  what is typed.
Out: ``Loss``, ``Thresholds`` and ``Tolerance``, as a command takes them.

Annotations are not postponed here: typer would compile each of them again for every command.
"""

from enum import StrEnum
from typing import Annotated, Any

import typer

from .mistakes import Mistake
from .options import TableOptions, TaskKind, finite

__all__ = ["Loss", "LossKind", "Thresholds", "Tolerance", "loss_of", "refuse_numbers"]


class LossKind(StrEnum):
    """What makes a number wrong."""

    squared = "squared"
    absolute = "absolute"


def _thresholds(given: str) -> str:
    if given not in ("guess", "all") and not (given.isdecimal() and 1 <= int(given) <= 1_000_000):
        raise typer.BadParameter(
            "must be 'guess', 'all' for every cut point, or a whole number from 1 to 1,000,000 of "
            f"quantiles for each feature, got {given!r:.80}"
        )
    return given


Loss = Annotated[
    LossKind | None,
    typer.Option(
        help="For numbers: whether the squared error counts (squared, the default) or the distance "
        "(absolute)."
    ),
]
Thresholds = Annotated[
    str,
    typer.Option(
        metavar="guess|all|N",
        callback=_thresholds,
        help="Where numbers are cut: where a boosted ensemble of small trees would, between all "
        "neighbouring values, or at N quantiles of each feature.",
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        min=0,
        callback=finite,
        metavar="WIDTH",
        help="Of numbers: stop as soon as those that are possible are at most this far apart.",
    ),
]


def loss_of(data: TableOptions, loss: LossKind | None) -> str:
    """Give the loss of a set by the task of the table, and by --loss."""
    if data.task != TaskKind.regression:
        return "errors"
    return (loss or LossKind.squared).value


def refuse_numbers(data: TableOptions, **options: Any) -> None:
    """Refuse options that are about numbers where there are classes."""
    for name, value in options.items():
        if value is not None and data.task != TaskKind.regression:
            raise Mistake(f"--{name} is for numbers: add --task regression, or leave it out")
