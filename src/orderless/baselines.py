"""Other ways to answer rows with unknown values, which the paper compares with.

In:  a ``Tree``, or any model that is read as one, and rows.
Out: like ``Tree.predict``, masked where the way gives no answer.
Paper: Section 6, its first two baselines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .inputs import labels_like, rows_for
from .model import known_rows
from .readers import read_tree

__all__ = ["predict_features", "predict_path"]


def predict_path(tree: Any, X: Any) -> Any:
    """Walk each row down the tree; masked where a split's answer is not known.

    The paper's first baseline. A split is answered if the row says whether its condition holds,
    be it by another column (``x <= 5`` known true answers ``x <= 10``); over
    ``Space.independent``, the paper's space, only by its own.

    Parameters and result are those of ``Tree.predict``. Cost: one walk per row.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> predict_path(tree, [[1, None], [None, 1]]).tolist()
    [1, None]
    """
    tree = read_tree(tree)
    leaf = tree.reach(rows_for(tree, X)).leaf
    return labels_like(X, tree.labels, np.where(leaf < 0, -1, tree.leaf_class[leaf]))


def predict_features(tree: Any, X: Any) -> Any:
    """Answer the rows that know every feature of the tree; all others are masked.

    The paper's second baseline. A feature is known if the row answers all of the tree's conditions
    on it.

    Parameters and result are those of ``Tree.predict``. Cost: rows x features.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> predict_features(tree, [[1, 1], [1, None]]).tolist()
    [1, None]
    """
    tree = read_tree(tree)
    rows = rows_for(tree, X)
    codes = np.where(known_rows(tree.bins, rows), tree.decide(rows), -1)
    return labels_like(X, tree.labels, codes.astype(np.int32))
