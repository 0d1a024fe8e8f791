"""What every importance is given: complete rows over a tree's bins, and weights.

In:  a kernel, X and sample weights as they come.
Out: ``WeightedRows``, and what a sum of trees answers to such rows; and the way out: an array by
     feature, or a Series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData, Undecided
from ..inputs import float_weights, rows_for
from ..model import Bins, SumKernel, TreeKernel, row_bins

__all__ = ["WeightedRows", "by_name", "sum_answers"]

K = TypeVar("K", TreeKernel, SumKernel)


@dataclass(frozen=True, eq=False)
class WeightedRows(Generic[K]):
    """Complete rows over the bins of a model, with weights.

    Attributes
    ----------
    tree : TreeKernel or SumKernel
    bins : Bins
        Of the model.
    table : array of int
        Each row's bin of each feature of ``bins``; NaN, where it is a value, is the last.
    weight : array of int64 or float64
        By row; int64 where all are whole numbers.
    n_rows : int
    """

    tree: K
    bins: Bins
    table: NDArray[np.int32]
    weight: NDArray[Any]
    n_rows: int

    @classmethod
    def read(cls, tree: K, X: Any, sample_weight: ArrayLike | None) -> WeightedRows[K]:
        """Read rows and weights, and refuse what is not complete."""
        bins = tree.bins
        table = row_bins(bins, rows_for(bins.tree, X))
        if not len(table):
            raise InvalidData("X has no rows: give at least one")
        return cls(tree, bins, table, float_weights(sample_weight, len(table)), len(table))

    def holds(self, node: int, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell for which rows a node's condition holds."""
        k = self.bins.nodes.feature[node]
        return np.asarray(self.bins.holds(node)[self.table[rows, k]])


def sum_answers(kernel: SumKernel, cells: NDArray[np.int32]) -> NDArray[Any]:
    """Return what a sum of trees answers in cells: classes by position, or numbers."""
    summed = kernel.summed.evaluate(np.ascontiguousarray(cells, dtype=np.int32), 1)
    if kernel.task == "regression":
        return kernel.numbers_of(summed.sums)
    if (summed.label < 0).any():
        raise Undecided(
            "a row is so near to a boundary that the library's rounding decides it", "rounding"
        )
    return summed.label


def by_name(X: Any, names: tuple[str, ...], values: NDArray[np.float64]) -> Any:
    """Return an array, or a Series by name where a pandas data frame came in."""
    module = type(X).__module__.partition(".")[0]
    if module == "pandas":
        import pandas as pd

        return pd.Series(values, index=pd.Index(names, name="feature"), name="importance")
    return values
