"""Text: an order-free form as aligned lines.

In:  a ``CanonicalForm``, and data if there is some.
Out: text of at most 100 columns, as long as the names allow it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from ...model import label_text, pieces
from .listing import FAULTS, Block, Line, Listing, Shown, Word, list_terms
from .tables import padded, width_of

if TYPE_CHECKING:
    from ...form import CanonicalForm

__all__ = ["form_as_text", "form_in_short", "term_lines", "wrapped"]

WIDTH = 100
LEAST = 40  # columns that conditions get, however long the labels are


def form_as_text(
    form: CanonicalForm,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    """Write rules or reasons as text: a head, and a block of aligned lines per class.

    Examples
    --------
    >>> from orderless import canonicalize, Space, read_tree
    >>> young = {"feature": "age", "relation": "<=", "reference": 24.5,
    ...          "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> tree = read_tree({"feature": "smoker", "true": {"prediction": "yes"}, "false": young},
    ...                  space=Space({"age": "integer", "smoker": "boolean"}))
    >>> print(form_as_text(canonicalize(tree), [[20, 0], [30, 1], [30, 0]]))
    3 rules, proven minimal: 1 for no, 2 for yes.
    Rows: how many of the 3 rows a rule covers for certain.
    <BLANKLINE>
                                          rows
    IF age > 24 AND not smoker  THEN no      1
    <BLANKLINE>
    IF age <= 24                THEN yes     1
    IF smoker                   THEN yes     1
    """
    listing = list_terms(form, X, y, **shown)
    sentences = [listing.head(), *listing.legend()]
    lines = [part for words in sentences for part in wrapped(_sentence(words))]
    table = _Table(listing)
    if listing.n_rows is not None:
        lines += ["", table.heading()]
    for i, block in enumerate(block for block in listing.blocks if block.lines):
        if i or listing.n_rows is None:
            lines.append("")
        lines += table.block(block)
    if listing.never:
        lines += ["", *wrapped(f"Never: {_sentence(listing.no_row())}.")]
    return "\n".join(lines)


def form_in_short(form: CanonicalForm) -> str:
    """Write the rules, or in one line why there are none and what to do."""
    try:
        return form_as_text(form)
    except FAULTS as fault:
        return f"{form!r}: no rules to show, {fault}"


def _sentence(words: Iterable[Word]) -> str:
    return "".join(text for _, text in words)


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
        self.label = max(width_of(label_text(block.label)) for block in listing.blocks)
        tail = 7 + self.label + sum(2 + width for width in self.widths)
        room = max(WIDTH - 3 - tail, LEAST)
        self.texts = {id(line): term_lines(line, room) for line in lines}
        self.width = max(
            (width_of(text) for parts in self.texts.values() for text in parts), default=0
        )
        self.width = max(min(self.width, room), 3)  # "always" takes its place

    def _heading(self) -> list[str]:
        if self.listing.n_rows is None:
            return []
        return ["rows", "right", ""] if self.listing.labelled else ["rows"]

    def _cells(self, line: Line) -> list[str]:
        if line.rows is None:
            return []
        if line.right is None:
            return [f"{line.rows:,}"]
        return [f"{line.rows:,}", f"{line.right:,}", line.share]

    def _row(self, said: str, cells: list[str]) -> str:
        for cell, width in zip(cells, self.widths, strict=True):
            said += f"  {cell:>{width}}"
        return said.rstrip()

    def heading(self) -> str:
        return self._row(" " * (3 + self.width + 7 + self.label), self._heading())

    def block(self, block: Block) -> list[str]:
        label = label_text(block.label)
        out: list[str] = []
        for line in block.lines:
            parts = self.texts[id(line)]
            if not parts:
                said = padded(f"always {label}", 3 + self.width + 7 + self.label)
                out.append(self._row(said, self._cells(line)))
                continue
            starts = ["IF ", *["   "] * (len(parts) - 1)]
            out += [start + part for start, part in zip(starts, parts, strict=True)]
            last = padded(out[-1], 3 + self.width)
            out[-1] = self._row(f"{last}  THEN {padded(label, self.label)}", self._cells(line))
        return out
