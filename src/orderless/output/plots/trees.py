"""Trees, drawn.

In:  a ``Tree``, or anything that ``orderless.read`` knows.
Out: matplotlib Axes: a tree from top to bottom.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any

from ...errors import InvalidTree
from ...model import TreeKernel, class_names, drawn, printable
from ...readers import read_tree
from .drawing import leaf_colours, places
from .look import GREY, INK, WHITE, axes_of, boxed_text, shortened, wrapped

__all__ = ["plot_tree"]

MOST_LEAVES = 64
WIDTH, DROP = 1.9, 1.15  # inches that a leaf and a level take in a new figure
LONGEST = 1_000  # characters of a condition that are looked at: no box has room for more
LETTER = 0.62  # width of a letter, in sizes of the font: bold ones are that wide
# Sizes of the font that are tried, and whether words must stay whole.
SIZES = (
    *((float(size), True) for size in (11, 10, 9, 8, 7, 6)),
    *((float(size), False) for size in (7, 6, 5)),
)
WIDEST = 150  # points that a box may take where it has the room


def plot_tree(
    tree: Any, *, ax: Any = None, limit: int = MOST_LEAVES, fontsize: float | None = None
) -> Any:
    """Draw a tree: conditions in boxes, "yes" to the left, "no" to the right, classes in colour.

    Of a regression tree, the larger a number, the darker its leaf.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``orderless.read`` knows
    ax : matplotlib Axes, optional
        By default those of a new figure that is large enough.
    limit : int
        Most leaves that are drawn.
    fontsize : float, optional
        In points; by default as large as there is room for, up to 11.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Quadratic in the nodes. Long names are broken into lines that fit beside their neighbours; where
    there is no room for them they are cut, and thresholds are not. The paper's Figure 1 is drawn
    like this.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = plot_tree({"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}})
    >>> [text.get_text() for text in ax.texts]
    ['not x0?', 'yes', 'no', 'yes', 'no']
    """
    tree = read_tree(tree)
    if tree.n_leaves > limit:
        raise InvalidTree(
            f"this tree has {tree.n_leaves:,} leaves, more than limit={limit:,} that can be drawn "
            "legibly: raise limit=, draw a smaller tree, or write it with print(tree)"
        )
    at = {node: (line, -float(level)) for node, (line, level) in sorted(places(tree).items())}
    n, depth = tree.n_leaves, tree.depth
    ax = axes_of(ax, (max(WIDTH * n, 3.0), max(DROP * (depth + 1), 1.2)))
    ax.set(xlim=(-0.5, n - 0.5), ylim=(-depth - 0.5, 0.5))
    ax.axis("off")
    if fontsize is not None and not (math.isfinite(fontsize) and fontsize > 0):
        raise ValueError(f"fontsize must be a number of points above 0, got {fontsize!r:.80}")
    points = _points_per_place(ax, n, depth)
    size, texts = _fitting(tree, at, points, fontsize)
    for node, (x, y) in at.items():
        look: dict[str, Any] = {"facecolor": WHITE, "edgecolor": INK, "linewidth": 1.1}
        if tree.feature[node] < 0:
            c = int(tree.leaf_class[node])
            ground, edge = leaf_colours(tree, c)
            look = {"facecolor": ground, "edgecolor": edge, "linewidth": 1.6}
            boxed_text(ax, (x, y), texts[node], size, look, fontweight="bold")
            continue
        boxed_text(ax, (x, y), texts[node], size, look)
        for child, word in ((tree.when_true[node], "yes"), (tree.when_false[node], "no")):
            _edge(ax, (x, y), at[int(child)], word, size)
    return ax


def _points_per_place(ax: Any, n: int, depth: int) -> tuple[float, float]:
    """Give how many points wide and high one leaf's place is in these Axes."""
    box = ax.get_position()
    width, height = ax.figure.get_size_inches()
    return 72 * width * box.width / n, 72 * height * box.height / (depth + 1)


def _room(
    at: dict[int, tuple[float, float]], node: int, needs: dict[int, float], widest: float
) -> float:
    """Give how many places wide a box may be, so that it does not touch the next on its level.

    ``needs``: how wide leaves are, which leave the rest to the splits beside them.
    """
    x, y = at[node]
    others = [
        2 * abs(x - other[0]) - min(needs.get(k, math.inf), abs(x - other[0]))
        for k, other in at.items()
        if k != node and other[1] == y
    ]
    # A box at the edge must not leave the Axes.
    edge = 2 * min(x + 0.5, max(place[0] for place in at.values()) + 0.5 - x)
    return min([*others, widest, edge]) * 0.92


def _fitting(
    tree: TreeKernel,
    at: dict[int, tuple[float, float]],
    points: tuple[float, float],
    fontsize: float | None,
) -> tuple[float, dict[int, str]]:
    """Find the largest font in which everything fits, and break the text into lines.

    Where nothing fits, names are cut, and thresholds are not.
    """
    names = class_names(tree)
    leaves = {n: names[tree.leaf_class[n]][:LONGEST] for n in at if tree.feature[n] < 0}
    whole = {n: leaves.get(n) or tree.condition(n)[:LONGEST] + "?" for n in at}
    sizes = SIZES if fontsize is None else ((fontsize, True), (fontsize, False))
    for size, whole_words in sizes:
        needs = {n: (LETTER * size * (len(t) + 1.6)) / points[0] for n, t in leaves.items()}
        widest = max(3.0, WIDEST / points[0])
        room = {n: _room(at, n, {} if n in leaves else needs, widest) * points[0] for n in at}
        letters = {n: max(int(room[n] / (LETTER * size) - 1.6), 2) for n in at}
        lines = min(max(int(0.6 * points[1] / (1.25 * size)), 1), 5)
        cut = whole if whole_words else {
            n: text if n in leaves else _shorter(tree, n, text, letters[n], lines)
            for n, text in whole.items()
        }  # fmt: skip
        texts = {
            n: "\n".join(map(drawn, text)) if isinstance(text, list)
            else wrapped(text, letters[n], lines)
            for n, text in cut.items()
        }  # fmt: skip
        if whole_words:
            fits = all(_unbroken(text, letters[n]) == _lines(texts[n]) for n, text in whole.items())
        else:
            fits = all(len(_lines(texts[n])[-1]) <= letters[n] for n in whole if n not in leaves)
        if fits:
            break
    return size, texts


def _unbroken(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), width, break_long_words=False)


def _lines(text: str) -> list[str]:
    return text.replace(r"\$", "$").split("\n")


def _shorter(tree: TreeKernel, node: int, text: str, width: int, lines: int) -> str | list[str]:
    """Cut the name in a condition about a number, so that the threshold stays; as lines."""
    name = tree.space.names[int(tree.feature[node])]
    whole = _unbroken(text, width)
    if not text.startswith(name) or not tree.space[name].ordered or (
        len(whole) <= lines and max(map(len, whole)) <= width
    ):  # fmt: skip
        return text
    threshold = printable(text[len(name) :].strip())
    if lines == 1 or not threshold or threshold == "?":
        return [f"{shortened(printable(name), max(width - len(threshold) - 1, 2))} {threshold}"]
    return [*_lines(wrapped(name, width, lines - 1)), threshold]


def _edge(
    ax: Any, start: tuple[float, float], end: tuple[float, float], word: str, size: float
) -> None:
    ax.plot([start[0], end[0]], [start[1], end[1]], color=GREY, linewidth=1.2, zorder=1)
    at = (start[0] + 0.5 * (end[0] - start[0]), start[1] + 0.5 * (end[1] - start[1]))
    ax.text(*at, word, ha="center", va="center", fontsize=0.85 * size, color=GREY, zorder=2,
            bbox={"facecolor": WHITE, "edgecolor": "none", "pad": 1.2})  # fmt: skip
