"""What leaves say, in words; numbers as people read them: no more digits than tell them apart.

In:  numbers, or a tree.
Out: a text for each class or number; amounts of a few digits; the tree as indented text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .escapes import printable
from .numbers import short_number
from .words import label_text, side_text

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = ["ROUNDED", "amount", "any_rounded", "class_names", "number_names", "tree_text"]

ROUNDED = "Numbers are rounded."

ANSWERS = ("yes", "no", "y", "n")  # to questions: not to be taken for classes
DRAWN = 100  # conditions on a path that are drawn as text
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


def any_rounded(names: Mapping[Any, str]) -> bool:
    """Whether some number is not what its text says.

    Examples
    --------
    >>> any_rounded(number_names([2.5, 7])), any_rounded(number_names([2.5, 37 / 3]))
    (False, True)
    """
    return any(float(name) != number for number, name in names.items())


def class_names(tree: TreeKernel) -> list[str]:
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


def tree_text(tree: TreeKernel) -> str:
    """Draw a tree as indented text; a last line says where numbers are rounded."""
    lines: list[str] = []
    numbers = number_names(tree.numbers.tolist()) if tree.task == "regression" else {}
    names = list(numbers.values()) or [printable(str(label)) for label in tree.classes]
    if any(name.strip().lower() in ANSWERS for name in names):
        names = [f"class {name}" for name in names]  # "yes: no" could be read in two ways
    todo: list[tuple[int, str, str]] = [(0, "", "")]
    while todo:
        node, lead, indent = todo.pop()
        if len(indent) > 2 * DRAWN:  # the indents alone would be quadratic
            lines.append(f"{lead}... (deeper than {DRAWN} conditions, not drawn)")
            continue
        if tree.feature[node] < 0:
            lines.append(lead + names[tree.leaf_class[node]])
            continue
        lines.append(f"{lead}{printable(side_text(tree.side(node)))}?")
        inside = indent + "  "
        todo.append((int(tree.when_false[node]), f"{inside}no:  ", inside))
        todo.append((int(tree.when_true[node]), f"{inside}yes: ", inside))
    if any_rounded(numbers):
        lines.append(ROUNDED)
    return "\n".join(lines)
