"""Threads, and classes as an array: what results about rows are made with.

In:  ``n_jobs``; the classes of a model.
Out: a number of threads; an array of labels.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .feature import Label

__all__ = ["labels_array", "n_threads"]

MOST_THREADS = 1_024
LONG = 1_000  # characters: numpy would make every label of a result as long as the longest

T = TypeVar("T")


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that ``n_jobs`` asks for.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(
            f"n_jobs must be None, a whole number from 1, or -1 for all cores, got {n_jobs!r}"
        )
    return min(n_jobs, MOST_THREADS) if n_jobs > 0 else os.cpu_count() or 1


def labels_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """Give classes as an array, for results."""
    long = any(isinstance(c, str) and len(c) > LONG for c in classes)
    out = np.array(classes, dtype=object if long else None)
    # numpy drops final NULs of text, and rounds whole numbers of different signs.
    if not long and out.tolist() != list(classes):
        out = np.array(classes, dtype=object)
    out.setflags(write=False)
    return out
