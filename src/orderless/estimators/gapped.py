"""Gapped: complete rows, and the same rows with values gone.

In:  a tree or an ensemble, complete rows, and how values go missing.
Out: masks drawn at random, and ``Rows`` without what is under them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import NOT_GIVEN, open_rows, read_codes, read_columns, read_numbers, some_names
from ..model import Column, Feature, Flags, Floats, Rows, Space, SumKernel, TreeKernel

__all__ = ["Gapped"]


class Gapped:
    """Complete rows, and the same rows with values gone."""

    def __init__(self, tree: TreeKernel | SumKernel, X: Any, space: Space) -> None:
        self.tree = tree
        if space.column_names != tree.space.column_names:
            raise InvalidData(
                f"space has the columns {some_names(space.column_names)}, the tree's has "
                f"{some_names(tree.space.column_names)}: they must be the same, in the same order"
            )
        self.space = space
        self.n_rows, lookup, _ = open_rows(X, tree.space)
        if self.n_rows == 0:
            raise InvalidData("there are no rows")
        self.n_columns = len(space.columns)
        self.columns = dict(zip(space.column_names, map(lookup, space.column_names), strict=True))
        # As for predict, only what the tree asks about has to be there.
        numbers = [
            self._numbers(i, column.name)
            if column.feature in tree.features
            else self._numbers_if_any(i, column.name)
            for i, column in enumerate(tree.space.columns)
        ]
        self.there = np.array([one is not None for one in numbers], dtype=bool)
        blank = np.zeros(self.n_rows)
        self.values = np.stack([blank if one is None else one for one in numbers], axis=1)
        self.feature_of = np.array([space.index(column.feature) for column in space.columns])

    def _numbers(self, i: int, name: str) -> Floats:
        """Return the numbers of a column, categories by their codes, and refuse unknown values."""
        values = self.columns[name]
        if values is None:
            raise InvalidData(
                f"the rows have no column {name!r}, which the tree asks about: give the columns of "
                "the tree's space, for a binarizer binarizer.transform(X)"
            )
        column = self.tree.space.columns[i]
        feature = self.tree.space[column.feature]
        numeric = feature.ordered or column.condition is not None
        if numeric:
            numbers = np.asarray(read_numbers(Feature(name), values)[1], dtype=float)
            unknown = np.isnan(numbers) & (column.condition is not None or not feature.nan)
        else:
            numbers = read_codes(feature, values).astype(float)
            unknown = numbers < 0
        if unknown.any():
            raise InvalidData(
                f"row {int(np.argmax(unknown))} has no value in {name!r}: give complete rows"
            )
        return numbers

    def _numbers_if_any(self, i: int, name: str) -> Floats | None:
        with suppress(InvalidData):
            return self._numbers(i, name)
        return None

    def rows(self, mask: Flags) -> Rows:
        """Read the rows with the values under the mask gone."""
        asked = {
            column.name: self._without(i, column, mask[:, i])
            for i, column in enumerate(self.tree.space.columns)
            if column.feature in self.tree.features
        }
        return read_columns(asked.get, self.n_rows, self.tree.space, self.tree.used)

    def _without(self, i: int, column: Column, gone: Flags) -> NDArray[Any]:
        """Return a column without some of its values."""
        feature = self.tree.space[column.feature]
        if column.condition is None and (feature.nan or not feature.ordered):
            values = np.array(self.columns[column.name], dtype=object)
            values[gone] = NOT_GIVEN
            return values
        return np.where(gone, np.nan, self.values[:, i])

    # -- what goes missing ---------------------------------------------------------------------

    def mask(self, rate: float, level: str, mechanism: str, random: np.random.RandomState) -> Flags:
        """Draw which values go missing, by column."""
        n_units = len(self.space) if level == "feature" else self.n_columns
        if mechanism == "mcar":
            gone = random.choice([True, False], size=(self.n_rows, n_units), p=[rate, 1 - rate])
        else:
            ranks = self._ranks(level)
            if mechanism == "mar":
                seen = self._always_there(level)
                ranks = np.repeat(ranks[:, [seen]], n_units, axis=1)
            chance = 2 * rate * ranks if rate <= 0.5 else 1 - 2 * (1 - rate) * (1 - ranks)
            gone = random.random_sample((self.n_rows, n_units)) < chance
            if mechanism == "mar":
                gone[:, seen] = False
        return gone[:, self.feature_of] if level == "feature" else gone

    def _always_there(self, level: str) -> int:
        used = set(self.tree.features)
        asked = [column.feature in used for column in self.tree.space.columns]
        units = self.feature_of if level == "feature" else np.arange(self.n_columns)
        of_tree = {int(unit) for unit, flag in zip(units, asked, strict=True) if flag}
        gone = {int(unit) for unit, there in zip(units, self.there, strict=True) if not there}
        free = sorted({int(unit) for unit in units} - of_tree - gone)
        return free[0] if free else min(of_tree, default=int(units.min()))

    def _ranks(self, level: str) -> Floats:
        """Return each unit's rank among the rows, from 0 to 1; equal values share the middle."""
        values = self.values
        if level == "feature":
            values = np.zeros((self.n_rows, len(self.space)))
            for feature in range(len(self.space)):
                own = np.flatnonzero(self.feature_of == feature)
                weight = np.arange(1, len(own) + 1)
                values[:, feature] = self.values[:, own] @ weight
        return np.stack([_middle_ranks(column) for column in values.T], axis=1)


def _middle_ranks(values: Floats) -> Floats:
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    middle = (np.cumsum(count) - count / 2) / len(values)
    return np.asarray(middle[which])
