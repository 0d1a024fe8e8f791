"""Figures of the report: matplotlib's drawings as SVG inside the page.

In:  what is drawn on the axes that ``Picture`` gives.
Out: an ``<svg>`` whose black is the page's text colour and whose white is the page's ground, so
     that it reads in light and dark.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from html import escape
from io import StringIO
from typing import Any

from ..plots.look import INK_ON_PAGE, WHITE, short_names
from .parts import Html

__all__ = ["Picture"]


class Picture:
    """A figure: ``with picture as ax`` draws it, ``picture.part`` is what the page shows.

    The same drawing gives the same bytes.

    Parameters
    ----------
    alt : str
        What the picture shows, in words.
    width, height : float
        In inches.
    """

    def __init__(self, alt: str, *, width: float = 6.4, height: float = 3.6) -> None:
        self.alt, self.size = alt, (width, height)
        self.part = Html("")

    def __enter__(self) -> Any:
        import matplotlib
        from matplotlib.figure import Figure

        settings: Any = {"svg.fonttype": "none", "svg.hashsalt": self.alt, "font.size": 10}
        self._settings = ExitStack()
        self._settings.enter_context(matplotlib.rc_context(settings))
        self._figure = Figure(figsize=self.size, layout="constrained")
        self._ax = self._figure.subplots()
        return self._ax

    def __exit__(self, *fault: object) -> None:
        with self._settings:
            if fault[0] is None:
                self.part = Html(self._svg())

    def _svg(self) -> str:
        short_names(self._ax)
        for side in ("top", "right"):
            self._ax.spines[side].set_visible(False)
        out = StringIO()
        self._figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
        text = out.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        for black in (INK_ON_PAGE, "black"):
            text = text.replace(black, "currentColor")
        # What hides something behind it, or keeps bars apart, has the colour of the page.
        text = text.replace(WHITE, "var(--paper)")
        named = f'<svg role="img" aria-label="{escape(self.alt)}" class="figure" '
        text = text.replace("<svg ", named, 1)
        # Texts without a colour of their own are black whatever the page says.
        return text.replace("<defs>", "<style>text { fill: currentColor }</style><defs>", 1).strip()
