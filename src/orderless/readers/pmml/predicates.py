"""Predicates: PMML's conditions, in three-valued logic.

In:  elements of a tree's node, rule or segment.
Out: ``Predicate``: an ``Atom``, or several that are joined by the tables in ``JOINED``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ...errors import UnreadableModel
from .document import Element
from .fields import ORDERS, Field
from .regions import FALSE, TRUE, UNKNOWN, Atom

__all__ = ["JOINED", "NAMES", "Compound", "Predicate", "predicate_of", "words_of"]

NAMES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
OPERATORS = ("equal", "notEqual", *ORDERS, "isMissing", "isNotMissing")
COMPOUNDS = ("and", "or", "xor", "surrogate")
MAX_DEPTH = 50  # that predicates nest
WORD = re.compile(r'("(?:[^"\\]|\\.)*")|(")|([^\s"]\S*)', re.DOTALL)
ESCAPED = re.compile(r'\\(["\\])')


class Compound(NamedTuple):
    """Predicates that are joined."""

    operator: str
    parts: tuple[Predicate, ...]


Predicate = Atom | Compound | bool


def predicate_of(parent: Element, fields: Mapping[str, Field]) -> Predicate:
    """Read the predicate of a node, rule or segment, which must have one."""
    element = parent.first(*NAMES)
    if element is None:
        raise UnreadableModel(
            f"a {parent.name} has no predicate; it must have one of {', '.join(NAMES)}"
        )
    return _read(element, fields, 0)


def _read(element: Element, fields: Mapping[str, Field], depth: int) -> Predicate:
    if depth > MAX_DEPTH:
        raise UnreadableModel(f"predicates nest deeper than {MAX_DEPTH}")
    if element.name in ("True", "False"):
        return element.name == "True"
    if element.name == "CompoundPredicate":
        operator = element.get("booleanOperator")
        parts = tuple(_read(inner, fields, depth + 1) for inner in element.all(*NAMES))
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
    if element.name == "SimpleSetPredicate":
        operator, array = element.get("booleanOperator"), element.first("Array")
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
    r"""Split an array: words between spaces, or in quotation marks.

    Examples
    --------
    >>> words_of(r'red "light blue" "a \"b\""')
    ['red', 'light blue', 'a "b"']
    """
    out: list[str] = []
    for match in WORD.finditer(text):
        quoted, unclosed, word = match.groups()
        if unclosed:
            raise UnreadableModel(f"an Array has a quotation mark too few: {text!r:.80}")
        out.append(word or ESCAPED.sub(r"\1", quoted[1:-1]))
    return out


# -- three-valued logic on sets of what is possible ------------------------------------------------


def _joined(operator: str, a: int, b: int) -> int:
    """Join what two predicates can be, by PMML's tables."""
    if operator == "surrogate":
        return (a & ~UNKNOWN) | (b if a & UNKNOWN else 0)
    if not (a and b):
        return 0
    if operator == "xor":
        out = UNKNOWN * bool((a | b) & UNKNOWN)
        out |= TRUE * bool((a & TRUE and b & FALSE) or (a & FALSE and b & TRUE))
        return out | FALSE * bool(a & b & (TRUE | FALSE))
    strong, weak = (FALSE, TRUE) if operator == "and" else (TRUE, FALSE)
    out = strong * bool((a | b) & strong)
    out |= UNKNOWN * bool((a & UNKNOWN and b & ~strong) or (b & UNKNOWN and a & ~strong))
    return out | weak * bool(a & b & weak)


JOINED = {
    (operator, a, b): _joined(operator, a, b)
    for operator in COMPOUNDS for a in range(8) for b in range(8)
}  # fmt: skip
