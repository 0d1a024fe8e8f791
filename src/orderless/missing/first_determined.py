"""Many trees at once: which of them is the first to be determined.

In:  trees over one ``Space``, in order of preference, and rows with unknown values.
Out: ``FirstDetermined``.
Paper: Section 6, Rashomon sets: a row is answered if some tree of the set is determined on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData
from ..form import flat_nodes
from ..inputs import column_like, labels_like, read_rows
from ..model import Space, labels_array, row_boundary
from ..readers import read_tree

__all__ = ["FirstDetermined", "determined_by_any"]


@dataclass(frozen=True, eq=False)
class FirstDetermined:
    """By row, the first of many trees that is determined. Made by ``determined_by_any``.

    Attributes
    ----------
    determined : array of bool
        Whether some tree is.
    tree : masked array of int
        Position of the first that is.
    label : masked array
        The class that it gives.

    When a data frame came in, all three are Series, nullable in place of masked.
    """

    determined: Any
    tree: Any
    label: Any


def determined_by_any(trees: Iterable[Any], X: Any) -> FirstDetermined:
    """Find, for each row, the first tree that is determined, and its class.

    Parameters
    ----------
    trees : iterable of Tree, or of any models that ``read_tree`` knows
        All over one space, best first.
    X : array, data frame, or list of dicts
        Rows with unknown values.

    Returns
    -------
    FirstDetermined

    Notes
    -----
    ``Tree.predict`` (the paper's Theorem 3.2) for all trees in one call of the core; rows that are
    answered are left out of the trees that follow. Cost: at most rows x trees x nodes that a row
    can reach.

    Examples
    --------
    >>> first = {"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> second = {"feature": 1, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> from orderless import read_tree
    >>> trees = [read_tree(tree, feature_names=["a", "b"]) for tree in (first, second)]
    >>> found = determined_by_any(trees, [[1, 0], [None, 0], [None, None]])
    >>> found.tree.tolist(), found.label.tolist()
    ([0, 1, None], ['yes', 'no', None])
    """
    members = [read_tree(tree) for tree in trees]
    if not members:
        raise InvalidData("there are no trees: give at least one")
    space = members[0].space
    for i, tree in enumerate(members):
        if tree.space is not space and tree.space != space:
            raise InvalidData(
                f"tree {i} has another space than tree 0: convert all to one space with "
                "tree.over(space)"
            )
    nodes, start, labels = flat_nodes(members)
    used = np.unique(nodes.feature[nodes.feature >= 0]).tolist()
    rows = read_rows(X, space, used)
    threshold = _row_threshold(space, nodes.feature, nodes.threshold)
    found = _core.rows.first_determined(
        nodes, start, space.domains, threshold, rows.columns, rows.n_rows
    )
    return FirstDetermined(
        column_like(X, found.tree >= 0, "determined"),
        labels_like(X, np.arange(len(members)), found.tree, name="tree"),
        labels_like(X, labels_array(tuple(labels)), found.label),
    )


def _row_threshold(
    space: Space, feature: NDArray[np.int32], threshold: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``Tree.row_threshold`` of all nodes together."""
    single = [f.kind == "numeric" and f.values == "float32" for f in space.features]
    at = np.array([*single, False])[feature]
    out = threshold.copy()
    out[at] = row_boundary(threshold[at], "float32")
    return out
