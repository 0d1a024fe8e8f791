"""Conditions of rules: cells of a decision table, and sentences.

In:  the text of a cell, such as ``<= 30``, ``[18..25)``, ``20-30``, ``a, b`` or ``not a``; the text
     of a rule's conditions, such as ``age <= 30 and ward in {a, b}``.
Out: ``Cell``, None where it asks nothing; for a sentence, one list of cells, by feature, per
     alternative (``or``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ...errors import InvalidTree
from ...model import parse
from ..points import Test

__all__ = ["ANYTHING", "Alternative", "Cell", "read_cell", "read_sentence", "value_of"]

ANYTHING = ("", "-", "\N{EN DASH}", "\N{EM DASH}")
SIGNS = {"<=": "<=", "≤": "<=", "<": "<", ">=": ">=", "≥": ">=", ">": ">", "==": "is", "=": "is",
         "!=": "is not", "≠": "is not", "<>": "is not"}  # fmt: skip
SIGN = re.compile("|".join(sorted(map(re.escape, SIGNS), key=len, reverse=True)))
_N = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?<!\.)"
RANGE = re.compile(rf"([\[\](])\s*({_N})\s*\.\.\s*({_N})\s*([\])\[])")
PLAIN_RANGE = re.compile(rf"({_N})\s*(?:\.\.|-|\u2013|to)\s*({_N})")
NEGATED = re.compile(r"not\s*\((.*)\)|not\s+(.*)", re.IGNORECASE | re.DOTALL)

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
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
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return parse(text)
        except InvalidTree as error:
            raise InvalidTree(f"{where}: {text!r:.80} is not a value: {error}") from error
    return _number(text) if NUMBER.fullmatch(text) else text


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _pieces(text: str, where: str, feature: str) -> Iterator[str]:
    """Split a list at its commas; those in quotes stay."""
    pieces: list[str] = []
    for match in re.finditer(rf"\s*({QUOTED}|[^,]*)\s*(?:,|$)", text):
        if match.end() == match.start() and pieces:
            break
        pieces.append(match[1].strip())
        if not match[0].endswith(","):
            break
    for piece in pieces:
        if piece[:1] in ("'", '"') and not re.fullmatch(QUOTED, piece):
            raise InvalidTree(
                f"{where}, {feature!r:.80}: after quoted text a comma or the end is expected, got "
                f"{piece!r:.80}; text that holds a quote goes into quotes of the other kind"
            )
    if "" in pieces:
        raise InvalidTree(
            f"{where}, {feature!r:.80}: a value is empty in {text!r:.80}: remove a comma, or quote "
            "the text"
        )
    if re.search(r"[0-9],[0-9]", text) and all(
        NUMBER.fullmatch(SIGN.sub("", piece).strip()) for piece in pieces
    ):
        raise InvalidTree(
            f"{where}, {feature!r:.80}: {text!r:.80} may be one number or a list: write a decimal "
            "point, or a space after the comma of a list"
        )
    yield from pieces


def _part(piece: str, feature: str, where: str, labels: Collection[Any]) -> Part:
    """Read one range, one comparison or one value."""
    if piece in labels:
        return (Test(feature, "is", piece),)
    match = RANGE.fullmatch(piece)
    if match:
        low = Test(feature, ">=" if match[1] == "[" else ">", _number(match[2]))
        high = Test(feature, "<=" if match[4] == "]" else "<", _number(match[3]))
        return _rising(piece, low, high, where)
    match = PLAIN_RANGE.fullmatch(piece)
    if match:
        ends = Test(feature, ">=", _number(match[1])), Test(feature, "<=", _number(match[2]))
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


# -- sentences ------------------------------------------------------------------------------------

Alternative = list[tuple[str, Cell]]  # conditions that hold together

ALWAYS = (*ANYTHING, "else", "otherwise", "true", "default")
NAME_OR_TEXT = rf"`[^`]*`|{QUOTED}"
TOKEN = re.compile(
    rf"{NAME_OR_TEXT}|\b(?:and|or)\b|&&|\|\||[&|]|\s+|\w+|.", re.IGNORECASE | re.DOTALL
)
AND, OR = ("and", "&&", "&"), ("or", "||", "|")
CONDITION = re.compile(
    rf"({NAME_OR_TEXT}|.+?)\s*(\bnot\s+in\b|\bin\b|\bis\s+not\b|\bis\b|\bbetween\b|{SIGN.pattern})\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
CHAIN = re.compile(
    rf"([^<>=!]+?)\s*(<=?|≤)\s*({NAME_OR_TEXT}|[^<>=!]+?)\s*(<=?|≤)\s*([^<>=!]+)", re.DOTALL
)
BETWEEN = re.compile(r"\bbetween\s+\S+\s*$", re.IGNORECASE)


def read_sentence(text: str, where: str) -> list[Alternative]:
    """Read the conditions of a rule; an empty alternative holds for every row.

    Examples
    --------
    >>> read_sentence("else", "line 9")
    [[]]
    >>> [[name for name, _ in both] for both in read_sentence("a > 1 and b or c is x", "line 2")]
    [['a', 'b'], ['c']]
    """
    if text.strip().casefold() in ALWAYS:
        return [[]]
    out: list[Alternative] = [[]]
    for joint, condition in _conditions(text):
        if not condition.strip():
            raise InvalidTree(f"{where}: a condition is missing in {text!r:.120}")
        if joint in OR:
            out.append([])
        out[-1] += _condition(condition.strip(), where)
    return out


def _conditions(text: str) -> Iterator[tuple[str, str]]:
    """Split at 'and' and 'or' outside of quotes; each condition with the word before it."""
    joint, condition = "", ""
    for token in TOKEN.finditer(text):
        word = token[0].casefold()
        if word in (*AND, *OR) and not (word == "and" and BETWEEN.search(condition)):
            yield joint, condition
            joint, condition = word, ""
        else:
            condition += token[0]
    yield joint, condition


def _condition(text: str, where: str) -> Alternative:
    """Read one condition on one feature."""
    if text.startswith("(") or (text.count("(") != text.count(")") and ".." not in text):
        raise InvalidTree(
            f"{where}: brackets around conditions are not read, got {text!r:.80}: write one rule "
            "per line, or alternatives with 'or'"
        )
    chain = CHAIN.fullmatch(text)
    if chain:
        low, first, name, second, high = chain.groups()
        ends = [(">=" if first != "<" else ">", low), ("<=" if second != "<" else "<", high)]
        return [_cell(name, f"{sign} {end.strip()}", where) for sign, end in ends]
    match = CONDITION.fullmatch(text)
    if match is None:
        negated = re.fullmatch(r"not\s+(.+)", text, re.IGNORECASE | re.DOTALL)
        return [_cell(negated[1] if negated else text, "false" if negated else "true", where)]
    name, relation, rest = match[1], " ".join(match[2].casefold().split()), match[3].strip()
    if not rest:
        raise InvalidTree(f"{where}: {text!r:.80} compares with nothing")
    if relation == "between":
        rest = re.sub(r"\s+and\s+", "..", rest, count=1, flags=re.IGNORECASE)
        return [_cell(name, rest, where)]
    if relation in ("in", "not in"):
        if ".." not in rest and rest[0] + rest[-1] in ("{}", "()", "[]"):
            rest = rest[1:-1]
        return [_cell(name, f"not {rest}" if relation == "not in" else rest, where)]
    sign = {"is": "=", "is not": "!="}.get(relation, relation)
    return [_cell(name, f"{sign} {rest}", where)]


def _cell(name: str, text: str, where: str) -> tuple[str, Cell]:
    name = name.strip()
    quoted = len(name) > 1 and name[0] == name[-1] and name[0] in "`\"'"
    name = name[1:-1] if quoted else " ".join(name.split())
    if not name or (not quoted and SIGN.search(name)):
        raise InvalidTree(
            f"{where}: {name!r:.80} is not the name of a feature: put a name that holds signs in "
            "backquotes"
        )
    cell = read_cell(text, name, where)
    if cell is None:
        raise InvalidTree(f"{where}: a condition on {name!r:.80} compares with nothing")
    return name, cell
