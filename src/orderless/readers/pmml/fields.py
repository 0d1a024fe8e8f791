"""Fields: what predicates are about, columns or what is derived from one.

In:  a ``Column``; ``DerivedField`` of a transformation dictionary.
Out: ``Field``: turns a comparison into an ``Atom``, a test on the column itself. Read are
     references and casts to other types of numbers, ``NormDiscrete``, ``Discretize`` and
     ``MapValues`` of one field, ``Apply`` of +, -, *, / with constants and ``NormContinuous`` of
     one line; everything else is refused by name, if the model asks about it.

Where a number that is computed of a column is at most another is found on the column itself, by
bisection over all floats with that very arithmetic, which is Java's: float64, step by step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, cast

import numpy as np

from ...errors import UnreadableModel
from ...model import Flags, Floats, Label, Values, last_before_change, row_boundary, value_at_most
from ..intervals import EVERY_NUMBER, Intervals, complement, difference, meet, union
from .columns import NUMBERS, Column, data_type_of, label_of, number_of
from .document import Element
from .regions import FALSE, TRUE, UNKNOWN, Atom, Region, Side

__all__ = ["ORDERS", "Field", "Refused", "derived_field", "field_of_column"]

INFINITE = ("inf", "infinity")  # what scikit-learn's trees compare with to ask for missing values
ORDERS = ("lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual")
MAX_DEPTH = 50  # of expressions


class Other:
    """A label that is not listed."""


OTHER = Other()

Function = Callable[[Floats], Floats]
Fields = Mapping[str, "Field"]
Pieces = Sequence[tuple[Region, "Label | Other | None"]]  # regions of a column, and values there


class Field(ABC):
    """What a predicate can be about."""

    column: Column

    @abstractmethod
    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Return the test of a predicate; operators are those of PMML."""

    def _atom(self, true: Region, unknown: Region, missing: int, *, negated: bool = False) -> Atom:
        """Make a test; a missing value that is replaced is what replaces it."""
        atom = Atom(self.column.position, true, unknown, missing, negated=negated)
        if self.column.replaced is not None:
            atom.missing = atom.possible(_replacement(self.column))
        return atom


def _replacement(column: Column) -> Side:
    """Return the one value that replaces a missing one."""
    text = column.replaced or ""
    if column.labels is None:
        number = number_of(text, f"missingValueReplacement of {column.what}", column.data_type)
        return Side(float(np.nextafter(number, -inf)), number, None, False)
    code = column.code(text)
    if code is None:
        raise UnreadableModel(
            f"a missing value of {column.what} is replaced by {text!r:.60}, which is not one of "
            "its values"
        )
    return Side(codes=frozenset((code,)), missing=False)


class Refused(Field):
    """A field that cannot be read, which matters only if a predicate asks about it."""

    def __init__(self, error: UnreadableModel) -> None:
        self.error = error

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Raise the reason."""
        raise self.error


# -- numbers ---------------------------------------------------------------------------------------


@dataclass
class NumberField(Field):
    """A number: a column as it is, or rounded to float32 on the way, or computed of one.

    Attributes
    ----------
    data_type : that of the numbers it is compared with
    values : which numbers it can be
    function : makes it, rising or falling, of the numbers that rows hold; None: they are it
    at_missing : what it is where the column is missing; None: missing, too
    """

    column: Column
    data_type: str
    values: Values
    function: Function | None = None
    at_missing: float | None = None

    @property
    def computed(self) -> Function:
        """The field from what rows hold."""
        if self.function is not None:
            return self.function
        return _rounded if self.values == "float32" else np.asarray

    def region(self, operator: str, texts: Sequence[str]) -> Intervals:
        """Return where a comparison holds."""
        if operator in ("lessOrEqual", "greaterThan") and texts[0].lstrip("+").lower() in INFINITE:
            return EVERY_NUMBER if operator == "lessOrEqual" else ()
        what = f"a value that {self.column.what} is compared with"
        numbers = [number_of(text, what, self.data_type) for text in texts]
        if operator in ORDERS:
            below = self._below(numbers[0], strict=operator in ("lessThan", "greaterOrEqual"))
            return below if operator.startswith("less") else complement(below)
        same = union(
            pair for n in numbers
            for pair in difference(self._below(n, strict=False), self._below(n, strict=True))
        )  # fmt: skip
        return same if operator in ("equal", "isIn") else complement(same)

    def _below(self, number: float, *, strict: bool) -> Intervals:
        """Return where it is at most a number, or below it."""
        if self.function is None:
            cut = value_at_most(np.array(number), self.values, strict)
            out = float(row_boundary(cut, self.values)) + 0.0
            if not np.isfinite(out):
                raise UnreadableModel(
                    f"{self.column.what} is compared with {number!r}, the limit of what it can hold"
                )
            return ((-inf, out),)
        function = self.function

        def holds(x: Floats, _: object) -> Flags:
            return np.asarray(function(x) < number if strict else function(x) <= number)

        (last,), (at_low,), (always,) = last_before_change(holds, 1)
        if always:
            return EVERY_NUMBER if at_low else ()
        return ((-inf, float(last)),) if at_low else ((float(last), inf),)

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Return the test of a predicate."""
        if operator in ("isMissing", "isNotMissing"):
            here = (self.at_missing is None) == (operator == "isMissing")
            true = () if operator == "isMissing" else EVERY_NUMBER
            return self._atom(true, (), TRUE if here else FALSE)
        missing = UNKNOWN
        if self.at_missing is not None:
            plain = replace(self, function=np.asarray, at_missing=None)
            region = plain.region(operator, texts)
            here = any(low < self.at_missing <= high for low, high in region)
            missing = TRUE if here else FALSE
        return self._atom(self.region(operator, texts), (), missing)


def _rounded(x: Floats) -> Floats:
    """Round to float32."""
    with np.errstate(over="ignore"):
        return x.astype(np.float32).astype(np.float64)


# -- labels, and few numbers -----------------------------------------------------------------------


@dataclass
class PieceField(Field):
    """A label, or one of few numbers: regions of a column, and what it is there.

    ``pieces`` are regions and values, which are labels, ``OTHER``, or None where the field is
    missing; ``at_missing`` is its value where the column is missing.
    """

    column: Column
    data_type: str
    pieces: Pieces
    at_missing: Label | None = None
    order: Sequence[Label] | None = None

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Return the test of a predicate."""
        if operator in ("isMissing", "isNotMissing"):
            asked = operator == "isMissing"
            here = (self.at_missing is None) == asked
            true = self._where(lambda value: (value is None) == asked)
            return self._atom(true, self._where(lambda _: False), TRUE if here else FALSE)
        what = f"a value that {self.column.what} is compared with"
        holds = self._holds(operator, [_typed(text, self.data_type, what) for text in texts])
        missing = UNKNOWN
        if self.at_missing is not None:
            missing = TRUE if holds(self.at_missing) else FALSE
        true = self._where(lambda value: value is not None and holds(value))
        return self._atom(true, self._where(lambda value: value is None), missing)

    def _where(self, condition: Callable[[Any], bool]) -> Region:
        """Join the regions whose values fulfil a condition."""
        regions: Iterable[Any] = (region for region, value in self.pieces if condition(value))
        if self.column.labels is None:
            return union(pair for region in regions for pair in region)
        return frozenset[int]().union(*regions)

    def _holds(self, operator: str, labels: Sequence[Label]) -> Callable[[Any], bool]:
        """Return the function that decides for a value whether the comparison holds."""
        if operator not in ORDERS:
            keys = {(type(label), label) for label in labels}
            inside = operator in ("equal", "isIn")
            return lambda value: ((type(value), value) in keys) == inside
        than, or_equal = self._rank(labels[0]), operator.endswith("l")
        if operator.startswith("less"):
            return lambda v: self._rank(v) < than or (or_equal and v == labels[0])
        return lambda v: self._rank(v) > than or (or_equal and v == labels[0])

    def _rank(self, value: Label | Other) -> float:
        if self.order is not None and value in self.order:
            return self.order.index(value)
        if self.order is None and isinstance(value, int | float):
            return value
        raise UnreadableModel(
            f"{self.column.what} has labels, and a predicate asks whether it is less or greater "
            "than one: only ordinal fields that list their values have an order"
        )


class LabelField(PieceField):
    """A column of labels as it is; quick where it has many."""

    def __init__(self, column: Column) -> None:
        super().__init__(column, column.data_type, ())

    def all_pieces(self) -> Pieces:
        """Return each label of the column, where it has it."""
        labels = self.column.labels or []
        pieces: list[Any] = [(frozenset((i,)), label) for i, label in enumerate(labels)]
        return [*pieces, (frozenset((len(labels),)), OTHER)] if self.column.other else pieces

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Return the test of a predicate."""
        column = self.column
        if operator in ORDERS:
            if column.other:
                raise UnreadableModel(
                    f"{column.what} may hold labels that are not listed, and a predicate asks "
                    "whether it is less or greater than one: list its values in the file"
                )
            order = column.labels if column.ordinal else None
            field = PieceField(column, self.data_type, self.all_pieces(), order=order)
            return field.atom(operator, texts)
        none = frozenset[int]()
        if operator in ("isMissing", "isNotMissing"):
            negated = operator == "isNotMissing"
            return self._atom(none, none, FALSE if negated else TRUE, negated=negated)
        codes = frozenset(code for code in map(column.code, texts) if code is not None)
        return self._atom(codes, none, UNKNOWN, negated=operator not in ("equal", "isIn"))


def field_of_column(column: Column) -> Field:
    """Return a column as a field."""
    if column.labels is not None:
        return LabelField(column)
    return NumberField(column, column.data_type, NUMBERS[column.data_type])


# -- derived fields --------------------------------------------------------------------------------


def derived_field(element: Element, fields: Fields) -> Field:
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
    except UnreadableModel as error:
        return Refused(error)


def _source(how: Element, fields: Fields) -> Field:
    name = how.get("field")
    field = fields.get(name)
    if field is None:
        raise UnreadableModel(f"a derived field is made of {name!r:.80}, which is not there")
    if isinstance(field, Refused):
        raise field.error
    return field


def _numbers(how: Element, fields: Fields) -> NumberField:
    field = _source(how, fields)
    if not isinstance(field, NumberField):
        raise UnreadableModel(
            f"a derived field computes with {how.get('field')!r:.80}, which has no numbers"
        )
    return field


def _typed(text: str, data_type: str, what: str = "a derived value") -> Label:
    return (
        number_of(text, what, "float") if data_type == "float" else label_of(text, data_type, what)
    )


def _optional(how: Element, attribute: str, data_type: str) -> Label | None:
    text = how.attributes.get(attribute)
    return None if text is None else _typed(text, data_type)


def _reference(element: Element, how: Element, fields: Fields) -> Field:
    """Read a reference, which may cast numbers."""
    source, data_type = _source(how, fields), data_type_of(element)
    if "mapMissingTo" in how.attributes:
        raise UnreadableModel(
            f"{how.name} of {how.get('field')!r:.80} maps missing values to "
            f"{how.get('mapMissingTo')!r:.40}, which is not known here: write the file without it"
        )
    if isinstance(source, NumberField) and source.function is not None:
        return _computed(element, source, source.function, source.at_missing)
    if isinstance(source, NumberField) and data_type in NUMBERS:
        if data_type == "integer" and source.values != "integer":
            raise UnreadableModel(
                f"the derived field {element.get('name')!r:.80} makes whole numbers of others, "
                "which programs do in different ways: round them in the rows"
            )
        narrow = data_type == "float" or source.values == "float32"
        return NumberField(source.column, data_type, "float32" if narrow else source.values)
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


def _indicator(element: Element, how: Element, fields: Fields) -> Field:
    """Read ``NormDiscrete``: 1 where a field has a value, else 0."""
    source, value = _source(how, fields), how.get("value")
    missing = how.get("mapMissingTo", "")
    at_missing = number_of(missing, "mapMissingTo") if missing else None
    atom = source.atom("equal", [value])
    if isinstance(source, LabelField):
        every, true = source.column.codes or frozenset(), cast(frozenset[int], atom.true)
        yes: Region = every & true
        no: Region = every - true
    else:
        yes, no = atom.true, source.atom("notEqual", [value]).true
    pieces: list[Any] = [(yes, 1.0), (no, 0.0)]
    if atom.unknown:
        pieces.append((atom.unknown, at_missing))
    kind = "double" if data_type_of(element) in NUMBERS else "string"
    return PieceField(source.column, kind, pieces, at_missing)


def _discretized(element: Element, how: Element, fields: Fields) -> Field:
    """Read ``Discretize``: a label for each interval of numbers, the first that has the number."""
    source, data_type = _source(how, fields), data_type_of(element)
    if not isinstance(source, NumberField):
        raise UnreadableModel(f"Discretize is of numbers, and {source.column.what} has none")
    pieces: list[Any] = []
    rest = EVERY_NUMBER
    for bin_ in how.all("DiscretizeBin"):
        interval = bin_.first("Interval")
        if interval is None:
            raise UnreadableModel("a DiscretizeBin has no Interval")
        inside = _interval(source, interval)
        pieces.append((meet(inside, rest), _typed(bin_.get("binValue"), data_type)))
        rest = difference(rest, inside)
    pieces.append((rest, _optional(how, "defaultValue", data_type)))
    at_missing = _optional(how, "mapMissingTo", data_type)
    return PieceField(source.column, data_type, pieces, at_missing)


def _interval(source: NumberField, interval: Element) -> Intervals:
    closure = interval.get("closure")
    if closure not in ("openOpen", "openClosed", "closedOpen", "closedClosed"):
        raise UnreadableModel(f"an Interval has the closure {closure!r:.40}")
    left = "greaterThan" if closure.startswith("open") else "greaterOrEqual"
    right = "lessThan" if closure.endswith("Open") else "lessOrEqual"
    out = EVERY_NUMBER
    for margin, operator in (("leftMargin", left), ("rightMargin", right)):
        if margin in interval.attributes:
            out = meet(out, source.region(operator, [interval.get(margin)]))
    return out


def _mapped(element: Element, how: Element, fields: Fields) -> Field:
    """Read ``MapValues`` of one field."""
    pairs = list(how.all("FieldColumnPair"))
    table = how.first("InlineTable")
    if len(pairs) != 1 or table is None:
        raise UnreadableModel(
            f"the derived field {element.get('name')!r:.80} maps values of {len(pairs)} fields, "
            "and read are those of one, with an InlineTable"
        )
    source = _source(pairs[0], fields)
    if not isinstance(source, PieceField):
        raise UnreadableModel(
            f"a derived field maps values of {source.column.what}, which has numbers: use "
            "Discretize"
        )
    data_type = how.get("dataType") or data_type_of(element)
    keys: dict[Any, Label] = {}
    for text, output in _rows(table, pairs[0].get("column"), how.get("outputColumn")):
        key = label_of(text, source.data_type, "a value of MapValues")
        keys.setdefault(key, _typed(output, data_type))
    other = _optional(how, "defaultValue", data_type)
    at_missing = _optional(how, "mapMissingTo", data_type)
    pieces: Pieces = [
        (region, at_missing if value is None else keys.get(value, other))  # OTHER is not among them
        for region, value in (
            source.all_pieces() if isinstance(source, LabelField) else source.pieces
        )
    ]
    return PieceField(source.column, data_type, pieces, at_missing)


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


# -- numbers that are computed of one column -------------------------------------------------------

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
}  # fmt: skip


def _computed(
    element: Element, source: NumberField, function: Function, at_missing: float | None
) -> NumberField:
    """Make a computed field, in the type that it is declared with."""
    data_type = data_type_of(element)
    if data_type not in ("double", "float"):
        raise UnreadableModel(
            f"the derived field {element.get('name')!r:.80} makes {data_type!r:.40} of a number "
            "that is computed, which programs do in different ways: read are double and float"
        )
    if data_type == "float":
        double = function
        at_missing = None if at_missing is None else float(np.float32(at_missing))
        return NumberField(
            source.column, data_type, "float64", lambda x: _rounded(double(x)), at_missing
        )
    return NumberField(source.column, data_type, "float64", function, at_missing)


def _applied(element: Element, how: Element, fields: Fields) -> Field:
    """Read ``Apply`` of +, -, *, / with one constant each."""
    return _computed(element, *_expression(how, fields, 0))


def _normalized(element: Element, how: Element, fields: Fields) -> Field:
    """Read ``NormContinuous`` of one line, as JPMML computes it."""
    points = [
        [number_of(point.get(which), which, "double") for which in ("orig", "norm")]
        for point in how.all("LinearNorm")
    ]
    outliers = how.get("outliers", "asIs")
    if len(points) != 2 or outliers not in ("asIs", "asExtremeValues"):
        raise UnreadableModel(
            f"NormContinuous of {how.get('field')!r:.80} has {len(points)} points and "
            f"outliers={outliers!r:.40}: read are two points, with 'asIs' or 'asExtremeValues'"
        )
    (a, low), (b, high) = points
    if not a < b or low == high:
        raise UnreadableModel(f"NormContinuous of {how.get('field')!r:.80} has no line")
    source = _numbers(how, fields)
    inner = source.computed

    def function(rows: Floats) -> Floats:
        x = inner(rows)
        with np.errstate(all="ignore"):
            out = low + (x - a) / (b - a) * (high - low)
            if outliers == "asExtremeValues":
                out = np.where(x < a, low, np.where(x > b, high, out))
            return np.asarray(out)

    missing = how.attributes.get("mapMissingTo")
    at_missing = None if missing is None else number_of(missing, "mapMissingTo", "double")
    return _computed(element, source, function, at_missing)


def _expression(
    how: Element, fields: Fields, depth: int
) -> tuple[NumberField, Function, float | None]:
    """Read what is computed: of which field, how, and what it is where that is missing."""
    if how.name == "FieldRef":
        if "mapMissingTo" in how.attributes:
            raise UnreadableModel("a FieldRef inside of Apply maps missing values: not read")
        source = _numbers(how, fields)
        return source, source.computed, source.at_missing
    sign = how.get("function")
    if how.name != "Apply" or sign not in SIGNS or len(how.children) != 2:
        raise UnreadableModel(
            f"a derived field is computed by {sign or how.name!r:.40} of {len(how.children)} "
            "arguments: read are +, -, * and / of one field and constants; put the transformation "
            "into the rows instead"
        )
    if depth > MAX_DEPTH:
        raise UnreadableModel(f"a derived field nests more than {MAX_DEPTH} times")
    if "defaultValue" in how.attributes or (depth and "mapMissingTo" in how.attributes):
        raise UnreadableModel(
            "an Apply has a defaultValue, or a mapMissingTo inside of another Apply, of which "
            "programs make different things: write the file without them"
        )
    first, second = how.children
    if (first.name == "Constant") == (second.name == "Constant"):
        raise UnreadableModel(
            "a derived field is computed from two fields, or from none: read are those of one"
        )
    on_left = first.name == "Constant"
    constant, expression = (first, second) if on_left else (second, first)
    number = number_of(constant.text, "a Constant", "double")
    source, inner, missing = _expression(expression, fields, depth + 1)
    _check_order(sign, number, constant, source, on_left=on_left)
    operation = SIGNS[sign]

    def function(rows: Floats) -> Floats:
        x = inner(rows)
        with np.errstate(all="ignore"):
            return np.asarray(operation(number, x) if on_left else operation(x, number))

    if missing is not None:
        with np.errstate(all="ignore"):
            missing = float(operation(number, missing) if on_left else operation(missing, number))
    elif "mapMissingTo" in how.attributes:
        missing = number_of(how.get("mapMissingTo"), "mapMissingTo", "double")
    return source, function, missing


def _check_order(
    sign: str, number: float, constant: Element, source: NumberField, *, on_left: bool
) -> None:
    if not isfinite(number) or (sign in "*/" and number == 0):
        raise UnreadableModel(f"a derived field is computed with {sign} {number}: no order is left")
    if on_left and sign == "/":
        raise UnreadableModel("a derived field divides by a field, which has no one direction")
    data_type = constant.get("dataType") or ("double" if "." in constant.text else "integer")
    if data_type != "double" and (source.data_type != "double" or data_type == "float"):
        raise UnreadableModel(
            "a derived field computes with whole numbers or float32, which programs do in "
            "different ways: read is arithmetic of double"
        )


HOW: Mapping[str, Callable[[Element, Element, Fields], Field]] = {
    "FieldRef": _reference,
    "NormDiscrete": _indicator,
    "Discretize": _discretized,
    "MapValues": _mapped,
    "Apply": _applied,
    "NormContinuous": _normalized,
}
