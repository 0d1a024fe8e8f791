"""A decision table, or a list of rules, as it stands in a CSV file.

In:  text, or a path.
Out: ``RuleTable``: the rules with their lines, cells by feature and outputs.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from ...errors import InvalidParameter, InvalidTree, a_kind, named, setting
from ...inputs import near, read_file, some_names
from ...model import Label, first_repeated
from .cells import ANYTHING, Alternative, Cell, read_cell, read_sentence, value_of

__all__ = ["Hit", "RuleRow", "RuleTable", "read_table"]

Hit = Literal["unique", "first", "any"]
LETTERS = {"U": "unique", "F": "first", "A": "any"}
SENTENCES = ("if", "when", "condition", "conditions", "rule", "rules")
NUMBERS = ("", "#")  # headers of a first column that numbers the rules
MOST_BYTES = 2**26
MOST_RULES = 100_000
MOST_COLUMNS = 500


class RuleRow(NamedTuple):
    """One rule: its line in the file, alternatives of conditions that hold together, its output."""

    line: int
    alternatives: list[Alternative]
    output: Label


class RuleTable(NamedTuple):
    """The rules of a file; ``features`` are named in the order in which they stand there."""

    features: tuple[str, ...]
    rules: tuple[RuleRow, ...]
    output: str
    hit: Hit


def read_table(
    source: Any,
    *,
    hit: str | None,
    output: str | None,
    ignore: Sequence[str],
    delimiter: str,
    labels: Mapping[str, Collection[Any]],
) -> RuleTable:
    """Read the table; ``labels`` are those of features that are declared as categorical."""
    rows = _rows(_text(source), delimiter)
    head = [" ".join(name.split()) for name in rows[0][1]]
    _refuse_letter(rows, ignore)
    corner, hit = _corner(head, hit)
    chosen = _chosen(head, corner, output, ignore, delimiter)
    target = chosen.pop()
    sentences = len(chosen) == 1 and head[chosen[0]].casefold() in SENTENCES
    rules = []
    for line, cells in rows[1:]:
        where = f"line {line}"
        if len(cells) != len(head):
            raise InvalidTree(
                f"{where} has {len(cells)} cells, the header {len(head)}: put a cell that holds "
                f"{delimiter!r} in double quotes"
            )
        answer = cells[target].strip()
        if answer in ANYTHING:
            raise InvalidTree(f"{where} has no output: write one in the column {head[target]!r}")
        if sentences:
            alternatives = read_sentence(cells[chosen[0]], where)
        else:
            read = ((head[i], _cell(cells[i], head[i], where, labels)) for i in chosen)
            alternatives = [[(name, cell) for name, cell in read if cell is not None]]
        rules.append(RuleRow(line, alternatives, _output(answer, where)))
    if not rules:
        raise InvalidTree("the table has a header and no rules")
    if sentences:
        names = dict.fromkeys(n for rule in rules for both in rule.alternatives for n, _ in both)
    else:
        names = dict.fromkeys(head[i] for i in chosen)
    return RuleTable(tuple(names), tuple(rules), head[target], cast(Hit, hit))


def _cell(text: str, name: str, where: str, labels: Mapping[str, Collection[Any]]) -> Cell | None:
    return read_cell(text, name, where, labels.get(name, ()))


def _output(text: str, where: str) -> Label:
    value: Label = value_of(text, where)
    return value


def _text(source: Any) -> str:
    """Open a file, or take text as it is: several lines."""
    if isinstance(source, str) and ("\n" in source or not source.strip()):
        if "\n" not in source.strip():
            raise InvalidTree(f"{source!r:.80} is not a table of rules: it needs two lines or more")
        return source.removeprefix("\ufeff")
    if not isinstance(source, str | Path):
        raise InvalidTree(f"rules must be CSV text or a path, got {a_kind(source)}")
    path = Path(source)
    try:
        return read_file(path, MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no file {str(path)!r:.400}: correct the name, or give a table of rules of "
            "two lines or more"
        ) from None
    except UnicodeDecodeError as fault:
        raise InvalidTree(
            f"{path.name!r:.80} is not UTF-8 text ({fault}): save it as CSV UTF-8"
        ) from fault


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Split into cells; each row with the line that it begins in, rows without text left out."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in "\r\n\"'":
        raise InvalidParameter(
            f"{named('delimiter')} must be one character, got {delimiter!r:.40}", "delimiter"
        )
    if "\0" in text:
        raise InvalidTree("the table holds a NUL character: it is not a text file")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    out, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                out.append((line, cells))
            line = reader.line_num + 1
            if len(out) > MOST_RULES + 1:
                raise InvalidTree(f"the table has more than {MOST_RULES:,} rules: split it")
    except csv.Error as fault:
        raise InvalidTree(f"line {line}: this is not complete CSV: {fault}") from fault
    if not out:
        raise InvalidTree("the table is empty: give a header and rules")
    return out


def _corner(head: Sequence[str], hit: str | None) -> tuple[bool, str]:
    """Say whether the first column only numbers the rules, and which hit policy holds."""
    if hit is not None:
        hit = LETTERS.get(hit.upper(), hit.lower()) if isinstance(hit, str) else hit
        if hit not in get_args(Hit):
            raise InvalidParameter(
                f"{named('hit')} must be one of {str(get_args(Hit))[1:-1]} (or 'U', 'F', 'A'), got "
                f"{hit!r:.40}",
                "hit",
            )
    found = re.fullmatch(r"hit[\s:=]+(\w+)\S?", head[0], re.IGNORECASE)
    if found is None:
        return head[0] in NUMBERS, hit or "unique"
    own = LETTERS.get(found[1].upper(), found[1].lower())
    if own not in get_args(Hit):
        raise InvalidTree(
            f"the header's {head[0]!r:.40} is a hit policy that is not read: unique (U), first (F) "
            "and any (A) are"
        )
    if hit not in (None, own):
        raise InvalidTree(
            f"the header's {head[0]!r:.40} is the hit policy {own!r}, and {setting('hit', hit)} is "
            "given: give one of the two"
        )
    return True, own


def _refuse_letter(rows: Sequence[tuple[int, list[str]]], ignore: Sequence[str]) -> None:
    """Refuse to guess whether a first column U, F or A that counts the rules is a hit policy."""
    letter = rows[0][1][0].strip()
    numbers = [cells[0].strip() for _, cells in rows[1:]]
    if letter not in LETTERS or letter in ignore or not numbers:
        return
    if numbers == [str(i) for i in range(1, len(numbers) + 1)]:
        raise InvalidTree(
            f"is the first column, {letter!r}, a feature, or does it number the rules of the hit "
            f"policy {LETTERS[letter]!r}? Write 'hit {letter}' in the header for the latter, or "
            "give the feature a longer name"
        )


def _chosen(
    head: Sequence[str], corner: bool, output: str | None, ignore: Sequence[str], delimiter: str
) -> list[int]:
    """Give the columns that are asked about, and the output last."""
    if len(head) > MOST_COLUMNS:
        raise InvalidTree(f"the table has {len(head):,} columns: {MOST_COLUMNS} are the most")
    if isinstance(ignore, str):
        raise InvalidParameter(
            f"{named('ignore')} must be a list of names, got the text {ignore!r:.80}", "ignore"
        )
    for name in [*ignore, *([] if output is None else [output])]:
        if name not in head:
            raise InvalidTree(
                f"there is no column {name!r:.80}{near(name, head)}: there are {some_names(head)}"
            )
    kept = [i for i, name in enumerate(head) if not (i == 0 and corner) and name not in ignore]
    if len(kept) < 2:
        other = next((sign for sign in ";\t|," if sign != delimiter and sign in head[0]), None)
        todo = "" if other is None else f"; perhaps it needs {setting('delimiter', other)}"
        raise InvalidTree(
            f"a table of rules has a column for each feature and one for the output, got "
            f"{some_names(head)}{todo}"
        )
    repeated = first_repeated(head[i] for i in kept)
    if repeated is not None:
        raise InvalidTree(f"the header has {repeated!r:.80} twice: rename one of the columns")
    if "" in (head[i] for i in kept):
        at = [head[i] for i in kept].index("") + 1
        raise InvalidTree(f"column {at} has no name in the header: name it")
    target = kept[-1] if output is None else head.index(output)
    return [i for i in kept if i != target] + [target]
