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
from .build import Table
from .onnx_model import ML, OnnxModel, attributes

__all__ = ["Codes", "Columns", "columns_of", "refused"]

FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11
NUMBERS = (FLOAT, INT32, INT64, BOOL, DOUBLE)
MOST_DEEP = 200  # operators one after the other


@dataclass(frozen=True)
class Codes:
    """Labels of a column of text and the numbers that stand for them."""

    labels: tuple[str, ...]
    codes: tuple[float, ...]
    other: float  # of any other text


@dataclass(frozen=True)
class _Column:
    name: str
    kind: int  # element type
    rounded: bool  # to float32, on its way
    codes: Codes | None = None


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


def refused(node: Any, where: str) -> UnreadableModel:
    """Say which operator is not known."""
    domain = node.domain or "ai.onnx"
    return UnreadableModel(
        f"the ONNX model has the operator {node.op_type!r:.40} ({domain:.40}) {where} its trees, "
        "which is not read here: read the model that it was made from"
    )


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
    rounded = {column.rounded for column in found if column.codes is None}
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


def _values(rounded: bool) -> Literal["float32", "float64"]:
    return "float32" if rounded else "float64"


def _check_kind(kind: int) -> None:
    if kind not in (FLOAT, DOUBLE, INT32, INT64):
        raise UnreadableModel(f"the trees of the ONNX model get values of type {kind}, not numbers")


def _trace(model: OnnxModel, value: str, depth: int) -> list[_Column] | str:
    """Give the columns of a value, or the name of an input of unknown width."""
    if depth > MOST_DEEP:
        raise UnreadableModel(f"the ONNX model has more than {MOST_DEEP} operators in a row")
    if value in model.inputs:
        kind, wide = model.inputs[value]
        if wide is None:
            return value
        if not 0 < wide <= 2**20:
            raise UnreadableModel(f"the ONNX model has the input {value!r:.40} of {wide} columns")
        column = _Column(value, kind, kind not in (DOUBLE, STRING))
        return [column] * wide
    node = model.made_by.get(value)
    if node is None:
        raise UnreadableModel(f"nothing in the ONNX model makes {value!r:.40}: it is damaged")
    if node.op_type == "Identity":
        return _trace(model, node.input[0], depth + 1)
    if node.op_type == "Cast":
        return _cast(model, node, depth)
    if node.op_type in ("Concat", "FeatureVectorizer"):
        return _joined(model, node, depth)
    if node.op_type == "ArrayFeatureExtractor":
        own = _trace(model, node.input[0], depth + 1)
        which = model.constants[node.input[1]].ravel().astype(np.int64).tolist()
        if isinstance(own, str) or any(not 0 <= i < len(own) for i in which):
            raise UnreadableModel("the ONNX model picks columns that are not there: it is damaged")
        return [own[i] for i in which]
    if node.op_type == "LabelEncoder":
        return _encoded(model, node, depth)
    raise refused(node, "before")


def _cast(model: OnnxModel, node: Any, depth: int) -> list[_Column] | str:
    own = _trace(model, node.input[0], depth + 1)
    to = attributes(node).get("to")
    if isinstance(own, str):
        if to == model.inputs[own][0]:
            return own
        raise UnreadableModel(
            f"the ONNX model does not say how many columns its input {own!r:.40} has"
        )
    if to not in (FLOAT, DOUBLE) or any(column.kind not in NUMBERS for column in own):
        raise refused(node, f"(to the type {to}) before")
    return [
        replace(column, kind=to, rounded=column.rounded or to == FLOAT) for column in own
    ]  # fmt: skip


def _joined(model: OnnxModel, node: Any, depth: int) -> list[_Column]:
    if node.op_type == "Concat" and attributes(node).get("axis") not in (1, -1):
        raise refused(node, "(over rows) before")
    out: list[_Column] = []
    for name in node.input:
        own = _trace(model, name, depth + 1)
        if isinstance(own, str):
            raise UnreadableModel(
                f"the ONNX model does not say how many columns its input {own!r:.40} has"
            )
        out += own
    if node.op_type == "FeatureVectorizer":  # makes float32 of everything
        out = [replace(column, kind=FLOAT, rounded=True) for column in out]
    return out


def _encoded(model: OnnxModel, node: Any, depth: int) -> list[_Column]:
    """Read text that becomes the numbers of its labels."""
    own = _trace(model, node.input[0], depth + 1)
    given = attributes(node)
    keys = given.get("keys_strings", given.get("classes_strings"))
    if "values_floats" in given:
        values, other, kind = given["values_floats"], given.get("default_float", -0.0), FLOAT
    elif "values_int64s" in given:
        values, other, kind = given["values_int64s"], given.get("default_int64", -1), INT64
    else:
        raise refused(node, "before")
    if isinstance(own, str) or len(own) != 1 or own[0].kind != STRING or keys is None:
        raise refused(node, "before")
    if node.domain != ML or len(keys) != len(values) or len(set(keys)) != len(keys):
        raise UnreadableModel("a LabelEncoder of the ONNX model does not fit: it is damaged")
    pairs = [(key, float(v)) for key, v in zip(keys, values, strict=True) if not np.isnan(v)]
    labels, codes = zip(*pairs, strict=True)
    found = Codes(tuple(labels), tuple(codes), float(other))
    return [_Column(own[0].name, kind, True, found)]
