"""Parts of a PMML file: elements, the fields of a space, and predicates.

In:  features, sides of boxes, labels.
Out: lines of XML. Everything that people named is escaped; what XML cannot hold is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import quoteattr

import numpy as np

from ...errors import InvalidTree
from ...model import Feature, Label, Side, row_boundary

__all__ = [
    "TARGET", "close", "dictionary", "document", "element", "indented", "label_word", "opening",
    "predicate", "schema", "target_name", "type_of",
]  # fmt: skip

TARGET = "prediction"
VERSION = "4.4"
ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PLAIN = re.compile(r"[\w.+-]+\Z")  # labels that need no quotation marks in an array

Lines = Iterable[str]


def text_of(value: str) -> str:
    """Give a text if XML can hold it."""
    wrong = ILLEGAL.search(value)
    if wrong is not None:
        raise InvalidTree(
            f"{value!r:.80} has the character {wrong[0]!r}, which XML cannot hold: rename the "
            "feature or label before you write PMML"
        )
    return value


def opening(tag: str, /, **attributes: str | None) -> str:
    r"""Write an opening tag; attributes that are None are left out.

    Examples
    --------
    >>> opening("Value", value='a<"b"&')
    '<Value value=\'a&lt;"b"&amp;\'>'
    """
    words = [
        f"{key}={quoteattr(text_of(value), {chr(10): '&#10;', chr(13): '&#13;', chr(9): '&#9;'})}"
        for key, value in attributes.items()
        if value is not None
    ]
    return f"<{' '.join([tag, *words])}>"


def close(name: str) -> str:
    """Write a closing tag."""
    return f"</{name}>"


def element(tag: str, /, *inner: Lines, **attributes: str | None) -> Iterator[str]:
    """Write an element around others, line by line."""
    first = opening(tag, **attributes)
    lines = [line for part in inner for line in part]
    if not lines:
        yield f"{first[:-1]}/>"
        return
    yield first
    yield from lines
    yield close(tag)


def document(*parts: Lines) -> str:
    """Write a whole file."""
    lines = element(
        "PMML",
        element("Header", element("Application", name="orderless")),
        *parts,
        xmlns=f"http://www.dmg.org/PMML-{VERSION.replace('.', '_')}",
        version=VERSION,
    )
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + indented(lines)


def indented(lines: Lines) -> str:
    """Put each line as far to the right as it is deep, by its tags."""
    out: list[str] = []
    depth = 0
    for line in lines:
        if line.startswith("</"):
            depth -= 1
        out.append(" " * min(depth, 40) + line)
        if not line.startswith("</") and not line.endswith("/>") and "</" not in line:
            depth += 1
    return "\n".join(out) + "\n"


# -- fields ---------------------------------------------------------------------------------------


def label_word(label: Label) -> str:
    """Write a label as PMML's text.

    Examples
    --------
    >>> label_word(True), label_word(3), label_word(0.1), label_word("3")
    ('true', '3', '0.1', '3')
    """
    if isinstance(label, bool):
        return "true" if label else "false"
    return label if isinstance(label, str) else repr(label)


def type_of(labels: Sequence[Label], what: str) -> str:
    """Give the type that labels have in PMML; they must have one."""
    kinds = {type(label) for label in labels}
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) > 1:
        raise InvalidTree(
            f"{what} has labels of several types, {sorted(kind.__name__ for kind in kinds)}, and a "
            "field of PMML has one: turn all into text first"
        )
    return {bool: "boolean", int: "integer", float: "double", str: "string"}[kinds.pop()]


def target_name(names: Sequence[str]) -> str:
    """Give a name for what is predicted that no feature has."""
    name = TARGET
    while name in names:
        name += "_"
    return name


def dictionary(features: Sequence[Feature], target: str, labels: Sequence[Label] | None) -> Lines:
    """Declare the features, and what is predicted: classes, or numbers if there are none."""
    last: Lines
    if labels is None:
        last = element("DataField", name=target, optype="continuous", dataType="double")
    else:
        last = _categorical(target, type_of(labels, "the classes"), labels)
    fields = [*map(_field, features), last]
    return element("DataDictionary", *fields, numberOfFields=str(len(fields)))


def _field(feature: Feature) -> Lines:
    if feature.kind == "boolean":
        return _categorical(feature.name, "boolean", (False, True))
    if feature.kind == "categorical":
        labels = feature.categories
        return _categorical(feature.name, type_of(labels, f"feature {feature.name!r}"), labels)
    # Rows of float32 features are rounded before they are compared; as doubles they are compared
    # with the boundary that rounding draws, which no engine can do differently.
    kind = "integer" if feature.values == "integer" else "double"
    return element("DataField", name=feature.name, optype="continuous", dataType=kind)


def _categorical(name: str, data_type: str, labels: Sequence[Label]) -> Lines:
    values = [element("Value", value=label_word(label)) for label in labels]
    return element("DataField", *values, name=name, optype="categorical", dataType=data_type)


def schema(features: Sequence[Feature], target: str | None) -> Lines:
    """Say which fields a model takes, and what becomes of labels that are not listed."""
    fields = [
        element("MiningField", name=f.name, invalidValueTreatment="asIs" if f.other else None)
        for f in features
    ]
    if target is not None:
        fields.append(element("MiningField", name=target, usageType="target"))
    return element("MiningSchema", *fields)


# -- predicates -----------------------------------------------------------------------------------


def predicate(side: Side) -> Lines:
    """Write what a side says; unknown where the value is missing, unless missing is a value."""
    feature = side.feature
    own = list(_labels(side)) if not feature.ordered else list(_numbers(side))
    if not feature.nan:
        return _joined("and", own)
    missing = side.nan if feature.ordered else feature.n_values - 1 in side.codes
    if not missing:
        return _joined("and", [_simple(feature, "isNotMissing"), *own])
    if feature.ordered and not side.lower < side.upper:
        return _simple(feature, "isMissing")
    if not feature.ordered and len(side.codes) == 1:
        return _simple(feature, "isMissing")
    return _joined("or", [_simple(feature, "isMissing"), list(_joined("and", own))])


def _simple(feature: Feature, operator: str, value: str | None = None) -> list[str]:
    return list(element("SimplePredicate", field=feature.name, operator=operator, value=value))


def _joined(operator: str, parts: Sequence[Lines]) -> Lines:
    if not parts:
        return element("True")
    if len(parts) == 1:
        return parts[0]
    return element("CompoundPredicate", *parts, booleanOperator=operator)


def _numbers(side: Side) -> Iterator[list[str]]:
    feature = side.feature
    if feature.kind == "boolean":
        yield _simple(feature, "equal", "true" if side.lower >= 0 else "false")
        return
    low, high = (float(row_boundary(np.array(end), feature.values))
                 for end in (side.lower, side.upper))  # fmt: skip
    if math.isfinite(low):
        yield _simple(feature, "greaterThan", _number(low, feature))
    if math.isfinite(high):
        yield _simple(feature, "lessOrEqual", _number(high, feature))


def _number(number: float, feature: Feature) -> str:
    return str(int(number)) if feature.values == "integer" else repr(number + 0.0)


def _labels(side: Side) -> Iterator[list[str]]:
    feature = side.feature
    n = len(feature.categories)
    inside = [feature.categories[code] for code in side.codes if code < n]
    if feature.other and n in side.codes:
        outside = [label for label in feature.categories if label not in inside]
        if outside:
            yield _among(feature, outside, inside=False)
    elif inside or not feature.nan:
        yield _among(feature, inside, inside=True)


def _among(feature: Feature, labels: Sequence[Label], *, inside: bool) -> list[str]:
    words = [label_word(label) for label in labels]
    operator = "equal" if inside else "notEqual"
    if len(words) > 1 and all(map(PLAIN.match, words)):
        kind = {"integer": "int", "double": "real"}.get(type_of(labels, feature.name), "string")
        array = f'<Array n="{len(words)}" type="{kind}">{" ".join(words)}</Array>'
        how = "isIn" if inside else "isNotIn"
        return list(element("SimpleSetPredicate", [array], field=feature.name, booleanOperator=how))
    parts = [_simple(feature, operator, word) for word in words]
    return list(_joined("or" if inside else "and", parts))
