"""Reading a policy back.

In:  text that ``Policy.to_json`` wrote.
Out: ``Policy`` without training rows; every node is checked against the tree.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, cast

import numpy as np

from ..errors import InvalidTree
from ..inputs import exact
from ..model import Tree, formats as serial
from .costs import KNOWN, Purchase, exact_number
from .nodes import Nodes
from .policy import Policy
from .problem import Leaves, Outcome, Problem
from .solve import METHODS, Method, Solved, Solving
from .writing import FORMAT, VERSION, bins_of

__all__ = ["from_json"]

MOST = 2**62


def from_json(text: str | bytes, *, limit: int = serial.LIMIT) -> Policy:
    """Read a policy; see ``Policy.from_json``."""
    content = serial.load(text, FORMAT, VERSION, limit=limit)
    with serial.Reading("a policy"):
        return _read(content)


def _read(content: dict[str, Any]) -> Policy:
    method = serial.take(content, "method", str)
    if method not in METHODS:
        raise InvalidTree(f"the method must be one of {METHODS}, got {method!r:.80}")
    objective = serial.take(content, "objective", str)
    if objective not in ("expected", "worst"):
        raise InvalidTree(f"the objective must be 'expected' or 'worst', got {objective!r:.80}")
    optimal = serial.take(content, "optimal", bool)
    tree = Tree.from_json(json.dumps(serial.take(content, "tree", dict)))
    leaves = Leaves(tree.bins)
    n_features = len(leaves.masks)
    if serial.take(content, "bins", list) != [bins_of(leaves.bins, k) for k in range(n_features)]:
        raise InvalidTree(
            "the intervals of the features ('bins') are not those of the tree in the file: it was "
            "changed after it was written; write it anew with policy.to_json()"
        )
    questions = content.get("max_questions")
    problem = Problem(
        leaves,
        _purchases(serial.take(content, "purchases", list), leaves),
        np.zeros((0, n_features), dtype=np.int32),
        np.zeros(0, dtype=np.int64),
        start=leaves.all,
        known=(-1,) * n_features,
        budget=_exact(content["budget"]) if "budget" in content else None,
        max_questions=None if questions is None else _count(questions),
        worst=objective == "worst",
    )
    nodes = _nodes(problem, serial.take(content, "nodes", list), method)
    rows = max(1, nodes.weight[0])
    share = _exact(content["share_bound"])
    bound = _exact(content["bound"]) * (1 if problem.worst else rows) / problem.unit
    return Policy(
        tree=tree,
        method=method,
        optimal=optimal,
        n_states=0,
        _problem=problem,
        _solved=Solved((), bound, round((1 - share) * rows), optimal),
        _how=Solving(cast("Method", method)),
        _nodes=nodes,
    )


def _exact(number: Any) -> Fraction:
    if isinstance(number, str):  # a fraction that no decimal means
        number = exact(number)
    return exact_number(number, "an amount")


def _count(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MOST:
        raise InvalidTree(f"expected a whole number from 0 to {MOST}, got {number!r:.80}")
    return number


def _purchases(given: list[Any], leaves: Leaves) -> tuple[Purchase, ...]:
    out = []
    for entry in given:
        free = entry.get("free", False)
        name, features = entry["name"], tuple(_count(k) for k in entry["features"])
        if not isinstance(name, str) or not isinstance(free, bool) or (free and name != KNOWN):
            raise InvalidTree(f"this is not a purchase: {entry!r:.80}")
        out.append(Purchase(name, features, _exact(entry["cost"]), free))
    if sorted(k for p in out for k in p.features) != list(range(len(leaves.masks))):
        raise InvalidTree("every feature of the tree is in one purchase")
    if len({p.name for p in out}) != len(out):
        raise InvalidTree("two purchases have one name")
    return tuple(out)


def _nodes(problem: Problem, given: list[Any], method: str) -> Nodes:
    """Hang the nodes on each other, and see that each ends where the tree does."""
    if not given:
        raise InvalidTree("a policy has at least one node, got none")
    nodes = Nodes(problem, ([-1], [-1], [-1], [-1], [_count(given[0]["rows"])]), method)
    for i, entry in enumerate(given):
        if i >= len(nodes.purchase):
            raise InvalidTree(f"node {i} cannot be reached")
        if "ask" not in entry:
            label = nodes.label[i]
            told = entry.get("decision", -1)
            if told != label or (label < 0) != ("possible" in entry):
                raise InvalidTree(f"node {i} does not end as the tree does")
            continue
        p = _count(entry["ask"])
        bought = problem.purchases[p]
        if set(bought.features) & set(nodes.known(i)):
            raise InvalidTree(f"node {i} asks for {bought.name!r}, which is known there")
        answers: dict[Outcome, int] = {
            tuple(_count(b) for b in one[:-1]): _count(one[-1]) for one in entry["answers"]
        }
        full = len(answers) == problem.leaves.n_outcomes(bought)  # of which there can be many
        if not full or sorted(answers) != sorted(problem.leaves.outcomes(bought)):
            raise InvalidTree(f"node {i} does not have every answer to {bought.name!r} once")
        nodes.purchase[i] = p
        for outcome, to in answers.items():
            if to != len(nodes.purchase) or to >= len(given):
                raise InvalidTree(f"node {i} leads to {to}: nodes are numbered level by level")
            nodes.hang(i, outcome, _count(given[to]["rows"]))
    nodes.sum_up()
    return nodes
