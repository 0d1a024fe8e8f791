"""The one form in which every reader of an ensemble hands it over.

In:  trees over the columns of one table, as a library states them, and what their leaves add.
Out: ``ColumnEnsemble``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Adding, Link, Rule
from ..build import DAMAGED, ColumnTree, Table

__all__ = ["ColumnEnsemble", "numbered"]


@dataclass(frozen=True)
class ColumnEnsemble:
    """Trees over the columns that a model was fitted on, and how what they say is added up.

    Attributes
    ----------
    trees : their classes are the numbers of their leaves, 0, 1, ... (``numbered``); all have one
        table
    values, scores, classes, adding, rule, link, factor : as in ``Ensemble``
    """

    trees: Sequence[ColumnTree]
    values: Sequence[NDArray[np.float64]]
    classes: Sequence[Any] | NDArray[Any] | None
    adding: Adding
    rule: Rule
    link: Link = "identity"
    factor: float = 1.0
    scores: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if not self.trees:
            raise UnreadableModel(f"the model has no trees: {DAMAGED}")
        if any(tree.table is not self.trees[0].table for tree in self.trees):
            raise RuntimeError("all trees of a ColumnEnsemble must have one and the same table")

    @property
    def table(self) -> Table:
        """The columns that the model was fitted on."""
        return self.trees[0].table


def numbered(tree: ColumnTree, table: Table | None = None) -> tuple[ColumnTree, NDArray[np.intp]]:
    """Let the classes of a tree be the numbers of its leaves; give also the nodes that they are.

    Examples
    --------
    >>> from ..build import TreeBuilder
    >>> builder = TreeBuilder(Table(1))
    >>> for node in builder.walk("root"):
    ...     if node == "root":
    ...         builder.numerical_test(0, "<=", 7.5, 0.25, 0.25)
    ...     else:
    ...         builder.leaf_of_number(node)
    >>> tree, leaves = numbered(builder.finish())
    >>> tree.leaf_class.tolist(), list(tree.classes), leaves.tolist()
    ([-1, 0, 1], [0, 1], [1, 2])
    """
    leaves = np.flatnonzero(tree.column < 0)
    number = np.full(len(tree.column), -1)
    number[leaves] = np.arange(len(leaves))
    new = replace(
        tree,
        table=tree.table if table is None else table,
        classes=range(len(leaves)),
        leaf_class=number,
        distribution=None,
        task="classification",
    )
    return new, leaves
