"""Cells of a decision table: what one of them asks of its feature.

In:  the text of a cell, such as ``<= 30``, ``[18..25)``, ``20-30``, ``a, b`` or ``not a``.
Out: ``Cell``; None where it asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ...errors import InvalidTree
from ..ensembles.score_csv import NUMBER, literal
from ..ensembles.score_items import Test

__all__ = ["ANYTHING", "Cell", "read_cell", "value_of"]

ANYTHING = ("", "-", "\N{EN DASH}", "\N{EM DASH}")
SIGNS = {"<=": "<=", "≤": "<=", "<": "<", ">=": ">=", "≥": ">=", ">": ">", "==": "is", "=": "is",
         "!=": "is not", "≠": "is not", "<>": "is not"}  # fmt: skip
SIGN = re.compile("|".join(sorted(map(re.escape, SIGNS), key=len, reverse=True)))
_N = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?<!\.)"
RANGE = re.compile(rf"([\[\](])\s*({_N})\s*\.\.\s*({_N})\s*([\])\[])")
PLAIN_RANGE = re.compile(rf"({_N})\s*(?:\.\.|-|\u2013|to)\s*({_N})")
NEGATED = re.compile(r"not\s*\((.*)\)|not\s+(.*)", re.IGNORECASE | re.DOTALL)

QUOTED = r""""(?:[^"\\]|\\.)*"|'[^']*'"""

Part = tuple[Test, ...]


class Cell(NamedTuple):
    """What a cell asks: one of its parts holds, or none where it is negated.

    The tests of a part must hold together.
    """

    parts: tuple[Part, ...]
    negated: bool = False


def read_cell(text: str, feature: str, where: str, labels: Collection[Any] = ()) -> Cell | None:
    """Read a cell; None where it asks nothing.

    ``where`` names it in messages. Text that is one of the ``labels`` of a declared feature is that
    label, whatever it looks like.

    Examples
    --------
    >>> read_cell("[18..25)", "age", "line 2").parts
    ((Test(feature='age', relation='>=', value=18), Test(feature='age', relation='<', value=25)),)
    >>> read_cell("not a, b", "ward", "line 2")
    Cell(parts=((Test(feature='ward', relation='among', value=['a', 'b']),),), negated=True)
    """
    text = text.strip()
    if text in ANYTHING:
        return None
    if text in labels:
        return Cell(((Test(feature, "among", [text]),),))
    negation = NEGATED.fullmatch(text)
    if negation:
        text = (negation[1] if negation[1] is not None else negation[2]).strip()
    named: list[Any] = []
    parts: list[Part] = []
    for piece in _pieces(text, where, feature):
        part = _part(piece, feature, where, labels)
        if len(part) == 1 and part[0].relation == "is":
            named.append(part[0].value)
        else:
            parts.append(part)
    if named:
        parts.append((Test(feature, "among", named),))
    return Cell(tuple(parts), negation is not None)


def value_of(text: str, where: str) -> Any:
    """Read true, false, a number or text; what is in quotes is text, whatever it looks like.

    Examples
    --------
    >>> value_of("30", ""), value_of("'30'", ""), value_of('"30"', ""), value_of("TRUE", "")
    (30, '30', '30', True)
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    try:
        return literal(text, 0)
    except InvalidTree as fault:
        raise InvalidTree(f"{where}: {text!r:.80} is not a value: {fault}") from fault


def _pieces(text: str, where: str, feature: str) -> Iterator[str]:
    """Split a list at its commas; those in quotes stay."""
    found: list[str] = []
    for match in re.finditer(rf"\s*({QUOTED}|[^,]*)\s*(?:,|$)", text):
        if match.end() == match.start() and found:
            break
        found.append(match[1].strip())
        if not match[0].endswith(","):
            break
    for piece in found:
        if piece[:1] in ("'", '"') and not re.fullmatch(QUOTED, piece):
            raise InvalidTree(
                f"{where}, {feature!r:.80}: after quoted text a comma or the end is expected, got "
                f"{piece!r:.80}; text that holds a quote goes into quotes of the other kind"
            )
    if "" in found:
        raise InvalidTree(
            f"{where}, {feature!r:.80}: a value is empty in {text!r:.80}: remove a comma, or quote "
            "the text"
        )
    if re.search(r"[0-9],[0-9]", text) and all(
        NUMBER.fullmatch(SIGN.sub("", piece).strip()) for piece in found
    ):
        raise InvalidTree(
            f"{where}, {feature!r:.80}: {text!r:.80} may be one number or a list: write a decimal "
            "point, or a space after the comma of a list"
        )
    yield from found


def _part(piece: str, feature: str, where: str, labels: Collection[Any]) -> Part:
    """Read one range, one comparison or one value."""
    if piece in labels:
        return (Test(feature, "is", piece),)
    found = RANGE.fullmatch(piece)
    if found:
        low = Test(feature, ">=" if found[1] == "[" else ">", literal(found[2], 0))
        high = Test(feature, "<=" if found[4] == "]" else "<", literal(found[3], 0))
        return _rising(piece, low, high, where)
    found = PLAIN_RANGE.fullmatch(piece)
    if found:
        ends = Test(feature, ">=", literal(found[1], 0)), Test(feature, "<=", literal(found[2], 0))
        return _rising(piece, *ends, where)
    sign = SIGN.match(piece)
    if sign is None:
        if NEGATED.fullmatch(piece):
            raise InvalidTree(
                f"{where}, {feature!r:.80}: 'not' must come first and holds for the whole list, "
                f"got {piece!r:.80} after a comma"
            )
        return (Test(feature, "is", value_of(piece, where)),)
    relation = SIGNS[sign[0]]
    rest = piece[sign.end() :].strip()
    if not rest or SIGN.match(rest):
        raise InvalidTree(f"{where}, {feature!r:.80}: {piece!r:.80} compares with nothing")
    value = rest if rest in labels else value_of(rest, where)
    if relation in ("is", "is not"):
        return (Test(feature, relation, value),)
    if isinstance(value, bool | str):
        raise InvalidTree(
            f"{where}, {feature!r:.80}: {piece!r:.80} needs a number after {sign[0]!r}; put text "
            "that begins like this in quotes"
        )
    return (Test(feature, relation, value),)


def _rising(piece: str, low: Test, high: Test, where: str) -> Part:
    closed = low.relation == ">=" and high.relation == "<="
    if low.value > high.value or (low.value == high.value and not closed):
        raise InvalidTree(
            f"{where}, {low.feature!r:.80}: no number lies in {piece!r:.80}: write the smaller end "
            "first"
        )
    return low, high
