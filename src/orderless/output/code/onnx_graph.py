"""Graphs of ONNX, put together operator by operator.

In:  a space, and in which floats rows are given.
Out: ``Graph``: the columns of rows as one value, operators and constants, and the bytes of all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSpace
from ...inputs import import_optional
from ...model import Feature, Label, Space, value_at_most

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["ML", "Floats", "Graph", "boundaries", "codes_of", "set_test"]

ML = "ai.onnx.ml"
Floats = Literal["float32", "float64"]
# Versions of (ONNX, ai.onnx.ml, the file) that have all that we write: with TreeEnsembleRegressor,
# and with TreeEnsemble.
OLDER, NEWER = (17, 3, 8), (21, 5, 10)
UNKNOWN = ("", "(unknown)")  # how text says that it is not known: the first that is no category
LARGEST = 2**31 - 1  # of a category that is a number


class Graph:
    """Operators, in order, and what they work on.

    Rows come as one table where all features are ordered, and else feature by feature: text for
    labels that are text, where "" (or "(unknown)", where "" is a label) is unknown, and numbers for
    all others, where NaN is.
    """

    def __init__(self, space: Space, floats: Floats, *, newer: bool) -> None:
        self.onnx = import_optional("onnx", needed_for="writing ONNX")
        self.space, self.floats, self.newer = space, floats, newer
        self.number = np.dtype(floats)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        if not len(space):
            raise InvalidSpace("a model of ONNX needs at least one feature, and the space has none")
        self._text = any(not feature.ordered for feature in space.features)
        self.columns = self._columns() if self._text else self._input("X", floats, len(space))

    def _kind(self, name: str) -> int:
        types = {"str": "STRING", "bool": "BOOL", "int64": "INT64", "float64": "DOUBLE",
                 "float32": "FLOAT"}  # fmt: skip
        return int(getattr(self.onnx.TensorProto, types[name]))

    def _input(self, name: str, kind: str, wide: int) -> str:
        info = self.onnx.helper.make_tensor_value_info(name, self._kind(kind), [None, wide])
        self._inputs.append(info)
        return name

    def _columns(self) -> str:
        own = []
        for feature in self.space.features:
            codes = codes_of(feature)
            if codes is None or not isinstance(feature.categories[0], str):
                own.append(self._input(feature.name, self.floats, 1))
                continue
            value = self._input(feature.name, "str", 1)
            keys = [str(label) for label in feature.categories]
            numbers = [float(code) for code in codes]
            unknown = next((text for text in UNKNOWN if text not in keys), None)
            if unknown is not None:
                keys, numbers = [*keys, unknown], [*numbers, float("nan")]
            value = self.add("LabelEncoder", [value], domain=ML, keys_strings=keys,
                             values_floats=numbers, default_float=0.0)  # fmt: skip
            own.append(self.cast(value, self.floats) if self.floats == "float64" else value)
        return self.add("Concat", own, axis=1)

    # -- operators -------------------------------------------------------------------------------

    def add(self, kind: str, values: Sequence[str], *, domain: str = "", **given: Any) -> str:
        """Add an operator with one result; give the name of it."""
        name = f"_{len(self._nodes)}_{kind}"
        node = self.onnx.helper.make_node(kind, list(values), [name], domain=domain, **given)
        self._nodes.append(node)
        return name

    def constant(self, values: Any, kind: str | None = None) -> str:
        """Add an array that does not change."""
        array = np.asarray(values) if kind is None else np.asarray(values, dtype=kind)
        name = f"_c{len(self._constants)}"
        self._constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def tensor(self, values: Any) -> Any:
        """Give an array as an attribute of an operator, in the floats of the rows."""
        return self.onnx.numpy_helper.from_array(np.asarray(values, dtype=self.number), "")

    def cast(self, value: str, kind: str) -> str:
        """Make other numbers of a value."""
        return self.add("Cast", [value], to=self._kind(kind))

    def column(self, i: int) -> str:
        """Give one column of the rows, as a table."""
        return self.add("Gather", [self.columns, self.constant([i], "int64")], axis=1)

    def total(self, value: str) -> str:
        """Add up each row."""
        return self.add("ReduceSum", [value, self.constant([1], "int64")], keepdims=0)

    def flat(self, value: str) -> str:
        """Make a list of a table of one column."""
        return self.add("Reshape", [value, self.constant([-1], "int64")])

    def labels(self, classes: Sequence[Label]) -> tuple[str, str]:
        """Add the labels of classes; give their name and their kind."""
        kind = {str: "str", bool: "bool", int: "int64"}.get(type(classes[0]), "float64")
        if kind == "str":
            texts = np.array([str(label).encode("utf-8") for label in classes], dtype=object)
            return self.constant(texts), kind
        if kind == "int64" and any(not -(2**63) <= int(label) < 2**63 for label in classes):
            raise InvalidSpace("a class is a whole number that int64 cannot hold: use text")
        return self.constant(list(classes), kind), kind

    def output(self, name: str, value: str, kind: str, wide: int | None = None) -> None:
        """Let a value be a result of the model: a list, or a table with so many columns."""
        self._nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        shape = [None] if wide is None else [None, wide]
        info = self.onnx.helper.make_tensor_value_info(name, self._kind(kind), shape)
        self._outputs.append(info)

    def complete(self, used: Sequence[int]) -> None:
        """Add the result whether a row has all values that it is asked for."""
        wanted = [i for i in used if not self.space.features[i].nan]
        which = self.constant(wanted or [0], "int64")
        unknown = self.add("IsNaN", [self.add("Gather", [self.columns, which], axis=1)])
        if not wanted:
            unknown = self.add("And", [unknown, self.constant([[False]], "bool")])
        gaps = self.total(self.cast(unknown, "int64"))
        self.output("complete", self.add("Equal", [gaps, self.constant(0, "int64")]), "bool")

    def write(self, metadata: dict[str, str]) -> bytes:
        """Give the bytes of the model; the same for the same model."""
        helper = self.onnx.helper
        plain, ml, version = NEWER if self.newer else OLDER
        graph = helper.make_graph(
            self._nodes, "orderless", self._inputs, self._outputs, self._constants
        )
        opsets = [helper.make_opsetid("", plain), helper.make_opsetid(ML, ml)]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=version, producer_name="orderless"
        )
        names = json.dumps(list(self.space.names))
        helper.set_model_props(model, {"orderless.features": names, **metadata})
        content: bytes = model.SerializeToString(deterministic=True)
        return content


def codes_of(feature: Feature) -> list[int] | None:
    """Give the numbers that stand for categories in a graph; None for an ordered feature.

    Text is numbered from 1, because 0 stands for any other; whole numbers stand for themselves.
    """
    if feature.ordered:
        return None
    labels = feature.categories
    if all(isinstance(label, str) for label in labels):
        return list(range(1, len(labels) + 1))
    if all(type(label) is int and abs(label) < LARGEST for label in labels):
        return [int(label) for label in labels]
    raise InvalidSpace(
        f"the feature {feature.name!r} has the categories {list(labels)!s:.80}: in ONNX they must "
        "all be text, or all whole numbers below 2^31"
    )


def boundaries(tree: TreeKernel, floats: Floats) -> NDArray[np.float64]:
    """Give the thresholds so that rows of these floats are decided as the tree decides them."""
    own = tree.row_threshold
    if floats == "float64":
        return own
    with np.errstate(over="ignore"):
        return value_at_most(own, "float32").astype(np.float32).astype(np.float64)


def set_test(tree: TreeKernel, node: int) -> tuple[list[int], bool, bool]:
    """Give the codes that a node asks for, whether it asks for all but these, and NaN's side.

    An unknown value goes where the first category goes, so that its way is that of some value.
    """
    feature = tree.space.features[int(tree.feature[node])]
    codes = codes_of(feature) or []
    holds = set(tree.set_of(node).tolist())
    k = len(codes)
    but = feature.other and k in holds
    listed = [codes[c] for c in range(k) if (c in holds) != but]
    nan = (feature.n_values - 1 if feature.nan else 0) in holds
    return listed, but, nan
