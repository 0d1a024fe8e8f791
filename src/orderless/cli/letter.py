"""Letters of ``orderless explain``: the principal reasons of decisions, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..inputs import busy, write_whole
from ..model import printable
from .mistakes import Mistake
from .options import FileOptions, Format, RowsOptions, UnseenKind
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from ..output.pages import Letter
    from .explain import ExplainOutput, LetterOptions
    from .models import Source

__all__ = ["write_letters"]

KINDS = {".txt": "text", ".html": "html", ".htm": "html", ".json": "json"}  # by ending
ENDINGS = {"text": ".txt", "html": ".html", "json": ".json"}


def write_letters(
    source: Source,
    rows: Path,
    data: RowsOptions,
    files: FileOptions,
    options: LetterOptions,
    output: ExplainOutput,
    time_limit: float,
) -> None:
    """Write a letter for each row: the principal reasons of its decision, with codes.

    The rule is fixed: of the shortest sufficient reason the features that no explanation can do
    without first, then the others, each time by how far the row is from the boundary. What a letter
    leaves out it names. A row whose answer is not certain, or not adverse, gets no letter, and it
    is said why. This is not legal advice.
    """
    from ..output.pages import reason_letters

    assert options.letter is not None
    path, model = output.output, source.model
    ending = "" if path is None else path.suffix.lower()
    kind = KINDS.get(ending, "text") if output.format is None else str(output.format)
    if kind not in ENDINGS:
        raise Mistake(f"letters are text, html or json, not {kind}")
    X, names = _rows(model, rows, files, data.unseen, options.name)
    with busy("Writing letters"):
        letters = list(
            reason_letters(
                model,
                X,
                options.letter,
                at_most=options.at_most,
                adverse=_labels(options.adverse, model),
                immutable=options.immutable,
                names=names,
                time_limit=time_limit,
            )
        )
    if path is not None and ending not in KINDS:
        _write_folder(letters, path, kind, output.safe_csv)
        return
    write(_all(letters, kind), path)


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


def _all(letters: list[Letter], kind: str) -> str:
    from ..output.pages import letters_as_page

    if kind == "json":
        return as_json([letter.to_dict() for letter in letters], allow_nan=False)
    if kind == "html":
        return letters_as_page(letters, "Reasons for decisions")
    return f"\n\n{'-' * 72}\n\n".join(letter.to_text() for letter in letters)


def _write_folder(letters: list[Letter], folder: Path, kind: str, safe_csv: bool) -> None:
    """Write a file for each letter, and a table of all rows."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Mistake(
            f"{folder} is there already: name a new folder, or a file that ends in .txt, .html or "
            ".json"
        )
    folder.mkdir(parents=True, exist_ok=True)
    digits = len(str(len(letters)))
    records = []
    for i, letter in enumerate(letters, start=1):
        file = f"letter-{i:0{digits}d}{ENDINGS[kind]}" if letter else ""
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
