"""The look of all plots: colours that the colour-blind tell apart, and text that fits.

In:  numbers of classes, names.
Out: hatches, wrapped text, Axes.
"""

from __future__ import annotations

import textwrap
from typing import Any

from ...model import drawn, printable

__all__ = ["GREY", "INK", "axes_of", "hatch", "short_names", "wrapped"]

INK, GREY = "#1f2328", "#59636e"
WIDEST = 32  # characters of a name beside an axis
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "++", "||", "oo", "**")


def hatch(c: int) -> str:
    """Give the hatch of a class: what a colour says is said twice."""
    return HATCHES[(c % len(HATCHES) + c // len(HATCHES)) % len(HATCHES)]


def wrapped(text: str, width: int, most: int = 4) -> str:
    r"""Break text into lines of at most this many characters, and at most so many lines.

    Formulas and control characters are shown as what they are, text.

    Examples
    --------
    >>> print(wrapped("a rather long name in $", 12, most=2))
    a rather
    long name i…
    """
    text = text[: 4 * width * most + 100]  # the rest of a long name is not drawn anyway
    lines = textwrap.wrap(printable(text), width) or [""]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1][: max(width - 1, 1)] + "…"]
    return "\n".join(map(drawn, lines))


def axes_of(ax: Any, size: tuple[float, float]) -> Any:
    """Give the Axes, or those of a new figure of this size."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def short_names(ax: Any) -> None:
    """Cut names beside the axes that would leave no room."""
    names = [label.get_text().replace(r"\$", "$") for label in ax.get_yticklabels()]
    if any(len(name) > WIDEST for name in names):
        short = [name if len(name) <= WIDEST else name[: WIDEST - 1] + "…" for name in names]
        ax.set_yticks(ax.get_yticks(), list(map(drawn, short)))
