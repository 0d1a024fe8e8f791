"""What trees of numbers lose when values are handed to other rows: squared or absolute errors.

In:  a flat tree over 0/1 columns, or strata of rows; the numbers of its leaves, and of the rows.
Out: the expected loss over all permutations less the loss now, exactly: floats are whole numbers of
     a common unit, sums are Python's integers, and the last division is the only rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import SumKernel, TreeKernel
from ..rashomon import FlatTrees

__all__ = ["Loss", "check_loss", "expected_losses", "repeated_losses", "strata_loss"]

Loss = Literal["squared", "absolute"]
LOSSES = ("squared", "absolute")

Bits = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.object_]  # Python's, of any size


def check_loss(tree: TreeKernel | SumKernel, loss: object) -> Loss:
    """Return the loss, by default "squared"; refuse what is none, and any for a tree of classes."""
    if tree.task != "regression":
        if loss is not None:
            raise ValueError(
                f"loss is for models of numbers, and this model says classes, got {loss!r:.80}: "
                "leave it out, then wrong rows are counted"
            )
        return "squared"
    if loss is not None and loss not in LOSSES:
        raise ValueError(f"loss must be 'squared' or 'absolute', got {loss!r:.80}")
    return cast("Loss", loss or "squared")


def expected_losses(
    tree: FlatTrees, cells: Bits, group: NDArray[np.int32], n_groups: int,
    numbers: Floats, y: Floats, weight: NDArray[Any], loss: Loss,
) -> Floats:  # fmt: skip
    """Give, by group, the loss added by permuting it, expected over all permutations.

    Parameters
    ----------
    tree : FlatTrees
        One tree; its labels are positions in ``numbers``, which rise.
    cells : array of uint8, rows x columns
    group : array of int32
        By column the group with which it is permuted.
    y, weight : arrays
        By row.

    Notes
    -----
    Rows that the tree cannot tell apart are put together. Cost: rows, plus leaves x groups on the
    path x distinct rows.
    """
    sums = _Sums(cells, numbers, y, weight, loss)
    excess = [0] * n_groups
    for path, label in _leaves(tree):
        own = np.ones(len(sums.cells), dtype=bool)
        fits: dict[int, NDArray[np.bool_]] = {}
        for column, value in path:
            holds = sums.cells[:, column] == value
            own &= holds
            at = int(group[column])
            fits[at] = fits[at] & holds if at in fits else holds
        now = sums.total * sums.loss(own, label)
        for at, inside in fits.items():
            others = np.ones(len(sums.cells), dtype=bool)
            for column, value in path:
                if group[column] != at:
                    others &= sums.cells[:, column] == value
            excess[at] += int(sums.weight[inside].sum()) * sums.loss(others, label) - now
    square = sums.total * sums.total * sums.unit
    return np.array([_quotient(value, square) for value in excess], dtype=np.float64)


def repeated_losses(
    tree: FlatTrees, cells: Bits, group: NDArray[np.int32], n_groups: int,
    numbers: Floats, y: Floats, weight: NDArray[np.int64], loss: Loss,
    *, n_repeats: int, random: np.random.Generator,
) -> Floats:  # fmt: skip
    """Return the same as a mean over some permutations."""
    rows = np.repeat(np.arange(len(y)), weight)
    each, truth = cells[rows], y[rows]
    asked = set(group[tree.column[tree.column >= 0]].tolist())

    def mean_loss(bits: Bits) -> float:
        apart = numbers[tree.says(bits)[0]] - truth
        return fsum(apart**2 if loss == "squared" else np.abs(apart)) / len(rows)

    now = mean_loss(each)
    out = np.zeros(n_groups)
    for at in sorted(asked):
        own = np.flatnonzero(group == at)
        losses = []
        for _ in range(n_repeats):
            permuted = each.copy()
            permuted[:, own] = each[np.ix_(random.permutation(len(rows)), own)]
            losses.append(mean_loss(permuted))
        out[at] = fsum(losses) / n_repeats - now
    return out


def strata_loss(
    stratum: NDArray[np.int64], predicted: Floats, y: Floats, weight: NDArray[Any], loss: Loss
) -> float:
    """Return the loss added by permuting predictions within strata, expected."""
    lost = []
    whole_weight, _ = _integers(weight)
    whole, unit = _integers(np.concatenate([predicted, y]))
    said, truth = whole[: len(y)], whole[len(y) :]
    total = int(whole_weight.sum())
    order = np.argsort(stratum, kind="stable")
    ends = np.flatnonzero(np.diff(stratum[order])) + 1
    for rows in np.split(order, ends):
        rows = rows[whole_weight[rows] > 0]
        if len(rows) < 2 or np.ptp(predicted[rows]) == 0:
            continue
        w, p, t = whole_weight[rows], said[rows], truth[rows]
        n = int(w.sum())
        if loss == "squared":
            excess = 2 * (n * int((w * p * t).sum()) - int((w * p).sum()) * int((w * t).sum()))
            lost.append(_quotient(excess, n * total * unit * unit))
            continue
        handed = sum(
            int((w * abs(p - number)).sum()) * int(own) for number, own in zip(t, w, strict=True)
        )
        excess = handed - n * int((w * abs(p - t)).sum())
        lost.append(_quotient(excess, n * total * unit))
    return fsum(lost)


class _Sums:
    """Distinct rows, with the sums of whole numbers from which losses come."""

    def __init__(
        self, cells: Bits, numbers: Floats, y: Floats, weight: NDArray[Any], loss: Loss
    ) -> None:
        self.squared = loss == "squared"
        whole, unit = _integers(np.concatenate([numbers, y]))
        self.numbers, truth = whole[: len(numbers)].tolist(), whole[len(numbers) :]
        self.unit = unit * unit if self.squared else unit
        # For absolute errors it matters between which numbers of the tree a row's number lies.
        place = np.zeros(len(y), dtype=np.intp)
        if not self.squared:
            place = np.searchsorted(numbers, y)
        packed = np.packbits(cells, axis=1)
        key = np.concatenate([packed, place.astype("<i8")[:, None].view(np.uint8)], axis=1)
        _, first, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
        self.cells, self.place = cells[first], place[first]
        own, _ = _integers(weight)
        self.weight, self.sum, self.squares = (
            _added(values, which.ravel(), len(first))
            for values in (own, own * truth, own * truth * truth if self.squared else own)
        )
        self.total = int(self.weight.sum())

    def loss(self, rows: NDArray[np.bool_], label: int) -> int:
        """Return the loss of rows if all of them get one number."""
        number = int(self.numbers[label])
        w, s = self.weight[rows], self.sum[rows]
        if self.squared:
            squares = int(self.squares[rows].sum())
            return number * number * int(w.sum()) - 2 * number * int(s.sum()) + squares
        at_most = self.place[rows] <= label
        low, high = number * int(w[at_most].sum()), number * int(w[~at_most].sum())
        return low - int(s[at_most].sum()) + int(s[~at_most].sum()) - high


def _leaves(tree: FlatTrees) -> Iterator[tuple[list[tuple[int, int]], int]]:
    """Go through the leaves: the columns on the path with their values, and the label."""
    path: list[tuple[int, int]] = []
    for column, label in zip(tree.column.tolist(), tree.label.tolist(), strict=True):
        if column >= 0:
            path.append((column, 1))
            continue
        yield path, label
        while path and path[-1][1] == 0:
            path.pop()
        if path:
            path[-1] = (path[-1][0], 0)


def _integers(values: NDArray[Any]) -> tuple[Integers, int]:
    """Return floats as whole numbers of a unit, and how many units are 1: a power of two."""
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    unit = max((below for _, below in ratios), default=1)
    out = np.empty(len(ratios), dtype=object)
    out[:] = [above * (unit // below) for above, below in ratios]
    return out, unit


def _added(values: Integers, which: NDArray[np.intp], n: int) -> Integers:
    """Add up the values of each group."""
    sums = [0] * n
    for at, value in zip(which.tolist(), values.tolist(), strict=True):
        sums[at] += value
    out = np.empty(n, dtype=object)
    out[:] = sums
    return out


def _quotient(above: int, below: int) -> float:
    try:
        return above / below
    except OverflowError:
        raise InvalidData(
            "the loss is larger than any float: give y, and the numbers of the tree, in a larger "
            "unit"
        ) from None
