"""Many independent samples, here or on a cluster, and a bar for whoever watches.

In:  a function of a number, and the numbers.
Out: its results, in their order, as they come.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

__all__ = ["in_parallel", "watched"]

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


@contextmanager
def watched(what: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error if it is a terminal; give what moves it on."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn as Remaining,
    )

    columns: list[Any] = [TextColumn(what), BarColumn(), MofNCompleteColumn(), Remaining()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda: bar.advance(task)
