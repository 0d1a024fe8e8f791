"""The numbers of a regression tree as people read them: no more digits than tell them apart.

In:  numbers.
Out: a text for each; amounts of a few digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...model import label_text, short_number

if TYPE_CHECKING:
    from ...model import Tree

__all__ = ["amount", "class_names", "number_names"]

LEAST, MOST = 4, 17  # significant digits; 17 tell any two floats apart


def number_names(numbers: Iterable[float]) -> dict[float, str]:
    """Write numbers with the fewest digits, four at least, at which all of them differ.

    Examples
    --------
    >>> number_names([12.4, 83.36904761904762, 1250000.0])
    {12.4: '12.4', 83.36904761904762: '83.37', 1250000.0: '1250000'}
    >>> number_names([0.123456, 0.123457])
    {0.123456: '0.123456', 0.123457: '0.123457'}
    """
    own = list(dict.fromkeys(numbers))
    out: dict[float, str] = {}
    for digits in range(LEAST, MOST + 1):
        out = {number: _rounded(number, digits) for number in own}
        if len(set(out.values())) == len(own):
            break
    return out


def class_names(tree: Tree) -> list[str]:
    """Write the classes of a tree, in their order; numbers as ``number_names`` does."""
    if tree.task != "regression":
        return [label_text(label) for label in tree.classes]
    return list(number_names(tree.numbers.tolist()).values())


def amount(number: float) -> str:
    """Write a number of which four digits are enough."""
    return _rounded(number, LEAST)


def _rounded(number: float, digits: int) -> str:
    # The digits before the point are all kept: 123456.7 is no 123500.
    before = len(f"{abs(number):.0f}") if abs(number) < 1e15 else 1
    rounded = float(f"{number:.{max(digits, before)}g}")
    return short_number(rounded if math.isfinite(rounded) else number)
