"""What our own ONNX models say of rows with unknown values, read back.

In:  a ``ModelProto``.
Out: ``Unknowns``: per column its bins and which leaves each can reach, per leaf its classes; None
     where the graph has another shape than the one that ``Tree.to_onnx`` writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel
from ..model import Flags, Label
from .onnx_columns import DOUBLE, FLOAT, INT64, Codes, Columns, columns_of
from .onnx_model import TREES, OnnxModel, attributes

__all__ = [
    "EXTRA",
    "ColumnBins",
    "Unknowns",
    "extra_results",
    "read_unknowns",
    "required_columns",
]

EXTRA = ("certain", "possible", "lower", "upper")
UNKNOWN = ("", "(unknown)")  # how text says that it is not known: the first that is no category
ALONG: dict[str, Any] = {"keepdims": 0}


@dataclass(frozen=True)
class ColumnBins:
    """How a column is cut into bins, and which leaves each of them can reach.

    Attributes
    ----------
    number : the type that values are compared in
    cuts : of numbers; the bin is how many of them a value is above
    codes, places : of categories; the bin is the sum of the places whose code is equal
    gap : the bin of NaN
    mask : bins x leaves
    labels : the codes of text, where the column has text
    """

    number: Any
    cuts: NDArray[Any] | None
    codes: NDArray[Any] | None
    places: NDArray[np.int64] | None
    gap: int
    mask: Flags
    labels: Codes | None

    def reached(self, value: Any) -> Flags:
        """Give the leaves that a value can reach; None is unknown.

        Raises
        ------
        UnreadableModel
            If the value's bin is not in the mask, where an engine stops too.
        """
        own = self._number(value)
        if np.isnan(own):
            place = self.gap
        elif self.cuts is not None:
            place = int((own > self.cuts).sum())
        else:
            place = int(((own == self.codes) * self.places).sum())
        if not -len(self.mask) <= place < len(self.mask):
            raise UnreadableModel(f"the ONNX model looks up bin {place} of {len(self.mask)}")
        return self.mask[place]  # type: ignore[no-any-return]

    def _number(self, value: Any) -> Any:
        if value is None or value != value:
            return self.number(np.nan)
        if self.labels is not None:
            text = self.labels.labels
            known = value in text
            value = self.labels.codes[text.index(value)] if known else self.labels.other
        with np.errstate(over="ignore"):
            return self.number(value)


@dataclass(frozen=True)
class Unknowns:
    """The leaves that a row can reach, and what they say.

    Attributes
    ----------
    columns : column -> bins; others are not asked about
    of_class : leaves x classes
    classes : labels, or numbers
    numbers : whether the results are the least and the largest number
    """

    columns: dict[int, ColumnBins]
    of_class: Flags
    classes: tuple[Label, ...]
    numbers: bool


class _Another(Exception):
    """The graph is not what we write."""


def extra_results(proto: Any) -> list[str]:
    """Name the results of a model of ONNX that are about rows with unknown values."""
    results = getattr(getattr(proto, "graph", None), "output", ())
    return [one.name for one in results if one.name in EXTRA]


def read_unknowns(proto: Any) -> Unknowns | None:
    """Read the results that are about unknown values; None if they are not made as we make them."""
    try:
        return _Reader(OnnxModel.of(proto)).unknowns()
    except (_Another, UnreadableModel, InvalidTree, KeyError, ValueError, TypeError, IndexError):
        return None


def required_columns(proto: Any) -> list[int]:
    """Give the columns that a row must have for its answer to mean something.

    They are those without which the result "complete" of our models is false; none where a model
    has no such result.
    """
    results = getattr(getattr(proto, "graph", None), "output", ())
    if all(one.name != "complete" for one in results):
        return []
    try:
        return _Reader(OnnxModel.of(proto)).required()
    except (_Another, UnreadableModel, InvalidTree, KeyError, ValueError, TypeError, IndexError):
        return []


class _Reader:
    """Follows each result back, operator by operator."""

    def __init__(self, model: OnnxModel) -> None:
        self.model = model
        (trees,) = [node for node in model.nodes if node.op_type in TREES]
        self.table = trees.input[0]
        self.columns: Columns = columns_of(model, self.table)
        if self.columns.kind not in (FLOAT, DOUBLE):
            raise _Another
        self.number = np.float64 if self.columns.kind == DOUBLE else np.float32

    def _made(self, value: str, kind: str, **given: Any) -> list[str]:
        """Give what goes into the operator that makes a value, which must be just this one."""
        node = self.model.made_by[value]
        own = {
            name: one.tolist() if isinstance(one, np.ndarray) else one
            for name, one in attributes(node).items()
        }
        if node.op_type != kind or node.domain not in ("", "ai.onnx") or own != given:
            raise _Another
        return list(node.input)

    def _constant(self, value: str, kind: str, *shape: int | None) -> NDArray[Any]:
        """Give a constant of a type and a shape, in which None is any length."""
        own = self.model.constants[value]
        fits = own.ndim == len(shape) and all(
            n in (None, have) for n, have in zip(shape, own.shape, strict=True)
        )
        if not fits or own.dtype != np.dtype(kind):
            raise _Another
        return own

    def _sums(self, value: str) -> str:
        """Follow the sum over each row, of int64."""
        inner, axes = self._made(value, "ReduceSum", **ALONG)
        if self._constant(axes, "int64", 1).tolist() != [1]:
            raise _Another
        return inner

    def _whole(self, value: str) -> str:
        return self._made(value, "Cast", to=INT64)[0]

    def unknowns(self) -> Unknowns:
        found = [name for name in self.model.outputs if name in EXTRA]
        (certain,) = self._made("certain", "Identity")
        total, one = self._made(certain, "Equal")
        if self._constant(one, "int64") != 1:
            raise _Another
        possible = self._whole(self._sums(total))
        numbers = found == ["certain", "lower", "upper"]
        if numbers:
            classes = self._numbers(possible)
        elif found == ["certain", "possible"] and self._made("possible", "Identity") == [possible]:
            classes = self._labels()
        else:
            raise _Another
        counts, zero = self._made(possible, "Greater")
        if self._constant(zero, "float32") != 0:
            raise _Another
        reach, matrix = self._made(counts, "MatMul")
        weights = self._constant(matrix, "float32", None, len(classes))
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise _Another
        columns = self._reach(self._made(reach, "Cast", to=FLOAT)[0], len(weights))
        return Unknowns(columns, weights > 0, classes, numbers)

    def required(self) -> list[int]:
        """Follow "complete": no value is missing among some columns."""
        (own,) = self._made("complete", "Identity")
        total, zero = self._made(own, "Equal")
        if self._constant(zero, "int64") != 0:
            raise _Another
        missing = self._whole(self._sums(total))
        if self.model.made_by[missing].op_type == "And":  # with False: it asks for none
            return []
        (values,) = self._made(missing, "IsNaN")
        table, which = self._made(values, "Gather", axis=1)
        if table != self.table:
            raise _Another
        columns: list[int] = self._constant(which, "int64", None).tolist()
        return columns

    def _labels(self) -> tuple[Label, ...]:
        """Give the labels, in the order of the columns of "possible"."""
        (answer,) = self._made("label", "Identity")
        labels, _ = self._made(answer, "Gather", axis=0)
        own = self.model.constants[labels]
        if own.ndim != 1:
            raise _Another
        out = tuple(v.decode("utf-8") if isinstance(v, bytes) else v for v in own.tolist())
        if len(set(out)) < len(out):
            raise _Another
        return out

    def _numbers(self, possible: str) -> tuple[Label, ...]:
        """Give the numbers of which the least and the largest are results."""
        found = []
        for name, kind, beyond in (("lower", "ReduceMin", np.inf), ("upper", "ReduceMax", -np.inf)):
            (end,) = self._made(name, "Identity")
            if len(self.model.made_by[end].input) == 2:
                own, axes = self._made(end, kind, **ALONG)
                if self._constant(axes, "int64", 1).tolist() != [1]:
                    raise _Another
            else:
                (own,) = self._made(end, kind, axes=[1], **ALONG)
            among, numbers, other = self._made(own, "Where")
            if among != possible or self._constant(other, "float64") != beyond:
                raise _Another
            found.append(self._constant(numbers, "float64", None).tolist())
        out = found[0]
        if out != found[1] or len(set(out)) < len(out) or not np.isfinite(out).all():
            raise _Another
        return tuple(out)

    def _reach(self, value: str, n_leaves: int) -> dict[int, ColumnBins]:
        """Read which leaves a row can reach: those that each of its columns can."""
        out: dict[int, ColumnBins] = {}
        while True:
            node = self.model.made_by[value]
            value, own = self._made(value, "And") if node.op_type == "And" else ("", value)
            mask, place = self._made(own, "Gather", axis=0)
            column, bins = self._bins(place, self._constant(mask, "bool", None, n_leaves))
            if column in out:
                raise _Another
            out[column] = bins
            if not value:
                return out

    def _bins(self, place: str, mask: Flags) -> tuple[int, ColumnBins]:
        gap, at_gap, known = self._made(place, "Where")
        flat, shape = self._made(gap, "Reshape")
        (value,) = self._made(flat, "IsNaN")
        table, which = self._made(value, "Gather", axis=1)
        if table != self.table or self._constant(shape, "int64", 1).tolist() != [-1]:
            raise _Another
        column = int(self._constant(which, "int64", 1)[0])
        size = self.columns.table.n_columns
        if size is None or not 0 <= column < size:
            raise _Another
        kind = "float64" if self.number is np.float64 else "float32"
        last = int(self._constant(at_gap, "int64"))
        inner = self._sums(known)
        labels = self.columns.codes.get(column)
        if labels is not None:  # the text for unknown is the first of ours that is no label
            ours = [text for text in UNKNOWN if text not in labels.labels][:1]
            if list(labels.unknown) not in ([], ours):
                raise _Another
        if self.model.made_by[inner].op_type == "Mul":
            same, numbers = self._made(inner, "Mul")
            left, codes = self._made(self._whole(same), "Equal")
            own = self._constant(codes, kind, 1, None)[0]
            places = self._constant(numbers, "int64", 1, len(own))[0]
            if (np.abs(places) > len(mask)).any():
                raise _Another
            bins = ColumnBins(self.number, None, own, places, last, mask, labels)
        else:
            left, cuts = self._made(self._whole(inner), "Greater")
            own = self._constant(cuts, kind, 1, None)[0]
            bins = ColumnBins(self.number, own, None, None, last, mask, labels)
        if left != value:
            raise _Another
        return column, bins
