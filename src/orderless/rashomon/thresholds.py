"""Where numbers are cut: guessed thresholds, quantiles, or every cut point.

In:  the parameters ``thresholds`` and ``binarizer`` of a ``RashomonSet``.
Out: what makes 0/1 columns of numbers: a word, a ``Cuts``, a binarizer of the user's own, or None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSpace, OutOfTime, setting
from ..inputs import Binarizer
from ..model import Space

__all__ = [
    "UNLIMITED", "WHOLE", "WORDS", "Clock", "Cuts", "binarizer_of", "fit_in_time", "no_binarizer",
    "read_cutting",
]  # fmt: skip

WORDS = ("threshold-guess", "quantile")
MOST_QUANTILES = 1_000_000
WHOLE = (int, np.integer)  # made once: int | np.integer is a new object at every call


@dataclass(frozen=True)
class Cuts:
    """So many quantiles of each number, or (None) a cut between each two neighbouring values."""

    quantiles: int | None = None


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


def read_cutting(thresholds: Any, binarizer: Any) -> Any:
    """Give what cuts the numbers, as the two parameters say together."""
    guessed = isinstance(thresholds, str) and thresholds == "guess"
    if guessed:
        return binarizer
    every = isinstance(thresholds, str) and thresholds == "all"
    whole = isinstance(thresholds, WHOLE) and not isinstance(thresholds, bool)
    if not (every or (whole and 1 <= thresholds <= MOST_QUANTILES)):
        raise ValueError(
            "thresholds must be 'guess', 'all' for every cut point, or a whole number from 1 to "
            f"{MOST_QUANTILES:,} of quantiles for each feature, got {thresholds!r:.80}"
        )
    if not (isinstance(binarizer, str) and binarizer == "threshold-guess"):
        raise ValueError(
            f"thresholds={thresholds!r} and binarizer={binarizer!r:.80} both say where numbers are "
            "cut: give one of the two"
        )
    return Cuts(None if every else int(thresholds))


def binarizer_of(given: Any, space: Space | None, task: str = "classification") -> Any:
    """Give the binarizer that a word or ``Cuts`` means, or a clone of one."""
    if isinstance(given, Cuts):
        return Binarizer("all" if given.quantiles is None else given.quantiles, space=space)
    if isinstance(given, str) and given == "threshold-guess":
        return Binarizer(space=space, task=task)
    if isinstance(given, str) and given == "quantile":
        return Binarizer((0.33, 0.66), space=space)
    if not hasattr(given, "fit") or not hasattr(given, "transform") or isinstance(given, type):
        raise no_binarizer(given)
    if space is not None and getattr(given, "space", None) is None:
        raise InvalidSpace("give the space to the binarizer itself: its space= is None")
    from sklearn.base import clone

    return clone(given)


def no_binarizer(given: Any) -> ValueError:
    """Say what a binarizer can be."""
    return ValueError(
        "binarizer must be 'threshold-guess', 'quantile', a binarizer with a space_, or None for "
        f"columns that are 0/1 already, got {given!r:.80}"
    )
