"""The problem whose near-optimal trees are wanted, in whole numbers.

In:  0/1 columns, labels, weights; regularization and epsilon as people write them.
Out: ``Problem``: merged rows, and every objective as an integer of one unit, so that a tree that
     lies exactly on the bound is in for sure.
Paper: Section 4; docs/decisions/0008 says why integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import exact, shown
from ..model import Label
from .flat import FlatTrees, distinct
from .meaning import Meaning

__all__ = ["Problem", "decimal", "merge", "share", "whole_weights"]

MOST_BITS = 4096  # of the common denominator of weights; more is refused before it is computed
LARGEST = 2**62  # objectives stay below, so that sums of two fit the core's integers
MOST_DEPTH = 20

Kind = Literal["additive", "relative"]


@dataclass(frozen=True, eq=False)
class Problem:
    r"""Rows, labels and weights, and what an error and a leaf cost.

    The objective of a tree is its share of weight that it gets wrong + regularization x leaves. In
    ``unit``-ths it is the whole number ``error_cost`` x wrong weight + ``leaf_cost`` x leaves.

    Attributes
    ----------
    table : array of 0/1, rows by columns
    labels : array of int
        Position of each row's class.
    amounts : array of int
        Weight of each row, in ``1 / weight_scale``-ths.
    weight_scale : int
    classes : tuple of labels
    meaning : Meaning
        What the columns mean.
    aware : bool
        Whether the meaning relates columns to each other, or every column stands alone.
    max_depth : int
    regularization, epsilon : Fraction
    kind : "additive" or "relative"

    ``bits``, ``y`` and ``weights`` are the same rows, equal ones of one class put together and
    those without weight left out.
    """

    table: NDArray[np.uint8]
    labels: NDArray[np.int32]
    amounts: NDArray[np.int64]
    weight_scale: int
    classes: tuple[Label, ...]
    meaning: Meaning
    aware: bool
    max_depth: int
    regularization: Fraction
    epsilon: Fraction
    kind: Kind

    def __post_init__(self) -> None:
        most = self.error_cost * self.total_weight + self.leaf_cost * 2**self.max_depth
        most += share(self.epsilon, self.unit if self.kind == "additive" else most)
        if most >= LARGEST:
            raise InvalidData(
                f"objectives in whole numbers would pass 2^62: a total weight of "
                f"{self.total_weight:,} units, regularization {_text(self.regularization)} and "
                f"epsilon {_text(self.epsilon)} have too many digits together; round "
                "regularization, epsilon or sample_weight, such as np.round(sample_weight, 3), or "
                "take a smaller epsilon"
            )

    @cached_property
    def _merged(self) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
        return merge(self.table, self.labels, self.amounts)

    @property
    def bits(self) -> NDArray[np.uint8]:
        """The distinct rows."""
        return self._merged[0]

    @property
    def y(self) -> NDArray[np.int32]:
        """The position of each one's class."""
        return self._merged[1]

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of each one."""
        return self._merged[2]

    def __getstate__(self) -> dict[str, Any]:
        own = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        return {**own, **dict(zip(("table", "labels", "amounts"), self._merged, strict=True))}

    @cached_property
    def total_weight(self) -> int:
        """Of all rows, in ``1 / weight_scale``-ths."""
        return int(self.amounts.sum())

    @cached_property
    def _costs(self) -> tuple[int, int]:
        error = self.regularization.denominator
        leaf = self.regularization.numerator * self.total_weight
        common = math.gcd(error, leaf)
        return error // common, leaf // common

    @property
    def error_cost(self) -> int:
        """What a unit of wrong weight costs."""
        return self._costs[0]

    @property
    def leaf_cost(self) -> int:
        """What a leaf costs."""
        return self._costs[1]

    @property
    def unit(self) -> int:
        """How many of these whole numbers an objective of 1 is."""
        return self.error_cost * self.total_weight

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """The features of which no column divides the rows."""
        return self.meaning.left_out(self.bits)

    def cost(self, errors: Any, leaves: Any) -> Any:
        """Give objectives in whole numbers (arrays too)."""
        return errors * self.error_cost + leaves * self.leaf_cost

    def objective(self, cost: int) -> Fraction:
        """Give an objective that is written as a whole number."""
        return Fraction(int(cost), self.unit)

    def bound_of(self, optimum: int, epsilon: Fraction) -> int:
        """Give the largest whole number that is within epsilon of an optimum."""
        return optimum + share(epsilon, self.unit if self.kind == "additive" else optimum)

    def exact_bound(self, optimum: int, epsilon: Fraction) -> Fraction:
        """Give the bound itself, which need not be any tree's objective."""
        best = self.objective(optimum)
        return best + epsilon if self.kind == "additive" else best * (1 + epsilon)

    def errors_as_given(self, errors: int) -> int | Fraction:
        """Give wrong weight as it came in: rows, or the sum of their weights."""
        out = Fraction(int(errors), self.weight_scale)
        return out.numerator if out.denominator == 1 else out

    def errors_of(self, flat: FlatTrees) -> NDArray[np.int64]:
        """Evaluate trees on the rows, one by one."""
        out = np.zeros(len(flat), dtype=np.int64)
        for part, said in flat.says_in_parts(self.bits):
            out[part] = (said != self.y) @ self.weights
        return out


def _text(number: Fraction) -> str:
    return f"{float(number):.17g}"


def share(part: Fraction, whole: int) -> int:
    """Give so large a part of a whole number, rounded down."""
    return part.numerator * whole // part.denominator


def decimal(given: Any, name: str) -> Fraction:
    """Read a number as the decimal that a person wrote: 0.01 is 1/100."""
    reason = ""
    try:
        number = exact(given)
    except TypeError:
        number = Fraction(-1)
    except ValueError as fault:
        number, reason = Fraction(-1), f" ({fault})"
    if number < 0:
        raise ValueError(
            f"{name} must be a number from 0 on, such as 0.01 or Fraction(1, 100), got "
            f"{shown(given)}{reason}"
        )
    return number


def whole_weights(given: Any, n_rows: int) -> tuple[NDArray[np.int64], int]:
    """Turn weights, read as decimals, into whole numbers; give them and their denominator."""
    if given is None:
        return np.ones(n_rows, dtype=np.int64), 1
    weights = np.asarray(given)
    if weights.shape != (n_rows,):
        raise InvalidData(
            f"sample_weight has shape {weights.shape}, expected ({n_rows},): one number per row"
        )
    if weights.dtype.kind not in "biufO":
        raise InvalidData(f"sample_weight holds numbers from 0 on, got {weights.dtype}")
    fractions = [_weight(value, i) for i, value in enumerate(weights.tolist())]
    scale = 1
    for weight in fractions:
        scale = math.lcm(scale, weight.denominator)
        if scale.bit_length() > MOST_BITS:
            raise _too_many_digits("their common denominator")
    whole = [int(weight * scale) for weight in fractions]
    total = sum(whole)
    if total == 0:
        raise InvalidData("sample_weight is 0 for every row: give some row a positive weight")
    if total >= LARGEST:
        raise _too_many_digits("their sum in whole numbers")
    common = math.gcd(scale, *whole)
    return np.array(whole, dtype=np.int64) // common, scale // common


def _too_many_digits(what: str) -> InvalidData:
    return InvalidData(
        f"sample_weight has too many digits: {what} would pass 2^62; round the weights, for "
        "example np.round(sample_weight, 3)"
    )


def _weight(value: Any, row: int) -> Fraction:
    try:
        return decimal(value, "sample_weight")
    except ValueError:
        raise InvalidData(
            f"sample_weight has {shown(value)} in row {row}: weights must be finite numbers from 0 "
            "on"
        ) from None


def merge(
    bits: NDArray[np.uint8], y: NDArray[np.int32], weights: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
    """Put equal rows of one class together, and leave out those without weight."""
    there = weights > 0
    bits, y, weights = bits[there], y[there], weights[there]
    _, kind = distinct(bits)
    _, first, which = np.unique(
        kind * (int(y.max()) + 1) + y, return_index=True, return_inverse=True
    )
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, which.ravel(), weights)
    return np.ascontiguousarray(bits[first]), y[first].astype(np.int32), total
