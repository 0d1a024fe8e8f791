r"""Text from outside made harmless: nothing in it can act on a terminal, a table or a figure.

In:  names and cells from anybody, which may hold anything: ``\x1b[2J`` clears a terminal, a
     right-to-left override reverses what follows.
Out: text that is only shown. Nothing heavy is imported here: a command line starts with it.
"""

from __future__ import annotations

import re

__all__ = ["FORMULA", "PLAIN_NUMBER", "cut", "drawn", "not_formula", "printable", "shown"]

# Control characters but tab and line feed, what turns the direction of text, line ends that few
# know, halves of surrogate pairs.
ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)

# What a spreadsheet would calculate, and what of it is only a number.
FORMULA = "^[=+\\-@\t\r\n]"
PLAIN_NUMBER = r"^[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?$"
_FORMULA, _NUMBER = re.compile(FORMULA), re.compile(PLAIN_NUMBER[:-1] + r"\Z")


def printable(text: str) -> str:
    r"""Write characters that would break a line, or cannot be seen, as escapes.

    Examples
    --------
    >>> print(printable("blood\npressure"))
    blood\npressure
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shown(text: str) -> str:
    r"""Write what a terminal would obey as escapes, in text of several lines.

    Examples
    --------
    >>> print(shown("a\tb\n\x1b[2Jc"))
    a   b
    \x1b[2Jc
    """
    return ACTIVE.sub(lambda found: repr(found[0])[1:-1], text)


def not_formula(cell: str) -> str:
    """Write a cell so that a spreadsheet shows it and does not calculate it; numbers as they are.

    Examples
    --------
    >>> not_formula("=1+2"), not_formula("-5"), not_formula("-5+1")
    ("'=1+2", '-5', "'-5+1")
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.match(cell) else cell


def cut(text: str, most: int = 1_000) -> str:
    """Leave out the middle of a text that is too long to read, and say how long it is.

    The end stays: it is where a message says what to do.

    Examples
    --------
    >>> cut("no column " + "x" * 5_000 + ": rename it", 30)
    'no column xxxxx... (5,021 characters) ...xxxx: rename it'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}... ({len(text):,} characters) ...{text[-half:]}"


def drawn(text: str) -> str:
    r"""Write text so that matplotlib draws it as it is.

    A pair of $ would make a formula of it, and a label that begins with _ is left out of legends.

    Examples
    --------
    >>> print(drawn("$income$"))
    \$income\$
    """
    text = printable(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
