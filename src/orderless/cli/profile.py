"""What a table holds, column by column, before anything is learned from it.

In:  cells of a column, and how they are written.
Out: ``ColumnProfile``: its kind, its values, its gaps, and what is strange about it. ``data``
     shows it; commands that fit show what of it they act on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..connect import plain_cells
from ..errors import InvalidData
from ..inputs import CellStyle, Mixture, mixture_of
from ..model import short_number
from .mistakes import cut

__all__ = ["ColumnProfile", "profile_column", "reads_as"]

FEW_ROWS = 20  # below, that all cells differ says nothing
MOST_VALUES = 20  # of a target of numbers
GAP_CODES = frozenset(
    {-9, -99, -999, -9999, -8, -88, -7, -77, 99, 999, 9999, 99999, 88, 888, 77, 777}
)
ID_NAME = re.compile(
    r"(.*[\s_.\-])?(id|ids|uuid|guid|index|nr|no|lfd[\s_.]*nr)|id[\s_.\-].*|unnamed: ?\d+|"
    r".*(case|client|customer|patient|person|record|respondent|row|sample|student|subject|user)"
    r"[\s_.\-]?(id|index|names?|nr|no|num|number)",
    re.IGNORECASE,
)
CAMEL_ID = re.compile(r".*[a-z]I[Dd]")
DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./](\d\d){1,2}|\d{4}/\d\d?/\d\d?")


@dataclass(frozen=True)
class ColumnProfile:
    """What a column holds: the known cells by how often they occur, and what is strange."""

    name: str
    kind: str  # numeric, boolean or categorical; empty if nothing is known
    n_rows: int
    counts: Counter[Any]
    values: dict[Any, Any] = field(repr=False)  # of each cell, what it is read as
    nested: str = ""  # what is wrong with cells that hold several values
    mixture: Mixture | None = None  # of text that mostly reads as numbers
    identifier: str = ""  # why it seems to be one
    notes: tuple[str, ...] = ()

    @property
    def shown_kind(self) -> str:
        """The kind, as it is shown to people."""
        return self.kind if self.mixture is None else "text or numbers"

    @property
    def n_known(self) -> int:
        """How many cells are known."""
        return sum(self.counts.values())

    @property
    def n_missing(self) -> int:
        """How many cells are missing."""
        return 0 if self.nested else self.n_rows - self.n_known

    @property
    def different(self) -> list[Any]:
        """The different values, numbers in order."""
        values = set(self.values.values())
        return sorted(values) if self.kind in ("numeric", "boolean") else sorted(values, key=str)

    @property
    def constant(self) -> bool:
        """Whether all known cells are the same."""
        return len(set(self.values.values())) == 1

    @property
    def measured(self) -> bool:
        """Whether this is a measurement, and no class: numbers, and many of them."""
        n = len(set(self.values.values()))
        return self.kind == "numeric" and (n > MOST_VALUES or (n > 5 and 2 * n > self.n_known))

    def frequent(self) -> list[tuple[Any, int]]:
        """Give the values with how often they occur, the most frequent first."""
        found: Counter[Any] = Counter()
        for cell, n in self.counts.items():
            found[self.values[cell]] += n
        return sorted(found.items(), key=lambda item: (-item[1], str(item[0])))


def reads_as(different: Sequence[Any], style: CellStyle) -> tuple[str, dict[Any, Any]]:
    """Read different cells as true and false, as numbers, or as text; say as which."""
    if not different:
        return "empty", {}
    words = {cell: str(cell).strip().lower() for cell in different}
    if set(words.values()) <= {"true", "false"}:
        return "boolean", {cell: word == "true" for cell, word in words.items()}
    try:
        return "numeric", {cell: float(style.number(cell)) for cell in different}
    except (TypeError, ValueError):
        return "categorical", {cell: str(cell) for cell in different}


def profile_column(
    cells: Sequence[Any], name: str, table: str, style: CellStyle, *, text: bool = False
) -> ColumnProfile:
    """Look at one column; with ``text`` it is text, whatever it looks like.

    Examples
    --------
    >>> found = profile_column(["1", "2", "NA"], "age", "t.csv", CellStyle())
    >>> found.kind, found.n_missing, found.different
    ('numeric', 1, [1.0, 2.0])
    """
    try:
        counts = Counter(cells)
    except TypeError:
        try:
            plain_cells(cells, name, table)
        except InvalidData as fault:
            return ColumnProfile(name, "nested", len(cells), Counter(), {}, nested=str(fault))
        raise
    known = Counter({cell: n for cell, n in counts.items() if not style.unknown(name, cell)})
    if text:
        kind, values = ("categorical" if known else "empty"), {cell: str(cell) for cell in known}
    else:
        kind, values = reads_as(list(known), style)
    mixture = None
    if kind == "categorical" and not text:
        found = mixture_of(cells, name, style)
        mixture = found if found.suspicious else None
    column = ColumnProfile(name, kind, len(cells), known, values, mixture=mixture)
    if mixture is not None:
        return column
    notes = (_dates(column), *_numbers(column, style), _alike(column))
    return replace(
        column, identifier=_identifier(column, cells), notes=tuple(note for note in notes if note)
    )


def _identifier(column: ColumnProfile, cells: Sequence[Any]) -> str:
    """Say why a column seems to number or name the rows; empty if it does not."""
    n_known, n = column.n_known, len(column.counts)
    whole = column.kind == "numeric" and all(value.is_integer() for value in column.values.values())
    if n < 2 or not (whole or column.kind == "categorical"):
        return ""
    named = ID_NAME.fullmatch(column.name) or CAMEL_ID.fullmatch(column.name)
    if named and 2 * n >= n_known:
        return "it is named like an identifier, and " + (
            "all its cells differ" if n == n_known else "most of its cells differ"
        )
    if n < n_known or column.n_missing:
        return ""
    many = n_known >= FEW_ROWS
    if column.kind == "categorical":
        return "it is text that differs in every row" if many else ""
    if many or not column.name:
        steps = np.diff([column.values[cell] for cell in cells])
        return "it counts the rows" if np.all(steps == 1) else ""
    return ""


def _dates(column: ColumnProfile) -> str:
    if column.kind != "categorical":
        return ""
    n = sum(bool(DATE.fullmatch(str(cell).strip())) for cell in column.counts)
    if 2 * n <= len(column.counts):
        return ""
    return "looks like dates, and each date is a category of its own: turn it into a number"


def _numbers(column: ColumnProfile, style: CellStyle) -> list[str]:
    """Say which numbers may be no numbers, or not the ones they seem to be."""
    if column.kind != "numeric":
        return []
    different = column.different
    return [_codes(column, different), _thousands(column, style), _rounded(different)]


def _codes(column: ColumnProfile, different: list[float]) -> str:
    """Name numbers that often stand for "missing", if they lie far from all others."""
    rest = [value for value in different if value not in GAP_CODES]
    if len(rest) < 2:
        return ""
    low, high = rest[0], rest[-1]
    far = [v for v in different
           if v in GAP_CODES and max(low - v, v - high) > max(high - low, 1)]  # fmt: skip
    if not far:
        return ""
    times = dict(column.frequent())
    shown = ", ".join(f"{short_number(v)} ({times[v]:,}x)" for v in far)
    codes = ",".join(short_number(v) for v in far)
    return (
        f"has {shown} far from its other values, {short_number(low)} to {short_number(high)}: if "
        f"that means missing, add --na {cut(column.name)}={codes}"
    )


def _thousands(column: ColumnProfile, style: CellStyle) -> str:
    """Ask about numbers that all have three digits after the point."""
    texts = [str(cell).strip() for cell in column.counts if isinstance(cell, str)]
    if style.thousands or len(texts) < 3 or len(texts) < len(column.counts):
        return ""
    sign = re.escape(style.decimal)
    if not all(re.fullmatch(rf"[+-]?[1-9]\d{{0,2}}{sign}\d{{3}}", text) for text in texts):
        return ""
    other = "," if style.decimal == "." else "."
    return (
        f"has three digits after the {style.decimal!r} in every cell, as in {texts[0]}: if it "
        f"separates thousands, add --thousands {style.decimal} --decimal {other}"
    )


def _rounded(different: list[float]) -> str:
    with np.errstate(over="ignore"):
        narrow = len(np.unique(np.array(different, dtype=np.float32)))
    if narrow == len(different):
        return ""
    return (
        f"has {len(different):,} different numbers, but only {narrow:,} once scikit-learn has "
        "rounded them to 32 bits"
    )


def _alike(column: ColumnProfile) -> str:
    """Name texts that differ in spaces or capital letters only."""
    if column.kind != "categorical":
        return ""
    groups: dict[str, list[str]] = {}
    for value in column.different:
        groups.setdefault(" ".join(str(value).split()).casefold(), []).append(str(value))
    twins = next((group for group in groups.values() if len(group) > 1), None)
    if twins is None:
        return ""
    shown = " and ".join(repr(cut(twin)) for twin in twins[:3])
    return f"has both {shown}: correct them if they mean the same"
