"""The table that a model was fitted on, as far as its library says.

In:  the number, names and kinds of columns, as a library or a file gives them.
Out: ``Table``, checked. No list is made as long as a number that nothing else supports.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import UnreadableModel
from ..model import Feature, Label, Space, Values
from .checks import whole_number

__all__ = ["MOST_COLUMNS", "Nan", "Table", "numbered_names"]

Nan = Literal["unknown", "value"]
MOST_COLUMNS = 2**20  # that a number alone may imply; with names or a space there is no limit


@dataclass(frozen=True)
class Table:
    """The columns that a model was fitted on.

    Attributes
    ----------
    n_columns : how many there are; None: the library does not say, so that they are at least as
        many as the tree asks about
    names : in the order of the columns; None: the library does not keep them
    at_least : ``n_columns`` is only the least number
    ordered : whether the columns came in the order of ``names``; if not, names alone say which is
        which
    values : how the library rounds a row's numbers before it compares them
    learns_nan : whether the library learns where to send NaN
    binary : whether columns are 0/1, so that by default each is a boolean feature: all, or which
    categories : column -> labels, where the library treats it as categorical; the column holds
        the label itself
    other_categories : whether such a column may hold labels that are not listed
    garbled : column -> a function that takes the right labels from what a space lists, where the
        library may have garbled them
    """

    n_columns: int | None
    names: Sequence[str] | None = None
    at_least: bool = False
    ordered: bool = True
    values: Literal["float64", "float32"] = "float64"
    learns_nan: bool = False
    binary: bool | Collection[int] = False
    categories: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    other_categories: bool = True
    garbled: Mapping[int, Callable[[Sequence[Label]], Sequence[Label]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        if self.n_columns is None:
            return
        n = whole_number(self.n_columns, "the number of columns")
        if self.names is not None:
            object.__setattr__(self, "names", [str(name) for name in self.names])
            if len(self.names) != n:
                raise UnreadableModel(
                    f"the model says that it was fitted on {n:,} columns and names "
                    f"{len(self.names):,}: it is damaged; fit or save it again"
                )

    def default_space(self, names: Sequence[str] | None, nan: Nan) -> Space:
        """Give every column a feature of its own, of the kind that the library compares."""
        if names is None:
            names = self.names
        if names is None:
            names = numbered_names(self.n_columns or 0)
        return Space([self._feature(i, str(name), nan) for i, name in enumerate(names)])

    def _feature(self, column: int, name: str, nan: Nan) -> Feature:
        with_nan = nan == "value" and self.learns_nan
        if column in self.categories:
            labels = tuple(self.categories[column])
            other = self.other_categories
            return Feature(name, "categorical", categories=labels, other=other, nan=with_nan)
        if self.binary is True or (self.binary and column in self.binary):
            return Feature(name, "boolean")
        values: Values = self.values
        return Feature(name, values=values, nan=with_nan)


def numbered_names(n_columns: int) -> list[str]:
    """Name columns that have no names; so many that the number must be wrong are refused."""
    if n_columns > MOST_COLUMNS:
        raise UnreadableModel(
            f"the model says that it was fitted on {n_columns:,} columns, without their names: "
            f"more than {MOST_COLUMNS:,} need feature_names= or space="
        )
    return [f"x{i}" for i in range(n_columns)]
