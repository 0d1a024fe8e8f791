"""What people decide by when they choose among functions: errors, certainty, cost, agreement.

In:  the functions of a set, rows, how values go missing, costs.
Out: ``Judged``: a number per function for every measure.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import cheapest_policy
from ..errors import InvalidData, InvalidParameter, named
from ..inputs import counted, is_frame, label_array, number_array, read_rows, rows_at
from ..model import Label, plain_label
from .flat import FlatTrees, distinct
from .functions import FunctionTable
from .known_cells import KnownCells, sums_by_kind
from .leaf_sums import Quantity
from .number_rows import numbers_of, target_of
from .problem import Problem

__all__ = ["BETTER", "Asked", "Judged"]

# Which way each measure is better; 0: neither. Of further ones ``Measure`` knows it.
BETTER = {
    "objective": -1, "error": -1, "loss": -1, "held_out_error": -1, "held_out_loss": -1,
    "sensitivity": 1, "specificity": 1, "leaves": -1, "n_features": -1, "questions": -1,
    "coverage": 1, "cost": -1, "agreement": 1, "overruled": -1, "n_trees": 0,
}  # fmt: skip

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Asked:
    """What a person asks about the functions.

    Attributes
    ----------
    X, y : rows and labels, optional
        On which the functions are judged; the training rows if there are none.
    missing : number, dict of feature -> number, or table with gaps
        How values go missing.
    costs : dict of feature -> cost, optional
    positive : label, optional
        The class that sensitivity is about; the last one by default.
    quantities : dict of name -> Quantity
        Further measures.
    gaps : set of str
        Those of them that are differences between groups.
    larger : set of str
        Those of them of which more is better.
    """

    X: Any = None
    y: Any = None
    missing: Any = 0.1
    costs: Any = None
    positive: Any = None
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    gaps: frozenset[str] = frozenset()
    larger: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Labelled:
    """Rows of 0/1 columns, their weights, and the places of their labels (numbers themselves)."""

    bits: Bits
    weight: Floats
    labels: Any

    @cached_property
    def kinds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first row of each kind of row, and the kind of each."""
        return distinct(self.bits)

    @cached_property
    def weights(self) -> Floats:
        """How much each kind of row weighs."""
        return sums_by_kind(self.kinds[1], self.weight, len(self.kinds[0]))

    def of_class(self, label: int) -> Floats:
        """Give the weight of the rows of one class, by kind of row."""
        first, which = self.kinds
        return sums_by_kind(which, self.weight * (self.labels == label), len(first))

    def said(self, trees: FlatTrees) -> Iterator[tuple[slice, NDArray[np.int32]]]:
        """Give, some trees at a time, what they say of each kind of row."""
        return trees.says_in_parts(self.bits[self.kinds[0]])


class Judged:
    """Functions of a set, and what is measured of them."""

    def __init__(
        self,
        table: FunctionTable,
        problem: Problem,
        asked: Asked,
        voters: NDArray[np.bool_] | None = None,
    ) -> None:
        self.table, self.problem, self.asked = table, problem, asked
        # With whom functions agree: all of them, or those that were drawn.
        self.voters = np.ones(len(table), dtype=bool) if voters is None else voters
        if asked.y is not None and asked.X is None:
            raise InvalidData("y was given without X: give the rows that these labels belong to")
        trained = _Labelled(problem.bits, problem.weights.astype(np.float64), problem.y)
        self.rows = self.truths = trained
        if asked.X is not None:
            bits = problem.columns.read_complete(asked.X)
            if not len(bits):
                raise InvalidData("X has no rows: give at least one")
            self.rows = _Labelled(bits, np.ones(len(bits)), self._read_labels(len(bits)))
            if asked.y is not None:
                self.truths = self.rows
        self._check_missing()

    def __len__(self) -> int:
        return len(self.table)

    @property
    def numbers(self) -> bool:
        """Whether the functions give numbers."""
        return self.problem.task == "regression"

    # -- what there is -------------------------------------------------------------------------

    @cached_property
    def measures(self) -> dict[str, Callable[[NDArray[np.intp]], Any]]:
        """What can be measured of some of the functions; the quick ones first."""
        table, problem = self.table, self.problem
        share = problem.unit // problem.error_cost
        out: dict[str, Callable[[NDArray[np.intp]], Any]] = {
            "objective": lambda at: table.cost[at] / table.unit,
            "loss" if self.numbers else "error": lambda at: table.errors[at] / share,
            "leaves": lambda at: table.leaves[at],
            "n_features": lambda at: self.features[at].sum(axis=1),
            "n_trees": self._n_trees,
        }
        if self.asked.y is not None:
            name = "held_out_loss" if self.numbers else "held_out_error"
            out[name] = self._held_out_loss if self.numbers else self._held_out_error
        if len(problem.classes) == 2 and not self.numbers:
            out["sensitivity"] = lambda at: self._rates(True)[at]
            out["specificity"] = lambda at: self._rates(False)[at]
        if not self.numbers:
            out["agreement"] = lambda at: self._votes[0][at]
            out["overruled"] = lambda at: self._votes[1][at]
        for name in self.asked.quantities:
            out[name] = partial(self._quantity, name)
        out["coverage"] = self._coverage
        if self.asked.X is not None:
            out["questions"] = self._questions
            if self.asked.costs is not None:
                out["cost"] = self._cost
        return out

    SLOW = ("coverage", "questions", "cost")

    def why_not(self, name: str) -> str:
        """Say what has to be given for a measure."""
        if name in ("held_out_error", "held_out_loss"):
            return "give rows that were held out: X and y"
        if name == "cost":
            return "give costs, and X, the rows that say how likely each answer is"
        if name == "questions":
            return "give X, the rows that say how likely each answer is"
        if name in ("sensitivity", "specificity"):
            return "it is about two classes"
        return "it is not there for this set"

    # -- of the trees --------------------------------------------------------------------------

    @cached_property
    def features(self) -> NDArray[np.bool_]:
        """Per function and feature of the space whether its cheapest tree asks about it."""
        columns = self.problem.columns
        uses = self.table.trees.uses(len(columns))
        out = np.zeros((len(self), len(columns.space.features)), dtype=bool)
        for i in np.unique(columns.feature).tolist():
            out[:, i] = uses[:, columns.feature == i].any(axis=1)
        return out

    def named_features(self, at: NDArray[np.intp]) -> list[str]:
        """Name the features of some functions, as one text each."""
        names = self.problem.columns.space.names
        return [", ".join(names[i] for i in np.flatnonzero(row)) for row in self.features[at]]

    def _n_trees(self, at: NDArray[np.intp]) -> Any:
        """Give how many trees functions have; NaN where that is not known."""
        n = self.table.n_trees[at]
        return n if n.all() else np.where(n, n.astype(np.float64), np.nan)

    # -- on rows -------------------------------------------------------------------------------

    def _read_labels(self, n_rows: int) -> Any:
        if self.asked.y is None:
            return None
        if self.numbers:
            return number_array(self.asked.y, n_rows)
        place = {label: i for i, label in enumerate(self.problem.classes)}
        labels = label_array(self.asked.y, n_rows)
        return np.array([place.get(plain_label(one), -1) for one in labels], dtype=np.int32)

    def _held_out_error(self, at: NDArray[np.intp]) -> Floats:
        right, n_rows = np.zeros(len(self)), len(self.truths.bits)
        weight = [self.truths.of_class(c) for c in range(len(self.problem.classes))]
        for part, labels in self.truths.said(self.table.trees):
            for c, own in enumerate(weight):
                right[part] += (labels == c) @ own
        return (n_rows - right[at]) / n_rows

    def _held_out_loss(self, at: NDArray[np.intp]) -> Floats:
        """Give the mean squared, or absolute, error."""
        target = target_of(self.problem)
        squared = target.loss == "squared"
        out = np.zeros(len(self))
        which = self.truths.kinds[1]
        for part, labels in self.truths.said(self.table.trees):
            for k, row in enumerate(numbers_of(target, labels).reshape(labels.shape), part.start):
                off = np.abs(row[which] - self.truths.labels)
                out[k] = np.mean(off * off if squared else off)
        return out[at]

    @cached_property
    def _positive(self) -> int:
        classes: tuple[Label, ...] = self.problem.classes
        if self.asked.positive is None:
            return len(classes) - 1
        if plain_label(self.asked.positive) not in classes:
            raise InvalidParameter(
                f"{named('positive')} must be one of {', '.join(map(repr, classes))}, got "
                f"{self.asked.positive!r:.80}",
                "positive",
            )
        return classes.index(plain_label(self.asked.positive))

    def _rates(self, positive: bool) -> Floats:
        """Give the share of the rows of one class that get it; NaN if there are none."""
        label = self._positive if positive else 1 - self._positive
        weight = self.truths.of_class(label)
        found = np.zeros(len(self))
        for part, labels in self.truths.said(self.table.trees):
            found[part] = (labels == label) @ weight
        with np.errstate(invalid="ignore"):
            rates: Floats = found / weight.sum()
        return rates

    @cached_property
    def _votes(self) -> tuple[Floats, Floats]:
        """Give the share of functions that agree, on average, and the share of rows overruled.

        A row overrules a function where more than half of all functions decide otherwise, all
        alike.
        """
        weight = self.rows.weights / self.rows.weight.sum()
        classes = range(len(self.problem.classes))
        votes = np.zeros((len(classes), len(weight)))
        for part, labels in self.rows.said(self.table.trees):
            for c in classes:
                votes[c] += (labels[self.voters[part]] == c).sum(axis=0)
        agreement, overruled = np.zeros(len(self)), np.zeros(len(self))
        n = int(self.voters.sum())
        ruled = 2 * votes > n
        for part, labels in self.rows.said(self.table.trees):
            for c in classes:
                own = labels == c
                agreement[part] += own @ (weight * votes[c])
                overruled[part] += own @ (weight * (np.delete(ruled, c, axis=0).any(axis=0)))
        # A voter is among those that agree with it, and is not one of the others.
        others = np.where(self.voters, n - 1, n)
        shares = np.where(others, (agreement - self.voters) / np.maximum(others, 1), 1.0)
        return np.clip(shares, 0, 1), overruled

    def _quantity(self, name: str, at: NDArray[np.intp]) -> Floats:
        """Return a further measure; NaN for a ratio that a function does not have."""
        quantity = self.asked.quantities[name]
        flat = self.table.trees[at]
        sums = [quantity.sums(flat, form.factors) for form in quantity.forms]
        values = [
            [form.value(one) for form, one in zip(quantity.forms, each, strict=True)]
            for each in zip(*sums, strict=True)
        ]
        return np.array(
            [float(v[0] / v[1]) if v[-1] else np.nan for v in values]
            if len(quantity.forms) == 2
            else [float(v[0]) for v in values]
        )

    def better(self, name: str) -> int:
        """Say which way a measure is better: -1 smaller, 1 larger, 0 neither."""
        return BETTER.get(name, 1 if name in self.asked.larger else -1)

    # -- with gaps -----------------------------------------------------------------------------

    def _check_missing(self) -> None:
        given = self.asked.missing
        if is_frame(given) or isinstance(given, list | np.ndarray):
            return
        chances = list(given.values()) if isinstance(given, Mapping) else [given]
        for chance in chances:
            number = isinstance(chance, int | float | np.number) and not isinstance(chance, bool)
            if not (number and 0 <= chance <= 1):
                raise ValueError(
                    "missing must be a probability from 0 to 1, a dict {feature: probability}, or "
                    f"a table with gaps, got {chance!r:.80}"
                )
        if isinstance(given, Mapping):
            for name in given:
                _ = self.problem.columns.space.index(name)  # says which features there are

    def _chances(self) -> Floats:
        """Give the probability that each feature is missing; 0 for those that are not named."""
        names = self.problem.columns.space.names
        given = self.asked.missing
        if isinstance(given, Mapping):
            return np.array([float(given.get(name, 0)) for name in names])
        return np.full(len(names), float(given))

    def _coverage(self, at: NDArray[np.intp]) -> Floats:
        """Give the share of rows that are answered for sure when values go missing."""
        given = self.asked.missing
        if is_frame(given) or isinstance(given, list | np.ndarray):
            return self._coverage_of_table(at, given)
        if not len(at):
            return np.zeros(0)
        uses = self.table.trees.uses(len(self.problem.columns))[at]
        out, chances = np.zeros(len(at)), self._chances()
        sets, which, counts = np.unique(uses, axis=0, return_inverse=True, return_counts=True)
        known: dict[tuple[int, ...], Bits] = {}
        groups = np.split(np.argsort(which.ravel(), kind="stable"), np.cumsum(counts)[:-1])
        for used, own in zip(sets, groups, strict=True):
            cells = KnownCells(self.problem.columns, np.flatnonzero(used).tolist(), known)
            labels = self.table.trees[at[own]].says(cells.bits)
            weight = cells.weights(self.rows.bits, self.rows.weight)
            out[own] = cells.certain(labels, chances) @ weight
        shares: Floats = np.round(out / self.rows.weight.sum(), 12)
        return shares

    def _coverage_of_table(self, at: NDArray[np.intp], gaps: Any) -> Floats:
        columns = self.problem.columns
        rows = read_rows(gaps, columns.space, np.unique(columns.feature).tolist())
        if not rows.n_rows:
            raise InvalidData("missing is a table without rows: give at least one")
        trees = self.problem.trees(self.table.trees[at])
        return np.array([float((tree.kernel.decide(rows) >= 0).mean()) for tree in trees])

    # -- asking --------------------------------------------------------------------------------

    def _questions(self, at: NDArray[np.intp]) -> Floats:
        names = self.problem.columns.space.names
        return self._expected(at, dict.fromkeys(names, 1), "questions")

    def _cost(self, at: NDArray[np.intp]) -> Floats:
        return self._expected(at, self.asked.costs, "cost")

    def _expected(self, at: NDArray[np.intp], costs: Any, what: str) -> Floats:
        """Give what an answer costs on average, with the cheapest policy of each function."""
        rows = rows_at(self.asked.X, self.rows.kinds[0])
        weight = self.rows.weights.astype(np.int64)
        out, unproven = np.zeros(len(at)), 0
        with counted(f"{what} of {len(at):,} functions", len(at)) as done:
            for k, tree in enumerate(self.problem.trees(self.table.trees[at])):
                policy = cheapest_policy(tree, rows, costs, sample_weight=weight)
                out[k] = policy.expected_cost
                unproven += not policy.optimal
                done()
        if unproven:
            warnings.warn(
                f"{what}: the policies of {unproven:,} of {len(at):,} functions are not proven to "
                "be the cheapest; what they cost is an upper bound",
                stacklevel=2,
            )
        return out
