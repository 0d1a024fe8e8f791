"""Rows with unknown values: the classes they can get, and how often each.

In:  a ``Tree``, or anything that ``read_tree`` knows, and rows in which values are missing, or
     known only to lie in a range.
Out: classes where they are certain, all possible classes, class odds; and the two ways to answer
     that the paper compares with.
Paper: Algorithms 2 and 6, Theorem 3.2, Corollaries 4.1 and 4.2 (Section 6).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs import column_like, distinct_rows, known_rows, labels_like, read_between
from ..readers import read_tree

__all__ = [
    "possible_classes",
    "predict_between",
    "predict_features",
    "predict_path",
]


def possible_classes(tree: Any, X: Any) -> Any:
    """Give, for each row, every class that some completion of it gets.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        NaN, None, NA and null are unknown.

    Returns
    -------
    list of tuple of labels, or a Series of them when a data frame came in
        In the order of ``classes``. One label: the row is determined.

    Notes
    -----
    Exact: a leaf is reachable iff its box meets the row's (the paper's Theorem 3.2, for all
    classes at once). Cost per row: the nodes that it can reach.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": "a"}, "false": {"feature": 1,
    ...         "true": {"prediction": "b"}, "false": {"prediction": "c"}}}
    >>> possible_classes(tree, [[1, None], [0, None], [None, 0]])
    [('a',), ('b', 'c'), ('a', 'c')]
    """
    tree = read_tree(tree)
    rows = tree.read(X)
    table = tree.reach(rows, all_classes=True).possible.reshape(rows.n_rows, len(tree.classes))
    kinds, which = distinct_rows(table.astype(bool))
    named = [tuple(tree.classes[c] for c in np.flatnonzero(kind)) for kind in kinds]
    return column_like(X, [named[k] for k in which.tolist()], "possible")


def predict_between(tree: Any, lower: Any, upper: Any) -> Any:
    """Give each row's class where it is certain, for values known only to lie in a range.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    lower, upper : arrays, data frames, or lists of dicts
        Two ends of the same rows: each value lies at or above the one and at or below the other.
        NaN, None, or not there: no bound on that side. Equal: the value is known. Categorical
        features have no ends: give a set of possible values in ``lower`` and None in ``upper``.

    Returns
    -------
    numpy.ma.MaskedArray, or a nullable Series when ``lower`` is a data frame

    Notes
    -----
    Exact, at the cost of ``Tree.predict``. Ends are moved inwards to values that the feature has:
    2.3 to 4.9 is 3 to 4 for an integer. Where rows are rounded to float32 (scikit-learn), both
    ends are, as the values between them would be. Where NaN is a value of a feature, a range
    excludes it, and no bound on either side allows it.

    Raises
    ------
    InvalidData
        If a lower end is above the upper one, or a range has no value of its feature.

    Examples
    --------
    >>> from orderless import read_tree, Space
    >>> tree = {"feature": "age", "relation": "<=", "reference": 30,
    ...         "true": {"prediction": "young"}, "false": {"prediction": "old"}}
    >>> tree = read_tree(tree, space=Space({"age": "integer"}))
    >>> predict_between(tree, [{"age": 20}, {"age": 20}, {"age": 30.5}],
    ...                 [{"age": 30.9}, {"age": 31}, {}]).tolist()
    ['young', None, 'old']
    """
    tree = read_tree(tree)
    rows = read_between(lower, upper, tree.space, tree.used)
    return labels_like(lower, tree.labels, tree.decide(rows))


# -- other ways to answer ----------------------------------------------------------------------


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
    leaf = tree.reach(X).leaf
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
    rows = tree.read(X)
    codes = np.where(known_rows(tree.bins, rows), tree.decide(rows), -1)
    return labels_like(X, tree.labels, codes.astype(np.int32))
