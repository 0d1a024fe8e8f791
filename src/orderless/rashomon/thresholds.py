"""Where numbers are cut: guessed thresholds, quantiles, or every cut point.

In:  the parameter ``thresholds`` of a ``RashomonSet``.
Out: what makes 0/1 columns of numbers: ``Cuts``, a binarizer of the user's own, or None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSpace, OutOfTime, setting
from ..inputs import Binarizer
from ..model import Space, Task

__all__ = ["UNLIMITED", "Clock", "Cuts", "binarizer_of", "fit_in_time", "read_cutting"]

MOST_QUANTILES = 1_000_000
WHOLE = (int, np.integer)  # made once: int | np.integer is a new object at every call


@dataclass(frozen=True)
class Cuts:
    """Where each number is cut, as ``Binarizer`` takes it."""

    where: str | int | tuple[float, ...]


WORDS = {word: Cuts(word) for word in ("guess", "all")}


class Clock(NamedTuple):
    """Until when thresholds are to be found, and the limit that says so."""

    time_limit: float | None
    end: float


UNLIMITED = Clock(None, math.inf)


def fit_in_time(binarizer: Any, X: Any, y: NDArray[Any], clock: Clock) -> Any:
    """Fit a binarizer; ours looks at the clock, of any other it is read afterwards."""
    if isinstance(binarizer, Binarizer):
        fitted: Any = binarizer.fit_until(clock.end, X, y)
    else:
        fitted = binarizer.fit(X, y)
    if fitted is None or monotonic() > clock.end:
        raise OutOfTime(
            f"finding thresholds took longer than {setting('time_limit', clock.time_limit)} "
            f"seconds: raise it, give {setting('thresholds', 20)}, or a binarizer that is quicker"
        )
    return fitted


def read_cutting(thresholds: Any) -> Any:
    """Give what makes 0/1 columns: ``Cuts``, a binarizer of the user's own, or None."""
    if thresholds is None:
        return None
    if isinstance(thresholds, str) and thresholds in WORDS:
        return WORDS[thresholds]
    if isinstance(thresholds, WHOLE) and not isinstance(thresholds, bool):
        if 1 <= thresholds <= MOST_QUANTILES:
            return Cuts(int(thresholds))
    elif isinstance(thresholds, list | tuple):
        if thresholds and all(_is_share(quantile) for quantile in thresholds):
            return Cuts(tuple(float(quantile) for quantile in thresholds))
    elif (
        hasattr(thresholds, "fit")
        and hasattr(thresholds, "transform")
        and not isinstance(thresholds, type)
    ):
        return thresholds
    raise ValueError(
        "thresholds must be 'guess', 'all' for every cut point, a whole number from 1 to "
        f"{MOST_QUANTILES:,} of quantiles for each feature, some quantiles such as (0.33, 0.66), "
        "None for columns that are 0/1 already, or a binarizer with a space_, got "
        f"{thresholds!r:.80}"
    )


def _is_share(quantile: Any) -> bool:
    return (
        isinstance(quantile, Real) and not isinstance(quantile, bool) and 0 <= float(quantile) <= 1
    )


def binarizer_of(cutting: Any, space: Space | None, task: Task = "classification") -> Any:
    """Give the binarizer that ``Cuts`` mean, or a clone of the user's own."""
    if isinstance(cutting, Cuts):
        return Binarizer(cutting.where, space=space, task=task)
    if space is not None and getattr(cutting, "space", None) is None:
        raise InvalidSpace("give the space to the binarizer itself: its space= is None")
    from sklearn.base import clone

    return clone(cutting)
