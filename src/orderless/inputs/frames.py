"""Tables in and out: data frames through narwhals, columns of Arrow with as few copies as can be.

In:  X of any usual kind; answers by row.
Out: the frame, its names and rows; answers in the kind that X came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData
from .names import some_names

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "Between",
    "arrow_floats",
    "arrow_slices",
    "column_like",
    "frame_of",
    "is_frame",
    "labels_like",
    "masked_like",
    "names_of",
    "rows_at",
    "table_like",
]


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


@dataclass(frozen=True)
class Between:
    """Rows whose values are known only to lie in a range.

    Parameters
    ----------
    lower, upper : arrays, data frames, or lists of dicts
        Two bounds of the same rows: each value lies at or above the one and at or below the other.
        NaN, None, or not there: no bound on that side. Equal: the value is known. Categorical
        features have no bounds: give a set of possible values in ``lower`` and None in ``upper``.

    Notes
    -----
    Bounds are moved inwards to values that the feature has: 2.3 to 4.9 is 3 to 4 for an integer.
    Where rows are rounded to float32 (scikit-learn), both bounds are, as the values between them
    would be. Where NaN is a value of a feature, a range excludes it, and no bound on either side
    allows it.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 30,
    ...                 "true": {"prediction": "young"}, "false": {"prediction": "old"}},
    ...                space=ol.Space({"age": "integer"}))
    >>> lower, upper = [{"age": 20}, {"age": 20}, {"age": 30.5}], [{"age": 30.9}, {"age": 31}, {}]
    >>> tree.predict(ol.Between(lower, upper)).tolist()
    ['young', None, 'old']
    """

    lower: Any
    upper: Any


PLAIN = (list, tuple, dict, np.ndarray)  # no data frames, as need not be found out
SLICE = 65_536  # rows: their copies take memory that was used before, which is there at once


def frame_of(X: Any) -> nw.DataFrame[Any] | None:
    """Give X as narwhals reads it if it is a data frame, else None."""
    if type(X) in PLAIN:
        return None
    if isinstance(X, Between):
        X = X.lower
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as fault:
        raise InvalidData(
            f"two columns of the data frame have the same name; give each its own: {fault}"
        ) from fault
    return frame if isinstance(frame, nw.DataFrame) else None


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, so that results are Series."""
    return frame_of(X) is not None


def names_of(X: Any) -> NDArray[Any] | None:
    """Give the names of a data frame's columns, if all are text, as scikit-learn keeps them."""
    frame = frame_of(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return np.array(frame.columns, dtype=object)


def rows_at(X: Any, at: NDArray[np.intp]) -> Any:
    """Give some rows of a table of any usual kind, as the same kind."""
    frame = frame_of(X)
    if frame is not None:
        return frame[at.tolist()].to_native()
    if isinstance(X, list | tuple):
        return [X[i] for i in at]
    return X.tocsr()[at] if hasattr(X, "tocsr") else np.asarray(X)[at]


def column_like(X: Any, values: Any, name: str) -> Any:
    """Give a value for each row: a Series where a data frame came in, else what is given."""
    frame = frame_of(X)
    if frame is None:
        return values
    if frame.implementation.is_pandas():
        import pandas as pd

        return pd.Series(values, index=frame.to_native().index, name=name)
    import narwhals as nw

    return nw.new_series(name, values, backend=frame.implementation).to_native()


def masked_like(X: Any, values: NDArray[np.float64], unknown: NDArray[np.bool_]) -> Any:
    """Give numbers by row: a masked array, or a nullable Series when a data frame came in."""
    frame = frame_of(X)
    if frame is None:
        return np.ma.MaskedArray(values, mask=unknown)
    if frame.implementation.is_pandas():
        import pandas as pd

        column = pd.array(values, dtype="Float64")
        column[unknown] = pd.NA
        return pd.Series(column, index=frame.to_native().index, name="prediction")
    import narwhals as nw

    cells = [None if flag else value for value, flag in zip(values.tolist(), unknown, strict=True)]
    series = nw.new_series("prediction", cells, nw.Float64(), backend=frame.implementation)
    return series.to_native()


def table_like(X: Any, table: NDArray[Any], names: Sequence[Any]) -> Any:
    """Give a table with a line for each row: a data frame where one came in, else an array."""
    frame = frame_of(X)
    if frame is None:
        return table
    if frame.implementation.is_pandas():
        import pandas as pd

        return pd.DataFrame(table, index=frame.to_native().index, columns=cast(Any, list(names)))
    import narwhals as nw

    columns = {str(name): table[:, c] for c, name in enumerate(names)}
    return nw.from_dict(columns, backend=frame.implementation).to_native()


def arrow_slices(X: Any) -> list[Any]:
    """Give a table of pyarrow in slices, if it is one and has many rows; else nothing."""
    if type(X).__module__.partition(".")[0] != "pyarrow" or not hasattr(X, "slice"):
        return []
    n_rows = getattr(X, "num_rows", 0)
    return [X.slice(at, SLICE) for at in range(0, n_rows, SLICE)] if n_rows > SLICE else []


def labels_like(
    X: Any, classes: NDArray[Any], codes: NDArray[np.int32], name: str = "prediction"
) -> Any:
    """Give class labels by row: a masked array, or a nullable Series when a data frame came in.

    ``codes`` are positions in ``classes``, -1 where the class is not determined.
    """
    unknown = codes < 0
    frame = frame_of(X)
    if frame is None:
        data = classes[np.where(unknown, 0, codes)]
        return np.ma.MaskedArray(data, mask=unknown)
    text = all(isinstance(label, str) for label in classes.tolist())
    if not text and classes.dtype == object:
        raise InvalidData(
            f"the classes {some_names(classes.tolist())} fit no column type of a data frame: "
            "give the rows as an array"
        )
    if frame.implementation.is_pandas():
        import pandas as pd

        kind = {"i": "Int64", "u": "UInt64", "b": "boolean", "f": "Float64"}
        dtype = cast(Any, kind.get(classes.dtype.kind, "string"))
        array = pd.array(classes.tolist(), dtype=dtype).take(codes, allow_fill=True)
        return pd.Series(array, index=frame.to_native().index, name=name)
    if frame.implementation.is_pyarrow():
        return arrow_labels(classes, codes)
    import narwhals as nw

    labels = [*classes.tolist(), None]  # the last one where the code is -1
    types = {"i": nw.Int64(), "u": nw.UInt64(), "b": nw.Boolean(), "f": nw.Float64()}
    dtype = types.get(classes.dtype.kind, nw.String())
    series = nw.new_series(name, labels, dtype, backend=frame.implementation)
    return series[np.where(unknown, len(classes), codes).astype(np.uint32)].to_native()
