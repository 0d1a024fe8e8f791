"""Progress: shown on stderr when a person watches, nowhere else.

In:  what is being done, and how far it is.
Out: a bar or a spinner, which disappears when the work is done.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["bar", "busy", "counted", "watched"]


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
    """Show what share is done: call the result with how much is done, and of how much."""
    if not watched():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with _progress(*columns) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def counted(
    what: str, total: int, done: int = 0, *, show: bool | None = None
) -> Iterator[Callable[[], None]]:
    """Show how many pieces are done: call the result after each. By default a person decides."""
    if not (watched() if show is None else show):
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    description = TextColumn("{task.description}")
    columns = (description, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _progress(*columns) as progress:
        task = progress.add_task(what, total=total, completed=done)
        yield lambda: progress.advance(task)


def _progress(*columns: Any) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)
