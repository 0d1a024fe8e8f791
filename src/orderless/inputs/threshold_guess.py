"""Guessed thresholds: cut features where a boosted ensemble of small trees cuts them.

In:  a table of numbers, and class labels.
Out: 0/1 columns, and ``space_``: the ``Space`` that says what each of them means.
Paper: Sections 4 and 6.
"""

from __future__ import annotations

import math
import time
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..errors import InvalidData
from ..model import Space
from .binarize import Binarizer, Cut, as_declared
from .rows import refuse_rounding

__all__ = ["ThresholdGuessBinarizer"]

BOOSTERS = {"classification": GradientBoostingClassifier, "regression": GradientBoostingRegressor}


class ThresholdGuessBinarizer(Binarizer):
    r"""Cut features where a boosted ensemble of small trees cuts them.

    A gradient-boosted ensemble is fitted on ``X``; the thresholds of its trees are the candidates,
    each a column :math:`[x_j \le t]`. Backward selection then drops the least important column,
    refits the ensemble on the columns left, and goes on for as long as its training accuracy
    stays at or above that of the ensemble on *all* candidate columns. The column whose removal
    ended the search returns, as the last one. The defaults are the paper's.

    Parameters
    ----------
    n_estimators, max_depth, learning_rate
        Of the ``GradientBoostingClassifier``.
    backward_select : bool
        False keeps all candidates.
    random_state : int, RandomState or None
        Settles which of several equally good splits a tree takes; the same for every refit.
    space : Space, optional
        What the columns that come in mean (``Space({"age": "integer"})``), where they are not just
        numbers. It goes into ``space_``; cuts that are then one condition are merged.
    task : "classification" or "regression"
        Whether y holds class labels, or numbers. The ensemble of numbers is a
        ``GradientBoostingRegressor``, and columns are dropped for as long as the share of the
        variance that it explains, in thousandths, does not fall.

    Attributes
    ----------
    thresholds_ : list of (int, float)
        Feature index and threshold of each column that comes out: by feature, then by threshold,
        but for the last one after a backward selection, which was put back.
    space_ : Space
        The features that came in, and the columns that come out as conditions on them. The way
        back: ``orderless.read(model, space=binarizer.space_)`` for a model fitted on them.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    0/1 columns are cut at 0.5 like any other, so the column that comes out is their opposite.

    scikit-learn grows trees on float32 values, so thresholds are those between float32 values; the
    columns themselves compare float64 values.

    With two candidates or more at least two columns are kept: the one put back returns even where
    its removal did no harm. With more than two classes the trees of all classes contribute (the
    gosdt package 1.0.4 looks at the first class only).

    Cost: one fit on ``X``, O(n_estimators * max_depth * n_rows * log(n_rows) * n_features), times
    the classes when there are more than two. The refits of the selection, at most one per
    candidate, are on *distinct* rows of 0/1 columns, weighted: quick, however many rows there are.

    References
    ----------
    McTavish et al., "Fast Sparse Decision Tree Optimization via Reference Ensembles", AAAI 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [19, 24, 31, 45, 52, 60], "visits": [0, 3, 1, 0, 2, 1]})
    >>> binarizer = ThresholdGuessBinarizer().fit(X, ["no", "no", "yes", "yes", "yes", "no"])
    >>> binarizer.thresholds_
    [(0, 27.5), (0, 56.0)]
    >>> binarizer.transform(X[:3])
    array([[1, 1],
           [1, 1],
           [0, 1]], dtype=int8)
    >>> binarizer.space_
    Space(Feature('age', numeric), Feature('visits', numeric); 2 columns are indicators)
    """

    _needs_labels = True

    def __init__(
        self,
        *,
        n_estimators: int = 40,
        max_depth: int = 1,
        learning_rate: float = 0.1,
        backward_select: bool = True,
        random_state: Any = 42,
        space: Space | None = None,
        task: str = "classification",
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.backward_select = backward_select
        self.random_state = random_state
        self.space = space
        self.task = task

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Guess the thresholds.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Class labels of any type, two classes or more; finite numbers for regression.

        Returns
        -------
        self
        """
        fitted = self.fit_until(math.inf, X, y)
        assert fitted is not None
        return fitted

    def fit_until(self, end: float, X: Any, y: ArrayLike) -> Self | None:
        """Guess the thresholds; None if that is not done at a time of ``time.monotonic``."""
        if self.task not in BOOSTERS:
            raise ValueError(f"task must be one of {str(list(BOOSTERS))[1:-1]}, got {self.task!r}")
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        names, features = self._declared(X)
        refuse_rounding(X, list(rows.T), features)
        rows = as_declared(rows, names, features)
        codes = labels.astype(np.float64) if self.task == "regression" else _class_codes(labels)
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = check_random_state(seed).randint(2**31 - 1)
        booster = BOOSTERS[self.task](
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            learning_rate=self.learning_rate,
            random_state=seed,
        )
        try:
            cuts = _candidates(booster.fit(rows, codes, monitor=_Monitor(end)))
            if self.backward_select and len(cuts) > 1:
                bits = np.empty((len(rows), len(cuts)), dtype=bool)
                for k, (j, threshold) in enumerate(cuts):
                    bits[:, k] = rows[:, j] <= threshold
                cuts = [cuts[k] for k in _backward_selection(booster, bits, codes, end)]
        except _TimeUp:
            return None
        return self._learn(names, features, cuts)


class _TimeUp(Exception):
    """The time is over."""


class _Monitor:
    """What scikit-learn calls after every tree of a booster."""

    def __init__(self, end: float) -> None:
        self.end = end

    def __call__(self, *_: object) -> bool:
        if time.monotonic() > self.end:
            raise _TimeUp
        return False


def _class_codes(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Give every label the number of its class."""
    if labels.dtype == object and len({type(label) for label in labels}) == 1:
        labels = np.array(labels.tolist())  # plain bools or ints in a column of objects
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InvalidData(
            f"y has 1 class, {classes.tolist()[0]!r}: guessing thresholds needs at least two"
        )
    return codes


def _candidates(booster: Any) -> list[Cut]:
    """Give all distinct cuts of all trees of a fitted booster, sorted."""
    cuts: set[Cut] = set()
    for estimator in booster.estimators_.ravel():
        tree = estimator.tree_
        inner = tree.children_left >= 0  # a leaf has no children
        cuts.update(zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist(), strict=True))
    return sorted(cuts)


def _backward_selection(
    booster: Any, bits: NDArray[np.bool_], codes: NDArray[Any], end: float
) -> list[int]:
    """Give the positions of the columns to keep: ascending, then the one that was put back."""
    columns, codes, weights = _distinct(bits, codes)

    def n_correct(kept: list[int]) -> int:
        part = columns[:, kept]
        fitted = booster.fit(part, codes, sample_weight=weights, monitor=_Monitor(end))
        if isinstance(booster, GradientBoostingRegressor):
            return int(np.rint(1000 * fitted.score(part, codes, weights)))
        return int(weights[fitted.predict(part) == codes].sum())

    kept = list(range(columns.shape[1]))
    floor = n_correct(kept)
    dropped = kept[0]
    while len(kept) > 1:
        # The first of several least important ones, as numpy's argmin has it.
        dropped = kept.pop(int(np.argmin(booster.feature_importances_)))
        if n_correct(kept) < floor:
            break
    return [*kept, dropped]


def _distinct(
    bits: NDArray[np.bool_], codes: NDArray[Any]
) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[np.int64]]:
    """Give the distinct rows with their class, and how often each is there.

    A tree cannot tell equal rows apart, so the ensembles are the same, and no longer depend on
    the order of the rows.
    """
    wide = codes[:, None].astype(np.float64 if codes.dtype.kind == "f" else np.int64)
    key = np.hstack([np.packbits(bits, axis=1), wide.view(np.uint8)])
    packed = np.ascontiguousarray(key).view(np.dtype((np.void, key.shape[1]))).ravel()
    _, first, counts = np.unique(packed, return_index=True, return_counts=True)
    # 0 and 1 are exact in float32, the type in which scikit-learn's trees read their rows.
    return bits[first].astype(np.float32), codes[first], counts.astype(np.int64)
