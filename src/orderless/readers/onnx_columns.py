"""Which columns of a table the tree operator of an ONNX graph asks about.

In:  the value that goes into the operator.
Out: ``Columns``: names, the numbers that they hold, and labels where text became codes. Operators
     that are not known are refused by their name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import UnreadableModel
from ..model import Values
from .build import Table
from .onnx_before import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    WHOLE,
    Codes,
    OnnxColumn,
    changed,
    changes,
    refused,
    rounded_to,
    wire_of,
)
from .onnx_model import ML, OnnxModel, attributes
from .preprocessing.stage import Before, Encode

__all__ = ["Columns", "columns_of"]

NUMBERS = (FLOAT, INT32, INT64, BOOL, DOUBLE)
MOST_DEEP = 200  # operators one after the other


@dataclass(frozen=True)
class Columns:
    """The columns of the table, and where those that the operator sees are among them.

    Attributes
    ----------
    table : of the model
    kind : the element type that the operator gets
    codes : column -> labels of text
    """

    table: Table
    kind: int
    codes: dict[int, Codes]

    @property
    def double(self) -> bool:
        """Whether the operator compares, and adds, float64."""
        return self.kind == DOUBLE


def columns_of(model: OnnxModel, value: str) -> Columns:
    """Follow a value back to the inputs of the graph."""
    found = _trace(model, value, 0)
    if isinstance(found, str):  # one input, whose number of columns nobody says
        kind = model.inputs[found][0]
        _check_kind(kind)
        values = _values(kind == FLOAT or kind in (INT32, INT64))
        return Columns(Table(None, None, values=values, learns_nan=True), kind, {})
    if not found:
        raise UnreadableModel("the trees of the ONNX model have no columns: it is damaged")
    kinds = {column.kind for column in found}
    if any(column.stages for column in found):
        return _prepared(model, found, kinds)
    rounded = {column.rounded or column.kind in WHOLE for column in found if column.codes is None}
    if len(kinds) > 1 or len(rounded) > 1:
        raise UnreadableModel(
            "some columns of the ONNX model are rounded to float32 and others are not, which is "
            "not read here"
        )
    kind = kinds.pop()
    _check_kind(kind)
    own = [column.name for column in found]
    names: Sequence[str] | None = own if len(set(own)) == len(found) else None
    if model.names is not None and len(model.inputs) == 1 and len(model.names) == len(found):
        names = model.names
    codes = {i: column.codes for i, column in enumerate(found) if column.codes is not None}
    table = Table(
        len(found),
        names,
        values=_values(rounded != {False}),
        learns_nan=True,
        categories={i: own.labels for i, own in codes.items()},
    )
    return Columns(table, kind, codes)


def _prepared(model: OnnxModel, found: list[OnnxColumn], kinds: set[int]) -> Columns:
    """Describe columns that the graph changes before its trees ask about them."""
    if len(kinds) > 1:
        raise UnreadableModel("the trees of the ONNX model get columns of several types: damaged")
    kind = kinds.pop()
    _check_kind(kind)
    # All columns that the graph takes are features, in the order in which they are declared.
    sources: dict[tuple[str, int], int] = {}
    values: list[Values] = []
    names: list[str] = []
    for name, (own, wide) in model.inputs.items():
        if wide is None:
            raise _unknown_width(name)
        for place in range(wide):
            sources[name, place] = len(values)
            values.append("integer" if own in WHOLE else _values(own == FLOAT))
            names.append(name)
    wires = [wire_of(column, sources[column.name, column.place]) for column in found]
    own_names: Sequence[str] | None = names if len(set(names)) == len(names) else None
    if model.names is not None and len(model.names) == len(names):
        own_names = model.names
    table = Table(
        len(found),
        None,
        values=_values(kind != DOUBLE),
        learns_nan=True,
        before=Before(wires, values, own_names),
    )
    return Columns(table, kind, {})


def _unknown_width(name: str) -> UnreadableModel:
    return UnreadableModel(
        f"the ONNX model does not say how many columns its input {name!r:.40} has"
    )


def _values(rounded: bool) -> Literal["float32", "float64"]:
    return "float32" if rounded else "float64"


def _check_kind(kind: int) -> None:
    if kind not in (FLOAT, DOUBLE, INT32, INT64):
        raise UnreadableModel(f"the trees of the ONNX model get values of type {kind}, not numbers")


def _trace(model: OnnxModel, value: str, depth: int) -> list[OnnxColumn] | str:
    """Give the columns of a value, or the name of an input of unknown width."""
    if depth > MOST_DEEP:
        raise UnreadableModel(f"the ONNX model has more than {MOST_DEEP} operators in a row")
    if value in model.inputs:
        kind, wide = model.inputs[value]
        if wide is None:
            return value
        if not 0 < wide <= 2**20:
            raise UnreadableModel(f"the ONNX model has the input {value!r:.40} of {wide} columns")
        return [OnnxColumn(value, place, kind, kind, kind == FLOAT) for place in range(wide)]
    node = model.made_by.get(value)
    if node is None:
        raise UnreadableModel(f"nothing in the ONNX model makes {value!r:.40}: it is damaged")
    if node.op_type == "Identity":
        return _trace(model, node.input[0], depth + 1)
    if node.op_type == "Cast":
        return _cast(model, node, depth)
    if node.op_type in ("Concat", "FeatureVectorizer"):
        return _joined(model, node, depth)
    if changes(node):
        moving = [name for name in node.input if name not in model.constants]
        return changed(model, node, _known(model, (moving or node.input)[0], depth))
    if node.op_type in ("Reshape", "Flatten"):
        return _reshaped(model, node, depth)
    if node.op_type == "ArrayFeatureExtractor" or _picks(node):
        own = _trace(model, node.input[0], depth + 1)
        which = model.constants[node.input[1]].ravel().astype(np.int64).tolist()
        if isinstance(own, str) or any(not 0 <= i < len(own) for i in which):
            raise UnreadableModel("the ONNX model picks columns that are not there: it is damaged")
        return [own[i] for i in which]
    if node.op_type == "LabelEncoder":
        return _encoded(model, node, depth)
    raise refused(node, "before")


def _picks(node: Any) -> bool:
    return node.op_type == "Gather" and attributes(node).get("axis", 0) in (1, -1)


def _known(model: OnnxModel, value: str, depth: int) -> list[OnnxColumn]:
    """Give the columns of a value, which must say how many it has."""
    own = _trace(model, value, depth + 1)
    if isinstance(own, str):
        raise _unknown_width(own)
    return own


def _reshaped(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn]:
    """Read what leaves each row its columns, in their order."""
    own = _known(model, node.input[0], depth)
    if node.op_type == "Flatten":
        fits = attributes(node).get("axis", 1) == 1
    else:
        shape = model.constants.get(node.input[1], np.zeros(0)).ravel().tolist()
        fits = shape in ([-1, len(own)], [0, len(own)], [0, -1])
    if not fits:
        raise refused(node, "(which does not leave rows as they are) before")
    return own


def _cast(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn] | str:
    own = _trace(model, node.input[0], depth + 1)
    to = int(attributes(node).get("to", 0))
    if isinstance(own, str):
        if to == model.inputs[own][0]:
            return own
        raise _unknown_width(own)
    if all(column.kind == to or (column.kind, to) == (INT32, INT64) for column in own):
        return [replace(column, kind=to) for column in own]
    if to not in (FLOAT, DOUBLE) or any(column.kind not in NUMBERS for column in own):
        raise refused(node, f"(to the type {to}) before")
    out = [replace(column, kind=to, rounded=column.rounded or to == FLOAT) for column in own]
    return [column.then(rounded_to(to), to) if column.stages else column for column in out]


def _joined(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn]:
    if node.op_type == "Concat" and attributes(node).get("axis") not in (1, -1):
        raise refused(node, "(over rows) before")
    out: list[OnnxColumn] = []
    for name in node.input:
        out += _known(model, name, depth)
    if node.op_type == "FeatureVectorizer":  # makes float32 of everything
        out = [replace(column, kind=FLOAT, rounded=True) for column in out]
    return out


def _encoded(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn]:
    """Read text, or whole numbers, that become the numbers of their labels."""
    own = _trace(model, node.input[0], depth + 1)
    given = attributes(node)
    keys = given.get("keys_strings", given.get("classes_strings"))
    if "values_floats" in given:
        values, other, kind = given["values_floats"], given.get("default_float", -0.0), FLOAT
    elif "values_int64s" in given:
        values, other, kind = given["values_int64s"], given.get("default_int64", -1), INT64
    else:
        raise refused(node, "before")
    wanted = STRING
    if keys is None and "keys_int64s" in given:
        keys, wanted = given["keys_int64s"].tolist(), INT64
    if isinstance(own, str) or len(own) != 1 or own[0].kind != wanted or keys is None:
        raise refused(node, "before")
    if own[0].stages or own[0].codes is not None:
        raise refused(node, "(after another operator) before")
    if node.domain != ML or len(keys) != len(values) or len(set(keys)) != len(keys):
        raise UnreadableModel("a LabelEncoder of the ONNX model does not fit: it is damaged")
    pairs = {key: float(v) for key, v in zip(keys, values, strict=True) if not np.isnan(v)}
    if not pairs:
        raise UnreadableModel("a LabelEncoder of the ONNX model has no labels: it is damaged")
    if wanted == INT64:
        return [own[0].then(Encode("LabelEncoder", pairs, float(other)), kind)]
    unknown = tuple(key for key in keys if key not in pairs)
    found = Codes(tuple(pairs), tuple(pairs.values()), float(other), unknown)
    return [replace(own[0], kind=kind, rounded=True, codes=found)]
