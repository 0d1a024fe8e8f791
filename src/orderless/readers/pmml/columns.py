"""Columns: what a PMML model takes, as its data dictionary and mining schema declare it.

In:  ``DataDictionary`` and ``MiningSchema``.
Out: ``Column``, and the ``Table`` of all for the builder. What would change values before the model
     sees them, and cannot be said of a column, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import UnreadableModel
from ...model import Label, Values
from ..build import Table
from .document import Element
from .values import TYPES, is_number, label_of

__all__ = ["Column", "columns_of", "data_type_of", "table_of", "target_of"]

VALUES: Mapping[str, Values] = {"float": "float32", "double": "float64", "integer": "integer"}


@dataclass
class Column:
    """A column that a model takes.

    Attributes
    ----------
    labels : of a column of labels; None: it has numbers
    other : whether it may hold labels that are not listed
    ordinal : whether its labels have an order
    replaced : what a missing value is replaced by, as text; None: by nothing
    refuses_missing : why a missing value has no answer; empty: it may have one
    """

    name: str
    position: int
    data_type: str
    labels: list[Label] | None = None
    other: bool = False
    ordinal: bool = False
    replaced: str | None = None
    refuses_missing: str = ""
    declared: bool = True  # its labels are listed; else they are those that the model names

    @property
    def what(self) -> str:
        """How it is called in a message."""
        return f"field {self.name!r:.80}"

    def code(self, text: str) -> int | None:
        """Give the number of a label; where none are declared it becomes one."""
        assert self.labels is not None
        label = label_of(text, self.data_type, f"a value of {self.what}")
        key = (type(label), label)
        if key not in self._codes:
            if self.declared:
                return None
            self._codes[key] = len(self.labels)
            self.labels.append(label)
        return self._codes[key]

    def __post_init__(self) -> None:
        self._codes = {(type(c), c): i for i, c in enumerate(self.labels or ())}


def columns_of(dictionary: Element, schema: Element) -> list[Column]:
    """Give the active columns of a model, in the order of its mining schema."""
    declared = {field.get("name"): field for field in dictionary.all("DataField")}
    out: list[Column] = []
    seen: set[str] = set()
    for given in schema.all("MiningField"):
        name = given.get("name")
        if given.get("usageType", "active") != "active":
            continue
        if name not in declared:
            raise UnreadableModel(
                f"the model takes a field {name!r:.80}, which the data dictionary does not have"
            )
        if name in seen or not name:
            raise UnreadableModel(f"the model takes a field {name!r:.80} twice, or without a name")
        seen.add(name)
        out.append(_column(declared[name], given, len(out)))
    return out


def data_type_of(field: Element) -> str:
    """Give the type of a field, which must be one that trees compare."""
    data_type = field.get("dataType", "string")
    if data_type not in TYPES:
        raise UnreadableModel(
            f"field {field.get('name')!r:.80} has the type {data_type!r:.40}, and read are "
            f"{', '.join(TYPES)}: turn it into one of these before the model"
        )
    return data_type


def _column(field: Element, schema: Element, position: int) -> Column:
    data_type, optype = data_type_of(field), schema.get("optype") or field.get("optype")
    listed: dict[str, list[str]] = {"valid": [], "missing": [], "invalid": []}
    for value in field.all("Value"):
        listed.setdefault(value.get("property", "valid"), []).append(value.get("value"))
    column = Column(field.get("name"), position, data_type)
    if optype != "continuous" or data_type in ("string", "boolean"):
        texts = ["false", "true"] if data_type == "boolean" else listed["valid"]
        labels = [label_of(text, data_type, f"a value of {column.what}") for text in texts]
        column = Column(column.name, position, data_type, list(dict.fromkeys(labels)))
        column.declared = bool(labels)
        column.ordinal = optype == "ordinal"
    _treat(column, schema, listed, bool(field.first("Interval")))
    return column


def _treat(
    column: Column, schema: Element, listed: Mapping[str, Sequence[str]], limited: bool
) -> None:
    """Take in what a mining schema says of values that are missing, invalid or far out."""
    if schema.get("outliers", "asIs") != "asIs":
        raise UnreadableModel(
            f"{column.what} has outliers={schema.get('outliers')!r:.40}, which changes values "
            "before the model sees them: write the file without it"
        )
    numeric = column.labels is None
    coded = [text for text in listed["missing"] if is_number(text)]
    if numeric and coded:
        raise UnreadableModel(
            f"{column.what} takes the number {coded[0]!r:.40} for missing: leave such values out "
            "of the rows, and the declaration out of the file"
        )
    treatment = schema.get("invalidValueTreatment", "returnInvalid")
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
            "(invalidValueTreatment='asMissing'), which a range of numbers cannot say: write the "
            "file without it, and leave such values out of the rows"
        )
    if schema.get("missingValueTreatment") == "returnInvalid":
        column.refuses_missing = f"{column.what} must not be missing"
    if "missingValueReplacement" in schema.attributes:
        column.replaced = schema.get("missingValueReplacement")


def target_of(dictionary: Element, schema: Element | None) -> Element | None:
    """Give the declaration of what is predicted; None if the file does not have it."""
    names = () if schema is None else [
        field.get("name") for field in schema.all("MiningField")
        if field.get("usageType") in ("target", "predicted")
    ]  # fmt: skip
    return next((f for f in dictionary.all("DataField") if f.get("name") in names), None)


def table_of(columns: Sequence[Column], nan_refused: str) -> Table:
    """Describe the columns for the builder."""
    labels = {c.position: tuple(c.labels) for c in columns if c.labels}
    return Table(
        len(columns),
        [column.name for column in columns],
        learns_nan=True,
        nan_refused=nan_refused,
        binary=frozenset(c.position for c in columns if c.data_type == "boolean"),
        categories=labels,
        other_categories=frozenset(c.position for c in columns if c.other),
        kinds={c.position: VALUES[c.data_type] for c in columns if c.labels is None},
    )
