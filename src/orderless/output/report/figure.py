"""Figures of the report: matplotlib's drawings as SVG inside the page.

In:  a function that draws on axes.
Out: an ``<svg>`` whose black is the page's text colour and whose white is the page's ground, so
     that it reads in light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any

from ..plots.look import short_names

__all__ = ["figure_as_svg"]


def figure_as_svg(
    draw: Callable[[Any], Any], *, alt: str, width: float = 6.4, height: float = 3.6
) -> str:
    """Draw on new axes, and give the picture as an element of a page.

    Parameters
    ----------
    draw : function of Axes
    alt : str
        What the picture shows, in words.
    width, height : float
        In inches.

    Returns
    -------
    str
        The same for the same drawing.
    """
    import matplotlib
    from matplotlib.figure import Figure

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": alt, "font.size": 10}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(width, height), layout="constrained")
        ax = figure.subplots()
        draw(ax)
        short_names(ax)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        out = StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for black in ("#000000", "black"):
        text = text.replace(black, "currentColor")
    # What hides something behind it, or keeps bars apart, has the colour of the page.
    text = text.replace("#ffffff", "var(--paper)")
    text = text.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" class="figure" ', 1)
    # Texts without a colour of their own are black whatever the page says.
    return text.replace("<defs>", "<style>text { fill: currentColor }</style><defs>", 1).strip()
