"""Random sums of trees, as docs/formats writes them, added up here as it says: every completion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

import orderless as ol

from . import certainty, drawing, reasoning
from .completions import Truth, points_near, truth_of
from .grid import TooBig
from .model import Feat, Leaf, Node, Point, asks, decide, labels, to_json
from .running import Wrong, literal, without_one

POOLS: list[list[float]] = [
    [0.0, 1.0, -1.0, 2.0], [0.1, 0.2, 0.3, -0.1, -0.2, -0.3, 0.6], [0.5, 0.25, -0.75, 0.0],
    [1 / 3, 2 / 3, -1 / 3, 0.1], [1e8, 1.0, -1e8, 0.5], [1e16, 1.0, -1e16, 3.0, 0.0],
    [5e-324, 1e-300, 0.0, -1e-310], [0.7, 0.70000001, 0.69999999], [0.0], [1e-30, 1e30, -1e30, 1.0],
    [0.1, 0.1 + 2**-50, 0.1 - 2**-50, -0.1], [1.0, 1.0 + 2**-23, 1.0 - 2**-24, -1.0],
]  # fmt: skip
CLASSES: list[list[Any]] = [["a", "b c", "é", "d'"], [0, 1, 2, 3], [3, 7, -1, 5]]


@dataclass(frozen=True)
class Case:
    """Trees whose leaves are numbered, what each adds, and how."""

    feats: tuple[Feat, ...]
    trees: tuple[Node, ...]
    values: tuple[tuple[tuple[float, ...], ...], ...]
    scores: tuple[int | None, ...]
    classes: tuple[Any, ...] | None
    adding: dict[str, Any]
    rule: dict[str, Any]
    seed: int = 0

    @property
    def text(self) -> str:
        trees = []
        for tree, values, score in zip(self.trees, self.values, self.scores, strict=True):
            content = json.loads(to_json(self.feats, tree, list(range(len(values)))))
            own = {key: content[key] for key in ("feature", "threshold", "when_true", "when_false",
                                                 "leaf_class", "nan_true", "sets")}  # fmt: skip
            own["values"] = [list(one) for one in values]
            trees.append(own if score is None else {**own, "score": score})
        content = {"format": "orderless-ensemble", "version": 1}
        content["space"] = json.loads(to_json(self.feats, Leaf(0), [0]))["space"]
        content["classes"] = None if self.classes is None else list(self.classes)
        content |= {"adding": self.adding, "rule": self.rule, "link": "identity", "factor": 1.0}
        return json.dumps({**content, "trees": trees})

    def sums(self, points: tuple[Point, ...]) -> np.ndarray:
        """What docs/formats says, one addition after the other."""
        kind = np.float32 if self.adding["precision"] == "float32" else np.float64
        base = np.array(self.adding["base"], dtype=kind)
        total = np.zeros_like(base) if self.adding["base_last"] else base.copy()
        for tree, values, score in zip(self.trees, self.values, self.scores, strict=True):
            row = np.array(values[decide(tree, points)], dtype=kind)
            if score is None:
                total = total + row
            else:
                total[score] = total[score] + row[score]
        if self.adding["base_last"]:
            total = total + base
        return total

    def label(self, points: tuple[Point, ...]) -> Any:
        total = self.sums(points)
        divided = total / total.dtype.type(self.adding["divisor"])
        if self.rule["kind"] == "number":
            return float(divided[0])
        assert self.classes is not None
        if self.rule["kind"] == "largest":
            return self.classes[int(np.argmax(divided))]
        return self.classes[sum(float(total[0]) > cut for cut in self.rule["cuts"])]

    @cached_property
    def truth(self) -> Truth:
        return truth(self)


def truth(case: Case) -> Truth:
    ens = ol.Ensemble.from_json(case.text)
    rng = Random(case.seed)
    points = []
    for at, feat in enumerate(case.feats):
        cuts = [ask.at_most for tree in case.trees for ask in asks(tree) if ask.feature == at]
        points.append(points_near(feat, cuts, np.inf, rng))

    def replay(rows: list[dict[str, Any]]) -> list[Any]:
        return [case.label(tuple(point(feat, row[feat.name]) for feat in case.feats))
                for row in rows]  # fmt: skip

    def scores(rows: list[dict[str, Any]]) -> np.ndarray:
        divisor = case.adding["divisor"]
        found = []
        for row in rows:
            total = case.sums(tuple(point(feat, row[feat.name]) for feat in case.feats))
            found.append((total / total.dtype.type(divisor)).astype(float))
        return np.array(found)

    number = case.rule["kind"] == "number"
    return truth_of(ens, points, replay, Truth.as_row, scores if number else None, scores)


def point(feat: Feat, value: Any) -> Point:
    """The point that a row's value is; whoever makes up a row may choose another unlisted value."""
    if not feat.ordered:
        value = None if value != value else value
        for code in feat.codes:
            if feat.given(code) == value and type(feat.given(code)) is type(value):
                return code
        if not feat.other:
            raise Wrong("a value that the feature does not have", value, feat)
        return len(feat.labels)
    if value is None or value != value:
        if not feat.nan:
            raise Wrong("a missing value that is none of the feature", value, feat)
        return None
    return feat.rounded(float(value))


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=rng.choice([2, 3, 3, 4]))
    n = rng.choice([1, 2, 3, 4, 5])
    precision = rng.choice(["float64", "float64", "float32"])
    kind = rng.choice(["largest", "cuts", "cuts", "number"])
    n_scores = rng.choice([2, 3, 4]) if kind == "largest" else 1
    pool = rng.choice(POOLS)
    if precision == "float32":
        pool = [float(np.float32(one)) for one in pool if abs(one) < 1e38]
    trees, values, scores = [], [], []
    for _ in range(n):
        tree = numbered(drawing.tree(rng, feats, [0], rng.choice([1, 2, 2, 3, 4])))
        score = rng.choice([None, rng.randrange(n_scores)])
        trees.append(tree)
        scores.append(score)
        values.append(tuple(
            tuple(rng.choice(pool) if score in (None, at) else 0.0 for at in range(n_scores))
            for _ in labels(tree)
        ))  # fmt: skip
    adding = {"precision": precision, "base": [rng.choice([0.0, rng.choice(pool)])
                                               for _ in range(n_scores)],
              "base_last": rng.random() < 0.3,
              "divisor": rng.choice([1.0, 1.0, float(n), 3.0, 10.0])}  # fmt: skip
    classes: tuple[Any, ...] | None = None
    cuts: list[float] = []
    if kind == "largest":
        classes = tuple(rng.choice(CLASSES)[:n_scores])
    elif kind == "cuts":
        more = [one + other for one in pool for other in pool]
        cuts = sorted({float(np.float32(rng.choice(more))) if precision == "float32"
                       else rng.choice(more) for _ in range(rng.choice([1, 1, 2, 3]))})  # fmt: skip
        classes = tuple(["low", "mid", "high", "top"][: len(cuts) + 1])
    window = rng.choice([0.0] * 6 + [0.05]) if kind == "largest" else 0.0
    rule = {"kind": kind, "cuts": cuts, "window": window}
    if kind == "largest" and rng.random() < 0.5:  # close scores may come out in either order
        rule["either"] = True
    case = Case(feats, tuple(trees), tuple(values), tuple(scores), classes, adding, rule,
                rng.randint(0, 10**6))  # fmt: skip
    case.truth  # noqa: B018 (too large, or not)
    return case


def numbered(tree: Node) -> Node:
    """The same tree with its leaves 0, 1, ..."""
    count = iter(range(1000))

    def walk(node: Node) -> Node:
        if isinstance(node, Leaf):
            return Leaf(next(count))
        return node._replace(yes=walk(node.yes), no=walk(node.no))

    return walk(tree)


def smaller(case: Case) -> Iterator[Case]:
    for at in range(len(case.trees)):
        if len(case.trees) > 1:
            yield replace(
                case, trees=case.trees[:at] + case.trees[at + 1 :],
                values=case.values[:at] + case.values[at + 1 :],
                scores=case.scores[:at] + case.scores[at + 1 :],
            )  # fmt: skip
    for at, tree in enumerate(case.trees):
        for less in without_one(tree):
            kept = [node.label for node in leaves(less)]
            new = numbered(less)
            values = tuple(case.values[at][label] for label in kept)
            yield replace(
                case, trees=(*case.trees[:at], new, *case.trees[at + 1 :]),
                values=(*case.values[:at], values, *case.values[at + 1 :]),
            )  # fmt: skip


def leaves(tree: Node) -> Iterator[Leaf]:
    if isinstance(tree, Leaf):
        yield tree
    else:
        yield from leaves(tree.yes)
        yield from leaves(tree.no)


def show(case: Case) -> str:
    return f"import orderless as ol\nens = ol.Ensemble.from_json({literal(case.text)})"


def checked(check: Callable[[Truth, Random], None]) -> Callable[[Case], None]:
    def run(case: Case) -> None:
        try:
            known = case.truth
        except TooBig:
            raise
        check(known, Random(case.seed))

    run.__name__ = check.__name__
    return run


KEPT: tuple[Case, ...] = ()
CHECKS = tuple(checked(check) for check in (*certainty.CHECKS, *reasoning.CHECKS))
