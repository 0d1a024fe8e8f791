"""Words: conditions, boxes and leaves as people read them, shown so that no text can act.

In:  sides, labels, numbers, trees.
Out: ``age <= 24``, ``color in {red, blue}``, also as pieces; amounts of a few digits; a tree as
     indented text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .escapes import printable
from .feature import Label, Side
from .numbers import short_end, short_number

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = [
    "ROUNDED",
    "Piece",
    "amount",
    "any_rounded",
    "class_names",
    "has_or",
    "label_text",
    "number_names",
    "pieces",
    "side_text",
    "sides_text",
    "tree_text",
    "were",
]

Piece = tuple[Literal["name", "label", "number", "sign"], str]


def side_text(side: Side) -> str:
    """Write what a box says of one feature.

    Examples
    --------
    >>> from orderless import Feature
    >>> side_text(Side(Feature("lab value", values="float32"), upper=2.4499998092651367))
    'lab value < 2.45'
    """
    return "".join(text for _, text in pieces(side))


def sides_text(sides: Iterable[Side]) -> str:
    """Write what a box says of all features.

    Examples
    --------
    >>> from orderless import Feature
    >>> amount = Side(Feature("amount", nan=True), upper=1290.0, nan=True)
    >>> sides_text([amount, Side(Feature("income"), lower=88.5)])
    '(amount <= 1290 or missing) AND income > 88.5'
    """
    sides = tuple(sides)
    texts = ("".join(text for _, text in pieces(side, among=len(sides))) for side in sides)
    return " AND ".join(texts) or "always"


def label_text(label: Label) -> str:
    """Write a class or category; text that is empty, or begins or ends in space, in quotes.

    Examples
    --------
    >>> label_text("red"), label_text(1), label_text("")
    ('red', '1', "''")
    """
    text = str(label)
    return repr(text) if text != text.strip() or not text else printable(text)


def has_or(side: Side) -> bool:
    """Whether its text holds an "or", so that it needs parentheses beside an AND."""
    return side.feature.kind == "numeric" and side.nan and side.lower < side.upper


def pieces(side: Side, among: int = 1) -> Iterator[Piece]:
    """Write what a box says of one feature as pieces; together they are ``side_text``.

    ``among`` is how many conditions are joined by AND: beside others, one that holds an "or" is in
    parentheses.

    Examples
    --------
    >>> from orderless import Feature
    >>> list(pieces(Side(Feature("age", values="integer"), upper=24.0)))
    [('name', 'age'), ('sign', ' <= '), ('number', '24')]
    """
    if among > 1 and has_or(side):
        yield from (("sign", "("), *pieces(side), ("sign", ")"))
        return
    feature = side.feature
    name: Piece = ("name", printable(feature.name))
    if feature.kind == "boolean":
        if side.upper < 1:
            yield "sign", "not "
        yield name
    elif not feature.ordered:
        yield name
        yield from _among(side)
    elif not side.lower < side.upper:
        yield name
        yield "sign", " is missing"
    elif math.isinf(side.lower) and math.isinf(side.upper):
        yield name
        yield "sign", " is known"
    else:
        yield from _between(side, name)


def were(side: Side) -> str:
    """Write what a feature would have to be.

    Examples
    --------
    >>> from orderless import Feature
    >>> were(Side(Feature("age", values="integer"), upper=24.0))
    'age were <= 24'
    """
    feature = side.feature
    if feature.kind == "boolean":
        return f"{feature.name} were {'true' if side.upper >= 1 else 'false'}"
    if not feature.ordered:
        parts = [text for kind, text in pieces(side) if kind != "name"]
        text = "".join(parts).lstrip()  # "= red", "!= red", "in {red, blue}"
        for sign, word in (("= ", ""), ("!= ", "not ")):
            text = word + text[len(sign) :] if text.startswith(sign) else text
        return f"{feature.name} were {text}"
    bounds = []
    if not side.lower < side.upper:
        return f"{feature.name} were missing"
    if math.isfinite(side.lower):
        number, beyond = short_end(side.lower, feature.values)
        bounds.append(f">= {number}" if beyond else f"> {number}")
    if math.isfinite(side.upper):
        number, beyond = short_end(side.upper, feature.values)
        bounds.append(f"< {number}" if beyond else f"<= {number}")
    return f"{feature.name} were {' and '.join(bounds) or 'known'}" + " or missing" * side.nan


def _between(side: Side, name: Piece) -> Iterator[Piece]:
    low, low_beyond = short_end(side.lower, side.feature.values)
    high, high_beyond = short_end(side.upper, side.feature.values)
    if math.isinf(side.upper):
        yield from (name, ("sign", " >= " if low_beyond else " > "), ("number", low))
    else:
        if not math.isinf(side.lower):
            yield from (("number", low), ("sign", " <= " if low_beyond else " < "))
        yield from (name, ("sign", " < " if high_beyond else " <= "), ("number", high))
    if side.nan:
        yield "sign", " or missing"


def _among(side: Side) -> Iterator[Piece]:
    """Write a set of categories, or what is left out where that is shorter."""
    inside = [label_text(label) for label in side.labels]
    own = set(side.codes)
    outside = [
        label_text(side.feature.label(code))
        for code in range(side.feature.n_values)
        if code not in own
    ]
    if len(inside) == 1 or len(outside) == 1:
        sign, shown = (" = ", inside) if len(inside) == 1 else (" != ", outside)
        yield from (("sign", sign), ("label", shown[0]))
        return
    sign, shown = (" not in ", outside) if len(outside) < len(inside) else (" in ", inside)
    yield "sign", sign
    for i, label in enumerate(shown):
        yield "sign", ", " if i else "{"
        yield "label", label
    yield "sign", "}"


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
