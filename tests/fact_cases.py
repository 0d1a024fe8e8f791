"""Random spaces, facts and trees, and brute force over all rows of a small grid.

A fact is a pair: its text, and a plain function of a row. Nothing here uses the package's solver.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orderless as ol

Row = dict[str, Any]
Fact = tuple[str, Callable[[Row], bool]]
GRID = range(-1, 4)
NAMES = ("a", "b", "c d", "e")
RELATIONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
             "=": operator.eq, "!=": operator.ne}  # fmt: skip


def quoted(name: str) -> str:
    return f"`{name}`" if " " in name else name


def values(kind: Any) -> list[Any]:
    if kind == "boolean":
        return [False, True]
    if kind == "numeric":  # where all constants are whole: enough for three numbers that differ
        return [i / 4 for i in range(-5, 14)]
    return list(kind) if isinstance(kind, list) else list(GRID)


def condition(r: random.Random, kinds: dict[str, Any]) -> Fact:
    name = r.choice(list(kinds))
    kind, shown = kinds[name], quoted(name)
    if kind == "boolean":
        flag = r.random() < 0.5
        return (shown if flag else f"not {shown}", lambda row: row[name] == flag)
    if isinstance(kind, list):
        some = set(r.sample(kind, r.randint(1, 2)))
        return (f"{shown} in {{{', '.join(sorted(some))}}}", lambda row: row[name] in some)
    bound, relation = r.randint(-1, 3), r.choice(list(RELATIONS))
    test = RELATIONS[relation]
    return (f"{shown} {relation} {bound}", lambda row: test(row[name], bound))


def linear(r: random.Random, names: list[str]) -> Fact:
    some = r.sample(names, r.randint(2, min(3, len(names))))
    factors = [r.choice([1, 1, -1, 2]) for _ in some]
    bound, relation = r.randint(-2, 4), r.choice(["<=", "<", "=", ">="])
    text = " + ".join(f"{f}*{quoted(n)}" for f, n in zip(factors, some, strict=True))
    test = RELATIONS[relation]
    return (
        f"{text.replace('+ -', '- ')} {relation} {bound}",
        lambda row: test(sum(f * row[n] for f, n in zip(factors, some, strict=True)), bound),
    )


def order(r: random.Random, names: list[str]) -> Fact:
    """A difference of two numbers that is bounded by a whole number."""
    one, other = r.sample(names, 2)
    bound, relation = r.randint(-2, 2), r.choice(["<=", "<", "="])
    test = RELATIONS[relation]
    return (
        f"{quoted(one)} - {quoted(other)} {relation} {bound}",
        lambda row: test(row[one] - row[other], bound),
    )


def fact(r: random.Random, kinds: dict[str, Any], *, compare: bool = True) -> Fact:
    numbers = [n for n, k in kinds.items() if k in ("integer", "boolean")]
    real = [n for n, k in kinds.items() if k == "numeric"]
    which = r.randint(0, 5)
    if which <= 1 and compare and len(real) >= 2:
        return order(r, real)
    if which <= 1 and compare and len(numbers) >= 2:
        return linear(r, numbers)
    if which == 2 and len(kinds) >= 3:
        some, most = [condition(r, kinds) for _ in range(3)], r.randint(1, 2)
        text = f"at most {most} of {', '.join(one[0] for one in some)}"
        return (text, lambda row: sum(one[1](row) for one in some) <= most)
    if which == 3 and not real:
        return table(r, kinds)
    (premise, if_), (conclusion, then) = condition(r, kinds), condition(r, kinds)
    return (f"if {premise} then {conclusion}", lambda row: not if_(row) or then(row))


def table(r: random.Random, kinds: dict[str, Any]) -> Fact:
    a, b = r.sample(list(kinds), 2)
    every = list(itertools.product(values(kinds[a]), values(kinds[b])))
    some = r.sample(every, max(1, len(every) // 2))
    text = ", ".join(f"({str(x).lower()}, {str(y).lower()})" for x, y in some)
    return (
        f"({quoted(a)}, {quoted(b)}) in {{{text}}}",
        lambda row: (row[a], row[b]) in some,
    )


def nested(r: random.Random, kinds: dict[str, Any], labels: list[Any], depth: int) -> Any:
    if depth == 0 or r.random() < 0.15:
        return {"prediction": r.choice(labels)}
    name = r.choice(list(kinds))
    kind = kinds[name]
    split: dict[str, Any] = {
        "feature": name,
        "true": nested(r, kinds, labels, depth - 1),
        "false": nested(r, kinds, labels, depth - 1),
    }
    if kind == "boolean":
        return {**split, "relation": "==", "reference": 1}
    if isinstance(kind, list):
        return {**split, "relation": "in", "reference": r.sample(kind, r.randint(1, 2))}
    return {**split, "relation": "<=", "reference": r.randint(-1, 3)}


def decide(tree: Any, row: Row) -> Any:
    while "prediction" not in tree:
        value, relation = row[tree["feature"]], tree["relation"]
        if relation == "==":
            holds = value == 1
        else:
            holds = value in tree["reference"] if relation == "in" else value <= tree["reference"]
        tree = tree["true" if holds else "false"]
    return tree["prediction"]


def inside(sides: Any, row: Row) -> bool:
    """Whether a row lies in a box of sides."""
    return all(
        side.lower < float(row[side.feature.name]) <= side.upper
        if side.feature.ordered
        else row[side.feature.name] in side.labels
        for side in sides
    )


@dataclass
class Case:
    """Two trees over a space with facts, and all rows that these leave."""

    seed: int
    kinds: dict[str, Any]
    facts: list[Fact]
    bounds: list[str]
    specs: list[Any]
    rows: list[Row]
    possible: list[Row] = field(init=False)

    def __post_init__(self) -> None:
        self.possible = [row for row in self.rows if self.is_possible(row)]

    def is_possible(self, row: Row) -> bool:
        return all(holds(row) for _, holds in self.facts)

    @property
    def texts(self) -> list[str]:
        return [*self.bounds, *(text for text, _ in self.facts)]

    def space(self) -> ol.Space:
        return ol.Space(self.kinds, facts=self.texts)

    def trees(self) -> list[ol.Tree]:
        space = self.space()
        return [ol.read(spec, space=space) for spec in self.specs]

    def says(self, row: Row, tree: int = 0) -> Any:
        return decide(self.specs[tree], row)

    def completions(self, part: Row) -> list[Row]:
        return [row for row in self.possible if all(row[n] == v for n, v in part.items())]

    def parts(self, n: int) -> list[Row]:
        """Rows with unknown values; most of them possible."""
        r = random.Random(self.seed + 1)
        out = []
        for _ in range(n):
            base = r.choice(self.possible if r.random() < 0.8 else self.rows)
            out.append({name: v for name, v in base.items() if r.random() < 0.5})
        return out


def case(seed: int, *, real: bool = False, compare: bool = True, numbers: bool = False) -> Case:
    """A random case: whole numbers, booleans and categories, or real numbers too."""
    r = random.Random(seed)
    some = ["numeric", "numeric", "boolean"] if real else ["boolean", "integer", "integer"]
    kinds = {name: r.choice([*some, ["x", "y", "z"]])
             for name in NAMES[: r.randint(2, 3 if real else 4)]}  # fmt: skip
    bounds = []
    for name, kind in kinds.items():
        if kind in ("integer", "numeric"):
            low, high = (GRID[0], GRID[-1]) if kind == "integer" else (-1.25, 3.25)
            bounds += [f"{quoted(name)} >= {low}", f"{quoted(name)} <= {high}"]
    facts = [fact(r, kinds, compare=compare) for _ in range(r.randint(1, 3))]
    every = itertools.product(*(values(kind) for kind in kinds.values()))
    rows = [dict(zip(kinds, row, strict=True)) for row in every]
    labels = [1.5, 2.5, 4.0] if numbers else ["p", "q", "r"][: r.randint(2, 3)]
    specs = [nested(r, kinds, labels, 3) for _ in range(2)]
    if numbers:
        specs = [{**spec, "task": "regression"} for spec in specs]
    if r.random() < 0.3:
        specs[1] = specs[0]
    return Case(seed, kinds, facts, bounds, specs, rows)
