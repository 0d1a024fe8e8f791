"""``orderless check``: whether an export decides every row as the model that it was made from."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import Undecided
from ..inputs import busy
from .mistakes import one_line
from .options import LIMITS, AllowPickle, Format, OutputOptions, SpaceFile, finite
from .prove import REFUTED, UNDECIDED
from .sink import as_json, records_as, write

__all__ = ["EXAMPLE", "command"]


class Floats(StrEnum):
    """Which numbers rows hold."""

    float64 = "float64"
    float32 = "float32"


EXAMPLE = (
    "Example: orderless check model.skops model.onnx\n\n"
    "Example: orderless check model.ubj model.onnx --floats float32 --format json"
)


def command(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The model: JSON, skops, UBJ, ...")
    ],
    artifact: Annotated[
        Path, typer.Argument(metavar="ARTIFACT", help="The export: ONNX, PMML, ...")
    ],
    output: OutputOptions,
    floats: Annotated[
        Floats,
        typer.Option(help="Which numbers rows hold: any, or float32 only."),
    ] = Floats.float64,
    missing: Annotated[
        bool,
        typer.Option(help="Whether rows with missing values are compared, too."),
    ] = True,
    tolerance: Annotated[
        float,
        typer.Option(min=0.0, callback=finite, help="By how much numbers may differ."),
    ] = 0.0,
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.001,
            callback=finite,
            help="Seconds for all searches, where one of the two is an ensemble.",
            rich_help_panel=LIMITS,
        ),
    ] = 10.0,
    allow_pickle: AllowPickle = False,
    space: SpaceFile = None,
) -> None:
    """Prove that an export decides every row as the model that it was made from.

    Both files are read and compared for every possible row, missing values included where both have
    learned what to do with them. Where they differ, a row is shown, and what the artifact's own
    engine says of it. The exit code is 0 if it is proven, 4 if they differ, and 5 if it is
    undecided.
    """
    from ..connect import check_export
    from .models import load_model, read_space

    known = None if space is None else read_space(space)
    source = load_model(
        model, allow_pickle=allow_pickle, space=known, nan="value" if missing else "unknown"
    )
    with busy("Comparing"):
        try:
            found = check_export(
                source, artifact, floats=floats.value, missing=missing, tolerance=tolerance,
                time_limit=time_limit,
            )  # fmt: skip
        except Undecided as fault:
            _write({"proven": None, "text": f"Undecided: {one_line(fault)}"}, output)
            raise typer.Exit(UNDECIDED) from None
    _write(found.to_dict(), output)
    if not found:
        raise typer.Exit(REFUTED)


def _write(content: dict[str, Any], output: OutputOptions) -> None:
    if output.format == Format.json:
        write(as_json(content, allow_nan=False), output.output)
    elif output.format == Format.text:
        write(content["text"], output.output)
    else:
        flat = {key: content.get(key) for key in ("proven", "text")}
        write(records_as([flat], output.format, safe_csv=output.safe_csv), output.output)
