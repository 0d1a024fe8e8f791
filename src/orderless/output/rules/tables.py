"""Tables: cells as aligned text, or as Markdown.

In:  rows of texts.
Out: lines. Wide and combining characters are counted as a screen shows them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

__all__ = ["ESCAPES", "column_widths", "escaped", "markdown_line", "markdown_table", "padded",
           "text_line", "text_table", "width_of"]  # fmt: skip

# Tags, code, emphasis, links, tables, formulas, mentions, and the colon of addresses and emoji.
# HTML's characters as entities: not every Markdown lets a backslash disarm a tag.
ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_{}[]()#+-!|~$@:^="} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


def width_of(text: str) -> int:
    """Count the columns that text takes on a screen."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Fill text up to a width, on its right or, to align it at the right, on its left."""
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Give the width that each column needs."""
    return [max(map(width_of, column)) for column in zip(*rows, strict=True)]


def text_line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool] = ()) -> str:
    """Write one line of a table; ``right`` says which columns are aligned at the right, or none."""
    flags = right or [False] * len(cells)
    columns = zip(cells, widths, flags, strict=True)
    return "  ".join(padded(cell, width, right=flag) for cell, width, flag in columns).rstrip()


def text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool] = ()
) -> str:
    """Write a table as text in columns.

    Examples
    --------
    >>> print(text_table(["name", "rows"], [["a", "12"], ["bcd", "3"]], [False, True]))
    name  rows
    a       12
    bcd      3
    """
    widths = column_widths([head, *rows])
    return "\n".join(text_line(row, widths, right) for row in [head, *rows])


def escaped(text: str) -> str:
    r"""Escape a name or label for Markdown.

    Examples
    --------
    >>> print(escaped("<b> *x*"))
    &lt;b&gt; \*x\*
    """
    return text.translate(ESCAPES)


def markdown_line(cells: Iterable[str]) -> str:
    """Write one line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool] = ()
) -> str:
    """Write a table as Markdown; the cells are Markdown already (``escaped``).

    Examples
    --------
    >>> print(markdown_table(["name", "rows"], [["a", "12"]], [False, True]))
    | name | rows |
    | :--- | ---: |
    | a | 12 |
    """
    rule = ["---:" if flag else ":---" for flag in right or [False] * len(head)]
    return "\n".join(map(markdown_line, [head, rule, *rows]))
