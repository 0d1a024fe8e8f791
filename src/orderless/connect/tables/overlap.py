"""Reading ahead and writing behind, while a part of a table is answered.

In:  parts of a table that are still to be read; a function that writes one.
Out: the same parts in the same order; a function that writes in a thread of its own.

Only for files. A stream may block for ever, and then nobody could stop a thread that waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from .part import Part

__all__ = ["ahead", "behind"]


def ahead(parts: Iterator[Part]) -> Iterator[Part]:
    """Go through parts; the next one is read while this one is used."""
    with ThreadPoolExecutor(1) as pool:
        coming: Future[Part | None] = pool.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = pool.submit(next, parts, None)
            yield part


@contextmanager
def behind(write: Callable[..., None]) -> Iterator[Callable[..., None]]:
    """Give a function that begins to write, after what was written before, and does not wait.

    What goes wrong is raised by the next call, or at the end.
    """
    with ThreadPoolExecutor(1) as pool:
        last: Future[None] | None = None

        def begin(*given: Any) -> None:
            nonlocal last
            if last is not None:
                last.result()
            last = pool.submit(write, *given)

        yield begin
        if last is not None:
            last.result()
