"""What is measured over trees, in whole numbers: sums over leaves.

In:  rows that fall into parts, and what a part's weight counts by prediction.
Out: ``Quantity``: the entries that the core sums up, and one or two ``Form``s of them; a ``Form``
     is (constant + sum of factor x weight) / unit. Two forms are a ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from .flat import FlatTrees
from .problem import LARGEST

__all__ = ["Form", "Quantity", "as_number", "quantity_of"]

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
