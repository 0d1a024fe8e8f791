"""ONNX files: what is in them, without running anything.

In:  the bytes of a file, or a ``ModelProto``.
Out: ``OnnxModel``: operators, constants and columns by name, checked as far as one looks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from ..inputs import import_optional
from .checks import damaged

__all__ = [
    "ML",
    "NAMES_KEY",
    "TASK_KEY",
    "TREES",
    "OnnxModel",
    "attributes",
    "knows_onnx",
    "parsed",
]

ML = "ai.onnx.ml"
TREES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble")
# The fields of a ModelProto that may come after its version, which stands first.
TAGS = (0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42, 0x72)
MOST_BYTES = 2**31 - 1  # of a protobuf
EXTERNAL = 1
NAMES_KEY, TASK_KEY = "orderless.features", "orderless.task"  # that we write into our own files


def knows_onnx(content: bytes) -> bool:
    """Whether bytes look like a model of ONNX; a protobuf has no mark of its own.

    Examples
    --------
    >>> knows_onnx(bytes([8, 9, 0x3A, 2])), knows_onnx(b"{}")
    (True, False)
    """
    return len(content) > 2 and content[0] == 0x08 and content[1] < 0x40 and content[2] in TAGS


def parsed(content: bytes) -> Any:
    """Return the ``ModelProto`` of bytes."""
    onnx = import_optional("onnx", needed_for="reading a model of ONNX")
    from google.protobuf.message import DecodeError

    if len(content) > MOST_BYTES:
        raise UnreadableModel(f"an ONNX model has less than {MOST_BYTES:,} bytes: it is damaged")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError as fault:
        raise UnreadableModel(
            "this ONNX model is damaged, or only the first part of a file: save it again"
        ) from fault
    return model


def attributes(node: Any) -> dict[str, Any]:
    """Return the attributes of an operator: numbers, text, or arrays of them.

    A tensor that is kept outside of the model is refused, and so is a graph inside of an operator.
    """
    out: dict[str, Any] = {}
    for one in node.attribute:
        if one.type == one.FLOAT:
            out[one.name] = float(one.f)
        elif one.type == one.INT:
            out[one.name] = int(one.i)
        elif one.type == one.STRING:
            out[one.name] = one.s.decode("utf-8")
        elif one.type == one.FLOATS:
            out[one.name] = np.array(one.floats, dtype=np.float32)
        elif one.type == one.INTS:
            out[one.name] = np.array(one.ints, dtype=np.int64)
        elif one.type == one.STRINGS:
            out[one.name] = [text.decode("utf-8") for text in one.strings]
        elif one.type == one.TENSOR:
            out[one.name] = _array(one.t)
        else:
            raise UnreadableModel(
                f"the operator {node.op_type!r:.40} of the ONNX model has the attribute "
                f"{one.name!r:.40}, of a kind that is not known here"
            )
    return out


def _array(tensor: Any) -> NDArray[Any]:
    from onnx import numpy_helper

    if tensor.data_location == EXTERNAL or len(tensor.external_data):
        raise UnreadableModel(
            "the ONNX model keeps numbers in a file beside it: save it as one file"
        )
    return np.asarray(numpy_helper.to_array(tensor))


@dataclass(frozen=True)
class OnnxModel:
    """A graph of ONNX, by names of values.

    Attributes
    ----------
    nodes : all operators
    made_by : value -> the operator that makes it
    constants : value -> array, of initializers and of ``Constant``
    inputs : value -> (element type, number of columns or None), without constants
    outputs : the names of the results
    metadata : texts that the file has about itself
    """

    nodes: Sequence[Any]
    made_by: dict[str, Any]
    constants: dict[str, NDArray[Any]]
    inputs: dict[str, tuple[int, int | None]]
    outputs: list[str]
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str] | None:
        """What the columns are called, where the file says it."""
        try:
            names = json.loads(self.metadata.get(NAMES_KEY, "null"))
        except ValueError:
            return None
        return names if isinstance(names, list) and all(type(n) is str for n in names) else None

    @classmethod
    def of(cls, model: Any) -> OnnxModel:
        """Look into a ``ModelProto``."""
        with damaged("ONNX", save="onnx.save(model, 'model.onnx')"):
            graph = model.graph
            if not len(graph.node):
                raise UnreadableModel("the ONNX model has no operators: it is damaged, or no model")
            if len(model.functions) or len(graph.sparse_initializer):
                raise UnreadableModel(
                    "the ONNX model has functions of its own, or sparse constants, which are not "
                    "read"
                )
            constants = {one.name: _array(one) for one in graph.initializer}
            made_by: dict[str, Any] = {}
            for node in graph.node:
                if node.op_type == "Constant" and len(node.output) == 1:
                    value = attributes(node)
                    constants[node.output[0]] = np.asarray(next(iter(value.values())))
                    continue
                for name in node.output:
                    if name and (name in made_by or name in constants):
                        raise UnreadableModel(
                            f"two operators of the ONNX model make {name!r:.40}: it is damaged"
                        )
                    made_by[name] = node
            inputs = {
                one.name: _shape(one) for one in graph.input if one.name not in constants
            }  # fmt: skip
            outputs = [one.name for one in graph.output]
            return cls(
                graph.node,
                made_by,
                constants,
                inputs,
                outputs,
                {entry.key: entry.value for entry in model.metadata_props},
            )


def _shape(value: Any) -> tuple[int, int | None]:
    """Return the element type of an input, and its number of columns; None if it is not said."""
    kind = value.type.tensor_type
    dims = kind.shape.dim
    wide = dims[1].dim_value if len(dims) == 2 and dims[1].HasField("dim_value") else None
    if len(dims) == 1:
        wide = 1
    return int(kind.elem_type), wide
