"""The report's section on costs: the cheapest way to the tree's decision.

In:  ``Subject`` with costs.
Out: ``Section``.
Paper: Section 7.
"""

from __future__ import annotations

import warnings
from collections import Counter

from ...acquisition import Policy, cheapest_policy, money, percent
from .subject import Section, Subject, drawn, table

__all__ = ["cheapest"]

WAYS = {
    "naive": "everything that the tree uses",
    "path": "what the tree asks, in its order",
    "greedy": "the cheapest first, until it is certain",
    "optimal": "the cheapest way",
}


def cheapest(subject: Subject) -> Section:
    """Show the cheapest policy beside simpler ones, what it buys, and in which order."""
    title = "The cheapest way to an answer"
    if subject.costs is None:
        return Section("costs", title, "", "")
    if not subject.tree.features:
        return Section("costs", title, "It asks nothing: every answer is free.", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is not proven is said below
        found = {way: _policy(subject, way) for way in WAYS}
    best, own = found["optimal"], found["path"]
    lead = (
        f"If each value has to be paid for, the tree's own order costs {money(own.expected_cost)} "
        f"on average over the {subject.n_rows:,} rows. The cheapest way to the same decisions "
        f"costs {money(best.expected_cost)}, and at most {money(best.worst_cost)} for one row"
    )
    if best.optimal:
        lead += "; it is proven that no other way is cheaper on these rows."
    else:
        lead += (
            "; it was not proven in the time that a report takes that no other way is cheaper, but "
            f"none costs less than {money(best.bound)}."
        )
    ways = table(
        ("what is found out", "on average", "dearest row"),
        (
            (words, _aligned(found[way].expected_cost), _aligned(found[way].worst_cost))
            for way, words in WAYS.items()
        ),
    )
    return Section("costs", title, lead, f"{ways}{_bought(subject, best)}{_order(subject, best)}")


def _policy(subject: Subject, way: str) -> Policy:
    return cheapest_policy(subject.tree, subject.X, subject.costs, method=way)  # type: ignore[arg-type]


def _aligned(amount: float) -> str:
    """Write an amount so that columns of amounts line up; a tiny one as it is."""
    return f"{amount:,.2f}" if amount == 0 or amount >= 0.05 else money(amount)


def _bought(subject: Subject, policy: Policy) -> str:
    """Say what is bought how often."""
    times = Counter(
        name for bought in policy.simulate(subject.X)["purchases"].tolist() for name in bought
    )
    rows = sorted(policy.purchases.items(), key=lambda one: (-times[one[0]], one[0]))
    return table(
        ("feature", "costs", "found out for", "spent on average"),
        (
            (name, money(cost), f"{percent(times[name] / subject.n_rows)} of rows",
             _aligned(times[name] * cost / subject.n_rows))
            for name, cost in rows
        ),
    )  # fmt: skip


def _order(subject: Subject, policy: Policy) -> str:
    """Draw the order as a tree that decides the same."""
    return f"<h3>The order to ask in</h3>{drawn(subject, policy.to_tree())}"
