"""Functions of numbers that are nearly one: of those within a distance only the best is kept.

In:  the functions of a set of task="regression", in their order; a distance.
Out: the positions of those that are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from .flat import distinct
from .functions import FunctionSet
from .number_rows import steps_within
from .problem import Problem

__all__ = ["apart"]

AT_ONCE = 64  # rows that are compared before the rest


def apart(functions: FunctionSet, problem: Problem, tolerance: Any) -> FunctionSet:
    """Keep a function unless one that is kept before it is so near on every training row.

    Cost: functions x those that are kept x rows, where many are near on the first rows.
    """
    target = problem.table.target
    if target is None:
        raise InvalidData(
            "tolerance is a distance between numbers, and this set is of task='classification': "
            "leave it out"
        )
    most = steps_within(target, tolerance)
    rows = problem.bits[distinct(problem.bits)[0]]
    kept: list[int] = []
    said = np.zeros((16, len(rows)), dtype=np.int64)
    for part, labels in functions.table().trees.says_in_parts(rows):
        for i, numbers in enumerate(target.of_label(labels), part.start):
            if _near(said[: len(kept)], numbers, most):
                continue
            if len(kept) == len(said):
                said = np.concatenate([said, np.zeros_like(said)])
            said[len(kept)] = numbers
            kept.append(i)
    return functions.take(np.array(kept, dtype=np.int64))


def _near(said: NDArray[np.int64], numbers: NDArray[np.int64], most: int) -> bool:
    """Whether one of some functions is so near everywhere."""
    for first in range(0, len(numbers), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        said = said[(np.abs(said[:, part] - numbers[part]) <= most).all(axis=1)]
        if not len(said):
            return False
    return bool(len(said))
