"""Rules: how the scores of an ensemble become a class, or a number.

In:  nothing; readers make them.
Out: ``Rule``, and the names of links.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .whole_numbers import in_units

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
        before it compares. Behind a softmax it can only take them for equal, so that the first
        wins; elsewhere (an average of averages) any of them, even equal ones, may come out ahead
    """

    kind: Literal["largest", "cuts", "number"]
    cuts: tuple[float, ...] = ()
    window: float = 0.0

    def window_in_units(self, exponent: int) -> int:
        """Give the window in units of ``2 ** exponent``.

        Scores are whole numbers there, so that two of them are within the window if they are
        within the whole number below it; a cut need not be one.

        Examples
        --------
        >>> Rule("largest", window=0.1).window_in_units(0)
        0
        >>> Rule("cuts", cuts=(2.5,), window=0.1).window_in_units(0)
        1
        """
        if self.kind == "largest":
            return in_units(self.window, exponent)
        return -in_units(-self.window, exponent)
