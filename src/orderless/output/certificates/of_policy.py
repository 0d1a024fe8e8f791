"""The certificate of a policy: what it costs on its training rows, and that nothing is cheaper.

In:  a ``Policy``.
Out: ``Certificate``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...errors import InvalidData, TooLarge
from ...model import refuse_facts
from .certificate import MOST, Certificate, certified_tree, written
from .check_claims import check
from .check_parts import Undecided

if TYPE_CHECKING:
    from ...acquisition import Policy

__all__ = ["policy_certificate"]

STEPS = 2_000_000  # in which the checker must solve the problem again, a few seconds


def policy_certificate(policy: Policy) -> Certificate:
    """Certify a policy; see ``Policy.certificate``."""
    problem = policy.nodes.problem
    refuse_facts(policy.tree.space, "a certificate")
    _refuse(policy)
    bins = problem.leaves.bins
    tree, whole = bins.tree, problem.whole
    stored = json.loads(policy.to_json())
    rows, weights = problem.rows.tolist(), problem.weight.tolist()
    content: dict[str, Any] = {
        "bins": bins.to_list(),
        "tree": certified_tree(tree),
        "purchases": [
            {"name": p.name, "features": list(p.features), "cost": 0 if p.free else int(cost)}
            for p, cost in zip(problem.purchases, whole.numbers, strict=True)
        ],
        "unit": [whole.unit.numerator, whole.unit.denominator],
        "rows": [[weight, *row] for weight, row in zip(weights, rows, strict=True)],
        "nodes": [_node(node) for node in stored["nodes"]],
        "cost": policy.nodes.cost[0],
        "worst": policy.nodes.worst[0],
        "determined": sum(weights) - policy.nodes.missed[0],
        "objective": policy.objective,
        "bound": None,
    }
    if max([content["cost"], *content["unit"], *whole.numbers]) >= MOST:
        raise TooLarge(
            "the costs of this policy add up to more units than a certificate can have (2^53): "
            "round them to fewer decimals",
            content["cost"],
        )
    bound, why = _bound(policy)
    if bound is not None:
        text = written("policy", tree.space, tree.classes, **{**content, "bound": bound})
        try:
            check(text, STEPS)
        except Undecided:
            why = "the checker would have to look at too many ways to buy"
        else:
            return Certificate(text)
    text = written("policy", tree.space, tree.classes, **content)
    return Certificate(text, (f"How cheap it can be is not stated: {why}.",))


def _refuse(policy: Policy) -> None:
    """Refuse a policy of which nothing could be certified."""
    problem = policy.nodes.problem
    if policy.within is not None:
        raise InvalidData(
            "a policy that ends with intervals (within=) has no certificate: cut the numbers into "
            "classes with tree.cut(levels) first"
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


def _bound(policy: Policy) -> tuple[int | None, str]:
    """Give the bound in units, or why there is none."""
    problem = policy.nodes.problem
    if problem.may_stop:
        return None, "with a budget, or a feature that is unavailable, rows may stay open"
    if policy.optimal:
        return (policy.nodes.worst if problem.worst else policy.nodes.cost)[0], ""
    if policy.method != "optimal":
        return None, f"the method {policy.method!r} proves no bound"
    return max(0, int(policy.least)), ""


def _node(node: dict[str, Any]) -> dict[str, Any]:
    if "ask" in node:
        return {"ask": node["ask"], "answers": node["answers"]}
    return {"decision": node["decision"]} if "decision" in node else {"open": True}
