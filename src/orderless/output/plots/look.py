"""The look of all plots: colours that the colour-blind tell apart, and text that fits.

In:  numbers of classes, names.
Out: colours, hatches, wrapped text, Axes.
"""

from __future__ import annotations

import textwrap
from typing import Any

from ...words import drawn, printable

__all__ = ["GREY", "INK", "axes_of", "hatch", "line_colour", "pale", "short_names", "wrapped"]

INK, GREY = "#1f2328", "#59636e"
# Okabe and Ito's colours; the sixth and seventh of theirs are too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#666666")
WIDEST = 32  # characters of a name beside an axis
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "++")


def line_colour(c: int) -> str:
    """Give the colour of a class, by its number."""
    return COLOURS[c % len(COLOURS)]


def pale(c: int, share: float = 0.2) -> tuple[float, float, float]:
    """Give the colour of a class mixed with white, so that text on it can be read."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share + share * part for part in to_rgb(line_colour(c)))
    return red, green, blue


def hatch(c: int) -> str:
    """Give the hatch of a class: what a colour says is said twice."""
    return HATCHES[(c % len(COLOURS) + c // len(COLOURS)) % len(HATCHES)]


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
