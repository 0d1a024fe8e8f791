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
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidData
from ..form import CanonicalForm
from ..inputs import AMONG, BETWEEN, CODE, CoreColumn, Rows, labels_like, read_between, read_rows
from ..model import Bins, Label, Tree, plain_label, row_boundary
from ..readers import read_tree

__all__ = [
    "allowed_bins",
    "class_codes",
    "distinct_rows",
    "known_rows",
    "odds",
    "possible_classes",
    "predict_between",
    "predict_features",
    "predict_path",
    "tree_of",
]

MOST_CELLS = 20_000_000  # of a table of rows by leaves, or by training cells, at one time


def tree_of(source: Any) -> Tree:
    """Give the tree of a ``CanonicalForm``, or read it."""
    return source.tree if isinstance(source, CanonicalForm) else read_tree(source)


def possible_classes(tree: Any, X: Any) -> list[tuple[Label, ...]]:
    """Give, for each row, every class that some completion of it gets.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        NaN, None, NA and null are unknown.

    Returns
    -------
    list of tuple of labels
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
    tree = tree_of(tree)
    rows = read_rows(X, tree.space, tree.used)
    table = tree.reach(rows, all_classes=True)[2].reshape(rows.n_rows, len(tree.classes))
    kinds, which = distinct_rows(table.astype(bool))
    named = [tuple(tree.classes[c] for c in np.flatnonzero(kind)) for kind in kinds]
    return [named[k] for k in which.tolist()]


def distinct_rows(table: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Give the distinct rows of a table of bits, and which of them each row is."""
    if table.size == 0:
        return table[:1], np.zeros(len(table), dtype=np.intp)
    packed = np.packbits(table, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return table[first], which


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
    tree = tree_of(tree)
    rows = read_between(lower, upper, tree.space, tree.used)
    return labels_like(lower, tree.labels, tree.decide(rows))


# -- other ways to answer ----------------------------------------------------------------------


def predict_path(tree: Any, X: Any) -> Any:
    """Walk each row down the tree; masked where a split's answer is not known.

    The paper's first baseline. A split is answered if the row tells whether its condition holds,
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
    tree = tree_of(tree)
    leaf = tree.reach(X)[0]
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
    tree = tree_of(tree)
    rows = read_rows(X, tree.space, tree.used)
    codes = np.where(known_rows(Bins(tree), rows), tree.decide(rows), -1)
    return labels_like(X, tree.labels, codes.astype(np.int32))


def known_rows(bins: Bins, rows: Rows) -> NDArray[np.bool_]:
    """Tell which rows lie in one bin of every feature of a tree."""
    known = np.ones(rows.n_rows, dtype=bool)
    for k, feature in enumerate(bins.features):
        column = rows.columns[bins.tree.space.index(feature.name)]
        kind, first = column[:2]
        if first is None:
            known &= len(allowed_bins(bins, k, column, 1)[0]) == 1
        elif kind in (BETWEEN, AMONG):
            known &= allowed_bins(bins, k, column, rows.n_rows).sum(axis=1) == 1
        elif kind == CODE:
            known &= first >= 0
        elif not feature.nan:
            known &= ~np.isnan(first)
    return known


def allowed_bins(bins: Bins, k: int, column: CoreColumn, n_rows: int) -> NDArray[np.bool_]:
    """Give rows x bins of one feature: where a row can be. NaN, where it is a value, is last."""
    feature, groups = bins.features[k], bins.groups[k]
    kind, first, second = column
    n = int(bins.layout[2][k])
    width = n + (feature.ordered and feature.nan)
    if first is None:
        return np.ones((n_rows, width), dtype=bool)
    if kind == AMONG:
        return np.stack([first[:, list(group)].any(axis=1) for group in groups], axis=1)
    if kind == CODE:
        table = np.ones((feature.n_values + 1, n), dtype=bool)  # the last row: unknown
        for b, group in enumerate(groups):
            table[list(group)] = np.arange(n) == b
        return table[first]
    cuts = row_boundary(bins.cuts[k], feature.values)
    low = first.astype(np.float64)
    high = low if second is None else second
    out = np.zeros((n_rows, width), dtype=bool)
    number = ~np.isnan(low)
    end = np.where(np.isnan(high), n - 1, np.searchsorted(cuts, high))
    at = np.arange(n)
    out[:, :n] = (
        number[:, None]
        & (at >= np.searchsorted(cuts, low)[:, None])
        & (at <= end[:, None])
    )  # fmt: skip
    if feature.nan:
        out[:, n] = np.isnan(high)
    else:
        out[~number] = True
    return out


# -- odds --------------------------------------------------------------------------------------


def odds(tree: Any, X: Any, weights: Any = "leaves", y: ArrayLike | None = None) -> Any:
    """Give, for each row, the share of each class among the training rows that fit it.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        Rows with unknown values.
    weights : "leaves", or complete training rows
        "leaves": all training rows in the leaves that the row can reach, as the tree has counted
        them, by their labels. It forgets what else is known of the row: a training row in a
        reachable leaf counts even if it differs from the row in a feature that its path does not
        ask. Training rows: those that lie in the same bin as the row in every feature the row
        knows.
    y : labels of the training rows, optional
        Without them, a training row has the class that the tree gives it.

    Returns
    -------
    array of shape (rows, classes)
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
    tree = tree_of(tree)
    rows = read_rows(X, tree.space, tree.used)
    if isinstance(weights, str):
        if weights != "leaves":
            raise ValueError(f"weights={weights!r}: legal are 'leaves' and complete training rows")
        if y is not None:
            raise ValueError("y goes with training rows: odds(X, X_train, y)")
        counts = _odds_of_leaves(tree, rows)
    else:
        counts = _odds_of_rows(tree, rows, weights, y)
    total = counts.sum(axis=1, keepdims=True)
    out = np.full(counts.shape, np.nan)
    return np.divide(counts, total, out=out, where=total > 0)


def counts_rows(tree: Tree) -> bool:
    """Tell whether a tree's distribution counts training rows, and does not only give shares.

    Where every leaf sums up to 1, the splits tell: a split has at least the rows of its two sides
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


def _odds_of_leaves(tree: Tree, rows: Rows) -> NDArray[np.float64]:
    leaves = np.flatnonzero(tree.feature < 0)
    told = tree.distribution
    if told is None or not counts_rows(tree):
        raise InvalidData(
            "the tree does not say how many training rows its leaves have: give the training "
            "rows, odds(X, X_train)"
        )
    told = told[leaves]
    number = np.full(tree.n_nodes, -1, dtype=np.int32)
    number[leaves] = np.arange(len(leaves), dtype=np.int32)  # every leaf is its own class
    nodes = (*tree.nodes[:5], number, *tree.nodes[6:])
    out = np.empty((rows.n_rows, len(tree.classes)))
    step = max(1, MOST_CELLS // len(leaves))
    for start in range(0, rows.n_rows, step):
        part = _part(rows, start, start + step)
        reached = _core.reach(nodes, tree.space.domains, tree.row_threshold, part.columns,
                              part.n_rows, len(leaves), True)[2]  # fmt: skip
        out[start : start + step] = reached.reshape(part.n_rows, len(leaves)) @ told
    return out


def _part(rows: Rows, start: int, end: int) -> Rows:
    columns: list[CoreColumn] = [
        (kind, *(None if a is None else a[start:end] for a in (first, second)))  # type: ignore[misc]
        for kind, first, second in rows.columns
    ]
    return Rows(min(end, rows.n_rows) - start, columns)


def _odds_of_rows(tree: Tree, rows: Rows, X: Any, y: ArrayLike | None) -> NDArray[np.float64]:
    bins = Bins(tree)
    training = read_rows(X, tree.space, tree.used)
    known = known_rows(bins, training)
    if not known.all():
        raise InvalidData(
            f"training row {int(np.argmin(known))} has unknown values: give complete rows"
        )
    codes = tree.decide(training) if y is None else class_codes(tree, y, training.n_rows)
    if (codes < 0).any():
        raise InvalidData(
            f"training row {int(np.argmax(codes < 0))} has a label that is none of the classes "
            f"{list(tree.classes)}"
        )
    places = [tree.space.index(feature.name) for feature in bins.features]
    cells = np.zeros((training.n_rows, len(places)), dtype=np.int32)
    for k, i in enumerate(places):
        cells[:, k] = allowed_bins(bins, k, training.columns[i], training.n_rows).argmax(axis=1)
    distinct, which = np.unique(cells, axis=0, return_inverse=True)
    weight = np.zeros((len(distinct), len(tree.classes)))
    np.add.at(weight, (which.ravel(), codes), 1.0)
    tables = [allowed_bins(bins, k, rows.columns[i], rows.n_rows) for k, i in enumerate(places)]
    widths = np.cumsum([0, *(table.shape[1] for table in tables)])
    boxes, of_row = distinct_rows(np.hstack([np.zeros((rows.n_rows, 0), dtype=bool), *tables]))
    counts = np.zeros((len(boxes), len(tree.classes)))
    step = max(1, MOST_CELLS // max(1, len(distinct)))
    for start in range(0, len(boxes), step):
        part = boxes[start : start + step]
        fits = np.ones((len(part), len(distinct)), dtype=bool)
        for k in range(len(places)):
            fits &= part[:, widths[k] + distinct[:, k]]
        counts[start : start + step] = fits @ weight
    return counts[of_row]


def class_codes(tree: Tree, y: ArrayLike, n_rows: int) -> NDArray[np.int32]:
    """Give the positions of labels in ``tree.classes``, -1 for labels that are not there."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise InvalidData(
            f"y has shape {labels.shape}, there are {n_rows:,} rows: give one label per row"
        )
    distinct, which = np.unique(labels, return_inverse=True)
    at = {label: i for i, label in enumerate(tree.classes)}
    codes = np.array([at.get(plain_label(label), -1) for label in distinct], dtype=np.int32)
    return codes[which] if n_rows else np.zeros(0, dtype=np.int32)
