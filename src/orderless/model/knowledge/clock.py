"""How long questions about facts may take: the limit of the call that asks them.

In:  the ``time_limit`` of a question.
Out: ``Undecided``, where deciding facts takes longer.

Facts are decided deep inside of other questions, by a search that is exponential in the worst case.
Whoever has a limit says so once, around its work; every step of the search looks at it.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from ...errors import Undecided, setting

__all__ = [
    "call_in_time", "each_check_in_time", "in_time", "look", "one_check", "seconds_left",
    "time_for",
]  # fmt: skip

SECONDS = 60.0  # for one check, where nobody gives a limit
LEAST = 1.0  # for one check, where the limit is for each row or search

Call = TypeVar("Call", bound=Callable[..., Any])


class _Limit(NamedTuple):
    seconds: float
    deadline: float  # infinite: none for all checks together
    check: float  # until when the check at hand must be done
    call: float  # until when everything else that the call does must be done


_limit: ContextVar[_Limit | None] = ContextVar("time for facts", default=None)


@contextmanager
def _limited(limit: _Limit) -> Iterator[None]:
    before = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(before)


@contextmanager
def time_for(seconds: float, *, each: bool = False, least: float = 0.0) -> Iterator[None]:
    """Give all that is asked about facts inside so many seconds, or each single check.

    Inside of another limit the earlier end counts. ``least``: seconds that facts have at least.
    """
    now, outer = time.monotonic(), _limit.get()
    new = _Limit(max(seconds, LEAST), float("inf"), float("inf"), float("inf"))
    if not each:
        end = now + max(seconds, least)
        new = _Limit(seconds, end, end, now + seconds)
    if outer is not None and outer.deadline < new.deadline:
        new = outer if not each else new._replace(deadline=outer.deadline)
    with _limited(new):
        yield


@contextmanager
def one_check() -> Iterator[None]:
    """Begin to decide whether facts have a row."""
    now, outer = time.monotonic(), _limit.get()
    if outer is None:
        outer = _Limit(SECONDS, float("inf"), float("inf"), float("inf"))
    until = outer.check  # of a check inside of another one
    if until == float("inf"):
        until = min(outer.deadline, now + outer.seconds)
    with _limited(outer._replace(check=until)):
        yield


def seconds_left(seconds: float) -> float:
    """Give how many of so many seconds are left of the call at hand, all of them outside of one."""
    limit = _limit.get()
    return seconds if limit is None else max(0.0, min(seconds, limit.call - time.monotonic()))


def look() -> None:
    """Raise ``Undecided`` if the time is over."""
    limit = _limit.get()
    if limit is not None and time.monotonic() > limit.check:
        raise Undecided(
            "whether the facts have a possible row was not found out in "
            f"{setting('time_limit', limit.seconds)} seconds: raise {setting('time_limit')} where "
            "there is one, use fewer facts, or give the features that they compare bounds "
            "('age <= 150')",
            "time",
        )


def in_time(call: Call) -> Call:
    """Let a function, or a method of what has one, keep its ``time_limit`` for all of its facts."""
    return _keeping(call, each=False)


def each_check_in_time(call: Call) -> Call:
    """Let a function keep its ``time_limit``, of each row or search, for each check of facts."""
    return _keeping(call, each=True)


def call_in_time(call: Call) -> Call:
    """Let a function keep its ``time_limit`` for all that it does, and facts have a second of it.

    What it does asks ``seconds_left``.
    """
    return _keeping(call, each=False, least=LEAST)


def _keeping(call: Call, each: bool, least: float = 0.0) -> Call:
    signature = inspect.signature(call)

    @functools.wraps(call)
    def kept(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options)
        given.apply_defaults()
        seconds = given.arguments.get("time_limit", getattr(args[0], "time_limit", SECONDS))
        if not isinstance(seconds, int | float):
            return call(*args, **options)  # which refuses it
        with time_for(float(seconds), each=each, least=least):
            return call(*args, **options)

    return kept  # type: ignore[return-value]
