"""Markdown: an order-free form as tables.

In:  a ``CanonicalForm``, and data if there is some.
Out: GitHub's Markdown (CommonMark with tables); every name and label is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from ...model import Side, label_text, pieces
from .listing import Block, Line, Listing, Shown, Word, list_terms
from .tables import escaped, markdown_table

if TYPE_CHECKING:
    from ...form import CanonicalForm

__all__ = ["form_as_markdown"]

SIGNS = {" <= ": " ≤ ", " >= ": " ≥ ", " != ": " ≠ ", "{": "\\{", "}": "\\}"}


def form_as_markdown(
    form: CanonicalForm,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    """Write rules or reasons as Markdown: a table per class.

    Examples
    --------
    >>> from orderless import canonicalize, read_tree
    >>> leaf = {"true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> print(form_as_markdown(canonicalize(
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
    parts = [*map(_sentence, [listing.head(), *listing.legend()])]
    parts += [_block(listing, block) for block in listing.blocks if block.lines]
    if listing.never:
        parts.append(f"Never: {_sentence(listing.no_row())}.")
    return "\n\n".join(parts)


def _sentence(words: Iterable[Word]) -> str:
    return "".join(text if kind == "words" else escaped(text) for kind, text in words)


def _block(listing: Listing, block: Block) -> str:
    label = escaped(label_text(block.label))
    counts = ["rows"] * (listing.n_rows is not None) + ["right"] * listing.labelled
    table = markdown_table(
        [listing.terms[:-1], *counts],
        [_cells(line) for line in block.lines],
        right=[False, *[True] * len(counts)],
    )
    return f"**{label}**: {listing.count(block.total)}\n\n{table}"


def _cells(line: Line) -> list[str]:
    cells = [" AND ".join(_condition(side, len(line.term)) for side in line.term.sides) or "always"]
    if line.rows is not None:
        cells.append(f"{line.rows:,}")
    if line.right is not None:
        share = escaped(line.share)
        cells.append(f"{line.right:,} ({share})" if share else f"{line.right:,}")
    return cells


def _condition(side: Side, among: int) -> str:
    return "".join(
        escaped(text) if kind in ("name", "label") else SIGNS.get(text, text)
        for kind, text in pieces(side, among)
    )
