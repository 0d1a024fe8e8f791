"""Brute force for policies: every question in every situation is tried, in fractions.

It shares no algorithm with the package: determined means that all completions of a row, tried one
by one, get one class, or numbers that are near enough; no state is remembered, no bound is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from decimal_numbers import near
from oracle import Spec, possible_classes, values_by_feature

import orderless as ol

Row = dict[str, Any]


@dataclass
class Case:
    """A tree, rows with weights, and what can be bought: name -> (features, cost)."""

    kinds: dict[str, Any]
    spec: Spec
    tree: ol.Tree
    rows: list[Row]
    weights: list[Fraction]
    purchases: dict[str, tuple[tuple[str, ...], Fraction]]
    worst: bool = False
    budget: Fraction | None = None
    questions: int | None = None

    def shown(self, name: str, value: Any) -> tuple[bool, ...]:
        """What finding out a feature shows: the answer to every condition on it."""
        place = self.tree.space.index(name)
        return tuple(
            self.holds(node, value)
            for node in range(self.tree.n_nodes)
            if self.tree.nodes.feature[node] == place
        )

    def holds(self, node: int, value: Any) -> bool:
        feature = self.tree.space.features[self.tree.nodes.feature[node]]
        if feature.ordered:
            return float(value) <= self.tree.kernel.row_threshold[node]
        return feature.categories.index(value) in self.tree.kernel.set_of(node).tolist()

    def parts(self, rows: list[int], purchase: str) -> list[list[int]]:
        """Divide rows by what a purchase shows."""
        out: dict[Any, list[int]] = {}
        for i in rows:
            key = tuple(self.shown(f, self.rows[i][f]) for f in self.purchases[purchase][0])
            out.setdefault(key, []).append(i)
        return list(out.values())

    def determined(self, rows: list[int], bought: frozenset[str]) -> bool:
        """Whether what was bought, of any of the rows here, fixes the class."""
        names = {f for p in bought for f in self.purchases[p][0]}
        row = {name: self.rows[rows[0]][name] for name in names}
        return len(possible_classes(self.kinds, row, self.spec)) == 1

    def best(self, rows: list[int] | None = None, bought: frozenset[str] = frozenset()) -> Any:
        """The best (weight of undetermined rows, cost) that any policy can have."""
        rows = list(range(len(self.rows))) if rows is None else rows
        if self.determined(rows, bought):
            return Fraction(0), Fraction(0)
        weight = sum((self.weights[i] for i in rows), Fraction(0))
        spent = sum((self.purchases[p][1] for p in bought), Fraction(0))
        options = []
        if self.budget is not None or self.questions is not None:
            options.append((weight, Fraction(0)))
        for name, (_, cost) in self.purchases.items():
            if name in bought or (self.budget is not None and spent + cost > self.budget):
                continue
            if self.questions is not None and len(bought) >= self.questions:
                continue
            below = [self.best(part, bought | {name}) for part in self.parts(rows, name)]
            missed = sum((m for m, _ in below), Fraction(0))
            if self.worst:
                options.append((missed, cost + max(c for _, c in below)))
            else:
                options.append((missed, cost * weight + sum((c for _, c in below), Fraction(0))))
        return min(options)

    def all_policies(
        self, rows: list[int], bought: frozenset[str] = frozenset()
    ) -> Iterator[dict[int, Fraction]]:
        """Every policy, written out: what it spends on each row."""
        if self.determined(rows, bought):
            yield dict.fromkeys(rows, Fraction(0))
            return
        for name, (_, cost) in self.purchases.items():
            if name in bought:
                continue
            parts = self.parts(rows, name)
            ways = [list(self.all_policies(part, bought | {name})) for part in parts]
            for choice in itertools.product(*ways):
                yield {i: cost + c for part in choice for i, c in part.items()}


@dataclass
class NumberCase(Case):
    """A tree of numbers: determined is what has an interval that is narrow enough."""

    tolerance: float = 0.0

    def possible(self, row: Row) -> tuple[float, float]:
        """The smallest and the largest number of all completions."""
        numbers = [float(number) for number in possible_classes(self.kinds, row, self.spec)]
        return min(numbers), max(numbers)

    def determined(self, rows: list[int], bought: frozenset[str]) -> bool:
        names = {f for p in bought for f in self.purchases[p][0]}
        lower, upper = self.possible({name: self.rows[rows[0]][name] for name in names})
        return near([lower, upper], self.tolerance)

    def can_settle(self, row: Row, name: str) -> bool:
        """Whether a feature settles some completion that, without it, is not settled.

        Tried with every set of other features that may be known besides.
        """
        values = values_by_feature(self.kinds, self.spec)
        others = [n for n in values if n != name and row.get(n) is None]
        for known in itertools.product(*([None, *values[n]] for n in others)):
            more = {**row, **dict(zip(others, known, strict=True))}
            lower, upper = self.possible(more)
            if near([lower, upper], self.tolerance):
                continue
            for value in values[name]:
                lower, upper = self.possible({**more, name: value})
                if near([lower, upper], self.tolerance):
                    return True
        return False
