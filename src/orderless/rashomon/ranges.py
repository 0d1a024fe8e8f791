"""Ranges of measures over all trees of a set, and their trade-offs with the objective.

In:  a set of trees, a ``Measure``.
Out: ``Range``; ``Front`` of ``FrontPoint``s. Nothing is listed.

What is measured is a sum over leaves, a ratio of two, or the squared error of shares; each has a
class with ``best`` (the smallest or largest value of all) and ``front`` (that of every objective).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..api import Tree
from ..errors import InvalidData
from ..inputs import some_names
from ..model import Label
from .engine import Engine
from .flat import FlatTrees, join
from .leaf_sums import Form, GraphSums, LeafSums, Quantity, Stairs, as_number, leaf_sums
from .listed import Listed, Source
from .measures import (
    Measure,
    MeasuredRows,
    measured_rows,
    quantity_on,
    read_measure,
    reads_leaf_shares,
)
from .view import View

if TYPE_CHECKING:
    import pandas as pd

    from .tree_set import TreeSet

__all__ = ["Front", "FrontPoint", "Range", "front_of", "range_of"]

GOALS = ("smallest", "largest")
MAX_BITS, MIN_BITS = 48, 16  # of the shares of leaves

Number = int | Fraction


def incomplete_note(complete: bool) -> str:
    """Tell that an answer is about a subset."""
    return "" if complete else ", of an incomplete set"


def short_number(number: Number) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{float(number):.4g}"


@dataclass(frozen=True, eq=False)
class Range:
    """The smallest and the largest measure over all trees of a set.

    Attributes
    ----------
    measure : str
    smallest, largest : int or Fraction
        Exact.
    smallest_tree, largest_tree : Tree
        A tree of the set for each; of several one with the smallest objective.
    tolerance : Fraction
        0, but for what is measured by the shares of leaves: no tree is below ``smallest``, or above
        ``largest``, by more than this.
    groups : tuple of two labels, or empty
        Of a difference: the value in the second group less that in the first.
    complete : bool
        Whether the set is the full one that was requested; else these are the bounds of a subset,
        and the full set reaches at least as far.
    """

    measure: str
    smallest: Number
    largest: Number
    smallest_tree: Tree
    largest_tree: Tree
    tolerance: Fraction = Fraction(0)
    groups: tuple[Label, ...] = ()
    complete: bool = True

    def __repr__(self) -> str:
        bounds = f"{short_number(self.smallest)} to {short_number(self.largest)}"
        return f"Range({self.measure}: {bounds}{incomplete_note(self.complete)})"


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A tree that no other beats in both the objective and a measure.

    Attributes
    ----------
    objective : Fraction
    value : int or Fraction
        Its measure.
    tree : Tree
    """

    objective: Fraction
    value: Number
    tree: Tree


class Front:
    """The exact trade-off between the objective and a measure: a sequence of points.

    From the smallest objective on; every further point costs more and measures better. No tree of
    the set has an objective as small as a point's and a better measure.

    Attributes
    ----------
    measure : str
    goal : "smallest" or "largest"
        Which is better.
    groups : tuple of two labels, or empty
    tolerance : Fraction
        0, but for what is measured by the shares of leaves: see ``Range``.
    complete : bool
        Whether the set is the full one that was requested.
    """

    def __init__(
        self,
        measure: str,
        goal: str,
        points: list[FrontPoint],
        groups: tuple[Label, ...] = (),
        tolerance: Fraction = Fraction(0),
        complete: bool = True,
    ) -> None:
        self.measure, self.goal, self.groups, self.tolerance = measure, goal, groups, tolerance
        self.complete = complete
        self._points = tuple(points)

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[FrontPoint]:
        return iter(self._points)

    def __getitem__(self, position: Any) -> Any:
        return self._points[position]

    def __repr__(self) -> str:
        bounds = " to ".join(
            f"{short_number(point.value)} at {float(point.objective):.4g}"
            for point in (self[0], self[-1])
        )
        points = f"{len(self)} point{'' if len(self) == 1 else 's'}"
        return f"Front({self.measure}, {points}: {bounds}{incomplete_note(self.complete)})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point: objective, the measure, leaves."""
        import pandas as pd

        rows = [
            [float(p.objective), p.value if isinstance(p.value, int) else float(p.value),
             p.tree.n_leaves]
            for p in self
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["objective", self.measure, "leaves"])

    def plot(self, ax: Any = None) -> Any:
        """Draw the trade-off; see ``orderless.output.plots``."""
        from ..output.plots import plot_front

        return plot_front(self, ax)


def range_of(trees: TreeSet, measure: Any) -> Range:
    """Find the smallest and the largest value; see ``TreeSet.range``."""
    measure = read_measure(measure)
    sums, rows = _measured(trees, measure)
    small, large = (sums.best(largest) for largest in (False, True))
    smallest_tree, largest_tree = trees._problem.trees(join([small.tree, large.tree]))
    return Range(
        measure.title,
        as_number(small.value),
        as_number(large.value),
        smallest_tree,
        largest_tree,
        tolerance=sums.tolerance,
        groups=rows.group_names,
        complete=trees.complete,
    )


def front_of(trees: TreeSet, measure: Any, goal: str | None) -> Front:
    """Find the trade-off with the objective; see ``TreeSet.pareto_front``."""
    measure = read_measure(measure)
    if goal is not None and goal not in GOALS:
        raise ValueError(f"goal must be one of {str(GOALS)[1:-1]}, got {goal!r:.80}")
    largest = measure.larger_is_better if goal is None else goal == "largest"
    sums, rows = _measured(trees, measure)
    problem = trees._problem
    points = [
        FrontPoint(problem.objective(step.cost), as_number(step.value), tree)
        for step in sums.front(largest)
        for tree in problem.trees(step.tree)
    ]
    return Front(
        measure.title, GOALS[largest], points, rows.group_names, sums.tolerance, trees.complete
    )


def _measured(
    trees: TreeSet, measure: Measure
) -> tuple[PlainSums | Ratios | LeafShares, MeasuredRows]:
    problem, source, view = trees._problem, trees._source, trees._view
    by_shares = reads_leaf_shares(measure, problem)
    rows = measured_rows(problem, measure)
    if by_shares:
        return LeafShares(source, view, measure.title, rows), rows
    sums = leaf_sums(source, view, quantity_on(measure, rows, source, view))
    return Ratios(sums) if len(sums.quantity.forms) == 2 else PlainSums(sums), rows


# -- how -------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """The best value for an objective (in the problem's whole numbers), and a tree that has it."""

    cost: int
    value: Fraction
    tree: FlatTrees


class PlainSums:
    """One sum over leaves."""

    tolerance = Fraction(0)

    def __init__(self, sums: LeafSums) -> None:
        self._sums = sums
        (self._form,) = sums.quantity.forms

    def best(self, largest: bool) -> Step:
        """Find the smallest or largest value."""
        stairs = self._sums.stairs(self._form.factors, largest)
        last = len(stairs) - 1
        return Step(stairs.cost[-1], self._form.value(stairs.measure[-1]), stairs.trees([last]))

    def front(self, largest: bool) -> list[Step]:
        """Find the best value for every objective, the smallest objective first."""
        stairs = self._sums.stairs(self._form.factors, largest)
        flat = stairs.trees(list(range(len(stairs))))
        return [
            Step(cost, self._form.value(value), flat[i : i + 1])
            for i, (cost, value) in enumerate(zip(stairs.cost, stairs.measure, strict=True))
        ]


class Ratios:
    """The largest and smallest ratio of two sums over leaves, by parametric search.

    For a ratio p / q of some tree, no tree has a larger one iff no tree makes q x numerator -
    p x denominator positive (Dinkelbach 1967): a sum over leaves. Each step takes the ratio of the
    tree that makes it largest; it ends after a few, and all numbers are whole. Where the
    denominator is 0 a tree has no ratio, and the product is 0: so the denominator decides between
    equal ones.
    """

    tolerance = Fraction(0)

    def __init__(self, sums: LeafSums) -> None:
        self._sums = sums
        self._quantity = sums.quantity
        above, below = self._quantity.forms
        # Both in one unit, so that constants can be compared.
        self._units = (below.unit, above.unit)
        self._constants = (above.constant * below.unit, below.constant * above.unit)
        self._below = sums.stairs(self._quantity.combined((0, self._units[1])), True)

    def best(self, largest: bool) -> Step:
        """Find the smallest or largest ratio; an error if no tree has one."""
        best = self._within(None, largest)
        if best is None:
            raise InvalidData(
                f"{self._quantity.name!r} divides by 0 for every tree of the set: no row is "
                "predicted, or labelled, so"
            )
        return best

    def front(self, largest: bool) -> list[Step]:
        """Find the best ratio for every objective, the smallest objective first."""
        points = [self.best(largest)]
        while (better := self._within(points[-1].cost - 1, largest)) is not None:
            points.append(better)
        return points[::-1]

    def _within(self, max_cost: int | None, largest: bool) -> Step | None:
        """Find the best ratio of the trees within an objective; None if none has a ratio."""
        ratio = self._start(max_cost)
        while ratio is not None:
            stairs, pairs = self._stairs(ratio, largest)
            last = max(
                i for i, cost in enumerate(stairs.cost) if max_cost is None or cost <= max_cost
            )
            if pairs[last][0] == 0:
                first = next(i for i, (excess, below) in enumerate(pairs) if not excess and below)
                return Step(stairs.cost[first], ratio, stairs.trees([first]))
            a, b = self._terms(stairs.trees([last]))
            ratio = Fraction(a, b)
        return None

    def _terms(self, tree: FlatTrees) -> tuple[int, int]:
        """Return the numerator and the denominator of a tree, in one unit."""
        (a,) = self._quantity.sums(tree, self._quantity.combined((self._units[0], 0)))
        (b,) = self._quantity.sums(tree, self._quantity.combined((0, self._units[1])))
        return a + self._constants[0], b + self._constants[1]

    def _start(self, max_cost: int | None) -> Fraction | None:
        """Return the ratio of some tree within an objective; None if none has one."""
        costs = self._below.cost
        within = [i for i, cost in enumerate(costs) if max_cost is None or cost <= max_cost]
        if not within:
            return None
        a, b = self._terms(self._below.trees([within[-1]]))
        return Fraction(a, b) if b > 0 else None

    def _stairs(self, ratio: Fraction, largest: bool) -> tuple[Stairs, list[tuple[int, int]]]:
        """Find, for every objective, the best q x numerator - p x denominator, and the latter."""
        p, q = ratio.numerator, ratio.denominator
        sign = 1 if largest else -1
        top = self._below.measure[-1] + self._constants[1] + 1  # above every denominator
        factors = self._quantity.combined(
            (top * q * self._units[0], (sign - top * p) * self._units[1])
        )
        stairs = self._sums.stairs(factors, largest)
        constant = top * q * self._constants[0] + (sign - top * p) * self._constants[1]
        pairs = []
        for measure in stairs.measure:
            excess, below = divmod(sign * (measure + constant), top)
            pairs.append((sign * excess, below))
        return stairs, pairs


class LeafShares:
    """Squared errors of the shares that leaves give.

    A leaf gives each class the share of its training rows that have it. The squared error of a row
    is the sum over classes of (1 if the row has the class, else 0, less the share)^2; of two
    classes the terms are equal, and it is one of them. Shares have as many denominators as leaves
    have weights, so that sums of them are not whole numbers of one unit: the search rounds each
    leaf down to a 2^-b-th, and what comes out is the exact value of its tree, and how far from it
    the bound can be.
    """

    def __init__(self, source: Source, view: View, name: str, rows: MeasuredRows) -> None:
        self._source, self._view, self.name, self._rows = source, view, name, rows
        self._problem = source.problem
        n_classes = len(self._problem.classes)
        self._scale = Fraction(1, rows.weight_scale * (2 if n_classes == 2 else 1))
        if name == "brier score":
            total = rows.total()
            if not total:
                raise InvalidData(f"{name!r} is a mean of rows that have no weight")
            self._scale /= total
        code = {label: i for i, label in enumerate(self._problem.classes)}
        for label in rows.labels:
            if label not in code:
                raise InvalidData(
                    f"y has the label {label!r}, of which leaves have no share: the set has the "
                    f"classes {some_names(self._problem.classes)}"
                )
        self._part = np.array([code[label] for label in rows.labels], dtype=np.int32)[rows.label]

    @property
    def _bits(self) -> int:
        """How fine leaves are measured, so that no sum passes 2^62, and no product 2^127."""
        measured = int(self._rows.weights.sum()).bit_length()
        trained = self._problem.total_weight.bit_length()
        bits = min(MAX_BITS, 60 - measured, 125 - measured - 2 * trained)
        if bits < MIN_BITS:
            raise InvalidData(
                f"{self.name!r} would need more than 128 bits: the weights have too many digits; "
                "round sample_weight"
            )
        return bits

    @property
    def tolerance(self) -> Fraction:
        """How far every bound can be from the one that is computed."""
        if isinstance(self._source, Listed):
            return Fraction(0)
        leaves = min(1 << self._problem.rules.max_depth, len(self._problem.weights))
        return leaves * self._scale / (1 << self._bits)

    def _quantity(self) -> Quantity:
        n_classes = len(self._problem.classes)
        factors = np.zeros((n_classes + 1, n_classes), dtype=np.int64)
        factors[-1] = 1
        labels = np.arange(n_classes, dtype=np.int32)
        rows = self._rows
        return Quantity(
            self.name, rows.bits, self._part, rows.weights, labels, (Form(factors, 0, 1),),
            self._bits,
        )  # fmt: skip

    def value(self, tree: FlatTrees) -> Fraction:
        """Return the exact value of one tree."""
        problem, rows = self._problem, self._rows
        n_classes = len(problem.classes)
        trained = _weights(tree, problem.bits, problem.y, problem.weights, n_classes)
        measured = _weights(tree, rows.bits, self._part, rows.weights, n_classes)
        total_error = Fraction(0)
        for leaf, weight in measured.items():
            counts = trained[leaf]
            n, total = sum(counts), sum(weight)
            squares = sum(count * count for count in counts)
            hits = sum(a * b for a, b in zip(weight, counts, strict=True))
            total_error += Fraction(total * (n * n + squares) - 2 * n * hits, n * n)
        return total_error * self._scale

    def front(self, largest: bool) -> list[Step]:
        """Find trees by rising objective, each better than those before."""
        source = self._source
        steps: list[Step] = []
        if isinstance(source, Engine):
            quantity = self._quantity()
            sums = GraphSums(source, self._view, quantity)
            stairs = sums.stairs(quantity.forms[0].factors, largest)
            costs, flat = stairs.cost, stairs.trees(list(range(len(stairs))))
        else:
            inside = source.counts(self._view).inside
            costs, flat = source.cost[inside].tolist(), source.flat[inside]
        for i, cost in enumerate(costs):
            value = self.value(flat[i : i + 1])
            last = steps[-1] if steps else None
            if last is not None and (value <= last.value if largest else value >= last.value):
                continue
            if last is not None and last.cost == cost:
                steps.pop()
            steps.append(Step(int(cost), value, flat[i : i + 1]))
        return steps

    def best(self, largest: bool) -> Step:
        """Find the smallest or largest value."""
        return self.front(largest)[-1]


def _weights(
    tree: FlatTrees,
    bits: NDArray[np.uint8],
    part: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_parts: int,
) -> dict[int, list[int]]:
    """Return, by leaf of one tree, the weight of each part that comes there."""
    out: dict[int, list[int]] = {}
    todo = [(0, np.arange(len(bits)))]
    while todo:
        node, at = todo.pop()
        column = int(tree.column[node])
        if column >= 0:
            one = bits[at, column] == 1
            todo += [(node + 1, at[one]), (int(tree.false_child[node]), at[~one])]
            continue
        sums = [0] * n_parts
        for p, weight in zip(part[at].tolist(), weights[at].tolist(), strict=True):
            sums[p] += weight
        out[node] = sums
    return out
