"""The certificate of a policy: what it costs on its training rows, and that nothing is cheaper.

In:  ``Solved``.
Out: ``Certificate``.
"""

from __future__ import annotations

from typing import Any

from ...acquisition import Solved
from ...errors import InvalidData, TooLarge
from ...model import refuse_facts
from .cells import Cells, Leaf, Split, names_of
from .certificate import NO_FACTS, Certificate, written
from .small_checker import check

__all__ = ["policy_certificate"]

MOST = 2**53  # whole numbers that every language reads exactly
STEPS = 2_000_000  # in which the checker must solve the problem again, a few seconds


def policy_certificate(policy: Solved) -> Certificate:
    """Certify a policy; see ``Policy.certificate``."""
    problem = policy.nodes.problem
    refuse_facts(policy.kernel.space, "a certificate", why=NO_FACTS)
    _refuse(policy)
    bins = problem.leaves.bins
    tree, whole, cells = bins.tree, problem.whole, Cells(bins)
    rows, weights = problem.rows.tolist(), problem.weight.tolist()
    purchases = [
        [0 if p.free else int(price), *(bins.features[k].name for k in p.features)]
        for p, price in zip(problem.purchases, whole.numbers, strict=True)
    ]
    stated: dict[str, Any] = {
        "purchases": sorted(purchases),
        "unit": [whole.unit.numerator, whole.unit.denominator],
        "rows": [[weight, *row] for weight, row in zip(weights, rows, strict=True)],
        "cost": policy.nodes.cost[0],
        "worst": policy.nodes.worst[0],
        "determined": sum(weights) - policy.nodes.missed[0],
        "objective": policy.objective,
        "bound": 0,
    }
    if max([stated["cost"], *stated["unit"], *whole.numbers]) >= MOST:
        raise TooLarge(
            "the costs of this policy add up to more units than a certificate can have (2^53): "
            "round them to fewer decimals",
            stated["cost"],
        )
    labels = names_of(tree.classes)
    trees = [cells.tree(tree, labels), _policy_tree(policy, cells, labels)]
    bound, why = _bound(policy)
    if bound is not None:
        text = written("policy", labels, cells, trees, {**stated, "bound": bound})
        if check(text, STEPS)[0] != "undecided":
            return Certificate(text)
        why = "the checker would have to look at too many ways to buy"
    text = written("policy", labels, cells, trees, stated)
    return Certificate(text, (f"How cheap it can be is not stated: {why}.",))


def _policy_tree(policy: Solved, cells: Cells, labels: list[str]) -> list[Any]:
    """Write a policy as a tree that asks for one bin after the other."""
    nodes = policy.nodes
    named = dict(zip(nodes.problem.leaves.bins.tree.classes, labels, strict=True))

    def part(what: tuple[int, tuple[int, ...], int]) -> Leaf | Split:
        node, known, b = what  # bins of the features that were asked for; those below b are not it
        p = nodes.purchase[node]
        if p < 0:
            decided = nodes.decision(node)
            return (None if decided is None else named[decided.label],)
        features = nodes.problem.purchases[p].features
        k = features[len(known)]

        def after(own: int) -> tuple[int, tuple[int, ...], int]:
            if len(known) + 1 < len(features):
                return node, (*known, own), 0
            return nodes.child(node, (*known, own)), (), 0

        last = cells.width(k) - 1
        return k, 1 << b, after(b), (node, known, b + 1) if b + 1 < last else after(last)

    _ = list(nodes.everything())  # refuses to write down too many
    return cells.written(part, (0, (), 0))


def _refuse(policy: Solved) -> None:
    """Refuse a policy of which nothing could be certified."""
    problem = policy.nodes.problem
    if policy.tolerance is not None:
        raise InvalidData(
            "a policy that ends with intervals (tolerance=) has no certificate: cut the numbers "
            "into classes with tree.discretize(levels) first"
        )
    if not len(problem.weight):
        raise InvalidData(
            "this policy has no training rows, on which a certificate states what it costs: it was "
            "read from a file; certify the one that cheapest_policy gives"
        )
    if not problem.whole.exact:
        raise InvalidData(
            "the costs of this policy had to be rounded to be added up, so that nothing exact can "
            "be certified: give costs with fewer digits"
        )


def _bound(policy: Solved) -> tuple[int | None, str]:
    """Give the bound in units, or why there is none."""
    problem = policy.nodes.problem
    if problem.may_stop:
        return None, "with a budget, or a feature that is unavailable, rows may stay open"
    if policy.optimal:
        return (policy.nodes.worst if problem.worst else policy.nodes.cost)[0], ""
    if policy.method != "optimal":
        return None, f"the method {policy.method!r} proves no bound"
    return max(0, int(policy.least)), ""
