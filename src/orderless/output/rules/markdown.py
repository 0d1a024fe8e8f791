"""Markdown: an order-free form as tables.

In:  a ``CanonicalForm``, and data if there is some.
Out: GitHub's Markdown (CommonMark with tables); every name and label is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from ...model import Side, label_text, pieces
from .listing import Block, Line, Listing, Shown, list_terms

if TYPE_CHECKING:
    from ...form import CanonicalForm

__all__ = ["escaped", "form_as_markdown"]

# Tags, code, emphasis, links, tables, formulas, mentions, and the colon of addresses and emoji.
# HTML's characters as entities: not every Markdown lets a backslash disarm a tag.
ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_{}[]()#+-!|~$@:^="} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
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
    parts = [listing.head(escaped), *listing.legend(escaped)]
    parts += [_block(listing, block) for block in listing.blocks if block.lines]
    if listing.never:
        parts.append(f"Never: {listing.no_row(escaped)}.")
    return "\n\n".join(parts)


def escaped(text: str) -> str:
    r"""Escape a name or label.

    Examples
    --------
    >>> print(escaped("<b> *x*"))
    &lt;b&gt; \*x\*
    """
    return text.translate(ESCAPES)


def _block(listing: Listing, block: Block) -> str:
    label = escaped(label_text(block.label))
    names = [listing.terms[:-1], "rows", "right"][: 1 + (listing.n_rows is not None)
                                                  + listing.labelled]  # fmt: skip
    table = [names, [":---", "---:", "---:"][: len(names)], *(_cells(line) for line in block.lines)]
    rows = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
    return f"**{label}**: {listing.count(block.total)}\n\n{rows}"


def _cells(line: Line) -> list[str]:
    cells = [" AND ".join(_condition(side, len(line.term)) for side in line.term.sides) or "always"]
    if line.rows is not None:
        cells.append(f"{line.rows:,}")
    if line.right is not None:
        share = line.share.translate(ESCAPES)
        cells.append(f"{line.right:,} ({share})" if share else f"{line.right:,}")
    return cells


def _condition(side: Side, among: int) -> str:
    return "".join(
        escaped(text) if kind in ("name", "label") else SIGNS.get(text, text)
        for kind, text in pieces(side, among)
    )
