"""The words of each SQL dialect: names, texts, numbers and single comparisons.

In:  the parts of a formula (``formula.py``).
Out: SQL text that every engine reads to the same bits. Quoting is sqlglot's.

What differs: whether the engine has NaN (which compares like a number there, and means unknown
here), whether booleans are numbers, whether text is compared by its letters only, whether decimals
are read exactly (SQLite does not promise it), and whether a column may hold text that is not a
number.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from ...errors import InvalidParameter, InvalidSpace, named
from ...inputs import near
from ...model import Label
from .formula import Absent, Flag, Formula, Member, Number

__all__ = ["DIALECTS", "Words"]

DIALECTS = ("clickhouse", "duckdb", "mysql", "postgres", "spark", "sqlite")  # tests run each
SAME = {"mariadb": "mysql", "databricks": "spark", "postgresql": "postgres"}
EXACT = 2**53  # whole numbers below it are doubles
STEP = 2**62  # a power of two that is a whole number in SQLite
LARGEST = "CAST(9e999 AS REAL)"  # infinity in SQLite; all text that is not a number is above it


class Words:
    """How one dialect writes names, labels and comparisons.

    Parameters
    ----------
    dialect : str
        One of ``DIALECTS``; "postgresql", "databricks" and "mariadb" are understood too.
    """

    def __init__(self, dialect: str) -> None:
        name = SAME.get(dialect, dialect) if isinstance(dialect, str) else dialect
        if name not in DIALECTS:
            raise InvalidParameter(
                f"{named('dialect')} must be one of {', '.join(map(repr, DIALECTS))}, got "
                f"{dialect!r:.80}{near(dialect, DIALECTS)}",
                "dialect",
            )
        self.dialect = name

    # -- names and labels --------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """Quote the name of a column or table."""
        from sqlglot import exp

        _refuse_unwritable(name, "the name")
        bad = set()
        if self.dialect == "mysql":  # names are of the basic plane, and do not end in a space
            bad = {c for c in name if ord(c) > 0xFFFF} | ({" "} & set(name[-1:]))
        if bad:
            raise InvalidSpace(
                f"the name {name!r:.80} has the character {min(bad)!r}, which {self.dialect} "
                "does not allow in names: say what the column is called there with columns="
            )
        if self.dialect == "sqlite":  # it silently takes an unknown "name" for a text
            return "`" + name.replace("`", "``") + "`"
        return str(exp.to_identifier(name, quoted=True).sql(dialect=self.dialect))

    def path(self, table: Any) -> str:
        """Quote a table's name, or (schema, table), or (database, schema, table)."""
        parts = (table,) if isinstance(table, str) else tuple(table)
        if not 1 <= len(parts) <= 3 or not all(isinstance(part, str) and part for part in parts):
            raise InvalidSpace(
                f"table={table!r:.80}: give its name, or a tuple such as ('schema', 'table')"
            )
        return ".".join(self.name(part) for part in parts)

    def text(self, text: str) -> str:
        """Quote a text."""
        from sqlglot import exp

        _refuse_unwritable(text, "the label")
        return str(exp.Literal.string(text).sql(dialect=self.dialect))

    def number(self, number: float) -> str:
        """Write a double with every bit."""
        if number == int(number) and abs(number) < EXACT:
            return str(int(number))
        if self.dialect == "sqlite" and len(Decimal(number).as_tuple().digits) > 15:
            return _by_powers(number)
        text = repr(float(number)).upper()
        return text if "E" in text else f"{text}E0"

    def labels(self, labels: tuple[Label, ...]) -> list[str]:
        """Write class labels so that all of them have one type."""
        if all(isinstance(label, str) for label in labels):
            return [self.text(str(label)) for label in labels]
        if any(isinstance(label, bool) for label in labels):
            if self.dialect == "sqlite":  # it reads TRUE as a column of that name if there is one
                return [str(int(label)) for label in labels]
            return [str(label).upper() for label in labels]
        if any(isinstance(label, float) for label in labels):
            return [self._double(self.number(float(label))) for label in labels]
        return [str(label) for label in labels]

    def nothing(self) -> str:
        """Write a missing text."""
        return self._cast("NULL", "text")

    def integer(self, number: int) -> str:
        """Write a number of 64 bits."""
        return self._cast(str(number), "bigint")

    def double(self, expression: str) -> str:
        """Write an expression as a double."""
        return self._double(expression)

    # -- comparisons -------------------------------------------------------------------------------

    def comparison(self, atom: Formula) -> str:
        """Write one comparison."""
        if isinstance(atom, Number):
            column = self.name(atom.column)
            if self.dialect == "sqlite":
                return self._sqlite_number(column, atom)
            if atom.above:
                return f"{self._known(column)} > {self.number(atom.at)}"
            return f"{self._double(column)} <= {self.number(atom.at)}"
        if isinstance(atom, Flag):
            return self._flag(self.name(atom.column), atom.value)
        if isinstance(atom, Absent):
            column = self.name(atom.column)
            if self.dialect == "sqlite" and atom.numeric:
                absent = f"COALESCE({column} <= {LARGEST}, 0) = 0"  # see labels: no word TRUE
                return absent if atom.absent else _is_number(column)
            known = self._known(column) if atom.numeric else column
            return f"{known} IS {'' if atom.absent else 'NOT '}NULL"
        if isinstance(atom, Member):
            return self._member(atom)
        if isinstance(atom, bool):
            return "1 = 1" if atom else "1 = 0"
        raise TypeError(f"{atom!r} is not a comparison")

    def guard(self, atom: Formula) -> str:
        """Write what must hold beside a comparison: in SQLite, that the column has a number.

        Its columns may hold text, and CAST turns what is not a number into 0.
        """
        if self.dialect != "sqlite":
            return ""
        if isinstance(atom, Number) and (atom.above or abs(atom.at) >= EXACT):
            return _is_number(self.name(atom.column))
        if isinstance(atom, Member) and all(
            not isinstance(label, str) and abs(float(label)) < EXACT for label in atom.labels
        ):
            return _is_number(self.name(atom.column))
        return ""

    def _sqlite_number(self, column: str, atom: Number) -> str:
        """Compare in SQLite: beside a cast number, text that reads as a number is compared as one.

        Other text is above all numbers. Whole numbers stay whole there: where not all of them are
        doubles, the column is cast, too.
        """
        sign, at = (">" if atom.above else "<="), self.number(atom.at)
        if abs(atom.at) >= EXACT:
            return f"{self._double(column)} {sign} {at}"
        return f"{column} {sign} {self._double(at.removeprefix('(').removesuffix(')'))}"

    def _cast(self, expression: str, kind: str) -> str:
        from sqlglot import exp

        return str(exp.cast(exp.Var(this=expression), kind).sql(dialect=self.dialect))

    def _double(self, expression: str) -> str:
        return self._cast(expression, "double")

    def _known(self, column: str) -> str:
        """Write a column as a double in which NaN is NULL."""
        double = self._double(column)
        if self.dialect in ("mysql", "sqlite"):  # they have no NaN
            return double
        if self.dialect == "clickhouse":  # NaN is not equal to itself there
            return f"IF(isNaN({double}), NULL, {double})"
        return f"NULLIF({double}, 'NaN')"

    def _flag(self, column: str, value: bool) -> str:
        if self.dialect in ("clickhouse", "duckdb", "spark"):
            return f"{self._double(column)} = {int(value)}"
        if self.dialect == "postgres":  # neither booleans nor numbers can be cast to the other
            known = f"NULLIF({self._cast(column, 'text')}, 'NaN')"
            return f"{'' if value else 'NOT '}{self._cast(known, 'boolean')}"
        number = str(int(value))
        return f"{column} = {self._double(number) if self.dialect == 'sqlite' else number}"

    def _member(self, atom: Member) -> str:
        column = self.name(atom.column)
        labels = atom.labels
        n_texts = sum(isinstance(label, str) for label in labels)
        word = "IN" if atom.inside else "NOT IN"
        if 0 < n_texts < len(labels) and self.dialect != "sqlite":
            raise InvalidSpace(
                f"the feature in column {atom.column!r} has both texts and numbers as categories, "
                f"but a column of {self.dialect} holds only one of the two"
            )
        if n_texts:
            return self._text_member(column, word, labels)
        written = ", ".join(
            self.number(label) if isinstance(label, float) else str(int(label)) for label in labels
        )
        if any(abs(float(label)) >= EXACT for label in labels):  # doubles would round them
            return self._in(column, word, written)
        return self._in(self._known(column), word, written)

    def _in(self, column: str, word: str, written: str) -> str:
        if self.dialect == "clickhouse":  # NULL IN (...) is false there
            return f"IF({column} IS NULL, NULL, {column} {word} ({written}))"
        return f"{column} {word} ({written})"

    def _text_member(self, column: str, word: str, labels: tuple[Label, ...]) -> str:
        texts = [self.text(v) if isinstance(v, str) else self.number(float(v)) for v in labels]
        if self.dialect in ("duckdb", "postgres"):  # an enum compares with its own values only
            column = self._cast(column, "text")
        elif self.dialect == "sqlite":
            column = f"{column} COLLATE BINARY"
        elif self.dialect == "mysql":  # capitals and accents count
            column = f"CAST({column} AS BINARY)"
        return self._in(column, word, ", ".join(texts))


def _is_number(column: str) -> str:
    return f"{column} <= {LARGEST}"


def _refuse_unwritable(text: str, what: str) -> None:
    if "\0" in text:
        raise InvalidSpace(f"{what} {text!r:.80} holds a NUL, which SQL cannot hold: rename it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidSpace(
            f"{what} {text!r:.80} holds half of a surrogate pair, which SQL cannot hold: rename it"
        ) from None


def _by_powers(number: float) -> str:
    """Write a double as a whole number times or over powers of two: no decimal has to be read."""
    mantissa, exponent = math.frexp(number)
    whole, power = int(mantissa * EXACT), exponent - 53
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    sign, power = (" * " if power >= 0 else " / "), abs(power)
    written = f"CAST({whole} AS REAL)" + f"{sign}{STEP}" * (power // 62)
    if power % 62:
        written += f"{sign}{2 ** (power % 62)}"
    return f"({written})"
