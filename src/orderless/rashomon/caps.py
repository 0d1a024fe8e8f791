"""What a question to the core may take, and what to do where that is not enough.

In:  limits of memory and time.
Out: ``Caps``; with one, what the core throws becomes an error that says what to change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from time import monotonic
from types import TracebackType
from typing import Any, TypeVar, cast

from .. import _core
from ..errors import OutOfMemory, OutOfTime, TooLarge, setting
from .problem import MOST_LAST

__all__ = ["LISTS", "Caps", "one_call"]

Call = TypeVar("Call", bound=Callable[..., Any])

MOST_BYTES = 2**62  # what the core can count
PARTS = ("the set", "counting the trees")  # of which there may be a part instead
LISTS = "the list of functions"
ESTIMATED = ". functions().estimate() gives their number in seconds, with a stated error"


class Caps:
    """Bytes and seconds that a question may take: ``with caps("the set"): ...``.

    Attributes
    ----------
    memory_limit : int
    time_limit : float or None
    offers_part : bool
        Whether messages say how to get a part of the set instead.
    """

    def __init__(self, memory_limit: float, time_limit: float | None) -> None:
        self.memory_limit = int(min(memory_limit, MOST_BYTES))
        self.time_limit = time_limit
        self.offers_part = False
        self._end: float | None = None  # of the call at hand

    @property
    def seconds(self) -> float:
        """How many are left for a question: of a call that asks several, what the others left."""
        if self._end is not None:
            return max(0.0, self._end - monotonic())
        return math.inf if self.time_limit is None else self.time_limit

    @contextmanager
    def until(self, end: float | None) -> Iterator[None]:
        """Let all questions inside end together; inside of another call, when that one ends."""
        before = self._end
        if end is not None and (before is None or end < before):
            self._end = end
        try:
            yield
        finally:
            self._end = before

    def __call__(self, what: str) -> _Question:
        """Give the context in which the core is asked for something."""
        return _Question(self, what)

    def refuse(self, what: str, fault: BaseException) -> None:
        """Raise an error that says what to do where the core gives up, if it is about limits."""
        said = self._said(what, fault)
        if said is not None:
            raise said from fault

    def _said(self, what: str, fault: BaseException) -> Exception | None:
        shrink = "take a smaller max_depth or epsilon, a larger regularization, or fewer columns"
        if what in PARTS and self.offers_part:
            shrink += f", or a proven part of the set with {setting('on_limit', 'part')}"
        if isinstance(fault, MemoryError):  # the core's limit, or the machine's
            return OutOfMemory(
                f"{what} needs more than {setting('memory_limit', self.memory_limit)} bytes: raise "
                f"it, or {shrink}. n_trees, functions().estimate(), sample and predict work "
                "without listing functions"
            )
        if isinstance(fault, _core.base.TimeUp):
            return OutOfTime(
                f"{what} took longer than {setting('time_limit', self.time_limit)} seconds: raise "
                f"it, or {shrink}{ESTIMATED if what == LISTS else ''}"
            )
        return _too_large(what, fault, shrink)


def one_call(call: Call) -> Call:
    """Let all that a method of what has ``caps`` asks have the time of one call together."""

    @wraps(call)
    def limited(self: Any, *args: Any, **options: Any) -> Any:
        caps: Caps = self.caps
        if caps.time_limit is None:
            return call(self, *args, **options)
        with caps.until(monotonic() + caps.time_limit):
            return call(self, *args, **options)

    return cast(Call, limited)


def _too_large(what: str, fault: BaseException, shrink: str) -> TooLarge | None:
    """Say that there is more than the core can number."""
    if isinstance(fault, _core.base.CountOverflow):
        trees = "trees" if fault.bits == 128 else "trees of one function"
        return TooLarge(f"{what} holds more than 2^{fault.bits} {trees}: {shrink}", 2**fault.bits)
    if isinstance(fault, _core.base.TooManySets):
        return TooLarge(
            f"{what} tells more than 65,535 sets of features apart: allow fewer "
            f"features, or {shrink}",
            65_535,
        )
    if isinstance(fault, _core.base.NotWritten):
        return TooLarge(
            f"{what} needs every last split; they are more than {MOST_LAST:,}, counted and not "
            f"written down (n_trees, sample and `in` work): {shrink}, such as "
            f"{setting('thresholds', 100)}",
            MOST_LAST,
        )
    if isinstance(fault, _core.base.CostOverflow | _core.base.TooManyLeaves):
        return TooLarge(f"{what} holds trees that are too large: {shrink}", 1)
    return None


class _Question:
    """What the core is asked, as a context: messages are made where there is a fault."""

    __slots__ = ("_caps", "_what")

    def __init__(self, caps: Caps, what: str) -> None:
        self._caps, self._what = caps, what

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if fault is not None:
            self._caps.refuse(self._what, fault)
