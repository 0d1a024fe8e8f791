"""The rows on which trees are measured: the training rows, or others, with labels and weights.

In:  X and y (none: the training rows), a mask, groups, weights, as people give them.
Out: ``MeasuredRows``: complete rows over a set's 0/1 columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import frame_of, near, numbered_classes, some_names
from ..model import Label
from .number_rows import target_of
from .problem import Problem, whole_weights
from .target import distinct_numbers

__all__ = ["MeasuredRows", "read_measured"]


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Rows that trees are measured on.

    Attributes
    ----------
    bits : array of 0/1, rows by columns
    truths : tuple of labels, or of Fractions
        The different ones.
    which : array of int, or None where there are no labels
        Of each row, which of them it has.
    weights : array of int
        In ``1 / weight_scale``-ths.
    weight_scale : int
    group : array of 0/1, or None
        The group of each row.
    group_names : tuple of two labels, or empty
    """

    bits: NDArray[np.uint8]
    truths: tuple[Any, ...]
    which: NDArray[np.intp] | None
    weights: NDArray[np.int64]
    weight_scale: int
    group: NDArray[np.intp] | None = None
    group_names: tuple[Label, ...] = ()

    def total(self, inside: Any = slice(None), group: int | None = None) -> Fraction:
        """Give the weight of some rows, in some group."""
        chosen = np.zeros(len(self.weights), dtype=bool)
        chosen[inside] = True
        if group is not None and self.group is not None:
            chosen &= self.group == group
        return Fraction(int(self.weights[chosen].sum()), self.weight_scale)

    @property
    def truth(self) -> NDArray[np.intp]:
        """Which label each row has; an error where there are none."""
        if self.which is None:
            raise InvalidData("this measure compares predictions with labels: give y, too")
        return self.which

    def have(self, label: Any) -> NDArray[np.bool_]:
        """Tell which rows have a label."""
        places = [i for i, truth in enumerate(self.truths) if truth == label]
        return np.isin(self.truth, places)


def read_measured(
    problem: Problem, X: Any, y: Any, rows: Any, groups: Any, sample_weight: Any
) -> MeasuredRows:
    """Read the rows; without X the training rows, with their labels and weights."""
    truths: tuple[Any, ...]
    which: Any
    if X is None:
        if y is not None:
            raise InvalidData("y came without X: give the rows that the labels are of, too")
        per_row = {"rows": rows, "groups": groups, "sample_weight": sample_weight}
        named = [
            name for name, given in per_row.items() if given is not None and type(given) is not str
        ]
        if named and not problem.in_order:
            raise InvalidData(
                f"{named[0]} goes by the order of the training rows, and a set that was read from "
                "a file has put equal ones together: give X and y, too"
            )
        bits = problem.table.bits
        truths, which = _trained(problem)
    else:
        bits = problem.columns.read_complete(X)
        truths, which = _given(problem, y, len(bits))
    if sample_weight is None:
        weights, scale = (
            (problem.amounts, problem.weight_scale) if X is None else whole_weights(None, len(bits))
        )
    else:
        weights, scale = whole_weights(sample_weight, len(bits))
    chosen = _mask(rows, len(bits))
    names, group = _groups(problem, groups, X, bits, chosen)
    return MeasuredRows(
        np.ascontiguousarray(bits[chosen]),
        truths,
        None if which is None else np.asarray(which, dtype=np.intp)[chosen],
        weights[chosen],
        scale,
        group,
        names,
    )


def _trained(problem: Problem) -> tuple[tuple[Any, ...], Any]:
    table = problem.table
    if problem.task == "classification":
        return table.classes, table.labels
    target = target_of(problem)
    labels, which = np.unique(table.labels, return_inverse=True)
    step = Fraction(10) ** -target.decimals
    steps = target.of_row(labels).tolist()
    return tuple((target.numbers.low + each) * step for each in steps), which.ravel()


def _given(problem: Problem, y: Any, n_rows: int) -> tuple[tuple[Any, ...], Any]:
    if y is None:
        return (), None
    if problem.task == "regression":
        numbers, which = distinct_numbers(y)
        truths: tuple[Any, ...] = tuple(numbers)
    else:
        truths, which = numbered_classes(y)  # type: ignore[assignment]
    if len(which) != n_rows:
        what = "numbers" if problem.task == "regression" else "labels"
        raise InvalidData(f"X has {n_rows} rows and y has {len(which)} {what}")
    return truths, which


def _mask(rows: Any, n_rows: int) -> NDArray[np.intp]:
    """Read which rows are meant."""
    if rows is None:
        if not n_rows:
            raise InvalidData("X has no rows: give at least one")
        return np.arange(n_rows)
    mask = np.asarray(rows)
    if mask.dtype != bool or mask.shape != (n_rows,):
        raise InvalidData(
            f"rows must be a mask: {n_rows:,} times True or False, one per row, got "
            f"{mask.dtype} of shape {mask.shape}"
        )
    if not mask.any():
        raise InvalidData("rows is False for every row: choose at least one")
    return np.flatnonzero(mask)


def _groups(
    problem: Problem, groups: Any, X: Any, bits: NDArray[np.uint8], chosen: NDArray[np.intp]
) -> tuple[tuple[Label, ...], NDArray[np.intp] | None]:
    """Read which of two groups each of the chosen rows is in."""
    if groups is None:
        return (), None
    if isinstance(groups, str):
        groups = _column(problem, groups, X, bits)
    values, codes = numbered_classes(groups)
    if len(codes) != len(bits):
        raise InvalidData(f"there are {len(bits):,} rows and {len(codes):,} groups: one per row")
    used, which = np.unique(codes[chosen], return_inverse=True)
    names: tuple[Label, ...] = tuple(values[i] for i in used.tolist())
    if len(names) != 2:
        raise InvalidData(
            f"groups must be two, got {len(names)}: {some_names(names, 4)}; a difference is "
            "between two: choose their rows with rows=, or compare one with all others by a mask"
        )
    return names, which.ravel().astype(np.intp)


def _column(problem: Problem, name: str, X: Any, bits: NDArray[np.uint8]) -> Any:
    """Give a column of X, or one of the set's 0/1 columns."""
    frame = None if X is None else frame_of(X)
    if frame is not None and name in frame.columns:
        return frame[name].to_list()
    names = problem.columns.names
    if name in names:
        return bits[:, names.index(name)]
    known = [*([] if frame is None else frame.columns), *names]
    raise InvalidData(
        f"groups names no column: there is no {name!r}{near(name, known)}; there are "
        f"{some_names(known)}"
    )
