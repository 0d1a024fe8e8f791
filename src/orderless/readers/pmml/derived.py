"""Derived fields: what a PMML file makes of one column before the model asks about it.

In:  ``DerivedField`` of a transformation dictionary, and the fields that there are.
Out: ``Field``. Read are references and casts to other types of numbers, ``NormDiscrete``,
     ``Discretize`` and ``MapValues`` of one field, ``Apply`` of +, -, *, / with constants and
     ``NormContinuous`` of one line; everything else is refused by name, if the model asks about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, cast

import numpy as np

from ...errors import UnreadableModel
from ...model import Label
from .columns import Column, data_type_of
from .document import Element
from .fields import OTHER, Field, LabelField, NumberField, Other, PieceField
from .mapped import MappedField, applied, normalized
from .regions import Atom, Intervals, Region, merged, without
from .values import NUMBERS, label_of, number_of

__all__ = ["Refused", "derived_field", "field_of_column"]

ENDS = {"openOpen": (True, True), "openClosed": (True, False), "closedOpen": (False, True),
        "closedClosed": (False, False)}  # fmt: skip

Pieces = list[tuple[Region, Label | Other | None]]


class Refused(Field):
    """A field that cannot be read, which matters only if a predicate asks about it."""

    def __init__(self, fault: UnreadableModel) -> None:
        self.fault = fault

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Say why it cannot be read."""
        raise self.fault


def field_of_column(column: Column) -> Field:
    """Give a column as a field."""
    if column.labels is not None:
        return LabelField(column)
    values = {"float": "float32", "double": "float64", "integer": "integer"}[column.data_type]
    return NumberField(column, column.data_type, values)  # type: ignore[arg-type]


def derived_field(element: Element, fields: Mapping[str, Field]) -> Field:
    """Read a derived field; what is not known gives a ``Refused``."""
    how = element.first(*HOW)
    try:
        if how is None or len(element.children) != 1:
            names = [child.name for child in element.children] or ["nothing"]
            raise UnreadableModel(
                f"the derived field {element.get('name')!r:.80} is made by {names[0]!s:.40}, and "
                f"read are {', '.join(HOW)} of one field: put the transformation into the rows "
                "instead"
            )
        return HOW[how.name](element, how, fields)
    except UnreadableModel as fault:
        return Refused(fault)


def _source(how: Element, fields: Mapping[str, Field]) -> Field:
    name = how.get("field")
    field = fields.get(name)
    if field is None:
        raise UnreadableModel(f"a derived field is made of {name!r:.80}, which is not there")
    if isinstance(field, Refused):
        raise field.fault
    return field


def _no_map(how: Element) -> None:
    if "mapMissingTo" in how.attributes:
        raise UnreadableModel(
            f"{how.name} of {how.get('field')!r:.80} maps missing values to "
            f"{how.get('mapMissingTo')!r:.40}, which is not known here: write the file without it"
        )


def _reference(element: Element, how: Element, fields: Mapping[str, Field]) -> Field:
    """Read a reference, which may cast numbers."""
    source, data_type = _source(how, fields), data_type_of(element)
    _no_map(how)
    if isinstance(source, MappedField):
        return applied(element, how, data_type, lambda one: _source(one, fields))
    if isinstance(source, NumberField) and data_type in NUMBERS:
        if data_type == "integer" and source.values != "integer":
            raise UnreadableModel(
                f"the derived field {element.get('name')!r:.80} makes whole numbers of others, "
                "which programs do in different ways: round them in the rows"
            )
        narrow = data_type == "float" or source.values == "float32"
        values = "float32" if narrow else source.values
        return NumberField(source.column, data_type, values)
    if isinstance(source, PieceField) and data_type == source.data_type:
        return source
    if isinstance(source, PieceField) and (source.data_type, data_type) == ("double", "float"):
        pieces: Pieces = [(region, _single(value)) for region, value in source.pieces]
        missing = cast(Label | None, _single(source.at_missing))
        return PieceField(source.column, data_type, pieces, missing)
    raise UnreadableModel(
        f"the derived field {element.get('name')!r:.80} turns {source.column.what} into "
        f"{data_type!r}: only casts between numbers are read"
    )


def _single(value: Label | Other | None) -> Label | Other | None:
    """Round a number to float32; anything else stays."""
    return float(np.float32(value)) if isinstance(value, int | float) else value


def _computed(element: Element, how: Element, fields: Mapping[str, Field]) -> Field:
    """Read ``Apply`` and ``NormContinuous``."""
    read = applied if how.name == "Apply" else normalized
    return read(element, how, data_type_of(element), lambda one: _source(one, fields))


def _pieces(field: Field) -> Pieces:
    """Give the values of a field that has few, and where it has them."""
    if isinstance(field, LabelField):
        column = field.column
        assert column.labels is not None
        pieces: Pieces = [(frozenset((i,)), label) for i, label in enumerate(column.labels)]
        return [*pieces, (frozenset((len(column.labels),)), OTHER)] if column.other else pieces
    if isinstance(field, PieceField):
        return list(field.pieces)
    raise UnreadableModel(
        f"a derived field maps values of {field.column.what}, which has numbers: use Discretize"
    )


def _indicator(element: Element, how: Element, fields: Mapping[str, Field]) -> Field:
    """Read ``NormDiscrete``: 1 where a field has a value, else 0."""
    source = _source(how, fields)
    value, missing = how.get("value"), how.get("mapMissingTo", "")
    at_missing = number_of(missing, "mapMissingTo") if missing else None
    atom = source.atom("equal", [value])
    if isinstance(source, LabelField):
        every = range(len(source.column.labels or ()) + source.column.other)
        yes: Region = frozenset(every) & atom.true  # type: ignore[operator]
        no: Region = frozenset(every) - yes  # type: ignore[operator]
    else:
        yes, no = atom.true, source.atom("notEqual", [value]).true
    pieces: Pieces = [(yes, 1.0), (no, 0.0)]
    if atom.unknown:
        pieces.append((atom.unknown, at_missing))
    kind = "double" if data_type_of(element) in NUMBERS else "string"
    return PieceField(source.column, kind, pieces, at_missing)


def _discretized(element: Element, how: Element, fields: Mapping[str, Field]) -> Field:
    """Read ``Discretize``: a label for each interval of numbers, the first that has the number."""
    source, data_type = _source(how, fields), data_type_of(element)
    if not isinstance(source, NumberField):
        raise UnreadableModel(f"Discretize is of numbers, and {source.column.what} has none")
    pieces: Pieces = []
    taken: Intervals = ()
    for given in how.all("DiscretizeBin"):
        interval = given.first("Interval")
        if interval is None:
            raise UnreadableModel("a DiscretizeBin has no Interval")
        own = without(_interval(source, interval), taken)
        taken = merged((*taken, *own))
        pieces.append((own, _typed(given.get("binValue"), data_type)))
    rest = without(((-inf, inf),), taken)
    default = how.get("defaultValue") if "defaultValue" in how.attributes else None
    pieces.append((rest, None if default is None else _typed(default, data_type)))
    return PieceField(source.column, data_type, pieces, _at_missing(how, data_type))


def _interval(source: NumberField, interval: Element) -> Intervals:
    closure = ENDS.get(interval.get("closure"))
    if closure is None:
        raise UnreadableModel(f"an Interval has the closure {interval.get('closure')!r:.40}")
    out: Intervals = ((-inf, inf),)
    for margin, opened, signs in (
        ("leftMargin", closure[0], ("greaterOrEqual", "greaterThan")),
        ("rightMargin", closure[1], ("lessOrEqual", "lessThan")),
    ):
        if margin in interval.attributes:
            own = source.region(signs[opened], [interval.get(margin)])
            out = without(out, without(((-inf, inf),), own))
    return out


def _mapped(element: Element, how: Element, fields: Mapping[str, Field]) -> Field:
    """Read ``MapValues`` of one field."""
    pairs = list(how.all("FieldColumnPair"))
    table = how.first("InlineTable")
    if len(pairs) != 1 or table is None:
        raise UnreadableModel(
            f"the derived field {element.get('name')!r:.80} maps values of {len(pairs)} fields, "
            "and read are those of one, with an InlineTable"
        )
    source = _source(pairs[0], fields)
    data_type = data_type_of(element)
    if how.get("dataType"):
        data_type = how.get("dataType")
    own_type = source.data_type if isinstance(source, PieceField) else source.column.data_type
    keys: dict[Any, Label] = {}
    for text, output in _rows(table, pairs[0].get("column"), how.get("outputColumn")):
        key = label_of(text, own_type, "a value of MapValues")
        keys.setdefault(key, _typed(output, data_type))
    default = how.get("defaultValue") if "defaultValue" in how.attributes else None
    other = None if default is None else _typed(default, data_type)
    pieces: Pieces = []
    for region, value in _pieces(source):
        if value is None:
            pieces.append((region, _at_missing(how, data_type)))
        else:
            pieces.append((region, keys.get(value, other)))  # OTHER is not among them
    return PieceField(source.column, data_type, pieces, _at_missing(how, data_type))


def _rows(table: Element, key: str, output: str) -> Iterator[tuple[str, str]]:
    """Go through a table; JPMML names columns with the prefix of their namespace."""
    key, output = key.rpartition(":")[2], output.rpartition(":")[2]
    for row in table.all("row"):
        cells = {cell.name: cell.text for cell in row.children}
        if key not in cells or output not in cells:
            raise UnreadableModel(
                f"a row of an InlineTable has no cell {key!r:.40} or no {output!r:.40}"
            )
        yield cells[key], cells[output]


def _typed(text: str, data_type: str) -> Label:
    if data_type == "float":
        return number_of(text, "a derived value", "float")
    return label_of(text, data_type, "a derived value")


def _at_missing(how: Element, data_type: str) -> Label | None:
    return _typed(how.get("mapMissingTo"), data_type) if "mapMissingTo" in how.attributes else None


HOW: Mapping[str, Callable[[Element, Element, Mapping[str, Field]], Field]] = {
    "FieldRef": _reference,
    "NormDiscrete": _indicator,
    "Discretize": _discretized,
    "MapValues": _mapped,
    "Apply": _computed,
    "NormContinuous": _computed,
}
