"""Policies as text.

In:  ``Policy``.
Out: indented text: each question with its cost, each answer with its share.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from ..acquisition import Policy
from ..acquisition.nodes import Nodes
from ..acquisition.question import bin_side, money, outcome_text, percent
from ..words import label_text, printable, side_text

__all__ = ["branches", "policy_as_html", "policy_as_text", "summary"]

MOST = 200  # lines


def summary(policy: Policy) -> str:
    """Say in one line what a policy costs, and what is proven of it."""
    parts = [f"{money(policy.expected_cost)} on average", f"{money(policy.worst_cost)} at most"]
    if policy.optimal:
        least = {"expected": "cheapest", "worst": "cheapest for the dearest row"}
        proven = f"proven {least[policy.objective]}"
    else:
        proven = f"no policy can have less than {money(policy.bound)}"
        if policy.objective == "worst":
            proven += " for the dearest row"
    if policy.share_determined < 1:
        parts.append(f"determines {percent(policy.share_determined)}")
    return f"{policy.method} policy: {', '.join(parts)}, over {policy.n_rows:,} rows; {proven}."


def branches(nodes: Nodes, node: int) -> Iterator[tuple[str, float, int]]:
    """Go through the answers to a question: in words, share, and where it leads.

    Neighbouring answers with the same decision are one; answers to a group that no training row
    has are left out.
    """
    bins = nodes.problem.bins
    features = nodes.problem.purchases[nodes.purchase[node]].features
    total = max(1, nodes.weight[node])
    if len(features) > 1:
        for answer, to in sorted(nodes.seen(node).items()):
            yield outcome_text(bins, features, answer), nodes.weight[to] / total, to
        return
    k = features[0]
    runs: list[list[int]] = []  # first bin, last bin, weight, node
    n = int(bins.layout[2][k])
    for (b,), to in nodes.answers(node):
        end = nodes.purchase[to] < 0 and nodes.label[to] >= 0
        last = runs[-1] if runs else None
        alike = last is not None and nodes.purchase[last[3]] < 0 and (
            nodes.label[last[3]] == nodes.label[to]
        )  # fmt: skip
        if last is not None and end and alike and b < n:
            last[1], last[2] = b, last[2] + nodes.weight[to]
        else:
            runs.append([b, b, nodes.weight[to], to])
    for first, last_bin, weight, to in runs:
        side = bin_side(bins, k, first, last_bin)
        text = "any answer" if side.is_whole else side_text(side)
        yield text, weight / total, to


def policy_as_text(policy: Policy) -> str:
    """Write a policy as indented text."""
    nodes = policy.nodes
    lines = [summary(policy)]
    todo: list[tuple[int, str, str]] = [(0, "", "")]
    while todo:
        node, lead, indent = todo.pop()
        if len(lines) >= MOST:
            lines.append(f"... (more than {MOST} lines, not written)")
            break
        lines.append(lead + _said(policy, node))
        if nodes.purchase[node] < 0:
            continue
        inside = indent + "  "
        below = [
            (to, f"{inside}{text} ({percent(share)}): ", inside)
            for text, share, to in branches(nodes, node)
        ]
        todo += reversed(below)
    return "\n".join(lines)


def _said(policy: Policy, node: int) -> str:
    nodes = policy.nodes
    p = nodes.purchase[node]
    if p >= 0:
        bought = nodes.problem.purchases[p]
        if bought.free:
            return "known at the start:"
        return f"{printable(bought.name)}? (cost {money(float(bought.cost))})"
    if nodes.label[node] >= 0:
        return label_text(policy.tree.classes[nodes.label[node]])
    return "not determined"


def policy_as_html(policy: Policy) -> str:
    """Write a policy as an HTML fragment."""
    return f'<pre class="orderless-policy">{html.escape(policy_as_text(policy))}</pre>'
