"""Importances: every handed value is tried, and every equivalent tree is written out."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

import orderless as ol
from orderless.importance import conditional_model_reliance

from . import drawing
from .grid import Box, Grid, TooBig
from .model import Feat, Leaf, Node, asks, decide, from_json, to_json
from .running import Wrong, literal, same, without_one

MOST = 400  # equivalent trees that are written out


@dataclass(frozen=True)
class Case:
    """A tree, complete rows as points, their labels and weights."""

    feats: tuple[Feat, ...]
    classes: list[Any]
    tree: Node
    cells: tuple[Any, ...]
    y: tuple[Any, ...]
    weights: tuple[int, ...] | None
    criterion: str

    def read(self) -> Any:
        return ol.Tree.from_json(to_json(self.feats, self.tree, self.classes))

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [
            {feat.name: feat.given(point) for feat, point in zip(self.feats, cell, strict=True)}
            for cell in self.cells
        ]

    @property
    def options(self) -> dict[str, Any]:
        return {} if self.weights is None else {"sample_weight": list(self.weights)}

    @property
    def counted(self) -> tuple[int, ...]:
        return (1,) * len(self.y) if self.weights is None else self.weights


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=4)
    classes = rng.choice(drawing.CLASSES)
    tree = drawing.tree(rng, feats, classes, rng.randint(2, 6))
    grid = Grid.of(feats, tree, most=300)
    n = rng.randint(2, 12)
    cells = tuple(rng.choice(grid.cells) for _ in range(n))
    y = tuple(
        decide(tree, cell) if rng.random() < 0.7 else rng.choice(sorted(labels_in(tree)))
        for cell in cells
    )
    weights = tuple(rng.randint(0, 3) for _ in range(n)) if rng.random() < 0.4 else None
    if weights and not sum(weights):
        weights = None
    return Case(feats, classes, tree, cells, y, weights, rng.choice(["gini", "entropy"]))


def labels_in(tree: Node) -> set[Any]:
    if isinstance(tree, Leaf):
        return {tree.label}
    return labels_in(tree.yes) | labels_in(tree.no)


def smaller(case: Case) -> Iterator[Case]:
    for tree in without_one(case.tree):
        if set(case.y) <= labels_in(tree):
            yield replace(case, tree=tree)
    if case.weights is not None:
        yield replace(case, weights=None)
    for at in range(len(case.y)):
        if len(case.y) > 1:
            weights = case.weights
            if weights is not None:
                weights = weights[:at] + weights[at + 1 :]
                if not sum(weights):
                    continue
            cells, y = (some[:at] + some[at + 1 :] for some in (case.cells, case.y))
            yield replace(case, cells=cells, y=y, weights=weights)


def show(case: Case) -> str:
    text = to_json(case.feats, case.tree, case.classes)
    return (
        "import orderless as ol\nfrom math import inf, nan\n"
        f"tree = ol.Tree.from_json({literal(text)})\n"
        f"X = {case.rows!r}\ny = {list(case.y)!r}\noptions = {case.options!r}\n"
        f"print(ol.permutation_importance(tree, X, y, **options))\n"
        f"found = ol.importance_range(tree, X, y, criterion={case.criterion!r}, **options)\n"
        "print(found, found.n_trees)"
    )


def close(what: str, got: Any, expected: Sequence[float]) -> None:
    if not np.allclose(np.asarray(got, float), expected, rtol=1e-9, atol=1e-12):
        raise Wrong(what, [float(one) for one in got], [float(one) for one in expected])


def permutes(case: Case) -> None:
    total = sum(case.counted)
    expected = []
    for at in range(len(case.feats)):
        lost = 0.0
        for cell, label, weight in zip(case.cells, case.y, case.counted, strict=True):
            lost -= weight * (decide(case.tree, cell) != label)
            for giver, share in zip(case.cells, case.counted, strict=True):
                handed = (*cell[:at], giver[at], *cell[at + 1 :])
                lost += weight * share * (decide(case.tree, handed) != label) / total
        expected.append(lost / total)
    got = ol.permutation_importance(case.read(), case.rows, list(case.y), **case.options)
    close("permutation_importance", got, expected)


def conditions(case: Case) -> None:
    """Conditional reliance: the same among rows that agree on all other values."""
    total = sum(case.counted)
    expected = []
    for at in range(len(case.feats)):
        lost = 0.0
        for cell, label, weight in zip(case.cells, case.y, case.counted, strict=True):
            if not weight:
                continue
            rest = (*cell[:at], *cell[at + 1 :])
            givers = [
                (giver, share)
                for giver, share in zip(case.cells, case.counted, strict=True)
                if (*giver[:at], *giver[at + 1 :]) == rest
            ]
            among = sum(share for _, share in givers)
            lost -= weight * (decide(case.tree, cell) != label)
            for giver, share in givers:
                lost += weight * share * (decide(case.tree, giver) != label) / among
        expected.append(lost / total)
    got = conditional_model_reliance(case.read(), case.rows, list(case.y), **case.options)
    close("conditional_model_reliance", got, expected)


class Gains:
    """The gain of a split: how far the impurity of its rows falls, by the share of all rows."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.total = sum(case.counted)

    def impurity(self, rows: Sequence[int]) -> float:
        """Impurity times weight."""
        heavy: Counter[Any] = Counter()
        for at in rows:
            heavy[self.case.y[at]] += self.case.counted[at]
        weight = sum(heavy.values())
        if not weight:
            return 0.0
        shares = [one / weight for one in heavy.values() if one]
        if self.case.criterion == "gini":
            return weight * (1 - sum(share * share for share in shares))
        return -weight * sum(share * math.log2(share) for share in shares)

    def gain(self, rows: Sequence[int], yes: Sequence[int], no: Sequence[int]) -> float:
        fall = self.impurity(rows) - self.impurity(yes) - self.impurity(no)
        return fall / self.total


def of_tree(case: Case, tree: Node, gains: Gains) -> list[float]:
    found = [0.0] * len(case.feats)

    def walk(node: Node, rows: list[int]) -> None:
        if isinstance(node, Leaf):
            return
        yes = [at for at in rows if node.ask.holds(case.cells[at][node.ask.feature])]
        no = [at for at in rows if at not in yes]
        found[node.ask.feature] += gains.gain(rows, yes, no)
        walk(node.yes, yes)
        walk(node.no, no)

    walk(tree, list(range(len(case.y))))
    return found


def normal(found: Sequence[float]) -> list[float]:
    total = sum(found)
    return [one / total if total > 1e-13 else 0.0 for one in found]


def one_order(case: Case) -> None:
    tree = case.read()
    _, root, _ = from_json(tree.to_json())
    expected = of_tree(case, root, Gains(case))
    options = {"criterion": case.criterion, **case.options}
    got = ol.impurity_importance(tree, case.rows, list(case.y), normalize=False, **options)
    close("impurity_importance", got, expected)
    got = ol.impurity_importance(tree, case.rows, list(case.y), **options)
    close("impurity_importance, normalised", got, normal(expected))


class Orders:
    """The importances of every tree that is the function and asks nothing in vain."""

    def __init__(self, case: Case) -> None:
        self.case, self.gains = case, Gains(case)
        self.grid = Grid.of(case.feats, case.tree, most=60)
        self.table = self.grid.table(case.tree)
        self.label = dict(zip(self.grid.places, self.table, strict=True))
        self.memory: dict[Box, list[tuple[float, ...]]] = {}

    def column(self, box: Box, at: int, place: int) -> list[Any]:
        """What the function says in a box where a feature has one value."""
        sides = [sorted(side) for side in box]
        sides[at] = [place]
        return [self.label[places] for places in itertools.product(*sides)]

    def useful(self, box: Box, at: int, yes: Box, no: Box) -> bool:
        """Whether a question makes a difference in the box."""
        feat, points = self.case.feats[at], self.grid.points[at]
        if feat.ordered:
            numbers = [[p for p in sorted(side[at]) if points[p] is not None] for side in (yes, no)]
            if all(numbers):
                return self.column(box, at, numbers[0][-1]) != self.column(box, at, numbers[1][0])
            gone = len(points) - 1
            rest = [place for place in box[at] if place != gone]
            told = self.column(box, at, gone)
            return any(self.column(box, at, place) != told for place in rest)
        columns = {tuple(self.column(box, at, place)) for place in yes[at]}
        return not columns & {tuple(self.column(box, at, place)) for place in no[at]}

    def all(self, box: Box) -> list[tuple[float, ...]]:
        if box in self.memory:
            return self.memory[box]
        if len({self.label[places] for places in itertools.product(*box)}) == 1:
            found = [(0.0,) * len(self.case.feats)]
        else:
            found = []
            rows = self.inside(box)
            for at, yes, no in self.grid.splits(box):
                if not self.useful(box, at, yes, no):
                    continue
                gain = self.gains.gain(rows, self.inside(yes), self.inside(no))
                for one, other in itertools.product(self.all(yes), self.all(no)):
                    sums = [a + b for a, b in zip(one, other, strict=True)]
                    sums[at] += gain
                    found.append(tuple(sums))
                    if len(found) > MOST:
                        raise TooBig
        self.memory[box] = found
        return found

    def inside(self, box: Box) -> list[int]:
        places = dict(zip(self.grid.cells, self.grid.places, strict=True))
        return [
            at
            for at, cell in enumerate(self.case.cells)
            if all(p in side for p, side in zip(places[cell], box, strict=True))
        ]


def ranges(case: Case) -> None:
    orders = Orders(case)
    every = orders.all(orders.grid.whole)
    options = {"criterion": case.criterion, **case.options}
    got = ol.importance_range(case.read(), case.rows, list(case.y), normalize=False, **options)
    same("n_trees", got.n_trees, len(every))
    close("low", got.low, [min(some) for some in zip(*every, strict=True)])
    close("high", got.high, [max(some) for some in zip(*every, strict=True)])
    mean = [sum(some) / len(every) for some in zip(*every, strict=True)]
    close("mean", got.mean, mean)
    got = ol.importance_range(case.read(), case.rows, list(case.y), **options)
    ratios = [normal(one) for one in every]
    close("low, normalised", got.low, [min(some) for some in zip(*ratios, strict=True)])
    close("high, normalised", got.high, [max(some) for some in zip(*ratios, strict=True)])
    close("mean, normalised", got.mean, normal(mean))


def is_one_of_them(case: Case) -> None:
    """``irredundant``: every split of the tree makes a difference where it is asked."""
    orders = Orders(case)
    tree = case.read()
    _, root, _ = from_json(tree.to_json())

    def fine(node: Node, box: Box) -> bool:
        if isinstance(node, Leaf):
            return True
        at, points = node.ask.feature, orders.grid.points[node.ask.feature]
        yes = frozenset(place for place in box[at] if node.ask.holds(points[place]))
        sides = [(*box[:at], side, *box[at + 1 :]) for side in (yes, box[at] - yes)]
        return orders.useful(box, at, *sides) and all(
            fine(child, side) for child, side in zip((node.yes, node.no), sides, strict=True)
        )

    got = ol.importance_range(tree, case.rows, list(case.y), **case.options)
    if len(asks(root)) == len(asks(case.tree)):
        same("irredundant", got.irredundant, fine(root, orders.grid.whole))


CHECKS = (permutes, conditions, one_order, ranges, is_one_of_them)
