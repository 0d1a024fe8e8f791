"""What every importance is given: complete rows over a tree's bins, labels, weights.

In:  a ``Tree``, X, y and sample weights as they come.
Out: ``Given``; and the way out: an array by feature, or a Series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..inputs import is_unknown, row_bins
from ..model import Bins, Tree

__all__ = ["Given", "by_name", "label_array"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Given:
    """Complete rows over the bins of a tree, with weights.

    Attributes
    ----------
    bins : Bins
    table : array of int
        Each row's bin of each feature of ``bins``; NaN, where it is a value, is the last.
    weight : array of int64 or float64
        By row; int64 where all are whole numbers.
    """

    bins: Bins
    table: NDArray[np.int32]
    weight: NDArray[Any]

    @classmethod
    def read(cls, tree: Tree, X: Any, sample_weight: ArrayLike | None) -> Given:
        """Read rows and weights, and refuse what is not complete."""
        bins = tree.bins
        table = row_bins(bins, X)
        if not len(table):
            raise InvalidData("there are no rows")
        return cls(bins, table, _weights(sample_weight, len(table)))

    @property
    def tree(self) -> Tree:
        """The tree over whose bins the rows are."""
        return self.bins.tree

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.table)

    def truth(self, node: int) -> tuple[int, Bools]:
        """Give the position in ``bins`` of a node's feature, and by bin whether it holds."""
        return int(self.bins.nodes.feature[node]), self.bins.holds(node)

    def holds(self, node: int, rows: NDArray[np.intp]) -> Bools:
        """Tell for which rows a node's condition holds."""
        k, truth = self.truth(node)
        return np.asarray(truth[self.table[rows, k]])


def label_array(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Give labels as an array; none may be unknown."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise InvalidData(f"y has shape {labels.shape}, there are {n_rows:,} rows")
    if labels.dtype.kind in "Of":
        unknown = (
            np.isnan(labels) if labels.dtype.kind == "f" else np.array([*map(is_unknown, labels)])
        )
        if unknown.any():
            raise InvalidData(f"row {int(np.argmax(unknown))} has no label: give labelled rows")
    return labels


def _weights(given: ArrayLike | None, n_rows: int) -> NDArray[Any]:
    if given is None:
        return np.ones(n_rows, dtype=np.int64)
    try:
        weight = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidData(f"sample_weight is {given!r:.80}: give one number per row") from None
    if weight.shape != (n_rows,):
        raise InvalidData(f"sample_weight has shape {weight.shape}, there are {n_rows:,} rows")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidData(
            f"sample_weight has {weight[row]} in row {row}: legal are finite numbers from 0"
        )
    if not weight.any():
        raise InvalidData("sample_weight is 0 in every row: give some row a weight")
    whole = (weight == np.floor(weight)).all() and weight.sum() < 2.0**53
    return weight.astype(np.int64) if whole else weight


def by_name(X: Any, names: tuple[str, ...], values: NDArray[np.float64]) -> Any:
    """Give an array, or a Series by name where a pandas data frame came in."""
    module = type(X).__module__.partition(".")[0]
    if module == "pandas":
        import pandas as pd

        return pd.Series(values, index=pd.Index(names, name="feature"), name="importance")
    return values
