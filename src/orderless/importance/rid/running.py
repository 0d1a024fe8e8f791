"""Many independent samples, here or on a cluster.

In:  a function of a number, and the numbers.
Out: its results, in their order, as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

__all__ = ["in_parallel"]

T = TypeVar("T")
AHEAD = 4  # samples per worker that are sent together where results cannot come one by one


def in_parallel(
    work: Callable[[int], T], numbers: Sequence[int], n_jobs: int | None
) -> Iterator[tuple[int, T]]:
    """Give (number, result) in order, through joblib.

    Threads unless ``joblib.parallel_config`` says otherwise: the core works without Python's lock.
    """
    import joblib
    from joblib.parallel import get_active_backend

    call = joblib.delayed(work)
    if getattr(get_active_backend()[0], "supports_return_generator", False):
        parallel = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        yield from zip(numbers, parallel(call(number) for number in numbers), strict=True)
        return
    rest = iter(numbers)  # Ray, and processes of multiprocessing
    with joblib.Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        step = AHEAD * max(1, int(joblib.effective_n_jobs(n_jobs)))
        while some := list(islice(rest, step)):
            yield from zip(some, parallel(call(number) for number in some), strict=True)
