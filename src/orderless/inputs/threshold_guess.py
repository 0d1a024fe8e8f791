"""Guessed thresholds: cut features where a boosted ensemble of small trees cuts them.

In:  a table of numbers, and class labels.
Out: the cuts, by feature.
Paper: Sections 4 and 6.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from ..errors import InvalidData
from ..model import Floats
from .binarize import Cut

__all__ = ["guess"]

BOOSTERS = {"classification": GradientBoostingClassifier, "regression": GradientBoostingRegressor}


def guess(rows: Floats, labels: Any, how: Any, end: float) -> list[Cut] | None:
    """Guess where to cut; None if that is not done at a time of ``time.monotonic``.

    ``how`` has the parameters of a ``Binarizer``.
    """
    if how.task not in BOOSTERS:
        raise ValueError(f"task must be one of {str(list(BOOSTERS))[1:-1]}, got {how.task!r}")
    codes = labels.astype(np.float64) if how.task == "regression" else _class_codes(labels)
    seed = how.random_state
    if not isinstance(seed, int | np.integer):
        seed = check_random_state(seed).randint(2**31 - 1)
    booster = BOOSTERS[how.task](
        n_estimators=how.n_estimators,
        max_depth=how.max_depth,
        learning_rate=how.learning_rate,
        random_state=seed,
    )
    try:
        cuts = _candidates(booster.fit(rows, codes, monitor=_Monitor(end)))
        if how.backward_select and len(cuts) > 1:
            bits = np.empty((len(rows), len(cuts)), dtype=bool)
            for k, (j, threshold) in enumerate(cuts):
                bits[:, k] = rows[:, j] <= threshold
            cuts = [cuts[k] for k in _backward_selection(booster, bits, codes, end)]
    except _TimeUp:
        return None
    return cuts


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
