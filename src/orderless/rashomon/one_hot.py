"""Categories as 0/1 columns, one per value.

In:  the columns of complete rows, and a ``Space`` that says what they are.
Out: numbers only, with the ``Space`` that says what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import AMONG, read_rows
from ..model import Column, Condition, Label, Space

__all__ = ["holds_categories", "one_hot"]


def holds_categories(space: Space, column: Column) -> bool:
    """Whether a column holds the values of a categorical feature themselves."""
    return column.condition is None and space[column.feature].kind == "categorical"


def one_hot(
    X: Any, columns: Sequence[NDArray[Any] | list[Label]], space: Space
) -> tuple[NDArray[np.float64], Space]:
    """Give columns of numbers: categories become one 0/1 column per value, ``color = red``.

    Parameters
    ----------
    X : the table
    columns : sequence
        Its columns, as far as they are numbers.
    space : Space
        What they are.

    Returns
    -------
    table, space : of the columns that come out
    """
    categorical = [column for column in space.columns if holds_categories(space, column)]
    rows = read_rows(X, space, [space.index(column.feature) for column in categorical])
    out: list[NDArray[Any]] = []
    made: list[Column] = []
    for column, values in zip(space.columns, columns, strict=True):
        feature = space[column.feature]
        if not holds_categories(space, column):
            if not isinstance(values, np.ndarray):
                raise InvalidData(
                    f"column {column.name!r} holds text, but the space says that it is "
                    f"{'0/1' if column.condition else feature.kind}: correct one of the two"
                )
            out.append(values)
            made.append(column)
            continue
        kind, codes, _ = rows.columns[space.index(column.feature)]
        assert codes is not None
        if kind == AMONG:  # other columns are about the feature, too
            codes = np.where(codes.sum(axis=1) == 1, codes.argmax(axis=1), -1)
        if (codes < 0).any():
            raise InvalidData(
                f"column {column.name!r} has no value in row {int(np.argmin(codes))}: sets are "
                "trained on complete rows; leave such rows out or fill them in (predict takes "
                "unknowns)"
            )
        for code, label in enumerate(feature.categories if feature.n_values > 1 else ()):
            out.append(codes == code)
            condition = Condition(feature.name, among=(label,))
            made.append(Column(f"{column.name} = {label}", feature.name, condition))
    if not out:
        raise InvalidData("no column varies: every one holds the same value in all rows")
    table = np.stack(out, axis=1).astype(np.float64)
    return table, Space(space.features, made)
