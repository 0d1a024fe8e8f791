"""How a column of the model's table arises from one feature.

In:  a ``Space``, whose columns are the simplest case; or what transformers do to a column.
Out: ``SourceColumn``s, with which conditions on columns become conditions on features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model import Column, Space
from .steps import Steps

__all__ = ["SourceColumn", "space_columns"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SourceColumn:
    """How a column of the model arises from one feature.

    Attributes
    ----------
    feature : position in the space; None for a constant column
    function : for an ordered feature: the column's numbers from the feature's, monotone; None: the
        feature's own number
    table : for a categorical feature: the column's value for each of the feature's values (a
        label where the column holds labels)
    steps : for an ordered feature: the column's numbers from what ``function`` gives, where they
        rise and fall
    at_missing : for an ordered feature: the column's number where it is missing; None: what
        ``function`` makes of NaN
    two_valued : whether the function gives 0 and 1 only
    constant : the value of a constant column
    """

    feature: int | None
    function: Callable[[Floats], Floats] | None = None
    table: tuple[Any, ...] | None = None
    two_valued: bool = False
    constant: float = 0.0
    steps: Steps | None = None
    at_missing: float | None = None

    def then(self, function: Callable[[Floats], Floats]) -> SourceColumn:
        """Apply a further monotone function to the column."""
        if self.feature is None:
            return replace(self, constant=float(function(np.array([self.constant]))[0]))
        if self.table is not None:
            numbers = function(np.array(self.table, dtype=np.float64))
            return replace(self, table=tuple(numbers.tolist()))
        if self.at_missing is not None:
            missing = float(function(np.array([self.at_missing]))[0])
            self = replace(self, at_missing=missing)
        if self.steps is not None:
            return replace(self, steps=self.steps.then(function), two_valued=False)
        first = self.function
        if first is None:
            return replace(self, function=function)
        return replace(self, function=lambda x: function(first(x)))


def space_columns(space: Space) -> list[SourceColumn]:
    """Read a space's own columns: values of features, or 0/1 for conditions on them."""
    return [_space_column(space, column) for column in space.columns]


def _space_column(space: Space, column: Column) -> SourceColumn:
    i = space.index(column.feature)
    feature = space.features[i]
    condition = column.condition
    if condition is None:
        if feature.ordered:
            return SourceColumn(i)
        labels: tuple[Any, ...] = tuple(feature.label(code) for code in range(feature.n_values))
        return SourceColumn(i, table=labels)
    if condition.at_most is not None:
        top = float(feature.at_most(condition.at_most))
        return SourceColumn(i, lambda x: (x <= top).astype(np.float64), two_valued=True)
    among = condition.among or ()
    if feature.ordered:  # boolean
        holds = np.array([False in among, True in among], dtype=np.float64)
        return SourceColumn(i, lambda x: np.where(x <= 0, holds[0], holds[1]), two_valued=True)
    inside = [code < len(feature.categories) and feature.categories[code] in among
              for code in range(feature.n_values)]  # fmt: skip
    return SourceColumn(i, table=tuple(float(flag) for flag in inside))
