"""Words: what a box, or a node of a tree, says of a feature, as text and as pieces of text.

In:  ``Side``.
Out: ``age <= 24``, ``color in {red, blue}``; also as pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal

from .escapes import printable
from .feature import Label
from .numbers import short_end, short_number
from .side import Side

__all__ = [
    "Piece",
    "condition_text",
    "drawn",
    "has_or",
    "label_text",
    "pieces",
    "printable",
    "side_text",
    "sides_text",
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


def condition_text(feature: str, at_most: float | None, among: Iterable[Label]) -> str:
    """Write a condition of a column: at most a number, or one of some labels.

    Examples
    --------
    >>> condition_text("age", 30.0, ())
    'age <= 30'
    """
    if at_most is not None:
        return f"{feature} <= {short_number(at_most)}"
    values = tuple(among)
    if values == (True,) and isinstance(values[0], bool):
        return feature
    if len(values) == 1:
        return f"{feature} = {values[0]}"
    return f"{feature} in {{{', '.join(str(v) for v in values)}}}"


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


def drawn(text: str) -> str:
    r"""Write text so that matplotlib draws it as it is.

    A pair of $ would make a formula of it, and a label that begins with _ is left out of legends.

    Examples
    --------
    >>> print(drawn("$income$"))
    \$income\$
    """
    text = printable(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


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
