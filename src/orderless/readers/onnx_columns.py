"""Which columns of a table the tree operator of an ONNX graph asks about, and what changes them.

In:  the value that goes into the operator.
Out: ``Columns``: names, the numbers that they hold, and labels where text became codes. What is
     scaled, shifted, filled or encoded before, in the order and precision of onnxruntime, are
     stages of a ``Before``. Operators that are not known, or that are no function of one column in
     one direction, are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import UnreadableModel
from ..model import Floats, Label, Values
from .builder import MAX_COLUMNS, Table
from .onnx_model import ML, OnnxModel, attributes
from .preprocessing.stage import Before, Cut, Encode, Fill, Pass, Rescale, Stage, Wire

__all__ = ["DOUBLE", "FLOAT", "INT64", "Codes", "Columns", "columns_of", "refused"]

FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11
WHOLE = (INT32, INT64, BOOL)
NUMBERS = (FLOAT, INT32, INT64, BOOL, DOUBLE)
MAX_DEPTH = 200  # operators one after the other
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
    name, position : the input, and which of its columns
    first, kind : the element types with which it came in, and that it has now
    rounded : to float32, on its way
    codes : labels that became numbers, if nothing else happens to it
    stages : what happens to it, beyond that
    """

    name: str
    position: int
    first: int
    kind: int
    rounded: bool
    codes: Codes | None = None
    stages: tuple[Stage, ...] = ()

    def then(self, stage: Stage, kind: int) -> OnnxColumn:
        """Add what happens next."""
        return replace(self, kind=kind, codes=None, stages=(*staged(self), stage))


def refused(node: Any, where: str) -> UnreadableModel:
    """Return the error for an operator that is not known."""
    domain = node.domain or "ai.onnx"
    return UnreadableModel(
        f"the ONNX model has the operator {node.op_type!r:.40} ({domain:.40}) {where} its trees, "
        "which is not read here: read the model that it was made from"
    )


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
    columns = _trace(model, value, 0)
    if isinstance(columns, str):  # one input, whose number of columns nobody says
        kind = model.inputs[columns][0]
        _check_kind(kind)
        values = _values(kind == FLOAT or kind in (INT32, INT64))
        return Columns(Table(None, None, values=values, learns_nan=True), kind, {})
    if not columns:
        raise UnreadableModel("the trees of the ONNX model have no columns: it is damaged")
    kinds = {column.kind for column in columns}
    if any(column.stages for column in columns):
        return _prepared(model, columns, kinds)
    rounded = {column.rounded or column.kind in WHOLE for column in columns if column.codes is None}
    if len(kinds) > 1 or len(rounded) > 1:
        raise UnreadableModel(
            "some columns of the ONNX model are rounded to float32 and others are not, which is "
            "not read here"
        )
    kind = kinds.pop()
    _check_kind(kind)
    inputs = [column.name for column in columns]
    names: Sequence[str] | None = inputs if len(set(inputs)) == len(columns) else None
    if model.names is not None and len(model.inputs) == 1 and len(model.names) == len(columns):
        names = model.names
    codes = {i: column.codes for i, column in enumerate(columns) if column.codes is not None}
    table = Table(
        len(columns),
        names,
        values=_values(rounded != {False}),
        learns_nan=True,
        categories={i: one.labels for i, one in codes.items()},
    )
    return Columns(table, kind, codes)


def _prepared(model: OnnxModel, columns: list[OnnxColumn], kinds: set[int]) -> Columns:
    """Describe columns that the graph changes before its trees ask about them."""
    if len(kinds) > 1:
        raise UnreadableModel("the trees of the ONNX model get columns of several types: damaged")
    kind = kinds.pop()
    _check_kind(kind)
    # All columns that the graph takes are features, in the order in which they are declared.
    sources: dict[tuple[str, int], int] = {}
    values: list[Values] = []
    names: list[str] = []
    for name, (input_kind, width) in model.inputs.items():
        if width is None:
            raise _unknown_width(name)
        for position in range(width):
            sources[name, position] = len(values)
            integer = input_kind in WHOLE
            values.append("integer" if integer else _values(input_kind == FLOAT))
            names.append(name)
    wires = [wire_of(column, sources[column.name, column.position]) for column in columns]
    names_or_none: Sequence[str] | None = names if len(set(names)) == len(names) else None
    if model.names is not None and len(model.names) == len(names):
        names_or_none = model.names
    table = Table(
        len(columns),
        None,
        values=_values(kind != DOUBLE),
        learns_nan=True,
        before=Before(wires, values, names_or_none),
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
    """Return the columns of a value, or the name of an input of unknown width."""
    if depth > MAX_DEPTH:
        raise UnreadableModel(f"the ONNX model has more than {MAX_DEPTH} operators in a row")
    if value in model.inputs:
        kind, width = model.inputs[value]
        if width is None:
            return value
        if not 0 < width <= MAX_COLUMNS:
            raise UnreadableModel(f"the ONNX model has the input {value!r:.40} of {width} columns")
        return [OnnxColumn(value, position, kind, kind, kind == FLOAT) for position in range(width)]
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
        return changed(model, node, _columns_in(model, (moving or node.input)[0], depth))
    if node.op_type in ("Reshape", "Flatten"):
        return _reshaped(model, node, depth)
    if node.op_type == "ArrayFeatureExtractor" or _picks(node):
        columns = _trace(model, node.input[0], depth + 1)
        which = model.constants[node.input[1]].ravel().astype(np.int64).tolist()
        if isinstance(columns, str) or any(not 0 <= i < len(columns) for i in which):
            raise UnreadableModel("the ONNX model picks columns that are not there: it is damaged")
        return [columns[i] for i in which]
    if node.op_type == "LabelEncoder":
        return _encoded(model, node, depth)
    raise refused(node, "before")


def _picks(node: Any) -> bool:
    return node.op_type == "Gather" and attributes(node).get("axis", 0) in (1, -1)


def _columns_in(model: OnnxModel, value: str, depth: int) -> list[OnnxColumn]:
    """Return the columns of a value, which must say how many it has."""
    columns = _trace(model, value, depth + 1)
    if isinstance(columns, str):
        raise _unknown_width(columns)
    return columns


def _reshaped(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn]:
    """Read what leaves each row its columns, in their order."""
    columns = _columns_in(model, node.input[0], depth)
    if node.op_type == "Flatten":
        fits = attributes(node).get("axis", 1) == 1
    else:
        shape = model.constants.get(node.input[1], np.zeros(0)).ravel().tolist()
        fits = shape in ([-1, len(columns)], [0, len(columns)], [0, -1])
    if not fits:
        raise refused(node, "(which does not leave rows as they are) before")
    return columns


def _cast(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn] | str:
    columns = _trace(model, node.input[0], depth + 1)
    to = int(attributes(node).get("to", 0))
    if isinstance(columns, str):
        if to == model.inputs[columns][0]:
            return columns
        raise _unknown_width(columns)
    if all(column.kind == to or (column.kind, to) == (INT32, INT64) for column in columns):
        return [replace(column, kind=to) for column in columns]
    if to not in (FLOAT, DOUBLE) or any(column.kind not in NUMBERS for column in columns):
        raise refused(node, f"(to the type {to}) before")
    out = [replace(column, kind=to, rounded=column.rounded or to == FLOAT) for column in columns]
    return [column.then(rounded_to(to), to) if column.stages else column for column in out]


def _joined(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn]:
    if node.op_type == "Concat" and attributes(node).get("axis") not in (1, -1):
        raise refused(node, "(over rows) before")
    out: list[OnnxColumn] = []
    for name in node.input:
        out += _columns_in(model, name, depth)
    if node.op_type == "FeatureVectorizer":  # makes float32 of everything
        out = [replace(column, kind=FLOAT, rounded=True) for column in out]
    return out


def _encoded(model: OnnxModel, node: Any, depth: int) -> list[OnnxColumn]:
    """Read text, or whole numbers, that become the numbers of their labels."""
    columns = _trace(model, node.input[0], depth + 1)
    options = attributes(node)
    keys = options.get("keys_strings", options.get("classes_strings"))
    if "values_floats" in options:
        values, other, kind = options["values_floats"], options.get("default_float", -0.0), FLOAT
    elif "values_int64s" in options:
        values, other, kind = options["values_int64s"], options.get("default_int64", -1), INT64
    else:
        raise refused(node, "before")
    key_kind = STRING
    if keys is None and "keys_int64s" in options:
        keys, key_kind = options["keys_int64s"].tolist(), INT64
    if isinstance(columns, str) or len(columns) != 1 or columns[0].kind != key_kind or keys is None:
        raise refused(node, "before")
    if columns[0].stages or columns[0].codes is not None:
        raise refused(node, "(after another operator) before")
    if node.domain != ML or len(keys) != len(values) or len(set(keys)) != len(keys):
        raise UnreadableModel("a LabelEncoder of the ONNX model does not fit: it is damaged")
    pairs = {key: float(v) for key, v in zip(keys, values, strict=True) if not np.isnan(v)}
    if not pairs:
        raise UnreadableModel("a LabelEncoder of the ONNX model has no labels: it is damaged")
    if key_kind == INT64:
        return [columns[0].then(Encode("LabelEncoder", pairs, float(other)), kind)]
    unknown = tuple(key for key in keys if key not in pairs)
    codes = Codes(tuple(pairs), tuple(pairs.values()), float(other), unknown)
    return [replace(columns[0], kind=kind, rounded=True, codes=codes)]


# -- operators that change columns -----------------------------------------------------------------


def staged(column: OnnxColumn) -> tuple[Stage, ...]:
    """Return all that happens to a column, with what comes first: its type, and its codes."""
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
    """Return the way of a column to the trees, which get it in the type that it has in the end."""
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


def changed(model: OnnxModel, node: Any, columns: list[OnnxColumn]) -> list[OnnxColumn]:
    """Apply an operator to columns."""
    if node.op_type in ARITHMETIC:
        return _arithmetic(model, node, columns)
    how = {"Scaler": _scaled, "Imputer": _filled, "OneHotEncoder": _one_hot, "Binarizer": _cut}
    return how[node.op_type](node, columns)


def _numbers(values: Any, columns: list[OnnxColumn], node: Any, what: str) -> list[Any]:
    """Return one number per column; a single one is for all."""
    flat = np.asarray(values).ravel()
    if flat.dtype.kind not in "fiu" or len(flat) not in (1, len(columns)):
        raise UnreadableModel(
            f"{what} of the operator {node.op_type!r:.40} of the ONNX model has {len(flat)} "
            f"entries for {len(columns)} columns: it is damaged"
        )
    return list(flat) if len(flat) == len(columns) else [flat[0]] * len(columns)


def _monotone(node: Any, factor: Any, *others: Any) -> None:
    """Refuse factors and offsets with which an order of numbers is lost."""
    if not np.isfinite([factor, *others]).all() or factor == 0:
        raise refused(node, "(by 0, or by something that is not finite) before")


def _scaled(node: Any, columns: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``Scaler``: (x - offset) * scale, in the type that comes in, and float32 in the end."""
    options = attributes(node)
    offsets = _numbers(options.get("offset", np.zeros(0)), columns, node, "offset")
    scales = _numbers(options.get("scale", np.zeros(0)), columns, node, "scale")
    return [
        _scale(node, column, o, s) for column, o, s in zip(columns, offsets, scales, strict=True)
    ]


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


def _arithmetic(model: OnnxModel, node: Any, columns: list[OnnxColumn]) -> list[OnnxColumn]:
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
    numbers = _numbers(array, columns, node, "the constant")
    operation = ARITHMETIC[node.op_type]
    multiplies = node.op_type in ("Mul", "Div")
    out = []
    for column, number in zip(columns, numbers, strict=True):
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


def _cut(node: Any, columns: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``Binarizer``: 1 above a threshold, else 0. onnxruntime takes no NaN here."""
    (threshold,) = {float(np.float32(attributes(node).get("threshold", 0.0)))}
    if any(column.kind != FLOAT for column in columns):
        raise refused(node, "(of numbers that are not float32) before")
    stage = Cut("Binarizer", threshold, (0.0, 1.0), "float32")
    return [column.then(stage, FLOAT) for column in columns]


def _filled(node: Any, columns: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``Imputer``, which puts a number where one is missing."""
    options = attributes(node)
    if any(column.kind != FLOAT for column in columns):
        raise refused(node, "(of numbers that are not float32) before")
    number = options.get("replaced_value_float", 0.0)
    if not np.isnan(number):
        raise refused(node, f"(which takes {number} for missing) before")
    values = _numbers(
        options.get("imputed_value_floats", np.zeros(0)), columns, node, "imputed_value"
    )
    stages = [Fill("Imputer", float("nan"), float(value), True) for value in values]
    return [column.then(stage, FLOAT) for column, stage in zip(columns, stages, strict=True)]


def _one_hot(node: Any, columns: list[OnnxColumn]) -> list[OnnxColumn]:
    """Read ``OneHotEncoder`` of one column: a column for each of its labels."""
    options = attributes(node)
    text = "cats_strings" in options
    labels = options["cats_strings"] if text else options.get("cats_int64s", np.zeros(0)).tolist()
    if len(columns) != 1 or columns[0].kind not in ((STRING,) if text else (INT32, INT64)):
        raise refused(node, "(of several columns, or not of its labels' type) before")
    if columns[0].stages or columns[0].codes is not None:
        raise refused(node, "(after another operator) before")
    if not labels or len(set(labels)) != len(labels):
        raise UnreadableModel("a OneHotEncoder of the ONNX model has no labels, or one twice")
    zeros = 0.0 if options.get("zeros", 1) else None
    return [
        columns[0].then(
            Encode("OneHotEncoder", {label: float(label == one) for label in labels}, zeros), FLOAT
        )
        for one in labels
    ]
