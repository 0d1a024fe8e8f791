"""Which numbers the trees of a set give to rows: the smallest and the largest, without a list.

In:  a ``Source`` of task="regression", a ``View`` of it, rows over its 0/1 columns.
Out: by row two labels (places among the numbers that leaves can predict); numbers; which labels are
     near a number.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import read_rows
from .columns import Bits
from .flat import distinct
from .functions import Listing
from .listed import Source
from .problem import Problem, decimal
from .target import Target, distinct_numbers
from .view import View

__all__ = [
    "Labels",
    "numbers_of",
    "row_ends",
    "steps_within",
    "target_of",
    "unknown_ends",
    "windows",
]

AT_ONCE = 256

Labels = NDArray[np.int32]


def target_of(problem: Problem) -> Target:
    """Give what leaves can predict, of a problem about numbers."""
    target = problem.table.target
    assert target is not None
    return target


def numbers_of(target: Target, labels: Labels) -> NDArray[np.float64]:
    """Give what leaves with these labels predict."""
    used, which = np.unique(labels, return_inverse=True)
    numbers = np.array([target.numbers[label] for label in used.tolist()], dtype=np.float64)
    return numbers[which.ravel()]


def row_ends(
    source: Source, view: View, bits: Bits, limit: int, asked: tuple[Labels, Labels] | None = None
) -> tuple[Labels, Labels]:
    """Give the smallest and the largest label that some tree gives each complete row.

    With ``asked``, of the labels from one to another, by row; -1 where no tree gives one of them.
    Cost: distinct rows x edges of the graph; where the source has to list its functions (a list of
    trees, a view by leaves or by features that are required), functions x rows.
    """
    if asked is None:
        first, which = distinct(bits)
    else:
        words = np.ascontiguousarray(np.stack(asked, axis=1)).view(np.uint8)
        first, which = distinct(np.hstack([bits, np.unpackbits(words, axis=1)]))
    rows = np.ascontiguousarray(bits[first])
    window = None if asked is None else (asked[0][first], asked[1][first])
    ends = source.ranges(view, rows, 1 - rows, window)
    low, high = _by_listing(source, view, rows, limit, window) if ends is None else ends
    return low[which], high[which]


def _by_listing(
    source: Source, view: View, rows: Bits, limit: int, asked: tuple[Labels, Labels] | None
) -> tuple[Labels, Labels]:
    functions = Listing(source, view, source.problem.semantics(), limit).functions
    largest = np.iinfo(np.int32).max
    low = np.full(len(rows), largest, dtype=np.int32)
    high = np.full(len(rows), -1, dtype=np.int32)
    for start in range(0, len(functions.errors), AT_ONCE):
        some = np.arange(start, min(start + AT_ONCE, len(functions.errors)))
        for _, labels in functions.trees(some).says_in_parts(rows):
            there = (
                np.ones_like(labels, dtype=bool)
                if asked is None
                else (labels >= asked[0]) & (labels <= asked[1])
            )
            low = np.minimum(low, np.where(there, labels, largest).min(axis=0))
            high = np.maximum(high, np.where(there, labels, -1).max(axis=0))
    return np.where(high < 0, -1, low).astype(np.int32), high


def unknown_ends(
    source: Source, view: View, X: Any, limit: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the smallest and the largest number that some tree gives some completion of each row."""
    problem = source.problem
    target = target_of(problem)
    one, zero, partly = problem.columns.read(X)
    first, which = distinct(np.hstack([one, zero, partly[:, None].astype(np.uint8)]))
    low, high = np.zeros(len(first)), np.zeros(len(first))
    plain = ~partly[first]
    at = first[plain]
    ends = source.ranges(view, np.ascontiguousarray(one[at]), np.ascontiguousarray(zero[at]))
    if ends is None:
        plain[:] = False
    else:
        low[plain], high[plain] = (numbers_of(target, labels) for labels in ends)
    if not plain.all():
        low[~plain], high[~plain] = _by_trees(source, view, X, first[~plain], limit)
    return low[which], high[which]


def _by_trees(
    source: Source, view: View, X: Any, chosen: NDArray[np.intp], limit: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ask one tree of each function after the other."""
    problem = source.problem
    functions = Listing(source, view, problem.semantics(), limit).functions
    columns = problem.columns
    rows = read_rows(X, columns.space, np.unique(columns.feature).tolist())
    low, high = np.full(len(chosen), np.inf), np.full(len(chosen), -np.inf)
    for start in range(0, len(functions.errors), AT_ONCE):
        some = np.arange(start, min(start + AT_ONCE, len(functions.errors)))
        for tree in problem.trees(functions.trees(some)):
            lower, upper = tree.kernel.interval(rows)
            low, high = np.minimum(low, lower[chosen]), np.maximum(high, upper[chosen])
    return low, high


def steps_within(target: Target, tolerance: Any) -> int:
    """Read a distance as the decimal that is written, in steps of the leaves' numbers."""
    return math.floor(decimal(tolerance, "tolerance") * Fraction(10) ** target.decimals)


def windows(target: Target, y: Any, n_rows: int, tolerance: Any) -> tuple[Labels, Labels]:
    """Give, by row, the first and the last label that is at most so far from the row's number."""
    values, which = distinct_numbers(y)
    if len(which) != n_rows:
        raise InvalidData(f"X has {n_rows} rows and y has {len(which)} numbers")
    far, scale, numbers = (
        decimal(tolerance, "tolerance"),
        Fraction(10) ** target.decimals,
        target.numbers,
    )
    first = [math.ceil((value - far) * scale) - numbers.low for value in values]
    last = [math.floor((value + far) * scale) - numbers.low for value in values]
    # Beyond the numbers that there are, one step is as good as any.
    steps = [
        np.array([min(max(s, -1), numbers.n) for s in side], np.int64) for side in (first, last)
    ]
    if numbers.chosen is not None:
        steps = [np.searchsorted(numbers.chosen, steps[0]),
                 np.searchsorted(numbers.chosen, steps[1], side="right") - 1]  # fmt: skip
    low, high = (side.astype(np.int32)[which] for side in steps)
    return low, high
