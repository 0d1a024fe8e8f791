"""What sums of trees lose when values are handed to other rows.

In:  complete rows over the bins of a ``SumKernel``, with labels or numbers and weights.
Out: the loss added by feature, expected over all permutations, or by a few.

A feature's value is one of its bins, so that all permutations together hand each row each bin as
often as rows have it: one sum over the bins that occur, where a tree has one over its leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..inputs import class_codes, number_array
from ..model import Floats, SumKernel
from .number_loss import Loss
from .rows import WeightedRows, sum_answers

__all__ = ["sum_losses"]

Cells = NDArray[np.int32]
Losses = NDArray[Any]  # by row; whole numbers for classes
Sampled = tuple[int, np.random.Generator] | None  # how many permutations, and from where


def sum_losses(data: WeightedRows[SumKernel], y: ArrayLike, loss: Loss, sampled: Sampled) -> Floats:
    """Return the loss added by feature of the space.

    Cost: rows x bins that occur x trees, for each feature.
    """
    truth, lost = _losing(data, y, loss)
    out = np.zeros(len(data.tree.space))
    positions = data.bins.positions
    for k in sorted(range(len(positions)), key=positions.__getitem__):
        if sampled is None:
            out[positions[k]] = _expected(data, truth, lost, k)
        else:
            out[positions[k]] = _repeated(data, truth, lost, k, *sampled)
    return out


def _losing(
    data: WeightedRows[SumKernel], y: ArrayLike, loss: Loss
) -> tuple[NDArray[Any], Callable[[Cells, NDArray[Any]], Losses]]:
    """Return what is true of each row, and what is lost where cells should be such."""
    kernel = data.tree
    if kernel.task == "classification":
        codes = class_codes(kernel, y, data.n_rows, complete=True)
        return codes, lambda cells, truth: (sum_answers(kernel, cells) != truth).astype(np.int64)
    numbers = number_array(y, data.n_rows)
    if loss == "squared":
        return numbers, lambda cells, truth: np.square(sum_answers(kernel, cells) - truth)
    return numbers, lambda cells, truth: np.abs(sum_answers(kernel, cells) - truth)


def _expected(
    data: WeightedRows[SumKernel],
    truth: NDArray[Any],
    lost: Callable[[Cells, NDArray[Any]], Losses],
    k: int,
) -> float:
    """Return what permuting one feature adds, expected over all permutations."""
    bins, which = np.unique(data.table[:, k], return_inverse=True)
    total = _added(data.weight)
    parts = [-total * _added(data.weight * lost(data.table, truth))]
    for i, code in enumerate(bins.tolist()):
        cells = data.table.copy()
        cells[:, k] = code
        parts.append(
            _added(data.weight[which.ravel() == i]) * _added(data.weight * lost(cells, truth))
        )
    return float(sum(parts) / (total * total))


def _repeated(
    data: WeightedRows[SumKernel],
    truth: NDArray[Any],
    lost: Callable[[Cells, NDArray[Any]], Losses],
    k: int,
    n_repeats: int,
    random: np.random.Generator,
) -> float:
    """Return the same as a mean over some permutations; a row of weight w is w rows."""
    rows = np.repeat(np.arange(data.n_rows), data.weight)
    cells, answers = data.table[rows], truth[rows]
    losses = []
    for _ in range(n_repeats):
        permuted = cells.copy()
        permuted[:, k] = cells[random.permutation(len(rows)), k]
        losses.append(_added(lost(permuted, answers)) / len(rows))
    return float(fsum(losses) / n_repeats - _added(lost(cells, answers)) / len(rows))


def _added(values: NDArray[Any]) -> Any:
    """Add numbers up: whole ones as such, others so that the sum rounds once."""
    return sum(values.tolist()) if values.dtype.kind in "iuO" else fsum(values.tolist())
