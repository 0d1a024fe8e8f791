"""Predicates: PMML's conditions, in three-valued logic.

In:  elements of a tree's node, rule or segment.
Out: ``Predicate``: what it can be on a box of values, and a test that would tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...errors import UnreadableModel
from .derived import Refused
from .document import Element
from .fields import ORDERS, Field
from .regions import FALSE, TRUE, UNKNOWN, Atom

__all__ = ["NAMES", "Compound", "Predicate", "all_of", "predicate_of"]

NAMES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
OPERATORS = ("equal", "notEqual", *ORDERS, "isMissing", "isNotMissing")
COMPOUNDS = ("and", "or", "xor", "surrogate")
DEEPEST = 50  # that predicates nest


class Compound(NamedTuple):
    """Predicates that are joined."""

    operator: str
    parts: tuple[Predicate, ...]


Predicate = Atom | Compound | bool


def all_of(predicates: Sequence[Predicate]) -> Predicate:
    """Join predicates that must all hold."""
    return predicates[0] if len(predicates) == 1 else Compound("and", tuple(predicates))


def predicate_of(parent: Element, fields: Mapping[str, Field]) -> Predicate:
    """Read the predicate of a node, rule or segment, which must have one."""
    element = parent.first(*NAMES)
    if element is None:
        raise UnreadableModel(
            f"a {parent.name} has no predicate; it must have one of {', '.join(NAMES)}"
        )
    return _read(element, fields, 0)


def _read(element: Element, fields: Mapping[str, Field], depth: int) -> Predicate:
    if depth > DEEPEST:
        raise UnreadableModel(f"predicates nest deeper than {DEEPEST}")
    if element.name in ("True", "False"):
        return element.name == "True"
    if element.name == "CompoundPredicate":
        operator = element.get("booleanOperator")
        parts = tuple(_read(part, fields, depth + 1) for part in element.all(*NAMES))
        if operator not in COMPOUNDS or not parts:
            raise UnreadableModel(
                f"a CompoundPredicate has the operator {operator!r:.40} and {len(parts)} parts; it "
                f"must be one of {', '.join(COMPOUNDS)}, of at least one"
            )
        return Compound(operator, parts)
    field = fields.get(element.get("field"))
    if field is None:
        raise UnreadableModel(
            f"a predicate asks about {element.get('field')!r:.80}, which is not an active field of "
            "the model"
        )
    if isinstance(field, Refused):
        raise field.fault
    if element.name == "SimpleSetPredicate":
        operator = element.get("booleanOperator")
        array = element.first("Array")
        if operator not in ("isIn", "isNotIn") or array is None:
            raise UnreadableModel(
                f"a SimpleSetPredicate has the operator {operator!r:.40}, and must have isIn or "
                "isNotIn, and an Array"
            )
        return field.atom(operator, words_of(array.text))
    operator = element.get("operator")
    if operator not in OPERATORS:
        raise UnreadableModel(
            f"a predicate has the operator {operator!r:.40}: it must be one of "
            f"{', '.join(OPERATORS)}"
        )
    if operator.endswith("Missing"):
        return field.atom(operator, ())
    if "value" not in element.attributes:
        raise UnreadableModel(f"a predicate with the operator {operator!r} has no value")
    return field.atom(operator, [element.get("value")])


def words_of(text: str) -> list[str]:
    r"""Take an array apart: words between spaces, or in quotation marks.

    Examples
    --------
    >>> words_of(r'red "light blue" "a \"b\""')
    ['red', 'light blue', 'a "b"']
    """
    out: list[str] = []
    at, n = 0, len(text)
    while at < n:
        if text[at].isspace():
            at += 1
        elif text[at] == '"':
            letters: list[str] = []
            at += 1
            while at < n and text[at] != '"':
                if text[at] == "\\" and at + 1 < n and text[at + 1] in '"\\':
                    at += 1
                letters.append(text[at])
                at += 1
            if at == n:
                raise UnreadableModel(f"an Array has a quotation mark too few: {text!r:.80}")
            out.append("".join(letters))
            at += 1
        else:
            end = at
            while end < n and not text[end].isspace():
                end += 1
            out.append(text[at:end])
            at = end
    return out


# -- three-valued logic on sets of what is possible -----------------------------------------------


def joined(operator: str, a: int, b: int) -> int:
    """Join what two predicates can be, by PMML's tables.

    Examples
    --------
    >>> joined("and", TRUE, UNKNOWN) == UNKNOWN, joined("and", FALSE, UNKNOWN) == FALSE
    (True, True)
    """
    if operator == "surrogate":
        return (a & ~UNKNOWN) | (b if a & UNKNOWN else 0)
    out = 0
    for x in (TRUE, FALSE, UNKNOWN):
        for y in (TRUE, FALSE, UNKNOWN):
            if a & x and b & y:
                out |= _one(operator, x, y)
    return out


def _one(operator: str, x: int, y: int) -> int:
    strong = {"and": FALSE, "or": TRUE}.get(operator)
    if strong is not None:
        if strong in (x, y):
            return strong
        return UNKNOWN if UNKNOWN in (x, y) else x
    if UNKNOWN in (x, y):
        return UNKNOWN
    return TRUE if x != y else FALSE


JOINED = {
    (operator, a, b): joined(operator, a, b)
    for operator in COMPOUNDS for a in range(8) for b in range(8)
}  # fmt: skip
