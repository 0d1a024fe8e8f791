"""Budget: the time of one call, which everything that the call does shares.

In:  ``time_limit=`` of a question.
Out: ``Budget``: the seconds that are left, for all or for each of several searches;
     ``in_budget`` opens one; ``look`` raises ``Undecided`` where facts take longer.

Whoever starts a call opens its budget once. What is deep inside asks ``Budget.current()``: so does
the search that decides facts, which is exponential in the worst case.
"""

from __future__ import annotations

import functools
import inspect
import math
import time
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from ..errors import InvalidParameter, Undecided, setting

__all__ = ["ENDLESS", "TIME_LIMIT", "Budget", "in_budget", "look", "read_seconds"]

TIME_LIMIT = 60.0  # seconds of a question about a model
ENDLESS = 1e9  # seconds from which on the core looks at no clock
LITTLE = 1e-3  # seconds that every search of several gets, so that easy ones are answered
FOR_FACTS = 1.0  # seconds beyond the limit: without facts it is not even known what is asked

Call = TypeVar("Call", bound=Callable[..., Any])


class Budget:
    """The seconds of a call; inside of another one, it ends with that one at the latest.

    Parameters
    ----------
    time_limit : float, optional
        Seconds, 0 or more; None for no limit.
    each : float
        Seconds that any single row may take of them.

    Examples
    --------
    >>> with Budget(60):
    ...     Budget(None).seconds, Budget.current().seconds, Budget(0).left
    (60.0, 60.0, 0.0)
    """

    __slots__ = ("_end", "_outer", "each", "seconds")

    def __init__(self, time_limit: Any = TIME_LIMIT, *, each: float = ENDLESS) -> None:
        self.seconds, self.each = read_seconds(time_limit), each
        self._end = time.monotonic() + self.seconds
        self._outer: Budget | None = _current.get()
        if self._outer is not None:
            self.each = min(each, self._outer.each)
            self._end = min(self._end, self._outer._end)
            if self._outer.seconds < ENDLESS:  # it is the limit that somebody can raise
                self.seconds = self._outer.seconds

    @classmethod
    def current(cls) -> Budget:
        """Return the budget of the call at hand; outside of any, a new one."""
        return _current.get() or cls()

    def __enter__(self) -> Self:
        self._outer = _current.get()
        _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        _current.set(self._outer)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    @property
    def last(self) -> float:
        """When facts must have been decided, which may take a second more than the call."""
        return self._end + FOR_FACTS

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() >= self._end

    def share(self, searches: float = 1) -> float:
        """Return the seconds of each of so many searches: an equal part, and a little at least."""
        return max(min(LITTLE, self.seconds), self.left / searches)

    @classmethod
    def of_row(cls) -> Budget:
        """Return a budget for one row of the call at hand, or for one check of facts."""
        outer = _current.get()
        return cls(TIME_LIMIT if outer is None else outer.each)

    def __str__(self) -> str:
        return f"{setting('time_limit', self.seconds)} seconds"


_current: ContextVar[Budget | None] = ContextVar("the budget of the call", default=None)


def look() -> None:
    """Raise ``Undecided`` if deciding facts takes longer than the call at hand may take."""
    budget = _current.get()
    if budget is not None and time.monotonic() > budget.last:
        raise Undecided(
            f"whether the facts have a possible row was not found out in {budget}: raise "
            f"{setting('time_limit')} where there is one, use fewer facts, or give the features "
            "that they compare bounds ('age <= 150')",
            "time",
        )


def read_seconds(time_limit: Any) -> float:
    """Return the seconds of a limit, or refuse what is none."""
    if time_limit is None:
        return ENDLESS
    number = isinstance(time_limit, int | float | np.number) and not isinstance(time_limit, bool)
    if not number or math.isnan(time_limit) or time_limit < 0:
        raise InvalidParameter(
            f"{setting('time_limit', time_limit)}: give seconds, 0 or more (0: no search), or None "
            "for no limit",
            "time_limit",
        )
    return float(min(time_limit, ENDLESS))


def in_budget(call: Call) -> Call:
    """Open the budget of a function with ``time_limit``, or of a method of what has one."""
    signature = inspect.signature(call)

    @functools.wraps(call)
    def within(*args: Any, **options: Any) -> Any:
        bound = signature.bind(*args, **options)
        bound.apply_defaults()
        limit = bound.arguments.get("time_limit", getattr(args[0], "time_limit", TIME_LIMIT))
        with Budget(limit):
            return call(*args, **options)

    return within  # type: ignore[return-value]
