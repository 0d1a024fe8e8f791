"""Rashomon sets of tiny tables, beside every tree written out."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import pandas as pd

import orderless as ol
from orderless import member

from .grid import TooBig
from .model import from_json
from .running import Wrong, same

Shape = Any  # a label, or (column, shape where it is 1, shape where it is 0)


@dataclass(frozen=True)
class Case:
    """A table, its labels, and the parameters of a set."""

    table: dict[str, list[Any]]
    y: list[Any]
    weights: list[float] | None
    parameters: dict[str, Any]

    @cached_property
    def found(self) -> Any:
        frame = pd.DataFrame(self.table)
        weights = {} if self.weights is None else {"sample_weight": self.weights}
        try:
            return ol.RashomonSet(**self.parameters).fit(frame, self.y, **weights).trees_
        except ol.errors.InvalidData as fault:
            nothing_varies = ("no column is left", "no column varies")
            if any(refusal in str(fault) for refusal in nothing_varies):
                raise TooBig from None
            raise


def draw(rng: Random) -> Case:
    mixed = rng.random() < 0.4
    n = rng.randint(4, 12)
    table: dict[str, list[Any]] = {}
    for at in range(rng.randint(1, 3 if mixed else 4)):
        kind = rng.choice(["bit", "number", "text"]) if mixed else "bit"
        if kind == "bit":
            table[f"b{at}"] = [rng.randint(0, 1) for _ in range(n)]
        elif kind == "number":
            table[f"n {at}"] = [rng.choice([0.5, 1.5, 2.0, 3.25, -1.0]) for _ in range(n)]
        else:
            table[f"t'{at}"] = [rng.choice(["köln", "a b", "x"]) for _ in range(n)]
    classes: list[Any] = rng.choice([[0, 1], ["no", "yes"], ["a", "b", "c"]])
    y = [rng.choice(classes) for _ in range(n)]
    if len(set(y)) < 2:
        y[:2] = classes[:2]
    weights = [rng.choice([0, 1, 2, 0.5]) for _ in range(n)] if rng.random() < 0.25 else None
    if weights and len({label for label, weight in zip(y, weights, strict=True) if weight}) < 2:
        weights = None
    parameters = {
        "max_depth": rng.choice([0, 1, 2, 2, 3] if not mixed else [1, 2]),
        "regularization": rng.choice([0.01, 0.05, 0.1, 0, 0.025]),
        "epsilon": rng.choice([0, 0.02, 0.1, 0.25, 0.125]),
        "relative": rng.choice([False, False, True]),
    }
    if parameters["max_depth"] == 0:
        parameters["max_depth"] = 1
    if mixed and rng.random() < 0.85:  # guessing takes long
        parameters["thresholds"] = (0.33, 0.66)
    return Case(table, y, weights, parameters)


def smaller(case: Case) -> Iterator[Case]:
    if case.weights is not None:
        yield replace(case, weights=None)
    for name in case.table:
        if len(case.table) > 1:
            yield replace(
                case, table={key: some for key, some in case.table.items() if key != name}
            )
    if case.parameters["max_depth"] > 1:
        fewer = case.parameters["max_depth"] - 1
        yield replace(case, parameters={**case.parameters, "max_depth": fewer})
    for at in range(len(case.y)):
        y = case.y[:at] + case.y[at + 1 :]
        if len(set(y)) > 1 and case.weights is None:
            table = {name: some[:at] + some[at + 1 :] for name, some in case.table.items()}
            yield replace(case, table=table, y=y)


def show(case: Case) -> str:
    weights = "" if case.weights is None else f", sample_weight={case.weights!r}"
    given = ", ".join(f"{key}={value!r}" for key, value in case.parameters.items())
    return (
        "import orderless as ol\nimport pandas as pd\n"
        f"X = pd.DataFrame({case.table!r})\n"
        f"found = ol.RashomonSet({given}).fit(X, {case.y!r}{weights}).trees_\n"
        "print(found.n_trees, found.n_nontrivial, len(found.functions()))\n"
        "print(found.objective, found.columns)"
    )


class Brute:
    """Every tree over some 0/1 columns, with its objective."""

    def __init__(self, case: Case, bits: list[tuple[int, ...]]) -> None:
        self.case = case
        weights = [1.0] * len(case.y) if case.weights is None else case.weights
        kept = [at for at, weight in enumerate(weights) if weight > 0]
        self.bits = [bits[at] for at in kept]
        self.y = [case.y[at] for at in kept]
        self.weights = [Fraction(str(weights[at])) for at in kept]
        self.total = sum(self.weights)
        self.price = Fraction(str(case.parameters["regularization"]))
        self.memory: dict[Any, list[tuple[Shape, int, Fraction]]] = {}

    def trees(self, rows: tuple[int, ...], depth: int) -> list[tuple[Shape, int, Fraction]]:
        """All trees for some rows: the shape, its leaves, the weight of its errors."""
        key = rows, depth
        if key in self.memory:
            return self.memory[key]
        heavy: Counter[Any] = Counter()
        for at in rows:
            heavy[self.y[at]] += self.weights[at]  # type: ignore[assignment]
        most = max(heavy.values())
        label = max(one for one, weight in heavy.items() if weight == most)
        found: list[tuple[Shape, int, Fraction]] = [
            (label, 1, Fraction(sum(heavy.values()) - most))
        ]
        if depth:
            for column in range(len(self.bits[0])):
                ones = tuple(at for at in rows if self.bits[at][column])
                zeros = tuple(at for at in rows if not self.bits[at][column])
                if ones and zeros:
                    sides = self.trees(ones, depth - 1), self.trees(zeros, depth - 1)
                    if len(sides[0]) * len(sides[1]) > 30_000:
                        raise TooBig
                    for (a, m, e), (b, n, g) in itertools.product(*sides):
                        found.append(((column, a, b), m + n, e + g))
        self.memory[key] = found
        return found

    @cached_property
    def inside(self) -> list[tuple[Shape, int, Fraction, Fraction]]:
        """The trees of the set: shape, leaves, errors, objective."""
        if not self.bits[0]:
            raise TooBig
        everything = self.trees(tuple(range(len(self.y))), self.case.parameters["max_depth"])
        scored = [(s, n, e, e / self.total + self.price * n) for s, n, e in everything]
        self.best = min(one[3] for one in scored)
        far = Fraction(str(self.case.parameters["epsilon"]))
        relative = self.case.parameters["relative"]
        self.bound = self.best * (1 + far) if relative else self.best + far
        return [one for one in scored if one[3] <= self.bound]


def says(shape: Shape, bits: Any) -> Any:
    while isinstance(shape, tuple):
        shape = shape[1] if bits[shape[0]] else shape[2]
    return shape


def trivial(shape: Shape) -> bool:
    if not isinstance(shape, tuple):
        return False
    _, a, b = shape
    flat = not isinstance(a, tuple) and not isinstance(b, tuple)
    return (flat and a == b) or trivial(a) or trivial(b)


def columns_of(case: Case, found: Any) -> tuple[list[dict[str, Any]], list[tuple[int, ...]], Any]:
    """The 0/1 columns as the set's JSON describes them, and the rows' bits by the format."""
    content = json.loads(found.to_json())
    leaf = {"format": "orderless-tree", "version": 1, "space": content["space"], "classes": [0],
            "feature": [-1], "threshold": [0], "when_true": [-1], "when_false": [-1],
            "leaf_class": [0]}  # fmt: skip
    feats, _, _ = from_json(json.dumps(leaf))
    bits = []
    for at in range(len(case.y)):
        row = []
        for column in content["columns"]:
            feat = feats[column["feature"]]
            value = case.table[feat.name][at]
            if feat.ordered:
                holds = feat.rounded(float(value)) <= float(column["threshold"])
            else:
                holds = feat.labels.index(value) in column["set"]
            row.append(int(holds == column["one_is_true"]))
        bits.append(tuple(row))
    return content["columns"], bits, feats


def counts(case: Case) -> None:
    found = case.found
    columns, bits, feats = columns_of(case, found)
    same("one name per column", [column["name"] for column in columns], list(found.columns))
    same("every feature is there", sorted(feat.name for feat in feats), sorted(case.table))
    check_columns(case, columns, feats)
    brute = Brute(case, bits)
    inside = brute.inside
    same("objective", found.objective, brute.best)
    same("bound", found.bound, brute.bound)
    same("n_trees", found.n_trees, len(inside))
    same("n_nontrivial", found.n_nontrivial, sum(not trivial(one[0]) for one in inside))
    same("on_bound", found.on_bound, sum(one[3] == brute.bound for one in inside))
    rows = {tuple(says(one[0], row) for row in brute.bits) for one in inside}
    same("n_distinct_rows", len(found.functions("rows")), len(rows))
    if len(columns) <= 8:
        every = list(itertools.product((0, 1), repeat=len(columns)))
        unrelated = {tuple(says(one[0], row) for row in every) for one in inside}
        same("n_distinct_independent", len(found.functions("columns")), len(unrelated))
        real = feasible(columns, feats)
        aware = {tuple(says(one[0], row) for row in real) for one in inside}
        same("n_distinct_aware", len(found.functions()), len(aware))
    again = ol.TreeSet.from_json(found.to_json())
    same("from_json finds it again", again.n_trees, found.n_trees)


def check_columns(case: Case, columns: list[dict[str, Any]], feats: Any) -> None:
    """0/1 columns and text come in as docs say: as they are, and one column per value."""
    for at, feat in enumerate(feats):
        mine = [column for column in columns if column["feature"] == at]
        values = set(case.table[feat.name])
        if values <= {0, 1}:
            same("a 0/1 column is one column", len(mine), 1)
        elif isinstance(next(iter(values)), str):
            same("one column per text", len(mine), len(values) if len(values) > 1 else 0)


def feasible(columns: list[dict[str, Any]], feats: Any) -> list[tuple[int, ...]]:
    """The rows of bits that some values of the features have."""
    parts = []
    for at, feat in enumerate(feats):
        mine = [column for column in columns if column["feature"] == at]
        if feat.ordered:
            cuts = sorted({float(column["threshold"]) for column in mine})
            values = [*cuts, (cuts[-1] if cuts else 0.0) + 1]
            parts.append([(at, [(v <= float(c["threshold"])) == c["one_is_true"] for c in mine])
                          for v in values])  # fmt: skip
        else:
            parts.append([(at, [(v in c["set"]) == c["one_is_true"] for c in mine])
                          for v in feat.codes])  # fmt: skip
    rows = []
    for chosen in itertools.product(*parts):
        by_feature = {at: list(bits) for at, bits in chosen}
        rows.append(tuple(int(by_feature[column["feature"]].pop(0)) for column in columns))
    return rows


def lists(case: Case) -> None:
    """Iterating gives just these trees, in order; functions, views and samples fit them."""
    found = case.found
    columns, bits, _ = columns_of(case, found)
    brute = Brute(case, bits)
    inside = brute.inside
    if len(inside) > 300:
        raise TooBig
    listed = list(found.trees())
    same("as many trees as it says", len(listed), found.n_trees)
    X = pd.DataFrame(case.table)
    objectives = sorted(one[3] for one in inside)
    got = []
    for tree in listed:
        answers = tree.predict(X).tolist()
        wrong = sum(
            Fraction(str(1 if case.weights is None else case.weights[at]))
            for at, label in enumerate(case.y)
            if answers[at] != label
        )
        got.append(wrong / brute.total + brute.price * tree.n_leaves)
    same("objectives in order", got, objectives)
    expected = Counter(tuple(says(one[0], row) for row in bits) for one in inside)
    same("what the trees say of the rows", Counter(tuple(tree.predict(X).tolist())
         for tree in listed), expected)  # fmt: skip
    functions = found.functions()
    same("n_distinct", len(functions), len(found.functions()))
    same("trees of all functions", sum(one.n_trees for one in functions), found.n_trees)
    groups = ol.group_equivalent(listed)
    same("functions are the groups of equivalent trees", len(groups), len(found.functions()))
    for tree in found.sample(3, random_state=0):
        same("a sample is in", tree in found, True)
    for name in case.table:
        used = [one for one in inside if name in uses(one[0], columns, case)]
        same("using", found.where(member.uses(name)).n_trees, len(used))
        same("without", found.where(~member.uses(name)).n_trees, len(inside) - len(used))
    for leaves in (1, 2, 3):
        some = sum(one[1] <= leaves for one in inside)
        same("at_most", found.where(member.leaves <= leaves).n_trees, some)


def uses(shape: Shape, columns: list[dict[str, Any]], case: Case) -> set[str]:
    if not isinstance(shape, tuple):
        return set()
    name = list(case.table)[columns[shape[0]]["feature"]]
    return {name} | uses(shape[1], columns, case) | uses(shape[2], columns, case)


def predicts(case: Case) -> None:
    """A row with unknowns gets the class of the best tree that is determined on it."""
    if not all(set(some) <= {0, 1} for some in case.table.values()):
        return
    found = case.found
    _, bits, _ = columns_of(case, found)
    inside = Brute(case, bits).inside
    if len(inside) > 3000:
        raise TooBig
    names = list(case.table)
    for row in itertools.product((0, 1, None), repeat=len(names)):
        ways = list(itertools.product(*((0, 1) if bit is None else (bit,) for bit in row)))
        best: dict[Any, Fraction] = {}
        for shape, _, _, objective in inside:
            labels = {says(shape, way) for way in ways}
            if len(labels) == 1:
                label = labels.pop()
                best[label] = min(best.get(label, objective), objective)
        got = found.predict([dict(zip(names, row, strict=True))]).tolist()[0]
        least = min(best.values(), default=None)
        first = [label for label in found.classes if label in best and best[label] == least]
        if got != (first[0] if first else None):
            raise Wrong("predict of a row with unknowns", (row, got), first[:1])


CHECKS = (counts, lists, predicts)
