"""Samples of one data set, whose near-optimal functions are wanted again and again.

In:  complete rows and labels, or numbers; the parameters of their Rashomon sets.
Out: ``Resampled``: draws, the ``Problem`` of each, and its near-optimal functions.
Paper: Section 5.2 takes samples.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .engine import Engine, check_limits
from .functions import FunctionSet, FunctionTable, Listing
from .number_problem import read_problem
from .problem import Problem, Rules
from .table import Table
from .view import View

__all__ = ["Resampled"]


@dataclass(frozen=True, eq=False)
class Resampled:
    """Distinct rows of 0/1 columns, whose near-optimal functions are found for any weights.

    Attributes
    ----------
    problem : Problem
        Of all rows, each once.
    memory_limit : int
        Most bytes that a set, or a list of its functions, may take.
    """

    problem: Problem
    memory_limit: int

    @classmethod
    def read(cls, given: Any, X: Any, y: Any) -> Resampled:
        """Read rows as ``RashomonSet`` does, with the parameters of an estimator."""
        rules = Rules.read(given.max_depth, given.regularization, given.epsilon)
        check_limits(memory_limit=given.memory_limit)
        return cls(read_problem(given, X, y, None, rules), given.memory_limit)

    def __getstate__(self) -> dict[str, Any]:
        # Workers need no order of rows: what they are sent does not grow with their number.
        problem = self.problem
        table = problem.table._replace(bits=problem.bits, labels=problem.y)
        merged = type(problem)(table, problem.weights, problem.weight_scale, problem.rules)
        merged.in_order = False
        return {"problem": merged, "memory_limit": self.memory_limit}

    @property
    def table(self) -> Table:
        """The rows as they came."""
        return self.problem.table

    @property
    def rules(self) -> Rules:
        """Of the sets."""
        return self.problem.rules

    @property
    def columns(self) -> Columns:
        """What the 0/1 columns mean."""
        return self.problem.columns

    @property
    def digest(self) -> str:
        """Digits that are the same for the same columns, meanings and labels only."""
        table, columns = self.table, self.columns
        out = hashlib.sha256()
        target = table.target
        classes: Any = self.problem.classes
        if target is not None:
            numbers = target.numbers
            chosen = () if numbers.chosen is None else tuple(numbers.chosen.tolist())
            classes = (target.loss, numbers.decimals, numbers.low, numbers.n, target.fine, chosen)
        words = (columns.names, columns.space.names, classes, table.bits.shape)
        out.update(repr(words).encode())
        for array in (table.bits, table.labels, columns.feature, columns.threshold,
                      columns.one_is_true, columns.set_start, columns.set_values):  # fmt: skip
            out.update(np.ascontiguousarray(array).tobytes())
        return out.hexdigest()

    def draw(self, random: np.random.Generator) -> NDArray[np.int64]:
        """Draw as many rows as there are, with replacement: how often each distinct row comes."""
        weights = self.problem.weights
        rows = np.repeat(np.arange(len(weights)), weights)
        drawn = rows[random.integers(0, len(rows), size=len(rows))]
        return np.bincount(drawn, minlength=len(weights)).astype(np.int64)

    def sample(self, weight: NDArray[np.int64]) -> Problem:
        """Give the problem of a sample, by how often each distinct row is in it."""
        problem, there = self.problem, weight > 0
        bits = np.ascontiguousarray(problem.bits[there])
        table = problem.table._replace(bits=bits, labels=problem.y[there])
        return type(problem)(table, weight[there], 1, problem.rules)

    def functions(self, sample: Problem, semantics: str, limit: int) -> FunctionTable:
        """Give the near-optimal functions of a sample, of trees without trivial splits.

        ``semantics`` ("aware" or "independent") says when two trees are one function; more than
        ``limit`` are an error.
        """
        engine = Engine(sample, self.memory_limit, None)
        view = View(engine.bound, trivial=False)
        return FunctionSet.of(Listing(engine, view, sample.semantics(semantics), limit)).table()
