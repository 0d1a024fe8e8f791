"""Threads: every ``n_jobs`` is read here.

In:  None, a whole number from 1, or -1 for all cores.
Out: the number of threads.
"""

from __future__ import annotations

import os

__all__ = ["n_threads"]


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
    return n_jobs if n_jobs > 0 else os.cpu_count() or 1
