"""Sums over the leaves of all trees of a set at once, in whole numbers.

In:  rows that fall into parts, and what a part's weight counts by prediction; a ``Source``, a
     ``View`` of it.
Out: ``Quantity``: the entries that the core sums up, and one or two ``Form``s of them; a ``Form``
     is (constant + sum of factor x weight) / unit. Two forms are a ratio. ``LeafSums``: the trees
     with the smallest or largest sum for every objective, and the one nearest to a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData
from .engine import Engine
from .flat import FlatTrees
from .listed import Source
from .problem import LARGEST
from .view import LIMIT, View

__all__ = [
    "Form", "GraphSums", "LeafSums", "ListSums", "Near", "Quantity", "Stairs", "as_number",
    "leaf_sums", "quantity_of",
]  # fmt: skip

Table = Sequence[Sequence[Fraction]]  # parts by predictions


@dataclass(frozen=True, eq=False)
class Form:
    """A sum over leaves.

    Attributes
    ----------
    factors : array of int, parts by predictions
        What a unit of weight counts.
    constant : int
        What is the same for every tree.
    unit : int
        How many of these whole numbers are 1.
    """

    factors: NDArray[np.int64]
    constant: int
    unit: int

    def value(self, measured: int) -> Fraction:
        """Give what a sum means."""
        return Fraction(self.constant + int(measured), self.unit)


@dataclass(frozen=True, eq=False)
class Quantity:
    """What is measured.

    Attributes
    ----------
    name : str
        As people read it.
    bits : array of 0/1, entries by columns
    part : array of int
        The part of each entry.
    weights : array of int
    labels : array of int
        What leaves can predict, rising: the columns of the factors.
    forms : one Form, or two: numerator and denominator
    share_bits : int
        Where leaves are measured by the shares of their training rows: in 2^-share_bits-ths, each
        rounded down; else -1.
    """

    name: str
    bits: NDArray[np.uint8]
    part: NDArray[np.int32]
    weights: NDArray[np.int64]
    labels: NDArray[np.int32]
    forms: tuple[Form, ...]
    share_bits: int = -1

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        return len(self.forms[0].factors) - (self.share_bits >= 0)

    def combined(self, numbers: Sequence[int]) -> NDArray[np.int64]:
        """Give the factors of a sum of the forms, each taken so many times."""
        table = [[0] * len(self.labels) for _ in range(self.n_parts)]
        for number, form in zip(numbers, self.forms, strict=True):
            for row, own in zip(table, form.factors.tolist(), strict=True):
                for at, factor in enumerate(own):
                    row[at] += number * factor
        return _fitting(table, self.part, self.weights, self.name)

    def sums(self, flat: FlatTrees, factors: NDArray[np.int64]) -> list[int]:
        """Evaluate trees one by one."""
        out: list[int] = []
        for _, labels in flat.says_in_parts(self.bits):
            places = np.searchsorted(self.labels, labels)
            out += (factors[self.part, places] @ self.weights).tolist()
        return out


def as_number(value: Fraction) -> int | Fraction:
    """Give a whole number as an int."""
    return value.numerator if value.denominator == 1 else value


def _fitting(
    table: Sequence[Sequence[int]],
    part: NDArray[np.int32],
    weights: NDArray[np.int64],
    name: str,
) -> NDArray[np.int64]:
    """Give factors as an array, if no sum of theirs can pass 2^62."""
    totals = [0] * len(table)
    for p, weight in zip(part.tolist(), weights.tolist(), strict=True):
        totals[p] += weight
    most = [max((abs(factor) for factor in row), default=0) for row in table]
    if sum(a * b for a, b in zip(totals, most, strict=True)) >= LARGEST or max(most) >= LARGEST:
        raise InvalidData(
            f"{name!r} would pass 2^62 in whole numbers: the weights and the numbers that are "
            "summed up have too many digits together; round them"
        )
    return np.array(table, dtype=np.int64).reshape(len(table), -1)


def quantity_of(
    name: str,
    bits: NDArray[np.uint8],
    part: NDArray[np.int32],
    weights: NDArray[np.int64],
    labels: NDArray[np.int32],
    tables: Sequence[Table],
) -> Quantity:
    """Put parts that count alike together, and leave out those that count the same in every tree.

    Parameters
    ----------
    tables : for every form, parts by predictions: what a unit of weight counts
    """
    units = [math.lcm(1, *(x.denominator for row in table for x in row)) for table in tables]
    kinds: dict[Any, int] = {}
    place = np.full(max(len(tables[0]), 1), -1, dtype=np.int32)
    totals = np.zeros(len(tables[0]), dtype=object)
    np.add.at(totals, part, weights.astype(object))
    constants = [0] * len(tables)
    for p in range(len(tables[0])):
        rows = []
        for at, (table, unit) in enumerate(zip(tables, units, strict=True)):
            whole = [int(x * unit) for x in table[p]]
            least = min(whole)
            constants[at] += least * int(totals[p])
            rows.append(tuple(x - least for x in whole))
        if any(map(any, rows)):
            place[p] = kinds.setdefault(tuple(rows), len(kinds))
    chosen = np.flatnonzero((place[part] >= 0) & (weights > 0))
    part, weights = place[part][chosen], weights[chosen]
    if not kinds:  # every tree measures the same
        kinds = {tuple((0,) * len(labels) for _ in tables): 0}
    forms = [
        Form(_fitting([kind[at] for kind in kinds], part, weights, name), constants[at], units[at])
        for at in range(len(tables))
    ]
    return Quantity(name, np.ascontiguousarray(bits[chosen]), part, weights, labels, tuple(forms))


@dataclass(frozen=True, eq=False)
class Stairs:
    """Objectives in whole numbers, rising; what is measured, better and better; a tree of each."""

    cost: list[int]
    measure: list[int]
    trees: Callable[[list[int]], FlatTrees]

    def __len__(self) -> int:
        return len(self.cost)


@dataclass(frozen=True, eq=False)
class Near:
    """A tree whose measure is near a number: how far, and how far every tree is at least."""

    cost: int
    measure: int
    distance: int
    at_least: int
    tree: FlatTrees


class GraphSums:
    """Measures over the core's graph, by dynamic programming."""

    def __init__(self, engine: Engine, view: View, quantity: Quantity) -> None:
        self._engine, self.quantity = engine, quantity
        self._measured = engine.measured(view, quantity)

    def stairs(self, factors: NDArray[np.int64], largest: bool) -> Stairs:
        """Give the smallest, or largest, measure for every objective."""
        engine = self._engine
        sign = -1 if largest else 1
        with engine.caps("the second goal"):
            core = _core.rashomon.Goal(
                self._measured, factors * sign, engine.memory_limit, engine.seconds
            )
        front = core.front()

        def trees(positions: list[int]) -> FlatTrees:
            with engine.caps("the trees of a second goal"):
                flat = core.trees(np.array(positions, dtype=np.int64), engine.seconds)
            return FlatTrees(*flat)

        return Stairs((front.cost - engine.base).tolist(), (front.measure * sign).tolist(), trees)

    def nearest(self, factors: NDArray[np.int64], wanted: int, most: int) -> Near | None:
        """Give the tree nearest to a number, with so many measures per set of rows."""
        engine = self._engine
        with engine.caps("the nearest measure"):
            core = _core.rashomon.Nearest(
                self._measured, factors, wanted, most, engine.memory_limit, engine.seconds
            )
            if not core.found:
                return None
            tree = FlatTrees(*core.tree(engine.seconds))
        return Near(core.cost - engine.base, core.measure, core.distance, core.at_least, tree)


class ListSums:
    """Measures of a list of trees in order of objective, one by one."""

    def __init__(self, flat: FlatTrees, cost: NDArray[np.int64], quantity: Quantity) -> None:
        self._flat, self._cost, self.quantity = flat, cost, quantity

    def _measures(self, factors: NDArray[np.int64]) -> list[int]:
        return self.quantity.sums(self._flat, factors)

    def stairs(self, factors: NDArray[np.int64], largest: bool) -> Stairs:
        """Give the smallest, or largest, measure for every objective."""
        chosen: list[int] = []
        measures = self._measures(factors)
        for at, measure in enumerate(measures):  # in order of objective
            gain = measure - measures[chosen[-1]] if chosen else 0
            if not chosen or (gain > 0 if largest else gain < 0):
                chosen.append(at)
        cost = self._cost
        # Of several with one objective, the last is the best.
        ends = [
            at
            for i, at in enumerate(chosen)
            if i + 1 == len(chosen) or cost[chosen[i + 1]] != cost[at]
        ]

        def trees(positions: list[int]) -> FlatTrees:
            return self._flat[[ends[k] for k in positions]]

        return Stairs([int(cost[at]) for at in ends], [measures[at] for at in ends], trees)

    def nearest(self, factors: NDArray[np.int64], wanted: int, most: int) -> Near | None:
        """Give the tree nearest to a number."""
        measures = self._measures(factors)
        if not measures:
            return None
        best = min(range(len(measures)), key=lambda at: abs(measures[at] - wanted))
        distance = abs(measures[best] - wanted)
        tree = self._flat[[best]]
        return Near(int(self._cost[best]), measures[best], distance, distance, tree)


LeafSums = GraphSums | ListSums


def leaf_sums(source: Source, view: View, quantity: Quantity) -> LeafSums:
    """Measure the trees of a view."""
    if not isinstance(source, Engine):
        inside = source.counts(view).inside
        return ListSums(source.flat[inside], source.cost[inside], quantity)
    if not view.monotone:
        return GraphSums(source, view, quantity)
    # Such functions are listed anyway, and a measure is that of the function.
    functions = source.functions(view, source.problem.semantics(), LIMIT)
    cost = source.problem.cost(functions.errors, functions.leaves)
    return ListSums(functions.trees(np.arange(len(cost))), cost, quantity)
