"""Columns of Arrow, in and out, with as few copies as there can be.

In:  arrays of pyarrow; codes of labels.
Out: numbers as numpy has them, NaN for null; labels as an array of pyarrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["arrow_floats", "arrow_labels"]


def arrow_floats(column: Any) -> NDArray[Any] | None:
    """Give the numbers of an array, or a chunked one, of float64 or float32; of others None.

    Without nulls, an array in one piece is not copied.
    """
    import pyarrow as pa

    if column.type not in (pa.float64(), pa.float32()):
        return None
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if column.null_count == 0 and len(pieces) == 1:
        whole: NDArray[Any] = pieces[0].to_numpy(zero_copy_only=False)
        return whole
    out = np.empty(len(column), dtype=column.type.to_pandas_dtype())
    at = 0
    for piece in pieces:
        known, data = piece.buffers()
        to = out[at : at + len(piece)]
        at += len(piece)
        if not len(piece):
            continue
        numbers = np.frombuffer(data, dtype=out.dtype)[piece.offset : piece.offset + len(piece)]
        if piece.null_count == 0:
            to[:] = numbers
        else:
            _core.rows.copy_known(numbers, np.frombuffer(known, np.uint8), piece.offset, to)
    return out


def arrow_labels(classes: NDArray[Any], codes: NDArray[Any]) -> Any:
    """Give labels by row; texts as a dictionary, whose codes are not copied. Null where -1 is."""
    import pyarrow as pa

    known = codes >= 0
    bits = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    places = pa.Array.from_buffers(pa.int32(), len(codes), [bits, pa.py_buffer(codes)])
    types = {"i": pa.int64(), "u": pa.uint64(), "b": pa.bool_(), "f": pa.float64()}
    kind = types.get(classes.dtype.kind)
    if kind is not None:
        return pa.chunked_array([pa.array(classes.tolist(), kind).take(places)])
    labels = pa.array(classes.tolist(), pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(places, labels, safe=False)])
