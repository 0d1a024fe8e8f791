"""Writing a policy down: as a tree, and as JSON.

In:  ``Policy``.
Out: ``Tree``; text (docs/formats).
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Bins, Tree, formats as serial
from .nodes import Nodes
from .problem import Outcome

if TYPE_CHECKING:
    from .policy import Policy

__all__ = ["FORMAT", "VERSION", "bins_of", "to_json", "to_tree"]

FORMAT = "orderless-policy"
VERSION = 1

# A part of a tree: ("leaf", class), or ("split", feature, cut or bins, yes, no).
Part = tuple[Any, ...]


def to_tree(nodes: Nodes) -> Tree:
    """Give a policy as a tree; see ``Policy.to_tree``."""
    bins = nodes.problem.bins
    parts: dict[int, Part] = {}
    for node in reversed(list(nodes.everything())):
        p = nodes.purchase[node]
        if p < 0:
            if nodes.label[node] < 0:
                raise ValueError(
                    "this policy leaves rows undetermined, so it is no tree: leave budget and "
                    "max_questions out"
                )
            parts[node] = ("leaf", nodes.label[node])
            continue
        features = nodes.problem.purchases[p].features
        answers = {outcome: parts[to] for outcome, to in nodes.answers(node)}
        parts[node] = _question(bins, features, answers)
    return _tree_of(parts[0], bins)


def _question(bins: Bins, features: tuple[int, ...], answers: dict[Outcome, Part]) -> Part:
    """Ask the features of a purchase one after the other."""
    k, rest = features[0], features[1:]
    below: dict[int, dict[Outcome, Part]] = {}
    for outcome, part in answers.items():
        below.setdefault(outcome[0], {})[outcome[1:]] = part
    by_bin = [_question(bins, rest, below[b]) if rest else below[b][()] for b in sorted(below)]
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


def _tree_of(root: Part, bins: Bins) -> Tree:
    space = bins.tree.space
    feature: list[int] = []
    threshold: list[float] = []
    label: list[int] = []
    when_true: list[int] = []
    when_false: list[int] = []
    sets: dict[int, list[int]] = {}
    todo: list[tuple[Part, int, bool]] = [(root, -1, True)]
    while todo:
        part, parent, yes = todo.pop()
        node = len(feature)
        if parent >= 0:
            (when_true if yes else when_false)[parent] = node
        for column in (feature, label, when_true, when_false):
            column.append(-1)
        threshold.append(0.0)
        if part[0] == "leaf":
            label[node] = part[1]
            continue
        _, k, test, on_yes, on_no = part
        feature[node] = space.index(bins.features[k].name)
        if isinstance(test, tuple):
            sets[node] = sorted(code for b in test for code in bins.groups[k][b])
        else:
            cuts = bins.cuts[k]
            threshold[node] = float(cuts[test]) if test < len(cuts) else np.inf
        todo += [(on_no, node, False), (on_yes, node, True)]
    return Tree(
        space,
        bins.tree.classes,
        feature=np.array(feature),
        threshold=np.array(threshold),
        when_true=np.array(when_true),
        when_false=np.array(when_false),
        leaf_class=np.array(label),
        sets=sets,
    )


def to_json(policy: Policy) -> str:
    """Write a policy as JSON; see ``Policy.to_json``."""
    nodes = policy.nodes
    problem = nodes.problem
    order = list(nodes.everything())
    place = {node: i for i, node in enumerate(order)}
    rules = {"budget": problem.budget, "max_questions": problem.max_questions}
    content: dict[str, Any] = {
        "method": policy.method,
        "objective": policy.objective,
        "optimal": policy.optimal,
        "expected_cost": policy.expected_cost,
        "worst_cost": policy.worst_cost,
        "bound": policy.bound,
        "share_bound": policy.share_bound,
        "share_determined": policy.share_determined,
        **{name: _amount(rule) for name, rule in rules.items() if rule is not None},
        "bins": [bins_of(problem.bins, k) for k in range(len(problem.bins.features))],
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
        "tree": json.loads(policy.tree.to_json()),
    }
    return serial.dump(FORMAT, VERSION, content)


def _amount(amount: Fraction | int) -> int | float | str:
    """Write a number so that it can be read again exactly."""
    if amount == int(amount):
        return int(amount)
    number = float(amount)
    return number if Fraction(repr(number)) == amount else str(amount)


def bins_of(bins: Bins, k: int) -> dict[str, Any]:
    """Write which values each bin of a feature has."""
    feature = bins.features[k]
    out: dict[str, Any] = {"feature": feature.name}
    if feature.ordered:
        out["cuts"] = bins.cuts[k].tolist()
    else:
        out["values"] = [list(group) for group in bins.groups[k]]
    return out


def _node(nodes: Nodes, node: int, place: dict[int, int]) -> dict[str, Any]:
    out: dict[str, Any] = {"rows": nodes.weight[node]}
    p = nodes.purchase[node]
    if p >= 0:
        unit = float(nodes.problem.unit)
        out["ask"] = p
        out["cost"] = nodes.cost[node] * unit / max(1, nodes.weight[node])
        out["answers"] = [[*answer, place[to]] for answer, to in nodes.answers(node)]
    elif nodes.label[node] >= 0:
        out["decision"] = nodes.label[node]
    else:
        out["possible"] = nodes.problem.leaves.possible(nodes.leaves[node])
    return out
