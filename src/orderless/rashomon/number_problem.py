"""The problem whose near-optimal trees of numbers are wanted, in whole numbers.

In:  0/1 columns, numbers as targets, weights; regularization and epsilon.
Out: ``NumberProblem``, a ``Problem`` whose errors are losses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..api import Tree
from ..errors import InvalidData, setting
from ..inputs import exact
from ..model import Label, Task
from .flat import FlatTrees
from .problem import LARGEST, Problem, Rules, text_of, whole_weights
from .table import Table, read_number_table, read_table, refuse_table
from .target import LOSSES, Loss, Target, distinct_numbers, read_labels, read_numbers, rounded
from .thresholds import UNLIMITED, Clock, Cuts, read_cutting

__all__ = ["NumberProblem", "loss_of", "read_problem"]

SetLoss = Literal["errors", "squared", "absolute"]
SET_LOSSES = get_args(SetLoss)


def read_problem(
    given: Any, X: Any, y: Any, sample_weight: Any, rules: Rules, clock: Clock = UNLIMITED
) -> Problem:
    """Read rows, labels or numbers, and weights, as the parameters of a ``RashomonSet`` say."""
    refuse_table(type(given).__name__, X, y)
    cutting = read_cutting(given.thresholds)
    loss = read_loss(given.loss)
    if loss != "errors":
        values, which = distinct_numbers(y, X)
        weights, scale = whole_weights(sample_weight, len(which))
        target, labels = read_numbers(values, which, weights, loss, given.decimals)
        table = read_number_table(X, target, labels, given.space, cutting, weights, clock)
        return NumberProblem(_with_options(table, given.space, cutting), weights, scale, rules)
    if given.decimals is not None:
        raise ValueError(
            "decimals is for numbers (loss='squared' or 'absolute'), and must be None for "
            f"loss='errors', got {given.decimals!r:.80}"
        )
    classes, labels = read_labels(y, X)
    if sample_weight is None:
        table = read_table(X, classes, labels, given.space, cutting, clock=clock)
        return Problem(_with_options(table, given.space, cutting), None, 1, rules)
    weights, scale = whole_weights(sample_weight, len(labels))
    table = read_table(X, classes, labels, given.space, cutting, weights, clock)
    return Problem(_with_options(table, given.space, cutting), weights, scale, rules)


def _with_options(table: Table, space: Any, cutting: Any) -> Table:
    """Note the parameters that say how the columns were read, unless they are the defaults."""
    options = []
    if isinstance(cutting, Cuts) and cutting.where != "guess":
        options.append(f"thresholds={cutting.where!r}")
    if space is not None:
        options.append("space=space")
    return table._replace(options=tuple(options)) if options else table


def read_loss(loss: Any) -> SetLoss:
    """Read what is minimized: wrong rows of classes, or distances of numbers."""
    if not isinstance(loss, str) or loss not in SET_LOSSES:
        raise ValueError(
            "loss must be 'errors' (y holds classes), 'squared' or 'absolute' (y holds numbers), "
            f"got {loss!r:.80}"
        )
    return cast(SetLoss, loss)


def loss_of(given: Any) -> Loss:
    """Read by what a list of trees of numbers is judged."""
    loss: Any = "squared" if given is None else given
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {str(LOSSES)[1:-1]}, got {loss!r:.80}")
    return cast(Loss, loss)


class NumberProblem(Problem):
    r"""Rows with numbers, and what a unit of loss and a leaf cost.

    The objective of a tree is its loss / the loss of the best constant + regularization x leaves.
    A loss is the sum over rows of weight x the square of the distance, or the distance, between
    the row's number and the leaf's; both are decimals, so it is a whole number of ``per_loss``-ths.
    Where all rows have one number every loss is 0, and so is its part of the objective.

    Attributes
    ----------
    target : Target
        The rows' numbers and the leaves'.
    per_loss : Fraction
        How many of the core's whole numbers a loss of 1 is.
    constant_loss : int
        The loss of the best constant, in these whole numbers.
    """

    task: Task = "regression"
    error_name = "loss"

    def __init__(
        self, table: Table, amounts: NDArray[np.int64], weight_scale: int, rules: Rules
    ) -> None:
        self.target = cast(Target, table.target)
        self.per_loss = self.target.per_one * weight_scale
        self.constant_loss = self.target.constant_loss(table.labels, amounts)
        super().__init__(table, amounts, weight_scale, rules)

    def _set_costs(self, whole: int, offset: int = 0) -> int:
        target, y = self.target, self.table.labels
        if target.loss == "squared":  # as the core has it: squares around the middle are left out
            middle = (target.numbers.n - 1) // 2
            far = target.numbers.n - 1 - middle
            own = target.of_row(y) - middle
            offset = far * far * self.total_weight - int((own * own) @ self.amounts)
        most = super()._set_costs(max(1, self.constant_loss), offset)
        if most >= LARGEST:
            steps = math.ceil(math.log10(most / LARGEST) / (2 if target.loss == "squared" else 1))
            raise InvalidData(
                f"objectives in whole numbers would pass 2^62: regularization "
                f"{text_of(self.rules.regularization)}, epsilon {text_of(self.rules.epsilon)} and "
                f"{target.text} have too many digits together; give "
                f"{setting('decimals', target.decimals - max(1, steps))}, or round regularization "
                "or epsilon"
            )
        return most

    def graph(
        self, memory_limit: int, seconds: float, threads: int = 1, optimum: int | None = None
    ) -> _core.rashomon.Graph:
        """Let the core find all near-optimal trees."""
        table, target = self.table, self.target
        search = self.search(memory_limit, seconds, threads, optimum)
        if target.loss == "squared":
            y = table.labels.astype(np.int64)
            return _core.rashomon.Graph.of_means(
                table.bits, y, self.amounts, target.fine, target.largest, search
            )
        numbers = target.of_label(np.arange(len(target.numbers)))
        return _core.rashomon.Graph.of_medians(
            table.bits, table.labels, self.amounts, numbers, search
        )

    def _labels_of(self, graph: _core.rashomon.Graph) -> Sequence[float]:
        return [self.target.numbers[label] for label in graph.labels().tolist()]

    def errors_as_given(self, errors: int) -> int | Fraction:
        """Give a loss in the units of y (squared, for squared loss) and of the weights."""
        out = Fraction(int(errors)) / self.per_loss
        return out.numerator if out.denominator == 1 else out

    def errors_of(self, flat: FlatTrees) -> NDArray[np.int64]:
        """Give the losses of trees on the rows, one by one."""
        out = np.zeros(len(flat), dtype=np.int64)
        for part, labels in flat.says_in_parts(self.bits):
            out[part] = self.target.losses(labels, self.y) @ self.weights
        return out

    def objective_of(self, flat: FlatTrees, classes: tuple[Label, ...]) -> Fraction:
        """Give the objective of a tree whose labels are places among numbers of its own."""
        numbers = self.target.numbers
        steps = [rounded(exact(number), numbers.decimals) - numbers.low for number in classes]
        loss, power = 0, 2 if self.target.loss == "squared" else 1
        rows = zip(flat.says(self.bits)[0].tolist(), self.target.of_row(self.y).tolist(),
                   self.weights.tolist(), strict=True)  # fmt: skip
        for label, truth, weight in rows:  # in Python's integers: it may predict any number
            loss += weight * abs(steps[label] - truth) ** power
        return Fraction(self.error_cost * loss + self.leaf_cost * int(flat.n_leaves[0]), self.unit)

    def places_of(self, tree: Tree) -> NDArray[np.int32]:
        """Give the place among all numbers of each of a tree's own, and -1 after the last."""
        places = [self.target.numbers.find(number) for number in tree.classes]
        return np.array([-1 if place is None else place for place in (*places, None)], np.int32)

    def shown_errors(self, errors: NDArray[np.int64]) -> NDArray[Any]:
        """Give losses as people read them."""
        return errors / float(self.per_loss)
