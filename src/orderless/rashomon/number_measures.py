"""What can be measured of trees of numbers: squared and absolute errors, means, any sum over rows.

In:  a name, or a callable of (number, prediction); ``MeasuredRows``; what leaves predict.
Out: a ``Quantity``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, TooLarge
from ..inputs import exact, near, shown, some_names
from .measured_rows import MeasuredRows
from .quantity import Quantity, quantity_of

__all__ = ["NAMES", "number_quantity"]

NAMES = (
    "squared error", "absolute error", "mean squared error", "mean absolute error",
    "mean prediction",
)  # fmt: skip
MOST_CELLS = 20_000_000  # numbers of rows by numbers of leaves


def number_quantity(
    measure: Any, rows: MeasuredRows, labels: NDArray[np.int32], numbers: list[Fraction]
) -> Quantity:
    """Read what to measure of trees of numbers.

    Parameters
    ----------
    measure : str or callable
    labels : array of int, rising
        What leaves can say, and in ``numbers`` what that means.
    """
    if isinstance(measure, str) and measure not in NAMES:
        raise InvalidData(
            f"measure must be one of {some_names(NAMES)}, or a callable of (number, prediction), "
            f"for task='regression', got {measure!r:.80}{near(measure, NAMES)}"
        )
    if not isinstance(measure, str) and not callable(measure):
        raise InvalidData(
            f"measure must be one of {some_names(NAMES)}, or a callable of (number, prediction), "
            f"for task='regression', got {type(measure).__name__}"
        )
    times = _times(str(measure), rows)
    if measure == "mean prediction":
        return _quantity(measure, rows, labels, _alike(rows, times, numbers))
    if measure in ("squared error", "mean squared error"):
        return _quantity(measure, rows, labels, _squares(rows, times, numbers))
    if len(rows.truths) * len(labels) > MOST_CELLS:
        raise TooLarge(
            f"{len(rows.truths):,} different numbers of rows, and {len(labels):,} of leaves, are "
            "too many to compare each with each: round y, or take decimals= of the set",
            MOST_CELLS,
        )
    name = measure if isinstance(measure, str) else getattr(measure, "__name__", "cost")
    return _quantity(name, rows, labels, _pairs(measure, rows, times, numbers))


Entries = tuple[NDArray[np.intp], NDArray[np.int32], list[int], list[list[Fraction]]]


def _times(measure: str, rows: MeasuredRows) -> list[Fraction]:
    """Give, by group, what a row's measure is taken times.

    A mean is a share of the weight; of two groups the second counts, less the first.
    """
    out = []
    for group in range(1 if rows.group is None else 2):
        times = Fraction(1 if rows.group is None or group == 1 else -1, rows.weight_scale)
        if measure.startswith("mean"):
            total = rows.total(group=None if rows.group is None else group)
            if not total:
                raise InvalidData(f"{measure!r} is a mean of rows that have no weight")
            times /= total
        out.append(times)
    return out


def _group(rows: MeasuredRows) -> NDArray[np.intp]:
    return np.zeros(len(rows.weights), dtype=np.intp) if rows.group is None else rows.group


def _alike(rows: MeasuredRows, times: list[Fraction], numbers: list[Fraction]) -> Entries:
    """Count what leaves say, whatever the row's number is."""
    table = [[each * number for number in numbers] for each in times]
    return np.arange(len(rows.weights)), _group(rows).astype(np.int32), rows.weights.tolist(), table


def _squares(rows: MeasuredRows, times: list[Fraction], numbers: list[Fraction]) -> Entries:
    """Split (p - y)^2 into p^2 x 1, -2 p x y and 1 x y^2: each a factor, and a sum over rows."""
    truth = rows.truth
    unit = math.lcm(1, *(x.denominator for x in (*rows.truths, *numbers)))
    low = min((*rows.truths, *numbers))
    own = [int((y - low) * unit) for y in rows.truths]
    said = [int((p - low) * unit) for p in numbers]
    n = len(rows.weights)
    weights = rows.weights.tolist()
    group = _group(rows)
    table: list[list[Fraction]] = []
    for each in times:
        scale = each / unit**2
        table.append([scale * p * p for p in said])
        table.append([scale * -2 * p for p in said])
        table.append([scale for _ in said])
    part = np.concatenate([3 * group + k for k in range(3)]).astype(np.int32)
    y = [own[t] for t in truth.tolist()]
    first = [w * v for w, v in zip(weights, y, strict=True)]
    second = [w * v * v for w, v in zip(weights, y, strict=True)]
    return np.tile(np.arange(n), 3), part, [*weights, *first, *second], table


def _pairs(
    measure: Any, rows: MeasuredRows, times: list[Fraction], numbers: list[Fraction]
) -> Entries:
    """Compare every number of the rows with every number of the leaves."""

    def of(y: Fraction, p: Fraction) -> Fraction:
        if isinstance(measure, str):
            return abs(y - p)
        cost = measure(float(y), float(p))
        try:
            return exact(cost, text=False)
        except (TypeError, ValueError):
            raise InvalidData(
                f"the measure of number {float(y)!r} and prediction {float(p)!r} must be a finite "
                f"number, got {shown(cost)}"
            ) from None

    truth = rows.truth
    plain = [[of(y, p) for p in numbers] for y in rows.truths]
    table = [[each * x for x in row] for each in times for row in plain]
    part = (_group(rows) * len(rows.truths) + truth).astype(np.int32)
    return np.arange(len(part)), part, rows.weights.tolist(), table


def _quantity(
    name: str, rows: MeasuredRows, labels: NDArray[np.int32], entries: Entries
) -> Quantity:
    at, part, weights, table = entries
    if max(weights, default=0) >= 2**62:
        raise InvalidData(
            f"{name!r} would pass 2^62 in whole numbers: y has too many digits; round it"
        )
    amounts = np.array(weights, dtype=np.int64)
    return quantity_of(name, rows.bits[at], part, amounts, labels, [table])
