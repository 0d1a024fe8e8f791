"""Regression trees of scikit-learn, for bounds on numbers.

In:  a fitted regressor, alone or at the end of a ``Pipeline``.
Out: ``Tree`` whose classes are the numbers of its leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model import Tree
from .pipeline import unwrap
from .sklearn import from_sklearn_regressor
from .through.columns import source_columns
from .through.conditions import over_features

__all__ = ["tree_of_regressor"]


def tree_of_regressor(
    model: Any, *, through: Any = None, feature_names: Sequence[str] | None = None
) -> Tree:
    """Read a fitted regression tree as a ``Tree`` whose classes are the numbers of its leaves.

    Parameters
    ----------
    model : DecisionTreeRegressor or ExtraTreeRegressor
        Of one output; alone, or at the end of a ``Pipeline``.
    through, feature_names
        As for ``read_tree``.

    Returns
    -------
    Tree
        Its classes rise; leaves that predict equal numbers have one class.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(random_state=0).fit([[1], [2], [3], [4]], [7, 5, 7, 7])
    >>> print(tree_of_regressor(model))
    x0 <= 2.5?
      yes: x0 <= 1.5?
        yes: 7.0
        no:  5.0
      no:  7.0
    """
    model, through = unwrap(model, through)
    tree = from_sklearn_regressor(model)
    columns, space = source_columns(tree.table, through, None, feature_names, "unknown")
    return over_features(tree, columns, space)
