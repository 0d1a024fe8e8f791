"""The problem whose near-optimal trees are wanted, in whole numbers.

In:  0/1 columns, labels, weights; regularization and epsilon as people write them.
Out: ``Problem``: every objective is an integer of one unit, so that a tree that lies exactly on the
     bound is in for sure; ``Rules``, what a set is made by.
Paper: Section 4; docs/decisions/0008 says why integers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..api import Tree, wrap
from ..errors import InvalidData
from ..form import fingerprint_points
from ..inputs import exact, exact_weights, shown
from ..model import Label, Task
from .columns import Columns, CoreMeasure, independent
from .flat import FlatTrees, distinct, merge
from .table import Table
from .thresholds import WHOLE

__all__ = [
    "LARGEST",
    "MOST_DEPTH",
    "MOST_LAST",
    "Problem",
    "Rules",
    "decimal",
    "share",
    "text_of",
    "whole_weights",
]

MOST_BITS = 4096  # of the common denominator of weights; more is refused before it is computed
LARGEST = 2**62  # objectives stay below, so that sums of two fit the core's integers
MOST_DEPTH = 20
WALK_FROM = 2048  # columns in chains from which on the sides of cuts grow row by row
MOST_LAST = 2**25  # last splits that are written down; where there are more, none is
SEMANTICS = ("aware", "independent", "rows")

Kind = Literal["additive", "relative"]
KINDS = ("additive", "relative")


@dataclass(frozen=True)
class Rules:
    """Which trees are in a set.

    Attributes
    ----------
    max_depth : int
        Most conditions on a path.
    regularization : Fraction
        What a leaf costs.
    epsilon : Fraction
        How far from the smallest objective trees may be.
    kind : "additive" or "relative"
        Whether the bound is the smallest objective + epsilon, or times (1 + epsilon).
    """

    max_depth: int
    regularization: Fraction
    epsilon: Fraction
    kind: Kind = "additive"

    @classmethod
    def read(
        cls, max_depth: Any, regularization: Any, epsilon: Any, relative: Any = False
    ) -> Rules:
        """Read parameters as people write them."""
        whole = isinstance(max_depth, WHOLE) and not isinstance(max_depth, bool)
        if not (whole and 0 <= max_depth <= MOST_DEPTH):
            raise ValueError(
                f"max_depth must be a whole number from 0 to {MOST_DEPTH}, got {max_depth!r:.80}"
            )
        if not isinstance(relative, bool | np.bool_):
            raise ValueError(f"relative must be True or False, got {relative!r:.80}")
        return cls(
            int(max_depth),
            decimal(regularization, "regularization"),
            decimal(epsilon, "epsilon"),
            "relative" if relative else "additive",
        )


class Problem:
    r"""Rows, labels and weights, and what an error and a leaf cost.

    The objective of a tree is its share of weight that it gets wrong + regularization x leaves. In
    ``unit``-ths it is the whole number ``error_cost`` x wrong weight + ``leaf_cost`` x leaves.

    Attributes
    ----------
    table : Table
        The rows with their labels, and what the columns mean.
    amounts : array of int
        Weight of each row, in ``1 / weight_scale``-ths. Made when it is asked for where None is
        given: every row weighs 1.
    weight_scale : int
    rules : Rules
    classes : tuple of labels
        Sorted.
    columns : Columns
        What the 0/1 columns mean.
    total_weight : int
        Of all rows, in ``1 / weight_scale``-ths.
    error_cost, leaf_cost : int
        What a unit of wrong weight costs, and what a leaf costs.
    unit : int
        How many of these whole numbers an objective of 1 is.
    offset : int
        What the core adds to the errors of every tree.
    task : "classification" or "regression"

    ``bits``, ``y`` and ``weights`` are the same rows, equal ones of one class put together and
    those without weight left out.
    """

    task: Task = "classification"
    error_name = "errors"
    in_order = True  # whether the table's rows are those that came in, one by one

    def __init__(
        self, table: Table, amounts: NDArray[np.int64] | None, weight_scale: int, rules: Rules
    ) -> None:
        self.table, self.rules = table, rules
        self._amounts, self.weight_scale = amounts, weight_scale
        self.classes: Any = table.classes
        self.columns = table.columns
        self.total_weight = len(table.labels) if amounts is None else int(amounts.sum())
        if self._set_costs(self.total_weight) >= LARGEST:
            raise InvalidData(
                f"objectives in whole numbers would pass 2^62: a total weight of "
                f"{self.total_weight:,} units, regularization {text_of(rules.regularization)} and "
                f"epsilon {text_of(rules.epsilon)} have too many digits together; round "
                "regularization, epsilon or sample_weight, such as np.round(sample_weight, 3), or "
                "take a smaller epsilon"
            )

    def _set_costs(self, whole: int, offset: int = 0) -> int:
        """Set what errors and leaves cost where ``whole`` errors are 1; give the largest cost.

        ``offset`` is what the core adds to the errors of every tree.
        """
        rules = self.rules
        error = rules.regularization.denominator
        leaf = rules.regularization.numerator * whole
        common = math.gcd(error, leaf)
        self.error_cost, self.leaf_cost = error // common, leaf // common
        self.unit, self.offset = self.error_cost * whole, offset
        most = self.unit + self.leaf_cost * 2**rules.max_depth
        most += share(rules.epsilon, self.unit if rules.kind == "additive" else most)
        return int(most + self.error_cost * offset)

    @property
    def amounts(self) -> NDArray[np.int64]:
        """The weight of each row of the table."""
        if self._amounts is None:
            self._amounts = np.ones(len(self.table.labels), dtype=np.int64)
        return self._amounts

    @cached_property
    def _merged(self) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
        return merge(self.table.bits, self.table.labels, self.amounts)

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
        # Equal rows are written once, with which of them each row is.
        first, which = distinct(self.table.bits)
        state = {**self.__dict__, "table": self.table._replace(bits=self.table.bits[first])}
        state.pop("_merged", None)
        return {**state, "_which": which.astype(np.int32)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        which = state.pop("_which")
        self.__dict__.update(state)
        self.table = self.table._replace(bits=self.table.bits[which])

    # -- what is one function ------------------------------------------------------------------

    def semantics(self, given: str | None = None) -> str:
        """Read when two trees are one function; by default as the set reads its columns."""
        own = "aware" if self.table.aware else "independent"
        if given is None:
            return own
        if given not in SEMANTICS:
            raise ValueError(
                f"semantics must be one of {', '.join(map(repr, SEMANTICS))}, got {given!r:.80}"
            )
        # Columns that stand alone are the features.
        return own if given == "aware" else given

    def columns_in(self, semantics: str) -> Columns | None:
        """Give the columns as functions read them; None where only the training rows count."""
        if semantics == "rows":
            return None
        if semantics == "independent" and self.table.aware:
            return independent(self.columns.names)
        return self.columns

    def points(self, flat: FlatTrees, semantics: str) -> NDArray[np.uint64]:
        """Give two numbers per tree that are equal for equal functions."""
        columns = self.columns_in(semantics)
        if columns is None:
            digests = []
            for _, rows in flat.says_in_parts(self.bits):
                digests += [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
            return np.frombuffer(b"".join(digests), dtype=np.uint64).reshape(-1, 2)
        trees = list(columns.trees(flat, self.classes))
        return fingerprint_points(trees) if trees else np.zeros((0, 2), dtype=np.uint64)

    def fingerprint_weights(
        self, semantics: str, graph: _core.rashomon.Graph
    ) -> CoreMeasure | None:
        """Give what the core tells functions apart by; None: by the training rows alone."""
        columns = self.columns_in(semantics)
        return None if columns is None else columns.weights(self._labels_of(graph))

    def _labels_of(self, graph: _core.rashomon.Graph) -> Sequence[Label]:
        """Give what leaves can say, in the order in which the core knows it."""
        labels: Sequence[Label] = self.classes
        return labels

    def search(
        self, memory_limit: int, seconds: float, threads: int = 1, optimum: int | None = None
    ) -> _core.rashomon.Search:
        """Say what the core is to look for; with its own number of the optimum, if it is known."""
        rules, reach = self.rules, self.rules.epsilon
        if rules.kind == "relative":
            epsilon = _core.rashomon.Epsilon(reach.numerator, reach.denominator, True, self.base)
        else:
            epsilon = _core.rashomon.Epsilon(share(reach, self.unit), 1, False, self.base)
        return _core.rashomon.Search(  # by position, which is quicker
            rules.max_depth, self.error_cost, self.leaf_cost, epsilon, memory_limit, seconds,
            threads, optimum, WALK_FROM, MOST_LAST,
        )  # fmt: skip

    def graph(
        self, memory_limit: int, seconds: float, threads: int = 1, optimum: int | None = None
    ) -> _core.rashomon.Graph:
        """Let the core find all near-optimal trees."""
        table, search = self.table, self.search(memory_limit, seconds, threads, optimum)
        return _core.rashomon.Graph(
            table.bits, table.labels, self._amounts, len(table.classes), search
        )

    # -- objectives ----------------------------------------------------------------------------

    @property
    def base(self) -> int:
        """What the core adds to the objective of every tree."""
        return self.error_cost * self.offset

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """The features of which no column divides the rows."""
        return self.columns.left_out(self.bits)

    def cost(self, errors: NDArray[Any], leaves: NDArray[Any]) -> NDArray[np.int64]:
        """Give objectives in whole numbers."""
        return errors * self.error_cost + leaves.astype(np.int64) * self.leaf_cost

    def objective(self, cost: int) -> Fraction:
        """Give an objective that is written as a whole number."""
        return Fraction(int(cost), self.unit)

    def objective_of(self, flat: FlatTrees, classes: tuple[Label, ...]) -> Fraction:
        """Give the objective of a tree whose labels are places among classes of its own."""
        place = {label: i for i, label in enumerate(self.classes)}
        own = np.array([place.get(label, -1) for label in classes])  # -1: always wrong
        errors = np.array([int(self.weights[own[flat.says(self.bits)[0]] != self.y].sum())])
        return self.objective(int(self.cost(errors, flat.n_leaves)[0]))

    def bound_of(self, optimum: int, epsilon: Fraction) -> int:
        """Give the largest whole number that is within epsilon of an optimum."""
        return optimum + share(epsilon, self.unit if self.rules.kind == "additive" else optimum)

    def exact_bound(self, optimum: int, epsilon: Fraction) -> Fraction:
        """Give the bound itself, which need not be any tree's objective."""
        best = self.objective(optimum)
        return best + epsilon if self.rules.kind == "additive" else best * (1 + epsilon)

    def errors_as_given(self, errors: int) -> int | Fraction:
        """Give wrong weight as it came in: rows, or the sum of their weights."""
        out = Fraction(int(errors), self.weight_scale)
        return out.numerator if out.denominator == 1 else out

    def shown_errors(self, errors: NDArray[np.int64]) -> NDArray[Any]:
        """Give wrong weight as people read it."""
        return errors if self.weight_scale == 1 else errors / self.weight_scale

    # -- trees ---------------------------------------------------------------------------------

    def errors_of(self, flat: FlatTrees) -> NDArray[np.int64]:
        """Evaluate trees on the rows, one by one."""
        return flat.errors(self.bits, self.y, self.weights)

    def places_of(self, tree: Tree) -> NDArray[np.int32]:
        """Give the place among all classes of each of a tree's own, and -1 after the last."""
        return np.append(np.arange(len(tree.classes), dtype=np.int32), np.int32(-1))

    def trees(self, flat: FlatTrees) -> Iterator[Tree]:
        """Make ``Tree``s over the features."""
        yield from map(wrap, self.columns.trees(flat, self.classes))


def text_of(number: Fraction) -> str:
    """Write a parameter as a person would."""
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
    if number.numerator < 0:
        raise ValueError(
            f"{name} must be a number from 0 on, such as 0.01 or Fraction(1, 100), got "
            f"{shown(given)}{reason}"
        )
    return number


def whole_weights(sample_weight: Any, n_rows: int) -> tuple[NDArray[np.int64], int]:
    """Turn weights, read as decimals, into whole numbers; give them and their denominator."""
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int64), 1
    weights = exact_weights(sample_weight, n_rows)
    scale = 1
    for weight in weights:
        scale = math.lcm(scale, weight.denominator)
        if scale.bit_length() > MOST_BITS:
            raise _too_many_digits("their common denominator")
    whole = [int(weight * scale) for weight in weights]
    if sum(whole) >= LARGEST:
        raise _too_many_digits("their sum in whole numbers")
    common = math.gcd(scale, *whole)
    return np.array(whole, dtype=np.int64) // common, scale // common


def _too_many_digits(what: str) -> InvalidData:
    return InvalidData(
        f"sample_weight has too many digits: {what} would pass 2^62; round the weights, for "
        "example np.round(sample_weight, 3)"
    )
