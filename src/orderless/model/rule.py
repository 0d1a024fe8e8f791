"""Rules: how the scores of an ensemble become a class, or a number.

In:  nothing; readers make them.
Out: ``Rule``, and the names of links.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

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
