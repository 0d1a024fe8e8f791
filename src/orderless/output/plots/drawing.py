"""Drawing: a tree as SVG, from left to right, a line of text per leaf.

In:  a ``Tree``, and data if there is some.
Out: an ``<svg>`` element that takes its colours from the page (``currentColor``, and the custom
     properties ``--class-0`` to ``--class-9`` where the page sets them); names are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ...inputs import class_codes, number_array, rows_for
from ...model import TreeKernel, amount, class_names, label_text, printable
from .look import BLUE, colour, mark, pale, shade, shortened

__all__ = ["DRAWN_LEAVES", "class_marks", "leaf_colours", "number_part", "places", "tree_as_svg"]

DRAWN_LEAVES = 128  # a larger tree is listed as text
LINE, WIDE, GAP, PAD = 30, 7.6, 46, 9  # pixels: a leaf's line, a character, between levels, inside
LONGEST = 34  # characters of a condition on one line


@dataclass(frozen=True)
class _Box:
    node: int
    level: int
    line: float
    text: str


def tree_as_svg(
    tree: TreeKernel, X: Any = None, y: Any = None, *, marked: Iterable[int] = ()
) -> str:
    """Draw a tree.

    Parameters
    ----------
    tree : Tree
        Of at most 128 leaves; a larger one is refused.
    X, y : rows and labels, optional
        Complete rows: leaves then say how many reach them, and how many of these have their class;
        of a regression tree, how far their number is off, on average.
    marked : iterable of int
        Nodes drawn with a dashed frame: redundant splits, say.

    Returns
    -------
    str

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> drawn = tree_as_svg(read_tree({"feature": 0, "true": {"prediction": "<yes>"},
    ...                                "false": {"prediction": "no"}}))
    >>> drawn.startswith("<svg"), "&lt;yes&gt;" in drawn
    (True, True)
    """
    if tree.n_leaves > DRAWN_LEAVES:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, more than the {DRAWN_LEAVES} that are drawn: "
            "print it instead"
        )
    dashed = frozenset(marked)
    boxes = _boxes(tree, _tails(tree, X, y))
    levels = [0.0] * (1 + max(box.level for box in boxes))
    for box in boxes:
        levels[box.level] = max(levels[box.level], _width(box.text))
    left = [PAD + sum(levels[:k]) + k * GAP for k in range(len(levels))]
    n_lines = sum(tree.feature[box.node] < 0 for box in boxes)
    width, height = left[-1] + levels[-1] + PAD, n_lines * LINE + 2 * PAD
    at = {box.node: box for box in boxes}
    out = [
        f'<svg class="tree" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} '
        f'{height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="{escape(_spoken(tree))}" font-size="13" '
        'font-family="system-ui, sans-serif" fill="currentColor">'
    ]
    for box in boxes:
        if tree.feature[box.node] >= 0:
            for child, word in (
                (tree.when_true[box.node], "yes"),
                (tree.when_false[box.node], "no"),
            ):
                out.append(_edge(box, at[int(child)], left, word))
    for box in boxes:
        out.append(_box(tree, box, left[box.level], box.node in dashed))
    return "".join(out) + "</svg>"


def class_marks(tree: TreeKernel) -> list[tuple[str, str]]:
    """Give the legend of a drawing: the mark of each class, and its label; none of numbers."""
    if tree.task == "regression":
        return []
    return [(mark(c), label_text(label)) for c, label in enumerate(tree.classes)]


def number_part(tree: TreeKernel, c: int) -> float:
    """Give where a number lies between the smallest (0) and the largest (1) of a regression tree.

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> tree = read_tree({"task": "regression", "feature": 0, "true": {"prediction": 5.0},
    ...                   "false": {"prediction": 2.5}})
    >>> number_part(tree, 0), number_part(tree, 1)
    (0.0, 1.0)
    """
    low, high, own = (float(tree.numbers[i]) / 2 for i in (0, -1, c))
    return (own - low) / (high - low) if high > low else 0.5


def leaf_colours(tree: TreeKernel, c: int) -> tuple[str, str]:
    """Give the ground and the edge of a leaf: by class, or the darker the larger its number is."""
    if tree.task == "regression":
        return shade(number_part(tree, c)), BLUE
    return pale(c), colour(c)


def places(tree: TreeKernel) -> dict[int, tuple[float, int]]:
    """Give every node its line and its level: a leaf the next line, a split the middle."""
    at: dict[int, tuple[float, int]] = {}
    line = 0
    todo: list[tuple[int, int, bool]] = [(0, 0, False)]
    while todo:
        node, level, placed = todo.pop()
        yes, no = int(tree.when_true[node]), int(tree.when_false[node])
        if tree.feature[node] < 0:
            at[node] = (line, level)
            line += 1
        elif placed:
            at[node] = ((at[yes][0] + at[no][0]) / 2, level)
        else:
            todo += [(node, level, True), (no, level + 1, False), (yes, level + 1, False)]
    return at


def _boxes(tree: TreeKernel, tails: list[str]) -> list[_Box]:
    out = []
    names, marks = class_names(tree), tree.task != "regression"
    for node, (line, level) in places(tree).items():
        if tree.feature[node] < 0:
            c = int(tree.leaf_class[node])
            text = f"{mark(c)} " * marks + f"{names[c]}{tails[node]}"
        else:
            text = printable(tree.condition(node))
        out.append(_Box(node, level, line, text))
    return out


def _tails(tree: TreeKernel, X: Any, y: Any) -> list[str]:
    if X is None:
        return [""] * tree.n_nodes
    leaf = np.ma.filled(np.ma.asarray(tree.reach(rows_for(tree, X)).leaf), -1)
    rows = np.bincount(leaf[leaf >= 0], minlength=tree.n_nodes)
    if y is None:
        return [f"  {_rows(n)}" for n in rows]
    if tree.task == "regression":
        off = np.abs(tree.numbers[tree.leaf_class[leaf]] - number_array(y, len(leaf)))
        error = np.bincount(leaf[leaf >= 0], weights=off[leaf >= 0], minlength=tree.n_nodes)
        return [
            f"  {_rows(n)}, off by {amount(e / n)}" if n else "  no rows"
            for n, e in zip(rows, error, strict=True)
        ]
    code = class_codes(tree, y, len(leaf))
    right = np.bincount(
        leaf[leaf >= 0], weights=(code == tree.leaf_class[leaf])[leaf >= 0], minlength=tree.n_nodes
    )
    return [
        f"  {_rows(n)}, {r / n:.0%} right" if n else "  no rows"
        for n, r in zip(rows, right, strict=True)
    ]


def _rows(n: int) -> str:
    return f"{n:,} row{'s' if n != 1 else ''}"


def _width(text: str) -> float:
    return min(len(text), LONGEST) * WIDE + 2 * PAD


def _edge(box: _Box, child: _Box, left: list[float], word: str) -> str:
    x0, y0 = left[box.level] + _width(box.text), _y(box)
    x1, y1 = left[child.level], _y(child)
    bend = x1 - GAP / 2
    return (
        f'<path d="M{x0:.1f} {y0:.1f}H{bend:.1f}V{y1:.1f}H{x1:.1f}" fill="none" '
        f'stroke="currentColor" stroke-opacity=".45"/><text x="{bend + 4:.1f}" y="{y1 - 4:.1f}" '
        f'font-size="10" opacity=".75">{word}</text>'
    )


def _box(tree: TreeKernel, box: _Box, x: float, dashed: bool) -> str:
    y, width, height = _y(box) - LINE / 2 + 3, _width(box.text), LINE - 6
    if tree.feature[box.node] < 0:
        k = int(tree.leaf_class[box.node])
        numbers = tree.task == "regression"
        opacity = f"{0.06 + 0.4 * number_part(tree, k):.2f}" if numbers else ".16"
        k = 0 if numbers else k  # of numbers, the larger the darker
        line = f"var(--class-{k % 10}, {colour(k)})"
        style = f'fill="{line}" fill-opacity="{opacity}" stroke="{line}"'
    else:
        style = 'fill="none" stroke="currentColor" stroke-opacity=".6"'
        if dashed:
            style += ' stroke-dasharray="4 3"'
    note = " (redundant)" if dashed else ""
    shown = escape(shortened(box.text, LONGEST))
    return (
        f'<g><title>{escape(box.text)}{note}</title><rect x="{x:.1f}" y="{y:.1f}" '
        f'width="{width:.1f}" height="{height}" rx="5" {style}/><text x="{x + PAD:.1f}" '
        f'y="{_y(box) + 4.5:.1f}" xml:space="preserve">{shown}</text></g>'
    )


def _y(box: _Box) -> float:
    return PAD + (box.line + 0.5) * LINE


def _spoken(tree: TreeKernel) -> str:
    return (
        f"A decision tree with {tree.n_leaves} leaves over {', '.join(tree.features) or 'nothing'}"
    )
