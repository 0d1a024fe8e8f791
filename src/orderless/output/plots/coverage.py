"""How many rows are answered when values go missing, drawn.

In:  ``Coverage``.
Out: matplotlib Axes.
Paper: the figures of Section 6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...missing import Coverage
from .look import BLUE, DARK_GREY, VERMILION, axes_of

__all__ = ["draw_coverage"]

# What a way is called, with a colour, a marker and a kind of line of its own.
WAYS = {
    "determined": ("determined", BLUE, "o", "-"),
    "path": ("path known", VERMILION, "s", "--"),
    "features": ("all features known", DARK_GREY, "^", ":"),
}


def draw_coverage(found: Coverage, ax: Any = None) -> Any:
    """Draw the share of rows answered; see ``Coverage.plot``."""
    ax = axes_of(ax)
    for way, (name, colour, marker, line) in WAYS.items():
        share = found.table[found.table["way"] == way].groupby("rate")["answered"]
        mean, n = share.mean(), int(share.size().min())
        error = np.asarray(share.std(ddof=1)) / np.sqrt(n) if n > 1 else None
        ax.errorbar(mean.index, mean, error, label=name, color=colour, marker=marker,
                    linestyle=line, markersize=5, capsize=3)  # fmt: skip
    unit = "features" if found.level == "feature" else "columns"
    ax.set(xlabel=f"share of {unit} missing", ylabel="share of rows answered", ylim=(0, 1.02))
    ax.legend(frameon=False)
    return ax
