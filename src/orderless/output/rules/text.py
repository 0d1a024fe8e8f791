"""Text and Markdown: an order-free form as aligned lines, or as tables; and tables of any kind.

In:  a ``CanonicalForm``, and data if there is some; or rows of texts.
Out: text of at most 100 columns, as long as the names allow it; wide and combining characters are
     counted as a screen shows them. GitHub's Markdown (CommonMark with tables), in which every name
     and label is escaped.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from ...model import Side, pieces
from .listing import FAULTS, Block, Line, Listing, Shown, list_terms, sentence

if TYPE_CHECKING:
    from ...form import Form

__all__ = [
    "column_widths", "escaped", "form_as_markdown", "form_as_text", "form_in_short",
    "markdown_line", "markdown_table", "padded", "term_lines", "text_line", "text_table",
    "width_of", "wrapped",
]  # fmt: skip

WIDTH = 100
LEAST = 40  # columns that conditions get, however long the labels are
# Tags, code, emphasis, links, tables, formulas, mentions, and the colon of addresses and emoji.
# HTML's characters as entities: not every Markdown lets a backslash disarm a tag.
ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_{}[]()#+-!|~$@:^="} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
SIGNS = {" <= ": " ≤ ", " >= ": " ≥ ", " != ": " ≠ ", "{": "\\{", "}": "\\}"}


def form_as_text(
    form: Form,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    """Write a head, and a block of aligned lines per class; see ``CanonicalForm.to_text``."""
    listing = list_terms(form, X, y, **shown)
    sentences = [listing.head(), *listing.legend()]
    lines = [part for words in sentences for part in wrapped(sentence(words))]
    table = _Table(listing)
    if listing.n_rows is not None:
        lines += ["", table.heading()]
    for i, block in enumerate(block for block in listing.blocks if block.lines):
        if (i and not listing.numbers) or (not i and listing.n_rows is None):
            lines.append("")
        lines += table.block(block)
    if listing.never:
        lines += ["", *wrapped(f"Never: {sentence(listing.no_row())}.")]
    return "\n".join(lines)


def form_in_short(form: Form) -> str:
    """Write the rules, or in one line why there are none and what to do."""
    try:
        return form_as_text(form)
    except FAULTS as fault:
        return f"{form!r}: no rules to show, {fault}"


def term_lines(line: Line, width: int) -> list[str]:
    """Write the conditions of a rule or reason in lines of at most this width, if names allow.

    Lines break before AND; a condition that is too long by itself breaks between its values.
    """
    out: list[str] = []
    sides = line.term.sides
    for side in sides:
        condition = "".join(text for _, text in pieces(side, among=len(sides)))
        parts = _condition_lines(condition, width)
        if out and width_of(out[-1]) + 5 + width_of(parts[0]) <= width and len(parts) == 1:
            out[-1] += f" AND {parts[0]}"
        else:
            out += [f"AND {parts[0]}" if out else parts[0], *parts[1:]]
    return out


def _condition_lines(condition: str, width: int) -> list[str]:
    if width_of(condition) + 4 <= width or ", " not in condition:
        return [condition]
    lines = [""]
    for i, value in enumerate(condition.split(", ")):
        if i:
            lines[-1] += ","
            if width_of(lines[-1]) + 6 + width_of(value) > width:
                lines.append("   ")
        lines[-1] += f" {value}" if i else value
    return lines


def wrapped(text: str) -> list[str]:
    """Break a sentence into lines."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


class _Table:
    """Knows the widths of all columns: conditions, class, rows, right, share."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        lines = [line for block in listing.blocks for line in block.lines]
        heading = self._heading()
        cells = [heading, *(self._cells(line) for line in lines)]
        self.widths = [max(len(row[k]) for row in cells) for k in range(len(heading))]
        self.label = max(width_of(listing.name(block.label)) for block in listing.blocks)
        tail = 7 + self.label + sum(2 + width for width in self.widths)
        room = max(WIDTH - 3 - tail, LEAST)
        self.texts = {id(line): term_lines(line, room) for line in lines}
        self.width = max(
            (width_of(text) for parts in self.texts.values() for text in parts), default=0
        )
        self.width = max(min(self.width, room), 3)  # "always" takes its place

    def _heading(self) -> list[str]:
        share = [""] * (self.listing.labelled and not self.listing.numbers)
        return [*self.listing.counts, *share]

    def _cells(self, line: Line) -> list[str]:
        share = [] if line.right is None else [line.share]
        return [*self.listing.cells(line), *share]

    def _row(self, text: str, cells: list[str]) -> str:
        for cell, width in zip(cells, self.widths, strict=True):
            text += f"  {cell:>{width}}"
        return text.rstrip()

    def heading(self) -> str:
        return self._row(" " * (3 + self.width + 7 + self.label), self._heading())

    def block(self, block: Block) -> list[str]:
        label = self.listing.name(block.label)
        if self.listing.numbers:
            label = padded(label, self.label, right=True)
        out: list[str] = []
        for line in block.lines:
            parts = self.texts[id(line)]
            if not parts:
                text = padded(f"always {label}", 3 + self.width + 7 + self.label)
                out.append(self._row(text, self._cells(line)))
                continue
            starts = ["IF ", *["   "] * (len(parts) - 1)]
            out += [start + part for start, part in zip(starts, parts, strict=True)]
            last = padded(out[-1], 3 + self.width)
            out[-1] = self._row(f"{last}  THEN {padded(label, self.label)}", self._cells(line))
        return out


# -- Markdown -------------------------------------------------------------------------------------


def form_as_markdown(
    form: Form,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    """Write rules or reasons as Markdown: a table per class.

    Examples
    --------
    >>> from orderless.form import canonical_form
    >>> from orderless.readers import read_tree
    >>> leaf = {"true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> print(form_as_markdown(canonical_form(
    ...     read_tree({"feature": "snores", **leaf}, feature_names=["snores"]))))
    2 rules, proven minimal: 1 for no, 1 for yes.
    <BLANKLINE>
    **no**: 1 rule
    <BLANKLINE>
    | rule |
    | :--- |
    | not snores |
    <BLANKLINE>
    **yes**: 1 rule
    <BLANKLINE>
    | rule |
    | :--- |
    | snores |
    """
    listing = list_terms(form, X, y, **shown)
    parts = [sentence(words, escaped) for words in [listing.head(), *listing.legend()]]
    if listing.numbers:
        parts.append(_markdown_numbers(listing))
    else:
        parts += [_markdown_block(listing, block) for block in listing.blocks if block.lines]
    if listing.never:
        parts.append(f"Never: {sentence(listing.no_row(), escaped)}.")
    return "\n\n".join(parts)


def _markdown_block(listing: Listing, block: Block) -> str:
    label = escaped(listing.name(block.label))
    counts = listing.counts
    table = markdown_table(
        [listing.terms[:-1], *counts],
        [_markdown_cells(listing, line) for line in block.lines],
        right=[False, *[True] * len(counts)],
    )
    return f"**{label}**: {listing.count(block.total)}\n\n{table}"


def _markdown_numbers(listing: Listing) -> str:
    """Write one table: a line for each rule, with its number."""
    rows = [
        [*_markdown_cells(listing, line)[:1], escaped(listing.name(block.label)),
         *_markdown_cells(listing, line)[1:]]
        for block in listing.blocks for line in block.lines
    ]  # fmt: skip
    counts = listing.counts
    head = [listing.terms[:-1], "number", *counts]
    return markdown_table(head, rows, right=[False, True, *[True] * len(counts)])


def _markdown_cells(listing: Listing, line: Line) -> list[str]:
    conditions = [_markdown_condition(side, len(line.term)) for side in line.term.sides]
    cells = [" AND ".join(conditions) or "always", *map(escaped, listing.cells(line))]
    share = escaped(line.share)
    if share:
        cells[-1] += f" ({share})"
    return cells


def _markdown_condition(side: Side, among: int) -> str:
    return "".join(
        escaped(text) if kind in ("name", "label") else SIGNS.get(text, text)
        for kind, text in pieces(side, among)
    )


# -- tables of any kind ---------------------------------------------------------------------------


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
