"""A policy as a tree, and as a file.

In:  ``Nodes``, ``Solved``; text.
Out: a tree; versioned JSON (docs/formats); and what a policy is made of, read back from it
     without training rows. Every node that is read is checked against the tree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, cast

import numpy as np

from ..errors import InvalidTree
from ..inputs import exact, exact_number
from ..model import Bins, Label, TreeBuilder, TreeKernel, formats as serial, read_tolerance
from .costs import KNOWN, Purchase, checked
from .leaves import Answer, Leaves
from .nodes import Nodes
from .problem import Problem
from .solve import METHODS, Method, Solved, Solving

__all__ = ["policy_from_json", "policy_to_json", "policy_tree"]

FORMAT = "orderless-policy"
VERSION = 1
WITHIN = 2  # the version of policies that end with intervals
MOST = 2**62

# A part of a tree: ("leaf", class), or ("split", feature, cut or bins, yes, no).
Part = tuple[Any, ...]


def policy_tree(nodes: Nodes) -> TreeKernel:
    """Give a policy as a tree; see ``Policy.to_tree``."""
    bins = nodes.problem.leaves.bins
    classes = _classes(nodes)
    parts: dict[int, Part] = {}
    for node in reversed(list(nodes.everything())):
        p = nodes.purchase[node]
        if p < 0:
            decided = nodes.decision(node)
            if decided is None:
                raise ValueError(
                    "this policy leaves rows undetermined, so it is not a tree: leave out budget "
                    "and max_questions"
                )
            parts[node] = ("leaf", classes[decided.label])
            continue
        features = nodes.problem.purchases[p].features
        answers = {outcome: parts[to] for outcome, to in nodes.answers(node)}
        parts[node] = _question(bins, features, answers)
    return _tree_of(parts[0], bins, classes)


def _classes(nodes: Nodes) -> dict[Label, int]:
    """Give the classes of the tree, and their places; of intervals the midpoints, which rise."""
    labels: Iterable[Label] = nodes.problem.leaves.bins.tree.classes
    if nodes.problem.leaves.tolerance is not None:
        ends = (nodes.decision(node) for node in nodes.everything() if nodes.purchase[node] < 0)
        labels = sorted({end.label for end in ends if end is not None}, key=float)
    return {label: c for c, label in enumerate(labels)}


def _question(bins: Bins, features: tuple[int, ...], answers: dict[Answer, Part]) -> Part:
    """Ask the features of a purchase one after the other."""
    k, rest = features[0], features[1:]
    below: dict[int, dict[Answer, Part]] = {}
    for outcome, part in answers.items():
        below.setdefault(outcome[0], {})[outcome[1:]] = part
    made = {b: _question(bins, rest, own) if rest else own[()] for b, own in below.items()}
    last = made[min(made)]  # answers that facts exclude lead to where their neighbours do
    by_bin = [last := made.get(b, last) for b in range(bins.widths[k])]
    if not bins.features[k].ordered:
        return _among(k, by_bin)
    n = int(bins.layout.n_bins[k])
    numbers = _below(k, [(b, part) for b, part in enumerate(by_bin[:n])])
    if len(by_bin) == n or _same(numbers, by_bin[n]):
        return numbers
    return ("split", k, n, numbers, by_bin[n])  # at most the last bin: "is it known?"


def _same(a: Part, b: Part) -> bool:
    return a is b or (a[0] == "leaf" and a == b)


def _below(k: int, parts: list[tuple[int, Part]]) -> Part:
    """Ask thresholds, the middle one first; neighbours with the same answer share it."""
    runs = [parts[0]]  # the last bin of each run
    for b, part in parts[1:]:
        if _same(runs[-1][1], part):
            runs[-1] = (b, part)
        else:
            runs.append((b, part))
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    cut = runs[middle - 1][0]
    return ("split", k, cut, _below(k, runs[:middle]), _below(k, runs[middle:]))


def _among(k: int, parts: list[Part]) -> Part:
    """Ask for sets of values, those with the same answer together."""
    sets: list[tuple[list[int], Part]] = []
    for b, part in enumerate(parts):
        for own, other in sets:
            if _same(other, part):
                own.append(b)
                break
        else:
            sets.append(([b], part))
    out = sets[-1][1]
    for own, part in reversed(sets[:-1]):
        out = ("split", k, tuple(own), part, out)
    return out


def _tree_of(root: Part, bins: Bins, classes: Iterable[Label]) -> TreeKernel:
    nodes = TreeBuilder()
    todo: list[tuple[Part, int, bool]] = [(root, -1, True)]
    while todo:
        part, parent, side = todo.pop()
        node = nodes.reserve(parent, side)
        if part[0] == "leaf":
            nodes.leaf(node, part[1])
            continue
        _, k, test, on_yes, on_no = part
        todo += [(on_no, node, False), (on_yes, node, True)]
        if isinstance(test, tuple):
            nodes.split(node, k, members=test)
        else:
            nodes.split(node, k, limit=test)
    tree = nodes.bin_nodes()
    return bins.tree.replace(classes=tuple(classes), **bins.over_features(tree))


def policy_to_json(policy: Solved) -> str:
    """Write a policy as JSON; see ``Policy.to_json``."""
    nodes = policy.nodes
    problem, bins = nodes.problem, nodes.problem.leaves.bins
    order = list(nodes.everything())
    place = {node: i for i, node in enumerate(order)}
    rules = {"budget": problem.budget, "max_questions": problem.max_questions}
    content: dict[str, Any] = {
        **({} if policy.tolerance is None else {"within": policy.tolerance}),
        "method": policy.method,
        "objective": policy.objective,
        "optimal": policy.optimal,
        "expected_cost": policy.expected_cost,
        "worst_cost": policy.worst_cost,
        "bound": policy.bound,
        "share_bound": policy.share_bound,
        "share_determined": policy.share_determined,
        **{name: _amount(rule) for name, rule in rules.items() if rule is not None},
        "bins": bins.to_list(),
        "purchases": [
            {
                "name": p.name,
                "features": list(p.features),
                "cost": _amount(p.cost),
                **({"free": True} if p.free else {}),
            }
            for p in problem.purchases
        ],
        "nodes": [_node(nodes, node, place) for node in order],
        "tree": json.loads(policy.kernel.to_json()),
    }
    return serial.dump(FORMAT, VERSION if policy.tolerance is None else WITHIN, content)


def _amount(amount: Fraction | int) -> int | float | str:
    """Write a number so that it can be read again exactly."""
    if amount == int(amount):
        return int(amount)
    number = float(amount)
    return number if Fraction(repr(number)) == amount else str(amount)


def _node(nodes: Nodes, node: int, place: dict[int, int]) -> dict[str, Any]:
    out: dict[str, Any] = {"rows": nodes.weight[node]}
    p = nodes.purchase[node]
    if p >= 0:
        out["ask"] = p
        out["cost"] = nodes.mean_cost(node)
        out["answers"] = [[*answer, place[to]] for answer, to in nodes.answers(node)]
    elif nodes.label[node] >= 0:
        out |= _end(nodes, node)
    else:
        out["possible"] = nodes.problem.leaves.possible(nodes.leaves[node])
    return out


def _end(nodes: Nodes, node: int) -> dict[str, Any]:
    """Write what is decided: a class; or the smallest and the largest number, as classes."""
    leaves = nodes.problem.leaves
    low, high = leaves.ends_of(nodes.label[node])
    return {"decision": low} if leaves.tolerance is None else {"between": [low, high]}


# -- reading --------------------------------------------------------------------------------------


def policy_from_json(text: str | bytes, limit: int) -> Solved:
    """Read what a policy is made of; see ``Policy.from_json``."""
    content = serial.load(text, FORMAT, (VERSION, WITHIN), limit=limit)
    with serial.Reading("a policy"):
        return _read(content)


def _read(content: dict[str, Any]) -> Solved:
    method = serial.take(content, "method", str)
    if method not in METHODS:
        raise InvalidTree(f"the method must be one of {METHODS}, got {method!r:.80}")
    objective = serial.take(content, "objective", str)
    if objective not in ("expected", "worst"):
        raise InvalidTree(f"the objective must be 'expected' or 'worst', got {objective!r:.80}")
    optimal = serial.take(content, "optimal", bool)
    tree = TreeKernel.from_json(json.dumps(serial.take(content, "tree", dict)))
    leaves = Leaves(tree.bins, _with_tolerance(content, tree))
    n_features = len(leaves.masks)
    if serial.take(content, "bins", list) != leaves.bins.to_list():
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
    if share > 1:
        raise InvalidTree(f"'share_bound' must be from 0 to 1, got {content['share_bound']!r:.80}")
    bound = _exact(content["bound"]) * (1 if problem.worst else rows) / problem.whole.unit
    how = Solving(cast("Method", method))
    return Solved(nodes, how, bound, round((1 - share) * rows), optimal)


def _with_tolerance(content: dict[str, Any], tree: TreeKernel) -> float | None:
    """Read how wide an interval may be, which files of version 2 say."""
    if content["version"] != WITHIN:
        return None
    if tree.task != "regression":
        raise InvalidTree("a policy that ends with intervals ('within') needs a regression tree")
    return read_tolerance(content["within"])


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
            raise InvalidTree(f"expected a purchase, got {entry!r:.80}")
        out.append(Purchase(name, features, _exact(entry["cost"]), free))
    if sorted(k for p in out for k in p.features) != list(range(len(leaves.masks))):
        raise InvalidTree("every feature of the tree must be in exactly one purchase")
    if len({p.name for p in out}) != len(out):
        raise InvalidTree("two purchases have the same name")
    return checked(tuple(out))


def _nodes(problem: Problem, given: list[Any], method: str) -> Nodes:
    """Hang the nodes on each other, and see that each ends where the tree does."""
    if not given:
        raise InvalidTree("a policy needs at least one node, got none")
    nodes = Nodes.root(problem, method, _count(given[0]["rows"]))
    for i, entry in enumerate(given):
        if i >= len(nodes.purchase):
            raise InvalidTree(f"node {i} cannot be reached")
        if "ask" not in entry:
            ends = {} if nodes.label[i] < 0 else _end(nodes, i)
            there = {name: entry[name] for name in ("decision", "between") if name in entry}
            if there != ends or (nodes.label[i] < 0) != ("possible" in entry):
                raise InvalidTree(f"node {i} does not end as the tree does")
            continue
        p = _count(entry["ask"])
        bought = problem.purchases[p]
        if set(bought.features) & set(nodes.known(i)):
            raise InvalidTree(f"node {i} asks for {bought.name!r}, which is known there")
        answers: dict[Answer, int] = {
            tuple(_count(b) for b in one[:-1]): _count(one[-1]) for one in entry["answers"]
        }
        # Without facts there can be too many to go through.
        full = problem.leaves.facts or len(answers) == problem.leaves.n_outcomes(bought)
        if not full or sorted(answers) != sorted(nodes.possible_answers(i, bought)):
            raise InvalidTree(f"node {i} must have every answer to {bought.name!r} exactly once")
        nodes.purchase[i] = p
        for outcome, to in answers.items():
            if to != len(nodes.purchase) or to >= len(given):
                raise InvalidTree(f"node {i} leads to {to}: nodes are numbered level by level")
            nodes.hang(i, outcome, _count(given[to]["rows"]))
    _sum_up(nodes)
    return nodes


def _sum_up(nodes: Nodes) -> None:
    """Add up what is spent, from the ends to the root, as the core does for what it solves."""
    for node in reversed(range(len(nodes.purchase))):
        p = nodes.purchase[node]
        if p < 0:
            nodes.missed[node] = nodes.weight[node] if nodes.label[node] < 0 else 0
            continue
        below = list(nodes.seen(node).values())
        nodes.cost[node] = nodes.price[p] * nodes.weight[node] + sum(nodes.cost[i] for i in below)
        nodes.worst[node] = nodes.price[p] + max((nodes.worst[i] for i in below), default=0)
        nodes.missed[node] = sum(nodes.missed[i] for i in below)
