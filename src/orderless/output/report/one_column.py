"""One column that tells the target: usually a trace of the answer, which new rows will not have.

In:  rows and labels.
Out: the feature that alone predicts the target almost everywhere, if there is one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model import CODE, F32, F64, Rows, Space, printable

__all__ = ["Alone", "alone"]

WRONG = 0.01  # of the rows
WRONG_OF_OTHERS = 0.05  # of the rows that do not have the most frequent class
MOST_LEARNED = 10_000  # rows from which the thresholds of a column are learned
LEAST_RANKS = 0.999  # correlation of ranks, for numbers


class Alone(NamedTuple):
    """A column that alone predicts the target, and the share of the rows that it gets right."""

    name: str
    right: float | None

    def __str__(self) -> str:
        if self.right is None:
            return (
                f"The column {printable(self.name)} alone predicts the target: the two rise, or "
                "fall, together."
            )
        share = "every row" if self.right == 1 else f"{self.right:.1%} of the rows"
        return f"The column {printable(self.name)} alone predicts the target of {share}."


def alone(rows: Rows, y: Any, space: Space, *, numbers: bool, seed: int) -> Alone | None:
    """Find the column that predicts the target best, if it does so almost everywhere.

    Of a numeric column as many intervals are taken as there are classes; of a categorical one each
    value, unless there are almost as many values as rows.
    """
    import pandas as pd

    codes, classes = pd.factorize(pd.Series(list(y), dtype=object))
    known = np.flatnonzero(codes >= 0)
    codes = codes[known]
    if len(classes) < 2:
        return None
    most = np.bincount(codes).max()
    best: Alone | None = None
    for feature, (kind, values, _) in zip(space.features, rows.columns, strict=True):
        if kind not in (F64, F32, CODE) or values is None:
            continue
        column = np.asarray(values)[known]
        if numbers:
            if kind != CODE and _ranks(column, np.asarray(y, dtype=float)[known]):
                return Alone(feature.name, None)
            continue
        if kind == CODE:
            wrong = _wrong_by_value(column, codes)
        else:
            wrong = _wrong_by_interval(column, codes, len(classes), seed)
        n = len(codes)
        if wrong <= WRONG * n and wrong <= WRONG_OF_OTHERS * (n - most):
            share = 1 - wrong / n
            if best is None or share > (best.right or 0):
                best = Alone(feature.name, share)
    return best


def _wrong_by_value(column: NDArray[Any], codes: NDArray[Any]) -> int:
    values, which = np.unique(column, return_inverse=True)
    if 5 * len(values) > len(codes):
        return len(codes)  # nearly a value per row: that says nothing about new rows
    counts = np.zeros((len(values), int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (which.ravel(), codes), 1)
    return len(codes) - int(counts.max(axis=1).sum())


def _wrong_by_interval(column: NDArray[Any], codes: NDArray[Any], n_classes: int, seed: int) -> int:
    from sklearn.tree import DecisionTreeClassifier

    X = np.where(np.isfinite(column), column, np.finfo(np.float32).max / 2)[:, None]
    X = X.clip(-1e38, 1e38)
    some = np.arange(len(codes))
    if len(codes) > MOST_LEARNED:
        some = np.random.RandomState(seed).choice(len(codes), MOST_LEARNED, replace=False)
    model = DecisionTreeClassifier(max_leaf_nodes=n_classes, random_state=0)
    return int((model.fit(X[some], codes[some]).predict(X) != codes).sum())


def _ranks(column: NDArray[Any], y: NDArray[Any]) -> bool:
    from scipy.stats import rankdata

    if len(y) < 3 or not np.isfinite(column).all() or not (np.ptp(column) and np.ptp(y)):
        return False
    correlation = np.corrcoef(rankdata(column), rankdata(y))[0, 1]
    return bool(abs(correlation) >= LEAST_RANKS)
