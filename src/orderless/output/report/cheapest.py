"""The report's section on costs: the cheapest way to the tree's decision.

In:  ``Subject`` with costs.
Out: ``Section``.
Paper: Section 7.
"""

from __future__ import annotations

import warnings
from collections import Counter

from ...acquisition import Policy, cheapest_policy, money, percent
from .parts import Heading, Section, Table
from .subject import Subject, drawn

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
        return Section("costs", title, "")
    if not subject.tree.features:
        return Section("costs", title, "The tree has no splits: every answer is free.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is not proven is said below
        found = {way: _policy(subject, way) for way in WAYS}
    best, own = found["optimal"], found["path"]
    lead = (
        f"Each value has its cost. Asking in the tree's own order costs "
        f"{money(own.expected_cost)} on average over the {subject.n_rows:,} rows. The cheapest way "
        f"to the same decisions costs {money(best.expected_cost)} on average, and at most "
        f"{money(best.worst_cost)} for one row"
    )
    if best.optimal:
        lead += "; it is proven that no other way is cheaper on these rows."
    else:
        lead += (
            "; it was not proven in the time that a report may take that no other way is cheaper, "
            f"but none costs less than {money(best.bound)}."
        )
    ways = Table(
        ("what is asked", "average cost", "most for one row"),
        [
            (words, _aligned(found[way].expected_cost), _aligned(found[way].worst_cost))
            for way, words in WAYS.items()
        ],
    )
    order = [Heading("In which order to ask"), *drawn(subject, best.to_tree())]
    return Section("costs", title, lead, [ways, _bought(subject, best), *order])


def _policy(subject: Subject, way: str) -> Policy:
    return cheapest_policy(subject.tree, subject.rows, subject.costs, method=way)  # type: ignore[arg-type]


def _aligned(amount: float) -> str:
    """Write an amount so that columns of amounts line up; a tiny one as it is."""
    return f"{amount:,.2f}" if amount == 0 or amount >= 0.05 else money(amount)


def _bought(subject: Subject, policy: Policy) -> Table:
    """Say how often each feature is asked for, and what that costs."""
    times = Counter(
        name for bought in policy.simulate(subject.rows)["purchases"].tolist() for name in bought
    )
    rows = sorted(policy.purchases.items(), key=lambda one: (-times[one[0]], one[0]))
    return Table(
        ("feature", "cost", "asked for", "spent on average"),
        [
            (name, money(cost), f"{percent(times[name] / subject.n_rows)} of rows",
             _aligned(times[name] * cost / subject.n_rows))
            for name, cost in rows
        ],
    )  # fmt: skip
