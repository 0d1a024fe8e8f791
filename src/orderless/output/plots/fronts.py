"""Pictures of a trade-off between the objective and a second goal.

In:  a ``Front``.
Out: matplotlib Axes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...model import drawn
from .look import BLUE, DARK_GREY, LIGHT_GREY, axes_of

if TYPE_CHECKING:
    from ...rashomon import Front

__all__ = ["plot_front"]


def plot_front(front: Front, ax: Any = None) -> Any:
    """Draw the points of a front; where no tree of the set is, it is grey.

    A number beside a point is that of the leaves of its tree, where there is room for it.

    Parameters
    ----------
    front : Front
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_of(ax)
    ax.spines[["top", "right"]].set_visible(False)
    costs = [float(point.objective) for point in front]
    values = [float(point.value) for point in front]
    width = (max(costs) - min(costs)) or max(abs(costs[0]), 1.0) * 0.1
    height = (max(values) - min(values)) or max(abs(values[0]), 1.0) * 0.1
    ax.set_xlim(min(costs) - 0.08 * width, max(costs) + 0.08 * width)
    better = max(values) + 0.15 * height, min(values) - 0.15 * height
    if front.goal == "smallest":
        better = better[::-1]
    ax.set_ylim(*sorted(better))
    # On the better side of the stairs, and left of them, there is no tree.
    ends = [ax.get_xlim()[0], *costs, ax.get_xlim()[1]]
    steps = [better[1], *values, values[-1]]
    ax.fill_between(ends, steps, better[0], step="post", color=LIGHT_GREY, alpha=0.5, linewidth=0)
    ax.step(costs, values, where="post", color=BLUE, linewidth=1.5)
    ax.plot(costs, values, "o", color=BLUE, markersize=5)
    up = 6 if front.goal == "smallest" else -12
    said = [-math.inf, 0.0]  # where the last number stands, and which it is
    for point, cost, value in zip(front, costs, values, strict=True):
        if point.tree.n_leaves != said[1] and cost >= said[0] + 0.06 * width:
            said = [cost, point.tree.n_leaves]
            ax.annotate(str(point.tree.n_leaves), (cost, value), (4, up),
                        textcoords="offset points", color=DARK_GREY, fontsize=8)  # fmt: skip
    corner = (0.02, 0.03, "bottom") if front.goal == "smallest" else (0.02, 0.97, "top")
    ax.text(corner[0], corner[1], "no tree", transform=ax.transAxes, va=corner[2],
            color=DARK_GREY, fontsize=9)  # fmt: skip
    ax.set_xlabel("objective")
    label = drawn(f"{front.goal} {front.measure}")
    if front.groups:
        label += "\n" + drawn(f"{front.groups[1]} less {front.groups[0]}")
    ax.set_ylabel(label)
    return ax
