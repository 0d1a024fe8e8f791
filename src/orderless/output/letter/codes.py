"""Codes of reasons: what a letter calls each feature.

In:  a CSV file with the columns feature, code, text, and perhaps direction; or the same as a dict.
Out: ``Codes``. A mapping that is empty, incomplete or ambiguous is refused.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InvalidData, a_kind
from ...inputs import near, read_file, some_names
from ...model import Side, Space

__all__ = ["Code", "Codes", "read_codes"]

COLUMNS = ("feature", "code", "text")
DIRECTIONS = ("", "low", "high")
MOST = 10_000_000  # bytes of a file


class Code(NamedTuple):
    """What a letter says of a feature."""

    code: str
    text: str


@dataclass(frozen=True)
class Codes:
    """The codes of features, by feature and direction ("low", "high", or "" for any)."""

    entries: Mapping[tuple[str, str], Code]

    def of(self, side: Side) -> Code:
        """Give the code of what a reason says of a feature."""
        name, direction = side.feature.name, direction_of(side)
        found = self.entries.get((name, direction)) or self.entries.get((name, ""))
        if found is None:
            given = [d for f, d in self.entries if f == name]
            raise InvalidData(
                f"the codes have {name!r:.80} as {' and '.join(given)}, and a reason says neither: "
                f"add a line for {name!r:.80} with an empty direction"
                if given
                else f"the codes have no line for {name!r:.80}: add one"
            )
        return found

    def check(self, space: Space, needed: Iterable[str]) -> None:
        """Refuse codes that lack a feature that a letter may have to name, or name another."""
        there = {feature for feature, _ in self.entries}
        for name in sorted(there):
            if name not in space:
                raise InvalidData(
                    f"the codes name {name!r:.80}, which is not a feature of the model"
                    f"{near(name, space.names)}: the features are {some_names(space.names)}"
                )
        missing = [name for name in needed if name not in there]
        if missing:
            raise InvalidData(
                f"the codes have no line for {some_names(missing)}, on which the model's answers "
                "depend: every such feature needs a code"
            )
        for name in needed:
            given = {d for f, d in self.entries if f == name}
            if "" not in given and (given != {"low", "high"} or not space[name].ordered):
                raise InvalidData(
                    f"the codes have {name!r:.80} only as {' and '.join(sorted(given))}: add "
                    + ("the other direction, or one line" if space[name].ordered else "a line")
                    + " with an empty direction"
                )


def direction_of(side: Side) -> str:
    """Say whether a condition is about a number being low or high; "" if about neither."""
    if side.feature.kind != "numeric" or side.nan or not side.lower < side.upper:
        return ""
    low, high = side.feature.bounds
    ends = side.lower > low, side.upper < high
    return {(True, False): "high", (False, True): "low"}.get(ends, "")


def read_codes(given: Any) -> Codes:
    """Read the codes of features.

    Parameters
    ----------
    given : Codes, path of a CSV file, or dict of feature -> (code, text)

    Examples
    --------
    >>> read_codes({"income": ("R01", "Income")}).entries
    {('income', ''): Code(code='R01', text='Income')}
    """
    if isinstance(given, Codes):
        return given
    if isinstance(given, Mapping):
        rows = [_pair(feature, entry) for feature, entry in given.items()]
        return _checked(rows, "the codes")
    if not isinstance(given, str | Path):
        raise InvalidData(
            f"codes must be the path of a CSV file or a dict of feature -> (code, text), got "
            f"{a_kind(given)}"
        )
    name = Path(given).name
    try:
        text = read_file(given, MOST).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise InvalidData(f"{name} is not UTF-8 text ({fault}): save it as CSV UTF-8") from None
    return _checked(_rows(text, name), name)


def _pair(feature: Any, entry: Any) -> tuple[str, ...]:
    two = isinstance(entry, Sequence) and not isinstance(entry, str | bytes) and len(entry) == 2
    if not two or not all(isinstance(part, str) for part in (feature, *entry)):
        raise InvalidData(
            f"the codes must give each feature a code and a text, got {entry!r:.80} for "
            f"{feature!r:.80}"
        )
    return "", feature, *entry, ""


def _rows(text: str, name: str) -> list[tuple[str, ...]]:
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as fault:
        raise InvalidData(f"{name} is not complete CSV: {fault}") from fault
    head = [cell.strip() for cell in lines[0]] if lines else []
    known = (*COLUMNS, "direction")
    if set(head) - set(known) or set(COLUMNS) - set(head) or len(set(head)) != len(head):
        raise InvalidData(
            f"{name} must have the columns {some_names(COLUMNS)} and perhaps 'direction', got "
            f"{some_names(head)}"
        )
    out = []
    for at, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            raise InvalidData(f"{name}, line {at}: {len(cells)} cells, the first has {len(head)}")
        row = dict(zip(head, (cell.strip() for cell in cells), strict=True))
        out.append((f", line {at}", *(row.get(key, "") for key in known)))
    return out


def _checked(rows: Iterable[Sequence[str]], name: str) -> Codes:
    """Refuse what is empty or ambiguous."""
    entries: dict[tuple[str, str], Code] = {}
    texts: dict[str, str] = {}
    for at, feature, code, text, direction in rows:
        where = f"{name}{at}"
        for what, cell in (("feature", feature), ("code", code), ("text", text)):
            if not cell.strip():
                raise InvalidData(f"{where}: the {what} is empty")
        if direction not in DIRECTIONS:
            raise InvalidData(
                f"{where}: direction must be low, high or empty, got {direction!r:.80}"
            )
        if (feature, direction) in entries:
            raise InvalidData(f"{where}: {feature!r:.80} is there twice, so its code is ambiguous")
        if texts.setdefault(code, text) != text:
            raise InvalidData(f"{where}: the code {code!r:.80} has two texts, so it is ambiguous")
        entries[feature, direction] = Code(code, text)
    if not entries:
        raise InvalidData(f"{name} has no codes: give each feature a code and a text")
    return Codes(entries)
