"""Numbers that are computed from one column: sums, differences, products and quotients.

In:  ``Apply`` with constants, ``NormContinuous`` with one line.
Out: ``MappedField``: where such a number is at most another is found on the column itself, by
     bisection over all floats with that very arithmetic, which is Java's: float64, step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Floats
from ..preprocessing.bisect import last_before_change
from .document import Element
from .fields import ORDERS, Field, NumberField
from .regions import FALSE, TRUE, Atom, Intervals, merged, without
from .values import NUMBERS, number_of

__all__ = ["MappedField", "applied", "normalized", "rounded"]

MOST_DEEP = 50
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
}  # fmt: skip


@dataclass
class MappedField(NumberField):
    """A number that rises, or falls, with a column.

    ``function`` makes it of the numbers that rows hold; ``at_missing`` is what it is where the
    column is missing, None if it is missing then, too.
    """

    function: Callable[[Floats], Floats] = np.asarray
    at_missing: float | None = None

    def region(self, operator: str, texts: Sequence[str]) -> Intervals:
        """Give where a comparison holds."""
        what = f"a value that what is made of {self.column.what} is compared with"
        numbers = [number_of(text, what, self.data_type) for text in texts]
        if operator in ORDERS:
            at_most = self._below(numbers[0], strict=operator in ("lessThan", "greaterOrEqual"))
            return at_most if operator.startswith("less") else _rest(at_most)
        same = merged(
            part for n in numbers
            for part in without(self._below(n, strict=False), self._below(n, strict=True))
        )  # fmt: skip
        return same if operator in ("equal", "isIn") else _rest(same)

    def _below(self, number: float, *, strict: bool) -> Intervals:
        """Give where it is at most a number, or below it."""

        def holds(x: Floats) -> NDArray[np.bool_]:
            own = self.function(x)
            return np.asarray(own < number if strict else own <= number)

        last, at_low, always = last_before_change(holds, 1)
        if always[0]:
            return ((-inf, inf),) if at_low[0] else ()
        return ((-inf, float(last[0])),) if at_low[0] else ((float(last[0]), inf),)

    def atom(self, operator: str, texts: Sequence[str]) -> Atom:
        """Give the test of a predicate."""
        if self.at_missing is None:
            return super().atom(operator, texts)
        if operator in ("isMissing", "isNotMissing"):
            known = operator == "isNotMissing"
            return self._atom(((-inf, inf),) if known else (), (), TRUE if known else FALSE)
        holds = self._at_missing(operator, texts)
        return self._atom(self.region(operator, texts), (), TRUE if holds else FALSE)

    def _at_missing(self, operator: str, texts: Sequence[str]) -> bool:
        """Whether a comparison holds where the column is missing."""
        assert self.at_missing is not None
        here = [(float(np.nextafter(self.at_missing, -inf)), self.at_missing)]
        plain = replace(self, function=np.asarray, at_missing=None)
        return any(without(here, _rest(plain.region(operator, texts))))


def _rest(intervals: Intervals) -> Intervals:
    return without([(-inf, inf)], intervals)


class _Computed(NamedTuple):
    """What an expression is so far."""

    source: NumberField
    function: Callable[[Floats], Floats]
    at_missing: float | None


def applied(
    element: Element, how: Element, data_type: str, source_of: Callable[[Element], Field]
) -> MappedField:
    """Read ``Apply`` of +, -, *, / with one constant each."""
    return _field(element, data_type, _expression(how, source_of, 0))


def normalized(
    element: Element, how: Element, data_type: str, source_of: Callable[[Element], Field]
) -> MappedField:
    """Read ``NormContinuous`` of one line, as JPMML computes it."""
    ends = [
        [number_of(point.get(which), which, "double") for which in ("orig", "norm")]
        for point in how.all("LinearNorm")
    ]
    outliers = how.get("outliers", "asIs")
    if len(ends) != 2 or outliers not in ("asIs", "asExtremeValues"):
        raise UnreadableModel(
            f"NormContinuous of {how.get('field')!r:.80} has {len(ends)} points and "
            f"outliers={outliers!r:.40}: read are two points, with 'asIs' or 'asExtremeValues'"
        )
    (a, low), (b, high) = ends
    if not a < b or low == high:
        raise UnreadableModel(f"NormContinuous of {how.get('field')!r:.80} has no line")

    def function(x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            out = line(x, a, low, b, high)
            if outliers == "asExtremeValues":
                out = np.where(x < a, low, np.where(x > b, high, out))
            return np.asarray(out)

    missing = how.attributes.get("mapMissingTo")
    at_missing = None if missing is None else number_of(missing, "mapMissingTo", "double")
    source = _numbers(source_of(how), how.get("field"))
    inner = _of(source)
    return _field(element, data_type, _Computed(source, _after(inner, function), at_missing))


def line(x: Any, a: float, low: float, b: float, high: float) -> Any:
    """Give the point of a line through (a, low) and (b, high), in JPMML's order of steps."""
    return low + (x - a) / (b - a) * (high - low)


def _expression(how: Element, source_of: Callable[[Element], Field], depth: int) -> _Computed:
    """Read what is computed; a constant stands on one side of each sign."""
    if how.name == "FieldRef":
        if "mapMissingTo" in how.attributes:
            raise UnreadableModel("a FieldRef inside of Apply maps missing values: not read")
        source = _numbers(source_of(how), how.get("field"))
        missing = source.at_missing if isinstance(source, MappedField) else None
        return _Computed(source, _of(source), missing)
    sign = how.get("function")
    if how.name != "Apply" or sign not in SIGNS or len(how.children) != 2:
        raise UnreadableModel(
            f"a derived field is computed by {sign or how.name!r:.40} of {len(how.children)} "
            "arguments: read are +, -, * and / of one field and constants; put the transformation "
            "into the rows instead"
        )
    if depth > MOST_DEEP:
        raise UnreadableModel(f"a derived field nests more than {MOST_DEEP} times")
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
    constant = first if first.name == "Constant" else second
    number = number_of(constant.text, "a Constant", "double")
    inner = _expression(second if constant is first else first, source_of, depth + 1)
    _check(sign, number, constant, constant is first, inner)
    function = _with(SIGNS[sign], number, constant is first)
    missing = inner.at_missing
    if missing is not None:
        missing = float(function(np.array([missing]))[0])
    elif "mapMissingTo" in how.attributes:
        missing = number_of(how.get("mapMissingTo"), "mapMissingTo", "double")
    return _Computed(inner.source, _after(inner.function, function), missing)


def _check(sign: str, number: float, constant: Element, first: bool, inner: _Computed) -> None:
    if not isfinite(number) or (sign in "*/" and number == 0):
        raise UnreadableModel(f"a derived field is computed with {sign} {number}: no order is left")
    if first and sign == "/":
        raise UnreadableModel("a derived field divides by a field, which has no one direction")
    told = constant.get("dataType") or ("double" if "." in constant.text else "integer")
    if told != "double" and (inner.source.data_type != "double" or told == "float"):
        raise UnreadableModel(
            "a derived field computes with whole numbers or float32, which programs do in "
            "different ways: read is arithmetic of double"
        )


def _numbers(field: Field, name: str) -> NumberField:
    if not isinstance(field, NumberField):
        raise UnreadableModel(f"a derived field computes with {name!r:.80}, which has no numbers")
    return field


def _of(source: NumberField) -> Callable[[Floats], Floats]:
    """Give the numbers of a field from what rows hold."""
    if isinstance(source, MappedField):
        return source.function
    return rounded if source.values == "float32" else np.asarray


def rounded(x: Floats) -> Floats:
    """Round to float32."""
    with np.errstate(over="ignore"):
        return x.astype(np.float32).astype(np.float64)


def _after(
    first: Callable[[Floats], Floats], second: Callable[[Floats], Floats]
) -> Callable[[Floats], Floats]:
    return lambda x: second(first(x))


def _with(
    sign: Callable[[Any, Any], Any], number: float, first: bool
) -> Callable[[Floats], Floats]:  # fmt: skip
    def function(x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(sign(number, x) if first else sign(x, number))

    return function


def _field(element: Element, data_type: str, found: _Computed) -> MappedField:
    """Make the field, in the type that it is declared with."""
    if data_type not in NUMBERS or data_type == "integer":
        raise UnreadableModel(
            f"the derived field {element.get('name')!r:.80} makes {data_type!r:.40} of a number "
            "that is computed, which programs do in different ways: read are double and float"
        )
    function, missing = found.function, found.at_missing
    if data_type == "float":
        function = _after(function, rounded)
        missing = None if missing is None else float(np.float32(missing))
    column = found.source.column
    return MappedField(column, data_type, "float64", function, missing)
