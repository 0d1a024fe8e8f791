"""One row, of any kind.

In:  a dict, a Series, a data frame or table of one row, or values in the order of the columns.
Out: ``Rows`` of one row; the row as a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import InvalidData
from ..model import Space
from .frames import frame_of
from .rows import Rows, read_rows

__all__ = ["one_row", "row_and_cells"]


def one_row(row: Any, space: Space, used: Iterable[int], if_there: Iterable[int] = ()) -> Rows:
    """Read the features ``used`` of one row, and others if they are there.

    Examples
    --------
    >>> one_row({"age": 3}, Space({"age": "numeric"}), [0]).n_rows
    1
    """
    return read_rows(row_and_cells(row, space)[0], space, used, if_there=if_there)


def row_and_cells(row: Any, space: Space) -> tuple[Any, dict[str, Any]]:
    """Give one row as ``read_rows`` wants rows (a list, or the data frame), and as a dict."""
    if isinstance(row, Mapping):
        return [dict(row)], dict(row)
    frame = frame_of(row)
    if frame is not None:
        _refuse_several(len(frame))
        there = [name for name in frame.columns if name in space or name in space.column_names]
        return row, {name: frame.get_column(name).to_list()[0] for name in there}
    no_values = isinstance(row, str | bytes | set | frozenset) or not isinstance(row, Iterable)
    if no_values or getattr(row, "ndim", 1) == 0:
        raise InvalidData(
            f"cannot read one row from {row!r:.80}: give a dict {{feature: value}}, or the "
            "values in the order of the columns"
        )
    if hasattr(row, "items"):  # a Series: a row of a data frame
        cells = dict(row.items())
        if all(isinstance(name, str) for name in cells):
            return [cells], cells
        row = cells.values()
    if hasattr(row, "toarray"):  # sparse
        row = row.toarray()
    values = row.tolist() if isinstance(row, np.ndarray) else list(row)
    if values and all(isinstance(v, Mapping | list | tuple | np.ndarray) for v in values):
        _refuse_several(len(values))
        return row_and_cells(values[0], space)
    return [values], dict(zip(space.column_names, values, strict=False))


def _refuse_several(n_rows: int) -> None:
    if n_rows != 1:
        raise InvalidData(f"expected one row, got {n_rows:,}: give them one at a time")
