"""Deviation: how far the numbers of a regression tree are from those of rows.

In:  a ``Tree`` of numbers, rows (gaps allowed) and their numbers.
Out: ``Deviation``: mean absolute error and root mean squared error, beside always saying the mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidTree
from ..inputs import codes_for, is_unknown, rows_for
from ..model import SumKernel, TreeKernel
from ..questions import predict
from ..readers import read_model

__all__ = ["Deviation", "deviation", "pooled_deviation"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """What a tree of numbers says of rows, and what is true. Made by ``deviation``.

    Attributes
    ----------
    truth, answers : tuples of float
        Of the rows that have a number and that are determined.
    n_undetermined : int
        Rows that are not determined. They count nowhere else.
    n_unlabelled : int
        Rows without a number. They count nowhere else.
    """

    truth: tuple[float, ...]
    answers: tuple[float, ...]
    n_undetermined: int = 0
    n_unlabelled: int = 0

    @property
    def n_rows(self) -> int:
        """How many rows are compared."""
        return len(self.truth)

    @property
    def mean(self) -> float | None:
        """The mean of the true numbers."""
        return math.fsum(self.truth) / self.n_rows if self.truth else None

    @property
    def absolute(self) -> float | None:
        """The mean absolute error."""
        return _absolute(self.truth, self.answers)

    @property
    def root_mean_square(self) -> float | None:
        """The root of the mean squared error."""
        return _root_mean_square(self.truth, self.answers)

    @property
    def absolute_of_mean(self) -> float | None:
        """The mean absolute error of always saying ``mean``."""
        return None if self.mean is None else _absolute(self.truth, (self.mean,) * self.n_rows)

    @property
    def root_mean_square_of_mean(self) -> float | None:
        """The root of the mean squared error of always saying ``mean``."""
        if self.mean is None:
            return None
        return _root_mean_square(self.truth, (self.mean,) * self.n_rows)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as what JSON can hold."""
        return {
            "rows": self.n_rows,
            "without_number": self.n_unlabelled,
            "not_determined": self.n_undetermined,
            "mean_absolute_error": self.absolute,
            "root_mean_squared_error": self.root_mean_square,
            "mean": {
                "number": self.mean,
                "mean_absolute_error": self.absolute_of_mean,
                "root_mean_squared_error": self.root_mean_square_of_mean,
            },
        }


def deviation(tree: Any, X: Any, y: Any) -> Deviation:
    """Compare what a tree of numbers says with the numbers that rows have.

    Parameters
    ----------
    tree : Tree whose classes are numbers, CanonicalForm, Ensemble of numbers, or any regressor that
        ``orderless.read`` reads
    X : rows
        Gaps are allowed: a row that is not determined is counted as such, and is not compared.
    y : numbers, one per row
        None, NaN and NA: the row has no number.

    Returns
    -------
    Deviation
        ``absolute`` and ``root_mean_square`` errors, and those of always saying the mean.

    Examples
    --------
    >>> found = deviation(
    ...     {"feature": 0, "true": {"prediction": 2.5}, "false": {"prediction": 7.0}},
    ...     [[1], [0], [None]], [2.0, 7.0, 3.0],
    ... )
    >>> found.absolute, found.n_undetermined
    (0.25, 1)
    """
    numbers, certain = _certain_numbers(read_model(tree), X)
    labels = list(y)
    if len(labels) != len(numbers):
        raise InvalidData(f"X has {len(numbers)} rows, and y has {len(labels)} numbers")
    labelled = np.array([not is_unknown(one) for one in labels], dtype=bool)
    known = labelled & certain
    at = np.flatnonzero(known)
    try:
        truth = tuple(float(labels[i]) for i in at)
    except (TypeError, ValueError) as fault:
        raise InvalidData(f"y must be finite numbers: {fault}") from None
    bad = next((one for one in truth if not math.isfinite(one)), None)
    if bad is not None:
        raise InvalidData(f"y must be finite numbers, got {bad}")
    answers = tuple(numbers[at].tolist())
    return Deviation(truth, answers, int((labelled & ~certain).sum()), int((~labelled).sum()))


def _certain_numbers(
    model: TreeKernel | SumKernel, X: Any
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the number of each row, and whether it is certain; refuse classes."""
    if isinstance(model, TreeKernel):
        numbers = model.numbers
        codes = codes_for(model, X)
        return numbers[codes], codes >= 0
    if model.task != "regression":
        raise InvalidTree("deviation is about numbers, and this model says classes: use judge")
    said = predict(model, rows_for(model, X))
    return np.ma.getdata(said), ~np.ma.getmaskarray(said)


def pooled_deviation(parts: Iterable[Deviation]) -> Deviation:
    """Put the rows of several together."""
    found = list(parts)
    return Deviation(
        tuple(one for part in found for one in part.truth),
        tuple(one for part in found for one in part.answers),
        sum(part.n_undetermined for part in found),
        sum(part.n_unlabelled for part in found),
    )


def _absolute(truth: tuple[float, ...], answers: tuple[float, ...]) -> float | None:
    if not truth:
        return None
    off = [abs(a - b) / len(truth) for a, b in zip(truth, answers, strict=True)]
    return math.fsum(off)


def _root_mean_square(truth: tuple[float, ...], answers: tuple[float, ...]) -> float | None:
    if not truth:
        return None
    return math.hypot(*(a - b for a, b in zip(truth, answers, strict=True))) / math.sqrt(len(truth))
