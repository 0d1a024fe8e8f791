"""Operators of ONNX that change columns before the trees ask about them.

In:  an operator, and the columns that go into it.
Out: the same columns with one more ``Stage``: scaled, shifted, filled, encoded, in the order and
     precision of onnxruntime. What is no function of one column in one direction is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from ..model import Floats, Label
from .onnx_model import ML, OnnxModel, attributes
from .preprocessing.stage import Encode, Fill, Pass, Rescale, Stage, Wire

__all__ = ["Codes", "OnnxColumn", "changed", "changes", "refused", "rounded_to", "wire_of"]

FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11
WHOLE = (INT32, INT64, BOOL)
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide,
}  # fmt: skip


@dataclass(frozen=True)
class Codes:
    """Labels of a column of text and the numbers that stand for them."""

    labels: tuple[str, ...]
    codes: tuple[float, ...]
    other: float  # of any other text
    unknown: tuple[str, ...] = ()  # texts that stand for what is unknown


@dataclass(frozen=True)
class OnnxColumn:
    """A column on its way from an input of the graph to the trees.

    Attributes
    ----------
    name, place : the input, and which of its columns
    first, kind : the element types with which it came in, and that it has now
    rounded : to float32, on its way
    codes : labels that became numbers, if nothing else happens to it
    stages : what happens to it, beyond that
    """

    name: str
    place: int
    first: int
    kind: int
    rounded: bool
    codes: Codes | None = None
    stages: tuple[Stage, ...] = ()

    def then(self, stage: Stage, kind: int) -> OnnxColumn:
        """Add what happens next."""
        return replace(self, kind=kind, codes=None, stages=(*staged(self), stage))


def refused(node: Any, where: str) -> UnreadableModel:
    """Say which operator is not known."""
    domain = node.domain or "ai.onnx"
    return UnreadableModel(
        f"the ONNX model has the operator {node.op_type!r:.40} ({domain:.40}) {where} its trees, "
        "which is not read here: read the model that it was made from"
    )


def staged(column: OnnxColumn) -> tuple[Stage, ...]:
    """Give all that happens to a column, with what comes first: its type, and its codes."""
    if column.codes is not None:
        codes = column.codes
        missing = float("nan") if codes.unknown else None
        table: dict[Label, float] = dict(zip(codes.labels, codes.codes, strict=True))
        return (Encode("LabelEncoder", table, codes.other, missing),)
    if column.stages:
        return column.stages
    if column.first not in (FLOAT, DOUBLE):  # whole numbers and text cannot be missing in ONNX
        return (Pass(f"the input {column.name!r:.40}"),)
    return (rounded_to(FLOAT),) if column.rounded and column.first == DOUBLE else ()


def wire_of(column: OnnxColumn, source: int) -> Wire:
    """Give the way of a column to the trees, which get it in the type that it has in the end."""
    stages = staged(column)
    return Wire(source, (*stages, rounded_to(column.kind)) if stages else ())


def _dtype(kind: int) -> Any:
    return np.float64 if kind == DOUBLE else np.float32


def rounded_to(kind: int) -> Rescale:
    """Round numbers to float64 or, as the trees do with whole numbers, to float32."""

    def function(x: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return x.astype(_dtype(kind)).astype(np.float64)

    return Rescale("Cast", function)


def changes(node: Any) -> bool:
    """Whether an operator is known here."""
    names = ("Scaler", "Imputer", "OneHotEncoder", "Binarizer")
    return node.op_type in ARITHMETIC or (node.domain == ML and node.op_type in names)


def changed(model: OnnxModel, node: Any, own: list[OnnxColumn]) -> list[OnnxColumn]:
    """Apply an operator to columns."""
    if node.op_type in ARITHMETIC:
        return _arithmetic(model, node, own)
    how = {"Scaler": _scaled, "Imputer": _filled, "OneHotEncoder": _one_hot, "Binarizer": _cut}
    return how[node.op_type](node, own)


def _numbers(values: Any, own: list[OnnxColumn], node: Any, what: str) -> list[Any]:
    """Give one number per column; a single one is for all."""
    flat = np.asarray(values).ravel()
    if flat.dtype.kind not in "fiu" or len(flat) not in (1, len(own)):
        raise UnreadableModel(
            f"{what} of the operator {node.op_type!r:.40} of the ONNX model has {len(flat)} "
            f"entries for {len(own)} columns: it is damaged"
        )
    return list(flat) if len(flat) == len(own) else [flat[0]] * len(own)


def _monotone(node: Any, factor: Any, *others: Any) -> None:
    """Refuse factors and offsets with which an order of numbers is lost."""
    if not np.isfinite([factor, *others]).all() or factor == 0:
        raise refused(node, "(by 0, or by something that is not finite) before")


def _scaled(node: Any, own: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``Scaler``: (x - offset) * scale, in the type that comes in, and float32 in the end."""
    given = attributes(node)
    offsets = _numbers(given.get("offset", np.zeros(0)), own, node, "offset")
    scales = _numbers(given.get("scale", np.zeros(0)), own, node, "scale")
    return [_scale(node, column, o, s) for column, o, s in zip(own, offsets, scales, strict=True)]


def _scale(node: Any, column: OnnxColumn, offset: Any, scale: Any) -> OnnxColumn:
    _monotone(node, scale, offset)
    if column.kind == STRING:
        raise refused(node, "(of text) before")
    wide = _dtype(column.kind)

    def function(x: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = (x.astype(wide) - wide(offset)) * wide(scale)
            return scaled.astype(np.float32).astype(np.float64)  # type: ignore[no-any-return]

    return column.then(Rescale("Scaler", function), FLOAT)


def _arithmetic(model: OnnxModel, node: Any, own: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read what is added, subtracted, multiplied or divided column by column."""
    constants = [name for name in node.input if name in model.constants]
    if len(node.input) != 2 or len(constants) != 1:
        raise refused(node, "(of two columns) before")
    last = node.input[1] == constants[0]
    if not last and node.op_type in ("Sub", "Div"):
        raise refused(node, "(from a number) before")
    array = model.constants[constants[0]]
    if array.ndim > 1 and array.shape[:-1] != (1,) * (array.ndim - 1):
        raise refused(node, "(row by row) before")
    numbers = _numbers(array, own, node, "the constant")
    operation = ARITHMETIC[node.op_type]
    multiplies = node.op_type in ("Mul", "Div")
    out = []
    for column, number in zip(own, numbers, strict=True):
        _monotone(node, number if multiplies else 1.0, number)
        if column.kind not in (FLOAT, DOUBLE) or array.dtype != _dtype(column.kind):
            raise refused(node, "(of whole numbers, or of two types) before")
        function = _with(operation, number, _dtype(column.kind))
        out.append(column.then(Rescale(node.op_type, function), column.kind))
    return out


def _with(operation: Callable[[Any, Any], Any], number: Any, wide: Any) -> Callable[[Any], Any]:
    def function(x: Floats) -> Any:
        with np.errstate(all="ignore"):
            return operation(x.astype(wide), wide(number)).astype(np.float64)

    return function


def _cut(node: Any, own: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``Binarizer``: 1 above a threshold, else 0. onnxruntime takes no NaN here."""
    (threshold,) = {float(np.float32(attributes(node).get("threshold", 0.0)))}
    if any(column.kind != FLOAT for column in own):
        raise refused(node, "(of numbers that are not float32) before")

    def function(x: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            return (x.astype(np.float32) > np.float32(threshold)).astype(np.float64)

    stage = Rescale("Binarizer", function, takes_missing=False, two_valued=True)
    return [column.then(stage, FLOAT) for column in own]


def _filled(node: Any, own: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``Imputer``, which puts a number where one is missing."""
    given = attributes(node)
    if any(column.kind != FLOAT for column in own):
        raise refused(node, "(of numbers that are not float32) before")
    number = given.get("replaced_value_float", 0.0)
    if not np.isnan(number):
        raise refused(node, f"(which takes {number} for missing) before")
    values = _numbers(given.get("imputed_value_floats", np.zeros(0)), own, node, "imputed_value")
    stages = [Fill("Imputer", float("nan"), float(value), True) for value in values]
    return [column.then(stage, FLOAT) for column, stage in zip(own, stages, strict=True)]


def _one_hot(node: Any, own: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``OneHotEncoder`` of one column: a column for each of its labels."""
    given = attributes(node)
    text = "cats_strings" in given
    labels = given["cats_strings"] if text else given.get("cats_int64s", np.zeros(0)).tolist()
    if len(own) != 1 or own[0].kind not in ((STRING,) if text else (INT32, INT64)):
        raise refused(node, "(of several columns, or not of its labels' type) before")
    if own[0].stages or own[0].codes is not None:
        raise refused(node, "(after another operator) before")
    if not labels or len(set(labels)) != len(labels):
        raise UnreadableModel("a OneHotEncoder of the ONNX model has no labels, or one twice")
    zeros = 0.0 if given.get("zeros", 1) else None
    return [
        own[0].then(
            Encode("OneHotEncoder", {label: float(label == one) for label in labels}, zeros), FLOAT
        )
        for one in labels
    ]
