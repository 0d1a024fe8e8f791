"""Bounds of a forest: the numbers, or probabilities, that a row with unknowns can get.

In:  a fitted forest of scikit-learn, and rows.
Out: two numbers for each row (two per class), between which every completion of it stays.
"""

from __future__ import annotations

from typing import Any

from ..errors import UnreadableModel, a_kind
from ..readers import read_ensemble, unwrap

__all__ = ["forest_bounds"]


def forest_bounds(forest: Any, X: Any, *, time_limit: float = 1.0) -> tuple[Any, Any]:
    """Bound what a forest predicts over all completions.

    A forest's number is the mean of its trees' numbers. Each tree reaches its own ends, but one
    completion need not reach all of them at once: the range of the forest is narrower than the mean
    of its trees' ranges, and finding it is NP-hard (Kantchelian, Tygar and Joseph, "Evasion and
    hardening of tree ensemble classifiers", 2016). It is searched for exactly, as by
    ``Ensemble.predict_interval``; rows that take longer get bounds that are proven, but may be too
    wide.

    Parameters
    ----------
    forest : fitted RandomForest or ExtraTrees classifier or regressor of scikit-learn
        Of one output; alone, or at the end of a ``Pipeline`` whose transformers ``read_tree``
        knows.
    X : array, data frame, or list of dicts
        NaN, None, NA and null are unknown.
    time_limit : float
        Seconds for each row, and class. ``read_ensemble(forest).predict_interval(X)``, or
        ``predict_proba_interval(X)``, also says which rows are exact.

    Returns
    -------
    lower, upper
        For a regressor as from ``regression_bounds``, for a classifier bounds on ``predict_proba``
        as from ``probability_bounds``.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = [[1, 0], [2, 0], [3, 0], [3, 1]], [10.0, 20.0, 60.0, 70.0]
    >>> forest = RandomForestRegressor(n_estimators=4, random_state=0).fit(X, y)
    >>> lower, upper = forest_bounds(forest, [[3, None]])
    >>> lower.tolist(), upper.tolist()
    ([52.5], [70.0])
    """
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

    model, _ = unwrap(forest, None)
    classify = isinstance(model, RandomForestClassifier | ExtraTreesClassifier)
    if not classify and not isinstance(model, RandomForestRegressor | ExtraTreesRegressor):
        raise UnreadableModel(
            f"{a_kind(model)} is not a forest that averages trees: give a RandomForest or "
            "ExtraTrees classifier or regressor of scikit-learn; for one tree use "
            "probability_bounds or regression_bounds"
        )
    if not hasattr(model, "estimators_"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} is not fitted: call fit(X, y) first"
        )
    ensemble = read_ensemble(forest)
    ask = ensemble.predict_proba_interval if classify else ensemble.predict_interval
    lower, upper, _ = ask(X, time_limit=time_limit)
    return lower, upper
