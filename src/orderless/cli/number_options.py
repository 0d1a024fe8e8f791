"""Options that are about trees of numbers; see options.py.

In:  what is typed.
Out: ``Loss`` and ``Within``, as a command takes them.

Annotations are not postponed here: typer would compile each of them again for every command.
"""

from enum import StrEnum
from typing import Annotated

import typer

from .options import finite

__all__ = ["Loss", "LossKind", "Within"]


class LossKind(StrEnum):
    """What makes a number wrong."""

    squared = "squared"
    absolute = "absolute"


Loss = Annotated[
    LossKind | None,
    typer.Option(
        help="For numbers: whether the squared error counts (squared, the default) or the distance "
        "(absolute)."
    ),
]
Within = Annotated[
    float | None,
    typer.Option(
        min=0,
        callback=finite,
        metavar="WIDTH",
        help="Of numbers: stop as soon as those that are possible are at most this far apart.",
    ),
]
