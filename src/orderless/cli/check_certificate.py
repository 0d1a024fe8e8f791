"""``orderless check-certificate``: whether what a certificate states holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..inputs import busy, read_file, write_whole
from .mistakes import Mistake, one_line
from .options import LIMITS, AllowPickle, ReadOptions, SpaceFile
from .prove import REFUTED, UNDECIDED
from .sink import write

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless check-certificate certificate.json\n\n"
    "Example: orderless check-certificate certificate.json --model model.json\n\n"
    "Example: orderless check-certificate --write-checker check_certificate.py"
)


def command(
    certificate: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The certificate, as JSON.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The tree that it should be about: it must be the same."),
    ] = None,
    write_checker: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the independent checker, a Python program without dependencies.",
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(min=1, help="How many steps checking may take.", rich_help_panel=LIMITS),
    ] = 20_000_000,
    allow_pickle: AllowPickle = False,
    space: SpaceFile = None,
) -> None:
    """Check a certificate with a program that shares nothing with the rest of orderless.

    Certificates are written by export --format certificate, and in Python by certificate(). The
    exit code is 0 if everything that it states holds, 4 if not, and 5 if that takes too many steps.
    """
    from ..errors import InvalidData, Undecided
    from ..output.certificates import check_certificate, checker

    if write_checker is not None:
        write_whole(write_checker, checker())
        if certificate is None:
            return
    if certificate is None:
        raise Mistake("name the certificate, or give --write-checker FILE")
    from .models import loader, one_tree

    known = None
    if model is not None:
        known = one_tree(
            loader(ReadOptions(allow_pickle=allow_pickle, space=space))(model), model.name
        )
    text = read_file(certificate)
    try:
        with busy("Checking"):
            lines = check_certificate(text, model=known, limit=limit)
    except InvalidData as fault:
        write(_sentence(fault), None)
        raise typer.Exit(REFUTED) from None
    except Undecided as fault:
        write(_sentence(fault), None)
        raise typer.Exit(UNDECIDED) from None
    write("\n".join([*lines, "Valid."]), None)


def _sentence(fault: Exception) -> str:
    """Give a message as a sentence."""
    text = one_line(fault)
    return f"{text[:1].upper()}{text[1:]}."
