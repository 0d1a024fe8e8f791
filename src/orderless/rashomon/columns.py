"""What columns are that nobody described, and categories as one 0/1 column per value.

In:  the columns of complete rows, and a ``Space`` of them or none.
Out: a ``Space``; numbers only, with the ``Space`` that says what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import AMONG, read_rows
from ..model import Column, Condition, Feature, Label, Space, Values

__all__ = ["described", "holds_categories", "one_hot", "zero_one"]

MOST_CATEGORIES = 100

Floats = NDArray[np.float64]


def zero_one(table: NDArray[Any]) -> bool:
    """Whether all values are 0 or 1."""
    if table.dtype.kind == "f":
        return not ((table != 0) & (table != 1)).any()
    return int(np.bitwise_or.reduce(table, axis=None)) in (0, 1)  # no other bit is set anywhere


def described(
    names: Sequence[str], columns: Sequence[NDArray[Any] | list[Label]], values: Values
) -> Space:
    """Say what columns are: 0/1 is true or false, text is categories, the rest numbers.

    Parameters
    ----------
    columns : sequence
        Of each the numbers, or its different labels.
    values : "float64" or "float32"
        Which numbers there are.
    """
    features = []
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, np.ndarray):
            boolean = zero_one(column)
            features.append(Feature(name, "boolean") if boolean else Feature(name, values=values))
        elif not column:
            raise InvalidData(f"column {name!r} has no value in any row: leave it out")
        elif len(column) > MOST_CATEGORIES:
            raise InvalidData(
                f"column {name!r} holds {len(column):,} different texts, more than "
                f"{MOST_CATEGORIES} (one is {column[-1]!r:.40}): correct it if it should hold "
                "numbers, leave it out if it names the rows, or list its values with space="
            )
        else:
            features.append(Feature(name, "categorical", categories=tuple(column)))
    return Space(features)


def holds_categories(space: Space, column: Column) -> bool:
    """Whether a column holds the values of a categorical feature themselves."""
    return column.condition is None and space[column.feature].kind == "categorical"


def one_hot(
    X: Any, columns: Sequence[NDArray[Any] | list[Label]], space: Space
) -> tuple[Floats, Space]:
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
    told = [column for column in space.columns if holds_categories(space, column)]
    rows = read_rows(X, space, [space.index(column.feature) for column in told])
    out: list[NDArray[Any]] = []
    made: list[Column] = []
    for column, values in zip(space.columns, columns, strict=True):
        feature = space[column.feature]
        if not holds_categories(space, column):
            if not isinstance(values, np.ndarray):
                raise InvalidData(
                    f"column {column.name!r} holds text, and the space says that it is "
                    f"{'0/1' if column.condition else feature.kind}: correct one of the two"
                )
            out.append(values)
            made.append(column)
            continue
        kind, codes, _ = rows.columns[space.index(column.feature)]
        assert codes is not None
        if kind == AMONG:  # other columns speak about the feature, too
            codes = np.where(codes.sum(axis=1) == 1, codes.argmax(axis=1), -1)
        if (codes < 0).any():
            raise InvalidData(
                f"column {column.name!r} has no value in row {int(np.argmin(codes))}: sets are "
                "trained on complete rows; leave such rows out or fill them in (predict takes "
                "unknowns)"
            )
        for code, label in enumerate(feature.categories if feature.n_values > 1 else ()):
            out.append(codes == code)
            told_by = Condition(feature.name, among=(label,))
            made.append(Column(f"{column.name} = {label}", feature.name, told_by))
    if not out:
        raise InvalidData("no column varies: every one holds the same value in all rows")
    table = np.stack(out, axis=1).astype(np.float64)
    return table, Space(space.features, made)
