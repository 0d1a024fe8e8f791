"""Answers that lead to the same: said once.

In:  ``Nodes``, and nodes that go on in the same way.
Out: the different ways to go on, each with the answers that lead there, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..model import Bins, Side, side_text, sides_text
from .nodes import Nodes
from .problem import Outcome

__all__ = ["Branch", "bin_side", "branches"]

MOST = 200  # nodes of a part of a policy that is compared with others


@dataclass(frozen=True, slots=True)
class Branch:
    """Answers in words, the nodes they lead to, which go on in the same way, and their weight."""

    text: str
    nodes: tuple[int, ...]
    weight: int


def branches(nodes: Nodes, at: Sequence[int], most: int = MOST) -> list[Branch]:
    """Give the different ways to go on from nodes that go on in the same way.

    Answers to a group that no training row has are left out. Parts of more than ``most`` nodes
    count as different; with ``most=1`` only decisions are put together.
    """
    problem = nodes.problem
    features = problem.purchases[nodes.purchase[at[0]]].features
    found: dict[Any, dict[Outcome, list[int]]] = {}
    for node in at:
        for answer, to in _listed(nodes, node):
            here = found.setdefault(_shape(nodes, to, [most], most == 1) or answer, {})
            here.setdefault(answer, []).append(to)
    out = []
    for own in found.values():
        members = tuple(to for several in own.values() for to in several)
        weight = sum(nodes.weight[to] for to in members)
        out.append(Branch(_words(problem.bins, features, sorted(own)), members, weight))
    return out


def _listed(nodes: Nodes, node: int) -> Iterator[tuple[Outcome, int]]:
    single = len(nodes.problem.purchases[nodes.purchase[node]].features) == 1
    yield from nodes.answers(node) if single else sorted(nodes.seen(node).items())


def _shape(nodes: Nodes, node: int, left: list[int], settled: bool) -> tuple[Any, ...] | None:
    """Give what is asked and decided from a node on; None if that is too much to compare."""
    left[0] -= 1
    if left[0] < 0:
        return None
    p = nodes.purchase[node]
    if p < 0:
        return None if settled and nodes.label[node] < 0 else ("end", nodes.label[node])
    if left[0] == 0:
        return None
    below = []
    for answer, to in _listed(nodes, node):
        shape = _shape(nodes, to, left, settled)
        if shape is None:
            return None
        below.append((answer, shape))
    return ("ask", p, tuple(below))


def _words(bins: Bins, features: tuple[int, ...], answers: Sequence[Outcome]) -> str:
    """Write several answers: of a category as one set, of a number as its ranges."""
    if len(features) > 1:
        texts = [
            sides_text([bin_side(bins, k, [b]) for k, b in zip(features, a, strict=True)])
            for a in answers
        ]
        return " or ".join(texts)
    k = features[0]
    numbers = [b for (b,) in answers]
    runs: list[list[int]] = []
    for b in numbers:
        if runs and (not bins.features[k].ordered or b == runs[-1][-1] + 1):
            runs[-1].append(b)
        else:
            runs.append([b])
    ranges = [bin_side(bins, k, run) for run in runs]
    return " or ".join("any answer" if side.is_whole else side_text(side) for side in ranges)


def bin_side(bins: Bins, k: int, own: Sequence[int]) -> Side:
    """Give the values of some bins of a feature; those of a number are neighbours."""
    feature = bins.features[k]
    if not feature.ordered:
        return Side(feature, codes=tuple(sorted(c for b in own for c in bins.groups[k][b])))
    first, last = own[0], own[-1]
    cuts = bins.cuts[k].tolist()
    if first > len(cuts):
        return Side(feature, 0.0, 0.0, nan=True)
    lower = cuts[first - 1] if first else -float("inf")
    upper = cuts[last] if last < len(cuts) else float("inf")
    return Side(feature, lower, upper, nan=last > len(cuts))
