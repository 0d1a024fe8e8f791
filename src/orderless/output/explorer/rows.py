"""The rows that the explorer knows: those of training as bits, and those of a table as they are.

In:  a set of trees; a table whose rows are shown where functions differ.
Out: plain data for the page's script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, InvalidParameter, a_kind
from ...inputs import frame_of
from ...model import label_text, printable
from .numbers import as_base64

if TYPE_CHECKING:
    from ...rashomon import TreeSet

__all__ = ["MOST_ROWS", "table_content", "training_content"]

MOST_ROWS = 20_000  # of a table that is written into the page
TRUTH = "label"


def training_content(trees: TreeSet) -> dict[str, Any]:
    """Give the distinct training rows: the bits of each column, and the weight of each class."""
    problem = trees._problem
    bits, which = np.unique(problem.bits, axis=0, return_inverse=True)
    weight = np.zeros((len(problem.classes), len(bits)))
    np.add.at(weight, (problem.y, which.ravel()), problem.weights / problem.weight_scale)
    return {**_packed(bits), "weights": [as_base64(one) for one in weight]}


def table_content(trees: TreeSet, rows: Any, X: Any, y: Any) -> dict[str, Any] | None:
    """Give the rows of a table: their bits, and what stands in them, every value once by column."""
    if rows is None or rows is False:
        return None
    if rows is True:
        if X is None:
            raise InvalidParameter("rows=True shows the rows of X, which was not given", "rows")
        rows = X
        labels = None if y is None else [label_text(one) for one in np.asarray(y).tolist()]
    else:
        labels = None
    frame = frame_of(rows)
    if frame is None:
        raise InvalidParameter(
            f"rows must be a data frame, or True for X, which is then one, got {a_kind(rows)}",
            "rows",
        )
    bits = trees._problem.columns.read_complete(rows)
    if len(bits) > MOST_ROWS:
        raise InvalidData(
            f"rows has {len(bits):,} rows, and at most {MOST_ROWS:,} are written into the page: "
            "give fewer, such as a sample"
        )
    columns = {str(name): [_text(v) for v in frame[name].to_list()] for name in frame.columns}
    if labels is not None:
        name = TRUTH
        while name in columns:
            name += "_"
        columns[name] = labels
    return {
        **_packed(bits),
        "columns": [{"name": printable(name), **_coded(texts)} for name, texts in columns.items()],
    }


def _text(value: Any) -> str:
    return printable("" if value is None else str(value))


def _coded(texts: list[str]) -> dict[str, Any]:
    """Write every text once."""
    known: dict[str, int] = {}
    at = [known.setdefault(text, len(known)) for text in texts]
    return {"texts": list(known), "at": at}


def _packed(bits: NDArray[np.uint8]) -> dict[str, Any]:
    """Give the bits of each column, in words of 32."""
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    width = -(-packed.shape[1] // 4) * 4
    words = np.zeros((bits.shape[1], width), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    return {"n": len(bits), "words": width // 4, "bits": as_base64(words)}
