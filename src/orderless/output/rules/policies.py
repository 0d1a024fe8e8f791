"""Policies as text.

In:  ``Solved``.
Out: indented text: each question with its cost, each answer with its share; the same as HTML.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...acquisition import Solved, branches, money, percent
from ...model import ROUNDED, any_rounded, number_names, printable, short_number
from ..templates import fragment

__all__ = ["policy_as_html", "policy_as_text", "policy_summary"]

MOST = 200  # lines


def policy_summary(policy: Solved) -> str:
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
    what = f"{policy.method} policy"
    if policy.tolerance is not None:
        what += f" within {short_number(policy.tolerance)}"
    return f"{what}: {', '.join(parts)}, over {policy.n_rows:,} rows; {proven}."


def policy_as_text(policy: Solved) -> str:
    """Write a policy as indented text; answers that lead to the same are one line.

    A last line says where numbers are rounded.
    """
    nodes, tree = policy.nodes, policy.kernel
    names = number_names(tree.numbers.tolist()) if tree.task == "regression" else {}
    lines = [policy_summary(policy)]
    todo: list[tuple[tuple[int, ...], str, str]] = [((0,), "", "")]
    while todo:
        at, lead, indent = todo.pop()
        if len(lines) >= MOST:
            lines.append(f"... (more than {MOST} lines, not written)")
            break
        lines.append(lead + _node_text(policy, at[0], names))
        if nodes.purchase[at[0]] < 0:
            continue
        inside = indent + "  "
        total = max(1, sum(nodes.weight[node] for node in at))
        below = [
            (one.nodes, f"{inside}{one.text} ({percent(one.weight / total)}): ", inside)
            for one in branches(nodes, at)
        ]
        todo += reversed(below)
    if any_rounded(names):
        lines.append(ROUNDED)
    return "\n".join(lines)


def _node_text(policy: Solved, node: int, names: Mapping[float, str]) -> str:
    nodes = policy.nodes
    p = nodes.purchase[node]
    if p >= 0:
        bought = nodes.problem.purchases[p]
        if bought.free:
            return "known at the start:"
        return f"{printable(bought.name)}? (cost {money(float(bought.cost))})"
    decided = nodes.decision(node)
    if decided is None:
        return "not determined"
    if not names:
        return decided.text
    lower, upper = decided.interval or (decided.label, decided.label)
    low, high = (names[float(end)] for end in (lower, upper))
    return low if lower == upper else f"between {low} and {high}"


def policy_as_html(policy: Solved) -> str:
    """Write a policy as an HTML fragment."""
    return fragment("rules/policy.html", text=policy_as_text(policy))
