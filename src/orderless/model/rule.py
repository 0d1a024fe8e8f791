"""Rules: how the scores of an ensemble become a class, or a number.

In:  nothing; readers make them.
Out: ``Rule``, and the names of links.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple

from .whole_numbers import BEYOND, in_units

__all__ = ["Link", "Rule"]

Link = Literal["identity", "logistic", "softmax", "exp"]


class Rule(NamedTuple):
    """How scores become a class, or a number.

    Attributes
    ----------
    kind : "largest": the class whose score is largest after it is divided, of equals the first.
        "cuts": of one score, the class whose number is how many cuts the score is above. "number":
        the score itself
    cuts : rising, compared with the undivided sum as the library keeps it
    window : sums that are this close, or closer, may be told apart or not: the library rounds again
        before it compares (a softmax), which keeps their order, or makes them equal
    either : of sums that close the later may even be put first: it is the sums themselves that the
        library rounds in another way (an average of averages)
    """

    kind: Literal["largest", "cuts", "number"]
    cuts: tuple[float, ...] = ()
    window: float = 0.0
    either: bool = False

    def window_in_units(self, exponent: int) -> int:
        """Give the window in units of ``2 ** exponent``, in which sums are whole numbers.

        Two of them are within the window if they are within the whole number below it. From a cut,
        which need not be whole, it is counted how far the whole numbers around it that are within
        the window are from the one below it.

        Examples
        --------
        >>> Rule("largest", window=0.1).window_in_units(0)
        0
        >>> Rule("cuts", (2.5,), window=0.1).window_in_units(0)
        0
        >>> Rule("cuts", (2.5, 3.0), window=0.1).window_in_units(0)
        1
        """
        near = in_units(self.window, exponent)
        if self.kind != "cuts" or self.window == 0:
            return near
        unit, window = Fraction(2) ** exponent, Fraction(self.window)
        for cut in map(Fraction, self.cuts):
            below = cut // unit
            near = max(near, (cut + window) // unit - below, below + 1 + (window - cut) // unit)
        return min(near, BEYOND)
