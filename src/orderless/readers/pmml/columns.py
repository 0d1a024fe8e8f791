"""Columns: what a PMML model takes, as its data dictionary and mining schema declare it.

In:  ``DataDictionary`` and ``MiningSchema``, and values in PMML's text.
Out: ``Column``, and the ``Table`` of all for the builder. What would change values before the model
     sees them, and is no property of a column, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite

import numpy as np

from ...errors import UnreadableModel
from ...model import Label, Values, plain_label
from ..builder import Table
from .document import Element

__all__ = [
    "NUMBERS", "Column", "columns_of", "data_type_of", "label_of", "number_of", "table_of",
    "target_of",
]  # fmt: skip

NUMBERS: Mapping[str, Values] = {"integer": "integer", "float": "float32", "double": "float64"}
TYPES = (*NUMBERS, "string", "boolean")
BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
MAX_DIGITS = 2_000  # of a number


# -- values ----------------------------------------------------------------------------------------


def number_of(text: str, what: str, data_type: str = "double") -> float:
    """Read a finite number; one of type "float" is rounded to float32, once.

    Examples
    --------
    >>> number_of("2.4499998", "a threshold", "float"), number_of("2.4499998", "a threshold")
    (2.4499998092651367, 2.4499998)
    """
    try:
        if len(text) > MAX_DIGITS or "_" in text:
            raise ValueError
        number = float(text)
    except ValueError:
        raise UnreadableModel(f"{what} is {text!r:.60} and must be a number") from None
    if data_type == "float" and isfinite(number):
        number = _nearest_float32(text, number)
    if not isfinite(number):
        raise UnreadableModel(f"{what} is {text!r:.60} and must be a finite number")
    return number + 0.0


def _nearest_float32(text: str, number: float) -> float:
    """Round a decimal to float32; by way of a float64 it could be rounded twice."""
    with np.errstate(over="ignore"):
        single = np.float32(number)
        other = np.nextafter(single, np.float32(np.inf if number > float(single) else -np.inf))
    near, far = float(single), float(other)
    if near != number and isfinite(near) and isfinite(far) and number - near == far - number:
        exact = Fraction(text.strip())
        if abs(exact - Fraction(far)) < abs(exact - Fraction(near)):
            return far
    return near


def label_of(text: str, data_type: str, what: str) -> Label:
    """Read a label.

    Examples
    --------
    >>> label_of("3", "integer", "a class"), label_of("true", "boolean", "a class")
    (3, True)
    """
    if data_type == "string":
        return text
    if data_type == "boolean":
        if text.strip().lower() not in BOOLEANS:
            raise UnreadableModel(f"{what} is {text!r:.60} and must be true or false")
        return BOOLEANS[text.strip().lower()]
    number = number_of(text, what)
    if data_type == "integer":
        if not number.is_integer():
            raise UnreadableModel(f"{what} is {text!r:.60} and must be a whole number")
        return int(text) if text.strip().lstrip("+-").isdigit() else int(number)
    return plain_label(number)


# -- columns ---------------------------------------------------------------------------------------


@dataclass
class Column:
    """A column that a model takes.

    Attributes
    ----------
    labels : of a column of labels; None: it has numbers
    other : whether it may hold labels that are not listed
    ordinal : whether its labels have an order
    declared : whether its labels are listed; else they are those that the model names
    replaced : what a missing value is replaced by, as text; None: by nothing
    refuses_missing : why a missing value has no answer; empty: it may have one
    """

    name: str
    position: int
    data_type: str
    labels: list[Label] | None = None
    other: bool = False
    ordinal: bool = False
    declared: bool = True
    replaced: str | None = None
    refuses_missing: str = ""
    _codes: dict[tuple[type, Label], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._codes = {(type(label), label): i for i, label in enumerate(self.labels or ())}

    @property
    def what(self) -> str:
        """How it is called in a message."""
        return f"field {self.name!r:.80}"

    @property
    def codes(self) -> frozenset[int] | None:
        """The numbers of all its labels, with one for any other; None if it has numbers."""
        if self.labels is None:
            return None
        return frozenset(range(len(self.labels) + self.other))

    def code(self, text: str) -> int | None:
        """Return the number of a label; where none are declared it becomes one."""
        assert self.labels is not None
        label = label_of(text, self.data_type, f"a value of {self.what}")
        key = (type(label), label)
        if key not in self._codes:
            if self.declared:
                return None
            self._codes[key] = len(self.labels)
            self.labels.append(label)
        return self._codes[key]


def columns_of(dictionary: Element, schema: Element) -> list[Column]:
    """Return the active columns of a model, in the order of its mining schema."""
    declared = {data.get("name"): data for data in dictionary.all("DataField")}
    out: dict[str, Column] = {}
    for mining in schema.all("MiningField"):
        name = mining.get("name")
        if mining.get("usageType", "active") != "active":
            continue
        if name not in declared:
            raise UnreadableModel(
                f"the model takes a field {name!r:.80}, which the data dictionary does not have"
            )
        if name in out or not name:
            raise UnreadableModel(f"the model takes a field {name!r:.80} twice, or without a name")
        out[name] = _column(declared[name], mining, len(out))
    return list(out.values())


def data_type_of(element: Element) -> str:
    """Return the type of a field, which must be one that trees compare."""
    data_type = element.get("dataType", "string")
    if data_type not in TYPES:
        raise UnreadableModel(
            f"field {element.get('name')!r:.80} has the type {data_type!r:.40}, and read are "
            f"{', '.join(TYPES)}: turn it into one of these before the model"
        )
    return data_type


def _column(data: Element, mining: Element, position: int) -> Column:
    data_type, optype = data_type_of(data), mining.get("optype") or data.get("optype")
    listed: dict[str, list[str]] = {"valid": [], "missing": [], "invalid": []}
    for value in data.all("Value"):
        listed.setdefault(value.get("property", "valid"), []).append(value.get("value"))
    column = Column(data.get("name"), position, data_type)
    if optype != "continuous" or data_type in ("string", "boolean"):
        texts = ["false", "true"] if data_type == "boolean" else listed["valid"]
        labels = [label_of(text, data_type, f"a value of {column.what}") for text in texts]
        column = Column(column.name, position, data_type, list(dict.fromkeys(labels)))
        column.declared = bool(labels)
        column.ordinal = optype == "ordinal"
    _treat(column, mining, listed, bool(data.first("Interval")))
    return column


def _treat(
    column: Column, mining: Element, listed: Mapping[str, Sequence[str]], limited: bool
) -> None:
    """Take in what a mining schema does with values that are missing, invalid or far out."""
    if mining.get("outliers", "asIs") != "asIs":
        raise UnreadableModel(
            f"{column.what} has outliers={mining.get('outliers')!r:.40}, which changes values "
            "before the model sees them: write the file without it"
        )
    numeric = column.labels is None
    coded = [text for text in listed["missing"] if _is_number(text)]
    if numeric and coded:
        raise UnreadableModel(
            f"{column.what} takes the number {coded[0]!r:.40} for missing: leave such values out "
            "of the rows, and the declaration out of the file"
        )
    treatment = mining.get("invalidValueTreatment", "returnInvalid")
    if not numeric and not column.declared:
        column.other = True
    elif treatment == "asIs":
        column.other = not numeric and column.data_type != "boolean"
    elif treatment not in ("returnInvalid", "asMissing"):
        raise UnreadableModel(
            f"{column.what} has invalidValueTreatment={treatment!r:.40}, and read are "
            "'returnInvalid', 'asIs' and, of labels, 'asMissing'"
        )
    elif treatment == "asMissing" and numeric and (limited or any(listed.values())):
        raise UnreadableModel(
            f"{column.what} takes numbers that are out of its range for missing "
            "(invalidValueTreatment='asMissing'), which a range of numbers cannot state: write the "
            "file without it, and leave such values out of the rows"
        )
    if mining.get("missingValueTreatment") == "returnInvalid":
        column.refuses_missing = f"{column.what} must not be missing"
    column.replaced = mining.attributes.get("missingValueReplacement")


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def target_of(dictionary: Element, schema: Element) -> Element | None:
    """Return the declaration of what is predicted; None if the file does not have it."""
    names = [
        mining.get("name")
        for mining in schema.all("MiningField")
        if mining.get("usageType") in ("target", "predicted")
    ]
    return next((f for f in dictionary.all("DataField") if f.get("name") in names), None)


def table_of(columns: Sequence[Column], nan_refused: str = "") -> Table:
    """Describe the columns for the builder."""
    return Table(
        len(columns),
        [column.name for column in columns],
        learns_nan=True,
        nan_refused=nan_refused,
        binary=frozenset(c.position for c in columns if c.data_type == "boolean"),
        categories={c.position: tuple(c.labels) for c in columns if c.labels},
        other_categories=frozenset(c.position for c in columns if c.other),
        kinds={c.position: NUMBERS[c.data_type] for c in columns if c.labels is None},
    )
