"""One data set, of which near-optimal functions are wanted again and again.

In:  complete rows and labels, the rules of the set; then weights of the rows, sample by sample.
Out: ``Resampled``: the distinct rows, and a ``FunctionTable`` for each sample.
Paper: Section 5.2, which takes bootstrap samples.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .engine import Engine, View, check_limits
from .functions import FunctionSet, FunctionTable, Listing
from .problem import Problem, Rules
from .table import Table, read_table

__all__ = ["Resampled"]


class Resampled(Problem):
    """Distinct rows of 0/1 columns, whose near-optimal functions are found for any weights.

    Parameters
    ----------
    table : Table
    rules : Rules
        Of the sets.
    memory_limit : int
        Most bytes that a set, or a list of its functions, may take.
    """

    def __init__(self, table: Table, rules: Rules, memory_limit: int) -> None:
        super().__init__(table, np.ones(len(table.labels), dtype=np.int64), 1, rules)
        self._memory_limit = memory_limit

    @classmethod
    def read(
        cls, X: Any, y: Any, *, max_depth: Any, regularization: Any, epsilon: Any, space: Any,
        binarizer: Any, memory_limit: Any,
    ) -> Resampled:  # fmt: skip
        """Read rows and parameters as ``RashomonSet`` does."""
        rules = Rules.read(max_depth, regularization, epsilon)
        check_limits(memory_limit=memory_limit)
        return cls(read_table(X, y, space, binarizer), rules, int(memory_limit))

    @property
    def digest(self) -> str:
        """Digits that are the same for the same columns, meanings and labels only."""
        table, columns = self.table, self.columns
        out = hashlib.sha256()
        words = (columns.names, columns.space.names, self.classes, table.bits.shape)
        out.update(repr(words).encode())
        for array in (table.bits, table.labels, columns.feature, columns.threshold,
                      columns.one_is_true, columns.set_start, columns.set_values):  # fmt: skip
            out.update(np.ascontiguousarray(array).tobytes())
        return out.hexdigest()

    def functions(self, weight: NDArray[np.int64], semantics: str, limit: int) -> FunctionTable:
        """Give the near-optimal functions of a sample, of trees without trivial splits.

        Parameters
        ----------
        weight : array of int
            How often each distinct row is in the sample.
        semantics : "aware" or "independent"
            When two trees are one function.
        limit : int
            Most functions; more are an error.
        """
        there = weight > 0
        bits = np.ascontiguousarray(self.bits[there])
        table = replace(self.table, bits=bits, labels=self.y[there])
        problem = Problem(table, weight[there], 1, self.rules)
        engine = Engine(problem, self._memory_limit, None)
        view = View(self.rules.epsilon, engine.bound, trivial=False)
        return FunctionSet.of(Listing(engine, view, problem.semantics(semantics), limit)).table()
