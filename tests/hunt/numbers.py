"""Trees of numbers: intervals, cuts, risk thresholds and explanations, against all completions."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from tests.decimal_numbers import near

from . import drawing, missing
from .grid import Grid
from .missing import allowed, labels_of
from .model import Ask, Feat, Leaf, Split, to_json
from .running import Wrong, literal, same

NUMBERS = [
    [0.0, 0.25, 3.0, 7.5, 9.0], [-1.0, -0.5, 1e-300, 2.0], [10.0, 20.0], [1e300, 1.5e308, 1.7e308],
    [0.1, 0.2, 0.30000000000000004], [-2.5],
]  # fmt: skip
WIDTHS = (0, 0.1, 0.25, 0.5, 3, 6.5, 10, 1e308)


@dataclass(frozen=True)
class Case(missing.Case):
    """A tree of numbers, rows, and levels at which to cut it."""

    levels: tuple[float, ...] = ()

    def read(self) -> Any:
        content = json.loads(to_json(self.feats, self.tree, self.classes))
        return ol.Tree.from_json(json.dumps({**content, "task": "regression"}))


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=4)
    classes = rng.choice(NUMBERS)
    tree = drawing.tree(rng, feats, classes, rng.randint(2, 8))
    Grid.of(feats, tree)
    rows = tuple(missing.a_row(rng, feats, tree, rng.choice([0.0, 0.4, 0.8])) for _ in range(6))
    between = [(a + b) / 2 for a, b in itertools.pairwise(classes)]
    some = rng.sample([*classes, *between], rng.randint(1, min(3, len(classes))))
    return Case(feats, classes, tree, rows, (), tuple(sorted(set(some))))


def smaller(case: Case) -> Any:
    yield from missing.smaller(case)
    for at in range(len(case.levels)):
        if len(case.levels) > 1:
            yield replace(case, levels=case.levels[:at] + case.levels[at + 1 :])


def show(case: Case) -> str:
    content = json.loads(to_json(case.feats, case.tree, case.classes))
    return (
        "import orderless as ol\nfrom math import inf, nan\n"
        f"tree = ol.Tree.from_json({literal(json.dumps({**content, 'task': 'regression'}))})\n"
        f"rows = {[case.named(row) for row in case.rows]!r}\nlevels = {list(case.levels)!r}"
    )


def possible(case: Case) -> list[set[float]]:
    grid = case.grid()
    return [labels_of(case, allowed(case, grid, row)) for row in case.rows]


def intervals(case: Case) -> None:
    tree, ends = case.read(), possible(case)
    rows = [case.named(row) for row in case.rows]
    low, high = [min(some) for some in ends], [max(some) for some in ends]
    lower, upper, exact = tree.predict_interval(rows)
    same("exact", exact.tolist(), [True] * len(rows))
    same("lower", lower.tolist(), low)
    same("upper", upper.tolist(), high)
    for width in WIDTHS:
        given = tree.predict(rows, tolerance=width).tolist()
        for number, a, b in zip(given, low, high, strict=True):
            if not near([a, b], width):
                same(f"open within {width}", number, None)
                continue
            middle = (Fraction(a) + Fraction(b)) / 2
            if number is None or abs(Fraction(number) - middle) > abs(middle) * Fraction(1, 2**52):
                raise Wrong(f"midpoint within {width}", number, (a, b))
    if not any(feat.nan for feat in case.feats) and rows:
        names = [feat.name for feat in case.feats]
        table = pd.DataFrame(
            {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
        )
        lower, upper, _ = tree.predict_interval(table)
        same("of a data frame", [lower.tolist(), upper.tolist()], [low, high])
        if all(feat.ordered for feat in case.feats):
            for order in "CF":
                array = np.asarray(table.astype(float).to_numpy(), order=order)
                many = np.asarray(np.tile(array, (60, 1)), order=order)  # so many that masks pay
                for some, times in ((array, 1), (many, 60)):
                    lower, upper, _ = tree.predict_interval(some)
                    same("of an array", [lower.tolist(), upper.tolist()],
                         [low * times, high * times])  # fmt: skip


def cuts(case: Case) -> None:
    tree, ends = case.read(), possible(case)
    names = list("abcdefgh"[: len(case.levels) + 1])
    if not all(map(math.isfinite, case.levels)):
        try:
            tree.discretize(case.levels)
        except ol.errors.InvalidTree:
            return
        raise Wrong("a level that is no finite number is refused", case.levels, "InvalidTree")
    cut = tree.discretize(case.levels, labels=names)
    rows = [case.named(row) for row in case.rows]
    expected = [
        tuple(sorted({names[sum(number > level for level in case.levels)] for number in some}))
        for some in ends
    ]
    same("classes of a cut", cut.possible(rows), expected)
    certain = [some[0] if len(some) == 1 else None for some in expected]
    same("predict of a cut", cut.predict(rows).tolist(), certain)
    same("words of a cut", len(tree.discretize(case.levels).classes), len(names))


def explains(case: Case) -> None:
    tree, ends = case.read(), possible(case)
    grid = case.grid()
    cells = grid.by_label(grid.table(case.tree))
    form = ol.canonicalize(tree)
    for row, some in zip(case.rows, ends, strict=True):
        why = form.tree.explain(case.named(row))
        same("interval", why.interval, (min(some), max(some)))
        same("label", why.label, min(some) if len(some) == 1 else None)
        same("possible", why.possible, tuple(sorted(some)))
        inside = 0
        for number, mask in cells.items():
            if min(some) <= number <= max(some):
                inside |= mask
        box = tuple(
            frozenset([missing.place_of(case.feats[at], grid.points[at], points[0])])
            if len(points) == 1
            else frozenset(range(len(points)))
            for at, points in enumerate(allowed(case, grid, row))
        )
        own = grid.box_mask(box)
        expected = {one for one in grid.reasons(inside) if not own & ~one}
        terms = [grid.term_mask(term.to_dict()) for term in why.all_reasons]
        same("reasons to lie in the interval", sorted(terms), sorted(expected))


def decides_at(case: Case) -> None:
    """Risk thresholds: leaves get training rows of two classes, by their numbers."""
    content = json.loads(to_json(case.feats, case.tree, case.classes))
    ill = {number: at % 4 for at, number in enumerate(case.classes)}
    content["classes"] = ["well", "ill"]
    rows = [[3, ill[case.classes[c]]] if c >= 0 else [0, 0] for c in content["leaf_class"]]
    content["distribution"] = rows
    content["leaf_class"] = [-1 if c < 0 else 0 for c in content["leaf_class"]]
    tree = ol.Tree.from_json(json.dumps(content))
    for probability in (0, 0.25, 1 / 3, 0.4, 0.5, 0.41, 1):
        at_least = tree.decide_at("ill", probability)
        expected = []
        for some in possible(case):
            sides = {ill[number] / (3 + ill[number]) >= probability for number in some}
            expected.append(sides.pop() if len(sides) == 1 else None)
        named = [case.named(row) for row in case.rows]
        same(f"at least {probability:.2f}", at_least.predict(named).tolist(), expected)


LARGE = Split(Ask(0, 0.0), Leaf(1.5e308), Leaf(1.7e308))
KEPT = (Case((Feat("x", "float64"),), NUMBERS[3], LARGE, ({}, {0: math.inf}), (), (1.6e308,)),)
CHECKS = (intervals, cuts, explains, decides_at)
