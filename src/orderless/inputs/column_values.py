"""Columns out: what a column holds of a row whose features are known.

In:  the value of a feature, and a column of the ``Space``.
Out: the value itself, or whether the column's condition holds for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import Column, Space, row_boundary
from .cells import is_unknown

__all__ = ["column_value"]


def column_value(space: Space, column: Column, value: Any) -> Any:
    """Give what a column holds where its feature has this value.

    Examples
    --------
    >>> from orderless import Condition
    >>> space = Space({"age": "integer"}, columns={"young": Condition("age", at_most=25)})
    >>> column_value(space, space.columns[0], 24), column_value(space, space.columns[0], 26)
    (1, 0)
    """
    condition = column.condition
    if condition is None:
        return value
    if is_unknown(value):
        return 0  # a condition that holds, holds for a value
    if condition.among is not None:
        return int(value in condition.among)
    assert condition.at_most is not None
    feature = space[column.feature]
    end = np.asarray(feature.at_most(condition.at_most))
    return int(float(value) <= float(row_boundary(end, feature.values)))
