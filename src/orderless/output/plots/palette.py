"""The palette: a colour and a mark for each class, the same on every page and in every plot.

In:  the number of a class.
Out: its colour on white and on black, and a mark that says the same without colour.
"""

from __future__ import annotations

__all__ = ["colour", "mark", "page_colours", "pale"]

# Okabe and Ito's colours where they are dark enough for a line on white, then others that keep
# apart from them; each stands out from the ground by 3 to 1 at least.
ON_WHITE = (
    "#0072B2", "#D55E00", "#00805D", "#B8548F", "#946600",
    "#5B3A9B", "#6B6B6B", "#6F6600", "#8B1A1A", "#007C89",
)  # fmt: skip
ON_BLACK = (
    "#56B4E9", "#FF8B3D", "#2FC79B", "#E39AC4", "#E69F00",
    "#B59CF0", "#B0B0B0", "#D8CC3A", "#F08080", "#4FD6E0",
)  # fmt: skip
MARKS = "●■▲◆▼○□△◇▽"


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


def page_colours(*, dark: bool = False) -> str:
    """Give the custom properties ``--class-0`` to ``--class-9`` of a page."""
    return " ".join(f"--class-{c}: {hue};" for c, hue in enumerate(ON_BLACK if dark else ON_WHITE))
