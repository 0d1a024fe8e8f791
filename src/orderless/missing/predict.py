"""Rows with unknown values: the classes they can get, and how often each.

In:  a ``Tree``, or anything that ``read_tree`` knows, and rows in which values are missing, or
     known only to lie in a range.
Out: classes where they are certain, by one tree or the first of many that is determined
     (``FirstDetermined``); all possible classes; class odds, a table of rows x classes; and the two
     ways to answer that the paper compares with.
Paper: Algorithms 2 and 6, Theorem 3.2, Corollaries 4.1 and 4.2 (Section 6; a Rashomon set answers a
     row if some tree of it is determined). Where the paper imputes, ``odds`` counts the training
     rows that fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidData
from ..form import flat_nodes
from ..inputs import (
    Rows,
    allowed_bins,
    class_codes,
    column_like,
    distinct_rows,
    known_rows,
    labels_like,
    read_between,
    read_rows,
    row_bins,
    table_like,
)
from ..model import Space, TreeKernel, labels_array, refuse_facts, row_boundary
from ..readers import read_tree

__all__ = [
    "FirstDetermined", "counts_rows", "determined_by_any", "odds", "possible_classes",
    "predict_between", "predict_features", "predict_path",
]  # fmt: skip

MOST_CELLS = 20_000_000  # of a table of rows by leaves, or by training cells, at one time


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
    rows = read_between(lower, upper, tree.space, tree.used, if_there=tree.connected)
    return labels_like(lower, tree.labels, tree.decide(rows))


# -- many trees --------------------------------------------------------------------------------


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
    refuse_facts(space, "determined_by_any")
    nodes, start, labels = flat_nodes(members)
    used = np.unique(nodes.feature[nodes.feature >= 0]).tolist()
    rows = read_rows(X, space, used)
    threshold = _row_threshold(space, nodes.feature, nodes.threshold)
    first = _core.rows.first_determined(
        nodes, start, space.domains, threshold, rows.columns, rows.n_rows
    )
    return FirstDetermined(
        column_like(X, first.tree >= 0, "determined"),
        labels_like(X, np.arange(len(members)), first.tree, name="tree"),
        labels_like(X, labels_array(tuple(labels)), first.label),
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


# -- odds --------------------------------------------------------------------------------------


def odds(tree: Any, X: Any, reference: Any = "leaves", y: ArrayLike | None = None) -> Any:
    """Give, for each row, the share of each class among the training rows that fit it.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        Rows with unknown values.
    reference : "leaves", or complete training rows
        "leaves": all training rows in the leaves that the row can reach, as the tree has counted
        them, by their labels. It forgets what else is known of the row: a training row in a
        reachable leaf counts even if it differs from the row in a feature that its path does not
        ask. Training rows: those that lie in the same bin as the row in every feature the row
        knows.
    y : labels of the training rows, optional
        Without them, a training row has the class that the tree gives it.

    Returns
    -------
    array of shape (rows, classes), or a data frame when one came in
        In the order of ``classes``; NaN where no training row fits.

    Notes
    -----
    Odds are an estimate from the training rows, not a certainty; they assume that the unknown
    values are missing at random. Cost: rows x leaves, or distinct rows x distinct training cells
    x features.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> odds(tree, [[None, 0], [1, None]], [[1, 0], [0, 0], [0, 0], [0, 1]]).round(2)
    array([[0.67, 0.33],
           [0.  , 1.  ]])
    """
    tree = read_tree(tree)
    rows = tree.read(X)
    if isinstance(reference, str):
        if reference != "leaves":
            raise ValueError(
                f"reference must be 'leaves' or complete training rows, got {reference!r:.80}"
            )
        if y is not None:
            raise ValueError("y goes with training rows: odds(X, X_train, y)")
        counts = _odds_of_leaves(tree, rows)
    else:
        counts = _odds_of_rows(tree, rows, reference, y)
    total = counts.sum(axis=1, keepdims=True)
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, total, out=shares, where=total > 0)
    return table_like(X, shares, tree.classes)


def counts_rows(tree: TreeKernel) -> bool:
    """Tell whether a tree's distribution counts training rows, and does not only give shares.

    Where every leaf sums up to 1, the splits decide: a split has at least the rows of its two sides
    (more where rows left it on a side that is not there any more).
    """
    if tree.distribution is None:
        return False
    leaves = tree.feature < 0
    if not bool(np.isin(tree.distribution[leaves].sum(axis=1).round(9), (0, 1)).all()):
        return True
    splits = np.flatnonzero(~leaves)
    sides = sum(tree.distribution[at[splits]] for at in (tree.when_true, tree.when_false))
    return bool((tree.distribution[splits] >= sides - 1e-9).all())


def _odds_of_leaves(tree: TreeKernel, rows: Rows) -> NDArray[np.float64]:
    leaves = np.flatnonzero(tree.feature < 0)
    counts = tree.distribution
    if counts is None or not counts_rows(tree):
        raise InvalidData(
            "the tree does not say how many training rows its leaves have: give the training "
            "rows, odds(X, X_train)"
        )
    out = np.empty((rows.n_rows, len(tree.classes)))
    step = max(1, MOST_CELLS // len(leaves))
    for start in range(0, rows.n_rows, step):
        part = rows.take(slice(start, start + step))
        out[start : start + step] = tree.reached_leaves(part) @ counts[leaves]
    return out


def _odds_of_rows(tree: TreeKernel, rows: Rows, X: Any, y: ArrayLike | None) -> NDArray[np.float64]:
    bins = tree.bins
    training = tree.read(X)
    known = known_rows(bins, training)
    if not known.all():
        raise InvalidData(
            f"training row {int(np.argmin(known))} has unknown values: give complete rows"
        )
    codes = tree.decide(training) if y is None else class_codes(tree, y, training.n_rows)
    if (codes < 0).any():
        raise InvalidData(
            f"training row {int(np.argmax(codes < 0))} has a label that is not one of the classes "
            f"{list(tree.classes)}"
        )
    cells = row_bins(bins, training)
    distinct, which = np.unique(cells, axis=0, return_inverse=True)
    weight = np.zeros((len(distinct), len(tree.classes)))
    np.add.at(weight, (which.ravel(), codes), 1.0)
    tables = [allowed_bins(bins, k, rows) for k in range(len(bins.features))]
    widths = np.cumsum([0, *(table.shape[1] for table in tables)])
    boxes, of_row = distinct_rows(np.hstack([np.zeros((rows.n_rows, 0), dtype=bool), *tables]))
    counts = np.zeros((len(boxes), len(tree.classes)))
    step = max(1, MOST_CELLS // max(1, len(distinct)))
    for start in range(0, len(boxes), step):
        part = boxes[start : start + step]
        fits = np.ones((len(part), len(distinct)), dtype=bool)
        for k in range(len(tables)):
            fits &= part[:, widths[k] + distinct[:, k]]
        counts[start : start + step] = fits @ weight
    return counts[of_row]


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
