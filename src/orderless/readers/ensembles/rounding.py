"""What rounding does to a library's own sums, where a reader has to know it.

In:  what leaves add, and how; a function that a library makes of a sum.
Out: an error where sums leave the numbers that the library has; where such a function changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import UnreadableModel
from ...model import Adding, Floats

__all__ = ["check_room", "largest_sums", "last_below"]


def largest_sums(values: Sequence[Floats], adding: Adding) -> Floats:
    """Give, per score, what no sum is above in size, rounded or not."""
    largest = [np.abs(own).max(axis=0, initial=0.0) for own in values]
    total: Floats = np.sum([np.abs(adding.base), *largest], axis=0)
    return total * (1 + 2.0**-10)


def check_room(values: Sequence[Floats], adding: Adding) -> None:
    """Refuse leaves that could add up to infinity."""
    with np.errstate(over="ignore", invalid="ignore"):
        fits = largest_sums(values, adding) < np.finfo(adding.precision).max
    if not fits.all():
        raise UnreadableModel(
            f"the numbers at the leaves can add up to more than a {adding.precision} can hold: "
            "scale the targets and fit again"
        )


def last_below(holds: Callable[[float], bool]) -> float:
    """Give the last float64 at which a condition does not hold, that holds from some number on.

    By bisection over all finite floats.

    Examples
    --------
    >>> last_below(lambda x: x > 0.5)
    0.5
    """
    most = _place(float(np.finfo(np.float64).max))
    low, high = -most, most
    while high - low > 1:
        middle = (low + high) // 2
        if holds(_float_at(middle)):
            high = middle
        else:
            low = middle
    return _float_at(low)


def _place(number: float) -> int:
    """Give the place of a number of at least 0 among all floats; 0 is at 0."""
    return int(np.float64(number).view(np.int64))


def _float_at(place: int) -> float:
    number = float(np.int64(abs(place)).view(np.float64))
    return -number if place < 0 else number
