"""How cells of a table are written: numbers as text, and texts that mean "missing".

In:  text of cells; what a person says about it (``missing``, ``decimal``, ``thousands``).
Out: ``CellStyle``, which reads numbers and gaps; ``Mixture``, which says how far a column of text
     reads as numbers, and which of its cells do not.

What is decided here, and why, is in docs/decisions/0013-silent-decisions-about-data.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..errors import InvalidData, setting

__all__ = [
    "PLAIN",
    "CellStyle",
    "Missing",
    "Mixture",
    "mixture_of",
    "notations",
    "number_like",
    "unknown",
]

# How files write "not known", in small or capital letters. A category of this name is a category
# all the same.
UNKNOWN = frozenset({"", "?", "#n/a", "<na>", "n/a", "na", "nan", "null", "unknown"})
PYTHONS = "None"  # as Python writes it; "none" may be an answer

DECIMALS = (".", ",")
THOUSANDS = (".", ",", " ", "'")
# What spreadsheets put between thousands: spaces that do not break a line, and a curved quote.
SIGNS = str.maketrans("\u00a0\u202f\u2009\u2019", "   '")

PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# With a point or a comma for decimals, and thousands in groups of three, which begin with no 0.
LOCAL_NUMBER = re.compile(
    r"[+-]?([1-9]\d{0,2}(?P<sign>[., '])\d{3}((?P=sign)\d{3})*((?!(?P=sign))[.,]\d*)?|\d*,\d+)"
    r"(e[+-]?\d+)?",
    re.ASCII | re.IGNORECASE,
)

Missing = Sequence[str] | Mapping[str | None, Sequence[str]] | None


def unknown(cell: Any) -> bool:
    """Whether a cell says "not known", without anybody having named its text.

    Examples
    --------
    >>> [unknown(cell) for cell in ("", " NA", "Unknown", "None", "none", 0)]
    [True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        text = cell.strip()
        return text.lower() in UNKNOWN or text == PYTHONS
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def number_like(text: str) -> bool:
    """Whether a person would read a text as a number, in one notation or another.

    Examples
    --------
    >>> [number_like(text) for text in ("27.6", "27,6", "3,750", "1.234,5", "1e3", "45 %")]
    [True, True, True, True, True, True]
    >>> [number_like(text) for text in ("n.d.", "<50", "2020-01-31", "1.2.3", "")]
    [False, False, False, False, False]
    """
    text = text.strip().removesuffix("%").rstrip().translate(SIGNS)
    return bool(PLAIN_NUMBER.fullmatch(text) or LOCAL_NUMBER.fullmatch(text))


def notations(texts: Iterable[str]) -> str:
    """Say which settings would read number-like texts; empty if none would.

    Examples
    --------
    >>> notations(["27,6"]), notations(["1.234,5", "n.d."]), notations(["3,750"])
    ("decimal=','", "decimal=',' and thousands='.'", "decimal=',' or thousands=','")
    """
    comma, point = setting("thousands", ","), setting("thousands", ".")
    decimal_comma = setting("decimal", ",")
    found: dict[str, None] = {}
    either = False
    for text in texts:
        number = LOCAL_NUMBER.fullmatch(text.strip().removesuffix("%").rstrip().translate(SIGNS))
        if number is None:
            continue
        whole, group = number[0], number["sign"]
        if group in (" ", "'"):
            found[setting("thousands", group)] = None
            found |= {decimal_comma: None} if "," in whole else {}
        elif group == "," and "." not in whole and whole.count(",") == 1:
            either = True
        elif group == "," and ("." in whole or whole.count(",") > 1):
            found[comma] = None
        elif "," in whole or group == ".":
            found[decimal_comma] = None
            found |= {point: None} if group == "." else {}
    if either and not found:
        return f"{decimal_comma} or {comma}"
    return " and ".join(found)


@dataclass(frozen=True)
class CellStyle:
    """How cells are written.

    Parameters
    ----------
    missing : sequence of str, or dict of column -> sequence of str, optional
        Texts that mean "missing", beside an empty cell, NA and the like; the key None of a dict is
        for every column. They are compared without surrounding spaces and without regard to
        capitals, numbers as numbers: -9 is also -9.0.
    decimal : {".", ","}
        The decimal sign.
    thousands : {".", ",", " ", "'"}, optional
        What stands between groups of three digits; without it, nothing does.

    Examples
    --------
    >>> style = CellStyle(missing={"bmi": ["-9"]}, decimal=",", thousands=".")
    >>> style.number("1.234,5"), style.missing_in("bmi", "-9,0"), style.missing_in("age", "-9")
    (1234.5, True, False)
    """

    missing: Missing = None
    decimal: str = "."
    thousands: str | None = None
    _words: dict[str | None, tuple[frozenset[str], frozenset[float]]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        if self.decimal not in DECIMALS:
            raise InvalidData(f"{setting('decimal', self.decimal)} must be one of '.', ','")
        if self.thousands is not None and self.thousands not in THOUSANDS:
            allowed = ", ".join(map(repr, THOUSANDS))
            raise InvalidData(f"{setting('thousands', self.thousands)} must be one of {allowed}")
        if self.thousands == self.decimal:
            other = "," if self.decimal == "." else "."
            raise InvalidData(
                f"{setting('thousands', self.thousands)} is the decimal sign too, and one sign "
                f"cannot be both: add {setting('decimal', other)}, or leave out "
                f"{setting('thousands')}"
            )
        for column, words in _by_column(self.missing).items():
            numbers = [self._plain(word) for word in words]
            self._words[column] = (
                frozenset(word.strip().casefold() for word in words),
                frozenset(value for value in numbers if value is not None),
            )

    @property
    def columns(self) -> list[str]:
        """The columns that ``missing`` names."""
        return [name for name in self._words if name is not None]

    @property
    def plain_numbers(self) -> bool:
        """Whether numbers are written as Python writes them."""
        return self.decimal == "." and self.thousands is None

    def missing_numbers(self, column: str) -> frozenset[float]:
        """Give the numbers that mean "missing" in a column."""
        here = (self._words.get(None), self._words.get(column))
        return frozenset(value for words in here if words for value in words[1])

    def missing_in(self, column: str, cell: Any) -> bool:
        """Whether a cell of a column has a text that was named to mean "missing"."""
        if not self._words:
            return False
        return any(
            self._is_among(cell, words)
            for words in (self._words.get(None), self._words.get(column))
            if words
        )

    def unknown(self, column: str, cell: Any) -> bool:
        """Whether a cell of a column is missing, for one reason or the other."""
        return unknown(cell) or self.missing_in(column, cell)

    def number(self, cell: Any) -> Any:
        """Read a number; NaN if it is not known, ``ValueError`` if it is none."""
        if not isinstance(cell, str):
            return math.nan if cell is None else cell
        if unknown(cell):
            return math.nan
        if self.plain_numbers:
            if "_" in cell:
                raise ValueError  # Python would read 1_000
            return float(cell)
        match = self._pattern.fullmatch(cell.strip().translate(SIGNS))
        if match is None:
            raise ValueError
        whole = match["whole"].replace(self.thousands, "") if self.thousands else match["whole"]
        return float(f"{match['sign']}{whole}.{match['part'] or 0}{match['power'] or ''}")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # No groups begin with 0: under thousands='.', 0.775 is in another notation.
        grouped = rf"[1-9]\d{{0,2}}({re.escape(self.thousands)}\d{{3}})+|" if self.thousands else ""
        sign = re.escape(self.decimal)
        return re.compile(
            rf"(?P<sign>[+-]?)(?P<whole>{grouped}\d+|(?={sign}\d))({sign}(?P<part>\d*))?"
            r"(?P<power>e[+-]?\d+)?",
            re.ASCII | re.IGNORECASE,
        )

    def _plain(self, cell: Any) -> float | None:
        """Read a number, also one that is written as Python writes it; None if it is none."""
        for read in (self.number, float):
            try:
                value = float(read(cell))
            except (TypeError, ValueError, OverflowError):
                continue
            return None if math.isnan(value) else value
        return None

    def _is_among(self, cell: Any, words: tuple[frozenset[str], frozenset[float]]) -> bool:
        texts, numbers = words
        if isinstance(cell, str) and cell.strip().casefold() in texts:
            return True
        if not numbers or isinstance(cell, bool):
            return False
        try:
            return float(self.number(cell)) in numbers
        except (TypeError, ValueError, OverflowError):
            return str(cell).strip().casefold() in texts


def _by_column(missing: Missing) -> dict[str | None, list[str]]:
    if missing is None:
        return {}
    by_column = missing if isinstance(missing, Mapping) else {None: missing}
    out: dict[str | None, list[str]] = {}
    for column, words in by_column.items():
        listed = [] if isinstance(words, str) or not isinstance(words, Iterable) else list(words)
        if not listed or not all(isinstance(word, str | int | float) for word in listed):
            raise InvalidData(
                f"{setting('missing', words)} must be a list of texts such as ['-9', 'n.d.'], or a "
                "dict of such lists by column"
            )
        out[column] = [str(word) for word in listed]
    return out


PLAIN = CellStyle()


# -- text that reads as numbers -------------------------------------------------------------------


@dataclass(frozen=True)
class Mixture:
    """How far a column reads as numbers, and what of it does not.

    ``odd`` are the cells that are no numbers as ``CellStyle`` reads them, the most frequent first,
    each with the rows in which it stands (from 0).
    """

    n_known: int
    n_like: int  # known cells that a person would read as numbers
    n_different: int
    n_different_like: int
    odd: dict[str, list[int]]

    @property
    def n_odd(self) -> int:
        """How many cells are no numbers."""
        return sum(map(len, self.odd.values()))

    @property
    def suspicious(self) -> bool:
        """Whether most of it reads as numbers: most known cells, or most different texts."""
        return 2 * self.n_like > self.n_known or 2 * self.n_different_like > self.n_different

    @property
    def local(self) -> bool:
        """Whether some cells are numbers in another notation."""
        return any(number_like(text) for text in self.odd)

    @property
    def words(self) -> list[str]:
        """The odd cells that are numbers in no notation."""
        return [text for text in self.odd if not number_like(text)]

    def examples(self, most: int = 3, first: int = 1) -> str:
        """List a few of the odd cells with their rows, counted from ``first``."""
        shown = []
        for text, rows in list(self.odd.items())[:most]:
            where = f"row {rows[0] + first:,}"
            if len(rows) > 1:
                where += f" and {len(rows) - 1:,} more"
            shown.append(f"{text!r:.40} in {where}")
        rest = len(self.odd) - most
        return "; ".join(shown) + (f"; {rest:,} other texts" if rest > 0 else "")


def mixture_of(cells: Sequence[Any], column: str = "", style: CellStyle = PLAIN) -> Mixture:
    """Say how far the cells of a column read as numbers. Linear in the number of cells.

    Examples
    --------
    >>> found = mixture_of(["27.6", "n.d.", "31", "", "29.5", "n.d."])
    >>> found.suspicious, found.odd
    (True, {'n.d.': [1, 5]})
    """
    counts = Counter(cell for cell in cells if isinstance(cell, Hashable))
    known = {cell: n for cell, n in counts.items() if not style.unknown(column, cell)}
    like = {cell: n for cell, n in known.items() if not isinstance(cell, str) or number_like(cell)}
    strange = {cell for cell in known if isinstance(cell, str) and not _reads(style, cell)}
    odd: dict[str, list[int]] = {}
    if strange:
        for row, cell in enumerate(cells):
            if isinstance(cell, str) and cell in strange:
                odd.setdefault(cell, []).append(row)
    return Mixture(
        n_known=sum(known.values()),
        n_like=sum(like.values()),
        n_different=len(known),
        n_different_like=len(like),
        odd=dict(sorted(odd.items(), key=lambda item: -len(item[1]))),
    )


def _reads(style: CellStyle, cell: str) -> bool:
    try:
        style.number(cell)
    except ValueError:
        return False
    return True
