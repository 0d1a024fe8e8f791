"""Policies, drawn.

In:  ``Solved``.
Out: matplotlib Axes: the questions of a policy from left to right, with the share of the rows that
     answer so.
"""

from __future__ import annotations

from typing import Any

from ...acquisition import Solved, branches, money, percent
from ...model import class_names, drawn, printable
from ..rules import policy_summary
from .drawing import leaf_colours
from .look import GREY, INK, WASH, WHITE, axes_of, boxed_text, shortened

__all__ = ["draw_policy"]

MOST_ENDS = 150  # of a policy, that can be told apart in a figure
LONGEST_NAME = 34  # characters of a name or an answer of a policy


def draw_policy(policy: Solved, ax: Any = None) -> Any:
    """Draw a policy; see ``Policy.plot``."""
    nodes = policy.nodes
    placed: list[tuple[tuple[int, ...], int, float]] = []  # nodes, depth, height
    lines: list[tuple[int, float, float, str]] = []  # depth of the parent, heights, words
    bottom = [0.0]

    def place(at: tuple[int, ...], depth: int) -> float:
        if nodes.purchase[at[0]] < 0:
            height = bottom[0]
            bottom[0] += 1.0
            if bottom[0] > MOST_ENDS:
                raise ValueError(
                    f"this policy has more than {MOST_ENDS} ends, too many for a figure: print it"
                )
        else:
            total = max(1, sum(nodes.weight[node] for node in at))
            below = [
                (
                    place(one.nodes, depth + 1),
                    f"{drawn(shortened(one.text, LONGEST_NAME))}\n{percent(one.weight / total)}",
                )
                for one in branches(nodes, at)
            ]
            height = (below[0][0] + below[-1][0]) / 2
            lines.extend((depth, height, end, words) for end, words in below)
        placed.append((at, depth, height))
        return height

    place((0,), 0)
    deepest = max(depth for _, depth, _ in placed)
    ax = axes_of(ax, (2.2 + 3.4 * deepest, 0.9 + 0.62 * bottom[0]))
    for depth, height, at, words in lines:
        ax.plot([depth, depth + 0.42, depth + 0.5], [height, at, at], color=GREY, linewidth=1.1,
                zorder=1)  # fmt: skip
        ax.plot([depth + 0.5, depth + 1], [at, at], color=GREY, linewidth=1.1, zorder=1)
        pad = {"facecolor": WHITE, "edgecolor": "none", "pad": 1.0}
        ax.text(depth + 0.56, at, words, ha="center", va="center", fontsize=8, color=INK,
                bbox=pad, zorder=2)  # fmt: skip
    for alike, depth, height in placed:
        _draw_node(ax, policy, alike, depth, height)
    ax.set_xlim(-0.4, deepest + 0.4)
    ax.set_ylim(bottom[0] - 0.4, -0.6)
    ax.set_title(policy_summary(policy), fontsize=10, color=INK, loc="left", wrap=True)
    ax.axis("off")
    return ax


def _draw_node(ax: Any, policy: Solved, alike: tuple[int, ...], depth: int, height: float) -> None:
    nodes = policy.nodes
    p, decided = nodes.purchase[alike[0]], nodes.decision(alike[0])
    box: dict[str, Any] = {"facecolor": WHITE, "edgecolor": INK, "linewidth": 1.2}
    if p >= 0:
        bought = nodes.problem.purchases[p]
        cost = "free" if bought.free else f"cost {money(float(bought.cost))}"
        words = f"{drawn(shortened(printable(bought.name), LONGEST_NAME))}\n{cost}"
    elif decided is not None:
        lower, upper = decided.interval or (0.0, 0.0)
        label = nodes.problem.leaves.possible(nodes.leaves[alike[0]])[0]
        words = drawn(shortened(decided.text, LONGEST_NAME))
        if f"{lower:.6g}" != f"{upper:.6g}":
            words = f"between {lower:.6g}\nand {upper:.6g}"
        elif policy.kernel.task == "regression" and lower == upper:
            words = class_names(policy.kernel)[label]
        ground, edge = leaf_colours(policy.kernel, label)
        box |= {"edgecolor": edge, "facecolor": ground, "linewidth": 1.6}
        if not any(nodes.weight[node] for node in alike):
            box |= {"linestyle": (0, (2, 2))}  # no training row has been here
    else:
        words = "not determined"
        box |= {"edgecolor": GREY, "facecolor": WASH}
    weight = "bold" if p < 0 else "normal"
    boxed_text(ax, (depth, height), words, 9, box, fontweight=weight)
