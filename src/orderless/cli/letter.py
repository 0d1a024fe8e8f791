"""``orderless letter``: the principal reasons of decisions, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy, write_whole
from ..model import printable
from .mistakes import Mistake
from .options import (
    LIMITS,
    OUTPUT,
    FileOptions,
    ReadOptions,
    SafeCsv,
    Unseen,
    UnseenKind,
    finite,
)
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from ..output.pages import Letter

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless letter model.json rows.csv --codes codes.csv\n\n"
    "Example: orderless letter model.json rows.csv --codes codes.csv --adverse ill -o letters.html"
    "\n\nExample: orderless letter model.json rows.csv --codes codes.csv --format html -o letters"
)


class LetterKind(StrEnum):
    """How letters are written."""

    text = "text"
    html = "html"
    json = "json"


ENDINGS = {".txt": LetterKind.text, ".html": LetterKind.html, ".htm": LetterKind.html,
           ".json": LetterKind.json}  # fmt: skip
FILES = {LetterKind.text: ".txt", LetterKind.html: ".html", LetterKind.json: ".json"}


@dataclass(frozen=True)
class LetterOptions:
    """What stands in a letter."""

    PANEL: ClassVar[str] = "What stands in a letter"
    codes: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="CSV file with the columns feature, code, text, and perhaps direction (low or "
            "high).",
        ),
    ]
    adverse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS",
            help="The decision that letters are for; may be repeated. Default: all.",
        ),
    ] = None
    at_most: Annotated[
        int, typer.Option(min=1, help="Reasons that a letter explains; it names the others.")
    ] = 4
    immutable: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="What a person cannot change; may be repeated."),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names a row; by default rows are counted from 1.",
        ),
    ] = None


@dataclass(frozen=True)
class WrittenLetters:
    """How letters are written, and where."""

    PANEL: ClassVar[str] = OUTPUT
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A file for all letters (.txt, .html or .json), or a folder with a file for each "
            "and index.csv.",
        ),
    ] = None
    kind: Annotated[
        LetterKind | None,
        typer.Option(
            "--format",
            "-f",
            help="How letters are written; by default what --output ends in, else text.",
        ),
    ] = None
    safe_csv: SafeCsv = False


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model: JSON or skops.")],
    rows: Annotated[Path, typer.Argument(metavar="ROWS", help="CSV or Parquet file.")],
    read: ReadOptions,
    files: FileOptions,
    told: LetterOptions,
    written: WrittenLetters,
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.001,
            callback=finite,
            help="Seconds for each part of a letter's explanation.",
            rich_help_panel=LIMITS,
        ),
    ] = 60.0,
    unseen: Unseen = UnseenKind.unknown,
) -> None:
    """Write a letter for each row: the principal reasons of its decision, with codes.

    The rule is fixed: of the shortest sufficient reason the features that no explanation can do
    without first, then the others, each time by how far the row is from the boundary. What a letter
    leaves out it names. A row whose answer is not certain, or not adverse, gets no letter, and it
    is said why. This is not legal advice.
    """
    from ..output.pages import reason_letters
    from .models import loader

    output = written.output
    ending = "" if output is None else output.suffix.lower()
    kind = written.kind or ENDINGS.get(ending, LetterKind.text)
    found = loader(read)(model)
    X, names = _rows(found, rows, files, unseen, told.name)
    with busy("Writing letters"):
        letters = list(
            reason_letters(
                found, X, told.codes, at_most=told.at_most, adverse=_labels(told.adverse, found),
                immutable=told.immutable, names=names, time_limit=time_limit,
            )
        )  # fmt: skip
    if output is not None and ending not in ENDINGS:
        _write_folder(letters, output, kind, written.safe_csv)
        return
    write(_all(letters, kind), output)


def _rows(
    model: Any, place: Path, files: FileOptions, unseen: UnseenKind, name: str | None
) -> tuple[Any, list[str]]:
    """Read the rows of a file, and what they are called."""
    import pandas as pd

    from ..connect import unseen_notes
    from .files import missing_column, open_table
    from .rows import frame_for
    from .table import say

    strange: Any = {} if unseen == UnseenKind.unknown else None
    parts, names = [], []
    with open_table(place, files) as table:
        table.check_missing(model.space.column_names)
        for part in table.parts:
            parts.append(frame_for(model, part, table.name, style=table.style, unseen=strange))
            if name is not None:
                if name not in part.columns:
                    remedy = "Name the column that says what a row is called, or leave --name out."
                    raise missing_column(name, table.name, tuple(part.columns), remedy)
                names += [str(cell) for cell in part.columns[name]]
    say([printable(note) for note in unseen_notes(strange or {})], quiet=False)
    X = pd.concat(parts, ignore_index=True)
    return X, names if name is not None else [f"row {i + 1}" for i in range(len(X))]


def _labels(given: list[str] | None, model: Any) -> list[Any] | None:
    """Find the classes that are meant, by how they are written."""
    if not given:
        return None
    known = {str(label): label for label in model.classes or ()}
    return [known.get(name, name) for name in given]


def _all(letters: list[Letter], kind: LetterKind) -> str:
    from ..output.pages import letters_as_page

    if kind == LetterKind.json:
        return as_json([letter.to_dict() for letter in letters], allow_nan=False)
    if kind == LetterKind.html:
        return letters_as_page(letters, "Reasons for decisions")
    return f"\n\n{'-' * 72}\n\n".join(letter.to_text() for letter in letters)


def _write_folder(letters: list[Letter], folder: Path, kind: LetterKind, safe_csv: bool) -> None:
    """Write a file for each letter, and a table of all rows."""
    from .options import Format

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Mistake(
            f"{folder} is there already: name a new folder, or a file that ends in .txt, .html or "
            ".json"
        )
    folder.mkdir(parents=True, exist_ok=True)
    digits = len(str(len(letters)))
    records = []
    for i, letter in enumerate(letters, start=1):
        file = f"letter-{i:0{digits}d}{FILES[kind]}" if letter else ""
        if letter:
            write_whole(folder / file, _all([letter], kind) + "\n")
        records.append(
            {
                "name": letter.name,
                "decision": "" if letter.decision is None else letter.decision,
                "codes": " ".join(letter.codes),
                "file": file,
                "why_not": letter.why_not,
            }
        )
    text = records_as(records, Format.csv, safe_csv=safe_csv)
    write_whole(folder / "index.csv", text if text.endswith("\n") else text + "\n")
    n = sum(map(bool, letters))
    write(f"{n:,} of {len(letters):,} rows have a letter in {printable(str(folder))}.", None)
