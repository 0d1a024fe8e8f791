"""The look of all plots, drawings and pages: colours, marks, hatches, and text that fits.

In:  numbers of classes, names.
Out: colours that the colour-blind tell apart; marks and hatches that say the same without colour;
     wrapped text; Axes. No other file names a colour.
"""

from __future__ import annotations

import textwrap
from typing import Any

from ...model import drawn, printable

__all__ = [
    "BLUE", "DARK_GREY", "ERROR_BAR", "FRAGMENT", "GREEN", "GREY", "INK",
    "INK_ON_PAGE", "LETTERS", "LIGHT_GREY", "LINE", "LINES", "ORANGE", "PAGE", "PALE_BLUE",
    "PALE_VERMILION", "SKY", "VERMILION", "WASH", "WHITE", "axes_of", "boxed_text",
    "colour", "hatch",
    "mark", "page_colours", "pale", "shade", "short_names", "shortened", "wrapped",
]  # fmt: skip

# The colours of Okabe and Ito.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, ORANGE, BLACK = "#56B4E9", "#E69F00", "#000000"
LINES = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, BLACK)  # in this order within one plot
PALE_BLUE, PALE_VERMILION = "#d4e6f2", "#f9dfd0"  # grounds
# Text; quiet text and edges; one line among coloured ones; bars; rules and grids; grounds.
INK, GREY, DARK_GREY, LIGHT_GREY = "#1f2328", "#59636e", "#595959", "#999999"
LINE, WASH, WHITE = "#d0d7de", "#eef0f2", "#ffffff"
ERROR_BAR = "#333333"
INK_ON_PAGE = BLACK  # becomes the colour of the page's text
LETTERS = ("#B84A00", "#00735C", "#A13D7A", "#6B5B00", "#555555")  # dark enough for letters

# Classes: Okabe and Ito's colours where they are dark enough for a line on white, then others that
# differ from them; the contrast with the ground is at least 3 to 1.
ON_WHITE = (
    BLUE, VERMILION, "#00805D", "#B8548F", "#946600",
    "#5B3A9B", "#6B6B6B", "#6F6600", "#8B1A1A", "#007C89",
)  # fmt: skip
ON_BLACK = (
    SKY, "#FF8B3D", "#2FC79B", "#E39AC4", ORANGE,
    "#B59CF0", "#B0B0B0", "#D8CC3A", "#F08080", "#4FD6E0",
)  # fmt: skip
# Custom properties of pages, for each of GROUNDS; "": on paper it is as on the screen.
GROUNDS = ("light", "dark", "paper")
PAGE = {
    "ground": ("#f6f6f3", "#14171b", "#fff"),
    "card": ("#ffffff", "#1d2127", "#fff"),
    "ink": ("#1d2126", "#e8eaed", "#000"),
    "quiet": ("#565d66", "#a4abb4", "#444"),
    "line": ("#dcdcd6", "#343a42", "#bbb"),
    "edge": ("#8a8f96", "#7c848e", ""),
    "accent": ("#0b5c96", "#7cc0f2", "#0b5c96"),
    "accent-pale": ("#e3eff8", "#17334a", "#fff"),
    "warm": ("#8a4b00", "#f0b760", "#8a4b00"),
    "warm-pale": ("#fdf1df", "#3a2c14", "#fff"),
    "fault": ("#a3240f", "#ff9a85", "#a3240f"),
    "shadow": ("0 1px 2px rgb(20 24 30 / 6%), 0 6px 24px rgb(20 24 30 / 6%)", "none", "none"),
    **{
        f"class-{c}": (*pair, pair[0])
        for c, pair in enumerate(zip(ON_WHITE, ON_BLACK, strict=True))
    },
}
# Red, green and blue of lines and bars in fragments, which stand on any ground.
FRAGMENT = {"line_rgb": "128,128,128", "bar_rgb": "64,132,196"}
MARKS = "●■▲◆▼○□△◇▽"
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "++", "||", "oo", "**")
WIDEST = 32  # characters of a name beside an axis


def colour(c: int) -> str:
    """Give the colour of a class on white, by its number; ten classes have ten."""
    return ON_WHITE[c % len(ON_WHITE)]


def mark(c: int) -> str:
    """Give the mark of a class; a hundred classes have a hundred pairs of colour and mark.

    Examples
    --------
    >>> mark(0), mark(1), mark(10)
    ('●', '■', '■')
    >>> len({(colour(c), mark(c)) for c in range(100)})
    100
    """
    return MARKS[(c % len(MARKS) + c // len(MARKS)) % len(MARKS)]


def pale(c: int, share: float = 0.2) -> str:
    """Give the colour of a class mixed with white, so that text on it can be read.

    Examples
    --------
    >>> pale(0, 0.5)
    '#80b8d8'
    """
    parts = (int(colour(c)[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 * (1 - share) + share * part):02x}" for part in parts)


def shade(part: float) -> str:
    """Give the ground of a number: the paler, the nearer to the smallest (0) of all; 1 is largest.

    Examples
    --------
    >>> shade(0.0), shade(1.0)
    ('#ebf4f9', '#80b8d8')
    """
    return pale(0, 0.08 + 0.42 * part)


def page_colours(ground: str) -> str:
    """Return the custom properties of a page on one of the grounds.

    Examples
    --------
    >>> page_colours("dark")[:34]
    '--ground: #14171b; --card: #1d2127'
    """
    column = GROUNDS.index(ground)
    return " ".join(f"--{name}: {on[column]};" for name, on in PAGE.items() if on[column])


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


def shortened(text: str, most: int) -> str:
    """Leave out the end of a text that is longer than this many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def axes_of(ax: Any, size: tuple[float, float] | None = None) -> Any:
    """Give the Axes, or those of a new figure: of this size, or of the usual one."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def short_names(ax: Any) -> None:
    """Cut names beside the axes that would leave no room."""
    names = [label.get_text().replace(r"\$", "$") for label in ax.get_yticklabels()]
    if any(len(name) > WIDEST for name in names):
        ax.set_yticks(ax.get_yticks(), [drawn(shortened(name, WIDEST)) for name in names])


def boxed_text(
    ax: Any, at: tuple[float, float], text: str, size: float, look: dict[str, Any], **font: Any
) -> None:
    """Write text in a box, centred at a point."""
    style = {"boxstyle": "round,pad=0.4", **look}
    ax.text(*at, text, ha="center", va="center", fontsize=size, color=INK, bbox=style, zorder=3,
            **font)  # fmt: skip
