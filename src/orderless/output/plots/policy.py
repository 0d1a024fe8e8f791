"""Policies as figures.

In:  ``Policy``.
Out: matplotlib axes: questions from left to right, as wide as their share of the rows.
"""

from __future__ import annotations

from typing import Any

from ...acquisition import Policy, branches, money, percent
from ...model import drawn, label_text, printable
from ..rules.policy import summary
from .look import GREY, INK, WASH, WHITE, axes_of, colour, pale

__all__ = ["draw_policy"]

MOST = 150  # ends that can be told apart in a figure
WIDE = 34  # characters of a name or an answer


def draw_policy(policy: Policy, ax: Any = None) -> Any:
    """Draw a policy; see ``Policy.plot``."""
    nodes = policy.nodes
    placed: list[tuple[tuple[int, ...], int, float]] = []  # nodes, depth, height
    lines: list[tuple[int, float, float, str]] = []  # depth of the parent, heights, words
    bottom = [0.0]

    def place(at: tuple[int, ...], depth: int) -> float:
        if nodes.purchase[at[0]] < 0:
            height = bottom[0]
            bottom[0] += 1.0
            if bottom[0] > MOST:
                raise ValueError(
                    f"this policy has more than {MOST} ends, too many for a figure: print it"
                )
        else:
            total = max(1, sum(nodes.weight[node] for node in at))
            below = [
                (
                    place(one.nodes, depth + 1),
                    f"{drawn(_cut(one.text))}\n{percent(one.weight / total)}",
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
    ax.set_title(summary(policy), fontsize=10, color=INK, loc="left", wrap=True)
    ax.axis("off")
    return ax


def _draw_node(ax: Any, policy: Policy, alike: tuple[int, ...], depth: int, height: float) -> None:
    nodes = policy.nodes
    p, label = nodes.purchase[alike[0]], nodes.label[alike[0]]
    box = {"boxstyle": "round,pad=0.4", "facecolor": WHITE, "edgecolor": INK, "linewidth": 1.2}
    if p >= 0:
        bought = nodes.problem.purchases[p]
        cost = "free" if bought.free else f"cost {money(float(bought.cost))}"
        words = f"{drawn(_cut(printable(bought.name)))}\n{cost}"
    elif label >= 0:
        words = drawn(_cut(label_text(policy.tree.classes[label])))
        box |= {"edgecolor": colour(label), "facecolor": pale(label), "linewidth": 1.6}
        if not any(nodes.weight[node] for node in alike):
            box |= {"linestyle": (0, (2, 2))}  # no training row has been here
    else:
        words = "not determined"
        box |= {"edgecolor": GREY, "facecolor": WASH}
    ax.text(depth, height, words, ha="center", va="center", fontsize=9, color=INK, bbox=box,
            zorder=3, fontweight="bold" if p < 0 else "normal")  # fmt: skip


def _cut(text: str) -> str:
    return text if len(text) <= WIDE else text[: WIDE - 1] + "…"
