"""What a library forgot about its columns, taken from what the caller says.

In:  a ``ColumnTree`` whose table has columns in no known order, or garbled labels; names, a space.
Out: the ``ColumnTree`` with the order and the labels that were given, if they fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from ..model import Space
from .build import ColumnTree

__all__ = ["given_names", "in_given_order", "with_given_labels"]


def given_names(
    preprocessing: Any, space: Space | None, feature_names: Sequence[str] | None
) -> Sequence[str] | None:
    """Give the names that the caller has for the columns of the model's table."""
    if preprocessing is not None:
        own = getattr(preprocessing, "space_", None)
        return own.column_names if own is not None else list(preprocessing.get_feature_names_out())
    if space is not None:
        return space.column_names
    return feature_names


def in_given_order(tree: ColumnTree, names: Sequence[str] | None) -> ColumnTree:
    """Bring columns whose order the library forgot into the order of the names that are given."""
    table = tree.table
    if names is None:
        return tree
    own = list(table.names or ())
    if sorted(names) != sorted(own):
        raise UnreadableModel(
            f"the model was fitted on the columns {own} and does not keep their order, so they go "
            f"by name; got {list(names)}: give the same names"
        )
    place = np.array([list(names).index(name) for name in own])
    binary = table.binary
    if not isinstance(binary, bool):
        binary = frozenset(place[list(binary)].tolist())
    ordered = replace(
        table,
        names=list(names),
        ordered=True,
        binary=binary,
        categories={int(place[i]): labels for i, labels in table.categories.items()},
    )
    return replace(tree, table=ordered, column=np.where(tree.column < 0, -1, place[tree.column]))


def with_given_labels(tree: ColumnTree, space: Space | None) -> ColumnTree:
    """Take labels that the library garbled from the space; they must be the ones it garbled."""
    table = tree.table
    new: dict[Any, Any] = {}
    for column, resolve in table.garbled.items():
        listed: Sequence[Any] = ()
        if space is not None and column < len(space.columns):
            listed = space[space.columns[column].feature].categories
        for old, label in zip(table.categories[column], resolve(listed), strict=True):
            new[column, old] = label
    members = {
        node: [new.get((int(tree.column[node]), label), label) for label in labels]
        for node, labels in tree.members.items()
    }
    return replace(tree, members=members)
