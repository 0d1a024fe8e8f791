"""Impurity importance over all equivalent trees, drawn.

In:  ``ImportanceRange``.
Out: matplotlib Axes.
Paper: Section 5.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...importance import ImportanceRange
from ...model import drawn
from .look import BLUE, PALE_BLUE, VERMILION, axes_of

__all__ = ["draw_importance"]


def draw_importance(found: ImportanceRange, ax: Any = None, *, most: int = 20) -> Any:
    """Draw each feature's range as a bar; see ``ImportanceRange.plot``."""
    ax = axes_of(ax)
    by_mean = np.argsort(-found.mean, kind="stable")
    order = [i for i in by_mean if found.importance[i] > 0 or found.high[i] > 0][:most]
    y = np.arange(len(order))
    low, high = found.low[order], found.high[order]
    ax.barh(y, high - low, left=low, height=0.5, color=PALE_BLUE, edgecolor=BLUE, linewidth=1.0,
            label="all equivalent trees")  # fmt: skip
    ax.plot(found.mean[order], y, linestyle="none", marker="|", markersize=15, color=BLUE,
            markeredgewidth=2.5, label="their mean")  # fmt: skip
    ax.plot(found.importance[order], y, linestyle="none", marker="D", markersize=6,
            color=VERMILION, clip_on=False, label="this tree")  # fmt: skip
    ax.set_yticks(y, [drawn(found.features[i]) for i in order])
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    share = "share of the " if found.normalized else ""
    ax.set_xlabel(f"{share}{found.criterion} importance")
    *marks, bars = ax.get_legend_handles_labels()[0]
    ax.legend(handles=[bars, *marks], frameon=False)
    return ax
