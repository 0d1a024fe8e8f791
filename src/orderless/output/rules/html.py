"""HTML: an order-free form, or a tree, as a fragment for notebooks and pages.

In:  a ``CanonicalForm``, and data if there is some; or a ``Tree``.
Out: a ``<div>`` that needs no style sheet and no script. Colours are the page's own, so that it
     reads in light and in dark; every name and label is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from ...model import Piece, Side, class_names, pieces
from ..templates import fragment
from .listing import FAULTS, Block, Listing, Shown, list_terms

if TYPE_CHECKING:
    from ...form import Form
    from ...model import TreeKernel

__all__ = ["form_as_html", "form_in_short_html", "tree_as_html"]

MANY = 40  # a table of this many lines scrolls
DRAWN_NODES, DRAWN_DEPTH = 300, 40  # of a tree; the rest is left out, which is noted


def form_as_html(
    form: Form,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    """Write rules or reasons as HTML: a table per class.

    Examples
    --------
    >>> from orderless.form import canonical_form
    >>> form = canonical_form({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> form_as_html(form).startswith('<div class="orderless"')
    True
    """
    listing = list_terms(form, X, y, **shown)
    return fragment(
        "rules/form.html",
        terms=listing.terms,
        head=listing.head(),
        legend=listing.legend(),
        counts=listing.counts,
        numbers=listing.numbers,
        blocks=[_block(listing, block) for block in listing.blocks if block.lines],
        never=listing.no_row(),
        many=MANY,
    )


def _block(listing: Listing, block: Block) -> dict[str, Any]:
    lines = [
        {
            "conditions": [list(pieces(side, len(line.term))) for side in line.term.sides],
            "cells": listing.cells(line),
            "rows": line.rows,
            "right": line.right,
            "share": line.share,
        }
        for line in block.lines
    ]
    return {"label": listing.name(block.label), "count": listing.count(block.total), "lines": lines}


def form_in_short_html(form: Form) -> str:
    """Write the rules, or why there are none and what to do."""
    try:
        return form_as_html(form)
    except FAULTS as fault:
        return fragment("rules/note.html", text=f"{form!r}: no rules to show, {fault}")


def tree_as_html(tree: TreeKernel) -> str:
    """Write a tree as nested lists, yes before no; very large ones in part.

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> tree_as_html(tree).count("<li")
    2
    """
    names = class_names(tree)
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    return fragment(
        "rules/tree.html",
        leaves=leaves,
        depth=tree.depth,
        numbers=tree.task == "regression",
        classes=names,
        steps=list(_steps(tree, names)),
    )


@dataclass(frozen=True)
class _Step:
    """A node of a tree, or the end of its list: "leaf", "split", "cut" (not shown) or "end"."""

    kind: str
    answer: str  # to the question above: "yes", "no", "" at the root
    label: str = ""
    question: tuple[Piece, ...] = ()


def _steps(tree: TreeKernel, names: list[str]) -> Iterator[_Step]:
    todo: list[tuple[int, str, int] | _Step] = [(0, "", 0)]
    n_drawn = 0
    while todo:
        step = todo.pop()
        if isinstance(step, _Step):
            yield step
            continue
        node, answer, depth = step
        n_drawn += 1
        if tree.feature[node] < 0:
            yield _Step("leaf", answer, names[tree.leaf_class[node]])
        elif n_drawn > DRAWN_NODES or depth >= DRAWN_DEPTH:
            yield _Step("cut", answer)
        else:
            yes, no = int(tree.when_true[node]), int(tree.when_false[node])
            if tree.space.features[tree.feature[node]].kind == "boolean":
                yes, no = no, yes  # "smoker?" reads better than "not smoker?"
            yield _Step("split", answer, question=tuple(pieces(_question(tree, node))))
            todo += [_Step("end", answer), (no, "no", depth + 1), (yes, "yes", depth + 1)]


def _question(tree: TreeKernel, node: int) -> Side:
    feature = tree.space.features[tree.feature[node]]
    if feature.kind == "boolean":
        return Side(feature, 0.0, 1.0)
    return tree.side(node)
