"""HTML: an order-free form, or a tree, as a fragment for notebooks and pages.

In:  a ``CanonicalForm``, and data if there is some; or a ``Tree``.
Out: a ``<div>`` that needs no style sheet and no script. Colours are the page's own, so that it
     reads in light and in dark; every name and label is escaped.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from ...model import Side, label_text, pieces
from .listing import FAULTS, Block, Line, Listing, Shown, list_terms

if TYPE_CHECKING:
    from ...form import CanonicalForm
    from ...model import Tree

__all__ = ["form_as_html", "form_in_short_html", "tree_as_html"]

MANY = 40  # lines of one table from which on it scrolls
SHORT = 40  # characters of a condition that are kept on one line

# Notebooks style tables themselves (right-aligned, striped), so each cell says what it wants.
RULE = "1px solid rgba(128,128,128,"
OUTER = "width:fit-content;max-width:min(100%,72em);margin:.4em 0;line-height:1.45;color:inherit"
HEAD = "margin:0 0 .2em 0"
QUIET = "margin:0;font-size:.88em;opacity:.75"
TABLE = (
    "border-collapse:collapse;border:0;margin:.9em 0 0 0;width:100%;min-width:24em;"
    "table-layout:auto;font-size:1em;line-height:1.45;color:inherit;background:transparent"
)
CAPTION = "caption-side:top;text-align:left;padding:0 0 .2em 0;color:inherit;font-size:1em"
TOP = f"padding:.15em 0 .15em 1.6em;border:0;border-bottom:{RULE}.6);font-size:.88em"
BOTH = "font-weight:normal;vertical-align:top;line-height:1.45;max-width:none;"
LEFT = f"{BOTH}text-align:left;white-space:normal;overflow-wrap:anywhere;"
RIGHT = f"{BOTH}text-align:right;white-space:nowrap;"
CELL = f"border:0;border-bottom:{RULE}.25);background:transparent"
FIRST = "padding:.3em 0 .3em 0"
NEXT = "padding:.3em 0 .3em 1.6em;font-variant-numeric:tabular-nums"
AND = ' <span style="font-size:.8em;opacity:.7;letter-spacing:.04em">AND</span>&nbsp;'
SCROLL = (
    f"overflow:auto;max-height:36em;border:{RULE}.35);border-radius:4px;padding:0 .8em;"
    "margin-top:.9em"
)
BAR = (
    "display:inline-block;width:4em;height:.5em;margin-left:.7em;border-radius:.25em;"
    "vertical-align:.1em;"
)
SIGNS = {" <= ": " ≤ ", " >= ": " ≥ ", " != ": " ≠ "}
LIST = "list-style:none;margin:0;padding:0"
BRANCH = f"margin:0;padding:.05em 0 .05em 1.1em;border-left:{RULE}.45)"
ANSWER = "font-size:.88em;opacity:.75;display:inline-block;min-width:2.2em"
DRAWN_NODES, DRAWN_DEPTH = 300, 40  # of a tree; the rest is left out, and that is said


def form_as_html(
    form: CanonicalForm,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    """Write rules or reasons as HTML: a table per class.

    Examples
    --------
    >>> from orderless import canonicalize
    >>> form = canonicalize({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> form_as_html(form).startswith('<div class="orderless"')
    True
    """
    listing = list_terms(form, X, y, **shown)
    parts = [f'<p style="{HEAD}">{listing.head(_isolated)}</p>']
    parts += [f'<p style="{QUIET}">{line}</p>' for line in listing.legend(escape)]
    parts += [_table(listing, block) for block in listing.blocks if block.lines]
    if listing.never:
        parts.append(f'<p style="margin:.9em 0 0 0">Never: {listing.no_row(_isolated)}.</p>')
    return _outer("\n".join(parts))


def form_in_short_html(form: CanonicalForm) -> str:
    """Write the rules, or why there are none and what to do."""
    try:
        return form_as_html(form)
    except FAULTS as fault:
        said = escape(f"{form!r}: no rules to show, {fault}")
        return _outer(f'<p style="{HEAD}">{said}</p>')


def tree_as_html(tree: Tree) -> str:
    """Write a tree as nested lists, yes before no; very large ones in part.

    Examples
    --------
    >>> from orderless import read_tree
    >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> tree_as_html(tree).count("<li")
    2
    """
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    classes = ", ".join(_isolated(label_text(label)) for label in tree.classes[:8])
    more = f" and {len(tree.classes) - 8:,} more" if len(tree.classes) > 8 else ""
    parts = [
        f'<p style="{HEAD}">A tree with {leaves}, depth {tree.depth}. Classes: {classes}{more}.</p>'
    ]
    todo: list[tuple[int, str, int] | str] = [(0, "", 0)]
    drawn = 0
    while todo:
        step = todo.pop()
        if isinstance(step, str):
            parts.append(step)
            continue
        node, answer, depth = step
        drawn += 1
        said = f'<span style="{ANSWER}">{answer}</span> ' if answer else ""
        begin, end = (f'<li style="{BRANCH}">', "</li>") if answer else ("<div>", "</div>")
        if tree.feature[node] < 0:
            label = _isolated(label_text(tree.classes[tree.leaf_class[node]]))
            parts.append(f"{begin}{said}<b>{label}</b>{end}")
        elif drawn > DRAWN_NODES or depth >= DRAWN_DEPTH:
            parts.append(f"{begin}{said}… (not shown){end}")
        else:
            yes, no = int(tree.when_true[node]), int(tree.when_false[node])
            if tree.space.features[tree.feature[node]].kind == "boolean":
                yes, no = no, yes  # "smoker?" reads better than "not smoker?"
            parts.append(f'{begin}{said}{_question(tree, node)}?<ul style="{LIST}">')
            todo += [f"</ul>{end}", (no, "no", depth + 1), (yes, "yes", depth + 1)]
    return _outer("\n".join(parts))


def _question(tree: Tree, node: int) -> str:
    feature = tree.space.features[tree.feature[node]]
    if feature.kind == "boolean":
        return _condition(Side(feature, 0.0, 1.0))
    return _condition(tree.side(node))


def _outer(content: str) -> str:
    return f'<div class="orderless" style="{OUTER}">\n{content}\n</div>'


def _isolated(text: str) -> str:
    """Escape a name or label, and keep its writing direction to itself."""
    return f"<bdi>{escape(text)}</bdi>"


def _table(listing: Listing, block: Block) -> str:
    label = _isolated(label_text(block.label))
    head = [f'<th scope="col" style="{LEFT}{TOP};padding-left:0">{listing.terms[:-1]}</th>']
    columns = (("rows", "4em"), ("right", "12em"))  # of one width, so that tables align
    for name, width in columns[: (listing.n_rows is not None) + listing.labelled]:
        head.append(f'<th scope="col" style="{RIGHT}{TOP};width:{width}">{name}</th>')
    table = "\n".join(
        [
            f'<table style="{TABLE}">',
            f'<caption style="{CAPTION}"><b>{label}</b>: {listing.count(block.total)}</caption>',
            f'<thead><tr style="background:transparent">{"".join(head)}</tr></thead>',
            "<tbody>",
            *(_row(line) for line in block.lines),
            "</tbody>",
            "</table>",
        ]
    )
    if len(block.lines) < MANY:
        return table
    said = escape(f"{listing.terms} for {label_text(block.label)}", quote=True)
    return f'<div role="region" tabindex="0" aria-label="{said}" style="{SCROLL}">\n{table}\n</div>'


def _row(line: Line) -> str:
    said = AND.join(_condition(side, len(line.term)) for side in line.term.sides) or "always"
    cells = [f'<th scope="row" style="{LEFT}{FIRST};{CELL}">{said}</th>']
    if line.rows is not None:
        cells.append(f'<td style="{RIGHT}{NEXT};{CELL}">{line.rows:,}</td>')
    if line.right is not None:
        share = f" ({escape(line.share)})" if line.share else ""
        cells.append(f'<td style="{RIGHT}{NEXT};{CELL}">{line.right:,}{share}{_bar(line)}</td>')
    return f'<tr style="background:transparent">{"".join(cells)}</tr>'


def _bar(line: Line) -> str:
    """Draw the share as a bar; the number beside it says the same."""
    percent = 100 * (line.right or 0) / (line.rows or 1)
    full, rest = "rgba(64,132,196,.9)", f"rgba(128,128,128,{0.25 if line.rows else 0})"
    fill = f"background:linear-gradient(90deg,{full} {percent:.1f}%,{rest} {percent:.1f}%)"
    return f'<span aria-hidden="true" style="{BAR}{fill}"></span>'


def _condition(side: Side, among: int = 1) -> str:
    out, length = [], 0
    for kind, text in pieces(side, among):
        length += len(text)
        if kind in ("name", "label"):
            out.append(_isolated(text))
        else:
            out.append(escape(SIGNS.get(text, text)))
    wrap = "normal" if length > SHORT else "nowrap"
    return f'<span style="white-space:{wrap}">{"".join(out)}</span>'
