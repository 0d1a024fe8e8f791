"""Progress: shown on stderr when a person watches, nowhere else.

In:  what is being done, and how far it is.
Out: a bar, or a turning sign, that is gone when it is over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar", "busy", "watched"]


def watched() -> bool:
    """Whether a person watches stderr."""
    return sys.stderr.isatty()


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show that something is going on."""
    if not watched():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show how far it is: call what comes out with how much is done, and of how much."""
    if not watched():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
