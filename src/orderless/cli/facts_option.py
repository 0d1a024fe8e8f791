"""The option ``--facts``: a file of facts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["FactsFile"]

FactsFile = Annotated[
    Path | None,
    typer.Option(
        "--facts",
        metavar="FILE",
        help="TOML or JSON file of facts between features that hold for every row (orderless "
        "data --facts proposes some): answers are then about possible rows only.",
        rich_help_panel="The model",
    ),
]
