"""Rules as text: ``age <= 30 and ward in {a, b}``.

In:  the text of a rule's conditions.
Out: one list of cells, by feature, per alternative (``or``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...errors import InvalidTree
from .cells import ANYTHING, QUOTED, SIGN, Cell, read_cell

__all__ = ["Alternative", "read_sentence"]

Alternative = list[tuple[str, Cell]]  # conditions that hold together

ALWAYS = (*ANYTHING, "else", "otherwise", "true", "default")
_QUOTED = rf"`[^`]*`|{QUOTED}"
TOKEN = re.compile(rf"{_QUOTED}|\b(?:and|or)\b|&&|\|\||[&|]|\s+|\w+|.", re.IGNORECASE | re.DOTALL)
AND, OR = ("and", "&&", "&"), ("or", "||", "|")
CONDITION = re.compile(
    rf"({_QUOTED}|.+?)\s*(\bnot\s+in\b|\bin\b|\bis\s+not\b|\bis\b|\bbetween\b|{SIGN.pattern})\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
CHAIN = re.compile(
    rf"([^<>=!]+?)\s*(<=?|≤)\s*({_QUOTED}|[^<>=!]+?)\s*(<=?|≤)\s*([^<>=!]+)", re.DOTALL
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
    for found in TOKEN.finditer(text):
        word = found[0].casefold()
        if word in (*AND, *OR) and not (word == "and" and BETWEEN.search(condition)):
            yield joint, condition
            joint, condition = word, ""
        else:
            condition += found[0]
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
    found = CONDITION.fullmatch(text)
    if found is None:
        negated = re.fullmatch(r"not\s+(.+)", text, re.IGNORECASE | re.DOTALL)
        return [_cell(negated[1] if negated else text, "false" if negated else "true", where)]
    name, relation, rest = found[1], " ".join(found[2].casefold().split()), found[3].strip()
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
